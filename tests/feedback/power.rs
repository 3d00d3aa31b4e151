//! What feedback supplies and what springs that follow the motion store.

use crate::support::{close, experiment, objective, output, planar, report, tight};

#[test]
fn the_energy_changes_by_the_power_of_feedback_and_of_springs_that_follow_the_motion() {
    // The spring of constant stiffness is part of the energy although its damping follows the motion.
    let fields = r#"
        gravity: [0, -9.81], ground: { "O": [0, 0], "W": [1.5, 0.5] },
        points: { "P": (guess: [0.8, -0.6], mass: 1) },
        bodies: { "a": Bar(from: "O", to: "P", length: 1, mass: 0.5, angle: -0.6) },
        forces: {
            "steady": Spring(from: "W", to: "P", stiffness: 20, natural_length: 0.7, damping: "0.5 + a.omega^2"),
            "soft": Spring(from: "W", to: "a.centre", stiffness: "10 + 5*sin(a.angle)", natural_length: "0.5 + 0.1*P.vx"),
            "hinge": TorsionSpring(between: ("ground", "a"), stiffness: "1 + t", natural_angle: 0.2),
            "motor": Torque(on: "a", torque: "-2*a.omega + P.x"),
            "push": Load(at: "P", force: ["-P.vy", "3*P.y"], frame: Body("a")),
        },
        outputs: { "stored": "energy.potential", "c": "0.5 + a.omega^2", "along": "P.vx*cos(a.angle) + P.vy*sin(a.angle)",
            "across": "-P.vx*sin(a.angle) + P.vy*cos(a.angle)" },
        objectives: {
            "change": Sum([(1, Final("energy.total")), (-1, Final("9.81*(-sin(0.6)*1.25) + 10*(hypot(1.5 - cos(0.6), 0.5 + sin(0.6)) - 0.7)^2"))]),
            "work": Integral("-c*steady.rate^2 - soft.force*soft.rate + hinge.torque*a.omega + (-2*a.omega + P.x)*a.omega - P.vy*along + 3*P.y*across"),
        },"#;
    let report = report(&experiment(&planar(2.0, fields), &tight()));
    assert!(objective(&report, "work").abs() > 0.1);
    close("energy", objective(&report, "change"), objective(&report, "work"), 1e-9);
    assert!(output(&report, "stored").is_finite());
}
