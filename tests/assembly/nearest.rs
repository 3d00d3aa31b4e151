//! The closed configuration nearest to the guess, held coordinates, and the branch that the guess lies in.

use costate::model::marker::body_arm;

use crate::element_support::{Random, planar};
use crate::{assembled, assembled_at, assert_near, of};

/// Two bars in a row from A: a configuration is a pair of angles.
fn two_bars(first: [f64; 2], second: [f64; 2], more: &str) -> String {
    planar(&format!(
        r#"ground: {{ "A": [0.2, -0.1] }},
        points: {{ "P": (guess: {first:?}{more}), "Q": (guess: {second:?}) }},
        bodies: {{ "one": Bar(from: "A", to: "P", length: 1.3, mass: 1), "two": Bar(from: "P", to: "Q", length: 0.9, mass: 1) }},"#
    ))
}

/// Squared distance of the configuration with these angles from the guess.
fn squared(angles: [f64; 2], first: [f64; 2], second: [f64; 2]) -> f64 {
    let arm = body_arm(angles[0], 1.3, 0.0);
    let p = [0.2 + arm[0], -0.1 + arm[1]];
    let arm = body_arm(angles[1], 0.9, 0.0);
    let q = [p[0] + arm[0], p[1] + arm[1]];
    (0..2)
        .map(|k| (p[k] - first[k]).powi(2) + (q[k] - second[k]).powi(2))
        .sum()
}

/// Best angles by a grid over all of them and ever finer grids about the best.
fn by_search(first: [f64; 2], second: [f64; 2]) -> f64 {
    let (mut centre, mut width) = ([0.0, 0.0], std::f64::consts::PI);
    let mut best = f64::INFINITY;
    for _ in 0..14 {
        let middle = centre;
        for i in -60..=60 {
            for j in -60..=60 {
                let angles = [
                    middle[0] + width * f64::from(i) / 60.0,
                    middle[1] + width * f64::from(j) / 60.0,
                ];
                let value = squared(angles, first, second);
                if value < best {
                    (best, centre) = (value, angles);
                }
            }
        }
        width *= 0.1;
    }
    best
}

#[test]
fn the_configuration_is_the_nearest_of_all_to_the_guess() {
    let mut random = Random::new(201);
    for _ in 0..20 {
        let guess = [random.between(-3.0, 3.0), random.between(-3.0, 3.0)];
        let arm = body_arm(guess[0], random.between(1.0, 1.6), 0.0);
        let first = [0.2 + arm[0], -0.1 + arm[1]];
        let arm = body_arm(guess[1], random.between(0.6, 1.2), 0.0);
        let second = [first[0] + arm[0], first[1] + arm[1]];
        let (model, found) = assembled(&two_bars(first, second, ""));
        let at = |name: &str| of(&model, &found.q, name);
        let distance = (at("P.x") - first[0]).powi(2)
            + (at("P.y") - first[1]).powi(2)
            + (at("Q.x") - second[0]).powi(2)
            + (at("Q.y") - second[1]).powi(2);
        let least = by_search(first, second);
        assert!(
            (distance - least).abs() < 1e-10 * (1.0 + least),
            "{distance} instead of {least} for {first:?}, {second:?}"
        );
    }
}

#[test]
fn a_closed_guess_stays_as_it_is() {
    let arm = body_arm(0.4, 1.3, 0.0);
    let first = [0.2 + arm[0], -0.1 + arm[1]];
    let arm = body_arm(-0.9, 0.9, 0.0);
    let second = [first[0] + arm[0], first[1] + arm[1]];
    let (model, found) = assembled(&two_bars(first, second, ""));
    for (name, expected) in [
        ("P.x", first[0]),
        ("P.y", first[1]),
        ("Q.x", second[0]),
        ("Q.y", second[1]),
    ] {
        assert_near(of(&model, &found.q, name), expected, name);
    }
}

/// A four-bar whose crank is held at 60 degrees: the rocker end is above or below the line from P to B.
fn four_bar(guess: [f64; 2]) -> String {
    planar(&format!(
        r#"ground: {{ "A": [0, 0], "B": [3, 0] }},
        points: {{ "P": (guess: [0.5, 0.8]), "Q": (guess: {guess:?}) }},
        bodies: {{
          "crank": Bar(from: "A", to: "P", length: 1, mass: 1, angle: "pi/3"),
          "coupler": Bar(from: "P", to: "Q", length: 2.5, mass: 1),
          "rocker": Bar(from: "B", to: "Q", length: 2, mass: 1),
        }},"#
    ))
}

