//! Springs and dampers along lines and on angles.

use super::Build;
use super::draft::Draft;
use super::site::Site;
use crate::error::Result;
use crate::model::CoordinateKind;
use crate::model::force::{ForceKind, LineForce, Tension, Torsion};
use crate::model::marker::{Marker, Orientation};
use crate::model::quantity::{Quantity, Rate};
use crate::scene::schema::Number;
use crate::scene::schema::force::{Damper, NonlinearSpring, OneSided, Spring, TorsionDamper, TorsionSpring};

/// Stiffness, length or angle without load, and damping, as far as they are written.
type Linear<'s> = [Option<&'s Number>; 3];

impl<'s> Build<'s> {
    pub(super) fn spring(&mut self, spring: &'s Spring, draft: &mut Draft, site: &Site<'s>) -> Result<ForceKind> {
        let linear = [
            Some(&spring.stiffness),
            Some(&spring.natural_length),
            spring.damping.as_ref(),
        ];
        let side = match spring.one_sided {
            None => 0.0,
            Some(OneSided::Tension) => 1.0,
            Some(OneSided::Compression) => -1.0,
        };
        self.linear([&spring.from, &spring.to], linear, side, draft, site)
    }

    pub(super) fn damper(&mut self, damper: &'s Damper, draft: &mut Draft, site: &Site<'s>) -> Result<ForceKind> {
        self.linear(
            [&damper.from, &damper.to],
            [None, None, Some(&damper.damping)],
            0.0,
            draft,
            site,
        )
    }

    fn linear(
        &mut self,
        ends: [&str; 2],
        [stiffness, natural, damping]: Linear<'s>,
        side: f64,
        draft: &mut Draft,
        site: &Site<'s>,
    ) -> Result<ForceKind> {
        let [a, b] = self.spring_ends(ends, draft, site)?;
        let tension = Tension::Linear {
            stiffness: self.followed_or(site, "stiffness", stiffness, draft)?,
            natural: self.rest_length(site, natural, draft)?,
            damping: self.followed_or(site, "damping", damping, draft)?,
        };
        Ok(ForceKind::Line(LineForce { a, b, tension, side }))
    }

    pub(super) fn nonlinear_spring(
        &mut self,
        spring: &'s NonlinearSpring,
        draft: &mut Draft,
        site: &Site<'s>,
    ) -> Result<ForceKind> {
        let [a, b] = self.spring_ends([&spring.from, &spring.to], draft, site)?;
        let natural = self.not_negative(site, "natural_length", Some(&spring.natural_length))?;
        let inner = site.at("force");
        let stretch = |rate| Quantity::Stretch(self.model.forces.len(), rate);
        let supplied = [("length", stretch(Rate::Position)), ("rate", stretch(Rate::Velocity))];
        let natural = draft.number(natural);
        let expression = inner.expression(&spring.force)?;
        let tension = match self.tension(&spring.force, &expression, &supplied, &inner, draft) {
            Some(force) => Tension::Followed { force, natural },
            None => Tension::Expression {
                natural,
                force: self.function(expression, &supplied, &inner, draft)?,
            },
        };
        let side = 0.0;
        Ok(ForceKind::Line(LineForce { a, b, tension, side }))
    }

    /// The length of a spring without load: not negative where it is constant.
    fn rest_length(&mut self, site: &Site<'s>, written: Option<&'s Number>, draft: &mut Draft) -> Result<usize> {
        let natural = self.followed_or(site, "natural_length", written, draft)?;
        let (number, inner) = (draft.local.numbers[natural], site.at("natural_length"));
        let allowed = |length: f64| length >= 0.0 || length.is_nan();
        self.numbers.require(number, &inner, allowed, "at least zero")?;
        Ok(natural)
    }

    fn spring_ends(&mut self, [from, to]: [&str; 2], draft: &mut Draft, site: &Site) -> Result<[Marker; 2]> {
        let ends = self.attachments([from, to], [&site.at("from"), &site.at("to")])?;
        Ok(draft.ends(ends))
    }

    pub(super) fn torsion_spring(
        &mut self,
        spring: &'s TorsionSpring,
        draft: &mut Draft,
        site: &Site<'s>,
    ) -> Result<ForceKind> {
        let linear = [
            Some(&spring.stiffness),
            spring.natural_angle.as_ref(),
            spring.damping.as_ref(),
        ];
        self.torsion(&spring.between, linear, draft, site)
    }

    pub(super) fn torsion_damper(
        &mut self,
        damper: &'s TorsionDamper,
        draft: &mut Draft,
        site: &Site<'s>,
    ) -> Result<ForceKind> {
        self.torsion(&damper.between, [None, None, Some(&damper.damping)], draft, site)
    }

    fn torsion(
        &mut self,
        between: &(String, String),
        [stiffness, natural, damping]: Linear<'s>,
        draft: &mut Draft,
        site: &Site<'s>,
    ) -> Result<ForceKind> {
        let inner = site.at("between");
        let [a, b] = self.turning_ends([(&between.0, inner.at(0)), (&between.1, inner.at(1))])?;
        if a == b {
            return inner.at(1).refuse(
                format!("both ends are at `{}`", between.1),
                "name two different bodies, or a body and `ground`",
            );
        }
        Ok(ForceKind::Torsion(Torsion {
            a: draft.orientation(a),
            b: draft.orientation(b),
            stiffness: self.followed_or(site, "stiffness", stiffness, draft)?,
            natural: self.followed_or(site, "natural_angle", natural, draft)?,
            damping: self.followed_or(site, "damping", damping, draft)?,
        }))
    }

    /// What turns with the ends of a torsion spring or a torque; in space also positions of joints, along which it acts then.
    pub(super) fn turning_ends(&mut self, ends: [(&str, Site<'s>); 2]) -> Result<[Orientation; 2]> {
        let mut found = [Orientation::Ground; 2];
        let mut known = None;
        for (end, (name, site)) in found.iter_mut().zip(&ends) {
            if self.is_planar() || !name.contains('.') {
                *end = self.frame(name, site)?;
            } else {
                *end = Orientation::Angle(self.coordinate(name, site)?);
            }
            let Orientation::Angle(coordinate) = *end else { continue };
            let kind = self.model.coordinates[coordinate].kind;
            if !matches!(kind, CoordinateKind::Angle | CoordinateKind::Length) {
                let message = format!("`{name}` is neither an angle nor a position");
                return site.refuse(message, "name a joint with an angle, or the `position` of a joint");
            }
            if known.is_some_and(|known| known != kind) {
                let message = format!("one of `{}` and `{name}` is an angle, the other a position", ends[0].0);
                return site.refuse(message, "name two angles, two positions, or one of them and `ground`");
            }
            known = Some(kind);
        }
        Ok(found)
    }
}
