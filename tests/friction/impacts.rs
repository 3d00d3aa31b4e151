//! Impacts with friction: what different laws agree on, what never happens, and several contacts at once.

use std::path::Path;

use costate::run::{Changes, Method, Verdict};

use crate::refused::assert_refused;
use crate::support::{agreed, close, experiment, failure, objective, planar, report, run, spatial, tight};

fn scene(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes/friction");
    std::fs::read_to_string(folder.join(format!("{name}.ron"))).unwrap()
}

fn agree(a: &str, b: &str, tolerance: f64) {
    let [a, b] = [a, b].map(|text| experiment(text, &tight()).gradient(Method::Adjoint).unwrap());
    for (a, b) in a.objectives.iter().zip(&b.objectives) {
        close(&a.name, a.value, b.value, tolerance);
        for (x, y) in a.gradient.iter().zip(&b.gradient) {
            assert!(
                (x - y).abs() < 100.0 * tolerance * (1.0 + y.abs()),
                "{}: {x} {y}",
                a.name
            );
        }
    }
}

#[test]
fn newton_and_poisson_agree_for_discs_and_without_restitution() {
    let ball = scene("superball").replace("tangential: \"et\"", "tangential: 0");
    let poisson = ball.replace("hypothesis: Newton, tangential: 0", "hypothesis: Poisson");
    let [ball, poisson] = [ball, poisson].map(|text| text.replace("\"et\": 0.0, ", ""));
    agree(&ball, &poisson, 1e-11);
    let linkage = scene("fivebar_friction2");
    agree(
        &linkage,
        &linkage.replace("restitution: \"e\"", "restitution: \"e\", hypothesis: Newton"),
        1e-10,
    );
}

#[test]
fn energy_that_newtons_law_gains_is_an_error() {
    let text = scene("rod_impact").replace("restitution: \"e\"", "restitution: \"e\", hypothesis: Newton");
    let error = failure(&text);
    let said = format!("{error} {}", error.advice().unwrap());
    assert!(
        said.contains("floor") && said.contains("gains 9.127e-1 J") && said.contains("Poisson"),
        "{said}"
    );
}

/// Slip that comes back, within the cone and beyond it, turns a disc as the closed form says.
#[test]
fn spin_comes_back_within_the_cone() {
    for (et, mu) in [(0.7, 2.0), (0.7, 0.05)] {
        let text = scene("superball")
            .replace("\"et\": 0.0", &format!("\"et\": {et}"))
            .replace("\"mu\": 0.1", &format!("\"mu\": {mu}"))
            .replace("duration: 1.0", "duration: 0.2");
        let found = report(&experiment(&text, &tight()));
        let (m, j, r): (f64, f64, f64) = (0.05, 1.25e-5, 0.025);
        let fall = (4.0_f64.powi(2) + 2.0 * 9.81 * (0.6 - r)).sqrt();
        let (slip, yields) = (2.0 + r * 40.0, 1.0 / m + r * r / j);
        let most: f64 = mu * 1.9 * m * fall;
        let impulse = -((1.0 + et) * slip / yields).min(most);
        close("vx", objective(&found, "vx"), 2.0 + impulse / m, 1e-12);
        close("w", objective(&found, "w"), 40.0 + r * impulse / j, 1e-10);
    }
}

/// A small generator of numbers between 0 and 1.
fn random(state: &mut u64) -> f64 {
    *state = state
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / (1_u64 << 53) as f64
}

