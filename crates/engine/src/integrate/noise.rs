//! Error estimates that are rounding.

/// Scaled error that is still taken for rounding, and what it counts as.
const MOST_NOISE: f64 = 10.0;
const ACCEPTABLE: f64 = 0.9;

/// Size and error of the first attempt from a state whose error was too large.
#[derive(Clone, Debug, Default)]
pub(super) struct Noise(Option<(f64, f64)>);

impl Noise {
    /// Forgets the state.
    pub fn forget(&mut self) {
        self.0 = None;
    }

    /// The error of a step of size `h`, or an acceptable one where it has not fallen with the step size since the first
    /// rejection from this state: then it is rounding, and no step has less.
    pub fn without(&mut self, h: f64, error: f64) -> f64 {
        if error < 1.0 || !error.is_finite() {
            return error;
        }
        let (longest, largest) = *self.0.get_or_insert((h.abs(), error));
        let stays = h.abs() < 0.5 * longest && error > 0.5 * largest;
        if stays && error < MOST_NOISE { ACCEPTABLE } else { error }
    }
}
