//! A smooth run allocates nothing once it is under way, whatever the formulation and the integrator.

mod element_support;
#[allow(dead_code)]
#[path = "index_two/models.rs"]
mod index_two;
#[allow(dead_code)]
#[path = "../examples/power_system/model.rs"]
mod power_system;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;

use costate::equations::{Equations, Study};
use costate::error::Result;
use costate::formulation::{Elimination, PenaltyFactors};
use costate::hybrid::{At, Cotangents, Differentiable, HybridSystem, Observer, Options, StepView, simulate};
use costate::integrate::{Method, Tolerance};
use costate::mechanism::{Choices, FormulationChoice, Mechanism};
use costate::model::Model;
use costate::scene::read;
use costate::scene::{Overrides, compile};
use costate::sensitivity::ForwardSystem;

use index_two::{Cartesian, PENDULUM};

use element_support::{Random, model, planar, spatial};

/// Counts the allocations of each thread, so that tests beside each other do not disturb.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // A thread that is ending has no counter any more, and nothing to count.
    let _ = ALLOCATIONS.try_with(|counter| counter.set(counter.get() + 1));
}

fn allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}

// SAFETY: every call goes to the system allocator unchanged; counting touches a constant-initialised cell only.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Steps of a run before which buffers may still grow.
const WARM: usize = 100;

/// Notes the number of allocations after the warm-up and after the latest step before a jump.
#[derive(Default)]
struct Watch {
    steps: usize,
    jumps: usize,
    warm: u64,
    latest: u64,
    dense: bool,
}

impl<M> Observer<M> for Watch {
    fn wants_dense(&self) -> bool {
        self.dense
    }

    fn step(&mut self, _: &StepView<M>) -> Result<()> {
        if self.jumps > 0 {
            return Ok(());
        }
        self.steps += 1;
        if self.steps == WARM {
            self.warm = allocations();
        }
        self.latest = allocations();
        Ok(())
    }

    fn jump(&mut self, _: &costate::hybrid::JumpView<M>) -> Result<()> {
        self.jumps += 1;
        Ok(())
    }
}

const PENALTY: PenaltyFactors = PenaltyFactors {
    alpha: 1e4,
    omega: 10.0,
    xi: 1.0,
    augmented: 1,
};

const FORMULATIONS: [FormulationChoice; 5] = [
    FormulationChoice::Nullspace,
    FormulationChoice::Multipliers,
    FormulationChoice::Penalty(PENALTY),
    FormulationChoice::Stabilized,
    FormulationChoice::Index3,
];

fn scene(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes").join(name);
    let file = read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    compile(&file, &Overrides::default())
        .unwrap_or_else(|error| panic!("{name}: {error}"))
        .model
}

/// Bodies of all kinds, a motor, springs, feedback and integrals of accelerations and reactions.
const MIXED: &str = r#"
gravity: [0, -9.81],
ground: { "A": [0, 0], "B": [3, 0] },
points: { "P": (guess: [0.3, 1]), "Q": (guess: [2.8, 1.5], mass: 0.3) },
bodies: {
  "crank": Bar(from: "A", to: "P", length: 1, mass: 1),
  "coupler": Rigid(mass: 2, inertia: 0.4, centre: [1, 0.2], guess: [0.3, 1, 0.1], markers: { "left": [0, 0], "right": [2.5, 0] }),
  "rocker": Bar(from: "B", to: "Q", length: 1.9, mass: 1.5, markers: { "m": [0.7, 0.2] }),
},
joints: { "first pin": Revolute(between: ("P", "coupler.left")), "second pin": Revolute(between: ("coupler.right", "Q")),
          "motor": DriveAngle(body: "crank", angle: "1.2 + 0.3*sin(5*t)") },
forces: {
  "spring": Spring(from: "A", to: "rocker.m", stiffness: 30, natural_length: 1, damping: 0.5),
  "rubber": NonlinearSpring(from: "B", to: "coupler.centre", force: "length^2*(1 + rate)", natural_length: 1),
  "air": Drag(at: "coupler.centre", linear: 0.1, quadratic: 0.3),
  "governed": Spring(from: "B", to: "coupler.left", stiffness: "20 + 3*rocker.omega", natural_length: "2 + 0.1*t", damping: 0.2),
  "brake": Torque(on: "rocker", torque: "-2*rocker.omega - 0.1*energy.kinetic - 0.1*governed.force"),
},
objectives: { "load": Integral("'first pin'.force + motor.torque + rocker.omega"), "jerk": Integral("coupler.alpha^2 + Q.ax") },
"#;

