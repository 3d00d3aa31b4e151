//! Closed loops with closed forms.

use costate::run::Method;
use costate::scene::schema::FormulationKind::{self, Index3, Multipliers, Nullspace, Penalty, Stabilized};

use crate::support::{
    certified, close, experiment, objective, planar, report, scenes, shipped, tight, times, under, with_augmentation,
};
use crate::{apart, gradient, slope};

/// A rod with a weight at its end, whose motor is a spring and damper by feedback.
const LOOP: &str = r#"
    parameters: { "kp": 4.0, "kd": 0.4, "target": 0.5, "L": 1.0, "m": 2.0, "a0": 0.1 },
    ground: { "O": [0, 0] },
    points: { "P": (guess: [1, 0.1], mass: "m") },
    bodies: { "rod": Bar(from: "O", to: "P", length: "L", angle: "a0", angular_velocity: 0) },
    forces: { "motor": Torque(on: "rod", torque: "-kp*(rod.angle - target) - kd*rod.omega") },
    objectives: { "angle": Final("rod.angle"), "rate": Final("rod.omega") },"#;

const AT: [f64; 6] = [4.0, 0.4, 0.5, 1.0, 2.0, 0.1];
const NAMES: [&str; 6] = ["kp", "kd", "target", "L", "m", "a0"];

/// Angle and rate of the loop after three seconds.
fn damped([kp, kd, target, length, mass, start]: [f64; 6]) -> [f64; 2] {
    let (t, inertia) = (3.0, mass * length * length);
    let decay = kd / (2.0 * inertia);
    let w = (kp / inertia - decay * decay).sqrt();
    let (sin, cos) = (w * t).sin_cos();
    let swing = (start - target) * (-decay * t).exp();
    [
        target + swing * (cos + decay / w * sin),
        -swing * (w + decay * decay / w) * sin,
    ]
}

/// Derivative by the central difference of order six.
fn quotient(parameter: usize, row: usize) -> f64 {
    let h = 2e-3;
    let at = |s: f64| {
        let mut values = AT;
        values[parameter] += s * h;
        damped(values)[row]
    };
    let pair = |s: f64| at(s) - at(-s);
    (45.0 * pair(1.0) - 9.0 * pair(2.0) + pair(3.0)) / (60.0 * h)
}

fn under_it(formulation: FormulationKind) -> costate::run::Experiment {
    let experiment = experiment(&planar(3.0, LOOP), &under(formulation));
    match formulation {
        Penalty => with_augmentation(experiment, 3),
        _ => experiment,
    }
}

#[test]
fn a_pendulum_held_by_proportional_and_derivative_feedback_follows_its_closed_form() {
    let [angle, rate] = damped(AT);
    for formulation in [Nullspace, Multipliers, Penalty, Stabilized, Index3] {
        let report = report(&under_it(formulation));
        close(
            &format!("{formulation:?}: angle"),
            objective(&report, "angle"),
            angle,
            1e-10,
        );
        close(
            &format!("{formulation:?}: rate"),
            objective(&report, "rate"),
            rate,
            1e-10,
        );
    }
}

#[test]
fn gradients_by_gains_and_target_are_those_of_the_closed_form() {
    for formulation in [Nullspace, Multipliers, Penalty, Stabilized, Index3] {
        for method in [Method::Adjoint, Method::Forward] {
            let report = gradient(&under_it(formulation), method);
            for (row, name) in ["angle", "rate"].into_iter().enumerate() {
                for (parameter, by) in NAMES.into_iter().enumerate() {
                    let what = format!("{formulation:?} {method:?}: {name} by {by}");
                    close(&what, slope(&report, name, by), quotient(parameter, row), 2e-10);
                }
            }
        }
    }
    certified(&planar(3.0, LOOP), Nullspace);
}

