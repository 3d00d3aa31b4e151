//! Kinks and jumps of expressions that are integrated over time: located, differentiated through, or refused.

use costate::error::ErrorKind;
use costate::run::{Changes, Experiment, GradientReport, Method, Verdict};
use costate::scene::parse;
use costate::scene::schema::FormulationKind::{Index3, Multipliers, Nullspace, Penalty, Stabilized};

use crate::{changes, of, worst_difference};

fn experiment(fields: &str) -> Experiment {
    let text = format!(r#"Scene(name: "kinks", space: Planar, gravity: [0, 0], {fields})"#);
    let file = parse("kinks.ron", &text).unwrap_or_else(|error| panic!("{error}"));
    Experiment::new(&file, &changes(1e-12, 1e-13)).unwrap_or_else(|error| panic!("{error}"))
}

/// The gradient by the adjoint, which passes its certificate.
fn certified(fields: &str) -> GradientReport {
    let (report, certificate) = experiment(fields).certify(Method::Adjoint, &|_| {}).unwrap();
    assert_eq!(certificate.verdict, Verdict::Passed, "{:?}", certificate.entries);
    report
}

fn kinks(experiment: &Experiment) -> Vec<f64> {
    let (report, _) = experiment.run(false, &mut |_| {}).unwrap();
    let kinks = report.events.iter().filter(|event| event.kind == "kink");
    kinks.map(|event| event.t).collect()
}

#[test]
fn a_force_that_turns_round_at_a_parameter_moves_the_time_at_which_it_does() {
    // x = -p^2/2 - p (1 - p) + (1 - p)^2/2.
    let report = certified(
        r#"parameters: { "p": 0.3 }, points: { "P": (at: [0, 0], mass: 1) },
        forces: { "f": Load(at: "P", force: ["sign(t - p)", 0]) }, objectives: { "x": Final("P.x") },
        simulation: (duration: 1)"#,
    );
    assert!((of(&report, "x", "p") - (2.0 * 0.3 - 2.0)).abs() < 1e-12);
}

#[test]
fn running_costs_that_jump_or_bend_are_integrated_and_differentiated_exactly() {
    // P moves with speed 1 from 0; the output bends, and the objective builds on it.
    let report = certified(
        r#"parameters: { "p": 0.3, "c": 2.0 }, points: { "P": (at: [0, 0], velocity: [1, 0], mass: 1) },
        outputs: { "bent": "abs(P.x - p)" },
        objectives: { "step": Integral("c*step(P.x - p)"), "bent": Integral("bent^2 + bent"), "least": Integral("min(P.x, p, c)") },
        simulation: (duration: 1)"#,
    );
    for (objective, by_p, by_c) in [
        ("step", -2.0, 0.7),
        ("bent", 0.09 - 0.49 + (0.3 - 0.7), 0.0),
        ("least", 0.7, 0.0),
    ] {
        assert!((of(&report, objective, "p") - by_p).abs() < 1e-11, "{objective} by p");
        assert!((of(&report, objective, "c") - by_c).abs() < 1e-11, "{objective} by c");
    }
}

#[test]
fn a_sign_without_anything_around_it_is_one_or_minus_one() {
    // P.vx = F t - 1 turns round at 1/F.
    let fields = r#"parameters: { "F": 4.0 },
        points: { "P": (at: [0, 0], velocity: [-1, 0], mass: 1), "Q": (at: [0, 1], mass: 1) },
        bodies: { "wheel": Rigid(mass: 1, inertia: 1, at: [3, 0, 0]) },
        forces: { "f": Load(at: "P", force: ["F", 0]), "pushed": Load(at: "Q", force: ["sign(P.vx)", 0]),
                  "turned": Torque(on: "wheel", torque: "sign(P.vx)") },
        memory: { "m": (start: 0, rate: "sign(P.vx)") }, outputs: { "side": "sign(P.vx)" },
        objectives: { "integral": Integral("sign(P.vx)"), "of the output": Integral("side"), "memory": Final("m"),
                      "pushed": Final("Q.vx"), "turned": Final("wheel.omega") },
        simulation: (duration: 2)"#;
    let (report, run) = (certified(fields), experiment(fields).run(false, &mut |_| {}).unwrap().0);
    assert_eq!(run.objectives.len(), 5);
    for (name, value) in &run.objectives {
        assert!((value - 1.5).abs() < 1e-12, "{name} = {value}");
        assert!((of(&report, name, "F") - 2.0 / 16.0).abs() < 1e-11, "{name}");
    }
}

#[test]
fn an_argument_that_an_event_takes_beyond_zero_and_that_comes_back_soon_has_both_sides() {
    // From -v with the acceleration F + Fc up to rest, and with F - Fc from there.
    for v in [1e-3, 1e-4, 1e-6, 1e-7] {
        let fields = format!(
            r#"parameters: {{ "F": 3.0, "Fc": 1.0, "v": {v} }}, points: {{ "P": (at: [0, 0], velocity: [1, 0], mass: 1) }},
            forces: {{ "motor": Load(at: "P", force: ["F - Fc*sign(P.vx)", 0]) }},
            events: {{ "hit": (when: At(1), then: [Reset("P.vx", "-v")]) }},
            objectives: {{ "v": Final("P.vx") }}, simulation: (duration: 2)"#
        );
        let experiment = experiment(&fields);
        let value = experiment.run(false, &mut |_| {}).unwrap().0.objectives[0].1;
        assert!((value - 2.0 * (1.0 - v / 4.0)).abs() < 1e-13, "{v}: {value}");
        for method in [Method::Adjoint, Method::Forward] {
            let report = experiment.gradient(method).unwrap();
            assert!(
                (of(&report, "v", "v") + 0.5).abs() < 1e-11,
                "{v}: {}",
                of(&report, "v", "v")
            );
        }
    }
}

#[test]
fn kinks_within_kinks_in_springs_loads_and_costs_pass_the_certificate() {
    let fields = r#"parameters: { "k": 30.0, "c": 0.8, "a": 0.3, "w": 3.0, "x0": 0.7 }, ground: { "O": [0, 0] },
        points: { "P": (at: ["x0", -0.2], velocity: [0.1, 0.3], mass: 1), "Q": (at: ["x0 + 0.5", -0.4], mass: 0.5) },
        forces: {
            "s": NonlinearSpring(from: "O", to: "P", natural_length: 0.5,
                force: "k*max(length - 0.6, 0) - 5*min(0, length - 0.4) + c*rate*abs(rate)"),
            "q": NonlinearSpring(from: "P", to: "Q", natural_length: 0.5, force: "k*abs(length - 0.45)*(length - 0.45) + 0.5*rate"),
            "l": Load(at: "P", force: ["a*max(0, sin(w*t))", "a*sign(sin(2*w*t) - 0.3)*abs(cos(t))"]),
        },
        outputs: { "ax": "abs(P.x)", "m": "max(ax, abs(P.y), 0.3)" },
        objectives: { "J": Integral("m^2 + step(Q.y + 0.5)"), "F": Final("P.x"), "G": Integral("min(Q.vx, P.vy)*sign(P.vx)") },
        simulation: (duration: 2)"#;
    certified(fields);
    assert!(kinks(&experiment(fields)).len() > 10);
}

#[test]
fn a_driver_that_bends_strikes_what_it_drives() {
    let fields = r#"parameters: { "t1": 0.5 }, points: { "P": (guess: [1.5, 0], mass: 1), "Q": (guess: [1.9, -0.2], mass: 1) },
        bodies: { "b": Bar(from: "P", to: "Q", length: 0.5, mass: 0.3, angle: -0.4, angular_velocity: 0) },
        joints: { "x": DriveCoordinate(coordinate: "P.x", value: "1 + abs(t - t1)"),
                  "y": DriveCoordinate(coordinate: "P.y", value: "0.3*max(0, t - t1)^2") },
        outputs: { "v": "P.vx" },
        objectives: { "y": Final("Q.y"), "x": Final("Q.x") }, simulation: (duration: 1)"#;
    certified(fields);
    let (report, _) = experiment(fields).run(false, &mut |_| {}).unwrap();
    assert!((report.outputs[0].1 - 1.0).abs() < 1e-12, "{:?}", report.outputs);
}

#[test]
fn on_one_side_of_its_kink_or_of_parameters_alone_an_expression_has_no_event() {
    let fields = |force: &str| {
        format!(
            r#"parameters: {{ "a": 0.4 }}, points: {{ "P": (at: [1, 0], mass: 1) }},
            forces: {{ "f": Load(at: "P", force: ["{force}", 0]) }}, simulation: (duration: 1)"#
        )
    };
    assert!(kinks(&experiment(&fields("max(a - 1, -3)*t"))).is_empty());
    assert!(kinks(&experiment(&fields("abs(t + a)"))).is_empty());
    let found = kinks(&experiment(&fields("abs(t - a)*max(a, 2)")));
    assert!(found.len() == 1 && (found[0] - 0.4).abs() < 1e-15, "{found:?}");
}

#[test]
fn the_energy_of_a_spring_follows_its_law_as_written() {
    let fields = r#"points: { "P": (at: [1, 0], velocity: [2, 0], mass: 1) }, ground: { "O": [0, 0] },
        forces: { "s": NonlinearSpring(from: "O", to: "P", natural_length: 1, force: "20*max(length - 1.2, 0) - 8*max(0, 0.9 - length)") },
        simulation: (duration: 4)"#;
    let experiment = experiment(fields);
    assert!(kinks(&experiment).len() > 4);
    let (report, _) = experiment.run(false, &mut |_| {}).unwrap();
    let (initial, last) = report.energy;
    assert!((last - initial).abs() < 1e-9 * initial, "{initial} {last}");
}

#[test]
fn speeds_and_drag_have_derivatives_where_the_motion_starts_at_rest_or_turns() {
    let report = certified(
        r#"parameters: { "L": 1.0, "c": 0.5, "a0": 0.9, "g": 9.81 }, ground: { "O": [0, 0] }, points: { "P": (guess: [0.8, -0.6], mass: 1) },
        bodies: { "rod": Bar(from: "O", to: "P", length: "L", angle: "a0 - pi/2", angular_velocity: 0) },
        forces: { "air": Drag(at: "P", quadratic: "c"), "pull": Load(at: "P", force: [0, "-g"]) },
        outputs: { "speed": "hypot(P.vx, P.vy)" },
        objectives: { "path": Integral("speed"), "heat": Integral("c*speed^3"), "fastest": Max("speed") }, simulation: (duration: 0.7)"#,
    );
    assert!(of(&report, "path", "L").is_finite());
}

#[test]
fn a_start_at_rest_whose_speed_is_a_parameter_has_the_derivative_on_the_side_of_the_motion() {
    // Path of a fall from rest: v t + g t^2/2 for v >= 0.
    let experiment = experiment(
        r#"parameters: { "v": 0.0 }, points: { "P": (at: [0, 0], velocity: ["-0.6*v", "-0.8*v"], mass: 1) },
        forces: { "pull": Load(at: "P", force: [-6, -8]) },
        objectives: { "path": Integral("hypot(P.vx, P.vy)") }, simulation: (duration: 0.5)"#,
    );
    let adjoint = experiment.gradient(Method::Adjoint).unwrap();
    assert!(
        (of(&adjoint, "path", "v") - 0.5).abs() < 1e-11,
        "{:?}",
        adjoint.objectives
    );
    assert!(worst_difference(&adjoint, &experiment.gradient(Method::Forward).unwrap()) < 1e-10);
}

/// Values of the objectives of a run, by name.
fn values(experiment: &Experiment) -> impl Fn(&str) -> f64 + use<> {
    let (report, _) = experiment.run(false, &mut |_| {}).unwrap();
    move |name| {
        let mut found = report.objectives.iter();
        found.find(|(objective, _)| objective == name).expect(name).1
    }
}

#[track_caller]
fn assert_value(report: &GradientReport, name: &str, value: f64) {
    let mut objectives = report.objectives.iter();
    let found = objectives.find(|objective| objective.name == name).expect(name).value;
    assert!((found - value).abs() < 1e-11, "{name}: {found}");
}

#[test]
fn what_comes_to_rest_has_the_sign_of_zero_from_then_on() {
    // A block slides v/(mu g) long and pushes another one meanwhile.
    let fields = r#"parameters: { "mu": 0.3, "v": 1.2 }, points: { "P": (at: [0, 0], velocity: ["v", 0], mass: 1), "Q": (at: [0, 1], mass: 1) },
        forces: { "weight": Load(at: "P", force: [0, -10]), "push": Load(at: "Q", force: ["2*sign(P.vx)", 0]) },
        memory: { "moved": (start: 0, rate: "sign(P.vx)") },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: "mu")) },
        objectives: { "time": Integral("sign(P.vx)"), "forwards": Integral("step(P.vx)"), "backwards": Integral("step(-P.vx)"),
            "push": Final("Q.vx"), "moved": Final("moved") }, simulation: (duration: 1)"#;
    let report = certified(fields);
    let stopped = 1.2 / (0.3 * 10.0);
    for (name, value, slope) in [
        ("time", stopped, 1.0),
        ("forwards", 1.0, 0.0),
        ("backwards", 1.0 - stopped, -1.0),
        ("push", 2.0 * stopped, 2.0),
        ("moved", stopped, 1.0),
    ] {
        assert_value(&report, name, value);
        assert!(
            (of(&report, name, "mu") + slope * stopped / 0.3).abs() < 1e-10,
            "{name} by mu"
        );
        assert!(
            (of(&report, name, "v") - slope * stopped / 1.2).abs() < 1e-10,
            "{name} by v"
        );
    }
}

