//! Mechanisms of many bodies: elimination by blocks gives the motions and gradients of QR, through singular positions too.

mod support;

use costate::formulation::Formulation;
use costate::hybrid::{At, HybridSystem};
use costate::linear::{Descriptor, Shifted};
use costate::model::Mode;
use costate::run::{Experiment, GradientReport, Method};

use support::{chain, close, experiment, objective, planar, report, tolerances, with_by};

/// Unit-square windows side by side (IFToMM benchmark A02), which pass singular positions.
fn windows(count: usize, by: &str) -> String {
    with_by(
        &planar(
            3.0,
            &format!(
                r#"gravity: [0, -9.81], constants: {{ "n": {count} }}, parameters: {{ "L": 1, "m": 1, "v0": 1 }},
                ground: {{ "A[i = 0..n]": ["i*L", 0] }},
                points: {{ "B[0]": (at: [0, "L"], velocity: ["v0", 0]), "B[i = 1..n]": (guess: ["i*L", "L"]) }},
                bodies: {{
                    "upright[i = 0..n]": Bar(from: "A[i]", to: "B[i]", length: "L", mass: "m"),
                    "coupler[i = 1..n]": Bar(from: "B[i-1]", to: "B[i]", length: "L", mass: "m"),
                }},
                objectives: {{ "x": Final("B[0].x"), "energy": Final("energy.total") }},"#
            ),
        ),
        by,
    )
}

fn gradients(text: &str, method: Method) -> (Experiment, GradientReport) {
    let experiment = experiment(text, &tolerances(1e-11, 1e-12));
    let found = experiment.gradient(method).expect("a gradient");
    (experiment, found)
}

/// Holds every derivative to another report's, over the largest of its row.
fn compare(found: &GradientReport, expected: &GradientReport, tolerance: f64) {
    for (a, b) in found.objectives.iter().zip(&expected.objectives) {
        let scale = b.gradient.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()));
        assert!(scale > 0.0, "{}: no derivative", a.name);
        for (found, expected) in a.gradient.iter().zip(&b.gradient) {
            close(&a.name, *found, *expected, tolerance * scale);
        }
    }
}

/// Holds the objectives of a run to those of another.
fn assert_same_objectives(found: &Experiment, expected: &Experiment, tolerance: f64) {
    for (a, b) in report(found).objectives.iter().zip(&report(expected).objectives) {
        close(&a.0, a.1, b.1, tolerance);
    }
}

#[test]
fn a_chain_by_blocks_has_the_motion_and_the_gradients_of_qr() {
    let (qr, expected) = gradients(&chain(20, 0.5, "Qr"), Method::Adjoint);
    for method in [Method::Adjoint, Method::Forward] {
        let (blocks, found) = gradients(&chain(20, 0.5, "Blocks"), method);
        assert_same_objectives(&blocks, &qr, 1e-10);
        compare(&found, &expected, 1e-8);
    }
}

/// Under penalties of every kind, redundant rows included.
#[test]
fn a_chain_under_a_penalty_by_blocks_has_the_motion_and_the_gradients_of_lu() {
    let again = |text: &str| {
        let joint = r#"joints: { "again": DriveDistance(between: ("P[3]", "P[4]"), distance: 1) }, bodies: {"#;
        text.replace("bodies: {", joint)
    };
    for (factors, redundant) in [("", false), ("factor: 1e4, augmented: 0", false), ("", true)] {
        let text = |by| {
            let chain = chain(12, 0.3, by);
            let chain = if redundant { again(&chain) } else { chain };
            chain.replace(
                "duration:",
                &format!("formulation: Penalty, penalty: ({factors}), duration:"),
            )
        };
        let (lu, expected) = gradients(&text("Qr"), Method::Adjoint);
        for method in [Method::Adjoint, Method::Forward] {
            let (blocks, found) = gradients(&text("Blocks"), method);
            assert_same_objectives(&blocks, &lu, 1e-9);
            compare(&found, &expected, 1e-7);
        }
    }
}

#[test]
fn windows_pass_singular_positions_by_blocks_as_by_qr() {
    let (qr, expected) = gradients(&windows(9, "Qr"), Method::Adjoint);
    let (blocks, found) = gradients(&windows(9, "Blocks"), Method::Adjoint);
    let energy = 10.0 * 0.5 * 9.81 + 9.0 * 9.81 + 10.0 / 6.0 + 9.0 / 2.0;
    close("energy", objective(&report(&blocks), "energy"), energy, 1e-8);
    close(
        "x",
        objective(&report(&blocks), "x"),
        objective(&report(&qr), "x"),
        1e-9,
    );
    compare(&found, &expected, 1e-7);
}

#[test]
fn redundant_rows_of_many_bodies_change_nothing() {
    let plain = windows(9, "Blocks");
    let redundant = plain.replace(
        "bodies: {",
        "joints: { \"again\": DriveDistance(between: (\"B[3]\", \"B[4]\"), distance: \"L\") }, bodies: {",
    );
    assert_ne!(plain, redundant);
    let [a, b] = [plain, redundant].map(|text| report(&experiment(&text, &tolerances(1e-11, 1e-12))));
    close("x", objective(&b, "x"), objective(&a, "x"), 1e-9);
}

