//! Joints between the frames of two bodies in space.

use super::Build;
use super::attachments::{Attachment, Carrier};
use super::derivatives::Formula;
use super::freedoms::Freedom;
use super::site::Site;
use super::solids::Solid;
use crate::error::Result;
use crate::model::constraint::ConstraintKind;
use crate::model::joint::{Across, Direction, Slide};
use crate::model::marker::{Marker, Orientation, Place, divided, dot, norm};
use crate::model::quaternion::{cross, turned};
use crate::scalar::{Scalar, each};
use crate::scene::schema::Number;
use crate::scene::schema::joint::{Joint, Screw};

/// A joint between two frames, with global indices.
#[derive(Clone)]
pub(super) struct Hinge {
    pub(super) ends: [Attachment; 2],
    /// Of each body: two directions across the axis, and the axis.
    pub(super) axes: [[Direction; 3]; 2],
    /// Coordinates that exist so far.
    pub(super) coordinates: Vec<(Freedom, usize)>,
}

/// Two unit vectors across an axis of any length, and the axis, turned by the quaternion of a marker where there is one. The numbers
/// are the axis, what the first vector is to be near to, and the quaternion.
struct Triad {
    /// The axis of the frame that the first vector is near to, where nothing else says.
    near: Option<usize>,
    is_turned: bool,
    /// Which way the second vector goes.
    sign: f64,
}

impl Formula<9> for Triad {
    fn over<S: Scalar>(&self, numbers: &[S]) -> [S; 9] {
        let given: [S; 3] = each(|k| numbers[k]);
        let axis = divided(given, norm(given));
        let near: [S; 3] = match self.near {
            Some(own) => each(|k| S::from(if k == own { 1.0 } else { 0.0 })),
            None => each(|k| numbers[3 + k]),
        };
        let along = dot(axis, near);
        let across: [S; 3] = each(|k| near[k] - axis[k] * along);
        let first = divided(across, norm(across));
        let second = cross(axis, first).map(|x| x * self.sign);
        let rest = &numbers[if self.near.is_some() { 3 } else { 6 }..];
        let all = [first, second, axis].map(|vector| match self.is_turned {
            true => turned(each(|k| rest[k]), vector),
            false => vector,
        });
        each(|k| all[k / 3][k % 3])
    }
}

