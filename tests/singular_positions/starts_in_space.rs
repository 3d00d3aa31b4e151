//! Starts from singular positions with redundant joints and in space: combinations of rows that vanish there only are mixed with
//! those that always vanish.

use costate::error::ErrorKind;
use costate::run::{Changes, GradientReport, Method, Verdict};
use costate::scene::schema::FormulationKind::{self, Index3, Multipliers, Nullspace, Stabilized};

use super::starts::{gradient, pendulum};
use super::support::{self, G, experiment, failure, objective, output, report};
use super::{under, worst_difference};

/// A four-bar of solids in one line, turned about the vertical, with parallel hinges, of which three rows are redundant; crank and
/// rocker of 1, with these rates, ground and coupler of 2.
fn solids([crank, rocker]: [&str; 2], more: &str) -> String {
    support::spatial(
        0.45,
        &format!(
            r#"gravity: [0, 0, "-g"],
            constants: {{ "L": 1.0 }},
            parameters: {{ "g": {G}, "w": 1.5, "m": 1.2, "turn": 0.4, "h": 0.1 }},
            ground: {{
                "A": (at: [0, 0, 0], orientation: Rotations([Z("turn")])),
                "D": (at: ["2*L*cos(turn)", "2*L*sin(turn)", 0], orientation: Rotations([Z("turn")])),
            }},
            bodies: {{
                "crank": Solid(mass: "m", inertia: [0.01, 0.1, 0.1, 0, 0, 0], centre_of_mass: ["L/2", 0, 0],
                    guess: [0, 0, 0], orientation: Rotations([Z("turn")]), markers: {{ "end": ["L", 0, 0] }}),
                "rocker": Solid(mass: 1, inertia: [0.01, 0.1, 0.1, 0, 0, 0], centre_of_mass: ["L/2", 0, 0],
                    guess: ["2*L*cos(turn)", "2*L*sin(turn)", 0], orientation: Rotations([Z("turn")]), markers: {{ "end": ["L", 0, 0] }}),
                "coupler": Solid(mass: 2, inertia: [0.02, 0.4, 0.4, 0, 0, 0], centre_of_mass: ["L", "h", 0],
                    guess: ["L*cos(turn)", "L*sin(turn)", 0], orientation: Rotations([Z("turn")]), markers: {{ "end": ["2*L", 0, 0] }}),
            }},
            joints: {{
                "a": Revolute(between: ("A", "crank.origin"), axis: [0, -1, 0], angle: 0, angular_velocity: {crank}),
                "b": Revolute(between: ("crank.end", "coupler.origin"), axis: [0, -1, 0]),
                "c": Revolute(between: ("coupler.end", "rocker.end"), axis: [0, -1, 0]),
                "d": Revolute(between: ("D", "rocker.origin"), axis: [0, -1, 0], angular_velocity: {rocker}),
            }},
            outputs: {{ "angle": "a.angle", "x": "crank.end.x", "z": "rocker.end.z" }},
            objectives: {{
                "angle": Final("a.angle"), "x": Final("crank.end.x/L"), "z": Final("rocker.end.z"), "energy": Final("energy.total"),
                "height": Integral("coupler.centre.z"),
            }},
            {more}"#
        ),
    )
}

/// The same in the plane, in a unit of length, with the rate of the crank, that of the rocker over it, and further bodies and joints.
fn rigid((rate, rocker): (f64, f64), unit: f64, [bodies, joints]: [&str; 2]) -> String {
    support::planar(
        0.675 / rate,
        &format!(
            r#"gravity: [0, "-{G}*L*(w/1.5)^2"],
            parameters: {{ "L": {unit:?}, "w": {rate:?} }},
            ground: {{ "A": [0, 0], "D": ["2*L", 0] }},
            bodies: {{
                "crank": Rigid(mass: 1.2, inertia: "0.1*L^2", centre: ["0.5*L", 0], at: [0, 0, 0],
                    velocity: ["free", "free", "w"], markers: {{ "end": ["L", 0] }}),
                "rocker": Rigid(mass: 1, inertia: "0.1*L^2", centre: ["0.5*L", 0], at: ["2*L", 0, 0],
                    velocity: ["free", "free", "{rocker:?}*w"], markers: {{ "end": ["L", 0] }}),
                "coupler": Rigid(mass: 2, inertia: "0.4*L^2", centre: ["L", 0], at: ["L", 0, 0], markers: {{ "end": ["2*L", 0] }}),
                {bodies}
            }},
            joints: {{
                "a": Revolute(between: ("A", "crank.origin")), "b": Revolute(between: ("crank.end", "coupler.origin")),
                "c": Revolute(between: ("coupler.end", "rocker.end")), "d": Revolute(between: ("D", "rocker.origin")),
                {joints}
            }},
            outputs: {{ "angle": "crank.angle", "z": "rocker.end.y/L" }},
            objectives: {{ "angle": Final("crank.angle"), "z": Final("rocker.end.y/L") }},"#
        ),
    )
}

