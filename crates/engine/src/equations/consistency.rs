//! What the states must satisfy where a motion or a phase starts: the algebraic equations of index 2, for all parameters.

use super::derivatives::{Variation, VariedPoint};
use super::index::is_hidden;
use super::jump::Jumped;
use super::system::{System, Workspace};
use super::{Equations, Point};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::At;
use crate::linear::{add_scaled, dot, max_abs};

/// How far states may be off, relative to the largest and absolutely, to be taken for rounding.
const NEAR: f64 = 1e-8;
const TINY: f64 = 1e-12;

/// The same for derivatives, relative to their terms.
const NEAR_SLOPE: f64 = 1e-6;

/// Entry of the largest magnitude.
fn worst(values: &[f64]) -> (usize, f64) {
    let larger =
        |best: (usize, f64), (k, value): (usize, &f64)| if value.abs() > best.1.abs() { (k, *value) } else { best };
    values.iter().enumerate().fold((0, 0.0), larger)
}

/// States that are off the equations, at the start or after an event.
#[cold]
fn off(event: Option<&str>, t: f64, what: &str, value: f64, advice: &str) -> Error {
    let error = match event {
        None => Error::new(ErrorKind::Assembly, format!("the start {what}")),
        Some(name) => Error::new(ErrorKind::Event, format!("the jump of \"{name}\" {what}")).named(name),
    };
    error.at_time(t).with_value(value).advise(advice)
}

impl<E: Equations> System<E> {
    /// Moves states, at the start or after an event, onto the equations of index 2, which they must satisfy but for rounding.
    ///
    /// # Errors
    /// Kind `Assembly` at the start and `Event` after an event if they do not; kind `Request` if an equation of index 2 contains
    /// an algebraic variable; and as [`System::solve`].
    pub(super) fn settle(
        &self,
        t: f64,
        mode: &E::Mode,
        x: &mut [f64],
        event: Option<&str>,
        workspace: &mut Workspace,
    ) -> Result<()> {
        if !self.hides(mode) {
            return Ok(());
        }
        self.check_index(At::new(t, mode, x), workspace)?;
        let distance = self.find_distance(At::new(t, mode, x), workspace)?;
        if distance > NEAR * max_abs(&x[..self.nx()]) + TINY {
            let (equation, value) = worst(&workspace.projection.defects);
            let what = format!(
                "does not satisfy the algebraic equations of index 2: g[{equation}] = {value:.3e}, and states about \
                 {distance:.1e} away do"
            );
            let advice = "compute the states so that these equations hold: they have no y that could make them hold";
            return Err(off(event, t, &what, value, advice));
        }
        self.close(t, mode, x, workspace)
    }

    /// Demands that no equation of index 2 contains y.
    fn check_index(&self, At { t, mode, x }: At<E::Mode>, workspace: &mut Workspace) -> Result<()> {
        let ny = self.ny();
        let at = VariedPoint::along_y(self.place(At { t, mode, x }).point(&x[self.guesses()]));
        let constraint = |point: &Point<_>, g: &mut [_]| self.equations.constraint(mode, point, g);
        let (mut values, mut slopes) = (vec![0.0; ny], vec![0.0; ny * ny]);
        workspace.algebraic.sweep.run(&at, constraint, &mut values, &mut slopes);
        let contains = |(equation, row): (usize, &[f64])| {
            let (variable, slope) = worst(row);
            (slope != 0.0 && is_hidden(&self.equations, equation, mode)).then_some((equation, variable))
        };
        let Some((equation, variable)) = slopes.chunks_exact(ny).enumerate().find_map(contains) else {
            return Ok(());
        };
        let message = format!("the algebraic equation {equation} is declared of index 2 and contains y[{variable}]");
        Err(Error::new(ErrorKind::Request, message)
            .at_time(t)
            .advise("declare it of index 1, or take y out of it: an equation of index 2 restricts the states alone"))
    }

    /// Demands that derivatives of the states at the start by the parameters, row-major, satisfy the derivatives of the
    /// equations of index 2.
    ///
    /// # Errors
    /// Kind `Assembly` with equation and parameter if they do not.
    pub(super) fn check_start_slopes(&self, at: At<E::Mode>, slopes: &[f64], workspace: &mut Workspace) -> Result<()> {
        if !self.hides(at.mode) {
            return Ok(());
        }
        let (nx, np, m) = (self.nx(), self.p.len(), self.directions());
        self.find_constraint_slopes(at, Variation::Units, workspace);
        for (equation, row) in workspace.projection.slopes.chunks_exact(m).enumerate() {
            for (k, own) in row[nx..nx + np].iter().enumerate() {
                let terms = || row[..nx].iter().zip(slopes[k..].iter().step_by(np)).map(|(c, s)| c * s);
                let value = own + terms().sum::<f64>();
                let size = own.abs() + terms().map(f64::abs).sum::<f64>();
                if value.abs() > NEAR_SLOPE * size {
                    let what = format!(
                        "satisfies the algebraic equation {equation} of index 2 for this value of parameter {k} only: g[{equation}] \
                         has the derivative {value:.3e} by it"
                    );
                    let advice = "compute the states from the parameters so that it holds for all of them";
                    return Err(off(None, at.t, &what, value, advice));
                }
            }
        }
        Ok(())
    }

    /// Demands that a jump leads to states that satisfy the equations of index 2 for nearby parameters and event times too:
    /// their derivatives must vanish along everything that satisfies those before the event and the guard.
    ///
    /// # Errors
    /// Kind `Event` with the name of the event if it does not.
    pub(super) fn check_jump_slopes(
        &self,
        at: At<E::Mode>,
        (jumped, after): (&Jumped<E::Mode>, &[f64]),
        guard: usize,
        workspace: &mut Workspace,
    ) -> Result<()> {
        if !self.hides(&jumped.mode) {
            return Ok(());
        }
        let (nx, m) = (self.nx(), self.directions());
        let slopes = &jumped.slopes.rows[..nx * m];
        let end = At::new(at.t, &jumped.mode, after);
        self.find_constraint_slopes(end, Variation::Units, workspace);
        let scale = max_abs(&workspace.projection.slopes) * max_abs(slopes).max(1.0);
        self.find_constraint_slopes(end, Variation::Rows(slopes), workspace);
        let mut rows = workspace.projection.slopes.clone();
        self.differentiate_guard(guard, at, workspace)?;
        self.differentiate_rates(at, workspace)?;
        let by_guard = workspace.guard.slopes.clone();
        let along_motion = |row: &[f64], rates: &[f64]| dot(&row[..nx], &rates[..nx]) + row[m - 1];
        let crossing = along_motion(&by_guard, &workspace.rates.values);
        let before = self.hides(at.mode);
        if before {
            self.linearize_close(at, workspace)?;
        }
        for (equation, row) in rows.chunks_exact_mut(m).enumerate() {
            let factor = along_motion(row, &workspace.rates.values) / crossing;
            add_scaled(row, -factor, &by_guard);
            if before {
                let (mu, rest) = row.split_at_mut(nx);
                workspace.projection.transposed(mu, rest);
            }
            let left = max_abs(row);
            if left > NEAR_SLOPE * (scale + factor.abs() * max_abs(&by_guard)) {
                let what = format!("satisfies the algebraic equation {equation} of index 2 for these parameters only");
                let advice =
                    "compute the states after it so that the equation holds for all parameters and times of the event";
                return Err(off(Some(&self.equations.event_name(guard)), at.t, &what, left, advice));
            }
        }
        Ok(())
    }
}
