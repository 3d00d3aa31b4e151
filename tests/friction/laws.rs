//! The law at every output, the balance of energy, and what must not matter.

use costate::run::Method;

use crate::support::{experiment, objective, planar, report, tight};

/// A block that is pushed about on an incline, sticking and slipping both ways.
const BLOCK: &str = r#"
    gravity: ["-g*sin(theta)", "-g*cos(theta)"],
    parameters: { "m": 2.0, "theta": 0.2, "mu": 0.4, "ms": 0.5, "F": 22.0, "g": 9.81 },
    points: { "block": (at: [0, 0], mass: "m") },
    forces: { "push": Load(at: "block", force: ["F*sin(4*t)", "-3*cos(7*t)"]) },
    contacts: {
        "slope": Touch(point: "block", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: "mu", static: "ms")),
    },
    outputs: { "N": "slope.force", "T": "slope.friction", "u": "slope.slip", "heat": "slope.heat" },
    objectives: { "x": Final("block.x"), "W": Integral("slope.heat"), "T2": Integral("slope.friction^2"), "N": Final("slope.force*slope.slip") },
"#;

#[test]
fn the_law_holds_at_every_output() {
    let experiment = experiment(&planar(4.0, BLOCK), &tight());
    let (report, recording) = experiment.run(true, &mut |_| {}).unwrap();
    for kind in ["slip", "stick", "reverse"] {
        assert!(
            report.events.iter().any(|event| event.kind == kind),
            "{kind}: {:?}",
            report.events
        );
    }
    let recording = recording.unwrap();
    let series = |name: &str| {
        &recording
            .outputs
            .iter()
            .find(|series| series.name == name)
            .unwrap()
            .values
    };
    let (mut stuck, mut slipped) = (0, 0);
    for k in 0..recording.times.len() {
        let [n, t, u, heat] = ["N", "T", "u", "heat"].map(|name| series(name)[k]);
        assert!(n > 0.0);
        if u.abs() < 1e-12 {
            stuck += 1;
            assert!(t.abs() <= 0.5 * n * (1.0 + 1e-12), "{t} {n}");
            assert!(heat.abs() < 1e-10);
        } else {
            slipped += 1;
            assert!((t + 0.4 * n * u.signum()).abs() < 1e-9 * n, "{t} {n} {u}");
            assert!((heat - 0.4 * n * u.abs()).abs() < 1e-9 * n);
        }
    }
    assert!(stuck > 20 && slipped > 20, "{stuck} {slipped}");
}

#[test]
fn the_energy_balances() {
    let experiment = experiment(&planar(4.0, BLOCK), &tight());
    let (report, _) = experiment.run_balanced(false, &mut |_| {}).unwrap();
    let balance = report.balance.as_ref().unwrap();
    assert!(balance.missing.abs() < 1e-10, "{:e}", balance.missing);
    let of_slope = balance.work.iter().find(|(name, _)| name == "slope").unwrap().1;
    assert!(of_slope < -10.0);
    assert!((of_slope + objective(&report, "W")).abs() < 1e-9);
}

#[test]
fn the_methods_agree_through_stick_slip_and_reversal() {
    let experiment = experiment(&planar(4.0, BLOCK), &tight());
    let [adjoint, forward] = [Method::Adjoint, Method::Forward].map(|method| experiment.gradient(method).unwrap());
    for (a, b) in adjoint.objectives.iter().zip(&forward.objectives) {
        let scale = b.gradient.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()));
        assert!(scale > 1e-3);
        for (a, b) in a.gradient.iter().zip(&b.gradient) {
            assert!((a - b).abs() < 1e-11 * scale, "{a} {b}");
        }
    }
}

