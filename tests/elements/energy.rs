//! Energy and power: forces are slopes of their energies, and what the energy gains is what the other forces supply.

use costate::model::force::{Force, ForceKind, Tension};
use costate::model::quantity::{Motion, Quantity};
use costate::model::{Mode, Model, Terms};
use costate::scalar::Dual64;
use nalgebra::{DMatrix, DVector};

use super::calls::{State, applied, body_force, body_kind, force_kind, stored, weight_energy, zoos};
use crate::element_support::{Random, model, planar, positions_near_guess, size, spatial};

/// -dV/dq over the coordinates of an element.
fn minus_slope(coordinates: &[usize], q: &[f64], energy: impl Fn(&[Dual64]) -> Dual64) -> Vec<f64> {
    let slope = |&j: &usize| {
        let q = State::lift(q, |i, x| Dual64::new(x, f64::from(u8::from(i == j))));
        -energy(&q).eps
    };
    coordinates.iter().map(slope).collect()
}

fn assert_equal(what: &str, found: &[f64], expected: &[f64]) {
    let error = crate::element_support::distance(found, expected);
    assert!(
        error <= 1e-13 * (1.0 + size(expected)),
        "{what}: {found:?} and {expected:?}"
    );
}

#[test]
fn springs_pull_along_the_slope_of_their_energy() {
    let mut random = Random::new(51);
    let mut kinds = std::collections::BTreeSet::new();
    for model in zoos() {
        for _ in 0..10 {
            let at = State::random(&model, &mut random);
            let rest = vec![0.0; model.nq()];
            let numbers = State::lift(&at.numbers, |_, x| Dual64::from(x));
            for force in &model.forces {
                let storing = match &force.kind {
                    ForceKind::Line(line) => {
                        !matches!(&line.tension, Tension::Expression { force, .. } if force.depends_on_time())
                    }
                    kind => matches!(kind, ForceKind::Torsion(_)),
                };
                let energy = |q: &[Dual64]| stored(&model, force, q, &numbers);
                let expected = minus_slope(&force.local.coordinates, &at.q, energy);
                if !storing {
                    assert_eq!(size(&expected), 0.0, "{} stores energy", force.name);
                    continue;
                }
                let found = applied(&model, force, at.t, &at.q, &rest, &at.numbers);
                assert_equal(&force.name, &found, &expected);
                if size(&found) > 0.1 {
                    kinds.insert(force_kind(&force.kind));
                }
            }
        }
    }
    assert_eq!(
        kinds.into_iter().collect::<Vec<_>>(),
        ["Line, expression", "Line, linear", "Torsion"]
    );
}

#[test]
fn weight_is_the_slope_of_its_energy() {
    let mut random = Random::new(52);
    for model in zoos() {
        let at = State::random(&model, &mut random);
        let rest = vec![0.0; model.nq()];
        let numbers = State::lift(&at.numbers, |_, x| Dual64::from(x));
        for body in &model.bodies {
            let energy = |q: &[Dual64]| weight_energy(&model, body, q, &numbers);
            let expected = minus_slope(&body.local.coordinates, &at.q, energy);
            let found = body_force(&model, body, &at.q, &rest, &at.numbers);
            assert!(size(&found) > 1.0, "{}", body.name);
            assert_equal(&format!("{} {}", body.name, body_kind(&body.kind)), &found, &expected);
        }
    }
}

/// Power of the part of a force that does not come from its energy.
fn power_supplied(model: &Model, force: &Force, at: &State) -> f64 {
    let numbers = State::lift(&at.numbers, |_, x| Dual64::from(x));
    let energy = |q: &[Dual64]| stored(model, force, q, &numbers);
    let conservative = minus_slope(&force.local.coordinates, &at.q, energy);
    let force_now = applied(model, force, at.t, &at.q, &at.v, &at.numbers);
    let entries = force.local.coordinates.iter().zip(force_now.iter().zip(&conservative));
    entries
        .map(|(&j, (now, conservative))| (now - conservative) * at.v[j])
        .sum()
}

#[test]
fn dampers_and_drag_never_supply_power() {
    let mut random = Random::new(53);
    let mut dissipated = 0.0;
    for model in zoos() {
        for _ in 0..50 {
            let at = State::random(&model, &mut random);
            for force in &model.forces {
                let dissipative = match &force.kind {
                    ForceKind::Line(line) => matches!(line.tension, Tension::Linear { .. }),
                    kind => matches!(kind, ForceKind::Torsion(_) | ForceKind::Drag(_)),
                };
                if dissipative {
                    let power = power_supplied(&model, force, &at);
                    assert!(power <= 1e-12, "{} supplies {power}", force.name);
                    dissipated -= power;
                }
            }
        }
    }
    assert!(dissipated > 100.0, "{dissipated}");
}

