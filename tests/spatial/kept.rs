//! What a motion keeps: energy, momenta, the length of quaternions; and what turning the whole scene does not change.

use costate::error::Result;
use costate::hybrid::{HybridSystem, Observer, StepView, simulate};
use costate::model::Mode;

use crate::MIXTURE;
use crate::support::{close, experiment, objective, report, spatial, tight, tolerances};

#[test]
fn a_free_body_keeps_energy_and_momenta_over_a_hundred_turns() {
    let fields = r#"bodies: { "stone": Solid(mass: 1.5, inertia: [0.02, 0.03, 0.045, 0.002, -0.003, 0.001], centre_of_mass: [0.1, -0.05, 0.2],
            at: [0.3, -0.2, 0.5], orientation: Rotations([X(0.3), Y(-0.4)]), velocity: [0.2, 0.1, -0.3], angular_velocity: [3, 5, 2]) },
        objectives: { "E": Final("energy.total"), "px": Final("stone.p_x"), "py": Final("stone.p_y"), "pz": Final("stone.p_z"),
            "lx": Final("stone.l_x"), "ly": Final("stone.l_y"), "lz": Final("stone.l_z"), "turned": Integral("sqrt(stone.omega_x^2 + stone.omega_y^2 + stone.omega_z^2)") },"#;
    let at = |duration| report(&experiment(&spatial(duration, fields), &tolerances(1e-14, 1e-15)));
    let (start, end) = (at(1e-9), at(110.0));
    for name in ["E", "px", "py", "pz", "lx", "ly", "lz"] {
        close(name, objective(&end, name), objective(&start, name), 1e-10);
    }
    assert!(objective(&end, "turned") > 100.0 * std::f64::consts::TAU);
}

/// Greatest deviation of a quaternion from the length one at the ends of steps.
#[derive(Default)]
struct Lengths {
    firsts: Vec<usize>,
    worst: f64,
    steps: usize,
}

impl Observer<Mode> for Lengths {
    fn step(&mut self, step: &StepView<Mode>) -> Result<()> {
        for first in &self.firsts {
            let square: f64 = step.x[first + 3..first + 7].iter().map(|x| x * x).sum();
            self.worst = self.worst.max((square.sqrt() - 1.0).abs());
        }
        self.steps += 1;
        Ok(())
    }
}

#[test]
fn quaternions_keep_their_length_in_every_step() {
    // Without projection the joints drift apart soon.
    let loose = spatial(0.25, MIXTURE);
    for text in [
        loose.clone(),
        loose.replace("duration:", "projection: false, duration:"),
    ] {
        let experiment = experiment(&text, &tolerances(1e-5, 1e-5));
        let (mechanism, mut workspace) = (&experiment.mechanism, experiment.mechanism.workspace());
        let started = mechanism.start(0.0, &mut workspace).unwrap();
        let mut lengths = Lengths {
            firsts: mechanism.model.frames.iter().map(|frame| frame.first).collect(),
            ..Lengths::default()
        };
        let from = (0.0, started.mode, started.x);
        simulate(mechanism, from, &experiment.options, &mut workspace, &mut lengths).unwrap();
        assert!(lengths.steps > 3 && lengths.firsts.len() == 2);
        assert!(lengths.worst < 1e-13, "{:e}", lengths.worst);
    }
}

/// The mixture with every vector of the ground turned by a rotation, and every orientation by it as well.
fn turned(turn: &dyn Fn([f64; 3]) -> [f64; 3], orientation: [&str; 2]) -> String {
    let vector = |x: [f64; 3]| format!("{:?}", turn(x));
    let fields = format!(
        r#"gravity: {}, ground: {{ "foot": {}, "hook": {} }}, points: {{ "P": (guess: {}, mass: 0.4) }},
        bodies: {{
            "one": Solid(mass: 1.2, inertia: [0.06, 0.09, 0.05, 0.01, -0.005, 0.008], centre_of_mass: [0.05, -0.07, 0.4],
                guess: {}, orientation: {}, angular_velocity: [0.3, 0.5, 2], markers: {{ "tip": [0.1, 0.2, 0.5], "foot": [0.01, 0.02, 0.03] }}),
            "two": Solid(mass: 0.7, inertia: [0.02, 0.03, 0.025, 0.001, 0.002, 0.003], centre_of_mass: [0.15, 0.02, -0.1],
                guess: {}, orientation: {}, angular_velocity: [1, 0.2, 0.5], markers: {{ "a": [-0.1, 0.05, 0.02], "b": [0.3, 0, -0.1] }}),
        }},
        joints: {{ "ball": Spherical(between: ("foot", "one.foot")), "knee": Spherical(between: ("one.tip", "two.a")),
            "link": Link(from: "two.b", to: "P", length: 0.6) }},
        forces: {{ "spring": Spring(from: "hook", to: "two.b", stiffness: 30, natural_length: 0.5, damping: 0.8) }},
        objectives: {{ "wx": Final("two.omega_x"), "wz": Final("one.omega_z"), "E": Final("energy.total"), "length": Final("spring.length"),
            "tension": Final("link.force"), "knee": Final("knee.force"), "kinetic": Integral("energy.kinetic"),
            "alpha": Final("two.alpha_y"), "speed": Final("two.b.vx^2 + two.b.vy^2 + two.b.vz^2") }},"#,
        vector([0.3, 0.1, -9.81]),
        vector([0.0, 0.0, 0.02]),
        vector([0.7, 0.4, 0.2]),
        vector([0.9, 0.1, -0.2]),
        vector([0.01, 0.02, 0.0]),
        orientation[0],
        vector([0.2, 0.3, 0.6]),
        orientation[1],
    );
    spatial(1.0, &fields)
}

#[test]
fn turning_the_whole_scene_changes_no_scalar() {
    let plain = turned(&|x| x, ["Rotations([Z(0.2), X(0.6)])", "Rotations([Y(0.4)])"]);
    let (z, x) = (0.7_f64, -1.1_f64);
    let rotation = |v: [f64; 3]| {
        let across = [v[0], x.cos() * v[1] - x.sin() * v[2], x.sin() * v[1] + x.cos() * v[2]];
        [
            z.cos() * across[0] - z.sin() * across[1],
            z.sin() * across[0] + z.cos() * across[1],
            across[2],
        ]
    };
    let orientations = [
        "Rotations([Z(0.7), X(-1.1), Z(0.2), X(0.6)])",
        "Rotations([Z(0.7), X(-1.1), Y(0.4)])",
    ];
    let reports = [plain, turned(&rotation, orientations)].map(|text| report(&experiment(&text, &tight())));
    for (name, value) in &reports[0].objectives {
        assert!(value.abs() > 1e-3, "{name}");
        close(name, objective(&reports[1], name), *value, 1e-11);
    }
}
