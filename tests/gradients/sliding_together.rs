//! Motions along two guards and more at once: each share follows from the rates of all guards.

use costate::hybrid::{HybridSystem, simulate};
use costate::integrate::StagePoint;
use costate::run::Method;
use costate::scene::schema::FormulationKind::{Index3, Multipliers, Penalty, Stabilized};

use crate::sliding::{certified, close, experiment, happenings, refused, run, under, value};
use crate::{of, worst_difference};

/// Two blocks on belts with a spring between them; a load on the first lets it go, and then the second.
fn blocks(duration: f64) -> String {
    format!(
        r#"gravity: [0, -9.81], parameters: {{ "m1": 0.3, "m2": 0.4, "k": 6.0, "F": 9.0, "u": 0.2 }},
        ground: {{ "O": [0, 0] }}, points: {{ "P": (at: [0, 0], mass: 1), "Q": (at: [1, 0.1], mass: 1.5) }},
        outputs: {{ "p": "-m1*9.81*sign(P.vx - u)", "q": "-m2*1.5*9.81*sign(Q.vx - 0.1)" }},
        joints: {{ "a": Coupling(terms: [("P.y", 1)], equals: 0), "b": Coupling(terms: [("Q.y", 1)], equals: 0.1) }},
        forces: {{ "spring": Spring(from: "P", to: "Q", stiffness: "k", natural_length: 1, damping: 0.2),
                   "dry P": Load(at: "P", force: ["p", 0]), "dry Q": Load(at: "Q", force: ["q", 0]),
                   "pull": Load(at: "P", force: ["F*sin(t)^2", 0]) }},
        objectives: {{ "x": Final("P.x"), "y": Final("Q.x"), "p": Integral("p*P.vx"), "q": Integral("q + p") }},
        simulation: (duration: {duration})"#
    )
}

/// A double pendulum with a brake in each hinge: the motion of each rod changes the rates of both.
const ARM: &str = r#"gravity: [0, -1], parameters: { "b": 3.0, "c": 3.0, "L": 0.7, "F": 10.0 },
    ground: { "O": [0, 0] }, points: { "P": (guess: [0.7, -0.1], mass: 1), "Q": (guess: [1.2, -0.3], mass: 0.5) },
    bodies: { "one": Bar(from: "O", to: "P", length: "L", mass: 0.4, angle: -0.2, angular_velocity: 1.5),
              "two": Bar(from: "P", to: "Q", length: 0.6, mass: 0.2, angle: -0.5, angular_velocity: -1) },
    forces: { "lower": Torque(on: "two", torque: "-c*sign(two.omega - one.omega)"),
              "back": Torque(on: "one", torque: "c*sign(two.omega - one.omega)"),
              "upper": Torque(on: "one", torque: "-2*b*sign(one.omega)"),
              "pull": Load(at: "Q", force: ["F*sin(5*t)", "F*sin(5*t)"]) },
    objectives: { "E": Integral("P.vx^2 + Q.vy^2"), "F": Final("P.x"), "R": Integral("one.force"), "H": Final("Q.y") },
    simulation: (duration: 1.6)"#;

#[test]
fn blocks_that_do_not_act_on_each_other_stick_each_for_itself() {
    let fields = r#"gravity: [0, 0], parameters: { "a": 2.0, "b": 4.0, "v": 1.0 },
        points: { "P": (at: [0, 0], velocity: ["v", 0], mass: 1), "Q": (at: [5, 0], velocity: ["v", 0], mass: 1) },
        forces: { "dry": Load(at: "P", force: ["-a*sign(P.vx)", 0]), "other": Load(at: "Q", force: ["-b*sign(Q.vx)", 0]) },
        objectives: { "x": Final("P.x"), "y": Final("Q.x"), "work": Integral("dry.power + other.power") },
        simulation: (duration: 2)"#;
    let report = run(fields);
    let events: Vec<(&str, &str)> = happenings(&report).iter().map(|event| (event.0, event.1)).collect();
    assert_eq!(events, [("other", "slide"), ("dry", "slide")]);
    close(value(&report, "x"), 0.25, 1e-11);
    close(value(&report, "y"), 5.125, 1e-11);
    let gradient = certified(fields);
    close(of(&gradient, "x", "a"), -0.125, 1e-10);
    close(of(&gradient, "y", "v"), 0.25, 1e-10);
    close(of(&gradient, "x", "b"), 0.0, 1e-11);
    close(of(&gradient, "work", "v"), -2.0, 1e-10);
    // Both stop at one instant.
    let gradient = certified(&fields.replace("\"b\": 4.0", "\"b\": 2.0"));
    close(of(&gradient, "x", "a"), -0.125, 1e-10);
    close(of(&gradient, "y", "b"), -0.125, 1e-10);
    close(of(&gradient, "y", "a"), 0.0, 1e-11);
}

