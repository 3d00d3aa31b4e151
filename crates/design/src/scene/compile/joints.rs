//! Joints and drivers: each becomes a group of constraints.

use super::Build;
use super::attachments::Attachment;
use super::localize;
use super::site::Site;
use crate::error::Result;
use crate::model::GroupKind;
use crate::model::constraint::ConstraintKind;
use crate::model::function::Signal;
use crate::model::joint::{Coincidence, Distance, RelativeAngle, Slide};
use crate::model::local::Local;
use crate::model::marker::{Marker, Orientation};
use crate::scene::schema::{Joint, Number};

impl Build<'_> {
    pub(super) fn joints(&mut self) -> Result<()> {
        for (name, joint) in self.scene.joints.iter() {
            let site = Site::new(self.file, "joints").at(name);
            let active = is_active(joint);
            let constraints = match self.place_joint(joint, active, &site)? {
                Some(constraints) => constraints,
                None => self.angle_joint(joint, active, &site)?,
            };
            let group = self.group(name.to_string(), GroupKind::Joint, constraints, active);
            self.joints.push(group);
        }
        Ok(())
    }

    /// The constraints of a joint between places; `None` for the other kinds.
    fn place_joint(&mut self, joint: &Joint, active: bool, site: &Site) -> Result<Option<Vec<usize>>> {
        let inner = site.at("between");
        let constraint = match joint {
            Joint::Link { from, to, length, .. } => {
                let ends = self.attachments([from, to], [&site.at("from"), &site.at("to")])?;
                self.distance(ends, (length, "length"), active, site)?
            }
            Joint::DriveDistance {
                between: (a, b),
                distance,
                ..
            } => {
                let ends = self.attachments([a, b], [&inner.at(0), &inner.at(1)])?;
                self.distance(ends, (distance, "distance"), active, site)?
            }
            Joint::Revolute { between, .. } => {
                self.require_planar("`Revolute`", "in space write `Spherical`", site)?;
                self.coincidence(between, site)?
            }
            Joint::Spherical { between, .. } => {
                self.require_spatial("`Spherical`", "in the plane write `Revolute`", site)?;
                self.coincidence(between, site)?
            }
            Joint::PointOnLine {
                point, line, offset, ..
            } => self.point_on_line(point, line, offset.as_ref(), active, site)?,
            Joint::PointOnPlane {
                point, through, normal, ..
            } => self.point_on_plane(point, through, normal, site)?,
            _ => return self.body_joint(joint, site),
        };
        Ok(Some(vec![constraint]))
    }

    /// The constraints of a joint that keeps a relative angle; `None` for the other kinds.
    fn body_joint(&mut self, joint: &Joint, site: &Site) -> Result<Option<Vec<usize>>> {
        match joint {
            Joint::Prismatic {
                between,
                direction,
                angle,
                ..
            } => self.prismatic(between, direction, angle.as_ref(), site).map(Some),
            Joint::Weld { between, angle, .. } => self.weld(between, angle.as_ref(), site).map(Some),
            _ => Ok(None),
        }
    }

    /// The two different attachments of a `between`.
    fn between(&mut self, between: &(String, String), site: &Site) -> Result<[Attachment; 2]> {
        let inner = site.at("between");
        self.attachments([&between.0, &between.1], [&inner.at(0), &inner.at(1)])
    }

    fn distance(
        &mut self,
        [a, b]: [Attachment; 2],
        (length, field): (&Number, &str),
        active: bool,
        site: &Site,
    ) -> Result<usize> {
        let inner = site.at(field);
        let mut local = Local::default();
        let (a, b) = self.markers_of(a, b, &mut local);
        let length = match field {
            "distance" => self.signal(length, inner.label(), &inner, &mut local)?,
            _ => Signal::Number(local.number(self.field(site, field, length)?)),
        };
        if active || !length.depends_on_time() {
            self.require_at_start(&length, &local, &inner, |x| x > 0.0, "positive")?;
        }
        let kind = ConstraintKind::Distance(Distance { a, b, length });
        self.constraint(kind, local, site)
    }

    fn coincidence(&mut self, between: &(String, String), site: &Site) -> Result<usize> {
        let [a, b] = self.between(between, site)?;
        let mut local = Local::default();
        let (a, b) = self.markers_of(a, b, &mut local);
        self.constraint(ConstraintKind::Coincidence(Coincidence { a, b }), local, site)
    }

    fn prismatic(
        &mut self,
        between: &(String, String),
        direction: &[Number],
        angle: Option<&Number>,
        site: &Site,
    ) -> Result<Vec<usize>> {
        let advice = "in space combine `PointOnPlane` and `PointOnLine`";
        self.require_planar("`Prismatic`", advice, site)?;
        let ends = self.between(between, site)?;
        let frames = self.frames(ends, between, site)?;
        let direction = self.direction(site, "direction", direction)?;
        let mut local = Local::default();
        let (a, b) = self.markers_of(ends[0], ends[1], &mut local);
        let slide = Slide {
            a,
            b,
            frame: localize::orientation(frames[0], &mut local),
            direction: localize::numbers(direction, 2, &mut local),
            offset: None,
        };
        let slide = self.constraint(ConstraintKind::Slide(slide), local, site)?;
        Ok(vec![slide, self.fixed_angle(frames, angle, site)?])
    }

    fn weld(&mut self, between: &(String, String), angle: Option<&Number>, site: &Site) -> Result<Vec<usize>> {
        let advice = "in space combine several `Spherical` joints";
        self.require_planar("`Weld`", advice, site)?;
        let inner = site.at("between");
        let a = self.attachment(&between.0, &inner.at(0))?;
        let b = self.attachment(&between.1, &inner.at(1))?;
        let frames = self.frames([a, b], between, site)?;
        let mut constraints = Vec::new();
        // Bars that share a point are hinged there already.
        if a.marker != b.marker {
            constraints.push(self.coincidence(between, site)?);
        }
        constraints.push(self.fixed_angle(frames, angle, site)?);
        Ok(constraints)
    }

    /// The angles of two different bodies.
    fn frames(&mut self, ends: [Attachment; 2], names: &(String, String), site: &Site) -> Result<[Orientation; 2]> {
        let inner = site.at("between");
        let a = self.orientation(ends[0], &names.0, &inner.at(0))?;
        let b = self.orientation(ends[1], &names.1, &inner.at(1))?;
        if a == b {
            return Err(inner
                .at(1)
                .error(format!("`{}` and `{}` belong to the same body", names.0, names.1))
                .advise("join two different bodies"));
        }
        Ok([a, b])
    }

    fn fixed_angle(&mut self, frames: [Orientation; 2], angle: Option<&Number>, site: &Site) -> Result<usize> {
        let mut local = Local::default();
        let angle = self.field_or(site, "angle", angle, 0.0)?;
        let kind = RelativeAngle {
            a: localize::orientation(frames[0], &mut local),
            b: localize::orientation(frames[1], &mut local),
            value: Signal::Number(local.number(angle)),
        };
        self.constraint(ConstraintKind::RelativeAngle(kind), local, site)
    }

    /// The markers of two attachments in local indices.
    pub(super) fn markers_of(&self, a: Attachment, b: Attachment, local: &mut Local) -> (Marker, Marker) {
        let a = localize::marker(a.marker, self.dimension, local);
        (a, localize::marker(b.marker, self.dimension, local))
    }
}

fn is_active(joint: &Joint) -> bool {
    match joint {
        Joint::Link { active, .. }
        | Joint::Revolute { active, .. }
        | Joint::Spherical { active, .. }
        | Joint::PointOnLine { active, .. }
        | Joint::PointOnPlane { active, .. }
        | Joint::Prismatic { active, .. }
        | Joint::Weld { active, .. }
        | Joint::Gear { active, .. }
        | Joint::Coupling { active, .. }
        | Joint::DriveAngle { active, .. }
        | Joint::DriveDistance { active, .. }
        | Joint::DriveCoordinate { active, .. } => *active,
    }
}
