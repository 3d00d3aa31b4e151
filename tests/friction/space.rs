//! Friction in space: the cone at every output, the balance of energy, what must not matter, closed forms, and gradients by every method.

use costate::run::{Experiment, GradientReport, Method, Report};
use costate::scene::schema::FormulationKind::{Multipliers, Nullspace, Penalty};

use crate::support::{
    certified, close, experiment, objective, output, planar, report, spatial, tight, tolerances, under,
};

/// A point that is pushed about on a rough plane, sticking and slipping in every direction.
const POINT: &str = r#"
    gravity: [0, 0, "-g"],
    parameters: { "m": 2.0, "mu": 0.4, "ms": 0.5, "F": 11.0, "g": 9.81, "w": 0.3 },
    points: { "P": (at: [0, 0, 0], mass: "m") },
    forces: { "push": Load(at: "P", force: ["F*sin(4*t)*sin(1.3*t)", "0.8*F*sin(2.9*t + w)*sin(1.3*t)", "-2*cos(7*t)"]) },
    contacts: {
        "floor": Touch(point: "P", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: "mu", static: "ms")),
    },
    outputs: {
        "N": "floor.force", "T": "floor.friction", "Tx": "floor.friction_x", "Ty": "floor.friction_y", "Tz": "floor.friction_z",
        "u": "floor.slip", "ux": "floor.slip_x", "uy": "floor.slip_y", "heat": "floor.heat",
    },
    objectives: {
        "x": Final("P.x"), "y": Final("P.y"), "W": Integral("floor.heat"), "T2": Integral("floor.friction_x^2 + floor.friction_y^2"),
        "u": Integral("floor.slip"),
    },
"#;

/// Both methods, held to each other.
#[track_caller]
fn agreed(experiment: &Experiment, tolerance: f64) -> GradientReport {
    let [adjoint, forward] = [Method::Adjoint, Method::Forward].map(|method| experiment.gradient(method).unwrap());
    for (a, b) in adjoint.objectives.iter().zip(&forward.objectives) {
        let scale = b.gradient.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()));
        for (one, other) in a.gradient.iter().zip(&b.gradient) {
            let error = (one - other).abs() / scale.max(1e-6);
            assert!(error < tolerance, "{}: {one} {other} {error:e}", a.name);
        }
    }
    adjoint
}

/// The gradient held to central differences of values, where these have no event between them.
#[track_caller]
fn differenced(text: &str, parameter: &str, value: f64, found: &GradientReport, tolerance: f64) {
    let at = |value: f64| -> Report {
        let changed = with_value(text, parameter, value);
        report(&experiment(&changed, &tight()))
    };
    let h = 1e-5 * value.abs().max(0.1);
    let [up, down, up2, down2] = [h, -h, 2.0 * h, -2.0 * h].map(|h| at(value + h));
    let k = found.parameters.iter().position(|name| name == parameter).unwrap();
    for own in &found.objectives {
        let of = |report: &Report| objective(report, &own.name);
        let near = (of(&up) - of(&down)) / (2.0 * h);
        let far = (of(&up2) - of(&down2)) / (4.0 * h);
        let wanted = (4.0 * near - far) / 3.0;
        let error = (own.gradient[k] - wanted).abs() / wanted.abs().max(1.0);
        assert!(
            error < tolerance,
            "{} by {parameter}: {} {wanted}",
            own.name,
            own.gradient[k]
        );
    }
}

/// The scene with another value of a parameter.
fn with_value(text: &str, parameter: &str, value: f64) -> String {
    let key = format!("\"{parameter}\": ");
    let start = text.find(&key).unwrap() + key.len();
    let length = text[start..].find([',', ' ', '}']).unwrap();
    format!("{}{value:?}{}", &text[..start], &text[start + length..])
}

