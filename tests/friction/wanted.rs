//! A right-hand side without multipliers has the friction of one with all of them, and reads only those that press.

use costate::hybrid::{At, HybridSystem, simulate};
use costate::run::Changes;
use costate::scene::schema::FormulationKind;

use crate::support::{shipped, under};

/// Accelerations and multipliers of a scene at a time, with all multipliers wanted and with none.
fn with_and_without(name: &str, t: f64, parameters: &[(&str, f64)]) -> [[Vec<f64>; 2]; 2] {
    let changes = Changes {
        parameters: (parameters.iter())
            .map(|(name, value)| (name.to_string(), *value))
            .collect(),
        ..under(FormulationKind::Nullspace)
    };
    let experiment = shipped(name, &changes);
    let (mechanism, mut options) = (&experiment.mechanism, experiment.options.clone());
    options.end = t;
    let mut workspace = mechanism.workspace();
    let started = mechanism.start(experiment.start, &mut workspace).unwrap();
    let start = (experiment.start, started.mode, started.x);
    let end = simulate(mechanism, start, &options, &mut workspace, &mut ()).unwrap();
    assert!(!end.mode.grips.is_empty(), "nothing rubs in {name} at {t}");
    [true, false].map(|all| {
        let at = At::new(end.t, &end.mode, &end.x);
        mechanism.evaluate_motion(at, all, &mut workspace).unwrap();
        [workspace.a.clone(), workspace.lambda[..end.mode.rows].to_vec()]
    })
}

/// The contact of a five-bar that lies on the ground presses with one multiplier.
#[test]
fn only_the_multiplier_that_presses_is_computed() {
    let [with, without] = with_and_without("five_bar_friction", 0.2, &[("e", 0.0)]);
    assert_eq!(with[0], without[0]);
    let read: Vec<usize> = (0..5).filter(|&row| !without[1][row].is_nan()).collect();
    let [row] = read[..] else { panic!("{without:?}") };
    assert_eq!(with[1][row], without[1][row]);
    assert!(with[1][row] > 1.0, "{with:?}");
}

#[test]
fn accelerations_do_not_depend_on_what_multipliers_are_wanted() {
    for (name, t) in [
        ("slider_crank_friction", 0.3),
        ("brake", 0.3),
        ("clutch", 2.0),
        ("incline_block", 0.1),
    ] {
        let [with, without] = with_and_without(name, t, &[]);
        assert_eq!(with[0], without[0], "{name}");
    }
}