#[test]
fn blocks_on_belts_with_a_spring_between_them_stick_and_let_go_in_turn() {
    let fields = blocks(3.0);
    let report = run(&fields);
    let events: Vec<(&str, &str)> = happenings(&report).iter().map(|event| (event.0, event.1)).collect();
    let sliding = events.iter().scan(0, |count: &mut i32, (_, kind)| {
        *count += match *kind {
            "slide" => 1,
            "leave" => -1,
            _ => 0,
        };
        Some(*count)
    });
    let most = sliding.max();
    let left = events.iter().filter(|(_, kind)| *kind == "leave").count();
    assert!(most == Some(2) && left >= 2, "{events:?}");
    certified(&fields);
}

#[test]
fn an_arm_with_two_brakes_sticks_and_lets_go_alike_in_every_formulation() {
    let events = run(ARM).events;
    let kinds: Vec<(&str, &str)> = (events.iter())
        .map(|event| (event.name.as_str(), event.kind.as_str()))
        .collect();
    assert!(
        kinds
            .windows(2)
            .any(|pair| pair[0].1 == "slide" && pair[1].1 == "slide"),
        "{kinds:?}"
    );
    let reference = certified(ARM);
    for (formulation, tolerance) in [(Multipliers, 1e-8), (Penalty, 1e-4), (Stabilized, 1e-7), (Index3, 1e-7)] {
        let found = under(ARM, formulation);
        let (adjoint, forward) = [Method::Adjoint, Method::Forward]
            .map(|method| found.gradient(method).unwrap())
            .into();
        let error = worst_difference(&adjoint, &reference);
        assert!(error < tolerance, "{formulation:?}: {error:e}");
        let error = worst_difference(&adjoint, &forward);
        assert!(error < 1e-7, "{formulation:?}: {error:e}");
    }
    let implicit = ARM.replace("(duration: 1.6)", "(duration: 1.6, integrator: Radau)");
    let error = worst_difference(&experiment(&implicit).gradient(Method::Forward).unwrap(), &reference);
    assert!(error < 1e-6, "{error:e}");
}

#[test]
fn two_relays_lead_to_rest_along_both_of_their_lines() {
    // Each is driven onto its line u = x + v, and from there decays along it.
    let fields = r#"gravity: [0, 0], parameters: { "c": 3.0, "d": 4.0, "s": 0.5 },
        points: { "P": (at: [1, 0], velocity: [0, 0], mass: 1), "Q": (at: [-1, 1], velocity: [0.5, 0], mass: 1) },
        memory: { "on": -1 },
        forces: { "relay": Load(at: "P", force: ["-c*sign(P.x + P.vx) - s*(P.x - Q.x)", 0]),
                  "other": Load(at: "Q", force: ["-d*on + s*(P.x - Q.x)", 0]) },
        events: { "up": (when: Rising("Q.x + Q.vx"), then: [Set("on", 1)]), "down": (when: Falling("Q.x + Q.vx"), then: [Set("on", -1)]) },
        objectives: { "x": Final("P.x"), "y": Final("Q.x"), "effort": Integral("on*Q.vx") }, simulation: (duration: 3)"#;
    let report = run(fields);
    let kinds: Vec<&str> = report.events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "slide").count(), 2, "{kinds:?}");
    let reach = |name: &str, at: f64| value(&report, name) / at;
    assert!(reach("x", 1.0).abs() < 0.2 && reach("y", 1.0).abs() < 0.2);
    certified(fields);
}

#[test]
fn where_two_guards_have_several_motions_the_names_are_told() {
    let fields = |across: f64| {
        format!(
            r#"gravity: [0, 0], points: {{ "P": (at: [1, 0], mass: 1), "Q": (at: [2, 0], mass: 1) }},
            forces: {{ "one": Load(at: "P", force: ["-2*sign(P.vx) + {across}*sign(Q.vx)", 0]),
                       "two": Load(at: "Q", force: ["-2*sign(Q.vx) + {across}*sign(P.vx)", 0]) }},
            objectives: {{ "x": Final("Q.x") }}, simulation: (duration: 2)"#
        )
    };
    close(value(&run(&fields(1.0)), "x"), 2.0, 1e-14);
    let error = refused(&fields(3.0));
    assert!(
        error.to_string().contains("\"one\"") && error.to_string().contains("\"two\""),
        "{error}"
    );
}

