//! What an optimization promises: known optima are found with few simulations, limits and bounds are active where they
//! must be, points that fail do not end it, and its files can be used.

#[cfg(feature = "cli")]
#[path = "optimize/command_line.rs"]
mod command_line;
#[path = "optimize/differences.rs"]
mod differences;
#[path = "optimize/failing.rs"]
mod failing;
#[path = "optimize/formula.rs"]
mod formula;
#[path = "optimize/in_space.rs"]
mod in_space;
#[path = "optimize/jansen.rs"]
mod jansen;
#[path = "optimize/resuming.rs"]
mod resuming;
#[path = "optimize/starts.rs"]
mod starts;
mod support;
#[path = "optimize/swarm.rs"]
mod swarm;
#[path = "optimize/swing_up.rs"]
mod swing_up;

use std::ops::ControlFlow;

use costate::optimize::{Design, Report, SceneDesign, Status, optimize};
use costate::run::{Certified, Changes, Experiment, Method, Verdict};
use costate::scene::schema::Solver;

fn open(scene: &str) -> Experiment {
    let path = support::scenes().join(format!("{scene}.ron"));
    Experiment::open(&path, &Changes::default()).unwrap()
}

/// The optimization of the scene by a method.
fn solved(experiment: &Experiment, solver: Option<Solver>) -> Report {
    let mut task = experiment.optimization.clone().unwrap();
    task.solver = solver.unwrap_or(task.solver);
    by(&SceneDesign::new(experiment, &task), &task)
}

fn by(design: &dyn Design, task: &costate::scene::compiled::Optimization) -> Report {
    optimize(design, task, &mut |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn the_springs_that_hold_the_five_bar_are_those_of_statics() {
    let experiment = open("five_bar_rest");
    for solver in [Solver::Lbfgs, Solver::Bfgs, Solver::LbfgsB, Solver::Slsqp] {
        let found = solved(&experiment, Some(solver));
        assert!(found.best.value <= 1e-10, "{solver:?} {}", found.best.value);
        assert!(found.simulations <= 30, "{solver:?} {}", found.simulations);
        // Forces on the three joints, by hand.
        for (length, expected) in found.best.parameters.iter().zip([2.431923574457584, 1.844868886805388]) {
            assert!((length - expected).abs() < 1e-7, "{solver:?} {length}");
        }
    }
}

#[test]
fn the_linkage_through_ten_points_is_found_again() {
    let found = solved(&open("four_bar_path"), None);
    assert!(found.best.value.sqrt() < 1e-6, "{}", found.best.value);
    let expected = [2.0, 0.5, 1.8, 1.2, 0.9, 0.5, std::f64::consts::FRAC_PI_3];
    for (value, expected) in found.best.parameters.iter().zip(expected) {
        assert!((value - expected).abs() < 1e-6, "{value} {expected}");
    }
}

#[test]
fn the_limit_of_the_slider_crank_is_active() {
    let experiment = open("slider_crank");
    let found = solved(&experiment, None);
    assert_eq!(found.status, Status::Minimum);
    let (limit, value) = &found.limits[0];
    assert!((value - limit.bound).abs() < 1e-6, "{value}");
    // A shorter rod breaks the limit, whatever the offset.
    let design = experiment.optimization.clone().unwrap();
    let design = SceneDesign::new(&experiment, &design);
    for offset in [-0.01, -0.001, 0.0, 0.001, 0.01] {
        let near = [found.best.parameters[0] - 1e-3, found.best.parameters[1] + offset];
        assert!(
            design.evaluate(&near, false).unwrap().values[1] > limit.bound,
            "{offset}"
        );
    }
}

#[test]
fn limits_on_the_peaks_of_the_reaction_hold_at_every_instant() {
    let text = std::fs::read_to_string(support::scenes().join("slider_crank.ron")).unwrap();
    let text = text
        .replace(
            r#""overload": Integral("(reaction/45)^10"),"#,
            r#""peak": Max("reaction"), "dip": Min("reaction"),"#,
        )
        .replace(
            r#""overload": (at_most: 0.5)"#,
            r#""peak": (at_most: 45), "dip": (at_least: -45)"#,
        );
    // With `h` as well, two maxima compete at the solution, which then is a kink.
    let text = text.replace(r#"over: ["L", "h"]"#, r#"over: ["L"]"#);
    let experiment = support::experiment(&text, &Changes::default());
    let found = solved(&experiment, None);
    let values: Vec<f64> = found.limits.iter().map(|(_, value)| *value).collect();
    assert_eq!(found.status, Status::Minimum, "{found:?}");
    assert!(
        (values[0] - 45.0).abs() < 1e-6 || (values[1] + 45.0).abs() < 1e-6,
        "{values:?}"
    );
    let task = experiment.optimization.clone().unwrap();
    let names = task.variables.iter().map(|variable| variable.name.clone());
    let best: Vec<_> = names.zip(found.best.parameters.iter().copied()).collect();
    let (_, recording) = experiment
        .with_parameters(&best)
        .unwrap()
        .run(true, &mut |_| {})
        .unwrap();
    let recording = recording.unwrap();
    let reaction = recording
        .outputs
        .iter()
        .find(|series| series.name == "reaction")
        .unwrap();
    let worst = reaction
        .values
        .iter()
        .fold(0.0_f64, |worst, value| worst.max(value.abs()));
    assert!(worst <= 45.0 + 1e-6 && worst > 44.9, "{worst}");
}

#[test]
fn a_minimum_through_impacts_holds_before_the_certificate() {
    let experiment = open("five_bar");
    let found = solved(&experiment, None);
    assert_eq!(found.status, Status::Minimum);
    assert!(found.history.iter().any(|iteration| iteration.events_changed));
    let values = found
        .variables
        .iter()
        .cloned()
        .zip(found.best.parameters.iter().copied());
    let best = experiment.with_parameters(&values.collect::<Vec<_>>()).unwrap();
    let (_, certificate) = best.certify(Method::Adjoint, &|_| {}).unwrap();
    let height = Certified::Objective("int_height".to_string());
    let entries = certificate.entries.iter().filter(|entry| entry.quantity == height);
    let entries: Vec<_> = entries
        .filter(|entry| found.variables.contains(&entry.parameter))
        .collect();
    assert_eq!(entries.len(), 2);
    for entry in entries {
        assert_ne!(entry.verdict, Verdict::Failed, "{entry:?}");
        assert!(
            entry.adjoint.unwrap().abs() < 1e-6 && entry.forward.abs() < 1e-6,
            "{entry:?}"
        );
    }
}

#[test]
fn simulations_and_gradients_are_fewer_than_the_values_asked_for() {
    for scene in ["five_bar_rest", "five_bar", "slider_crank"] {
        let found = solved(&open(scene), None);
        let most = 1.2 * f64::from(found.evaluations);
        assert!(
            f64::from(found.simulations) <= most && f64::from(found.gradients) <= most,
            "{scene} {found:?}"
        );
    }
}
