//! Transposed derivatives of flow, guards and jumps against the derivatives along directions: mu.(J d) = (J^T mu).d.

use costate::hybrid::{At, Cotangents, Differentiable, HybridSystem, Tangent, Trajectory, simulate};
use costate::mechanism::{Mechanism, Workspace};
use costate::model::Mode;
use costate::run::Experiment;
use costate::scene::schema::FormulationKind::{self, Multipliers, Nullspace, Penalty};

use super::{changes, mixed, shipped};

/// Uniform in [-1, 1].
struct Random(u64);

impl Random {
    fn vector(&mut self, n: usize) -> Vec<f64> {
        let mut next = || {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        (0..n).map(|_| next()).collect()
    }
}

struct Place<'a> {
    mechanism: &'a Mechanism,
    t: f64,
    mode: &'a Mode,
    x: &'a [f64],
    dx: Vec<f64>,
    dnumbers: Vec<f64>,
    mu: Vec<f64>,
}

impl<'a> Place<'a> {
    fn new(mechanism: &'a Mechanism, t: f64, mode: &'a Mode, x: &'a [f64], random: &mut Random) -> Self {
        let mut dnumbers = random.vector(mechanism.numbers());
        for (number, slope) in dnumbers.iter_mut().enumerate() {
            if !mechanism.model.is_fed(number) {
                *slope = 0.0;
            }
        }
        let (dx, mu) = (random.vector(x.len()), random.vector(x.len()));
        Self {
            mechanism,
            t,
            mode,
            x,
            dx,
            dnumbers,
            mu,
        }
    }

    fn along(&self) -> Tangent<'_> {
        Tangent {
            t: 0.0,
            x: &self.dx,
            numbers: &self.dnumbers,
        }
    }

    /// Holds mu.(J d) to (J^T mu).d, with the sizes of the terms as the measure.
    fn compare(&self, what: &str, forwards: &[f64], fill: impl FnOnce(Cotangents)) {
        let (mut x, mut numbers) = (vec![0.0; self.x.len()], vec![0.0; self.dnumbers.len()]);
        fill(Cotangents {
            x: &mut x,
            numbers: &mut numbers,
        });
        let product = |a: &[f64], b: &[f64]| -> (f64, f64) {
            let terms = a.iter().zip(b).map(|(a, b)| a * b);
            terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()))
        };
        let weights = if forwards.len() == 1 { &[1.0][..] } else { &self.mu };
        let (left, size) = product(weights, forwards);
        let (by_state, size_of_state) = product(&x, &self.dx);
        let (by_numbers, size_of_numbers) = product(&numbers, &self.dnumbers);
        let scale = size + size_of_state + size_of_numbers;
        let error = (left - by_state - by_numbers).abs() / scale.max(f64::MIN_POSITIVE);
        assert!(
            error <= 1e-11,
            "{what} at {}: {left} against {by_state} + {by_numbers}",
            self.t
        );
    }

    fn check_flow(&self, what: &str, workspace: &mut Workspace) {
        let mut out = vec![0.0; self.x.len()];
        self.mechanism
            .linearize(At::new(self.t, self.mode, self.x), workspace)
            .unwrap();
        self.mechanism
            .flow_jvp(At::new(self.t, self.mode, self.x), &self.along(), workspace, &mut out);
        self.compare(what, &out, |cotangents| {
            self.mechanism
                .flow_vjp(At::new(self.t, self.mode, self.x), &self.mu, workspace, cotangents);
        });
    }

    fn check_guard(&self, what: &str, guard: usize, workspace: &mut Workspace) {
        let slope = self
            .mechanism
            .guard_jvp(guard, At::new(self.t, self.mode, self.x), &self.along(), workspace)
            .unwrap();
        self.compare(what, &[slope], |cotangents| {
            self.mechanism
                .guard_vjp(guard, At::new(self.t, self.mode, self.x), workspace, cotangents)
                .unwrap();
        });
    }

    fn check_jump(&self, what: &str, fired: &[usize], workspace: &mut Workspace) {
        let tangent = self
            .mechanism
            .linearize_jump(At::new(self.t, self.mode, self.x), fired, workspace)
            .unwrap();
        let mut out = vec![0.0; self.x.len()];
        self.mechanism.jump_jvp(&tangent, &self.along(), workspace, &mut out);
        self.compare(what, &out, |cotangents| {
            self.mechanism.jump_vjp(&tangent, &self.mu, workspace, cotangents)
        });
    }
}

/// Checks flow, guards and jumps wherever the motion jumps; returns the number of jumps.
fn check(name: &str, experiment: &Experiment) -> usize {
    let mechanism = &experiment.mechanism;
    let mut workspace = mechanism.workspace();
    let started = mechanism.start(experiment.start, &mut workspace).unwrap();
    let mut trajectory = Trajectory::default();
    let start = (experiment.start, started.mode, started.x);
    simulate(mechanism, start, &experiment.options, &mut workspace, &mut trajectory).unwrap();
    let mut random = Random(7);
    for (phase, jump) in trajectory.phases.iter().zip(&trajectory.jumps) {
        let place = Place::new(mechanism, jump.t, &phase.mode, &jump.before, &mut random);
        place.check_flow(&format!("{name}: flow"), &mut workspace);
        place.check_jump(&format!("{name}: {:?}", jump.happenings), &jump.fired, &mut workspace);
        for guard in 0..mechanism.guards() {
            if mechanism.crossing(guard, &phase.mode).is_some() {
                place.check_guard(
                    &format!("{name}: guard {:?}", mechanism.watch(guard)),
                    guard,
                    &mut workspace,
                );
            }
        }
    }
    let last = trajectory.phases.last().unwrap();
    Place::new(mechanism, last.start, &last.mode, &last.x, &mut random).check_flow(name, &mut workspace);
    trajectory.jumps.len()
}

#[test]
fn derivatives_backwards_are_the_transposes_of_those_forwards() {
    for formulation in [Nullspace, Multipliers, Penalty] {
        for (scene, duration, jumps) in [
            ("andrews_squeezer", 0.003, 0),
            ("bouncing_ball", 10.0, 2),
            ("double_pendulum_wall", 3.0, 1),
            ("five_bar", 5.0, 3),
            ("five_bar_restitution", 5.0, 3),
            ("four_bar", 0.5, 0),
            ("latch", 5.0, 2),
            ("pendulum_with_stop", 3.0, 1),
            ("slider_crank", 0.5, 0),
        ] {
            let mut changes = changes(1e-9, 1e-11);
            (changes.duration, changes.formulation) = (Some(duration), Some(formulation));
            let found = check(scene, &shipped(scene, &changes));
            assert!(found >= jumps, "{scene}: only {found} jumps");
        }
        assert!(check("mixed", &mixed_for(formulation)) >= 3);
    }
}

fn mixed_for(formulation: FormulationKind) -> Experiment {
    mixed(formulation, 1.5, Vec::new())
}
