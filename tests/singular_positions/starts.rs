//! Starts from singular positions with velocities along one branch: the motion follows it with its energy, at any tolerance and in
//! any unit of length; its derivatives are those of motions that start there too, and others are refused by name.

use costate::error::ErrorKind;
use costate::run::{Changes, GradientReport, Method};
use costate::scene::schema::FormulationKind::{Index3, Multipliers, Nullspace, Stabilized};

use super::support::{self, EXACT, G, experiment, failure, output, report};
use super::{entry, under, worst_difference};

/// A four-bar with its bars in one line, in a unit of length: crank and rocker of 1, ground and coupler of 2; with velocities of the
/// ends of crank and rocker, and more.
pub(super) fn in_line([crank, rocker]: [&str; 2], unit: f64, duration: f64, more: &str) -> String {
    support::planar(
        duration,
        &format!(
            r#"parameters: {{ "v": 1.5, "w": 1.5, "L": {unit:?}, "a": {unit:?}, "m": 1.0, "g": {} }},
            gravity: [0, "-g"],
            ground: {{ "A": [0, 0], "D": ["2*L", 0] }},
            points: {{
                "B": (at: ["L", 0], velocity: ["free", {crank}], mass: 0.3), "C": (at: ["3*L", 0], velocity: ["free", {rocker}]),
            }},
            bodies: {{
                "crank": Bar(from: "A", to: "B", length: "L", mass: "m"), "rocker": Bar(from: "D", to: "C", length: "L", mass: 1),
                "coupler": Bar(from: "B", to: "C", length: "2*L", mass: 2),
            }},
            outputs: {{ "x": "B.x", "y": "B.y" }},
            objectives: {{
                "x": Final("x/L"), "y": Final("y/L"), "energy": Final("energy.total/L^2"), "height": Integral("y/L"),
            }},
            {more}"#,
            G * unit
        ),
    )
}

