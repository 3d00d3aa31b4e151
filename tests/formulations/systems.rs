//! Mechanisms on which the formulations are compared: every scene of the project and some made for the purpose.

use std::path::Path;

use costate::formulation::{Elimination, PenaltyFactors, select_rows};
use costate::hybrid::{At, Finish, HybridSystem, Options, simulate};
use costate::integrate::{Method, Tolerance};
use costate::mechanism::{Choices, FormulationChoice, Mechanism};
use costate::model::contact::Contact;
use costate::model::{ContactState, Mode, Model, Terms};
use costate::scene::read;
use costate::scene::{Compiled, Overrides, compile};

use crate::element_support::{Random, compiled, planar, spatial};

pub const PENALTY: PenaltyFactors = PenaltyFactors {
    alpha: 1e4,
    omega: 7.0,
    xi: 0.8,
    augmented: 0,
};

/// A mechanism in one of its modes, at its start.
pub struct System {
    pub name: String,
    pub model: Model,
    pub t: f64,
    pub mode: Mode,
    /// State at the start, on the constraints of the initial mode.
    pub x: Vec<f64>,
    /// Whether the state satisfies the constraints of the mode.
    pub closed: bool,
}

/// A closed chain of bars and a rigid coupler with springs, drag and a motor.
pub const FOUR_BAR: &str = r#"
parameters: { "k": 20.0 },
gravity: [0, -9.81],
ground: { "A": [0, 0], "B": [3, 0] },
points: { "P": (guess: [0.3, 1]), "Q": (guess: [2.8, 1.5], mass: 0.3) },
bodies: {
  "crank": Bar(from: "A", to: "P", length: 1, mass: 1, angular_velocity: 2),
  "coupler": Rigid(mass: 2, inertia: 0.4, centre: [1, 0.2], guess: [0.3, 1, 0.1], markers: { "left": [0, 0], "right": [2.5, 0] }),
  "rocker": Bar(from: "B", to: "Q", length: 1.6, mass: 1.5, markers: { "m": [0.7, 0.2] }),
},
joints: { "first pin": Revolute(between: ("P", "coupler.left")), "second pin": Revolute(between: ("coupler.right", "Q")) },
forces: {
  "spring": Spring(from: "A", to: "rocker.m", stiffness: "k", natural_length: 1, damping: 0.5),
  "hinge": TorsionSpring(between: ("ground", "rocker"), stiffness: 3, natural_angle: 1, damping: 0.1),
  "air": Drag(at: "coupler.centre", linear: 0.1, quadratic: 0.3),
  "motor": Torque(on: "crank", torque: "2*sin(3*t)"),
},
objectives: {
  "work": Integral("crank.omega*2*sin(3*t) + coupler.alpha^2"),
  "load": Integral("'first pin'.force + rocker.force^2 + spring.force"),
},
simulation: (duration: 2, start: 0.1),
"#;

/// A driven slider-crank: the crank's angle is a function of time.
pub const SLIDER_CRANK: &str = r#"
parameters: { "w": 3.0 },
gravity: [0, -9.81],
ground: { "A": [0, 0] },
points: { "P": (guess: [1, 0.3]), "Q": (guess: [3, 0]) },
bodies: {
  "crank": Bar(from: "A", to: "P", length: 1, mass: 1),
  "rod": Bar(from: "P", to: "Q", length: 2.2, mass: 1),
  "slider": Rigid(mass: 2, inertia: 0.2, guess: [3, 0, 0]),
},
joints: {
  "guide": Prismatic(between: ("A", "slider.origin"), direction: [1, 0]),
  "pin": Revolute(between: ("Q", "slider.origin")),
  "motor": DriveAngle(body: "crank", angle: "w*t + 0.2*sin(t)"),
},
forces: { "brake": Drag(at: "slider.origin", linear: 2), "push": Load(at: "rod.centre", force: ["sin(t)", 1], frame: Body("rod")) },
objectives: { "torque": Integral("motor.torque^2"), "path": Integral("slider.ax*t") },
simulation: (duration: 2),
"#;

/// Two masses hung by links, a ball joint, a wire and a winch.
pub const IN_SPACE: &str = r#"
gravity: [0, 0, -9.81],
ground: { "A": [0, 0, 0], "B": [2, 0, 0], "C": [0, 3, 1] },
points: { "P": (guess: [0.2, 0.1, -1], mass: 1), "Q": (guess: [2, 0.4, -1.2], mass: 2), "R": (guess: [1, 1, -1.5], mass: 0.5),
          "S": (guess: [0.1, 2, -0.2], mass: 0.4) },
