//! Derivatives of the motion along guards (theory, section 3.1): those with the shares of the sides held, and what the shares follow.

use crate::error::Result;
use crate::hybrid::At;
use crate::linear::{add_scaled, dot};
use crate::mechanism::jacobian::HandOn;
use crate::mechanism::{Mechanism, Workspace};
use crate::model::Mode;
use crate::model::constraint::Direction;

impl Mechanism {
    /// Writes the gradients of the guards and their rates at the latest motion.
    fn differentiate_slides(&self, at: At<Mode>, workspace: &mut Workspace) {
        let sliding = &mut workspace.sliding;
        if !sliding.differentiated {
            for (guard, slide) in sliding.guards.iter_mut().zip(&at.mode.slides) {
                guard.surface.differentiate((&self.model, at.mode), slide);
            }
            sliding.differentiated = true;
        }
    }

    /// The direction of the numbers that are mixed, with the shares held.
    pub(in crate::mechanism) fn begin_slide_jvp(&self, at: At<Mode>, workspace: &mut Workspace) {
        self.differentiate_slides(at, workspace);
        for (guard, slide) in workspace.sliding.guards.iter().zip(&at.mode.slides) {
            for k in 0..slide.count(&self.model) {
                let (slot, [above, below]) = slide.mixed(k, &self.model, at.mode, &workspace.along.numbers);
                workspace.numbers[self.model.memory_number(slot)] =
                    (1.0 - guard.share) * above.eps + guard.share * below.eps;
            }
        }
    }

    /// Adds what the changes of the shares do to the accelerations, multipliers and numbers along a direction.
    pub(in crate::mechanism) fn end_slide_jvp(
        &self,
        at: At<Mode>,
        [q, v]: [&[f64]; 2],
        t: f64,
        workspace: &mut Workspace,
    ) {
        if at.mode.slides.is_empty() {
            return;
        }
        let Workspace {
            sliding,
            numbers,
            da,
            dlambda,
            terms,
            ..
        } = workspace;
        sliding.along(&Direction { t, q, v, numbers }, da);
        sliding.add_between(|part| &part.lambda, &sliding.changes, &mut dlambda[..at.mode.rows]);
        for (change, slide) in sliding.changes.iter().zip(&at.mode.slides) {
            for k in 0..slide.count(&self.model) {
                let (slot, [above, below]) = slide.mixed(k, &self.model, at.mode, &terms.numbers);
                numbers[self.model.memory_number(slot)] += change * (below - above);
            }
        }
    }

    /// Moves what belongs to the shares in a gradient of the motion on to what these follow.
    pub(in crate::mechanism) fn slide_vjp(&self, at: At<Mode>, workspace: &mut Workspace) {
        if at.mode.slides.is_empty() {
            return;
        }
        self.differentiate_slides(at, workspace);
        let mut sliding = std::mem::take(&mut workspace.sliding);
        self.add(at, workspace, &mut |reading, duals, gradient| {
            self.model.follow_transposed(reading, duals, gradient);
            let mut weights = std::mem::take(&mut sliding.changes);
            for ((weight, guard), slide) in weights.iter_mut().zip(&sliding.guards).zip(&at.mode.slides) {
                *weight = 0.0;
                for k in 0..slide.count(&self.model) {
                    let (slot, [above, below]) = slide.mixed(k, &self.model, at.mode, reading.motion.numbers);
                    *weight += gradient.numbers[self.model.memory_number(slot)] * (below - above);
                }
                let (above, below) = (&sliding.above, &guard.below);
                for (above, below, part) in [
                    (&above.a, &below.a, &*gradient.a),
                    (&above.lambda, &below.lambda, &*gradient.lambda),
                ] {
                    *weight += dot(part, &below[..part.len()]) - dot(part, &above[..part.len()]);
                }
            }
            for (i, guard) in sliding.guards.iter().enumerate() {
                let (weight, rate) = (sliding.value_against(i, |j| weights[j]), &guard.surface.rate);
                for (slots, slopes) in [
                    (&mut *gradient.q, &rate.q),
                    (&mut *gradient.v, &rate.v),
                    (&mut *gradient.a, &rate.a),
                    (&mut *gradient.numbers, &rate.numbers),
                ] {
                    add_scaled(slots, weight, slopes);
                }
            }
            sliding.changes = weights;
        });
        workspace.sliding = sliding;
    }

    /// Moves what belongs to the numbers that are mixed on to what their values follow; nothing of it belongs to memory.
    pub(in crate::mechanism) fn mixed_vjp(&self, at: At<Mode>, workspace: &mut Workspace) {
        for (guard, slide) in at.mode.slides.iter().enumerate() {
            let share = workspace.sliding.guards[guard].share;
            self.add(at, workspace, &mut |reading, duals, gradient| {
                for k in 0..slide.count(&self.model) {
                    let (slot, _) = slide.mixed(k, &self.model, at.mode, reading.motion.numbers);
                    let weight = std::mem::take(&mut gradient.numbers[self.model.memory_number(slot)]);
                    slide.add_gradient((k, share, weight), reading, duals, gradient);
                }
            });
        }
    }