#[test]
fn forces_that_stay_zero_and_joints_that_stand_have_the_sign_of_zero() {
    let fields = r#"parameters: { "h": 0.5, "t0": 0.4 }, points: { "P": (at: [0, "h"], mass: 1), "D": (guess: [0, 5], velocity: ["free", 0], mass: 1) },
        forces: { "weight": Load(at: "P", force: [0, -10]) },
        joints: { "drive": DriveCoordinate(coordinate: "D.x", value: "min(t, t0)") },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0)) },
        objectives: { "pressed": Integral("sign(floor.force)"), "open": Integral("step(-floor.force)"), "driven": Integral("sign(D.vx)"), "never": Integral("sign(P.vx)") },
        simulation: (duration: 1)"#;
    let report = certified(fields);
    let fallen = 0.1_f64.sqrt();
    for (name, value, by_h, by_t0) in [
        ("pressed", 1.0 - fallen, -fallen, 0.0),
        ("open", fallen, fallen, 0.0),
        ("driven", 0.4, 0.0, 1.0),
        ("never", 0.0, 0.0, 0.0),
    ] {
        assert_value(&report, name, value);
        assert!((of(&report, name, "h") - by_h).abs() < 1e-10, "{name} by h");
        assert!((of(&report, name, "t0") - by_t0).abs() < 1e-10, "{name} by t0");
    }
}

