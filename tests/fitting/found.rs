//! Parameters found from data.

use std::ops::ControlFlow;

use costate::optimize::{SceneDesign, Status, optimize};
use costate::run::{Changes, Experiment};
use costate::scene::schema::Solver;

use crate::support::{close, shipped, tight};
use crate::{experiment, fitted};

/// Times of the first impacts of a ball that falls from 50 m.
fn impacts(g: f64, e: f64, count: i32) -> String {
    let first = (100.0 / g).sqrt();
    let time = |k: i32| first + (1..=k).map(|j| 2.0 * first * e.powi(j)).sum::<f64>();
    (0..count).map(|k| format!("{:?}\n", time(k))).collect()
}

/// Fields of a ball that is identified from impacts, from a start.
fn ball(start: (f64, f64), over: &str) -> String {
    format!(
        r#"gravity: [0, "-g"],
        parameters: {{ "g": (value: {}, bounds: (5, 15)), "e": (value: {}, bounds: (0.1, 1)) }},
        points: {{ "P": (at: [0, 50], mass: 1) }},
        contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) }},
        objectives: {{ "fit": Fit(data: "d.csv", events: {{ "t": "floor" }}) }},
        optimization: (minimize: "fit", over: [{over}]),"#,
        start.0, start.1
    )
}

