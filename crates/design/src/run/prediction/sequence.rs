//! Up to which change of the parameters the changed motion has the same events in the same order.

use std::fmt::{self, Display, Formatter};

use super::Prediction;
use super::motions::Recorded;
use crate::hybrid::At;
use crate::mechanism::Mechanism;
use crate::model::Mode;
use crate::run::brinks::{Brink, Place, can_be_missed};
use crate::run::probe::Probe;
use crate::sensitivity::{Linearization, Neighbour};

/// Where a prediction ends along a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Change as a multiple of dp; below 1 the prediction for dp itself is beyond it.
    pub fraction: f64,
    /// What happens there.
    pub cause: Cause,
}

/// What ends a prediction.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// The error, estimated by what is left over in the equations or found by a simulation, passes a bound.
    Error,
    /// The changed scene has no motion: it does not close, or its simulation fails.
    Failure,
    /// Two events coincide, or one leaves the simulated time.
    Order {
        /// What comes first in the simulated motion: the name of an element, or `start`.
        first: String,
        /// What comes at the same time after that change: the name of an element, or `end`.
        second: String,
    },
    /// A guard that does not fire in the simulated motion reaches zero.
    New {
        /// Contact, force or scene event.
        name: String,
        /// What happens then, as of a [`NearMiss`](crate::run::NearMiss).
        kind: String,
        /// About when, s.
        t: f64,
    },
    /// A guard that fires in the simulated motion only touches zero.
    Lost {
        /// Contact, force or scene event.
        name: String,
        /// What does not happen any more.
        kind: String,
        /// About when it did, s.
        t: f64,
    },
}

impl Display for Cause {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Self::Error => f.write_str("the error becomes too large"),
            Self::Failure => f.write_str("the mechanism has no motion"),
            Self::Order { first, second } => write!(f, "{first} and {second} come to one time"),
            Self::New { name, kind, t } => write!(f, "{name} has a new event ({kind}) at about {t:.3} s"),
            Self::Lost { name, kind, t } => write!(f, "{name} loses its event ({kind}) at about {t:.3} s"),
        }
    }
}

impl Prediction {
    /// Where the sequence of the events ends along a change, in a mechanism that is changed by it (theory, 3.7).
    pub(super) fn sequence(&self, changed: &Mechanism, recorded: &Recorded, dp: &[f64]) -> Option<Limit> {
        let mut probe = Probe::new(changed, &[]);
        let brinks = recorded.brinks.iter();
        let found = brinks.filter_map(|brink| {
            let fraction = fraction(brink, reached(brink, &mut probe, &recorded.motion, dp)?)?;
            let (name, kind) = can_be_missed(changed, brink.guard)?;
            let (name, kind, t) = (name.to_string(), kind.to_string(), brink.t);
            let cause = match brink.fires {
                true => Cause::Lost { name, kind, t },
                false => Cause::New { name, kind, t },
            };
            Some(Limit { fraction, cause })
        });
        let all = found.chain(order(&recorded.motion, dp));
        all.min_by(|a, b| a.fraction.total_cmp(&b.fraction))
    }
}

/// The value of a brink in the changed mechanism along the predicted motion; none where there is none.
fn reached(brink: &Brink, probe: &mut Probe, motion: &Linearization<Mode>, dp: &[f64]) -> Option<f64> {
    let (first, last) = motion.span();
    let time = |event: Option<usize>| event.and_then(|k| motion.events().get(k)).map(|event| event.time(dp));
    let start = time(brink.phase.checked_sub(1)).unwrap_or(first);
    let end = time(Some(brink.phase)).unwrap_or(last);
    let t = match brink.place {
        Place::Start => start,
        Place::Within => brink.t.max(start).min(end),
        Place::End => end,
    };
    let mut x = vec![0.0; 2 * motion.dimension()];
    let mode = motion.along(brink.phase, t, dp, &mut x).ok()?;
    let (state, change) = x.split_at_mut(motion.dimension());
    state.iter_mut().zip(change).for_each(|(x, change)| *x += *change);
    let mechanism = probe.mechanism;
    mechanism.model.normalize(&mut state[mechanism.positions()]);
    let at = At::new(t, mode, state);
    match brink.fires {
        true => probe.guard_rate(brink.guard, at).ok(),
        false => probe.guard_value(brink.guard, at).ok(),
    }
}

/// The multiple of a change at which a brink is at zero, from its value after that change. A depth that an approach would
/// reach beyond zero goes with the square of its rate.
fn fraction(brink: &Brink, reached: f64) -> Option<f64> {
    let part = reached / brink.value;
    let part = if brink.fires { part * part.abs() } else { part };
    (part < 1.0).then(|| 1.0 / (1.0 - part))
}

/// Where the order of the events ends along a change.
fn order(motion: &Linearization<Mode>, dp: &[f64]) -> Option<Limit> {
    let found = motion.overtaking(dp)?;
    let name = |neighbour: Neighbour| match neighbour {
        Neighbour::Start => "start".to_string(),
        Neighbour::End => "end".to_string(),
        Neighbour::Event(k) => {
            let happening = motion.events().get(k).and_then(|event| event.happenings.first());
            happening
                .map_or("choice of rows", |happening| &happening.name)
                .to_string()
        }
    };
    Some(Limit {
        fraction: found.fraction,
        cause: Cause::Order {
            first: name(found.first),
            second: name(found.second),
        },
    })
}