#[test]
fn what_leaves_zero_smoothly_has_its_sign_at_once() {
    let found = values(&experiment(
        r#"points: { "P": (at: [0, 0], mass: 1), "C": (guess: [0, 3], velocity: ["free", 0], mass: 1), "D": (guess: [0, 4], velocity: ["free", 0], mass: 1) },
        forces: { "weight": Load(at: "P", force: [0, -10]) },
        joints: { "cycloid": DriveCoordinate(coordinate: "C.x", value: "sin(t) - t"), "slow": DriveCoordinate(coordinate: "D.x", value: "t^5") },
        objectives: { "below": Integral("sign(P.y)"), "falls": Integral("step(-P.vy)"), "back": Integral("sign(C.x)"), "backwards": Integral("sign(C.vx)"),
            "out": Integral("sign(D.x)"), "outwards": Integral("sign(D.vx)") },
        simulation: (duration: 2)"#,
    ));
    for (name, value) in [
        ("below", -2.0),
        ("falls", 2.0),
        ("back", -2.0),
        ("backwards", -2.0),
        ("out", 2.0),
        ("outwards", 2.0),
    ] {
        assert!((found(name) - value).abs() < 1e-9, "{name}: {}", found(name));
    }
}

#[test]
fn what_leaves_zero_slowly_beside_something_fast_has_its_sign_at_once() {
    let found = values(&experiment(
        r#"ground: { "O": [0, 1] }, points: { "P": (at: [0, 0], mass: 1), "F": (at: [1, 1], velocity: [300, 0], mass: 1) },
        forces: { "slow": Load(at: "P", force: ["1e-6*t^2", 0]), "stiff": Spring(from: "O", to: "F", stiffness: 1e5, natural_length: 1) },
        objectives: { "moves": Integral("sign(P.vx)") }, simulation: (duration: 0.1)"#,
    ));
    assert!((found("moves") - 0.1).abs() < 1e-12, "{}", found("moves"));
}