#[test]
fn the_guess_selects_the_branch() {
    let crank = [0.5, 0.75_f64.sqrt()];
    // Intersections of the circles about P and B.
    let (d, r, s) = ([3.0 - crank[0], -crank[1]], 2.5_f64, 2.0_f64);
    let length = d[0].hypot(d[1]);
    let along = (r * r - s * s + length * length) / (2.0 * length);
    let across = (r * r - along * along).sqrt();
    let place = |side: f64| {
        let [u, w] = [along / length, side * across / length];
        [crank[0] + u * d[0] - w * d[1], crank[1] + u * d[1] + w * d[0]]
    };
    for (guess, side) in [([2.5, 2.0], 1.0), ([3.0, 1.5], 1.0), ([2.0, -1.5], -1.0)] {
        let (model, found) = assembled(&four_bar(guess));
        let [x, y] = place(side);
        assert_near(of(&model, &found.q, "Q.x"), x, "Q.x");
        assert_near(of(&model, &found.q, "Q.y"), y, "Q.y");
        assert_near(of(&model, &found.q, "P.x"), crank[0], "P.x");
        assert_near(
            of(&model, &found.q, "crank.angle"),
            std::f64::consts::FRAC_PI_3,
            "crank.angle",
        );
    }
}

#[test]
fn held_coordinates_stay_and_the_others_follow() {
    let text = two_bars([1.0, 0.5], [1.5, -0.2], ", hold: [X]");
    let (model, found) = assembled(&text);
    assert_eq!(of(&model, &found.q, "P.x"), 1.0);
    let y = -0.1 + (1.3_f64.powi(2) - 0.8_f64.powi(2)).sqrt();
    assert_near(of(&model, &found.q, "P.y"), y, "P.y");
    let (model, found) = assembled(&planar(
        r#"bodies: { "plate": Rigid(mass: 1, inertia: 1, guess: [0.3, 0.4, 0.5], hold: [Angle], markers: { "m": [1, 0] }) },
        ground: { "A": [0, 0] }, joints: { "pin": Revolute(between: ("A", "plate.m")) },"#,
    ));
    assert_eq!(of(&model, &found.q, "plate.angle"), 0.5);
    assert_near(of(&model, &found.q, "plate.x"), -0.5_f64.cos(), "plate.x");
    assert_near(of(&model, &found.q, "plate.y"), -0.5_f64.sin(), "plate.y");
}

#[test]
fn points_at_their_place_stay_there_even_when_a_joint_is_redundant_with_that() {
    // The link fits the two held points: it constrains nothing any more, and contradicts nothing.
    let (model, found) = assembled(&planar(
        r#"ground: { "A": [0, 0] },
        points: { "P": (at: [3, 4], mass: 1), "Q": (guess: [4, 5], mass: 1), "R": (at: [3, 0], mass: 1) },
        joints: { "fits": Link(from: "A", to: "P", length: 5), "also": Link(from: "P", to: "R", length: 4),
                  "free": Link(from: "P", to: "Q", length: 1), "twice": Link(from: "Q", to: "P", length: 1) },"#,
    ));
    assert_eq!([of(&model, &found.q, "P.x"), of(&model, &found.q, "P.y")], [3.0, 4.0]);
    let diagonal = 0.5_f64.sqrt();
    assert_near(of(&model, &found.q, "Q.x"), 3.0 + diagonal, "Q.x");
    assert_near(of(&model, &found.q, "Q.y"), 4.0 + diagonal, "Q.y");
}

#[test]
fn a_held_bar_angle_turns_the_bar_from_wherever_the_guess_lies() {
    for angle in [-2.0, -0.3, 0.0, 1.0, 3.0] {
        let (model, found) = assembled(&planar(&format!(
            r#"ground: {{ "A": [0, 0] }}, points: {{ "P": (guess: [1.5, 0.5]) }},
            bodies: {{ "bar": Bar(from: "A", to: "P", length: 2, mass: 1, angle: {angle:?}) }},"#
        )));
        assert_eq!(of(&model, &found.q, "bar.angle"), angle);
        assert_near(of(&model, &found.q, "P.x"), 2.0 * angle.cos(), "P.x");
        assert_near(of(&model, &found.q, "P.y"), 2.0 * angle.sin(), "P.y");
    }
}

