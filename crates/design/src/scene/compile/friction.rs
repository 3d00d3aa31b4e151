//! Friction at contacts.

use super::Build;
use super::draft::Draft;
use super::site::Site;
use super::smooth::Smoothing;
use crate::error::Result;
use crate::model::constraint::ConstraintKind;
use crate::model::force::{ForceKind, Tangential};
use crate::model::function::Signal;
use crate::model::marker::Marker;
use crate::model::{Friction, Hypothesis, Rubbed};
use crate::scene::schema::Number;
use crate::scene::schema::contact::{Hypothesis as Written, Law};

impl Build<'_> {
    /// The friction of a contact of the model, if its law has some.
    pub(super) fn friction(&mut self, contact: usize, law: &Law, site: &Site) -> Result<()> {
        let Law::Friction {
            coefficient,
            r#static: at_rest,
            stribeck,
            viscous,
            regularized,
            bristles,
            bristle_damping,
            surface_speed,
            surface_velocity,
            hypothesis,
            tangential,
            ..
        } = law
        else {
            return Ok(());
        };
        let inner = site.at("law");
        let mut draft = self.draft(true);
        let coefficients = self.coefficients(coefficient, at_rest.as_ref(), &inner)?;
        let coefficients = coefficients.map(|number| draft.number(number));
        let (speed, velocity) = (surface_speed.as_ref(), surface_velocity.as_deref());
        let (moves, moves_as) = self.surface_motion(contact, (speed, velocity), &mut draft, &inner)?;
        let name = self.model.contacts[contact].name.clone();
        let written = Smoothing {
            of: &name,
            r#static: at_rest,
            stribeck,
            viscous,
            regularized,
            bristles,
            bristle_damping,
        };
        let directions = self.bristle_directions(contact, bristles.is_some(), &inner)?;
        let smoothed = self.smoothed(&written, directions, &mut draft, &inner)?;
        let hypothesis = match hypothesis {
            Written::Poisson => Hypothesis::Poisson,
            Written::Newton => Hypothesis::Newton,
        };
        let tangential = tangential
            .as_ref()
            .map(|number| self.returned(number, hypothesis, &inner));
        let tangential = tangential.transpose()?.map(|number| draft.number(number));
        let (force, numbers) = self.tangential_force(contact, site)?;
        let friction = Friction {
            rubbed: Rubbed::Contact(contact),
            name,
            force,
            numbers,
            local: draft.local,
            coefficients,
            stribeck: smoothed.stribeck,
            viscous: smoothed.viscous,
            regularized: smoothed.regularized,
            bristles: smoothed.bristles,
            moves,
            moves_as,
            hypothesis,
            tangential,
        };
        self.require_friction(&friction, &inner)?;
        self.model.frictions.push(friction);
        Ok(())
    }

    /// In how many directions the bristles of a contact bend; in space they stand on a plane, whose directions stay.
    fn bristle_directions(&self, contact: usize, wanted: bool, site: &Site) -> Result<usize> {
        let gap = self.model.contacts[contact].gap;
        if wanted && !self.is_planar() && !matches!(self.model.constraints[gap].kind, ConstraintKind::PlaneGap(_)) {
            return site.at("bristles").refuse(
                "in space bristles stand on a `Plane` only",
                "take `regularized`, or friction that sticks",
            );
        }
        Ok(self.model.rubbing_directions())
    }

    /// How the surface of a contact moves over its own material, and the first friction whose surface moves as written here: the next one
    /// where there is none before. Of one kink there is one side, so that the whole belt jumps at once.
    fn surface_motion(
        &mut self,
        contact: usize,
        (speed, velocity): (Option<&Number>, Option<&[Number]>),
        draft: &mut Draft,
        site: &Site,
    ) -> Result<(Vec<Signal>, Option<usize>)> {
        let places = self.surface_places(contact, (speed, velocity), site)?;
        let Some(written) = velocity.or(speed.map(std::slice::from_ref)) else {
            return Ok((Vec::new(), None));
        };
        let known = self.belts.iter().find(|(known, _)| known == written);
        if let Some((_, first)) = known {
            let belt = &self.model.frictions[*first];
            let shared = |signal: &Signal| signal.with_numbers(|own| draft.number(belt.local.numbers[own]));
            return Ok((belt.moves.iter().map(shared).collect(), Some(*first)));
        }
        let first = self.model.frictions.len();
        self.belts.push((written.to_vec(), first));
        let mut moves = Vec::new();
        for (number, at) in written.iter().zip(&places) {
            moves.push(self.finite_signal(number, at.label(), at, draft)?);
            self.refuse_rates(&draft.local, "the speed of the surface", at)?;
        }
        Ok((moves, Some(first)))
    }

    /// Where the components of the velocity of a surface are written, which must be one that moves.
    fn surface_places<'a>(
        &self,
        contact: usize,
        (speed, velocity): (Option<&Number>, Option<&[Number]>),
        site: &Site<'a>,
    ) -> Result<Vec<Site<'a>>> {
        if speed.is_some() {
            let advice = "in space write `surface_velocity`, with three components";
            self.require_planar("`surface_speed`", advice, &site.at("surface_speed"))?;
        }
        let inner = site.at("surface_velocity");
        let Some(components) = velocity else {
            return Ok(vec![site.at("surface_speed")]);
        };
        self.require_spatial("`surface_velocity`", "in the plane write `surface_speed`", &inner)?;
        let gap = self.model.contacts[contact].gap;
        if !matches!(self.model.constraints[gap].kind, ConstraintKind::PlaneGap(_)) {
            return inner.refuse(
                "only planes move over their own material",
                "let a body with the surface turn",
            );
        }
        if components.len() != 3 {
            return inner.refuse("a velocity in space has three components", "write `[vx, vy, vz]`");
        }
        Ok((0..3).map(|k| inner.at(k)).collect())
    }

    /// The number of the share of the slip velocity that comes back.
    fn returned(&mut self, number: &Number, hypothesis: Hypothesis, site: &Site) -> Result<usize> {
        if hypothesis == Hypothesis::Poisson {
            return site.at("tangential").refuse(
                "slip velocity that comes back is a law of impacts in one stage",
                "write `hypothesis: Newton` too",
            );
        }
        let number = self.field(site, "tangential", number)?;
        self.coefficient(number, &site.at("tangential"))
    }

    /// The numbers of the coefficients while it sticks and while it slips.
    pub(super) fn coefficients(
        &mut self,
        slipping: &Number,
        at_rest: Option<&Number>,
        site: &Site,
    ) -> Result<[usize; 2]> {
        let slipping = self.not_negative(site, "coefficient", Some(slipping))?;
        let resting = match at_rest {
            Some(number) => self.not_negative(site, "static", Some(number))?,
            None => slipping,
        };
        self.check_coefficients([resting, slipping], site)?;
        Ok([resting, slipping])
    }

    fn check_coefficients(&self, [resting, slipping]: [usize; 2], site: &Site) -> Result<()> {
        let [resting, slipping] = [resting, slipping].map(|number| self.numbers.value(number));
        if resting >= slipping {
            return Ok(());
        }
        Err(site
            .at("static")
            .error(format!(
                "`static` is {resting}, below `coefficient`, which is {slipping}"
            ))
            .with_value(resting)
            .advise("`static` is the coefficient while the contact sticks, `coefficient` the one while it slips"))
    }

    /// Numbers that the components of a friction force are.
    pub(super) fn friction_numbers(&mut self, count: usize, site: &Site) -> Vec<usize> {
        let label = site.at("friction").label();
        (0..count).map(|_| self.numbers.constant(0.0, label.clone())).collect()
    }

    /// The force along the surface of a contact, with the numbers that it is.
    fn tangential_force(&mut self, contact: usize, site: &Site) -> Result<(usize, Vec<usize>)> {
        let gap = &self.model.constraints[self.model.contacts[contact].gap];
        let mut draft = self.draft(true);
        draft.local = gap.local.clone();
        let kind = Box::new(gap.kind.clone());
        if matches!(
            *kind,
            ConstraintKind::DistanceLimit(_) | ConstraintKind::CoordinateLimit(_) | ConstraintKind::Cable(_)
        ) {
            return site
                .at("law")
                .refuse("a limit has no surface to rub on", "take the law `Restitution`");
        }
        let sides = match &*kind {
            ConstraintKind::PlaneGap(gap) => vec![gap.through, gap.point],
            ConstraintKind::CircleGap(gap) => vec![gap.a, gap.b],
            _ => Vec::new(),
        };
        let on_bar = |marker: &Marker| matches!(marker, Marker::OnBar(_));
        if !self.is_planar() && sides.iter().any(on_bar) {
            let message = "nothing rubs at a place on a bar in space";
            return site.refuse(message, "let a point or a rigid body touch, or use another law");
        }
        let numbers = self.friction_numbers(self.dimension - 1, site);
        let force = [0, 1].map(|k| draft.number(numbers[k.min(self.dimension - 2)]));
        // The places where it touches need room behind the numbers.
        let needed = draft.local.numbers.len() + 2 * self.dimension;
        if needed > crate::model::local::MAX_LOCAL {
            return site.at("law").refuse(
                "the surface has too many numbers for friction",
                "carry it by a simpler marker",
            );
        }
        let index = self.model.forces.len();
        self.add_force(ForceKind::Tangential(Tangential { gap: kind, force }), draft, site)?;
        // Each part of a contact is told from the others in the balance of energy, as in events.
        let name = &self.model.contacts[contact].name;
        self.model.forces[index].name.clone_from(name);
        Ok((index, numbers))
    }
}
