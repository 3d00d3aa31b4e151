//! Boxes on four and more feet in space: how these share what presses, with integrations of their own, gradients by every method.

use costate::run::Report;
use costate::scene::schema::FormulationKind::{Index3, Multipliers, Nullspace, Penalty, Stabilized};

use crate::refused::assert_refused;
use crate::standing::{agreed, near};
use crate::support::{
    certified, experiment, failure, happenings, objective, planar, report, spatial, tight, times, under,
};

/// Feet of a box.
const FOUR: [[f64; 2]; 4] = [[0.3, 0.2], [-0.3, 0.2], [-0.3, -0.2], [0.3, -0.2]];

/// Two more, one of which bears nothing where the box slides fast.
const SIX: [[f64; 2]; 6] = [
    [0.3, 0.2],
    [-0.3, 0.2],
    [-0.3, -0.2],
    [0.3, -0.2],
    [0.1, 0.35],
    [-0.05, -0.3],
];

/// A box that slides: feet, height of its centre, coefficient, velocity, spin, duration.
struct Box<'a> {
    feet: &'a [[f64; 2]],
    height: f64,
    coefficient: f64,
    velocity: [f64; 2],
    spin: f64,
    duration: f64,
    /// What it falls through, its law besides the coefficient, and loads.
    drop: f64,
    law: &'a str,
    loads: &'a str,
}

impl Default for Box<'_> {
    fn default() -> Self {
        Self {
            feet: &FOUR,
            height: 0.2,
            coefficient: 0.3,
            velocity: [1.0, 0.5],
            spin: 4.0,
            duration: 0.2,
            drop: 0.0,
            law: "",
            loads: "",
        }
    }
}

impl Box<'_> {
    fn text(&self) -> String {
        let feet = self.feet.iter().enumerate();
        let markers: String = (feet.clone())
            .map(|(k, [x, y])| format!("\"f{k}\": [{x:?}, {y:?}, \"-h\"], "))
            .collect();
        let contacts: String = (feet.clone())
            .map(|(k, _)| {
                format!(
                    "\"foot{k}\": Touch(point: \"b.f{k}\", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: \"mu\"{})), ",
                    self.law
                )
            })
            .collect();
        let forces: String = feet
            .map(|(k, _)| format!("\"N{k}\": Final(\"foot{k}.force\"), "))
            .collect();
        let [vx, vy] = self.velocity;
        spatial(
            self.duration,
            &format!(
                r#"gravity: [0, 0, -10], parameters: {{ "m": 2.0, "mu": {}, "h": {}, "vx": {vx:?}, "vy": {vy:?}, "w": {:?} }},
                bodies: {{ "b": Solid(mass: "m", inertia: [0.03, 0.04, 0.05, 0, 0, 0], at: [0, 0, "h + {}"],
                    velocity: ["vx", "vy", 0], angular_velocity: [0, 0, "w"], markers: {{ {markers} }}) }},
                {}
                contacts: {{ {contacts} }},
                objectives: {{ "x": Final("b.x"), "y": Final("b.y"), "turn": Integral("b.omega_z"), "vx": Final("b.vx"), "w": Final("b.omega_z"), {forces} }},"#,
                self.coefficient, self.height, self.spin, self.drop, self.loads,
            ),
        )
    }

    fn report(&self) -> Report {
        report(&experiment(&self.text(), &tight()))
    }
}

#[track_caller]
fn agree(found: &Report, wanted: &[(&str, f64)], tolerance: f64) {
    for (name, value) in wanted {
        near(name, objective(found, name), *value, tolerance);
    }
}

