//! What gradients promise: reference values, closed forms, adjoint against forward, both against differences.

#[path = "gradients/at_once.rs"]
mod at_once;
#[path = "gradients/both_sides.rs"]
mod both_sides;
#[path = "gradients/changes.rs"]
mod changes_of_motion;
#[path = "gradients/hysteresis.rs"]
mod hysteresis;
#[path = "gradients/kinks.rs"]
mod kinks;
#[path = "gradients/last_instant.rs"]
mod last_instant;
#[path = "gradients/memory.rs"]
mod memory;
#[path = "gradients/penalty.rs"]
mod penalty;
#[path = "gradients/reference.rs"]
mod reference;
#[path = "gradients/rest.rs"]
mod rest;
#[path = "gradients/same_instant.rs"]
mod same_instant;
#[path = "gradients/sliding.rs"]
mod sliding;
#[path = "gradients/sliding_together.rs"]
mod sliding_together;
#[path = "gradients/stiff.rs"]
mod stiff;
#[path = "gradients/transposed.rs"]
mod transposed;
#[path = "gradients/undetermined.rs"]
mod undetermined;
#[path = "gradients/verges.rs"]
mod verges;
#[path = "gradients/walking.rs"]
mod walking;

use std::f64::consts::PI;
use std::path::Path;

use costate::run::{Changes, Experiment, GradientReport, Method};
use costate::scene::parse;
use costate::scene::schema::FormulationKind::{self, Multipliers, Nullspace, Penalty};
use reference::{FIVE_BARS, PARAMETERS};

fn changes(rtol: f64, atol: f64) -> Changes {
    Changes {
        rtol: Some(rtol),
        atol: Some(atol),
        ..Changes::default()
    }
}

fn shipped(scene: &str, changes: &Changes) -> Experiment {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scenes")
        .join(format!("{scene}.ron"));
    Experiment::open(&path, changes).unwrap()
}

fn of(report: &GradientReport, objective: &str, parameter: &str) -> f64 {
    let k = report.parameters.iter().position(|name| name == parameter).unwrap();
    report
        .objectives
        .iter()
        .find(|found| found.name == objective)
        .unwrap()
        .gradient[k]
}

/// Largest difference over the largest entry of the reference.
fn row_error(got: &[f64], want: &[f64]) -> f64 {
    let scale = want.iter().fold(f64::MIN_POSITIVE, |most, x| f64::max(most, x.abs()));
    got.iter()
        .zip(want)
        .fold(0.0, |most, (got, want)| f64::max(most, (got - want).abs() / scale))
}

fn worst_difference(a: &GradientReport, b: &GradientReport) -> f64 {
    assert_eq!(a.parameters, b.parameters);
    a.objectives.iter().zip(&b.objectives).fold(0.0, |most, (a, b)| {
        assert_eq!((&a.name, a.gradient.len()), (&b.name, b.gradient.len()));
        f64::max(most, row_error(&a.gradient, &b.gradient))
    })
}

fn under(formulation: FormulationKind) -> Changes {
    Changes {
        formulation: Some(formulation),
        ..changes(1e-12, 1e-13)
    }
}

#[test]
fn five_bar_gradients_reproduce_the_reference_by_both_methods_and_both_exact_formulations() {
    for reference in &FIVE_BARS {
        for formulation in [Nullspace, Multipliers] {
            for method in [Method::Adjoint, Method::Forward] {
                let report = shipped(reference.scene, &under(formulation)).gradient(method).unwrap();
                for (objective, want) in &reference.rows {
                    let names = &PARAMETERS[..report.parameters.len()];
                    let got: Vec<f64> = names.iter().map(|name| of(&report, objective, name)).collect();
                    let error = row_error(&got, &want[..names.len()]);
                    assert!(
                        error < 1e-8,
                        "{} {objective} {method:?} {formulation:?}: {error:e}",
                        reference.scene
                    );
                }
            }
        }
    }
}

