//! Foresight of rough places from the regularity of the flow at the ends of steps.

/// Farthest rough place that is foreseen, in step sizes, at a relative tolerance of 1e-11.
const SIGHT: f64 = 6.0;

/// Exponent by which the sight grows with the tolerance: ordinary steps have the length of its eighth root, steps of
/// collocation that of its twentieth.
const EXPONENT: f64 = 1.0 / ORDER - 1.0 / 8.0;

/// What remains, from one step to the next, of the memory of longer ones: steps become shorter towards a rough place.
const MEMORY: f64 = 0.98;

/// Part of the usual length below which a rough place has made a step short.
const SHORTENED: f64 = 0.5;

/// Distance, in step sizes, of a place that is foreseen from the one that is known, up to which they are one.
const SAME: f64 = 0.5;

/// Order by which the error of a step over a place falls with its length.
pub(super) const ORDER: f64 = 20.0;

/// Regularities at the ends of the latest two steps, and what was tried.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Foresight {
    before: Option<(f64, f64)>,
    now: Option<(f64, f64)>,
    /// Distance to the place from which it is tried again.
    near_enough: Option<f64>,
    /// Length of steps away from rough places.
    usual: f64,
    /// Time up to which steps over rough places are not tried.
    rest: Option<f64>,
    /// Rough place that is known beforehand.
    known: Option<f64>,
    /// If the next step is the first of a phase, the usual length of the steps before it.
    begins: Option<f64>,
    /// Error of the latest step over the place ahead that was not exact enough.
    failed: Option<f64>,
}

impl Foresight {
    /// The past is of no use any more: a rough place has been passed.
    pub fn pass(&mut self) {
        *self = Self {
            usual: self.usual,
            known: self.known,
            ..Self::default()
        };
    }

    /// The flow has changed: a phase begins.
    pub fn restart(&mut self) {
        *self = Self {
            begins: Some(self.usual),
            ..Self::default()
        };
    }

    /// At the first step of a phase, the usual length of the steps before it.
    pub fn begins(&mut self) -> Option<f64> {
        self.begins.take()
    }

    /// Takes the regularity at two times next to the start of a phase, the nearer one first; the place to which they lead.
    pub fn look(&mut self, near: (f64, f64), far: (f64, f64)) -> Option<f64> {
        (self.now, self.before) = (Some(near), Some(far));
        self.seen()
    }

    /// Takes a rough place that is known beforehand.
    pub fn know(&mut self, place: Option<f64>) {
        self.known = place;
    }

    /// Whether a place is the one known beforehand.
    pub fn knows(&self, place: f64) -> bool {
        self.known == Some(place)
    }

    /// Where the regularity vanishes if it goes on as in the last step.
    fn seen(&self) -> Option<f64> {
        let ((t_before, before), (t_now, now)) = (self.before?, self.now?);
        Some(t_now - now * (t_now - t_before) / (now - before))
    }

    /// A step of size `h`, or of the usual length if that is longer.
    pub fn usual(&mut self, h: f64) -> f64 {
        self.usual = h.abs().max(MEMORY * self.usual);
        self.usual.copysign(h)
    }

    /// The usual length instead of a size `h` that is considerably shorter: derivatives of a motion make steps short in
    /// proportion to the distance from a rough place.
    pub fn natural(&self, h: f64) -> f64 {
        if h.abs() < SHORTENED * self.usual {
            self.usual.copysign(h)
        } else {
            h
        }
    }

    /// Takes the regularity at the start `t` of a step; `seen` may be of another time, and then tells nothing.
    pub fn see(&mut self, t: f64, seen: Option<(f64, f64)>) {
        if let Some(seen) = seen.filter(|seen| seen.0 == t && self.now.is_none_or(|now| now.0 != t)) {
            (self.before, self.now) = (self.now, Some(seen));
        }
    }

    /// Time ahead of `t` in the direction of `h`, not farther than the sight and near enough, at which the regularity vanishes
    /// if it goes on as in the last step.
    pub fn ahead(&mut self, t: f64, h: f64, rtol: f64) -> Option<f64> {
        let (sight, steps) = (SIGHT * (rtol / 1e-11).powf(EXPONENT), |place: f64| (place - t) / h);
        let nearest = [self.seen(), self.known]
            .into_iter()
            .flatten()
            .filter(|place| steps(*place) > 0.0 && steps(*place) < sight)
            .min_by(|one, other| steps(*one).total_cmp(&steps(*other)));
        let Some(mut place) = nearest else {
            (self.near_enough, self.failed) = (None, None);
            return None;
        };
        // What is seen of the place that is known is less exact.
        if let Some(known) = self.known.filter(|known| ((known - place) / h).abs() < SAME) {
            place = known;
        }
        self.near_enough
            .is_none_or(|near| (place - t).abs() < near)
            .then_some(place)
    }

    /// Lets a place at a distance be until the error of a step over it is likely to have fallen enough; whether it was less from
    /// farther off.
    pub fn wait(&mut self, distance: f64, error: f64) -> bool {
        self.near_enough = Some(distance.abs() * (0.9 * error.powf(-1.0 / ORDER)).clamp(0.3, 0.9));
        self.failed.replace(error).is_some_and(|before| before < error)
    }

    /// Makes no further tries from times before `t`.
    pub fn rest(&mut self, t: f64) {
        self.rest = Some(t);
    }

    /// Whether no tries are made from `t` in the direction of `h`.
    pub fn rests(&self, t: f64, h: f64) -> bool {
        self.rest.is_some_and(|rest| (rest - t) * h > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_foreseen_where_the_regularity_heads_for_zero_in_either_direction_of_time() {
        for h in [0.1, -0.1] {
            let mut foresight = Foresight::default();
            foresight.see(1.0, Some((1.0, 0.5)));
            assert_eq!(foresight.ahead(1.0, h, 1e-11), None);
            foresight.see(1.0 + h, Some((1.0 + h, 0.4)));
            let place = foresight.ahead(1.0 + h, h, 1e-11).unwrap();
            assert!((place - (1.0 + 5.0 * h)).abs() < 1e-12);
            assert_eq!(foresight.ahead(1.0 + h, 0.1 * h, 1e-11), None, "too far");
            assert_eq!(foresight.ahead(1.0 + h, -h, 1e-11), None, "behind");
        }
    }

    #[test]
    fn a_place_that_could_not_be_passed_is_tried_again_from_nearer_only() {
        let mut foresight = Foresight::default();
        foresight.see(0.0, Some((0.0, 0.5)));
        foresight.see(0.1, Some((0.1, 0.4)));
        foresight.wait(0.4, 1e6);
        assert_eq!(foresight.ahead(0.1, 0.1, 1e-11), None);
        assert_eq!(foresight.ahead(0.2, 0.1, 1e-11), None);
        assert!(foresight.ahead(0.35, 0.1, 1e-11).is_some());
    }
}
