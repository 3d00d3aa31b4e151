//! Joints on angles and coordinates: gears, couplings and drivers.

use super::Build;
use super::draft::Draft;
use super::site::Site;
use crate::error::Result;
use crate::model::constraint::ConstraintKind;
use crate::model::function::Signal;
use crate::model::joint::{Coupling as LinearCoupling, RelativeAngle};
use crate::scene::schema::Number;
use crate::scene::schema::joint::{Belt, Coupling, DriveAngle, DriveCoordinate, Gear, RackAndPinion};

impl Build<'_> {
    pub(super) fn gear(&mut self, gear: &Gear, site: &Site) -> Result<usize> {
        let angles = self.gear_angles(&gear.between, &site.at("between"))?;
        let ratio = self.field(site, "ratio", &gear.ratio)?;
        self.numbers
            .require(ratio, &site.at("ratio"), |x| x != 0.0, "different from zero")?;
        let minus = self.numbers.combination(&[(-1.0, ratio)], site.at("-ratio").label());
        let one = self.default(site, "factor", 1.0);
        self.geared([(angles[1], one), (angles[0], minus)], gear.phase.as_ref(), site)
    }

    /// Two coordinates with factors, whose sum keeps a phase.
    pub(super) fn geared(&mut self, terms: [(usize, usize); 2], phase: Option<&Number>, site: &Site) -> Result<usize> {
        let phase = self.field_or(site, "phase", phase, 0.0)?;
        let mut draft = self.draft(true);
        let terms = draft.terms(&terms);
        let value = Signal::Number(draft.number(phase));
        self.constraint(ConstraintKind::Coupling(LinearCoupling { terms, value }), draft, site)
    }

    pub(super) fn rack_and_pinion(&mut self, joint: &RackAndPinion, site: &Site) -> Result<usize> {
        let pinion = self.angle_of(&joint.pinion, &site.at("pinion"))?;
        let rack = self.coordinate(&joint.rack, &site.at("rack"))?;
        if pinion == rack {
            let message = format!("`{}` is the angle of the pinion itself", joint.rack);
            return site.at("rack").refuse(message, "name the coordinate of what moves");
        }
        let radius = self.field(site, "radius", &joint.radius)?;
        self.numbers
            .require(radius, &site.at("radius"), |x| x != 0.0, "different from zero")?;
        let minus = self.numbers.combination(&[(-1.0, radius)], site.at("-radius").label());
        let one = self.default(site, "factor", 1.0);
        self.geared([(rack, one), (pinion, minus)], joint.phase.as_ref(), site)
    }

    pub(super) fn belt(&mut self, belt: &Belt, site: &Site) -> Result<usize> {
        let angles = self.gear_angles(&belt.between, &site.at("between"))?;
        let inner = site.at("radii");
        let first = self.positive(&inner, "0", &belt.radii.0)?;
        let second = self.positive(&inner, "1", &belt.radii.1)?;
        let sign = if belt.crossed { 1.0 } else { -1.0 };
        let first = self.numbers.combination(&[(sign, first)], inner.at("0").label());
        self.geared([(angles[1], second), (angles[0], first)], belt.phase.as_ref(), site)
    }

    /// Coordinates: the angles of two different bodies.
    fn gear_angles(&mut self, between: &(String, String), site: &Site) -> Result<[usize; 2]> {
        let mut angles = [0; 2];
        for (k, name) in [&between.0, &between.1].into_iter().enumerate() {
            let inner = site.at(k);
            if name == "ground" {
                let message = "a gear or belt joins two bars, rigid bodies or joints, not the ground";
                return inner.refuse(message, "use `DriveAngle` to hold an angle");
            }
            angles[k] = self.angle_of(name, &inner)?;
        }
        if angles[0] == angles[1] {
            let message = format!("both wheels are `{}`", between.1);
            return site.at(1).refuse(message, "join two different bodies");
        }
        Ok(angles)
    }

    pub(super) fn coupling(&mut self, coupling: &Coupling, site: &Site) -> Result<usize> {
        let inner = site.at("terms");
        let mut terms: Vec<(usize, usize)> = Vec::new();
        for (k, (name, factor)) in coupling.terms.iter().enumerate() {
            let inner = inner.at(k);
            let coordinate = self.coordinate(name, &inner.at(0))?;
            if terms.iter().any(|(known, _)| *known == coordinate) {
                let message = format!("the coordinate `{name}` appears twice");
                return inner.at(0).refuse(message, "add its factors up");
            }
            let label = format!("{}.factor of {name}", site.element());
            terms.push((coordinate, self.numbers.read(factor, label, &inner.at(1))?));
        }
        if terms.iter().all(|(_, factor)| self.numbers.value(*factor) == 0.0) {
            return inner.refuse(
                "the coupling has no term with a factor different from zero",
                "write terms: [(\"P.x\", 1.0), ..]",
            );
        }
        let equals = coupling.equals.as_ref().unwrap_or(&Number::Literal(0.0));
        self.combination(&terms, (equals, "equals"), coupling.active, site)
    }

    pub(super) fn drive_coordinate(&mut self, driver: &DriveCoordinate, site: &Site) -> Result<usize> {
        let coordinate = self.coordinate(&driver.coordinate, &site.at("coordinate"))?;
        let one = self.default(site, "factor", 1.0);
        self.combination(&[(coordinate, one)], (&driver.value, "value"), driver.active, site)
    }

    /// Sum of factor times coordinate (global indices) equals a value of time.
    fn combination(
        &mut self,
        terms: &[(usize, usize)],
        (value, field): (&Number, &str),
        active: bool,
        site: &Site,
    ) -> Result<usize> {
        let mut draft = self.draft(active);
        let value = self.signal_field(site, field, value, &mut draft)?;
        let terms = draft.terms(terms);
        self.constraint(ConstraintKind::Coupling(LinearCoupling { terms, value }), draft, site)
    }

    pub(super) fn drive_angle(&mut self, driver: &DriveAngle, site: &Site) -> Result<usize> {
        let body = driver.body.as_str();
        let frame = self.frame(driver.from.as_deref().unwrap_or("ground"), &site.at("from"))?;
        let driven = self.frame(body, &site.at("body"))?;
        if body == "ground" || frame == driven {
            let message = match body {
                "ground" => "the ground cannot be driven".to_string(),
                _ => format!("`{body}` is driven against itself"),
            };
            return site
                .at("body")
                .refuse(message, "name the bar or rigid body that is driven");
        }
        let mut draft = self.draft(driver.active);
        let [a, b] = [frame, driven].map(|frame| draft.orientation(frame));
        let value = self.signal_field(site, "angle", &driver.angle, &mut draft)?;
        self.constraint(
            ConstraintKind::RelativeAngle(RelativeAngle { a, b, value }),
            draft,
            site,
        )
    }
}

impl Draft {
    /// Pairs of a coordinate and a number.
    pub(super) fn terms(&mut self, terms: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let local = |&(coordinate, number): &(usize, usize)| (self.coordinate(coordinate), self.number(number));
        terms.iter().map(local).collect()
    }
}
