//! Points on lines and planes.

use super::Build;
use super::draft::Draft;
use super::site::Site;
use crate::error::Result;
use crate::model::constraint::ConstraintKind;
use crate::model::joint::{Direction, PointAlongLine, PointOnLine as PointBesideLine, Slide};
use crate::model::marker::{Base, Marker, Orientation, Place};
use crate::model::{CoordinateKind, Start};
use crate::scene::schema::Number;
use crate::scene::schema::joint::{Line, PointOnLine, PointOnPlane};

impl Build<'_> {
    pub(super) fn point_on_line(&mut self, joint: &PointOnLine, site: &Site) -> Result<usize> {
        let marker = self.attachment(&joint.point, &site.at("point"))?.marker;
        if !self.is_planar() {
            return self.point_along_line(marker, joint, site);
        }
        let offset = self.field_or(site, "offset", joint.offset.as_ref(), 0.0)?;
        let mut draft = self.draft(true);
        let kind = match &joint.line {
            Line::Fixed { through, direction } => {
                let (through, direction) = self.ray(through, direction, "direction", &site.at("line"))?;
                ConstraintKind::Slide(draft.slide(marker, through, direction, Some(offset)))
            }
            Line::Along(..) | Line::Through(..) => {
                let (a, b) = self.line_places(&joint.line, site)?;
                ConstraintKind::PointOnLine(PointBesideLine {
                    point: draft.marker(marker),
                    a: draft.marker(a),
                    b: draft.marker(b),
                    offset: draft.number(offset),
                })
            }
        };
        self.constraint(kind, draft, site)
    }

    /// In space the place along the line is a coordinate of its own.
    fn point_along_line(&mut self, point: Marker, joint: &PointOnLine, site: &Site) -> Result<usize> {
        if joint.offset.is_some() {
            let advice = "leave `offset` out, or let the line pass through other places";
            self.require_planar("the offset from a line", advice, &site.at("offset"))?;
        }
        if !joint.active {
            return site.at("active").refuse(
                "a `PointOnLine` in space cannot be switched",
                "use two `PointOnPlane` joints in its place",
            );
        }
        let (a, b) = self.line_places(&joint.line, site)?;
        let mut draft = self.draft(true);
        let fraction = self.model.coordinates.len();
        let kind = PointAlongLine {
            point: draft.marker(point),
            a: draft.marker(a),
            b: draft.marker(b),
            fraction: draft.coordinate(fraction),
        };
        if draft.local.coordinates == [fraction] {
            let message = format!("`{}` joins only places that cannot move", site.element());
            return site.refuse(message, "attach it to a point or a body");
        }
        let constraint = self.constraint(ConstraintKind::PointAlongLine(kind), draft, site)?;
        let name = format!("{}.fraction", site.element());
        self.own_coordinate(name, CoordinateKind::Fraction, Start::LineFraction(constraint));
        Ok(constraint)
    }

    /// Two places on the line.
    fn line_places(&mut self, line: &Line, site: &Site) -> Result<(Marker, Marker)> {
        let inner = site.at("line");
        match line {
            Line::Through(a, b) => {
                let [a, b] = self.attachments([a, b], [&inner.at(0), &inner.at(1)])?;
                Ok((a.marker, b.marker))
            }
            Line::Along(name, direction) => {
                let advice = "in the plane write `Fixed` or `Through`";
                self.require_spatial("a line along a direction of a frame", advice, &inner)?;
                let [place, ahead] = self.line_of(name, direction, &inner)?;
                Ok((place, ahead))
            }
            Line::Fixed { through, direction } => {
                let (through, direction) = self.ray(through, direction, "direction", &inner)?;
                let label = inner.label();
                let mut ahead = Place::default();
                for (k, axis) in self.axes().iter().enumerate() {
                    let (terms, name) = (
                        [through[k], direction[k]],
                        format!("{label}.through + direction.{axis}"),
                    );
                    ahead[k] = self.numbers.combination(&terms.map(|number| (1.0, number)), name);
                    self.numbers.require_finite(ahead[k], &inner.at("through"))?;
                }
                Ok((Marker::Base(Base::Ground(through)), Marker::Base(Base::Ground(ahead))))
            }
        }
    }

    /// The numbers of a place fixed in the ground, and of a direction that is written in the named field.
    pub(super) fn ray(
        &mut self,
        through: &[Number],
        direction: &[Number],
        field: &str,
        site: &Site,
    ) -> Result<(Place, Place)> {
        let through = self.vector(site, "through", through)?;
        Ok((through, self.direction(site, field, direction)?))
    }

    pub(super) fn point_on_plane(&mut self, joint: &PointOnPlane, site: &Site) -> Result<usize> {
        self.require_spatial("`PointOnPlane`", "in the plane write `PointOnLine`", site)?;
        let marker = self.attachment(&joint.point, &site.at("point"))?.marker;
        let inner = site.at("of");
        let of = match (&joint.through, &joint.of) {
            (Some(through), None) => {
                let (through, normal) = self.ray(through, &joint.normal, "normal", site)?;
                let mut draft = self.draft(true);
                let kind = draft.slide(marker, through, normal, None);
                return self.constraint(ConstraintKind::Slide(kind), draft, site);
            }
            (None, Some(of)) => of,
            _ => {
                return site.refuse(
                    format!("`{}` needs a place of its plane", site.element()),
                    "write either `through`, a place in the ground, or `of`, an attachment that carries the plane",
                );
            }
        };
        let carrier = self.attachment(of, &inner)?;
        let frame = self.turning_frame(carrier, of, &inner)?;
        let given = self.direction(site, "normal", &joint.normal)?;
        let normal = self.direction_of(carrier, given, frame, site)?;
        let mut draft = self.draft(true);
        let Direction { frame, given } = draft.direction(normal);
        let kind = Slide {
            a: draft.marker(carrier.marker),
            b: draft.marker(marker),
            frame,
            direction: given,
            offset: None,
            position: None,
        };
        self.constraint(ConstraintKind::Slide(kind), draft, site)
    }
}

impl Draft {
    /// A marker on the line or plane through a place fixed in the ground.
    fn slide(&mut self, marker: Marker, through: Place, direction: Place, offset: Option<usize>) -> Slide {
        Slide {
            a: self.marker(Marker::Base(Base::Ground(through))),
            b: self.marker(marker),
            frame: Orientation::Ground,
            direction: self.numbers(direction),
            offset: offset.map(|offset| self.number(offset)),
            position: None,
        }
    }
}
