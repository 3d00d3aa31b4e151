//! Stops of mechanisms whose joints rub: friction presses them, or holds what touches them.

use costate::run::{Changes, Method};
use costate::scene::schema::FormulationKind::{Index3, Multipliers, Nullspace, Penalty, Stabilized};

use super::support::{agreed, experiment, happenings, objective, planar, report, run, spatial, times, under};

/// A double pendulum with a rubbing elbow and a stop at the shoulder, which the friction alone presses once the bounces are over.
fn pressed_by_friction(e: f64) -> String {
    planar(
        1.07,
        &format!(
            r#"parameters: {{ "F": 0.3, "e": {e} }},
            gravity: [1, -9.81],
            ground: {{ "O": [0, 0], "top": [0.3, 0.5] }},
            bodies: {{
                "a": Rigid(mass: 1.01, inertia: 0.02, centre: [0.095, -0.048], guess: [0, 0, 0.1], markers: {{ "k": [0.298, -0.039] }}),
                "b": Rigid(mass: 0.355, inertia: 0.023, centre: [0.103, 0.023], guess: [0.3, 0, 0.1], markers: {{ "t": [0.35, 0.02] }}),
            }},
            joints: {{
                "shoulder": Revolute(between: ("O", "a.origin")),
                "elbow": Revolute(between: ("a.k", "b.origin"), friction: Preload(kinetic: "F*1.1")),
            }},
            forces: {{
                "s": TorsionSpring(between: ("a", "b"), stiffness: 2.123),
                "hold": Spring(from: "top", to: "b.t", stiffness: 17.297, natural_length: 0.3, damping: 0.1),
            }},
            contacts: {{ "stop": Limit(of: Angle("a"), at_least: -0.127, at_most: 0.66, law: Restitution("e")) }},
            objectives: {{ "a": Final("a.angle"), "b": Final("b.angle"), "way": Integral("b.t.x") }},"#
        ),
    )
}

#[test]
fn bounces_come_to_rest_where_friction_alone_presses() {
    // They fired again and again; each is 0.1 of the one before, so that rest comes where the ordinary bounces converge.
    let report = run(&pressed_by_friction(0.1));
    let (last, name) = (happenings(&report), "stop (at least)");
    let rest = last.iter().position(|found| *found == (name, "rest")).expect("rest");
    assert!((times(&report)[rest] - 0.318_875_81).abs() < 1e-7, "{last:?}");
    assert!((objective(&report, "a") + 0.127).abs() < 1e-12, "it lies on the stop");
    agreed(&experiment(&pressed_by_friction(0.1), &Changes::default()), 1e-6);
}

#[test]
fn a_plastic_stop_has_no_derivative_by_a_bounce_that_friction_ends_at_once() {
    // A bounce with a speed of e times v gives back its momentum to first order. The adjoint gave -0.0076, forward -0.0078.
    for method in [Method::Adjoint, Method::Forward] {
        let found = experiment(&pressed_by_friction(0.0), &Changes::default()).gradient(method);
        for objective in found.expect("a gradient").objectives {
            assert!(objective.gradient[1].abs() < 1e-12, "{method}: {objective:?}");
        }
    }
}

