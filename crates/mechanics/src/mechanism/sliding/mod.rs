//! Motion along a guard that both of its sides lead back to (theory, section 3.1): the numbers that change there take the values
//! between those of the two sides for which the guard stays zero.

mod derivatives;
mod onset;
mod refusal;
pub(super) mod scratch;
mod surface;
mod survey;

use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::hybrid::At;
use crate::linear::max_abs;
use crate::model::quantity::Motion;
use crate::model::{Mode, Slide};
use crate::scalar::Dual2_64;
use scratch::Sliding;

/// Difference of the rates of the two sides, over the larger, up to which the share between them is not determined.
const LEAST_DIFFERENCE: f64 = 1e-12;

/// Deviation of the accelerations at the mixed value from the mixture of those of the sides, over their size, from which it is
/// more than rounding; the same of second derivatives.
const LINEAR: f64 = 1e-6;

/// How far from a state expressions are looked at for what they are made of.
const ELSEWHERE: f64 = 0.1;

impl Mechanism {
    /// Evaluates the motion along a guard at a state with the memory loaded; the numbers have the mixed values then.
    ///
    /// # Errors
    /// Kind `Singular` where the sides do not lead back to the guard; kind `Event` where the flow is no mixture of theirs.
    pub(super) fn slide_along(
        &self,
        at: At<Mode>,
        slide: &Slide,
        multipliers: bool,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let mut sliding = std::mem::take(&mut workspace.sliding);
        let multipliers = multipliers || self.integrands_need_multipliers;
        let found = self.mix(at, slide, multipliers, &mut sliding, workspace);
        workspace.sliding = sliding;
        found
    }

    fn mix(
        &self,
        at: At<Mode>,
        slide: &Slide,
        multipliers: bool,
        sliding: &mut Sliding,
        workspace: &mut Workspace,
    ) -> Result<()> {
        sliding.differentiated = false;
        for side in 0..2 {
            slide.put(side as f64, &self.model, at.mode, &mut workspace.terms.numbers);
            self.accelerate(at, multipliers, workspace)?;
            sliding.a[side].clone_from(&workspace.a);
            sliding.lambda[side].clone_from(&workspace.lambda);
            sliding.integrands[side].resize(self.model.integrands.len(), 0.0);
            self.integrand_values(at, workspace, &mut sliding.integrands[side]);
            let motion = self.motion(at, workspace);
            sliding.rates[side] = sliding.surface.load((&self.model, at.mode), slide, &motion).1;
        }
        let [above, below] = sliding.rates;
        if below - above > LEAST_DIFFERENCE * above.abs().max(below.abs()) {
            sliding.share = above / (above - below);
            slide.put(sliding.share, &self.model, at.mode, &mut workspace.terms.numbers);
            self.accelerate(at, multipliers, workspace)?;
            let motion = self.motion(at, workspace);
            sliding.value = sliding.surface.load((&self.model, at.mode), slide, &motion).0;
            return self.check_mixture(at, slide, sliding, workspace);
        }
        // A shorter step may find that the motion leaves before.
        Err(self.slides_no_more(slide, at.t))
    }

    /// The accelerations must be the mixture of those of the sides.
    fn check_mixture(&self, at: At<Mode>, slide: &Slide, sliding: &Sliding, workspace: &Workspace) -> Result<()> {
        let (share, [above, below]) = (sliding.share, &sliding.a);
        let largest = max_abs(above).max(max_abs(below)) * (1.0 + share.abs());
        let sides = workspace.a.iter().zip(above.iter().zip(below));
        let deviates = |(a, (above, below)): (&f64, (&f64, &f64))| {
            (a - (1.0 - share) * above - share * below).abs() > LINEAR * largest
        };
        if sides.into_iter().any(deviates) {
            return Err(self.bends(slide, at.t, "a force"));
        }
        Ok(())
    }

    /// What is integrated must depend linearly on what is mixed, at any state.
    ///
    /// # Errors
    /// Kind `Event` where it does not.
    fn check_integrands(&self, at: At<Mode>, slide: &Slide, workspace: &Workspace) -> Result<()> {
        let (model, sliding) = (&self.model, &workspace.sliding);
        // Away from the state at hand, where what bends may vanish.
        let elsewhere = |(i, x): (usize, &f64)| {
            let part = (0.618 * (i + 1) as f64).fract();
            x + ELSEWHERE * (1.0 + part) * x.abs().max(1.0)
        };
        let still = |values: &[f64]| -> Vec<Dual2_64> {
            let moved = values.iter().enumerate().map(elsewhere);
            moved.map(Dual2_64::from_re).collect()
        };
        let moving = |values: &[f64], [above, below]: &[Vec<f64>; 2]| {
            let mut found = still(values);
            for (slot, (above, below)) in found.iter_mut().zip(above.iter().zip(below)) {
                slot.v1 = below - above;
            }
            found
        };
        let (t, mut numbers) = (Dual2_64::from_re(at.t), still(&workspace.terms.numbers));
        for k in 0..slide.count(model) {
            let (slot, [above, below]) = slide.mixed(k, model, at.mode, &workspace.terms.numbers);
            numbers[model.memory_number(slot)].v1 = below - above;
        }
        let (q, v) = (still(&at.x[self.positions()]), still(&at.x[self.velocities()]));
        model.follow(at.mode, t, &q, &v, &mut numbers);
        let motion = Motion {
            t,
            q: &q,
            v: &v,
            a: &moving(&workspace.a, &sliding.a),
            lambda: &moving(&workspace.lambda[..at.mode.rows], &sliding.lambda),
            numbers: &numbers,
        };
        let bent = model.integrands.iter().find(|integrand| {
            let value = integrand.evaluate(model, at.mode, &motion);
            value.v2.abs() > LINEAR * (value.v1.abs() + value.re.abs())
        });
        match bent {
            Some(integrand) => Err(self.bends(slide, at.t, &format!("`{}`", integrand.expression.text()))),
            None => Ok(()),
        }
    }

    /// Moves a state onto the guard that it slides along, in the direction between the flows of the two sides.
    ///
    /// # Errors
    /// As for the motion there.
    pub(super) fn project_slide(&self, at: At<Mode>, workspace: &mut Workspace) -> Result<Option<f64>> {
        if at.mode.slide.is_none() {
            return Ok(None);
        }
        self.evaluate_motion(at, false, workspace)?;
        let sliding = &workspace.sliding;
        let [above, below] = sliding.rates;
        Ok(Some(-sliding.value / (below - above)))
    }
}
