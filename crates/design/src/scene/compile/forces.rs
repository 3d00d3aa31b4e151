//! Springs, dampers and loads.

use super::Build;
use super::hysteretic::ExponentialLaw;
use super::site::Site;
use super::springs::Linear;
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
        let mut draft = self.draft(is_active(force));
        let local = &mut draft;
        let kind = match force {
            Force::Spring {
                from,
                to,
                stiffness,
                natural_length,
                damping,
                one_sided,
                ..
            } => {
                let law = Linear::new(stiffness, Some(natural_length), damping.as_ref());
                self.spring([from, to], law, *one_sided, local, site)?
            }
            Force::Damper { from, to, damping, .. } => {
                self.spring([from, to], Linear::damper(damping), None, local, site)?
            }
            Force::NonlinearSpring {
                from,
                to,
                force,
                natural_length,
                ..
            } => self.nonlinear_spring([from, to], force, natural_length, local, site)?,
            Force::HystereticSpring {
                of,
                natural,
                ka,
                kb,
                alpha,
                beta,
                ..
            } => {
                let law = ExponentialLaw {
                    natural: natural.as_ref(),
                    stiffness: [ka, kb],
                    alpha,
                    beta: beta.as_ref(),
                };
                self.hysteretic_spring(of, law, local, site)?
            }
            Force::TorsionSpring {
                between,
                stiffness,
                natural_angle,
                damping,
                ..
            } => {
                let law = Linear::new(stiffness, natural_angle.as_ref(), damping.as_ref());
                self.torsion(between, law, local, site)?
            }
            Force::TorsionDamper { between, damping, .. } => {
                self.torsion(between, Linear::damper(damping), local, site)?
            }
            Force::Load { at, force, frame, .. } => self.load(at, force, frame.as_ref(), local, site)?,
            Force::Torque { on, from, torque, .. } => self.torque(on, from.as_deref(), torque, local, site)?,
            Force::Drag {
                at, linear, quadratic, ..
            } => self.drag(at, [linear.as_ref(), quadratic.as_ref()], local, site)?,
        };
        self.add_force(kind, draft, site)
    }
}

fn is_active(force: &Force) -> bool {
    match force {
        Force::Spring { active, .. }
        | Force::Damper { active, .. }
        | Force::NonlinearSpring { active, .. }
        | Force::HystereticSpring { active, .. }
        | Force::TorsionSpring { active, .. }
        | Force::TorsionDamper { active, .. }
        | Force::Load { active, .. }
        | Force::Torque { active, .. }
        | Force::Drag { active, .. } => *active,
    }
}