#[test]
fn a_stop_that_is_touched_while_friction_holds_is_struck_once() {
    // The spring pulls by 15.2 * 0.3 = 4.56 N, and 0.3 m of a turning arm take 1 * 9 * 0.3 = 2.7 N of it and, as the mass is off the line of
    // the guide, no more than the friction of 0.5 N is left: it strikes once, without bounce, and sticks. It struck 40 times.
    let scene = planar(
        2.0,
        r#"parameters: { "F": 0.5, "w": 3, "k": 15.2 },
        ground: { "O": [0, 0] },
        bodies: {
            "arm": Rigid(mass: 1, inertia: 0.1, guess: [0, 0, 0], markers: { "g": [0.2, 0.07] }),
            "b": Rigid(mass: 1, inertia: 0.01, guess: [0.3, 0.07, 0], hold: [X]),
        },
        joints: {
            "axle": Revolute(between: ("O", "arm.origin")),
            "guide": Prismatic(between: ("arm.g", "b.origin"), direction: [1, 0], friction: Preload(kinetic: "F")),
            "drive": DriveAngle(body: "arm", angle: "w*t"),
        },
        contacts: { "stop": Limit(of: Distance("arm.g", "b.origin"), at_most: 0.3, law: Restitution(0)) },
        forces: { "spring": Spring(from: "arm.g", to: "b.origin", stiffness: "k", natural_length: 0) },
        objectives: { "impacts": AtEvents(of: "1", event: "stop"), "last": AtEvents(of: "t", event: "stop", which: Last) },"#,
    );
    for formulation in [Nullspace, Multipliers, Stabilized, Index3] {
        let report = report(&experiment(&scene, &under(formulation)));
        assert_eq!(
            objective(&report, "impacts"),
            1.0,
            "{formulation:?}: {:?}",
            happenings(&report)
        );
        assert!((objective(&report, "last") - 0.653_252_941).abs() < 1e-8);
    }
}

#[test]
fn a_stop_that_a_brake_holds_is_left_when_the_brake_slips() {
    // It fired again and again at rounding once it was released.
    let scene = |friction: f64| {
        planar(
            3.0,
            &format!(
                r#"parameters: {{ "F": {friction} }},
                gravity: [0, -9.81],
                ground: {{ "O": [0, 0] }},
                bodies: {{
                    "a": Rigid(mass: 1, inertia: 0.05, centre: [0.25, 0], guess: [0, 0, 0.3], hold: [Angle], markers: {{ "e": [0.5, 0] }}),
                    "b": Rigid(mass: 0.5, inertia: 0.01, centre: [0.15, 0], guess: [0.5, 0.1, 0.5], hold: [Angle], velocity: ["free", "free", 6]),
                }},
                joints: {{
                    "s": Revolute(between: ("O", "a.origin")),
                    "el": Revolute(between: ("a.e", "b.origin"), friction: Preload(kinetic: "F")),
                }},
                contacts: {{ "stop": Limit(of: AngleBetween("a", "b"), at_most: 0.6, law: Restitution(0)) }},
                objectives: {{ "x": Final("b.angle") }},"#
            ),
        )
    };
    for friction in [0.1, 0.3, 0.5, 0.7] {
        let report = run(&scene(friction));
        let events = happenings(&report);
        assert_eq!(
            events[..2],
            [("stop", "rest"), ("stop", "release")],
            "{friction}: {events:?}"
        );
        assert!(
            !events[2..].contains(&("stop", "impact")) || friction < 0.3,
            "{friction}: {events:?}"
        );
        agreed(&experiment(&scene(friction), &Changes::default()), 1e-6);
    }
}

