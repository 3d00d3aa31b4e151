//! What a name of an attachment, body or coordinate means.

use super::Build;
use super::names::Element;
use super::site::Site;
use super::solids::{BarPlan, OF_BAR, OF_RIGID, RigidPlan, Solid, SpacePlan};
use crate::error::{Error, Result};
use crate::expression::suggest;
use crate::model::CoordinateKind;
use crate::model::marker::{Base, Marker, Orientation, Place};
use crate::scene::schema::Body;

/// What a marker is fixed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    Ground,
    Point,
    /// Index of the bar or rigid body.
    Solid(usize),
}

/// A marker with global indices, and what it is fixed in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attachment {
    pub(super) marker: Marker,
    pub(super) carrier: Carrier,
    /// Numbers of the quaternion that turns its own axes into those of what it is fixed in, where it has one.
    pub(super) turn: Option<[usize; 4]>,
}

impl Build<'_> {
    /// The attachment of that name; `site` is where it is written.
    pub(super) fn attachment(&mut self, name: &str, site: &Site) -> Result<Attachment> {
        let (element, marker) = match name.split_once('.') {
            Some((element, marker)) => (element, Some(marker)),
            None => (name, None),
        };
        let (marker, carrier) = match (self.names.get(element), marker) {
            (Some(Element::Ground(index)), None) => {
                (Some(Marker::Base(Base::Ground(self.ground[index]))), Carrier::Ground)
            }
            (Some(Element::Point(index)), None) => {
                (Some(Marker::Base(Base::Point(self.points[index]))), Carrier::Point)
            }
            (Some(Element::Bar(index) | Element::Rigid(index)), Some(marker)) => {
                (self.marker(index, marker), Carrier::Solid(index))
            }
            _ => (None, Carrier::Ground),
        };
        let place = marker.ok_or_else(|| self.unknown_attachment(name, site))?;
        let turn = match self.names.get(element) {
            Some(Element::Ground(index)) => self.ground_turns.get(index).copied().flatten(),
            Some(Element::Rigid(index)) => self.turn_of_marker(index, name),
            _ => None,
        };
        Ok(Attachment {
            marker: place,
            carrier,
            turn,
        })
    }

    /// Two different attachments.
    pub(super) fn attachments(&mut self, names: [&str; 2], sites: [&Site; 2]) -> Result<[Attachment; 2]> {
        let a = self.attachment(names[0], sites[0])?;
        let b = self.attachment(names[1], sites[1])?;
        if a.marker == b.marker {
            let message = format!("`{}` and `{}` are the same place", names[0], names[1]);
            return sites[1].refuse(message, "name two different places");
        }
        Ok([a, b])
    }

    /// The marker of a bar or rigid body; numbers of automatic markers are made when first used.
    pub(super) fn marker(&mut self, solid: usize, marker: &str) -> Option<Marker> {
        let (name, body) = self.scene.bodies.0.get(solid)?;
        let position = body.markers().iter().position(|(known, _)| known == marker);
        let numbers = &mut self.numbers;
        let place = match (self.solids.get_mut(solid)?, marker) {
            (Solid::Bar(plan), "from") => return Some(Marker::Base(plan.from)),
            (Solid::Bar(plan), "to") => return Some(Marker::Base(plan.to)),
            (Solid::Bar(plan), "centre") => {
                let half = [(0.5, plan.length)];
                let middle = || numbers.combination(&half, format!("{name}.centre"));
                let along = *plan.centre.get_or_insert_with(middle);
                return Some(plan.marker(along, None));
            }
            (Solid::Rigid(plan), "origin") => {
                let zero = |axis| numbers.constant(0.0, format!("{name}.origin.{axis}"));
                let [x, y] = *plan.origin.get_or_insert_with(|| ["x", "y"].map(zero));
                [x, y, y]
            }
            (Solid::Rigid(plan), "centre") => [plan.centre[0], plan.centre[1], plan.centre[1]],
            (Solid::InSpace(plan), "origin") => {
                let zero = |axis| numbers.constant(0.0, format!("{name}.origin.{axis}"));
                *plan.zero.get_or_insert_with(|| ["x", "y", "z"].map(zero))
            }
            (Solid::InSpace(plan), "centre") => plan.centre,
            (Solid::Bar(BarPlan { markers, .. }) | Solid::Rigid(RigidPlan { markers, .. }), _) => {
                *markers.get(position?)?
            }
            (Solid::InSpace(SpacePlan { markers, .. }), _) => markers.get(position?)?.0,
        };
        self.marker_at(solid, place)
    }

    /// Numbers of the quaternion of a marker by its whole name.
    fn turn_of_marker(&self, solid: usize, name: &str) -> Option<[usize; 4]> {
        let (_, body) = self.scene.bodies.0.get(solid)?;
        let (_, marker) = name.split_once('.')?;
        let position = body.markers().iter().position(|(known, _)| known == marker)?;
        match self.solids.get(solid)? {
            Solid::InSpace(plan) => plan.markers.get(position)?.1,
            _ => None,
        }
    }

    /// The marker at a place given by numbers in the frame of a bar (along, across) or rigid body.
    pub(super) fn marker_at(&self, solid: usize, place: Place) -> Option<Marker> {
        match self.solids.get(solid)? {
            Solid::Bar(plan) => Some(plan.marker(place[0], self.is_planar().then_some(place[1]))),
            Solid::Rigid(plan) => Some(Marker::OnBody {
                body: plan.coordinates,
                place: [place[0], place[1]],
            }),
            Solid::InSpace(plan) => Some(Marker::OnSolid {
                origin: plan.origin,
                turn: plan.turn,
                place,
            }),
        }
    }

    /// Names of the markers of a bar or rigid body.
    pub(super) fn marker_names(&self, solid: usize) -> Vec<&str> {
        let Some((_, body)) = self.scene.bodies.0.get(solid) else {
            return Vec::new();
        };
        let automatic = match body {
            Body::Bar(_) => OF_BAR.as_slice(),
            Body::Rigid(_) | Body::Solid(_) => OF_RIGID.as_slice(),
        };
        automatic.iter().copied().chain(body.markers().names()).collect()
    }

    /// The angle of the bar or rigid body that an attachment is fixed in.
    pub(super) fn orientation(&mut self, attachment: Attachment, name: &str, site: &Site) -> Result<Orientation> {
        match attachment.carrier {
            Carrier::Ground => Ok(Orientation::Ground),
            Carrier::Solid(index) => Ok(Orientation::Angle(self.solid_angle(index, site)?)),
            Carrier::Point => site.refuse(
                format!("the point `{name}` has no angle"),
                "attach to a marker of a bar or rigid body, such as `rod.to` in place of its end point",
            ),
        }
    }

    /// The angle of the named bar, rigid body or joint, or of the `ground`.
    pub(super) fn frame(&mut self, name: &str, site: &Site) -> Result<Orientation> {
        match name {
            "ground" => Ok(Orientation::Ground),
            _ => Ok(Orientation::Angle(self.angle_of(name, site)?)),
        }
    }

    /// What turns with the named bar or rigid body, in the plane or in space.
    pub(super) fn body_frame(&mut self, name: &str, site: &Site) -> Result<Orientation> {
        if let Some(Element::Rigid(index)) = self.names.get(name)
            && let Some(Solid::InSpace(plan)) = self.solids.get(index)
        {
            return Ok(Orientation::Turn(plan.turn));
        }
        self.frame(name, site)
    }

    /// Coordinate: the angle of the named bar or rigid body, or of the named joint in space.
    pub(super) fn angle_of(&mut self, name: &str, site: &Site) -> Result<usize> {
        if let Some(Element::Joint(index)) = self.names.get(name) {
            return self.joint_angle(index, site);
        }
        if !self.is_planar() && name.contains('.') {
            let angle = self.coordinate(name, site)?;
            return match self.model.coordinates[angle].kind {
                CoordinateKind::Angle => Ok(angle),
                _ => site.refuse(format!("`{name}` is no angle"), "name a joint with an angle"),
            };
        }
        let solid = self.solid(name, site)?;
        self.solid_angle(solid, site)
    }

    /// Coordinate: the angle of a bar or rigid body.
    pub(super) fn solid_angle(&mut self, solid: usize, site: &Site) -> Result<usize> {
        match self.solids.get(solid) {
            Some(Solid::Rigid(plan)) => Ok(plan.coordinates[2]),
            Some(Solid::InSpace(_)) => site.refuse(
                format!("`{}` is a rigid body in space and has no angle", self.solid_name(solid)),
                "name a joint with an angle, such as a `Revolute`, in its place",
            ),
            _ => self.bar_angle(solid, site),
        }
    }

    fn solid_name(&self, solid: usize) -> &str {
        self.scene.bodies.0.get(solid).map_or("", |(name, _)| name)
    }

    /// Index of the named bar or rigid body.
    pub(super) fn solid(&self, name: &str, site: &Site) -> Result<usize> {
        match self.names.get(name) {
            Some(Element::Bar(index) | Element::Rigid(index)) => Ok(index),
            Some(other) => site.refuse(
                format!("`{name}` is {}, not a bar or rigid body", other.described()),
                suggest(name, self.scene.bodies.names(), "bars and rigid bodies"),
            ),
            None => {
                let kinds = ["bar or rigid body", "bars and rigid bodies"];
                Err(site.unknown(kinds, name, self.scene.bodies.names()))
            }
        }
    }

    fn unknown_attachment(&self, name: &str, site: &Site) -> Error {
        let element = name.split_once('.').map_or(name, |(element, _)| element);
        let (message, advice) = match self.names.get(element) {
            Some(found @ (Element::Bar(_) | Element::Rigid(_))) => {
                let places = self.places(element, found);
                let message = match name == element {
                    true => format!("`{name}` is a whole body, not a place on it"),
                    false => format!("there is no marker `{name}`"),
                };
                (
                    message,
                    suggest(name, places.iter().map(String::as_str), "markers there"),
                )
            }
            Some(place @ (Element::Ground(_) | Element::Point(_))) => (
                format!("`{element}` is {} and has no markers", place.described()),
                format!("attach to `{element}` itself"),
            ),
            Some(other) => (
                format!("`{name}` is {}, not a place", other.described()),
                "attach to a ground point, a point or a marker of a body".to_string(),
            ),
            None if name == "ground" => (
                "`ground` alone is no place".to_string(),
                "add a named place to the `ground` map and attach to that".to_string(),
            ),
            None => {
                let elements = self.names.iter();
                let places: Vec<String> = elements
                    .flat_map(|(name, element)| self.places(name, element))
                    .collect();
                return site.unknown(["place", "places"], name, places.iter().map(String::as_str));
            }
        };
        site.error(message).advise(advice)
    }

    /// Names of the places of an element that something may attach to.
    fn places(&self, name: &str, element: Element) -> Vec<String> {
        match element {
            Element::Ground(_) | Element::Point(_) => vec![name.to_string()],
            Element::Bar(index) | Element::Rigid(index) => {
                let markers = self.marker_names(index);
                markers.iter().map(|marker| format!("{name}.{marker}")).collect()
            }
            Element::Joint(_) | Element::Force(_) | Element::Contact(_) => Vec::new(),
        }
    }
}
