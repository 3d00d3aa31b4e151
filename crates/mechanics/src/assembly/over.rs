//! The assembled state over any scalar: its derivatives of every order (theory, section 5).

use super::AssemblyTangent;
use super::positions::weight;
use super::tangent::Problem;
use super::velocities::velocity_weights;
use crate::model::Start;
use crate::model::over::RowOver;
use crate::scalar::Scalar;

impl AssemblyTangent<'_> {
    /// Positions and velocities from numbers (with memory) whose values are those of the assembly.
    pub fn over<S: Scalar>(&self, numbers: &[S]) -> (Vec<S>, Vec<S>) {
        let t = S::from(self.t);
        let rows = |q: &[S]| self.model.acting_rows_at_rest(&self.closing.0, t, q, numbers);
        let coordinates = self.model.coordinates.iter();
        let guess: Vec<S> = (coordinates.zip(&self.q))
            .map(|(coordinate, q)| match coordinate.start {
                Start::Number(number) => numbers[number],
                _ => S::from(*q),
            })
            .collect();
        let held = |(i, guess): (usize, &S)| {
            if self.model.coordinates[i].held {
                *guess
            } else {
                S::from(self.q[i])
            }
        };
        let q: Vec<S> = guess.iter().enumerate().map(held).collect();
        let q = self.positions.over(q, |q| {
            let pull = |i: usize| (q[i] - guess[i]) * weight(self.model, i);
            (
                rows(q),
                (0..q.len()).map(pull).collect(),
                |row: &RowOver<S>, _: &[S]| row.c,
            )
        });
        let v = (self.model.speeds()).zip(&self.v).map(|(speed, v)| match speed.held {
            Some(number) => numbers[number],
            None => S::from(*v),
        });
        let still = vec![S::from(0.0); self.v.len()];
        let at = self.model.acting_rows_over(&self.mode, t, &q, &still, numbers);
        let of_velocity = velocity_weights(self.model);
        let v = self.velocities.over(v.collect(), |v| {
            let pull = |i: usize| v[i] * of_velocity(i);
            let rate = |row: &RowOver<S>, v: &[S]| row.row.dot(v) + row.rate;
            (at.clone(), (0..v.len()).map(pull).collect(), rate)
        });
        (q, v)
    }
}

impl Problem {
    /// Solves pull + C^T mu = 0 and what the rows ask for, by corrections of `x`; `at` gives the rows, the pull and the rows'
    /// residuals.
    fn over<S: Scalar, R: Fn(&RowOver<S>, &[S]) -> S>(
        &self,
        x: Vec<S>,
        at: impl Fn(&[S]) -> (Vec<RowOver<S>>, Vec<S>, R),
    ) -> Vec<S> {
        let n = self.free.len();
        let Some(corrections) = self.corrections() else {
            return x;
        };
        let mut unknowns: Vec<S> = self.free.iter().map(|&i| x[i]).collect();
        unknowns.extend(self.rows.iter().map(|&row| S::from(self.multipliers[row])));
        let held = x.clone();
        let place = |unknowns: &[S]| {
            let mut x = held.clone();
            for (&i, value) in self.free.iter().zip(unknowns) {
                x[i] = *value;
            }
            x
        };
        corrections.solve(&mut unknowns, |unknowns| {
            let x = place(unknowns);
            let (rows, pull, residual) = at(&x);
            let mut balance = pull;
            for (&row, mu) in self.rows.iter().zip(&unknowns[n..]) {
                rows[row].row.add_to(*mu, &mut balance);
            }
            (self.free.iter().map(|&i| balance[i]))
                .chain(self.rows.iter().map(|&row| residual(&rows[row], &x)))
                .collect()
        });
        place(&unknowns)
    }
}
