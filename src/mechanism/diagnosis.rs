//! Names the element behind a value that is not finite.

use super::{Mechanism, Workspace};
use crate::error::{Error, ErrorKind};
use crate::model::Mode;

impl Mechanism {
    /// Error for a derivative that is not finite: names the force, constraint or integrand it comes from, else the
    /// coordinate, and gives the time.
    #[cold]
    pub(super) fn not_finite(&self, t: f64, mode: &Mode, x: &[f64], dx: &[f64], workspace: &Workspace) -> Error {
        let (name, what) = self
            .offending_force(t, mode, x, workspace)
            .or_else(|| self.offending_constraint(mode, workspace))
            .or_else(|| self.offending_integrand(dx))
            .unwrap_or_else(|| self.offending_coordinate(x, dx));
        let value = dx.iter().copied().find(|value| !value.is_finite()).unwrap_or(f64::NAN);
        Error::new(ErrorKind::NotFinite, format!("{what} of \"{name}\" is not finite"))
            .named(name)
            .at_time(t)
            .with_value(value)
            .advise(
                "look for two attachments that meet, a division by zero or a root of a negative number in its numbers",
            )
    }

    fn offending_force(&self, t: f64, mode: &Mode, x: &[f64], workspace: &Workspace) -> Option<(String, &'static str)> {
        let (q, v, numbers) = (&x[self.positions()], &x[self.velocities()], &workspace.terms.numbers);
        let mut scratch = crate::model::local::Scratch::default();
        let found = self.model.forces.iter().enumerate().find(|(index, force)| {
            let mut f = vec![0.0; q.len()];
            match self.model.dimension {
                2 => force.add::<2>(t, q, v, numbers, &mut f, &mut scratch),
                _ => force.add::<3>(t, q, v, numbers, &mut f, &mut scratch),
            }
            mode.force_acts(*index) && f.iter().any(|value| !value.is_finite())
        });
        found.map(|(_, force)| (force.name.clone(), "the force"))
    }

    fn offending_constraint(&self, mode: &Mode, workspace: &Workspace) -> Option<(String, &'static str)> {
        let terms = &workspace.terms;
        let nv = self.model.nq();
        let broken = |row: usize| {
            let jacobian = &terms.jacobian[row * nv..(row + 1) * nv];
            jacobian
                .iter()
                .chain([&terms.gamma[row], &terms.rate[row], &terms.c[row]])
                .any(|value| !value.is_finite())
        };
        let row = (0..mode.rows).find(|&row| broken(row))?;
        let owner = mode.offsets.partition_point(|&first| first <= row).checked_sub(1)?;
        Some((
            self.model.constraints[mode.constraints[owner]].name.clone(),
            "the constraint",
        ))
    }

    fn offending_integrand(&self, dx: &[f64]) -> Option<(String, &'static str)> {
        let index = dx[self.quadratures()].iter().position(|value| !value.is_finite())?;
        Some((
            self.model.integrands[index].expression.text().to_string(),
            "the integrand",
        ))
    }

    fn offending_coordinate(&self, x: &[f64], dx: &[f64]) -> (String, &'static str) {
        let nv = self.model.nq();
        let index = x
            .iter()
            .zip(dx)
            .position(|(x, dx)| !x.is_finite() || !dx.is_finite())
            .unwrap_or(0);
        let name = self
            .model
            .coordinates
            .get(index % nv.max(1))
            .map_or_else(String::new, |c| c.name.clone());
        (name, "the motion")
    }
}
