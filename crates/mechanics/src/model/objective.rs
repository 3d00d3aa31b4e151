//! Scalars of the whole motion.

use super::quantity::Output;
use super::{Formula, FormulaArgument, Model};
use crate::scalar::Scalar;

/// A scalar of the whole motion: sum of coefficient times term.
#[derive(Clone, Debug)]
pub struct Objective {
    /// Name in the scene.
    pub name: String,
    /// Terms.
    pub terms: Vec<Term>,
    /// Whether its gradient is wanted, rather than only its value for the formulas that name it.
    pub wanted: bool,
}

/// A term of an [`Objective`]; coefficients are numbers.
#[derive(Clone, Debug)]
pub enum Term {
    /// Coefficient times the final value of the integrand or expression.
    Final {
        /// Product of these numbers.
        coefficient: Vec<usize>,
        /// Expression.
        value: Output,
    },
    /// Coefficient times the time integral of the expression.
    Integral {
        /// Product of these numbers.
        coefficient: Vec<usize>,
        /// Index of the quadrature among [`Model::integrands`].
        integrand: usize,
    },
    /// Coefficient times the sum of an expression over events.
    AtEvents {
        /// Product of these numbers.
        coefficient: Vec<usize>,
        /// Index among [`Model::event_sums`].
        sum: usize,
    },
    /// Coefficient times the greatest or least value of an expression.
    Peak {
        /// Product of these numbers.
        coefficient: Vec<usize>,
        /// Index among [`Model::peaks`].
        peak: usize,
    },
    /// Coefficient times the value of an expression at a given time.
    At {
        /// Product of these numbers.
        coefficient: Vec<usize>,
        /// Index among [`Model::readings`].
        reading: usize,
    },
    /// Coefficient times a formula of other objectives.
    Formula {
        /// Product of these numbers.
        coefficient: Vec<usize>,
        /// Index among [`Model::formulas`].
        formula: usize,
    },
    /// Coefficient times the weighted squared differences from measured data.
    Fit {
        /// Product of these numbers.
        coefficient: Vec<usize>,
        /// Index among [`Model::fits`].
        fit: usize,
    },
}

/// Side of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Just before it.
    Before,
    /// Just after it.
    After,
}

/// One of several events of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occurrence {
    /// The one with this number, counted from 1.
    Number(usize),
    /// The last one of the motion.
    Last,
}

/// An expression that is summed over events, or taken at one of them.
#[derive(Clone, Debug)]
pub struct EventSum {
    /// Name of the objective.
    pub objective: String,
    /// Names that the events have in reports: a scene event, or a contact with its sides.
    pub names: Vec<String>,
    /// The kind of these events in reports; any when none.
    pub kind: Option<String>,
    /// Which one of them it is taken at; all when none.
    pub occurrence: Option<Occurrence>,
    /// On which side of the event the expression is taken.
    pub side: Side,
    /// The expression.
    pub value: Output,
}

/// An expression whose greatest or least value over the motion is taken.
#[derive(Clone, Debug)]
pub struct Peak {
    /// Name of the objective.
    pub objective: String,
    /// The expression.
    pub value: Output,
    /// Whether the greatest value is meant, rather than the least.
    pub greatest: bool,
}

/// An expression whose value at a given time is taken.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Name of the objective.
    pub objective: String,
    /// Number: the time (s).
    pub time: usize,
    /// The expression.
    pub value: Output,
}

impl Peak {
    /// The sign that makes it a greatest value.
    pub fn sign(&self) -> f64 {
        if self.greatest { 1.0 } else { -1.0 }
    }
}

impl EventSum {
    /// How many of these events, each a name and a kind, are among those meant.
    pub fn count<'a>(&self, events: impl Iterator<Item = (&'a str, &'a str)>) -> usize {
        let is_named = |name: &str| self.names.iter().any(|meant| meant == name);
        let is_kind = |kind: &str| self.kind.as_ref().is_none_or(|meant| meant == kind);
        events.filter(|(name, kind)| is_named(name) && is_kind(kind)).count()
    }

    /// How often the expression is taken at a jump with so many of its events, after so many before; a last one may still
    /// follow.
    pub fn share(&self, before: usize, here: usize) -> usize {
        match self.occurrence {
            None => here,
            Some(Occurrence::Number(number)) => usize::from((before + 1..=before + here).contains(&number)),
            Some(Occurrence::Last) => here.min(1),
        }
    }
}

