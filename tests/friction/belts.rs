//! Bodies on several feet on belts: surfaces that move over their own material.

use costate::run::{Changes, Method};
use costate::scene::schema::FormulationKind::{Index3, Multipliers, Nullspace, Penalty};

use crate::refused::assert_refused;
use crate::support::{
    agreed, agreed_in_every_formulation, check_hessian, close, experiment, failure, objective, planar, report, spatial,
    tight, times,
};

/// A box with a spin that a belt takes along until it stands on it; `moves` is the motion of the belt, `start` and `load` what the box
/// has in its place where it is seen from there.
fn on_a_belt(moves: &str, start: &str, load: &str, [x, y]: [&str; 2]) -> String {
    spatial(
        1.5,
        &format!(
            r#"gravity: [0, 0, -9.81],
            parameters: {{ "vx": 0.6, "vy": 0.2, "mu": 0.3, "w0": 2.0, "m": 2.0, "a": 0.6, "b": 0.4, "h": 0.3 }},
            bodies: {{ "box": Solid(mass: "m", inertia: ["m*(b^2 + h^2)/12", "m*(a^2 + h^2)/12", "m*(a^2 + b^2)/12", 0, 0, 0],
                at: [0, 0, "h/2"], {start} angular_velocity: [0, 0, "w0"], markers: {{
                    "corner[1]": ["a/2", "b/2", "-h/2"], "corner[2]": ["-a/2", "b/2", "-h/2"],
                    "corner[3]": ["-a/2", "-b/2", "-h/2"], "corner[4]": ["a/2", "-b/2", "-h/2"] }}) }},
            contacts: {{ "belt[i = 1..4]": Touch(point: "box.corner[i]", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]),
                law: Friction(coefficient: "mu"{moves})) }},
            forces: {{ {load} }},
            objectives: {{ "x": Final("{x}"), "y": Final("{y}"), "heat": Integral("sum(i = 1..4, belt[i].heat)") }},"#
        ),
    )
}

fn moving() -> String {
    let moves = r#", surface_velocity: ["vx + 0.2*sin(3*t)", "vy", 0]"#;
    on_a_belt(moves, "", "", ["box.x", "box.y"])
}

/// Seen from the belt, which does not move then; its acceleration is a load.
fn seen_from_the_belt() -> String {
    let load = r#""frame": Load(at: "box.origin", force: ["-m*0.6*cos(3*t)", 0, 0])"#;
    let places = ["box.x + vx*t + 0.2/3*(1 - cos(3*t))", "box.y + vy*t"];
    on_a_belt("", r#"velocity: ["-vx", "-vy", 0],"#, load, places)
}

#[test]
fn a_box_on_a_belt_moves_as_it_does_seen_from_the_belt() {
    let wanted = report(&experiment(&seen_from_the_belt(), &tight()));
    assert_eq!(times(&wanted).len(), 1);
    for (formulation, within) in [(Nullspace, 1e-9), (Multipliers, 1e-9), (Index3, 1e-9), (Penalty, 1e-7)] {
        let changes = Changes {
            formulation: Some(formulation),
            ..tight()
        };
        let found = report(&experiment(&moving(), &changes));
        close("time", times(&found)[0], times(&wanted)[0], within);
        for name in ["x", "y", "heat"] {
            close(name, objective(&found, name), objective(&wanted, name), within);
        }
    }
}

#[test]
fn its_gradients_are_those_seen_from_the_belt() {
    let wanted = experiment(&seen_from_the_belt(), &tight())
        .gradient(Method::Forward)
        .unwrap();
    for method in [Method::Adjoint, Method::Forward] {
        let found = experiment(&moving(), &tight()).gradient(method).unwrap();
        for (one, other) in found.objectives.iter().zip(&wanted.objectives) {
            for (one, other) in one.gradient.iter().zip(&other.gradient) {
                close("derivative", *one, *other, 1e-8);
            }
        }
    }
}

#[test]
fn feet_on_belts_of_two_speeds_do_not_stick_together() {
    let belt = |coefficient: f64, speed: &str| {
        format!(
            r#"surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: {coefficient}, surface_speed: "{speed}")"#
        )
    };
    let text = planar(
        2.0,
        &format!(
            r#"gravity: [0, -10], parameters: {{ "v": 0.3, "w": 0.5 }},
            bodies: {{ "box": Rigid(mass: 1, inertia: 0.1, at: [0, 0, 0], markers: {{ "l": [-0.3, 0], "r": [0.3, 0] }}) }},
            contacts: {{ "left": Touch(point: "box.l", {}), "right": Touch(point: "box.r", {}) }},
            objectives: {{ "left": Final("left.friction"), "right": Final("right.friction"), "heat": Integral("right.heat") }},"#,
            belt(0.3, "v"),
            belt(0.2, "w")
        ),
    );
    let found = report(&experiment(&text, &Changes::default()));
    close("left", objective(&found, "left"), -1.0, 1e-9);
    close("right", objective(&found, "right"), 1.0, 1e-9);
    // Both pull the box by 1.5 and 1 N until it has the lesser speed; the faster belt goes on.
    let first = 0.3 / 2.5;
    let slipped = (0.5 - 0.15) * first + 0.2 * (2.0 - first);
    close("heat", objective(&found, "heat"), slipped, 1e-8);
}

#[test]
fn feet_on_belts_that_are_written_otherwise_do_not_hold_together() {
    // The belts stand still, but each by a parameter of its own.
    let (start, still) = (r#"velocity: [0.3, 0, 0],"#, ["box.x", "box.y"]);
    let text = on_a_belt(r#", surface_velocity: ["0*vx*i", 0, 0]"#, start, "", still);
    let error = failure(&text.replace(r#""w0": 2.0"#, r#""w0": 0.0"#));
    assert_refused(&error, &["belt[", "sticks", "surface_velocity"]);
}

#[test]
fn bristles_stand_on_belts() {
    let ride = |velocity: f64, law: &str, place: &str| {
        planar(
            1.0,
            &format!(
                r#"gravity: [0, -9.81], points: {{ "P": (at: [0, 0], mass: 1, velocity: [{velocity:?}, 0]) }},
                contacts: {{ "belt": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]),
                    law: Friction(coefficient: 0.2, bristles: 1500, bristle_damping: 20{law})) }},
                objectives: {{ "x": Final("{place}"), "heat": Integral("belt.heat") }},"#
            ),
        )
    };
    let on_a_belt = report(&experiment(&ride(0.0, ", surface_speed: 0.3", "P.x"), &tight()));
    let seen_from_it = report(&experiment(&ride(-0.3, "", "P.x + 0.3*t"), &tight()));
    for name in ["x", "heat"] {
        close(name, objective(&on_a_belt, name), objective(&seen_from_it, name), 1e-9);
    }
}

/// What rests on a belt whose speed jumps slips until it has that speed.
#[test]
fn a_belt_whose_speed_jumps_takes_along_what_rests_on_it() {
    // By what is written of time, and by what an event sets.
    let belts = [
        (r#"surface_speed: "v*step(t - T)""#, ""),
        (
            r#"surface_speed: "s""#,
            r#"memory: { "s": 0 }, events: { "start": (when: At("T"), then: [Set("s", "v")]) },"#,
        ),
    ];
    let (v, start, reach) = (1.0, 0.5, 0.2 * 9.81);
    for (speed, more) in belts {
        let text = planar(
            2.0,
            &format!(
                r#"gravity: [0, -9.81], parameters: {{ "v": 1.0, "T": 0.5, "mu": 0.2 }},
                points: {{ "P": (at: [0, 0], mass: 2) }}, {more}
                contacts: {{ "belt": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]),
                    law: Friction(coefficient: "mu", {speed})) }},
                objectives: {{ "x": Final("P.x"), "heat": Integral("belt.heat") }},"#
            ),
        );
        let under = |formulation| Changes {
            formulation: Some(formulation),
            ..tight()
        };
        agreed_in_every_formulation(&text, under, 1e-6);
        let found = agreed(&experiment(&text, &tight()), 1e-9);
        close(
            "x",
            found.objectives[0].value,
            v * (2.0 - start) - v * v / (2.0 * reach),
            1e-10,
        );
        close("heat", found.objectives[1].value, v * v, 1e-10);
        let wanted = [2.0 - start - v / reach, -v, v * v / (2.0 * reach * 0.2)];
        for (found, wanted) in found.objectives[0].gradient.iter().zip(wanted) {
            close("derivative", *found, wanted, 1e-8);
        }
        check_hessian(&experiment(&text, &tight()), 1e-6);
    }
}