/// At rest each foot of a symmetrical box bears a quarter; a pull at the height of the floor changes nothing, one above shifts it evenly.
#[test]
fn feet_share_the_weight() {
    let still = |loads| Box {
        velocity: [0.0; 2],
        spin: 0.0,
        loads,
        ..Box::default()
    };
    let quarters = [("N0", 5.0), ("N1", 5.0), ("N2", 5.0), ("N3", 5.0), ("x", 0.0)];
    for formulation in [Nullspace, Multipliers, Stabilized, Index3] {
        let found = report(&experiment(&still("").text(), &under(formulation)));
        assert!(found.events.is_empty(), "{:?}", found.events);
        agree(&found, &quarters, 1e-9);
    }
    // A moment of 1 N m about y over arms of 0.3 m: 1/(4*0.3) N each.
    let pulled = still(r#"forces: { "pull": Load(at: "b.origin", force: [5, 0, 0]) },"#);
    let part = 1.0 / 1.2;
    let shifted = [
        ("N0", 5.0 + part),
        ("N1", 5.0 - part),
        ("N2", 5.0 - part),
        ("N3", 5.0 + part),
    ];
    agree(&pulled.report(), &shifted, 1e-11);
    agreed(&pulled.text(), 1e-9);
}

/// Sliding and spinning against an integration of its own (DOP853 at 1e-12, loads by least squares among those that press).
#[test]
fn boxes_slide_and_spin() {
    let slow = [
        ("x", 0.159_219_310_547_658_03),
        ("y", 0.079_551_871_220_873_66),
        ("turn", 0.334_182_695_581_625),
        ("vx", 0.555_252_371_081_747_2),
        ("w", 0.342_451_521_369_119_3),
        ("N0", 6.190_277_601_735_407),
        ("N1", 4.238_298_771_877_243),
        ("N2", 3.809_722_398_264_593),
        ("N3", 5.761_701_228_122_757),
    ];
    agree(&Box::default().report(), &slow, 1e-8);
    let high = Box {
        height: 0.9,
        velocity: [3.0, 1.0],
        spin: 2.0,
        duration: 0.3,
        ..Box::default()
    };
    let wanted = [
        ("x", 0.780_455_124_542_497_5),
        ("w", 1.463_154_128_112_476_7),
        ("N1", 0.074_170_439_790_991_44),
        ("N3", 9.925_829_560_209_01),
    ];
    agree(&high.report(), &wanted, 1e-8);
    let six = Box {
        feet: &SIX,
        height: 0.6,
        coefficient: 0.4,
        velocity: [3.0, 1.0],
        spin: -2.0,
        duration: 0.3,
        ..Box::default()
    };
    let wanted = [
        ("x", 0.723_968_609_454_893_9),
        ("y", 0.266_274_844_063_228_9),
        ("w", -1.361_071_826_031_386_8),
        ("N2", 0.0),
        ("N5", 0.199_892_675_464_687_42),
    ];
    agree(&six.report(), &wanted, 1e-8);
    certified(&six.text(), Nullspace);
    certified(&Box::default().text(), Multipliers);
    let penalty = report(&experiment(&Box::default().text(), &under(Penalty)));
    near("penalty", objective(&penalty, "x"), slow[0].1, 1e-5);
}

/// A box stops with four feet at once, and one that is pushed at a height tips over two of them where its weight does.
#[test]
fn boxes_stop_and_tip() {
    let stopping = Box {
        duration: 1.0,
        ..Box::default()
    };
    let found = stopping.report();
    assert_eq!(happenings(&found), [("foot0", "stick")]);
    agree(&found, &[("N0", 5.0), ("N2", 5.0), ("vx", 0.0)], 1e-9);
    certified(&stopping.text(), Nullspace);
    let pushed = Box {
        height: 0.5,
        coefficient: 0.9,
        velocity: [0.0; 2],
        spin: 0.0,
        duration: 1.0,
        loads: r#"forces: { "push": Load(at: "b.origin", force: ["14*t", "4*t", 0]) },"#,
        ..Box::default()
    };
    let found = pushed.report();
    assert_eq!(happenings(&found), [("foot1", "release"), ("foot2", "release")]);
    // 14 t h = m g a.
    for time in times(&found) {
        near("tips", time, 6.0 / 7.0, 1e-11);
    }
    agreed(&pushed.text(), 1e-7);
    // With a spin one of them is unloaded before.
    let sliding = Box {
        height: 0.7,
        coefficient: 0.45,
        velocity: [3.0, 1.0],
        spin: 2.0,
        duration: 0.2,
        ..Box::default()
    };
    let found = sliding.report();
    assert_eq!(happenings(&found), [("foot1", "release"), ("foot2", "release")]);
    certified(&sliding.text(), Nullspace);
}

/// Flat landings on four and six feet: the impulses are shared likewise (solved by itself from those without friction on).
#[test]
fn boxes_land_flat() {
    let landing = |feet: &'static [[f64; 2]], law: &'static str, duration: f64| Box {
        feet,
        drop: 0.05,
        law,
        duration,
        ..Box::default()
    };
    for (feet, vx, w) in [
        (&FOUR[..], 0.791_466_993_544_401_1, 1.771_745_652_911_809_6),
        (&SIX[..], 0.809_488_880_899_555_4, 2.029_432_361_543_86),
    ] {
        let found = landing(feet, "", 0.1 + 1e-12).report();
        assert_eq!(found.events.len(), feet.len(), "{:?}", found.events);
        agree(&found, &[("vx", vx), ("w", w)], 1e-10);
        certified(&landing(feet, "", 0.11).text(), Nullspace);
        certified(&landing(feet, ", restitution: 0.5", 0.12).text(), Nullspace);
        agreed(
            &landing(feet, ", restitution: 0.5, hypothesis: Newton, tangential: 0.3", 0.12).text(),
            1e-9,
        );
    }
    let slow = Box {
        velocity: [0.2, 0.1],
        spin: 1.0,
        ..landing(&FOUR, "", 0.11)
    };
    let found = slow.report();
    agree(&found, &[("vx", 0.0), ("w", 0.0), ("N1", 5.0)], 1e-10);
    certified(&slow.text(), Nullspace);
}

/// Feet that pull while the search goes on press in the end: values of a solution with all four, whatever the order of the contacts.
#[test]
fn the_order_of_feet_that_land_does_not_matter() {
    let landing = |turned: usize, law: &'static str, velocity: [f64; 2], spin: f64| {
        let mut feet = FOUR;
        feet.rotate_left(turned);
        let text = Box {
            feet: &feet,
            drop: 0.02,
            law,
            velocity,
            spin,
            duration: 0.0633,
            ..Box::default()
        }
        .text();
        let found = report(&experiment(&text, &tight()));
        if turned == 3 {
            agreed(&text, 1e-8);
        }
        ["x", "vx", "w"].map(|name| objective(&found, name))
    };
    let newton = ", restitution: 0.5, hypothesis: Newton";
    for (law, velocity, spin, wanted) in [
        (newton, [3.0, 0.2], 0.5, Some(0.367_228_527)),
        (newton, [1.0, 0.5], 1.0, Some(0.477_276_0)),
        (", restitution: 0.5", [3.0, 0.2], 0.5, None),
        ("", [1.0, 0.5], 1.0, None),
    ] {
        let first = landing(0, law, velocity, spin);
        if let Some(wanted) = wanted {
            near("w", first[2], wanted, 5e-8);
        }
        for turned in 1..4 {
            for (found, wanted) in landing(turned, law, velocity, spin).iter().zip(first) {
                near("turned", *found, wanted, 1e-9);
            }
        }
    }
}