#[test]
fn the_cone_holds_at_every_output() {
    let experiment = experiment(&spatial(4.0, POINT), &tight());
    let (report, recording) = experiment.run(true, &mut |_| {}).unwrap();
    for kind in ["slip", "stick"] {
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
        let [n, t, tx, ty, tz] = ["N", "T", "Tx", "Ty", "Tz"].map(|name| series(name)[k]);
        let [u, ux, uy, heat] = ["u", "ux", "uy", "heat"].map(|name| series(name)[k]);
        assert!(
            n > 0.0 && tz.abs() < 1e-12 * n && (tx.hypot(ty) - t).abs() < 1e-12 * n && (ux.hypot(uy) - u).abs() < 1e-12
        );
        if u < 1e-9 {
            stuck += 1;
            assert!(t <= 0.5 * n * (1.0 + 1e-9), "{t} {n}");
        } else {
            slipped += 1;
            assert!((t - 0.4 * n).abs() < 1e-9 * n, "{t} {n} {u}");
            // Where slip begins and ends its direction is that of the acceleration, or held.
            if u > 1e-3 {
                let off = (tx * u + 0.4 * n * ux).hypot(ty * u + 0.4 * n * uy);
                assert!(off < 1e-9 * n * u, "{tx} {ty} {ux} {uy}");
                assert!((heat - 0.4 * n * u).abs() < 1e-9 * n * u);
            }
        }
    }
    assert!(stuck > 20 && slipped > 20, "{stuck} {slipped}");
}

#[test]
fn the_energy_balances() {
    let (report, _) = experiment(&spatial(4.0, POINT), &tight())
        .run_balanced(false, &mut |_| {})
        .unwrap();
    let balance = report.balance.as_ref().unwrap();
    assert!(balance.missing.abs() < 1e-9, "{:e}", balance.missing);
    let of_floor = balance.work.iter().find(|(name, _)| name == "floor").unwrap().1;
    assert!(
        of_floor < -1.0 && (of_floor + objective(&report, "W")).abs() < 1e-9,
        "{of_floor}"
    );
}

#[test]
fn gradients_go_through_stick_and_slip_in_every_direction() {
    let text = spatial(4.0, POINT);
    let found = agreed(&experiment(&text, &tight()), 1e-8);
    for (parameter, value) in [("mu", 0.4), ("ms", 0.5), ("F", 11.0), ("w", 0.3), ("m", 2.0)] {
        differenced(&text, parameter, value, &found, 1e-5);
    }
    agreed(&experiment(&text, &under(Multipliers)), 1e-6);
}

/// A motion in a plane is that of the scene in the plane.
#[test]
fn a_plane_motion_in_space_is_that_of_the_plane() {
    let fields = |zero: &str| {
        format!(
            r#"gravity: ["-g*sin(theta)", "-g*cos(theta)"{zero}],
            parameters: {{ "m": 2.0, "theta": 0.2, "mu": 0.4, "ms": 0.5, "F": 22.0, "g": 9.81 }},
            points: {{ "block": (at: [0, 0{zero}], mass: "m") }},
            forces: {{ "push": Load(at: "block", force: ["F*sin(4*t)", "-3*cos(7*t)"{zero}]) }},
            contacts: {{
                "slope": Touch(point: "block", surface: Plane(through: [0, 0{zero}], normal: [0, 1{zero}]), law: Friction(coefficient: "mu", static: "ms")),
            }},
            objectives: {{ "x": Final("block.x"), "v": Final("block.vx"), "W": Integral("slope.heat") }},"#
        )
    };
    let of = |text: String| experiment(&text, &tight()).gradient(Method::Adjoint).unwrap();
    let [plane, space] = [of(planar(4.0, &fields(""))), of(spatial(4.0, &fields(", 0")))];
    for (a, b) in plane.objectives.iter().zip(&space.objectives) {
        assert!(
            (a.value - b.value).abs() < 1e-8 * (1.0 + a.value.abs()),
            "{}: {} {}",
            a.name,
            a.value,
            b.value
        );
        let scale = a.gradient.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()));
        for (one, other) in a.gradient.iter().zip(&b.gradient) {
            assert!((one - other).abs() < 1e-7 * scale, "{}: {one} {other}", a.name);
        }
    }
}

