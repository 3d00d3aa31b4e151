//! Springs and dampers along lines and on angles.

use super::Build;
use super::draft::Draft;
use super::site::Site;
use crate::error::Result;
use crate::model::force::{ForceKind, LineForce, Tension, Torsion};
use crate::model::marker::Marker;
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
    /// The numbers of a linear law: stiffness, natural length or angle, damping.
    fn linear(&mut self, law: Linear, natural: &str, site: &Site) -> Result<[usize; 3]> {
        let stiffness = self.field_or(site, "stiffness", law.stiffness, 0.0)?;
        let rest = match natural {
            "natural_length" => self.not_negative(site, natural, law.natural)?,
            _ => self.field_or(site, natural, law.natural, 0.0)?,
        };
        Ok([stiffness, rest, self.field_or(site, "damping", law.damping, 0.0)?])
    }

    pub(super) fn spring(
        &mut self,
        ends: [&str; 2],
        law: Linear,
        one_sided: Option<OneSided>,
        draft: &mut Draft,
        site: &Site,
    ) -> Result<ForceKind> {
        let [a, b] = self.spring_ends(ends, draft, site)?;
        let [stiffness, natural, damping] = self.linear(law, "natural_length", site)?.map(|n| draft.number(n));
        let tension = Tension::Linear {
            stiffness,
            natural,
            damping,
        };
        let side = match one_sided {
            None => 0.0,
            Some(OneSided::Tension) => 1.0,
            Some(OneSided::Compression) => -1.0,
        };
        Ok(ForceKind::Line(LineForce { a, b, tension, side }))
    }

    fn spring_ends(&mut self, [from, to]: [&str; 2], draft: &mut Draft, site: &Site) -> Result<[Marker; 2]> {
        let ends = self.attachments([from, to], [&site.at("from"), &site.at("to")])?;
        Ok(draft.ends(ends))
    }

    pub(super) fn nonlinear_spring(
        &mut self,
        ends: [&str; 2],
        force: &str,
        natural: &Number,
        draft: &mut Draft,
        site: &Site,
    ) -> Result<ForceKind> {
        let [a, b] = self.spring_ends(ends, draft, site)?;
        let natural = self.not_negative(site, "natural_length", Some(natural))?;
        let inner = site.at("force");
        let tension = Tension::Expression {
            natural: draft.number(natural),
            force: self.function(inner.expression(force)?, &["length", "rate"], &inner, draft)?,
        };
        let side = 0.0;
        Ok(ForceKind::Line(LineForce { a, b, tension, side }))
    }

    pub(super) fn torsion(
        &mut self,
        between: &(String, String),
        law: Linear,
        draft: &mut Draft,
        site: &Site,
    ) -> Result<ForceKind> {
        let advice = "in space use springs between points";
        self.require_planar("a torsion spring or damper", advice, site)?;
        let inner = site.at("between");
        let a = self.frame(&between.0, &inner.at(0))?;
        let b = self.frame(&between.1, &inner.at(1))?;
        if a == b {
            return inner.at(1).refuse(
                format!("both ends are at `{}`", between.1),
                "name two different bodies, or a body and `ground`",
            );
        }
        let [a, b] = [a, b].map(|frame| draft.orientation(frame));
        let [stiffness, natural, damping] = self.linear(law, "natural_angle", site)?.map(|n| draft.number(n));
        Ok(ForceKind::Torsion(Torsion {
            a,
            b,
            stiffness,
            natural,
            damping,
        }))
    }
}