const IN_SPACE: &str = r#"
gravity: [0, 0, -9.81],
ground: { "A": [0, 0, 0], "B": [2, 0, 0] },
points: { "P": (guess: [0.2, 0.1, -1], mass: 1), "Q": (guess: [2, 0.4, -1.2], mass: 2), "R": (guess: [1, 0.2, -1.1], mass: 0.5) },
bodies: { "rod": Bar(from: "P", to: "Q", length: 1.9, mass: 1, markers: { "m": [0.8] }) },
joints: { "left": Link(from: "A", to: "P", length: 1), "right": Link(from: "B", to: "Q", length: 1.3),
          "hook": Spherical(between: ("rod.m", "R")) },
"#;

/// Slips all the way: on a floor, on a rail by its reaction, and about a pin.
const RUBBING: &str = r#"
gravity: [0, -9.81],
ground: { "O": [5, 5] },
points: { "P": (at: [0, 0], velocity: [30, 0], mass: 1), "Q": (at: [0, 2], velocity: [20, 0], mass: 2) },
bodies: { "wheel": Rigid(mass: 1, inertia: 0.1, at: [5, 5, 0], velocity: ["free", "free", 50]) },
joints: { "rail": PointOnLine(point: "Q", line: Fixed(through: [0, 2], direction: [1, 0]), friction: Reaction(coefficient: 0.1)),
          "pin": Revolute(between: ("O", "wheel.origin"), friction: Reaction(coefficient: 0.2, radius: 0.02)) },
contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: 0.1, viscous: 0.01)) },
"#;

/// Slips all the way: along a floor, and about a shaft with an unbalanced wheel.
const RUBBING_IN_SPACE: &str = r#"
gravity: [0, 0, -9.81],
ground: { "O": [5, 5, 5] },
points: { "P": (at: [0, 0, 0], velocity: [30, 10, 0], mass: 1) },
bodies: { "wheel": Solid(mass: 1, inertia: [0.1, 0.1, 0.2, 0, 0, 0], centre_of_mass: [0.01, 0, 0], guess: [5, 5, 5]) },
joints: { "shaft": Revolute(between: ("O", "wheel.origin"), axis: [0, 0, 1], angle: 0, angular_velocity: 50, friction: Reaction(coefficient: 0.05, radius: 0.02, length: 0.1)) },
contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: 0.1, viscous: 0.01)) },
"#;

fn mechanism(model: Model, formulation: FormulationChoice) -> Mechanism {
    let choices = Choices {
        formulation,
        by: Elimination::Auto,
        projection: true,
        rest_speed: None,
        atol: 1e-9,
        rtol: 1e-9,
    };
    Mechanism::new(model, choices)
}

/// These scenes, those above, and shipped ones with bodies in space.
fn mechanisms(first: &[&str]) -> Vec<Model> {
    let in_space = [
        "stewart_platform",
        "slider_crank_3d",
        "universal_shaft",
        "robot_arm",
        "flyball_governor",
    ];
    let above = [
        planar(MIXED),
        spatial(IN_SPACE),
        planar(RUBBING),
        spatial(RUBBING_IN_SPACE),
    ];
    let shipped = in_space.map(|name| scene(&format!("{name}.ron")));
    let first = first.iter().map(|name| scene(name));
    first
        .chain(above.iter().map(|text| model(text)))
        .chain(shipped)
        .collect()
}

/// Simulates with steps no longer than `max_step` and demands that no step after the warm-up allocates.
fn check(name: &str, model: &Model, method: Method, dense: bool, duration: f64, max_step: f64) {
    check_under(&FORMULATIONS, name, model, method, dense, (duration, max_step));
}

