//! How far a prediction may be trusted: what it leaves over in the equations of the changed mechanism.

use super::Prediction;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, HybridSystem};
use crate::linear::max_abs;
use crate::model::Mode;
use crate::sensitivity::{Linearization, Neighbour};

/// What a prediction leaves over at the recorded instants, each in its recorded phase, and where its order of events ends.
///
/// Both residuals grow with the square of dp, as does the error of the prediction, which the motion may magnify further.
#[derive(Clone, Debug, PartialEq)]
pub struct Trust {
    /// Times, s; an event has two.
    pub times: Vec<f64>,
    /// Largest constraint residual of the predicted positions in the changed mechanism, over the length of its Jacobian row
    /// and over the largest recorded coordinate.
    pub opening: Vec<f64>,
    /// Largest difference between the predicted accelerations and those of the changed mechanism in the predicted state, over
    /// the largest recorded acceleration; infinite where the changed mechanism has none there.
    pub defect: Vec<f64>,
    /// Where the order of the events ends.
    pub order: Option<Order>,
}

/// The smallest change along dp at which predicted events coincide or leave the simulated time.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// Change as a multiple of dp; below 1 the prediction for dp itself is of another sequence of events.
    pub fraction: f64,
    /// What comes first in the simulated motion: the name of an element, or `start`.
    pub first: String,
    /// What comes at the same time after that change: the name of an element, or `end`.
    pub second: String,
}

impl Trust {
    /// The greater of both residuals, one entry per time.
    pub fn residuals(&self) -> impl Iterator<Item = f64> {
        let pairs = self.opening.iter().zip(&self.defect);
        pairs.map(|(opening, defect)| opening.max(*defect))
    }

    /// Largest multiple of dp at which the events keep their order and the residuals, which grow with its square, stay below
    /// a bound; infinite when nothing limits it.
    pub fn reach(&self, bound: f64) -> f64 {
        let worst = self.residuals().fold(0.0, f64::max);
        let residual = if worst > 0.0 {
            (bound / worst).sqrt()
        } else {
            f64::INFINITY
        };
        self.order
            .as_ref()
            .map_or(residual, |order| residual.min(order.fraction))
    }
}

impl Prediction {
    /// How far the prediction for a change may be trusted; the scene is compiled with the changed parameters and its flow
    /// evaluated once per recorded instant.
    ///
    /// # Errors
    /// Kind `Request` where `dp` does not fit or leads to a model of another size; else as [`Prediction::changed`].
    pub fn trust(&self, dp: &[f64]) -> Result<Trust> {
        let changed = self.changed(dp)?.mechanism;
        let (motion, dp) = self.motion(dp)?;
        if changed.dimension() != motion.dimension() {
            return Err(
                Error::new(ErrorKind::Request, "the changed mechanism has other coordinates")
                    .advise("simulate it with these values of the parameters"),
            );
        }
        let (size, acceleration) = self.sizes(&motion);
        let (mut workspace, velocities) = (changed.workspace(), changed.velocities());
        let [mut x, mut rate, mut flow] = [(); 3].map(|()| vec![0.0; changed.dimension()]);
        let mut trust = Trust {
            times: Vec::new(),
            opening: Vec::new(),
            defect: Vec::new(),
            order: order(&motion, &dp),
        };
        for (mode, sample) in motion.samples() {
            sample.predict(&dp, &mut x, &mut rate);
            let at = At::new(sample.t, mode, &x);
            let (opening, _) = changed.residuals(at, &mut workspace);
            let pairs = rate[velocities.clone()].iter();
            let defect = match changed.flow(at, &mut workspace, &mut flow) {
                Ok(()) => pairs
                    .zip(&flow[velocities.clone()])
                    .fold(0.0, |most, (rate, flow)| f64::max(most, (rate - flow).abs())),
                Err(_) => f64::INFINITY,
            };
            trust.times.push(sample.t);
            trust.opening.push(relative(opening, size));
            trust.defect.push(relative(defect, acceleration));
        }
        Ok(trust)
    }

    /// Largest coordinate and largest acceleration of the simulated motion.
    fn sizes(&self, motion: &Linearization<Mode>) -> (f64, f64) {
        let mechanism = &self.experiment.mechanism;
        let samples = motion.samples();
        samples.fold((0.0, 0.0), |(position, acceleration), (_, sample)| {
            (
                f64::max(position, max_abs(&sample.x()[mechanism.positions()])),
                f64::max(acceleration, max_abs(&sample.rate()[mechanism.velocities()])),
            )
        })
    }
}

/// Where the order of the events ends along a change.
fn order(motion: &Linearization<Mode>, dp: &[f64]) -> Option<Order> {
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
    Some(Order {
        fraction: found.fraction,
        first: name(found.first),
        second: name(found.second),
    })
}

/// A residual over a size; beside no size at all every residual is too large.
fn relative(residual: f64, size: f64) -> f64 {
    if residual == 0.0 { 0.0 } else { residual / size }
}
