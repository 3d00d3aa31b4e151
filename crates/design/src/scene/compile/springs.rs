//! Springs and dampers along lines and on angles.

use super::Build;
use super::localize;
use super::site::Site;
use crate::error::Result;
use crate::model::force::{ForceKind, LineForce, Tension, Torsion};
use crate::model::local::Local;
use crate::scene::schema::{Number, OneSided};

/// The numbers of a linear law as written.
#[derive(Clone, Copy)]
pub(super) struct Linear<'n> {
    stiffness: Option<&'n Number>,
    /// Natural length or angle.
    natural: Option<&'n Number>,
    damping: Option<&'n Number>,
}

impl<'n> Linear<'n> {
    pub(super) fn new(stiffness: &'n Number, natural: Option<&'n Number>, damping: Option<&'n Number>) -> Self {
        Self {
            stiffness: Some(stiffness),
            natural,
            damping,
        }
    }

    pub(super) fn damper(damping: &'n Number) -> Self {
        Self {
            stiffness: None,
            natural: None,
            damping: Some(damping),
        }
    }
}

impl Build<'_> {
    pub(super) fn spring(
        &mut self,
        ends: [&str; 2],
        law: Linear,
        one_sided: Option<OneSided>,
        local: &mut Local,
        site: &Site,
    ) -> Result<ForceKind> {
        let [a, b] = self.attachments(ends, [&site.at("from"), &site.at("to")])?;
        let (a, b) = self.markers_of(a, b, local);
        let tension = Tension::Linear {
            stiffness: local.number(self.field_or(site, "stiffness", law.stiffness, 0.0)?),
            natural: local.number(self.not_negative(site, "natural_length", law.natural)?),
            damping: local.number(self.field_or(site, "damping", law.damping, 0.0)?),
        };
        let side = match one_sided {
            None => 0.0,
            Some(OneSided::Tension) => 1.0,
            Some(OneSided::Compression) => -1.0,
        };
        Ok(ForceKind::Line(LineForce { a, b, tension, side }))
    }

    pub(super) fn nonlinear_spring(
        &mut self,
        ends: [&str; 2],
        force: &str,
        natural: &Number,
        local: &mut Local,
        site: &Site,
    ) -> Result<ForceKind> {
        let [a, b] = self.attachments(ends, [&site.at("from"), &site.at("to")])?;
        let (a, b) = self.markers_of(a, b, local);
        let natural = self.not_negative(site, "natural_length", Some(natural))?;
        let inner = site.at("force");
        let tension = Tension::Expression {
            natural: local.number(natural),
            force: self.function(inner.expression(force)?, &["length", "rate"], &inner, local)?,
        };
        let side = 0.0;
        Ok(ForceKind::Line(LineForce { a, b, tension, side }))
    }

    pub(super) fn torsion(
        &mut self,
        between: &(String, String),
        law: Linear,
        local: &mut Local,
        site: &Site,
    ) -> Result<ForceKind> {
        self.require_planar(
            "a torsion spring or damper",
            "in space use springs between points",
            site,
        )?;
        let inner = site.at("between");
        let a = self.frame(&between.0, &inner.at(0))?;
        let b = self.frame(&between.1, &inner.at(1))?;
        if a == b {
            return Err(inner
                .at(1)
                .error(format!("both ends are at `{}`", between.1))
                .advise("name two different bodies, or a body and `ground`"));
        }
        Ok(ForceKind::Torsion(Torsion {
            a: localize::orientation(a, local),
            b: localize::orientation(b, local),
            stiffness: local.number(self.field_or(site, "stiffness", law.stiffness, 0.0)?),
            natural: local.number(self.field_or(site, "natural_angle", law.natural, 0.0)?),
            damping: local.number(self.field_or(site, "damping", law.damping, 0.0)?),
        }))
    }
}