/// The same under some formulations.
fn check_under(
    formulations: &[FormulationChoice],
    name: &str,
    model: &Model,
    method: Method,
    dense: bool,
    (duration, max_step): (f64, f64),
) {
    for &formulation in formulations {
        let mechanism = mechanism(model.clone(), formulation);
        let mut workspace = mechanism.workspace();
        let started = mechanism
            .start(0.0, &mut workspace)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let tolerance = Tolerance::uniform(1e-7, 1e-9, mechanism.dimension()).expect("positive");
        let options = Options {
            end: duration,
            tolerance,
            method,
            max_step,
            max_steps: 1_000_000,
        };
        let mut watch = Watch {
            dense,
            ..Watch::default()
        };
        let finish = simulate(
            &mechanism,
            (0.0, started.mode, started.x),
            &options,
            &mut workspace,
            &mut watch,
        );
        finish.unwrap_or_else(|error| panic!("{name} {formulation:?}: {error}"));
        assert_eq!(watch.jumps, 0, "{name}");
        assert!(watch.steps >= 1000, "{name}: only {} steps", watch.steps);
        let more = watch.latest - watch.warm;
        assert_eq!(
            more,
            0,
            "{name} {formulation:?}: {more} allocations in {} steps",
            watch.steps - WARM
        );
    }
}

fn check_both(name: &str, model: &Model) {
    check(name, model, Method::DormandPrince, false, 3.0, 1e-3);
    check(name, model, Method::DormandPrince, true, 1.2, 1e-3);
    check(name, model, Method::Radau, false, 1.2, 1e-3);
}

#[test]
fn the_counter_counts() {
    let before = allocations();
    std::hint::black_box(vec![1.0; 100]);
    assert_eq!(allocations(), before + 1);
}

#[test]
fn a_five_bar_allocates_nothing_on_its_way() {
    check_both("five-bar", &scene("five_bar_smooth.ron"));
}

#[test]
fn a_four_bar_with_bodies_motor_and_integrals_allocates_nothing_on_its_way() {
    check_both("mixed four-bar", &model(&planar(MIXED)));
}

#[test]
fn a_slider_crank_allocates_nothing_on_its_way() {
    check_both("slider-crank", &scene("slider_crank.ron"));
}

#[test]
fn a_mechanism_in_space_allocates_nothing_on_its_way() {
    check_both("in space", &model(&spatial(IN_SPACE)));
}

#[test]
fn what_slips_allocates_nothing_on_its_way() {
    check_both("rubbing", &model(&planar(RUBBING)));
    check_both("rubbing in space", &model(&spatial(RUBBING_IN_SPACE)));
}

#[test]
fn right_hand_sides_of_what_slips_allocate_nothing() {
    let scenes = [(planar(RUBBING), 3), (spatial(RUBBING_IN_SPACE), 2)];
    let models = scenes.map(|(scene, slipping)| (model(&scene), slipping));
    for ((model, slipping), formulation) in models.iter().flat_map(|case| FORMULATIONS.map(|choice| (case, choice))) {
        let mechanism = mechanism(model.clone(), formulation);
        let mut workspace = mechanism.workspace();
        let started = mechanism.start(0.0, &mut workspace).expect("it starts");
        let slips = started.mode.grips.iter().filter(|grip| grip.hold.slips());
        assert_eq!(slips.count(), *slipping);
        let mut dx = vec![0.0; started.x.len()];
        let mut flow = |x: &[f64]| {
            let at = At::new(0.0, &started.mode, x);
            mechanism.flow(at, &mut workspace, &mut dx).expect("it flows");
        };
        // The scratch of friction is allocated when first used.
        flow(&started.x);
        let moved: Vec<f64> = started.x.iter().map(|x| x + 1e-9).collect();
        let before = allocations();
        flow(&moved);
        flow(&started.x);
        assert_eq!(allocations(), before, "{formulation:?}");
    }
}