bodies: { "rod": Bar(from: "P", to: "Q", length: 1.9, mass: 1, markers: { "m": [0.8] }) },
joints: {
  "left": Link(from: "A", to: "P", length: 1),
  "right": Link(from: "B", to: "Q", length: 1.3),
  "hook": Spherical(between: ("rod.m", "R")),
  "wire": PointOnLine(point: "S", line: Through("A", "C")),
  "winch": DriveDistance(between: ("P", "S"), distance: "2 + 0.1*sin(2*t)"),
},
forces: { "spring": Spring(from: "C", to: "R", stiffness: 30, natural_length: 1), "air": Drag(at: "R", quadratic: 0.3) },
objectives: { "pull": Integral("winch.force*left.force + R.az") },
simulation: (duration: 1),
"#;

/// A body and a bar that stick to a wall and to each other: memory.
const STICKING: &str = r#"
gravity: [0, -9.81],
ground: { "A": [0, 0] },
points: { "P": (guess: [1, 0.4], mass: 1) },
bodies: {
  "rod": Bar(from: "A", to: "P", length: 1, mass: 1),
  "box": Rigid(mass: 2, inertia: 0.2, guess: [1.5, 2, 0.3], centre: [0.1, 0], markers: { "c": [0.3, -0.2] }),
},
forces: { "spring": Spring(from: "P", to: "box.c", stiffness: 30, natural_length: 1) },
contacts: {
  "wall": Touch(point: "box.c", surface: Plane(through: [9, 0], normal: [-1, 0]), law: Stick),
  "lid": Touch(point: "box.c", radius: 0.1, surface: Plane(through: [0, 0.1], normal: [0, 1], on: "rod"), law: Stick),
  "balls": Touch(point: "P", radius: 0.1, surface: Circle(centre: "box.origin", radius: 0.1), law: Stick),
},
objectives: { "press": Integral("wall.force + lid.force^2"), "spin": Integral("box.alpha") },
simulation: (duration: 1),
"#;

/// Three cranks carry one plate: one of them is redundant.
pub const THREE_CRANKS: &str = r#"
gravity: [0, -9.81],
ground: { "A": [0, 0], "B": [1, 0], "C": [2.5, 0] },
bodies: {
  "plate": Rigid(mass: 2, inertia: 0.5, centre: [1, 0.1], at: [0.6, -0.8, 0], velocity: [0.8, 0.6, 0],
    markers: { "a": [0, 0], "b": [1, 0], "c": [2.5, 0] }),
},
joints: {
  "first crank": Link(from: "A", to: "plate.a", length: 1),
  "second crank": Link(from: "B", to: "plate.b", length: 1),
  "third crank": Link(from: "C", to: "plate.c", length: 1),
},
objectives: { "height": Integral("plate.y + plate.ay") },
simulation: (duration: 3),
"#;

/// The scenes of the project and those above, each in its initial mode and with each of its contacts closed.
pub fn systems() -> Vec<System> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
    let mut all = Vec::new();
    let entries = std::fs::read_dir(folder).expect("the folder of scenes");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.extension().is_some_and(|ending| ending == "ron") {
            let file = read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let compiled =
                compile(&file, &Overrides::default()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // The plain equations have as many velocities as coordinates, and forces of their own: bodies in space are held by
            // `tests/spatial.rs`, friction, which follows from the motion, by `tests/friction.rs`.
            if compiled.model.frames.is_empty() && compiled.model.frictions.is_empty() {
                all.extend(modes(&name, compiled));
            }
        }
    }
    assert!(all.len() >= 3, "scenes");
    for (name, text) in [
        ("four-bar", planar(FOUR_BAR)),
        ("slider-crank", planar(SLIDER_CRANK)),
        ("in space", spatial(IN_SPACE)),
        ("sticking", planar(STICKING)),
        ("three cranks", planar(THREE_CRANKS)),
    ] {
        all.extend(modes(name, compiled(&text, &[])));
    }
    all
}

fn modes(name: &str, compiled: Compiled) -> Vec<System> {
    let model = compiled.model;
    let t = model.numbers[compiled.simulation.start].value;
    let mechanism = mechanism(&model, FormulationChoice::Nullspace);
    let started = mechanism
        .start(t, &mut mechanism.workspace())
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let system = |mode: Mode, name: String, closed: bool| {
        let (model, x) = (model.clone(), started.x.clone());
        System {
            name,
            model,
            t,
            mode,
            x,
            closed,
        }
    };
    let mut systems = vec![system(started.mode.clone(), name.to_string(), true)];
    // A few contacts of every scene: long chains of them add nothing. Parts of surfaces that the point is beyond have no gap there.
    let faced = |(i, _): &(usize, &Contact)| started.mode.contacts[*i] != ContactState::Away;
    for (i, contact) in model.contacts.iter().enumerate().filter(faced).take(3) {
        for state in [ContactState::Sliding, ContactState::Stuck] {
            let mut mode = started.mode.clone();
            mode.contacts[i] = state;
            mode.refresh(&model);
            systems.push(system(mode, format!("{name}, {} {state:?}", contact.name), false));
        }
    }
    systems
}

