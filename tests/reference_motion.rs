//! What runs of the shipped scenes promise: the reference motions, residuals and energy; formulations and integrators agree.

mod support;

use std::f64::consts::PI;

use costate::integrate::Method;
use costate::run::{Changes, Experiment, Report};
use costate::scene::schema::FormulationKind::{self, Index3, Multipliers, Nullspace, Penalty, Stabilized};
use support::reference::{
    ANDREWS_END, ANDREWS_START, FIVE_BAR_OBJECTIVES, FIVE_BARS, FORTY_WINDOWS, FiveBar, TWO_WINDOWS,
};
use support::*;

/// Scenes that pass singular positions: there tight tolerances ask for more than rounding leaves, and the plain penalty
/// lets the constraints give way.
const SINGULAR: [&str; 1] = ["n_four_bar"];

fn check_five_bar(reference: &FiveBar, report: &Report, tolerance: f64) {
    all_close(reference.scene, &times(report), reference.times, tolerance);
    let finals = FIVE_BAR_OBJECTIVES.map(|name| objective(report, name));
    all_close(reference.scene, &finals, &reference.finals, tolerance);
}

#[test]
fn five_bars_reproduce_event_times_and_finals_with_exact_constraints() {
    for formulation in [Nullspace, Multipliers, Stabilized, Index3] {
        for reference in &FIVE_BARS {
            let report = report(&shipped(reference.scene, &under(formulation)));
            check_five_bar(reference, &report, 1e-9);
            assert!(
                report.residuals.position <= 1e-10,
                "{}: {:?}",
                reference.scene,
                report.residuals
            );
            assert!(
                report.residuals.velocity <= 1e-9,
                "{}: {:?}",
                reference.scene,
                report.residuals
            );
        }
    }
}

#[test]
fn five_bars_follow_within_1e_4_with_penalties_and_1e_8_with_augmented_ones() {
    for reference in &FIVE_BARS {
        check_five_bar(
            reference,
            &report(&with_augmentation(shipped(reference.scene, &under(Penalty)), 0)),
            1e-4,
        );
        check_five_bar(
            reference,
            &report(&with_augmentation(shipped(reference.scene, &under(Penalty)), 1)),
            1e-8,
        );
    }
}

#[test]
fn energy_drifts_by_less_than_1e_10_and_elastic_impacts_keep_it() {
    for scene in ["five_bar_smooth", "five_bar_restitution", "four_bar"] {
        let report = report(&shipped(scene, &tight()));
        let (before, after) = report.energy;
        close(scene, after / before, 1.0, 1e-10);
        assert_eq!(report.events.len(), if scene == "five_bar_restitution" { 3 } else { 0 });
    }
}

#[test]
fn the_torsional_pendulum_follows_its_closed_form() {
    let sets = [
        (1.0, 1.0, 1.0, PI / 4.0),
        (1.0, 1.0, 100.0, PI / 4.0),
        (0.5, 2.0, 3.0, PI / 3.0),
        (3.0, 0.5, 50.0, 1.0),
    ];
    for (l, m, c_r, alpha0) in sets {
        let parameters = [("l", l), ("m", m), ("c_r", c_r), ("alpha0", alpha0)];
        let parameters = parameters.map(|(name, value)| (name.to_string(), value)).to_vec();
        let report = report(&shipped("torsional_pendulum", &Changes { parameters, ..tight() }));
        let frequency = f64::sqrt(c_r / (m * l * l));
        let alpha = alpha0 * f64::cos(frequency * 10.0);
        close("y", objective(&report, "y_final"), l * alpha.sin(), 1e-11);
        close("alpha", output(&report, "alpha"), alpha, 1e-10);
    }
}

#[test]
fn the_bouncing_ball_strikes_at_the_times_of_the_closed_form() {
    let report = report(&shipped("bouncing_ball", &tight()));
    let (x0, g, e): (f64, f64, f64) = (50.0, 9.8, 0.8);
    let first = (2.0 * x0 / g).sqrt();
    // Flight k lasts 2 e^k v/g with v = g first.
    let mut want = vec![first];
    while want[want.len() - 1] < 15.0 {
        let flight = 2.0 * e.powi(i32::try_from(want.len()).unwrap()) * first;
        want.push(want[want.len() - 1] + flight);
    }
    want.pop();
    all_close("impacts", &times(&report), &want, 1e-12);
    close("first impact", report.events[0].t, 3.1943828249997, 1e-12);
    close("height at 15 s", objective(&report, "x_final"), 8.49421700760603, 1e-9);
}

