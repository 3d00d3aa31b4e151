//! Lags: greatest and least values of those in a row, which begin like powers of time and end within rounding of what they follow;
//! the sizes of memory that follows itself.

use costate::integrate;
use costate::run::{Changes, Method};

use crate::support::{close, experiment, objective, planar, report, tolerances};
use crate::{gradient, slope};

/// Rates of the lags.
const RATES: [f64; 4] = [10.0, 5.0, 3.0, 2.0];

const LAGS: &str = r#"
    parameters: { "k": 10.0, "l": 5.0, "m": 3.0, "n": 2.0 },
    points: { "P": (at: [0, 0], mass: 1) },
    memory: { "a": (start: 0, rate: "(1 - a)*k"), "b": (start: 0, rate: "(a - b)*l"),
        "c": (start: 0, rate: "(b - c)*m"), "d": (start: 0, rate: "(c - d)*n") },
    objectives: { "last": Max("d"), "behind": Min("d - c"), "ahead": Max("d - c"), "pulse": Max("c*exp(-t)"), "bend": Max("a - 2*b + c") },"#;

/// A lag behind all before it, after a step of one.
fn lag(rates: &[f64], t: f64) -> f64 {
    let part = |i: usize| {
        let others = (0..rates.len()).filter(|&j| j != i);
        others.map(|j| rates[j] / (rates[j] - rates[i])).product::<f64>() * (-rates[i] * t).exp()
    };
    1.0 - (0..rates.len()).map(part).sum::<f64>()
}

/// The expressions of the objectives that have their peak on the way, each to be made greatest.
fn expressions([k, l, m, n]: [f64; 4], t: f64) -> [f64; 3] {
    let [a, b, c, d] = [&[k][..], &[k, l], &[k, l, m], &[k, l, m, n]].map(|rates| lag(rates, t));
    [c - d, c * (-t).exp(), a - 2.0 * b + c]
}

/// Twelve steps times the slope of a function.
fn quotient(f: impl Fn(f64) -> f64, step: f64) -> f64 {
    8.0 * (f(step) - f(-step)) - (f(2.0 * step) - f(-2.0 * step))
}

