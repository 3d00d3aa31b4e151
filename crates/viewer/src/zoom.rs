//! The part of the time that charts show.

/// The least part of the time that charts show.
const LEAST: f64 = 1e-6;

/// The part of the time that is shown; all of it when none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Zoom(Option<(f64, f64)>);

impl Zoom {
    /// What is shown of a motion with these ends.
    pub(super) fn span(self, (start, end): (f64, f64)) -> (f64, f64) {
        match self.0 {
            Some((from, to)) if from.max(start) < to.min(end) => (from.max(start), to.min(end)),
            _ => (start, end),
        }
    }

    /// Whether only a part is shown.
    pub(super) fn is_part(self) -> bool {
        self.0.is_some()
    }

    /// Shows so many times as much about a time, which stays where it is.
    pub(super) fn scale(&mut self, whole: (f64, f64), t: f64, factor: f64) {
        let (from, to) = self.span(whole);
        let factor = factor.max(LEAST * (whole.1 - whole.0) / (to - from));
        let wanted = (t - factor * (t - from), t + factor * (to - t));
        let is_part = wanted.0 > whole.0 || wanted.1 < whole.1;
        self.0 = is_part.then_some((wanted.0.max(whole.0), wanted.1.min(whole.1)));
    }

    /// Shows what is later by this much.
    pub(super) fn shift(&mut self, whole: (f64, f64), by: f64) {
        let (from, to) = self.span(whole);
        let by = by.clamp(whole.0 - from, whole.1 - to);
        self.0 = self.0.map(|_| (from + by, to + by));
    }
}

#[cfg(test)]
mod tests {
    use super::Zoom;

    #[test]
    fn what_is_pointed_at_stays_and_no_more_is_shown_than_the_motion() {
        let (mut zoom, whole) = (Zoom::default(), (0.0, 8.0));
        assert_eq!(zoom.span(whole), whole);
        zoom.scale(whole, 2.0, 0.5);
        assert_eq!(zoom.span(whole), (1.0, 5.0));
        zoom.shift(whole, 10.0);
        assert_eq!(zoom.span(whole), (4.0, 8.0));
        assert_eq!(zoom.span((0.0, 6.0)), (4.0, 6.0), "of a shorter motion");
        assert_eq!(zoom.span((0.0, 3.0)), (0.0, 3.0), "of one that ends before");
        zoom.scale(whole, 5.0, 1e-12);
        let (from, to) = zoom.span(whole);
        assert!(from < 5.0 && to > 5.0 && to - from > 7e-6, "{from} {to}");
        zoom.scale(whole, 5.0, 1e9);
        assert!(!zoom.is_part());
    }
}