impl Build<'_> {
    /// The constraints of a joint between frames.
    pub(super) fn hinged(&mut self, index: usize, joint: &Joint, site: &Site) -> Result<Vec<usize>> {
        let Hinge { ends, axes, .. } = self.hinge(index, site)?;
        let [[x, y, axis], [x2, y2, axis2]] = axes;
        let mut rows = match joint {
            Joint::Planar(_) => vec![self.sliding(ends, axis, None, site)?],
            Joint::Prismatic(_) | Joint::Cylindrical(_) | Joint::Screw(_) => {
                vec![self.sliding(ends, x, None, site)?, self.sliding(ends, y, None, site)?]
            }
            _ => vec![self.pinned(ends.map(|end| end.marker), site)?],
        };
        match joint {
            Joint::Universal(_) => rows.push(self.across([axis, axis2], None, site)?),
            Joint::ConstantVelocity(_) => rows.push(self.across([x, y2], Some([y, x2]), site)?),
            _ => {
                rows.push(self.across([x, axis2], None, site)?);
                rows.push(self.across([y, axis2], None, site)?);
            }
        }
        match joint {
            Joint::Weld(_) | Joint::Prismatic(_) => rows.push(self.across([x, y2], None, site)?),
            Joint::Screw(screw) => rows.push(self.thread(index, screw, site)?),
            _ => {}
        }
        self.hold_freedoms(index, joint, site)?;
        Ok(rows)
    }

    /// The frames of a joint of the scene.
    pub(super) fn hinge(&mut self, index: usize, site: &Site) -> Result<Hinge> {
        if let Some(Some(known)) = self.hinges.get(index) {
            return Ok(known.clone());
        }
        let Some((name, joint)) = self.scene.joints.0.get(index) else {
            return Err(site.error("there is no such joint"));
        };
        let site = Site::new(self.file, "joints").at(name);
        self.require_spatial(
            &format!("`{}`", kind_of(joint)),
            "in the plane write `Revolute` or `Prismatic`",
            &site,
        )?;
        let Some((between, field, written)) = frames_of(joint) else {
            return site.refuse(
                format!("`{name}` is no joint between frames"),
                "name a joint with an axis",
            );
        };
        let ends = self.between(between, &site)?;
        let inner = site.at("between");
        let frames = self.turning_frames(ends, between, &inner)?;
        if frames[0] == frames[1] {
            let message = format!("`{}` and `{}` belong to the same body", between.0, between.1);
            return inner.at(1).refuse(message, "join two different bodies");
        }
        let given = match written {
            [None, _] => {
                let zero = site.at("axis");
                let third = |k| {
                    self.numbers
                        .constant(if k == 2 { 1.0 } else { 0.0 }, format!("{}.{k}", zero.label()))
                };
                let axis: Place = [0, 1, 2].map(third);
                [axis; 2]
            }
            [Some(axis), None] => [self.direction(&site, field, axis)?; 2],
            [Some(first), Some(second)] => [
                self.direction(&site.at(field), "0", first)?,
                self.direction(&site.at(field), "1", second)?,
            ],
        };
        let axes = [0, 1].map(|k| self.triad(k, given, (frames[k], ends[k].turn), &site));
        let [first, second] = axes;
        let hinge = Hinge {
            ends,
            axes: [first?, second?],
            coordinates: Vec::new(),
        };
        if self.hinges.len() <= index {
            self.hinges.resize(index + 1, None);
        }
        self.hinges[index] = Some(hinge.clone());
        Ok(hinge)
    }

    /// Two directions across the axis of one body, and that axis.
    fn triad(
        &mut self,
        end: usize,
        given: [Place; 2],
        (frame, turn): (Orientation, Option<[usize; 4]>),
        site: &Site,
    ) -> Result<[Direction; 3]> {
        let value = |place: Place| place.map(|number| self.numbers.value(number));
        let [axis, other] = [value(given[end]), value(given[1 - end])];
        let sine = norm(cross(axis, other)) / (norm(axis) * norm(other));
        let smallest = (0..3).min_by(|&i, &j| axis[i].abs().total_cmp(&axis[j].abs()));
        let triad = Triad {
            // The other axis of a universal joint, so that its angles are zero where the frames of both are the same.
            near: if sine > 0.1 { None } else { smallest },
            is_turned: turn.is_some(),
            // Seen from the second body, the first turns the other way.
            sign: if given[0] != given[1] && end == 1 { -1.0 } else { 1.0 },
        };
        let near = given[1 - end].into_iter().filter(|_| triad.near.is_none());
        let numbers: Vec<usize> = given[end]
            .into_iter()
            .chain(near)
            .chain(turn.into_iter().flatten())
            .collect();
        let name = |k| {
            let (axis, body) = (k / 3 + 1, end + 1);
            format!("{}.axis {axis} of body {body}.{}", site.element(), k % 3 + 1)
        };
        let found = self.derived(&triad, &numbers, name, site)?;
        Ok(std::array::from_fn(|k| Direction {
            frame,
            given: std::array::from_fn(|i| found[3 * k + i]),
        }))
    }

    /// What the frames of the two attachments of a joint turn with, in space.
    pub(super) fn turning_frames(
        &self,
        ends: [Attachment; 2],
        names: &(String, String),
        site: &Site,
    ) -> Result<[Orientation; 2]> {
        let first = self.turning_frame(ends[0], &names.0, &site.at(0))?;
        Ok([first, self.turning_frame(ends[1], &names.1, &site.at(1))?])
    }

    /// What the frame of an attachment turns with, in space.
    pub(super) fn turning_frame(&self, attachment: Attachment, name: &str, site: &Site) -> Result<Orientation> {
        match attachment.carrier {
            Carrier::Ground => Ok(Orientation::Ground),
            Carrier::Solid(index) => match self.solids.get(index) {
                Some(Solid::InSpace(plan)) => Ok(Orientation::Turn(plan.turn)),
                _ => site.refuse(
                    format!("`{name}` is on a bar, which has no orientation in space"),
                    "attach to a marker of a `Solid`, or join places: `Spherical`, `Link`, `PointOnPlane`",
                ),
            },
            Carrier::Point => site.refuse(
                format!("the point `{name}` has no orientation"),
                "attach to a marker of a `Solid`, or join places: `Spherical`, `Link`, `PointOnPlane`",
            ),
        }
    }

    /// The second attachment stays where it is along a direction of the first body, or its position there is a coordinate.
    pub(super) fn sliding(
        &mut self,
        ends: [Attachment; 2],
        along: Direction,
        position: Option<usize>,
        site: &Site,
    ) -> Result<usize> {
        let mut draft = self.draft(true);
        let [a, b] = draft.ends(ends);
        let Direction { frame, given } = draft.direction(along);
        let slide = Slide {
            a,
            b,
            frame,
            direction: given,
            offset: None,
            position: position.map(|position| draft.coordinate(position)),
        };
        self.constraint(ConstraintKind::Slide(slide), draft, site)
    }

    fn across(&mut self, pair: [Direction; 2], less: Option<[Direction; 2]>, site: &Site) -> Result<usize> {
        let mut draft = self.draft(true);
        let pair = pair.map(|direction| draft.direction(direction));
        let less = less.map(|pair| pair.map(|direction| draft.direction(direction)));
        self.constraint(ConstraintKind::Across(Across { pair, less }), draft, site)
    }

    /// The position of a screw follows its angle.
    fn thread(&mut self, index: usize, screw: &Screw, site: &Site) -> Result<usize> {
        let lead = self.field(site, "lead", &screw.lead)?;
        self.numbers
            .require(lead, &site.at("lead"), |x| x != 0.0, "different from zero")?;
        let (position, angle) = (
            self.joint_coordinate(index, Freedom::Position, site)?,
            self.joint_coordinate(index, Freedom::Angle, site)?,
        );
        let one = self.default(site, "factor", 1.0);
        let label = site.at("-lead/(2 pi)").label();
        let rate = self.numbers.combination(&[(-1.0 / std::f64::consts::TAU, lead)], label);
        self.geared([(position, one), (angle, rate)], None, site)
    }

    /// A line through an attachment along a direction of its frame: the place, and one further along the line.
    pub(super) fn line_of(&mut self, name: &str, direction: &[Number], site: &Site) -> Result<[Marker; 2]> {
        let attachment = self.attachment(name, &site.at(0))?;
        self.turning_frame(attachment, name, &site.at(0))?;
        let given = self.direction(site, "1", direction)?;
        let [_, _, along] = self.triad(0, [given; 2], (Orientation::Ground, attachment.turn), site)?;
        let place = self.place_of(attachment);
        let ahead: Place = std::array::from_fn(|k| {
            let terms = [(1.0, place[k]), (1.0, along.given[k])];
            self.numbers.combination(&terms, format!("{}.{k}", site.label()))
        });
        Ok([attachment.marker, attachment.marker.placed_by(ahead, self.dimension)])
    }

    /// The numbers of the place of an attachment of the ground or of a body in space.
    fn place_of(&self, attachment: Attachment) -> Place {
        match attachment.marker {
            Marker::Base(crate::model::marker::Base::Ground(place)) | Marker::OnSolid { place, .. } => place,
            _ => Place::default(),
        }
    }

    /// A direction of the frame of an attachment.
    pub(super) fn direction_of(
        &mut self,
        attachment: Attachment,
        given: Place,
        frame: Orientation,
        site: &Site,
    ) -> Result<Direction> {
        Ok(self.triad(0, [given; 2], (frame, attachment.turn), site)?[2])
    }
}

