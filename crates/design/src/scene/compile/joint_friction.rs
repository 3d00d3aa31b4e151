//! Friction in joints.

use super::Build;
use super::attachments::Attachment;
use super::draft::Draft;
use super::site::Site;
use super::smooth::Smoothing;
use crate::error::Result;
use crate::model::function::Signal;
use crate::model::joint::Direction;
use crate::model::{Bearing, Carrying, Friction, Hypothesis, Press, Rubbed};
use crate::scene::schema::joint::{
    Cylindrical, Friction as Law, Joint, Planar, PointOnLine, Prismatic, Revolute, Screw, Spherical, Universal,
};

/// A joint that rubs, about one of its axes.
pub(super) struct Rubs<'s> {
    pub(super) index: usize,
    pub(super) joint: &'s Joint,
    law: &'s Law,
    /// Which axis of a cross joint it is.
    pub(super) axis: Option<usize>,
    /// Its name in reports.
    pub(super) name: String,
}

impl Build<'_> {
    /// The friction of all joints. Its forces come after those of the scene.
    pub(super) fn joint_frictions(&mut self) -> Result<()> {
        for (index, (name, joint)) in self.scene.joints.iter().enumerate() {
            let site = Site::new(self.file, "joints").at(name);
            let inner = site.at("friction");
            let (laws, is_pair) = laws(joint);
            for (k, law) in laws.into_iter().enumerate() {
                let (axis, name, inner) = match is_pair {
                    true => (Some(k), format!("{name} (axis {})", k + 1), inner.at(k)),
                    false => (None, name.to_string(), inner.clone()),
                };
                let rubs = Rubs {
                    index,
                    joint,
                    law,
                    axis,
                    name,
                };
                self.joint_friction(rubs, &inner, &site)?;
            }
        }
        Ok(())
    }

    fn joint_friction(&mut self, rubs: Rubs, inner: &Site, site: &Site) -> Result<()> {
        let mut draft = self.draft(true);
        let lengths = self.lengths(&rubs, inner)?;
        let (press, coefficients) = self.press(&rubs, lengths, &mut draft, inner)?;
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
        }) = rubs.law;
        let (force, numbers) = self.sliding_force(&rubs, lengths[0], site)?;
        let written = Smoothing {
            of: &rubs.name,
            r#static,
            stribeck,
            viscous,
            regularized,
            bristles,
            bristle_damping,
        };
        let smoothed = self.smoothed(&written, numbers.len(), &mut draft, inner)?;
        let friction = Friction {
            rubbed: Rubbed::Joint(self.joints[rubs.index], press),
            name: rubs.name,
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
        self.require_friction(&friction, inner)?;
        self.model.frictions.push(friction);
        Ok(())
    }

    /// The numbers of radius and length, which are demanded where they have a meaning, and refused elsewhere.
    fn lengths(&mut self, rubs: &Rubs, site: &Site) -> Result<[Option<usize>; 2]> {
        let (is_given, written) = match rubs.law {
            Law::Preload { radius, .. } => (true, [radius, &None]),
            Law::Reaction { radius, length, .. } => (false, [radius, length]),
        };
        let [of_shaft, of_sleeve] = [
            "the shaft of a `Cylindrical` joint",
            "the sleeve of a `Prismatic` joint",
        ];
        let [of_pin, of_thread, of_cross] = [
            "the pin of a `Revolute` joint",
            "the thread of a `Screw`",
            "the pins of a `Universal` joint",
        ];
        let [of_ball, of_face] = ["the ball of a `Spherical` joint", "the face of a `Planar` joint"];
        let planar = self.is_planar();
        // Whose radius and length it is.
        let meant = match (rubs.joint, is_given) {
            (Joint::Cylindrical(_), true) => [Some(of_shaft), None],
            (Joint::Planar(_), _) => [Some(of_face), None],
            (_, true) => [None; 2],
            (Joint::Cylindrical(_), _) => [Some(of_shaft); 2],
            (Joint::Universal(_), _) => [Some(of_cross); 2],
            (Joint::Screw(_), _) => [Some(of_thread), None],
            (Joint::Spherical(_), _) => [Some(of_ball), None],
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
        rubs: &Rubs,
        lengths: [Option<usize>; 2],
        draft: &mut Draft,
        site: &Site,
    ) -> Result<(Press, [usize; 2])> {
        match rubs.law {
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
                Ok((self.reaction_press(rubs, lengths, draft, site)?, coefficients))
            }
        }
    }

    fn reaction_press(
        &mut self,
        rubs: &Rubs,
        lengths: [Option<usize>; 2],
        draft: &mut Draft,
        site: &Site,
    ) -> Result<Press> {
        let constraints = self.model.groups[self.joints[rubs.index]].constraints.clone();
        let constraint = constraints[0];
        if let (Joint::Screw(screw), Some(radius), Some(&thread)) = (rubs.joint, lengths[0], constraints.last()) {
            let [.., arm] = self.helix(screw, radius, site)?;
            return Ok(Press::Guide {
                constraint: thread,
                arm: Some(draft.number(arm)),
            });
        }
        let lengths = lengths.map(|number| number.map(|number| draft.number(number)));
        let bearing = |(force, tilt, twist), [radius, length]: [usize; 2]| {
            Press::Bearing(Box::new(Bearing {
                force,
                tilt,
                twist,
                length,
                radius,
            }))
        };
        Ok(match (lengths, &constraints[..]) {
            ([Some(radius), Some(length)], &[force, ref tilt @ ..]) if tilt.len() <= 2 => {
                let across = self.axes_of(rubs, draft, site)?;
                bearing((Carrying::Pin(force, across), tilt.to_vec(), None), [radius, length])
            }
            ([Some(radius), Some(length)], &[first, second, x, y, ref others @ ..]) => {
                let twist = others.first().filter(|_| matches!(rubs.joint, Joint::Prismatic(_)));
                let sleeve = Carrying::Sleeve([first, second]);
                bearing((sleeve, vec![x, y], twist.copied()), [radius, length])
            }
            _ if matches!(rubs.joint, Joint::Planar(_)) => Press::Guide { constraint, arm: None },
            ([radius @ Some(_), None], _) => Press::Pin { constraint, radius },
            ([None, Some(length)], &[slide, angle, ..]) => Press::Sleeve { slide, angle, length },
            _ if !self.is_planar() => Press::Pin {
                constraint,
                radius: None,
            },
            _ => Press::Guide { constraint, arm: None },
        })
    }

    /// The directions across the axis of a joint that it keeps.
    fn axes_of(&mut self, rubs: &Rubs, draft: &mut Draft, site: &Site) -> Result<Vec<Direction>> {
        let axes = self.hinge(rubs.index, site)?.axes;
        let across = match rubs.axis {
            Some(own) => vec![axes[1 - own][2]],
            None => axes[0][..2].to_vec(),
        };
        Ok(across.into_iter().map(|direction| draft.direction(direction)).collect())
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

    /// Whether a pin only rubs: bars that share a point are hinged there already.
    pub(super) fn is_brake(&mut self, joint: &Revolute, site: &Site) -> Result<bool> {
        if !matches!(joint.friction, Some(Law::Preload { .. })) {
            return Ok(false);
        }
        let [a, b] = self.ends_of(&joint.between, site)?;
        Ok(self.is_planar() && a.marker == b.marker)
    }

    pub(super) fn ends_of(&mut self, between: &(String, String), site: &Site) -> Result<[Attachment; 2]> {
        let inner = site.at("between");
        let first = self.attachment(&between.0, &inner.at(0))?;
        Ok([first, self.attachment(&between.1, &inner.at(1))?])
    }
}

/// The laws of friction of a joint, and whether there is one for each of two axes.
fn laws(joint: &Joint) -> (Vec<&Law>, bool) {
    match joint {
        Joint::Universal(Universal { friction, .. }) => {
            let both = friction.iter().flat_map(|pair| [&pair.0, &pair.1]);
            (both.collect(), true)
        }
        Joint::Revolute(Revolute { friction, .. })
        | Joint::PointOnLine(PointOnLine { friction, .. })
        | Joint::Cylindrical(Cylindrical { friction, .. })
        | Joint::Screw(Screw { friction, .. })
        | Joint::Planar(Planar { friction, .. })
        | Joint::Spherical(Spherical { friction, .. })
        | Joint::Prismatic(Prismatic { friction, .. }) => (friction.iter().collect(), false),
        _ => (Vec::new(), false),
    }
}
