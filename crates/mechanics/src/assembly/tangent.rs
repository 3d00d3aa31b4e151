//! Derivative of the assembled state, by implicit differentiation of the optimality conditions (theory, section 5).

use crate::in_dimension;
use nalgebra::DVector;

use super::positions::weight;
use super::system::{Curved, System, free_jacobian, independent, nearest_combination};
use super::velocities::{free_velocities, velocity_weights};
use crate::error::{Error, ErrorKind, Result};
use crate::formulation::Corrections;
use crate::linear::max_abs;
use crate::model::constraint::Direction;
use crate::model::residual::{Instant, ResidualAlong};
use crate::model::{Mode, Model, Start, Terms};

/// Imbalance of the optimality conditions, over the size of the coordinates, up to which the result counts as nearest: far
/// above what the last Newton step leaves.
const OPTIMAL: f64 = 1e-7;

/// One of the two problems: factors over the free coordinates and the independent rows, and its multipliers.
pub(super) struct Problem {
    pub free: Vec<usize>,
    pub rows: Vec<usize>,
    system: System,
    /// One multiplier per row of the mode.
    pub multipliers: Vec<f64>,
}

/// The assembly of a model linearized at its result, for many directions.
pub struct AssemblyTangent<'a> {
    pub(super) model: &'a Model,
    pub(super) mode: Mode,
    pub(super) t: f64,
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    /// The constraints' terms at the result.
    pub(super) terms: Terms,
    /// The mode and the terms by which positions are assembled.
    pub(super) closing: (Mode, Terms),
    pub(super) positions: Problem,
    pub(super) velocities: Problem,
}

/// Slopes of the constraints along a direction.
struct Slopes {
    /// d(C^T multipliers), nv.
    force: Vec<f64>,
    /// dc, one per row.
    c: Vec<f64>,
    /// d(c'), one per row.
    rate: Vec<f64>,
}

impl<'a> AssemblyTangent<'a> {
    /// Linearizes the assembly at its result.
    ///
    /// # Errors
    /// Kind `Assembly` when the result is not a regular solution: it does not depend smoothly on the numbers.
    pub fn new(model: &'a Model, t: f64, q: &[f64], v: &[f64]) -> Result<Self> {
        let mode = Mode::initial(model);
        let mut terms = Terms::new(model);
        model.assemble_constraints(t, q, v, &mode, &mut terms);
        let numbers = &terms.numbers;
        let weights =
            |free: &[usize], of: &dyn Fn(usize) -> f64| DVector::from_iterator(free.len(), free.iter().map(|&i| of(i)));
        let free: Vec<usize> = (0..q.len()).filter(|&i| !model.coordinates[i].held).collect();
        let pull = weights(&free, &|i| {
            let guess = match model.coordinates[i].start {
                Start::Number(number) => numbers[number],
                _ => q[i],
            };
            weight(model, i) * (guess - q[i])
        });
        let closing = (mode.closing(model), by_positions(model, &mode, t, [q, v]));
        let curved = Curved {
            model,
            mode: &mode,
            t,
            q,
            numbers,
        };
        let of_positions = Curved {
            mode: &closing.0,
            ..curved
        };
        let positions = Problem::new(&of_positions, &closing.1, free, |i| weight(model, i), &pull, true)?;
        let (free, of_velocity) = (free_velocities(model), velocity_weights(model));
        let pull = weights(&free, &|i| -of_velocity(i) * v[i]);
        let velocities = Problem::new(&curved, &terms, free, of_velocity, &pull, false)?;
        Ok(Self {
            model,
            t,
            q: q.to_vec(),
            v: v.to_vec(),
            terms,
            closing,
            positions,
            velocities,
            mode,
        })
    }

    /// Time of the assembly.
    pub fn t(&self) -> f64 {
        self.t
    }

    /// dq and dv along a direction in time and numbers (without memory).
    pub fn along(&self, dt: f64, numbers: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut numbers = numbers.to_vec();
        numbers.resize(self.terms.numbers.len(), 0.0);
        self.model.start_variables(&mut numbers);
        let zero = vec![0.0; self.q.len()];
        let mut dq = zero.clone();
        for (slot, coordinate) in dq.iter_mut().zip(&self.model.coordinates) {
            if let (true, Start::Number(number)) = (coordinate.held, &coordinate.start) {
                *slot = numbers[*number];
            }
        }
        let slopes = self.curved(&self.closing.0).slopes(
            &zero,
            &self.positions.multipliers,
            &Direction {
                t: dt,
                q: &dq,
                v: &zero,
                numbers: &numbers,
            },
        );
        let pull = |i: usize| match self.model.coordinates[i].start {
            Start::Number(number) => weight(self.model, i) * numbers[number],
            _ => 0.0,
        };
        self.positions
            .solve(|i| pull(i) - slopes.force[i], |row| -slopes.c[row], &mut dq);
        let mut dv = vec![0.0; self.v.len()];
        for (slot, speed) in dv.iter_mut().zip(self.model.speeds()) {
            *slot = speed.held.map_or(0.0, |number| numbers[number]);
        }
        let direction = Direction {
            t: dt,
            q: &dq,
            v: &dv,
            numbers: &numbers,
        };
        let slopes = self.slopes_of_rates(&direction);
        let mut found = dv.clone();
        self.velocities
            .solve(|i| -slopes.force[i], |row| -slopes.rate[row], &mut found);
        (dq, found)
    }

