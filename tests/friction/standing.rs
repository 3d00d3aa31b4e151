//! Feet of one body on one flat face in space: the limit surface, closed forms and integrations of their own, gradients by every method.

use costate::run::{GradientReport, Method, Report};
use costate::scene::schema::FormulationKind::{Multipliers, Nullspace, Penalty};

use crate::support::{certified, experiment, happenings, objective, report, spatial, tight, times, under};

/// Feet of a tripod whose centre is that of the body.
const FEET: [[f64; 2]; 3] = [[0.3, 0.0], [-0.15, 0.25], [-0.15, -0.25]];

/// A tripod that is pulled at a place of its face.
struct Tripod {
    feet: Vec<[f64; 2]>,
    parameters: &'static str,
    /// Where the pull acts, and how.
    pull: ([f64; 2], &'static str),
    law: &'static str,
    start: &'static str,
    duration: f64,
    outputs: &'static str,
}

impl Default for Tripod {
    fn default() -> Self {
        Self {
            feet: FEET.to_vec(),
            parameters: r#""F": 0.0"#,
            pull: ([0.0, 0.0], r#"["F*t", 0, 0]"#),
            law: r#"Friction(coefficient: "mu")"#,
            start: r#"at: [0, 0, "h"], velocity: ["vx", "vy", 0], angular_velocity: [0, 0, "w"]"#,
            duration: 1.0,
            outputs: "",
        }
    }
}

impl Tripod {
    fn text(&self) -> String {
        let feet = self.feet.iter().enumerate();
        let markers: String = (feet.clone())
            .map(|(k, [x, y])| format!("\"f{k}\": [{x:?}, {y:?}, \"-h\"], "))
            .collect();
        let contacts: String = (feet.clone())
            .map(|(k, _)| {
                format!(
                    "\"foot{k}\": Touch(point: \"b.f{k}\", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: {}), ",
                    self.law
                )
            })
            .collect();
        let heat: Vec<String> = feet.map(|(k, _)| format!("foot{k}.heat")).collect();
        let ([x, y], force) = self.pull;
        spatial(
            self.duration,
            &format!(
                r#"gravity: [0, 0, -10], parameters: {{ "m": 2.0, "mu": 0.3, {} }},
                bodies: {{ "b": Solid(mass: "m", inertia: [0.03, 0.04, 0.05, 0, 0, 0], {}, markers: {{ "p": [{x:?}, {y:?}, "-h"], {markers} }}) }},
                forces: {{ "pull": Load(at: "b.p", force: {force}) }},
                contacts: {{ {contacts} }},
                objectives: {{ "x": Final("b.x"), "y": Final("b.y"), "vx": Final("b.vx"), "w": Final("b.omega_z"), "turn": Integral("b.omega_z"),
                    "W": Integral("{}"), {} }},"#,
                self.parameters,
                self.start,
                heat.join(" + "),
                self.outputs,
            ),
        )
    }

