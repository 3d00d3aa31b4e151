//! Friction that is a smooth function of the slip velocity, and where its gradients mislead.

use costate::error::Error;
use costate::run::{Changes, Experiment, Method};

use crate::support::{close, experiment, objective, planar, report, spatial, tight, tolerances};

/// A mass on a spring that rubs on the floor, or in a guide.
fn oscillator(duration: f64, law: &str, guided: bool) -> String {
    let rubs = match guided {
        true => format!(
            r#"joints: {{ "floor": PointOnLine(point: "mass", line: Fixed(through: [0, 0], direction: [1, 0]), friction: Reaction({law})) }},"#
        ),
        false => format!(
            r#"contacts: {{ "floor": Touch(point: "mass", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction({law})) }},"#
        ),
    };
    planar(
        duration,
        &format!(
            r#"gravity: [0, -9.81], parameters: {{ "mu": 0.1, "x0": 0.3, "k": 25.0 }},
            points: {{ "mass": (at: ["x0", 0], mass: 1) }},
            forces: {{ "spring": Load(at: "mass", force: ["-k*mass.x", 0]) }}, {rubs}
            outputs: {{ "T": "floor.friction", "u": "floor.slip" }},
            objectives: {{ "x": Final("mass.x"), "W": Integral("floor.heat") }},"#
        ),
    )
}

#[test]
fn it_is_the_law_and_balances_energy() {
    for guided in [false, true] {
        let text = oscillator(2.0, r#"coefficient: "mu", regularized: 0.05, viscous: 0.2"#, guided);
        let experiment = experiment(&text, &tight());
        let (found, recording) = experiment.run(true, &mut |_| {}).unwrap();
        assert!(found.events.is_empty(), "{:?}", found.events);
        let recording = recording.unwrap();
        let series = |name: &str| {
            &recording
                .outputs
                .iter()
                .find(|series| series.name == name)
                .unwrap()
                .values
        };
        for (t, u) in series("T").iter().zip(series("u")) {
            close("T", *t, -0.1 * 9.81 * (u / 0.05).tanh() - 0.2 * u, 1e-11);
        }
        let (found, _) = experiment.run_balanced(false, &mut |_| {}).unwrap();
        assert!(found.balance.as_ref().unwrap().missing.abs() < 1e-10);
        let gradients = [Method::Adjoint, Method::Forward].map(|method| experiment.gradient(method).unwrap());
        for (a, b) in gradients[0].objectives.iter().zip(&gradients[1].objectives) {
            for (a, b) in a.gradient.iter().zip(&b.gradient) {
                close("slope", *a, *b, 1e-10);
            }
        }
    }
}

/// Far above the velocity over which it builds up it is Coulomb's, in the plane and in space: the hyperbolic tangent is one, and its derivatives vanish.
#[test]
fn it_is_coulombs_at_any_slip_velocity() {
    let law = r#"law: Friction(coefficient: "mu", regularized: 0.01)"#;
    let of_slide = r#"parameters: { "mu": 0.1, "v0": 9.0 },"#;
    let objective = r#"objectives: { "vx": Final("P.vx") },"#;
    let flat = planar(
        1.0,
        &format!(
            r#"gravity: [0, -9.81], {of_slide} points: {{ "P": (at: [0, 0], velocity: ["v0", 0], mass: 1) }},
            contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), {law}) }}, {objective}"#
        ),
    );
    let in_space = spatial(
        1.0,
        &format!(
            r#"gravity: [0, 0, -9.81], {of_slide} points: {{ "P": (at: [0, 0, 0], velocity: ["0.6*v0", "0.8*v0", 0], mass: 1) }},
            contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), {law}) }}, {objective}"#
        ),
    );
    for (text, along) in [(flat, 1.0), (in_space, 0.6)] {
        let experiment = experiment(&text, &tight());
        for method in [Method::Adjoint, Method::Forward] {
            let found = experiment.gradient(method).unwrap();
            let row = &found.objectives[0];
            close("vx", row.value, along * (9.0 - 0.981), 1e-9);
            close("by mu", row.gradient[0], -9.81 * along, 1e-9);
            close("by v0", row.gradient[1], along, 1e-9);
        }
    }
}

/// With dry friction dx/dx0 at rest is 1; regularized, it decays for ever, whatever the value at rest.
#[test]
fn gradients_mislead_in_the_long_run() {
    let slope = |duration: f64, law: &str| {
        let experiment = experiment(&oscillator(duration, law, false), &tolerances(1e-10, 1e-12));
        let gradient = experiment.gradient(Method::Adjoint).unwrap();
        let place = gradient.parameters.iter().position(|name| name == "x0").unwrap();
        gradient.objectives[0].gradient[place]
    };
    let regularized = r#"coefficient: "mu", regularized: 0.01"#;
    close("dry", slope(30.0, r#"coefficient: "mu""#), 1.0, 1e-9);
    close("3 s", slope(3.0, regularized), 0.857, 1e-3);
    close("30 s", slope(30.0, regularized), 0.0008, 1e-4);
    let found = report(&experiment(&oscillator(3.0, regularized, false), &tight()));
    assert!((objective(&found, "x") + 0.01392).abs() < 5e-3);
}

#[test]
fn what_sticks_has_no_meaning_with_it() {
    let unread = |law: &str, guided: bool| -> Error {
        let file = costate::scene::parse("test.ron", &oscillator(1.0, law, guided)).unwrap();
        Experiment::new(&file, &Changes::default()).map(|_| ()).unwrap_err()
    };
    for guided in [false, true] {
        for law in [
            "coefficient: 0.1, static: 0.2, regularized: 0.01",
            "coefficient: 0.1, stribeck: 0.2, regularized: 0.01",
        ] {
            assert!(unread(law, guided).to_string().contains("regularized"));
        }
        assert!(
            unread("coefficient: 0.1, regularized: 0", guided)
                .to_string()
                .contains("positive")
        );
    }
}
