//! Derivatives of the motion along a guard (theory, section 3.1): those with the share of the sides held, and what the share follows.

use crate::error::Result;
use crate::hybrid::{At, Cotangents};
use crate::linear::{add_scaled, dot};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::constraint::Direction;
use crate::model::{Mode, Slide};

impl Mechanism {
    /// Writes the gradients of the guard and its rate at the latest motion.
    fn differentiate_slide(&self, at: At<Mode>, slide: &Slide, workspace: &mut Workspace) {
        let sliding = &mut workspace.sliding;
        if !sliding.differentiated {
            sliding.surface.differentiate((&self.model, at.mode), slide);
            sliding.differentiated = true;
        }
    }

    /// The direction of the numbers that are mixed, with the share held.
    pub(in crate::mechanism) fn begin_slide_jvp(&self, at: At<Mode>, workspace: &mut Workspace) {
        let Some(slide) = &at.mode.slide else { return };
        self.differentiate_slide(at, slide, workspace);
        let share = workspace.sliding.share;
        for k in 0..slide.count(&self.model) {
            let (slot, [above, below]) = slide.mixed(k, &self.model, at.mode, &workspace.along.numbers);
            workspace.numbers[self.model.memory_number(slot)] = (1.0 - share) * above.eps + share * below.eps;
        }
    }

    /// Adds what the change of the share does to the accelerations, multipliers and numbers along a direction.
    pub(in crate::mechanism) fn end_slide_jvp(
        &self,
        at: At<Mode>,
        [q, v]: [&[f64]; 2],
        t: f64,
        workspace: &mut Workspace,
    ) {
        let Some(slide) = &at.mode.slide else { return };
        let Workspace {
            sliding,
            numbers,
            da,
            dlambda,
            terms,
            ..
        } = workspace;
        let share = sliding.along(&Direction { t, q, v, numbers }, da);
        sliding.add_difference(&sliding.lambda, share, &mut dlambda[..at.mode.rows]);
        for k in 0..slide.count(&self.model) {
            let (slot, [above, below]) = slide.mixed(k, &self.model, at.mode, &terms.numbers);
            numbers[self.model.memory_number(slot)] += share * (below - above);
        }
    }

    /// Moves what belongs to the share in a gradient of the motion on to what the share follows.
    pub(in crate::mechanism) fn slide_vjp(&self, at: At<Mode>, workspace: &mut Workspace) {
        let Some(slide) = &at.mode.slide else { return };
        self.differentiate_slide(at, slide, workspace);
        let sliding = std::mem::take(&mut workspace.sliding);
        self.add(at, workspace, &mut |reading, duals, gradient| {
            self.model.follow_transposed(reading, duals, gradient);
            let rate = &sliding.surface.rate;
            let mut weight = 0.0;
            for k in 0..slide.count(&self.model) {
                let (slot, [above, below]) = slide.mixed(k, &self.model, at.mode, reading.motion.numbers);
                weight += gradient.numbers[self.model.memory_number(slot)] * (below - above);
            }
            for ([above, below], part) in [(&sliding.a, &mut *gradient.a), (&sliding.lambda, &mut *gradient.lambda)] {
                let count = part.len();
                weight += dot(part, &below[..count]) - dot(part, &above[..count]);
            }
            let [above, below] = sliding.rates;
            let weight = weight / (above - below);
            for (slots, slopes) in [
                (&mut *gradient.q, &rate.q),
                (&mut *gradient.v, &rate.v),
                (&mut *gradient.a, &rate.a),
                (&mut *gradient.numbers, &rate.numbers),
            ] {
                add_scaled(slots, weight, slopes);
            }
        });
        workspace.sliding = sliding;
    }

    /// Moves what belongs to the numbers that are mixed on to what their values follow; nothing of it belongs to memory.
    pub(in crate::mechanism) fn mixed_vjp(&self, at: At<Mode>, workspace: &mut Workspace) {
        let Some(slide) = &at.mode.slide else { return };
        let share = workspace.sliding.share;
        self.add(at, workspace, &mut |reading, duals, gradient| {
            for k in 0..slide.count(&self.model) {
                let (slot, _) = slide.mixed(k, &self.model, at.mode, reading.motion.numbers);
                let weight = std::mem::take(&mut gradient.numbers[self.model.memory_number(slot)]);
                slide.add_gradient((k, share, weight), reading, duals, gradient);
            }
        });
    }

    /// Adds the rows of the accelerations by the share, to their Jacobian with the share held.
    pub(in crate::mechanism) fn add_share_columns(
        &self,
        at: At<Mode>,
        workspace: &mut Workspace,
        jacobian: &mut [f64],
    ) {
        let Some(slide) = &at.mode.slide else { return };
        self.differentiate_slide(at, slide, workspace);
        let (n, nv, sliding) = (at.x.len(), self.model.nv(), &workspace.sliding);
        let ([above, below], rate) = (sliding.rates, &sliding.surface.rate);
        for j in 0..2 * nv {
            let direct = if j < nv { rate.q[j] } else { rate.v[j - nv] };
            let through = (0..nv).map(|i| rate.a[i] * jacobian[(nv + i) * n + j]).sum::<f64>();
            let share = (direct + through) / (above - below);
            for i in 0..nv {
                jacobian[(nv + i) * n + j] += share * (sliding.a[1][i] - sliding.a[0][i]);
            }
        }
    }

