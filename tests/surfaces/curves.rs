//! Curves through points against closed forms.

use std::f64::consts::TAU;

use crate::CAM;
use crate::support::*;

/// Points of a circle, clockwise.
fn circle(count: usize, radius: f64) -> String {
    let place = |k: usize| {
        let angle = -TAU * k as f64 / count as f64;
        format!("[{:e}, {:e}]", radius * angle.cos(), radius * angle.sin())
    };
    (0..count).map(place).collect::<Vec<_>>().join(", ")
}

#[test]
fn a_curve_through_points_of_a_circle_is_that_circle() {
    // The error of a spline falls with the fourth power of the distance of its points.
    let end = |surface: &str| {
        let fields = format!(
            r#"gravity: [0, -9.81], ground: {{ "O": [0, 0] }}, points: {{ "P": (at: [0.1, 1.3], mass: 1) }},
            contacts: {{ "ball": Touch(point: "P", radius: 0.1, surface: {surface}, law: Restitution(0)) }},
            outputs: {{ "x": "P.x", "y": "P.y" }},"#
        );
        let report = run(&planar(0.9, &fields));
        [output(&report, "x"), output(&report, "y")]
    };
    let exact = end(r#"Circle(centre: "O", radius: 1)"#);
    let error = |count: usize| {
        let found = end(&format!("Spline(points: [{}], closed: true)", circle(count, 1.0)));
        (found[0] - exact[0]).hypot(found[1] - exact[1])
    };
    let (few, many) = (error(20), error(40));
    assert!(few < 1e-3 && few > 1e-7, "{few:e}");
    assert!(many < few / 8.0, "{few:e} {many:e}");
}

#[test]
fn an_open_curve_through_points_of_a_line_is_that_line() {
    let end = |surface: &str| {
        let fields = format!(
            r#"gravity: [0, -9.81], points: {{ "P": (at: [0.1, 1.3], velocity: [0.5, 0], mass: 1) }},
            contacts: {{ "slope": Touch(point: "P", surface: {surface}, law: Restitution(0.4)) }},
            outputs: {{ "x": "P.x", "y": "P.y" }},"#
        );
        let report = run(&planar(1.0, &fields));
        [output(&report, "x"), output(&report, "y")]
    };
    let line = end("Plane(through: [0, 0], normal: [-0.5, 1])");
    let curve = end("Spline(points: [[-4, -2], [-2, -1], [0, 0], [2, 1], [4, 2]])");
    all_close("end", &curve, &line, 1e-9);
}

#[test]
fn a_follower_on_an_eccentric_disc_moves_as_the_sine_law_says() {
    // The points of a circle about (0.2, 0) turn about the origin; the roller on the line x = 0 stays at r + R from the centre.
    let (count, radius) = (60, 1.0);
    let place = |k: usize| {
        let angle = -TAU * (k as f64 + 0.3) / count as f64;
        format!("[{:e}, {:e}]", 0.2 + radius * angle.cos(), radius * angle.sin())
    };
    let points = (0..count).map(place).collect::<Vec<_>>().join(", ");
    let fields = CAM
        .replace(r#"[["a", 0], [0, -0.5], [-0.5, 0], [0, "b"]]"#, &format!("[{points}]"))
        .replace("at: [0, 0.85]", "at: [0, 1.2]");
    let report = run(&planar(1.7, &fields));
    let angle: f64 = 0.2 + 3.0 * 1.7;
    let (x, y) = (0.2 * angle.cos(), 0.2 * angle.sin());
    close("y", output(&report, "y"), y + (1.21 - x * x).sqrt(), 2e-6);
}

#[test]
fn the_follower_of_a_cam_keeps_to_it_over_all_its_parts() {
    let report = run(&planar(2.0, CAM));
    assert_eq!(report.events.len(), 1, "{:?}", happenings(&report));
    assert!(report.residuals.position < 1e-10, "{:?}", report.residuals);
}

#[test]
fn the_driver_of_a_cam_gives_what_the_follower_and_its_spring_take() {
    let (report, _) = experiment(&planar(2.0, CAM), &tight())
        .run_balanced(false, &mut |_| {})
        .unwrap();
    let balance = report.balance.expect("a balance");
    assert!(
        balance.missing.abs() < balance.tolerance,
        "{} of {}",
        balance.missing,
        balance.tolerance
    );
    assert!(
        balance
            .work
            .iter()
            .any(|(name, work)| name == "motor" && work.abs() > 0.1)
    );
}

#[test]
fn the_shipped_cam_has_the_values_that_its_scene_promises() {
    let report = crate::support::report(&shipped("cam", &tight()));
    close("nose", objective(&report, "nose"), 0.06, 1e-12);
    close("heel", objective(&report, "heel"), 0.04, 1e-12);
    let text = std::fs::read_to_string(scenes().join("cam.ron")).expect("the scene");
    let text = text.replace("duration: 1.2", r#"duration: "(tau - 0.5)/w""#);
    let text = text.replace(r#""nose":   At(time: "(tau - 0.5)/w", of: "roller.y"),"#, "");
    let end = crate::support::report(&experiment(&text, &tight()));
    let arm = 0.05 - 0.01125;
    close(
        "acceleration",
        output(&end, "ay"),
        -100.0 * (arm + arm * arm / 0.02125),
        1e-6,
    );
}

/// What rolls over the nodes of a curve sticks on, whatever the rounding of its slip at them is.
#[test]
fn a_disc_that_rolls_over_the_nodes_of_a_curve_is_not_let_go() {
    let fields = r#"gravity: [0, -9.81],
        bodies: { "disc": Rigid(mass: 1, inertia: 0.004, guess: [-0.7, 0.7, 0], hold: [X, Y, Angle], velocity: [0, 0, 0]) },
        contacts: { "track": Touch(point: "disc.origin", radius: 0.1,
            surface: Spline(points: [[-1.5, 1.3], [-1, 0.6], [-0.5, 0.15], [0, 0], [0.5, 0.15], [1, 0.55], [1.5, 1.2]]),
            law: Friction(coefficient: 0.8)) },
        objectives: { "x": Final("disc.x"), "sticks": AtEvents(of: "1", event: "track", kind: Stick) },"#;
    for rtol in [1e-7, 1e-9, 1e-10, 1e-12] {
        let found = report(&experiment(&planar(3.0, fields), &tolerances(rtol, 0.1 * rtol)));
        assert_eq!(objective(&found, "sticks"), 0.0, "at {rtol:e}: {:?}", found.events);
    }
}
