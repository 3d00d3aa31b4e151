//! Bars: their ends, length, mass, and the angle coordinate of those whose angle something uses.

use super::Build;
use super::attachments::Carrier;
use super::bodies::Solid;
use super::guess::OwnEnd;
use super::localize;
use super::names::Element;
use super::points::is_massless;
use super::site::Site;
use crate::error::Result;
use crate::model::body::{Bar, Body, BodyKind};
use crate::model::constraint::ConstraintKind;
use crate::model::function::Signal;
use crate::model::joint::{BarAngle, Coincidence, Distance};
use crate::model::local::Local;
use crate::model::marker::{Base, Marker, Place};
use crate::model::{Coordinate, CoordinateKind, GroupKind, Start};
use crate::scene::schema;

/// A bar, with global indices.
pub(super) struct BarPlan {
    pub(super) from: Base,
    pub(super) to: Base,
    /// Number: length.
    pub(super) length: usize,
    /// Number: half of the length, once something attaches to the centre.
    pub(super) centre: Option<usize>,
    /// Numbers of the markers (along, across), in the order of the scene.
    pub(super) markers: Vec<Place>,
    /// Coordinate: the angle, once something uses it.
    pub(super) angle: Option<usize>,
    /// Coordinates of the ends that are points of the program's own: start and end.
    pub(super) own: [Option<Place>; 2],
    /// The group of the length constraint.
    pub(super) group: usize,
}

