//! Capsules and rims of discs on planes: a disc on a smooth plane by its equation of nutation, steady rolling in closed form, gradients, and
//! discs that lie flat.

use costate::run::Method;
use costate::scene::schema::FormulationKind::{Multipliers, Nullspace};

use crate::support::{
    certified, close, experiment, failure, happenings, objective, report, run, shipped, spatial, tight, under,
};

/// A disc on a plane.
fn disc(state: &str, law: &str, more: &str) -> String {
    format!(
        r#"gravity: [0, 0, "-g"],
        bodies: {{ "disc": Solid(mass: "m", inertia: ["A", "A", "C", 0, 0, 0], {state}) }},
        contacts: {{ "rim": Touch(point: "disc.centre", axis: [0, 0, 1], radius: "r", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: {law}) }},
        objectives: {{ "x": Final("disc.x"), "y": Final("disc.y"), "z": Final("disc.z"), "vz": Final("disc.vz"), "E": Final("energy.total"),
            "px": Final("disc.p_x"), "lz": Final("disc.l_z"), "spin": Final("disc.omega_z"), "turn": Final("disc.omega_x"), "N": Final("rim.force"),
            "mean": Integral("disc.z"), "q1": Final("disc.q1") }}, {more}"#
    )
}

const NUMBERS: &str =
    r#"parameters: { "g": 9.81, "m": 2.0, "A": 0.006, "C": 0.011, "r": 0.1, "theta": 1.0, "w": 12.0, "u": 0.3 },"#;

/// Slides without friction.
fn smooth() -> String {
    let state = r#"at: [0, 0, "r*sin(theta)"], orientation: Rotations([X("theta")]), velocity: ["u", 0, 0], angular_velocity: [0, 0, "w"]"#;
    disc(state, "Restitution(0)", NUMBERS)
}

