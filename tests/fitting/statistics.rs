//! Standard errors, correlations and what data cannot tell apart.

use costate::optimize::{Deviations, Identification};

use crate::support::close;
use crate::{experiment, fitted};

/// What positions x at times 0, 1, .. say about a and b of x = a + b t.
fn line(positions: &[f64], spread: &str) -> Identification {
    let fields = format!(
        r#"parameters: {{ "a": 1, "b": 1 }},
        points: {{ "P": (at: ["a", 0], velocity: ["b", 0], mass: 1) }},
        objectives: {{ "fit": Fit(data: "d.csv", columns: {{ "x": "P.x" }}{spread}) }},
        optimization: (minimize: "fit", over: ["a", "b"]),"#
    );
    let rows = positions.iter().enumerate().map(|(t, x)| format!("{t},{x}\n"));
    let data = format!("t,x\n{}", rows.collect::<String>());
    fitted(&experiment(4.0, &fields, &[("d.csv", &data)])).1.identification
}

const POSITIONS: [f64; 5] = [2.0, 5.5, 7.5, 11.5, 14.5];

#[test]
fn a_straight_line_has_the_standard_errors_of_linear_regression() {
    // (J^T J)^-1 = [[3/5, -1/5], [-1/5, 1/10]] for the times 0 to 4; the residuals of the best line sum up to 0.8 squared.
    let given = line(&POSITIONS, ", sigma: 0.5");
    assert_eq!((given.deviations, given.degrees_of_freedom), (Deviations::Given, 3));
    let estimated = line(&POSITIONS, "");
    let (mean, slope) = (8.2, 3.1);
    let misses = POSITIONS
        .iter()
        .enumerate()
        .map(|(t, x)| mean + slope * (t as f64 - 2.0) - x);
    let chi_squared: f64 = misses.map(|miss| miss * miss).sum();
    let factor = (chi_squared / 3.0).sqrt();
    close("chi squared", estimated.chi_squared, chi_squared, 1e-10);
    let Deviations::Estimated(found) = estimated.deviations else {
        panic!("{estimated:?}")
    };
    close("factor", found, factor, 1e-10);
    for (identification, deviation) in [(given, 0.5), (estimated, factor)] {
        for (error, variance) in identification.standard_errors.iter().zip([0.6_f64, 0.1]) {
            close("standard error", error.unwrap(), deviation * variance.sqrt(), 1e-9);
        }
        close(
            "correlation",
            identification.correlations[0][1].unwrap(),
            -0.2 / 0.06_f64.sqrt(),
            1e-9,
        );
        close("with itself", identification.correlations[1][1].unwrap(), 1.0, 1e-12);
        assert!(identification.unseen.is_empty());
    }
}

#[test]
fn weights_count_as_often_as_they_say_and_give_no_deviations() {
    let twice = line(&[2.0, 5.5, 7.5, 11.5, 14.5], ", weight: 2");
    let once = line(&POSITIONS, "");
    close("chi squared", twice.chi_squared, 2.0 * once.chi_squared, 1e-9);
    for (a, b) in twice.standard_errors.iter().zip(&once.standard_errors) {
        close("standard error", a.unwrap(), b.unwrap(), 1e-9);
    }
}

#[test]
fn without_a_degree_of_freedom_there_are_standard_errors_only_from_given_deviations() {
    let unknown = line(&[2.0, 5.5], "");
    assert_eq!(
        (unknown.deviations, unknown.degrees_of_freedom),
        (Deviations::Unknown, 0)
    );
    assert_eq!(unknown.standard_errors, [None, None]);
    let given = line(&[2.0, 5.5], ", sigma: 0.5");
    close("standard error", given.standard_errors[0].unwrap(), 0.5, 1e-9);
    close(
        "standard error",
        given.standard_errors[1].unwrap(),
        0.5 * 2.0_f64.sqrt(),
        1e-9,
    );
}

#[test]
fn mass_and_stiffness_of_an_oscillator_are_named_as_not_told_apart() {
    let x = |t: f64| 0.3 * (5.0 * t).cos();
    let rows: String = (0..=20)
        .map(|j| f64::from(j) * 0.1)
        .map(|t| format!("{t},{:?}\n", x(t)))
        .collect();
    let fields = r#"parameters: { "m": 2, "k": 40, "x0": 0.25, "idle": 7 },
        ground: { "O": [-1, 0] }, points: { "P": (at: ["x0", 0], mass: "m"), "Q": (at: ["idle", 0], mass: 1) },
        joints: { "rail": PointOnLine(point: "P", line: Fixed(through: [0, 0], direction: [1, 0])) },
        forces: { "spring": Spring(from: "O", to: "P", stiffness: "k", natural_length: 1) },
        outputs: { "x": "P.x" },
        objectives: { "fit": Fit(data: "d.csv", sigma: 0.01) },
        optimization: (minimize: "fit", over: ["m", "k", "x0", "idle"]),"#;
    let (report, fit) = fitted(&experiment(2.0, fields, &[("d.csv", &format!("t,x\n{rows}"))]));
    let [m, k, x0, _] = report.best.parameters[..] else {
        panic!("{report:?}")
    };
    close("ratio", k / m, 25.0, 1e-7);
    close("x0", x0, 0.3, 1e-8);
    let found = &fit.identification;
    assert_eq!(found.standard_errors[..2], [None, None]);
    assert_eq!(found.standard_errors[3], None);
    // 21 cosines of amplitude one and phases 0, 0.5, .. : their squares sum up to the inverse variance of x0 alone.
    assert!(
        found.standard_errors[2].is_some_and(|error| error > 0.002 && error < 0.01),
        "{found:?}"
    );
    assert_eq!(found.degrees_of_freedom, 21 - 2);
    let [idle, ratio] = &found.unseen[..] else {
        panic!("{found:?}")
    };
    assert!(idle.is_single() && idle.changes[0].0 == "idle");
    let [(first, a), (second, b)] = &ratio.changes[..] else {
        panic!("{ratio:?}")
    };
    assert_eq!((first.as_str(), second.as_str()), ("m", "k"));
    // Both by the same part of themselves, over their scales of 2 and 40.
    close("change", (a / b) * (k / 40.0) / (m / 2.0), 1.0, 1e-5);
}
