//! Cables over places and pulleys: closed forms, an independent equation of motion, gradients, and where a cable has no meaning.

mod support;

use costate::run::Method;
use costate::scene::schema::FormulationKind::{Multipliers, Nullspace};

use crate::support::{
    G, certified, close, experiment, failure, happenings, objective, planar, report, run, spatial, tight, times,
};

/// Two weights on a cable over a pulley, one of which may swing.
fn atwood(over: &str, places: [&str; 2], more: &str) -> String {
    let [p, q] = places;
    format!(
        r#"gravity: [0, "-g"], parameters: {{ "g": 9.81, "m1": 1.5, "m2": 1.0, "r": 0.2, "L": {more} }},
        ground: {{ "O": [0, 0] }}, points: {{ "P": ({p}, mass: "m1"), "Q": ({q}, mass: "m2") }},
        joints: {{ "cable": Cable(path: [At("P"), {over}, At("Q")], length: "L") }},
        objectives: {{ "py": Final("P.y"), "px": Final("P.x"), "qy": Final("Q.y"), "qx": Final("Q.x"), "T": Final("cable.force"), "E": Final("energy.total"),
            "fy": Final("cable.fy"), "work": Integral("cable.force^2") }},"#
    )
}

#[test]
fn atwoods_weights_fall_as_the_closed_form_says_over_a_place_and_over_a_pulley() {
    let a = G * (1.5 - 1.0) / 2.5;
    let tension = 2.0 * 1.5 * G / 2.5;
    for (text, drop) in [
        (atwood(r#"At("O")"#, ["at: [0, -1]", "at: [0, -1.2]"], "2.2"), 0.0),
        (
            atwood(
                r#"Right("O", "r")"#,
                [r#"at: ["-r", -1]"#, r#"at: ["r", -1.2]"#],
                "2.8283185307179586",
            ),
            0.2,
        ),
        (
            atwood(
                r#"Left("O", "r")"#,
                [r#"at: ["r", -1]"#, r#"at: ["-r", -1.2]"#],
                "2.8283185307179586",
            ),
            -0.2,
        ),
    ] {
        let found = run(&planar(0.5, &text));
        close("P", objective(&found, "py"), -1.0 - a * 0.125, 1e-10);
        close("Q", objective(&found, "qy"), -1.2 + a * 0.125, 1e-10);
        close("beside", objective(&found, "px"), -drop, 1e-10);
        close("T", objective(&found, "T"), tension, 1e-9);
        close("on the last place", objective(&found, "fy"), tension, 1e-9);
    }
}

#[test]
fn a_weight_that_swings_on_a_cable_moves_as_its_own_equations_say() {
    // (m + M) l'' = m l phi'^2 + g (m cos phi - M), l phi'' + 2 l' phi' + g sin phi = 0.
    let (m, other, steps) = (1.0, 1.5, 20_000);
    let rate = |[l, phi, dl, dphi]: [f64; 4]| {
        let fall = (m * l * dphi * dphi + G * (m * phi.cos() - other)) / (m + other);
        [dl, dphi, fall, -(2.0 * dl * dphi + G * phi.sin()) / l]
    };
    let mut x = [1.0_f64, 0.8, 0.0, 0.0];
    let h = 0.6 / f64::from(steps);
    for _ in 0..steps {
        let moved = |k: [f64; 4], share: f64| [0, 1, 2, 3].map(|i| x[i] + share * h * k[i]);
        let k1 = rate(x);
        let k2 = rate(moved(k1, 0.5));
        let k3 = rate(moved(k2, 0.5));
        let k4 = rate(moved(k3, 1.0));
        x = [0, 1, 2, 3].map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    let swinging = ["at: [0, -1]", r#"at: ["sin(0.8)", "-cos(0.8)"]"#];
    let found = run(&planar(0.6, &atwood(r#"At("O")"#, swinging, "2")));
    let [l, phi, ..] = x;
    close("x", objective(&found, "qx"), l * phi.sin(), 1e-9);
    close("y", objective(&found, "qy"), -l * phi.cos(), 1e-9);
    let pulley = atwood(r#"Right("O", "r")"#, [r#"at: ["-r", -1]"#, "guess: [0.9, -0.8]"], "3");
    let start = report(&experiment(&planar(1e-9, &pulley), &tight()));
    let end = run(&planar(0.5, &pulley));
    close("energy", objective(&end, "E"), objective(&start, "E"), 1e-10);
    assert!(
        (objective(&end, "qx") - objective(&start, "qx")).abs() > 0.1,
        "it swings"
    );
}

#[test]
fn the_integral_of_the_shipped_machine_stays() {
    let found = report(&support::shipped("swinging_atwood", &tight()));
    close("integral", objective(&found, "integral"), 3.5799435743248544, 1e-9);
    let other = support::shipped("swinging_atwood", &tight())
        .with_parameter("M", 2.0)
        .expect("a scene nearby");
    let changed = objective(&report(&other), "integral") - 3.5799435743248544;
    assert!(changed.abs() > 0.1, "{changed}");
}

#[test]
fn a_slope_that_is_next_to_nothing_at_the_start_shortens_no_steps() {
    // The place sin(phi) has the slope 6e-17 there.
    let level = support::shipped("swinging_atwood", &tight())
        .with_parameter("phi", std::f64::consts::FRAC_PI_2)
        .expect("a scene nearby");
    let [forward, adjoint] = [Method::Forward, Method::Adjoint].map(|method| level.gradient(method).expect("it ends"));
    assert!(forward.forward.evaluations < 5000, "{:?}", forward.forward);
    for (a, b) in forward.objectives.iter().zip(&adjoint.objectives) {
        let size = a.gradient.iter().fold(0.0, |most, x| f64::max(most, x.abs()));
        for (x, y) in a.gradient.iter().zip(&b.gradient) {
            assert!((x - y).abs() < 1e-9 * size, "{}: {x} {y}", a.name);
        }
    }
}

#[test]
fn a_block_halves_the_tension() {
    // The cable goes down to the load, up again, and over to a counterweight: m1 a = 2 T - m1 g, T = m2 (g - 2 a).
    let fields = |path: &str, length: &str| {
        format!(
            r#"gravity: [0, 0, "-g"], parameters: {{ "g": 9.81, "m1": 3.0, "m2": 1.0, "L": {length} }},
            ground: {{ "A": [0, 0, 0], "B": [0, 0, 0.5] }}, points: {{ "load": (at: [0, 0, -1], mass: "m1"), "P": (at: [0, 0, -0.5], mass: "m2") }},
            joints: {{ "tackle": Cable(path: [{path}], length: "L") }},
            objectives: {{ "z": Final("load.z"), "T": Final("tackle.force"), "P": Final("P.z") }},"#
        )
    };
    let text = fields(r#"At("A"), At("load"), At("B"), At("P")"#, "3.5");
    let found = run(&spatial(0.3, &text));
    let a = G * (2.0 - 3.0) / 7.0;
    close("load", objective(&found, "z"), -1.0 + a * 0.045, 1e-10);
    close("T", objective(&found, "T"), G - 2.0 * a, 1e-9);
    // Three parts that carry the load stand still with a third of its weight.
    let still = fields(r#"At("load"), At("A"), At("load"), At("B"), At("P")"#, "4.5");
    let found = run(&spatial(0.3, &still));
    close("T", objective(&found, "T"), G, 1e-9);
    close("load", objective(&found, "z"), -1.0, 1e-10);
    let free = text.replace(r#""P": (at:"#, r#""P": (guess:"#);
    certified(&spatial(0.3, &free), Nullspace);
}

#[test]
fn a_winch_lifts_at_the_rate_of_its_cable() {
    let fields = r#"gravity: [0, "-g"], parameters: { "g": 9.81, "m": 2.0, "u": 0.4 },
        ground: { "A": [-1, 0], "O": [0, 0] }, points: { "P": (at: [0, -1], mass: "m", velocity: [0, "u"]) },
        joints: { "winch": Cable(path: [At("A"), At("O"), At("P")], length: "2 - u*t") },
        objectives: { "y": Final("P.y"), "work": Integral("winch.power"), "T": Final("winch.force") },"#;
    let found = run(&planar(0.5, fields));
    close("y", objective(&found, "y"), -0.8, 1e-10);
    close("T", objective(&found, "T"), 2.0 * G, 1e-9);
    close("work", objective(&found, "work"), 2.0 * G * 0.2, 1e-9);
    certified(&planar(0.5, fields), Nullspace);
}

#[test]
fn a_slack_cable_jerks_as_the_limit_of_a_distance_does() {
    let fields = |of: &str, most: &str| {
        format!(
            r#"gravity: [0, "-g"], parameters: {{ "g": 9.81, "m": 2.0, "e": 0.4, "L": 1.2 }},
            ground: {{ "A": [-0.6, 0.8], "O": [0, 0] }}, points: {{ "P": (at: [0.3, 0.2], mass: "m", velocity: [0.2, 1]) }},
            contacts: {{ "jerk": Limit(of: {of}, at_most: "{most}", law: Restitution("e")) }},
            objectives: {{ "x": Final("P.x"), "y": Final("P.y"), "T": Final("jerk.force"), "E": Final("energy.total") }},"#
        )
    };
    let cable = planar(1.6, &fields(r#"Path([At("A"), At("O"), At("P")])"#, "1 + L"));
    let found = run(&cable);
    let other = run(&planar(1.6, &fields(r#"Distance("O", "P")"#, "L")));
    assert_eq!(happenings(&found), happenings(&other));
    assert!(!happenings(&found).is_empty());
    support::all_close("times", &times(&found), &times(&other), 1e-10);
    for name in ["x", "y", "T", "E"] {
        close(name, objective(&found, name), objective(&other, name), 1e-8);
    }
    certified(&cable, Nullspace);
    // Over a pulley, with a weight at either end that is thrown up and jerks the other.
    let pulley = r#"gravity: [0, "-g"], parameters: { "g": 9.81, "m": 2.0, "e": 0.3, "r": 0.2, "L": 2.9 },
        ground: { "O": [0, 0] }, points: { "P": (at: [-0.2, -1], mass: "m", velocity: [0, 1]), "Q": (at: [0.2, -1.25], mass: 1, velocity: [0, -0.5]) },
        contacts: { "jerk": Limit(of: Path([At("P"), Right("O", "r"), At("Q")]), at_most: "L", law: Restitution("e")) },
        objectives: { "P": Final("P.y"), "Q": Final("Q.y"), "T": Final("jerk.force") },"#;
    let found = report(&experiment(&planar(0.5, pulley), &tight()));
    assert!(
        happenings(&found).contains(&("jerk", "impact")),
        "{:?}",
        happenings(&found)
    );
    certified(&planar(0.5, pulley), Nullspace);
}

#[test]
fn gradients_over_pulleys_are_certified() {
    let swinging = atwood(r#"Right("O", "r")"#, [r#"at: ["-r", -1]"#, "guess: [0.9, -0.8]"], "3");
    let found = certified(&planar(0.4, &swinging), Nullspace);
    let k = found.parameters.iter().position(|name| name == "r").expect("r");
    assert!(
        found.objectives.iter().all(|own| own.gradient[k].abs() > 1e-6),
        "{:?}",
        found.objectives
    );
    certified(&planar(0.4, &swinging), Multipliers);
    // Two pulleys, the second one on a body that swings, and the cable crossed between them.
    let crossed = r#"gravity: [0, "-g"], parameters: { "g": 9.81, "r": 0.15, "s": 0.1, "M": 2.0, "k": 80.0 },
        ground: { "O": [0, 0], "H": [1.2, 0.3] }, points: { "P": (at: [-0.2, -0.9], mass: 0.8) },
        bodies: { "arm": Rigid(mass: "M", inertia: 0.1, centre: [0, -0.3], guess: [1.2, 0.3, 0.1], markers: { "hub": [0, -0.6], "end": [0.3, -0.9] }) },
        joints: { "pin": Revolute(between: ("H", "arm.origin")),
            "cable": Cable(path: [At("P"), Right("O", "r"), Left("arm.hub", "s"), At("W")], length: 2.9) },
        forces: { "stretch": Spring(from: "arm.end", to: "W", stiffness: "k", natural_length: 0.1) },
        objectives: { "x": Final("P.x"), "y": Final("P.y"), "T": Final("cable.force"), "angle": Final("arm.angle") },"#
        .replace(r#""P": (at: [-0.2, -0.9], mass: 0.8)"#, r#""P": (guess: [-0.2, -0.9], mass: 0.8), "W": (at: [1.9, 0.1], mass: 0.5)"#);
    certified(&planar(0.1, &crossed), Nullspace);
    let space = r#"gravity: [0, 0, "-g"], parameters: { "g": 9.81, "m": 1.2, "J": 0.02, "x": 0.1, "L": 2.6 },
        ground: { "O": [0, 0, 0], "A": [1, 0, 0.2], "hook": [-0.3, -0.5, 0.1] },
        bodies: { "one": Solid(mass: "m", inertia: ["J", 0.03, 0.025, 0.001, 0, 0], guess: [0.5, 0.1, -0.4], angular_velocity: [1, 0.2, 0], markers: { "ring": ["x", 0.1, 0.05] }) },
        points: { "P": (at: [-0.3, 0.2, -0.9], mass: 0.9) },
        joints: { "cable": Cable(path: [At("A"), At("one.ring"), At("O"), At("P")], length: "L"), "tie": Link(from: "hook", to: "one.origin", length: 1.1) },
        objectives: { "z": Final("one.z"), "T": Final("cable.force"), "P": Final("P.z"), "w": Final("one.omega_y") },"#;
    let found = certified(&spatial(0.3, space), Nullspace);
    assert_eq!(found.parameters.len(), 5);
}

#[test]
fn a_cable_that_leaves_its_pulley_or_whose_places_meet_ends_the_motion_by_name() {
    let thrown = planar(
        2.0,
        &atwood(
            r#"Right("O", "r")"#,
            [r#"at: ["-r", -1]"#, "guess: [0.9, -0.3], velocity: [\"free\", 5]"],
            "2.6",
        ),
    );
    let hoisted = planar(3.0, &atwood(r#"At("O")"#, ["at: [0, -1]", "at: [0, -0.4]"], "1.4"));
    let start = planar(
        0.1,
        &atwood(r#"Left("O", "r")"#, ["at: [-1, -1]", "guess: [1, -1]"], "2.54"),
    );
    for (text, at_start) in [(thrown, false), (hoisted, false), (start, true)] {
        let error = failure(&text);
        assert!(error.to_string().contains("the cable \"cable\" leaves"), "{error}");
        assert!(
            error.advice().is_some() && error.time().is_some_and(|t| (t == 0.0) == at_start),
            "{error}"
        );
    }
}

#[test]
fn wrong_cables_are_refused_where_they_are_written() {
    for (text, words) in [
        (planar(0.1, &wrong(r#"[At("O")]"#)), "two ends"),
        (planar(0.1, &wrong(r#"[At("P"), At("P"), At("O")]"#)), "from `P` to `P`"),
        (
            planar(0.1, &wrong(r#"[Left("O", 0.1), At("P")]"#)),
            "does not end on a pulley",
        ),
        (planar(0.1, &wrong(r#"[At("P"), Left("O", 0), At("Q")]"#)), "positive"),
        (planar(0.1, &wrong(r#"[At("O"), At("N")]"#)), "cannot move"),
        (planar(0.1, &wrong(r#"[At("O"), At("nothing")]"#)), "nothing"),
        (
            spatial(
                0.1,
                r#"ground: { "O": [0, 0, 0] }, points: { "P": (at: [0, 0, -1], mass: 1), "Q": (at: [1, 0, -1], mass: 1) },
                joints: { "c": Cable(path: [At("P"), Left("O", 0.1), At("Q")], length: 2) },"#,
            ),
            "only in planar scenes",
        ),
    ] {
        let error = failure(&text);
        assert!(error.to_string().contains(words), "{text}: {error}");
        assert!(error.advice().is_some() && error.line().is_some(), "{text}: {error}");
    }
}

fn wrong(path: &str) -> String {
    format!(
        r#"ground: {{ "O": [0, 0], "N": [3, 0] }}, points: {{ "P": (at: [0, -1], mass: 1), "Q": (at: [1, -1], mass: 1) }},
        joints: {{ "c": Cable(path: {path}, length: 2) }},"#
    )
}

/// A cable that leaves its pulley at a right angle to where it came from: derivatives of its arc keep their digits there.
#[test]
fn a_block_on_a_table_is_pulled_by_a_weight_over_a_pulley() {
    let text = planar(
        0.5,
        r#"gravity: [0, "-g"], parameters: { "m": 1.0, "mu": 0.2, "g": 9.81 }, ground: { "pulley": [1, -0.1] },
        points: { "A": (at: [0, 0], velocity: [0, 0], mass: 2.5), "B": (guess: [1.1, -0.9], hold: [X], velocity: [0, "free"], mass: "m") },
        joints: { "cable": Cable(path: [At("A"), Right("pulley", 0.1), At("B")], length: 2.1) },
        contacts: { "table": Touch(point: "A", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: "mu")) },
        objectives: { "x": Final("A.x") },"#,
    );
    let experiment = experiment(&text, &tight());
    let found = support::agreed(&experiment, 1e-10);
    let a = (1.0 - 0.2 * 2.5) * G / 3.5;
    close("x", found.objectives[0].value, a / 8.0, 1e-12);
    for (slope, wanted) in
        found.objectives[0]
            .gradient
            .iter()
            .zip([(G - a) / 3.5 / 8.0, -2.5 * G / 3.5 / 8.0, a / G / 8.0])
    {
        close("slope", *slope, wanted, 1e-10);
    }
    let steps = found.backward.evaluations;
    assert!(steps < 500, "{steps} right-hand sides backwards");
}