/// The attachments of a joint between frames, the field of its axis, and what is written there for each of them.
#[expect(clippy::type_complexity)]
pub(super) fn frames_of(joint: &Joint) -> Option<(&(String, String), &'static str, [Option<&Vec<Number>>; 2])> {
    let one = |axis| [Some(axis), None];
    Some(match joint {
        Joint::Revolute(joint) => (&joint.between, "axis", [joint.axis.as_ref(), None]),
        Joint::Cylindrical(joint) => (&joint.between, "axis", one(&joint.axis)),
        Joint::Screw(joint) => (&joint.between, "axis", one(&joint.axis)),
        Joint::ConstantVelocity(joint) => (&joint.between, "axis", one(&joint.axis)),
        Joint::Planar(joint) => (&joint.between, "normal", one(&joint.normal)),
        Joint::Prismatic(joint) => (&joint.between, "direction", one(&joint.direction)),
        Joint::Weld(joint) => (&joint.between, "axis", [None, None]),
        Joint::Universal(joint) => (&joint.between, "axes", [Some(&joint.axes.0), Some(&joint.axes.1)]),
        _ => return None,
    })
}

/// The word for the kind of a joint.
fn kind_of(joint: &Joint) -> &'static str {
    match joint {
        Joint::Revolute(_) => "Revolute",
        Joint::Cylindrical(_) => "Cylindrical",
        Joint::Screw(_) => "Screw",
        Joint::ConstantVelocity(_) => "ConstantVelocity",
        Joint::Planar(_) => "Planar",
        Joint::Prismatic(_) => "Prismatic",
        Joint::Weld(_) => "Weld",
        Joint::Universal(_) => "Universal",
        _ => "a joint between frames",
    }
}
