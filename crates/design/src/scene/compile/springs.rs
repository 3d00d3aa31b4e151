//! Springs and dampers along lines and on angles.

use super::Build;
use super::draft::Draft;
use super::site::Site;
use crate::error::Result;
use crate::model::force::{ForceKind, LineForce, Tension, Torsion};
use crate::model::marker::{Marker, Orientation};
use crate::scene::schema::force::{Damper, NonlinearSpring, OneSided, Spring, TorsionDamper, TorsionSpring};

impl Build<'_> {
    pub(super) fn spring(&mut self, spring: &Spring, draft: &mut Draft, site: &Site) -> Result<ForceKind> {
        let [a, b] = self.spring_ends([&spring.from, &spring.to], draft, site)?;
        let tension = Tension::Linear {
            stiffness: draft.number(self.field(site, "stiffness", &spring.stiffness)?),
            natural: draft.number(self.not_negative(site, "natural_length", Some(&spring.natural_length))?),
            damping: draft.number(self.field_or(site, "damping", spring.damping.as_ref(), 0.0)?),
        };
        let side = match spring.one_sided {
            None => 0.0,
            Some(OneSided::Tension) => 1.0,
            Some(OneSided::Compression) => -1.0,
        };
        Ok(ForceKind::Line(LineForce { a, b, tension, side }))
    }

    pub(super) fn damper(&mut self, damper: &Damper, draft: &mut Draft, site: &Site) -> Result<ForceKind> {
        let [a, b] = self.spring_ends([&damper.from, &damper.to], draft, site)?;
        let tension = Tension::Linear {
            stiffness: draft.number(self.default(site, "stiffness", 0.0)),
            natural: draft.number(self.default(site, "natural_length", 0.0)),
            damping: draft.number(self.field(site, "damping", &damper.damping)?),
        };
        let side = 0.0;
        Ok(ForceKind::Line(LineForce { a, b, tension, side }))
    }

    pub(super) fn nonlinear_spring(
        &mut self,
        spring: &NonlinearSpring,
        draft: &mut Draft,
        site: &Site,
    ) -> Result<ForceKind> {
        let [a, b] = self.spring_ends([&spring.from, &spring.to], draft, site)?;
        let natural = self.not_negative(site, "natural_length", Some(&spring.natural_length))?;
        let inner = site.at("force");
        let tension = Tension::Expression {
            natural: draft.number(natural),
            force: self.function(inner.expression(&spring.force)?, &["length", "rate"], &inner, draft)?,
        };
        let side = 0.0;
        Ok(ForceKind::Line(LineForce { a, b, tension, side }))
    }

    fn spring_ends(&mut self, [from, to]: [&str; 2], draft: &mut Draft, site: &Site) -> Result<[Marker; 2]> {
        let ends = self.attachments([from, to], [&site.at("from"), &site.at("to")])?;
        Ok(draft.ends(ends))
    }

    pub(super) fn torsion_spring(
        &mut self,
        spring: &TorsionSpring,
        draft: &mut Draft,
        site: &Site,
    ) -> Result<ForceKind> {
        let ends = self.torsion_ends(&spring.between, site)?;
        let numbers = [
            self.field(site, "stiffness", &spring.stiffness)?,
            self.field_or(site, "natural_angle", spring.natural_angle.as_ref(), 0.0)?,
            self.field_or(site, "damping", spring.damping.as_ref(), 0.0)?,
        ];
        Ok(draft.torsion(ends, numbers))
    }

    pub(super) fn torsion_damper(
        &mut self,
        damper: &TorsionDamper,
        draft: &mut Draft,
        site: &Site,
    ) -> Result<ForceKind> {
        let ends = self.torsion_ends(&damper.between, site)?;
        let numbers = [
            self.default(site, "stiffness", 0.0),
            self.default(site, "natural_angle", 0.0),
            self.field(site, "damping", &damper.damping)?,
        ];
        Ok(draft.torsion(ends, numbers))
    }

    fn torsion_ends(&mut self, between: &(String, String), site: &Site) -> Result<[Orientation; 2]> {
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
        Ok([a, b])
    }
}

impl Draft {
    /// A torsion spring by its stiffness, natural angle and damping.
    fn torsion(&mut self, ends: [Orientation; 2], numbers: [usize; 3]) -> ForceKind {
        let [a, b] = ends.map(|end| self.orientation(end));
        let [stiffness, natural, damping] = numbers.map(|number| self.number(number));
        ForceKind::Torsion(Torsion {
            a,
            b,
            stiffness,
            natural,
            damping,
        })
    }
}
