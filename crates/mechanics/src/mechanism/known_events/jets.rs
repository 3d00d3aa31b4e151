//! A motion along known events with its derivatives along two directions in the parameters, as a hybrid system.
//!
//! It stands in this room so that the equations of the motion are compiled over its numbers only here, beside all else that needs
//! them: a room that called them itself would have copies of its own.
//!
//! The state is that of [`Directional`] taken twice, followed by the integrated costs in the same order.

use std::cell::Cell;
use std::ops::Range;

use super::KnownEvents;
use crate::equations::{Directional, Equations, Point};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Crossing, HybridSystem, Jump, Observer, Options, simulate};
use crate::scalar::{Dual, Dual64};

/// Length of a phase, over its times, that is rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// A number with derivatives along the first direction, the second, and both.
type Jet = Dual<Dual64>;

/// The motion with its derivatives along two directions.
pub struct Jets<'a> {
    /// The motion.
    pub events: &'a KnownEvents<'a>,
    /// The same along both directions.
    pub twice: Directional<'a, Directional<'a, KnownEvents<'a>>>,
    /// Values of the parameters.
    pub p: &'a [f64],
    /// The directions.
    pub along: [&'a [f64]; 2],
    /// Objectives to leave out of account.
    pub without: &'a [bool],
    /// The objective that was not finite, and when.
    pub lost: Cell<Option<(usize, f64)>>,
}

impl Jets<'_> {
    /// Objectives at the end of the motion, in the order of the costs that are asked for: from each end of a phase to the
    /// next, whose times are known.
    ///
    /// # Errors
    /// Whatever ends the simulation of a phase.
    pub fn run(&self, start: f64, options: &Options, observer: &mut impl Observer<usize>) -> Result<[Vec<f64>; 4]> {
        let (mut phase, mut x) = self.start();
        let mut t = start;
        while phase < self.events.phases() {
            let end = self.events.phase_end(phase);
            if end - t > ROUNDING * t.abs().max(end.abs()) {
                let options = Options { end, ..options.clone() };
                x = simulate(self, (t, phase, x), &options, &mut (), observer)?.x;
            }
            phase = self.jump(end, &phase, &mut x, &[], &mut ())?.mode;
            t = end;
        }
        Ok(self.objectives(&x))
    }

    /// Objectives from the costs in a state: formulas are made of these.
    fn objectives(&self, x: &[f64]) -> [Vec<f64>; 4] {
        let [value, first, second, both] = self.costs().map(|places| &x[places]);
        let jet = |k: usize| match self.without[k] {
            true => Jet::from(f64::NAN),
            false => Jet::new(Dual64::new(value[k], second[k]), Dual64::new(first[k], both[k])),
        };
        let mut jets: Vec<Jet> = (0..value.len()).map(jet).collect();
        self.events.with_formulas(&mut jets, &self.parameters());
        let part = |read: fn(&Jet) -> f64| jets.iter().map(read).collect();
        [
            part(|jet| jet.re.re),
            part(|jet| jet.eps.re),
            part(|jet| jet.re.eps),
            part(|jet| jet.eps.eps),
        ]
    }

    /// The parameters with their derivatives along the directions.
    fn parameters(&self) -> Vec<Jet> {
        let [u, w] = self.along;
        let jet = |i: usize| Jet::new(Dual64::new(self.p[i], w[i]), Dual64::new(u[i], 0.0));
        (0..self.p.len()).map(jet).collect()
    }

    /// Mode and state at the start.
    fn start(&self) -> (usize, Vec<f64>) {
        let mut x = vec![0.0; self.dimension()];
        let phase = self.twice.start(self.p, &mut x[..self.states()]);
        (phase, x)
    }

    fn states(&self) -> usize {
        self.twice.size().states
    }

    /// Places of the costs: values, derivatives along the first direction, the
    /// second, and both.
    fn costs(&self) -> [Range<usize>; 4] {
        let count = self.events.size().costs;
        std::array::from_fn(|k| {
            let start = self.states() + k * count;
            start..start + count
        })
    }

    /// Sizes of all components from those of a state, of the costs and of the directions; one for times, and for costs that have none.
    pub fn sizes(&self, (states, costs): (&[f64], &[f64]), [u, w]: [f64; 2]) -> Vec<f64> {
        let mut sizes = vec![1.0; self.dimension()];
        for ((first, places), along) in self.parts().into_iter().zip(self.costs()).zip([1.0, u, w, u * w]) {
            let slots = sizes[first..].iter_mut().zip(states);
            slots.for_each(|(slot, size)| *slot = size / along);
            let slots = sizes[places].iter_mut().zip(costs).filter(|(_, size)| **size > 0.0);
            slots.for_each(|(slot, size)| *slot = size / along);
        }
        sizes
    }

    /// Leaves costs out of account; notes another that is not finite although the motion is.
    fn keep(&self, t: f64, states: &[f64], costs: &mut [f64]) {
        let count = self.without.len();
        let moves = states.iter().all(|value| value.is_finite());
        for (k, cost) in costs.iter_mut().enumerate() {
            if self.without[k % count] {
                *cost = 0.0;
            } else if moves && !cost.is_finite() {
                self.lost.set(Some((k % count, t)));
            }
        }
    }

    fn point<'x>(&'x self, t: f64, x: &'x [f64]) -> Point<'x, f64> {
        Point {
            t,
            x: &x[..self.states()],
            y: &[],
            p: self.p,
        }
    }

    /// Places of the parts of a state of the motion along them: values, derivatives along the first direction, the
    /// second, and both.
    fn parts(&self) -> [usize; 4] {
        let n = self.events.size().states;
        let half = 2 * n + 2;
        [0, n, half, half + n]
    }
}

