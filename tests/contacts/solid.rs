//! Contacts on moving bodies: planes that turn, masses that stick to free bodies.

use crate::support::*;

#[test]
fn a_turning_plate_throws_a_mass_with_the_velocity_of_its_surface() {
    // Driven at 2 rad/s from angle zero, the plate reaches the resting mass at (1, 0.5) with the normal velocity 2 |p|.
    let report = run(&planar(
        0.6,
        r#"ground: { "O": [0, 0] },
        points: { "P": (at: [1, 0.5], velocity: [0, 0], mass: 0.7) },
        bodies: { "plate": Rigid(mass: 1, inertia: 0.1, at: [0, 0, 0]) },
        joints: { "pin": Revolute(between: ("O", "plate.origin")), "motor": DriveAngle(body: "plate", angle: "2*t") },
        contacts: { "face": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1], on: "plate"), law: Restitution(0.5)) },
        outputs: { "vx": "P.vx", "vy": "P.vy" },"#,
    ));
    all_close("time", &times(&report), &[0.5_f64.atan() / 2.0], 1e-13);
    // (1 + e) 2 |p| along the normal (-y, x)/|p|.
    close("vx", output(&report, "vx"), -1.5 * 2.0 * 0.5, 1e-12);
    close("vy", output(&report, "vy"), 1.5 * 2.0, 1e-12);
}

/// A mass thrown against a face of a free, turning plate, with momenta about the origin as outputs.
fn plate_struck(law: &str, duration: f64) -> String {
    let fields = format!(
        r#"points: {{ "P": (at: [0.7, 1], velocity: [0.1, -2], mass: 1) }},
        bodies: {{
            "plate": Rigid(mass: 2, inertia: 0.5, centre: [0.1, -0.2], at: [0, 0, 0.2], velocity: [0.1, 0.2, -0.3]),
        }},
        contacts: {{ "face": Touch(point: "P", surface: Plane(through: [0, 0.1], normal: [0, 1], on: "plate"), law: {law}) }},
        outputs: {{
            "px": "P.vx + 2*plate.centre.vx",
            "py": "P.vy + 2*plate.centre.vy",
            "moment of P": "P.x*P.vy - P.y*P.vx",
            "moment": "moment of P + 2*(plate.centre.x*plate.centre.vy - plate.centre.y*plate.centre.vx) + 0.5*plate.omega",
            "along": "(P.x - plate.x)*cos(plate.angle) + (P.y - plate.y)*sin(plate.angle)",
            "across": "(P.y - plate.y)*cos(plate.angle) - (P.x - plate.x)*sin(plate.angle)",
        }},"#
    );
    planar(duration, &fields)
}

