//! What a contact that sticks does where it would have to pull, but is pushed into the surface without its hold: it slips.

use costate::run::{Experiment, Method, Verdict};
use costate::scene::parse;

use crate::support::*;

/// A chain of bars from the origin through points, of which one strikes a sticky post.
fn chain(points: &[(f64, f64, f64)], struck: usize, post: &str) -> String {
    let of = |k: usize, (x, y, mass): &(f64, f64, f64)| format!(r#""P{k}": (guess: [{x}, {y}], mass: {mass}),"#);
    let named: String = points.iter().enumerate().map(|(k, point)| of(k, point)).collect();
    let bar = |k: usize| {
        let from = if k == 0 { "A".to_string() } else { format!("P{}", k - 1) };
        format!(r#""b{k}": Bar(from: "{from}", to: "P{k}", length: 1, mass: 0.5),"#)
    };
    let bars: String = (0..points.len()).map(bar).collect();
    planar(
        2.5,
        &format!(
            r#"gravity: [0, "-g"], parameters: {{ "g": {G}, "e": 0.3 }}, ground: {{ "A": [0, 0] }},
            points: {{ {named} }}, bodies: {{ {bars} }},
            contacts: {{ "post": Touch(point: "P{struck}", surface: {post}, law: Stick) }},
            objectives: {{ "y": Final("P{last}.y"), "p": Integral("P{last}.vx^2") }},
            outputs: {{ "gap": "post.gap" }},"#,
            last = points.len() - 1,
        ),
    )
}

fn chains() -> [String; 6] {
    let flat = [(1.0, 0.0, 1.0), (2.0, 0.0, 0.7), (3.0, 0.0, 0.5)];
    let bent = [
        (0.99, -0.07, 0.5),
        (1.95, -0.37, 2.0),
        (2.53, -1.18, 1.0),
        (3.53, -1.24, 2.0),
    ];
    let short = [(0.91, -0.41, 0.5), (1.26, -1.34, 0.5)];
    let upright = "Plane(through: [0.3, 0], normal: [1, 0])";
    [
        chain(&flat, 0, upright),
        chain(&flat, 1, upright),
        chain(&flat, 2, upright),
        chain(&bent, 1, "Plane(through: [-0.4869, 0], normal: [1, 0])"),
        chain(&short, 1, "Plane(through: [0.1964, 0], normal: [1, 0])"),
        chain(&short, 1, "Plane(through: [0.2, 0], normal: [1, -0.4])"),
    ]
}

#[test]
fn chains_that_strike_a_sticky_post_go_on_and_never_penetrate_it() {
    for (k, text) in chains().iter().enumerate() {
        for formulation in ["Nullspace", "Multipliers", "Index3"] {
            let text = text.replace("simulation: (", &format!("simulation: (formulation: {formulation}, "));
            let experiment = experiment(&text, &tight());
            let (report, recording) = experiment
                .run(true, &mut |_| {})
                .unwrap_or_else(|error| panic!("{k}: {error}"));
            let recording = recording.unwrap();
            let gap = recording.outputs[0]
                .values
                .iter()
                .copied()
                .fold(f64::INFINITY, f64::min);
            assert!(gap > -1e-7, "{k} {formulation}: penetrated by {gap:e}");
            assert!(
                !report.events.is_empty() && report.events.len() < 12,
                "{k}: {:?}",
                report.events
            );
            let total = |i: usize| recording.energy.kinetic[i] + recording.energy.potential[i];
            let rise = (1..recording.times.len())
                .map(|i| total(i) - total(i - 1))
                .fold(0.0, f64::max);
            assert!(rise < 1e-6, "{k} {formulation}: the energy rises by {rise:e}");
        }
    }
}

#[test]
fn the_certificates_of_slipping_chains_find_no_contradiction() {
    for (k, text) in chains().iter().enumerate() {
        let experiment = Experiment::new(&parse("scene.ron", text).unwrap(), &tight()).unwrap();
        let (_, certificate) = experiment.certify(Method::Adjoint, &|_| {}).unwrap();
        assert!(certificate.verdict < Verdict::Failed, "{k}: {:?}", certificate.verdict);
        let of_p = |entry: &&costate::run::Entry| entry.parameter == "g";
        let passed = certificate.entries.iter().filter(of_p);
        let passed = passed.filter(|entry| entry.verdict == Verdict::Passed && entry.forward != 0.0);
        assert!(passed.count() >= 2, "{k}: {:?}", certificate.entries);
    }
}

#[test]
fn a_contact_that_can_neither_pull_nor_let_go_slides_without_friction() {
    // A rod pinned at its upper end: its lower end is thrown at a ceiling that leans towards it. Held in both directions it would pull.
    let text = &chains()[4];
    let report = run(text);
    let kinds: Vec<&str> = report.events.iter().map(|event| event.kind.as_str()).collect();
    assert!(kinds.contains(&"release") || kinds.contains(&"rest"), "{kinds:?}");
}

#[test]
fn a_contact_that_sticks_where_joints_leave_less_freedom_comes_to_rest() {
    for velocity in [0.0, 1e-9, 1.0] {
        let text = planar(
            1.0,
            &format!(
                r#"gravity: [0, -{G}], ground: {{ "A": [0, 0] }},
                points: {{ "P": (at: [0.8, 0.6], velocity: [{}, {}], mass: 1) }},
                bodies: {{ "rod": Bar(from: "A", to: "P", length: 1, mass: 0.5) }},
                contacts: {{ "wall": Touch(point: "P", surface: Plane(through: [0, 0.6], normal: [0, 1]), law: Stick) }},
                outputs: {{ "y": "P.y" }},"#,
                0.6 * velocity,
                -0.8 * velocity
            ),
        );
        close("y", output(&run(&text), "y"), 0.6, 1e-12);
    }
}
