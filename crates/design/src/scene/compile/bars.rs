//! Bars: their ends, length, mass, and the angle coordinate of those whose angle something uses.

use super::Build;
use super::attachments::Carrier;
use super::guess::OwnEnd;
use super::names::Element;
use super::points::is_massless;
use super::site::Site;
use super::solids::{BarPlan, OF_BAR, Solid};
use crate::error::Result;
use crate::model::body::{Bar, BodyKind};
use crate::model::constraint::ConstraintKind;
use crate::model::function::Signal;
use crate::model::joint::{BarAngle, Distance};
use crate::model::marker::{Base, Marker, Place};
use crate::model::{CoordinateKind, GroupKind, Start};
use crate::scene::schema;

impl Build<'_> {
    /// Reads the numbers of a bar and finds its ends.
    pub(super) fn bar(&mut self, bar: &schema::part::Bar, site: &Site) -> Result<BarPlan> {
        let (start, own_start) = self.bar_end(&bar.from, "from", site);
        let (end, own_end) = self.bar_end(&bar.to, "to", site);
        let length = self.positive(site, "length", &bar.length)?;
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
            markers: self.markers_of_bar(bar, components, site)?,
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
            let name = format!("{}.{field}.{axis}", site.element());
            *slot = self.own_coordinate(name, CoordinateKind::Length, Start::Number(usize::MAX));
        }
        (Base::Point(place), Some(place))
    }

    /// Adds the constraints and the inertia of a bar, once the ends of all bars are known.
    pub(super) fn finish_bar(&mut self, index: usize, bar: &schema::part::Bar, site: &Site) -> Result<()> {
        let Some(Solid::Bar(plan)) = self.solids.get(index) else {
            return Ok(());
        };
        let (start, end, own, length) = (plan.from, plan.to, plan.own, plan.length);
        check_ends(start, end, site)?;
        for (field, name, own) in [("from", &bar.from, own[0]), ("to", &bar.to, own[1])] {
            self.pin_end(index, field, name, own, site)?;
        }
        let group = self.keep_length(start, end, length, site)?;
        if let Some(Solid::Bar(plan)) = self.solids.get_mut(index) {
            plan.group = group;
        }
        if !is_massless(bar.mass.as_ref()) {
            let mass = self.not_negative(site, "mass", bar.mass.as_ref())?;
            self.bar_body(start, end, mass, site);
        }
        self.held_angle(index, bar, site)
    }

    /// The numbers of the markers of a bar, which have no orientation.
    fn markers_of_bar(&mut self, bar: &schema::part::Bar, components: &[&str], site: &Site) -> Result<Vec<Place>> {
        for (name, placement) in bar.markers.iter() {
            if placement.orientation.is_some() || placement.within.is_some() {
                return site.at("markers").at(name).refuse(
                    "a bar has no orientation in space",
                    "leave `orientation` and `within` out, or write a `Solid`",
                );
            }
        }
        let markers = self.markers(&bar.markers, &OF_BAR, components, site)?;
        Ok(markers.into_iter().map(|(place, _)| place).collect())
    }

    /// Adds the length constraint and returns its group.
    fn keep_length(&mut self, from: Base, to: Base, length: usize, site: &Site) -> Result<usize> {
        let mut draft = self.draft(true);
        let kind = Distance {
            a: Marker::Base(draft.base(from)),
            b: Marker::Base(draft.base(to)),
            length: Signal::Number(draft.number(length)),
        };
        let constraint = self.constraint(ConstraintKind::Distance(kind), draft, site)?;
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
            let message = format!("`{}` ends on itself", site.element());
            return inner.refuse(message, "let the bar end at another place");
        }
        let constraint = self.pinned([attachment.marker, Marker::Base(Base::Point(own))], &inner)?;
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
        let mut draft = self.draft(true);
        let kind = Bar {
            from: draft.base(from),
            to: draft.base(to),
            mass: draft.number(mass),
            gravity: draft.numbers(self.gravity),
        };
        self.add_body(BodyKind::Bar(kind), draft, site);
    }

    /// Holds the initial angle and angular velocity that the scene gives.
    fn held_angle(&mut self, index: usize, bar: &schema::part::Bar, site: &Site) -> Result<()> {
        if let Some(angle) = &bar.angle {
            let (number, coordinate) = self.held_number(index, ("angle", "the angle of a bar"), angle, site)?;
            self.model.coordinates[coordinate].start = Start::Number(number);
            self.model.coordinates[coordinate].held = true;
        }
        if let Some(rate) = &bar.angular_velocity {
            let field = ("angular_velocity", "the angular velocity of a bar");
            let (number, coordinate) = self.held_number(index, field, rate, site)?;
            self.model.coordinates[coordinate].velocity = Some(number);
        }
        Ok(())
    }

    /// The number of a field about the angle of a bar, and the coordinate of that angle.
    fn held_number(
        &mut self,
        index: usize,
        (field, what): (&str, &str),
        written: &schema::Number,
        site: &Site,
    ) -> Result<(usize, usize)> {
        let advice = "hold coordinates and velocities of its ends instead";
        self.require_planar(what, advice, &site.at(field))?;
        Ok((self.field(site, field, written)?, self.bar_angle(index, site)?))
    }

    /// The angle coordinate of a bar, added with its constraint when first used; `site` is where it is used.
    pub(super) fn bar_angle(&mut self, index: usize, site: &Site) -> Result<usize> {
        let advice = "in space name a joint with an angle, such as a `Revolute` between markers of `Solid`s";
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
        let (from, to, length) = (plan.from, plan.to, plan.length);
        let mut draft = self.draft(true);
        let kind = BarAngle {
            from: draft.base(from),
            to: draft.base(to),
            angle: draft.coordinate(angle),
            length: draft.number(length),
        };
        let own = Site::new(self.file, "bodies").at(name);
        let constraint = self.constraint(ConstraintKind::BarAngle(kind), draft, &own)?;
        self.own_coordinate(format!("{name}.angle"), CoordinateKind::Angle, Start::Angle(constraint));
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
    site.at("to")
        .refuse(message, "let one end be another point, or leave the bar out")
}