    fn report(&self) -> Report {
        report(&experiment(&self.text(), &tight()))
    }
}

#[track_caller]
pub fn near(what: &str, found: f64, wanted: f64, tolerance: f64) {
    let error = (found - wanted).abs();
    assert!(error <= tolerance * wanted.abs().max(1.0), "{what}: {found} {wanted}");
}

/// Both methods, held to each other over the largest of an objective.
#[track_caller]
pub fn agreed(text: &str, tolerance: f64) -> GradientReport {
    let experiment = experiment(text, &tight());
    let [adjoint, forward] = [Method::Adjoint, Method::Forward].map(|method| experiment.gradient(method).unwrap());
    for (a, b) in adjoint.objectives.iter().zip(&forward.objectives) {
        let scale = b.gradient.iter().fold(1e-3, |most: f64, slope| most.max(slope.abs()));
        for (one, other) in a.gradient.iter().zip(&b.gradient) {
            assert!((one - other).abs() < tolerance * scale, "{}: {one} {other}", a.name);
        }
    }
    adjoint
}

#[track_caller]
fn slope(found: &GradientReport, name: &str, parameter: &str) -> f64 {
    let k = found.parameters.iter().position(|own| own == parameter).unwrap();
    let own = found.objectives.iter().find(|own| own.name == name).unwrap();
    own.gradient[k]
}

const STILL: &str = r#""F": 4.0, "h": 0.2, "vx": 0.0, "vy": 0.0, "w": 0.0"#;

/// While they stick their sum is determined, and each is within its cone; the rows of the motion are independent in every formulation.
#[test]
fn a_tripod_stands_and_holds_a_pull() {
    let tripod = Tripod {
        parameters: STILL,
        pull: ([0.1, 0.2], r#"["F", "0.3*F", 0]"#),
        outputs: r#""sx": Final("foot0.friction_x + foot1.friction_x + foot2.friction_x"), "sy": Final("foot0.friction_y + foot1.friction_y + foot2.friction_y"),
            "T0": Final("foot0.friction/foot0.force"), "T1": Final("foot1.friction/foot1.force"), "T2": Final("foot2.friction/foot2.force"),"#,
        ..Tripod::default()
    };
    for formulation in [Nullspace, Multipliers] {
        let found = report(&experiment(&tripod.text(), &under(formulation)));
        assert!(found.events.is_empty(), "{:?}", found.events);
        near("x", objective(&found, "x"), 0.0, 1e-14);
        near("sum", objective(&found, "sx"), -4.0, 1e-12);
        near("sum", objective(&found, "sy"), -1.2, 1e-12);
        let used = ["T0", "T1", "T2"].map(|name| objective(&found, name));
        for other in used {
            assert!(other < 0.3, "{used:?}");
            near("all are used alike", other, used[0], 1e-11);
        }
    }
    let found = agreed(&tripod.text(), 1e-10);
    near("by F", slope(&found, "sx", "F"), -1.0, 1e-11);
    near("by F", slope(&found, "T0", "F"), found.objectives[8].value / 4.0, 1e-10);
}

/// Without a load the sum of what they hold has its derivative still.
#[test]
fn feet_that_hold_nothing_have_derivatives_of_what_they_would() {
    let tripod = Tripod {
        parameters: r#""F": 0.0, "h": 0.2, "vx": 0.0, "vy": 0.0, "w": 0.0"#,
        pull: ([0.1, 0.2], r#"["F", 0, 0]"#),
        outputs: r#""sx": Final("foot0.friction_x + foot1.friction_x + foot2.friction_x"),"#,
        duration: 0.1,
        ..Tripod::default()
    };
    near("by F", slope(&agreed(&tripod.text(), 1e-10), "sx", "F"), -1.0, 1e-12);
}

/// Slip begins at the load of the limit surface: through the centre at the sum of the cones, else where a minimization of its own has it.
#[test]
fn slip_begins_at_the_limit_surface() {
    // The least F by Nelder-Mead over the motions, with 2 N at each foot.
    for (place, force, limit) in [
        ([0.0, 0.0], r#"["F*t", 0, 0]"#, 6.0),
        ([0.1, 0.2], r#"["F*t", "0.3*F*t", 0]"#, 4.782_109_404_093_295),
        ([0.5, 0.0], r#"[0, "F*t", 0]"#, 2.884_953_479_596_929_6),
        ([2.0, 0.0], r#"[0, "F*t", 0]"#, 0.864_589_738_258_151_2),
        ([0.02, 0.03], r#"["F*t", "0.3*F*t", 0]"#, 5.715_082_738_768_44),
    ] {
        let tripod = Tripod {
            parameters: r#""F": 10.0, "h": 0.0, "ms": 0.3, "vx": 0.0, "vy": 0.0, "w": 0.0"#,
            law: r#"Friction(coefficient: "mu", static: "ms")"#,
            pull: (place, force),
            duration: limit / 10.0 + 0.002,
            ..Tripod::default()
        };
        let text = tripod.text().replace("\"mu\": 0.3", "\"mu\": 0.25");
        let found = report(&experiment(&text, &tight()));
        assert_eq!(happenings(&found), [("foot0", "slip")]);
        near("start", times(&found)[0], limit / 10.0, 1e-12);
    }
}

/// A tripod that slides without turning stops where the work of friction says; its height shifts what its feet carry, and no more.
#[test]
fn a_tripod_slides_to_rest() {
    let tripod = Tripod {
        parameters: r#""F": 0.0, "h": 0.2, "vx": 1.0, "vy": 0.5, "w": 0.0"#,
        ..Tripod::default()
    };
    let found = tripod.report();
    assert_eq!(happenings(&found), [("foot0", "stick")]);
    let speed = 1.25_f64.sqrt();
    near("time", times(&found)[0], speed / 3.0, 1e-9);
    near("x", objective(&found, "x"), speed / 6.0, 1e-9);
    near("y", objective(&found, "y"), speed / 12.0, 1e-9);
    near("heat", objective(&found, "W"), 1.25, 1e-9);
    let gradient = certified(&tripod.text(), Nullspace);
    // x = vx |v|/(2 mu g).
    near("by mu", slope(&gradient, "x", "mu"), -speed / 1.8, 1e-7);
    near("by vx", slope(&gradient, "x", "vx"), (speed + 1.0 / speed) / 6.0, 1e-7);
    near("by vy", slope(&gradient, "x", "vy"), 0.5 / speed / 6.0, 1e-7);
}

/// One that spins about its centre stops after the angle I w^2/(2 mu m g r).
#[test]
fn a_tripod_spins_to_rest() {
    let (s, c) = (3.0_f64.sqrt() / 2.0 * 0.3, -0.15);
    let tripod = Tripod {
        feet: vec![[0.3, 0.0], [c, s], [c, -s]],
        parameters: r#""F": 0.0, "h": 0.2, "vx": 0.0, "vy": 0.0, "w": 4.0"#,
        duration: 0.3,
        ..Tripod::default()
    };
    let found = tripod.report();
    assert_eq!(happenings(&found), [("foot0", "stick")]);
    near("time", times(&found)[0], 0.05 * 4.0 / 1.8, 1e-9);
    near("angle", objective(&found, "turn"), 0.05 * 16.0 / 3.6, 1e-9);
    let gradient = agreed(&tripod.text(), 1e-8);
    near("by w", slope(&gradient, "turn", "w"), 0.05 * 8.0 / 3.6, 1e-8);
}

/// Sliding and spinning against an integration of its own (DOP853 at 1e-13), up to an instant and to rest, where the turning fades first.
#[test]
fn a_tripod_slides_and_spins() {
    let tripod = |duration: f64| Tripod {
        parameters: r#""F": 0.0, "h": 0.2, "vx": 1.0, "vy": 0.5, "w": 4.0"#,
        duration,
        ..Tripod::default()
    };
    let found = tripod(0.2).report();
    for (name, wanted) in [
        ("x", 0.156_438_359_676_490_45),
        ("y", 0.082_855_026_875_490_65),
        ("turn", 0.467_584_299_755_683_4),
        ("vx", 0.551_800_161_290_059_2),
        ("w", 1.031_056_085_388_298_2),
    ] {
        near(name, objective(&found, name), wanted, 1e-9);
    }
    let found = tripod(1.0).report();
    assert_eq!(happenings(&found), [("foot0", "stick")]);
    for (name, wanted) in [
        ("x", 0.216_583_199_358_688_1),
        ("y", 0.112_880_943_556_870_59),
        ("turn", 0.538_498_283_345_225_2),
        ("W", 1.25 + 0.4),
    ] {
        near(name, objective(&found, name), wanted, 1e-8);
    }
    for formulation in [Nullspace, Multipliers] {
        certified(&tripod(1.0).text(), formulation);
    }
    let penalty = report(&experiment(&tripod(1.0).text(), &under(Penalty)));
    near("penalty", objective(&penalty, "x"), objective(&found, "x"), 1e-5);
}

/// Pulled beside its centre it begins to slide and turn at once, with the acceleration at which each foot rubs against its own
/// (integrated by itself from there on).
#[test]
fn a_pull_beside_the_centre_slides_and_turns() {
    let tripod = Tripod {
        parameters: r#""F": 10.0, "h": 0.0, "ms": 0.4, "vx": 0.0, "vy": 0.0, "w": 0.0"#,
        law: r#"Friction(coefficient: "mu", static: "ms")"#,
        pull: ([0.1, 0.2], r#"["F*t", "0.3*F*t", 0]"#),
        ..Tripod::default()
    };
    let (found, _) = experiment(&tripod.text(), &tight())
        .run_balanced(false, &mut |_| {})
        .unwrap();
    assert_eq!(happenings(&found), [("foot0", "slip")]);
    near("start", times(&found)[0], 0.478_210_940_409_329_5 / 0.75, 1e-11);
    for (name, wanted) in [
        ("x", 0.107_126_442_273_541_2),
        ("y", 0.027_629_317_886_457_117),
        ("turn", -0.304_919_980_482_277_53),
        ("vx", 0.694_877_349_946_624_3),
        ("w", -1.823_931_942_516_006_3),
    ] {
        near(name, objective(&found, name), wanted, 2e-8);
    }
    assert!(found.balance.as_ref().unwrap().missing.abs() < 1e-9);
    let gradient = agreed(&tripod.text(), 1e-6);
    for (parameter, value) in [("F", 10.0), ("mu", 0.3), ("ms", 0.4), ("m", 2.0)] {
        differenced(&tripod.text(), parameter, value, &gradient, 1e-5);
    }
}

/// The gradient held to central differences of values, extrapolated.
#[track_caller]
fn differenced(text: &str, parameter: &str, value: f64, found: &GradientReport, tolerance: f64) {
    let key = format!("\"{parameter}\": ");
    let start = text.find(&key).unwrap() + key.len();
    let length = text[start..].find([',', ' ', '}']).unwrap();
    let at = |value: f64| {
        let changed = format!("{}{value:?}{}", &text[..start], &text[start + length..]);
        report(&experiment(&changed, &tight()))
    };
    let h = 1e-4 * value.abs();
    let [up, down, up2, down2] = [h, -h, 2.0 * h, -2.0 * h].map(|h| at(value + h));
    for own in &found.objectives {
        let of = |report: &Report| objective(report, &own.name);
        let near_by = (of(&up) - of(&down)) / (2.0 * h);
        let far = (of(&up2) - of(&down2)) / (4.0 * h);
        let wanted = (4.0 * near_by - far) / 3.0;
        near(
            &format!("{} by {parameter}", own.name),
            slope(found, &own.name, parameter),
            wanted,
            tolerance,
        );
    }
}

/// Pulled where the other two take it all, it turns about one foot, which holds.
#[test]
fn a_tripod_turns_about_one_foot() {
    let tripod = Tripod {
        parameters: r#""F": 10.0, "h": 0.0, "ms": 0.4, "vx": 0.0, "vy": 0.0, "w": 0.0"#,
        law: r#"Friction(coefficient: "mu", static: "ms")"#,
        pull: ([-0.289, 0.0], r#"[0, "F*t", 0]"#),
        duration: 0.52,
        outputs: r#""fx": Final("b.f0.x"), "fy": Final("b.f0.y"),"#,
        ..Tripod::default()
    };
    let found = tripod.report();
    assert_eq!(happenings(&found), [("foot0", "slip"), ("foot0", "stick")]);
    near("foot", objective(&found, "fx"), 0.3, 1e-9);
    near("foot", objective(&found, "fy"), 0.0, 1e-9);
    // I w' = F t r cos(turn) - 2 mu N a about the foot, with its arms r of the pull and a of the other feet.
    let (mass, r, a) = (2.0, 0.589_f64, 0.45_f64.hypot(0.25));
    let (inertia, held) = (0.05 + mass * 0.09, 2.0 * (mass * 10.0 / 3.0) * a);
    let start = 0.4 * held / (10.0 * r);
    near("start", times(&found)[0], start, 1e-9);
    let rate = |t: f64, turn: f64| (-10.0 * t * r * turn.cos() + 0.3 * held) / inertia;
    let [turn, spin] = runge_kutta(rate, start, 0.52);
    near("turn", objective(&found, "turn"), turn, 1e-8);
    near("w", objective(&found, "w"), spin, 1e-8);
    agreed(&tripod.text(), 1e-6);
}

/// An angle and its rate from rest, with an acceleration.
fn runge_kutta(rate: impl Fn(f64, f64) -> f64, from: f64, to: f64) -> [f64; 2] {
    let steps = 2000;
    let h = (to - from) / f64::from(steps);
    let [mut x, mut v] = [0.0; 2];
    for k in 0..steps {
        let t = from + h * f64::from(k);
        let a1 = rate(t, x);
        let a2 = rate(t + h / 2.0, x + h / 2.0 * v);
        let a3 = rate(t + h / 2.0, x + h / 2.0 * (v + h / 2.0 * a1));
        let a4 = rate(t + h, x + h * (v + h / 2.0 * a2));
        x += h * (v + h / 6.0 * (a1 + a2 + a3));
        v += h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4);
    }
    [x, v]
}

/// A tripod that falls flat sticks where it lands, or slips by the impulse of the cone; with what bounces back too.
#[test]
fn a_tripod_lands_flat() {
    let landing = |vx: f64, law: &'static str| {
        Tripod {
            parameters: r#""F": 0.0, "h": 0.2, "z": 0.05, "vx": VX, "vy": 0.0, "w": 0.0"#,
            start: r#"at: [0, 0, "h + z"], velocity: ["vx", "vy", 0], angular_velocity: [0, 0, "w"]"#,
            // Nothing tilts it.
            pull: ([0.0, 0.0], r#"[0, 0, "-F"]"#),
            law,
            duration: 0.11,
            ..Tripod::default()
        }
        .text()
        .replace("VX", &format!("{vx:?}"))
    };
    let plastic = r#"Friction(coefficient: "mu")"#;
    // Each foot takes m v/3 at once: what slides loses mu v, as far as it has that. It falls with v = 1 m/s.
    for (vx, left) in [(1.0, 0.7), (0.2, 0.0)] {
        let found = report(&experiment(&landing(vx, plastic), &tight()));
        let slides = f64::from(u8::from(left > 0.0));
        near("speed", objective(&found, "vx"), left - 0.03 * slides, 1e-11);
        assert_eq!(found.events.len(), 3, "{:?}", found.events);
        // Its velocity after is vx - mu v with v^2 = 2 g z.
        let gradient = agreed(&landing(vx, plastic), 1e-9);
        near("by vx", slope(&gradient, "vx", "vx"), slides, 1e-10);
        near("by mu", slope(&gradient, "vx", "mu"), -1.1 * slides, 1e-10);
        // And it lands later.
        near("by z", slope(&gradient, "vx", "z"), (-3.0 + 3.0) * slides, 1e-9);
    }
    let bouncing = landing(1.0, r#"Friction(coefficient: "mu", restitution: 0.4)"#);
    let (found, _) = experiment(&bouncing, &tight())
        .run_balanced(false, &mut |_| {})
        .unwrap();
    assert!(found.balance.as_ref().unwrap().missing.abs() < 1e-12);
    // Poisson: both impulses are within the cone.
    near("speed", objective(&found, "vx"), 1.0 - 0.3 * 1.4, 1e-11);
}

/// Where little slip is left after a landing its directions are far from those before: values of its own, and what Newton's law gives.
#[test]
fn little_slip_after_a_landing_is_found() {
    for (velocity, spin, wanted) in [
        ([-0.23, 0.01], -2.0, [-0.014_060_68, -0.004_211_61, -0.048_062_76]),
        ([0.05, 0.3], 1.0, [0.004_153_51, 0.023_087_02, 0.035_166_05]),
        ([-0.35, -0.02], -2.0, [-0.112_382_47, -0.026_041_56, -0.342_399_92]),
        ([-0.2, -0.29], 0.4, [-0.031_310_21, -0.045_694_42, 0.037_532_86]),
    ] {
        let [vx, vy] = velocity;
        let tripod = Tripod {
            parameters: r#""F": 0.0, "h": 0.0, "vx": VX, "vy": VY, "w": W"#,
            start: r#"at: [0, 0, 0.05], velocity: ["vx", "vy", 0], angular_velocity: [0, 0, "w"]"#,
            pull: ([0.0, 0.0], r#"[0, 0, "-F"]"#),
            duration: 0.1 + 1e-12,
            outputs: r#""vy": Final("b.vy"),"#,
            ..Tripod::default()
        };
        // The feet are turned by the spin until it lands.
        let (sine, cosine) = f64::sin_cos(0.1 * spin);
        let feet = FEET
            .map(|[x, y]| [cosine * x + sine * y, -sine * x + cosine * y])
            .to_vec();
        let text = Tripod { feet, ..tripod }.text();
        let text = text
            .replace("VX", &format!("{vx:?}"))
            .replace("VY", &format!("{vy:?}"))
            .replace("\"w\": W", &format!("\"w\": {spin:?}"));
        let found = report(&experiment(&text, &tight()));
        for (name, value) in ["vx", "vy", "w"].iter().zip(wanted) {
            near(name, objective(&found, name), value, 2e-8);
        }
    }
}

/// A tripod rides on a turntable, whatever the angle between its feet and the axes of the ground.
#[test]
fn a_tripod_rides_on_a_turntable() {
    let tripod = Tripod {
        parameters: r#""F": 0.0, "h": 0.1, "w": 2.0"#,
        start: r#"at: [0.3, 0, "h"], velocity: [0, "0.3*w", 0], angular_velocity: [0, 0, "w"]"#,
        duration: 4.0,
        ..Tripod::default()
    };
    let text = tripod
        .text()
        .replace("normal: [0, 0, 1])", "normal: [0, 0, 1], on: \"disc\")")
        .replace(
            "bodies: { ",
            "ground: { \"O\": [0, 0, 0] }, joints: { \"axle\": Revolute(between: (\"O\", \"disc.origin\"), axis: [0, 0, 1]) },
             bodies: { \"disc\": Solid(mass: 6, inertia: [1, 1, 1.5, 0, 0, 0], at: [0, 0, 0], angular_velocity: [0, 0, \"w\"]), ",
        );
    let found = report(&experiment(&text, &tight()));
    assert!(found.events.is_empty(), "{:?}", found.events);
    near("x", objective(&found, "x"), 0.3 * 8.0_f64.cos(), 1e-9);
    near("y", objective(&found, "y"), 0.3 * 8.0_f64.sin(), 1e-9);
    let gradient = agreed(&text, 1e-8);
    near("by w", slope(&gradient, "x", "w"), -1.2 * 8.0_f64.sin(), 1e-7);
}