/// Points between two supports, joined by springs and dampers whose own motion is over after 1e-5 s.
fn cable(links: usize, by: &str) -> String {
    format!(
        r#"Scene(name: "cable", space: Planar, gravity: [0, -9.81],
         constants: {{ "n": {links}, "last": "n - 1", "middle": "n/2" }},
         parameters: {{ "k": 1e6, "d": 1e6, "m": 0.01 }},
         ground: {{ "P[0]": [0, 0], "P[n]": [0.9, 0] }},
         points: {{ "P[i = 1..last]": (at: ["0.9*i/n", "1.2*i/n*(i/n - 1)"], mass: "m") }},
         forces: {{ "s[i = 1..n]": Spring(from: "P[i-1]", to: "P[i]", stiffness: "k", natural_length: "1/n", damping: "d") }},
         objectives: {{ "x": Final("P[middle].y"), "path": Integral("P[middle].y^2") }},
         simulation: (duration: 0.05, integrator: Radau, by: {by}))"#
    )
}

/// Bars in a row that bend against stiff torsion springs.
fn bending(links: usize, formulation: &str, by: &str) -> String {
    format!(
        r#"Scene(name: "bending", space: Planar, gravity: [0, -9.81], constants: {{ "n": {links} }},
         parameters: {{ "k": 1e4, "d": 100, "m": 0.05 }}, ground: {{ "P[0]": [0, 0] }},
         points: {{ "P[i = 1..n]": (guess: ["i/n", 0], mass: "m") }},
         bodies: {{ "b[i = 1..n]": Bar(from: "P[i-1]", to: "P[i]", length: "1/n") }},
         forces: {{
            "t[1]": TorsionSpring(between: ("ground", "b[1]"), stiffness: "k", damping: "d"),
            "t[i = 2..n]": TorsionSpring(between: ("b[i-1]", "b[i]"), stiffness: "k", damping: "d"),
         }},
         objectives: {{ "x": Final("P[n].y"), "path": Integral("P[n].vy^2") }},
         simulation: (duration: 0.05, formulation: {formulation}, integrator: Radau, by: {by}))"#
    )
}

/// Motion and gradients by blocks are those by QR and LU, in as many evaluations.
fn compare_stiff(text: impl Fn(&str) -> String) {
    let found = ["Blocks", "Qr"].map(|by| {
        let experiment = experiment(&text(by), &tolerances(1e-9, 1e-11));
        let run = report(&experiment);
        let gradient = |method| experiment.gradient(method).expect("a gradient");
        (run, gradient(Method::Adjoint), gradient(Method::Forward))
    });
    let [(run, adjoint, forward), (dense, dense_adjoint, _)] = found;
    for (a, b) in run.objectives.iter().zip(&dense.objectives) {
        close(&a.0, a.1, b.1, 1e-9);
    }
    let (few, many) = (run.statistics.evaluations, dense.statistics.evaluations);
    assert!(20 * few.abs_diff(many) < many, "{few} {many}");
    compare(&adjoint, &dense_adjoint, 1e-5);
    compare(&adjoint, &forward, 1e-5);
    let (few, many) = (adjoint.backward.evaluations, dense_adjoint.backward.evaluations);
    assert!(20 * few.abs_diff(many) < 2 * many, "{few} {many}");
}

#[test]
fn a_stiff_cable_by_sparse_matrices_has_the_motion_and_the_gradients_of_dense_ones() {
    compare_stiff(|by| cable(20, by));
}

#[test]
fn a_chain_that_bends_by_sparse_matrices_has_the_motion_and_the_gradients_of_dense_ones() {
    for formulation in ["Nullspace", "Multipliers", "Penalty"] {
        compare_stiff(|by| bending(10, formulation, by));
    }
}

#[test]
fn feedback_by_sparse_matrices_has_the_motion_and_the_gradients_of_dense_ones() {
    let following = r#"forces: { "pull": Load(at: "P[n]", force: ["-5*P[n].vx - 20*(P[n].x - 1)", "0.3*energy.kinetic"]),
        "brake[i = 2..n]": Load(at: "P[i]", force: [0, "-0.2*P[i-1].vy"]),"#;
    compare_stiff(|by| bending(10, "Nullspace", by).replace("forces: {", following));
}

#[test]
fn redundant_rows_by_the_hundred_change_nothing() {
    let plain = chain(200, 0.1, "Auto");
    let beside = r#"joints: { "again[i = 1..n]": DriveDistance(between: ("P[i-1]", "P[i]"), distance: 1) }, bodies: {"#;
    let redundant = experiment(&plain.replace("bodies: {", beside), &tolerances(1e-9, 1e-10));
    assert_same_objectives(&redundant, &experiment(&plain, &tolerances(1e-9, 1e-10)), 1e-8);
    let mechanism = &redundant.mechanism;
    let started = mechanism.start(0.0, &mut mechanism.workspace()).expect("a start");
    assert_eq!((started.mode.rows, started.mode.independent.len()), (400, 200));
}

