//! Derivatives of mechanisms with rigid bodies in space: whole gradients by every method, and those of the flow at any state.

use costate::formulation::PenaltyFactors;
use costate::hybrid::{At, Cotangents, Differentiable, HybridSystem, Tangent, Tangents};
use costate::integrate::Method as Integrator;
use costate::linear::lanes;
use costate::mechanism::FormulationChoice::{self, Penalty};
use costate::mechanism::Mechanism;
use costate::model::Mode;
use costate::run::{GradientReport, Method};
use costate::scene::schema::FormulationKind::{Multipliers, Nullspace};

use crate::MIXTURE;
use crate::joints::EVERY;
use crate::support::{certified, experiment, spatial, under, with_by};

/// Largest difference of two gradients over the largest entry of their row.
fn difference(a: &GradientReport, b: &GradientReport) -> f64 {
    let rows = a.objectives.iter().zip(&b.objectives).map(|(a, b)| {
        let scale = a.gradient.iter().fold(1e-9, |most: f64, x| most.max(x.abs()));
        let pairs = a.gradient.iter().zip(&b.gradient);
        pairs.fold(0.0, |most: f64, (x, y)| most.max((x - y).abs() / scale))
    });
    rows.fold(0.0, f64::max)
}

#[test]
fn gradients_are_certified_by_every_parameter() {
    let report = certified(&spatial(0.25, MIXTURE), Nullspace);
    for k in 0..report.parameters.len() {
        let moves = report
            .objectives
            .iter()
            .any(|objective| objective.gradient[k].abs() > 1e-6);
        assert!(moves, "{}", report.parameters[k]);
    }
}

#[test]
fn gradients_agree_by_both_methods_formulations_and_eliminations() {
    let reference = experiment(&spatial(0.25, MIXTURE), &under(Nullspace))
        .gradient(Method::Adjoint)
        .unwrap();
    for (formulation, by) in [
        (Nullspace, "Qr"),
        (Nullspace, "Blocks"),
        (Multipliers, "Qr"),
        (Multipliers, "Blocks"),
    ] {
        for method in [Method::Adjoint, Method::Forward] {
            let found = experiment(&with_by(&spatial(0.25, MIXTURE), by), &under(formulation))
                .gradient(method)
                .unwrap();
            let worst = difference(&reference, &found);
            assert!(worst < 1e-9, "{formulation:?} {by} {method}: {worst:e}");
        }
    }
}

/// A top whose springs go slack, whose motor follows its motion, and which events change.
const SWITCHED: &str = r#"
    gravity: [0, 0, "-g"], memory: { "u": 0.0 },
    parameters: { "g": 9.81, "k": 40, "m": 1.3, "J": 0.05, "h": 0.2, "c": 0.6, "w": 3.0, "kp": 0.5, "ka": 20.0 },
    ground: { "O": [0, 0, 0], "H": [0.5, 0.2, 1] },
    bodies: { "b": Solid(mass: "m", inertia: ["J", 0.06, 0.07, 0.002, 0.001, -0.003], centre_of_mass: [0.1, 0.02, "h"], at: [0, 0, 0],
        orientation: Rotations([X(1.2)]), angular_velocity: [0.3, "w", 0.5], markers: { "tip": [0.1, 0.2, 0.9], "n": [0.3, 0, 0.1] }) },
    joints: { "ball": Spherical(between: ("O", "b.origin")) },
    forces: {
        "rope": Spring(from: "H", to: "b.tip", stiffness: "k", natural_length: 1.3, damping: 0.3, one_sided: Tension),
        "second": Spring(from: "H", to: "b.n", stiffness: "k", natural_length: 0.5, active: false),
        "motor": Load(at: "b.n", force: ["-kp*b.omega_y", 0.2, "sin(3*t) - c*b.n.vz"]),
        "bearing": HystereticSpring(of: Distance("H", "b.n"), natural: 1, ka: "ka", kb: 5, alpha: 20),
    },
    events: {
        "low": (when: Falling("b.tip.z"), then: [Enable("second"), Set("u", "b.omega_x")], once: true),
        "late": (when: At(0.9), then: [Disable("second")]),
    },
    outputs: { "z": "b.tip.z" },
    objectives: {
        "z": Final("z"), "top": Max("z"), "w": AtEvents(of: "b.omega_z", event: "low"), "u": Final("u"), "l": Integral("b.l_x*b.omega_x"),
        "q": At(of: "b.q1", time: 0.7), "power": Integral("motor.power"), "work": Final("bearing.work"),
    },
