//! Which crossings of zero fire, wherever in a step they lie.

use super::toy::{Toy, assert_times, times};
use crate::hybrid::Crossing::{self, Either, Falling, Rising, Unilateral};
use crate::integrate::Method;
use std::f64::consts::{PI, TAU};

fn wave(crossing: Crossing) -> Vec<f64> {
    times(&Toy::clock().with(crossing, |t, _| (t + 0.5).sin()), 10.0)
}

#[test]
fn each_direction_fires_at_its_own_crossings() {
    assert_times(&wave(Falling), &[PI - 0.5, 3.0 * PI - 0.5]);
    assert_times(&wave(Rising), &[TAU - 0.5]);
    assert_times(&wave(Either), &[PI - 0.5, TAU - 0.5, 3.0 * PI - 0.5]);
}

/// A guard that dips below zero between the given times.
fn dip(crossing: Crossing, a: f64, b: f64) -> Vec<f64> {
    times(&Toy::clock().with(crossing, move |t, _| (t - a) * (t - b)), 1.0)
}

#[test]
fn two_touches_within_one_step_are_both_seen_wherever_they_lie() {
    for width in [1e-1, 1e-3, 1e-5] {
        for middle in [1e-4, 0.01, 0.06, 0.2, 0.333, 0.5, 0.7, 0.93, 0.99, 0.9995] {
            let (a, b) = (middle - 0.5 * width, middle + 0.5 * width);
            if a <= 0.0 || b >= 1.0 {
                continue;
            }
            // The roots are as sharp as their distance lets them be.
            let sharpness = 1e-15 / width;
            for (crossing, expected) in [(Falling, vec![a]), (Rising, vec![b]), (Either, vec![a, b])] {
                let found = dip(crossing, a, b);
                let close = found
                    .iter()
                    .zip(&expected)
                    .all(|(a, b)| (a - b).abs() < 2e-15 + sharpness);
                assert!(
                    close && found.len() == expected.len(),
                    "{crossing:?} {a} {b}: {found:?}"
                );
            }
        }
    }
}

#[test]
fn touches_right_after_the_start_and_right_before_the_end_of_a_step_are_seen() {
    // Steps of a clock do not depend on its guards: a run without events tells where they are.
    let mut trajectory = crate::hybrid::Trajectory::default();
    let options = crate::hybrid::Options {
        max_step: 0.25,
        ..super::toy::options(1, 1.0, Method::DormandPrince)
    };
    crate::hybrid::simulate(&Toy::clock(), (0.0, 0, vec![0.0]), &options, &mut (), &mut trajectory).expect("it runs");
    let steps: Vec<(f64, f64)> = trajectory.phases[0]
        .steps
        .iter()
        .map(|step| (step.start(), step.step()))
        .collect();
    assert!(steps.len() > 3);
    for (start, h) in steps.into_iter().skip(1) {
        for (near, far) in [(0.002, 0.004), (0.996, 0.998)] {
            let (a, b) = (start + near * h, start + far * h);
            for (crossing, expected) in [(Falling, vec![a]), (Rising, vec![b]), (Either, vec![a, b])] {
                let toy = Toy::clock().with(crossing, move |t, _| (t - a) * (t - b));
                let mut events = super::toy::Events::default();
                crate::hybrid::simulate(&toy, (0.0, 0, vec![0.0]), &options, &mut (), &mut events).expect("it runs");
                let found: Vec<f64> = events.0.iter().map(|event| event.0).collect();
                let close = found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12);
                assert!(
                    close && found.len() == expected.len(),
                    "{crossing:?} {a} {b}: {found:?}"
                );
            }
        }
    }
}

#[test]
fn a_guard_far_steeper_than_the_tolerance_fires_once() {
    // At the event the guard is rounding times a million: far above what counts as zero.
    let wave = |crossing| times(&Toy::clock().with(crossing, |t, _| 1e6 * (t + 0.5).sin()), 10.0);
    assert_times(&wave(Either), &[PI - 0.5, TAU - 0.5, 3.0 * PI - 0.5]);
    assert_times(&wave(Falling), &[PI - 0.5, 3.0 * PI - 0.5]);
}

#[test]
fn a_rise_above_zero_between_two_samples_is_seen() {
    let bump = |crossing| times(&Toy::clock().with(crossing, |t, _| (t - 0.5) * (0.501 - t)), 1.0);
    assert_times(&bump(Rising), &[0.5]);
    assert_times(&bump(Falling), &[0.501]);
    assert_times(&bump(Either), &[0.5, 0.501]);
}