/// Nutation of a disc on a smooth plane: the tilt and its rate after a time, from L = I(theta) theta'^2/2 - V(theta).
fn nutation(duration: f64) -> [f64; 2] {
    let (g, m, a, c, r, start, w) = (9.81, 2.0, 0.006, 0.011, 0.1, 1.0_f64, 12.0);
    let vertical = c * w * start.cos();
    let rate = |[theta, speed]: [f64; 2]| {
        let (sin, cos) = theta.sin_cos();
        let left = vertical - c * w * cos;
        let slope = left * c * w / (a * sin) - left * left * cos / (a * sin.powi(3)) + m * g * r * cos;
        let inertia = a + m * r * r * cos * cos;
        [speed, -(slope - m * r * r * cos * sin * speed * speed) / inertia]
    };
    let (steps, mut x) = (20_000, [start, 0.0]);
    let h = duration / f64::from(steps);
    for _ in 0..steps {
        let moved = |k: [f64; 2], share: f64| [x[0] + share * h * k[0], x[1] + share * h * k[1]];
        let k1 = rate(x);
        let k2 = rate(moved(k1, 0.5));
        let k3 = rate(moved(k2, 0.5));
        let k4 = rate(moved(k3, 1.0));
        x = [0, 1].map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    x
}

/// Rolls steadily round a circle: its spin follows from the precession and the tilt.
fn rolling(state: &str, more: &str) -> String {
    let numbers =
        r#"parameters: { "g": 9.81, "m": 2.0, "A": 0.006, "C": 0.011, "r": 0.1, "theta": 1.2, "O": 2.5, "mu": 0.6 },"#;
    disc(state, r#"Friction(coefficient: "mu")"#, &format!("{numbers} {more}"))
}

const STEADY: &str = r#"at: [0, 0, "r*sin(theta)"], orientation: Rotations([X("theta")]),
    velocity: ["r*cos(theta)*(m*g*r - A*O^2*sin(theta))/((C + m*r^2)*O*sin(theta))", 0, 0],
    angular_velocity: [0, "O*sin(theta)", "-cos(theta)*(m*g*r - A*O^2*sin(theta))/((C + m*r^2)*O*sin(theta))"]"#;

/// Rolls and nods: it precesses faster than it would steadily.
fn wobbling() -> String {
    STEADY.replace(r#"[0, "O*sin(theta)""#, r#"[0, "1.3*O*sin(theta)""#)
}

#[test]
fn a_tilted_disc_on_a_smooth_plane_nutates_as_its_equation_says() {
    let start = report(&experiment(&spatial(1e-9, &smooth()), &tight()));
    let found = run(&spatial(0.4, &smooth()));
    let [theta, rate] = nutation(0.4);
    assert!((theta - 1.0).abs() > 0.02, "it nutates: {theta}");
    close("height", objective(&found, "z"), 0.1 * theta.sin(), 1e-10);
    close("speed", objective(&found, "vz"), 0.1 * theta.cos() * rate, 1e-9);
    for name in ["E", "px", "lz", "spin"] {
        close(name, objective(&found, name), objective(&start, name), 1e-10);
    }
    close("x", objective(&found, "x"), 0.12, 1e-11);
}

#[test]
fn a_disc_rolls_steadily_round_a_circle() {
    let text = spatial(2.0, &rolling(STEADY, r#"outputs: { "T": "rim.friction" },"#));
    let found = report(&experiment(&text, &tight()));
    let (g, m, a, c, r, theta, o) = (9.81, 2.0, 0.006, 0.011, 0.1, 1.2_f64, 2.5_f64);
    let (sin, cos) = theta.sin_cos();
    let spin = cos * (a * o * o * sin - m * g * r) / ((c + m * r * r) * o * sin);
    let (turned, reach) = (o * 2.0, -r * spin / o);
    close("x", objective(&found, "x"), reach * turned.sin(), 1e-8);
    close("y", objective(&found, "y"), reach * (1.0 - turned.cos()), 1e-8);
    close("z", objective(&found, "z"), r * sin, 1e-9);
    close("N", objective(&found, "N"), m * g, 1e-7);
    close("spin", objective(&found, "spin"), spin, 1e-8);
    let friction = found.outputs.iter().find(|(name, _)| name == "T").expect("friction").1;
    close("friction", friction, m * r * (spin * o).abs(), 1e-7);
    assert!(happenings(&found).is_empty(), "{:?}", happenings(&found));
}

#[test]
fn the_shipped_coin_rolls_as_its_header_says() {
    let found = report(&shipped("rolling_coin", &tight()));
    close("away", objective(&found, "away"), 0.801_559_290_957_89, 1e-9);
    close("friction", objective(&found, "friction"), 2.504_872_784_243_4, 1e-8);
    let height = 0.1 * 1.2_f64.sin() * std::f64::consts::PI / 2.5;
    close("height", objective(&found, "height"), height, 1e-10);
    assert!(happenings(&found).is_empty(), "{:?}", happenings(&found));
}

#[test]
fn a_disc_that_rolls_freely_keeps_its_energy_and_one_that_slips_loses_what_rubs() {
    let slips = wobbling().replace(r#"velocity: ["r*cos(theta)"#, r#"velocity: ["0*r*cos(theta)"#);
    for (state, is_lossless) in [(&wobbling(), true), (&slips, false)] {
        let heat = r#"outputs: { "heat": "rim.heat" },"#;
        let text = spatial(
            0.5,
            &rolling(state, heat).replace("objectives: {", r#"objectives: { "W": Integral("rim.heat"),"#),
        );
        let start = report(&experiment(&text.replace("duration: 0.5", "duration: 1e-9"), &tight()));
        let end = report(&experiment(&text, &tight()));
        let lost = objective(&start, "E") - objective(&end, "E");
        close("lost", objective(&end, "W"), lost, 1e-8);
        assert_eq!(lost.abs() < 1e-8, is_lossless, "{lost}");
    }
}

#[test]
fn gradients_of_discs_are_certified() {
    for text in [
        spatial(0.25, &smooth()),
        spatial(
            0.45,
            &smooth()
                .replace(r#""r*sin(theta)"]"#, r#""0.1 + r*sin(theta)"]"#)
                .replace("Restitution(0)", "Restitution(0.6)"),
        ),
        spatial(0.4, &rolling(&wobbling(), "")),
    ] {
        let found = certified(&text, Nullspace);
        assert!(found.parameters.len() >= 7, "{:?}", found.parameters);
        certified(&text, Multipliers);
    }
}

#[test]
fn a_disc_that_slips_has_the_same_gradient_by_both_methods() {
    let slipping = STEADY.replace("velocity: [\"r", "velocity: [\"0.5 + r");
    let experiment = experiment(&spatial(0.15, &rolling(&slipping, "")), &tight());
    let [adjoint, forward] =
        [Method::Adjoint, Method::Forward].map(|method| experiment.gradient(method).expect("a gradient"));
    for (a, b) in adjoint.objectives.iter().zip(&forward.objectives) {
        let size = b.gradient.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
        for (one, other) in a.gradient.iter().zip(&b.gradient) {
            close(&a.name, *one, *other, 1e-8 * size);
        }
    }
}

#[test]
fn a_capsule_falls_on_both_ends_and_rocks() {
    let fields = |tilt: &str| {
        format!(
            r#"gravity: [0, 0, "-g"], parameters: {{ "g": 9.81, "m": 1.5, "J": 0.02, "r": 0.05, "h": 0.4, "e": 0.5, "tilt": {tilt}, "w": 0.7 }},
            bodies: {{ "pill": Solid(mass: "m", inertia: [0.003, "J", "J", 0, 0, 0], at: [0, 0, "h"], orientation: Rotations([Y("tilt")]), angular_velocity: ["w", 0, 0],
                markers: {{ "a": [-0.15, 0, 0], "b": [0.15, 0, 0] }}) }},
            contacts: {{ "side": Touch(point: "pill.a", to: "pill.b", radius: "r", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Restitution("e")) }},
            objectives: {{ "z": Final("pill.z"), "vz": Final("pill.vz"), "turn": Final("pill.omega_y"), "mean": Integral("pill.z") }},"#
        )
    };
    let level = report(&experiment(&spatial(0.4, &fields("0.0")), &tight()));
    let (fall, g) = ((2.0 * 0.35 / 9.81_f64).sqrt(), 9.81);
    close("time", level.events[0].t, fall, 1e-11);
    let (after, rest) = (0.5 * g * fall, 0.4 - fall);
    close(
        "z",
        objective(&level, "z"),
        0.05 + after * rest - 0.5 * g * rest * rest,
        1e-10,
    );
    close("turn", objective(&level, "turn"), 0.0, 1e-11);
    let tilted = spatial(0.55, &fields("0.3"));
    let names = report(&experiment(&tilted, &tight()));
    assert!(
        happenings(&names).contains(&("side (pill.a)", "impact")),
        "{:?}",
        happenings(&names)
    );
    assert!(
        happenings(&names).contains(&("side (pill.b)", "impact")),
        "{:?}",
        happenings(&names)
    );
    certified(&tilted, Nullspace);
}

#[test]
fn a_disc_that_lies_flat_is_refused_at_the_start_where_it_lands_and_where_it_falls_over() {
    let flat = r#"at: [0, 0, "u"], orientation: Rotations([X("theta")]), angular_velocity: [0, 0, "w"]"#;
    let at_rest = NUMBERS.replace(r#""theta": 1.0"#, r#""theta": 0.0"#);
    let falls = NUMBERS.replace(r#""w": 12.0"#, r#""w": 0.0"#);
    for (text, time) in [
        (disc(&flat.replace("\"u\"", "0"), "Restitution(0.5)", &at_rest), false),
        (disc(flat, "Restitution(0.5)", &at_rest), true),
        (smooth().replace(NUMBERS, &falls), true),
        (
            disc(&flat.replace("\"u\"", "0"), "Friction(coefficient: 0.3)", &at_rest),
            false,
        ),
    ] {
        let error = failure(&spatial(1.0, &text));
        assert!(error.to_string().contains("\"rim\" lies flat"), "{error}");
        assert!(error.advice().is_some_and(|advice| advice.contains("tilt")), "{error}");
        assert!(error.time().is_some_and(|t| (t > 1e-3) == time), "{error}");
    }
    // Over the plane it may turn through any tilt.
    let above = flat.replace("\"u\"", "1").replace("[0, 0, \"w\"]", "[\"w\", 0, 0]");
    let found = report(&experiment(
        &spatial(0.3, &disc(&above, "Restitution(0.5)", &at_rest)),
        &under(Nullspace),
    ));
    close("turned", objective(&found, "turn"), 12.0, 1e-10);
}

#[test]
fn wrong_capsules_and_rims_are_refused_where_they_are_written() {
    let body = r#"ground: { "O": [0, 0, 5] }, points: { "P": (at: [1, 0, 2], mass: 1) },
        bodies: { "a": Solid(mass: 1, inertia: [1, 1, 1, 0, 0, 0], at: [0, 0, 3], markers: { "m": [1, 0, 0] }) },"#;
    let plane = "Plane(through: [0, 0, 0], normal: [0, 0, 1])";
    for (contact, words) in [
        (
            format!(r#"Touch(point: "P", axis: [0, 0, 1], radius: 0.1, surface: {plane}, law: Flip)"#),
            "no orientation",
        ),
        (
            format!(r#"Touch(point: "a.m", axis: [0, 0, 0], radius: 0.1, surface: {plane}, law: Flip)"#),
            "zero vector",
        ),
        (
            format!(r#"Touch(point: "a.m", axis: [0, 0, 1], radius: 0, surface: {plane}, law: Flip)"#),
            "positive",
        ),
        (
            r#"Touch(point: "a.m", axis: [0, 0, 1], radius: 0.1, surface: Circle(centre: "O", radius: 1), law: Flip)"#
                .to_string(),
            "planes only",
        ),
        (
            format!(
                r#"Touch(point: "a.m", to: "a.origin", axis: [0, 0, 1], radius: 0.1, surface: {plane}, law: Flip)"#
            ),
            "or that of the rim",
        ),
        (
            format!(r#"Touch(point: "a.m", axis: [0, 0, 1], surface: {plane}, law: Flip)"#),
            "has a radius",
        ),
        (
            format!(r#"Touch(point: "a.m", to: "P", radius: 0.1, surface: {plane}, law: Flip)"#),
            "different bodies",
        ),
    ] {
        let error = failure(&spatial(0.1, &format!("{body} contacts: {{ \"c\": {contact} }},")));
        assert!(error.to_string().contains(words), "{contact}: {error}");
        assert!(error.advice().is_some() && error.line().is_some(), "{contact}: {error}");
    }
}