/// Where an expression is greatest over ten seconds.
fn place(which: usize) -> f64 {
    let at = |t: f64| expressions(RATES, t)[which];
    let coarse = (1..1000).map(|i| 0.01 * f64::from(i));
    let coarse = coarse.max_by(|s, t| at(*s).total_cmp(&at(*t))).expect("a time");
    let (mut low, mut high) = (coarse - 0.01, coarse + 0.01);
    while high - low > 1e-12 {
        let middle = 0.5 * (low + high);
        match quotient(|s| at(middle + s), 3e-4) > 0.0 {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

/// The derivative of its greatest value by a rate: that at a fixed time.
fn peak_by(which: usize, rate: usize) -> f64 {
    let t = place(which);
    let moved = |s: f64| {
        let mut rates = RATES;
        rates[rate] += s;
        expressions(rates, t)[which]
    };
    quotient(moved, 1e-3) / 12e-3
}

#[test]
fn peaks_of_lags_in_a_row_are_those_of_their_closed_forms() {
    let loose = |rtol: f64| Changes {
        rtol: Some(rtol),
        ..Changes::default()
    };
    let all = [
        (1e-3, loose(1e-3)),
        (1e-6, loose(1e-6)),
        (1e-8, loose(1e-8)),
        (1e-6, tolerances(1e-6, 1e-14)),
        (1e-11, tolerances(1e-11, 1e-14)),
    ];
    for (rtol, changes) in all {
        for method in [integrate::Method::DormandPrince, integrate::Method::Radau] {
            let mut experiment = experiment(&planar(10.0, LAGS), &changes);
            experiment.options.method = method;
            let (found, bound) = (report(&experiment), 100.0 * rtol);
            close(
                &format!("{method:?} {rtol} last"),
                objective(&found, "last"),
                lag(&RATES, 10.0),
                bound,
            );
            close(
                &format!("{method:?} {rtol} ahead"),
                objective(&found, "ahead"),
                0.0,
                bound,
            );
            let peaks = [("behind", -1.0), ("pulse", 1.0), ("bend", 1.0)];
            for (which, (name, sign)) in peaks.into_iter().enumerate() {
                let what = format!("{method:?} {rtol} {name}");
                close(
                    &what,
                    objective(&found, name),
                    sign * expressions(RATES, place(which))[which],
                    bound,
                );
                for by in [Method::Adjoint, Method::Forward] {
                    let found = gradient(&experiment, by);
                    for (k, parameter) in ["k", "l", "m", "n"].into_iter().enumerate() {
                        let wanted = sign * peak_by(which, k);
                        close(
                            &format!("{what} by {parameter}"),
                            slope(&found, name, parameter),
                            wanted,
                            bound,
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn a_force_that_follows_at_once_has_its_peak_by_either_method() {
    let scene = planar(
        3.0,
        r#"points: { "P": (at: [0, 0], mass: 1) }, forces: { "motor": Load(at: "P", force: ["drive", 0]) },
        memory: { "drive": (start: 0, rate: "(100*(1 - P.x) - 20*P.vx - drive)/0.001") }, objectives: { "most": Max("drive") },"#,
    );
    for method in [integrate::Method::DormandPrince, integrate::Method::Radau] {
        for rtol in [1e-3, 1e-6, 1e-8, 1e-9, 1e-10] {
            let changes = Changes {
                rtol: Some(rtol),
                ..Changes::default()
            };
            let mut experiment = experiment(&scene, &changes);
            experiment.options.method = method;
            // From the matrix exponential.
            let bound = (30.0 * rtol * 94.0_f64).max(2e-5);
            close(
                &format!("{method:?} {rtol}"),
                objective(&report(&experiment), "most"),
                93.981_541_72,
                bound,
            );
        }
    }
}

/// Steps of the explicit method that are too long to be stable have an interpolant that is off by a thousand times their error.
#[test]
fn a_fast_lag_has_its_values_between_the_steps_too() {
    let (rate, w) = (1e3, 2.0);
    let times: Vec<f64> = (0..40).map(|i| 0.5 + 0.0137 * f64::from(i)).collect();
    let objectives: Vec<String> = (times.iter().enumerate())
        .map(|(i, t)| format!(r#""m{i}": At(time: {t}, of: "m")"#))
        .collect();
    let scene = planar(
        1.1,
        &format!(
            r#"points: {{ "P": (at: [0, 0], mass: 1) }}, memory: {{ "m": (start: 0, rate: "{rate}*(sin({w}*t) - m)") }},
            objectives: {{ {} }},"#,
            objectives.join(", ")
        ),
    );
    let exact =
        |t: f64| rate * (rate * (w * t).sin() - w * (w * t).cos() + w * (-rate * t).exp()) / (rate * rate + w * w);
    for digits in 4..13 {
        let rtol = 10_f64.powi(-digits);
        let report = report(&experiment(&scene, &tolerances(rtol, 0.01 * rtol)));
        for (i, t) in times.iter().enumerate() {
            close(
                &format!("rtol 1e-{digits}, t = {t}"),
                objective(&report, &format!("m{i}")),
                exact(*t),
                100.0 * rtol,
            );
        }
    }
}

/// A lag of a thousandth of a second beside a motion of two seconds.
const FAST: &str = r#"
    parameters: { "k": 1e3, "u": 2.0 },
    points: { "P": (at: [0, 0], velocity: [1, 0], mass: 1) },
    memory: { "m": (start: 0, rate: "k*(u - m)") },
    objectives: { "soon": At(time: 0.0005, of: "m"), "later": At(time: 0.002, of: "m") },"#;

#[test]
fn a_fast_lag_has_the_digits_of_what_it_becomes_by_default() {
    let [k, u] = [1e3, 2.0];
    for method in [integrate::Method::DormandPrince, integrate::Method::Radau] {
        let mut experiment = experiment(&planar(2.0, FAST), &Changes::default());
        experiment.options.method = method;
        let gradients = [Method::Adjoint, Method::Forward].map(|by| gradient(&experiment, by));
        for (name, t) in [("soon", 0.0005), ("later", 0.002)] {
            let left = f64::exp(-k * t);
            let what = format!("{method:?} {name}");
            close(&what, objective(&report(&experiment), name), u * (1.0 - left), 1e-9);
            for found in &gradients {
                close(
                    &format!("{what} by k"),
                    k * slope(found, name, "k"),
                    k * u * t * left,
                    1e-9,
                );
                close(&format!("{what} by u"), slope(found, name, "u"), 1.0 - left, 1e-9);
            }
        }
    }
}

/// Sizes of memory that begins so and follows these rates, beside a motion of a metre per second for two seconds.
fn sizes(memory: &[(f64, &str)]) -> Vec<f64> {
    let entry = |(i, (start, rate)): (usize, &(f64, &str))| {
        format!(r#""{}": (start: {start}, rate: "{rate}")"#, ["m", "n", "o"][i])
    };
    let entries: Vec<String> = memory.iter().enumerate().map(entry).collect();
    let fields = format!(
        r#"points: {{ "P": (at: [0, 0], velocity: [1, 0], mass: 1) }}, memory: {{ {} }},"#,
        entries.join(", ")
    );
    let mechanism = experiment(&planar(2.0, &fields), &Changes::default()).mechanism;
    let (allowed, model) = (mechanism.allowed(), &mechanism.model);
    let first = allowed.len() - model.memory.len();
    let variables = model.variables.iter();
    variables.map(|variable| allowed[first + variable.slot]).collect()
}

#[test]
fn memory_that_drives_itself_back_is_as_large_as_it_becomes() {
    for (memory, least) in [
        (&[(0.0, "1000*(3 - m)")][..], &[3.0][..]),
        (&[(0.0, "-1000*(3 + m)")], &[3.0]),
        (&[(20.0, "-1e5*m")], &[20.0]),
        (&[(0.0, "1e4*(3e-9 - m)")], &[3e-9]),
        (&[(0.0, "1000*(2 - m^3)")], &[1.26]),
        (&[(4.0, "-1000*sqrt(m)")], &[4.0]),
        (&[(0.0, "1000*sqrt(1 - m^2)")], &[1.0]),
        // Behind one another, in any order.
        (&[(0.0, "1000*(3 - m)"), (0.1, "1000*(m - n)")], &[3.0, 3.0]),
        (&[(0.1, "1000*(n - m)"), (0.0, "1000*(3 - n)")], &[3.0, 3.0]),
        // A bristle that bends until it slips, by either direction.
        (&[(0.0, "P.vx - 1e4*abs(P.vx)*m")], &[1e-4]),
    ] {
        let found = sizes(memory);
        for (size, least) in found.iter().zip(least) {
            assert!((0.5 * least..6.5 * least).contains(size), "{memory:?}: {found:?}");
        }
    }
}

#[test]
fn memory_that_nothing_drives_back_is_as_large_as_its_rate_makes_it() {
    for (memory, expected) in [
        (&[(0.0, "5")][..], &[10.0][..]),
        (&[(3.0, "m")], &[6.0]),
        (&[(1.0, "1000*m")], &[2000.0]),
        (&[(0.5, "P.vx*m*100")], &[100.0 * 5.0_f64.sin().abs()]),
        (&[(0.0, "sign(1 - m)*50")], &[100.0]),
        (&[(0.0, "exp(-m)")], &[2.0]),
        // A slow lag does not arrive.
        (&[(0.0, "0.1*(3 - m)")], &[0.6]),
        // They turn round each other.
        (&[(1.0, "100*n"), (1.0, "-100*m")], &[200.0, 200.0]),
    ] {
        let found = sizes(memory);
        for (size, expected) in found.iter().zip(expected) {
            assert!((size - expected).abs() < 1e-9 * expected, "{memory:?}: {found:?}");
        }
    }
}
