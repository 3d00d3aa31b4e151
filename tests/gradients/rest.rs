//! Gradients past bounces that end in rest.

use costate::run::{Changes, Experiment, Method, Verdict};
use costate::scene::parse;
use costate::scene::schema::FormulationKind::{self, Index3, Multipliers, Nullspace, Penalty, Stabilized};

use crate::{of, worst_difference};

fn experiment(text: &str, formulation: FormulationKind) -> Experiment {
    let changes = Changes {
        formulation: Some(formulation),
        ..Changes::default()
    };
    Experiment::new(&parse("scene.ron", text).unwrap(), &changes).unwrap()
}

fn bowl(formulation: FormulationKind) -> Experiment {
    let text = r#"Scene(name: "bowl", space: Planar, gravity: [0, "-g"],
        parameters: { "R": 2, "g": 9.81, "e": 0.2, "x0": 0.7 },
        ground: { "O": [0, 0] },
        points: { "P": (at: ["x0", 0.5], velocity: [0.4, 0], mass: 1) },
        contacts: { "bowl": Touch(point: "P", surface: Circle(centre: "O", radius: "R", inside: true), law: Restitution("e")) },
        objectives: { "x": Final("P.x"), "energy": Final("energy.total") },
        simulation: (duration: 4))"#;
    experiment(text, formulation)
}

#[test]
fn a_ball_that_has_come_to_rest_stays_where_it_lies_whatever_changes() {
    let text = r#"Scene(name: "ball", space: Planar, gravity: [0, -9.81], parameters: { "e": 0.5, "h": 1.0 },
        points: { "P": (at: [0, "h"], velocity: [1, 0], mass: 1) },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) },
        objectives: { "y": Final("P.y"), "vy": Final("P.vy"), "impulse": Integral("floor.force") },
        simulation: (duration: 4))"#;
    for formulation in [Nullspace, Multipliers, Stabilized, Index3, Penalty] {
        for method in [Method::Adjoint, Method::Forward] {
            let report = experiment(text, formulation).gradient(method).unwrap();
            for (objective, parameter) in [("y", "e"), ("y", "h"), ("vy", "e"), ("vy", "h")] {
                let slope = of(&report, objective, parameter);
                assert!(
                    slope.abs() < 1e-12,
                    "{formulation:?} {method:?} {objective} by {parameter}: {slope:e}"
                );
            }
            // The bounces end at (1 + e)/(1 - e) sqrt(2 h/g), but for those cut off; from then on the floor carries m g.
            let fall = (2.0_f64 / 9.81).sqrt();
            let (by_e, by_h) = (-9.81 * fall * 2.0 / 0.25, -9.81 * 3.0 * fall / 2.0);
            assert!((of(&report, "impulse", "e") / by_e - 1.0).abs() < 1e-5);
            assert!((of(&report, "impulse", "h") / by_h - 1.0).abs() < 1e-5);
        }
    }
}

#[test]
fn formulations_agree_on_the_motion_after_rest() {
    let exact = bowl(Nullspace).gradient(Method::Adjoint).unwrap();
    for formulation in [Multipliers, Penalty] {
        let other = bowl(formulation).gradient(Method::Adjoint).unwrap();
        let error = worst_difference(&other, &exact);
        assert!(error < 1e-6, "{formulation:?}: {error:e}");
    }
}

#[test]
fn the_certificate_passes_where_the_number_of_bounces_depends_on_the_tolerance() {
    let (_, certificate) = bowl(Nullspace).certify(Method::Adjoint, &|_| {}).unwrap();
    assert_eq!(certificate.verdict, Verdict::Passed);
}

