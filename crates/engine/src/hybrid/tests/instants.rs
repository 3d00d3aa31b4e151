//! Guards on zero at the start, events at the start and the end, and repeated events at one instant.

use std::f64::consts::{PI, TAU};

use super::toy::{Toy, assert_times, run, times};
use crate::error::ErrorKind;
use crate::hybrid::Crossing::{Either, Falling, Rising, Unilateral};
use crate::integrate::Method;

#[test]
fn a_guard_that_starts_on_zero_and_leaves_fires_when_it_comes_back() {
    let wave = |crossing| times(&Toy::clock().with(crossing, |t, _| t.sin()), 10.0);
    assert_times(&wave(Falling), &[PI, 3.0 * PI]);
    assert_times(&wave(Rising), &[TAU]);
    assert_times(&wave(Either), &[PI, TAU, 3.0 * PI]);
}

#[test]
fn a_guard_that_must_not_be_negative_fires_at_once_where_it_starts_to_fall() {
    let falling = run(
        &Toy {
            awake: |_, mode| mode == 0,
            ..Toy::clock()
        }
        .with(Unilateral, |t, _| -t.sin()),
        0.0,
        &[0.0],
        1.0,
    );
    let (events, _) = falling.expect("it runs");
    assert_eq!((events.len(), events[0].0), (1, 0.0));
    // Flat at first: the value falls with the square of time.
    let flat = run(
        &Toy {
            awake: |_, mode| mode == 0,
            ..Toy::clock()
        }
        .with(Unilateral, |t, _| -t * t),
        0.0,
        &[0.0],
        1.0,
    );
    assert_eq!(flat.expect("it runs").0[0].0, 0.0);
    // Already below zero.
    let below = run(
        &Toy {
            awake: |_, mode| mode == 0,
            ..Toy::clock()
        }
        .with(Unilateral, |_, _| -0.1),
        0.0,
        &[0.0],
        1.0,
    );
    assert_eq!(below.expect("it runs").0[0].0, 0.0);
}

#[test]
fn a_guard_that_must_not_be_negative_may_leave_zero_upwards_and_stay_on_it() {
    assert!(times(&Toy::clock().with(Unilateral, |t, _| t), 1.0).is_empty());
    assert!(times(&Toy::clock().with(Unilateral, |t, _| t * t), 1.0).is_empty());
    assert!(times(&Toy::clock().with(Unilateral, |_, _| 0.0), 1.0).is_empty());
}

#[test]
fn a_guard_that_leaves_zero_and_returns_before_the_first_sample_fires() {
    for back in [1e-2, 1e-3, 1e-4] {
        let toy = Toy {
            awake: |_, mode| mode == 0,
            ..Toy::clock()
        }
        .with(Unilateral, move |t, _| t * (back - t));
        let found = times(&toy, 1.0);
        assert!(
            found.len() == 1 && (found[0] - back).abs() < 1e-12,
            "{found:?} instead of {back}"
        );
        let toy = Toy::clock().with(Falling, move |t, _| t * (back - t));
        let found = times(&toy, 1.0);
        assert!(
            found.len() == 1 && (found[0] - back).abs() < 1e-12,
            "{found:?} instead of {back}"
        );
    }
}

#[test]
fn an_event_exactly_at_the_end_happens() {
    for crossing in [Falling, Either, Unilateral] {
        let (events, finish) = run(&Toy::clock().with(crossing, |t, _| 1.0 - t), 0.0, &[0.0], 1.0).expect("it runs");
        assert_eq!(
            (events.len(), events[0].0, finish.t, finish.mode),
            (1, 1.0, 1.0, 1),
            "{crossing:?}"
        );
    }
    assert!(times(&Toy::clock().with(Falling, |t, _| 1.0 + 1e-9 - t), 1.0).is_empty());
}

#[test]
fn an_event_just_after_the_start_happens() {
    for after in [1e-3, 1e-6, 1e-9, 1e-12] {
        let found = times(&Toy::clock().with(Rising, move |t, _| t - after), 1.0);
        assert!(
            found.len() == 1 && (found[0] - after).abs() < 1e-16,
            "{found:?} instead of {after}"
        );
    }
}

#[test]
fn late_times_are_resolved_as_well_as_they_can_be() {
    let toy = Toy {
        n: 2,
        flow: |_, x, dx| (dx[0], dx[1]) = (x[1], -x[0]),
        ..Toy::clock()
    }
    .with(Falling, |_, x| x[1]);
    let start = 1e6;
    let (events, _) = run(&toy, start, &[0.0, 1.0], start + 20.0).expect("it runs");
    assert_eq!(events.len(), 3);
    for (k, event) in events.iter().enumerate() {
        let expected = start + 0.5 * PI + TAU * k as f64;
        assert!((event.0 - expected).abs() < 3e-9, "{} instead of {expected}", event.0);
    }
}

#[test]
fn an_event_that_asks_for_itself_again_is_an_error_that_names_it() {
    let error =
        run(&Toy::clock().with(Unilateral, |t, _| 0.5 - t), 0.0, &[0.0], 1.0).expect_err("it fires again and again");
    assert_eq!((error.kind(), error.name()), (ErrorKind::Event, Some("guard 0")));
    assert!((error.time().expect("a time") - 0.5).abs() < 1e-9, "{error}");
    assert!(error.message().contains("again"), "{error}");
}

#[test]
fn two_events_that_switch_each_other_back_and_forth_are_an_error() {
    let toy = Toy {
        n: 2,
        flow: |_, x, dx| (dx[0], dx[1]) = (x[1], 0.0),
        jump: |x, _| x[1] = -x[1],
        ..Toy::clock()
    };
    let toy = toy.with(Unilateral, |_, x| x[0]).with(Unilateral, |_, x| -x[0]);
    let error = run(&toy, 0.0, &[0.0, 1.0], 1.0).expect_err("no way out");
    assert_eq!(error.kind(), ErrorKind::Event);
}

#[test]
fn too_many_steps_are_an_error_that_says_so() {
    let toy = Toy {
        n: 2,
        flow: |_, x, dx| (dx[0], dx[1]) = (x[1], -1e4 * x[0]),
        ..Toy::clock()
    };
    let options = crate::hybrid::Options {
        max_steps: 50,
        ..super::toy::options(2, 10.0, Method::DormandPrince)
    };
    let error =
        crate::hybrid::simulate(&toy, (0.0, 0, vec![1.0, 0.0]), &options, &mut (), &mut ()).expect_err("50 steps");
    assert_eq!(error.kind(), ErrorKind::StepSize);
    assert!(error.message().contains("50") && error.advice().is_some(), "{error}");
}

#[test]
fn a_guard_that_is_not_a_number_is_an_error_and_not_passed_over() {
    let error = run(
        &Toy::clock().with(Falling, |t, _| (0.5 - t).sqrt() + 0.1),
        0.0,
        &[0.0],
        1.0,
    )
    .expect_err("no number");
    assert_eq!(error.kind(), ErrorKind::NotFinite);
    assert!(error.time().expect("a time") > 0.5, "{error}");
}
