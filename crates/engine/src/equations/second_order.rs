//! Second derivatives of the costs: the adjoint of a system with its derivative along a direction.

use super::{Directional, Equations, Study};
use crate::error::{Error, ErrorKind, Result};

impl<E: Equations> Study<E> {
    /// The same study of the equations together with the derivative of everything along `direction`, one entry per parameter:
    /// sensitivities and gradients of what belongs to the direction are second derivatives.
    ///
    /// # Errors
    /// Kind `Request` unless the direction has an entry per parameter.
    pub fn along<'a>(&'a self, direction: &'a [f64]) -> Result<Study<Directional<'a, E>>> {
        let system = self.system();
        let (wanted, given) = (system.parameters().len(), direction.len());
        if wanted != given {
            let message = format!("a direction with {given} entries for {wanted} parameters");
            return Err(Error::new(ErrorKind::Request, message)
                .with_value(given as f64)
                .advise("give one entry per parameter, in their order"));
        }
        let equations = Directional::new(system.equations(), direction, self.start());
        Ok(self.of(equations))
    }

    /// Hessian of every cost times `direction`: one list per cost, one entry per parameter, from one motion with its derivative
    /// along the direction and one pass back over both.
    ///
    /// # Errors
    /// As [`Study::along`] and [`Study::adjoint`].
    pub fn hessian_times(&self, direction: &[f64]) -> Result<Vec<Vec<f64>>> {
        let costs = self.system().equations().size().costs;
        let mut gradients = self.along(direction)?.adjoint()?.gradients;
        Ok(gradients.split_off(costs))
    }

    /// Hessian of every cost, as rows: one motion and one pass back per parameter.
    ///
    /// # Errors
    /// As [`Study::adjoint`].
    pub fn hessians(&self) -> Result<Vec<Vec<Vec<f64>>>> {
        let costs = self.system().equations().size().costs;
        let mut hessians = vec![Vec::new(); costs];
        for direction in self.directions() {
            for (hessian, row) in hessians.iter_mut().zip(self.hessian_times(&direction)?) {
                hessian.push(row);
            }
        }
        Ok(hessians)
    }
}