/// Rods and blocks that are thrown at a floor and a wall: under Poisson's law no energy is gained, nothing penetrates, and both methods
/// give one gradient.
#[test]
fn random_throws_gain_nothing_and_their_gradients_agree() {
    let (mut state, mut impacts) = (7, 0);
    for _ in 0..60 {
        let mut between = |a: f64, b: f64| a + (b - a) * random(&mut state);
        let (e, mu) = (between(0.0, 0.9), between(0.05, 1.2));
        let (x, y, turn) = (between(0.9, 1.3), between(0.8, 1.2), between(-1.5, 1.5));
        let (vx, vy, spin) = (between(-4.0, 4.0), between(-3.0, 1.0), between(-6.0, 6.0));
        let contact = |name: &str, corner: &str, plane: &str| {
            format!(
                r#""{name} {corner}": Touch(point: "block.{corner}", surface: Plane({plane}), law: Friction(coefficient: "mu", restitution: "e")),"#
            )
        };
        let corners = ["a", "b", "c"].map(|corner| {
            contact("floor", corner, "through: [0, 0], normal: [0, 1]")
                + &contact("wall", corner, "through: [0, 0], normal: [1, 0]")
        });
        let text = planar(
            0.6,
            &format!(
                r#"gravity: [0, -9.81], parameters: {{ "e": {e}, "mu": {mu}, "vx": {vx}, "w": {spin}, "m": 1.3 }},
                bodies: {{ "block": Rigid(mass: "m", inertia: 0.06, at: [{x}, {y}, {turn}], velocity: ["vx", {vy}, "w"],
                    markers: {{ "a": [0.4, 0.1], "b": [-0.35, 0.2], "c": [0.05, -0.3] }}) }},
                contacts: {{ {} }},
                outputs: {{ "Ya": "block.a.y", "Yb": "block.b.y", "Yc": "block.c.y" }},
                objectives: {{ "x": Final("block.x"), "y": Final("block.vy"), "E": Final("energy.total") }},"#,
                corners.concat()
            ),
        );
        let experiment = experiment(&text, &tight());
        let (found, recording) = experiment
            .run(true, &mut |_| {})
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        impacts += found.events.iter().filter(|event| event.kind == "impact").count();
        let recording = recording.unwrap();
        let total: Vec<f64> = (recording.energy.kinetic.iter().zip(&recording.energy.potential))
            .map(|(kinetic, potential)| kinetic + potential)
            .collect();
        for pair in total.windows(2) {
            assert!(pair[1] <= pair[0] + 1e-9, "{:e} {text}", pair[1] - pair[0]);
        }
        for series in recording.outputs.iter().filter(|series| series.name.starts_with('Y')) {
            assert!(series.values.iter().all(|y| *y > -1e-9), "{text}");
        }
        let both = [Method::Adjoint, Method::Forward].map(|method| experiment.gradient(method));
        let [Ok(adjoint), Ok(forward)] = both else {
            panic!("{text}");
        };
        for (a, b) in adjoint.objectives.iter().zip(&forward.objectives) {
            let scale = b.gradient.iter().fold(1.0, |most: f64, slope| most.max(slope.abs()));
            for (a, b) in a.gradient.iter().zip(&b.gradient) {
                assert!((a - b).abs() < 1e-8 * scale, "{a} {b}\n{text}");
            }
        }
    }
    assert!(impacts > 60, "{impacts}");
}

/// A block that turns about a resting corner lands on the other one, plastically. If it sticks, both corners stay where w >= sqrt(2) h; else
/// the landing corner stays and the other opens.
#[test]
fn a_landing_corner_decides_whether_the_other_stays() {
    let text = |w: f64| {
        planar(
            0.3,
            &format!(
                r#"gravity: [0, -9.81], constants: {{ "w": {w}, "h": 1.0, "a": 0.05 }},
                bodies: {{ "block": Rigid(mass: 1, inertia: "(w^2 + h^2)/12", at: ["w/2*cos(a) - h/2*sin(a)", "w/2*sin(a) + h/2*cos(a)", "a"],
                    velocity: ["2*(w/2*sin(a) + h/2*cos(a))", "-2*(w/2*cos(a) - h/2*sin(a))", -2], markers: {{ "R": ["-w/2", "-h/2"], "F": ["w/2", "-h/2"] }}) }},
                contacts: {{
                    "R": Touch(point: "block.R", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: 3)),
                    "F": Touch(point: "block.F", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: 3)),
                }},
                objectives: {{ "x": Final("block.x") }},"#
            ),
        )
    };
    for (w, kinds) in [
        (1.5, vec![("F", "rest")]),
        (1.35, vec![("F", "rest"), ("R", "release")]),
    ] {
        let found = report(&experiment(&text(w), &tight()));
        let first = found.events.first().map(|event| event.t);
        let mut together: Vec<(&str, &str)> = (found.events.iter().filter(|event| Some(event.t) == first))
            .map(|event| (event.name.as_str(), event.kind.as_str()))
            .collect();
        together.sort_unstable();
        assert_eq!(together, kinds, "{w}");
    }
}