/// By Newton's hypothesis feet that give back different shares leave open which of them strikes.
#[test]
fn feet_with_different_restitution_are_refused() {
    let text = Box {
        drop: 0.02,
        law: ", restitution: 0.5, hypothesis: Newton",
        ..Box::default()
    }
    .text()
    .replacen("restitution: 0.5", "restitution: 0.2", 1);
    assert_refused(&failure(&text), &["foot0", "Newton"]);
}

/// One that falls askew strikes with one corner after the other, and comes to lie on all four.
#[test]
fn a_box_that_falls_askew_comes_to_lie() {
    let text = Box {
        duration: 1.0,
        drop: 0.2,
        velocity: [0.5, 0.1],
        spin: 0.0,
        coefficient: 0.4,
        ..Box::default()
    }
    .text()
    .replace(
        "velocity: [\"vx\"",
        "orientation: AxisAngle(axis: [1, 0.4, 0.2], angle: 0.2), velocity: [\"vx\"",
    );
    let (found, _) = experiment(&text, &tight()).run_balanced(false, &mut |_| {}).unwrap();
    agree(&found, &[("N0", 5.0), ("N3", 5.0), ("vx", 0.0)], 1e-8);
    assert!(found.balance.as_ref().unwrap().missing.abs() < 1e-9);
    agreed(&text, 1e-6);
}