    /// Adds the rows of the accelerations by the shares, to their Jacobian with the shares held.
    pub(in crate::mechanism) fn add_share_columns(
        &self,
        at: At<Mode>,
        workspace: &mut Workspace,
        jacobian: &mut [f64],
    ) {
        if at.mode.slides.is_empty() {
            return;
        }
        self.differentiate_slides(at, workspace);
        let (n, nv) = (at.x.len(), self.model.nv());
        let Workspace {
            sliding, da: column, ..
        } = workspace;
        for j in 0..2 * nv {
            let shares = sliding.shifts(|guard| {
                let rate = &guard.surface.rate;
                let direct = if j < nv { rate.q[j] } else { rate.v[j - nv] };
                let through = (0..nv).map(|i| rate.a[i] * jacobian[(nv + i) * n + j]).sum::<f64>();
                direct + through
            });
            column.fill(0.0);
            sliding.add_between(|part| &part.a, &shares, column);
            for (i, change) in column.iter().enumerate() {
                jacobian[(nv + i) * n + j] += change;
            }
        }
    }

    /// Hands on what lies between the forces of the two sides of each guard, and the gradient of its share by the state; nothing
    /// unless the motion slides.
    ///
    /// # Errors
    /// As for the motion there.
    pub(in crate::mechanism) fn forces_by_share(
        &self,
        at: At<Mode>,
        workspace: &mut Workspace,
        hand_on: &mut HandOn,
    ) -> Result<()> {
        for (guard, slide) in at.mode.slides.iter().enumerate() {
            self.with_gradient_row(workspace, |workspace, cotangents| {
                self.reading_vjp(at, true, workspace, cotangents, &mut |reading, _, gradient| {
                    let (slot, [above, below]) = slide.mixed(0, &self.model, at.mode, reading.motion.numbers);
                    gradient.numbers[self.model.memory_number(slot)] += 1.0 / (below - above);
                })
            })?;
            workspace.da.fill(0.0);
            let share = workspace.sliding.guards[guard].share;
            for (side, sign) in [(0.0, -1.0), (1.0, 1.0), (share, 0.0)] {
                slide.put(side, &self.model, at.mode, &mut workspace.terms.numbers);
                self.assemble(at, &mut workspace.terms);
                add_scaled(&mut workspace.da, sign, &workspace.terms.force);
            }
            hand_on(&workspace.da, &workspace.column);
        }
        Ok(())
    }

    /// Adds weights times what lies between the flows of the two sides of each guard.
    pub(in crate::mechanism) fn add_between(&self, weights: &[f64], workspace: &Workspace, x: &mut [f64]) {
        let sliding = &workspace.sliding;
        sliding.add_between(|part| &part.a, weights, &mut x[self.velocities()]);
        sliding.add_between(|part| &part.rest, weights, &mut x[self.velocities().end..]);
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
        if !at.mode.slides.is_empty() {
            self.evaluate_motion(at, true, workspace)?;
            self.differentiate_slides(at, workspace);
        }
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
        if at.mode.slides.is_empty() {
            return;
        }
        let memory = self.model.memory_start();
        let shifts = workspace.sliding.shifts(|guard| {
            let guard = &guard.surface.guard;
            guard.t * dt
                + dot(&guard.q, &along[self.positions()])
                + dot(&guard.v, &along[self.velocities()])
                + dot(&guard.numbers[..memory], numbers)
                + dot(&guard.numbers[memory..], &along[self.quadratures().end..])
        });
        self.add_between(&shifts, workspace, along);
    }

    /// The transpose: turns the costate of the moved state into that of the state before, and adds the part of the numbers.
    pub(in crate::mechanism) fn slide_projection_vjp(
        &self,
        at: At<Mode>,
        (mu, numbers_bar): (&mut [f64], &mut [f64]),
        workspace: &Workspace,
    ) {
        if at.mode.slides.is_empty() {
            return;
        }
        let (sliding, memory, n) = (&workspace.sliding, self.model.memory_start(), at.mode.slides.len());
        let share = |k: usize| {
            let (mut between, mut unit) = (vec![0.0; mu.len()], vec![0.0; n]);
            unit[k] = 1.0;
            self.add_between(&unit, workspace, &mut between);
            dot(&between, mu)
        };
        let shares: Vec<f64> = (0..n).map(share).collect();
        for (i, guard) in sliding.guards.iter().enumerate() {
            let (weight, guard) = (sliding.value_against(i, |j| shares[j]), &guard.surface.guard);
            add_scaled(&mut mu[self.positions()], weight, &guard.q);
            add_scaled(&mut mu[self.velocities()], weight, &guard.v);
            add_scaled(&mut mu[self.quadratures().end..], weight, &guard.numbers[memory..]);
            add_scaled(numbers_bar, weight, &guard.numbers[..memory]);
        }
    }
}