#[test]
fn a_driven_bar_points_along_its_angle_from_wherever_the_guess_lies() {
    for angle in [-2.0, 0.2, 2.5, 4.0, 9.0, 62.0] {
        let (model, found) = assembled(&planar(&format!(
            r#"ground: {{ "A": [0, 0] }}, points: {{ "P": (guess: [1.5, 0.5]), "Q": (guess: [3, 0.5], mass: 1) }},
            bodies: {{ "bar": Bar(from: "P", to: "A", length: 2, mass: 1), "rod": Bar(from: "P", to: "Q", length: 1, mass: 1) }},
            joints: {{ "motor": DriveAngle(body: "bar", angle: "{angle:?} + t") }},"#
        )));
        assert_near(of(&model, &found.q, "bar.angle"), angle, "bar.angle");
        assert_near(of(&model, &found.q, "P.x"), -2.0 * angle.cos(), "P.x");
        assert_near(of(&model, &found.q, "P.y"), -2.0 * angle.sin(), "P.y");
    }
}

#[test]
fn a_motor_many_turns_on_closes_a_four_bar_like_one_within_the_first_turn() {
    let place = |angle: f64| {
        let (model, found) = assembled(&planar(&format!(
            r#"ground: {{ "A": [0, 0], "B": [3, 0] }}, points: {{ "P": (guess: [0.5, 0.8]), "Q": (guess: [2.5, 2]) }},
            bodies: {{ "crank": Bar(from: "A", to: "P", length: 1, mass: 1), "coupler": Bar(from: "P", to: "Q", length: 2.5, mass: 1),
                       "rocker": Bar(from: "B", to: "Q", length: 2, mass: 1) }},
            joints: {{ "motor": DriveAngle(body: "crank", angle: "{angle:?}") }},"#
        )));
        ["P.x", "P.y", "Q.x", "Q.y"].map(|name| of(&model, &found.q, name))
    };
    let first = place(1.0);
    for turns in [-1.0, 1.0, 10.0] {
        let later = place(1.0 + turns * std::f64::consts::TAU);
        assert!(
            crate::element_support::distance(&first, &later) < 1e-11,
            "{first:?} and {later:?}"
        );
    }
}

#[test]
fn a_free_angle_of_a_bar_is_its_direction() {
    for guess in [[1.5, 0.5], [-1.5, 0.5], [-1.0, -1.0], [0.1, -2.0]] {
        let (model, found) = assembled(&planar(&format!(
            r#"ground: {{ "A": [0, 0] }}, points: {{ "P": (guess: {guess:?}) }},
            bodies: {{ "bar": Bar(from: "A", to: "P", length: 2, mass: 1) }},
            forces: {{ "hinge": TorsionSpring(between: ("ground", "bar"), stiffness: 1) }},"#
        )));
        let [x, y] = ["P.x", "P.y"].map(|name| of(&model, &found.q, name));
        assert_near(of(&model, &found.q, "bar.angle"), y.atan2(x), "bar.angle");
        assert_near(y.atan2(x), f64::atan2(guess[1], guess[0]), "direction");
    }
}

#[test]
fn a_driver_is_closed_at_the_time_of_the_start() {
    let text = planar(
        r#"ground: { "A": [0, 0] }, points: { "P": (guess: [1, 1]) },
        bodies: { "crank": Bar(from: "A", to: "P", length: 2, mass: 1) },
        joints: { "motor": DriveAngle(body: "crank", angle: "0.5 + 0.3*t^2") },
        simulation: (start: 2, duration: 1),"#,
    );
    for t in [0.0, 2.0] {
        let (model, found) = assembled_at(&text, t);
        let angle: f64 = 0.5 + 0.3 * t * t;
        assert_near(of(&model, &found.q, "crank.angle"), angle, "crank.angle");
        assert_near(of(&model, &found.q, "P.x"), 2.0 * angle.cos(), "P.x");
        assert_near(of(&model, &found.v, "crank.angle"), 0.6 * t, "crank.omega");
        assert_near(of(&model, &found.v, "P.y"), 2.0 * angle.cos() * 0.6 * t, "P.vy");
    }
}

