//! Gradients of `Fit` objectives, and the derivatives of the residuals.

use costate::run::{Experiment, Method};

use crate::support::{all_close, close, planar, tight};
use crate::{experiment, written};

/// A pendulum of two bars that swings while a ball bounces; measured are the tip at times, one of them missing, and impacts.
fn swinging_and_bouncing() -> Experiment {
    let fields = r#"gravity: [0, "-g"],
        parameters: { "g": 9.81, "h": 1.1, "e": 0.5, "L": 0.7, "factor": 3 },
        ground: { "O": [5, 0] },
        points: { "A": (guess: [5.5, -0.5], mass: 1), "B": (guess: [6.2, -0.5], mass: 2), "P": (at: [0, "h"], mass: 2) },
        bodies: {
            "upper": Bar(from: "O", to: "A", length: "L", mass: 0.5),
            "lower": Bar(from: "A", to: "B", length: 0.7, mass: 0.2),
        },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) },
        outputs: { "tip": "B.y" },
        objectives: {
            "both": Sum([
                ("factor", Fit(data: "d.csv", columns: { "tip": "tip", "tension": (of: "upper.force", sigma: "s"), "ball": "P.y" },
                    events: { "impact": (of: "floor", sigma: 0.01) }, sigma: 0.1)),
                (0.5, Final("B.x")),
            ]),
            "plain": Fit(data: "d.csv", columns: { "tip": "tip*h" }, weight: "s"),
        },"#;
    let data = "t, tip, tension, ball, impact, s\n\
                0, -0.4, 20, 1.1, 0.45, 2\n\
                0.31, -0.8, , 0.6, 1.2, 3\n\
                1.15, -1.2, 30, 0.1, , 1\n\
                0.31, nan, 40, , , 5\n\
                0.7, -0.9, 12, , , 2\n";
    experiment(1.15, fields, &[("d.csv", data)])
}

#[test]
fn adjoint_and_forward_gradients_of_measured_data_agree_with_each_other_and_with_differences() {
    let scene = swinging_and_bouncing();
    let [adjoint, forward, differences] =
        [Method::Adjoint, Method::Forward, Method::FiniteDifference].map(|method| scene.gradient(method).unwrap());
    for ((a, f), d) in adjoint
        .objectives
        .iter()
        .zip(&forward.objectives)
        .zip(&differences.objectives)
    {
        let size = a.gradient.iter().fold(0.0_f64, |size, slope| size.max(slope.abs()));
        assert!(size > 1.0, "{a:?}");
        close("value", a.value, f.value, 1e-9 * a.value.abs());
        all_close(&a.name, &a.gradient, &f.gradient, 1e-9 * size);
        all_close(&a.name, &f.gradient, &d.gradient, 1e-6 * size);
    }
    // By g, h, e and L, and by the factor in one of them.
    assert!(adjoint.objectives[0].gradient.iter().all(|slope| slope.abs() > 1e-3));
}

#[test]
fn the_gradient_within_a_bound_on_memory_is_the_same() {
    let mut scene = swinging_and_bouncing();
    let whole = scene.gradient(Method::Adjoint).unwrap();
    scene.memory = Some(whole.recording_bytes / 2);
    let bounded = scene.gradient(Method::Adjoint).unwrap();
    assert!(bounded.recording_bytes < whole.recording_bytes);
    assert_eq!(bounded.objectives, whole.objectives);
}

#[test]
fn the_value_is_the_weighted_sum_of_squares_and_each_residual_has_its_derivatives() {
    // x = a + b t at three times, the last one without a value.
    let fields = r#"parameters: { "a": 2, "b": 3 },
        points: { "P": (at: ["a", 0], velocity: ["b", 0], mass: 1) },
        objectives: { "fit": Fit(data: "d.csv", time: "when", columns: { "x": (of: "P.x", sigma: "s") }) },"#;
    let data = "# positions\nwhen,x,s\n0,1.5,0.5\n0.5,4.5,0.25\n1,,1\n";
    let report = experiment(1.0, fields, &[("d.csv", data)])
        .gradient(Method::Forward)
        .unwrap();
    close("value", report.objectives[0].value, 1.0 + 16.0, 1e-11);
    let points = &report.fits[0].points;
    assert_eq!(points.len(), 2);
    for (point, (line, t, weight, residual)) in points.iter().zip([(3, 0.0, 4.0, 0.5), (4, 0.5, 16.0, -1.0)]) {
        assert_eq!((point.line, point.weight), (line, weight));
        close("residual", point.residual(), residual, 1e-12);
        all_close("derivatives", &point.gradient, &[1.0, t], 1e-12);
    }
}

#[test]
fn values_at_the_start_and_at_the_end_follow_parameters_of_those_times() {
    // Measured times stay where they are while the start s moves: x = v (t - s), at t = s and at the end.
    let fields = r#"parameters: { "s": 0.5, "v": 2 },
        points: { "P": (at: [0, 0], velocity: ["v", 0], mass: 1) },
        objectives: { "fit": Fit(data: "d.csv", columns: { "x": "P.x" }) },"#;
    let text = planar(1.0, fields).replace("(duration: 1)", "(start: \"s\", duration: 1)");
    let scene = written(&text, &[("d.csv", "t,x\n0.5,1\n1.5,5\n")], &tight()).unwrap();
    // 2 (0 - 1) (-v) + 2 (2 - 5) (-v) by s, and 2 (2 - 5) by v.
    for method in [Method::Adjoint, Method::Forward] {
        let report = scene.gradient(method).unwrap();
        all_close("gradient", &report.objectives[0].gradient, &[16.0, -6.0], 1e-10);
    }
}