#[test]
fn a_wave_whose_half_period_divides_a_hundredth_of_the_duration_has_both_signs() {
    let found = values(&experiment(
        r#"points: { "P": (at: [0, 0], mass: 1) }, objectives: { "side": Integral("t*sign(P.y + sin(2*pi*50*t))") }, simulation: (duration: 1)"#,
    ));
    // Of each period of the time T, -(T/2)^2.
    assert!((found("side") + 0.005).abs() < 1e-9, "{}", found("side"));
}

#[test]
fn the_gap_of_what_slides_down_a_slope_and_turns_round_has_the_sign_of_zero() {
    let found = values(&experiment(
        r#"parameters: { "al": 0.37, "v": 1.2 }, points: { "P": (at: [0, 0], velocity: ["v*cos(al)", "v*sin(al)"], mass: 1) },
        forces: { "weight": Load(at: "P", force: [0, -10]) },
        contacts: { "slope": Touch(point: "P", surface: Plane(through: [0, 0], normal: ["-sin(al)", "cos(al)"]), law: Friction(coefficient: 0.3)) },
        objectives: { "gap": Integral("sign(slope.gap)"), "height": Integral("sign(P.y*cos(al) - P.x*sin(al))"), "closed": Integral("step(-slope.gap)") },
        simulation: (duration: 2)"#,
    ));
    for (name, value) in [("gap", 0.0), ("height", 0.0), ("closed", 2.0)] {
        assert!((found(name) - value).abs() < 1e-12, "{name}: {}", found(name));
    }
}

