//! Accelerations, multipliers and friction forces over any scalar: those for which every balance is zero (theory, 4.9).

use super::KnownEvents;
use super::dynamics::Moved;
use crate::linear::{Entries, Frozen, Lu, max_abs, pairs};
use crate::model::over::RowOver;
use crate::model::quantity::{Quantity, Rubbing};
use crate::model::{Grip, Hold, Mode};
use crate::scalar::{Dual64, Scalar};

/// Most steps of Newton's method for the values.
const MOST_STEPS: usize = 60;

/// Change of the unknowns, over the largest, that is rounding.
const CONVERGED: f64 = 1e-14;

/// What the equations read beside their unknowns: accelerations, negative multipliers of the independent rows, friction forces.
struct Place<'a, S> {
    mode: &'a Mode,
    moved: &'a Moved<'a, S>,
    rows: Vec<RowOver<S>>,
    forces: Vec<(&'a Grip, usize, usize)>,
}

impl KnownEvents<'_> {
    /// Newton's method for the values, whose last matrix then gives the derivatives.
    pub(super) fn accelerate_rubbing<S: Scalar>(&self, mode: &Mode, moved: &mut Moved<S>) {
        let model = self.model();
        let forces = (mode.grips.iter()).flat_map(|grip| {
            let numbers = model.frictions[grip.friction].numbers.iter().enumerate();
            numbers.map(move |(k, &number)| (grip, k, number))
        });
        let forces: Vec<(&Grip, usize, usize)> = forces.collect();
        let values = real(moved);
        let rows = |moved: &Moved<f64>| model.acting_rows_over(mode, moved.t, &moved.q, &moved.v, &moved.numbers);
        let place = Place {
            mode,
            rows: rows(&values),
            moved: &values,
            forces: forces.clone(),
        };
        let Some((solved, inverse)) = self.rubbing_values(&place) else {
            moved.a.fill(S::from(f64::NAN));
            return;
        };
        let mut unknowns: Vec<S> = solved.iter().map(|value| S::from(*value)).collect();
        let own = Place {
            mode,
            rows: model.acting_rows_over(mode, moved.t, &moved.q, &moved.v, &moved.numbers),
            moved,
            forces: forces.clone(),
        };
        inverse.solve(&mut unknowns, |unknowns| self.rubbing_residual(&own, unknowns));
        let (nv, held) = (moved.v.len(), mode.independent.len());
        for ((_, _, number), force) in forces.iter().zip(&unknowns[nv + held..]) {
            moved.numbers[*number] = *force;
        }
        for (&row, minus_lambda) in mode.independent.iter().zip(&unknowns[nv..]) {
            moved.lambda[row] = -*minus_lambda;
        }
        moved.a.copy_from_slice(&unknowns[..nv]);
    }

    /// The values of the unknowns, with the inverse of the last matrix.
    fn rubbing_values(&self, place: &Place<f64>) -> Option<(Vec<f64>, Frozen)> {
        let mut unknowns = self.rubbing_start(place)?;
        let (n, mut last) = (unknowns.len(), f64::INFINITY);
        for _ in 0..MOST_STEPS {
            let lu = self.rubbing_factors(place, &unknowns)?;
            let mut change = self.rubbing_residual(place, &unknowns);
            lu.clone().solve(&mut change);
            unknowns
                .iter_mut()
                .zip(&change)
                .for_each(|(value, change)| *value -= change);
            let (size, moved) = (max_abs(&unknowns), max_abs(&change));
            if !moved.is_finite() {
                return None;
            }
            if moved <= CONVERGED * size || moved >= last && moved <= 1e4 * CONVERGED * size {
                return Some((unknowns, Frozen::new(&lu, n)));
            }
            last = moved;
        }
        None
    }

    /// Where Newton's method begins: at zero, but where slip begins, whose direction is that of its force, at the forces that it would
    /// take to stick, as large as they can be.
    fn rubbing_start(&self, place: &Place<f64>) -> Option<Vec<f64>> {
        let (model, first) = (self.model(), place.moved.v.len() + place.mode.independent.len());
        let mut unknowns = vec![0.0; first + place.forces.len()];
        let begins = |grip: &Grip| grip.hold == Hold::SlipBegins;
        if !place.mode.grips.iter().any(begins) {
            return Some(unknowns);
        }
        let mut mode = place.mode.clone();
        for grip in mode.grips.iter_mut().filter(|grip| begins(grip)) {
            grip.hold = Hold::Stick;
        }
        let Moved { t, q, v, numbers, .. } = place.moved;
        let held = Place {
            mode: &mode,
            moved: place.moved,
            rows: model.acting_rows_over(&mode, *t, q, v, numbers),
            forces: place.forces.clone(),
        };
        let mut change = self.rubbing_residual(&held, &unknowns);
        self.rubbing_factors(&held, &unknowns)?.solve(&mut change);
        pairs(&mut unknowns, &change, |value, change| *value -= change);
        let moved = place.with(&unknowns);
        for grip in place.mode.grips.iter().filter(|grip| begins(grip)) {
            let own = |(k, force): (usize, &(&Grip, usize, usize))| (force.0 == grip).then_some(first + k);
            let own: Vec<usize> = place.forces.iter().enumerate().filter_map(own).collect();
            let share = model.fullness(grip, place.mode, &moved.motion());
            own.iter().for_each(|&k| unknowns[k] *= share);
        }
        Some(unknowns)
    }

    /// The factors of the derivatives of the residual by the unknowns.
    fn rubbing_factors(&self, place: &Place<f64>, unknowns: &[f64]) -> Option<Lu> {
        let n = unknowns.len();
        let moved = place.moved.lifted();
        let lifted = Place {
            mode: place.mode,
            rows: self
                .model()
                .acting_rows_over(place.mode, moved.t, &moved.q, &moved.v, &moved.numbers),
            moved: &moved,
            forces: place.forces.clone(),
        };
        let mut lu = Lu::new(n);
        let matrix = lu.matrix_mut(n);
        let mut along: Vec<Dual64> = unknowns.iter().map(|value| Dual64::from(*value)).collect();
        for j in 0..n {
            along[j].eps = 1.0;
            for (i, slope) in self.rubbing_residual(&lifted, &along).iter().enumerate() {
                matrix[i * n + j] = slope.eps;
            }
            along[j].eps = 0.0;
        }
        lu.factor().ok()?;
        Some(lu)
    }

    fn rubbing_residual<S: Scalar>(&self, place: &Place<S>, unknowns: &[S]) -> Vec<S> {
        let (model, moved) = (self.model(), place.with(unknowns));
        let (Moved { q, v, a, numbers, .. }, motion) = (&moved, moved.motion());
        let minus_lambda = &unknowns[a.len()..];
        let second = model.coordinate_accelerations(q, v, a);
        let mut balance = model.momentum_over(q, &second, numbers);
        for (slot, force) in balance.iter_mut().zip(&model.force_over(place.mode, &motion)) {
            *slot -= *force;
        }
        let mut residual = vec![S::from(0.0); v.len()];
        model.write_transposed(q, &balance, &mut residual);
        let rows: Vec<&RowOver<S>> = place.mode.independent.iter().map(|&row| &place.rows[row]).collect();
        for (row, minus) in rows.iter().zip(minus_lambda) {
            let row: &Entries<S> = &row.row;
            row.add_to(*minus, &mut residual);
        }
        residual.extend(rows.iter().map(|row| row.row.dot(a) + row.gamma));
        residual.extend(place.forces.iter().map(|(grip, k, _)| {
            Quantity::Friction(grip.friction, Rubbing::Balance(*k)).evaluate(model, place.mode, &motion)
        }));
        residual
    }
}

