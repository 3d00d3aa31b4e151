//! Brakes: friction that is given.

use costate::run::Method;

use crate::support::{agreed, close, experiment, objective, planar, report, tight};

/// The values of outputs at every time.
fn rows<const N: usize>(recording: &costate::run::Recording, names: [&str; N]) -> Vec<[f64; N]> {
    let of = |name: &str| {
        &recording
            .outputs
            .iter()
            .find(|series| series.name == name)
            .unwrap()
            .values
    };
    (0..recording.times.len())
        .map(|k| names.map(|name| of(name)[k]))
        .collect()
}

/// A brake of constant friction stops a disc, and holds it against a load up to its limit.
#[test]
fn a_brake_stops_and_holds() {
    let text = planar(
        5.0,
        r#"parameters: { "J": 0.5, "w0": 10.0, "Tk": 2.0, "Ts": 2.5, "c": 1.0 },
        ground: { "A": [0, 0] },
        bodies: { "disc": Rigid(mass: 1, inertia: "J", at: [0, 0, 0], velocity: [0, 0, "w0"]) },
        joints: { "brake": Revolute(between: ("A", "disc.origin"), friction: Preload(kinetic: "Tk", static: "Ts")) },
        forces: { "load": Torque(on: "disc", torque: "-c*max(t - 2.0, 0)") },
        objectives: { "phi": Final("disc.angle"), "w": Final("disc.omega"), "W": Integral("brake.heat") },"#,
    );
    let experiment = experiment(&text, &tight());
    let found = report(&experiment);
    // It would stop after J w0/Tk = 2.5 s; the load helps from 2 s on: -J w' = Tk + c s, w = 2 - 4 s - s^2 until s = sqrt(6) - 2.
    let s = 6.0_f64.sqrt() - 2.0;
    let events: Vec<(f64, &str)> = found
        .events
        .iter()
        .map(|event| (event.t, event.kind.as_str()))
        .collect();
    let rubs: Vec<(f64, &str)> = events.into_iter().filter(|(_, kind)| *kind != "kink").collect();
    assert_eq!(
        rubs.iter().map(|(_, kind)| *kind).collect::<Vec<_>>(),
        ["stick", "slip"]
    );
    close("stops", rubs[0].0, 2.0 + s, 1e-10);
    close("slips", rubs[1].0, 4.5, 1e-10);
    // From rest J w' = -(c s - Tk), s = t - 2 from 2.5 to 3, and w = -(s^2/2 - 2 s - 2.5^2/2 + 5)/J.
    let w = |s: f64| -(0.5 * s * s - 2.0 * s - 0.5 * 6.25 + 5.0) / 0.5;
    close("w", objective(&found, "w"), w(3.0), 1e-9);
    let gradient = experiment.gradient(Method::Adjoint).unwrap();
    let names: Vec<&str> = gradient.parameters.iter().map(String::as_str).collect();
    let of_w = &gradient
        .objectives
        .iter()
        .find(|objective| objective.name == "w")
        .unwrap()
        .gradient;
    // Slip begins at s1 = Ts/c: J w = -(c/2 (9 - s1^2) - Tk (3 - s1)). What was before is forgotten.
    let [tk, ts] = ["Tk", "Ts"].map(|name| of_w[names.iter().position(|other| *other == name).unwrap()]);
    close(
        "dw/dw0",
        of_w[names.iter().position(|other| *other == "w0").unwrap()],
        0.0,
        1e-10,
    );
    close("dw/dTk", tk, (3.0 - 2.5) / 0.5, 1e-9);
    close("dw/dTs", ts, (2.5 - 2.0) / 0.5, 1e-9);
}

