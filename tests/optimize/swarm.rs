//! Particle swarm.

use std::ops::ControlFlow;

use costate::error::ErrorKind;
use costate::optimize::{Status, optimize};
use costate::scene::schema::Solver;

use crate::by;
use crate::formula::{Formula, task, waves};

#[test]
fn the_swarm_finds_the_least_minimum_where_a_descent_stops_at_the_nearest() {
    let mut task = task(Solver::ParticleSwarm, 4.0, [-5.0, 5.0], 2);
    (
        task.stopping.decrease,
        task.stopping.max_iterations,
        task.stopping.max_simulations,
    ) = (1e-8, 1000, 10_000);
    let found = by(&Formula::new(waves), &task);
    assert_eq!(
        (found.status, found.gradients),
        (Status::Converged, 0),
        "{:?}",
        found.best
    );
    assert!(found.best.value < 1e-7, "{:?}", found.best);
    assert_eq!(found.initial.parameters, vec![4.0, 4.0]);
    task.solver = Solver::LbfgsB;
    assert!(by(&Formula::new(waves), &task).best.value > 1.0);
}

#[test]
fn a_seed_repeats_the_search_and_points_without_a_value_do_not_end_it() {
    let mut task = task(Solver::ParticleSwarm, 0.5, [-2.0, 8.0], 2);
    task.particles = Some(20);
    let mut search = |seed: u64| {
        task.seed = seed;
        let design = Formula {
            wall: 1.0,
            ..Formula::new(waves)
        };
        let found = by(&design, &task);
        assert_eq!(found.simulations, design.calls());
        assert!(
            !found.failures.is_empty() && found.best.value < 1e-3,
            "{:?}",
            found.best
        );
        (found.best, found.simulations)
    };
    assert_eq!(search(3), search(3));
    assert_ne!(search(3), search(4));
}

#[test]
fn a_swarm_without_bounds_is_refused() {
    let task = task(Solver::ParticleSwarm, 0.5, [-2.0, f64::INFINITY], 1);
    let error = optimize(&Formula::new(waves), &task, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert_eq!((error.kind(), error.name()), (ErrorKind::Request, Some("x0")));
    assert!(error.advice().unwrap().contains("bounds"));
}
