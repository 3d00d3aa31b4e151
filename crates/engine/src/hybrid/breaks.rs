//! Jumps of the flow that no guard foresees, as those of a direction `u/hypot(u, v)` where both vanish: the steps resolve them, but
//! derivatives lack what they leave.

use super::{At, HybridSystem, Simulation};
use crate::integrate::{DenseOutput, Stepper, Tolerance};

/// Length of a step over that of the longest, from which down it may be short because of a jump.
const SHORT: f64 = 0.1;

/// Change of a rate over the tolerance, times the time that is left, that matters.
const NOTICED: f64 = 1e3;

/// The same over the rate, below which it may be rounding, or another choice of independent rows.
const SLIGHT: f64 = 1e-6;

/// Halvings of a step, after which what still changes within it jumps, sooner where the rate has one value or none between: states have no
/// more digits there. And most of them.
const ENOUGH: usize = 20;
const ENOUGH_BESIDE: usize = 8;
const HALVINGS: usize = 40;

/// Parts at which a step is halved: at some the flow may have no value, as just where it jumps.
const PARTS: [f64; 3] = [0.5, 0.4, 0.6];

/// Part of the change of a rate in a step that its jump makes.
const MOST: f64 = 0.75;

/// Way of a rate over its change, from which it is no jump but a pole, or rounding that a singular position magnifies.
const WAY: f64 = 1.5;

/// A jump of a rate that no guard tells.
#[derive(Clone, Debug)]
pub struct Break {
    /// The component of the state whose rate jumps.
    pub component: usize,
    /// Time, in seconds.
    pub t: f64,
    /// States just before and just after it.
    pub sides: [Vec<f64>; 2],
}

impl<H: HybridSystem> Simulation<'_, H> {
    /// A jump of the flow within the step at hand; `over` a rough place, with its interpolant.
    pub(super) fn break_within_step(&mut self, over: bool) -> Option<Break> {
        let h = self.stepper.t_new() - self.now.t;
        if !over && !self.shortened && h > SHORT * self.now.longest {
            return None;
        }
        let mut step = Step {
            system: self.system,
            workspace: self.workspace,
            stepper: &self.stepper,
            tolerance: &self.options.tolerance,
            from: self.now.at(),
            left: self.options.end - self.now.t,
            over: over.then_some(&self.dense),
            x: &mut self.before,
            looked: Vec::new(),
            found: Vec::new(),
        };
        match over {
            true => step.breaks_over(),
            false => step.breaks((self.stepper.derivative(), self.stepper.derivative_new())),
        }
    }
}

/// A step that was accepted, as far as jumps within it concern: those over a jump are short, or were tried longer before.
struct Step<'a, H: HybridSystem> {
    system: &'a H,
    workspace: &'a mut H::Workspace,
    stepper: &'a Stepper,
    tolerance: &'a Tolerance,
    /// Where it starts, and the time that is left.
    from: At<'a, H::Mode>,
    left: f64,
    /// The interpolant of a step over a rough place, which may be such a jump.
    over: Option<&'a DenseOutput>,
    /// Scratch: a state.
    x: &'a mut [f64],
    /// Parts of the step looked at, and the rates of all components there, one look after the other; NaN where the flow has none.
    looked: Vec<f64>,
    found: Vec<f64>,
}

impl<H: HybridSystem> Step<'_, H> {
    /// The first component whose rate jumps within the step, of those that matter for the tolerance; given are the rates at its ends.
    fn breaks(&mut self, (before, after): (&[f64], &[f64])) -> Option<Break> {
        let ends = |component: usize| [before[component], after[component]];
        let matters = |step: &Self, component: usize| {
            let (atol, rtol) = (step.tolerance.atol()[component], step.tolerance.rtol());
            let change = (after[component] - before[component]).abs();
            let is_slight = change <= SLIGHT * before[component].abs().max(after[component].abs());
            !is_slight && change * step.left > NOTICED * (atol + rtol * step.from.x[component].abs())
        };
        let first = (0..before.len()).find(|&component| matters(self, component))?;
        // One look tells that most rates do not jump.
        let middle = self.look(PARTS[0]);
        let jumps = |step: &Self, component: usize| {
            let rate = step.rates(middle)[component];
            !rate.is_finite() || step.takes_most(ends(component), rate)
        };
        let suspects: Option<usize> = (first..before.len()).find(|&k| matters(self, k) && jumps(self, k));
        (suspects?..before.len()).find_map(|k| matters(self, k).then(|| self.jump(k, ends(k)))?)
    }

    /// The same within a step over a rough place.
    fn breaks_over(&mut self) -> Option<Break> {
        let [before, after] = [0.0, 1.0].map(|part| {
            let end = self.look(part);
            self.rates(end).to_vec()
        });
        self.breaks((&before, &after))
    }

    /// Whether most of a change is on one side of a value between.
    fn takes_most(&self, [before, after]: [f64; 2], between: f64) -> bool {
        (between - before).abs().max((after - between).abs()) >= MOST * (after - before).abs()
    }

    /// Writes the state at a part of the step, and returns the time.
    fn place(&mut self, part: f64) -> f64 {
        let t = self.from.t + part * (self.stepper.t_new() - self.from.t);
        match self.over {
            Some(dense) => dense.evaluate(t, self.x),
            None => {
                for ((x, from), to) in self.x.iter_mut().zip(self.from.x).zip(self.stepper.x_new()) {
                    *x = from + part * (to - from);
                }
            }
        }
        t
    }

    /// Looks at the flow at a part of the step, once, and returns which look it is.
    fn look(&mut self, part: f64) -> usize {
        let known = self.looked.iter().position(|known| *known == part);
        known.unwrap_or_else(|| {
            let (t, look, n) = (self.place(part), self.looked.len(), self.x.len());
            self.looked.push(part);
            self.found.resize((look + 1) * n, 0.0);
            let (at, rates) = (At::new(t, self.from.mode, self.x), &mut self.found[look * n..]);
            if self.system.flow(at, self.workspace, rates).is_err() {
                rates.fill(f64::NAN);
            }
            look
        })
    }

    /// The rates that a look found.
    fn rates(&self, look: usize) -> &[f64] {
        &self.found[look * self.x.len()..][..self.x.len()]
    }

    /// The jump of a rate that has these values at the ends of the step, if it has one.
    fn jump(&mut self, component: usize, ends: [f64; 2]) -> Option<Break> {
        let least = MOST * (ends[1] - ends[0]).abs();
        let [mut low, mut high] = [(0.0, ends[0]), (1.0, ends[1])];
        for halving in 0..HALVINGS {
            let mut between = [None; PARTS.len()];
            let found = PARTS.into_iter().zip(&mut between).find_map(|(part, known)| {
                let part = low.0 + part * (high.0 - low.0);
                let look = self.look(part);
                let rate = self.rates(look)[component];
                *known = Some(rate).filter(|rate| rate.is_finite());
                let [below, above] = [(rate - low.1).abs(), (high.1 - rate).abs()];
                let halves = below.max(above) >= least && below + above <= WAY * (high.1 - low.1).abs();
                halves.then_some((below > above, (part, rate)))
            });
            let is_one = between.iter().all(|rate| *rate == between[0]);
            match found {
                Some((true, between)) => high = between,
                Some((false, between)) => low = between,
                // At the jump itself the flow may have any value, or none.
                None if halving >= ENOUGH || halving >= ENOUGH_BESIDE && is_one => break,
                None => return None,
            }
        }
        let sides = [low.0, high.0].map(|part| {
            self.place(part);
            self.x.to_vec()
        });
        let t = self.place(high.0);
        Some(Break { component, t, sides })
    }
}
