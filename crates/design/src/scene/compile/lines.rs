//! Points on lines and planes.

use super::Build;
use super::localize;
use super::site::Site;
use crate::error::Result;
use crate::model::constraint::ConstraintKind;
use crate::model::joint::{PointAlongLine, PointOnLine, Slide};
use crate::model::local::Local;
use crate::model::marker::{Base, Marker, Orientation, Place};
use crate::model::{Coordinate, CoordinateKind, Start};
use crate::scene::schema::{Line, Number};

impl Build<'_> {
    pub(super) fn point_on_line(
        &mut self,
        point: &str,
        line: &Line,
        offset: Option<&Number>,
        active: bool,
        site: &Site,
    ) -> Result<usize> {
        let marker = self.attachment(point, &site.at("point"))?.marker;
        if !self.is_planar() {
            return self.point_along_line(marker, line, offset, active, site);
        }
        let inner = site.at("line");
        let offset = self.field_or(site, "offset", offset, 0.0)?;
        let mut local = Local::default();
        let kind = match line {
            Line::Fixed { through, direction } => {
                let through = self.vector(&inner, "through", through)?;
                let direction = self.direction(&inner, "direction", direction)?;
                ConstraintKind::Slide(Slide {
                    a: localize::marker(Marker::Base(Base::Ground(through)), 2, &mut local),
                    b: localize::marker(marker, 2, &mut local),
                    frame: Orientation::Ground,
                    direction: localize::numbers(direction, 2, &mut local),
                    offset: Some(local.number(offset)),
                })
            }
            Line::Through(a, b) => {
                let [a, b] = self.attachments([a, b], [&inner.at(0), &inner.at(1)])?;
                ConstraintKind::PointOnLine(PointOnLine {
                    point: localize::marker(marker, 2, &mut local),
                    a: localize::marker(a.marker, 2, &mut local),
                    b: localize::marker(b.marker, 2, &mut local),
                    offset: local.number(offset),
                })
            }
        };
        self.constraint(kind, local, site)
    }

    /// In space the place along the line is a coordinate of its own.
    fn point_along_line(
        &mut self,
        point: Marker,
        line: &Line,
        offset: Option<&Number>,
        active: bool,
        site: &Site,
    ) -> Result<usize> {
        if offset.is_some() {
            let advice = "leave `offset` out, or let the line pass through other places";
            self.require_planar("the offset from a line", advice, &site.at("offset"))?;
        }
        if !active {
            return Err(site
                .at("active")
                .error("a `PointOnLine` in space cannot be switched")
                .advise("use two `PointOnPlane` joints in its place"));
        }
        let (a, b) = self.line_places(line, site)?;
        let fraction = self.model.coordinates.len();
        let mut local = Local::default();
        let kind = PointAlongLine {
            point: localize::marker(point, 3, &mut local),
            a: localize::marker(a, 3, &mut local),
            b: localize::marker(b, 3, &mut local),
            fraction: local.coordinate(fraction),
        };
        if local.coordinates == [fraction] {
            return Err(site
                .error(format!("`{}` joins only places that cannot move", site.element()))
                .advise("attach it to a point or a body"));
        }
        let constraint = self.constraint(ConstraintKind::PointAlongLine(kind), local, site)?;
        self.add_fraction(constraint, site);
        Ok(constraint)
    }

    /// Adds the coordinate of the place along a line.
    fn add_fraction(&mut self, constraint: usize, site: &Site) {
        self.model.coordinates.push(Coordinate {
            name: format!("{}.fraction", site.element()),
            kind: CoordinateKind::Fraction,
            start: Start::LineFraction(constraint),
            held: false,
            velocity: None,
            weight: 0.0,
        });
    }

    /// Two places on the line.
    fn line_places(&mut self, line: &Line, site: &Site) -> Result<(Marker, Marker)> {
        let inner = site.at("line");
        match line {
            Line::Through(a, b) => {
                let [a, b] = self.attachments([a, b], [&inner.at(0), &inner.at(1)])?;
                Ok((a.marker, b.marker))
            }
            Line::Fixed { through, direction } => {
                let through = self.vector(&inner, "through", through)?;
                let direction = self.direction(&inner, "direction", direction)?;
                let label = inner.label();
                let mut ahead = Place::default();
                for (k, axis) in self.axes().iter().enumerate() {
                    let name = format!("{label}.through + direction.{axis}");
                    ahead[k] = self
                        .numbers
                        .combination(&[(1.0, through[k]), (1.0, direction[k])], name);
                    self.numbers.require_finite(ahead[k], &inner.at("through"))?;
                }
                Ok((Marker::Base(Base::Ground(through)), Marker::Base(Base::Ground(ahead))))
            }
        }
    }

    pub(super) fn point_on_plane(
        &mut self,
        point: &str,
        through: &[Number],
        normal: &[Number],
        site: &Site,
    ) -> Result<usize> {
        self.require_spatial("`PointOnPlane`", "in the plane write `PointOnLine`", site)?;
        let marker = self.attachment(point, &site.at("point"))?.marker;
        let through = self.vector(site, "through", through)?;
        let normal = self.direction(site, "normal", normal)?;
        let mut local = Local::default();
        let kind = Slide {
            a: localize::marker(Marker::Base(Base::Ground(through)), 3, &mut local),
            b: localize::marker(marker, 3, &mut local),
            frame: Orientation::Ground,
            direction: localize::numbers(normal, 3, &mut local),
            offset: None,
        };
        self.constraint(ConstraintKind::Slide(kind), local, site)
    }
}