impl Term {
    /// Numbers whose product is its coefficient.
    pub fn coefficient(&self) -> &[usize] {
        match self {
            Self::Final { coefficient, .. }
            | Self::Integral { coefficient, .. }
            | Self::AtEvents { coefficient, .. }
            | Self::Peak { coefficient, .. }
            | Self::At { coefficient, .. }
            | Self::Formula { coefficient, .. }
            | Self::Fit { coefficient, .. } => coefficient,
        }
    }

    /// Its coefficient.
    pub fn factor<S: Scalar>(&self, numbers: &[S]) -> S {
        let factors = self.coefficient().iter();
        factors.fold(S::from(1.0), |product, &number| product * numbers[number])
    }

    /// Index of its quadrature, if it has one.
    pub fn integrand(&self) -> Option<usize> {
        match self {
            Self::Integral { integrand, .. } => Some(*integrand),
            _ => None,
        }
    }
}

impl Model {
    /// The objectives in an order in which each comes after those that its formulas name; without those that lead back to
    /// themselves.
    pub fn objective_order(&self) -> Vec<usize> {
        let count = self.objectives.len();
        if self.formulas.is_empty() {
            return (0..count).collect();
        }
        let (mut order, mut ordered) = (Vec::new(), vec![false; count]);
        loop {
            let ready = |&user: &usize| !ordered[user] && self.named_by(user).all(|named| ordered[named]);
            let ready: Vec<usize> = (0..count).filter(ready).collect();
            if ready.is_empty() {
                return order;
            }
            ready.iter().for_each(|&user| ordered[user] = true);
            order.extend(ready);
        }
    }

    /// Values of all objectives, from those of their terms other than formulas.
    pub fn objective_values<S: Scalar>(&self, numbers: &[S], value: impl Fn(&Term) -> S) -> Vec<S> {
        let mut values = vec![S::from(0.0); self.objectives.len()];
        for objective in self.objective_order() {
            let mut sum = S::from(0.0);
            for term in &self.objectives[objective].terms {
                let value = match term {
                    Term::Formula { formula, .. } => self.formulas[*formula].evaluate(&values, numbers),
                    _ => value(term),
                };
                sum += term.factor(numbers) * value;
            }
            values[objective] = sum;
        }
        values
    }

    /// Derivatives of an objective by the objectives that it is made of, itself included, through their formulas: pairs of an
    /// objective and a derivative. What is left to differentiate are their other terms, the factors and the parameters in
    /// formulas.
    pub fn objective_weights(&self, objective: usize, values: &[f64], numbers: &[f64]) -> Vec<(usize, f64)> {
        let mut weights = vec![0.0; self.objectives.len()];
        weights[objective] = 1.0;
        for user in self.objective_order().into_iter().rev() {
            let outer = weights[user];
            for term in &self.objectives[user].terms {
                let Term::Formula { formula, .. } = term else { continue };
                if outer == 0.0 {
                    continue;
                }
                let weight = outer * term.factor(numbers);
                for (argument, slope) in self.formulas[*formula].slopes(values, numbers) {
                    if let FormulaArgument::Objective(named) = argument {
                        weights[named] += weight * slope;
                    }
                }
            }
        }
        let weights = weights.into_iter().enumerate();
        weights.filter(|(_, weight)| *weight != 0.0).collect()
    }

    /// Objectives that the formulas of an objective name.
    pub fn named_by(&self, objective: usize) -> impl Iterator<Item = usize> {
        let formulas = self.objectives[objective].terms.iter().filter_map(|term| match term {
            Term::Formula { formula, .. } => Some(&self.formulas[*formula]),
            _ => None,
        });
        formulas.flat_map(Formula::objectives)
    }

    /// Leaves out all objectives but the wanted ones and those that they are made of, whose gradients are not wanted; returns
    /// which stay.
    pub(crate) fn want_objectives(&mut self, wanted: impl Fn(&str) -> bool) -> Vec<bool> {
        let mut kept: Vec<bool> = self
            .objectives
            .iter()
            .map(|objective| wanted(&objective.name))
            .collect();
        for user in self.objective_order().into_iter().rev() {
            if kept[user] {
                self.named_by(user)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .for_each(|named| kept[named] = true);
            }
        }
        let mut count = 0..;
        let places: Vec<Option<usize>> = kept.iter().map(|kept| kept.then(|| count.next()).flatten()).collect();
        self.formulas.iter_mut().for_each(|formula| formula.renumber(&places));
        let mut stays = kept.iter();
        self.objectives.retain_mut(|objective| {
            objective.wanted &= wanted(&objective.name);
            stays.next().is_some_and(|stays| *stays)
        });
        kept
    }
}