/// Bodies and forces of every kind without angles of bars, whose coordinate has no mass.
const FREE: &str = r#"
gravity: [0.3, -9.81],
ground: { "B": [1.3, 0.4] },
points: { "P": (guess: [1, 1], mass: 0.7), "Q": (guess: [2.4, 0.2], mass: 1.1), "R": (guess: [-0.9, 1.2], mass: 0.4) },
bodies: {
  "rod": Bar(from: "P", to: "Q", length: 1.5, mass: 0.8, markers: { "n": [0.4, -0.2] }),
  "plate": Rigid(mass: 2, inertia: 0.3, centre: [0.2, -0.1], guess: [-0.5, -1.5, 0.3], markers: { "c": [0.4, 0.3] }),
  "disc": Rigid(mass: 1.5, inertia: 0.2, centre: [-0.1, 0.15], guess: [2.5, -1.8, 0.1], markers: { "d": [-0.3, 0.2] }),
},
forces: {
  "spring": Spring(from: "rod.n", to: "plate.c", stiffness: 20, natural_length: 0.3, damping: 0.7),
  "rubber": NonlinearSpring(from: "R", to: "disc.d", force: "4*(length - 1)^3 + 2*length", natural_length: 1),
  "muscle": NonlinearSpring(from: "B", to: "R", force: "(5 + rate)*(length^2 - 1)*exp(-t)", natural_length: 1),
  "twist": TorsionSpring(between: ("plate", "disc"), stiffness: 3, natural_angle: 0.1, damping: 0.4),
  "push": Load(at: "plate.c", force: ["10*exp(-t)", 1.5], frame: Body("plate")),
  "motor": Torque(on: "disc", from: "plate", torque: "2*sin(3*t)"),
  "air": Drag(at: "rod.n", linear: 0.3, quadratic: 0.2),
},
"#;

const FREE_IN_SPACE: &str = r#"
gravity: [0.3, 0.1, -9.81],
ground: { "B": [1.3, 0.4, 0] },
points: { "P": (guess: [1, 1, 0], mass: 0.7), "Q": (guess: [2.4, 0.2, 1], mass: 1.1), "R": (guess: [-0.9, 1.2, -1], mass: 0.4) },
bodies: { "rod": Bar(from: "P", to: "Q", length: 1.5, mass: 0.8, markers: { "n": [0.4] }) },
forces: {
  "spring": Spring(from: "rod.n", to: "R", stiffness: 20, natural_length: 0.3, damping: 0.7),
  "rubber": NonlinearSpring(from: "R", to: "Q", force: "4*(length - 1)^3 + 2*length", natural_length: 1),
  "muscle": NonlinearSpring(from: "B", to: "R", force: "(5 + rate)*(length^2 - 1)*exp(-t)", natural_length: 1),
  "push": Load(at: "rod.n", force: ["10*exp(-t)", 1.5, "t"]),
  "air": Drag(at: "rod.n", linear: 0.3, quadratic: 0.2),
},
"#;

#[test]
fn without_constraints_the_energy_gains_the_power_supplied() {
    let mut random = Random::new(54);
    for model in [model(&planar(FREE)), model(&spatial(FREE_IN_SPACE))] {
        let mut mode = Mode::initial(&model);
        mode.groups.fill(false);
        mode.refresh(&model);
        assert_eq!(mode.rows, 0);
        let mut terms = Terms::new(&model);
        for _ in 0..10 {
            let (t, q) = (random.between(0.2, 0.9), positions_near_guess(&model, &mut random, 0.3));
            let (v, numbers, n) = (random.vector(model.nq(), 1.0), model.number_values(), model.nq());
            model.assemble(t, &q, &v, &mode, &mut terms);
            let mass = DMatrix::from_fn(n, n, |i, j| terms.mass.row(i).entry(j));
            let a = mass
                .cholesky()
                .expect("positive definite")
                .solve(&DVector::from_column_slice(&terms.force));
            let at = State {
                t,
                q,
                v,
                a: a.as_slice().to_vec(),
                numbers,
            };
            let along = |x: &[f64], dx: &[f64]| State::lift(x, |i, x| Dual64::new(x, dx[i]));
            let (q, v) = (along(&at.q, &at.v), along(&at.v, &at.a));
            let (zero, numbers) = (
                vec![Dual64::from(0.0); n],
                along(&at.numbers, &vec![0.0; at.numbers.len()]),
            );
            let motion = Motion {
                t: Dual64::new(t, 1.0),
                q: &q,
                v: &v,
                a: &zero,
                lambda: &[],
                numbers: &numbers,
                frames: &model.frames,
            };
            let [kinetic, potential] =
                [Quantity::Kinetic, Quantity::Potential].map(|part| part.evaluate(&model, &mode, &motion));
            let gained = kinetic.eps + potential.eps;
            let supplied: f64 = model
                .forces
                .iter()
                .map(|force| power_supplied(&model, force, &at))
                .sum();
            let scale = kinetic.eps.abs() + potential.eps.abs();
            assert!(supplied.abs() > 1e-3 && scale > 1.0, "{supplied} {scale}");
            assert!((gained - supplied).abs() < 1e-12 * scale, "{gained} and {supplied}");
        }
    }
}
