//! Impacts of points, discs and spheres: closed forms, momentum, energy.

use crate::support::*;

#[test]
fn both_ends_of_a_falling_bar_strike_together_and_energy_is_kept() {
    let fields = format!(
        r#"gravity: [0, -{G}],
        points: {{ "P": (at: [0, 1], velocity: [0.3, 0]), "Q": (at: [2, 1], velocity: [0.3, 0]) }},
        bodies: {{ "bar": Bar(from: "P", to: "Q", length: 2, mass: 3) }},
        contacts: {{
            "left": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(1)),
            "right": Touch(point: "Q", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(1)),
        }},
        outputs: {{ "yP": "P.y", "yQ": "Q.y", "turn": "bar.angle", "vx": "P.vx" }},"#
    );
    let report = run(&planar(1.0, &fields));
    assert_eq!(happenings(&report), [("left", "impact"), ("right", "impact")]);
    let fall = (2.0 / G).sqrt();
    all_close("times", &times(&report), &[fall, fall], 1e-13);
    let s = 1.0 - fall;
    for name in ["yP", "yQ"] {
        close(name, output(&report, name), G * fall * s - G * s * s / 2.0, 1e-11);
    }
    close("turn", output(&report, "turn"), 0.0, 1e-12);
    close("vx", output(&report, "vx"), 0.3, 1e-13);
    close("energy", report.energy.1, report.energy.0, 1e-11);
    assert!(
        report
            .remarks
            .iter()
            .any(|remark| remark.contains("left") && remark.contains("right")),
        "{:?}",
        report.remarks
    );
}

#[test]
fn one_disc_strikes_two_at_once_as_in_the_symmetric_break() {
    // Three equal discs: the first keeps -1/5 of its velocity, the others leave at 30 degrees with 2 sqrt(3)/5 of it.
    let report = run(&planar(
        1.0,
        r#"points: {
            "cue": (at: [-2, 0], velocity: [3, 0], mass: 2),
            "upper": (at: [0, 0.5], velocity: [0, 0], mass: 2),
            "lower": (at: [0, -0.5], velocity: [0, 0], mass: 2),
        },
        contacts: {
            "up": Touch(point: "upper", radius: 0.5, surface: Circle(centre: "cue", radius: 0.5), law: Restitution(1)),
            "down": Touch(point: "lower", radius: 0.5, surface: Circle(centre: "cue", radius: 0.5), law: Restitution(1)),
        },
        outputs: {
            "cue vx": "cue.vx", "cue vy": "cue.vy", "upper vx": "upper.vx", "upper vy": "upper.vy", "lower vx": "lower.vx",
            "lower vy": "lower.vy",
        },"#,
    ));
    assert_eq!(happenings(&report), [("up", "impact"), ("down", "impact")]);
    let touch = (2.0 - 0.75_f64.sqrt()) / 3.0;
    all_close("times", &times(&report), &[touch, touch], 1e-14);
    let away = 3.0 * 2.0 * 3.0_f64.sqrt() / 5.0;
    let want = [
        ("cue vx", -0.6),
        ("cue vy", 0.0),
        ("upper vx", away * 0.75_f64.sqrt()),
        ("upper vy", away / 2.0),
    ];
    for (name, want) in want {
        close(name, output(&report, name), want, 1e-12);
    }
    close(
        "lower vx",
        output(&report, "lower vx"),
        output(&report, "upper vx"),
        1e-13,
    );
    close(
        "lower vy",
        output(&report, "lower vy"),
        -output(&report, "upper vy"),
        1e-13,
    );
    close("energy", report.energy.1, report.energy.0, 1e-12);
    assert_eq!(report.remarks.len(), 1, "{:?}", report.remarks);
}

#[test]
fn impacts_that_do_not_act_on_each_other_need_no_remark() {
    let report = run(&planar(
        1.0,
        r#"points: { "P": (at: [0, 1], velocity: [0, -2], mass: 2), "Q": (at: [2, 1], velocity: [0, -2], mass: 1) },
        contacts: {
            "left": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(1)),
            "right": Touch(point: "Q", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)),
        },"#,
    ));
    all_close("times", &times(&report), &[0.5, 0.5], 1e-14);
    assert!(report.remarks.is_empty(), "{:?}", report.remarks);
}

