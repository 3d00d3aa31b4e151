//! Random stacks, wedges and bars with friction and impacts: no energy from nowhere, nothing penetrates, every value is a number, and the
//! adjoint is the forward gradient. What has no unique motion or no derivative is refused by name.
//!
//! `COSTATE_RANDOM_SCENES` says how many are tried, 45 where it is not set.

use std::collections::BTreeMap;

use costate::error::{Error, ErrorKind};
use costate::run::Method;

use super::random_joints::Random;
use crate::support::{experiment, planar, tight};

/// Largest depth of a contact, in metres.
const DEPTH: f64 = 1e-8;

/// Difference of the methods, over the largest entry of the gradient.
const APART: f64 = 1e-6;

/// The same where bounces accumulate.
const APART_AFTER_BOUNCES: f64 = 1e-3;

fn law(random: &mut Random) -> String {
    let bounces = random.within(0.0, 1.0) < 0.3;
    let e = if bounces { random.within(0.0, 0.4) } else { 0.0 };
    format!(
        "Friction(coefficient: \"mu\", static: \"{}*mu\", restitution: {e})",
        random.within(1.0, 1.4)
    )
}

/// A contact of a marker with a plane, in the ground or on a body.
fn touch(name: &str, point: &str, [through, normal]: [[f64; 2]; 2], on: &str, law: &str) -> String {
    let on = if on.is_empty() {
        String::new()
    } else {
        format!(", on: \"{on}\"")
    };
    format!(
        "\"{name}\": Touch(point: \"{point}\", surface: Plane(through: {through:?}, normal: {normal:?}{on}), law: {law}),"
    )
}

fn block(name: &str, mass: &str, [w, h]: [f64; 2], at: [f64; 3], velocity: [f64; 3]) -> String {
    format!(
        "\"{name}\": Rigid(mass: \"{mass}\", inertia: \"{mass}*({w}^2 + {h}^2)/3\", at: {at:?}, velocity: {velocity:?}, \
         markers: {{ \"left\": [{}, {}], \"right\": [{w}, {}] }}),",
        -w, -h, -h
    )
}

fn scene(random: &mut Random, bodies: &str, contacts: &[(&str, String)], start: &str) -> String {
    let gaps: Vec<String> = contacts
        .iter()
        .map(|(name, _)| format!("\"gap {name}\": \"'{name}'.gap\""))
        .collect();
    let contacts: String = contacts.iter().map(|(_, text)| &text[..]).collect();
    planar(
        0.5,
        &format!(
            r#"gravity: [{}, "-g"], parameters: {{ "mu": {}, "m": {}, "g": 9.81 }},
            bodies: {{ {bodies} }}, contacts: {{ {contacts} }}, outputs: {{ {} }},
            objectives: {{ "x": Final("{start}.x"), "angle": Integral("{start}.angle"), "E": Final("energy.total"), "E0": At(of: "energy.total", time: 0) }},"#,
            random.within(-3.0, 3.0),
            random.within(0.05, 0.8),
            random.within(0.3, 3.0),
            gaps.join(", "),
        ),
    )
}

/// One or two blocks on a floor, thrown along it, perhaps from above it.
fn stack(random: &mut Random) -> String {
    let mut any = |low, high| random.within(low, high);
    let ([w, h], drop) = ([any(0.2, 0.5), any(0.1, 0.4)], any(-0.05, 0.03).max(0.0));
    let [w2, h2] = [any(0.1, 0.3), any(0.05, 0.2)];
    let velocity = [any(-2.0, 2.0), 0.0, 0.0];
    let mut bodies = block("a", "m", [w, h], [0.0, h + drop, 0.0], velocity);
    let is_double = any(0.0, 1.0) < 0.6;
    if is_double {
        bodies += &block(
            "b",
            "0.7",
            [w2, h2],
            [any(-0.1, 0.1), 2.0 * h + h2 + drop, 0.0],
            [any(-1.0, 1.0), 0.0, 0.0],
        );
    }
    let ground = [[0.0, 0.0], [0.0, 1.0]];
    let mut contacts = Vec::new();
    let own = law(random);
    for side in ["left", "right"] {
        contacts.push((side, touch(side, &format!("a.{side}"), ground, "", &own)));
    }
    if is_double {
        let own = law(random);
        for (name, side) in [("upper left", "left"), ("upper right", "right")] {
            contacts.push((
                name,
                touch(name, &format!("b.{side}"), [[0.0, h], [0.0, 1.0]], "a", &own),
            ));
        }
    }
    scene(random, &bodies, &contacts, "a")
}

/// A block on the slope of a wedge that slides on the floor.
fn wedge(random: &mut Random) -> String {
    let mut any = |low, high| random.within(low, high);
    let (slope, [w, h]) = (any(0.05, 0.7), [any(0.05, 0.2), any(0.03, 0.1)]);
    let (s, c) = slope.sin_cos();
    let along = any(-0.2, 0.2);
    // The slope passes through the middle of the wedge.
    let at = [along * c - h * s, 0.4 + along * s + h * c, slope];
    let speed = any(-1.0, 1.0);
    let bodies = block("wedge", "m", [0.8, 0.4], [0.0, 0.4, 0.0], [any(-1.0, 1.0), 0.0, 0.0])
        + &block("block", "0.5", [w, h], at, [speed * c, speed * s, 0.0]);
    let (floor, ramp) = (law(random), law(random));
    let ground = [[0.0, 0.0], [0.0, 1.0]];
    let contacts = [
        ("left", touch("left", "wedge.left", ground, "", &floor)),
        ("right", touch("right", "wedge.right", ground, "", &floor)),
        (
            "rear",
            touch("rear", "block.left", [[0.0, 0.0], [-s, c]], "wedge", &ramp),
        ),
        (
            "front",
            touch("front", "block.right", [[0.0, 0.0], [-s, c]], "wedge", &ramp),
        ),
    ];
    scene(random, &bodies, &contacts, "block")
}

