//! Mechanisms of many bodies: elimination by blocks gives the motions and gradients of QR, through singular positions too.

mod support;

use costate::run::{Experiment, GradientReport, Method};

use support::{chain, close, experiment, objective, planar, report, tolerances, with_by};

/// Unit-square windows side by side (IFToMM benchmark A02), which pass singular positions.
fn windows(count: usize, by: &str) -> String {
    let each = |range: std::ops::RangeInclusive<usize>, text: &dyn Fn(usize) -> String| {
        range.map(text).collect::<Vec<_>>().join(", ")
    };
    let ground = each(0..=count, &|i| format!("\"A{i}\": [\"{i}*L\", 0]"));
    let points = each(1..=count, &|i| format!("\"B{i}\": (guess: [\"{i}*L\", \"L\"])"));
    let uprights = each(0..=count, &|i| {
        format!("\"upright {i}\": Bar(from: \"A{i}\", to: \"B{i}\", length: \"L\", mass: \"m\")")
    });
    let couplers = each(1..=count, &|i| {
        let from = i - 1;
        format!("\"coupler {i}\": Bar(from: \"B{from}\", to: \"B{i}\", length: \"L\", mass: \"m\")")
    });
    with_by(
        &planar(
            3.0,
            &format!(
                "gravity: [0, -9.81], parameters: {{ \"L\": 1, \"m\": 1, \"v0\": 1 }}, ground: {{ {ground} }},
                 points: {{ \"B0\": (at: [0, \"L\"], velocity: [\"v0\", 0]), {points} }}, bodies: {{ {uprights}, {couplers} }},
                 objectives: {{ \"x\": Final(\"B0.x\"), \"energy\": Final(\"energy.total\") }},"
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

#[test]
fn a_chain_by_blocks_has_the_motion_and_the_gradients_of_qr() {
    let (qr, expected) = gradients(&chain(20, 0.5, "Qr"), Method::Adjoint);
    for method in [Method::Adjoint, Method::Forward] {
        let (blocks, found) = gradients(&chain(20, 0.5, "Blocks"), method);
        for name in ["x", "y"] {
            close(
                name,
                objective(&report(&blocks), name),
                objective(&report(&qr), name),
                1e-10,
            );
        }
        compare(&found, &expected, 1e-8);
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
        "joints: { \"again\": DriveDistance(between: (\"B3\", \"B4\"), distance: \"L\") }, bodies: {",
    );
    assert_ne!(plain, redundant);
    let [a, b] = [plain, redundant].map(|text| report(&experiment(&text, &tolerances(1e-11, 1e-12))));
    close("x", objective(&b, "x"), objective(&a, "x"), 1e-9);
}
