//! Springs, dampers and loads.

use super::Build;
use super::hysteretic::ExponentialLaw;
use super::site::Site;
use super::springs::Linear;
use crate::error::Result;
use crate::model::force::ForceKind;
use crate::model::local::Local;
use crate::scene::schema::Force;

impl Build<'_> {
    pub(super) fn forces(&mut self) -> Result<()> {
        for (name, force) in self.scene.forces.iter() {
            let site = Site::new(self.file, "forces").at(name);
            let mut local = Local::default();
            let kind = match self.line_force(force, &mut local, &site)? {
                Some(kind) => kind,
                None => self.turning_force(force, &mut local, &site)?,
            };
            self.add_force(kind, local, is_active(force), &site)?;
        }
        Ok(())
    }

    /// A force along a line or at a place; `None` for the other kinds.
    fn line_force(&mut self, force: &Force, local: &mut Local, site: &Site) -> Result<Option<ForceKind>> {
        Ok(Some(match force {
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
            Force::Load {
                at,
                force,
                frame,
                active,
            } => self.load(at, force, frame.as_ref(), *active, local, site)?,
            Force::Drag {
                at, linear, quadratic, ..
            } => self.drag(at, linear.as_ref(), quadratic.as_ref(), local, site)?,
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
                    ka,
                    kb,
                    alpha,
                    beta: beta.as_ref(),
                };
                self.hysteretic_spring(of, law, local, site)?
            }
            _ => return Ok(None),
        }))
    }

    /// A torque.
    fn turning_force(&mut self, force: &Force, local: &mut Local, site: &Site) -> Result<ForceKind> {
        match force {
            Force::TorsionSpring {
                between,
                stiffness,
                natural_angle,
                damping,
                ..
            } => {
                let law = Linear::new(stiffness, natural_angle.as_ref(), damping.as_ref());
                self.torsion(between, law, local, site)
            }
            Force::TorsionDamper { between, damping, .. } => {
                self.torsion(between, Linear::damper(damping), local, site)
            }
            Force::Torque {
                on,
                from,
                torque,
                active,
            } => self.torque(on, from.as_deref(), torque, *active, local, site),
            _ => Err(site.error("this kind of force is not known")),
        }
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
