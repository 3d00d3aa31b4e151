//! Friction in joints of the plane.

use super::Build;
use super::attachments::Attachment;
use super::draft::Draft;
use super::site::Site;
use crate::error::Result;
use crate::model::constraint::ConstraintKind;
use crate::model::force::{ForceKind, Freedom, Sliding};
use crate::model::function::Signal;
use crate::model::{Friction, Hypothesis, Press, Rubbed};
use crate::scene::schema::Number;
use crate::scene::schema::joint::{Friction as Law, Joint, PointOnLine, Prismatic, Revolute};

impl Build<'_> {
    /// The friction of all joints. Its forces come after those of the scene.
    pub(super) fn joint_frictions(&mut self) -> Result<()> {
        for (index, (name, joint)) in self.scene.joints.iter().enumerate() {
            let law = match joint {
                Joint::Revolute(Revolute { friction, .. })
                | Joint::PointOnLine(PointOnLine { friction, .. })
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
        self.require_planar("friction of a joint", "leave it out, or take a damper", &inner)?;
        let mut draft = self.draft(true);
        let (press, coefficients) = self.press(index, joint, law, &mut draft, &inner)?;
        let (Law::Reaction {
            r#static,
            stribeck,
            viscous,
            regularized,
            ..
        }
        | Law::Preload {
            r#static,
            stribeck,
            viscous,
            regularized,
            ..
        }) = law;
        let others = [r#static.is_some(), stribeck.is_some()];
        let regularized = self.regularized(regularized.as_ref(), others, &inner)?;
        let regularized = regularized.map(|number| draft.number(number));
        let stribeck = stribeck
            .as_ref()
            .map(|number| self.positive(&inner, "stribeck", number));
        let stribeck = stribeck.transpose()?.map(|number| draft.number(number));
        let viscous = viscous
            .as_ref()
            .map(|number| self.not_negative(&inner, "viscous", Some(number)));
        let viscous = viscous.transpose()?.map(|number| draft.number(number));
        let (force, number) = self.sliding_force(index, joint, site)?;
        self.model.frictions.push(Friction {
            rubbed: Rubbed::Joint(self.joints[index], press),
            force,
            numbers: [number; 2],
            local: draft.local,
            coefficients,
            stribeck,
            viscous,
            regularized,
            moves: Vec::new(),
            hypothesis: Hypothesis::default(),
            tangential: None,
        });
        Ok(())
    }

    /// What presses a joint, with the numbers of the coefficients.
    fn press(
        &mut self,
        index: usize,
        joint: &Joint,
        law: &Law,
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
                coefficient,
                r#static,
                radius,
                length,
                ..
            } => {
                let coefficients = self.coefficients(coefficient, r#static.as_ref(), site)?;
                let coefficients = coefficients.map(|number| draft.number(number));
                let press = self.reaction_press(index, joint, [radius.as_ref(), length.as_ref()], draft, site)?;
                Ok((press, coefficients))
            }
        }
    }

    fn reaction_press(
        &mut self,
        index: usize,
        joint: &Joint,
        [radius, length]: [Option<&Number>; 2],
        draft: &mut Draft,
        site: &Site,
    ) -> Result<Press> {
        let (turns, sleeve) = (
            matches!(joint, Joint::Revolute(_)),
            matches!(joint, Joint::Prismatic(_)),
        );
        for (field, given, meant, of) in [
            ("radius", radius.is_some(), turns, "the pin of a `Revolute` joint"),
            ("length", length.is_some(), sleeve, "the sleeve of a `Prismatic` joint"),
        ] {
            if given && !meant {
                return site
                    .at(field)
                    .refuse(format!("`{field}` is that of {of}"), "leave it out here");
            }
            if meant && !given {
                let advice = format!("write `{field}`: that of {of}, in metres");
                return site.refuse(format!("friction from the reaction needs a `{field}` here"), advice);
            }
        }
        let constraints = self.model.groups[self.joints[index]].constraints.clone();
        Ok(match (radius, length) {
            (Some(radius), _) => Press::Pin {
                constraint: constraints[0],
                radius: draft.number(self.positive(site, "radius", radius)?),
            },
            (_, Some(length)) => Press::Sleeve {
                slide: constraints[0],
                angle: constraints[1],
                length: draft.number(self.positive(site, "length", length)?),
            },
            _ => Press::Guide(constraints[0]),
        })
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

    /// The force along the freedom of a joint, with the number of its size.
    fn sliding_force(&mut self, index: usize, joint: &Joint, site: &Site) -> Result<(usize, usize)> {
        let (mut draft, freedom) = match joint {
            Joint::Revolute(joint) => self.turning(joint, site)?,
            _ => {
                let first = self.model.groups[self.joints[index]].constraints[0];
                let constraint = &self.model.constraints[first];
                let freedom = match &constraint.kind {
                    ConstraintKind::PointOnLine(line) => Freedom::Line(line.clone()),
                    ConstraintKind::Slide(slide) => Freedom::Slide(slide.clone()),
                    _ => return site.refuse("this joint cannot rub", "leave its friction out"),
                };
                let mut draft = self.draft(true);
                draft.local = constraint.local.clone();
                (draft, freedom)
            }
        };
        let number = self.numbers.constant(0.0, site.at("friction").label());
        let force = draft.number(number);
        let element = self.model.forces.len();
        self.add_force(ForceKind::Sliding(Box::new(Sliding { freedom, force })), draft, site)?;
        Ok((element, number))
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
        let turn = Freedom::Turn(frames.map(|frame| draft.orientation(frame)));
        Ok((draft, turn))
    }
}
