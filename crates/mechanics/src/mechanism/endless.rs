//! What helps against events without end, by what their guards watch.

use super::Mechanism;
use super::watch::Watch;

/// Relative tolerance above which what is zero between two events is too inexact to tell them apart.
const LOOSE: f64 = 1e-6;

impl Mechanism {
    /// Name of the element that a guard belongs to; none where it watches the rows as a whole.
    pub(super) fn owner_of(&self, guard: usize) -> Option<&str> {
        let model = &self.model;
        Some(match self.watch(guard) {
            Watch::Gap(i) | Watch::Release(i) | Watch::Tooth(i) | Watch::Facing(i) => &model.contacts[i].name,
            Watch::Grip(i) | Watch::Side(i, _) | Watch::Begun(i) | Watch::Ending(i) => model.rubbed_name(i),
            Watch::Spring(i) | Watch::Reversal(i) => &model.forces[i].name,
            Watch::Margin(i) => &model.constraints[i].name,
            Watch::Event(i) => &model.events[i].name,
            Watch::Kink(i) => &model.kinks[i].of,
            Watch::Dependent => return None,
        })
    }

    /// Advice by the guards of the latest events; none where one is of the scene, whose conditions a user can change.
    pub(super) fn advise_against_endless(&self, guards: &[usize]) -> Option<String> {
        let watches = || guards.iter().map(|&guard| self.watch(guard));
        if watches().any(|watch| matches!(watch, Watch::Event(_))) {
            return None;
        }
        let bounces = |watch| matches!(watch, Watch::Gap(i) if self.model.contacts[i].law.restitution().is_some());
        if watches().any(bounces) {
            let advice = "set `rest_speed` of the simulation above the speed of the last bounces, give the contacts less \
                          restitution, or end before this time";
            return Some(advice.to_string());
        }
        let why = "what decides on it stays at zero, to the accuracy of the motion";
        let what = match (self.choices.rtol > LOOSE, self.choices.projection) {
            (true, _) => format!("set `rtol` to {LOOSE:e} or below"),
            (_, false) => "leave out `projection: false`".to_string(),
            _ => "change a parameter a little, or end before this time".to_string(),
        };
        Some(format!("{why}: {what}"))
    }
}