#[test]
fn an_oblique_impact_of_two_discs_keeps_momentum_and_tangential_velocities() {
    // Centres one behind the other on a line at 30 degrees, radii 0.3 and 0.2, masses 1 and 3; they meet after 0.5 s.
    let report = run(&planar(
        1.0,
        r#"points: {
            "A": (at: ["-1.5*0.5", "-0.8*0.5"], velocity: [1.5, 0.8], mass: 1),
            "B": (at: ["0.5*cos(pi/6) + 0.4*0.5", "0.5*sin(pi/6) - 0.1*0.5"], velocity: [-0.4, 0.1], mass: 3),
        },
        contacts: { "discs": Touch(point: "B", radius: 0.2, surface: Circle(centre: "A", radius: 0.3), law: Restitution(0.6)) },
        outputs: {
            "normal": "(B.vx - A.vx)*cos(pi/6) + (B.vy - A.vy)*sin(pi/6)",
            "tangent A": "A.vy*cos(pi/6) - A.vx*sin(pi/6)",
            "tangent B": "B.vy*cos(pi/6) - B.vx*sin(pi/6)",
            "px": "A.vx + 3*B.vx",
            "py": "A.vy + 3*B.vy",
        },"#,
    ));
    all_close("time", &times(&report), &[0.5], 1e-13);
    let (cos, sin) = (0.75_f64.sqrt(), 0.5);
    let approach = 1.9 * cos + 0.7 * sin;
    close("normal", output(&report, "normal"), 0.6 * approach, 1e-12);
    close("tangent A", output(&report, "tangent A"), 0.8 * cos - 1.5 * sin, 1e-12);
    close("tangent B", output(&report, "tangent B"), 0.1 * cos + 0.4 * sin, 1e-12);
    close("px", output(&report, "px"), 1.5 - 1.2, 1e-12);
    close("py", output(&report, "py"), 0.8 + 0.3, 1e-12);
    // Half the reduced mass times the lost share of the squared normal velocity.
    let lost = 0.5 * 0.75 * (1.0 - 0.36) * approach * approach;
    close("energy", report.energy.0 - report.energy.1, lost, 1e-12);
}

#[test]
fn a_disc_inside_a_circle_bounces_along_equal_chords() {
    let report = run(&planar(
        10.0,
        r#"ground: { "O": [0, 0] },
        points: { "P": (at: [0.5, 0], velocity: [0, 1], mass: 2) },
        contacts: { "bowl": Touch(point: "P", radius: 0.5, surface: Circle(centre: "O", radius: 2, inside: true), law: Restitution(1)) },
        outputs: { "speed": "hypot(P.vx, P.vy)", "moment": "P.x*P.vy - P.y*P.vx" },"#,
    ));
    let half_chord = 2.0_f64.sqrt();
    let want: Vec<f64> = (0..4)
        .map(|k| half_chord * f64::from(2 * k + 1))
        .take_while(|t| *t < 10.0)
        .collect();
    all_close("times", &times(&report), &want, 1e-12);
    close("speed", output(&report, "speed"), 1.0, 1e-12);
    close("moment", output(&report, "moment"), 0.5, 1e-12);
}

#[test]
fn a_sphere_bounces_off_an_inclined_plane_in_space() {
    let report = run(&spatial(
        2.0,
        r#"points: { "P": (at: [1, 1, 1], velocity: [0.2, -1, -1.3], mass: 2) },
        contacts: { "slope": Touch(point: "P", radius: 0.2, surface: Plane(through: [0, 0, 0], normal: [1, 2, 2]), law: Restitution(0.5)) },
        outputs: { "vx": "P.vx", "vy": "P.vy", "vz": "P.vz" },"#,
    ));
    let (v, n) = ([0.2, -1.0, -1.3], [1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]);
    let approach: f64 = v.iter().zip(n).map(|(v, n)| v * n).sum();
    all_close("time", &times(&report), &[(5.0 / 3.0 - 0.2) / -approach], 1e-13);
    for ((name, v), n) in ["vx", "vy", "vz"].into_iter().zip(v).zip(n) {
        close(name, output(&report, name), v - 1.5 * approach * n, 1e-13);
    }
}

