//! Contacts of rigid bodies in space: closed forms, what impacts leave alone, and gradients through impacts, rest, sticking and release.

use costate::scene::schema::FormulationKind::{Multipliers, Nullspace};

use crate::support::{
    all_close, certified, close, experiment, failure, happenings, objective, report, shipped, spatial, tight, times,
    under,
};

/// Corners of a box of 0.4 m, 0.3 m and 0.2 m, as markers.
const CORNERS: &str = r#""c[1]": [-0.2, -0.15, -0.1], "c[2]": [0.2, -0.15, -0.1], "c[3]": [-0.2, 0.15, -0.1], "c[4]": [0.2, 0.15, -0.1],
    "c[5]": [-0.2, -0.15, 0.1], "c[6]": [0.2, -0.15, 0.1], "c[7]": [-0.2, 0.15, 0.1], "c[8]": [0.2, 0.15, 0.1]"#;

/// What is read off the box.
const READ: &str = r#"objectives: { "x": Final("box.x"), "y": Final("box.y"), "z": Final("box.z"), "wx": Final("box.omega_x"), "wz": Final("box.omega_z"),
    "vz": Final("box.vz"), "q1": Final("box.q1"), "E": Integral("energy.kinetic"), "T": Final("energy.total") },"#;

/// A box above a floor, with a law for its corners.
fn above_floor(state: &str, law: &str, more: &str) -> String {
    format!(
        r#"gravity: [0.2, 0.1, "-g"], bodies: {{ "box": Solid(mass: "m", inertia: ["J", 0.0333, 0.0417, 0.001, 0.002, -0.001],
            centre_of_mass: [0.02, 0.01, "c"], {state}, markers: {{ {CORNERS} }}) }},
        contacts: {{ "f[i = 1..8]": Touch(point: "box.c[i]", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: {law}) }},
        {READ} {more}"#
    )
}

