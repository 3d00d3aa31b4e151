//! Motion along guards that both of their sides lead back to (theory, section 3.1): the numbers that change there take the values
//! between those of the two sides for which the guards stay zero.

mod derivatives;
mod onset;
mod refusal;
pub(super) mod scratch;
mod surface;
mod survey;
mod together;

use std::ops::Range;

use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::formulation::Wanted;
use crate::hybrid::At;
use crate::linear::max_abs;
use crate::model::Mode;
use crate::model::quantity::Motion;
use crate::scalar::{Dual, Dual64};
use scratch::{Part, Sliding};

/// Deviation of the accelerations at the mixed value from the mixture of those of the sides, over their size, from which it is
/// more than rounding; the same of second derivatives.
const LINEAR: f64 = 1e-6;

/// How far from a state expressions are looked at for what they are made of.
const ELSEWHERE: f64 = 0.1;

impl Mechanism {
    /// Evaluates the motion along the guards of a mode at a state with the memory loaded; the numbers have the mixed values then.
    ///
    /// # Errors
    /// Kind `Singular` where the sides do not lead back to the guards; kind `Event` where the flow is no mixture of theirs.
    pub(super) fn slide_along(&self, at: At<Mode>, multipliers: bool, workspace: &mut Workspace) -> Result<()> {
        let mut sliding = std::mem::take(&mut workspace.sliding);
        let multipliers = multipliers || self.integrands_need_multipliers;
        let found = self.mix(at, multipliers, &mut sliding, workspace);
        workspace.sliding = sliding;
        found
    }

    fn mix(&self, at: At<Mode>, multipliers: bool, sliding: &mut Sliding, workspace: &mut Workspace) -> Result<()> {
        self.write_parts(at, multipliers, sliding, workspace)?;
        if let Err(guard) = sliding.invert() {
            // A shorter step may find that the motion leaves before.
            return Err(self.slides_no_more(&at.mode.slides[guard], at.t));
        }
        for (k, slide) in at.mode.slides.iter().enumerate() {
            let share = sliding.share_against(k, |i| sliding.guards[i].above);
            sliding.guards[k].share = share;
            slide.put(share, &self.model, at.mode, &mut workspace.terms.numbers);
        }
        self.accelerate(at, Wanted::all_if(multipliers), workspace)?;
        self.each_rate(at, sliding, workspace, |sliding, i, (value, _)| {
            sliding.guards[i].value = value
        });
        self.check_mixture(at, sliding, workspace)
    }

    /// Writes the motion above all guards, and below each of them, with their rates.
    pub(super) fn write_parts(
        &self,
        at: At<Mode>,
        multipliers: bool,
        sliding: &mut Sliding,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let (slides, n) = (&at.mode.slides, at.mode.slides.len());
        sliding.differentiated = false;
        sliding.resize(n);
        let put = |k: usize, share: f64, workspace: &mut Workspace| {
            slides[k].put(share, &self.model, at.mode, &mut workspace.terms.numbers);
        };
        (0..n).for_each(|k| put(k, 0.0, workspace));
        self.write_part(at, multipliers, &mut sliding.above, workspace)?;
        self.each_rate(at, sliding, workspace, |sliding, i, (_, rate)| {
            sliding.guards[i].above = rate
        });
        for k in 0..n {
            put(k, 1.0, workspace);
            self.write_part(at, multipliers, &mut sliding.guards[k].below, workspace)?;
            self.each_rate(at, sliding, workspace, |sliding, i, (_, rate)| {
                sliding.by_share[i * n + k] = rate - sliding.guards[i].above;
            });
            put(k, 0.0, workspace);
        }
        Ok(())
    }

    /// Writes the motion with the numbers that are there.
    fn write_part(&self, at: At<Mode>, multipliers: bool, part: &mut Part, workspace: &mut Workspace) -> Result<()> {
        self.accelerate(at, Wanted::all_if(multipliers), workspace)?;
        part.a.clone_from(&workspace.a);
        part.lambda.clone_from(&workspace.lambda);
        part.rest.clear();
        part.rest.resize(at.x.len() - self.velocities().end, 0.0);
        let first = self.velocities().end;
        self.integrated_rates(at, workspace, |place, rate| part.rest[place - first] = rate);
        Ok(())
    }

    /// Hands over value and rate of each guard at the latest motion.
    fn each_rate(
        &self,
        at: At<Mode>,
        sliding: &mut Sliding,
        workspace: &Workspace,
        take: impl Fn(&mut Sliding, usize, (f64, f64)),
    ) {
        for (i, slide) in at.mode.slides.iter().enumerate() {
            let motion = self.motion(at, workspace);
            let found = sliding.guards[i]
                .surface
                .load((&self.model, at.mode), slide, &motion, &[]);
            take(sliding, i, found);
        }
    }

