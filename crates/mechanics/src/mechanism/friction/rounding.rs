//! What of the impulses of a stage, and of the slip velocities that they leave, is rounding (theory, 4.11).

use super::grasp::ZERO;
use super::outcome::Impact;
use crate::linear::Lu;

/// What an equation leaves over its terms, with what these are made of.
const ROUNDING: f64 = 1e-14;

/// The equations of the impulses of a stage, row-major.
pub(super) struct Linear {
    pub(super) matrix: Vec<f64>,
    pub(super) right: Vec<f64>,
    /// Rows that prescribe a velocity.
    pub(super) by_velocities: Vec<bool>,
}

impl Linear {
    /// The impulses, with the factors of the matrix; none where they are not unique.
    pub(super) fn solve(&self) -> Option<(Vec<f64>, Lu)> {
        let (n, mut found) = (self.right.len(), self.right.clone());
        let mut lu = Lu::new(n.max(1));
        if n > 0 {
            lu.matrix_mut(n).copy_from_slice(&self.matrix);
            lu.factor().ok()?;
            lu.solve(&mut found);
        }
        Some((found, lu))
    }

    /// Sums of the terms of each equation, without their signs.
    fn terms(&self, found: &[f64]) -> Vec<f64> {
        let n = found.len();
        let sum = |row: &[f64]| row.iter().zip(found).map(|(a, b)| (a * b).abs()).sum::<f64>();
        (0..n)
            .map(|i| sum(&self.matrix[i * n..][..n]) + self.right[i].abs())
            .collect()
    }
}

impl Impact<'_> {
    /// Rounding of the slip velocities after impulses: equations that hold to the rounding of their terms leave an error of the impulses, which
    /// rows that are almost parallel magnify. None where the impulses themselves are no more than that.
    pub(super) fn slip_noise(
        &self,
        v: &[f64],
        unknowns: &[(usize, usize)],
        linear: &Linear,
        (found, lu): (&[f64], Lu),
    ) -> Option<Vec<f64>> {
        let n = found.len();
        let count = self.contacts.len() + self.grasps.len();
        if n == 0 {
            return Some(vec![0.0; count]);
        }
        let unit: Vec<f64> = (0..n * n).map(|k| if k % (n + 1) == 0 { 1.0 } else { 0.0 }).collect();
        let mut inverse = vec![0.0; n * n];
        lu.solve_panel(&unit, &mut inverse);
        let mut terms = linear.terms(found);
        // Impulses of contacts and of joints that turn have different units: compared are the square roots of what they give in energy.
        let size = |i: usize| self.row(unknowns[i]).dot(self.response(unknowns[i]).0).max(0.0).sqrt();
        let error = |i: usize| (0..n).map(|j| (inverse[i * n + j] * terms[j]).abs()).sum::<f64>();
        let [open, known] = [
            (0..n).map(|i| ZERO * error(i) * size(i)).fold(0.0, f64::max),
            (0..n).map(|i| found[i].abs() * size(i)).fold(0.0, f64::max),
        ];
        if open > known {
            return None;
        }
        let moved = |k: (usize, usize)| self.row(k).iter().map(|(i, slope)| (slope * v[i]).abs()).sum::<f64>();
        for i in (0..n).filter(|&i| linear.by_velocities[i]) {
            terms[i] += moved(unknowns[i]);
        }
        let noise = |k: usize| {
            let own = (k, usize::from(k < self.contacts.len()));
            let slopes: Vec<f64> = unknowns
                .iter()
                .map(|&other| self.row(own).dot(self.response(other).0))
                .collect();
            let direct: f64 = slopes
                .iter()
                .zip(found)
                .map(|(slope, found)| (slope * found).abs())
                .sum();
            let through = |j: usize| (0..n).map(|i| slopes[i] * inverse[i * n + j]).sum::<f64>();
            let others: f64 = (0..n).map(|j| (through(j) * terms[j]).abs()).sum();
            ROUNDING * (moved(own) + direct + others)
        };
        Some((0..count).map(noise).collect())
    }
}