/// A slide, a sleeve and a hinge that a falling force or torque presses to a stop. It falls below what gravity asks, so that the stop lets go
/// while friction holds, and slip begins later. That time follows from the sizes of forces alone.
#[test]
fn slip_that_begins_beside_a_stop_leaves_it_alone() {
    let (cos, sin) = (0.6_f64.cos(), 0.6_f64.sin());
    for mu in [0.15, 0.19, 0.2, 0.21, 0.3] {
        let slide = planar(
            1.2,
            &format!(
                r#"gravity: [0, -9.81], parameters: {{ "mu": {mu}, "c": 20 }}, constants: {{ "al": 0.6, "m": 2, "T": 25 }},
                points: {{ "P": (at: [0, 0], velocity: [0, 0], mass: "m") }},
                joints: {{ "g": PointOnLine(point: "P", line: Fixed(through: [0, 0], direction: ["cos(al)", "sin(al)"]), friction: Reaction(coefficient: "mu")) }},
                forces: {{ "f": Load(at: "P", force: ["(T - c*t)*cos(al)", "(T - c*t)*sin(al)"]) }},
                contacts: {{ "st": Limit(of: Coordinate("P.x"), at_most: 0, law: Restitution(0)) }},
                objectives: {{ "ts": AtEvents(of: "t", event: "g", kind: Slip, which: First), "x": Final("P.x") }},"#
            ),
        );
        let slips = (25.0 - 19.62 * (sin - mu * cos)) / 20.0;
        begins_once(&slide, slips, [-19.62 * -cos / 20.0, -slips / 20.0]);
    }
    let hinge = spatial(
        1.2,
        r#"gravity: [0, 0, -9.81], parameters: { "mu": 0.3, "c": 6 }, ground: { "O": [0, 0, 0] },
        bodies: { "b": Solid(mass: 2, inertia: [0.01, 0.05, 0.05, 0, 0, 0], centre_of_mass: [0.3, 0.02, 0], guess: [0, 0, 0]) },
        joints: { "g": Revolute(between: ("O", "b.origin"), axis: [0, -1, 0], angle: 0, angular_velocity: 0, friction: Reaction(coefficient: "mu", radius: 0.05, length: 0.2)) },
        forces: { "f": Torque(on: "g", torque: "8 - c*t") },
        contacts: { "st": Limit(of: Coordinate("g.angle"), at_most: 0, law: Restitution(0)) },
        objectives: { "ts": AtEvents(of: "t", event: "g", kind: Slip, which: First), "x": Final("g.angle") },"#,
    );
    // The bearings carry 19.62 N and tilt by 0.02 m of it, over 0.2 m.
    let slips = times(&run(&hinge))[1];
    let by_c = -slips / 6.0;
    let by_mu = (slips - (8.0 - 19.62 * 0.3) / 6.0) / 0.3;
    assert!((slips - 0.401_383_333).abs() < 1e-8, "{slips}");
    begins_once(&hinge, slips, [by_mu, by_c]);
}

/// The stop lets go, and slip begins once, at this time with these derivatives, in all formulations.
fn begins_once(scene: &str, slips: f64, slopes: [f64; 2]) {
    for formulation in [Nullspace, Multipliers, Stabilized, Index3] {
        let experiment = experiment(scene, &under(formulation));
        let found = report(&experiment);
        assert_eq!(
            happenings(&found),
            [("st", "release"), ("g", "slip")],
            "{formulation:?}"
        );
        assert!(
            (times(&found)[1] - slips).abs() < 1e-9,
            "{formulation:?}: {:?}",
            times(&found)
        );
        for method in [Method::Adjoint, Method::Forward] {
            let gradient = experiment.gradient(method).expect("a gradient");
            for (got, wanted) in gradient.objectives[0].gradient.iter().zip(slopes) {
                assert!(
                    (got - wanted).abs() < 1e-7,
                    "{formulation:?}, {method}: {got} instead of {wanted}"
                );
            }
        }
    }
}