impl Build<'_> {
    /// Reads the numbers of a bar and finds its ends.
    pub(super) fn bar(&mut self, body: &schema::Body, site: &Site) -> Result<BarPlan> {
        let schema::Body::Bar {
            from,
            to,
            length,
            markers,
            ..
        } = body
        else {
            return Err(site.error("not a bar"));
        };
        let (start, own_start) = self.bar_end(from, "from", site);
        let (end, own_end) = self.bar_end(to, "to", site);
        let length = self.positive(site, "length", length)?;
        let components: &[&str] = if self.is_planar() {
            &["along", "across"]
        } else {
            &["along"]
        };
        Ok(BarPlan {
            from: start,
            to: end,
            length,
            centre: None,
            markers: self.markers(markers, &["from", "to", "centre"], components, site)?,
            angle: None,
            own: [own_start, own_end],
            group: usize::MAX,
        })
    }

    /// The end of a bar: a ground point or point itself, or new coordinates that are pinned to a marker later.
    fn bar_end(&mut self, name: &str, field: &str, site: &Site) -> (Base, Option<Place>) {
        match self.names.get(name) {
            Some(Element::Ground(index)) => return (Base::Ground(self.ground[index]), None),
            Some(Element::Point(index)) => return (Base::Point(self.points[index]), None),
            _ => {}
        }
        let mut place = Place::default();
        for (slot, axis) in place.iter_mut().zip(self.axes()) {
            *slot = self.model.coordinates.len();
            self.model.coordinates.push(Coordinate {
                name: format!("{}.{field}.{axis}", site.element()),
                kind: CoordinateKind::Length,
                start: Start::Number(usize::MAX),
                held: false,
                velocity: None,
                weight: 1.0,
            });
        }
        (Base::Point(place), Some(place))
    }

    /// Adds the constraints and the inertia of a bar, once the ends of all bars are known.
    pub(super) fn finish_bar(&mut self, index: usize, body: &schema::Body, site: &Site) -> Result<()> {
        let schema::Body::Bar { from, to, mass, .. } = body else {
            return Ok(());
        };
        let Some(Solid::Bar(plan)) = self.solids.get(index) else {
            return Ok(());
        };
        let (start, end, own, length) = (plan.from, plan.to, plan.own, plan.length);
        check_ends(start, end, site)?;
        for (field, name, own) in [("from", from, own[0]), ("to", to, own[1])] {
            self.pin_end(index, field, name, own, site)?;
        }
        let group = self.keep_length(start, end, length, site)?;
        if let Some(Solid::Bar(plan)) = self.solids.get_mut(index) {
            plan.group = group;
        }
        if !is_massless(mass.as_ref()) {
            let mass = self.not_negative(site, "mass", mass.as_ref())?;
            self.bar_body(start, end, mass, site);
        }
        self.held_angle(index, body, site)
    }

    /// Adds the length constraint and returns its group.
    fn keep_length(&mut self, from: Base, to: Base, length: usize, site: &Site) -> Result<usize> {
        let mut local = Local::default();
        let kind = Distance {
            a: Marker::Base(localize::base(from, self.dimension, &mut local)),
            b: Marker::Base(localize::base(to, self.dimension, &mut local)),
            length: Signal::Number(local.number(length)),
        };
        let constraint = self.constraint(ConstraintKind::Distance(kind), local, site)?;
        let name = site.element().to_string();
        Ok(self.group(name, GroupKind::Bar, vec![constraint], true))
    }

    /// Pins an end that is a point of its own to the marker it was given.
    fn pin_end(
        &mut self,
        index: usize,
        field: &'static str,
        name: &str,
        own: Option<Place>,
        site: &Site,
    ) -> Result<()> {
        let inner = site.at(field);
        let attachment = self.attachment(name, &inner)?;
        let Some(own) = own else {
            return Ok(());
        };
        if attachment.carrier == Carrier::Solid(index) {
            return Err(inner
                .error(format!("`{}` ends on itself", site.element()))
                .advise("let the bar end at another place"));
        }
        let mut local = Local::default();
        let kind = Coincidence {
            a: localize::marker(attachment.marker, self.dimension, &mut local),
            b: Marker::Base(localize::base(Base::Point(own), self.dimension, &mut local)),
        };
        let constraint = self.constraint(ConstraintKind::Coincidence(kind), local, &inner)?;
        self.own_ends.push(OwnEnd {
            coordinates: own,
            marker: attachment.marker,
            bar: site.element().to_string(),
            field,
        });
        let group = format!("{} (pin at {field})", site.element());
        self.group(group, GroupKind::Internal, vec![constraint], true);
        Ok(())
    }

    fn bar_body(&mut self, from: Base, to: Base, mass: usize, site: &Site) {
        let mut local = Local::default();
        let kind = Bar {
            from: localize::base(from, self.dimension, &mut local),
            to: localize::base(to, self.dimension, &mut local),
            mass: local.number(mass),
            gravity: localize::numbers(self.gravity, self.dimension, &mut local),
        };
        self.model.bodies.push(Body {
            name: site.element().to_string(),
            kind: BodyKind::Bar(kind),
            local,
        });
    }

    /// Holds the initial angle and angular velocity that the scene gives.
    fn held_angle(&mut self, index: usize, body: &schema::Body, site: &Site) -> Result<()> {
        let schema::Body::Bar {
            angle,
            angular_velocity,
            ..
        } = body
        else {
            return Ok(());
        };
        let advice = "hold coordinates and velocities of its ends instead";
        if let Some(angle) = angle {
            self.require_planar("the angle of a bar", advice, &site.at("angle"))?;
            let number = self.field(site, "angle", angle)?;
            let coordinate = self.bar_angle(index, site)?;
            self.model.coordinates[coordinate].start = Start::Number(number);
            self.model.coordinates[coordinate].held = true;
        }
        if let Some(rate) = angular_velocity {
            let inner = site.at("angular_velocity");
            self.require_planar("the angular velocity of a bar", advice, &inner)?;
            let number = self.field(site, "angular_velocity", rate)?;
            let coordinate = self.bar_angle(index, site)?;
            self.model.coordinates[coordinate].velocity = Some(number);
        }
        Ok(())
    }

    /// The angle coordinate of a bar, added with its constraint when first used; `site` is where it is used.
    pub(super) fn bar_angle(&mut self, index: usize, site: &Site) -> Result<usize> {
        let advice = "angles of bars do not exist in space";
        self.require_planar("the angle of a bar", advice, site)?;
        let name = self.scene.bodies.0.get(index).map_or("", |(name, _)| name);
        let Some(Solid::Bar(plan)) = self.solids.get_mut(index) else {
            return Err(site.error(format!("`{name}` is not a bar")));
        };
        if let Some(angle) = plan.angle {
            return Ok(angle);
        }
        let angle = self.model.coordinates.len();
        plan.angle = Some(angle);
        let mut local = Local::default();
        let kind = BarAngle {
            from: localize::base(plan.from, 2, &mut local),
            to: localize::base(plan.to, 2, &mut local),
            angle: local.coordinate(angle),
            length: local.number(plan.length),
        };
        let own = Site::new(self.file, "bodies").at(name);
        let constraint = self.constraint(ConstraintKind::BarAngle(kind), local, &own)?;
        self.model.coordinates.push(Coordinate {
            name: format!("{name}.angle"),
            kind: CoordinateKind::Angle,
            start: Start::BarAngle(constraint),
            held: false,
            velocity: None,
            weight: 0.0,
        });
        self.group(format!("{name} (angle)"), GroupKind::Internal, vec![constraint], true);
        Ok(angle)
    }
}

fn check_ends(from: Base, to: Base, site: &Site) -> Result<()> {
    let name = site.element();
    let message = match (from, to) {
        _ if from == to => format!("both ends of `{name}` are at the same place"),
        (Base::Ground(_), Base::Ground(_)) => {
            format!("both ends of `{name}` are fixed in the ground")
        }
        _ => return Ok(()),
    };
    Err(site
        .at("to")
        .error(message)
        .advise("let one end be another point, or leave the bar out"))
}
