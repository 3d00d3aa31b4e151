//! A stage of an impact with friction as a system of equations over any scalar: its solution is checked elsewhere; what it depends on
//! follows by implicit differentiation (theory, 4.11).

use crate::error::{Error, ErrorKind, Result};
use crate::linear::{Entries, Lu};
use crate::mechanism::Mechanism;
use crate::mechanism::impact_problem::Before;
use crate::model::Matrix;
use crate::model::tangential::{direction, size};
use crate::scalar::{Scalar, each};

/// What a contact does along its normal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mechanism) enum Normal {
    /// Its rate is zero afterwards.
    Held,
    /// A share (number) of its rate comes back.
    Returning(usize),
    /// Others on its face hold it: no impulse of its own.
    Carried,
    /// Its impulse is a share (number) of that of the stage before.
    Expanding(usize),
}

/// What it does along the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mechanism) enum Along {
    /// No impulse.
    Nothing,
    /// Its slip velocity is zero afterwards, or minus a share (number) of that before.
    Stick(Option<usize>),
    /// In space: it keeps a body that another contact on the same face holds from turning; its slip velocity along one of its tangents is as
    /// for [`Along::Stick`].
    Turn(usize, Option<usize>),
    /// In the plane: its impulse is on the edge of the cone, against slip in this direction.
    Slip(i8),
    /// In space: the same against the slip velocity afterwards, with a share (number) of that before.
    SlipInSpace(Option<usize>),
}

/// Where the normal impulse of a contact is found among those of a stage.
#[derive(Clone, Debug, Default)]
pub(in crate::mechanism) struct Pressing {
    /// Contacts on its face that share what they take; empty where it takes its own.
    pub feet: Vec<usize>,
    /// Contacts with an impulse of their own, and the places of these.
    pub taking: Vec<(usize, usize)>,
}

/// A contact that takes an impulse.
#[derive(Clone, Debug)]
pub(in crate::mechanism) struct Struck {
    pub contact: usize,
    pub friction: Option<usize>,
    pub normal: Normal,
    pub along: Along,
    /// What presses it.
    pub pressing: Pressing,
    /// What pressed it in the stage before.
    pub earlier: Option<Pressing>,
}

/// A stage as solved.
#[derive(Clone, Debug)]
pub(in crate::mechanism) struct Stage {
    /// Rows of constraints that hold.
    pub bilateral: Vec<(usize, usize)>,
    pub struck: Vec<Struck>,
    /// Frictions of joints that take part, and what they do; nothing where other rows imply that they stick.
    pub joints: Vec<(usize, Along)>,
    /// Velocities before.
    pub before: Vec<f64>,
    /// Velocities after, and an impulse per equation.
    pub unknowns: Vec<f64>,
    /// All contacts of the impact, and whether they bounce; of the first stage.
    pub parties: Vec<(usize, bool)>,
    /// Factors of the matrix, and of its transpose, once it is to be differentiated.
    pub factors: Option<Box<[Lu; 2]>>,
}

/// An equation with an impulse of its own: row v+ + sum of coefficients times impulses = target.
struct Equation<S> {
    column: Entries<S>,
    row: Entries<S>,
    impulses: Vec<(usize, S)>,
    target: S,
    /// What the coefficients of its impulses change with the velocities afterwards.
    bends: Entries<f64>,
}

impl<S: Scalar> Equation<S> {
    /// A velocity along a row that is zero.
    fn held(row: Entries<S>) -> Self {
        Self {
            column: row.clone(),
            row,
            impulses: Vec::new(),
            target: S::from(0.0),
            bends: Entries::default(),
        }
    }
}

impl Mechanism {
    fn equations<S: Scalar>(
        &self,
        stage: &Stage,
        before: Before<S>,
        earlier: &[S],
        unknowns: &[S],
    ) -> Vec<Equation<S>> {
        let Before { t, q, v, numbers } = before;
        let mut found: Vec<Equation<S>> = Vec::new();
        for &(constraint, row) in &stage.bilateral {
            let over = self.model.rows_over(constraint, t, q, v, numbers).swap_remove(row);
            found.push(Equation {
                target: -over.c_t,
                ..Equation::held(over.row)
            });
        }
        for struck in &stage.struck {
            let normal = found.len();
            let gap = self.model.contacts[struck.contact].gap;
            let over = self.model.rows_over(gap, t, q, v, numbers).swap_remove(0);
            let mut equation = Equation {
                target: -over.c_t,
                ..Equation::held(over.row)
            };
            match struck.normal {
                Normal::Held | Normal::Carried => {}
                Normal::Returning(e) => equation.target -= numbers[e] * over.rate,
                Normal::Expanding(e) => {
                    equation.row = Entries::with_capacity(0);
                    equation.impulses.push((normal, S::from(1.0)));
                    let pressing = struck
                        .earlier
                        .iter()
                        .flat_map(|pressing| self.pressing(struck.contact, pressing, (q, numbers)));
                    equation.target =
                        pressing.fold(S::from(0.0), |sum, (k, share)| sum + numbers[e] * share * earlier[k]);
                }
            }
            found.extend(Some(equation).filter(|_| struck.normal != Normal::Carried));
            let first = if struck.normal == Normal::Carried {
                normal
            } else {
                normal + 1
            };
            found.extend(self.along_equations(struck, first, before, unknowns));
        }
        for &(friction, along) in &stage.joints {
            let rows = self.slip_rows(friction, q, numbers);
            match along {
                Along::Slip(sign) => {
                    found.extend(self.rubbing_equation((friction, sign), rows, found.len(), (stage, unknowns), before))
                }
                Along::Nothing => {}
                _ => found.extend(rows.into_iter().map(Equation::held)),
            }
        }
        found
    }