/// Turning the whole scene changes nothing.
#[test]
fn a_turned_scene_has_the_same_results() {
    // The columns of a rotation.
    let [x, y, z] = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]];
    let scene = |axes: [[f64; 3]; 3]| {
        let sum = |parts: [&str; 3]| {
            let component = |k: usize| {
                format!(
                    "\"{}*({}) + {}*({}) + {}*({})\"",
                    axes[0][k], parts[0], axes[1][k], parts[1], axes[2][k], parts[2]
                )
            };
            format!("[{}, {}, {}]", component(0), component(1), component(2))
        };
        spatial(
            1.5,
            &format!(
                r#"gravity: {}, parameters: {{ "mu": 0.3, "v": 2.0, "th": 0.2, "F": 2.0 }},
                points: {{ "P": (at: [0, 0, 0], mass: 1.5, velocity: {}) }},
                forces: {{ "pull": Load(at: "P", force: {}) }},
                contacts: {{ "slope": Touch(point: "P", surface: Plane(through: [0, 0, 0], normal: {}), law: Friction(coefficient: "mu", stribeck: 0.5, static: 0.35, viscous: 0.1)) }},
                objectives: {{ "speed": Integral("P.vx^2 + P.vy^2 + P.vz^2"), "W": Integral("slope.heat"), "height": Final("energy.total") }},"#,
                sum(["9.81*sin(th)", "0", "-9.81*cos(th)"]),
                sum(["v", "1", "0"]),
                sum(["0", "F*sin(5*t)", "0"]),
                sum(["0", "0", "1"]),
            ),
        )
    };
    let of = |axes| experiment(&scene(axes), &tight()).gradient(Method::Adjoint).unwrap();
    let straight = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let [one, other] = [of(straight), of([x, y, z])];
    assert_eq!(one.events.len(), other.events.len());
    for (a, b) in one.objectives.iter().zip(&other.objectives) {
        assert!((a.value - b.value).abs() < 1e-9, "{}: {} {}", a.name, a.value, b.value);
        for (one, other) in a.gradient.iter().zip(&b.gradient) {
            assert!(
                (one - other).abs() < 1e-7 * (1.0 + one.abs()),
                "{}: {one} {other}",
                a.name
            );
        }
    }
}

/// Where the coefficients are one, slip begins without acceleration: under a force that grows it is as the square of the time.
#[test]
fn slip_begins_slowly_where_the_coefficients_are_one() {
    let fields = r#"
        gravity: [0, 0, -10], parameters: { "c": 5.0, "mu": 0.3, "m": 2.0 },
        points: { "P": (at: [0, 0, 0], mass: "m") },
        forces: { "pull": Load(at: "P", force: ["0.6*c*t", "0.8*c*t", 0]) },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: "mu")) },
        objectives: { "x": Final("P.x"), "y": Final("P.y"), "vx": Final("P.vx") },"#;
    let (c, m, t0) = (5.0, 2.0, 0.3 * 2.0 * 10.0 / 5.0);
    let t = 2.5 - t0;
    let found = agreed(&experiment(&spatial(2.5, fields), &tolerances(1e-10, 1e-12)), 1e-7);
    let wanted = [
        0.6 * c * t * t * t / (6.0 * m),
        0.8 * c * t * t * t / (6.0 * m),
        0.6 * c * t * t / (2.0 * m),
    ];
    for (own, wanted) in found.objectives.iter().zip(wanted) {
        assert!((own.value - wanted).abs() < 1e-8, "{} {wanted}", own.value);
    }
    // t0 grows by t0/mu with mu, and x' is the velocity.
    let k = found.parameters.iter().position(|name| name == "mu").unwrap();
    let slope = -wanted[2] * t0 / 0.3;
    assert!(
        (found.objectives[0].gradient[k] - slope).abs() < 1e-6 * slope.abs(),
        "{} {slope}",
        found.objectives[0].gradient[k]
    );
}