/// A box that is let go on an edge slips across it at once, with both corners against their own accelerations, and comes to lie.
#[test]
fn a_box_on_an_edge_slips_across_it() {
    let text = Box {
        coefficient: 0.5,
        velocity: [0.0; 2],
        spin: 0.0,
        duration: 0.6,
        ..Box::default()
    }
    .text()
    // By velocities that are zero where slip begins there is no derivative.
    .replace("\"vx\": 0.0, \"vy\": 0.0, \"w\": 0.0", "\"phi\": 0.2")
    .replace("velocity: [\"vx\", \"vy\", 0], angular_velocity: [0, 0, \"w\"], ", "")
    .replace(
        "at: [0, 0, \"h + 0\"]",
        "at: [0, \"-0.2 + 0.2*cos(phi) - h*sin(phi)\", \"h*cos(phi) + 0.2*sin(phi)\"], orientation: AxisAngle(axis: [1, 0, 0], angle: \"phi\")",
    );
    let (found, _) = experiment(&text, &tight()).run_balanced(false, &mut |_| {}).unwrap();
    assert_eq!(happenings(&found)[2], ("foot0", "stick"), "{:?}", found.events);
    agree(&found, &[("N0", 5.0), ("x", 0.0), ("turn", 0.0), ("vx", 0.0)], 1e-9);
    assert!(objective(&found, "y") < -0.01);
    assert!(found.balance.as_ref().unwrap().missing.abs() < 1e-9);
    // What symmetry keeps at zero has no digits to compare.
    let text = text
        .replace("\"x\": Final(\"b.x\"), ", "")
        .replace("\"turn\": Integral(\"b.omega_z\"), ", "");
    certified(&text, Nullspace);
}

/// A box that tips over an edge: it stays there until its load across the edge is as large as friction, slips from that on without a jump
/// of its acceleration, and moves as one with two corners in the plane does.
#[test]
fn a_box_that_tips_over_an_edge_slips_across_it_as_in_the_plane() {
    let away = "(-0.2 + 0.2*cos(phi) - h*sin(phi))";
    let text = Box {
        velocity: [0.0; 2],
        spin: 0.0,
        duration: 0.41,
        ..Box::default()
    }
    .text()
    .replace("\"vx\": 0.0, \"vy\": 0.0, \"w\": 0.0", "\"phi\": 0.7, \"psi\": 0.4")
    .replace("velocity: [\"vx\", \"vy\", 0], angular_velocity: [0, 0, \"w\"], ", "")
    .replace(
        "at: [0, 0, \"h + 0\"]",
        &format!(
            "at: [\"-sin(psi)*{away}\", \"cos(psi)*{away}\", \"h*cos(phi) + 0.2*sin(phi)\"], orientation: Rotations([Z(\"psi\"), X(\"phi\")])"
        ),
    );
    let fields = text.find("objectives:").unwrap();
    let end = text[fields..].find("},").unwrap() + fields;
    let text = format!(
        r#"{}objectives: {{ "y": Final("b.y*cos(psi) - b.x*sin(psi)"), "z": Final("b.z"), "vy": Final("b.vy*cos(psi) - b.vx*sin(psi)"), "w": Final("b.omega_x")
        {}"#,
        &text[..fields],
        &text[end..],
    );
    let plane = planar(
        0.41,
        &format!(
            r#"gravity: [0, -10], parameters: {{ "m": 2.0, "mu": 0.3, "h": 0.2, "phi": 0.7 }},
            bodies: {{ "b": Rigid(mass: "m", inertia: 0.03, at: ["{away}", "h*cos(phi) + 0.2*sin(phi)", "phi"], markers: {{ "f": [-0.2, "-h"] }}) }},
            contacts: {{ "foot": Touch(point: "b.f", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: "mu")) }},
            objectives: {{ "y": Final("b.x"), "z": Final("b.y"), "vy": Final("b.vx"), "w": Final("b.omega") }},"#
        ),
    );
    let (found, _) = experiment(&text, &tight()).run_balanced(false, &mut |_| {}).unwrap();
    assert_eq!(happenings(&found), [("foot2", "slip"), ("foot3", "slip")]);
    assert!(found.balance.as_ref().unwrap().missing.abs() < 1e-10);
    let [found, wanted] = [certified(&text, Nullspace), certified(&plane, Nullspace)];
    for (own, other) in found.objectives.iter().zip(&wanted.objectives) {
        near(&own.name, own.value, other.value, 1e-9);
        for (parameter, slope) in found.parameters.iter().zip(&own.gradient) {
            // Its heading changes nothing.
            let place = wanted.parameters.iter().position(|name| name == parameter);
            near(parameter, *slope, place.map_or(0.0, |k| other.gradient[k]), 1e-7);
        }
    }
}