/// The ball strikes both walls in turn, ever faster, and lies at the bottom from the accumulation on.
#[test]
fn bounces_between_the_walls_of_a_wedge_have_certified_times_up_to_the_last() {
    let text = r#"Scene(name: "wedge", space: Planar, gravity: [0, "-g"], parameters: { "g": 9.81, "h": 0.8, "e": 0.4, "x0": 0.03 },
        points: { "P": (at: ["x0", "h"], velocity: [0.3, 0], mass: 1) },
        contacts: {
            "left": Touch(point: "P", surface: Plane(through: [0, 0], normal: [1, 0.3]), law: Restitution("e")),
            "right": Touch(point: "P", surface: Plane(through: [0.2, 0], normal: [-1, 0.3]), law: Restitution("e")),
        },
        objectives: { "y": Final("P.y"), "area": Integral("P.y"), "drift": Integral("P.x") },
        simulation: (duration: 2, rtol: 1e-10, atol: 1e-12))"#;
    let (report, certificate) = experiment(text, Nullspace).certify(Method::Adjoint, &|_| {}).unwrap();
    assert!(report.events.len() > 30, "{} events", report.events.len());
    assert_eq!(certificate.verdict, Verdict::Passed, "{:?}", certificate.entries);
}

/// Both feet bounce within the resolution of time in the end: what their order changes is as small as the speeds that are left.
#[test]
fn a_block_that_settles_on_two_feet_has_a_gradient() {
    let text = |choices: &str| {
        format!(
            r#"Scene(name: "feet", space: Planar, gravity: [0, -9.81],
        parameters: {{ "h": 0.3, "e": 0.3, "J": 0.08, "c": 0.05 }},
        bodies: {{ "b": Rigid(mass: 1, inertia: "J", centre: ["c", 0], at: [0, "h + 0.1", 0.05], velocity: [0, 0, 0],
            markers: {{ "l": [-0.2, -0.1], "r": [0.3, -0.1] }}) }},
        contacts: {{
            "l": Touch(point: "b.l", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")),
            "r": Touch(point: "b.r", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) }},
        objectives: {{ "x": Final("b.x"), "y": Integral("b.y"), "angle": Integral("b.angle") }},
        simulation: (duration: 2 {choices}))"#
        )
    };
    // With a `rest_speed` both come to rest before.
    let early = experiment(&text(", rest_speed: 1e-3"), Nullspace)
        .gradient(Method::Adjoint)
        .unwrap();
    let settled = experiment(&text(""), Nullspace);
    for method in [Method::Adjoint, Method::Forward] {
        let report = settled.gradient(method).unwrap();
        let by_h = of(&report, "y", "h");
        assert!((by_h - 0.278814591).abs() < 1e-7, "{by_h}");
        let error = worst_difference(&report, &early);
        assert!(error < 1e-4, "{method:?}: {error:e}");
    }
    // More accurate runs have other events, so that it cannot pass; it must find no contradiction.
    let (_, certificate) = settled.certify(Method::Adjoint, &|_| {}).unwrap();
    assert_ne!(certificate.verdict, Verdict::Failed, "{certificate:?}");
}

/// The first step after a bounce ends at its top where nothing else moves: what is below rounding there falls onto the floor later, not at
/// once.
#[test]
fn a_ball_that_drops_straight_down_has_gradients_through_its_last_bounces() {
    for (h, e) in [(0.01, 0.5), (1.0, 0.5), (1.0, 0.8), (1000.0, 0.3)] {
        let first = (2.0 * h / 9.81_f64).sqrt();
        let (t, end) = (first * (1.0 + 0.7 * e), first * (1.0 + e) / (1.0 - e));
        let text = format!(
            r#"Scene(name: "ball", space: Planar, gravity: [0, -9.81], parameters: {{ "e": {e}, "h": {h} }},
            points: {{ "P": (at: [0, "h"], velocity: [0, 0], mass: 1) }},
            contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) }},
            objectives: {{ "y": Final("P.y"), "before": At(time: {t}, of: "P.y") }},
            simulation: (duration: {}))"#,
            1.5 * end
        );
        for method in [Method::Adjoint, Method::Forward] {
            let report = experiment(&text, Nullspace).gradient(method).unwrap();
            let rise = 9.81 * first * (t - first);
            assert!((of(&report, "before", "e") / rise - 1.0).abs() < 1e-7, "{h} {e}");
            assert!(of(&report, "y", "e").abs() < 1e-9 * h, "{h} {e}");
            let (rest, _) = report.events.last().expect("it rests");
            assert!(
                (rest.t / end - 1.0).abs() < 1e-5,
                "{h} {e}: {} instead of {end}",
                rest.t
            );
        }
    }
}