/// Two brakes on one disc hold the sum of what each holds, and share it alike.
#[test]
fn brakes_of_one_motion_hold_together() {
    let text = planar(
        4.0,
        r#"parameters: { "Ta": 1.0, "Tb": 0.5, "c": 1.0 },
        ground: { "A": [0, 0] },
        bodies: { "disc": Rigid(mass: 1, inertia: 1, at: [0, 0, 0]) },
        joints: {
            "a": Revolute(between: ("A", "disc.origin"), friction: Preload(kinetic: "Ta")),
            "b": Revolute(between: ("disc.origin", "A"), friction: Preload(kinetic: "Tb")),
        },
        forces: { "load": Torque(on: "disc", torque: "c*t") },
        outputs: { "a": "a.friction", "b": "b.friction" },
        objectives: { "w": Final("disc.omega"), "W": Integral("a.heat + b.heat") },"#,
    );
    let experiment = experiment(&text, &tight());
    let (found, recording) = experiment.run(true, &mut |_| {}).unwrap();
    let recording = recording.unwrap();
    for (t, [a, b]) in recording.times.iter().zip(rows(&recording, ["a", "b"])) {
        let held = t.min(1.5);
        close("a", a, -held / 1.5, 1e-9);
        close("b", b, held * 0.5 / 1.5, 1e-9);
    }
    let kinds: Vec<(&str, &str)> = found
        .events
        .iter()
        .map(|event| (event.name.as_str(), event.kind.as_str()))
        .collect();
    assert_eq!(kinds, [("a", "slip"), ("b", "slip")]);
    close("w", objective(&found, "w"), 0.5 * (16.0 - 2.25) - 1.5 * 2.5, 1e-9);
    for method in [Method::Adjoint, Method::Forward] {
        let gradient = experiment.gradient(method).unwrap();
        // w = c (16 - s^2)/2 - T (4 - s) with s = T/c, T = Ta + Tb: dw/dT = -(4 - s), dw/dc = (16 - s^2)/2.
        for (slope, wanted) in gradient.objectives[0]
            .gradient
            .iter()
            .zip([-2.5, -2.5, 0.5 * (16.0 - 2.25)])
        {
            close("slope", *slope, wanted, 1e-9);
        }
    }
}