#[test]
fn what_a_driver_holds_at_zero_by_its_speed_has_no_derivative_by_that() {
    let experiment = experiment(
        r#"parameters: { "w": 0.0, "c": 0.3 }, points: { "P": (guess: [0, 0], velocity: ["free", 0], mass: 1), "Q": (at: [0, 1], mass: 1) },
        joints: { "drive": DriveCoordinate(coordinate: "P.x", value: "w*t") }, forces: { "push": Load(at: "Q", force: ["c*sign(P.vx)", 0]) },
        objectives: { "q": Final("Q.x") }, simulation: (duration: 1)"#,
    );
    for method in [Method::Adjoint, Method::Forward] {
        let report = experiment.gradient(method).unwrap();
        let found: Vec<_> = report.undetermined.iter().map(|found| &found.name).collect();
        assert_eq!(found, ["w"], "{method:?}");
        assert_eq!(of(&report, "q", "c"), 0.0);
    }
}

#[test]
fn a_kink_of_what_comes_to_rest_with_a_contact_happens_with_it_whatever_it_measures() {
    // The speed along x, and not along the slope.
    let report = certified(
        r#"parameters: { "mu": 0.3, "v": 1.2, "al": 0.14 }, points: { "P": (at: [0, 0], velocity: ["v*cos(al)", "v*sin(al)"], mass: 1) },
        forces: { "weight": Load(at: "P", force: [0, -10]) },
        contacts: { "slope": Touch(point: "P", surface: Plane(through: [0, 0], normal: ["-sin(al)", "cos(al)"]), law: Friction(coefficient: "mu")) },
        objectives: { "x": Final("P.x"), "way": Integral("abs(P.vx)") }, simulation: (duration: 0.6)"#,
    );
    let al = 0.14_f64;
    let slowed = 10.0 * (al.sin() + 0.3 * al.cos());
    assert!((of(&report, "x", "v") - 1.2 * al.cos() / slowed).abs() < 1e-10);
    assert!((of(&report, "way", "v") - 1.2 * al.cos() / slowed).abs() < 1e-10);
}