    /// The accelerations must be the mixture of those of the sides.
    fn check_mixture(&self, at: At<Mode>, sliding: &Sliding, workspace: &Workspace) -> Result<()> {
        let (above, guards) = (&sliding.above.a, &sliding.guards);
        let largest = guards.iter().fold(max_abs(above), |most, guard| {
            let below = max_abs(&guard.below.a);
            most.max(below).max(most.max(below) * guard.share.abs())
        });
        let deviates = |(i, a): (usize, &f64)| {
            let between = guards.iter().map(|guard| guard.share * (guard.below.a[i] - above[i]));
            (a - above[i] - between.sum::<f64>()).abs() > LINEAR * 2.0 * largest
        };
        match workspace.a.iter().enumerate().any(deviates) {
            true => Err(self.bends(&at.mode.slides[at.mode.slides.len() - 1], at.t, "a force")),
            false => Ok(()),
        }
    }

    /// What is integrated must depend linearly on what is mixed, at any state.
    ///
    /// # Errors
    /// Kind `Event` where it does not.
    pub(super) fn check_integrands(&self, at: At<Mode>, workspace: &Workspace) -> Result<()> {
        // One after the other, and all at once: products of two would be linear in each.
        for first in 0..at.mode.slides.len() {
            self.check_integrands_along(at, first..first + 1, workspace)?;
            self.check_integrands_along(at, 0..first + 1, workspace)?;
        }
        Ok(())
    }

    /// The same where the shares of these guards change.
    fn check_integrands_along(&self, at: At<Mode>, guards: Range<usize>, workspace: &Workspace) -> Result<()> {
        let (model, sliding) = (&self.model, &workspace.sliding);
        // Away from the state at hand, where what bends may vanish.
        let elsewhere = |(i, x): (usize, &f64)| {
            let part = (0.618 * (i + 1) as f64).fract();
            x + ELSEWHERE * (1.0 + part) * x.abs().max(1.0)
        };
        let still = |values: &[f64]| -> Vec<Dual<Dual64>> {
            let moved = values.iter().enumerate().map(elsewhere);
            moved.map(Dual::from).collect()
        };
        let moving = |values: &[f64], of: fn(&Part) -> &Vec<f64>| {
            let mut found = still(values);
            for guard in &sliding.guards[guards.clone()] {
                let sides = of(&sliding.above).iter().zip(of(&guard.below));
                for (slot, (above, below)) in found.iter_mut().zip(sides) {
                    vary(slot, slot.re.eps + below - above);
                }
            }
            found
        };
        let (t, mut numbers) = (Dual::from(at.t), still(&workspace.terms.numbers));
        for slide in &at.mode.slides[guards.clone()] {
            for k in 0..slide.count(model) {
                let (slot, [above, below]) = slide.mixed(k, model, at.mode, &workspace.terms.numbers);
                vary(&mut numbers[model.memory_number(slot)], below - above);
            }
        }
        let (q, v) = (still(&at.x[self.positions()]), still(&at.x[self.velocities()]));
        model.follow(at.mode, t, &q, &v, &mut numbers);
        let motion = Motion {
            t,
            q: &q,
            v: &v,
            a: &moving(&workspace.a, |part| &part.a),
            lambda: &moving(&workspace.lambda[..at.mode.rows], |part| &part.lambda),
            numbers: &numbers,
            frames: &model.frames,
        };
        let bent = self.integrated().map(|(_, integrand)| integrand).find(|integrand| {
            let value = integrand.evaluate_over(model, at.mode, &motion);
            value.eps.eps.abs() > LINEAR * (value.re.eps.abs() + value.re.re.abs())
        });
        match bent {
            Some(integrand) => Err(self.bends(
                &at.mode.slides[guards.end - 1],
                at.t,
                &format!("`{}`", integrand.expression.text()),
            )),
            None => Ok(()),
        }
    }

    /// Moves a state onto the guards that it slides along, in the directions between the flows of their sides; whether it moved.
    ///
    /// # Errors
    /// As for the motion there.
    pub(super) fn project_slides(&self, t: f64, mode: &Mode, x: &mut [f64], workspace: &mut Workspace) -> Result<bool> {
        if mode.slides.is_empty() {
            return Ok(false);
        }
        self.evaluate_motion(At::new(t, mode, x), false, workspace)?;
        let shifts = workspace.sliding.shifts(|guard| guard.value);
        self.add_between(&shifts, workspace, x);
        Ok(shifts.iter().any(|shift| *shift != 0.0))
    }
}

/// Sets how fast a number changes, for second derivatives along one direction.
fn vary(number: &mut Dual<Dual64>, rate: f64) {
    number.re.eps = rate;
    number.eps.re = rate;
}
