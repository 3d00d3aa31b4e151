//! A simulation that is resumed from a checkpoint takes the same steps as one that was not interrupted.

use std::path::Path;

use costate::hybrid::{Checkpoint, HybridSystem, Simulation, Trajectory};
use costate::model::Mode;
use costate::run::{Changes, Experiment};

/// Simulates a shipped scene; returns the recording and a checkpoint at every end of a block with the number of steps and
/// jumps recorded by then.
#[allow(clippy::type_complexity)]
fn recorded(experiment: &Experiment) -> (Trajectory<Mode>, Vec<(Checkpoint<Mode>, usize, usize)>) {
    let mut workspace = experiment.mechanism.workspace();
    let started = experiment.mechanism.start(experiment.start, &mut workspace).unwrap();
    let start = (experiment.start, started.mode, started.x);
    let mut simulation = Simulation::new(&experiment.mechanism, start, &experiment.options, &mut workspace).unwrap();
    let (mut trajectory, mut checkpoints) = (Trajectory::default(), Vec::new());
    simulation.report_start(&mut trajectory).unwrap();
    while !simulation.is_over() {
        simulation.advance(&mut trajectory).unwrap();
        if simulation.is_between_blocks() {
            let steps = trajectory.phases.iter().map(|phase| phase.steps.len()).sum();
            checkpoints.push((simulation.checkpoint(), steps, trajectory.jumps.len()));
        }
    }
    (trajectory, checkpoints)
}

#[test]
fn resumed_simulations_take_the_same_steps_to_the_last_bit() {
    for scene in [
        "five_bar",
        "five_bar_restitution",
        "latch",
        "pendulum_with_stop",
        "bouncing_ball",
        "slider_crank",
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("scenes")
            .join(format!("{scene}.ron"));
        let experiment = Experiment::open(&path, &Changes::default()).unwrap();
        let (whole, checkpoints) = recorded(&experiment);
        let all: Vec<_> = whole.phases.iter().flat_map(|phase| &phase.steps).collect();
        assert!(checkpoints.len() > 2, "{scene}");
        for (checkpoint, steps, jumps) in &checkpoints {
            let mut workspace = experiment.mechanism.workspace();
            let mut simulation =
                Simulation::resume(&experiment.mechanism, checkpoint, &experiment.options, &mut workspace);
            let mut rest = Trajectory::default();
            simulation.report_start(&mut rest).unwrap();
            while !simulation.is_over() {
                simulation.advance(&mut rest).unwrap();
            }
            let again: Vec<_> = rest.phases.iter().flat_map(|phase| &phase.steps).collect();
            assert_eq!(again.len(), all.len() - steps, "{scene} from {}", checkpoint.t());
            for (again, first) in again.iter().zip(&all[*steps..]) {
                assert_eq!(again, first, "{scene} from {}", checkpoint.t());
            }
            for (again, first) in rest.jumps.iter().zip(&whole.jumps[*jumps..]) {
                assert_eq!(
                    (again.t, &again.before, &again.after),
                    (first.t, &first.before, &first.after),
                    "{scene}"
                );
            }
        }
    }
}