/// A point that falls onto a rough floor in space, slides and sticks there; what it is pulled by beside its weight is the drag `c`.
fn thrown(more: &str, objectives: &str) -> Experiment {
    let text = format!(
        r#"Scene(name: "thrown", space: Spatial, gravity: [0, 0, -9.81],
        parameters: {{ "v": 2.0, "w": 0.7, "h": 0.5, "mu": 0.3, "m": 1.5, "c": 0.2, "b": 1.0 }},
        points: {{ "P": (at: [0, 0, "h"], velocity: ["v", "w", 0], mass: "m"), "Q": (at: ["b", 1, 0], mass: 1) }},
        contacts: {{
            "floor": Touch(point: "P", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: "mu")),
            "other": Touch(point: "Q", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: "mu")),
        }},
        {more} objectives: {{ {objectives} }}, simulation: (duration: 2))"#
    );
    let file = parse("thrown.ron", &text).unwrap_or_else(|error| panic!("{error}"));
    Experiment::new(&file, &changes(1e-12, 1e-13)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_path_of_what_comes_to_rest_has_its_derivatives() {
    let experiment = thrown("", r#""path": Integral("hypot(P.vx, P.vy, P.vz)")"#);
    let (report, certificate) = experiment.certify(Method::Adjoint, &|_| {}).unwrap();
    assert_eq!(certificate.verdict, Verdict::Passed, "{:?}", certificate.entries);
    let (v, w, h, mu, g) = (2.0_f64, 0.7_f64, 0.5_f64, 0.3_f64, 9.81_f64);
    let (thrown, time) = (v.hypot(w), (2.0 * h / g).sqrt());
    let slid = thrown - mu * g * time;
    let by_v = v / thrown * (thrown / g * (g * time / thrown).asinh() + slid / (mu * g));
    let found = of(&report, "path", "v");
    assert!((found - by_v).abs() < 1e-10, "{found} {by_v}");
    assert!(of(&report, "path", "m").abs() < 1e-12);
}

#[test]
fn drag_by_the_size_of_a_velocity_that_comes_to_rest_has_its_derivatives() {
    let force = |axis: &str| format!("\"-c*hypot(P.vx, P.vy, P.vz)*P.v{axis}\"");
    let forces = |air: &str| format!("forces: {{ \"air\": {air} }},");
    let written = forces(&format!(
        "Load(at: \"P\", force: [{}, {}, {}])",
        force("x"),
        force("y"),
        force("z")
    ));
    let drag = forces(r#"Drag(at: "P", quadratic: "c")"#);
    let objectives = r#""x": Final("P.x"), "root": Integral("P.x*sqrt(P.vx^2 + P.vy^2)")"#;
    let [written, drag] = [written, drag].map(|forces| thrown(&forces, objectives));
    let wanted = drag.gradient(Method::Adjoint).unwrap();
    for method in [Method::Adjoint, Method::Forward] {
        let found = written.gradient(method).unwrap();
        assert!(found.undetermined.is_empty(), "{method:?}: {:?}", found.undetermined);
        assert!(worst_difference(&found, &wanted) < 1e-9, "{method:?}");
    }
    assert!(of(&wanted, "root", "c").abs() > 0.1);
}

#[test]
fn what_moves_off_the_tip_of_a_hypot_has_no_derivative_there() {
    let experiment = thrown(
        "",
        r#""off": Integral("hypot(Q.x - 1, Q.y - 1)"), "sped": Integral("hypot(Q.x - 1, Q.y - 1, P.vx)")"#,
    );
    for method in [Method::Adjoint, Method::Forward] {
        let report = experiment.gradient(method).unwrap();
        let found: Vec<_> = report.undetermined.iter().map(|found| &found.name).collect();
        assert_eq!(found, ["b"], "{method:?}");
        assert!(report.undetermined[0].reason().contains("hypot(Q.x - 1, Q.y - 1"));
        assert!(of(&report, "sped", "v") > 0.1, "{method:?}");
    }
}

#[test]
fn switches_with_a_gap_between_their_thresholds_go_on() {
    let experiment = experiment(
        r#"points: { "P": (at: [0.5, 0], mass: 1) }, memory: { "u": -1 },
        forces: { "c": Load(at: "P", force: ["u", 0]) },
        events: { "up": (when: Rising("P.x + P.vx - 0.01"), then: [Set("u", -1)]), "down": (when: Falling("P.x + P.vx + 0.01"), then: [Set("u", 1)]) },
        simulation: (duration: 3)"#,
    );
    let (report, _) = experiment.run(false, &mut |_| {}).unwrap();
    assert!(report.events.len() > 20);
}

#[test]
fn a_bounce_on_the_place_of_a_switch_does_not_fire_it_from_above() {
    let experiment = experiment(
        r#"points: { "P": (at: [0, 1], mass: 1) }, memory: { "n": 0 },
        forces: { "w": Load(at: "P", force: [0, -9.81]) },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.8)) },
        events: { "up": (when: Rising("P.y"), then: [Set("n", "n + 1")]) },
        outputs: { "count": "n" }, simulation: (duration: 1)"#,
    );
    let (report, _) = experiment.run(false, &mut |_| {}).unwrap();
    assert_eq!(report.outputs[0].1, 0.0);
    assert_eq!(report.events.len(), 1);
}