/// On a table that turns, a sphere that rolls goes round a circle with 2/7 of its angular velocity (Earnshaw).
#[test]
fn a_sphere_rolls_round_a_circle_on_a_turntable() {
    let text = spatial(
        4.0,
        r#"gravity: [0, 0, -9.81], parameters: { "W": 3.0, "r": 0.1, "v": 0.2 },
        ground: { "O": [0, 0, 0] },
        bodies: {
            "table": Solid(mass: 5, inertia: [1, 1, 2, 0, 0, 0], at: [0, 0, 0]),
            "ball": Solid(mass: 1.3, inertia: ["0.4*1.3*r^2", "0.4*1.3*r^2", "0.4*1.3*r^2", 0, 0, 0], at: [0.5, 0, "r"],
                velocity: ["v", 0, 0], angular_velocity: ["W*0.5/r", "v/r", 0]),
        },
        joints: { "axle": Revolute(between: ("O", "table.origin"), axis: [0, 0, 1], angle: 0), "motor": DriveCoordinate(coordinate: "axle.angle", value: "W*t") },
        contacts: { "rolling": Touch(point: "ball.origin", radius: "r", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1], on: "table"), law: Friction(coefficient: 0.6)) },
        objectives: { "x": Final("ball.x"), "y": Final("ball.y"), "heat": Integral("rolling.heat") },"#,
    );
    let (v, turn, t) = (0.2, 2.0 * 3.0 / 7.0, 4.0_f64);
    for changes in [tight(), under(Multipliers)] {
        let found = report(&experiment(&text, &changes));
        let wanted = [
            0.5 + v / turn * (turn * t).sin(),
            v / turn * (1.0 - (turn * t).cos()),
            0.0,
        ];
        for ((name, value), wanted) in found.objectives.iter().zip(wanted) {
            assert!((value - wanted).abs() < 1e-8, "{name}: {value} {wanted}");
        }
    }
    let found = agreed(&experiment(&text, &tight()), 1e-8);
    // The angle is 2 W t/7 and the radius v/(2 W/7).
    let k = found.parameters.iter().position(|name| name == "v").unwrap();
    assert!((found.objectives[1].gradient[k] - (1.0 - (turn * t).cos()) / turn).abs() < 1e-8);
}

/// A sphere that starts to roll down a plane rolls with 5/7 of the acceleration, and slips where the plane is steep.
#[test]
fn a_sphere_rolls_down_a_plane_or_slips() {
    let scene = |mu: f64| {
        spatial(
            1.5,
            &format!(
                r#"gravity: ["9.81*sin(th)", 0, "-9.81*cos(th)"], parameters: {{ "th": 0.4, "r": 0.1, "m": 2.0, "mu": {mu} }},
                bodies: {{ "ball": Solid(mass: "m", inertia: ["0.4*m*r^2", "0.4*m*r^2", "0.4*m*r^2", 0, 0, 0], at: [0, 0, "r"], velocity: [0, 0, 0], angular_velocity: [0, 0, 5]) }},
                contacts: {{ "slope": Touch(point: "ball.origin", radius: "r", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: "mu")) }},
                objectives: {{ "x": Final("ball.x"), "turning": Final("ball.l_y"), "W": Integral("slope.heat") }},"#
            ),
        )
    };
    let (g, th, t, m) = (9.81, 0.4_f64, 1.5, 2.0);
    let rolling = agreed(&experiment(&scene(0.5), &tight()), 1e-8);
    assert!((rolling.objectives[0].value - 0.5 * 5.0 / 7.0 * g * th.sin() * t * t).abs() < 1e-9);
    assert!((rolling.objectives[0].gradient[0] - 0.5 * 5.0 / 7.0 * g * th.cos() * t * t).abs() < 1e-8);
    // It slips where mu < 2/7 tan th.
    let slipping = agreed(&experiment(&scene(0.1), &tight()), 1e-8);
    let a = g * (th.sin() - 0.1 * th.cos());
    assert!(
        (slipping.objectives[0].value - 0.5 * a * t * t).abs() < 1e-8,
        "{}",
        slipping.objectives[0].value
    );
    assert!((slipping.objectives[0].gradient[3] + 0.5 * g * th.cos() * t * t).abs() < 1e-7);
    assert!(
        slipping.objectives[2].value > 0.1 * m,
        "{}",
        slipping.objectives[2].value
    );
}

/// Under a penalty the law is that of the plane's scenes: as exact as the penalty.
#[test]
fn a_penalty_gives_the_same_motion() {
    let text = spatial(4.0, POINT);
    let [exact, penalty] = [tight(), under(Penalty)].map(|changes| report(&experiment(&text, &changes)));
    for ((name, one), (_, other)) in exact.objectives.iter().zip(&penalty.objectives) {
        assert!((one - other).abs() < 1e-5 * (1.0 + one.abs()), "{name}: {one} {other}");
    }
}

