//! Positions: minimize |W (q - guess)|^2 / 2 subject to c(t, q) = 0 and the held coordinates.
//!
//! Gauss-Newton steps with damping close the constraints; the nearest closed configuration is then found from there
//! (`nearest`).

use nalgebra::DVector;

use super::failure::stays_open;
use super::system::{Curved, System, free_jacobian};
use super::{bars, openings, relative_opening, spread};
use crate::error::Result;
use crate::model::constraint::ConstraintKind;
use crate::model::marker::{Marker, difference, dot};
use crate::model::{CoordinateKind, Mode, Model, Start, Terms};

/// Damped steps before the search is given up.
const MOST_STEPS: usize = 200;

/// Opening, over the size of the mechanism, of a closed joint.
pub(super) const CLOSED: f64 = 1e-11;

/// Added to the weights, so that coordinates without any are found as well.
pub(super) const LEAST_WEIGHT: f64 = 1e-9;

/// Angle by which held angles are followed in a step.
const SWING: f64 = 0.2;

/// Attempts to turn bars round that point against their angle.
const MOST_TURNS: usize = 4;

/// The problem over the free coordinates.
pub(super) struct Problem<'a> {
    pub model: &'a Model,
    pub mode: &'a Mode,
    pub t: f64,
    /// Free coordinates.
    pub free: Vec<usize>,
    /// Guess, nq.
    pub guess: Vec<f64>,
}

/// Square of the weight of a coordinate's deviation from its guess.
pub(super) fn weight(model: &Model, coordinate: usize) -> f64 {
    model.coordinates[coordinate].weight.powi(2)
}

/// Starting values of all coordinates.
pub(super) fn guess(model: &Model, terms: &Terms) -> Vec<f64> {
    let mut q: Vec<f64> = model
        .coordinates
        .iter()
        .map(|coordinate| match coordinate.start {
            Start::Number(number) => terms.numbers[number],
            _ => 0.0,
        })
        .collect();
    for (i, coordinate) in model.coordinates.iter().enumerate() {
        match coordinate.start {
            Start::Angle(constraint) => {
                let heading = bars::heading(&model.constraints[constraint], &q, &terms.numbers);
                q[i] = heading.map_or(0.0, |(_, d)| d[1].atan2(d[0]));
            }
            Start::Position(constraint) => q[i] = position(model, constraint, &q, &terms.numbers),
            Start::LineFraction(constraint) => q[i] = line_fraction(model, constraint, &q, &terms.numbers),
            Start::Number(_) => {}
        }
    }
    q
}

/// Where a sliding constraint is from its plane, while the coordinate for that is zero.
fn position(model: &Model, constraint: usize, q: &[f64], numbers: &[f64]) -> f64 {
    model.constraints[constraint].value_at::<f64, 3>(0.0, |i| q[i], |i| numbers[i])[0]
}

fn line_fraction(model: &Model, constraint: usize, q: &[f64], numbers: &[f64]) -> f64 {
    let element = &model.constraints[constraint];
    let ConstraintKind::PointAlongLine(line) = &element.kind else {
        return 0.0;
    };
    let (q, numbers) = (
        element.local.gather::<f64>(q),
        element.local.gather_numbers::<f64>(numbers),
    );
    let position = |marker: Marker| -> [f64; 3] { marker.position(&q, &numbers) };
    let a = position(line.a);
    let along = difference(a, position(line.b));
    dot(along, difference(a, position(line.point))) / dot(along, along)
}

/// A closed configuration, and whether it is one nearest to the guess.
pub(super) fn positions(model: &Model, mode: &Mode, t: f64, terms: &mut Terms) -> Result<(Vec<f64>, bool)> {
    let guess = guess(model, terms);
    let free = (0..model.nq()).filter(|&i| !model.coordinates[i].held).collect();
    let problem = Problem {
        model,
        mode,
        t,
        free,
        guess,
    };
    let mut q = problem.search(problem.guess.clone(), terms);
    if !problem.is_closed(&q, terms) {
        let mut laid = problem.guess.clone();
        for (i, coordinate) in model.coordinates.iter().enumerate() {
            if coordinate.kind == CoordinateKind::Angle {
                laid[i] = q[i];
            }
        }
        bars::lay(model, mode, &mut laid, &terms.numbers);
        let laid = problem.search(laid, terms);
        let found = match problem.is_closed(&laid, terms) {
            true => laid,
            false => problem.follow(terms),
        };
        if problem.is_closed(&found, terms) {
            q = found;
        }
    }
    let opening = relative_opening(model, mode, t, &q, &terms.numbers);
    if opening.is_nan() || opening > CLOSED {
        let open = openings(model, mode, t, &q, terms);
        problem.assemble(&q, terms);
        return Err(stays_open((model, mode), &problem.free, &q, &open, terms));
    }
    bars::check(model, mode, &q, &terms.numbers)?;
    let nearest = problem.nearest(&mut q, terms);
    Ok((q, nearest))
}

