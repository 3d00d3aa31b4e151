//! Joints and drivers: each becomes a group of constraints.

use super::Build;
use super::attachments::Attachment;
use super::draft::Draft;
use super::site::Site;
use crate::error::Result;
use crate::model::constraint::ConstraintKind;
use crate::model::function::Signal;
use crate::model::joint::{Coincidence, Distance, RelativeAngle, Slide};
use crate::model::marker::{Marker, Orientation};
use crate::model::quantity::ReactionPart;
use crate::model::{AttachedFrame, GroupKind};
use crate::scene::schema::Number;
use crate::scene::schema::joint::{DriveDistance, Joint, Link, Prismatic, Revolute, Weld};

/// Two places or bodies, by name.
type Pair = (String, String);

impl Build<'_> {
    pub(super) fn joints(&mut self) -> Result<()> {
        for (index, (name, joint)) in self.scene.joints.iter().enumerate() {
            let site = Site::new(self.file, "joints").at(name);
            let constraints = self.joint(index, joint, &site)?;
            let group = self.group(name.to_string(), GroupKind::Joint, constraints, joint.is_active());
            self.model.groups[group].frames = self.attached_frames(joint)?;
            self.joints.push(group);
        }
        Ok(())
    }

    /// The constraints of a joint.
    fn joint(&mut self, index: usize, joint: &Joint, site: &Site) -> Result<Vec<usize>> {
        if !self.is_planar() && is_between_frames(joint) {
            refuse_fields_of_plane(joint, site)?;
            return self.hinged(index, joint, site);
        }
        let constraint = match joint {
            Joint::Link(Link { from, to, length, .. }) => {
                let ends = self.attachments([from, to], [&site.at("from"), &site.at("to")])?;
                self.distance(ends, (length, "length"), self.draft(joint.is_active()), site)
            }
            Joint::DriveDistance(DriveDistance {
                between,
                distance,
                active,
            }) => {
                let ends = self.between(between, site)?;
                self.distance(ends, (distance, "distance"), self.draft(*active), site)
            }
            Joint::Cable(cable) => self.cable(cable, site),
            Joint::Revolute(joint) if self.is_brake(joint, site)? => return Ok(Vec::new()),
            Joint::Revolute(joint) => self.pin(joint, site),
            Joint::Spherical(joint) => {
                self.require_spatial("`Spherical`", "in the plane write `Revolute`", site)?;
                self.coincidence(&joint.between, site)
            }
            Joint::PointOnLine(joint) => self.point_on_line(joint, site),
            Joint::PointOnPlane(joint) => self.point_on_plane(joint, site),
            Joint::Prismatic(joint) => return self.prismatic(joint, site),
            Joint::Weld(joint) => return self.weld(joint, site),
            Joint::Cylindrical(_)
            | Joint::Screw(_)
            | Joint::Universal(_)
            | Joint::ConstantVelocity(_)
            | Joint::Planar(_) => {
                let advice = "in the plane write `Revolute`, `Prismatic` or `PointOnLine`";
                return self
                    .require_spatial("a joint about axes", advice, site)
                    .map(|()| Vec::new());
            }
            Joint::Gear(joint) => self.gear(joint, site),
            Joint::RackAndPinion(joint) => self.rack_and_pinion(joint, site),
            Joint::Belt(joint) => self.belt(joint, site),
            Joint::Coupling(joint) => self.coupling(joint, site),
            Joint::DriveAngle(driver) => self.drive_angle(driver, site),
            Joint::DriveCoordinate(driver) => self.drive_coordinate(driver, site),
        };
        Ok(vec![constraint?])
    }

    /// The frames of both attachments of a joint in space, where they have one.
    fn attached_frames(&mut self, joint: &Joint) -> Result<[Option<AttachedFrame>; 2]> {
        let mut frames = [None, None];
        let Some((between, site)) = ends_of(joint)
            .zip(Some(Site::new(self.file, "joints")))
            .filter(|_| !self.is_planar())
        else {
            return Ok(frames);
        };
        for (frame, name) in frames.iter_mut().zip([&between.0, &between.1]) {
            let end = self.attachment(name, &site)?;
            let Ok(carrier) = self.turning_frame(end, name, &site) else {
                continue;
            };
            let mut draft = self.draft(true);
            *frame = Some(AttachedFrame {
                carrier: draft.orientation(carrier),
                turn: end.turn.map(|turn| turn.map(|number| draft.number(number))),
                local: draft.local,
            });
        }
        Ok(frames)
    }

    /// The reactions of a joint in the frames of its attachments.
    pub(super) fn parts_in_frames(&self, joint: &Joint, group: usize) -> Vec<(String, ReactionPart)> {
        let mut parts = Vec::new();
        let kinds: &[(&str, bool)] = match is_between_frames(joint) {
            true => &[("f", false), ("t", true)],
            false => &[("f", false)],
        };
        let ends = self.model.groups[group]
            .frames
            .iter()
            .zip(["first", "second"])
            .enumerate();
        for (end, (_, word)) in ends.filter(|(_, (frame, _))| frame.is_some()) {
            for &(letter, of_moment) in kinds {
                let named = self.axes().iter().enumerate();
                parts.extend(named.map(|(axis, name)| {
                    (
                        format!("{letter}{name}_{word}"),
                        ReactionPart::InFrame { end, of_moment, axis },
                    )
                }));
            }
        }
        parts
    }

    /// The two different attachments of a `between`.
    pub(super) fn between(&mut self, between: &Pair, site: &Site) -> Result<[Attachment; 2]> {
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

    /// A hinge of the plane.
    fn pin(&mut self, joint: &Revolute, site: &Site) -> Result<usize> {
        let fields = [
            ("axis", joint.axis.is_some()),
            ("angle", joint.angle.is_some()),
            ("angular_velocity", joint.angular_velocity.is_some()),
        ];
        refuse_fields_of_space(fields, site)?;
        self.coincidence(&joint.between, site)
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

    fn prismatic(&mut self, joint: &Prismatic, site: &Site) -> Result<Vec<usize>> {
        refuse_fields_of_space(
            [
                ("position", joint.position.is_some()),
                ("velocity", joint.velocity.is_some()),
            ],
            site,
        )?;
        let ends = self.between(&joint.between, site)?;
        let frames = self.frames(ends, &joint.between, site)?;
        let direction = self.direction(site, "direction", &joint.direction)?;
        let mut draft = self.draft(true);
        let [a, b] = draft.ends(ends);
        let slide = Slide {
            a,
            b,
            frame: draft.orientation(frames[0]),
            direction: draft.numbers(direction),
            offset: None,
            position: None,
        };
        let slide = self.constraint(ConstraintKind::Slide(slide), draft, site)?;
        Ok(vec![slide, self.fixed_angle(frames, joint.angle.as_ref(), site)?])
    }

    fn weld(&mut self, Weld { between, angle, .. }: &Weld, site: &Site) -> Result<Vec<usize>> {
        let [a, b] = self.ends_of(between, site)?;
        let frames = self.frames([a, b], between, site)?;
        let mut constraints = Vec::new();
        // Bars that share a point are hinged there already.
        if a.marker != b.marker {
            constraints.push(self.coincidence(between, site)?);
        }
        constraints.push(self.fixed_angle(frames, angle.as_ref(), site)?);
        Ok(constraints)
    }

    /// The angles of two different bodies.
    pub(super) fn frames(&mut self, ends: [Attachment; 2], names: &Pair, site: &Site) -> Result<[Orientation; 2]> {
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

    /// The reactions that a joint offers, by their names.
    pub(super) fn joint_parts(&self, joint: &Joint) -> Vec<(String, ReactionPart)> {
        let (force, has_components, torque) = match joint {
            Joint::Coupling(_) | Joint::DriveCoordinate(_) | Joint::RackAndPinion(_) | Joint::Belt(_) => {
                (Some(ReactionPart::Torque), false, true)
            }
            Joint::Gear(_) | Joint::DriveAngle(_) => (None, false, true),
            Joint::Link(_) | Joint::DriveDistance(_) | Joint::Cable(_) => (Some(ReactionPart::Tension), true, false),
            _ if !self.is_planar() && is_between_frames(joint) => return self.frame_parts(joint),
            Joint::Prismatic(_) | Joint::Weld(_) => (Some(ReactionPart::Magnitude), true, true),
            _ => (Some(ReactionPart::Magnitude), true, false),
        };
        let axes = self.axes().iter().enumerate().filter(|_| has_components);
        let force = force.map(|part| ("force".to_string(), part)).into_iter();
        force
            .chain(axes.map(|(k, axis)| (format!("f{axis}"), ReactionPart::Component(k))))
            .chain(torque.then(|| ("torque".to_string(), ReactionPart::Torque)))
            .chain([("power".to_string(), ReactionPart::Power)])
            .collect()
    }

    /// The reactions of a joint between frames in space.
    fn frame_parts(&self, joint: &Joint) -> Vec<(String, ReactionPart)> {
        let axes = || self.axes().iter().enumerate();
        let thrust = matches!(joint, Joint::Screw(_)).then(|| ("thrust".to_string(), ReactionPart::Torque));
        [("force".to_string(), ReactionPart::Magnitude)]
            .into_iter()
            .chain(axes().map(|(k, axis)| (format!("f{axis}"), ReactionPart::Component(k))))
            .chain([("torque".to_string(), ReactionPart::MomentMagnitude)])
            .chain(axes().map(|(k, axis)| (format!("t{axis}"), ReactionPart::Moment(k))))
            .chain(thrust)
            .chain([("power".to_string(), ReactionPart::Power)])
            .collect()
    }
}

/// The attachments of a joint in space that has a force in their frames.
fn ends_of(joint: &Joint) -> Option<&Pair> {
    match joint {
        Joint::Spherical(joint) => Some(&joint.between),
        _ => super::hinges::frames_of(joint).map(|(between, ..)| between),
    }
}

/// Whether a joint of space joins frames, not places.
fn is_between_frames(joint: &Joint) -> bool {
    super::hinges::frames_of(joint).is_some()
}

/// Refuses what a joint between frames has in the plane only, and demands the axis of a hinge.
fn refuse_fields_of_plane(joint: &Joint, site: &Site) -> Result<()> {
    match joint {
        Joint::Revolute(Revolute { axis: None, .. }) => site.refuse(
            format!("the hinge `{}` has no axis", site.element()),
            "write `axis: [x, y, z]`, in the frame of the first attachment; a joint about any axis is `Spherical`",
        ),
        Joint::Prismatic(Prismatic { angle: Some(_), .. }) | Joint::Weld(Weld { angle: Some(_), .. }) => {
            site.at("angle").refuse(
                "the angle of a joint without turning exists only in planar scenes",
                "give one of the two markers an `orientation`",
            )
        }
        _ => Ok(()),
    }
}

/// Refuses fields that exist in space only.
fn refuse_fields_of_space<const N: usize>(fields: [(&str, bool); N], site: &Site) -> Result<()> {
    if let Some((field, _)) = fields.into_iter().find(|(_, written)| *written) {
        let advice = "leave it out; in the plane hold coordinates of the bodies instead";
        return site
            .at(field)
            .refuse(format!("`{field}` of this joint exists only in spatial scenes"), advice);
    }
    Ok(())
}