/// The corner of a box strikes a rough floor: its slip turns during the impact, which loses energy.
#[test]
fn a_corner_strikes_with_the_cone() {
    let text = spatial(
        0.5,
        r#"gravity: [0, 0, -9.81], parameters: { "m": 2.0, "h": 0.6, "e": 0.5, "mu": 0.2, "phi": 0.5, "th": 0.7, "vx": 1.0, "w": 2.0 },
        bodies: {
            "box": Solid(mass: "m", inertia: ["m*(0.3^2 + 0.2^2)/12", "m*(0.4^2 + 0.2^2)/12", "m*(0.4^2 + 0.3^2)/12", 0, 0, 0],
                at: [0, 0, "h"], velocity: ["vx", 0.3, 0], orientation: Rotations([X("phi"), Y("th")]), angular_velocity: [0, 0, "w"],
                markers: { "c": [0.2, -0.15, -0.1] }),
        },
        contacts: { "floor": Touch(point: "box.c", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: "mu", restitution: "e")) },
        objectives: {
            "x": Final("box.x"), "y": Final("box.y"), "z": Final("box.z"), "spin": Final("box.omega_x"), "turn": Final("box.omega_y"), "E": Final("energy.total"),
        },"#,
    );
    for text in [
        text.clone(),
        with_value(&text, "mu", 3.0),
        text.replace("restitution: \"e\"", "restitution: \"e\", hypothesis: Newton"),
    ] {
        let (found, _) = experiment(&text, &tight()).run_balanced(false, &mut |_| {}).unwrap();
        assert_eq!(found.events.len(), 1, "{:?}", found.events);
        assert!(found.balance.as_ref().unwrap().missing.abs() < 1e-9);
        let gradient = agreed(&experiment(&text, &tight()), 1e-9);
        let mu = if text.contains("\"mu\": 3.0") { 3.0 } else { 0.2 };
        for (parameter, value) in [
            ("mu", mu),
            ("e", 0.5),
            ("phi", 0.5),
            ("vx", 1.0),
            ("h", 0.6),
            ("m", 2.0),
        ] {
            differenced(&text, parameter, value, &gradient, 1e-6);
        }
    }
}

/// A ball with spin strikes floor and wall at one instant, and slips on both: each impulse changes the slip at the other.
#[test]
fn impulses_at_two_surfaces_slip_together() {
    let text = spatial(
        1.0,
        r#"parameters: { "m": 0.4, "mu": 0.05, "e": 0.5, "v": 1.0, "w": 10.0, "a": 0.001 },
        bodies: { "ball": Solid(mass: "m", inertia: ["a", "a", "a", 0, 0, 0], at: [-0.5, 0, 0.6], velocity: ["v", 0.5, "-v"], angular_velocity: [-5, "w", 3]) },
        contacts: {
            "floor": Touch(point: "ball.origin", radius: 0.1, surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: "mu", restitution: "e")),
            "wall": Touch(point: "ball.origin", radius: 0.1, surface: Plane(through: [0.1, 0, 0], normal: [-1, 0, 0]), law: Friction(coefficient: "mu", restitution: "e")),
        },
        objectives: { "x": Final("ball.x"), "y": Final("ball.y"), "z": Final("ball.z"), "wx": Final("ball.l_x"), "E": Final("energy.total") },"#,
    );
    let (found, _) = experiment(&text, &tight()).run_balanced(false, &mut |_| {}).unwrap();
    assert!(
        found
            .events
            .iter()
            .all(|event| event.kind == "impact" && (event.t - 0.5).abs() < 1e-12)
    );
    assert!(found.balance.as_ref().unwrap().missing.abs() < 1e-12);
    // Which of them comes first matters: there is no derivative, and it is said.
    let error = experiment(&text, &tight()).gradient(Method::Adjoint).unwrap_err();
    assert!(error.to_string().contains("same instant"), "{error}");
}