/// A ball that is thrown at a floor with backspin, with spin, and without friction to speak of.
#[test]
fn outcomes_of_impacts_are_reported() {
    let outcome = |spin: f64, mu: f64| {
        let fields = format!(
            r#"gravity: [0, -9.81],
            bodies: {{ "ball": Rigid(mass: 1, inertia: 0.004, at: [0, 0.5, 0], velocity: [1, 0, {spin}]) }},
            contacts: {{ "floor": Touch(point: "ball.origin", radius: 0.1, surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: {mu}, restitution: 0.5)) }},"#
        );
        let found = report(&experiment(&planar(0.3, &fields), &tight()));
        assert_eq!(found.events.len(), 1);
        found.events[0].outcome
    };
    assert_eq!(outcome(20.0, 1.0), Some("stick"));
    assert_eq!(outcome(20.0, 0.01), Some("slip"));
    assert_eq!(outcome(-9.0, 1.0), Some("stick"));
    // Off its centre of mass a block turns so far that its corner slips back.
    let fields = r#"gravity: [0, -9.81],
        bodies: { "block": Rigid(mass: 1, inertia: 0.01, at: [0, 1, 0.0], velocity: [-0.05, 0, 0], markers: { "a": [0.3, -0.2] }) },
        contacts: { "floor": Touch(point: "block.a", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: 0.1, restitution: 0.5)) },"#;
    let found = report(&experiment(&planar(0.45, fields), &tight()));
    assert_eq!(found.events[0].outcome, Some("reverse"));
    // In space the slip comes back against what it was.
    let thrown = |law: &str| {
        let fields = format!(
            r#"gravity: [0, 0, -9.81],
            bodies: {{ "ball": Solid(mass: 1, inertia: [0.004, 0.004, 0.004, 0, 0, 0], at: [0, 0, 0.5], velocity: [0.6, 0.8, 0], angular_velocity: [0, 0, 3]) }},
            contacts: {{ "floor": Touch(point: "ball.origin", radius: 0.1, surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction({law}, restitution: 0.5)) }},"#
        );
        report(&experiment(&crate::support::spatial(0.3, &fields), &tight())).events[0].outcome
    };
    assert_eq!(
        thrown("coefficient: 1, tangential: 0.5, hypothesis: Newton"),
        Some("reverse")
    );
    assert_eq!(
        thrown("coefficient: 0.01, tangential: 0.5, hypothesis: Newton"),
        Some("slip")
    );
    assert_eq!(thrown("coefficient: 1"), Some("stick"));
}

#[test]
fn a_ball_that_rolls_knows_nothing_of_bounces_beside_it_however_small() {
    let text = spatial(
        1.3,
        r#"gravity: [0, 0, -9.81], parameters: { "e": 0.57, "w": 3 }, ground: { "C": [0, 0, 1.5] },
        bodies: { "a": Solid(mass: 1, inertia: [0.009, 0.009, 0.009, 0, 0, 0], at: [0, 0, 0.15],
            velocity: [0.3, "-0.15*w", 0], angular_velocity: ["w", 2, -3]) },
        points: { "b": (at: [3, 0, 0.4], mass: 0.6) },
        contacts: {
            "bowl": Touch(point: "a.centre", radius: 0.15, surface: Circle(centre: "C", radius: 1.5, inside: true), law: Friction(coefficient: 0.5)),
            "floor": Touch(point: "b", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Restitution("e")),
        },
        objectives: { "ax": Final("a.x"), "oz": Final("a.omega_z") },"#,
    );
    let [loose, tight] = [Changes::default(), tight()].map(|changes| {
        let report = experiment(&text, &changes).gradient(Method::Adjoint).unwrap();
        report.objectives
    });
    for (loose, tight) in loose.iter().zip(&tight) {
        assert!(
            loose.gradient[0].abs() < 1e-7,
            "{}: {:e}",
            loose.name,
            loose.gradient[0]
        );
        close(&loose.name, loose.gradient[1], tight.gradient[1], 1e-6);
    }
}