    /// The equation of a joint that slips, of an index: its impulse is in proportion to what those of its rows press.
    fn rubbing_equation<S: Scalar>(
        &self,
        (friction, sign): (usize, i8),
        mut rows: Vec<Entries<S>>,
        own: usize,
        (stage, unknowns): (&Stage, &[S]),
        before: Before<S>,
    ) -> Option<Equation<S>> {
        let Before { q, numbers, .. } = before;
        let law = &self.model.frictions[friction];
        let coefficient = law.local.pick_numbers(numbers)[law.coefficients[1]];
        let place = |constraint: usize, k: usize| stage.bilateral.iter().position(|row| *row == (constraint, k));
        let impulse = |constraint: usize, k: usize| {
            place(constraint, k).map_or(S::from(0.0), |place| unknowns[self.model.nv() + place])
        };
        let slopes = self.model.impulse_slopes(friction, q, numbers, &impulse);
        let pressed = slopes.into_iter().flatten().filter_map(|(constraint, k, slope)| {
            let slope = slope * coefficient * f64::from(sign);
            Some((place(constraint, k)?, slope))
        });
        let impulses = pressed.chain([(own, S::from(1.0))]).collect();
        let column = rows.pop()?;
        Some(Equation {
            column,
            row: Entries::with_capacity(0),
            impulses,
            target: S::from(0.0),
            bends: Entries::default(),
        })
    }

    /// Places of normal impulses among those of a stage that press a contact, with its share of each.
    fn pressing<S: Scalar>(&self, contact: usize, pressing: &Pressing, place: (&[S], &[S])) -> Vec<(usize, S)> {
        let Pressing { feet, taking } = pressing;
        if feet.is_empty() {
            return taking.iter().map(|(_, place)| (*place, S::from(1.0))).collect();
        }
        let shares = self
            .model
            .impulse_shares(contact, feet, taking.iter().map(|(other, _)| *other), place);
        taking.iter().map(|(_, place)| *place).zip(shares).collect()
    }

    /// The equations along the surface of a contact, of which the first has this place.
    fn along_equations<S: Scalar>(
        &self,
        struck: &Struck,
        first: usize,
        before: Before<S>,
        unknowns: &[S],
    ) -> Vec<Equation<S>> {
        let Some(index) = struck.friction.filter(|_| struck.along != Along::Nothing) else {
            return Vec::new();
        };
        let friction = &self.model.frictions[index];
        let Before { t, q, v, numbers } = before;
        let rows = self.tangential_rows(struck.contact, q, numbers);
        let own = friction.local.pick_numbers(numbers);
        let at_rest = self.model.slip_at_rest(index, t, q, numbers);
        let share = match struck.along {
            Along::Stick(share) | Along::Turn(_, share) | Along::SlipInSpace(share) => share.map(|share| own[share]),
            _ => None,
        };
        // What comes back of the slip before.
        let back: [S; 2] = each(|k| match (share, rows.get(k)) {
            (Some(share), Some(row)) => (row.dot(v) + at_rest[k]) * share,
            _ => S::from(0.0),
        });
        let coefficient = own[friction.coefficients[1]];
        let mut found: Vec<Equation<S>> = rows.iter().map(|row| Equation::held(row.clone())).collect();
        match struck.along {
            Along::Nothing => {}
            Along::Stick(_) => {
                for (k, equation) in found.iter_mut().enumerate() {
                    equation.target = -at_rest[k] - back[k];
                }
            }
            Along::Turn(k, _) => {
                found.swap(0, k);
                found.truncate(1);
                found[0].target = -at_rest[k] - back[k];
            }
            Along::Slip(sign) => {
                found[0].row = Entries::with_capacity(0);
                let pressing = self
                    .pressing(struck.contact, &struck.pressing, (q, numbers))
                    .into_iter();
                let dry = pressing.map(|(place, share)| (place, share * coefficient * f64::from(sign)));
                found[0].impulses = [(first, S::from(1.0))].into_iter().chain(dry).collect();
            }
            Along::SlipInSpace(_) => {
                let (nv, after) = (self.model.nv(), |i: usize| unknowns[i]);
                let slip: [S; 2] = each(|k| rows[k].dot_by(after) + at_rest[k] + back[k]);
                let (along, speed) = (direction(slip), size(slip).re());
                let pressing = self.pressing(struck.contact, &struck.pressing, (q, numbers));
                let part =
                    |(place, share): &(usize, S)| unknowns.get(nv + place).map_or(0.0, |own| own.re() * share.re());
                let most = coefficient.re() * pressing.iter().map(part).sum::<f64>();
                for (k, equation) in found.iter_mut().enumerate() {
                    equation.row = Entries::with_capacity(0);
                    let dry = pressing
                        .iter()
                        .map(|&(place, share)| (place, share * coefficient * along[k]));
                    equation.impulses = [(first + k, S::from(1.0))].into_iter().chain(dry).collect();
                    equation.bends = bends(k, along.map(|x| x.re()), &rows, most / speed);
                }
            }
        }
        found
    }

