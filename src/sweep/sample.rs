//! Random points that fill a box evenly.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A Latin hypercube in the unit cube (McKay, Beckman and Conover, Technometrics 21, 1979): with `count` points, each
/// coordinate has one in each of `count` equal intervals. One list of coordinates per point; the same for the same seed.
pub(super) fn latin_hypercube(count: usize, dimensions: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut points = vec![Vec::with_capacity(dimensions); count];
    for _ in 0..dimensions {
        let mut intervals: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            let other = (uniform(&mut random) * (last + 1) as f64) as usize;
            intervals.swap(last, other.min(last));
        }
        for (point, interval) in points.iter_mut().zip(intervals) {
            point.push((interval as f64 + uniform(&mut random)) / count as f64);
        }
    }
    points
}

/// A number in [0, 1), a multiple of 2^-53.
fn uniform(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::latin_hypercube;

    #[test]
    fn every_interval_of_every_coordinate_has_one_point() {
        let points = latin_hypercube(50, 3, 7);
        for dimension in 0..3 {
            let mut intervals: Vec<usize> = points.iter().map(|point| (point[dimension] * 50.0) as usize).collect();
            assert_ne!(intervals, (0..50).collect::<Vec<_>>(), "not shuffled");
            intervals.sort_unstable();
            assert_eq!(intervals, (0..50).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_seed_alone_decides() {
        assert_eq!(latin_hypercube(20, 2, 1), latin_hypercube(20, 2, 1));
        assert_ne!(latin_hypercube(20, 2, 1), latin_hypercube(20, 2, 2));
    }
}
