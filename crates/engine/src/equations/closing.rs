//! Moving states onto the algebraic equations of index 2, with derivatives (theory, 3.11).

use super::derivatives::{Variation, VariedPoint};
use super::index::{any_hidden, is_hidden};
use super::system::{System, Workspace};
use super::{Equations, Point};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::At;
use crate::linear::{add_scaled, max_abs};

/// Most corrections of a state. At the end of a step there are two or three.
const MOST_CORRECTIONS: usize = 20;

/// Correction, relative to the state, that is rounding.
const ROUNDING: f64 = 2.0 * f64::EPSILON;

/// Correction, relative to the one before it, that comes no nearer.
const STAGNATION: f64 = 0.25;

/// Correction, relative to the state, that may be left where corrections come no nearer.
const LEFT: f64 = 1e-11;

/// Condition of what y does to the equations of index 2 from which on it explains why the step size collapses.
const LOST_GRIP: f64 = 1e4;

/// Algebraic variables that grow without bound because they act less and less on what their equations restrict.
#[cold]
fn lost_grip(t: f64, condition: f64) -> Error {
    let message = format!(
        "the algebraic variables lose their hold on the equations of index 2: the condition of g_x f_y is {condition:.1e}"
    );
    Error::new(ErrorKind::Singular, message)
        .at_time(t)
        .with_value(condition)
        .advise("end before this time, or let the variables act in a direction that crosses what the equations allow")
}

impl<E: Equations> System<E> {
    /// Whether there are algebraic equations of index 2 in a mode.
    #[inline]
    pub(super) fn hides(&self, mode: &E::Mode) -> bool {
        any_hidden(&self.equations, self.ny(), mode)
    }

    /// f_y M^-1 at a state, in the workspace.
    fn find_reach(&self, at: At<E::Mode>, workspace: &mut Workspace) -> Result<()> {
        self.solve(at, workspace)?;
        let (place, ny) = (self.place(at), self.ny());
        let Workspace {
            algebraic, projection, ..
        } = workspace;
        algebraic.factor(&self.equations, &place)?;
        algebraic.invert(&mut projection.inverse);
        let flow = |point: &Point<_>, dx: &mut [_]| self.equations.flow(at.mode, point, dx);
        let at = VariedPoint::along_y(place.point(&algebraic.y));
        algebraic
            .sweep
            .run(&at, flow, &mut projection.states, &mut projection.actions);
        let rows = projection
            .reach
            .chunks_exact_mut(ny)
            .zip(projection.actions.chunks_exact(ny));
        for (reach, action) in rows {
            reach.fill(0.0);
            for (a, row) in action.iter().zip(projection.inverse.chunks_exact(ny)) {
                add_scaled(reach, *a, row);
            }
        }
        Ok(())
    }

    /// g of index 2 at a state, in the workspace.
    fn find_defects(&self, at: At<E::Mode>, workspace: &mut Workspace) {
        let Workspace {
            algebraic, projection, ..
        } = workspace;
        let defects = &mut projection.defects;
        defects.fill(0.0);
        let point = self.place(at).point(&algebraic.y);
        self.equations.constraint(at.mode, &point, defects);
        for (equation, defect) in defects.iter_mut().enumerate() {
            if !is_hidden(&self.equations, equation, at.mode) {
                *defect = 0.0;
            }
        }
    }

    /// How far a state is off the equations of index 2, to first order; they and the correction are in the workspace.
    ///
    /// # Errors
    /// As [`System::solve`].
    pub(super) fn find_distance(&self, at: At<E::Mode>, workspace: &mut Workspace) -> Result<f64> {
        self.find_reach(at, workspace)?;
        self.find_defects(at, workspace);
        workspace.projection.correct();
        Ok(max_abs(&workspace.projection.correction))
    }

    /// Demands that the algebraic variables act on what the equations of index 2 restrict, where they are defined.
    ///
    /// # Errors
    /// Kind `Singular` if they hardly do, which explains a step size that collapses, with the condition of what y does to these
    /// equations relative to the sizes of g_x and f_y: for one equation the inverse of the cosine between them.
    pub(super) fn check_grip(&self, at: At<E::Mode>, workspace: &mut Workspace) -> Result<()> {
        if !self.hides(at.mode) || self.linearize_close(at, workspace).is_err() {
            return Ok(());
        }
        let (nx, ny, m) = (self.nx(), self.ny(), self.directions());
        let projection = &workspace.projection;
        let length = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>().sqrt();
        let mut most = 0.0_f64;
        for (k, row) in projection.slopes.chunks_exact(m).enumerate() {
            let restriction = length(&mut row[..nx].iter().copied());
            for j in 0..ny {
                let action = length(&mut projection.actions.iter().skip(j).step_by(ny).copied());
                most = most.max(restriction * projection.inverse[j * ny + k].abs() * action);
            }
        }
        if most > LOST_GRIP {
            Err(lost_grip(at.t, most))
        } else {
            Ok(())
        }
    }

    /// Moves a state onto the equations of index 2, to rounding.
    ///
    /// # Errors
    /// As [`System::solve`]; kind `Singular` where corrections do not come nearer.
    pub(super) fn close(&self, t: f64, mode: &E::Mode, x: &mut [f64], workspace: &mut Workspace) -> Result<()> {
        let mut size = self.find_distance(At::new(t, mode, x), workspace)?;
        let mut before = f64::INFINITY;
        for _ in 0..MOST_CORRECTIONS {
            let scale = max_abs(&x[..self.nx()]);
            if size == 0.0 || (size > STAGNATION * before && size <= LEFT * scale) {
                return Ok(());
            }
            if !(size.is_finite() && size <= before) {
                break;
            }
            before = size;
            add_scaled(&mut x[..self.nx()], 1.0, &workspace.projection.correction);
            if size <= ROUNDING * scale {
                return Ok(());
            }
            self.find_defects(At::new(t, mode, x), workspace);
            workspace.projection.correct();
            size = max_abs(&workspace.projection.correction);
        }
        Err(Error::new(
            ErrorKind::Singular,
            "no state near this one satisfies the algebraic equations of index 2",
        )
        .at_time(t)
        .with_value(max_abs(&workspace.projection.defects))
        .advise("look whether they contradict each other, or what they ask of the states changes in an instant"))
    }

    /// The projection at a state on the equations, in the workspace.
    ///
    /// # Errors
    /// As [`System::solve`].
    pub(super) fn linearize_close(&self, at: At<E::Mode>, workspace: &mut Workspace) -> Result<()> {
        self.find_reach(at, workspace)?;
        self.find_constraint_slopes(at, Variation::Units, workspace);
        Ok(())
    }

    /// Derivatives of g of index 2 for states that vary so, in the workspace.
    pub(super) fn find_constraint_slopes(&self, at: At<E::Mode>, x_slopes: Variation, workspace: &mut Workspace) {
        let Workspace {
            algebraic, projection, ..
        } = workspace;
        let varied = VariedPoint::along_all(self.place(at).point(&algebraic.y), x_slopes, Variation::Constant);
        let constraint = |point: &Point<_>, g: &mut [_]| self.equations.constraint(at.mode, point, g);
        algebraic
            .sweep
            .run(&varied, constraint, &mut projection.defects, &mut projection.slopes);
        for (equation, row) in projection.slopes.chunks_exact_mut(self.directions()).enumerate() {
            if !is_hidden(&self.equations, equation, at.mode) {
                row.fill(0.0);
            }
        }
    }
}
