//! Contacts: gap constraints with the law that acts when they close.

use super::Build;
use super::attachments::{Attachment, Carrier};
use super::draft::Draft;
use super::site::Site;
use super::solids::Solid;
use super::surfaces::Course;
use crate::error::Result;
use crate::model::constraint::ConstraintKind;
use crate::model::contact::{self, CircleGap, Keep, Law, PlaneGap};
use crate::model::joint::Direction;
use crate::model::marker::{Base, Marker, Orientation, Place};
use crate::scene::schema::contact::{Among, Contact, Surface, Touch};
use crate::scene::schema::{self, Number};

/// A gap with its two sides: the second is the one that the contact force pushes on.
pub(super) type Gap = (ConstraintKind, Draft, [Attachment; 2]);

/// Whether a contact of this law holds, or rubs, where it touches: its points turn with what carries them.
fn holds(law: &schema::Law) -> bool {
    matches!(
        law,
        schema::Law::Stick | schema::Law::StickUntil(_) | schema::Law::Friction { .. }
    )
}

impl Build<'_> {
    pub(super) fn contacts(&mut self) -> Result<()> {
        for (name, contact) in self.scene.contacts.iter() {
            let site = Site::new(self.file, "contacts").at(name);
            let compiled = match contact {
                Contact::Touch(touch) => self.touch(touch, &site)?,
                Contact::Among(among) => self.among(among, &site)?,
                Contact::Limit(limit) => self.limit(limit, &site)?,
                Contact::Ratchet(ratchet) => vec![self.ratchet(ratchet, &site)?],
            };
            self.contacts.push(compiled);
        }
        Ok(())
    }

    fn touch(&mut self, touch: &Touch, site: &Site) -> Result<Vec<usize>> {
        match (&touch.to, &touch.axis) {
            (Some(to), None) => return self.capsule(touch, to, site),
            (None, Some(axis)) => return self.rim(touch, axis, site),
            (Some(_), Some(_)) => {
                let message = "a contact is that of a capsule or that of the rim of a disc";
                return site.at("axis").refuse(message, "leave out `to` or `axis`");
            }
            (None, None) => {}
        }
        let (point, inner, law) = (&touch.point, site.at("point"), &touch.law);
        let mut attachment = self.attachment(point, &inner)?;
        let sticks = holds(law);
        if sticks && touch.radius.is_some() {
            self.make_rigid(&mut attachment, point, site);
        }
        let radius = self.not_negative(site, "radius", touch.radius.as_ref())?;
        let (kind, draft, sides) = match &touch.surface {
            Surface::Plane { through, normal, on } => {
                self.plane_gap((attachment, radius, None), (through, normal, on.as_deref()), site)?
            }
            Surface::Circle {
                centre,
                radius: other,
                inside,
            } => {
                let mut opposite = self.attachments([centre, point], [&site.at("surface").at("centre"), &inner])?[0];
                if sticks {
                    self.make_rigid(&mut opposite, centre, site);
                }
                self.circle_gap([opposite, attachment], radius, (other, *inside), site)?
            }
            Surface::Polyline { points, closed, on } | Surface::Spline { points, closed, on } => {
                let course = Course {
                    points,
                    closed: *closed,
                    on: on.as_deref(),
                    smooth: matches!(touch.surface, Surface::Spline { .. }),
                };
                return self.surface(&course, (attachment, radius), law, site);
            }
        };
        let contact = self.touching(site.element().to_string(), (kind, draft, sides), law, site)?;
        Ok(vec![contact])
    }

    /// A contact with this gap.
    pub(super) fn touching(
        &mut self,
        name: String,
        (kind, draft, sides): Gap,
        written: &schema::Law,
        site: &Site,
    ) -> Result<usize> {
        let law = self.law(written, Keep::Tangential, site)?;
        let gap = self.constraint(kind, draft, site)?;
        let sticks = law.pull_off().is_some();
        let contact = self.add_contact(name, gap, law);
        if sticks {
            self.request_pin(contact, sides, site)?;
        }
        self.friction(contact, written, site)?;
        Ok(contact)
    }

    /// A contact for each two of the circles that can move towards each other.
    fn among(&mut self, among: &Among, site: &Site) -> Result<Vec<usize>> {
        let sticks = holds(&among.law);
        let inner = site.at("circles");
        let mut circles = Vec::new();
        for (k, (centre, radius)) in among.circles.iter().enumerate() {
            let at = inner.at(k);
            let mut attachment = self.attachment(centre, &at.at(0))?;
            let same = |(other, _): &(Attachment, usize)| other.marker == attachment.marker;
            if let Some(other) = circles.iter().position(same) {
                let message = format!("`{}` and `{centre}` are the same place", among.circles[other].0);
                return at.at(0).refuse(message, "give each place one circle");
            }
            if sticks {
                self.make_rigid(&mut attachment, centre, site);
            }
            let radius = self
                .numbers
                .read(radius, format!("{}.radius ({centre})", site.element()), &at.at(1))?;
            let radius = self.numbers.require(radius, &at.at(1), |x| x >= 0.0, "at least zero")?;
            circles.push((attachment, radius));
        }
        let mut found = Vec::new();
        for (i, &(_, radius)) in circles.iter().enumerate() {
            for (j, &(_, other)) in circles.iter().enumerate().skip(i + 1) {
                let [a, b] = [i, j].map(|k| circles[k].0);
                // Points move by themselves.
                if a.carrier == b.carrier && a.carrier != Carrier::Point {
                    continue;
                }
                let gap = self.gap_between([(a, radius), (b, other)], false);
                let [a, b] = [i, j].map(|k| &among.circles[k].0);
                let name = format!("{} ({a}, {b})", site.element());
                found.push(self.touching(name, gap, &among.law, site)?);
            }
        }
        if found.is_empty() {
            return inner.refuse(
                "no two of the circles can move towards each other",
                "name circles of at least two bodies",
            );
        }
        Ok(found)
    }

    /// A circle or sphere against a plane, or in space the rim of a disc across an axis.
    pub(super) fn plane_gap(
        &mut self,
        (point, radius, rim): (Attachment, usize, Option<Direction>),
        (through, normal, on): (&[Number], &[Number], Option<&str>),
        site: &Site,
    ) -> Result<Gap> {
        let inner = site.at("surface");
        let (through, normal) = self.ray(through, normal, "normal", &inner)?;
        let (plane, frame) = self.carried_plane(through, on, &inner)?;
        let mut draft = self.draft(true);
        let kind = PlaneGap {
            point: draft.marker(point.marker),
            radius: draft.number(radius),
            rim: rim.map(|axis| draft.direction(axis)),
            through: draft.marker(plane.marker),
            frame: draft.orientation(frame),
            normal: draft.numbers(normal),
        };
        Ok((ConstraintKind::PlaneGap(kind), draft, [plane, point]))
    }

    /// A place on the plane, and the frame of its normal.
    pub(super) fn carried_plane(
        &mut self,
        through: Place,
        on: Option<&str>,
        site: &Site,
    ) -> Result<(Attachment, Orientation)> {
        let Some(name) = on else {
            let marker = Marker::Base(Base::Ground(through));
            let carrier = Carrier::Ground;
            return Ok((
                Attachment {
                    marker,
                    carrier,
                    turn: None,
                },
                Orientation::Ground,
            ));
        };
        let inner = site.at("on");
        let solid = self.solid(name, &inner)?;
        let frame = match self.solids.get(solid) {
            Some(Solid::InSpace(plan)) => Orientation::Turn(plan.turn),
            _ => {
                let advice = "in space the ground and rigid bodies carry planes";
                self.require_planar("a plane on a bar", advice, &inner)?;
                Orientation::Angle(self.solid_angle(solid, &inner)?)
            }
        };
        let marker = self.marker_at(solid, through);
        let marker = marker.ok_or_else(|| inner.error(format!("`{name}` carries no plane")))?;
        let carrier = Carrier::Solid(solid);
        Ok((
            Attachment {
                marker,
                carrier,
                turn: None,
            },
            frame,
        ))
    }

    /// Gap between two circles, that of the surface first.
    fn circle_gap(
        &mut self,
        [surface, point]: [Attachment; 2],
        radius: usize,
        (other, inside): (&Number, bool),
        site: &Site,
    ) -> Result<Gap> {
        let inner = site.at("surface");
        let other = self.not_negative(&inner, "radius", Some(other))?;
        if inside && self.numbers.value(other) <= self.numbers.value(radius) {
            return inner.at("radius").refuse(
                "the circle inside is not smaller than the one around it",
                "make the radius of the surface larger than the radius about the point",
            );
        }
        Ok(self.gap_between([(surface, other), (point, radius)], inside))
    }

    fn gap_between(&self, sides: [(Attachment, usize); 2], inside: bool) -> Gap {
        let mut draft = self.draft(true);
        let ends = sides.map(|(attachment, _)| attachment);
        let [a, b] = draft.ends(ends);
        let radii = sides.map(|(_, radius)| draft.number(radius));
        let kind = CircleGap { a, b, radii, inside };
        (ConstraintKind::CircleGap(kind), draft, ends)
    }

    /// The law of a contact, where `keep` is what a plain flip keeps.
    pub(super) fn law(&mut self, law: &schema::Law, keep: Keep, site: &Site) -> Result<Law> {
        let inner = site.at("law").at(0);
        let name = site.element();
        match law {
            schema::Law::Restitution(number) => {
                let e = self.numbers.read(number, format!("{name}.restitution"), &inner)?;
                let e = self.coefficient(e, &inner)?;
                Ok(Law::Restitution { e })
            }
            schema::Law::Friction { restitution, .. } => {
                let inner = site.at("law");
                let e = self.field_or(&inner, "restitution", restitution.as_ref(), 0.0)?;
                let e = self.coefficient(e, &inner.at("restitution"))?;
                Ok(Law::Restitution { e })
            }
            schema::Law::Flip => Ok(Law::Flip { keep }),
            schema::Law::FlipKeeping(names) => {
                let kept = names.iter().enumerate();
                let kept = kept.map(|(k, name)| self.velocity_of(name, &inner.at(k)));
                let keep = Keep::Velocities(kept.collect::<Result<_>>()?);
                Ok(Law::Flip { keep })
            }
            schema::Law::Stick => {
                let pull_off = self.numbers.constant(0.0, format!("{name}.pull_off"));
                Ok(Law::Stick { pull_off })
            }
            schema::Law::StickUntil(number) => {
                let pull_off = self.numbers.read(number, format!("{name}.pull_off"), &inner)?;
                let pull_off = self.numbers.require(pull_off, &inner, |x| x >= 0.0, "at least zero")?;
                Ok(Law::Stick { pull_off })
            }
        }
    }

    /// A number that is a coefficient of restitution.
    pub(super) fn coefficient(&self, number: usize, site: &Site) -> Result<usize> {
        self.numbers
            .require(number, site, |x| (0.0..=1.0).contains(&x), "from 0 to 1")
    }

    pub(super) fn add_contact(&mut self, name: String, gap: usize, law: Law) -> usize {
        self.model.contacts.push(contact::Contact {
            name,
            gap,
            law,
            pin: None,
            ratchet: None,
            face: None,
        });
        self.model.contacts.len() - 1
    }
}
