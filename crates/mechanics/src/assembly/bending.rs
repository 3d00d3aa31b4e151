//! How constraint rows change along motions, to third order: what tells the branches of a singular position (theory, 5.6).

use nalgebra::DVector;

use super::dependence::{Dependence, Rows};
use crate::model::constraint::Direction;
use crate::scalar::{Dual2, Dual64};

/// A value with its first two derivatives along a motion, each with its derivative along a direction.
type Bent = Dual2<Dual64>;

/// Values with their derivatives; zero where there are none.
fn duals(values: &[f64], slopes: &[f64], count: usize) -> Vec<Dual64> {
    let entry = |values: &[f64], i: usize| values.get(i).copied().unwrap_or_default();
    (0..count)
        .map(|i| Dual64::new(entry(values, i), entry(slopes, i)))
        .collect()
}

impl Rows<'_> {
    /// Every row along the motion with these velocities and accelerations, while time goes on at a rate, and along a direction in
    /// time, coordinates, velocities and numbers; what is left out is zero.
    fn bend(&self, [v, a]: [&[f64]; 2], along: &Direction, goes_on: f64) -> Vec<Bent> {
        let (model, nv) = (self.model, self.model.nv());
        let [q, v, a] = [
            duals(self.q, along.q, self.q.len()),
            duals(v, along.v, nv),
            duals(a, &[], nv),
        ];
        let (rates, drift, push) = (
            model.coordinate_rates(&q, &v),
            model.coordinate_drift(&q, &v),
            model.coordinate_rates(&q, &a),
        );
        let t = Bent::new(Dual64::new(self.t, along.t), goes_on.into(), 0.0.into());
        let numbers = duals(&self.terms.numbers, along.numbers, self.terms.numbers.len());
        self.values(
            t,
            |i| Bent::new(q[i], rates[i], push[i] + drift[i]),
            |i| Bent::from_re(numbers[i]),
        )
    }

    /// Second and third derivative of every row along the motion with constant velocities.
    pub fn along_motion(&self, v: &[f64]) -> [Vec<f64>; 2] {
        let goes_on = Direction {
            t: 1.0,
            q: &self.model.coordinate_rates(self.q, v),
            v: &[],
            numbers: &[],
        };
        let found = self.bend([v, &[]], &goes_on, 1.0);
        let second = found.iter().map(|c| c.v2.re).collect();
        [second, found.iter().map(|c| c.v2.eps).collect()]
    }

    /// Derivative of C v of every row along a direction, with c_t where time goes on.
    pub fn rates_along(&self, v: &[f64], along: &Direction, goes_on: f64) -> Vec<f64> {
        let found = self.bend([v, &[]], along, goes_on);
        found.iter().map(|c| c.v1.eps).collect()
    }

    /// Derivative of c'' of every row along a direction, with these accelerations held.
    pub fn accelerations_along(&self, [v, a]: [&[f64]; 2], along: &Direction) -> Vec<f64> {
        let found = self.bend([v, a], along, 1.0);
        found.iter().map(|c| c.v2.eps).collect()
    }
}

impl Dependence {
    /// The combination of values by row.
    pub fn combined(&self, values: &[f64]) -> f64 {
        self.0.iter().map(|&(row, weight)| weight * values[row]).sum()
    }

    /// b of (5.6): what tells motions beside v from it.
    pub(super) fn beside(&self, rows: &Rows, v: &[f64]) -> DVector<f64> {
        let mut unit = vec![0.0; v.len()];
        DVector::from_fn(v.len(), |j, _| {
            unit[j] = 1.0;
            let along = Direction {
                t: 0.0,
                q: &rows.model.coordinate_rates(rows.q, &unit),
                v: &[],
                numbers: &[],
            };
            let found = self.combined(&rows.rates_along(v, &along, 1.0));
            unit[j] = 0.0;
            found
        })
    }
}