/// Without a coefficient a contact in space is one without friction, impacts and rest included.
#[test]
fn without_a_coefficient_nothing_rubs() {
    let scene = |law: &str| {
        spatial(
            2.0,
            &format!(
                r#"gravity: ["9.81*sin(th)", 0, "-9.81*cos(th)"], parameters: {{ "e": 0.4, "h": 0.3, "th": 0.2 }},
                bodies: {{ "ball": Solid(mass: 1.5, inertia: [0.006, 0.006, 0.006, 0, 0, 0], at: [0, 0, "h"], velocity: [0.5, 1, 0], angular_velocity: [3, 1, 2]) }},
                contacts: {{ "floor": Touch(point: "ball.origin", radius: 0.1, surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: {law}) }},
                objectives: {{ "x": Final("ball.x"), "y": Final("ball.y"), "z": Integral("ball.z"), "n": Integral("floor.force") }},"#
            ),
        )
    };
    let [plain, rubbed] = ["Restitution(\"e\")", "Friction(coefficient: 0, restitution: \"e\")"]
        .map(|law| experiment(&scene(law), &tight()).gradient(Method::Adjoint).unwrap());
    assert_eq!(plain.events.len(), rubbed.events.len());
    for (a, b) in plain.objectives.iter().zip(&rubbed.objectives) {
        assert!((a.value - b.value).abs() < 1e-10, "{} {}", a.value, b.value);
        for (a, b) in a.gradient.iter().zip(&b.gradient) {
            assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "{a} {b}");
        }
    }
}

/// The bob of a pendulum in space strikes a rough wall, along which its rod leaves it one direction: it slips in that, with a rebound by two
/// stages integrated apart.
#[test]
fn a_bob_slips_where_its_rod_lets_it() {
    let text = spatial(
        1.6,
        r#"gravity: [0, 0, -9.81], parameters: { "mu": 0.3, "e": 0.5, "y": 0.3 }, ground: { "A": [0, 0, 0] },
        points: { "P": (guess: [-0.5, "y", -0.8], hold: [X, Y], velocity: [0, 0.4, "free"], mass: 1) },
        bodies: { "rod": Bar(from: "A", to: "P", length: 1) },
        contacts: { "wall": Touch(point: "P", radius: 0.02, surface: Plane(through: [0.2, 0, 0], normal: [-1, 0, 0]),
            law: Friction(coefficient: "mu", restitution: "e")) },
        objectives: { "x": Final("P.x"), "y": Final("P.y") },"#,
    );
    let found = experiment(&text, &tight());
    let run = report(&found);
    assert!((objective(&run, "x") + 0.213_204_97).abs() < 1e-8);
    assert!((objective(&run, "y") + 0.011_250_81).abs() < 1e-8);
    agreed(&found, 1e-9);
    certified(&text, Nullspace);
}

/// In a bowl and on a dome the components of the friction force are those of the force on the ball, by Newton's law.
#[test]
fn the_friction_force_is_that_on_the_point() {
    for (inside, height, towards) in [(true, -0.85, -1.0), (false, 1.15, 1.0)] {
        let reach = f64::abs(height);
        let defect = |axis: char, weight: f64| {
            format!(r#""1.3*b.a{axis} + {weight} - ({towards})*k.force*b.{axis}/{reach} - k.friction_{axis}""#)
        };
        let scene = spatial(
            0.2,
            &format!(
                r#"gravity: [0, 0, -9.81], ground: {{ "C": [0, 0, 0] }},
                bodies: {{ "b": Solid(mass: 1.3, inertia: [0.02, 0.02, 0.02, 0, 0, 0], at: ["0.5*{reach}", 0, "sqrt(0.75)*{height}"],
                    velocity: [0, 1.2, 0], angular_velocity: [0, 1, 6]) }},
                contacts: {{ "k": Touch(point: "b.origin", radius: 0.15, surface: Circle(centre: "C", radius: 1.0, inside: {inside}),
                    law: Friction(coefficient: 0.25)) }},
                outputs: {{ "x": {}, "y": {}, "z": {}, "T": "k.friction", "heat": "k.heat",
                    "power": "k.heat + k.friction_x*k.slip_x + k.friction_y*k.slip_y + k.friction_z*k.slip_z" }},"#,
                defect('x', 0.0),
                defect('y', 0.0),
                defect('z', 12.753),
            ),
        );
        let found = report(&experiment(&scene, &tight()));
        assert!(
            output(&found, "T") > 1.0 && output(&found, "heat") > 0.1,
            "inside: {inside}"
        );
        for name in ["x", "y", "z", "power"] {
            close(name, output(&found, name), 0.0, 1e-9);
        }
    }
}
