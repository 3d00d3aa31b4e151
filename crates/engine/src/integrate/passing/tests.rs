//! Steps by collocation, and the search for a step over a rough place.

use super::long_step::LongStep;
use super::{PassingStepper, Singular, Start};
use crate::error::Result;
use crate::integrate::tests::problems::{distance, kepler, pericentre, smooth, smooth_solution};
use crate::integrate::{Attempt, DenseOutput, Flow, Stepper, Tolerance};

fn tolerance() -> Tolerance {
    Tolerance::uniform(1e-12, 1e-13, 2).unwrap()
}

fn passing(n: usize) -> PassingStepper {
    PassingStepper::new(Stepper::explicit(n))
}

/// A step by collocation from a place, of a size, around a rough place.
fn collocate(
    stepper: &mut PassingStepper,
    flow: &mut dyn Singular,
    (t, x): (f64, &[f64]),
    (h, place): (f64, Option<f64>),
    tolerance: &Tolerance,
) -> Attempt {
    let step = LongStep::new(h, 0.0, place);
    stepper.collocate(true);
    stepper.attempt_over(flow, Start { t, x, tolerance }, step).unwrap()
}

#[test]
fn a_step_by_collocation_is_exact_to_rounding_at_its_end_and_between_in_both_directions_of_time() {
    for (start, h) in [(0.2, 0.5), (0.7, -0.5)] {
        for place in [None, Some(0.43), Some(0.31)] {
            let mut stepper = passing(2);
            let attempt = collocate(
                &mut stepper,
                &mut smooth(),
                (start, &smooth_solution(start)),
                (h, place),
                &tolerance(),
            );
            assert!(attempt.acceptable(), "{attempt:?}");
            assert!(distance(stepper.x_new(), &smooth_solution(start + h)) < 1e-14);
            let mut dense = DenseOutput::new();
            stepper.dense(&mut smooth(), &mut dense).unwrap();
            let (mut x, mut dx, mut slope) = ([0.0; 2], [0.0; 2], [0.0; 2]);
            for part in 0..=40 {
                let t = start + h * f64::from(part) / 40.0;
                dense.evaluate(t, &mut x);
                assert!(distance(&x, &smooth_solution(t)) < 2e-14, "at {t} around {place:?}");
                dense.derivative(t, &mut dx);
                smooth().evaluate(t, &x, &mut slope).unwrap();
                assert!(distance(&dx, &slope) < 1e-11, "at {t}: {:e}", distance(&dx, &slope));
            }
            assert!(distance(stepper.derivative_new(), &slope) < 1e-13);
        }
    }
}

#[test]
fn a_step_by_collocation_that_is_too_long_is_not_acceptable() {
    let mut stepper = passing(4);
    let tolerance = Tolerance::uniform(1e-12, 1e-13, 4).unwrap();
    let attempt = collocate(
        &mut stepper,
        &mut kepler(),
        (0.0, &pericentre(0.6)),
        (3.0, None),
        &tolerance,
    );
    assert!(!attempt.acceptable() && stepper.accept().is_err(), "{attempt:?}");
}

/// The problem [`smooth`] with noise of the given size over the third power of the time to a place, and its regularity if the
/// flow can tell.
struct Rough {
    place: f64,
    size: f64,
    tells: bool,
    seen: Option<(f64, f64)>,
}

impl Flow for Rough {
    fn dimension(&self) -> usize {
        2
    }