    /// What lies between the forces of the two sides, and the gradient of the share by positions and velocities; none unless the
    /// motion slides.
    ///
    /// # Errors
    /// As for the motion there.
    pub(in crate::mechanism) fn forces_by_share(
        &self,
        at: At<Mode>,
        workspace: &mut Workspace,
    ) -> Result<Option<(Vec<f64>, Vec<f64>)>> {
        let Some(slide) = &at.mode.slide else { return Ok(None) };
        let (mut x, mut numbers) = (vec![0.0; at.x.len()], vec![0.0; self.model.numbers.len()]);
        let cotangents = Cotangents::new(&mut x, &mut numbers);
        self.reading_vjp(at, true, workspace, cotangents, &mut |reading, _, gradient| {
            let (slot, [above, below]) = slide.mixed(0, &self.model, at.mode, reading.motion.numbers);
            gradient.numbers[self.model.memory_number(slot)] += 1.0 / (below - above);
        })?;
        let mut between = vec![0.0; self.model.nv()];
        for (side, sign) in [(0.0, -1.0), (1.0, 1.0)] {
            slide.put(side, &self.model, at.mode, &mut workspace.terms.numbers);
            self.assemble(at, &mut workspace.terms);
            add_scaled(&mut between, sign, &workspace.terms.force);
        }
        Ok(Some((between, x)))
    }

    /// Adds a weight times what lies between the flows of the two sides.
    pub(in crate::mechanism) fn add_between(&self, weight: f64, workspace: &Workspace, x: &mut [f64]) {
        let sliding = &workspace.sliding;
        sliding.add_difference(&sliding.a, weight, &mut x[self.velocities()]);
        sliding.add_difference(&sliding.integrands, weight, &mut x[self.quadratures()]);
    }

    /// Derivative of a state moved onto the guard that it begins to slide along: nearby motions come to it from either side,
    /// at another time.
    pub fn onto_slide_jvp(
        &self,
        at: At<Mode>,
        dt: f64,
        (along, numbers): (&mut [f64], &[f64]),
        workspace: &mut Workspace,
    ) {
        // The jump has evaluated the motion there.
        if self.linearize_slide(at, workspace).is_ok() {
            self.slide_projection_jvp(at, dt, (along, numbers), workspace);
        }
    }

    /// The transpose, time held.
    pub fn onto_slide_vjp(&self, at: At<Mode>, (mu, numbers_bar): (&mut [f64], &mut [f64]), workspace: &mut Workspace) {
        if self.linearize_slide(at, workspace).is_ok() {
            self.slide_projection_vjp(at, (mu, numbers_bar), workspace);
        }
    }

    /// Prepares the derivatives of a move onto the guard at a state.
    ///
    /// # Errors
    /// As for the motion there.
    pub(in crate::mechanism) fn linearize_slide(&self, at: At<Mode>, workspace: &mut Workspace) -> Result<()> {
        let Some(slide) = &at.mode.slide else { return Ok(()) };
        self.evaluate_motion(at, true, workspace)?;
        self.differentiate_slide(at, slide, workspace);
        Ok(())
    }

    /// Turns the derivative of a state into that of the state moved onto the guard that it slides along.
    pub(in crate::mechanism) fn slide_projection_jvp(
        &self,
        at: At<Mode>,
        dt: f64,
        (along, numbers): (&mut [f64], &[f64]),
        workspace: &Workspace,
    ) {
        if at.mode.slide.is_none() {
            return;
        }
        let (sliding, memory) = (&workspace.sliding, self.model.memory_start());
        let ([above, below], guard) = (sliding.rates, &sliding.surface.guard);
        let change = guard.t * dt
            + dot(&guard.q, &along[self.positions()])
            + dot(&guard.v, &along[self.velocities()])
            + dot(&guard.numbers[..memory], numbers)
            + dot(&guard.numbers[memory..], &along[self.quadratures().end..]);
        self.add_between(-change / (below - above), workspace, along);
    }

    /// The transpose: turns the costate of the moved state into that of the state before, and adds the part of the numbers.
    pub(in crate::mechanism) fn slide_projection_vjp(
        &self,
        at: At<Mode>,
        (mu, numbers_bar): (&mut [f64], &mut [f64]),
        workspace: &Workspace,
    ) {
        if at.mode.slide.is_none() {
            return;
        }
        let (sliding, memory) = (&workspace.sliding, self.model.memory_start());
        let ([above, below], guard) = (sliding.rates, &sliding.surface.guard);
        let mut between = vec![0.0; mu.len()];
        self.add_between(1.0, workspace, &mut between);
        let weight = -dot(&between, mu) / (below - above);
        add_scaled(&mut mu[self.positions()], weight, &guard.q);
        add_scaled(&mut mu[self.velocities()], weight, &guard.v);
        add_scaled(&mut mu[self.quadratures().end..], weight, &guard.numbers[memory..]);
        add_scaled(numbers_bar, weight, &guard.numbers[..memory]);
    }
}
