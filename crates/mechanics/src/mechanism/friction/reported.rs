//! How impacts with friction end, for reports.

use super::struck::size;
use crate::hybrid::At;
use crate::linear::dot;
use crate::mechanism::jump::{Next, Request};
use crate::mechanism::{Mechanism, Workspace};

impl Mechanism {
    /// Notes with the impacts of contacts with friction whether they stick, slip on, or slip the other way afterwards.
    pub(in crate::mechanism) fn note_outcomes(&self, next: &Next, request: &mut Request, workspace: &mut Workspace) {
        let Some(plan) = workspace.plan.take() else { return };
        self.load(next.at(), &mut workspace.terms);
        let mut before = next.x.to_vec();
        before[self.velocities()].copy_from_slice(&plan.before);
        let noise = self.noise(&before).max(self.noise(next.x));
        for happening in &mut request.happenings {
            let struck = request.touching.iter().copied();
            let rubs = struck.filter_map(|contact| Some((contact, self.model.friction_of(contact)?)));
            let mut own = rubs.filter(|(contact, _)| self.model.contacts[*contact].name == happening.name);
            let Some((_, friction)) = own.next().filter(|_| matches!(&happening.kind[..], "impact" | "rest")) else {
                continue;
            };
            let [old, new] =
                [&before[..], next.x].map(|x| self.slip_vector(friction, At::new(next.t, &*next.mode, x), workspace));
            let back = dot(&old, &new) < 0.0 && size(old) > noise;
            happening.outcome = Some(match (size(new) <= noise, back) {
                (true, _) => "stick",
                (_, true) => "reverse",
                _ => "slip",
            });
        }
        workspace.plan = Some(plan);
    }
}