/// Along the parallelogram and the crossed linkage.
pub(super) const PARALLEL: [&str; 2] = [r#""v*L""#, r#""v*L""#];
pub(super) const CROSSED: [&str; 2] = [r#""v*L""#, r#""-3*v*L""#];

/// A slider-crank with a connecting rod as long as its crank, at half stroke: the slider stands at the pivot of the crank. It goes on
/// with the crank, or stays there while the rod turns with the crank.
fn slider_crank(slider: &str, unit: f64) -> String {
    support::planar(
        0.7,
        &format!(
            r#"parameters: {{ "v": 3.0, "L": {unit:?}, "m": 1.0 }},
            gravity: [0, {}],
            ground: {{ "A": [0, 0], "E": ["L", 0] }},
            points: {{ "B": (at: [0, "L"], velocity: ["-v*L", "free"]), "S": (at: [0, 0], velocity: [{slider}, "free"], mass: "m") }},
            bodies: {{
                "crank": Bar(from: "A", to: "B", length: "L", mass: 1), "rod": Bar(from: "B", to: "S", length: "L", mass: 1),
            }},
            joints: {{ "guide": PointOnLine(point: "S", line: Through("A", "E")) }},
            outputs: {{ "x": "B.x", "y": "B.y", "s": "S.x" }},
            objectives: {{ "x": Final("x/L"), "y": Final("y/L"), "energy": Final("energy.total/L^2") }},"#,
            -G * unit
        ),
    )
}

/// A kite with its bars in one line, ground and crank of 2, coupler and rocker of 1: it goes on as a kite, or rocker and coupler turn
/// together while the crank stays.
fn kite([crank, rocker]: [f64; 2]) -> String {
    support::planar(
        1.0,
        &format!(
            r#"gravity: [0, {}],
            ground: {{ "A": [0, 0], "D": [2, 0] }},
            points: {{ "B": (at: [2, 0], velocity: ["free", {crank}]), "C": (at: [3, 0], velocity: ["free", {rocker}], mass: 1) }},
            bodies: {{
                "crank": Bar(from: "A", to: "B", length: 2, mass: 1), "rocker": Bar(from: "D", to: "C", length: 1, mass: 1),
                "coupler": Bar(from: "B", to: "C", length: 1, mass: 1),
            }},
            outputs: {{ "x": "C.x", "y": "C.y" }},"#,
            -G
        ),
    )
}

/// Angle of a pendulum with this inertia and moment of weight at the end, by the classical method of order 4.
pub(super) fn pendulum([inertia, moment]: [f64; 2], rate: f64, end: f64) -> f64 {
    let steps = 20_000_u32;
    let h = end / f64::from(steps);
    let slope = |[angle, rate]: [f64; 2]| [rate, -moment / inertia * angle.cos()];
    let add = |x: [f64; 2], h: f64, k: [f64; 2]| [x[0] + h * k[0], x[1] + h * k[1]];
    let mut x = [0.0, rate];
    for _ in 0..steps {
        let k1 = slope(x);
        let k2 = slope(add(x, 0.5 * h, k1));
        let k3 = slope(add(x, 0.5 * h, k2));
        let k4 = slope(add(x, h, k3));
        for (i, x) in x.iter_mut().enumerate() {
            *x += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
        }
    }
    x[0]
}

#[test]
fn a_parallelogram_leaves_its_line_as_a_pendulum() {
    // Crank and rocker turn, the coupler and the mass at B move with B; downwards, the next line is that on the other side.
    let angle = pendulum([2.0 / 3.0 + 2.3, (1.0 + 2.3) * G], -1.5, 0.45);
    let scene = in_line(PARALLEL, 1.0, 0.45, "").replace(r#""v": 1.5"#, r#""v": -1.5"#);
    for formulation in [Nullspace, Multipliers, Stabilized, Index3] {
        for rtol in [1e-6, 1e-8, 1e-10, 1e-12] {
            let found = report(&experiment(&scene, &under(formulation, rtol)));
            let error = (output(&found, "x") - angle.cos()).hypot(output(&found, "y") - angle.sin());
            assert!(error < 300.0 * rtol + 1e-9, "{formulation:?} at {rtol:e}: {error:e}");
        }
    }
}

#[test]
fn energy_is_kept_along_every_branch() {
    let scenes = [
        ("parallel", in_line(PARALLEL, 1.0, 1.0, "")),
        ("crossed", in_line(CROSSED, 1.0, 1.0, "")),
        ("slider moves", slider_crank(r#""-2*v*L""#, 1.0)),
        ("slider stays", slider_crank("0", 1.0)),
        ("kite", kite([1.0, 0.75])),
        ("rocker turns", kite([0.0, 2.0])),
    ];
    for (name, scene) in scenes {
        for formulation in [Nullspace, Multipliers, Stabilized, Index3] {
            for rtol in [1e-7, 1e-9, 1e-11] {
                let found = report(&experiment(&scene, &under(formulation, rtol)));
                let (before, after) = found.energy;
                let error = (after - before).abs() / before.abs();
                assert!(
                    error < 300.0 * rtol + 1e-9,
                    "{name}, {formulation:?} at {rtol:e}: {error:e}"
                );
            }
        }
    }
}

#[test]
fn units_of_length_do_not_matter() {
    type Scene = fn(f64) -> String;
    let scenes: [Scene; 3] = [
        |unit| in_line(CROSSED, unit, 0.8, ""),
        |unit| in_line(PARALLEL, unit, 0.8, ""),
        |unit| slider_crank(r#""-2*v*L""#, unit),
    ];
    for scene in scenes {
        let place = |unit: f64| {
            let changes = Changes {
                rtol: Some(1e-10),
                ..Changes::default()
            };
            let found = report(&experiment(&scene(unit), &changes));
            [output(&found, "x") / unit, output(&found, "y") / unit]
        };
        let want = place(1.0);
        for unit in [1e-6, 1e-3, 1e3] {
            let found = place(unit);
            let error = (found[0] - want[0]).hypot(found[1] - want[1]);
            assert!(error < 1e-8, "{unit:e}: {error:e}");
        }
    }
}

pub(super) fn gradient(text: &str, method: Method) -> GradientReport {
    let found = experiment(text, &under(Nullspace, 1e-11)).gradient(method);
    found.unwrap_or_else(|error| panic!("{method:?}: {error}\n{text}"))
}

#[test]
fn derivatives_by_what_keeps_the_start_singular_agree_with_each_other_and_with_differences() {
    let scenes = [
        ("parallel", in_line(PARALLEL, 1.0, 0.8, "")),
        ("crossed", in_line(CROSSED, 1.0, 0.8, "")),
        ("slider moves", slider_crank(r#""-2*v*L""#, 1.0)),
        ("slider stays", slider_crank("0", 1.0)),
    ];
    for (name, scene) in scenes {
        let scene = scene.replace(r#""w": 1.5,"#, "").replace(r#""a": 1.0,"#, "");
        let [adjoint, forward] = [Method::Adjoint, Method::Forward].map(|method| gradient(&scene, method));
        // Below the noise that a start leaves, differences say themselves that they know nothing.
        let changes = Changes {
            rtol: Some(1e-11),
            ..Changes::default()
        };
        let differences = experiment(&scene, &changes).gradient(Method::FiniteDifference).unwrap();
        let error = worst_difference(&adjoint, &forward);
        assert!(error < 1e-8, "{name}: adjoint and forward differ by {error:e}");
        let error = worst_difference(&forward, &differences);
        assert!(error < 1e-6, "{name}: forward and differences differ by {error:e}");
        assert!(entry(&forward, "x", "v").abs() > 1e-2, "{name}");
        // A slider that stays does not take part.
        let by_mass = entry(&forward, "x", "m").abs();
        assert!(
            if name == "slider stays" {
                by_mass < 1e-8
            } else {
                by_mass > 1e-3
            },
            "{name}: {by_mass:e}"
        );
    }
}

#[test]
fn derivatives_of_the_energy_are_those_at_the_start() {
    let scene = in_line(CROSSED, 1.0, 0.8, "");
    for method in [Method::Adjoint, Method::Forward] {
        let found = gradient(&scene, method);
        // 2/2 (v^2 - 3 v^2 + 9 v^2)/3 of the coupler, (v^2 + 9 v^2)/6 of the others, and B.
        let kinetic = 7.0 / 3.0 + 10.0 / 6.0 + 0.15;
        let error = entry(&found, "energy", "v") - 2.0 * 1.5 * kinetic;
        assert!(error.abs() < 1e-8, "{method:?}: {error:e}");
        assert!(
            (entry(&found, "energy", "m") - 1.5 * 1.5 / 6.0).abs() < 1e-8,
            "{method:?}"
        );
    }
}

#[test]
fn parameters_that_make_another_start_are_refused_by_name() {
    let length = in_line(CROSSED, 1.0, 0.5, "").replace(r#"to: "B", length: "L""#, r#"to: "B", length: "a""#);
    let velocity = in_line([r#""w""#, r#""-3*v""#], 1.0, 0.5, "");
    for (scene, refused, words) in [
        (length, ["a", "L"], "crank"),
        (velocity, ["v", "w"], "along the branch"),
    ] {
        for method in [Method::Adjoint, Method::Forward] {
            let found = gradient(&scene, method);
            for name in refused {
                let reason = found
                    .undetermined_reason(name)
                    .unwrap_or_else(|| panic!("{name} is not refused"));
                assert!(reason.contains(words), "{reason}");
                assert!(entry(&found, "x", name).is_nan());
            }
            assert!(entry(&found, "x", "g").abs() > 1e-3 && found.undetermined_reason("g").is_none());
        }
    }
}

#[test]
fn velocities_that_the_branch_decides_have_no_derivatives_that_are_known() {
    let scene = in_line([r#""free""#, r#""free""#], 1.0, 0.5, "");
    let scene = scene.replace(r#""2*L", mass: 2)"#, r#""2*L", mass: 2, angular_velocity: "2*v")"#);
    let found = gradient(&scene, Method::Forward);
    assert!(found.undetermined_reason("v").unwrap().contains("decides velocities"));
    assert!(entry(&found, "x", "m").is_finite());
    // A coupler that turns is that of the crossed linkage, with the rates 1 and -3 of the heights.
    let held = in_line([r#""-v*L""#, r#""3*v*L""#], 1.0, 0.5, "");
    let other = gradient(&held, Method::Forward);
    for objective in ["x", "y", "energy", "height"] {
        for parameter in ["m", "g"] {
            let difference = entry(&found, objective, parameter) - entry(&other, objective, parameter);
            assert!(difference.abs() < 1e-7, "{objective} by {parameter}: {difference:e}");
        }
    }
}

#[test]
fn what_is_not_determined_at_the_start_is_refused_by_name() {
    let cases = [
        (in_line(["1", "0"], 1.0, 1.0, ""), "B.y 1, C.y 1", "along none"),
        (
            in_line(["1", r#""free""#], 1.0, 1.0, ""),
            "B.y -0.3333, C.y 1",
            "leave open",
        ),
        (
            in_line([r#""free""#, r#""free""#], 1.0, 1.0, ""),
            "B.y 1, C.y 1",
            "leave open",
        ),
        (
            in_line(CROSSED, 1.0, 1.0, "").replace(r#""y": "B.y" }"#, r#""y": "B.y", "F": "crank.force" }"#),
            "\"F\"",
            "forces of joints",
        ),
        (
            in_line(
                [r#""-v*L""#, r#""3*v*L""#],
                1.0,
                1.0,
                r#"contacts: { "table": Touch(point: "B", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)) },"#,
            ),
            "\"table\"",
            "touches there",
        ),
    ];
    for (scene, name, words) in cases {
        let error = failure(&scene);
        assert_eq!(error.kind(), ErrorKind::Assembly, "{error}");
        assert!(
            error.message().contains(name) && error.message().contains(words),
            "{error}"
        );
        assert!(error.advice().is_some(), "{error}");
    }
}

#[test]
fn accelerations_at_the_start_are_those_of_the_branch() {
    // The parallelogram turns like a pendulum.
    let scene = in_line(PARALLEL, 1.0, 0.2, "");
    let scene = scene.replace(r#""y": "B.y" }"#, r#""y": "B.y", "ay": "B.ay" }"#);
    let want = -(1.0 + 2.3) * G / (2.0 / 3.0 + 2.3);
    for formulation in [Nullspace].into_iter().chain(EXACT) {
        let experiment = experiment(&scene, &under(formulation, 1e-10));
        let (_, recording) = experiment.run(true, &mut |_| {}).unwrap();
        let outputs = recording.unwrap().outputs;
        let first = outputs.iter().find(|series| series.name == "ay").unwrap().values[0];
        assert!((first - want).abs() < 1e-12 * want.abs(), "{formulation:?}: {first}");
    }
}

#[test]
fn what_joints_hold_wholly_is_redundant_and_not_singular() {
    // The pins fit at any angle, though the second one's row along the line of both is that of the first to first order.
    for angle in [0.0_f64, 0.4] {
        let (x, y) = (0.5 * angle.cos(), 0.5 * angle.sin());
        let report = support::run(&support::planar(
            1.0,
            &format!(
                r#"gravity: [0, -{G}], ground: {{ "A": [{}, {}], "B": [{x}, {y}] }},
                bodies: {{ "plate": Rigid(mass: 2, inertia: 0.3, at: [0, 0, {angle}],
                    markers: {{ "a": [-0.5, 0], "b": [0.5, 0] }}) }},
                joints: {{ "one": Revolute(between: ("A", "plate.a")), "two": Revolute(between: ("B", "plate.b")) }},
                outputs: {{ "carried": "one.fy + two.fy", "y": "plate.y" }},"#,
                -x, -y
            ),
        ));
        support::close("y", output(&report, "y"), 0.0, 1e-15);
        support::close("carried", output(&report, "carried").abs(), 2.0 * G, 1e-11);
    }
}