#[test]
fn the_bouncing_ball_rests_past_the_accumulation_of_impacts() {
    let experiment = shipped(
        "bouncing_ball",
        &Changes {
            duration: Some(40.0),
            ..tight()
        },
    );
    let report = report(&experiment);
    let (name, kind) = *happenings(&report).last().unwrap();
    assert_eq!((name, kind), ("floor", "rest"));
    close(
        "accumulation",
        times(&report)[report.events.len() - 1],
        28.7494454249973,
        1e-5,
    );
    close("height at 40 s", objective(&report, "x_final"), 0.0, 1e-12);
    close("support at 40 s", output(&report, "support"), 9.8, 1e-9);
}

#[test]
fn andrews_mechanism_reaches_the_published_angles() {
    for formulation in [Nullspace, Multipliers, Stabilized, Index3] {
        let report = report(&shipped("andrews_squeezer", &under(formulation)));
        for (name, want) in ANDREWS_END {
            close(name, output(&report, name) / want, 1.0, 1e-7);
        }
    }
}

#[test]
fn andrews_mechanism_starts_with_the_published_accelerations() {
    let experiment = shipped("andrews_squeezer", &tight());
    let (_, recording) = experiment.run(true, &mut |_| {}).unwrap();
    let recording = recording.unwrap();
    for (name, want) in ANDREWS_START {
        let series = recording.outputs.iter().find(|series| series.name == name).unwrap();
        close(name, series.values[0] / want, 1.0, 1e-9);
    }
}

fn check_windows(experiment: &Experiment, want: [f64; 2]) {
    let report = report(experiment);
    close("B0x", output(&report, "B0x"), want[0], 1e-3);
    close("B0y", output(&report, "B0y"), want[1], 1e-3);
    close("energy", report.energy.1, report.energy.0, 0.1);
}

#[test]
fn two_windows_pass_singular_positions_in_every_formulation() {
    for formulation in [Nullspace, Multipliers, Penalty] {
        let experiment = shipped("n_four_bar", &under_default_tolerances(formulation));
        check_windows(&experiment, TWO_WINDOWS);
        assert_eq!(experiment.run(false, &mut |_| {}).unwrap().0.remarks, [""; 0]);
    }
}