#[test]
fn steps_of_differential_algebraic_equations_by_sparse_matrices_are_those_by_dense_ones() {
    for formulation in ["Stabilized", "Index3"] {
        compare_stiff(|by| bending(10, formulation, by));
    }
}

#[test]
fn what_a_stiff_cable_needs_grows_with_its_links() {
    let bytes = |links: usize| {
        let experiment = experiment(&cable(links, "Auto"), &tolerances(1e-4, 1e-6));
        let (mode, mut workspace) = (
            Mode::initial(&experiment.mechanism.model),
            experiment.mechanism.workspace(),
        );
        let x: Vec<f64> = (0..experiment.mechanism.dimension()).map(|i| 0.1 * i as f64).collect();
        let (at, mut descriptor) = (At::new(0.0, &mode, &x), Descriptor::default());
        let is_sparse = experiment
            .mechanism
            .flow_descriptor(at, &mut workspace, &mut descriptor);
        assert!(is_sparse.expect("a derivative"));
        let mut factors = Shifted::<f64>::default();
        assert!(factors.factor(&descriptor, 1e3));
        (descriptor.bytes() + factors.bytes()) as f64 / links as f64
    };
    let (short, long) = (bytes(50), bytes(200));
    assert!(long < 1.05 * short, "{short} {long}");
}

#[test]
fn blocks_serve_again_after_a_singular_position() {
    let experiment = experiment(&windows(9, "Blocks"), &tolerances(1e-9, 1e-10));
    let mechanism = &experiment.mechanism;
    let mut workspace = mechanism.workspace();
    let started = mechanism.start(0.0, &mut workspace).expect("a start");
    // With every window folded almost flat its rows depend on each other.
    let mut flat = started.x.clone();
    for (place, coordinate) in mechanism.model.coordinates.iter().enumerate() {
        let (point, axis) = coordinate.name[2..].split_once("].").expect("a point and an axis");
        let point: f64 = point.parse().expect("a number");
        flat[place] = if axis == "x" { point + 1.0 } else { 1e-9 * point };
    }
    let projected = |workspace: &mut _| {
        let mut beside: Vec<f64> = started.x.iter().map(|x| x + 1e-5 * x.sin()).collect();
        let moved = mechanism.project(0.0, &started.mode, &mut beside, workspace);
        assert!(moved.expect("a projection"));
        beside
    };
    let unfolded = projected(&mut workspace);
    // Ends on the constraints or not, QR takes part.
    let _ = mechanism.project(0.0, &started.mode, &mut flat.clone(), &mut workspace);
    assert_eq!(projected(&mut workspace), unfolded);
    let mut by_blocks = |x: &[f64]| {
        let evaluated = mechanism.evaluate_motion(At::new(0.0, &started.mode, x), true, &mut workspace);
        let by_blocks = matches!(workspace.formulation.in_force(), Formulation::Saddle(_));
        (by_blocks, evaluated.map(|()| workspace.a.clone()))
    };
    let first = by_blocks(&started.x);
    assert!(first.0);
    let folded = by_blocks(&flat);
    assert!(!folded.0, "{:?}", folded.1);
    let again = by_blocks(&started.x);
    assert!(again.0);
    assert_eq!(again.1.expect("accelerations"), first.1.expect("accelerations"));
}

#[test]
fn second_derivatives_by_blocks_are_those_by_lu() {
    let scene = planar(
        0.2,
        r#"gravity: [0, -9.81], constants: { "n": 12 }, parameters: { "m": 1, "L": 1 }, ground: { "P[0]": [0, 0] },
        points: { "P[i = 1..n]": (guess: ["i*L", 0]) },
        bodies: { "b[1]": Bar(from: "P[0]", to: "P[1]", length: "L", mass: "m", angle: 0),
            "b[i = 2..n]": Bar(from: "P[i-1]", to: "P[i]", length: "L", mass: "m*(1 + 0.5*sin(i))", angle: 0) },
        forces: { "wind": Load(at: "P[n]", force: ["10*L", "m"]) },
        objectives: { "x": Final("P[n].x"), "y": Integral("P[n].y^2") },"#,
    );
    let [blocks, dense] = ["Blocks", "Qr"].map(|by| {
        let experiment = experiment(&with_by(&scene, by), &tolerances(1e-10, 1e-11));
        experiment.hessian(&|_| {}).expect("second derivatives")
    });
    assert_eq!(blocks.objectives.len(), 2);
    for (a, b) in blocks.objectives.iter().zip(&dense.objectives) {
        let entries = b.rows.iter().flatten();
        let size = entries.clone().fold(0.0, |most: f64, entry| most.max(entry.abs()));
        assert!(size > 0.0);
        for (found, expected) in a.rows.iter().flatten().zip(entries) {
            close(&a.objective, *found, *expected, 1e-7 * size);
        }
    }
}