#[test]
fn a_ball_that_hops_across_an_incline_goes_on_where_its_slip_ends_beside_its_speed() {
    let text = spatial(
        1.5,
        r#"gravity: [4, 0, -8], parameters: { "mu": 0.25, "e": 0.5, "v": 3.0 },
        bodies: { "b": Solid(mass: 1, inertia: [0.004, 0.004, 0.004, 0, 0, 0], at: [0, 0, 0.15],
            velocity: [0.7, "v", 0], angular_velocity: ["-v/0.1", 7, 2]) },
        contacts: { "bb": Touch(point: "b.centre", radius: 0.1, surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]),
            law: Friction(coefficient: "mu", restitution: "e")) },
        objectives: { "x": Final("b.x"), "y": Final("b.y"), "spin": Final("b.omega_x") },"#,
    );
    let experiment = experiment(&text, &Changes::default());
    let (report, certificate) = experiment.certify(Method::Adjoint, &|_| {}).unwrap();
    assert_eq!(certificate.verdict, Verdict::Passed, "{:?}", certificate.entries);
    assert!(report.events.len() > 20, "{}", report.events.len());
    // Across the incline it rolls on as it did.
    close("y", report.objectives[1].value, 4.5, 1e-9);
}

#[test]
fn what_a_penalty_leaves_of_a_rest_is_no_gain_of_energy() {
    let text = r#"Scene(name: "rest", space: Planar, gravity: [0, -9.81], ground: { "O": [0, 0] },
        points: {
            "A": (guess: [0.8, -0.6], mass: 1),
            "B": (at: [3, -0.5697478991596638], velocity: [1, 0], mass: 0.5),
            "C": (at: [-1, -1], velocity: [2, 0], mass: 3),
        },
        bodies: { "r": Bar(from: "O", to: "A", length: 1, mass: 0.3, angle: -0.6435) },
        contacts: {
            "w": Touch(point: "B", surface: Plane(through: [0, -1.5], normal: [0, 1]), law: Friction(coefficient: 0.3, restitution: 0.4)),
            "fl": Touch(point: "C", surface: Plane(through: [0, -1], normal: [0, 1]), law: Friction(coefficient: 0.2)),
        },
        objectives: { "x": Final("B.x"), "c": Final("C.x") },
        simulation: (duration: 2, formulation: Penalty))"#;
    let found = [text, &text.replace("Penalty", "Nullspace")].map(run);
    for name in ["x", "c"] {
        close(name, objective(&found[0], name), objective(&found[1], name), 1e-6);
    }
}

/// What lies elsewhere, and is joined to nothing that is struck, may follow another hypothesis.
#[test]
fn an_impact_asks_only_what_it_reaches_for_its_hypothesis() {
    let scene = |others: &str, more: &str| {
        planar(
            0.8,
            &format!(
                r#"gravity: [0, -9.81], parameters: {{ "mu": 0.05, "e": 0.5 }},
                points: {{ "R": (at: [5, 1], velocity: [1, 0], mass: 1), {others} }},
                contacts: {{ "r": Touch(point: "R", surface: Plane(through: [0, 0], normal: [0, 1]),
                    law: Friction(coefficient: "mu", hypothesis: Newton, restitution: "e")), {more} }},
                objectives: {{ "y": Final("R.y"), "x": Final("R.x") }},"#
            ),
        )
    };
    let alone = agreed(&experiment(&scene("", ""), &tight()), 1e-9);
    let lies =
        r#""p": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: 0.3))"#;
    let beside = scene(r#""P": (at: [0, 0], velocity: [0.2, 0], mass: 1)"#, lies);
    let both = agreed(&experiment(&beside, &tight()), 1e-9);
    for (one, other) in both.objectives.iter().zip(&alone.objectives) {
        close(&one.name, one.value, other.value, 1e-11);
        for (one, other) in one.gradient.iter().zip(&other.gradient) {
            close("slope", *one, *other, 1e-9);
        }
    }
    // Both may lie from the start.
    let lying = beside.replace("at: [5, 1]", "at: [5, 0]");
    agreed(&experiment(&lying, &tight()), 1e-9);
    // A bar between them hands the impact on.
    let joined = beside.replace(
        "contacts:",
        r#"bodies: { "bar": Bar(from: "P", to: "R", length: 5.0990195135927845, mass: 1) }, contacts:"#,
    );
    let joined = joined.replace(
        r#""R": (at: [5, 1], velocity: [1, 0]"#,
        r#""R": (at: [5, 1], velocity: [0.2, 0]"#,
    );
    assert_refused(&failure(&joined), &["hypotheses", "\"p\"", "\"r\""]);
}