/// As long as the uprights stay parallel, all windows move like one pendulum: with the masses m of three uprights and two
/// couplers, 3 L angle'' = 3.5 g sin(angle) from the vertical, integrated here by the classical method of order 4 in steps that
/// leave rounding only.
fn pendulum_of_windows(end: f64) -> [f64; 2] {
    let steps = 200_000_u32;
    let h = end / f64::from(steps);
    let rate = |[angle, speed]: [f64; 2]| [speed, 3.5 / 3.0 * 9.81 * angle.sin()];
    let mut x = [0.0, 1.0];
    for _ in 0..steps {
        let moved = |k: [f64; 2], s: f64| [x[0] + s * k[0], x[1] + s * k[1]];
        let k1 = rate(x);
        let k2 = rate(moved(k1, 0.5 * h));
        let k3 = rate(moved(k2, 0.5 * h));
        let k4 = rate(moved(k3, h));
        x = std::array::from_fn(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    [x[0].sin(), x[0].cos()]
}

#[test]
fn two_windows_keep_ten_digits_through_singular_positions_at_tight_tolerances() {
    let want = pendulum_of_windows(10.0);
    close("the published end", want[0], TWO_WINDOWS[0], 1e-10);
    for formulation in [Nullspace, Multipliers, Stabilized, Index3] {
        for (rtol, drift) in [(1e-12, 3e-11), (1e-13, 1e-11)] {
            let changes = Changes {
                rtol: Some(rtol),
                atol: Some(1e-2 * rtol),
                ..under_default_tolerances(formulation)
            };
            let report = report(&shipped("n_four_bar", &changes));
            assert!(report.remarks.is_empty(), "{:?}", report.remarks);
            assert!((output(&report, "B0x") - want[0]).abs() < 1e-10);
            assert!((output(&report, "B0y") - want[1]).abs() < 1e-10);
            assert!((report.energy.1 - report.energy.0).abs() < drift, "{:?}", report.energy);
        }
    }
}

#[test]
fn forty_windows_pass_singular_positions() {
    let changes = Changes {
        duration: Some(20.0),
        parameters: vec![("N".to_string(), 40.0)],
        ..Changes::default()
    };
    let (_, recording) = shipped("n_four_bar", &changes).run(true, &mut |_| {}).unwrap();
    let recording = recording.unwrap();
    for (time, want) in FORTY_WINDOWS {
        let k = recording.times.iter().position(|t| (t - time).abs() < 1e-9).unwrap();
        let place: Vec<f64> = recording.outputs.iter().map(|series| series.values[k]).collect();
        all_close("B0", &place, &want, 1e-3);
        let energy = |k: usize| recording.energy.kinetic[k] + recording.energy.potential[k];
        close("energy", energy(k), energy(0), 0.1);
    }
}

#[test]
fn the_slider_crank_follows_its_closed_form() {
    let parameters = vec![("w".to_string(), 20.0)];
    let report = report(&shipped("slider_crank", &Changes { parameters, ..tight() }));
    let (r, l, h, phi): (f64, f64, f64, f64) = (0.1, 0.35, 0.02, 20.0 * 0.5);
    let rise = r * phi.sin() - h;
    close(
        "x",
        output(&report, "x"),
        r * phi.cos() + (l * l - rise * rise).sqrt(),
        1e-12,
    );
    let (before, after) = report.energy;
    close("work", objective(&report, "work"), after - before, 1e-9);
}

#[test]
fn the_latch_catches_and_releases_at_the_times_of_the_closed_form() {
    let report = report(&shipped("latch", &tight()));
    let (h, g, hold, t0, rate): (f64, f64, f64, f64, f64) = (2.0, 9.81, 5.0, 1.0, 21.215);
    let caught = (2.0 * h / g).sqrt();
    let torn = t0 + (hold + g) / rate;
    assert_eq!(
        happenings(&report),
        [("floor", "stick"), ("winch on", "switch"), ("floor", "release")]
    );
    all_close("times", &times(&report), &[caught, t0, torn], 1e-12);
    let s = 3.0 - torn;
    close(
        "y",
        objective(&report, "y_final"),
        s * s * (3.0 * hold + rate * s) / 6.0,
        1e-10,
    );
    close("x", objective(&report, "x_final"), 0.5 * caught, 1e-12);
}

fn under_default_tolerances(formulation: FormulationKind) -> Changes {
    Changes {
        formulation: Some(formulation),
        ..Changes::default()
    }
}

#[test]
fn formulations_with_exact_constraints_agree_on_every_shipped_scene() {
    for name in shipped_names() {
        let (tolerance, limit) = if SINGULAR.contains(&name.as_str()) {
            (1e-9, 1e-5)
        } else {
            (1e-11, 1e-7)
        };
        let changes = |formulation| Changes {
            formulation: Some(formulation),
            ..tolerances(tolerance, 1e-2 * tolerance)
        };
        let reports = [Nullspace, Multipliers].map(|formulation| report(&shipped(&name, &changes(formulation))));
        agree(&name, &reports[0], &reports[1], limit);
    }
}

#[test]
fn penalties_agree_loosely_with_exact_constraints_on_every_shipped_scene() {
    for name in shipped_names() {
        let exact = report(&shipped(&name, &under_default_tolerances(Nullspace)));
        let penalty = shipped(&name, &under_default_tolerances(Penalty));
        agree(&name, &report(&penalty), &exact, 1e-5);
        if !SINGULAR.contains(&name.as_str()) {
            agree(&name, &report(&with_augmentation(penalty, 0)), &exact, 1e-3);
        }
    }
}

#[test]
fn radau_agrees_with_dormand_prince_on_every_shipped_scene() {
    for name in shipped_names() {
        let explicit = shipped(&name, &tolerances(1e-8, 1e-10));
        let mut implicit = explicit.clone();
        implicit.options.method = Method::Radau;
        let limit = if SINGULAR.contains(&name.as_str()) { 1e-3 } else { 1e-5 };
        agree(&name, &report(&implicit), &report(&explicit), limit);
    }
}