#[test]
fn five_bar_event_times_have_the_gradients_of_the_reference() {
    for reference in FIVE_BARS.iter().filter(|reference| !reference.event_times.is_empty()) {
        let report = shipped(reference.scene, &under(Nullspace))
            .gradient(Method::Forward)
            .unwrap();
        assert_eq!(report.events.len(), reference.event_times.len());
        for ((_, slopes), want) in report.events.iter().zip(reference.event_times) {
            let slopes = slopes.as_ref().unwrap();
            assert!(row_error(slopes, &want[..slopes.len()]) < 1e-8, "{}", reference.scene);
        }
    }
}

#[test]
fn with_penalties_adjoint_and_forward_agree() {
    for reference in &FIVE_BARS {
        let experiment = shipped(reference.scene, &under(Penalty));
        let adjoint = experiment.gradient(Method::Adjoint).unwrap();
        let forward = experiment.gradient(Method::Forward).unwrap();
        assert!(worst_difference(&adjoint, &forward) < 1e-9);
    }
}

#[test]
fn adjoint_and_forward_agree_on_every_scene_that_stays_regular() {
    for scene in [
        "andrews_squeezer",
        "bouncing_ball",
        "cam",
        "cart_pole",
        "clutch",
        "double_pendulum_wall",
        "five_bar",
        "five_bar_restitution",
        "five_bar_smooth",
        "four_bar",
        "hysteretic_oscillator",
        "latch",
        "pendulum_with_stop",
        "ratchet_hoist",
        "slider_crank",
        "taut_string",
        "torsional_pendulum",
    ] {
        let mut changes = changes(1e-12, 1e-13);
        // The whole motion of the squeezing mechanism takes the forward method a minute.
        changes.duration = (scene == "andrews_squeezer").then_some(0.004);
        let experiment = shipped(scene, &changes);
        let adjoint = experiment.gradient(Method::Adjoint).unwrap();
        let forward = experiment.gradient(Method::Forward).unwrap();
        assert!(!forward.objectives.is_empty(), "{scene} has nothing to differentiate");
        let error = worst_difference(&adjoint, &forward);
        assert!(error < 1e-10, "{scene}: {error:e}");
    }
}

#[test]
fn adjoint_and_forward_agree_through_singular_positions() {
    let experiment = shipped("n_four_bar", &changes(1e-12, 1e-14));
    let forward = experiment.gradient(Method::Forward).unwrap();
    let error = worst_difference(&experiment.gradient(Method::Adjoint).unwrap(), &forward);
    assert!(error < 1e-10, "{error:e}");
}

/// y(t1) = l sin(alpha0 cos(w t1)) with w^2 = c_r / (m l^2), and its derivative by l.
fn pendulum_slope(l: f64, m: f64, c_r: f64, alpha0: f64, t1: f64) -> f64 {
    let w = (c_r / m).sqrt() / l;
    let alpha = alpha0 * (w * t1).cos();
    alpha.sin() + l * alpha.cos() * alpha0 * (w * t1).sin() * w * t1 / l
}

/// Right-hand sides of both directions and the relative error of dy/dl after 10 s.
fn pendulum_error((l, m, c_r, alpha0): (f64, f64, f64, f64), rtol: f64) -> (u64, f64) {
    let parameters = [("l", l), ("m", m), ("c_r", c_r), ("alpha0", alpha0)];
    let changes = Changes {
        parameters: parameters.map(|(name, value)| (name.to_string(), value)).to_vec(),
        duration: Some(10.0),
        ..changes(rtol, rtol / 10.0)
    };
    let report = shipped("torsional_pendulum", &changes)
        .gradient(Method::Adjoint)
        .unwrap();
    let work = report.forward.evaluations + report.backward.evaluations;
    let want = pendulum_slope(l, m, c_r, alpha0, 10.0);
    (work, (of(&report, "y_final", "l") / want - 1.0).abs())
}

