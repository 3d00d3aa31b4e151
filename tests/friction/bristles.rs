//! Friction of bristles (LuGre): an independent integration, the rest that it creeps into, free bristles, space, joints, derivatives.

use costate::run::{Changes, Experiment, Method};
use costate::scene::schema::FormulationKind::Nullspace;

use crate::support::{
    agreed, certified, close, experiment, objective, output, planar, report, spatial, tight, tolerances,
};

const LAW: &str = r#"static: "mus", stribeck: 0.05, viscous: 0.2, bristles: "s", bristle_damping: "d""#;
const PARAMETERS: &str = r#"parameters: { "mu": 0.1, "mus": 0.15, "s": 400.0, "d": 6.0, "x0": 0.3 },"#;

/// A mass on a spring that rubs on the floor.
fn floor() -> String {
    planar(
        1.0,
        &format!(
            r#"{PARAMETERS} gravity: [0, -9.81], points: {{ "mass": (at: ["x0", 0], mass: 1) }},
            forces: {{ "spring": Load(at: "mass", force: ["-25*mass.x", 0]) }},
            contacts: {{ "floor": Touch(point: "mass", surface: Plane(through: [0, 0], normal: [0, 1]),
                law: Friction(coefficient: "mu", {LAW})) }},
            objectives: {{ "x": Final("mass.x"), "z": Final("floor.bend"), "T": Final("floor.friction"), "W": Integral("floor.heat") }},"#
        ),
    )
}

/// Place, velocity and bend after a second by the classical Runge-Kutta method.
fn integrated([mu, mus, s, d, x0]: [f64; 5]) -> [f64; 3] {
    let pressed = 9.81;
    let rates = |[x, v, z]: [f64; 3]| {
        let g = mu + (mus - mu) * (-v.abs() / 0.05).exp();
        let bend = v - s * v.abs() * z / g;
        [v, -25.0 * x - pressed * (s * z + d * bend) - 0.2 * v, bend]
    };
    let steps = 40_000;
    let h = 1.0 / f64::from(steps);
    (0..steps).fold([x0, 0.0, 0.0], |y, _| {
        let along = |k: [f64; 3], part: f64| std::array::from_fn(|i| y[i] + part * h * k[i]);
        let a = rates(y);
        let b = rates(along(a, 0.5));
        let c = rates(along(b, 0.5));
        let d = rates(along(c, 1.0));
        std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]))
    })
}

#[test]
fn a_mass_on_a_spring_moves_as_the_law_says() {
    let at = [0.1, 0.15, 400.0, 6.0, 0.3];
    let experiment = experiment(&floor(), &tight());
    let found = report(&experiment);
    let [x, v, z] = integrated(at);
    close("x", objective(&found, "x"), x, 1e-9);
    close("z", objective(&found, "z"), z, 1e-9);
    let g = 0.1 + 0.05 * (-v.abs() / 0.05).exp();
    let force = -9.81 * (400.0 * z + 6.0 * (v - 400.0 * v.abs() * z / g)) - 0.2 * v;
    close("T", objective(&found, "T"), force, 1e-7);
    let (balanced, _) = experiment.run_balanced(false, &mut |_| {}).unwrap();
    assert!(balanced.balance.as_ref().unwrap().missing.abs() < 1e-9);
    let gradient = experiment.gradient(Method::Adjoint).unwrap();
    for (k, by) in ["mu", "mus", "s", "d", "x0"].into_iter().enumerate() {
        let h = 1e-3 * at[k];
        let moved = |sign: f64| {
            let mut values = at;
            values[k] += sign * h;
            integrated(values)[0]
        };
        let pair = |s: f64| moved(s) - moved(-s);
        let want = (45.0 * pair(1.0) - 9.0 * pair(2.0) + pair(3.0)) / (60.0 * h);
        let place = gradient.parameters.iter().position(|name| name == by).unwrap();
        close(
            by,
            gradient.objectives[0].gradient[place],
            want,
            1e-6 * want.abs().max(1e-2),
        );
    }
    certified(&floor(), Nullspace);
}

