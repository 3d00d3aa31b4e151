//! Joints of a robot as joints, dampers and end stops of the scene.

use super::Fault;
use super::bodies::Builder;
use super::frames::{Frame, is_zero, linear, then, zero};
use super::robot::{self, Kind};
use crate::expression::suggest;
use crate::scene::schema::contact::{Contact, Limit, Limited};
use crate::scene::schema::force::{Force, TorsionDamper};
use crate::scene::schema::joint::{Coupling, Friction, Joint, Planar, Prismatic, Revolute};
use crate::scene::schema::part::Orientation;
use crate::scene::schema::{JointStart, Number};

impl Builder<'_> {
    /// The joints that the scene gives a start must exist and have a position of their own.
    pub(super) fn check_joints_named(&self) -> Result<(), Fault> {
        let moves =
            |joint: &&robot::Joint| matches!(joint.kind, Kind::Revolute | Kind::Prismatic) && joint.mimic.is_none();
        let known = || self.model.joints.iter().filter(moves).map(|joint| joint.name.as_str());
        for (name, start) in self.written.start.iter() {
            if !known().any(|joint| joint == name) {
                let message = format!("the robot has no joint `{name}` with a position of its own");
                return self.fault(
                    &["start", name, "key"],
                    message,
                    suggest(name, known(), "joints with one"),
                );
            }
            if start.position.is_some() && start.guess.is_some() {
                let message = format!("the joint `{name}` has both `position` and `guess`");
                let advice = "write `position` to hold it, or `guess` to let the assembly find it";
                return self.fault(&["start", name, "guess"], message, advice);
            }
        }
        Ok(())
    }

    fn start(&self, joint: &robot::Joint) -> JointStart {
        let given = self.written.start.get(&joint.name).cloned().unwrap_or_default();
        if joint.mimic.is_some() || given.guess.is_some() {
            return given;
        }
        JointStart {
            position: Some(given.position.unwrap_or(zero())),
            guess: None,
            rate: Some(given.rate.unwrap_or(zero())),
        }
    }

    /// Where the position of a joint starts.
    fn position(&self, joint: usize) -> Result<Number, Fault> {
        let (mut at, mut followed) = (joint, Vec::new());
        while let Some((next, numbers)) = &self.model.joints[at].mimic {
            followed.push(numbers);
            at = *next;
            if followed.len() > self.model.joints.len() {
                let message = "this joint follows itself";
                let place = self.model.joints[joint].place.clone();
                return Err(self
                    .file
                    .refused(place, message, "let it follow a joint that follows none")
                    .into());
            }
        }
        let start = self.start(&self.model.joints[at]);
        let position = start.position.or(start.guess).unwrap_or(zero());
        let numbers = followed.into_iter().rev();
        Ok(numbers.fold(position, |position, [factor, offset]| linear(&position, factor, offset)))
    }

    /// The frame of a child link whose joint has its frame there.
    pub(super) fn moved(&self, frame: &Frame, joint: usize) -> Result<Frame, Fault> {
        let written = &self.model.joints[joint];
        if !matches!(written.kind, Kind::Revolute | Kind::Prismatic) {
            return Ok(frame.clone());
        }
        let position = self.position(joint)?;
        let axis = written.axis.clone();
        Ok(match written.kind {
            _ if is_zero(&position) => frame.clone(),
            Kind::Revolute => {
                let (axis, angle) = (axis.to_vec(), position);
                then(
                    frame,
                    &[zero(), zero(), zero()],
                    Some(Orientation::AxisAngle { axis, angle }),
                )
            }
            _ => then(
                frame,
                &unit(axis).map(|component| linear(&position, &component, &zero())),
                None,
            ),
        })
    }

    /// Adds a joint that moves, with its damper and its limits.
    pub(super) fn add_joint(&mut self, index: usize) -> Result<(), Fault> {
        let joint = &self.model.joints[index];
        let child = self.named(&format!("{}.origin", self.model.links[joint.child].name));
        let JointStart { position, rate, .. } = self.start(joint);
        let (axis, active) = (joint.axis.to_vec(), true);
        let between = |builder: &mut Self| (builder.attachment(index), child.clone());
        let (built, coordinate) = match joint.kind {
            Kind::Floating | Kind::Fixed => return Ok(()),
            Kind::Planar => {
                let (between, normal) = (between(self), axis);
                let planar = Planar {
                    between,
                    normal,
                    active,
                    friction: None,
                };
                (Joint::Planar(planar), "angle")
            }
            Kind::Revolute => {
                let revolute = Revolute {
                    between: between(self),
                    axis: Some(axis),
                    angle: position,
                    angular_velocity: rate,
                    friction: rubbing(joint),
                    active,
                };
                (Joint::Revolute(revolute), "angle")
            }
            Kind::Prismatic => {
                let prismatic = Prismatic {
                    between: between(self),
                    direction: axis,
                    angle: None,
                    position,
                    velocity: rate,
                    friction: rubbing(joint),
                    active,
                };
                (Joint::Prismatic(prismatic), "position")
            }
        };
        let name = self.noted(&joint.name, &joint.place);
        let coordinate = format!("{name}.{coordinate}");
        self.scene.joints.0.push((name, built));
        self.follow(joint, &coordinate);
        self.damp(joint, &coordinate);
        self.limit(joint, &coordinate);
        Ok(())
    }

    /// A joint that follows another one is coupled to it.
    fn follow(&mut self, joint: &robot::Joint, coordinate: &str) {
        let Some((followed, [factor, offset])) = &joint.mimic else {
            return;
        };
        let followed = &self.model.joints[*followed];
        let of_followed = if followed.kind == Kind::Prismatic {
            "position"
        } else {
            "angle"
        };
        let of_followed = self.named(&format!("{}.{of_followed}", followed.name));
        let minus = linear(factor, &Number::Literal(-1.0), &zero());
        let coupling = Coupling {
            terms: vec![(coordinate.to_string(), Number::Literal(1.0)), (of_followed, minus)],
            equals: Some(offset.clone()),
            active: true,
        };
        let name = self.noted(&format!("{} mimic", joint.name), &joint.place);
        self.scene.joints.0.push((name, Joint::Coupling(coupling)));
    }

    fn damp(&mut self, joint: &robot::Joint, coordinate: &str) {
        if is_zero(&joint.damping) {
            return;
        }
        let damper = TorsionDamper {
            between: ("ground".to_string(), coordinate.to_string()),
            damping: joint.damping.clone(),
            active: true,
        };
        let name = self.noted(&format!("{} damping", joint.name), &joint.place);
        self.scene.forces.0.push((name, Force::TorsionDamper(damper)));
    }

    fn limit(&mut self, joint: &robot::Joint, coordinate: &str) {
        let (Some([lower, upper]), Some(law)) = (&joint.limits, &self.written.limits) else {
            return;
        };
        let limit = Limit {
            of: Limited::Coordinate(coordinate.to_string()),
            at_least: Some(lower.clone()),
            at_most: Some(upper.clone()),
            law: law.clone(),
        };
        let name = self.noted(&format!("{} limits", joint.name), &joint.place);
        self.scene.contacts.0.push((name, Contact::Limit(limit)));
    }
}

/// An axis of length one; as it is where its numbers are not known, which is enough for a guess.
fn unit(axis: [Number; 3]) -> [Number; 3] {
    let squares = axis.iter().map(|number| match number {
        Number::Literal(value) => value * value,
        Number::Text(_) => f64::NAN,
    });
    let length = squares.sum::<f64>().sqrt();
    axis.map(|number| match number {
        Number::Literal(value) if length > 0.0 => Number::Literal(value / length),
        other => other,
    })
}

/// The dry friction of a joint, of one size whether it slips or sticks.
fn rubbing(joint: &robot::Joint) -> Option<Friction> {
    (!is_zero(&joint.friction)).then(|| Friction::Preload {
        kinetic: joint.friction.clone(),
        r#static: None,
        radius: None,
        stribeck: None,
        viscous: None,
        regularized: None,
        bristles: None,
        bristle_damping: None,
    })
}
