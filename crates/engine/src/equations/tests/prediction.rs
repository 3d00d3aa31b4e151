//! Predictions for other parameters, to first order.

use super::systems::{ROOTS, Roots};
use crate::equations::Study;
use crate::sensitivity::Switching;

/// Error of the predicted x and y at a time, for parameters changed by a multiple of a direction.
fn error(t: f64, part: f64, switching: Switching) -> f64 {
    let direction = [0.3, -0.1, 0.2, 0.2];
    let dp = direction.map(|change| part * change);
    let mut changed = ROOTS;
    changed.iter_mut().zip(dp).for_each(|(p, change)| *p += change);
    let (study, other) = (
        Study::new(Roots, &ROOTS, (0.0, 2.0)),
        Study::new(Roots, &changed, (0.0, 2.0)),
    );
    let (motion, actual) = (study.forward().expect("it runs"), other.simulate().expect("it runs"));
    let (x, y) = motion.predict(t, &dp, switching).expect("predicted");
    let (exact_x, exact_y) = actual.at(t).expect("within the motion");
    (x[0] - exact_x[0]).abs().max((y[0] - exact_y[0]).abs())
}

#[test]
fn the_error_falls_with_the_square_of_the_change_on_both_sides_of_an_event() {
    for t in [0.7, 1.9] {
        let (large, small) = (
            error(t, 0.1, Switching::Predicted),
            error(t, 0.05, Switching::Predicted),
        );
        assert!(
            large > 1e-6 && (3.5..4.6).contains(&(large / small)),
            "{large:e} {small:e} at {t}"
        );
    }
}

#[test]
fn within_the_switching_delay_the_refined_error_falls_with_the_square_and_the_plain_one_not_at_all() {
    // The event of the motion is at ln 4, that of the changed one earlier by 0.18 times the change.
    for sign in [1.0, -1.0] {
        let within = |part: f64| 4.0_f64.ln() - 0.5 * sign * part * 0.18;
        let at = |part: f64, switching| error(within(part), sign * part, switching);
        let (large, small) = (at(0.1, Switching::Predicted), at(0.05, Switching::Predicted));
        assert!(large > 1e-7 && large / small > 3.0, "{large:e} {small:e}");
        assert!(at(0.05, Switching::Recorded) > 0.3);
    }
}