#[test]
fn what_strikes_within_a_tolerance_of_another_event_leaves_no_derivative_across_its_stop() {
    // The last of the bounces at the shoulder is struck as the ratchet catches, 1e-12 above its stop and 4e-7 s before its own time. The
    // derivatives by forward sensitivities kept what that time would have changed of the gap: they were off by 2e-5.
    let scene = planar(
        0.72,
        r#"gravity: [1, -9.81],
        parameters: { "mu": 0.2, "F": 0.3, "e": 0.4 },
        ground: { "O": [0, 0], "top": [0.3, 0.5] },
        bodies: {
            "a": Rigid(mass: 0.32, inertia: 0.036, centre: [0.095, 0.004], guess: [0, 0, 0.1], markers: { "k": [0.343, 0.021] }),
            "b": Rigid(mass: 0.719, inertia: 0.014, centre: [0.079, -0.028], guess: [0.3, 0, 0.1],
                markers: { "k": [0.268, -0.012], "t": [0.35, 0.02] }),
            "c": Rigid(mass: 1.195, inertia: 0.014, centre: [0.125, 0.018], guess: [0.6, 0, 0.1], markers: { "t": [0.35, 0.02] }),
        },
        joints: {
            "shoulder": Revolute(between: ("O", "a.origin"), friction: Reaction(coefficient: "mu", radius: 0.03, static: "1.2*mu")),
            "upper": Prismatic(between: ("a.k", "b.origin"), direction: [0.352, -0.73], friction: Preload(kinetic: "F*1.971")),
            "lower": Prismatic(between: ("b.k", "c.origin"), direction: [0.746, -0.576]),
        },
        forces: {
            "turn": TorsionSpring(between: ("ground", "a"), stiffness: 3.036, natural_angle: -0.173, damping: 0.046),
            "pull": Spring(from: "a.k", to: "b.t", stiffness: 64.779, natural_length: 0.428, damping: 0.003),
            "hold": Spring(from: "top", to: "c.t", stiffness: 35.2, natural_length: 0.3, damping: 0.1),
        },
        contacts: {
            "stop": Limit(of: Angle("a"), at_least: -0.183, at_most: 0.697, law: Restitution("e")),
            "ratchet": Ratchet(of: Distance("a.k", "b.t"), moves: Up),
            "end": Limit(of: Distance("b.k", "c.t"), at_least: 0.237, at_most: 0.503, law: Restitution("e")),
        },
        objectives: { "E": Final("energy.total") },"#,
    );
    agreed(&experiment(&scene, &Changes::default()), 1e-8);
}

#[test]
fn a_blow_takes_a_body_off_a_stop_that_it_touches_without_a_force() {
    // The brake holds the slide against the pull away from the stop. A ball of the same mass hands on its 2 m/s: with 0.5 - 0.2 N against it
    // the slide is 2*3.75 - 0.3*3.75^2/2 m away 3.75 s later. The brake alone would take it back to the stop, which once counted as pressed.
    let scene = planar(
        4.0,
        r#"parameters: { "F": 0.5, "L": 0.2, "v": 2 },
        ground: { "O": [0, 0] },
        points: { "ball": (at: [-0.7, 0], velocity: ["v", 0], mass: 1) },
        bodies: { "slide": Rigid(mass: 1, inertia: 0.1, guess: [0.01, 0, 0], hold: [X], velocity: [-1, "free", "free"]) },
        joints: { "guide": Prismatic(between: ("O", "slide.origin"), direction: [1, 0], friction: Preload(kinetic: "F")) },
        forces: { "pull": Load(at: "slide.origin", force: ["L", 0]) },
        contacts: {
            "stop": Limit(of: Coordinate("slide.x"), at_least: 0, law: Restitution(0)),
            "blow": Touch(point: "ball", radius: 0.1, surface: Circle(centre: "slide.origin", radius: 0.1), law: Restitution(1)),
        },
        objectives: { "x": Final("slide.x") },"#,
    );
    let report = run(&scene);
    let events = happenings(&report);
    assert_eq!(events[..2], [("guide", "stick"), ("stop", "impact")]);
    assert_eq!(events[2..], [("blow", "impact"), ("guide", "slip")]);
    assert!((objective(&report, "x") - 5.390_625).abs() < 1e-9);
    agreed(&experiment(&scene, &Changes::default()), 1e-8);
}