/// The mechanism of a model under a formulation, by QR and LU.
pub fn mechanism(model: &Model, formulation: FormulationChoice) -> Mechanism {
    let choices = Choices {
        formulation,
        by: Elimination::Qr,
        projection: true,
        rest_speed: None,
        atol: 1e-11,
        rtol: 1e-11,
    };
    Mechanism::new(model.clone(), choices)
}

impl System {
    /// Random numbers of its own: another system changes nothing about its states.
    pub fn random(&self, seed: u64) -> Random {
        Random::new(
            self.name
                .bytes()
                .fold(seed, |sum, byte| 31 * sum % 1_000_003 + u64::from(byte)),
        )
    }

    /// The mechanism under a formulation.
    pub fn mechanism(&self, formulation: FormulationChoice) -> Mechanism {
        mechanism(&self.model, formulation)
    }

    /// A random state near the start and the mode with the rows that are independent there. Memory is random, too.
    fn scattered(&self, spread: f64, random: &mut Random) -> (Vec<f64>, Mode) {
        let mut x = self.x.clone();
        let nv = self.model.nq();
        for q in &mut x[..nv] {
            *q += spread * random.unit();
        }
        for v in &mut x[nv..2 * nv] {
            *v += random.unit();
        }
        let memory = x.len() - self.model.memory.len();
        for w in &mut x[memory..] {
            *w = 0.5 * random.unit();
        }
        let mut mode = self.mode.clone();
        self.select(&x, &mut mode);
        (x, mode)
    }

    /// Chooses the independent rows at a state.
    pub fn select(&self, x: &[f64], mode: &mut Mode) {
        let nv = self.model.nq();
        let mut terms = Terms::new(&self.model);
        let memory = self.model.memory_start();
        let kept = x.len() - self.model.memory.len();
        terms.numbers[memory..].copy_from_slice(&x[kept..]);
        self.model
            .assemble_constraints(self.t, &x[..nv], &x[nv..2 * nv], mode, &mut terms);
        select_rows(mode, &terms);
    }

    /// A random state off the constraints.
    pub fn off(&self, random: &mut Random) -> (Vec<f64>, Mode) {
        let (x, mode) = self.scattered(0.05, random);
        // Off the constraints redundant rows look independent: those of the start stay chosen, as in a simulation.
        (x, if self.closed { self.mode.clone() } else { mode })
    }

    /// A random state on the constraints, of a closed system.
    pub fn on(&self, random: &mut Random) -> (Vec<f64>, Mode) {
        assert!(self.closed, "{}", self.name);
        let mechanism = self.mechanism(FormulationChoice::Nullspace);
        let mut workspace = mechanism.workspace();
        for _ in 0..20 {
            let (mut x, _) = self.scattered(0.03, random);
            // The rows of the start: at a scattered state redundant rows look independent.
            let mode = self.mode.clone();
            if mechanism.project(self.t, &mode, &mut x, &mut workspace).is_ok() {
                let (position, velocity) = mechanism.residuals(At::new(self.t, &mode, &x), &mut workspace);
                assert!(
                    position < 1e-11 && velocity < 1e-11,
                    "{}: {position:e} {velocity:e}",
                    self.name
                );
                return (x, mode);
            }
        }
        panic!("{}: no state near the start can be projected", self.name)
    }
}

/// Simulates from the start of a model.
pub fn simulated(model: &Model, formulation: FormulationChoice, duration: f64) -> Finish<Mode> {
    let mechanism = mechanism(model, formulation);
    let mut workspace = mechanism.workspace();
    let started = mechanism.start(0.0, &mut workspace).expect("it starts");
    let tolerance = Tolerance::uniform(1e-11, 1e-12, mechanism.dimension()).expect("positive");
    let options = Options {
        end: duration,
        tolerance,
        method: Method::DormandPrince,
        max_step: f64::INFINITY,
        max_steps: 1_000_000,
    };
    simulate(
        &mechanism,
        (0.0, started.mode, started.x),
        &options,
        &mut workspace,
        &mut (),
    )
    .expect("it runs")
}
