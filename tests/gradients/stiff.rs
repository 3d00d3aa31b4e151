//! Gradients of stiff scenes, which the implicit integrator carries.

use costate::run::{Changes, Experiment, Method, Verdict};
use costate::scene::parse;

use crate::{changes, row_error, worst_difference};

/// A jump after which the spring comes to rest anew, and an objective within the motion.
const EVENT: (&str, &str) = (
    r#"events: { "low": (when: Falling("P.y + 0.5"), then: [Reset("Q.vx", 0.1)], once: true) },"#,
    r#""early": At(time: 0.2, of: "Q.vx"),"#,
);

/// A rod with a spring and a damper on its end, whose own motion takes some 1e-5 s to die away.
fn very_stiff((event, objective): (&str, &str), integrator: &str, changes: &Changes) -> Experiment {
    let text = r#"Scene(
        name: "stiff", space: Planar, gravity: [0, -9.81],
        parameters: { "k": 1e6, "d": 1e4, "L": 1, "m": 1 },
        ground: { "O": [0, 0] },
        points: { "P": (guess: ["L", 0], mass: "m"), "Q": (at: [1.6, 0], mass: 0.1) },
        joints: { "rod": Link(from: "O", to: "P", length: "L") },
        forces: { "stiff": Spring(from: "P", to: "Q", stiffness: "k", natural_length: 0.6, damping: "d") },
        EVENT
        objectives: { "x": Final("Q.x"), OBJECTIVE "path": Integral("Q.y^2") },
        simulation: (duration: 0.5, INTEGRATOR),
    )"#;
    let text = text.replace("INTEGRATOR", integrator).replace("EVENT", event);
    let text = text.replace("OBJECTIVE", objective);
    Experiment::new(&parse("stiff.ron", &text).unwrap(), changes).unwrap()
}

#[test]
fn the_costates_of_a_stiff_scene_take_no_more_work_than_its_motion() {
    for integrator in ["integrator: Radau", "integrator: Radau, formulation: Index3"] {
        let experiment = very_stiff(("", ""), integrator, &changes(1e-8, 1e-10));
        let report = experiment.gradient(Method::Adjoint).unwrap();
        let (forward, backward) = (report.forward, report.backward);
        assert!(
            backward.evaluations < 2 * forward.evaluations,
            "{integrator}: {forward:?} {backward:?}"
        );
        assert!(
            (1..=backward.accepted).contains(&backward.jacobians),
            "{integrator}: {backward:?}"
        );
    }
}

#[test]
fn gradients_of_a_stiff_scene_with_an_event_are_those_of_the_explicit_method() {
    let exact = very_stiff(EVENT, "rtol: 1e-11", &changes(1e-11, 1e-11));
    let exact = exact.gradient(Method::Adjoint).unwrap();
    assert_eq!(exact.backward.jacobians, 0);
    for integrator in ["integrator: Radau", "integrator: Radau, formulation: Multipliers"] {
        let experiment = very_stiff(EVENT, integrator, &changes(1e-11, 1e-13));
        let adjoint = experiment.gradient(Method::Adjoint).unwrap();
        assert_eq!(adjoint.events.len(), 1);
        let error = worst_difference(&adjoint, &experiment.gradient(Method::Forward).unwrap());
        assert!(error < 1e-7, "{integrator}: adjoint against forward: {error:e}");
        let error = worst_difference(&adjoint, &exact);
        assert!(error < 1e-7, "{integrator}: implicit against explicit: {error:e}");
        let (few, many) = (adjoint.backward.evaluations, exact.backward.evaluations);
        assert!(8 * few < many, "{integrator}: {few} {many}");
    }
}

#[test]
fn the_certificate_of_a_stiff_scene_finds_no_contradiction() {
    let experiment = very_stiff(EVENT, "integrator: Radau", &changes(1e-10, 1e-12));
    let (_, certificate) = experiment.certify(Method::Adjoint, &|_| {}).unwrap();
    assert_eq!(certificate.verdict, Verdict::Passed, "{:?}", certificate.entries);
}

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
