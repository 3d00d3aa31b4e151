//! Bodies in space that joints hold at their origins, on which rows have no arm but rounding.

use crate::support::{agreed, close, experiment, objective, report, spatial, tight, with_by};

/// A slider on an arm that turns evenly about a joint at its origin, along an axis of the arm, which lies askew.
#[test]
fn a_slider_flies_out_along_a_turning_arm_by_a_hyperbolic_cosine() {
    let askew = "orientation: AxisAngle(axis: [0.3, -0.8, 0.5], angle: 1.1)";
    let fields = format!(
        r#"parameters: {{ "p0": 0.1 }}, ground: {{ "O": (at: [0, 0, 0], {askew}) }},
        bodies: {{
            "arm": Solid(mass: 2, inertia: [0.1, 0.1, 0.12, 0, 0, 0], guess: [0, 0, 0], {askew}),
            "b": Solid(mass: 0.6, inertia: [0.002, 0.003, 0.004, 0, 0, 0], centre_of_mass: [0, 0, 0.05], guess: [0.2, 0, 0], {askew}),
        }},
        joints: {{
            "h": Revolute(between: ("O", "arm.origin"), axis: [0, 0, 1]), "motor": DriveAngle(body: "h", angle: "t"),
            "rail": Prismatic(between: ("arm.origin", "b.origin"), direction: [1, 0, 0], position: "p0", velocity: 0),
        }},
        objectives: {{ "p": Final("rail.position") }},"#
    );
    let found = agreed(&experiment(&spatial(0.9, &fields), &tight()), 1e-10);
    close("p", found.objectives[0].value, 0.1 * 0.9_f64.cosh(), 1e-11);
    close("dp/dp0", found.objectives[0].gradient[0], 0.9_f64.cosh(), 1e-10);
}

#[test]
fn joints_at_the_origin_of_a_body_move_the_same_by_qr_as_by_blocks() {
    let turning = r#"Revolute(between: ("O", "a.origin"), axis: [0, 0.2, 1], angle: 0.1, angular_velocity: 1)"#;
    let sliding = r#"Prismatic(between: ("O", "a.origin"), direction: [1, 0.1, 0], position: 0.1, velocity: 0.2)"#;
    let screw =
        r#"Screw(between: ("a.origin", "b.origin"), axis: [1, 0, 0], lead: 0.2, angle: 0.1, angular_velocity: 0.5)"#;
    let shaft = r#"Cylindrical(between: ("a.origin", "b.origin"), axis: [1, 0, 0], position: 0.1, velocity: 0.2, angle: 0.1, angular_velocity: 0.5)"#;
    for (first, second) in [(turning, shaft), (turning, screw), (sliding, screw)] {
        let fields = format!(
            r#"gravity: [1, 2, -9], ground: {{ "O": (at: [0, 0, 0], orientation: Rotations([Z(0.4)])) }},
            bodies: {{
                "a": Solid(mass: 2, inertia: [0.1, 0.12, 0.14, 0, 0, 0], centre_of_mass: [0.1, 0.05, 0.02], guess: [0.1, 0, 0], orientation: Rotations([Z(0.4)])),
                "b": Solid(mass: 1, inertia: [0.01, 0.012, 0.013, 0, 0, 0], centre_of_mass: [0.02, 0, 0.03], guess: [0.2, 0, 0], orientation: Rotations([Z(0.4)])),
            }},
            joints: {{ "one": {first}, "two": {second} }},
            objectives: {{ "x": Final("b.x"), "y": Final("b.y"), "angle": Final("two.angle"), "force": Integral("one.fx") }},"#
        );
        let scene = spatial(0.7, &fields);
        // Runs that went wrong took steps without end.
        let [qr, blocks] =
            ["Qr, max_steps: 1000", "Blocks"].map(|by| report(&experiment(&with_by(&scene, by), &tight())));
        for name in ["x", "y", "angle", "force"] {
            close(name, objective(&qr, name), objective(&blocks, name), 1e-11);
        }
    }
}
