//! Joints and drivers: each becomes a group of constraints.

use super::Build;
use super::attachments::Attachment;
use super::draft::Draft;
use super::site::Site;
use crate::error::Result;
use crate::model::GroupKind;
use crate::model::constraint::ConstraintKind;
use crate::model::function::Signal;
use crate::model::joint::{Coincidence, Distance, RelativeAngle, Slide};
use crate::model::marker::{Marker, Orientation};
use crate::scene::schema::{Joint, Number};

/// Two places or bodies, by name.
type Pair = (String, String);

impl Build<'_> {
    pub(super) fn joints(&mut self) -> Result<()> {
        for (name, joint) in self.scene.joints.iter() {
            let site = Site::new(self.file, "joints").at(name);
            let active = is_active(joint);
            let constraints = self.joint(joint, active, &site)?;
            let group = self.group(name.to_string(), GroupKind::Joint, constraints, active);
            self.joints.push(group);
        }
        Ok(())
    }

    /// The constraints of a joint.
    fn joint(&mut self, joint: &Joint, active: bool, site: &Site) -> Result<Vec<usize>> {
        let draft = self.draft(active);
        let constraint = match joint {
            Joint::Link { from, to, length, .. } => {
                let ends = self.attachments([from, to], [&site.at("from"), &site.at("to")])?;
                self.distance(ends, (length, "length"), draft, site)
            }
            Joint::DriveDistance { between, distance, .. } => {
                let ends = self.between(between, site)?;
                self.distance(ends, (distance, "distance"), draft, site)
            }
            Joint::Revolute { between, .. } => {
                self.require_planar("`Revolute`", "in space write `Spherical`", site)?;
                self.coincidence(between, site)
            }
            Joint::Spherical { between, .. } => {
                self.require_spatial("`Spherical`", "in the plane write `Revolute`", site)?;
                self.coincidence(between, site)
            }
            Joint::PointOnLine {
                point, line, offset, ..
            } => self.point_on_line(point, line, offset.as_ref(), draft, site),
            Joint::PointOnPlane {
                point, through, normal, ..
            } => self.point_on_plane(point, through, normal, site),
            Joint::Prismatic {
                between,
                direction,
                angle,
                ..
            } => return self.prismatic(between, direction, angle.as_ref(), site),
            Joint::Weld { between, angle, .. } => return self.weld(between, angle.as_ref(), site),
            Joint::Gear {
                between, ratio, phase, ..
            } => self.gear(between, ratio, phase.as_ref(), site),
            Joint::Coupling { terms, equals, .. } => self.coupling(terms, equals.as_ref(), draft, site),
            Joint::DriveAngle { body, from, angle, .. } => self.drive_angle(body, from.as_deref(), angle, draft, site),
            Joint::DriveCoordinate { coordinate, value, .. } => self.drive_coordinate(coordinate, value, draft, site),
        };
        Ok(vec![constraint?])
    }

    /// The two different attachments of a `between`.
    fn between(&mut self, between: &Pair, site: &Site) -> Result<[Attachment; 2]> {
        let inner = site.at("between");
        self.attachments([&between.0, &between.1], [&inner.at(0), &inner.at(1)])
    }

    fn distance(
        &mut self,
        ends: [Attachment; 2],
        (length, field): (&Number, &str),
        mut draft: Draft,
        site: &Site,
    ) -> Result<usize> {
        let inner = site.at(field);
        let [a, b] = draft.ends(ends);
        let length = match field {
            "distance" => self.signal(length, inner.label(), &inner, &mut draft)?,
            _ => Signal::Number(draft.number(self.field(site, field, length)?)),
        };
        if draft.active || !length.depends_on_time() {
            self.require_at_start(&length, &draft, &inner, |x| x > 0.0, "positive")?;
        }
        self.constraint(ConstraintKind::Distance(Distance { a, b, length }), draft, site)
    }

    fn coincidence(&mut self, between: &Pair, site: &Site) -> Result<usize> {
        let ends = self.between(between, site)?;
        self.pinned(ends.map(|end| end.marker), site)
    }

    /// The constraint that two markers coincide.
    pub(super) fn pinned(&mut self, ends: [Marker; 2], site: &Site) -> Result<usize> {
        let mut draft = self.draft(true);
        let [a, b] = ends.map(|end| draft.marker(end));
        self.constraint(ConstraintKind::Coincidence(Coincidence { a, b }), draft, site)
    }

    fn prismatic(
        &mut self,
        between: &Pair,
        direction: &[Number],
        angle: Option<&Number>,
        site: &Site,
    ) -> Result<Vec<usize>> {
        let advice = "in space combine `PointOnPlane` and `PointOnLine`";
        self.require_planar("`Prismatic`", advice, site)?;
        let ends = self.between(between, site)?;
        let frames = self.frames(ends, between, site)?;
        let direction = self.direction(site, "direction", direction)?;
        let mut draft = self.draft(true);
        let [a, b] = draft.ends(ends);
        let slide = Slide {
            a,
            b,
            frame: draft.orientation(frames[0]),
            direction: draft.numbers(direction),
            offset: None,
        };
        let slide = self.constraint(ConstraintKind::Slide(slide), draft, site)?;
        Ok(vec![slide, self.fixed_angle(frames, angle, site)?])
    }

    fn weld(&mut self, between: &Pair, angle: Option<&Number>, site: &Site) -> Result<Vec<usize>> {
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
    fn frames(&mut self, ends: [Attachment; 2], names: &Pair, site: &Site) -> Result<[Orientation; 2]> {
        let inner = site.at("between");
        let a = self.orientation(ends[0], &names.0, &inner.at(0))?;
        let b = self.orientation(ends[1], &names.1, &inner.at(1))?;
        if a == b {
            let message = format!("`{}` and `{}` belong to the same body", names.0, names.1);
            return inner.at(1).refuse(message, "join two different bodies");
        }
        Ok([a, b])
    }

    fn fixed_angle(&mut self, frames: [Orientation; 2], angle: Option<&Number>, site: &Site) -> Result<usize> {
        let angle = self.field_or(site, "angle", angle, 0.0)?;
        let mut draft = self.draft(true);
        let [a, b] = frames.map(|frame| draft.orientation(frame));
        let value = Signal::Number(draft.number(angle));
        self.constraint(
            ConstraintKind::RelativeAngle(RelativeAngle { a, b, value }),
            draft,
            site,
        )
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