/// An arm that strikes a stop without bounce, on a pin that bears more than pulls it off. All accelerations are rounding then: it chose whether
/// the pin holds the arm or rubs at rest and presses it to the stop, which carried 0.029 N m s now and then.
#[test]
fn a_pin_that_holds_an_arm_at_a_stop_leaves_the_stop_without_force() {
    let arm = |w0: f64, torque: &str| {
        planar(
            0.8,
            &format!(
                r#"parameters: {{ "mu": 0.3, "T": 1.0, "w0": {w0:?} }},
                gravity: [0, -9.81],
                ground: {{ "O": [0, 0] }},
                bodies: {{ "arm": Rigid(mass: 1, inertia: 0.02, centre: [0.2, 0], guess: [0, 0, "-pi/2 + 0.1"], hold: [Angle], velocity: ["free", "free", "-w0"]) }},
                joints: {{ "pin": Revolute(between: ("O", "arm.origin"), friction: Reaction(coefficient: "mu", static: "1.5*mu", radius: 0.1)) }},
                forces: {{ "push": Torque(on: "arm", torque: "{torque}") }},
                contacts: {{ "stop": Limit(of: Angle("arm"), at_least: "-pi/2", law: Restitution(0)) }},
                objectives: {{ "I": Integral("stop.force"), "angle": Final("arm.angle") }},"#
            ),
        )
    };
    let in_space = |w0: f64| {
        spatial(
            0.8,
            &format!(
                r#"parameters: {{ "mu": 0.3, "T": 1.0, "w0": {w0:?} }},
                gravity: [0, 0, -9.81],
                ground: {{ "O": [0, 0, 0] }},
                bodies: {{ "arm": Solid(mass: 1, inertia: [0.02, 0.02, 0.02, 0, 0, 0], guess: [0, 0, 0], centre_of_mass: [0.02, 0, -0.2]) }},
                joints: {{ "pin": Revolute(between: ("O", "arm.origin"), axis: [0, 1, 0.2], angle: 0.1, angular_velocity: "-w0",
                    friction: Reaction(coefficient: "mu", static: "1.5*mu", radius: 0.1, length: 0.2)) }},
                forces: {{ "push": Torque(on: "pin", torque: "T*t") }},
                contacts: {{ "stop": Limit(of: Coordinate("pin.angle"), at_least: 0, law: Restitution(0)) }},
                objectives: {{ "I": Integral("stop.force"), "J": Integral("pin.friction") }},"#
            ),
        )
    };
    for w0 in [1.8, 1.9, 2.0, 2.1, 2.2, 2.3, 3.0] {
        for scene in [arm(w0, "T*t"), in_space(w0)] {
            for formulation in [Nullspace, Multipliers, Stabilized, Index3, Penalty] {
                let report = report(&experiment(&scene, &under(formulation)));
                let wanted = [("pin", "stick"), ("stop", "impact"), ("pin", "slip")];
                // Under a penalty the stop may be touched by rounding once more as the pin slips.
                assert_eq!(happenings(&report)[..3], wanted, "{w0} {formulation:?}");
                assert!(objective(&report, "I").abs() < 1e-12, "{w0} {formulation:?}");
            }
        }
    }
    agreed(&experiment(&arm(2.0, "T*t"), &Changes::default()), 1e-7);
    agreed(&experiment(&in_space(2.0), &Changes::default()), 1e-7);
    // Turned round, the load overcomes the pin at last, towards the stop: that alone carries it from then on, as what a stop holds too.
    let pressed = arm(2.0, "-2*T*(t - 0.16)");
    let (slips, end) = (0.5 * 1.5 * 0.3 * 9.81 * 0.1, 0.8 - 0.16);
    for formulation in [Nullspace, Multipliers, Stabilized, Index3, Penalty] {
        let carried = objective(&report(&experiment(&pressed, &under(formulation))), "I");
        assert!(
            (carried - (end * end - slips * slips)).abs() < 1e-8,
            "{formulation:?}: {carried}"
        );
    }
    let found = agreed(&experiment(&pressed, &Changes::default()), 1e-7);
    let by_mu = -2.0 * slips * slips / 0.3;
    assert!((found.objectives[0].gradient[0] - by_mu).abs() < 1e-7);
}