#[test]
fn a_box_on_a_belt_that_starts_at_once_moves_as_one_thrown_onto_it() {
    let without_spin = |text: String| text.replace(r#"angular_velocity: [0, 0, "w0"],"#, "");
    let start = r#"velocity: ["-vx", "-vy", 0],"#;
    let thrown = without_spin(on_a_belt("", start, "", ["box.x + vx*t", "box.y + vy*t"]));
    let wanted = report(&experiment(&thrown, &tight()));
    let jumps = r#", surface_velocity: ["vx*step(t - 0.1)", "vy*step(t - 0.1)", 0]"#;
    let taken = without_spin(on_a_belt(jumps, "", "", ["box.x", "box.y"])).replace("duration: 1.5", "duration: 1.6");
    let found = agreed(&experiment(&taken, &tight()), 1e-7);
    for (k, name) in ["x", "y", "heat"].into_iter().enumerate() {
        close(name, found.objectives[k].value, objective(&wanted, name), 1e-8);
    }
}

/// Jumps of the speed of a belt that are zero by a parameter: what rests there is taken along by the change. Its derivatives were zero.
#[test]
fn what_rests_on_a_belt_follows_jumps_that_a_parameter_makes() {
    let text = planar(
        1.2,
        r#"gravity: [0, -10], parameters: { "v": 0.3, "a": 0.0, "b": 0.0, "ts": 0.4 },
        points: { "P": (at: [0, 0], velocity: ["v", 0], mass: 1) },
        memory: { "s": 0 },
        events: { "on": (when: At(0.7), then: [Set("s", "b")]) },
        contacts: { "belt": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]),
            law: Friction(coefficient: 0.5, surface_speed: "v + a*step(t - ts) + s + 0.1*abs(sin(4*t))")) },
        objectives: { "x": Final("P.x"), "energy": Final("P.vx^2") },"#,
    );
    let found = agreed(&experiment(&text, &tight()), 1e-9);
    let speed = 0.3 + 0.1 * (4.8_f64).sin().abs();
    for (objective, wanted) in [
        (0, [1.2, 0.8, 0.5, 0.0]),
        (1, [2.0 * speed, 2.0 * speed, 2.0 * speed, 0.0]),
    ] {
        for (slope, wanted) in found.objectives[objective].gradient.iter().zip(wanted) {
            close("slope", *slope, wanted, 1e-9);
        }
    }
    let moved = |change: &str| {
        let text = text.replace(r#""a": 0.0"#, &format!(r#""a": {change}"#));
        objective(&report(&experiment(&text, &tight())), "x")
    };
    // It slips for a/(mu g) on either side.
    close(
        "difference",
        (moved("1e-4") - moved("-1e-4")) / 2e-4,
        0.8 - 0.5 * 1e-4 / 5.0,
        1e-8,
    );
}