#[test]
fn the_ball_identifies_itself_from_impacts_without_noise() {
    let data = format!("t\n{}", impacts(9.8, 0.8, 6));
    let (report, _) = fitted(&experiment(
        21.0,
        &ball((9.0, 0.75), r#""g", "e""#),
        &[("d.csv", &data)],
    ));
    assert_eq!(report.solver, Solver::GaussNewton);
    close("g", report.best.parameters[0], 9.8, 1e-8);
    close("e", report.best.parameters[1], 0.8, 1e-8);
    assert!(
        report.simulations <= 20 && report.simulations == report.gradients,
        "{report:?}"
    );
}

#[test]
fn a_table_that_is_written_in_the_scene_is_that_of_a_file() {
    let data = format!("t\n{}", impacts(9.8, 0.8, 6));
    let fields = ball((9.0, 0.75), r#""g", "e""#);
    let (of_file, _) = fitted(&experiment(21.0, &fields, &[("d.csv", &data)]));
    let own = experiment(21.0, &fields.replace("\"d.csv\"", &format!("{data:?}")), &[]);
    assert_eq!(own.inputs().len(), 1, "nothing is read but the scene");
    let (of_scene, fit) = fitted(&own);
    assert_eq!(of_scene.best.parameters, of_file.best.parameters);
    assert_eq!(fit.data[0].file, "the table in the scene");
}

#[test]
fn trials_in_which_an_event_does_not_happen_are_backed_off_from() {
    // The sixth impact comes 0.1 ms before the end; its time is convex in e, so that steps from below go too far.
    let data = format!("t\n{}", impacts(9.8, 0.8, 6));
    let free = ball((9.8, 0.75), r#""e""#).replace(", bounds: (0.1, 1)", "");
    let (report, _) = fitted(&experiment(20.3757, &free, &[("d.csv", &data)]));
    close("e", report.best.parameters[0], 0.8, 1e-8);
    let failure = report.failures.first().expect("a trial without the sixth impact");
    assert!(
        failure.error.message().contains("event 6 of \"floor\""),
        "{}",
        failure.error
    );
}

#[test]
fn an_oscillator_is_found_again_from_positions_without_noise() {
    let (m, k, c) = (1.0, 40.0, 0.6);
    let decay: f64 = c / (2.0 * m);
    let omega = (k / m - decay * decay).sqrt();
    let x = |t: f64| 0.3 * (-decay * t).exp() * ((omega * t).cos() + decay / omega * (omega * t).sin());
    let rows: String = (0..=20)
        .map(|j| f64::from(j) * 0.1)
        .map(|t| format!("{t},{:?}\n", x(t)))
        .collect();
    let fields = r#"parameters: { "k": 35.0, "c": (value: 0.2, bounds: (0, 5)), "x0": 0.25 },
        ground: { "O": [-1, 0] }, points: { "P": (at: ["x0", 0], mass: 1) },
        joints: { "rail": PointOnLine(point: "P", line: Fixed(through: [0, 0], direction: [1, 0])) },
        forces: { "spring": Spring(from: "O", to: "P", stiffness: "k", natural_length: 1), "damper": Damper(from: "O", to: "P", damping: "c") },
        outputs: { "x": "P.x" },
        objectives: { "fit": Fit(data: "d.csv") },
        optimization: (minimize: "fit", over: ["k", "c", "x0"]),"#;
    let scene = experiment(2.0, fields, &[("d.csv", &format!("t,x\n{rows}"))]);
    let (report, _) = fitted(&scene);
    for (value, wanted) in report.best.parameters.iter().zip([k, c, 0.3]) {
        close("parameter", *value, wanted, 1e-8 * f64::max(wanted, 1.0));
    }
}

#[test]
fn the_shipped_ball_has_its_true_values_within_the_standard_errors() {
    let (report, fit) = fitted(&shipped("bouncing_ball_fit", &Changes::default()));
    let wanted = [(9.8, 9.814619572, 0.020721380), (0.8, 0.80023125029, 0.00047981530)];
    let found = report.best.parameters.iter().zip(&fit.identification.standard_errors);
    for ((value, error), (truth, fitted, by_hand)) in found.zip(wanted) {
        let error = error.unwrap();
        assert!((value - truth).abs() <= error, "{value} +- {error}");
        close("value", *value, fitted, 1e-6);
        close("standard error", error, by_hand, 1e-6 * by_hand);
    }
    close("chi squared", fit.identification.chi_squared, 3.459822866, 1e-8);
}

#[test]
fn the_shipped_gyroscope_has_its_true_moment_of_inertia_within_the_standard_error() {
    let (report, fit) = fitted(&shipped("gyroscope_fit", &Changes::default()));
    let (value, error) = (
        report.best.parameters[0],
        fit.identification.standard_errors[0].unwrap(),
    );
    assert!((value - 2e-3).abs() <= error, "{value} +- {error}");
    assert!((1e-7..1e-6).contains(&error), "{error:e}");
    // Thirty values with Gaussian errors.
    assert!(
        (15.0..45.0).contains(&fit.identification.chi_squared),
        "{}",
        fit.identification.chi_squared
    );
}

#[test]
fn every_method_finds_the_same_parameters() {
    let experiment = shipped("bouncing_ball_fit", &tight());
    for solver in [Solver::LbfgsB, Solver::Slsqp, Solver::NelderMead] {
        let mut task = experiment.optimization.clone().unwrap();
        task.solver = solver;
        let design = SceneDesign::new(&experiment, &task);
        let report = optimize(&design, &task, &mut |_| ControlFlow::Continue(())).unwrap();
        close("g", report.best.parameters[0], 9.814619572, 1e-5);
        close("e", report.best.parameters[1], 0.80023125029, 1e-6);
    }
}

#[test]
fn the_restitution_that_brings_the_ball_nearest_to_twenty_metres_is_found() {
    let fields = r#"gravity: [0, -9.8], parameters: { "e": (value: 0.86, bounds: (0.84, 0.89)) },
        points: { "P": (at: [0, 50], mass: 1) },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) },
        objectives: { "miss": Final("(P.y - 20)^2") },
        optimization: (minimize: "miss", over: [(parameter: "e", scale: 0.1)], stopping: (gradient: 1e-10)),"#;
    let scene = experiment(15.0, fields, &[]);
    let task = scene.optimization.clone().unwrap();
    let design = SceneDesign::new(&scene, &task);
    let report = optimize(&design, &task, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_ne!(report.status, Status::MaxIterations);
    // There the height has a maximum, 19.3679 m: twenty metres are out of reach.
    close("e", report.best.parameters[0], 0.866_554_105_436_911, 1e-8);
    close("height", 20.0 - report.best.value.sqrt(), 19.3679, 1e-4);
}

#[test]
fn a_parameter_that_nothing_uses_stops_an_optimization_only_where_it_is_varied() {
    let data = format!("t\n{}", impacts(9.8, 0.8, 6));
    let scene = |over: &str| {
        let fields = ball((9.0, 0.75), over).replace("parameters: {", r#"parameters: { "spare": 1.0,"#);
        experiment(21.0, &fields, &[("d.csv", &data)])
    };
    for solver in [Solver::GaussNewton, Solver::Lbfgs] {
        let optimized = |scene: &Experiment| {
            let mut task = scene.optimization.clone().unwrap();
            task.solver = solver;
            optimize(&SceneDesign::new(scene, &task), &task, &mut |_| {
                ControlFlow::Continue(())
            })
        };
        let report = optimized(&scene(r#""g", "e""#)).unwrap();
        close("g", report.best.parameters[0], 9.8, 1e-5);
        let error = optimized(&scene(r#""g", "spare""#)).unwrap_err();
        assert!(
            error.message().contains("no expression uses the parameter \"spare\""),
            "{error}"
        );
    }
}

#[test]
fn the_motion_between_measured_values_is_recorded_as_the_columns_measure_it() {
    let fields = r#"gravity: [0, -8],
        points: { "P": (at: [0, 1], velocity: [1, 3], mass: 1) },
        outputs: { "x": "P.x" },
        objectives: {
            "fit": Fit(data: "d.csv", columns: { "twice the height": "2*P.y" }),
            "other": Fit(data: "d.csv", columns: { "twice the height": "log(x - 5)" }),
        },"#;
    let experiment = experiment(1.0, fields, &[("d.csv", "t,twice the height\n0,2\n1,0\n")]);
    let run = experiment.run_with_traces(&["fit"]).unwrap();
    let [curve] = run.measured.as_slice() else {
        panic!("{:?}", run.measured)
    };
    assert_eq!(
        (curve.objective.as_str(), curve.column.as_str()),
        ("fit", "twice the height")
    );
    assert!(curve.pieces[0].len() > 100);
    for (t, value) in &curve.pieces[0] {
        close("twice the height", *value, 2.0 * (1.0 + 3.0 * t - 4.0 * t * t), 1e-9);
    }
    assert_eq!((run.recording.outputs.len(), run.traces.len()), (1, 1));
}