/// Bounces on several corners.
fn bounces() -> String {
    let state = r#"at: [0, 0, "h"], orientation: Rotations([X("phi"), Y(0.5)]), angular_velocity: ["w", 0.5, 2]"#;
    let parameters =
        r#"parameters: { "g": 9.81, "m": 2.0, "J": 0.0216, "e": 0.5, "h": 0.6, "w": 1.0, "phi": 0.3, "c": 0.03 },"#;
    spatial(0.7, &above_floor(state, r#"Restitution("e")"#, parameters))
}

/// Lies on four corners, of which three carry it, slides and turns.
fn lies() -> String {
    let state = r#"at: [0, 0, 0.1], velocity: ["v", 0, 0], angular_velocity: [0, 0, "w"]"#;
    let parameters = r#"parameters: { "g": 9.81, "m": 2.0, "J": 0.0216, "w": 1.0, "v": 0.3, "c": 0.03 },"#;
    spatial(0.5, &above_floor(state, "Restitution(0.4)", parameters))
}

/// Is lifted at a corner until it leaves the others, one after the other, and tips.
fn tips() -> String {
    let pull = r#"parameters: { "g": 9.81, "m": 2.0, "J": 0.0216, "F": 30.0, "c": 0.03 },
        forces: { "pull": Load(at: "box.c[6]", force: [0, 0, "F*t"]) },"#;
    spatial(0.75, &above_floor("at: [0, 0, 0.1]", "Restitution(0)", pull))
}

/// Corners that stick: the box turns about the first one.
fn sticks() -> String {
    let state = r#"at: [0, 0, "h"], velocity: ["v", 0.1, 0], orientation: Rotations([X(0.3), Y(0.35)]), angular_velocity: [0, 0, "w"]"#;
    let parameters = r#"parameters: { "g": 9.81, "m": 2.0, "J": 0.0216, "h": 0.4, "w": 1.0, "v": 0.5, "c": 0.03 },"#;
    spatial(0.3, &above_floor(state, "Stick", parameters))
}

/// A sphere about a marker and one about an origin, which strike each other and a sphere of the ground.
fn spheres(law: &str) -> String {
    let fields = format!(
        r#"gravity: [0, 0, "-g"], ground: {{ "O": [0, 0, 0.1] }},
        parameters: {{ "g": 9.81, "m": 2.0, "J": 0.0216, "e": 0.7, "h": 0.6, "w": 1.0, "r": 0.12, "c": 0.03 }},
        bodies: {{
            "box": Solid(mass: "m", inertia: ["J", 0.0333, 0.0417, 0.001, 0.002, -0.001], centre_of_mass: ["c", 0.02, 0.01],
                at: [0.03, 0.05, "h"], orientation: Rotations([X(0.3), Y(0.5)]), angular_velocity: ["w", 0.5, 2]),
            "other": Solid(mass: 1, inertia: [0.01, 0.02, 0.015, 0.001, 0, 0], centre_of_mass: [0.01, 0, 0.02], at: [0.02, -0.03, 1],
                velocity: [0, 0, -2], angular_velocity: [3, 1, 0], markers: {{ "k": [0.02, 0, 0.01] }}),
        }},
        contacts: {{
            "a": Touch(point: "box.origin", radius: "r", surface: Circle(centre: "O", radius: 0.2), law: {law}),
            "b": Touch(point: "other.k", radius: 0.1, surface: Circle(centre: "box.origin", radius: "r"), law: {law}),
        }}, {READ}"#
    );
    spatial(0.5, &fields)
}

/// A point and a sphere of a body that fall on a plane that another body carries.
fn carried(law: &str) -> String {
    let plane = r#"Plane(through: [0, 0, 0.1], normal: ["n", 0, 1], on: "box")"#;
    let fields = format!(
        r#"gravity: [0, 0, "-g"], ground: {{ "O": [0, 0, 0] }}, points: {{ "P": (at: [0.1, 0.1, "h"], mass: 0.3) }},
        parameters: {{ "g": 9.81, "m": 2.0, "J": 0.0216, "e": 0.7, "h": 0.6, "w": 1.0, "r": 0.05, "n": 0.1, "c": 0.03 }},
        bodies: {{
            "box": Solid(mass: "m", inertia: ["J", 0.0333, 0.0417, 0.001, 0.002, -0.001], centre_of_mass: ["c", 0.02, 0.01],
                at: [0, 0, 0], orientation: Rotations([X(0.1), Y(0.1)]), angular_velocity: ["w", 0.5, 2]),
            "other": Solid(mass: 1, inertia: [0.01, 0.02, 0.015, 0.001, 0, 0], centre_of_mass: [0.01, 0, 0.02], at: [0.02, -0.13, 0.8],
                angular_velocity: [3, 1, 0], markers: {{ "k": [0.02, 0, 0.01] }}),
        }},
        joints: {{ "ball": Spherical(between: ("O", "box.origin")) }},
        contacts: {{
            "a": Touch(point: "P", radius: "r", surface: {plane}, law: {law}),
            "b": Touch(point: "other.k", radius: 0.1, surface: {plane}, law: {law}),
        }}, {READ}"#
    );
    spatial(0.6, &fields)
}

#[test]
fn the_shipped_box_strikes_as_its_header_says() {
    let found = report(&shipped("box_drop", &tight()));
    let (e, h, g, m): (f64, f64, f64, f64) = (0.6, 1.0, 9.81, 2.0);
    let (phi, theta) = (0.65_f64, 0.95_f64);
    // The vertical in body axes, and the corner.
    let up = [-phi.cos() * theta.sin(), phi.sin(), phi.cos() * theta.cos()];
    let corner = [0.2, -0.15, -0.1];
    let depth: f64 = -(0..3).map(|k| up[k] * corner[k]).sum::<f64>();
    let arm = [0, 1, 2].map(|k| corner[(k + 1) % 3] * up[(k + 2) % 3] - corner[(k + 2) % 3] * up[(k + 1) % 3]);
    let inertia = [[0.3, 0.2], [0.4, 0.2], [0.4, 0.3]].map(|[a, b]: [f64; 2]| m * (a * a + b * b) / 12.0);
    let fall = (2.0 * (h - depth) / g).sqrt();
    let yields = 1.0 / m + (0..3).map(|k| arm[k] * arm[k] / inertia[k]).sum::<f64>();
    close("time", times(&found)[0], fall, 1e-11);
    let after = -g * fall + (1.0 + e) * g * fall / yields / m;
    close("speed", objective(&found, "speed after the first strike"), after, 1e-10);
    close("place", objective(&found, "place at the end"), 0.0, 1e-12);
    close("turning", objective(&found, "turning at the end"), 0.0, 1e-11);
    assert!(objective(&found, "energy left") < m * g * h);
}

#[test]
fn impacts_between_bodies_keep_momentum_and_without_loss_the_energy() {
    let text = spheres("Restitution(1)").replace(
        "objectives: {",
        r#"objectives: { "after": AtEvents(of: "energy.total", event: "b", side: After), "before": AtEvents(of: "energy.total", event: "b"),
            "l1": AtEvents(of: "box.l_x + other.l_x", event: "b", side: After), "l0": AtEvents(of: "box.l_x + other.l_x", event: "b"),
            "p1": AtEvents(of: "box.p_y + other.p_y", event: "b", side: After), "p0": AtEvents(of: "box.p_y + other.p_y", event: "b"),
            "o1": AtEvents(of: "box.omega_y", event: "b", side: After), "o0": AtEvents(of: "box.omega_y", event: "b"),"#,
    );
    let found = report(&experiment(&text.replace(r#""e": 0.7, "#, ""), &tight()));
    assert_eq!(happenings(&found)[0], ("b", "impact"));
    for [after, before] in [["after", "before"], ["l1", "l0"], ["p1", "p0"]] {
        close(after, objective(&found, after), objective(&found, before), 1e-12);
    }
    assert!((objective(&found, "o1") - objective(&found, "o0")).abs() > 1e-3);
}

#[test]
fn a_box_that_lies_slides_as_a_point_does() {
    let found = report(&experiment(&lies(), &tight()));
    assert!(happenings(&found).is_empty());
    for (name, value) in [("z", 0.1), ("wx", 0.0), ("wz", 1.0), ("vz", 0.0), ("q1", 0.0)] {
        close(name, objective(&found, name), value, 1e-12);
    }
    // The origin goes round the centre of mass, which slides freely.
    let (t, w) = (0.5_f64, 1.0_f64);
    let (sin, cos) = (w * t).sin_cos();
    let [x, y] = [
        0.02 + (0.3 - 0.01 * w) * t + 0.1 * t * t,
        0.01 + 0.02 * w * t + 0.05 * t * t,
    ];
    close("x", objective(&found, "x"), x - (0.02 * cos - 0.01 * sin), 1e-11);
    close("y", objective(&found, "y"), y - (0.02 * sin + 0.01 * cos), 1e-11);
}

#[test]
fn gradients_through_contacts_are_certified() {
    let keeping = bounces().replace(r#"Restitution("e")"#, r#"FlipKeeping(["box.omega_z", "box.vx"])"#);
    let flipped = |text: String| text.replace(r#""e": 0.7, "#, "");
    for (name, text) in [
        ("bounces", bounces()),
        ("lies", lies()),
        ("tips", tips()),
        ("sticks", sticks()),
        ("spheres", spheres(r#"Restitution("e")"#)),
        ("carried", carried(r#"Restitution("e")"#)),
        ("flip", flipped(carried("Flip"))),
        (
            "keeping",
            keeping
                .replace(r#""e": 0.5, "#, "")
                .replace("duration: 0.7", "duration: 0.45"),
        ),
    ] {
        let report = certified(&text, Nullspace);
        assert!(report.parameters.len() > 4, "{name}");
    }
    certified(&bounces(), Multipliers);
}

#[test]
fn both_formulations_go_through_the_same_contacts() {
    for text in [
        bounces(),
        lies(),
        tips(),
        sticks(),
        spheres(r#"Restitution("e")"#),
        carried(r#"Restitution("e")"#),
    ] {
        let [one, other] = [Nullspace, Multipliers].map(|formulation| report(&experiment(&text, &under(formulation))));
        assert_eq!(happenings(&one), happenings(&other));
        all_close("times", &times(&one), &times(&other), 1e-10);
        for ((name, a), (_, b)) in one.objectives.iter().zip(&other.objectives) {
            close(name, *a, *b, 1e-8);
        }
    }
}

#[test]
fn turning_the_scene_changes_no_contact() {
    let (sin, cos) = 0.7_f64.sin_cos();
    let turned = bounces()
        .replace(
            r#"gravity: [0.2, 0.1, "-g"]"#,
            &format!(r#"gravity: ["{sin}*g + 0.2*{cos}", 0.1, "-{cos}*g + 0.2*{sin}"]"#),
        )
        .replace(r#"at: [0, 0, "h"]"#, &format!(r#"at: ["-h*{sin}", 0, "h*{cos}"]"#))
        .replace("Rotations([X", "Rotations([Y(-0.7), X")
        .replace("normal: [0, 0, 1]", &format!("normal: [-{sin}, 0, {cos}]"));
    let [plain, turned] = [bounces(), turned].map(|text| report(&experiment(&text, &tight())));
    assert_eq!(happenings(&plain), happenings(&turned));
    assert!(happenings(&plain).len() > 3);
    all_close("times", &times(&turned), &times(&plain), 1e-11);
    for name in ["wx", "wz", "E", "T"] {
        close(name, objective(&turned, name), objective(&plain, name), 1e-10);
    }
}

#[test]
fn a_sphere_that_has_turned_about_the_place_where_it_stuck_does_not_let_go() {
    let error = failure(&carried("Stick").replace(r#""e": 0.7, "#, ""));
    assert!(error.to_string().contains("\"b\" lets go"), "{error}");
    assert!(error.advice().is_some_and(|advice| advice.contains("radius")));
}

/// The corners of a face are twelve rows for six velocities.
#[test]
fn a_box_whose_corners_all_stick_stops_where_it_lands_flat() {
    let four = (1..=4).map(|k| {
        format!(r#""floor[{k}]": Touch(point: "box.c[{k}]", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Stick),"#)
    });
    let text = spatial(
        1.0,
        &format!(
            r#"gravity: [0, 0, "-g"], parameters: {{ "g": 9.81, "h": 0.6, "u": 0.1 }},
            bodies: {{ "box": Solid(mass: 2, inertia: [0.02, 0.03, 0.04, 0, 0, 0], at: [0, 0, "h"], velocity: ["u", 0.05, 0], markers: {{ {CORNERS} }}) }},
            contacts: {{ {} }},
            objectives: {{ "x": Final("box.x"), "z": Final("box.z"), "spin": Final("box.omega_y"), "kinetic": Final("energy.kinetic") }},"#,
            four.collect::<String>()
        ),
    );
    for formulation in [Nullspace, Multipliers] {
        let found = report(&experiment(&text, &under(formulation)));
        let fall = (2.0 * 0.5 / 9.81_f64).sqrt();
        close("place", objective(&found, "x"), 0.1 * fall, 1e-11);
        close("height", objective(&found, "z"), 0.1, 1e-11);
        for at_rest in ["spin", "kinetic"] {
            close(at_rest, objective(&found, at_rest), 0.0, 1e-12);
        }
        assert!(
            found.events.iter().all(|event| (event.t - fall).abs() < 1e-9),
            "{:?}",
            happenings(&found)
        );
    }
}
