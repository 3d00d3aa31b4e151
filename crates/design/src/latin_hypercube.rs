//! Random points spread evenly over a box.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Draws points; the same seed draws the same ones everywhere.
#[derive(Clone, Debug)]
pub(crate) struct LatinHypercube(ChaCha8Rng);

impl LatinHypercube {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// `count` points, one in each of `count` equal slices of every side of the box (McKay, Beckman,
    /// Conover, Technometrics 21 (1979)).
    pub fn points(&mut self, count: usize, lower: &[f64], upper: &[f64]) -> Vec<Vec<f64>> {
        let mut points = vec![Vec::with_capacity(lower.len()); count];
        for (low, high) in lower.iter().zip(upper) {
            let mut slices: Vec<usize> = (0..count).collect();
            slices.shuffle(&mut self.0);
            for (point, slice) in points.iter_mut().zip(slices) {
                let part = (slice as f64 + self.unit()) / count as f64;
                point.push((low + part * (high - low)).clamp(*low, *high));
            }
        }
        points
    }

    /// A number between 0 and 1 with all 53 bits of a mantissa.
    fn unit(&mut self) -> f64 {
        const STEPS: f64 = (1_u64 << 53) as f64;
        (self.0.next_u64() >> 11) as f64 / STEPS
    }
}

#[cfg(test)]
mod tests {
    use super::LatinHypercube;

    #[test]
    fn every_slice_of_every_side_holds_one_point() {
        let (lower, upper) = ([-1.0, 10.0], [1.0, 50.0]);
        let points = LatinHypercube::new(3).points(40, &lower, &upper);
        for side in 0..2 {
            let width = (upper[side] - lower[side]) / 40.0;
            let mut slices: Vec<usize> = points
                .iter()
                .map(|point| ((point[side] - lower[side]) / width) as usize)
                .collect();
            slices.sort_unstable();
            assert_eq!(slices, (0..40).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_seed_draws_the_same_points_and_another_one_others() {
        let draw = |seed| LatinHypercube::new(seed).points(5, &[0.0], &[1.0]);
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
