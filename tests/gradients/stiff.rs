//! Gradients of stiff scenes, which the implicit integrator carries.

use costate::run::{Experiment, Method};
use costate::scene::parse;

use crate::{changes, row_error, worst_difference};

#[test]
fn a_stiff_spring_under_the_implicit_integrator_has_the_same_gradient_by_all_methods() {
    let text = r#"Scene(
        name: "stiff", space: Planar, gravity: [0, -9.81],
        parameters: { "k": 1e4, "d": 100, "L": 1, "m": 1 },
        ground: { "O": [0, 0] },
        points: { "P": (guess: ["L", 0], mass: "m"), "Q": (at: [1.6, 0], mass: 0.1) },
        joints: { "rod": Link(from: "O", to: "P", length: "L") },
        forces: { "stiff": Spring(from: "P", to: "Q", stiffness: "k", natural_length: 0.6, damping: "d") },
        objectives: { "x": Final("Q.x"), "path": Integral("Q.y^2") },
        simulation: (duration: 0.5, integrator: Radau),
    )"#;
    let experiment = Experiment::new(&parse("stiff.ron", text).unwrap(), &changes(1e-10, 1e-13)).unwrap();
    let forward = experiment.gradient(Method::Forward).unwrap();
    let error = worst_difference(&experiment.gradient(Method::Adjoint).unwrap(), &forward);
    assert!(error < 1e-7, "adjoint against forward: {error:e}");
    let quotients = experiment.gradient(Method::FiniteDifference).unwrap();
    for (quotient, exact) in quotients.objectives.iter().zip(&forward.objectives) {
        let error = row_error(&quotient.gradient, &exact.gradient);
        assert!(error < 1e-6, "{}: {error:e}", exact.name);
    }
}