impl HybridSystem for Jets<'_> {
    type Mode = usize;
    type Workspace = ();

    fn dimension(&self) -> usize {
        self.states() + self.twice.size().costs
    }

    fn dynamic(&self) -> Range<usize> {
        0..self.states()
    }

    fn workspace(&self) {}

    fn flow(&self, at: At<usize>, _: &mut (), dx: &mut [f64]) -> Result<()> {
        let At { t, mode: phase, x } = at;
        dx.fill(0.0);
        let (states, costs) = dx.split_at_mut(self.states());
        let at = self.point(t, x);
        self.twice.flow(phase, &at, states);
        self.twice.running_costs(phase, &at, costs);
        self.keep(t, states, costs);
        if dx.iter().all(|value| value.is_finite()) {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::NotFinite,
            "a second derivative of the motion has no finite value",
        )
        .at_time(t)
        .advise("look for roots and absolute values of zero, and for motions that are not determined, at that time"))
    }

    fn projects(&self, _: &usize) -> bool {
        true
    }

    fn project(&self, t: f64, phase: &usize, x: &mut [f64], _: &mut ()) -> Result<bool> {
        let [value, first, second, both] = self.parts();
        let jet = |re: f64, u: f64, w: f64, uw: f64| Jet::new(Dual64::new(re, w), Dual64::new(u, uw));
        let mut jets: Vec<Jet> = (0..first)
            .map(|i| jet(x[value + i], x[first + i], x[second + i], x[both + i]))
            .collect();
        self.events.project(*phase, Jet::from(t), &mut jets, &self.parameters());
        for (i, jet) in jets.into_iter().enumerate() {
            (x[value + i], x[second + i]) = (jet.re.re, jet.re.eps);
            (x[first + i], x[both + i]) = (jet.eps.re, jet.eps.eps);
        }
        Ok(true)
    }

    fn is_smooth(&self) -> bool {
        false
    }

    fn guards(&self) -> usize {
        0
    }

    fn crossing(&self, _: usize, _: &usize) -> Option<Crossing> {
        None
    }

    fn guard(&self, _: usize, _: At<usize>, _: &mut ()) -> Result<f64> {
        Ok(1.0)
    }

    fn jump(&self, t: f64, phase: &usize, x: &mut [f64], _: &[usize], _: &mut ()) -> Result<Jump<usize>> {
        let mut before = x.to_vec();
        // Phases end at times of their own, even where these are equal.
        let [_, _, second, _] = self.parts();
        for place in [second - 2, 2 * second] {
            before[place] = f64::MIN;
        }
        let at = self.point(t, &before);
        let (states, costs) = x.split_at_mut(self.states());
        let mut added = vec![0.0; costs.len()];
        self.twice.event_costs(0, phase, &at, &mut added);
        let mode = self.twice.jump(0, phase, &at, states);
        self.keep(t, states, &mut added);
        for (cost, added) in costs.iter_mut().zip(added) {
            *cost += added;
        }
        Ok(Jump {
            mode,
            happenings: Vec::new(),
            remarks: Vec::new(),
        })
    }
}
