//! Coordinates of joints in space, made when something uses them.

use super::Build;
use super::site::Site;
use crate::error::Result;
use crate::model::constraint::ConstraintKind;
use crate::model::joint::{Direction, Turned};
use crate::model::quantity::Rate;
use crate::model::{CoordinateKind, GroupKind, Start};
use crate::scene::schema::Number;
use crate::scene::schema::joint::{Cylindrical, Joint, Prismatic, Revolute, Screw, Universal};

/// A coordinate of a joint in space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Freedom {
    /// Angle about the axis.
    Angle,
    /// Angle of a universal joint about the axis of the first body.
    First,
    /// Angle of a universal joint about the axis of the second body.
    Second,
    /// Position along the axis.
    Position,
}

impl Freedom {
    /// Its name and those of its rates.
    pub(super) fn names(self) -> [(&'static str, Rate); 3] {
        let names = match self {
            Self::Angle => ["angle", "omega", "alpha"],
            Self::First => ["angle_1", "omega_1", "alpha_1"],
            Self::Second => ["angle_2", "omega_2", "alpha_2"],
            Self::Position => ["position", "velocity", "acceleration"],
        };
        let rates = [Rate::Position, Rate::Velocity, Rate::Acceleration];
        std::array::from_fn(|k| (names[k], rates[k]))
    }
}

/// The coordinates that a joint offers in space.
pub(super) fn freedoms(joint: &Joint) -> &'static [Freedom] {
    match joint {
        Joint::Revolute(_) => &[Freedom::Angle],
        Joint::Cylindrical(_) | Joint::Screw(_) => &[Freedom::Angle, Freedom::Position],
        Joint::Planar(_) => &[Freedom::Angle],
        Joint::Prismatic(_) => &[Freedom::Position],
        Joint::Universal(_) => &[Freedom::First, Freedom::Second],
        _ => &[],
    }
}

impl Build<'_> {
    /// Holds the initial coordinates and velocities that the scene gives, but for velocities that are free.
    pub(super) fn hold_freedoms(&mut self, index: usize, joint: &Joint, site: &Site) -> Result<()> {
        for (field, freedom, is_rate, written) in held_by(joint) {
            let Some(written) = written.filter(|written| !is_rate || !self.is_free(written)) else {
                continue;
            };
            let coordinate = self.joint_coordinate(index, freedom, site)?;
            let number = self.field(site, field, written)?;
            let coordinate = &mut self.model.coordinates[coordinate];
            if is_rate {
                coordinate.velocity = Some(number);
            } else {
                (coordinate.start, coordinate.held) = (Start::Number(number), true);
            }
        }
        Ok(())
    }

    /// The only angle of a joint; `site` is where its name stands.
    pub(super) fn joint_angle(&mut self, index: usize, site: &Site) -> Result<usize> {
        let (name, joint) = &self.scene.joints.0[index];
        let angles: Vec<Freedom> = freedoms(joint)
            .iter()
            .copied()
            .filter(|&of| of != Freedom::Position)
            .collect();
        match (&angles[..], self.is_planar()) {
            (&[angle], false) => self.joint_coordinate(index, angle, site),
            (&[_, _], false) => site.refuse(
                format!("the joint `{name}` has two angles"),
                format!("write `{name}.angle_1` or `{name}.angle_2`"),
            ),
            _ => site.refuse(
                format!("the joint `{name}` has no angle"),
                "name a bar or rigid body in the plane, and in space a joint with an angle such as `Revolute`",
            ),
        }
    }

    /// A coordinate of a joint, added with its constraint when first used; `site` is where it is used.
    pub(super) fn joint_coordinate(&mut self, index: usize, freedom: Freedom, site: &Site) -> Result<usize> {
        let hinge = self.hinge(index, site)?;
        if let Some((_, known)) = hinge.coordinates.iter().find(|(of, _)| *of == freedom) {
            return Ok(*known);
        }
        let Some((name, _)) = self.scene.joints.0.get(index) else {
            return Err(site.error("there is no such joint"));
        };
        let own = Site::new(self.file, "joints").at(name);
        let [[x, y, axis], [x2, y2, axis2]] = hinge.axes;
        let coordinate = self.model.coordinates.len();
        let constraint = match freedom {
            Freedom::Position => self.sliding(hinge.ends, axis, Some(coordinate), &own)?,
            Freedom::Angle => self.turned([x, y], x2, coordinate, &own)?,
            Freedom::First => self.turned([x, y], axis2, coordinate, &own)?,
            Freedom::Second => self.turned([x2, y2], axis, coordinate, &own)?,
        };
        let (kind, start) = match freedom {
            Freedom::Position => (CoordinateKind::Length, Start::Position(constraint)),
            _ => (CoordinateKind::Angle, Start::Angle(constraint)),
        };
        let label = format!("{name}.{}", freedom.names()[0].0);
        let coordinate = self.own_coordinate(label.clone(), kind, start);
        self.model.coordinates[coordinate].weight = 0.0;
        self.group(
            format!("{label} (coordinate)"),
            GroupKind::Internal,
            vec![constraint],
            true,
        );
        if let Some(Some(hinge)) = self.hinges.get_mut(index) {
            hinge.coordinates.push((freedom, coordinate));
        }
        Ok(coordinate)
    }

    /// The constraint of an angle from the first of two directions towards the second.
    fn turned(&mut self, across: [Direction; 2], mark: Direction, angle: usize, site: &Site) -> Result<usize> {
        let mut draft = self.draft(true);
        let kind = Turned {
            across: across.map(|direction| draft.direction(direction)),
            mark: draft.direction(mark),
            angle: draft.coordinate(angle),
        };
        self.constraint(ConstraintKind::Turned(kind), draft, site)
    }
}

/// The fields of a joint that hold a coordinate, or its rate, at the start.
fn held_by(joint: &Joint) -> Vec<(&'static str, Freedom, bool, Option<&Number>)> {
    use Freedom::{Angle, First, Position, Second};
    match joint {
        Joint::Revolute(Revolute {
            angle,
            angular_velocity,
            ..
        })
        | Joint::Screw(Screw {
            angle,
            angular_velocity,
            ..
        }) => vec![
            ("angle", Angle, false, angle.as_ref()),
            ("angular_velocity", Angle, true, angular_velocity.as_ref()),
        ],
        Joint::Cylindrical(Cylindrical {
            angle,
            angular_velocity,
            position,
            velocity,
            ..
        }) => vec![
            ("angle", Angle, false, angle.as_ref()),
            ("angular_velocity", Angle, true, angular_velocity.as_ref()),
            ("position", Position, false, position.as_ref()),
            ("velocity", Position, true, velocity.as_ref()),
        ],
        Joint::Prismatic(Prismatic { position, velocity, .. }) => vec![
            ("position", Position, false, position.as_ref()),
            ("velocity", Position, true, velocity.as_ref()),
        ],
        Joint::Universal(Universal {
            angles,
            angular_velocities,
            ..
        }) => {
            let (angles, rates) = (angles.as_ref(), angular_velocities.as_ref());
            vec![
                ("angles", First, false, angles.map(|pair| &pair.0)),
                ("angles", Second, false, angles.map(|pair| &pair.1)),
                ("angular_velocities", First, true, rates.map(|pair| &pair.0)),
                ("angular_velocities", Second, true, rates.map(|pair| &pair.1)),
            ]
        }
        _ => Vec::new(),
    }
}