const PARALLEL: [&str; 2] = [r#""w""#, r#""w""#];
const CROSSED: [&str; 2] = [r#""w""#, r#""-3*w""#];

/// The gradient, whose certificate must pass; with the absolute tolerance that a scene has by itself, which is above the noise of the start.
fn certified(text: &str, formulation: FormulationKind) -> GradientReport {
    let changes = Changes {
        formulation: Some(formulation),
        rtol: Some(1e-10),
        ..Changes::default()
    };
    let found = experiment(text, &changes).certify(Method::Adjoint, &|_| {});
    let (report, certificate) = found.unwrap_or_else(|error| panic!("{formulation:?}: {error}"));
    let (verdict, entries) = (certificate.verdict, certificate.entries);
    assert_eq!(verdict, Verdict::Passed, "{formulation:?}: {entries:?}");
    report
}

#[test]
fn a_parallelogram_of_solids_leaves_its_line_as_a_pendulum() {
    let inertia = 0.2 + 0.25 * 2.2 + 2.0;
    let angle = pendulum([inertia, (0.5 * 2.2 + 2.0) * G], 1.5, 0.45);
    for formulation in [Nullspace, Multipliers, Stabilized, Index3] {
        for rtol in [1e-7, 1e-9, 1e-11] {
            let found = report(&experiment(&solids(PARALLEL, ""), &under(formulation, rtol)));
            let error = (output(&found, "angle") - angle).abs();
            assert!(error < 300.0 * rtol + 1e-9, "{formulation:?} at {rtol:e}: {error:e}");
        }
    }
}

#[test]
fn crossed_solids_move_as_bodies_in_the_plane_do() {
    let scene = rigid((1.5, -3.0), 1.0, [""; 2]);
    let want = report(&experiment(&scene, &under(Nullspace, 1e-11)));
    for formulation in [Nullspace, Multipliers, Stabilized, Index3] {
        let found = report(&experiment(&solids(CROSSED, ""), &under(formulation, 1e-11)));
        for name in ["angle", "z"] {
            let error = (output(&found, name) - output(&want, name)).abs();
            assert!(error < 1e-8, "{formulation:?}, {name}: {error:e}");
        }
        let (before, after) = found.energy;
        assert!((after - before).abs() < 1e-8 * before.abs(), "{formulation:?}");
    }
}

/// What happens to rigid bodies that cross their line, and its gradient, does not depend on these things.
fn assert_crosses_as_ever(scene: &str, rate: f64, what: &str) {
    let changes = Changes {
        rtol: Some(1e-10),
        ..Changes::default()
    };
    let [found, want] = [scene, &rigid((1.5, -3.0), 1.0, [""; 2])].map(|text| experiment(text, &changes));
    let [of, by] = [&found, &want].map(report);
    for name in ["angle", "z"] {
        let error = (output(&of, name) - output(&by, name)).abs();
        assert!(error < 1e-8, "{what}, {name}: {error:e}");
    }
    for method in [Method::Adjoint, Method::Forward] {
        let [of, by] = [&found, &want].map(|experiment| experiment.gradient(method).expect(what));
        // By w, for the unit of length changes nothing.
        for objective in ["angle", "z"] {
            let scale = rate / 1.5;
            let error = (scale * super::entry(&of, objective, "w") - super::entry(&by, objective, "w")).abs();
            assert!(error < 1e-6, "{what}, {method:?}, {objective}: {error:e}");
        }
    }
}

#[test]
fn the_size_of_rigid_bodies_does_not_matter() {
    for unit in [1e-4, 1e-2, 1e2, 1e4] {
        assert_crosses_as_ever(&rigid((1.5, -3.0), unit, [""; 2]), 1.5, &format!("{unit:e} m"));
    }
}

#[test]
fn a_fast_flywheel_beside_a_slow_linkage_does_not_matter() {
    let wheel = r#""wheel": Rigid(mass: 1, inertia: 0.01, at: [5, 0, 0], velocity: ["free", "free", 500]),"#;
    let axle = r#""axle": Revolute(between: ("E", "wheel.origin")),"#;
    let scene = rigid((0.05, -3.0), 1.0, [wheel, axle]).replace(r#""A": [0, 0],"#, r#""A": [0, 0], "E": [5, 0],"#);
    assert_crosses_as_ever(&scene, 0.05, "with a flywheel");
}

#[test]
fn next_to_the_line_as_many_rows_are_redundant() {
    for angle in ["0.1", "-0.01", "3e-3", "-1e-3"] {
        let scene = solids(PARALLEL, "")
            .replace("angle: 0,", &format!("angle: {angle},"))
            .replace(r#"axis: [0, -1, 0], angular_velocity: "w""#, "axis: [0, -1, 0]")
            .replace(
                "objectives: {",
                r#"objectives: { "at_start": At(time: 0, of: "energy.total"),"#,
            );
        let experiment = experiment(&scene, &under(Nullspace, 1e-10));
        let found = costate::analysis::structure(&experiment.mechanism.model, 0.0).unwrap();
        assert_eq!((found.degrees_of_freedom, found.redundant.len()), (1, 1), "{angle}");
        let report = report(&experiment);
        let [before, after] = ["at_start", "energy"].map(|name| objective(&report, name));
        assert!(
            (after - before).abs() < 1e-8 * before.abs(),
            "{angle}: {before} {after}"
        );
    }
}

#[test]
fn derivatives_of_starts_in_space_are_certified() {
    for rates in [PARALLEL, CROSSED] {
        let scene = solids(rates, "");
        let [adjoint, forward] = [Method::Adjoint, Method::Forward].map(|method| gradient(&scene, method));
        let error = worst_difference(&adjoint, &forward);
        assert!(error < 1e-8, "adjoint and forward differ by {error:e}");
        for formulation in [Nullspace, Multipliers] {
            let found = certified(&scene, formulation);
            assert!(super::entry(&found, "x", "turn").abs() > 0.1 && super::entry(&found, "z", "m").abs() > 1e-3);
        }
    }
}

#[test]
fn cranks_under_one_rod_leave_their_line_with_a_certified_gradient() {
    let scene = support::planar(
        0.5,
        &format!(
            r#"gravity: [0, -{G}],
            parameters: {{ "L": 1.0, "v": 1.5, "m": 1.0, "k": 20 }},
            ground: {{ "A": [0, 0], "C": [1.5, 0], "D": [3, 0], "S": [0, 2] }},
            points: {{
                "P": (at: ["L", 0], velocity: ["free", "v*L"], mass: 0.3), "Q": (at: ["L + 1.5", 0], velocity: ["free", "v*L"]),
                "R": (at: ["L + 3", 0], velocity: ["free", "v*L"]),
            }},
            bodies: {{
                "first": Bar(from: "A", to: "P", length: "L", mass: "m"), "second": Bar(from: "C", to: "Q", length: "L", mass: 1),
                "third": Bar(from: "D", to: "R", length: "L", mass: 1),
                "rod": Rigid(mass: 2, inertia: 0.5, centre: [1.5, 0], guess: ["L", 0, 0], markers: {{ "m": [1.5, 0], "e": [3, 0] }}),
            }},
            joints: {{
                "p": Revolute(between: ("P", "rod.origin")), "q": Revolute(between: ("Q", "rod.m")), "r": Revolute(between: ("R", "rod.e")),
            }},
            forces: {{ "spring": Spring(from: "S", to: "P", stiffness: "k", natural_length: 1) }},
            objectives: {{ "y": Final("R.y"), "energy": Final("energy.total"), "way": Integral("Q.y^2"), "early": At(time: 0.1, of: "P.ay") }},"#
        ),
    );
    for formulation in [Nullspace, Multipliers] {
        let found = certified(&scene, formulation);
        assert!((super::entry(&found, "energy", "v") - 2.0 * 1.5 * (1.0 + 0.15 + 0.5)).abs() < 1e-7);
    }
}

#[test]
fn starts_in_space_off_every_branch_are_refused_by_name() {
    for (rates, words) in [([r#""w""#, r#""2*w""#], "along none"), (["0", "0"], "leave open")] {
        let error = failure(&solids(rates, ""));
        assert_eq!(error.kind(), ErrorKind::Assembly, "{error}");
        assert!(
            error.message().contains(words) && error.message().contains("\"a\""),
            "{error}"
        );
        assert!(error.advice().is_some());
    }
}
