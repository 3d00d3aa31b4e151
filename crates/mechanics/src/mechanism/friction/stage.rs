//! A stage of an impact with friction as a system of equations over any scalar: its solution is checked elsewhere; what it depends on
//! follows by implicit differentiation (theory, 4.11).

use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::Tangent;
use crate::linear::{Entries, Lu, dot};
use crate::mechanism::Mechanism;
use crate::mechanism::impact_problem::Before;
use crate::model::Matrix;
use crate::model::local::Local;
use crate::scalar::{Dual64, Scalar};

/// What a contact does along its normal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mechanism) enum Normal {
    /// Its rate is zero afterwards.
    Held,
    /// A share (number) of its rate comes back.
    Returning(usize),
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
    /// Its impulse is on the edge of the cone, against slip in this direction.
    Slip(i8),
}

/// A contact that takes an impulse.
#[derive(Clone, Copy, Debug)]
pub(in crate::mechanism) struct Struck {
    pub contact: usize,
    pub friction: Option<usize>,
    pub normal: Normal,
    pub along: Along,
    /// Place of its normal impulse among those of the stage before.
    pub earlier: Option<usize>,
}

/// A stage as solved.
#[derive(Clone, Debug)]
pub(in crate::mechanism) struct Stage {
    /// Rows of constraints that hold.
    pub bilateral: Vec<(usize, usize)>,
    pub struck: Vec<Struck>,
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
}

impl Mechanism {
    fn equations<S: Scalar>(&self, stage: &Stage, before: Before<S>, earlier: &[S]) -> Vec<Equation<S>> {
        let Before { t, q, v, numbers } = before;
        let mut found: Vec<Equation<S>> = Vec::new();
        for &(constraint, row) in &stage.bilateral {
            let over = self.model.rows_over(constraint, t, q, v, numbers).swap_remove(row);
            found.push(Equation {
                column: over.row.clone(),
                row: over.row,
                impulses: Vec::new(),
                target: -over.c_t,
            });
        }
        for struck in &stage.struck {
            let normal = found.len();
            let gap = self.model.contacts[struck.contact].gap;
            let over = self.model.rows_over(gap, t, q, v, numbers).swap_remove(0);
            let mut equation = Equation {
                column: over.row.clone(),
                row: over.row,
                impulses: Vec::new(),
                target: -over.c_t,
            };
            match struck.normal {
                Normal::Held => {}
                Normal::Returning(e) => equation.target -= numbers[e] * over.rate,
                Normal::Expanding(e) => {
                    equation.row = Entries::with_capacity(0);
                    equation.impulses.push((normal, S::from(1.0)));
                    equation.target = struck.earlier.map_or(S::from(0.0), |k| numbers[e] * earlier[k]);
                }
            }
            found.push(equation);
            found.extend(self.along_equation(struck, normal, before));
        }
        found
    }

    fn along_equation<S: Scalar>(&self, struck: &Struck, normal: usize, before: Before<S>) -> Option<Equation<S>> {
        let friction = &self.model.frictions[struck.friction?];
        let Before { t, q, v, numbers } = before;
        let row = self.tangential_rows(struck.contact, q, numbers).into_iter().next()?;
        let own = friction.local.pick_numbers(numbers);
        let mut equation = Equation {
            column: row.clone(),
            row,
            impulses: Vec::new(),
            target: S::from(0.0),
        };
        match struck.along {
            Along::Nothing => return None,
            Along::Stick(share) => {
                let speed = friction
                    .speed
                    .as_ref()
                    .map_or(S::from(0.0), |speed| speed.evaluate(t, &own));
                let slip = equation.row.dot(v) - speed;
                let back = share.map_or(S::from(0.0), |share| slip * own[share]);
                equation.target = speed - back;
            }
            Along::Slip(sign) => {
                equation.row = Entries::with_capacity(0);
                let coefficient = own[friction.coefficients[1]] * f64::from(sign);
                equation.impulses = vec![(normal + 1, S::from(1.0)), (normal, coefficient)];
            }
        }
        Some(equation)
    }

