//! Derivatives of the projection onto the constraints: along a direction against differences, transposed against the tangent.

mod element_support;

use costate::formulation::Elimination;
use costate::hybrid::{At, Differentiable, HybridSystem};
use costate::mechanism::{Choices, FormulationChoice, Mechanism};
use costate::model::{Mode, Number};
use costate::scene::compiled::Compiled;

use element_support::{Random, compiled, moved, planar, slope, spatial};

/// A driven closed chain with a rigid body on a slide.
const PLANAR: &str = r#"
parameters: { "a": 1.0 },
ground: { "A": [0, 0], "B": ["3*a", 0] },
points: { "P": (guess: [0.3, "a"]), "Q": (guess: [2.8, 1.5], mass: 0.3) },
bodies: {
  "crank": Bar(from: "A", to: "P", length: "a", mass: 1, angular_velocity: 2),
  "coupler": Rigid(mass: 2, inertia: 0.4, centre: [1, 0.2], guess: [0.3, 1, 0.1], markers: { "left": [0, 0], "right": [2.5, 0] }),
  "rocker": Bar(from: "B", to: "Q", length: "1.6*a", mass: 1.5),
},
joints: { "first pin": Revolute(between: ("P", "coupler.left")), "second pin": Revolute(between: ("coupler.right", "Q")) },
simulation: (duration: 2),
"#;

const SPATIAL: &str = r#"
parameters: { "a": 1.0 },
ground: { "A": [0, 0, 0], "B": ["2*a", 0, 0] },
points: { "P": (guess: [0.8, 0.5, -0.6], mass: 1), "Q": (guess: [1.2, -0.4, -0.9], mass: 2) },
joints: { "left": Link(from: "A", to: "P", length: "1.1*a"), "right": Link(from: "B", to: "Q", length: "1.2*a"),
          "middle": Link(from: "P", to: "Q", length: "1.2*a") },
simulation: (duration: 2),
"#;

fn mechanism(compiled: Compiled) -> Mechanism {
    let choices = Choices {
        formulation: FormulationChoice::Nullspace,
        by: Elimination::Auto,
        projection: true,
        rest_speed: None,
        atol: 1e-12,
        rtol: 1e-12,
    };
    Mechanism::new(compiled.model, choices)
}

/// A mechanism in its mode, at a state with velocities on its constraints, and a random direction in state and numbers.
struct Case {
    text: String,
    mode: Mode,
    x: Vec<f64>,
    dx: Vec<f64>,
    numbers: Vec<f64>,
}

fn case(text: String, seed: u64) -> Case {
    let compiled = compiled(&text, &[]);
    let of_parameter = |number: &Number| number.gradient.iter().map(|(_, slope)| slope).sum();
    let slopes: Vec<f64> = compiled.model.numbers.iter().map(of_parameter).collect();
    let mechanism = mechanism(compiled);
    let mut workspace = mechanism.workspace();
    let started = mechanism.start(0.0, &mut workspace).unwrap();
    let (mut x, mut random) = (started.x, Random::new(seed));
    for v in &mut x[mechanism.velocities()] {
        *v += random.unit();
    }
    mechanism.project(0.0, &started.mode, &mut x, &mut workspace).unwrap();
    Case {
        text,
        mode: started.mode,
        dx: random.vector(x.len(), 1.0),
        x,
        numbers: slopes,
    }
}

fn cases() -> [Case; 2] {
    [case(planar(PLANAR), 3), case(spatial(SPATIAL), 5)]
}

#[test]
fn the_derivative_of_the_projection_is_that_of_difference_quotients_in_state_and_numbers() {
    for case in cases() {
        let at = mechanism(compiled(&case.text, &[]));
        let mut workspace = at.workspace();
        let mut along = case.dx.clone();
        at.linearize_projection(At::new(0.0, &case.mode, &case.x), &mut workspace);
        at.project_jvp(
            At::new(0.0, &case.mode, &case.x),
            &mut along,
            &case.numbers,
            &mut workspace,
        );
        let want = slope(2e-3, |s| {
            let there = mechanism(compiled(&case.text, &[("a", 1.0 + s)]));
            let mut x = moved(&case.x, s, &case.dx);
            there.project(0.0, &case.mode, &mut x, &mut there.workspace()).unwrap();
            x
        });
        let moving = along.iter().zip(&case.dx).any(|(a, b)| (a - b).abs() > 0.1);
        assert!(moving, "the projection changes the direction");
        for (got, want) in along.iter().zip(&want) {
            assert!((got - want).abs() < 1e-9 * (1.0 + want.abs()), "{got} {want}");
        }
        let once = along.clone();
        at.project_jvp(
            At::new(0.0, &case.mode, &case.x),
            &mut along,
            &case.numbers,
            &mut workspace,
        );
        let again = along.iter().zip(&once).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(again, "a tangent direction stays");
    }
}

#[test]
fn the_transposed_projection_is_the_transpose() {
    for case in cases() {
        let at = mechanism(compiled(&case.text, &[]));
        let mut workspace = at.workspace();
        let mut random = Random::new(11);
        let (mu, mut numbers) = (random.vector(case.x.len(), 1.0), random.vector(case.numbers.len(), 1.0));
        // Gradients are computed by numbers that depend on parameters.
        for (slot, number) in numbers.iter_mut().zip(&at.model.numbers) {
            if number.gradient.is_empty() {
                *slot = 0.0;
            }
        }
        let mut along = case.dx.clone();
        at.linearize_projection(At::new(0.0, &case.mode, &case.x), &mut workspace);
        at.project_jvp(At::new(0.0, &case.mode, &case.x), &mut along, &numbers, &mut workspace);
        let (mut bar, mut numbers_bar) = (mu.clone(), vec![0.0; numbers.len()]);
        at.project_vjp(
            At::new(0.0, &case.mode, &case.x),
            &mut bar,
            &mut numbers_bar,
            &mut workspace,
        );
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let (forward, backward) = (dot(&mu, &along), dot(&bar, &case.dx) + dot(&numbers_bar, &numbers));
        assert!(
            (forward - backward).abs() < 1e-12 * (1.0 + forward.abs()),
            "{forward} {backward}"
        );
        assert!(numbers_bar.iter().any(|x| x.abs() > 1e-2), "the numbers take part");
    }
}
