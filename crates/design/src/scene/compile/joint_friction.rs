//! Friction in joints.

use super::Build;
use super::attachments::Attachment;
use super::draft::Draft;
use super::hinges::Hinge;
use super::site::Site;
use super::smooth::Smoothing;
use crate::error::Result;
use crate::model::constraint::ConstraintKind;
use crate::model::force::{ForceKind, Freedom, Sliding};
use crate::model::function::Signal;
use crate::model::joint::{Direction, Slide};
use crate::model::{Bearing, Carrying, Friction, Hypothesis, Press, Rubbed};
use crate::scene::schema::joint::{Cylindrical, Friction as Law, Joint, PointOnLine, Prismatic, Revolute};

impl Build<'_> {
    /// The friction of all joints. Its forces come after those of the scene.
    pub(super) fn joint_frictions(&mut self) -> Result<()> {
        for (index, (name, joint)) in self.scene.joints.iter().enumerate() {
            let law = match joint {
                Joint::Revolute(Revolute { friction, .. })
                | Joint::PointOnLine(PointOnLine { friction, .. })
                | Joint::Cylindrical(Cylindrical { friction, .. })
                | Joint::Prismatic(Prismatic { friction, .. }) => friction,
                _ => &None,
            };
            if let Some(law) = law {
                let site = Site::new(self.file, "joints").at(name);
                self.joint_friction(index, joint, law, &site)?;
            }
        }
        Ok(())
    }

    fn joint_friction(&mut self, index: usize, joint: &Joint, law: &Law, site: &Site) -> Result<()> {
        let inner = site.at("friction");
        let mut draft = self.draft(true);
        let lengths = self.lengths(joint, law, &inner)?;
        let (press, coefficients) = self.press(index, law, (joint, lengths), &mut draft, &inner)?;
        let (Law::Reaction {
            r#static,
            stribeck,
            viscous,
            regularized,
            bristles,
            bristle_damping,
            ..
        }
        | Law::Preload {
            r#static,
            stribeck,
            viscous,
            regularized,
            bristles,
            bristle_damping,
            ..
        }) = law;
        let (force, numbers) = self.sliding_force(index, joint, lengths[0], site)?;
        let written = Smoothing {
            of: site.element(),
            r#static,
            stribeck,
            viscous,
            regularized,
            bristles,
            bristle_damping,
        };
        let smoothed = self.smoothed(&written, numbers.len(), &mut draft, &inner)?;
        let friction = Friction {
            rubbed: Rubbed::Joint(self.joints[index], press),
            force,
            numbers,
            local: draft.local,
            coefficients,
            stribeck: smoothed.stribeck,
            viscous: smoothed.viscous,
            regularized: smoothed.regularized,
            bristles: smoothed.bristles,
            moves: Vec::new(),
            moves_as: None,
            hypothesis: Hypothesis::default(),
            tangential: None,
        };
        self.require_friction(&friction, &inner)?;
        self.model.frictions.push(friction);
        Ok(())
    }

    /// The numbers of radius and length, which are demanded where they have a meaning, and refused elsewhere.
    fn lengths(&mut self, joint: &Joint, law: &Law, site: &Site) -> Result<[Option<usize>; 2]> {
        let (is_given, written) = match law {
            Law::Preload { radius, .. } => (true, [radius, &None]),
            Law::Reaction { radius, length, .. } => (false, [radius, length]),
        };
        let [of_shaft, of_sleeve] = [
            "the shaft of a `Cylindrical` joint",
            "the sleeve of a `Prismatic` joint",
        ];
        let of_pin = "the pin of a `Revolute` joint";
        let planar = self.is_planar();
        // Whose radius and length it is.
        let meant = match (joint, is_given) {
            (Joint::Cylindrical(_), true) => [Some(of_shaft), None],
            (_, true) => [None; 2],
            (Joint::Cylindrical(_), _) => [Some(of_shaft); 2],
            (Joint::Revolute(_), _) => [Some(of_pin), (!planar).then_some(of_pin)],
            (Joint::Prismatic(_), _) => [(!planar).then_some(of_sleeve), Some(of_sleeve)],
            _ => [None; 2],
        };
        let mut found = [None; 2];
        for (k, field) in ["radius", "length"].into_iter().enumerate() {
            found[k] = match (written[k], meant[k]) {
                (Some(number), Some(_)) => Some(self.positive(site, field, number)?),
                (None, None) => None,
                (Some(_), None) => {
                    let of = [of_pin, of_sleeve][k];
                    let message = format!("`{field}` is that of {of}");
                    return site.at(field).refuse(message, "leave it out here");
                }
                (None, Some(of)) => {
                    let advice = format!("write `{field}`: that of {of}, in metres");
                    return site.refuse(format!("this friction needs a `{field}` here"), advice);
                }
            };
        }
        Ok(found)
    }

    /// What presses a joint, with the numbers of the coefficients.
    fn press(
        &mut self,
        index: usize,
        law: &Law,
        (joint, lengths): (&Joint, [Option<usize>; 2]),
        draft: &mut Draft,
        site: &Site,
    ) -> Result<(Press, [usize; 2])> {
        match law {
            Law::Preload { kinetic, r#static, .. } => {
                let slipping = self.signal_field(site, "kinetic", kinetic, draft)?;
                let at_rest = match r#static {
                    Some(number) => self.signal_field(site, "static", number, draft)?,
                    None => slipping.clone(),
                };
                self.check_preload([&at_rest, &slipping], draft, site)?;
                let one = self.default(site, "coefficient", 1.0);
                Ok((Press::Given(Box::new([at_rest, slipping])), [draft.number(one); 2]))
            }
            Law::Reaction {
                coefficient, r#static, ..
            } => {
                let coefficients = self.coefficients(coefficient, r#static.as_ref(), site)?;
                let coefficients = coefficients.map(|number| draft.number(number));
                let lengths = lengths.map(|number| number.map(|number| draft.number(number)));
                Ok((self.reaction_press(index, joint, lengths, draft, site)?, coefficients))
            }
        }
    }

    fn reaction_press(
        &mut self,
        index: usize,
        joint: &Joint,
        lengths: [Option<usize>; 2],
        draft: &mut Draft,
        site: &Site,
    ) -> Result<Press> {
        let constraints = self.model.groups[self.joints[index]].constraints.clone();
        let constraint = constraints[0];
        Ok(match (lengths, &constraints[..]) {
            ([Some(radius), Some(length)], &[force, x, y]) => Press::Bearing(Box::new(Bearing {
                force: Carrying::Pin(force, self.axes_of(index, draft, site)?),
                tilt: [x, y],
                twist: None,
                length,
                radius,
            })),
            ([Some(radius), Some(length)], &[first, second, x, y, ref others @ ..]) => {
                Press::Bearing(Box::new(Bearing {
                    force: Carrying::Sleeve([first, second]),
                    tilt: [x, y],
                    twist: others.first().filter(|_| matches!(joint, Joint::Prismatic(_))).copied(),
                    length,
                    radius,
                }))
            }
            ([radius @ Some(_), None], _) => Press::Pin { constraint, radius },
            ([None, Some(length)], &[slide, angle, ..]) => Press::Sleeve { slide, angle, length },
            _ if !self.is_planar() => Press::Pin {
                constraint,
                radius: None,
            },
            _ => Press::Guide(constraint),
        })
    }

    /// The directions across the axis of a joint.
    fn axes_of(&mut self, index: usize, draft: &mut Draft, site: &Site) -> Result<[Direction; 2]> {
        let [x, y, _] = self.hinge(index, site)?.axes[0];
        Ok([x, y].map(|direction| draft.direction(direction)))
    }

    /// Demands that friction that is given is not negative and not below its value while slipping, at the start.
    fn check_preload(&self, [at_rest, slipping]: [&Signal; 2], draft: &Draft, site: &Site) -> Result<()> {
        self.require_at_start(slipping, draft, &site.at("kinetic"), |x| x >= 0.0, "at least zero")?;
        let numbers = draft.local.numbers.iter().map(|&number| self.number_value(number));
        let numbers: Vec<f64> = numbers.collect();
        let [at_rest, slipping] = [at_rest, slipping].map(|signal| signal.evaluate(self.start, &numbers));
        if at_rest >= slipping {
            return Ok(());
        }
        Err(site
            .at("static")
            .error(format!("`static` is {at_rest}, below `kinetic`, which is {slipping}"))
            .with_value(at_rest)
            .advise("`static` is the most friction while the joint sticks, `kinetic` the friction while it slips"))
    }

    /// The force along the freedoms of a joint, with the numbers that it is.
    fn sliding_force(
        &mut self,
        index: usize,
        joint: &Joint,
        radius: Option<usize>,
        site: &Site,
    ) -> Result<(usize, Vec<usize>)> {
        let (mut draft, freedom) = match joint {
            Joint::Revolute(joint) if self.is_planar() => self.turning(joint, site)?,
            Joint::Revolute(_) | Joint::Prismatic(_) | Joint::Cylindrical(_) if !self.is_planar() => {
                self.about_axis(index, joint, radius, site)?
            }
            _ => {
                let first = self.model.groups[self.joints[index]].constraints[0];
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
        let count = if matches!(freedom, Freedom::Shaft(..)) { 2 } else { 1 };
        let numbers = self.friction_numbers(count, site);
        let force = numbers.iter().map(|&number| draft.number(number)).collect();
        let element = self.model.forces.len();
        self.add_force(ForceKind::Sliding(Box::new(Sliding { freedom, force })), draft, site)?;
        Ok((element, numbers))
    }

    /// The freedom of a joint between frames in space.
    fn about_axis(
        &mut self,
        index: usize,
        joint: &Joint,
        radius: Option<usize>,
        site: &Site,
    ) -> Result<(Draft, Freedom)> {
        let Hinge { ends, axes, .. } = self.hinge(index, site)?;
        let mut draft = self.draft(true);
        let axis = draft.direction(axes[0][2]);
        let frames = axes.map(|own| draft.orientation(own[2].frame));
        if let Joint::Revolute(_) = joint {
            return Ok((draft, Freedom::Turn(frames, Some(axis))));
        }
        let [a, b] = draft.ends(ends);
        let slide = Slide {
            a,
            b,
            frame: axis.frame,
            direction: axis.given,
            offset: None,
            position: None,
        };
        let freedom = match (joint, radius) {
            (Joint::Cylindrical(_), Some(radius)) => Freedom::Shaft(slide, frames, draft.number(radius)),
            _ => Freedom::Slide(slide),
        };
        Ok((draft, freedom))
    }

    /// Whether a pin only rubs: bars that share a point are hinged there already.
    pub(super) fn is_brake(&mut self, joint: &Revolute, site: &Site) -> Result<bool> {
        if !matches!(joint.friction, Some(Law::Preload { .. })) {
            return Ok(false);
        }
        let [a, b] = self.ends_of(joint, site)?;
        Ok(self.is_planar() && a.marker == b.marker)
    }

    fn ends_of(&mut self, joint: &Revolute, site: &Site) -> Result<[Attachment; 2]> {
        let inner = site.at("between");
        let first = self.attachment(&joint.between.0, &inner.at(0))?;
        Ok([first, self.attachment(&joint.between.1, &inner.at(1))?])
    }

    /// The angles of the two bodies of a pin.
    fn turning(&mut self, joint: &Revolute, site: &Site) -> Result<(Draft, Freedom)> {
        let ends = self.ends_of(joint, site)?;
        let frames = self.frames(ends, &joint.between, site)?;
        let mut draft = self.draft(true);
        let turn = Freedom::Turn(frames.map(|frame| draft.orientation(frame)), None);
        Ok((draft, turn))
    }
}