/// The momenta of [`plate_struck`] at the start: they stay.
fn start_momenta() -> [(&'static str, f64); 3] {
    let (sin, cos) = 0.2_f64.sin_cos();
    let centre = [0.1 * cos + 0.2 * sin, 0.1 * sin - 0.2 * cos];
    let velocity = [0.1 + 0.3 * centre[1], 0.2 - 0.3 * centre[0]];
    let moment = centre[0] * velocity[1] - centre[1] * velocity[0];
    [
        ("px", 0.1 + 2.0 * velocity[0]),
        ("py", -2.0 + 2.0 * velocity[1]),
        ("moment", 0.7 * -2.0 - 0.1 + 2.0 * moment - 0.5 * 0.3),
    ]
}

#[test]
fn an_elastic_impact_on_a_free_plate_keeps_momenta_and_energy() {
    let report = run(&plate_struck("Restitution(1)", 0.7));
    assert_eq!(happenings(&report), [("face", "impact")]);
    for (name, want) in start_momenta() {
        close(name, output(&report, name), want, 1e-11);
    }
    close("energy", report.energy.1, report.energy.0, 1e-12);
}

#[test]
fn an_inelastic_impact_on_a_free_plate_keeps_momenta_and_loses_energy() {
    let report = run(&plate_struck("Restitution(0.4)", 0.7));
    for (name, want) in start_momenta() {
        close(name, output(&report, name), want, 1e-11);
    }
    assert!(report.energy.1 < report.energy.0 - 0.1, "{:?}", report.energy);
}

#[test]
fn a_mass_that_sticks_to_a_free_plate_keeps_momenta_and_its_place_on_the_plate() {
    let short = run(&plate_struck("StickUntil(1e6)", 0.6));
    let report = run(&plate_struck("StickUntil(1e6)", 1.2));
    assert_eq!(happenings(&report), [("face", "stick")]);
    assert!(report.events[0].t < 0.6);
    for (name, want) in start_momenta() {
        close(name, output(&report, name), want, 1e-11);
    }
    close("along", output(&report, "along"), output(&short, "along"), 1e-11);
    close("across", output(&report, "across"), 0.1, 1e-12);
    close("energy", report.energy.1, short.energy.1, 1e-11);
    assert!(report.energy.1 < report.energy.0 - 0.1, "{:?}", report.energy);
}

#[test]
fn a_mass_flung_off_a_turning_plate_leaves_when_the_pull_exceeds_the_hold() {
    // Stuck at radius 0.5 under a face that a motor turns ever faster, angle = t^2: the hold gives way at m r (2 t)^2 = 8.
    let report = run(&planar(
        1.6,
        r#"ground: { "O": [0, 0] },
        points: { "P": (at: [0, 0.5], velocity: [0, 0], mass: 2) },
        bodies: { "drum": Rigid(mass: 1, inertia: 0.1, at: [0, 0, 0]) },
        joints: { "pin": Revolute(between: ("O", "drum.origin")), "motor": DriveAngle(body: "drum", angle: "t^2") },
        contacts: { "rim": Touch(point: "P", surface: Plane(through: [0, 0.5], normal: [0, 1], on: "drum"), law: StickUntil(8)) },
        outputs: { "speed": "hypot(P.vx, P.vy)" },"#,
    ));
    let leaves = 2.0_f64.sqrt();
    assert_eq!(happenings(&report), [("rim", "release")]);
    close("time", report.events[0].t, leaves, 1e-11);
    close("speed", output(&report, "speed"), 0.5 * 2.0 * leaves, 1e-10);
}

#[test]
fn a_mass_that_sticks_to_a_turning_drum_is_carried_along() {
    // It meets the drum of radius 2 at (1.6, 1.2) after 0.5 s, and turns with it by 1 rad until 1 s.
    let report = run(&planar(
        1.0,
        r#"ground: { "O": [0, 0] },
        points: { "P": (at: [2.1, 1.3], velocity: [-1, -0.2], mass: 2) },
        bodies: { "drum": Rigid(mass: 1, inertia: 0.1, at: [0, 0, 0]) },
        joints: { "pin": Revolute(between: ("O", "drum.origin")), "motor": DriveAngle(body: "drum", angle: "2*t") },
        contacts: { "rim": Touch(point: "P", surface: Circle(centre: "drum.origin", radius: 2), law: StickUntil(1e3)) },
        outputs: { "x": "P.x", "y": "P.y", "speed": "hypot(P.vx, P.vy)" },"#,
    ));
    assert_eq!(happenings(&report), [("rim", "stick")]);
    let (sin, cos) = 1.0_f64.sin_cos();
    close("x", output(&report, "x"), 1.6 * cos - 1.2 * sin, 1e-11);
    close("y", output(&report, "y"), 1.6 * sin + 1.2 * cos, 1e-11);
    close("speed", output(&report, "speed"), 4.0, 1e-11);
}

#[test]
fn a_flip_on_a_turning_drum_keeps_the_velocity_along_it() {
    let scene = |law: &str| {
        let fields = r#"points: { "P": (at: [2.1, 1.3], velocity: [-1, -0.2], mass: 2) },
            bodies: { "drum": Rigid(mass: 3, inertia: 0.4, at: [0, 0, 0], velocity: [0, 0, 2]) },
            contacts: { "rim": Touch(point: "P", surface: Circle(centre: "drum.origin", radius: 2), law: LAW) },
            outputs: { "vx": "P.vx", "vy": "P.vy", "px": "2*P.vx + 3*drum.vx", "omega": "drum.omega" },"#;
        run(&planar(0.7, &fields.replace("LAW", law)))
    };
    // On a free round body the impulse along the normal is all there is: a flip and an elastic impact are the same.
    let (flip, elastic) = (scene("Flip"), scene("Restitution(1)"));
    for (name, value) in &elastic.outputs {
        close(name, output(&flip, name), *value, 1e-12);
    }
    close("px", output(&flip, "px"), -2.0, 1e-12);
    close("omega", output(&flip, "omega"), 2.0, 1e-12);
}
