//! Springs, dampers and loads.

use super::Build;
use super::bushings::of_bushing;
use super::quantities::{Entry, entry};
use super::site::Site;
use crate::error::Result;
use crate::model::force::ForceKind;
use crate::model::quantity::{Hysteresis, Quantity, Rate};
use crate::scene::schema::Force;

/// Fields of a hysteretic spring.
const HYSTERETIC: [(&str, Hysteresis); 4] = [
    ("elongation", Hysteresis::Elongation),
    ("force", Hysteresis::Tension),
    ("work", Hysteresis::Work),
    ("loss", Hysteresis::Loss),
];

impl<'s> Build<'s> {
    pub(super) fn forces(&mut self) -> Result<()> {
        let scene = self.scene;
        for (name, force) in scene.forces.iter() {
            self.force(force, &Site::new(self.file, "forces").at(name))?;
        }
        Ok(())
    }

    fn force(&mut self, force: &'s Force, site: &Site<'s>) -> Result<()> {
        let mut draft = self.draft(force.is_active());
        let local = &mut draft;
        let kind = match force {
            Force::Spring(spring) => self.spring(spring, local, site),
            Force::Damper(damper) => self.damper(damper, local, site),
            Force::NonlinearSpring(spring) => self.nonlinear_spring(spring, local, site),
            Force::HystereticSpring(spring) => self.hysteretic_spring(spring, local, site),
            Force::TorsionSpring(spring) => self.torsion_spring(spring, local, site),
            Force::TorsionDamper(damper) => self.torsion_damper(damper, local, site),
            Force::Load(load) => self.load(load, local, site),
            Force::Bushing(bushing) => self.bushing(bushing, local, site),
            Force::Torque(torque) => self.torque(torque, local, site),
            Force::Drag(drag) => self.drag(drag, local, site),
        };
        self.add_force(kind?, draft, site)
    }

    /// The quantities of a force.
    pub(super) fn of_force(&self, index: usize) -> Vec<Entry> {
        let Some(force) = self.model.forces.get(index) else {
            return Vec::new();
        };
        let mut entries: Vec<Entry> = match &force.kind {
            ForceKind::Line(_) => vec![
                entry("length", Quantity::Stretch(index, Rate::Position)),
                entry("rate", Quantity::Stretch(index, Rate::Velocity)),
                entry("force", Quantity::SpringForce(index)),
            ],
            ForceKind::Torsion(_) => vec![
                entry("angle", Quantity::TorsionAngle(index)),
                entry("torque", Quantity::TorsionTorque(index)),
            ],
            ForceKind::Hysteretic(_) => HYSTERETIC
                .map(|(name, part)| entry(name, Quantity::Hysteretic(index, part)))
                .into(),
            ForceKind::Bushing(_) => of_bushing(index),
            ForceKind::Tangential(_) | ForceKind::Sliding(_) => Vec::new(),
            ForceKind::Load(_) | ForceKind::Torque(_) | ForceKind::Moment(_) | ForceKind::Drag(_) => Vec::new(),
        };
        entries.push(entry("power", Quantity::ForcePower(index)));
        entries
    }
}
