//! Memory that follows a rate: closed forms, reactions that are filtered, events that set it, derivatives, refusals.

use costate::integrate;
use costate::run::{Changes, Method};
use costate::scene::schema::FormulationKind::{Index3, Multipliers, Nullspace, Penalty, Stabilized};

use crate::support::{
    certified, check_hessian, close, experiment, failure, happenings, objective, planar, report, tight, tolerances,
    under,
};
use crate::{apart, gradient, slope};

/// A mass that a force pushes which follows what is asked for with a lag.
const LAG: &str = r#"
    parameters: { "u": 3.0, "lag": 0.4, "m": 2.0, "f0": -0.5 },
    points: { "P": (at: [0, 0], mass: "m") },
    memory: { "force": (start: "f0", rate: "(u - force)/lag") },
    forces: { "push": Load(at: "P", force: ["force", 0]) },
    objectives: { "x": Final("P.x"), "v": Final("P.vx"), "f": Final("force"), "J": Integral("force") },"#;

/// Force, impulse and its integral over time after 1.5 s.
fn lagged([u, lag, m, f0]: [f64; 4]) -> [f64; 4] {
    let (t, decay) = (1.5, (-1.5 / lag).exp());
    let impulse = u * t + (f0 - u) * lag * (1.0 - decay);
    let place = u * t * t / 2.0 + (f0 - u) * lag * (t - lag * (1.0 - decay));
    [place / m, impulse / m, u + (f0 - u) * decay, impulse]
}

#[test]
fn a_force_that_lags_behind_follows_its_closed_form() {
    let at = [3.0, 0.4, 2.0, -0.5];
    for formulation in [Nullspace, Multipliers, Penalty, Stabilized, Index3] {
        for method in [integrate::Method::DormandPrince, integrate::Method::Radau] {
            let mut experiment = experiment(&planar(1.5, LAG), &under(formulation));
            experiment.options.method = method;
            let found = report(&experiment);
            for (name, want) in ["x", "v", "f", "J"].into_iter().zip(lagged(at)) {
                close(
                    &format!("{formulation:?} {method:?} {name}"),
                    objective(&found, name),
                    want,
                    1e-10,
                );
            }
            for method in [Method::Adjoint, Method::Forward] {
                let found = gradient(&experiment, method);
                for (row, name) in ["x", "v", "f", "J"].into_iter().enumerate() {
                    for (k, by) in ["u", "lag", "m", "f0"].into_iter().enumerate() {
                        let h = 1e-3;
                        let moved = |s: f64| {
                            let mut values = at;
                            values[k] += s * h;
                            lagged(values)[row]
                        };
                        let pair = |s: f64| moved(s) - moved(-s);
                        let want = (45.0 * pair(1.0) - 9.0 * pair(2.0) + pair(3.0)) / (60.0 * h);
                        close(
                            &format!("{formulation:?} {name} by {by}"),
                            slope(&found, name, by),
                            want,
                            1e-9,
                        );
                    }
                }
            }
        }
    }
}

/// An arm with a controller whose integral has a limit and is set back by an event, driven by a motor with a lag, over a floor
/// whose force is filtered.
const ARM: &str = r#"
    parameters: { "kp": 60.0, "ki": 40.0, "kd": 5.0, "target": 0.3, "lag": 0.06, "m": 1.2, "e": 0.5, "most": 0.4, "T": 0.2 },
    gravity: [0, -9.81],
    ground: { "O": [0, 0] },
    points: { "P": (guess: [0.9, -0.5], mass: "m"), "Q": (at: [1.5, 0.4], mass: 0.5, velocity: [-0.4, 0]) },
    bodies: { "arm": Bar(from: "O", to: "P", length: 1, mass: 0.4, angle: -0.5, angular_velocity: 0.0) },
    contacts: {
        "stop": Touch(point: "P", surface: Plane(through: [0, 0.25], normal: [0, -1]), law: Restitution("e")),
        "floor": Touch(point: "Q", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0)),
    },
    memory: {
        "sum": (start: 0.0, rate: "max(-most, min(most, target - arm.angle))"),
        "torque": (start: "10*m", rate: "(kp*(target - arm.angle) + ki*sum - kd*arm.omega - torque)/lag"),
        "seen": (start: 0.0, rate: "(arm.force - seen)/T"),
        "count": 0,
    },
    forces: {
        "motor": Torque(on: "arm", torque: "torque"),
        "wind": Load(at: "Q", force: ["-0.3*seen*count - sum", 0]),
        "tie": Spring(from: "P", to: "Q", stiffness: "5 + torque^2/50", natural_length: 0.8),
    },
    events: {
        "struck": (when: Rising("P.y - 0.1"), then: [Set("sum", "sum/2"), Set("count", "count + 1")]),
        "full": (when: Rising("sum - 0.02"), then: [Set("count", "count + 0.5 + sum")]),
    },
    objectives: {
        "angle": Final("arm.angle"), "place": Final("Q.x"), "sum": Final("sum"), "most torque": Max("torque"),
        "effort": Integral("torque^2/100"), "seen": Final("seen"), "landing": AtEvents(event: "floor", of: "seen"),
    },"#;

