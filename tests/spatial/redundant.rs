//! Joints of rigid bodies in space that depend on each other: what is redundant, what cannot change alone, and singular positions.

use costate::run::{Method, Verdict};
use costate::scene::schema::FormulationKind::Nullspace;

use crate::support::{close, experiment, failure, objective, report, spatial, tight, under};

/// A body on these joints.
fn held(joints: &str) -> String {
    let fields = format!(
        r#"gravity: [0.3, 0, "-g"], parameters: {{ "g": 9.81, "m": 2.0, "J": 0.0216, "w": 1.0, "b": 0.2, "a": 0.5, "d": 0.25, "h": 1.0 }},
        ground: {{ "O": [0, 0, 0], "A": ["a", 0, 0], "C": [0.25, 0, 0] }},
        bodies: {{ "box": Solid(mass: "m", inertia: ["J", 0.0333, 0.0417, 0.001, 0.002, -0.001], centre_of_mass: [0.1, "b", 0.03],
            guess: [0, 0, 0], orientation: Rotations([X(0.3)]), angular_velocity: ["w", "free", "free"],
            markers: {{ "k": [0.5, 0, 0], "e": [0.25, "d", 0] }}) }},
        joints: {{ {joints} }},
        objectives: {{ "wx": Final("box.omega_x"), "q0": Final("box.q0"), "q1": Final("box.q1"), "E": Integral("energy.kinetic") }},"#
    );
    spatial(0.8, &fields)
}

const ONE: &str = r#""one": Spherical(between: ("O", "box.origin"))"#;
const TWO: &str = r#""two": Spherical(between: ("A", "box.k"))"#;
const LINK: &str = r#""link": Link(from: "C", to: "box.e", length: "d")"#;

#[test]
fn a_joint_written_twice_changes_nothing() {
    let [single, twice] = [ONE.to_string(), format!("{ONE}, {}", ONE.replace("one", "again"))]
        .map(|joints| experiment(&held(&joints), &tight()));
    for method in [Method::Adjoint, Method::Forward] {
        let [single, twice] = [&single, &twice].map(|experiment| experiment.gradient(method).unwrap());
        for (a, b) in single.objectives.iter().zip(&twice.objectives) {
            close(&a.name, b.value, a.value, 1e-11);
            for (x, y) in a.gradient.iter().zip(&b.gradient) {
                close(&a.name, *y, *x, 1e-9);
            }
        }
    }
}

#[test]
fn a_hinge_of_two_balls_is_a_compound_pendulum_whose_distance_cannot_change_alone() {
    for joints in [format!("{ONE}, {TWO}"), format!("{ONE}, {TWO}, {LINK}")] {
        let text = held(&joints);
        let found = report(&experiment(&text, &tight()));
        // The energy about the axis: J' w^2 / 2 + m g (height of the centre), without the force along the axis.
        let (angle, inertia) = (
            2.0 * objective(&found, "q1").atan2(objective(&found, "q0")),
            0.0216 + 2.0 * (0.2 * 0.2 + 0.03 * 0.03),
        );
        let height = |angle: f64| 0.2 * angle.sin() + 0.03 * angle.cos();
        let square = 1.0 + 2.0 * 2.0 * 9.81 * (height(0.3) - height(angle)) / inertia;
        close("rate", objective(&found, "wx").powi(2), square, 1e-9);
        let (report, certificate) = experiment(&text, &tight()).certify(Method::Adjoint, &|_| {}).unwrap();
        let agrees = |verdict: Verdict| matches!(verdict, Verdict::Passed | Verdict::NoDerivative);
        assert!(certificate.entries.iter().all(|entry| agrees(entry.verdict)));
        let named: Vec<&str> = report.undetermined.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(named, ["a"]);
        assert_eq!(report.undetermined[0].joints[..2], ["one", "two"]);
    }
}

#[test]
fn a_held_velocity_against_joints_is_found_over_the_velocities() {
    // The hinge allows one velocity: the others may be held at zero, but at no other value.
    let text = held(&format!("{ONE}, {TWO}")).replace(r#""free", "free""#, r#""h - 1", 0"#);
    let report = experiment(&text, &under(Nullspace)).gradient(Method::Adjoint).unwrap();
    let found = report.undetermined.iter().find(|found| found.name == "h").unwrap();
    assert_eq!(found.held_velocities, ["box.omega_y", "box.omega_z"], "{found:?}");
}

#[test]
fn a_plate_on_parallel_links_that_lean_is_in_a_singular_position() {
    let places = [(-0.2, -0.2), (0.2, -0.2), (-0.2, 0.2), (0.2, 0.2)];
    let each = |of: &dyn Fn(usize, (f64, f64)) -> String| -> String {
        places
            .iter()
            .enumerate()
            .map(|(i, place)| of(i, *place))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let fields = format!(
        r#"ground: {{ {} }}, bodies: {{ "plate": Solid(mass: 1, inertia: [0.1, 0.2, 0.25, 0, 0, 0], guess: [0.1, 0.05, 0.01], markers: {{ {} }}) }},
        joints: {{ {} }},"#,
        each(&|i, (x, y)| format!(r#""g{i}": [{x}, {y}, 1]"#)),
        each(&|i, (x, y)| format!(r#""p{i}": [{x}, {y}, 0]"#)),
        each(&|i, _| format!(r#""l{i}": Link(from: "g{i}", to: "plate.p{i}", length: 1)"#)),
    );
    let error = failure(&spatial(0.5, &fields)).to_string();
    assert!(
        error.contains("singular position") && error.contains("\"l0\", \"l1\", \"l2\", \"l3\", whose"),
        "{error}"
    );
}