/// Prints work and precision; `cargo test --release torsional -- --nocapture` shows the table.
#[test]
fn the_torsional_pendulum_has_the_gradient_of_its_closed_form() {
    let sets = [
        (1.0, 1.0, 1.0, PI / 4.0),
        (0.5, 2.0, 3.0, PI / 3.0),
        (3.0, 0.5, 50.0, 1.0),
        // Sixteen oscillations.
        (1.0, 1.0, 100.0, PI / 4.0),
    ];
    for set in sets {
        println!("l, m, c_r, alpha0 = {set:?}\n  tolerance  right-hand sides  relative error");
        let mut before = f64::INFINITY;
        for rtol in [1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13, 1e-14] {
            let (work, error) = pendulum_error(set, rtol);
            println!("  {rtol:>9.0e}  {work:>16}  {error:>14.1e}");
            assert!(error < 1e3 * rtol.max(1e-13), "{error:e} at {rtol:e}");
            assert!(error < before || error < 1e-12, "{error:e} after {before:e}");
            before = error;
        }
        assert!(before < 1e-12, "{set:?}: {before:e}");
    }
}

#[test]
fn the_bouncing_ball_has_the_gradient_of_its_closed_form() {
    for (duration, want) in [
        (5.0, [0.21744565165, -0.749889085, 1.8747227125, 56.524758425]),
        (15.0, [1.59618217008, 0.9702706326, -7.27702974451, 314.568839958]),
    ] {
        let changes = Changes {
            duration: Some(duration),
            ..changes(1e-12, 1e-13)
        };
        let report = shipped("bouncing_ball", &changes).gradient(Method::Adjoint).unwrap();
        let got = ["x0", "v0", "g", "e"].map(|name| of(&report, "x_final", name));
        assert!(row_error(&got, &want) < 1e-10, "{got:?}");
    }
}

/// A mechanism with a bit of everything: a driven gear, a rigid body with offset centre, a marker on a bar, a torsion
/// spring, drag, a one-sided spring, an end stop, a switch at a parameter's time, and integrals of accelerations and
/// reactions.
const MIXED: &str = r#"Scene(
    name: "mixed",
    space: Planar,
    parameters: {
        "L": 1.0, "r": 0.4, "m": 1.2, "J": 0.3, "cx": 0.15, "k": 30.0, "l0": 0.9, "d": 0.2, "kt": 4.0, "w": 2.0,
        "ratio": -0.5, "g": 9.81, "e": 0.6, "stop": 0.35, "t_off": 0.8, "F": 3.0, "tilt": 0.1, "start": 0.5,
    },
    gravity: ["g*sin(tilt)", "-g*cos(tilt)"],
    ground: { "O": [0, 0], "A": [1.5, 0.2] },
    points: { "P": (at: ["L*cos(start)", "L*sin(start)"], velocity: [0, 0]), "Q": (guess: [2.5, 0.5], mass: 0.5) },
    bodies: {
        "arm": Bar(from: "O", to: "P", length: "L", mass: "m", markers: { "side": ["0.6*L", 0.1] }),
        "rod": Bar(from: "A", to: "Q", length: 1.0, mass: 0.4),
        "wheel": Rigid(mass: 0.8, inertia: "J", centre: ["cx", 0.05], guess: [0, -1, 0.3], markers: { "rim": ["r", 0] }),
        "crank": Rigid(mass: 0.2, inertia: 0.1, guess: [3, 0, 0]),
    },
    joints: {
        "pivot": Revolute(between: ("O", "wheel.origin")),
        "seat": Revolute(between: ("A", "crank.origin")),
        "gear": Gear(between: ("crank", "wheel"), ratio: "ratio", phase: 0.3),
        "drive": DriveAngle(body: "crank", angle: "0.2*sin(w*t)"),
    },
    forces: {
        "link": Spring(from: "arm.side", to: "wheel.rim", stiffness: "k", natural_length: "l0", damping: "d"),
        "rope": Spring(from: "P", to: "Q", stiffness: "k/2", natural_length: "1.1*l0", one_sided: Tension),
        "twist": TorsionSpring(between: ("ground", "arm"), stiffness: "kt", natural_angle: 0.2, damping: 0.05),
        "air": Drag(at: "Q", linear: 0.1, quadratic: 0.05),
        "push": Load(at: "Q", force: ["F*cos(w*t)", 0.5], frame: Body("rod")),
    },
    contacts: { "stop": Limit(of: Angle("arm"), at_least: "-stop", law: Restitution("e")) },
    events: { "cut": (when: At("t_off"), then: [Disable("push")]) },
    outputs: { "x": "P.x", "a": "arm.side.ay", "pull": "pivot.fx", "torque": "drive.torque" },
    objectives: {
        "end": Sum([("2*e", Final("P.x*Q.y")), (1.0, Final("energy.total"))]),
        "path": Integral("(P.y - 0.1)^2 + Q.x"),
        "hard": Integral("0.01*a^2 + 0.001*pull^2 + 0.01*torque"),
    },
    simulation: (duration: 2.0),
)"#;

