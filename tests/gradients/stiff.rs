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

/// A pendulum with a stiff spring at its end, and a block on a floor that none of it acts on.
const BESIDE_EACH_OTHER: &str = r#"Scene(
    name: "beside", space: Planar, gravity: [0, -9.81],
    parameters: { "L": 1.0, "v": 2.0 },
    ground: { "O": [0, 0] },
    points: {
        "A": (guess: [0.8, -0.6], mass: 1),
        "B": (at: [1.6, -0.2], velocity: ["v", 0.5], mass: 0.5),
        "C": (at: [-1, -1], velocity: [2, 0], mass: 3),
    },
    bodies: { "r": Bar(from: "O", to: "A", length: "L", mass: 0.3, angle: -0.6435) },
    forces: {
        "s": Spring(from: "A", to: "B", stiffness: 3e5, natural_length: 0.9, damping: 150),
        "t": Spring(from: "O", to: "C", stiffness: 60, natural_length: 1.1),
    },
    contacts: { "floor": Touch(point: "C", surface: Plane(through: [0, -1], normal: [0, 1]), law: Restitution(0)) },
    objectives: { "x": Final("B.x"), "cx": Final("C.x") },
    simulation: (duration: 0.4, integrator: Radau),
)"#;

#[test]
fn costates_that_die_away_at_once_do_not_hide_those_that_have_not_converged() {
    let scene = parse("beside.ron", BESIDE_EACH_OTHER).unwrap();
    for rtol in [1e-3, 1e-5, 1e-7] {
        let by_default = Changes {
            rtol: Some(rtol),
            ..Changes::default()
        };
        let experiment = Experiment::new(&scene, &by_default).unwrap();
        let forward = experiment.gradient(Method::Forward).unwrap();
        let error = worst_difference(&experiment.gradient(Method::Adjoint).unwrap(), &forward);
        assert!(error < rtol, "rtol {rtol}: {error:e}");
    }
}

#[test]
fn costates_end_on_instants_near_the_start_without_a_rest_of_rounding() {
    let text = r#"Scene(
        name: "instant", space: Planar, gravity: [0, -9.81],
        parameters: { "v": 3.0, "s": 0.039056 },
        points: { "P": (at: [0, 0], velocity: [1, "v"], mass: 1) },
        objectives: { "A": At(time: "s", of: "P.y"), "F": Final("P.y") },
        simulation: (duration: 5.674343, integrator: Radau),
    )"#;
    let scene = parse("instant.ron", text).unwrap();
    for k in 0..100 {
        let instant = 0.005 + 7.5e-4 * f64::from(k);
        let mut changes = changes(1e-6, 1e-8);
        changes.parameters.push(("s".into(), instant));
        let report = Experiment::new(&scene, &changes).unwrap().gradient(Method::Adjoint);
        let report = report.unwrap_or_else(|error| panic!("{instant}: {error}"));
        let error = (report.objectives[0].gradient[1] - (3.0 - 9.81 * instant)).abs();
        assert!(error < 1e-9, "{instant}: {error:e}");
    }
}
