//! Contacts that touch without a force of their own: after plastic impacts, on more feet than carry, in rows of balls.

use costate::run::Changes;
use costate::scene::schema::FormulationKind::{Index3, Multipliers, Nullspace, Penalty, Stabilized};

use crate::support::*;

/// Balls of radius 0.1 on a line, without gravity; `pull` acts on the second one.
fn row(balls: &[(f64, f64, f64)], e: f64, pull: &str, duration: f64) -> String {
    let list = |text: &dyn Fn(usize) -> String, n: usize| (0..n).map(text).collect::<Vec<_>>().join(", ");
    let ball = |i: usize| {
        let (x, speed, mass) = balls[i];
        format!(r#""b{i}": (at: [{x}, 0], velocity: [{speed}, 0], mass: {mass})"#)
    };
    let rail = |i: usize| format!(r#""rail {i}": Coupling(terms: [("b{i}.y", 1)], equals: 0)"#);
    let bump = |i: usize| {
        let next = i + 1;
        format!(
            r#""bump {i}": Touch(point: "b{i}", radius: 0.1, surface: Circle(centre: "b{next}", radius: 0.1), law: Restitution({e}))"#
        )
    };
    let speed = |i: usize| format!(r#""v{i}": "b{i}.vx", "x{i}": "b{i}.x""#);
    let n = balls.len();
    let fields = format!(
        r#"gravity: [0, 0], points: {{ {} }}, joints: {{ {} }}, contacts: {{ {} }}, outputs: {{ {} }},
        forces: {{ "pull": Load(at: "b1", force: ["{pull}", 0]) }},"#,
        list(&ball, n),
        list(&rail, n),
        list(&bump, n - 1),
        list(&speed, n)
    );
    planar(duration, &fields)
}

#[test]
fn carts_move_on_together_after_a_plastic_impact() {
    let report = run(&row(&[(0.0, 1.0, 1.0), (1.0, 0.0, 2.0)], 0.0, "0", 5.0));
    assert_eq!(happenings(&report), [("bump 0", "rest")]);
    close("time", report.events[0].t, 0.8, 1e-14);
    for ball in ["v0", "v1"] {
        close(ball, output(&report, ball), 1.0 / 3.0, 1e-14);
    }
    close("x0", output(&report, "x0"), 0.8 + 4.2 / 3.0, 1e-13);
}

#[test]
fn carts_that_touch_without_a_force_part_when_one_is_pulled_away() {
    let text = row(&[(0.0, 1.0, 1.0), (1.0, 0.0, 2.0)], 0.0, "max(0, t - 2)", 5.0);
    let report = report(&experiment(&text, &under(Nullspace)));
    let expected = [("bump 0", "rest"), ("pull", "kink"), ("bump 0", "release")];
    assert_eq!(happenings(&report), expected);
    // The pull sets in with a kink, where the force of the contact begins to fall from zero.
    close("kink", report.events[1].t, 2.0, 1e-15);
    close("parting", report.events[2].t, 2.0, 1e-9);
    close("v0", output(&report, "v0"), 1.0 / 3.0, 1e-9);
    close("v1", output(&report, "v1"), 1.0 / 3.0 + 9.0 / 4.0, 1e-9);
}

#[test]
fn carts_that_touch_without_a_force_are_pushed_together() {
    let report = run(&row(&[(0.0, 1.0, 1.0), (1.0, 0.0, 2.0)], 0.0, "-(t - 0.8)", 3.8));
    assert_eq!(happenings(&report)[1..], []);
    // Before the impact the push alone, after it both carts.
    let (impact, end) = (report.events[0].t, 3.8);
    let work = |t: f64| 0.5 * (t - 0.8).powi(2);
    close(
        "momentum",
        output(&report, "v0"),
        (1.0 - work(end) + work(0.0)) / 3.0,
        1e-12,
    );
    close("together", output(&report, "x1") - output(&report, "x0"), 0.2, 1e-13);
    assert!(impact > 0.0);
}

#[test]
fn an_elastic_impact_travels_through_a_row_of_balls_at_rest() {
    let balls = [(0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.2, 0.0, 1.0), (1.4, 0.0, 1.0)];
    for formulation in [Nullspace, Multipliers, Stabilized, Index3] {
        let report = report(&experiment(&row(&balls, 1.0, "0", 5.0), &under(formulation)));
        assert_eq!(
            happenings(&report),
            [("bump 0", "impact"), ("bump 1", "impact"), ("bump 2", "impact")]
        );
        for event in &report.events {
            close("time", event.t, 0.8, 1e-14);
        }
        for (ball, speed) in [("v0", 0.0), ("v1", 0.0), ("v2", 0.0), ("v3", 1.0)] {
            close(ball, output(&report, ball), speed, 1e-14);
        }
    }
}

#[test]
fn a_row_that_touches_from_the_start_is_struck_as_with_small_gaps() {
    let end = |e: f64, gap: f64, formulation| {
        let at = |i: u32| 0.2 * f64::from(i) + gap * f64::from(i);
        let balls = [
            (at(0), 1.0, 1.0),
            (at(1), 0.0, 2.0),
            (at(2), 0.0, 0.7),
            (at(3), 0.0, 1.5),
        ];
        let report = report(&experiment(&row(&balls, e, "0", 1.0), &under(formulation)));
        assert_eq!(report.remarks, Vec::<String>::new());
        (
            happenings(&report).len(),
            ["v0", "v1", "v2", "v3"].map(|name| output(&report, name)),
        )
    };
    for formulation in [Nullspace, Multipliers, Stabilized, Index3, Penalty] {
        for e in [1.0, 0.8] {
            let (impacts, touching) = end(e, 0.0, formulation);
            let (apart, small) = end(e, 1e-8, formulation);
            assert_eq!(impacts, apart, "{formulation:?}, {e}");
            all_close("speeds", &touching, &small, 1e-10);
        }
    }
}

#[test]
fn hanging_balls_that_touch_pass_an_impact_on() {
    let balls: Vec<String> = (0..4)
        .map(|i| {
            let speed = if i == 0 { 1.0 } else { 0.0 };
            format!(
                r#""b{i}": (at: [{}, 0], velocity: [{speed}, 0], mass: 1)"#,
                0.2 * f64::from(i)
            )
        })
        .collect();
    let joined = |text: &dyn Fn(u32) -> String, n| (0..n).map(text).collect::<Vec<_>>().join(", ");
    let fields = format!(
        r#"gravity: [0, -{G}], points: {{ {} }}, ground: {{ {} }}, joints: {{ {} }}, contacts: {{ {} }}, outputs: {{ {} }},"#,
        balls.join(", "),
        joined(&|i| format!(r#""a{i}": [{}, 1]"#, 0.2 * f64::from(i)), 4),
        joined(&|i| format!(r#""s{i}": Link(from: "a{i}", to: "b{i}", length: 1)"#), 4),
        joined(
            &|i| format!(
                r#""c{i}": Touch(point: "b{i}", radius: 0.1, surface: Circle(centre: "b{}", radius: 0.1), law: Restitution(1))"#,
                i + 1
            ),
            3
        ),
        joined(&|i| format!(r#""v{i}": "b{i}.vx""#), 4)
    );
    let report = report(&experiment(&planar(1e-6, &fields), &tight()));
    for (ball, speed) in [("v0", 0.0), ("v1", 0.0), ("v2", 0.0), ("v3", 1.0)] {
        close(ball, output(&report, ball), speed, 1e-9);
    }
}

/// A slab of 3 kg and 2 m on `feet` feet, lifted at the first one by 10 N/s.
fn slab(feet: u32, height: f64, e: f64, lift: &str, duration: f64) -> String {
    let place = |i: u32| -1.0 + 2.0 * f64::from(i) / f64::from(feet - 1);
    let markers: Vec<String> = (0..feet).map(|i| format!(r#""f{i}": [{}, -0.5]"#, place(i))).collect();
    let contacts: Vec<String> = (0..feet)
        .map(|i| format!(r#""c{i}": Touch(point: "slab.f{i}", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution({e}))"#))
        .collect();
    let fields = format!(
        r#"gravity: [0, -{G}],
        bodies: {{ "slab": Rigid(at: [0, {height}, 0], mass: 3, inertia: 1, markers: {{ {} }}) }},
        forces: {{ "lift": Load(at: "slab.f0", force: [0, "{lift}"]) }},
        contacts: {{ {} }},
        outputs: {{ "y": "slab.y", "angle": "slab.angle", "weight": "{}" }},"#,
        markers.join(", "),
        contacts.join(", "),
        (0..feet).map(|i| format!("c{i}.force")).collect::<Vec<_>>().join(" + ")
    );
    planar(duration, &fields)
}

#[test]
fn a_slab_rests_on_more_feet_than_carry_it() {
    for feet in [2, 3, 4, 5] {
        for formulation in [Nullspace, Multipliers, Stabilized, Index3] {
            let report = report(&experiment(&slab(feet, 1.0, 0.3, "0", 5.0), &under(formulation)));
            let rests = happenings(&report).iter().filter(|(_, kind)| *kind == "rest").count();
            assert_eq!(rests, feet as usize, "{formulation:?}: {:?}", happenings(&report));
            close("height", output(&report, "y"), 0.5, 1e-13);
            close("angle", output(&report, "angle"), 0.0, 1e-12);
            close("weight", output(&report, "weight"), 3.0 * G, 1e-10);
        }
    }
}

#[test]
fn feet_hand_their_load_on_until_the_slab_tips_about_the_last_one() {
    let two = run(&slab(2, 0.5, 0.0, "10*t", 3.0));
    for (feet, formulation) in [(3, Nullspace), (4, Nullspace), (5, Nullspace), (4, Multipliers)] {
        let report = report(&experiment(&slab(feet, 0.5, 0.0, "10*t", 3.0), &under(formulation)));
        let last = format!("c{}", feet - 1);
        let (off, tipping) = report.events.split_last().unwrap();
        assert_eq!((off.name.as_str(), off.kind.as_str()), (last.as_str(), "release"));
        assert_eq!(tipping.len(), feet as usize - 1, "{:?}", happenings(&report));
        for event in tipping {
            assert_eq!(event.kind, "release");
            close("tipping", event.t, 0.15 * G, 1e-13);
        }
        close("lift-off", off.t, two.events[1].t, 1e-11);
        close("height", output(&report, "y"), output(&two, "y"), 1e-10);
        close("angle", output(&report, "angle"), output(&two, "angle"), 1e-10);
    }
}

#[test]
fn a_redundant_foot_carries_its_share_under_a_penalty() {
    let report = report(&experiment(&slab(3, 0.5, 0.0, "0", 1.0), &under(Penalty)));
    assert_eq!(happenings(&report), []);
    close("weight", output(&report, "weight"), 3.0 * G, 1e-3);
}

#[test]
fn a_point_that_starts_on_the_floor_stays_there() {
    for gravity in ["-9.81", "0"] {
        let fields = format!(
            r#"gravity: [0, {gravity}],
            points: {{ "P": (at: [0, 0], mass: 1) }},
            contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [1, 2]), law: Restitution(0.5)) }},
            outputs: {{ "x": "P.x", "y": "P.y" }},"#
        );
        let report = run(&planar(2.0, &fields));
        assert_eq!(happenings(&report), []);
        close(
            "on the floor",
            output(&report, "x") + 2.0 * output(&report, "y"),
            0.0,
            1e-12,
        );
    }
}

#[test]
fn a_disc_without_orientation_sticks_to_a_turning_surface_by_its_centre() {
    let fields = r#"gravity: [0, 0],
        ground: { "O": [0, 0] },
        points: { "a": (at: [0.5, 1], velocity: [0, -1], mass: 1) },
        bodies: { "disc": Rigid(at: [0, 0, 0], velocity: [0, 0, 1], mass: 2, inertia: 3, markers: { "c": [0, 0] }) },
        joints: { "hinge": Revolute(between: ("O", "disc.c")) },
        contacts: { "glue": Touch(point: "a", radius: 0.2, surface: Plane(through: [0, 0.1], normal: [0, 1], on: "disc"), law: StickUntil(1000)) },
        outputs: { "L": "3*disc.omega + a.x*a.vy - a.y*a.vx", "reach": "hypot(a.x, a.y)" },"#;
    let (early, late) = (run(&planar(1.0, fields)), run(&planar(3.0, fields)));
    assert_eq!(happenings(&late), [("glue", "stick")]);
    close("angular momentum", output(&late, "L"), 3.0 - 0.5, 1e-12);
    close("rigid", output(&late, "reach"), output(&early, "reach"), 1e-12);
}

#[test]
fn a_loose_tolerance_does_not_glue_a_contact_under_a_penalty() {
    // m y'' = 30 t - 40 from 4/3 s on.
    let text = planar(
        3.0,
        r#"gravity: [0, -10],
        points: { "P": (at: [1, 0], velocity: [0, 0], mass: 4) },
        forces: { "lift": Load(at: "P", force: [0, "30*t"]) },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0)) },
        outputs: { "y": "P.y" },"#,
    );
    for rtol in [1e-4, 1e-6, 1e-8] {
        let changes = Changes {
            formulation: Some(Penalty),
            ..tolerances(rtol, 0.01 * rtol)
        };
        let report = report(&experiment(&text, &changes));
        assert_eq!(happenings(&report), [("floor", "release")], "{rtol:e}");
        close(
            "height",
            output(&report, "y"),
            1.25 * (5.0_f64 / 3.0).powi(3),
            100.0 * rtol,
        );
    }
}