#[test]
fn a_free_block_stops_where_it_does_whatever_its_mass() {
    let fields = r#"
        gravity: [0, -9.81], parameters: { "m": 3.0, "mu": 0.3, "v": 2.0 },
        points: { "P": (at: [0, 0], mass: "m", velocity: ["v", 0]) },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: "mu")) },
        objectives: { "x": Final("P.x"), "vx": Final("P.vx") },"#;
    let report = experiment(&planar(2.0, fields), &tight())
        .gradient(Method::Adjoint)
        .unwrap();
    let x = &report.objectives[0];
    let wanted = 4.0 / (2.0 * 0.3 * 9.81);
    assert!((x.value - wanted).abs() < 1e-12);
    for (slope, wanted) in x.gradient.iter().zip([0.0, -wanted / 0.3, wanted]) {
        assert!((slope - wanted).abs() < 1e-11, "{slope} {wanted}");
    }
    // The slip velocity forgets what it was: one rank is lost where the block stops.
    assert!(report.objectives[1].gradient.iter().all(|slope| slope.abs() < 1e-12));
}

#[test]
fn without_a_coefficient_it_is_a_frictionless_contact() {
    let scene = |law: &str| {
        planar(
            3.0,
            &format!(
                r#"gravity: [0, -9.81], parameters: {{ "e": 0.6, "h": 1.0 }},
                points: {{ "P": (at: [0, "h"], mass: 1.5, velocity: [1, 0]) }},
                contacts: {{ "floor": Touch(point: "P", radius: 0.1, surface: Plane(through: [0, 0], normal: [0, 1]), law: {law}) }},
                objectives: {{ "x": Final("P.x"), "y": Integral("P.y"), "n": Integral("floor.force") }},"#
            ),
        )
    };
    let [plain, rubbed] = ["Restitution(\"e\")", "Friction(coefficient: 0, restitution: \"e\")"].map(|law| {
        let experiment = experiment(&scene(law), &tight());
        experiment.gradient(Method::Adjoint).unwrap()
    });
    assert_eq!(plain.events.len(), rubbed.events.len());
    for (a, b) in plain.objectives.iter().zip(&rubbed.objectives) {
        assert!((a.value - b.value).abs() < 1e-10, "{} {}", a.value, b.value);
        for (a, b) in a.gradient.iter().zip(&b.gradient) {
            assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "{a} {b}");
        }
    }
}

/// Two discs of one kind drive each other by friction alone: they roll on each other once their rims have one speed.
#[test]
fn discs_roll_on_each_other() {
    let fields = r#"
        gravity: [0, -9.81], parameters: { "w": 30.0, "mu": 0.3 },
        ground: { "A": [0, 0] },
        bodies: {
            "one": Rigid(mass: 1, inertia: 0.01, at: [0, 0, 0], velocity: [0, 0, "w"]),
            "two": Rigid(mass: 2, inertia: 0.04, at: [0, 0.3, 0]),
        },
        joints: { "axle": Revolute(between: ("A", "one.centre")), "rail": DriveCoordinate(coordinate: "two.x", value: 0) },
        contacts: { "rims": Touch(point: "two.centre", radius: 0.2, surface: Circle(centre: "one.centre", radius: 0.1), law: Friction(coefficient: "mu")) },
        outputs: { "N": "rims.force" },
        objectives: { "one": Final("one.omega"), "two": Final("two.omega"), "slip": Final("rims.slip"), "angle": Integral("two.omega") },"#;
    let experiment = experiment(&planar(1.5, fields), &tight());
    let found = report(&experiment);
    assert_eq!(found.events.iter().filter(|event| event.kind == "stick").count(), 1);
    // J1 w1' = -r1 mu N, J2 w2' = -r2 mu N until r1 w1 = -r2 w2.
    let (one, two) = (objective(&found, "one"), objective(&found, "two"));
    assert!((0.1 * one + 0.2 * two).abs() < 1e-10, "{one} {two}");
    // Torques are as the radii: r2 J1 (w1 - w) = r1 J2 w2.
    assert!(
        (0.2 * 0.01 * (one - 30.0) - 0.1 * 0.04 * two).abs() < 1e-10,
        "{one} {two}"
    );
    let [adjoint, forward] = [Method::Adjoint, Method::Forward].map(|method| experiment.gradient(method).unwrap());
    for (a, b) in adjoint.objectives.iter().zip(&forward.objectives) {
        for (a, b) in a.gradient.iter().zip(&b.gradient) {
            assert!((a - b).abs() < 1e-10 * (1.0 + b.abs()), "{a} {b}");
        }
    }
}