    fn curved<'c>(&'c self, mode: &'c Mode) -> Curved<'c> {
        Curved {
            model: self.model,
            mode,
            t: self.t,
            q: &self.q,
            numbers: &self.terms.numbers,
        }
    }

    /// Slopes of the rows over the velocities.
    fn slopes_of_rates(&self, direction: &Direction) -> Slopes {
        let lambda = &self.velocities.multipliers;
        if self.model.frames.is_empty() {
            return self.curved(&self.mode).slopes(&self.v, lambda, direction);
        }
        let at = Instant {
            t: self.t,
            q: &self.q,
            v: &self.v,
            a: &vec![0.0; self.v.len()],
            lambda,
            attitudes: None,
        };
        let (mode, mut along) = (&self.mode, ResidualAlong::new(self.model));
        let force = self.model.push_along(&at, mode, &self.terms, direction, &mut along);
        self.model
            .constraints_along(&at, mode, &self.terms, direction, &mut along);
        Slopes {
            force: force.to_vec(),
            c: along.c[..mode.rows].to_vec(),
            rate: along.rate[..mode.rows].to_vec(),
        }
    }
}

/// The terms of the rows over the coordinates, lengths of quaternions among them.
pub(super) fn by_positions(model: &Model, mode: &Mode, t: f64, [q, v]: [&[f64]; 2]) -> Terms {
    let (closing, mut terms) = (mode.closing(model), Terms::of_positions(model));
    model.assemble_constraints(t, q, &model.coordinate_rates(q, v), &closing, &mut terms);
    terms
}

impl Curved<'_> {
    fn slopes(&self, v: &[f64], lambda: &[f64], direction: &Direction) -> Slopes {
        let rest = vec![0.0; self.q.len()];
        let mut slopes = Slopes {
            force: rest.clone(),
            c: vec![0.0; self.mode.rows],
            rate: vec![0.0; self.mode.rows],
        };
        for (&index, &first) in self.mode.constraints.iter().zip(&self.mode.offsets) {
            let constraint = &self.model.constraints[index];
            let own = &lambda[first..first + constraint.rows];
            let along = in_dimension!(self.model.dimension, D => {
                constraint.along::<D>(self.t, self.q, v, &rest, own, self.numbers, direction)
            });
            constraint.local.scatter_add(&along.force, &mut slopes.force);
            slopes.c[first..first + constraint.rows].copy_from_slice(&along.c[..constraint.rows]);
            slopes.rate[first..first + constraint.rows].copy_from_slice(&along.rate[..constraint.rows]);
        }
        slopes
    }
}

impl Problem {
    /// Multipliers from W^2 (x - guess) + C^T mu = 0 and factors of [[W^2 + (C^T mu)_q, C^T], [C, 0]], the curvature only
    /// for positions.
    fn new(
        curved: &Curved,
        terms: &Terms,
        free: Vec<usize>,
        stiffness: impl Fn(usize) -> f64,
        pull: &DVector<f64>,
        bend: bool,
    ) -> Result<Self> {
        let jacobian = free_jacobian(terms, &free);
        let rows = independent(&jacobian, free.len());
        let multipliers = nearest_combination(&jacobian, &rows, pull).ok_or_else(irregular)?;
        let mut rest = pull.clone();
        for &row in &rows {
            jacobian.row(row).add_to(-multipliers[row], rest.as_mut_slice());
        }
        if bend && !free.is_empty() && rest.amax() > OPTIMAL * (max_abs(curved.q) + pull.amax()) {
            return Err(not_nearest());
        }
        let hessian = curved.hessian(&free, stiffness, bend.then_some(&multipliers));
        let system = System::over(hessian, jacobian, rows.clone()).ok_or_else(irregular)?;
        Ok(Self {
            free,
            rows,
            system,
            multipliers,
        })
    }

    /// Solves for the free coordinates and writes them into `x`.
    fn solve(&self, right: impl Fn(usize) -> f64, target: impl Fn(usize) -> f64, x: &mut [f64]) {
        if let Some(unknowns) = self.solution(right, target) {
            for (&i, value) in self.free.iter().zip(unknowns.iter()) {
                x[i] = *value;
            }
        }
    }

    /// What corrections take; none when there is nothing to solve for.
    pub(super) fn corrections(&self) -> Option<Corrections> {
        self.system.corrections()
    }

    /// Free coordinates followed by multipliers of the rows; none when there is nothing to solve for.
    pub(super) fn solution(&self, right: impl Fn(usize) -> f64, target: impl Fn(usize) -> f64) -> Option<DVector<f64>> {
        let right = DVector::from_iterator(self.free.len(), self.free.iter().map(|&i| right(i)));
        let (x, mu) = self.system.solve(&right, target)?;
        let unknowns = x.iter().chain(mu.iter()).copied();
        Some(DVector::from_iterator(x.len() + mu.len(), unknowns))
    }
}

fn not_nearest() -> Error {
    Error::new(
        ErrorKind::Assembly,
        "the mechanism starts closed, but not nearest to the guesses: its start does not follow the parameters",
    )
    .advise("give guesses that are closer to a closed configuration, or hold coordinates")
}

fn irregular() -> Error {
    Error::new(
        ErrorKind::Assembly,
        "the assembled configuration does not depend smoothly on the parameters",
    )
    .advise("hold one more coordinate: the guess leaves more than one nearest configuration")
}