#[test]
fn it_goes_through_impacts_events_kinks_and_reactions() {
    let scene = planar(1.0, ARM);
    let found = report(&experiment(&scene, &tight()));
    for (name, kind) in [
        ("stop", "impact"),
        ("floor", "rest"),
        ("full", "switch"),
        ("sum", "kink"),
    ] {
        let happened = happenings(&found).contains(&(name, kind));
        assert!(happened, "no {kind} of {name}: {:?}", happenings(&found));
    }
    let exact = certified(&scene, Nullspace);
    for formulation in [Multipliers, Penalty, Stabilized, Index3] {
        let allowed = if formulation == Penalty { 1e-4 } else { 1e-7 };
        let difference = apart(&certified(&scene, formulation), &exact);
        assert!(difference < allowed, "{formulation:?}: {difference:e}");
    }
    let mut implicit = experiment(&scene, &tight());
    implicit.options.method = integrate::Method::Radau;
    let backwards = gradient(&implicit, Method::Adjoint);
    assert!(apart(&backwards, &exact) < 1e-6);
}

#[test]
fn second_derivatives_are_quotients_of_the_gradients() {
    let without_peak = ARM.replace(r#""most torque": Max("torque"),"#, "");
    check_hessian(
        &experiment(&planar(1.0, &without_peak), &tolerances(1e-12, 1e-14)),
        1e-5,
    );
}

/// In units of a million its tolerance is that of its own size.
#[test]
fn its_tolerance_is_over_its_size() {
    let scaled = LAG
        .replace(
            r#"start: "f0", rate: "(u - force)/lag""#,
            r#"start: "1e6*f0", rate: "(1e6*u - force)/lag""#,
        )
        .replace(r#"["force", 0]"#, r#"["1e-6*force", 0]"#);
    let [plain, scaled] = [LAG, &scaled].map(|fields| report(&experiment(&planar(1.5, fields), &Changes::default())));
    close("x", objective(&scaled, "x"), objective(&plain, "x"), 1e-9);
    let steps = [&plain, &scaled].map(|report| report.statistics.accepted);
    assert!(steps[1] <= steps[0] + 3, "{steps:?}");
}

#[test]
fn what_cannot_follow_it_says_so() {
    let refused = |from: &str, to: &str, words: &str| {
        let text = planar(1.0, &ARM.replace(from, to));
        assert_ne!(text, planar(1.0, ARM));
        let error = failure(&text);
        let all = format!("{error} {}", error.advice().unwrap_or_default());
        assert!(all.contains(words), "{all}");
    };
    let driver = r#"joints: { "drive": DriveAngle(body: "arm", angle: "sum") }, forces: {"#;
    refused("forces: {", driver, "reads memory that has a rate");
    let floor = r#"law: Friction(coefficient: 0.2, surface_speed: "sum")"#;
    refused("law: Restitution(0)", floor, "the speed of the surface reads memory");
    refused(
        r#"rate: "(arm.force - seen)/T""#,
        r#"rate: "1/(T - 0.2)""#,
        "must be finite",
    );
    refused(r#"rate: "(arm.force - seen)/T""#, r#"rate: "nothing""#, "`nothing`");
    // A relay on memory slides along it, which is named.
    let relay = r#"
        points: { "P": (at: [0, 0], mass: 1, velocity: [1, 0]) },
        memory: { "level": (start: 0.5, rate: "-sign(level)*2 + 0*P.x") },"#;
    let error = experiment(&planar(1.0, relay), &tight())
        .run(false, &mut |_| {})
        .map(|_| ())
        .unwrap_err();
    assert!(error.to_string().contains("memory that has a rate"), "{error}");
}
