//! Families of parameters are differentiated, set, swept and optimized as single ones are, and written back.

use std::ops::ControlFlow;

use costate::optimize::{SceneDesign, optimize, optimized_scene};
use costate::run::{Changes, Experiment, Method};
use costate::scene::parse;
use costate::scene::schema::FormulationKind;

use crate::support::{certified, close, experiment, objective, report, tight};
use crate::{CHAIN, changed};

fn setting(list: &[(&str, f64)]) -> Changes {
    Changes {
        parameters: list.iter().map(|(name, value)| (name.to_string(), *value)).collect(),
        ..tight()
    }
}

#[test]
fn gradients_by_a_family_are_certified() {
    let found = certified(CHAIN, FormulationKind::Nullspace);
    assert_eq!(found.parameters, ["L", "m[1]", "m[2]", "m[3]"]);
}

#[test]
fn members_of_a_family_are_set_by_name() {
    let set = experiment(CHAIN, &setting(&[("m[2]", 3.0)]));
    let written = experiment(
        &changed("\"1 + 0.1*i\"", "Each([\"1 + 0.1*i\", 3.0, \"1 + 0.1*i\"])"),
        &tight(),
    );
    assert_eq!(report(&set).objectives, report(&written).objectives);
    let [a, b] = [&set, &experiment(CHAIN, &tight())].map(|one| objective(&report(one), "x"));
    assert!((a - b).abs() > 1e-6, "the mass has an influence");
}

#[test]
fn a_constant_that_counts_can_be_set_and_set_again() {
    let long = experiment(&changed("\"n\": 3", "\"n\": 5"), &tight());
    let set = experiment(CHAIN, &setting(&[("n", 5.0)]));
    assert_eq!(report(&set).objectives, report(&long).objectives);
    let back = set.with_parameter("n", 3.0).expect("three links again");
    assert_eq!(
        report(&back).objectives,
        report(&experiment(CHAIN, &tight())).objectives
    );
    let paths = set.run_with_traces(&[]).expect("a motion").traces;
    assert_eq!(paths.last().map(|path| path.name.as_str()), Some("P[5]"));
    let wrong = Experiment::new(&parse("a.ron", CHAIN).unwrap(), &setting(&[("n", 2.5)])).unwrap_err();
    assert!(wrong.message().contains("2.5") && wrong.place().is_some(), "{wrong}");
    // What no range reads changes no entry.
    assert!(Experiment::new(&parse("a.ron", CHAIN).unwrap(), &setting(&[("step", 2.5)])).is_ok());
}

/// Sums over many points, beads that fall freely.
const BEADS: &str = r#"(
    name: "beads", space: Planar, gravity: [0, -10],
    constants: { "n": 60 },
    parameters: { "v[i = 1..n]": "0.01*i", "k": 0.5 },
    points: { "B[i = 1..n]": (at: ["i", 0], velocity: ["v[i]", 0], mass: 1) },
    outputs: { "all": "sum(i = 1..n, i*B[i].x^2)" },
    objectives: { "sum": Final("sqrt(all)"), "way": Integral("sum(i = 1..n, k*B[i].vx*abs(B[i].x))"), "total": Final("sum(i = 1..n, v[i]^2)") },
    simulation: (duration: 2),
)"#;

#[test]
fn sums_of_many_terms_have_their_derivatives() {
    let experiment = experiment(&BEADS.replace("k*B[i].vx*abs(B[i].x)", "k*B[i].vx*B[i].x"), &tight());
    for method in [Method::Adjoint, Method::Forward] {
        let found = experiment.gradient(method).expect("a gradient");
        let at = |i: f64| i + 2.0 * 0.01 * i;
        let all: f64 = (1..=60).map(|i| f64::from(i) * at(f64::from(i)).powi(2)).sum();
        let [sum, way, total] = &found.objectives[..] else {
            panic!("three objectives")
        };
        close("sum", sum.value, all.sqrt(), 1e-9 * all.sqrt());
        for k in [1_usize, 30, 60] {
            let (i, v) = (k as f64, 0.01 * k as f64);
            close("sum by v", sum.gradient[k - 1], i * at(i) * 2.0 / all.sqrt(), 1e-9 * i);
            // The integral of k v (i + v t) over two seconds.
            close("way by v", way.gradient[k - 1], 0.5 * (2.0 * i + 4.0 * v), 1e-8 * i);
            close("total by v", total.gradient[k - 1], 2.0 * v, 1e-9);
        }
        close("way by k", way.gradient[60], way.value / 0.5, 1e-9 * way.value);
    }
}

