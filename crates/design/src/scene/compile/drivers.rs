//! Joints on angles and coordinates: gears, couplings and drivers.

use super::Build;
use super::localize;
use super::site::Site;
use crate::error::Result;
use crate::model::constraint::ConstraintKind;
use crate::model::function::Signal;
use crate::model::joint::{Coupling, RelativeAngle};
use crate::model::local::Local;
use crate::scene::schema::{Joint, Number};

impl Build<'_> {
    /// The constraints of a joint on angles or coordinates.
    pub(super) fn angle_joint(&mut self, joint: &Joint, active: bool, site: &Site) -> Result<Vec<usize>> {
        let constraint = match joint {
            Joint::Gear {
                between, ratio, phase, ..
            } => self.gear(between, ratio, phase.as_ref(), site)?,
            Joint::Coupling { terms, equals, .. } => self.coupling(terms, equals.as_ref(), active, site)?,
            Joint::DriveAngle { body, from, angle, .. } => {
                self.drive_angle(body, from.as_deref(), angle, active, site)?
            }
            Joint::DriveCoordinate { coordinate, value, .. } => {
                let coordinate = self.coordinate(coordinate, &site.at("coordinate"))?;
                let one = self.default(site, "factor", 1.0);
                self.combination(&[(coordinate, one)], (value, "value"), active, site)?
            }
            _ => return Err(site.error("not a joint on angles or coordinates")),
        };
        Ok(vec![constraint])
    }

    fn gear(
        &mut self,
        between: &(String, String),
        ratio: &Number,
        phase: Option<&Number>,
        site: &Site,
    ) -> Result<usize> {
        self.require_planar("`Gear`", "in space couple coordinates with `Coupling`", site)?;
        let angles = self.gear_angles(between, &site.at("between"))?;
        let ratio = self.field(site, "ratio", ratio)?;
        self.numbers
            .require(ratio, &site.at("ratio"), |x| x != 0.0, "different from zero")?;
        let minus = self.numbers.combination(&[(-1.0, ratio)], site.at("-ratio").label());
        let one = self.default(site, "factor", 1.0);
        let phase = self.field_or(site, "phase", phase, 0.0)?;
        let mut local = Local::default();
        let kind = Coupling {
            terms: vec![
                (local.coordinate(angles[1]), local.number(one)),
                (local.coordinate(angles[0]), local.number(minus)),
            ],
            value: Signal::Number(local.number(phase)),
        };
        self.constraint(ConstraintKind::Coupling(kind), local, site)
    }

    /// Coordinates: the angles of two different bodies.
    fn gear_angles(&mut self, between: &(String, String), site: &Site) -> Result<[usize; 2]> {
        let mut angles = [0; 2];
        for (k, name) in [&between.0, &between.1].into_iter().enumerate() {
            let inner = site.at(k);
            if name == "ground" {
                return Err(inner
                    .error("a gear joins two bars or rigid bodies, not the ground")
                    .advise("use `DriveAngle` to hold an angle"));
            }
            let solid = self.solid(name, &inner)?;
            angles[k] = self.solid_angle(solid, &inner)?;
        }
        if angles[0] == angles[1] {
            return Err(site
                .at(1)
                .error(format!("both gears are `{}`", between.1))
                .advise("join two different bodies"));
        }
        Ok(angles)
    }

    fn coupling(
        &mut self,
        written: &[(String, Number)],
        equals: Option<&Number>,
        active: bool,
        site: &Site,
    ) -> Result<usize> {
        let inner = site.at("terms");
        let mut terms: Vec<(usize, usize)> = Vec::new();
        for (k, (name, factor)) in written.iter().enumerate() {
            let inner = inner.at(k);
            let coordinate = self.coordinate(name, &inner.at(0))?;
            if terms.iter().any(|(known, _)| *known == coordinate) {
                return Err(inner
                    .at(0)
                    .error(format!("the coordinate `{name}` appears twice"))
                    .advise("add its factors up"));
            }
            let label = format!("{}.factor of {name}", site.element());
            terms.push((coordinate, self.numbers.read(factor, label, &inner.at(1))?));
        }
        if terms.iter().all(|(_, factor)| self.numbers.value(*factor) == 0.0) {
            return Err(inner
                .error("the coupling has no term with a factor different from zero")
                .advise("write terms: [(\"P.x\", 1.0), ..]"));
        }
        match equals {
            Some(equals) => self.combination(&terms, (equals, "equals"), active, site),
            None => self.combination(&terms, (&Number::Literal(0.0), "equals"), active, site),
        }
    }

    /// Sum of factor times coordinate (global indices) equals a value of time.
    fn combination(
        &mut self,
        terms: &[(usize, usize)],
        (value, field): (&Number, &str),
        active: bool,
        site: &Site,
    ) -> Result<usize> {
        let inner = site.at(field);
        let mut local = Local::default();
        let value = self.signal(value, inner.label(), &inner, &mut local)?;
        self.require_finite(&value, &local, active, &inner)?;
        let terms = terms
            .iter()
            .map(|&(coordinate, factor)| (local.coordinate(coordinate), local.number(factor)));
        let terms = terms.collect();
        self.constraint(ConstraintKind::Coupling(Coupling { terms, value }), local, site)
    }

    fn drive_angle(
        &mut self,
        body: &str,
        from: Option<&str>,
        angle: &Number,
        active: bool,
        site: &Site,
    ) -> Result<usize> {
        self.require_planar(
            "`DriveAngle`",
            "in space drive coordinates with `DriveCoordinate`",
            site,
        )?;
        let frame = self.frame(from.unwrap_or("ground"), &site.at("from"))?;
        let driven = self.frame(body, &site.at("body"))?;
        if body == "ground" || frame == driven {
            let message = if body == "ground" {
                "the ground cannot be driven".to_string()
            } else {
                format!("`{body}` is driven against itself")
            };
            return Err(site
                .at("body")
                .error(message)
                .advise("name the bar or rigid body that is driven"));
        }
        let inner = site.at("angle");
        let mut local = Local::default();
        let kind = RelativeAngle {
            a: localize::orientation(frame, &mut local),
            b: localize::orientation(driven, &mut local),
            value: self.signal(angle, inner.label(), &inner, &mut local)?,
        };
        self.require_finite(&kind.value, &local, active, &inner)?;
        self.constraint(ConstraintKind::RelativeAngle(kind), local, site)
    }
}