    fn stage_residual<S: Scalar>(&self, stage: &Stage, before: Before<S>, earlier: &[S]) -> Vec<S> {
        let nv = before.v.len();
        let (after, impulses) = stage.unknowns.split_at(nv);
        let change: Vec<S> = after
            .iter()
            .zip(before.v)
            .map(|(after, before)| -*before + *after)
            .collect();
        let mut residual = self.model.momentum_over(before.q, &change, before.numbers);
        let equations = self.equations(stage, before, earlier);
        for (equation, impulse) in equations.iter().zip(impulses) {
            equation.column.add_to(S::from(-impulse), &mut residual);
        }
        let velocities: Vec<S> = after.iter().map(|v| S::from(*v)).collect();
        residual.extend(equations.iter().map(|equation| {
            let of_impulses = equation.impulses.iter().map(|(k, slope)| *slope * impulses[*k]);
            of_impulses.fold(equation.row.dot(&velocities) - equation.target, |sum, part| sum + part)
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
        let equations = self.equations(stage, before, &zeros);
        let (nv, n) = (q.len(), q.len() + equations.len());
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
        }
        let mut both = [Lu::new(n), Lu::new(n)];
        both[0].matrix_mut(n).copy_from_slice(&matrix);
        let transposed = both[1].matrix_mut(n);
        for (k, entry) in matrix.iter().enumerate() {
            transposed[(k % n) * n + k / n] = *entry;
        }
        let singular = |_| Error::new(ErrorKind::Singular, "an impact with friction has no unique outcome").at_time(t);
        both[0].factor().map_err(singular)?;
        both[1].factor().map_err(singular)?;
        stage.factors = Some(Box::new(both));
        Ok(())
    }

    /// Derivative of the velocities after all stages along a direction, over which positions and numbers are duals.
    pub(in crate::mechanism) fn stages_jvp(
        &self,
        stages: &[Stage],
        t: Dual64,
        (q, numbers): (&[Dual64], &[Dual64]),
        along: &Tangent,
        out: &mut [f64],
    ) {
        let nv = self.model.nv();
        let (mut slopes, mut earlier) = (along.x[self.velocities()].to_vec(), Vec::new());
        for stage in stages {
            let v: Vec<Dual64> = (stage.before.iter().zip(&slopes))
                .map(|(v, slope)| Dual64::new(*v, *slope))
                .collect();
            let before = Before { t, q, v: &v, numbers };
            let residual = self.stage_residual(stage, before, &earlier);
            let mut right: Vec<f64> = residual.iter().map(|value| -value.eps).collect();
            if let Some(factors) = &stage.factors {
                factors[0].clone().solve(&mut right);
            }
            let impulses = stage.unknowns[nv..].iter().zip(&right[nv..]);
            earlier = impulses.map(|(impulse, slope)| Dual64::new(*impulse, *slope)).collect();
            right.truncate(nv);
            slopes = right;
        }
        out[self.velocities()].copy_from_slice(&slopes);
    }

    /// Replaces the costate of the velocities after all stages in `x_bar` by that of the state before, and adds to that of the numbers.
    pub(in crate::mechanism) fn stages_vjp(
        &self,
        stages: &[Stage],
        (t, q, numbers): (f64, &[f64], &[f64]),
        (x_bar, numbers_bar): (&mut [f64], &mut [f64]),
    ) {
        let nv = self.model.nv();
        let mut of_velocities = x_bar[self.velocities()].to_vec();
        let mut of_impulses = Vec::new();
        for (k, stage) in stages.iter().enumerate().rev() {
            let mut weights = of_velocities;
            weights.extend_from_slice(&of_impulses);
            weights.resize(stage.unknowns.len(), 0.0);
            if let Some(factors) = &stage.factors {
                factors[1].clone().solve(&mut weights);
            }
            let impulses = k.checked_sub(1).map_or(&[][..], |k| &stages[k].unknowns[nv..]);
            let mut lifted = Lifted::new(t, q, &stage.before, numbers, impulses);
            let slope = |lifted: &Lifted| {
                let residual = self.stage_residual(stage, lifted.before(), &lifted.earlier);
                -dot(&weights, &residual.iter().map(|value| value.eps).collect::<Vec<f64>>())
            };
            for (i, bar) in x_bar[self.positions()].iter_mut().enumerate() {
                *bar += lifted.pass(|lifted| &mut lifted.q[i], slope);
            }
            for number in self.numbers_of(stage) {
                numbers_bar[number] += lifted.pass(|lifted| &mut lifted.numbers[number], slope);
            }
            of_velocities = (0..nv).map(|i| lifted.pass(|lifted| &mut lifted.v[i], slope)).collect();
            of_impulses = (0..impulses.len())
                .map(|i| lifted.pass(|lifted| &mut lifted.earlier[i], slope))
                .collect();
        }
        x_bar[self.velocities()].copy_from_slice(&of_velocities);
    }

    /// Numbers with derivatives that a stage reads.
    fn numbers_of(&self, stage: &Stage) -> Vec<usize> {
        let model = &self.model;
        let mut found: Vec<usize> = Vec::new();
        let mut take = |local: &Local| found.extend(&local.numbers);
        model.bodies.iter().for_each(|body| take(&body.local));
        for (constraint, _) in &stage.bilateral {
            take(&model.constraints[*constraint].local);
        }
        for struck in &stage.struck {
            take(&model.constraints[model.contacts[struck.contact].gap].local);
            struck
                .friction
                .iter()
                .for_each(|&friction| take(&model.frictions[friction].local));
        }
        found.extend(stage.struck.iter().filter_map(|struck| match struck.normal {
            Normal::Held => None,
            Normal::Returning(e) | Normal::Expanding(e) => Some(e),
        }));
        found.sort_unstable();
        found.dedup();
        found.retain(|&number| model.is_fed(number));
        found
    }
}

/// Arguments of a stage as dual numbers.
struct Lifted {
    t: Dual64,
    q: Vec<Dual64>,
    v: Vec<Dual64>,
    numbers: Vec<Dual64>,
    earlier: Vec<Dual64>,
}

impl Lifted {
    fn new(t: f64, q: &[f64], v: &[f64], numbers: &[f64], earlier: &[f64]) -> Self {
        let lift = |values: &[f64]| values.iter().map(|value| Dual64::from(*value)).collect();
        Self {
            t: Dual64::from(t),
            q: lift(q),
            v: lift(v),
            numbers: lift(numbers),
            earlier: lift(earlier),
        }
    }

    fn before(&self) -> Before<'_, Dual64> {
        Before {
            t: self.t,
            q: &self.q,
            v: &self.v,
            numbers: &self.numbers,
        }
    }

    /// A value along one of the arguments.
    fn pass(&mut self, argument: impl Fn(&mut Self) -> &mut Dual64, value: impl Fn(&Self) -> f64) -> f64 {
        argument(self).eps = 1.0;
        let found = value(self);
        argument(self).eps = 0.0;
        found
    }
}