/// A box with eight corners tumbles to rest.
#[test]
fn a_box_tumbles_to_rest() {
    let corners = [
        [0.3, 0.2],
        [-0.3, 0.2],
        [-0.3, -0.2],
        [0.3, -0.2],
        [0.3, 0.2],
        [-0.3, 0.2],
        [-0.3, -0.2],
        [0.3, -0.2],
    ];
    let mut text = Box {
        feet: &corners,
        drop: 0.5,
        law: ", restitution: 0.3",
        velocity: [1.2, -0.7],
        spin: 2.0,
        duration: 3.0,
        ..Box::default()
    }
    .text()
    .replace(
        "angular_velocity: [0, 0, \"w\"]",
        "orientation: AxisAngle(axis: [0.3, -0.5, 0.8], angle: 1.1), angular_velocity: [1.5, -2.5, \"w\"]",
    );
    for (k, [x, y]) in corners.iter().enumerate().skip(4) {
        text = text.replace(
            &format!("\"f{k}\": [{x:?}, {y:?}, \"-h\"]"),
            &format!("\"f{k}\": [{x:?}, {y:?}, \"h\"]"),
        );
    }
    let (found, _) = experiment(&text, &tight()).run_balanced(false, &mut |_| {}).unwrap();
    let weight: f64 = (0..8).map(|k| objective(&found, &format!("N{k}"))).sum();
    near("weight", weight, 20.0, 1e-9);
    agree(&found, &[("vx", 0.0), ("w", 0.0)], 1e-9);
    assert!(found.balance.as_ref().unwrap().missing.abs() < 1e-8);
}

/// A foot without friction bears its share too: the box slides as if its coefficient were zero.
#[test]
fn a_smooth_foot_bears_its_share() {
    let with = |law: &str| {
        let text = Box::default().text();
        let start = text.find("\"foot2\": ").unwrap();
        let law_at = start + text[start..].find("law: ").unwrap();
        let end = law_at + text[law_at..].find("),").unwrap() + 1;
        let text = format!("{}law: {law}{}", &text[..law_at], &text[end - 1..]);
        report(&experiment(&text, &tight()))
    };
    let [smooth, rubbing] = [with("Restitution(0)"), with("Friction(coefficient: 0)")];
    for name in ["x", "turn", "w", "N0", "N1", "N2", "N3"] {
        near(name, objective(&smooth, name), objective(&rubbing, name), 1e-10);
    }
}