"#;

#[test]
fn events_feedback_and_hysteresis_have_certified_gradients() {
    let report = certified(&spatial(1.2, SWITCHED), Nullspace);
    assert!(report.events.len() >= 4, "{}", report.events.len());
}

/// A slab on a wire, lifted and driven, with bars pinned to its markers; its orientation and all its velocities follow.
const DRIVEN: &str = r#"
    gravity: [0, 0, -9.81],
    parameters: { "L": 0.8, "m": 2.0, "x": 0.3, "e": 0.5 },
    ground: { "A": [0, 0, 0], "B": [2, 0, 0] },
    points: { "E": (guess: [1.2, 0.5, -0.5], mass: 0.2) },
    bodies: {
        "slab": Solid(mass: "m", inertia: [0.1, 0.2, 0.25, 0.01, 0, 0.02], guess: [0.5, 0.1, -0.7], orientation: Rotations([X(0.3), Y("e")]),
            markers: { "c": ["x", 0, 0.1], "d": [-0.3, 0.1, 0] }),
        "arm": Bar(from: "slab.c", to: "E", length: "L", mass: 0.3, markers: { "mid": [0.4] }),
        "leg": Bar(from: "A", to: "slab.d", length: 0.85, mass: 0.3),
    },
    joints: {
        "wire": PointOnLine(point: "slab.c", line: Fixed(through: [0, 0, -0.7], direction: [1, 0, 0])),
        "lift": DriveDistance(between: ("B", "slab.d"), distance: "2 + 0.1*sin(2*t)"),
        "pin": DriveCoordinate(coordinate: "slab.z", value: "-0.72 + 0.05*t"),
    },
    forces: { "s": Spring(from: "B", to: "arm.mid", stiffness: 30, natural_length: 1) },
    objectives: { "z": Final("E.z"), "f": Final("wire.fy"), "p": Final("lift.power"), "g": Final("arm.force"), "lf": Final("lift.force"),
        "w": Integral("slab.omega_x^2") },
"#;

#[test]
fn drivers_and_bars_on_markers_have_certified_gradients_and_balanced_power() {
    for formulation in [Nullspace, Multipliers] {
        certified(&spatial(0.6, DRIVEN), formulation);
    }
    let balanced = experiment(&spatial(0.6, DRIVEN), &under(Nullspace)).run_balanced(false, &mut |_| {});
    let (found, _) = balanced.unwrap();
    let balance = found.balance.expect("the balance of energy");
    assert!(balance.missing.abs() < 1e-9, "{balance:?}");
    assert!((found.energy.1 - found.energy.0).abs() > 0.1);
}

/// A body on a link, held at its start in position and velocity.
const HELD: &str = r#"
    parameters: { "L": 1.0, "m": 1.5, "w": 2.0, "h": 1.0 }, gravity: [0, 0, -9.81],
    ground: { "A": [0, 0, 0] },
    bodies: { "plate": Solid(mass: "m", inertia: [0.1, 0.1, 0.2, 0, 0, 0], at: [0, 0, "-h"], velocity: ["w", 0, 0],
        angular_velocity: [0, 0.3, 0], markers: { "p": [0, 0, 0] }) },
    joints: { "link": Link(from: "A", to: "plate.p", length: "L") },
    objectives: { "z": Final("plate.z") },
"#;