    /// The equations of a stage at unknowns, with the impulses of the stage before.
    pub(in crate::mechanism) fn stage_residual<S: Scalar>(
        &self,
        stage: &Stage,
        before: Before<S>,
        earlier: &[S],
        unknowns: &[S],
    ) -> Vec<S> {
        let (after, impulses) = unknowns.split_at(before.v.len());
        let change: Vec<S> = after
            .iter()
            .zip(before.v)
            .map(|(after, before)| *after - *before)
            .collect();
        let mut residual = self
            .model
            .momentum_by_velocities(before.q, &change, before.numbers)
            .to_vec();
        let equations = self.equations(stage, before, earlier, unknowns);
        for (equation, impulse) in equations.iter().zip(impulses) {
            equation.column.add_to(-*impulse, &mut residual);
        }
        residual.extend(equations.iter().map(|equation| {
            let of_impulses = equation.impulses.iter().map(|(k, slope)| *slope * impulses[*k]);
            of_impulses.fold(equation.row.dot(after) - equation.target, |sum, part| sum + part)
        }));
        residual
    }

    /// Factors the matrix of a stage, and its transpose, at the place of the impact.
    ///
    /// # Errors
    /// Kind `Singular` where it has no unique outcome.
    pub(super) fn factor_stage(
        &self,
        stage: &mut Stage,
        mass: &Matrix,
        (t, q, numbers): (f64, &[f64], &[f64]),
    ) -> Result<()> {
        let before = Before {
            t,
            q,
            v: &stage.before,
            numbers,
        };
        let zeros = vec![0.0; stage.unknowns.len()];
        let equations = self.equations(stage, before, &zeros, &stage.unknowns);
        let nv = self.model.nv();
        let n = nv + equations.len();
        let mut matrix = vec![0.0; n * n];
        for i in 0..nv {
            mass.row(i).add_to(1.0, &mut matrix[i * n..][..nv]);
        }
        for (k, equation) in equations.iter().enumerate() {
            equation
                .column
                .iter()
                .for_each(|(i, entry)| matrix[i * n + nv + k] -= entry);
            equation
                .row
                .iter()
                .for_each(|(j, entry)| matrix[(nv + k) * n + j] += entry);
            (equation.impulses.iter()).for_each(|(j, entry)| matrix[(nv + k) * n + nv + j] += entry);
            equation.bends.add_to(1.0, &mut matrix[(nv + k) * n..][..nv]);
        }
        let mut both = [Lu::new(n), Lu::new(n)];
        both[0].matrix_mut(n).copy_from_slice(&matrix);
        let transposed = both[1].matrix_mut(n);
        for (k, entry) in matrix.iter().enumerate() {
            transposed[(k % n) * n + k / n] = *entry;
        }
        let singular = |_| Error::new(ErrorKind::Singular, "an impact with friction has no unique outcome").at_time(t);
        for lu in &mut both {
            lu.balance(nv);
            lu.factor().map_err(singular)?;
        }
        stage.factors = Some(Box::new(both));
        Ok(())
    }

    /// The unknowns of a factored stage whose equations are linear, from zeros.
    pub(super) fn solved_stage(&self, stage: &Stage, before: Before<f64>) -> Vec<f64> {
        let mut right: Vec<f64> = (self.stage_residual(stage, before, &[], &stage.unknowns).iter())
            .map(|value| -value)
            .collect();
        if let Some(factors) = &stage.factors {
            factors[0].clone().solve(&mut right);
        }
        right
    }
}

/// Entries of (1 - s s^T) D, one row, times a factor.
fn bends<S: Scalar>(k: usize, along: [f64; 2], rows: &[Entries<S>], factor: f64) -> Entries<f64> {
    let mut found = Entries::default();
    for (l, row) in rows.iter().enumerate() {
        let own = f64::from(u8::from(k == l)) - along[k] * along[l];
        row.re()
            .iter()
            .for_each(|(j, entry)| found.add(j, factor * own * entry));
    }
    found
}
