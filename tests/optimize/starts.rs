//! Several starts.

use std::ops::ControlFlow;

use costate::error::ErrorKind;
use costate::optimize::{Design, MultistartReport, SceneDesign, optimize_from_starts};
use costate::scene::compiled::Optimization;
use costate::scene::schema::Solver;

use crate::formula::{Formula, task, waves};
use crate::open;

fn from_starts(design: &(dyn Design + Sync), task: &Optimization, threads: usize) -> MultistartReport {
    optimize_from_starts(design, task, threads, &|_, _| ControlFlow::Continue(())).unwrap()
}

#[test]
fn the_least_of_many_minima_is_found_and_the_others_are_counted() {
    let mut task = task(Solver::LbfgsB, 4.0, [-5.0, 5.0], 1);
    task.starts = 30;
    let found = from_starts(&Formula::new(waves), &task, 2);
    assert!(found.runs[found.best()].best.value < 1e-12);
    assert_eq!(found.runs[0].initial.parameters, vec![4.0]);
    // The minima between the bounds, at about -4.1, -2.1, 0, 2.1 and 4.1; those on both sides have equal values.
    assert_eq!(found.minima.len(), 5, "{:?}", found.minima);
    let starts: usize = found.minima.iter().map(|minimum| minimum.starts.len()).sum();
    assert_eq!((starts, found.runs.len()), (30, 30));
    for minimum in &found.minima {
        let places: Vec<f64> = minimum
            .starts
            .iter()
            .map(|&k| found.runs[k].best.parameters[0])
            .collect();
        assert!(
            places.iter().all(|place| (place - places[0]).abs() < 1e-5),
            "{places:?}"
        );
    }
}

#[test]
fn the_number_of_threads_changes_nothing_and_the_seed_does() {
    let mut task = task(Solver::LbfgsB, 4.0, [-5.0, 5.0], 2);
    task.starts = 9;
    let places = |task: &Optimization, threads| {
        let found = from_starts(&Formula::new(waves), task, threads);
        let of = |run: &costate::optimize::Report| (run.initial.clone(), run.best.clone(), run.simulations);
        (found.runs.iter().map(of).collect::<Vec<_>>(), found.minima)
    };
    assert_eq!(places(&task, 1), places(&task, 4));
    let before = places(&task, 2);
    task.seed = 2;
    assert_ne!(before, places(&task, 2));
}

#[test]
fn starts_without_a_value_are_counted_and_others_drawn() {
    let mut task = task(Solver::LbfgsB, 0.5, [-2.0, 8.0], 1);
    task.starts = 12;
    let design = Formula {
        wall: 1.0,
        ..Formula::new(waves)
    };
    let found = from_starts(&design, &task, 2);
    assert_eq!(found.runs.len(), 12);
    assert!(found.failures.len() >= 8, "{}", found.failures.len());
    assert!(found.failures.iter().all(|failure| failure.parameters[0] > 1.0));
}

#[test]
fn what_no_start_can_do_is_an_error_with_advice() {
    let mut task = task(Solver::LbfgsB, 3.0, [2.0, 8.0], 1);
    task.starts = 4;
    let design = Formula {
        wall: 1.0,
        ..Formula::new(waves)
    };
    let watch = |_: usize, _: &costate::optimize::Iteration| ControlFlow::Continue(());
    let error = optimize_from_starts(&design, &task, 2, &watch).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Assembly);
    assert!(error.advice().unwrap().contains("none of 84 starts"), "{error:?}");
    task.variables[0].upper = f64::INFINITY;
    let error = optimize_from_starts(&design, &task, 2, &watch).unwrap_err();
    assert_eq!((error.kind(), error.name()), (ErrorKind::Request, Some("x0")));
}

#[test]
fn the_linkage_through_ten_points_is_found_without_a_good_start() {
    let far = [("base", 1.5), ("crank", 0.3), ("phase", 0.0)].map(|(name, value)| (name.to_string(), value));
    let experiment = open("four_bar_path").with_parameters(&far).unwrap();
    let mut task = experiment.optimization.clone().unwrap();
    let lengths = [2.0, 0.5, 1.8, 1.2, 0.9, 0.5];
    for (variable, length) in task.variables.iter_mut().zip(lengths) {
        (variable.lower, variable.upper, variable.scale) = (0.5 * length, 2.0 * length, length);
    }
    (task.variables[6].lower, task.variables[6].upper) = (-3.2, 3.2);
    (task.starts, task.stopping.target) = (4, 1e-13);
    let found = from_starts(&SceneDesign::new(&experiment, &task), &task, 2);
    let best = &found.runs[found.best()];
    println!(
        "{} of 4 starts, {} simulations, {} starts drawn again",
        found.minima[0].starts.len(),
        found.total(|run| run.simulations),
        found.failures.len()
    );
    assert!(best.best.value.sqrt() < 1e-6, "{:e}", best.best.value);
    for (value, length) in best.best.parameters.iter().zip(lengths) {
        assert!((value - length).abs() < 1e-5, "{value} {length}");
    }
}