#[test]
fn every_formulation_passes_the_same_kinks() {
    let text = r#"Scene(name: "kinks", space: Planar, gravity: [0, -9.81], parameters: { "k": 30.0, "c": 0.8, "a": 0.3, "L": 0.7 },
        ground: { "O": [0, 0] }, points: { "P": (guess: [0.7, -0.1], mass: 1), "Q": (guess: [1.2, -0.3], mass: 0.5) },
        bodies: { "b": Bar(from: "O", to: "P", length: "L", mass: 0.4, angle: -0.2, angular_velocity: 1),
                  "d": Bar(from: "P", to: "Q", length: 0.6, mass: 0.2, angle: -0.5, angular_velocity: 0) },
        forces: {
            "s": NonlinearSpring(from: "O", to: "Q", natural_length: 0.5,
                force: "k*max(length - 1.2, 0) - 5*min(0, length - 0.9) + c*rate*abs(rate)"),
            "l": Load(at: "Q", force: ["a*sign(sin(5*t) - 0.3)", 0]),
        },
        contacts: { "w": Touch(point: "Q", surface: Plane(through: [0, -1.2], normal: [0, 1]), law: Restitution(0.6)) },
        objectives: { "J": Integral("abs(Q.x - 0.4) + max(b.force, 3)*0.1"), "F": Final("P.x") }, simulation: (duration: 1.2))"#;
    let file = parse("kinks.ron", text).unwrap();
    let gradient = |formulation| {
        let changes = Changes {
            formulation: Some(formulation),
            ..changes(1e-10, 1e-11)
        };
        Experiment::new(&file, &changes)
            .unwrap()
            .gradient(Method::Adjoint)
            .unwrap()
    };
    let reference = gradient(Nullspace);
    for formulation in [Multipliers, Penalty, Stabilized, Index3] {
        let error = worst_difference(&gradient(formulation), &reference);
        assert!(error < 1e-7, "{formulation:?}: {error:e}");
    }
}

