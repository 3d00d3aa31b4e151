//! Friction at contacts.

use super::Build;
use super::site::Site;
use crate::error::Result;
use crate::model::constraint::ConstraintKind;
use crate::model::force::{ForceKind, Tangential};
use crate::model::{Friction, Hypothesis};
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
            surface_speed,
            hypothesis,
            tangential,
            ..
        } = law
        else {
            return Ok(());
        };
        let inner = site.at("law");
        self.require_planar("`Friction`", "in space take `Restitution` or `Stick`", &inner)?;
        let mut draft = self.draft(true);
        let slipping = self.not_negative(&inner, "coefficient", Some(coefficient))?;
        let resting = match at_rest {
            Some(number) => self.not_negative(&inner, "static", Some(number))?,
            None => slipping,
        };
        self.check_coefficients([resting, slipping], &inner)?;
        let coefficients = [resting, slipping].map(|number| draft.number(number));
        let stribeck = stribeck
            .as_ref()
            .map(|number| self.positive(&inner, "stribeck", number));
        let stribeck = stribeck.transpose()?.map(|number| draft.number(number));
        let viscous = viscous
            .as_ref()
            .map(|number| self.not_negative(&inner, "viscous", Some(number)));
        let viscous = viscous.transpose()?.map(|number| draft.number(number));
        let speed = surface_speed
            .as_ref()
            .map(|number| self.signal_field(&inner, "surface_speed", number, &mut draft));
        let speed = speed.transpose()?;
        let hypothesis = match hypothesis {
            Written::Poisson => Hypothesis::Poisson,
            Written::Newton => Hypothesis::Newton,
        };
        let tangential = tangential
            .as_ref()
            .map(|number| self.returned(number, hypothesis, &inner));
        let tangential = tangential.transpose()?.map(|number| draft.number(number));
        let (force, number) = self.tangential_force(contact, site)?;
        self.model.frictions.push(Friction {
            contact,
            force,
            number,
            local: draft.local,
            coefficients,
            stribeck,
            viscous,
            speed,
            hypothesis,
            tangential,
        });
        Ok(())
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

    /// The force along the surface of a contact, with the number of its size.
    fn tangential_force(&mut self, contact: usize, site: &Site) -> Result<(usize, usize)> {
        let gap = &self.model.constraints[self.model.contacts[contact].gap];
        let mut draft = self.draft(true);
        draft.local = gap.local.clone();
        let kind = Box::new(gap.kind.clone());
        if matches!(
            *kind,
            ConstraintKind::DistanceLimit(_) | ConstraintKind::CoordinateLimit(_)
        ) {
            return site
                .at("law")
                .refuse("a limit has no surface to rub on", "take the law `Restitution`");
        }
        let number = self.numbers.constant(0.0, site.at("friction").label());
        let force = draft.number(number);
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
        Ok((index, number))
    }
}
