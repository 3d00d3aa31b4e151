//! The bouncing ball, whose motion is known in closed form.

use super::toy::{Events, Toy, options, run};
use crate::error::ErrorKind;
use crate::hybrid::{Crossing, simulate};
use crate::integrate::Method;

const G: f64 = 9.81;

/// Height and velocity; each bounce keeps 0.8 of the speed.
fn ball(jump: fn(&mut [f64], &[usize])) -> Toy {
    let flow = |_: f64, x: &[f64], dx: &mut [f64]| {
        dx[0] = x[1];
        dx[1] = -G;
    };
    Toy {
        n: 2,
        flow,
        jump,
        ..Toy::clock()
    }
    .with(Crossing::Unilateral, |_, x| x[0])
}

fn bounce(x: &mut [f64], _: &[usize]) {
    x[1] *= -0.8;
}

/// Time of the k-th bounce from height h at rest, and the speed of approach.
fn exact(h: f64, k: i32) -> (f64, f64) {
    let (first, speed) = ((2.0 * h / G).sqrt(), (2.0 * G * h).sqrt());
    let flights: f64 = (1..k).map(|i| 2.0 * first * 0.8_f64.powi(i)).sum();
    (first + flights, speed * 0.8_f64.powi(k - 1))
}

#[test]
fn bounces_come_at_their_time_with_their_speed() {
    for method in [Method::DormandPrince, Method::Radau] {
        let toy = ball(bounce);
        let mut events = Events::default();
        let end = 3.5;
        let finish = simulate(
            &toy,
            (0.0, 0, vec![1.0, 0.0]),
            &options(2, end, method),
            &mut (),
            &mut events,
        )
        .expect("it runs");
        let expected = (1..).map(|k| exact(1.0, k)).take_while(|(t, _)| *t < end);
        assert_eq!(expected.clone().count(), events.0.len());
        assert!(events.0.len() > 6);
        for ((t, fired, before, after), (time, speed)) in events.0.iter().zip(expected) {
            assert!((t - time).abs() < 1e-14 * 10.0, "{t} instead of {time}");
            assert_eq!(fired, &[0]);
            assert!(before[0].abs() < 1e-14 && after[0] == before[0], "{before:?}");
            assert!(
                (before[1] + speed).abs() < 1e-13 && (after[1] - 0.8 * speed).abs() < 1e-13,
                "{before:?} {after:?}"
            );
        }
        let (t, speed) = exact(1.0, events.0.len() as i32);
        let (since, up) = (end - t, 0.8 * speed);
        let height = up * since - 0.5 * G * since * since;
        assert!(
            (finish.x[0] - height).abs() < 1e-12 && finish.mode == events.0.len(),
            "{} and {height}",
            finish.x[0]
        );
    }
}

#[test]
fn bounces_that_accumulate_are_an_error_and_not_a_hang() {
    let (last, _) = exact(1.0, 200);
    let error = run(&ball(bounce), 0.0, &[1.0, 0.0], 10.0).expect_err("endless bounces");
    assert_eq!(
        (error.kind(), error.name()),
        (ErrorKind::Event, Some("guard 0")),
        "{error}"
    );
    assert!(
        (error.time().expect("a time") - last).abs() < 1e-6,
        "{error} instead of {last}"
    );
    assert!(error.advice().is_some());
}

#[test]
fn a_ball_that_is_thrown_from_the_ground_leaves_it_first() {
    let toy = ball(bounce);
    let (events, _) = run(&toy, 0.0, &[0.0, 2.0], 0.5).expect("it runs");
    let flight = 4.0 / G;
    assert!((events[0].0 - flight).abs() < 1e-14 && events.len() == 1, "{events:?}");
}

#[test]
fn a_ball_that_moves_into_the_ground_at_the_start_bounces_at_once() {
    let (events, _) = run(&ball(bounce), 0.0, &[0.0, -2.0], 0.1).expect("it runs");
    assert_eq!((events[0].0, events[0].3[1], events.len()), (0.0, 1.6, 1));
}

#[test]
fn flights_far_shorter_than_a_step_are_all_seen() {
    // Thrown at a thousandth of the usual speed without loss: the first node of a usual step is far later.
    let elastic = ball(|x, _| x[1] = -x[1]);
    let speed = 1e-3;
    let flight = 2.0 * speed / G;
    let (events, _) = run(&elastic, 0.0, &[0.0, speed], 20.5 * flight).expect("it runs");
    assert_eq!(events.len(), 20);
    for (k, event) in events.iter().enumerate() {
        let expected = flight * (k + 1) as f64;
        assert!((event.0 - expected).abs() < 1e-13, "{} instead of {expected}", event.0);
        assert!((event.3[1] - speed).abs() < 1e-13);
    }
}

#[test]
fn a_ball_at_rest_on_the_ground_that_nothing_holds_is_an_error() {
    let error = run(&ball(bounce), 0.0, &[0.0, 0.0], 1.0).expect_err("it falls through");
    assert_eq!(error.kind(), ErrorKind::Event, "{error}");
}