#[test]
fn flow_jacobian_and_projection_allocate_nothing_on_and_off_the_constraints() {
    let mut random = Random::new(301);
    for model in mechanisms(&["five_bar_smooth.ron"]) {
        for formulation in FORMULATIONS {
            let mechanism = mechanism(model.clone(), formulation);
            let mut workspace = mechanism.workspace();
            let started = mechanism.start(0.0, &mut workspace).expect("it starts");
            let mut x: Vec<f64> = started.x.iter().map(|x| x + 1e-4 * random.unit()).collect();
            let (mut dx, mut jacobian) = (vec![0.0; x.len()], vec![0.0; x.len() * x.len()]);
            // The columns of the Jacobian and the scratch of the projection are allocated when first used.
            mechanism
                .flow_jacobian(At::new(0.0, &started.mode, &x), &mut workspace, &mut jacobian)
                .expect("a Jacobian");
            mechanism
                .project(0.0, &started.mode, &mut x.clone(), &mut workspace)
                .expect("it closes");
            let before = allocations();
            mechanism
                .flow_jacobian(At::new(0.0, &started.mode, &started.x), &mut workspace, &mut jacobian)
                .expect("a Jacobian");
            mechanism
                .flow(At::new(0.0, &started.mode, &x), &mut workspace, &mut dx)
                .expect("it flows");
            mechanism
                .flow_jacobian(At::new(0.0, &started.mode, &x), &mut workspace, &mut jacobian)
                .expect("a Jacobian");
            mechanism
                .project(0.0, &started.mode, &mut x, &mut workspace)
                .expect("it closes");
            let more = allocations() - before;
            assert_eq!(more, 0, "{formulation:?}: {more} allocations");
            assert!(jacobian.iter().any(|entry| *entry != 0.0));
        }
    }
}

/// Simulates with and without sensitivities by every method and demands that no step between warm-up and first jump allocates.
fn check_equations<E: Equations>(study: impl Fn() -> Study<E>, max_step: f64) {
    for method in [Method::DormandPrince, Method::Radau, Method::Trapezoidal] {
        let study = study().by(method).to_tolerance(1e-6, 1e-8).with_max_step(max_step);
        let directions = study.directions();
        let forward = ForwardSystem::new(study.system(), &directions);
        let (mut plain, mut sensitive) = (Watch::default(), Watch::default());
        study.run(&mut plain).expect("it runs");
        study.run_forward(&forward, &mut sensitive).expect("it runs");
        for watch in [plain, sensitive] {
            assert!(watch.jumps > 0 && watch.steps >= 1000, "{} steps", watch.steps);
            let more = watch.latest - watch.warm;
            assert_eq!(
                more,
                0,
                "{method:?}: {more} allocations in {} steps",
                watch.steps - WARM
            );
        }
    }
}

#[test]
fn equations_over_a_scalar_allocate_nothing_on_their_way_with_and_without_sensitivities() {
    check_equations(|| power_system::study(0.65), 0.005);
}

#[test]
fn equations_of_index_2_allocate_nothing_on_their_way_with_and_without_sensitivities() {
    let pendulum = || Study::new(Cartesian { stabilized: true }, &PENDULUM, (0.0, 1.0));
    check_equations(pendulum, 5e-4);
}

#[test]
fn the_costate_equations_allocate_nothing() {
    for model in mechanisms(&["five_bar.ron", "andrews_squeezer.ron"]) {
        for formulation in FORMULATIONS {
            let mechanism = mechanism(model.clone(), formulation);
            let mut workspace = mechanism.workspace();
            let started = mechanism.start(0.0, &mut workspace).expect("it starts");
            let mu = vec![1.0; started.x.len()];
            let (mut x, mut numbers) = (vec![0.0; mu.len()], vec![0.0; mechanism.numbers()]);
            let several = mu.repeat(6);
            let (mut x_bars, mut numbers_bars) = (several.clone(), vec![0.0; 6 * numbers.len()]);
            // The first evaluation analyses the pattern of the working set.
            for most in [u64::MAX, 0] {
                let before = allocations();
                mechanism
                    .linearize(At::new(0.0, &started.mode, &started.x), &mut workspace)
                    .expect("it moves");
                let cotangents = Cotangents {
                    x: &mut x,
                    numbers: &mut numbers,
                };
                let at = At::new(0.0, &started.mode, &started.x);
                mechanism.flow_vjp(at, &mu, &mut workspace, cotangents);
                mechanism.flow_vjps(at, &several, &mut workspace, (&mut x_bars, &mut numbers_bars));
                let more = allocations() - before;
                assert!(more <= most, "{formulation:?}: {more} allocations");
            }
            assert!(x.iter().any(|entry| *entry != 0.0));
        }
    }
}