    fn evaluate(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<()> {
        smooth().evaluate(t, x, dx)?;
        // Hardly two arguments give the same noise.
        let noise = (1e9 * (t + x[0])).sin() * self.size / (t - self.place).abs().powi(3);
        dx[0] += noise;
        if self.tells {
            self.seen = Some((t, (t - self.place).abs()));
        }
        Ok(())
    }
}

impl Singular for Rough {
    fn regularity(&self) -> Option<(f64, f64)> {
        self.seen
    }
}

/// Integrates over the place; the end state and whether a step had to be reported.
fn over(mut flow: Rough, (start, end): (f64, f64), tolerance: &Tolerance) -> (Vec<f64>, bool) {
    let (mut t, mut x) = (start, smooth_solution(start).to_vec());
    let mut stepper = passing(2);
    stepper.restart(&mut flow, t, &x).unwrap();
    let mut h = stepper.initial_step(&mut flow, t, &x, tolerance, end - start).unwrap();
    let mut reported = false;
    for _ in 0..10_000 {
        if t == end {
            break;
        }
        let left = end - t;
        h = if h.abs() > left.abs() { left } else { h };
        let found = stepper.search(&mut flow, (t, &x), (h, left), tolerance).unwrap();
        (h, reported) = (found.next, reported || found.excess.is_some());
        t = if (stepper.t_new() - end).abs() < 1e-12 {
            end
        } else {
            stepper.t_new()
        };
        x.copy_from_slice(stepper.x_new());
        stepper.accept().unwrap();
    }
    assert_eq!(t, end);
    (x, reported)
}

#[test]
fn a_foreseen_place_is_passed_without_loss_in_both_directions_of_time() {
    for (start, end) in [(0.0, 2.0), (2.0, 0.0)] {
        let flow = Rough {
            place: 1.037,
            size: 1e-17,
            tells: true,
            seen: None,
        };
        let (x, reported) = over(flow, (start, end), &tolerance());
        let error = distance(&x, &smooth_solution(end));
        assert!(error < 2e-12 && !reported, "{error:e}");
    }
}

#[test]
fn an_unforeseen_place_is_passed() {
    let flow = |size: f64| Rough {
        place: 1.037,
        size,
        tells: false,
        seen: None,
    };
    for size in [1e-17, 1e-14] {
        let (x, reported) = over(flow(size), (0.0, 2.0), &tolerance());
        let error = distance(&x, &smooth_solution(2.0));
        assert!(error < if reported { 1e-8 } else { 1e-10 }, "{size:e}: {error:e}");
    }
}

#[test]
fn noise_above_the_tolerance_is_reported() {
    for (start, end) in [(0.0, 2.0), (2.0, 0.0)] {
        let flow = Rough {
            place: 1.037,
            size: 1e-14,
            tells: true,
            seen: None,
        };
        let (x, reported) = over(flow, (start, end), &tolerance());
        let error = distance(&x, &smooth_solution(end));
        assert!(reported && error < 1e-9, "{error:e} {reported}");
    }
}

#[test]
fn a_step_over_a_place_is_repeated_shorter_by_the_same_method_and_the_next_goes_on_from_it() {
    let mut flow = Rough {
        place: 1.037,
        size: 1e-17,
        tells: true,
        seen: None,
    };
    let (mut t, mut x) = (0.9, smooth_solution(0.9).to_vec());
    let (tolerance, h) = (tolerance(), 0.05);
    let mut stepper = passing(2);
    stepper.restart(&mut flow, t, &x).unwrap();
    while !stepper.collocates {
        stepper.search(&mut flow, (t, &x), (h, 1.0), &tolerance).unwrap();
        if !stepper.collocates {
            (t, x) = (stepper.t_new(), stepper.x_new().to_vec());
            stepper.accept().unwrap();
        }
    }
    let shorter = 0.8 * (stepper.t_new() - t);
    let other = stepper.repeat(&mut flow, (t, &x), shorter, &tolerance).unwrap();
    assert!(other.is_none() && stepper.collocates && (stepper.t_new() - t - shorter).abs() < 1e-15);
    assert!(distance(stepper.x_new(), &smooth_solution(t + shorter)) < 1e-12);
    (t, x) = (stepper.t_new(), stepper.x_new().to_vec());
    stepper.accept().unwrap();
    stepper.search(&mut flow, (t, &x), (1e-2, 1.0), &tolerance).unwrap();
    assert!(!stepper.collocates && distance(stepper.x_new(), &smooth_solution(stepper.t_new())) < 1e-12);
}
