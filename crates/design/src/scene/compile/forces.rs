//! Springs, dampers and loads.

use super::Build;
use super::site::Site;
use crate::error::Result;
use crate::scene::schema::Force;

impl Build<'_> {
    pub(super) fn forces(&mut self) -> Result<()> {
        for (name, force) in self.scene.forces.iter() {
            self.force(force, &Site::new(self.file, "forces").at(name))?;
        }
        Ok(())
    }

    fn force(&mut self, force: &Force, site: &Site) -> Result<()> {
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
            Force::Torque(torque) => self.torque(torque, local, site),
            Force::Drag(drag) => self.drag(drag, local, site),
        };
        self.add_force(kind?, draft, site)
    }
}
