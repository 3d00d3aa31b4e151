//! Derivatives of a mechanism with feedback of every kind.

use costate::hybrid::{At, Cotangents, Differentiable, HybridSystem, Tangent};
use costate::integrate;
use costate::run::Method;
use costate::scene::schema::FormulationKind::{Index3, Multipliers, Nullspace, Penalty, Stabilized};

use crate::support::{
    agree, certified, check_hessian, experiment, happenings, planar, report, run, tight, tolerances, under,
};
use crate::{MIXTURE, apart, gradient};

fn mixture() -> String {
    planar(1.1, MIXTURE)
}

#[test]
fn all_formulations_agree_and_events_of_every_kind_happen() {
    let report = run(&mixture());
    for kind in ["impact", "kink", "switch"] {
        let found = happenings(&report).iter().any(|(_, found)| *found == kind);
        assert!(found, "no {kind}: {:?}", happenings(&report));
    }
    let mut implicit = experiment(&mixture(), &tolerances(1e-10, 1e-12));
    implicit.options.method = integrate::Method::Radau;
    agree("Radau", &crate::support::report(&implicit), &report, 1e-6);
}

#[test]
fn gradients_pass_the_certificate_in_every_formulation() {
    let exact = certified(&mixture(), Nullspace);
    for formulation in [Multipliers, Penalty, Stabilized, Index3] {
        let difference = apart(&certified(&mixture(), formulation), &exact);
        let allowed = if formulation == Penalty { 1e-4 } else { 1e-7 };
        assert!(difference < allowed, "{formulation:?}: {difference:e}");
    }
}

#[test]
fn second_derivatives_are_quotients_of_the_gradients() {
    let experiment = experiment(&mixture(), &tolerances(1e-12, 1e-14));
    check_hessian(&experiment, 1e-5);
}

/// Largest difference over the largest entry.
fn relative(a: &[f64], b: &[f64]) -> f64 {
    let size = a.iter().fold(1e-9, |most: f64, x| most.max(x.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max)
}

#[test]
fn jacobian_tangent_and_transpose_of_the_flow_are_those_of_its_differences() {
    for formulation in [Nullspace, Multipliers, Penalty, Stabilized, Index3] {
        let experiment = experiment(&mixture(), &under(formulation));
        let mechanism = &experiment.mechanism;
        let mut workspace = mechanism.workspace();
        let started = mechanism.start(0.0, &mut workspace).expect("it starts");
        let (n, t, mode) = (started.x.len(), 0.3, &started.mode);
        let wave = |i: usize| ((3 * i + 1) as f64).sin();
        let mut x: Vec<f64> = started.x.iter().enumerate().map(|(i, x)| x + 0.1 * wave(i)).collect();
        mechanism.project(t, mode, &mut x, &mut workspace).expect("it closes");
        let mut flow = |x: &[f64]| {
            let mut dx = vec![0.0; n];
            mechanism
                .flow(At::new(t, mode, x), &mut workspace, &mut dx)
                .expect("it flows");
            dx
        };
        let column = |flow: &mut dyn FnMut(&[f64]) -> Vec<f64>, j: usize| -> Vec<f64> {
            let h = 1e-3;
            let [a, b, c, d, e, f] = [1.0, -1.0, 2.0, -2.0, 3.0, -3.0].map(|s: f64| {
                let mut moved = x.clone();
                moved[j] += s * h;
                flow(&moved)
            });
            (0..n)
                .map(|i| (45.0 * (a[i] - b[i]) - 9.0 * (c[i] - d[i]) + (e[i] - f[i])) / (60.0 * h))
                .collect()
        };
        let columns: Vec<Vec<f64>> = (0..n).map(|j| column(&mut flow, j)).collect();
        let at = At::new(t, mode, &x);
        let mut jacobian = vec![0.0; n * n];
        mechanism
            .flow_jacobian(at, &mut workspace, &mut jacobian)
            .expect("a Jacobian");
        mechanism.linearize(at, &mut workspace).expect("it moves");
        let (still, mu): (Vec<f64>, Vec<f64>) = (vec![0.0; mechanism.numbers()], (0..n).map(|i| wave(i + 5)).collect());
        let (mut x_bar, mut numbers_bar) = (vec![0.0; n], still.clone());
        mechanism.flow_vjp(at, &mu, &mut workspace, Cotangents::new(&mut x_bar, &mut numbers_bar));
        for (j, quotient) in columns.iter().enumerate() {
            let exact: Vec<f64> = (0..n).map(|i| jacobian[i * n + j]).collect();
            assert!(
                relative(quotient, &exact) < 1e-7,
                "{formulation:?}: column {j}: {quotient:?} {exact:?}"
            );
            let mut unit = vec![0.0; n];
            unit[j] = 1.0;
            let mut tangent = vec![0.0; n];
            mechanism.flow_jvp(at, &Tangent::new(0.0, &unit, &still), &mut workspace, &mut tangent);
            assert!(relative(&exact, &tangent) < 1e-11, "{formulation:?}: tangent {j}");
            let product: f64 = exact.iter().zip(&mu).map(|(a, b)| a * b).sum();
            assert!(
                (product - x_bar[j]).abs() < 1e-10 * (1.0 + product.abs()),
                "{formulation:?}: transpose {j}"
            );
        }
    }
}

#[test]
fn parameters_of_feedback_are_not_taken_for_idle() {
    // The gain acts on the cart through the distance of another mass, which nothing else joins to it.
    let fields = r#"parameters: { "k": 2.0, "v": 0.5, "w": 3.0 },
        points: { "P": (at: [0, 0], mass: 1), "Q": (at: [1, 0], velocity: ["v", 0], mass: 1), "R": (at: [5, 0], velocity: ["w", 0], mass: 1) },
        forces: { "f": Load(at: "P", force: ["k*(Q.x - 1)", 0]) }, objectives: { "x": Final("P.x") },"#;
    let experiment = experiment(&planar(1.0, fields), &tight());
    let report = gradient(&experiment, Method::Adjoint);
    // P.x = k v/6.
    for (k, slope) in [0.5 / 6.0, 2.0 / 6.0, 0.0].into_iter().enumerate() {
        assert!((report.objectives[0].gradient[k] - slope).abs() < 1e-11);
    }
    let idle = experiment.no_influence(&report).expect("reasons");
    let names: Vec<&str> = idle.iter().map(|found| found.parameter.as_str()).collect();
    assert_eq!(names, ["w"]);
}

#[test]
fn reports_of_the_same_scene_do_not_depend_on_what_was_evaluated_before() {
    // Numbers that follow the motion are written again at every state: a run after a gradient is the same to the last bit.
    let experiment = experiment(&mixture(), &tight());
    let first = report(&experiment);
    gradient(&experiment, Method::Forward);
    assert_eq!(first.objectives, report(&experiment).objectives);
}