/// Bars that share a point are hinged there already: a joint between them with preload rubs, and holds nothing else.
#[test]
fn a_brake_between_bars_that_share_a_point_only_rubs() {
    let scene = |joint: &str| {
        planar(
            2.0,
            &format!(
                r#"gravity: [0, -9.81], parameters: {{ "T": 0.5, "l": 0.8 }},
                ground: {{ "O": [0, 0] }},
                points: {{ "P": (guess: [0, -0.5], mass: 0.2), "Q": (guess: [0.6, -1], mass: 0.3) }},
                bodies: {{
                    "upper": Bar(from: "O", to: "P", length: 0.5, mass: 1, angle: -1.5, angular_velocity: 4),
                    "lower": Bar(from: "P", to: "Q", length: "l", mass: 1, angle: -0.7, angular_velocity: 0),
                }},
                joints: {{ {joint} }},
                outputs: {{ "lag": "lower.angle - upper.angle" }},
                objectives: {{ "upper": Final("upper.angle"), "lower": Final("lower.angle") }},"#
            ),
        )
    };
    let brake = scene(r#""brake": Revolute(between: ("upper.to", "lower.from"), friction: Preload(kinetic: "T"))"#);
    let (found, recording) = experiment(
        &brake.replace(
            "outputs: {",
            r#"outputs: { "torque": "brake.friction", "u": "brake.slip", "#,
        ),
        &tight(),
    )
    .run(true, &mut |_| {})
    .unwrap();
    assert!(
        found.events.iter().any(|event| event.kind == "stick"),
        "{:?}",
        found.events
    );
    let slipping = rows(&recording.unwrap(), ["torque", "u"])
        .into_iter()
        .filter(|[_, u]| u.abs() > 1e-11);
    slipping.for_each(|[t, u]| close("T", t, -0.5 * u.signum(), 1e-12));
    // Without friction it is as if there were no joint.
    let [none, free] =
        [brake.replace("\"T\": 0.5", "\"T\": 0"), scene("")].map(|text| report(&experiment(&text, &tight())));
    for name in ["upper", "lower"] {
        close(name, objective(&none, name), objective(&free, name), 1e-9);
    }
    let gradients =
        [Method::Adjoint, Method::Forward].map(|method| experiment(&brake, &tight()).gradient(method).unwrap());
    for (a, b) in gradients[0].objectives.iter().zip(&gradients[1].objectives) {
        for (a, b) in a.gradient.iter().zip(&b.gradient) {
            close("slope", *a, *b, 1e-9 * (1.0 + b.abs()));
        }
    }
}

/// Lengths in micrometres: torques and angular velocities have rounding of their own, not that of forces and lengths.
#[test]
fn a_brake_in_a_mechanism_of_a_micrometre_is_that_of_a_metre() {
    let scene = |length: f64| {
        let (arm, torque) = (0.6 * length, length * length);
        let fields = format!(
            r#"parameters: {{ "T": {}, "m": 1.2 }}, gravity: [0, {}],
            ground: {{ "A": [0, 0] }},
            bodies: {{
                "arm": Rigid(mass: "m", inertia: {}, centre: [{}, 0], guess: [0, 0, 0], hold: [Angle], velocity: ["free", "free", 1], markers: {{ "m": [{arm}, 0] }}),
                "b": Rigid(mass: 0.3, inertia: {}, centre: [{}, 0], guess: [{arm}, 0, 0], hold: [Angle], velocity: ["free", "free", 0]),
            }},
            joints: {{ "h": Revolute(between: ("A", "arm.origin"), friction: Preload(kinetic: "T")), "k": Revolute(between: ("arm.m", "b.origin")) }},
            objectives: {{ "a": Final("arm.angle"), "b": Final("b.angle"), "w": Final("arm.omega") }},"#,
            0.3 * torque,
            -9.81 * length,
            0.03 * torque,
            0.3 * length,
            0.01 * torque,
            0.2 * length
        );
        report(&experiment(&planar(1.2, &fields), &tight()))
    };
    let want = scene(1.0);
    for length in [1e-3, 1e-6, 1e-8] {
        let found = scene(length);
        for name in ["a", "b", "w"] {
            close(name, objective(&found, name), objective(&want, name), 1e-7);
        }
    }
}

/// Functions with kinks and jumps may write a brake: what is held on a side within a step is negative beyond, which is no fault.
#[test]
fn brakes_are_written_with_steps_and_magnitudes() {
    let turns = |friction: &str| {
        let text = planar(
            3.0,
            &format!(
                r#"parameters: {{ "J": 0.3, "w0": 5.0, "Tb": 0.3, "T": 1.5 }}, ground: {{ "A": [0, 0] }},
                bodies: {{ "disc": Rigid(mass: 1, inertia: "J", at: [0, 0, 0], velocity: [0, 0, "w0"]) }},
                joints: {{ "brake": Revolute(between: ("A", "disc.origin"), friction: Preload({friction})) }},
                objectives: {{ "w": Final("disc.omega"), "W": Integral("brake.heat") }},"#
            ),
        );
        agreed(&experiment(&text, &tight()), 1e-9).objectives[0].clone()
    };
    let on = turns(r#"kinetic: "Tb*step(t - T)", static: "1.2*Tb*step(t - T)""#);
    close("w", on.value, 3.5, 1e-10);
    close("by T", on.gradient[3], 1.0, 1e-9);
    let off = turns(r#"kinetic: "Tb*(1 - step(t - T))", static: "2*Tb*(1 - step(t - T))""#);
    close("w", off.value, 3.5, 1e-10);
    close("by T", off.gradient[3], -1.0, 1e-9);
    // The integral of the magnitude of a sine over two halves of its period and the rest of a third.
    let waves = turns(r#"kinetic: "Tb*abs(sin(2.5*t))""#);
    close("w", waves.value, 5.0 - (4.0 + 1.0 - 7.5_f64.cos()) / 2.5, 1e-9);
}
