//! Friction that never sticks: a smooth function of the slip velocity, or bristles that bend.

use super::Build;
use super::draft::Draft;
use super::memory::FIRST;
use super::site::Site;
use crate::error::Result;
use crate::expression::Expression;

use crate::model::quantity::{Output, Quantity, Rubbing};
use crate::model::{Bristles, Friction, Variable};
use crate::scene::schema::Number;

/// What is written of how slip velocity and force belong together.
pub(super) struct Smoothing<'s> {
    /// Name of the contact or joint.
    pub(super) of: &'s str,
    pub(super) r#static: &'s Option<Number>,
    pub(super) stribeck: &'s Option<Number>,
    pub(super) viscous: &'s Option<Number>,
    pub(super) regularized: &'s Option<Number>,
    pub(super) bristles: &'s Option<Number>,
    pub(super) bristle_damping: &'s Option<Number>,
}

/// The same as local numbers.
pub(super) struct Smoothed {
    pub(super) stribeck: Option<usize>,
    pub(super) viscous: Option<usize>,
    pub(super) regularized: Option<usize>,
    pub(super) bristles: Option<Bristles>,
}

impl Build<'_> {
    /// The numbers of a law of friction, with as many bristles as it has directions.
    pub(super) fn smoothed(
        &mut self,
        written: &Smoothing,
        directions: usize,
        draft: &mut Draft,
        site: &Site,
    ) -> Result<Smoothed> {
        refuse_sticking(written, site)?;
        let mut positive = |build: &mut Self, field: &str, number: &Option<Number>| -> Result<Option<usize>> {
            let found = number.as_ref().map(|number| build.positive(site, field, number));
            Ok(found.transpose()?.map(|number| draft.number(number)))
        };
        let stribeck = positive(self, "stribeck", written.stribeck)?;
        let regularized = positive(self, "regularized", written.regularized)?;
        let stiffness = positive(self, "bristles", written.bristles)?;
        let damping = positive(self, "bristle_damping", written.bristle_damping)?;
        let viscous = (written.viscous.as_ref())
            .map(|number| self.not_negative(site, "viscous", Some(number)))
            .transpose()?
            .map(|number| draft.number(number));
        let bristles = match (stiffness, damping) {
            (Some(stiffness), Some(damping)) => Some(Bristles {
                stiffness,
                damping,
                bend: self.standing(written.of, directions, draft),
                still: 0.0,
            }),
            _ => None,
        };
        Ok(Smoothed {
            stribeck,
            viscous,
            regularized,
            bristles,
        })
    }

    /// The memory that is the bend of bristles of the friction that comes next.
    fn standing(&mut self, of: &str, directions: usize, draft: &mut Draft) -> Vec<usize> {
        let friction = self.model.frictions.len();
        let mut bend = Vec::new();
        for k in 0..directions {
            let name = match directions {
                1 => format!("{of}.bend"),
                _ => format!("{of}.bend_{}", k + 1),
            };
            let (slot, initial) = (self.memory_slots(&[0.0]), self.numbers.constant(0.0, name.clone()));
            bend.push(draft.number(FIRST + slot));
            self.model.variables.push(Variable {
                name,
                slot,
                initial,
                rate: Some(Output {
                    expression: Expression::parse("rate").expect("a name"),
                    arguments: vec![Quantity::Friction(friction, Rubbing::BendRate(k))],
                    earlier: Vec::new(),
                }),
            });
        }
        bend
    }

    /// Bristles need friction to hold them.
    pub(super) fn require_friction(&self, friction: &Friction, site: &Site) -> Result<()> {
        if friction.bristles.is_none() {
            return Ok(());
        }
        let own: Vec<f64> = (friction.local.numbers.iter())
            .map(|&number| self.number_value(number))
            .collect();
        match friction.bounds(self.start, &own).iter().any(|bound| *bound <= 0.0) {
            true => site.at("bristles").refuse(
                "bristles without friction would bend without end",
                "give a positive friction, or leave out the bristles",
            ),
            false => Ok(()),
        }
    }
}

/// What never sticks has no friction of sticking.
fn refuse_sticking(written: &Smoothing, site: &Site) -> Result<()> {
    let refuse = |field: &str, message: String, advice: &str| site.at(field).refuse(message, advice);
    if written.regularized.is_some() {
        for (field, number) in [("static", written.r#static), ("stribeck", written.stribeck)] {
            if number.is_some() {
                let message = format!("`{field}` has no meaning where friction is regularized: nothing sticks");
                return refuse(field, message, "leave it out, or leave out `regularized`");
            }
        }
        if written.bristles.is_some() {
            let message = "friction is either regularized or held by bristles".to_string();
            return refuse("bristles", message, "leave one of them out");
        }
    }
    match (written.bristles, written.bristle_damping) {
        (Some(_), None) => refuse(
            "bristles",
            "bristles need a damping".to_string(),
            "write `bristle_damping` too, such as the square root of the stiffness over the acceleration of gravity",
        ),
        (None, Some(_)) => refuse(
            "bristle_damping",
            "there are no bristles to damp".to_string(),
            "write `bristles` too, or leave it out",
        ),
        (Some(_), _) if written.r#static.is_some() && written.stribeck.is_none() => refuse(
            "static",
            "bristles need to know over which slip velocity friction falls".to_string(),
            "write `stribeck` too, or leave out `static`",
        ),
        _ => Ok(()),
    }
}