#[test]
fn kinks_of_a_long_sum_are_found_one_by_one() {
    let text = BEADS
        .replace("60", "30")
        .replace("at: [\"i\", 0]", "at: [\"-0.015*i^2\", 0]");
    let experiment = experiment(&text, &tight());
    let found = experiment.gradient(Method::Adjoint).expect("a gradient");
    // Bead i passes zero at the time 1.5 i.
    assert_eq!(report(&experiment).events.len(), 1);
    let of = |i: f64| {
        let x = |t: f64| -0.015 * i * i + 0.01 * i * t;
        // The integral of k v |x| is k/2 times the change of x|x|.
        0.25 * (x(2.0) * x(2.0).abs() - x(0.0) * x(0.0).abs())
    };
    let expected: f64 = (1..=30).map(|i| of(f64::from(i))).sum();
    close("way", found.objectives[1].value, expected, 1e-9 * expected.abs());
}

/// Three masses on springs of their own, whose stiffnesses shall give three deflections.
const SPRINGS: &str = r#"// Springs.
(
    name: "springs", space: Planar, gravity: [0, -9.81],
    constants: { "n": 3 },
    parameters: { "s": 2.0, "k[i = 1..n]": (value: "100*s", unit: "N/m", bounds: (10, 900)) },
    ground: { "G[i = 1..n]": ["i", 0] },
    points: { "P[i = 1..n]": (at: ["i", -1], mass: 1) },
    forces: {
        "f[i = 1..n]": Spring(from: "G[i]", to: "P[i]", stiffness: "k[i]", natural_length: 1),
    },
    objectives: { "y[i = 1..n]": Final("P[i].y"), "miss": SumOfSquares(["(y[i = 1..n] + 1 + 0.03*i)/0.01"]) },
    optimization: (minimize: "miss", over: ["k[i = 1..n-1]"]),
    simulation: (duration: 0.1),
)
"#;

#[test]
fn an_optimized_family_is_written_back_and_reads_well() {
    for count in [3.0, 8.0] {
        let experiment = experiment(SPRINGS, &setting(&[("n", count)]));
        let task = experiment.optimization.clone().expect("an optimization");
        let found = optimize(&SceneDesign::new(&experiment, &task), &task, &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(found.variables.len() as f64, count - 1.0);
        assert!(found.best.value < found.initial.value);
        let text = optimized_scene(&experiment, &task, &found, ("optimize", found.simulations), &[]).unwrap();
        assert!(text.contains(&format!("\"n\": {count:?}")), "{text}");
        assert!(
            text.contains("\"k[i = 1..n]\": (value: Each([") && text.contains("\"100*s\"]), unit: \"N/m\""),
            "{text}"
        );
        let again = crate::support::experiment(&text, &tight());
        let miss = objective(&report(&again), "miss");
        close("miss", miss, found.best.value, 1e-10);
        // The member that was not varied still follows what it is an expression of.
        assert!(
            again
                .gradient(Method::Forward)
                .unwrap()
                .objectives
                .iter()
                .any(|one| one.gradient[0] != 0.0)
        );
    }
}

#[test]
fn the_masses_of_the_hanging_arch_are_those_of_the_closed_form() {
    let experiment = crate::support::shipped("hanging_arch", &setting(&[("n", 5.0)]));
    let task = experiment.optimization.clone().expect("an optimization");
    let design = SceneDesign::new(&experiment, &task);
    let found = optimize(&design, &task, &mut |_| ControlFlow::Continue(())).unwrap();
    let link = 2.0 * (std::f64::consts::PI / 3.0) / 6.0;
    let hangs = |steps: f64| ((steps + 0.5) * link).tan() - ((steps - 0.5) * link).tan();
    assert_eq!(found.variables, ["m[1]", "m[2]", "m[4]", "m[5]"]);
    for (mass, steps) in found.best.parameters.iter().zip([-2.0, -1.0, 1.0, 2.0]) {
        close("mass", *mass, hangs(steps) / hangs(0.0), 1e-5);
    }
}