fn mixed(formulation: FormulationKind, duration: f64, parameters: Vec<(String, f64)>) -> Experiment {
    let scene = parse("mixed.ron", MIXED).unwrap();
    let duration = Some(duration);
    Experiment::new(
        &scene,
        &Changes {
            parameters,
            duration,
            formulation: Some(formulation),
            ..changes(1e-12, 1e-14)
        },
    )
    .unwrap()
}

#[test]
fn an_unusual_mechanism_has_the_same_gradient_by_both_methods() {
    for formulation in [Nullspace, Multipliers, Penalty] {
        let experiment = mixed(formulation, 2.0, Vec::new());
        let forward = experiment.gradient(Method::Forward).unwrap();
        assert!(forward.events.len() >= 3, "{:?}", forward.events);
        let error = worst_difference(&experiment.gradient(Method::Adjoint).unwrap(), &forward);
        assert!(error < 1e-7, "{formulation:?}: {error:e}");
    }
}

#[test]
fn an_unusual_mechanism_has_the_gradient_of_difference_quotients() {
    // Ends before the bounces on the stop accumulate at 1.057 s: there event times are too close for their derivatives.
    let experiment = mixed(Nullspace, 1.0, Vec::new());
    let adjoint = experiment.gradient(Method::Adjoint).unwrap();
    let value = |name: &str, shift: f64| {
        let parameter = experiment
            .mechanism
            .model
            .parameters
            .iter()
            .find(|p| p.name == name)
            .unwrap();
        let shifted = mixed(Nullspace, 1.0, vec![(name.to_string(), parameter.value + shift)]);
        let (report, _) = shifted.run(false, &mut |_| ()).unwrap();
        report.objectives
    };
    for (k, name) in adjoint.parameters.iter().enumerate() {
        // Richardson's extrapolation of two central differences: the impacts make the third derivative large.
        let steps = [4e-5, 2e-5];
        let values = steps.map(|step| (value(name, step), value(name, -step)));
        for (i, objective) in adjoint.objectives.iter().enumerate() {
            let central = |which: usize| (values[which].0[i].1 - values[which].1[i].1) / (2.0 * steps[which]);
            let quotient = (4.0 * central(1) - central(0)) / 3.0;
            let scale = objective.gradient.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let error = (objective.gradient[k] - quotient).abs();
            assert!(
                error < 1e-6 * scale,
                "{} by {name}: {} against {quotient}",
                objective.name,
                objective.gradient[k]
            );
        }
    }
}

#[test]
fn forward_gradients_through_singular_positions_do_not_depend_on_the_tolerance() {
    let gradient = |rtol: f64| {
        shipped("n_four_bar", &changes(rtol, 1e-2 * rtol))
            .gradient(Method::Forward)
            .unwrap()
    };
    let (coarse, fine) = (gradient(1e-11), gradient(1e-12));
    assert!(
        worst_difference(&coarse, &fine) < 1e-9,
        "{}",
        worst_difference(&coarse, &fine)
    );
    // The energy at the end is that of the start: 3.5 m g L of height and 1.5 m v0^2.
    for (parameter, want) in [("L", 3.5 * 9.81), ("m", 3.5 * 9.81 + 1.5), ("v0", 3.0)] {
        assert!((of(&fine, "energy", parameter) - want).abs() < 1e-8);
    }
}