#[test]
fn the_implicit_method_takes_the_exact_jacobian_of_a_stiff_loop() {
    // A stiff loop by feedback takes the steps that the same loop of spring and damper takes.
    let scene = |forces: &str| {
        let fields = format!(
            r#"ground: {{ "O": [0, 0] }}, points: {{ "P": (guess: [1, 0.1], mass: 1) }},
            bodies: {{ "rod": Bar(from: "O", to: "P", length: 1, angle: 0.1, angular_velocity: 0) }},
            forces: {{ {forces} }}, objectives: {{ "angle": Final("rod.angle") }},"#
        );
        let mut experiment = experiment(&planar(2.0, &fields), &crate::support::tolerances(1e-8, 1e-10));
        experiment.options.method = costate::integrate::Method::Radau;
        report(&experiment)
    };
    let spring =
        scene(r#""s": TorsionSpring(between: ("ground", "rod"), stiffness: 1e6, natural_angle: 0.5, damping: 1e4)"#);
    let loop_closed = scene(r#""s": Torque(on: "rod", torque: "-1e6*(rod.angle - 0.5) - 1e4*rod.omega")"#);
    close(
        "angle",
        objective(&loop_closed, "angle"),
        objective(&spring, "angle"),
        1e-9,
    );
    let steps = [&spring, &loop_closed].map(|report| report.statistics.accepted + report.statistics.rejected);
    assert!(steps[1] <= steps[0] + steps[0] / 10, "{steps:?}");
}

#[test]
fn drag_by_feedback_is_drag_also_from_rest() {
    let scene = |force: &str| {
        let fields = format!(
            r#"parameters: {{ "c": 0.3, "g": 9.81 }}, gravity: [1, "-g"], points: {{ "P": (at: [0, 0], mass: 0.7) }},
            forces: {{ {force} }}, objectives: {{ "x": Final("P.x"), "y": Final("P.y") }},"#
        );
        experiment(&planar(1.5, &fields), &tight())
    };
    let drag = scene(r#""air": Drag(at: "P", quadratic: "c")"#);
    let same = scene(r#""air": Load(at: "P", force: ["-c*hypot(P.vx, P.vy)*P.vx", "-c*hypot(P.vx, P.vy)*P.vy"])"#);
    for method in [Method::Adjoint, Method::Forward] {
        let difference = apart(&gradient(&drag, method), &gradient(&same, method));
        assert!(difference < 1e-9, "{method:?}: {difference:e}");
    }
}

#[test]
fn a_spring_whose_stiffness_changes_in_time_follows_the_equation_of_mathieu() {
    // The same force as a nonlinear spring, whose expression may use the time.
    let scene = |force: &str| {
        let fields = format!(
            r#"parameters: {{ "k": 30.0, "w": 7.0 }}, ground: {{ "O": [0, 0] }},
            points: {{ "P": (at: [1.2, 0], velocity: [0.1, 0.4], mass: 1) }},
            forces: {{ {force} }}, objectives: {{ "x": Final("P.x") }},"#
        );
        experiment(&planar(3.0, &fields), &tight())
    };
    let stiffness = scene(r#""s": Spring(from: "O", to: "P", stiffness: "k*(1 + 0.4*cos(w*t))", natural_length: 1)"#);
    let expression = scene(
        r#""s": NonlinearSpring(from: "O", to: "P", force: "k*(1 + 0.4*cos(w*t))*(length - 1)", natural_length: 1)"#,
    );
    let reports = [&stiffness, &expression].map(|experiment| gradient(experiment, Method::Adjoint));
    assert!((reports[0].objectives[0].value - reports[1].objectives[0].value).abs() < 1e-10);
    assert!(apart(&reports[0], &reports[1]) < 1e-9);
}

#[test]
fn a_nonlinear_spring_may_follow_more_than_its_own_length() {
    let scene = |force: &str| {
        let fields = format!(
            r#"parameters: {{ "k": 30.0, "c": 0.4 }}, ground: {{ "O": [0, 0] }}, gravity: [0, -2],
            points: {{ "P": (at: [1.2, 0], velocity: [0.1, 0.4], mass: 1), "Q": (at: [0, 1], velocity: [0.5, 0], mass: 1) }},
            forces: {{ {force} }}, objectives: {{ "x": Final("P.x"), "u": Integral("s.force^2") }},"#
        );
        experiment(&planar(2.0, &fields), &tight())
    };
    let law = "k*(1 + Q.x^2)*(length - 1) + c*rate*abs(Q.vy)";
    let whole = scene(&format!(
        r#""s": NonlinearSpring(from: "O", to: "P", natural_length: 1, force: "{law}")"#
    ));
    let parts = scene(
        r#""s": Spring(from: "O", to: "P", natural_length: 1, stiffness: "k*(1 + Q.x^2)", damping: "c*abs(Q.vy)")"#,
    );
    for method in [Method::Adjoint, Method::Forward] {
        let difference = apart(&gradient(&whole, method), &gradient(&parts, method));
        assert!(difference < 1e-9, "{method:?}: {difference:e}");
    }
    close(
        "x",
        objective(&report(&whole), "x"),
        objective(&report(&parts), "x"),
        1e-10,
    );
}

#[test]
fn a_cart_keeps_its_pole_upright_as_an_independent_integration_says() {
    let report = report(&shipped("cart_pole", &tight()));
    close(
        "x",
        objective(&report, "position at the end"),
        -0.028_155_888_887,
        2e-11,
    );
    close("q", objective(&report, "angle at the end"), 0.002_513_318_131, 2e-11);
    assert_eq!(report.events.len(), 1);
    close("limit left", times(&report)[0], 0.069_386_015_954, 2e-11);
    let text = std::fs::read_to_string(scenes().join("cart_pole.ron")).expect("the scene");
    certified(&text, Nullspace);
}
