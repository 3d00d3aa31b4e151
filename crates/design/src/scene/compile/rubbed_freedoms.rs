//! The freedoms along which joints rub.

use super::Build;
use super::derivatives::Formula;
use super::draft::Draft;
use super::hinges::Hinge;
use super::joint_friction::Rubs;
use super::site::Site;
use crate::error::Result;
use crate::model::constraint::ConstraintKind;
use crate::model::force::{ForceKind, Freedom, Sliding};
use crate::model::joint::{Direction, Slide};
use crate::scalar::Scalar;
use crate::scene::schema::joint::{Joint, Revolute, Screw};

/// Of a thread with a radius r and a lead of 2 pi p, from r and the lead: what a friction that is a torque against the rate of the angle is as a
/// force along the axis, p/(r^2 + p^2), and as a torque about it, r^2/(r^2 + p^2); and the arm (r^2 + p^2)/r of the force in the thread,
/// which is larger than that along the axis.
struct Thread;

impl Formula<3> for Thread {
    fn over<S: Scalar>(&self, numbers: &[S]) -> [S; 3] {
        let (radius, rate) = (numbers[0], numbers[1] / std::f64::consts::TAU);
        let square = radius * radius + rate * rate;
        [rate / square, radius * radius / square, square / radius]
    }
}

impl Build<'_> {
    /// The force along the freedoms of a joint, with the numbers that it is.
    pub(super) fn sliding_force(
        &mut self,
        rubs: &Rubs,
        radius: Option<usize>,
        site: &Site,
    ) -> Result<(usize, Vec<usize>)> {
        let (mut draft, freedom) = match rubs.joint {
            Joint::Revolute(joint) if self.is_planar() => self.turning(joint, site)?,
            Joint::Spherical(joint) => self.turning_freely(&joint.between, site)?,
            _ if super::hinges::frames_of(rubs.joint).is_some() && !self.is_planar() => {
                self.about_axis(rubs, radius, site)?
            }
            _ => {
                let first = self.model.groups[self.joints[rubs.index]].constraints[0];
                let constraint = &self.model.constraints[first];
                let freedom = match &constraint.kind {
                    ConstraintKind::PointOnLine(line) => Freedom::Line([line.point, line.a, line.b]),
                    ConstraintKind::PointAlongLine(line) => Freedom::Line([line.point, line.a, line.b]),
                    ConstraintKind::Slide(slide) => Freedom::Slide(slide.clone()),
                    _ => return site.refuse("this joint cannot rub", "leave its friction out"),
                };
                let mut draft = self.draft(true);
                draft.local = constraint.local.clone();
                (draft, freedom)
            }
        };
        let numbers = self.friction_numbers(freedom.count(), site);
        let force = numbers.iter().map(|&number| draft.number(number)).collect();
        let element = self.model.forces.len();
        self.add_force(ForceKind::Sliding(Box::new(Sliding { freedom, force })), draft, site)?;
        self.model.forces[element].name.clone_from(&rubs.name);
        Ok((element, numbers))
    }

    /// The freedom of a joint between frames in space.
    fn about_axis(&mut self, rubs: &Rubs, radius: Option<usize>, site: &Site) -> Result<(Draft, Freedom)> {
        let Hinge { ends, axes, .. } = self.hinge(rubs.index, site)?;
        let mut draft = self.draft(true);
        let axis = draft.direction(axes[rubs.axis.unwrap_or(0)][2]);
        let frames = axes.map(|own| draft.orientation(own[2].frame));
        if matches!(
            (rubs.joint, radius),
            (Joint::Revolute(_) | Joint::Universal(_), _) | (Joint::Screw(_), None)
        ) {
            return Ok((draft, Freedom::Turn(frames, Some(axis))));
        }
        let [a, b] = draft.ends(ends);
        let along = |direction: Direction| Slide {
            a,
            b,
            frame: direction.frame,
            direction: direction.given,
            offset: None,
            position: None,
        };
        let slide = along(axis);
        let freedom = match (rubs.joint, radius) {
            (Joint::Planar(_), Some(radius)) => {
                let [x, y, _] = axes[0];
                let slides = [x, y].map(|direction| along(draft.direction(direction)));
                Freedom::Plane(Box::new(slides), frames, axis, draft.number(radius))
            }
            (Joint::Cylindrical(_), Some(radius)) => Freedom::Shaft(slide, frames, draft.number(radius)),
            (Joint::Screw(screw), Some(radius)) => {
                let [along, about, _] = self.helix(screw, radius, site)?;
                Freedom::Helix(slide, frames, [along, about].map(|number| draft.number(number)))
            }
            _ => Freedom::Slide(slide),
        };
        Ok((draft, freedom))
    }

    /// The shares of the friction of a thread along and about its axis, and the arm of what presses there.
    pub(super) fn helix(&mut self, screw: &Screw, radius: usize, site: &Site) -> Result<[usize; 3]> {
        let lead = self.field(site, "lead", &screw.lead)?;
        let name = |k: usize| format!("{}.{}", site.element(), ["along", "about", "arm"][k]);
        self.derived(&Thread, &[radius, lead], name, site)
    }

    /// The frames of the two bodies of a ball joint.
    fn turning_freely(&mut self, between: &(String, String), site: &Site) -> Result<(Draft, Freedom)> {
        let ends = self.between(between, site)?;
        let frames = self.turning_frames(ends, between, &site.at("between"))?;
        let mut draft = self.draft(true);
        let ball = Freedom::Ball(frames.map(|frame| draft.orientation(frame)));
        Ok((draft, ball))
    }

    /// The angles of the two bodies of a pin.
    fn turning(&mut self, joint: &Revolute, site: &Site) -> Result<(Draft, Freedom)> {
        let ends = self.ends_of(&joint.between, site)?;
        let frames = self.frames(ends, &joint.between, site)?;
        let mut draft = self.draft(true);
        let turn = Freedom::Turn(frames.map(|frame| draft.orientation(frame)), None);
        Ok((draft, turn))
    }
}