/// A drag of constant size against a velocity on a line, which turns round without an event: by `sign` it has one, and the derivative.
/// So it is with an angle over its cut whose first argument has a kink.
#[test]
fn jumps_that_no_event_tells_leave_a_motion_and_no_gradient() {
    let scene_text = |force: &str| {
        format!(
            r#"Scene(name: "turn", space: Planar, parameters: {{ "v": 1.3, "F": 0.7 }},
            points: {{ "P": (at: [0, 0], velocity: ["v", 0], mass: 1.5) }},
            forces: {{ "drag": Load(at: "P", force: ["{force} - 2", 0]) }},
            objectives: {{ "x": Final("P.x") }}, simulation: (duration: 3))"#
        )
    };
    let scene = |force: &str, rtol: f64| {
        let file = parse("turn.ron", &scene_text(force)).unwrap();
        Experiment::new(&file, &changes(rtol, 1e-3 * rtol)).unwrap()
    };
    // Back from v^2/(2 a) with a = (2 + F)/m by (2 - F)/m.
    let (v, force) = (1.3, 0.7);
    let [there, back] = [2.0 + force, 2.0 - force].map(|force| force / 1.5);
    let x = 0.5 * v * v / there - 0.5 * back * (3.0 - v / there) * (3.0 - v / there);
    let by_v = v / there + back * (3.0 - v / there) / there;
    for rtol in [1e-3, 1e-4, 1e-6, 1e-9, 1e-12] {
        let jumping = scene("-F*P.vx/hypot(P.vx, P.vy)", rtol);
        let (report, _) = jumping.run(false, &mut |_| {}).unwrap();
        assert!((report.objectives[0].1 - x).abs() < 1e-4);
        assert!(report.remarks.iter().any(|remark| remark.contains("no event tells it")));
        for method in [Method::Adjoint, Method::Forward] {
            let error = jumping.gradient(method).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Request);
            assert_eq!(error.name(), Some("drag"), "{rtol} {error}");
            assert!((error.time().unwrap() - v / there).abs() < 1e-6 + 0.1 * rtol, "{error}");
            let angle = scene("-F*atan2(max(P.x - 0.2, 0) - 0.1, -1)", rtol).gradient(method);
            assert_eq!(angle.unwrap_err().kind(), ErrorKind::Request);
        }
    }
    // Beside zero doubles are coarse: the state comes to lie on the jump itself, where the force has no value.
    for force in [
        "-F*(P.x - 0.25)/hypot(P.x - 0.25, P.y)",
        "-F*(P.vx - 1)/hypot(P.vx - 1, P.vy)",
    ] {
        for integrator in ["DormandPrince", "Radau"] {
            for v in [1.2, 1.3, 1.4, 1.55] {
                let changes = Changes {
                    parameters: vec![("v".to_string(), v)],
                    ..changes(1e-9, 1e-12)
                };
                let text = scene_text(force).replace("duration: 3", &format!("duration: 3, integrator: {integrator}"));
                let jumping = Experiment::new(&parse("turn.ron", &text).unwrap(), &changes).unwrap();
                let error = jumping.gradient(Method::Adjoint).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Request, "{force} {integrator} {v}: {error}");
            }
        }
    }
    let signed = scene("-F*sign(P.vx)", 1e-10).gradient(Method::Adjoint).unwrap();
    assert!((of(&signed, "x", "v") - by_v).abs() < 1e-8);
    // What only turns quickly goes on.
    let quick = scene("-F*tanh(P.vx/1e-5)", 1e-9).gradient(Method::Adjoint).unwrap();
    assert!((of(&quick, "x", "v") - by_v).abs() < 1e-4);
}