/// A bar that leans on a wall and a floor, or falls between them.
fn bar(random: &mut Random) -> String {
    let mut any = |low, high| random.within(low, high);
    let (l, angle) = (any(0.5, 1.5), any(0.3, 1.3));
    let [dx, dy] = [any(-0.1, 0.1).max(0.0), any(-0.1, 0.1).max(0.0)];
    let (s, c) = angle.sin_cos();
    let velocity = [
        any(0.0, 1.0) * dx,
        -any(0.0, 1.0) * dy,
        if dx + dy > 0.0 { any(-2.0, 2.0) } else { 0.0 },
    ];
    let at = [0.5 * l * c + dx, 0.5 * l * s + dy, -angle];
    let bodies = format!(
        "\"bar\": Rigid(mass: \"m\", inertia: \"m*{l}^2/12\", at: {at:?}, velocity: {velocity:?}, markers: {{ \"top\": [{}, 0], \"foot\": [{}, 0] }}),",
        -0.5 * l,
        0.5 * l
    );
    let (floor, wall) = (law(random), law(random));
    let contacts = [
        ("foot", touch("foot", "bar.foot", [[0.0, 0.0], [0.0, 1.0]], "", &floor)),
        ("top", touch("top", "bar.top", [[0.0, 0.0], [1.0, 0.0]], "", &wall)),
    ];
    scene(random, &bodies, &contacts, "bar")
}

/// What is refused by name, with advice: a motion or a derivative that is not unique.
fn refused(error: &Error, text: &str) -> &'static str {
    assert!(
        error.advice().is_some_and(|advice| advice.len() > 10),
        "{error}\n{text}"
    );
    match error.kind() {
        ErrorKind::Singular => "singular",
        ErrorKind::Event => "event",
        kind => panic!("{kind:?} {error}\n{text}"),
    }
}

/// What becomes of a scene.
fn outcome(text: &str) -> &'static str {
    let experiment = experiment(text, &tight());
    let (report, recording) = match experiment.run(true, &mut |_| {}) {
        Ok(found) => found,
        Err(error) => return refused(&error, text),
    };
    let of = |name: &str| {
        report
            .objectives
            .iter()
            .find(|(own, _)| own == name)
            .map_or(f64::NAN, |(_, value)| *value)
    };
    assert!(report.objectives.iter().all(|(_, value)| value.is_finite()), "{text}");
    let (start, end) = (of("E0"), of("E"));
    assert!(end <= start + 1e-7 * (1.0 + start.abs()), "{start} {end}\n{text}");
    for series in &recording.unwrap().outputs {
        let deepest = series.values.iter().fold(
            f64::INFINITY,
            |least, gap| if *gap < least || gap.is_nan() { *gap } else { least },
        );
        assert!(deepest > -DEPTH, "{} {deepest:e}\n{text}", series.name);
    }
    let [adjoint, forward] = match [Method::Adjoint, Method::Forward].map(|method| experiment.gradient(method)) {
        [Ok(adjoint), Ok(forward)] => [adjoint, forward],
        [Err(error), Err(_)] => {
            return if refused(&error, text) == "event" {
                "no derivative"
            } else {
                "singular derivative"
            };
        }
        [one, other] => panic!("{:?} {:?}\n{text}", one.err(), other.err()),
    };
    let mut apart: f64 = 0.0;
    for (a, b) in adjoint.objectives.iter().zip(&forward.objectives) {
        let scale = b.gradient.iter().fold(1e-2, |most: f64, slope| most.max(slope.abs()));
        for (one, other) in a.gradient.iter().zip(&b.gradient) {
            assert!(one.is_finite() && other.is_finite(), "{text}");
            apart = apart.max((one - other).abs() / scale);
        }
    }
    // Bounces that follow on each other faster and faster, until they rest, magnify the rounding of each method.
    let rests = report.events.iter().any(|event| event.kind == "rest");
    let most = if rests { APART_AFTER_BOUNCES } else { APART };
    assert!(apart < most, "{apart:e}\n{text}");
    if apart > APART {
        return "done, apart after bounces";
    }
    "done"
}

#[test]
fn they_gain_nothing_penetrate_nothing_and_the_methods_agree() {
    let count = std::env::var("COSTATE_RANDOM_SCENES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(45_u64);
    let (mut random, mut found) = (Random(3), BTreeMap::<&str, u64>::new());
    for k in 0..count {
        let text = match k % 3 {
            0 => stack(&mut random),
            1 => wedge(&mut random),
            _ => bar(&mut random),
        };
        *found.entry(outcome(&text)).or_default() += 1;
    }
    println!("of {count}: {found:?}");
    assert!(found["done"] > count * 3 / 4, "{found:?}");
}