#[test]
fn two_spheres_in_space_exchange_their_normal_velocities() {
    // Equal masses and e = 1; the line of centres at the impact is (2, 3, 6)/7, at 1 s.
    let report = run(&spatial(
        2.0,
        r#"points: {
            "A": (at: [-1, 0, 0], velocity: [1, 0, 0], mass: 2),
            "B": (at: ["2/7 - 0.2", "3/7 + 0.3", "6/7"], velocity: [0.2, -0.3, 0], mass: 2),
        },
        contacts: { "spheres": Touch(point: "B", radius: 0.6, surface: Circle(centre: "A", radius: 0.4), law: Restitution(1)) },
        outputs: {
            "normal A": "(2*A.vx + 3*A.vy + 6*A.vz)/7",
            "normal B": "(2*B.vx + 3*B.vy + 6*B.vz)/7",
            "px": "A.vx + B.vx",
            "py": "A.vy + B.vy",
            "pz": "A.vz + B.vz",
        },"#,
    ));
    all_close("time", &times(&report), &[1.0], 1e-13);
    close("normal A", output(&report, "normal A"), (0.4 - 0.9) / 7.0, 1e-13);
    close("normal B", output(&report, "normal B"), 2.0 / 7.0, 1e-13);
    for (name, want) in [("px", 1.2), ("py", -0.3), ("pz", 0.0)] {
        close(name, output(&report, name), want, 1e-13);
    }
    close("energy", report.energy.1, report.energy.0, 1e-13);
}

#[test]
fn a_row_of_touching_discs_passes_an_elastic_impact_on_to_the_last() {
    let report = run(&planar(
        1.0,
        r#"points: {
            "A": (at: [-1, 0], velocity: [2, 0], mass: 2),
            "B": (at: [0, 0], velocity: [0, 0], mass: 2),
            "C": (at: [0.5, 0], velocity: [0, 0], mass: 2),
        },
        contacts: {
            "AB": Touch(point: "B", radius: 0.25, surface: Circle(centre: "A", radius: 0.25), law: Restitution(1)),
            "BC": Touch(point: "C", radius: 0.25, surface: Circle(centre: "B", radius: 0.25), law: Restitution(1)),
        },
        outputs: { "vA": "A.vx", "vB": "B.vx", "vC": "C.vx" },"#,
    ));
    assert_eq!(happenings(&report), [("AB", "impact"), ("BC", "impact")]);
    all_close("times", &times(&report), &[0.25; 2], 1e-14);
    for (name, want) in [("vA", 0.0), ("vB", 0.0), ("vC", 2.0)] {
        close(name, output(&report, name), want, 1e-14);
    }
}

#[test]
fn three_feet_in_a_row_strike_together_though_two_would_do() {
    let scene = |middle: f64| {
        let feet = ["left", "middle", "right"].map(|foot| {
            let e = if foot == "middle" { middle } else { 0.5 };
            let surface = "Plane(through: [0, 0], normal: [0, 1])";
            format!(r#""{foot} foot": Touch(point: "block.{foot}", surface: {surface}, law: Restitution({e})),"#)
        });
        let fields = format!(
            r#"bodies: {{ "block": Rigid(
                mass: 2, inertia: 0.3, at: [0, 1, 0], velocity: [0.3, -1, 0],
                markers: {{ "left": [-0.5, -0.2], "middle": [0, -0.2], "right": [0.5, -0.2] }},
            ) }},
            contacts: {{ {} }},
            outputs: {{ "v": "block.vy", "omega": "block.omega" }},"#,
            feet.concat()
        );
        run(&planar(1.5, &fields))
    };
    let even = scene(0.5);
    all_close("times", &times(&even), &[0.8; 3], 1e-14);
    close("v", output(&even, "v"), 0.5, 1e-13);
    close("omega", output(&even, "omega"), 0.0, 1e-13);
    // A livelier foot in the middle carries the whole impact.
    let livelier = scene(0.75);
    close("v", output(&livelier, "v"), 0.75, 1e-13);
    close("omega", output(&livelier, "omega"), 0.0, 1e-13);
}

#[test]
fn a_ball_that_falls_into_a_wedge_comes_to_rest_where_its_impacts_accumulate() {
    for (slope, gravity) in [(10.0, -9.81), (6.0, -9.81), (10.0, 0.0)] {
        let text = planar(
            2.0,
            &format!(
                r#"gravity: [0, {gravity}],
                points: {{ "P": (at: [0, 1], velocity: [0.1, -1], mass: 1) }},
                contacts: {{
                    "f": Touch(point: "P", surface: Plane(through: [0, 0], normal: [{slope}, 1]), law: Restitution(0.5)),
                    "w": Touch(point: "P", surface: Plane(through: [0, 0], normal: [-{slope}, 1]), law: Restitution(0.5)),
                }},
                outputs: {{ "x": "P.x", "y": "P.y", "speed": "hypot(P.vx, P.vy)" }},"#
            ),
        );
        let report = report(&experiment(&text, &tight()));
        if gravity < 0.0 {
            for name in ["x", "y", "speed"] {
                close(name, output(&report, name), 0.0, 1e-8);
            }
        }
        assert!(report.events.len() < 200, "{}", report.events.len());
    }
}