fn point<'a>(t: f64, x: &'a [f64], [rate, multipliers]: [&'a [f64]; 2]) -> StagePoint<'a> {
    StagePoint {
        t,
        x,
        rate,
        multipliers,
    }
}

#[test]
fn the_equations_of_newtons_method_know_what_the_shares_follow() {
    let experiment = under(ARM, Index3);
    let mechanism = &experiment.mechanism;
    let mut workspace = mechanism.workspace();
    let started = mechanism.start(0.0, &mut workspace).unwrap();
    let start = (0.0, started.mode, started.x);
    let end = simulate(mechanism, start, &experiment.options, &mut workspace, &mut ()).unwrap();
    assert_eq!(end.mode.slides.len(), 2);
    let mut largest = 0.0_f64;
    mechanism
        .hessenberg(&end.mode, &mut workspace, &mut |equations| {
            let structure = equations.structure();
            let (n, coupled) = (structure.unknowns(), structure.coupled);
            let (rate, multipliers) = (vec![0.0; coupled], vec![0.0; structure.multipliers]);
            let y = [&rate[..], &multipliers];
            let [mut mass, mut jacobian] = [(); 2].map(|()| vec![0.0; n * n]);
            equations.linearize(&point(end.t, &end.x, y), &mut mass, &mut jacobian)?;
            let mut residual = |j: usize, step: f64| {
                let (mut x, mut r) = (end.x.clone(), vec![0.0; n]);
                x[j] += step;
                equations.residual(&point(end.t, &x, y), &mut r).map(|()| r)
            };
            for j in 0..coupled {
                let [below, above] = [residual(j, -1e-5)?, residual(j, 1e-5)?];
                for i in coupled / 2..coupled {
                    let (found, expected) = (jacobian[i * n + j], (above[i] - below[i]) / 2e-5);
                    largest = largest.max(expected.abs());
                    assert!(
                        (found - expected).abs() < 1e-6 * largest.max(1.0),
                        "{i}, {j}: {found} is not {expected}"
                    );
                }
            }
            Ok(())
        })
        .unwrap();
    assert!(largest > 1.0);
}

#[test]
fn a_sign_that_two_loads_read_turns_at_once_beside_something_else_that_slides() {
    // Friction between two carts, while a third one rests by a friction of its own.
    let fields = |rest: &str| {
        format!(
            r#"gravity: [0, 0], parameters: {{ "mu": 0.4, "F": 3.0, "v": 1.0, "b": 1.0 }},
            points: {{ "A": (at: [5, 0], mass: 1), "B": (at: [0, 0], mass: 0.8), "C": (at: [1, 0], velocity: ["v", 0], mass: 1.2) }},
            forces: {{ {rest} "pull": Load(at: "B", force: ["F", 0]), "fc": Load(at: "C", force: ["-mu*sign(C.vx - B.vx)", 0]),
                "fb": Load(at: "B", force: ["mu*sign(C.vx - B.vx)", 0]), "half": Load(at: "C", force: ["-b*step(2*B.vx - 2*C.vx)", 0]) }},
            objectives: {{ "b": Final("B.x"), "c": Final("C.x"), "work": Integral("fb.power + half.power") }}, simulation: (duration: 1)"#
        )
    };
    let alone = certified(&fields(""));
    let beside = fields(r#""fa": Load(at: "A", force: ["-sign(A.vx)", 0]),"#);
    let report = run(&beside);
    let found: Vec<(&str, &str)> = happenings(&report).iter().map(|event| (event.0, event.1)).collect();
    assert_eq!(found, [("fc", "kink"), ("fb", "kink"), ("half", "kink")]);
    let gradient = certified(&beside);
    for objective in ["b", "c", "work"] {
        for parameter in ["mu", "F", "v", "b"] {
            let expected = of(&alone, objective, parameter);
            // Nothing acts on B then but the pull and the friction.
            let acts = (objective, parameter) != ("b", "b");
            assert_eq!(expected.abs() > 1e-3, acts, "{objective} by {parameter}: {expected}");
            close(of(&gradient, objective, parameter), expected, 1e-10);
        }
    }
    // B keeps pace from t = 1/(F/0.8 + mu/0.8 + mu/1.2) on.
    let t = 1.0 / (3.4 / 0.8 + 0.4 / 1.2);
    close(happenings(&report)[0].2, t, 1e-12);
}

#[test]
fn a_sign_that_two_loads_read_is_slid_along_beside_something_else() {
    let fields = |rest: &str| {
        format!(
            r#"gravity: [0, 0], parameters: {{ "mu": 4.0, "F": 3.0, "v": 1.0 }},
            points: {{ "A": (at: [5, 0], mass: 1), "B": (at: [0, 0], mass: 0.8), "C": (at: [1, 0], velocity: ["v", 0], mass: 1.2) }},
            forces: {{ {rest} "pull": Load(at: "B", force: ["F", 0]), "fc": Load(at: "C", force: ["-mu*sign(C.vx - B.vx)", 0]),
                "fb": Load(at: "B", force: ["mu*sign(C.vx - B.vx)", 0]) }},
            objectives: {{ "b": Final("B.x"), "c": Final("C.x") }}, simulation: (duration: 1)"#
        )
    };
    let beside = fields(r#""fa": Load(at: "A", force: ["-sign(A.vx)", 0]),"#);
    let report = run(&beside);
    let found: Vec<(&str, &str)> = happenings(&report).iter().map(|event| (event.0, event.1)).collect();
    assert_eq!(found, [("fc", "slide")]);
    let (alone, gradient) = (certified(&fields("")), certified(&beside));
    for objective in ["b", "c"] {
        for parameter in ["mu", "F", "v"] {
            close(
                of(&gradient, objective, parameter),
                of(&alone, objective, parameter),
                1e-10,
            );
        }
    }
}