#[test]
fn a_gear_counts_whole_turns() {
    let (model, found) = assembled(&planar(
        r#"ground: { "A": [0, 0], "B": [3, 0] }, points: { "P": (guess: [1, 0.2]), "Q": (guess: [3.5, 0.9]) },
        bodies: { "first": Bar(from: "A", to: "P", length: 1, mass: 1), "second": Bar(from: "B", to: "Q", length: 1, mass: 1) },
        joints: { "motor": DriveAngle(body: "first", angle: "40 + t"), "gear": Gear(between: ("first", "second"), ratio: -0.5, phase: 1) },"#,
    ));
    assert_near(of(&model, &found.q, "second.angle"), -19.0, "second.angle");
    assert_near(of(&model, &found.q, "Q.x"), 3.0 + 19.0_f64.cos(), "Q.x");
    assert_near(of(&model, &found.q, "Q.y"), -19.0_f64.sin(), "Q.y");
    assert_near(of(&model, &found.q, "P.y"), 40.0_f64.sin(), "P.y");
}

#[test]
fn a_guess_far_from_any_closed_configuration_still_leads_to_a_nearest_one() {
    let mut random = Random::new(202);
    for _ in 0..60 {
        let mut place = || [random.between(-20.0, 20.0), random.between(-20.0, 20.0)];
        let (first, second) = (place(), place());
        let (model, found) = assembled(&two_bars(first, second, ""));
        assert!(found.nearest, "not found from {first:?}, {second:?}");
        let at = |name: &str| of(&model, &found.q, name);
        let angles = [
            (at("P.y") + 0.1).atan2(at("P.x") - 0.2),
            (at("Q.y") - at("P.y")).atan2(at("Q.x") - at("P.x")),
        ];
        let least = squared(angles, first, second);
        for (i, j) in [
            (1.0, 0.0),
            (-1.0, 0.0),
            (0.0, 1.0),
            (0.0, -1.0),
            (1.0, 1.0),
            (1.0, -1.0),
        ] {
            let beside = squared([angles[0] + 1e-3 * i, angles[1] + 1e-3 * j], first, second);
            assert!(
                beside > least,
                "{beside} is nearer than {least} to {first:?}, {second:?}"
            );
        }
    }
}

#[test]
fn bars_are_laid_along_held_angles_that_their_guesses_lie_across() {
    use std::f64::consts::FRAC_PI_2;
    for turned in [FRAC_PI_2, -FRAC_PI_2, FRAC_PI_2 + 1e-9, 1.5, 2.0, 3.0] {
        let [one, two] = [0.3, 1.1].map(|angle| angle + turned);
        // The second bar hangs on the first and is listed before it.
        let (model, found) = assembled(&planar(&format!(
            r#"ground: {{ "A": [0.2, -0.1] }},
            points: {{ "P": (guess: [{}, {}]), "Q": (guess: [{}, {}], mass: 1) }},
            bodies: {{ "two": Bar(from: "P", to: "Q", length: 0.9, mass: 1, angle: 1.1),
                       "one": Bar(from: "A", to: "P", length: 1.3, mass: 1, angle: 0.3) }},"#,
            0.2 + one.cos(),
            -0.1 + one.sin(),
            0.2 + one.cos() + two.cos(),
            -0.1 + one.sin() + two.sin(),
        )));
        let p = [0.2 + 1.3 * 0.3_f64.cos(), -0.1 + 1.3 * 0.3_f64.sin()];
        assert_near(of(&model, &found.q, "P.x"), p[0], "P.x");
        assert_near(of(&model, &found.q, "P.y"), p[1], "P.y");
        assert_near(of(&model, &found.q, "Q.x"), p[0] + 0.9 * 1.1_f64.cos(), "Q.x");
        assert_near(of(&model, &found.q, "Q.y"), p[1] + 0.9 * 1.1_f64.sin(), "Q.y");
    }
}

#[test]
fn a_bar_that_ends_in_the_ground_is_laid_along_its_angle_too() {
    let (model, found) = assembled(&planar(
        r#"ground: { "A": [0, 0] }, points: { "P": (guess: [0.7, 0.7], mass: 1) },
        bodies: { "rod": Bar(from: "P", to: "A", length: 1, mass: 1, angle: "3*pi/4") },"#,
    ));
    assert_near(of(&model, &found.q, "P.x"), 0.5_f64.sqrt(), "P.x");
    assert_near(of(&model, &found.q, "P.y"), -(0.5_f64.sqrt()), "P.y");
}
