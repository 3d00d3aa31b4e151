//! Many contacts: impacts by the sparse factors of a mode, and gaps that are evaluated only where something is near.

mod support;

use costate::run::{Changes, Experiment, GradientReport, Method, Report};

use support::{chain, close, experiment, happenings, objective, report, times, tolerances, with_by};

/// Numbers from -1 to 1, the same in every run.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// How a box of balls starts and moves.
#[derive(Clone, Copy)]
struct Balls {
    count: usize,
    seed: u64,
    duration: f64,
    restitution: f64,
    gravity: f64,
    /// Side of a cell in which each ball starts somewhere.
    cell: f64,
}

const RADIUS: f64 = 0.1;

impl Balls {
    /// A box of balls that strike each other and the walls; parameters are the restitution, a velocity and a mass.
    fn text(&self) -> String {
        let mut random = Random(self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let columns = (self.count as f64).sqrt().ceil() as usize;
        let (side, play) = (columns as f64 * self.cell, 0.45 * (self.cell - 2.0 * RADIUS));
        let ball = |i: usize| {
            let at = |k: usize, random: &mut Random| (k as f64 + 0.5) * self.cell + play * random.unit();
            let (x, y) = (at(i % columns, &mut random), at(i / columns, &mut random));
            let (vx, vy) = (random.unit(), random.unit());
            let (mass, speed) = if i == 0 {
                ("\"m\"", "\"v\"".to_string())
            } else {
                ("1", vx.to_string())
            };
            format!("\"b{i}\": (at: [{x}, {y}], velocity: [{speed}, {vy}], mass: {mass})")
        };
        let points: Vec<String> = (0..self.count).map(ball).collect();
        let walls = [("0", "1, 0"), ("side", "-1, 0"), ("0", "0, 1"), ("side", "0, -1")];
        let mut contacts: Vec<String> = (0..self.count)
            .flat_map(|i| {
                walls.iter().enumerate().map(move |(k, (at, normal))| {
                    let through = format!("[\"{at}\", \"{at}\"]");
                    format!(
                        "\"wall {k} {i}\": Touch(point: \"b{i}\", radius: {RADIUS}, law: Restitution(\"e\"),
                          surface: Plane(through: {through}, normal: [{normal}]))"
                    )
                })
            })
            .collect();
        let circles: Vec<String> = (0..self.count).map(|i| format!("(\"b{i}\", {RADIUS})")).collect();
        contacts.push(format!(
            "\"balls\": Among(circles: [{}], law: Restitution(\"e\"))",
            circles.join(", ")
        ));
        format!(
            "Scene(name: \"balls\", space: Planar, gravity: [0, {}], constants: {{ \"side\": {side} }},
             parameters: {{ \"e\": {}, \"v\": 0.7, \"m\": 1 }}, points: {{ {} }}, contacts: {{ {} }},
             objectives: {{ \"x\": Final(\"b0.x\"), \"y\": Integral(\"b1.y\"), \"kinetic\": Final(\"energy.kinetic\") }},
             simulation: (duration: {}))",
            -self.gravity,
            self.restitution,
            points.join(", "),
            contacts.join(", "),
            self.duration
        )
    }
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

fn same_events(found: &Report, expected: &Report, tolerance: f64) {
    assert_eq!(happenings(found), happenings(expected));
    for (a, b) in times(found).into_iter().zip(times(expected)) {
        close("time of an event", a, b, tolerance);
    }
}

/// Motion and gradients of a scene by blocks and by QR.
fn held_to_qr(text: &str, tolerance: f64) -> Report {
    let tight = tolerances(1e-11, 1e-12);
    let [blocks, qr] = ["Blocks", "Qr"].map(|by| experiment(&with_by(text, by), &tight));
    let [found, expected] = [&blocks, &qr].map(report);
    same_events(&found, &expected, 1e-9);
    let by_qr = qr.gradient(Method::Adjoint).expect("a gradient");
    for method in [Method::Adjoint, Method::Forward] {
        compare(&blocks.gradient(method).expect("a gradient"), &by_qr, tolerance);
    }
    for (name, value) in &expected.objectives {
        close(name, objective(&found, name), *value, 1e-8 * (1.0 + value.abs()));
    }
    found
}

/// A chain that falls onto two posts, with joints that depend on each other if asked for.
fn falling_chain(links: usize, law: &str, redundant: bool) -> String {
    let plain = chain(links, 0.42, "Auto").replace("by: Auto, ", "");
    let post = |point: usize, height: f64| {
        format!(
            "\"post {point}\": Touch(point: \"P[{point}]\", law: {law}, surface: Plane(through: [{point}, {height}], normal: [0.1, 1]))"
        )
    };
    let contacts = format!("contacts: {{ {}, {} }},", post(links / 2, -0.3), post(links - 1, -0.5));
    let again = "joints: { \"again\": DriveDistance(between: (\"P[3]\", \"P[4]\"), distance: 1) },";
    let joints = if redundant { again } else { "" };
    plain.replace("bodies: {", &format!("{contacts} {joints} bodies: {{"))
}

#[test]
fn impacts_of_a_chain_by_blocks_are_those_of_qr() {
    for (law, redundant) in [
        ("Restitution(0.6)", false),
        ("Flip", false),
        ("StickUntil(1e4)", false),
        ("Restitution(0.6)", true),
    ] {
        let found = held_to_qr(&falling_chain(9, law, redundant), 1e-7);
        assert!(found.events.len() > 1, "{law}: {:?}", found.events);
    }
}

#[test]
fn many_coordinates_take_blocks_by_themselves_and_have_certified_gradients() {
    let text = falling_chain(12, "Restitution(0.6)", false);
    support::certified(&text, costate::scene::schema::FormulationKind::Nullspace);
}

#[test]
fn gaps_that_are_left_out_change_no_event() {
    for seed in 0..6 {
        let balls = Balls {
            count: 12,
            seed,
            duration: 2.0,
            restitution: 0.9,
            gravity: if seed % 2 == 0 { 0.0 } else { 3.0 },
            cell: 0.35,
        };
        // A bar, a body and a rim beside the balls, which turn.
        let text = balls.text().replace(
            "contacts: {",
            "bodies: { \"bar\": Bar(from: \"p\", to: \"q\", length: 0.4, mass: 0.5, markers: { \"tip\": [0.2, 0.05] }),
                       \"body\": Rigid(mass: 1, inertia: 0.01, guess: [-1, 0.3, 0.1], hold: [X, Y, Angle], velocity: [0.4, 0, 3],
                                      markers: { \"nose\": [0.1, 0.05] }) },
             contacts: { \"others\": Among(circles: [(\"bar.tip\", 0.02), (\"body.nose\", 0.05), (\"b5\", 0.1), (\"b0\", 0.1), (\"b3\", 0.1), (\"q\", 0.01)],
                                          law: Restitution(\"e\")),
                         \"nose\": Touch(point: \"body.nose\", radius: 0.05, law: Restitution(\"e\"),
                                       surface: Plane(through: [-2, 0], normal: [1, 0])),",
        );
        let text = text.replace(
            "points: {",
            "points: { \"p\": (at: [-0.6, 0.9], velocity: [0.5, -0.4]), \"q\": (at: [-0.2, 0.9], velocity: [0.5, -0.4]),",
        );
        let near = experiment(&text, &Changes::default());
        let mut all = experiment(&text, &Changes::default());
        all.mechanism = all.mechanism.evaluating_all_gaps();
        let [found, expected] = [&near, &all].map(report);
        assert!(expected.events.len() > 10, "{} events", expected.events.len());
        assert_eq!(happenings(&found), happenings(&expected));
        assert_eq!(times(&found), times(&expected), "bit for bit");
        assert_eq!(found.objectives, expected.objectives, "bit for bit");
        assert!(2 * found.statistics.guards < expected.statistics.guards);
    }
}

fn run(balls: Balls) -> (Experiment, Report) {
    let experiment = experiment(&balls.text(), &Changes::default());
    let found = report(&experiment);
    (experiment, found)
}

#[test]
fn a_box_of_500_balls_costs_what_happens_in_it() {
    let of = |count: usize, duration: f64| Balls {
        count,
        seed: 1,
        duration,
        restitution: 0.95,
        gravity: 0.0,
        cell: 0.34,
    };
    let (few, many) = (run(of(50, 0.4)).1, run(of(500, 0.1)));
    let per_event = |report: &Report| report.statistics.guards as f64 / report.events.len() as f64;
    assert!(
        few.events.len() > 30 && many.1.events.len() > 30,
        "{} {}",
        few.events.len(),
        many.1.events.len()
    );
    // There are a hundred times as many pairs.
    let ratio = per_event(&many.1) / per_event(&few);
    assert!(ratio < 4.0, "{ratio} times the evaluations for an event");
    let found = many.0.gradient(Method::Adjoint).expect("a gradient");
    assert!(
        found
            .objectives
            .iter()
            .any(|objective| objective.gradient.iter().any(|slope| *slope != 0.0))
    );
}

#[test]
fn the_gradients_of_a_box_of_balls_are_those_of_difference_quotients() {
    let balls = Balls {
        count: 16,
        seed: 3,
        duration: 0.6,
        restitution: 0.9,
        gravity: 1.0,
        cell: 0.34,
    };
    let found = support::certified(&balls.text(), costate::scene::schema::FormulationKind::Nullspace);
    let forward = experiment(&balls.text(), &support::tight())
        .gradient(Method::Forward)
        .expect("a gradient");
    compare(&forward, &found, 1e-8);
}

#[test]
fn a_pile_settles_without_penetration() {
    let balls = Balls {
        count: 6,
        seed: 2,
        duration: 1.5,
        restitution: 0.3,
        gravity: 9.81,
        cell: 0.23,
    };
    let text = balls.text().replace(
        "objectives: {",
        "outputs: { \"low\": \"min(b0.y, min(b1.y, b2.y))\" }, objectives: { \"lowest\": Min(\"low\"),",
    );
    let found = report(&experiment(&text, &Changes::default()));
    assert!(objective(&found, "lowest") > RADIUS - 1e-6);
    assert!(objective(&found, "kinetic") < 1e-3, "it has come to rest");
}