#[test]
fn what_cannot_change_alone_has_no_derivative() {
    let names = |text: &str| -> Vec<String> {
        let report = experiment(&spatial(0.4, text), &under(Nullspace))
            .gradient(Method::Adjoint)
            .unwrap();
        report.undetermined.iter().map(|found| found.name.clone()).collect()
    };
    assert_eq!(names(HELD), ["L", "h"]);
    let by_velocity = HELD
        .replace(r#"at: [0, 0, "-h"]"#, r#"guess: [0, 0, "-h"]"#)
        .replace(r#"velocity: ["w", 0, 0]"#, r#"velocity: [2, 0, "w - 2"]"#);
    assert_eq!(names(&by_velocity), ["w"]);
}

#[test]
fn implicit_steps_have_the_same_gradients() {
    let explicit = experiment(&spatial(0.2, MIXTURE), &under(Nullspace));
    let mut implicit = explicit.clone();
    implicit.options.method = Integrator::Radau;
    let [a, b] = [&explicit, &implicit].map(|experiment| experiment.gradient(Method::Adjoint).unwrap());
    let worst = difference(&a, &b);
    assert!(worst < 1e-7, "{worst:e}");
}

/// Values without pattern, in [-1, 1].
fn anything(n: usize, seed: usize) -> Vec<f64> {
    (0..n)
        .map(|k| ((seed * 7919 + 31 * k * k + 17 * k + 5) as f64).sin())
        .collect()
}

fn flow(mechanism: &Mechanism, at: (f64, &Mode), x: &[f64]) -> Vec<f64> {
    let mut dx = vec![0.0; x.len()];
    let mut workspace = mechanism.workspace();
    mechanism.flow(At::new(at.0, at.1, x), &mut workspace, &mut dx).unwrap();
    dx
}

/// Derivatives along several directions in the state and in the numbers at once, and the Jacobian, against those along each.
fn check_lanes(mechanism: &Mechanism, at: At<Mode>, what: &str) {
    let (n, count) = (at.x.len(), 6);
    let of_x: Vec<f64> = (0..count).flat_map(|k| anything(n, k + 30)).collect();
    // Axes keep their length: numbers change as parameters change them.
    let scaled = |k: usize| {
        let by = anything(30, k + 40);
        let numbers = mechanism.model.numbers.iter();
        numbers
            .map(|number| number.gradient.iter().map(|&(p, slope)| slope * by[p]).sum())
            .collect()
    };
    let numbers: Vec<Vec<f64>> = (0..count).map(scaled).collect();
    let tangents = Tangents {
        x: &of_x,
        numbers: &numbers,
        lanes: &lanes(&numbers),
    };
    let (mut workspace, mut dx, mut slopes) = (mechanism.workspace(), vec![0.0; n], vec![f64::NAN; count * n]);
    let derivatives = (&mut dx[..], &mut slopes[..]);
    mechanism
        .flow_tangents(at, &tangents, &mut workspace, derivatives, &mut Vec::new())
        .unwrap();
    let mut jacobian = vec![f64::NAN; n * n];
    mechanism.flow_jacobian(at, &mut workspace, &mut jacobian).unwrap();
    mechanism.linearize(at, &mut workspace).unwrap();
    let mut expected = vec![0.0; n];
    let mut compare = |along: Tangent, found: &dyn Fn(usize) -> f64| {
        mechanism.flow_jvp(at, &along, &mut workspace, &mut expected);
        let scale = expected.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
        for (i, want) in expected.iter().enumerate() {
            let apart = (found(i) - want).abs();
            assert!(apart < 1e-11 * scale, "{what}, component {i}: {} and {want}", found(i));
        }
    };
    for (k, numbers) in numbers.iter().enumerate() {
        compare(Tangent::new(0.0, &of_x[k * n..][..n], numbers), &|i| slopes[k * n + i]);
    }
    let still = vec![0.0; mechanism.numbers()];
    for j in 0..n {
        let unit: Vec<f64> = (0..n).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
        compare(Tangent::new(0.0, &unit, &still), &|i| jacobian[i * n + j]);
    }
}

#[test]
fn along_several_directions_the_flow_changes_as_along_each() {
    let penalty = Penalty(PenaltyFactors {
        alpha: 1e6,
        omega: 10.0,
        xi: 1.0,
        augmented: 1,
    });
    for (k, text) in [EVERY, DRIVEN, MIXTURE].into_iter().enumerate() {
        for (choice, by) in [
            (FormulationChoice::Nullspace, "Qr"),
            (FormulationChoice::Nullspace, "Blocks"),
            (FormulationChoice::Multipliers, "Blocks"),
            (penalty, "Qr"),
        ] {
            let mut experiment = experiment(&with_by(&spatial(1.0, text), by), &under(Nullspace));
            experiment.mechanism.choices.formulation = choice;
            let (mechanism, what) = (&experiment.mechanism, format!("{k} {choice:?} {by}"));
            let started = mechanism.start(0.0, &mut mechanism.workspace()).unwrap();
            check_lanes(mechanism, At::new(0.0, &started.mode, &started.x), &what);
            let off = anything(started.x.len(), k);
            let x: Vec<f64> = started.x.iter().zip(&off).map(|(x, off)| x + 0.1 * off).collect();
            check_lanes(mechanism, At::new(0.3, &started.mode, &x), &what);
        }
    }
}

/// Flow along a direction at a state off the constraints, with quaternions of any length: by the derivative, by its transpose, and by
/// difference quotients.
fn check_flow(text: &str, name: &str) {
    let experiment = experiment(text, &under(if name.ends_with('m') { Multipliers } else { Nullspace }));
    let (mechanism, mut workspace) = (&experiment.mechanism, experiment.mechanism.workspace());
    let started = mechanism.start(0.0, &mut workspace).unwrap();
    let n = started.x.len();
    for seed in 1..4 {
        let off = anything(n, seed);
        let x: Vec<f64> = started.x.iter().zip(&off).map(|(x, off)| x + 0.1 * off).collect();
        let (d, mu) = (anything(n, seed + 10), anything(n, seed + 20));
        let still = vec![0.0; mechanism.numbers()];
        let at = At::new(0.3, &started.mode, &x[..]);
        mechanism.linearize(at, &mut workspace).unwrap();
        let mut slope = vec![0.0; n];
        mechanism.flow_jvp(at, &Tangent::new(0.0, &d, &still), &mut workspace, &mut slope);
        let quotient = |h: f64| -> Vec<f64> {
            let moved = |h: f64| -> Vec<f64> { x.iter().zip(&d).map(|(x, d)| x + h * d).collect() };
            let [up, down] = [h, -h].map(|h| flow(mechanism, (0.3, &started.mode), &moved(h)));
            up.iter().zip(&down).map(|(a, b)| (a - b) / (2.0 * h)).collect()
        };
        let (coarse, fine) = (quotient(2e-4), quotient(1e-4));
        let scale = slope.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        for (k, got) in slope.iter().enumerate() {
            let want = (4.0 * fine[k] - coarse[k]) / 3.0;
            assert!(
                (got - want).abs() < 1e-8 * scale,
                "{name}, component {k}: {got} and {want}"
            );
        }
        // Off the constraints, the transposed derivative leaves out what vanishes on them (theory, 2.3).
        let at = if name.ends_with('n') {
            At::new(0.3, &started.mode, &started.x[..])
        } else {
            at
        };
        let (mut x_bar, mut numbers_bar) = (vec![0.0; n], still.clone());
        mechanism.linearize(at, &mut workspace).unwrap();
        mechanism.flow_jvp(at, &Tangent::new(0.0, &d, &still), &mut workspace, &mut slope);
        mechanism.flow_vjp(at, &mu, &mut workspace, Cotangents::new(&mut x_bar, &mut numbers_bar));
        let [forwards, backwards] =
            [(&mu, &slope), (&x_bar, &d)].map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>());
        assert!(
            (forwards - backwards).abs() < 1e-10 * scale * n as f64,
            "{name}: {forwards} and {backwards}"
        );
    }
}

#[test]
fn the_flow_has_the_derivative_of_its_difference_quotient_off_the_constraints_too() {
    for (name, by) in [
        ("qr n", "Qr"),
        ("blocks n", "Blocks"),
        ("qr m", "Qr"),
        ("blocks m", "Blocks"),
    ] {
        check_flow(&with_by(&spatial(1.0, MIXTURE), by), name);
    }
    let free = r#"bodies: { "stone": Solid(mass: 1.5, inertia: [0.02, 0.03, 0.045, 0.002, -0.003, 0.001], centre_of_mass: [0.1, -0.05, 0.2],
        at: [0.3, -0.2, 0.5], velocity: [0.2, 0.1, -0.3], angular_velocity: [3, 5, 2]) }, gravity: [0, 1, -9],"#;
    check_flow(&spatial(1.0, free), "free");
}