impl<S: Scalar> Place<'_, S> {
    /// The motion with these unknowns.
    fn with(&self, unknowns: &[S]) -> Moved<'_, S> {
        let mut moved = self.moved.mapped(|value| *value);
        let (a, rest) = unknowns.split_at(moved.v.len());
        let (minus_lambda, forces) = rest.split_at(self.mode.independent.len());
        moved.a.copy_from_slice(a);
        for (&row, minus) in self.mode.independent.iter().zip(minus_lambda) {
            moved.lambda[row] = -*minus;
        }
        for ((_, _, number), force) in self.forces.iter().zip(forces) {
            moved.numbers[*number] = *force;
        }
        moved
    }
}

impl<S: Scalar> Moved<'_, S> {
    /// The values alone.
    fn mapped<T: Scalar>(&self, map: impl Fn(&S) -> T) -> Moved<'_, T> {
        let all = |values: &[S]| values.iter().map(&map).collect();
        Moved {
            frames: self.frames,
            t: map(&self.t),
            q: all(&self.q),
            v: all(&self.v),
            a: all(&self.a),
            lambda: all(&self.lambda),
            numbers: all(&self.numbers),
        }
    }
}

impl Moved<'_, f64> {
    fn lifted(&self) -> Moved<'_, Dual64> {
        self.mapped(|value| Dual64::from(*value))
    }
}

fn real<'a, S: Scalar>(moved: &Moved<'a, S>) -> Moved<'a, f64> {
    let Moved { frames, .. } = *moved;
    Moved {
        frames,
        ..moved.mapped(|value| value.re())
    }
}