impl Problem<'_> {
    /// Closes the constraints from a start, with bars turned to the side that their angles point to.
    fn search(&self, mut q: Vec<f64>, terms: &mut Terms) -> Vec<f64> {
        bars::unwind(self.model, self.mode, self.t, &mut q, &terms.numbers);
        self.close(&mut q, terms);
        for attempt in 0..MOST_TURNS {
            if !bars::turn(self.model, self.mode, &mut q, &terms.numbers, attempt) {
                break;
            }
            self.close(&mut q, terms);
        }
        q
    }

    /// Follows the held angles of joints in space from where the guess shows them: at once, they may be closed half a turn away.
    fn follow(&self, terms: &mut Terms) -> Vec<f64> {
        let mut q = self.guess.clone();
        let lags = bars::lags(self.model, self.mode, &q, &terms.numbers);
        let farthest = lags.iter().fold(0.0, |most, (_, lag)| f64::max(most, lag.abs()));
        let steps = (farthest / SWING).ceil();
        for step in 0..=steps as usize {
            let left = 1.0 - step as f64 / steps.max(1.0);
            for &(angle, lag) in &lags {
                q[angle] = self.guess[angle] - lag * left;
            }
            self.close(&mut q, terms);
        }
        q
    }

    pub(super) fn assemble(&self, q: &[f64], terms: &mut Terms) {
        let rest = vec![0.0; q.len()];
        self.model.assemble_constraints(self.t, q, &rest, self.mode, terms);
    }

    /// The system at positions, with the curvature of multipliers.c unless there are none; none when it is singular.
    pub(super) fn system(
        &self,
        q: &[f64],
        terms: &Terms,
        least_weight: f64,
        multipliers: Option<&[f64]>,
    ) -> Option<System> {
        let jacobian = free_jacobian(terms, &self.free);
        let curved = Curved {
            model: self.model,
            mode: self.mode,
            t: self.t,
            q,
            numbers: &terms.numbers,
        };
        let weight = |i| weight(self.model, i) + least_weight;
        let hessian = curved.hessian(&self.free, weight, multipliers);
        System::new(hessian, jacobian)
    }

    pub(super) fn pull_to_guess(&self, q: &[f64]) -> DVector<f64> {
        let pull = |&i: &usize| weight(self.model, i) * (self.guess[i] - q[i]);
        DVector::from_iterator(self.free.len(), self.free.iter().map(pull))
    }

    /// Sum of squared residuals over the length of their rows.
    fn merit(&self, q: &[f64], terms: &mut Terms) -> f64 {
        self.assemble(q, terms);
        (0..terms.rows)
            .map(|row| {
                let length = terms.jacobian.row(row).max_abs().max(1e-300);
                (terms.c[row] / length).powi(2)
            })
            .sum()
    }

    /// Closes the constraints by damped Gauss-Newton steps that stay near the guess; those that end slowly because the
    /// guess pulls hard are followed by steps without that pull.
    fn close(&self, q: &mut [f64], terms: &mut Terms) {
        self.approach(q, true, terms);
        self.approach(q, false, terms);
    }

    pub(super) fn approach(&self, q: &mut [f64], pulled: bool, terms: &mut Terms) {
        let mut merit = self.merit(q, terms);
        for _ in 0..MOST_STEPS {
            let right = if pulled {
                self.pull_to_guess(q)
            } else {
                DVector::zeros(self.free.len())
            };
            let system = self.system(q, terms, LEAST_WEIGHT, None);
            let Some((step, _)) = system.and_then(|system| system.solve(&right, |row| -terms.c[row])) else {
                return;
            };
            let length = self.relative(&step, q, terms);
            let Some(next) = self.descend(q, &step, merit, terms) else {
                return;
            };
            merit = next;
            if length <= 1e-14 {
                return;
            }
        }
    }

    /// The largest change of a step over the size of positions.
    pub(super) fn relative(&self, step: &DVector<f64>, q: &[f64], terms: &Terms) -> f64 {
        let mut change = vec![0.0; q.len()];
        for (&i, value) in self.free.iter().zip(step.iter()) {
            change[i] = *value;
        }
        let (change, size) = (
            self.model.spread(&change, [0.0, 0.0]),
            spread(self.model, q, &terms.numbers),
        );
        let over = |k: usize| if change[k] > 0.0 { change[k] / size[k] } else { 0.0 };
        f64::max(over(0), over(1))
    }

    /// Whether the rows as they were assembled last hold to rounding.
    fn is_closed_to_rounding(&self, q: &[f64], terms: &Terms) -> bool {
        let size = spread(self.model, q, &terms.numbers);
        (0..terms.rows)
            .all(|row| terms.c[row].abs() <= 1e-14 * self.model.reach(terms.jacobian.row(row).entries(), size))
    }

    /// Longest of the step, its half, its quarter, ... that lowers the merit (or keeps it at rounding); none if none does.
    fn descend(&self, q: &mut [f64], step: &DVector<f64>, merit: f64, terms: &mut Terms) -> Option<f64> {
        let start = q.to_vec();
        let mut fraction = 1.0;
        for _ in 0..30 {
            for (k, &i) in self.free.iter().enumerate() {
                q[i] = start[i] + fraction * step[k];
            }
            let next = self.merit(q, terms);
            if next < merit || self.is_closed_to_rounding(q, terms) {
                return Some(next);
            }
            fraction *= 0.5;
        }
        q.copy_from_slice(&start);
        self.merit(q, terms);
        None
    }
}
