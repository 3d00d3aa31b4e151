//! Contacts that hold until they are pulled off, where others hold the same.

use super::{Mechanism, Workspace};
use crate::assembly::dependences;
use crate::error::{Error, ErrorKind, Result};
use crate::formulation::INDEPENDENCE;
use crate::hybrid::At;
use crate::model::quantity::{Motion, Quantity};
use crate::model::{ContactState, Mode};

/// Part of the forces of redundant rows below which their normal part is rounding.
const NORMAL: f64 = 1e-9;

impl Mechanism {
    /// Refuses contacts that hold until they are pulled off where others share the pull, at the assembled constraints: when they let
    /// go would depend on the shares, which are not unique.
    pub(super) fn check_pull(&self, at: At<Mode>, workspace: &Workspace) -> Result<()> {
        let (terms, mode) = (&workspace.terms, at.mode);
        let tears = |&i: &usize| {
            let pull_off = self.model.contacts[i].law.pull_off();
            pull_off.is_some_and(|number| terms.numbers[number] > 0.0)
        };
        let held: Vec<usize> = mode
            .having(|state| state == ContactState::Stuck)
            .filter(tears)
            .collect();
        if held.is_empty() || mode.independent.len() == mode.rows {
            return Ok(());
        }
        let rest = vec![0.0; self.model.nv()];
        for dependence in dependences(&terms.jacobian, self.model.nv(), INDEPENDENCE).1 {
            let mut lambda = vec![0.0; mode.rows];
            dependence.0.iter().for_each(|&(row, weight)| lambda[row] = weight);
            let largest = lambda.iter().fold(0.0, |most: f64, force| most.max(force.abs()));
            let motion = Motion {
                v: &rest,
                ..self.motion_with(at, &rest, &lambda, &terms.numbers)
            };
            let shares = |&&i: &&usize| {
                let force = Quantity::ContactForce(i).evaluate(&self.model, mode, &motion);
                force.abs() > NORMAL * largest
            };
            if let Some(&contact) = held.iter().find(shares) {
                return Err(self.shared_pull(contact, at.t));
            }
        }
        Ok(())
    }

    #[cold]
    fn shared_pull(&self, contact: usize, t: f64) -> Error {
        let name = &self.model.contacts[contact].name;
        let message = format!("what pulls at \"{name}\" is not unique: others hold the same motion");
        Error::new(ErrorKind::Event, message)
            .named(name.clone())
            .at_time(t)
            .advise("let fewer contacts hold it, or let springs share the load")
    }
}