#[test]
fn what_comes_close_to_zero_without_reaching_it_does_not_fire() {
    for middle in [1e-3, 0.02, 0.2, 0.5, 0.8, 0.999] {
        for gap in [1e-3, 1e-6, 1e-9] {
            for crossing in [Falling, Rising, Either, Unilateral] {
                let found = times(
                    &Toy::clock().with(crossing, move |t, _| (t - middle).powi(2) + gap),
                    1.0,
                );
                assert!(found.is_empty(), "{crossing:?} {middle} {gap}: {found:?}");
            }
        }
    }
}

#[test]
fn crossings_of_random_polynomials_are_all_found_in_order() {
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    for _ in 0..3000 {
        let mut roots: Vec<f64> = (0..4).map(|_| random()).collect();
        roots.sort_by(f64::total_cmp);
        // Further apart than the samples of a step.
        if roots[0] < 1e-3 || roots[3] > 0.999 || roots.windows(2).any(|pair| pair[1] - pair[0] < 0.175) {
            continue;
        }
        let sign = if random() < 0.5 { 1.0 } else { -1.0 };
        let guard =
            |roots: Vec<f64>| move |t: f64, _: &[f64]| sign * roots.iter().map(|root| t - root).product::<f64>();
        for crossing in [Falling, Rising, Either] {
            let found = times(&Toy::clock().with(crossing, guard(roots.clone())), 1.0);
            // With four roots and a positive factor the first crossing falls.
            let falls = |k: usize| k.is_multiple_of(2) == (sign > 0.0);
            let fires = |k: &usize| crossing == Either || (crossing == Falling) == falls(*k);
            let expected: Vec<f64> = (0..4).filter(fires).map(|k| roots[k]).collect();
            let close = found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-10);
            assert!(
                close && found.len() == expected.len(),
                "{crossing:?} {sign} {roots:?}: {found:?}"
            );
        }
    }
}

#[test]
fn the_first_of_several_guards_fires_first() {
    let toy = Toy::clock()
        .with(Rising, |t, _| t - 0.7)
        .with(Falling, |t, _| 0.3 - t)
        .with(Either, |t, _| t - 0.5);
    let (events, _) = super::toy::run(&toy, 0.0, &[0.0], 1.0).expect("it runs");
    let found: Vec<(f64, Vec<usize>)> = events.into_iter().map(|(t, fired, ..)| (t, fired)).collect();
    assert_times(&found.iter().map(|event| event.0).collect::<Vec<_>>(), &[0.3, 0.5, 0.7]);
    assert_eq!(found.iter().map(|event| event.1[0]).collect::<Vec<_>>(), [1, 2, 0]);
}

#[test]
fn guards_that_vanish_together_fire_together() {
    let toy = Toy::clock()
        .with(Rising, |t, _| t - 0.5)
        .with(Falling, |t, _| t - 0.2)
        .with(Falling, |t, x| 1.5 * (0.5 - x[0]) * (1.0 + t));
    let (events, _) = super::toy::run(&toy, 0.0, &[0.0], 1.0).expect("it runs");
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].1, [0, 2]);
    assert_times(&[events[0].0], &[0.5]);
}

#[test]
fn a_sleeping_guard_does_not_fire() {
    // Guard 1 sleeps until guard 0 has fired, and guard 0 from then on.
    let toy = Toy {
        awake: |guard, mode| guard == mode,
        ..Toy::clock()
    };
    let toy = toy
        .with(Either, |t, _| (t - 0.5) * (t - 0.9))
        .with(Either, |t, _| (t - 0.2) * (t - 0.7));
    assert_times(&times(&toy, 1.0), &[0.5, 0.7]);
}

#[test]
fn a_step_that_is_too_long_does_not_hide_an_oscillation() {
    // Eight crossings in the time that a clock would take in one or two steps, with steps as long as half a period.
    let toy = Toy::clock().with(Either, |t, _| (8.0 * PI * t + 0.3).sin());
    let mut options = super::toy::options(1, 1.0, Method::DormandPrince);
    options.max_step = 0.125;
    let mut events = super::toy::Events::default();
    crate::hybrid::simulate(&toy, (0.0, 0, vec![0.0]), &options, &mut (), &mut events).expect("it runs");
    let expected: Vec<f64> = (1..=8).map(|k| (f64::from(k) * PI - 0.3) / (8.0 * PI)).collect();
    assert_times(&events.0.iter().map(|event| event.0).collect::<Vec<_>>(), &expected);
}