/// Where a joint keeps two bodies from tilting against each other, how the feet of both share what presses is not unique.
#[test]
fn feet_of_bodies_that_hold_each_other_are_refused() {
    let text = Box::default().text();
    let second: String = FOUR
        .iter()
        .enumerate()
        .map(|(k, [x, y])| format!("\"g{k}\": [{x:?}, {y:?}, -0.2], "))
        .collect();
    let contacts: String = (0..4)
        .map(|k| {
            format!(
                "\"other{k}\": Touch(point: \"c.g{k}\", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: 0.1)), "
            )
        })
        .collect();
    let body = format!(
        "\"c\": Solid(mass: 1, inertia: [0.03, 0.04, 0.05, 0, 0, 0], at: [1, 0, 0.2], velocity: [1, 0.5, 0], markers: {{ \"side\": [-0.5, 0, 0], {second} }}), "
    );
    let text = text
        .replace("angular_velocity: [0, 0, \"w\"]", "angular_velocity: [0, 0, 0]")
        .replace("bodies: { ", &format!("bodies: {{ {body}"))
        .replace("markers: { \"f0\"", "markers: { \"side\": [0.5, 0, 0], \"f0\"")
        .replace("contacts: { ", &format!("joints: {{ \"hinge\": Cylindrical(between: (\"b.side\", \"c.side\"), axis: [0, 0, 1]) }}, contacts: {{ {contacts}"));
    assert_refused(&failure(&text), &["load is not unique"]);
}

/// A box comes to rest on a plate that it drags along: both go on as one, and the adjoint passes the short phase in which slip ends.
#[test]
fn a_box_drags_a_plate() {
    let text = Box {
        duration: 0.8,
        velocity: [1.0, 0.3],
        spin: 3.0,
        ..Box::default()
    }
    .text()
    .replace("objectives: { ", "objectives: { \"plate\": Final(\"plate.vx\"), \"W\": Final(\"plate.omega_z\"), ")
    .replace("normal: [0, 0, 1])", "normal: [0, 0, 1], on: \"plate\")")
    .replace(
        "bodies: { ",
        "ground: { \"O\": [0, 0, 0] }, joints: { \"floor\": Planar(between: (\"O\", \"plate.origin\"), normal: [0, 0, 1]) },
         bodies: { \"plate\": Solid(mass: 6, inertia: [0.8, 0.8, 1.5, 0, 0, 0], at: [0, 0, 0]), ",
    );
    let found = report(&experiment(&text, &tight()));
    assert_eq!(happenings(&found), [("foot0", "stick")]);
    // The momentum stays, and both turn alike.
    let of = |name| objective(&found, name);
    near("momentum", 2.0 * of("vx") + 6.0 * of("plate"), 2.0, 1e-10);
    near("turning", of("W"), of("w"), 1e-10);
    agreed(&text, 1e-8);
}

/// The same box a micrometre and a kilometre large moves alike.
#[test]
fn boxes_of_any_size_move_alike() {
    let scaled = |length: f64, mass: f64| {
        let feet = FOUR.map(|foot| foot.map(|x| x * length));
        let text = Box {
            feet: &feet,
            height: 0.2 * length,
            velocity: [length, 0.5 * length],
            duration: 0.6,
            ..Box::default()
        }
        .text()
        .replace(
            "gravity: [0, 0, -10]",
            &format!("gravity: [0, 0, {:?}]", -10.0 * length),
        )
        .replace("\"m\": 2.0", &format!("\"m\": {:?}", 2.0 * mass))
        .replace(
            "[0.03, 0.04, 0.05, 0, 0, 0]",
            &format!(
                "{:?}",
                [0.03, 0.04, 0.05, 0.0, 0.0, 0.0].map(|x| x * mass * length * length)
            ),
        );
        let found = report(&experiment(&text, &tight()));
        assert_eq!(happenings(&found), [("foot0", "stick")], "{length}");
        [("x", length), ("turn", 1.0), ("N0", mass * length)].map(|(name, unit)| objective(&found, name) / unit)
    };
    let wanted = scaled(1.0, 1.0);
    for (length, mass) in [(1e-6, 1e-9), (1e3, 1e6)] {
        for (found, wanted) in scaled(length, mass).iter().zip(wanted) {
            near("scaled", *found, wanted, 1e-9);
        }
    }
}