/// The same along a line of a plane in space, and in a guide and a brake whose friction is given.
#[test]
fn space_and_joints_follow_the_same_law() {
    let want = objective(&report(&experiment(&floor(), &tight())), "x");
    let in_space = spatial(
        1.0,
        &format!(
            r#"{PARAMETERS} gravity: [0, 0, -9.81], points: {{ "mass": (at: ["0.6*x0", "0.8*x0", 0], mass: 1) }},
            forces: {{ "spring": Load(at: "mass", force: ["-25*mass.x", "-25*mass.y", 0]) }},
            contacts: {{ "floor": Touch(point: "mass", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]),
                law: Friction(coefficient: "mu", {LAW})) }},
            outputs: {{ "bend": "hypot(floor.bend_1, floor.bend_2)" }},
            objectives: {{ "x": Final("mass.x"), "y": Final("mass.y") }},"#
        ),
    );
    let found = report(&experiment(&in_space, &tight()));
    close("x in space", objective(&found, "x"), 0.6 * want, 1e-9);
    close("y in space", objective(&found, "y"), 0.8 * want, 1e-9);
    certified(&in_space, Nullspace);
    let guide = |friction: &str| {
        planar(
            1.0,
            &format!(
                r#"{PARAMETERS} gravity: [0, -9.81], points: {{ "mass": (at: ["x0", 0], mass: 1) }},
                forces: {{ "spring": Load(at: "mass", force: ["-25*mass.x", 0]) }},
                joints: {{ "guide": PointOnLine(point: "mass", line: Fixed(through: [0, 0], direction: [1, 0]), friction: {friction}) }},
                objectives: {{ "x": Final("mass.x") }},"#
            ),
        )
    };
    let reaction = guide(&format!(r#"Reaction(coefficient: "mu", {LAW})"#));
    close(
        "guide",
        objective(&report(&experiment(&reaction, &tight())), "x"),
        want,
        1e-9,
    );
    let given = LAW
        .replace(r#""mus""#, r#""9.81*mus""#)
        .replace(r#""s""#, r#""9.81*s""#)
        .replace(r#""d""#, r#""9.81*d""#);
    let given = guide(&format!(r#"Preload(kinetic: "9.81*mu", {given})"#));
    close(
        "preload",
        objective(&report(&experiment(&given, &tight())), "x"),
        want,
        1e-9,
    );
}

/// A ball that slides while it lies and bounces: in the air its bristles spring back, on a slope it creeps into rest.
#[test]
fn bristles_spring_back_in_the_air_and_hold_on_a_slope() {
    let bounce = planar(
        0.6,
        &format!(
            r#"{PARAMETERS} gravity: [0, -9.81], points: {{ "P": (at: [0, 0], velocity: ["x0", 0], mass: 1) }},
            forces: {{ "lift": Load(at: "P", force: [0, "30*step(t - 0.2)*step(0.3 - t)"]) }},
            contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]),
                law: Friction(coefficient: "mu", {LAW}, restitution: 0.3)) }},
            outputs: {{ "z": "floor.bend" }},
            objectives: {{ "there": At(time: 0.2, of: "floor.bend"), "air": At(time: 0.21, of: "floor.bend"), "x": Final("P.x") }},"#
        ),
    );
    let found = report(&experiment(&bounce, &tight()));
    let [there, air] = ["there", "air"].map(|name| objective(&found, name));
    assert!(there.abs() > 1e-5, "{there}");
    close("in the air", air, there * (-400.0 / 6.0 * 0.01_f64).exp(), 1e-10);
    certified(&bounce, Nullspace);
    let slope = planar(
        3.0,
        &format!(
            r#"{PARAMETERS} gravity: ["9.81*sin(0.05)", "-9.81*cos(0.05)"], points: {{ "P": (at: [0, 0], mass: 1) }},
            contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: "mu", {LAW})) }},
            outputs: {{ "u": "P.vx", "z": "floor.bend" }},"#
        ),
    );
    let found = report(&experiment(&slope, &tolerances(1e-9, 1e-11)));
    // s z N carries the weight, and the bend itself creeps no more.
    close("bend", output(&found, "z"), 0.05_f64.tan() / 400.0, 1e-8);
    assert!(output(&found, "u").abs() < 1e-7);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refusal = |law: &str| -> String {
        let text = floor().replace(&format!(r#"coefficient: "mu", {LAW}"#), law);
        assert_ne!(text, floor());
        let file = costate::scene::parse("test.ron", &text).unwrap();
        Experiment::new(&file, &Changes::default())
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    for (law, words) in [
        ("coefficient: 0.1, bristles: 400", "need a damping"),
        ("coefficient: 0.1, bristle_damping: 4", "no bristles"),
        (
            "coefficient: 0.1, static: 0.2, bristles: 400, bristle_damping: 4",
            "over which slip velocity",
        ),
        (
            "coefficient: 0.1, regularized: 0.1, bristles: 400, bristle_damping: 4",
            "either regularized",
        ),
        ("coefficient: 0, bristles: 400, bristle_damping: 4", "without friction"),
        ("coefficient: 0.1, bristles: 0, bristle_damping: 4", "positive"),
    ] {
        let found = refusal(law);
        assert!(found.contains(words), "{law}: {found}");
    }
}

/// Where a wheel or a ball has come to roll, the sign of what is left of its slip is rounding, which costates must not follow. Their
/// speed then is that of rigid rolling, by their angular momentum about where they touch.
#[test]
fn costates_pass_rolling() {
    let law = r#"law: Friction(coefficient: "mu", bristles: 300, bristle_damping: 3)"#;
    let parameters = r#"parameters: { "mu": 0.2, "w0": 20.0, "R": 0.1, "a": 0.02 },"#;
    let wheel = planar(
        2.0,
        &format!(
            r#"{parameters} gravity: ["9.81*sin(a)", "-9.81*cos(a)"],
            bodies: {{ "wheel": Rigid(mass: 1, inertia: 0.005, at: [0, "R", 0], velocity: [3, 0, "w0"]) }},
            contacts: {{ "floor": Touch(point: "wheel.origin", radius: "R", surface: Plane(through: [0, 0], normal: [0, 1]), {law}) }},
            objectives: {{ "v": Final("wheel.vx"), "x": Final("wheel.x") }},"#
        ),
    );
    let ball = spatial(
        2.0,
        &format!(
            r#"{parameters} gravity: ["9.81*sin(a)", 0, "-9.81*cos(a)"],
            bodies: {{ "ball": Solid(mass: 1, inertia: [0.005, 0.005, 0.005, 0, 0, 0], at: [0, 0, "R"], velocity: [3, 0.5, 0], angular_velocity: [0, "-w0", 0]) }},
            contacts: {{ "floor": Touch(point: "ball.origin", radius: "R", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), {law}) }},
            objectives: {{ "v": Final("ball.vx"), "x": Final("ball.x") }},"#
        ),
    );
    let (angle, radius, inertia) = (0.02_f64, 0.1, 0.005);
    let slower = radius / (inertia + radius * radius);
    let pull = 9.81 * radius * 2.0;
    let speed = slower * (radius * 3.0 - inertia * 20.0 + pull * angle.sin());
    for text in [wheel, ball] {
        let found = agreed(&experiment(&text, &Changes::default()), 1e-7);
        let v = &found.objectives[0];
        close("v", v.value, speed, 1e-8);
        for (by, want) in [
            ("mu", 0.0),
            ("w0", -slower * inertia),
            ("a", slower * pull * angle.cos()),
        ] {
            let place = found.parameters.iter().position(|name| name == by).unwrap();
            close(by, v.gradient[place], want, 1e-7);
        }
    }
}
