//! What a name of an attachment, body or coordinate means.

use super::Build;
use super::bars::BarPlan;
use super::bodies::{RigidPlan, Solid};
use super::names::Element;
use super::site::Site;
use crate::error::{Error, Result};
use crate::expression::suggest;
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
}

/// Markers that every rigid body has.
const OF_RIGID: [&str; 2] = ["origin", "centre"];
/// Markers that every bar has.
const OF_BAR: [&str; 3] = ["from", "to", "centre"];

impl Build<'_> {
    /// The attachment of that name; `site` is where it is written.
    pub(super) fn attachment(&mut self, name: &str, site: &Site) -> Result<Attachment> {
        let (element, marker) = match name.split_once('.') {
            Some((element, marker)) => (element, Some(marker)),
            None => (name, None),
        };
        match (self.names.get(element), marker) {
            (Some(Element::Ground(index)), None) => Ok(Attachment {
                marker: Marker::Base(Base::Ground(self.ground[index])),
                carrier: Carrier::Ground,
            }),
            (Some(Element::Point(index)), None) => Ok(Attachment {
                marker: Marker::Base(Base::Point(self.points[index])),
                carrier: Carrier::Point,
            }),
            (Some(Element::Bar(index) | Element::Rigid(index)), Some(marker)) => {
                let found = self.marker(index, marker);
                let found = found.ok_or_else(|| self.unknown_attachment(name, site))?;
                Ok(Attachment {
                    marker: found,
                    carrier: Carrier::Solid(index),
                })
            }
            _ => Err(self.unknown_attachment(name, site)),
        }
    }

    /// Two different attachments.
    pub(super) fn attachments(&mut self, names: [&str; 2], sites: [&Site; 2]) -> Result<[Attachment; 2]> {
        let a = self.attachment(names[0], sites[0])?;
        let b = self.attachment(names[1], sites[1])?;
        if a.marker == b.marker {
            return Err(sites[1]
                .error(format!("`{}` and `{}` are the same place", names[0], names[1]))
                .advise("name two different places"));
        }
        Ok([a, b])
    }

    /// The marker of a bar or rigid body; numbers of automatic markers are made when first used.
    pub(super) fn marker(&mut self, solid: usize, marker: &str) -> Option<Marker> {
        let (name, body) = self.scene.bodies.0.get(solid)?;
        let (Body::Bar { markers, .. } | Body::Rigid { markers, .. }) = body;
        let position = markers.iter().position(|(known, _)| known == marker);
        let numbers = &mut self.numbers;
        let place = match (self.solids.get_mut(solid)?, marker) {
            (Solid::Bar(plan), "from") => return Some(Marker::Base(plan.from)),
            (Solid::Bar(plan), "to") => return Some(Marker::Base(plan.to)),
            (Solid::Bar(plan), "centre") => {
                let half = [(0.5, plan.length)];
                let middle = || numbers.combination(&half, format!("{name}.centre"));
                return Some(Marker::OnBar {
                    from: plan.from,
                    to: plan.to,
                    length: plan.length,
                    along: *plan.centre.get_or_insert_with(middle),
                    across: None,
                });
            }
            (Solid::Rigid(plan), "origin") => {
                let zero = |axis| numbers.constant(0.0, format!("{name}.origin.{axis}"));
                let [x, y] = *plan.origin.get_or_insert_with(|| ["x", "y"].map(zero));
                [x, y, y]
            }
            (Solid::Rigid(plan), "centre") => [plan.centre[0], plan.centre[1], plan.centre[1]],
            (Solid::Bar(BarPlan { markers, .. }) | Solid::Rigid(RigidPlan { markers, .. }), _) => {
                *markers.get(position?)?
            }
        };
        self.marker_at(solid, place)
    }

    /// The marker at a place given by numbers in the frame of a bar (along, across) or rigid body.
    pub(super) fn marker_at(&self, solid: usize, place: Place) -> Option<Marker> {
        match self.solids.get(solid)? {
            Solid::Bar(plan) => Some(Marker::OnBar {
                from: plan.from,
                to: plan.to,
                length: plan.length,
                along: place[0],
                across: (self.dimension == 2).then_some(place[1]),
            }),
            Solid::Rigid(plan) => Some(Marker::OnBody {
                body: plan.coordinates,
                place: [place[0], place[1]],
            }),
        }
    }

    /// Names of the markers of a bar or rigid body.
    pub(super) fn marker_names(&self, solid: usize) -> Vec<&str> {
        let Some((_, body)) = self.scene.bodies.0.get(solid) else {
            return Vec::new();
        };
        let (automatic, markers) = match body {
            Body::Bar { markers, .. } => (OF_BAR.as_slice(), markers),
            Body::Rigid { markers, .. } => (OF_RIGID.as_slice(), markers),
        };
        let own = markers.iter().map(|(name, _)| name);
        automatic.iter().copied().chain(own).collect()
    }

    /// The angle of the bar or rigid body that an attachment is fixed in.
    pub(super) fn orientation(&mut self, attachment: Attachment, name: &str, site: &Site) -> Result<Orientation> {
        match attachment.carrier {
            Carrier::Ground => Ok(Orientation::Ground),
            Carrier::Solid(index) => Ok(Orientation::Angle(self.solid_angle(index, site)?)),
            Carrier::Point => Err(site
                .error(format!("the point `{name}` has no angle"))
                .advise("attach to a marker of a bar or rigid body, such as `rod.to` in place of its end point")),
        }
    }

    /// The angle of the named bar or rigid body, or of the `ground`.
    pub(super) fn frame(&mut self, name: &str, site: &Site) -> Result<Orientation> {
        if name == "ground" {
            return Ok(Orientation::Ground);
        }
        let solid = self.solid(name, site)?;
        Ok(Orientation::Angle(self.solid_angle(solid, site)?))
    }

    /// Coordinate: the angle of a bar or rigid body.
    pub(super) fn solid_angle(&mut self, solid: usize, site: &Site) -> Result<usize> {
        match self.solids.get(solid) {
            Some(Solid::Rigid(plan)) => Ok(plan.coordinates[2]),
            _ => self.bar_angle(solid, site),
        }
    }

    /// Index of the named bar or rigid body.
    pub(super) fn solid(&self, name: &str, site: &Site) -> Result<usize> {
        match self.names.get(name) {
            Some(Element::Bar(index) | Element::Rigid(index)) => Ok(index),
            Some(other) => Err(site
                .error(format!("`{name}` is {}, not a bar or rigid body", other.described()))
                .advise(suggest(name, self.solid_names(), "bars and rigid bodies"))),
            None => Err(site
                .error(format!("there is no bar or rigid body `{name}`"))
                .advise(suggest(name, self.solid_names(), "bars and rigid bodies"))),
        }
    }

    fn solid_names(&self) -> impl Iterator<Item = &str> + Clone {
        self.scene.bodies.0.iter().map(|(name, _)| name.as_str())
    }

    fn unknown_attachment(&self, name: &str, site: &Site) -> Error {
        let element = name.split_once('.').map_or(name, |(element, _)| element);
        match self.names.get(element) {
            Some(Element::Bar(index) | Element::Rigid(index)) => {
                let markers = self.marker_names(index);
                let places: Vec<String> = markers.iter().map(|m| format!("{element}.{m}")).collect();
                let advice = suggest(name, places.iter().map(String::as_str), "markers there");
                let message = if name == element {
                    format!("`{name}` is a whole body, not a place on it")
                } else {
                    format!("there is no marker `{name}`")
                };
                site.error(message).advise(advice)
            }
            Some(place @ (Element::Ground(_) | Element::Point(_))) => site
                .error(format!("`{element}` is {} and has no markers", place.described()))
                .advise(format!("attach to `{element}` itself")),
            Some(other) => site
                .error(format!("`{name}` is {}, not a place", other.described()))
                .advise("attach to a ground point, a point or a marker of a body"),
            None if name == "ground" => site
                .error("`ground` alone is no place")
                .advise("add a named place to the `ground` map and attach to that"),
            None => {
                let places = self.place_names();
                let advice = suggest(name, places.iter().map(String::as_str), "places");
                site.error(format!("there is no place `{name}`")).advise(advice)
            }
        }
    }

    /// Names of all places that something may attach to.
    fn place_names(&self) -> Vec<String> {
        let mut places = Vec::new();
        for (name, element) in self.names.iter() {
            match element {
                Element::Ground(_) | Element::Point(_) => places.push(name.to_string()),
                Element::Bar(index) | Element::Rigid(index) => {
                    let markers = self.marker_names(index);
                    places.extend(markers.iter().map(|marker| format!("{name}.{marker}")));
                }
                _ => {}
            }
        }
        places
    }
}
