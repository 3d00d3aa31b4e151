//! Any consistent set of units will do: the same mechanism written in other units has the same events, values and gradients.

mod support;

use std::collections::BTreeMap;
use std::f64::consts::PI;

use costate::run::{Certified, Changes, Experiment, Method, Verdict};
use costate::scene::schema::FormulationKind::{self, Multipliers, Nullspace};
use support::{G, close, experiment, objective, planar, report};

/// What a metre, a kilogram and a second are written as.
#[derive(Clone, Copy, Debug)]
struct Units {
    metre: f64,
    kilogram: f64,
    second: f64,
}

const SI: Units = Units {
    metre: 1.0,
    kilogram: 1.0,
    second: 1.0,
};

const OTHERS: [Units; 6] = [
    Units { metre: 1e-15, ..SI },
    Units {
        metre: 1e-9,
        kilogram: 1e-15,
        second: 1e-3,
    },
    Units {
        metre: 1e-6,
        kilogram: 1e-9,
        ..SI
    },
    Units {
        metre: 1e3,
        kilogram: 1e-3,
        second: 1e-6,
    },
    Units {
        metre: 1e3,
        kilogram: 1e3,
        second: 1e3,
    },
    Units {
        metre: 1e6,
        second: 1e3,
        ..SI
    },
];

impl Units {
    fn force(self) -> f64 {
        self.kilogram * self.metre / self.second.powi(2)
    }

    /// Two bars with a spring, a damper, a torsion spring, a wall and an end stop.
    fn scene(self) -> String {
        let Self {
            metre,
            kilogram,
            second,
        } = self;
        let force = self.force();
        let energy = force * metre;
        let place = |x: f64, y: f64| format!("[{:e}, {:e}]", x * metre, y * metre);
        planar(
            1.6 * second,
            &format!(
                r#"gravity: [0, {gravity:e}],
            parameters: {{ "L": {metre:e}, "k": {k:e}, "c": {c:e}, "M": {m:e}, "e": 0.8 }},
            ground: {{ "A": [0, 0], "S": {anchor} }},
            points: {{ "P": (guess: {p}, mass: "M"), "Q": (guess: {q}, mass: {light:e}) }},
            bodies: {{
                "upper": Bar(from: "A", to: "P", length: "L", mass: {kilogram:e}, angle: -0.1),
                "lower": Bar(from: "P", to: "Q", length: {short:e}, mass: {half:e}, angle: -0.9),
            }},
            forces: {{
                "spring": Spring(from: "S", to: "P", stiffness: "k", natural_length: {natural:e}),
                "damper": Damper(from: "A", to: "Q", damping: "c"),
                "hinge": TorsionSpring(between: ("upper", "lower"), stiffness: {stiffness:e}),
            }},
            contacts: {{
                "wall": Touch(point: "P", surface: Plane(through: {wall}, normal: [1, 0]), law: Restitution("e")),
                "stop": Limit(of: Angle("lower"), at_most: -0.3, law: Restitution(0.5)),
            }},
            objectives: {{
                "height": Final("Q.y/{metre:e}"), "turn": Final("lower.omega*{second:e}"),
                "energy": Final("energy.total/{energy:e}"), "work": Integral("P.vx^2/{work:e}"),
            }},"#,
                gravity = -G * metre / second.powi(2),
                k = 15.0 * force / metre,
                c = 0.3 * force / metre * second,
                m = 1.5 * kilogram,
                anchor = place(-0.6, -1.3),
                p = place(0.9, -0.1),
                q = place(1.6, -0.4),
                light = 0.7 * kilogram,
                half = 0.5 * kilogram,
                short = 0.6 * metre,
                natural = 0.5 * metre,
                stiffness = 2.0 * energy,
                wall = place(-0.3, 0.0),
                work = metre.powi(2) / second,
            ),
        )
    }

    /// One unit of each parameter.
    fn of_parameter(self, name: &str) -> f64 {
        match name {
            "L" => self.metre,
            "k" => self.force() / self.metre,
            "c" => self.force() / self.metre * self.second,
            "M" => self.kilogram,
            _ => 1.0,
        }
    }
}

/// Event times, objectives and their gradients, each in SI units.
fn figures(units: Units, formulation: FormulationKind, method: Method) -> BTreeMap<String, f64> {
    let changes = Changes {
        formulation: Some(formulation),
        rtol: Some(1e-12),
        ..Changes::default()
    };
    let experiment = experiment(&units.scene(), &changes);
    let report = experiment
        .gradient(method)
        .unwrap_or_else(|error| panic!("{units:?}: {error}"));
    let mut figures = BTreeMap::new();
    for (k, (event, _)) in report.events.iter().enumerate() {
        figures.insert(format!("{k}: {}", event.name), event.t / units.second);
    }
    for objective in &report.objectives {
        figures.insert(objective.name.clone(), objective.value);
        for (parameter, slope) in report.parameters.iter().zip(&objective.gradient) {
            let slope = slope * units.of_parameter(parameter);
            figures.insert(format!("{} by {parameter}", objective.name), slope);
        }
    }
    figures
}

#[test]
fn a_mechanism_in_other_units_has_the_same_events_values_and_gradients() {
    for formulation in [Nullspace, Multipliers] {
        for method in [Method::Adjoint, Method::Forward] {
            let expected = figures(SI, formulation, method);
            assert!(
                expected.keys().filter(|name| name.contains(": ")).count() >= 3,
                "{expected:?}"
            );
            for units in OTHERS {
                let found = figures(units, formulation, method);
                assert!(found.keys().eq(expected.keys()), "{units:?}: {found:?}\n{expected:?}");
                for (name, value) in &expected {
                    let error = (found[name] - value).abs() / value.abs().max(1.0);
                    if error > 3e-10 {
                        eprintln!("ZZ {units:?} {formulation:?} {method:?} {name}: {error:e}");
                    }
                    assert!(error < 1e-9, "{units:?} {formulation:?} {method:?} {name}: {error:e}");
                }
            }
        }
    }
}

#[test]
fn small_bodies_far_apart_keep_their_digits() {
    let scene = |far: &str| {
        let fields = format!(
            r#"gravity: [0, -9.81], ground: {{ "A": [0, 0], "B": [{far}, 0] }},
            bodies: {{
                "a": Rigid(mass: 0.4, inertia: 1e-3, centre: [0.05, 0], at: [0, 0, 0.3], markers: {{ "end": [0.1, 0] }}),
                "b": Rigid(mass: 0.4, inertia: 1e-3, centre: [0.05, 0.01], at: ["0.1*cos(0.3)", "0.1*sin(0.3)", -0.5]),
                "c": Rigid(mass: 0.3, inertia: 2e-3, centre: [0.05, 0], at: [{far}, 0, 0.7]),
            }},
            joints: {{
                "j": Revolute(between: ("A", "a.origin")), "k": Revolute(between: ("a.end", "b.origin")),
                "l": Revolute(between: ("B", "c.origin")),
            }},
            objectives: {{ "a": Final("a.angle"), "b": Final("b.angle"), "c": Final("c.angle") }},"#
        );
        planar(2.0, &fields)
    };
    let values = |far: &str, formulation: FormulationKind| {
        let changes = Changes {
            formulation: Some(formulation),
            rtol: Some(1e-12),
            atol: Some(1e-14),
            ..Changes::default()
        };
        let found = support::report(&experiment(&scene(far), &changes));
        ["a", "b", "c"].map(|name| support::objective(&found, name))
    };
    let expected = values("0.5", Multipliers);
    for far in ["0.5", "1e3", "1e5"] {
        for (found, expected) in values(far, Nullspace).into_iter().zip(expected) {
            assert!((found - expected).abs() < 3e-9, "{far}: {found} {expected}");
        }
    }
}

/// A body on a universal joint at its own origin, which gives no row an arm; lengths are written as so many.
fn held_at_its_origin(metre: f64) -> String {
    let fields = format!(
        r#"constants: {{ "u": {metre:e} }}, gravity: [0, 0, "-9.81*u"], ground: {{ "O": [0, 0, 0] }},
        bodies: {{ "bob": Solid(mass: 0.6, inertia: ["0.003*u^2", "0.004*u^2", "0.005*u^2", 0, 0, 0], guess: [0, 0, 0],
            centre_of_mass: [0, "0.1*u", "-0.2*u"]) }},
        joints: {{ "c": Universal(between: ("O", "bob.origin"), axes: ([1, 0, 0], [0, 1, 0]), angles: (0.1, 0),
            angular_velocities: (3, 0.5)) }},
        objectives: {{ "torque": Final("c.torque/u^2"), "force": Final("c.force/u") }},"#
    );
    support::spatial(0.5, &fields)
}

#[test]
fn a_body_held_at_its_own_origin_has_the_same_digits_and_tolerances_in_all_units() {
    let found = |metre: f64| {
        let changes = Changes {
            rtol: Some(1e-12),
            ..Changes::default()
        };
        let experiment = experiment(&held_at_its_origin(metre), &changes);
        let allowed = experiment.mechanism.allowed_objectives().to_vec();
        let report = support::report(&experiment);
        let values = ["torque", "force"].map(|name| support::objective(&report, name));
        (values, allowed, report.statistics.accepted)
    };
    let (expected, allowed, steps) = found(1.0);
    for metre in [1e-8, 1e-6, 1e-3, 1e3, 1e6] {
        let (values, own, taken) = found(metre);
        for (value, expected) in values.into_iter().zip(expected) {
            assert!((value / expected - 1.0).abs() < 1e-10, "{metre}: {value} {expected}");
        }
        for (own, allowed) in own.into_iter().zip(&allowed) {
            assert!((0.2..5.0).contains(&(own / allowed)), "{metre}: {own} {allowed}");
        }
        assert!(taken.abs_diff(steps) <= 2, "{metre}: {taken} steps, {steps}");
    }
}

/// Two bars without mass, of which only the first is given an angular velocity.
fn swinging(units: Units) -> String {
    let Units { metre, second, .. } = units;
    planar(
        1e-3 * second,
        &format!(
            r#"parameters: {{ "w": {w:e}, "l": {l:e} }}, ground: {{ "A": [0, 0] }},
            points: {{ "P": (guess: [{metre:e}, 0], mass: {m:e}), "Q": (guess: [{far:e}, 0], mass: {m:e}) }},
            bodies: {{
                "a": Bar(from: "A", to: "P", length: "l", mass: 0, angle: 0.1, angular_velocity: "w"),
                "b": Bar(from: "P", to: "Q", length: {metre:e}, mass: 0, angle: 0.7),
            }},
            objectives: {{ "turning": At(time: 0, of: "b.omega*{second:e}"), "speed": At(time: 0, of: "Q.vy/{speed:e}") }},"#,
            w = 0.3 / second,
            l = 1.1 * metre,
            m = units.kilogram,
            far = 2.0 * metre,
            speed = metre / second,
        ),
    )
}

/// The angular velocity of a bar, which has no weight in the assembly, is decided by the speeds of points in every unit of length.
#[test]
fn speeds_that_nothing_holds_are_the_same_in_all_units() {
    let found = |units: Units| {
        let report = experiment(&swinging(units), &Changes::default()).gradient(Method::Adjoint);
        let report = report.unwrap_or_else(|error| panic!("{units:?}: {error}"));
        let each = report.objectives.into_iter();
        each.map(|found| {
            [
                found.value,
                found.gradient[0] / units.second,
                found.gradient[1] * units.metre,
            ]
        })
        .collect::<Vec<_>>()
    };
    let expected = found(SI);
    // |v_Q| is the least where Q does not move across the second bar: omega_b = -1.1 w cos(0.6).
    assert!(
        (expected[0][0] + 0.3 * 1.1 * 0.6_f64.cos()).abs() < 1e-9,
        "{expected:?}"
    );
    for units in OTHERS {
        for (found, expected) in found(units).iter().flatten().zip(expected.iter().flatten()) {
            assert!(
                (found - expected).abs() < 1e-9,
                "{units:?}: {found} instead of {expected}"
            );
        }
    }
}

/// What the certificate holds derivatives to, in SI units, with the steps of the gradient by the forward method.
fn certified(units: Units) -> (Vec<(String, Verdict, f64)>, usize) {
    // An objective in the unit of length, and one that nothing moves.
    let text = units.scene().replace(
        "objectives: {",
        r#"objectives: { "low": Final("Q.y"), "still": Final("S.x"),"#,
    );
    let changes = Changes {
        rtol: Some(1e-10),
        ..Changes::default()
    };
    let experiment = experiment(&text, &changes);
    let (_, certificate) = experiment.certify(Method::Adjoint, &|_| {}).expect("a certificate");
    let entries = certificate.entries.iter().map(|entry| {
        let of_quantity = match &entry.quantity {
            Certified::Objective(name) if ["low", "still"].contains(&name.as_str()) => units.metre,
            Certified::Objective(_) => 1.0,
            Certified::EventTime(..) => units.second,
        };
        let unit = of_quantity / units.of_parameter(&entry.parameter);
        let name = format!("{:?} by {}", entry.quantity, entry.parameter);
        (name, entry.verdict, entry.tolerance / unit)
    });
    let forward = experiment.gradient(Method::Forward).expect("a gradient").forward;
    (entries.collect(), forward.accepted as usize)
}

#[test]
fn the_certificate_judges_alike_in_all_units_after_as_many_steps() {
    let (expected, steps) = certified(SI);
    assert!(
        expected.iter().all(|(_, verdict, _)| *verdict == Verdict::Passed),
        "{expected:?}"
    );
    for units in OTHERS {
        let (found, taken) = certified(units);
        for ((name, verdict, tolerance), (_, of_si, allowed)) in found.iter().zip(&expected) {
            // Rounding of the differences is what varies: at a million metres a radian loses three digits.
            let ratio = tolerance / allowed;
            assert!(
                verdict == of_si && (1e-3..1e3).contains(&ratio),
                "{units:?}: {name} {verdict}, {tolerance:e} to {allowed:e}"
            );
        }
        assert!(
            taken.abs_diff(steps) <= steps / 3,
            "{units:?}: {taken} steps, and {steps}"
        );
    }
}

#[test]
fn a_distance_from_the_origin_that_eats_the_digits_is_remarked() {
    let pendulum = |offset: f64| {
        planar(
            0.5,
            &format!(
                r#"gravity: [0, -{G}], ground: {{ "A": [{offset:e}, 0] }}, points: {{ "P": (guess: [{:e}, 0], mass: 1) }},
                bodies: {{ "rod": Bar(from: "A", to: "P", length: 1, mass: 1) }},"#,
                offset + 1.0
            ),
        )
    };
    let remarks = |offset: f64| support::report(&experiment(&pendulum(offset), &Changes::default())).remarks;
    assert_eq!(remarks(1e5), [] as [String; 0]);
    assert!(
        remarks(1e8).iter().any(|remark| remark.contains("origin")),
        "{:?}",
        remarks(1e8)
    );
}

/// An arm on a cross at a place, of which one axis begins to slip at 0.3 s.
fn cross(place: &str, guess: &str) -> Experiment {
    let text = format!(
        r#"Scene(name: "cross", space: Spatial, ground: {{ "O": {place} }}, parameters: {{ "b": 0.3 }},
        bodies: {{ "arm": Solid(mass: 1, inertia: [0.02, 0.02, 0.015, 0, 0, 0], guess: {guess}) }},
        joints: {{ "cross": Universal(between: ("O", "arm.origin"), axes: ([-1, 0, 0], [0, 1, 0]), angles: (0, 0), angular_velocities: (0, 0),
            friction: (Preload(kinetic: "b"), Preload(kinetic: "2*b"))) }},
        forces: {{ "pull": Torque(on: "arm", torque: ["t", "t", 0]) }}, simulation: (duration: 0.5))"#
    );
    let changes = Changes {
        formulation: Some(FormulationKind::Penalty),
        ..Changes::default()
    };
    experiment(&text, &changes)
}

#[test]
fn sizes_depend_neither_on_the_distance_from_the_origin_nor_on_far_guesses() {
    let near = cross("[0, 0, 0]", "[0, 0, 0]");
    for (place, guess) in [
        ("[0, 1e4, 0]", "[0, 1e4, 0]"),
        ("[0, 1e4, 0]", "[0, 0, 0]"),
        ("[0, 0, 0]", "[50, 0, 0]"),
    ] {
        let far = cross(place, guess);
        close(
            "size",
            far.mechanism.sizes().length,
            near.mechanism.sizes().length,
            1e-9,
        );
        let slips = report(&far)
            .events
            .iter()
            .find(|event| event.kind == "slip")
            .map(|event| event.t);
        close("slip", slips.expect("it slips"), 0.3, 1e-6);
    }
}

#[test]
fn places_that_rounding_or_squares_make_nothing_of_are_refused() {
    for (place, words) in [
        ("1e20", "rounded to"),
        ("1e300", "is 1.0e300 large"),
        ("-1e200", "large"),
    ] {
        let fields = format!(
            r#"gravity: [0, -9.81], ground: {{ "O": [{place}, 0] }}, points: {{ "P": (at: [{place}, -1], velocity: [1, 0], mass: 1) }},
            bodies: {{ "rod": Bar(from: "O", to: "P", length: 1) }},"#
        );
        let error = experiment(&planar(1.0, &fields), &Changes::default())
            .run(false, &mut |_| {})
            .unwrap_err();
        assert!(error.message().contains(words), "{place}: {error}");
        assert!(error.advice().is_some());
    }
}

#[test]
fn a_written_tolerance_is_taken_as_it_is() {
    let steps = |units: Units, atol: Option<f64>| {
        let changes = Changes {
            rtol: Some(1e-6),
            atol,
            ..Changes::default()
        };
        support::report(&experiment(&units.scene(), &changes))
            .statistics
            .accepted
    };
    let small = OTHERS[2];
    // Over the sizes of the mechanism both take the same steps; a micrometre is nothing beside a metre.
    assert!(steps(small, None).abs_diff(steps(SI, None)) <= 2);
    assert!(steps(small, Some(1e-3)) < steps(small, Some(1e-15)));
}

/// A ball that an event sets down on a floor, each at a share of a metre of its own, beside an element that remembers where it is.
fn set_down(metre: f64, second: &str, moved: Option<f64>) -> String {
    let [pawl, set] = moved.map_or([String::new(), String::new()], |moved| {
        [
            format!(
                r#""pawl": Ratchet(of: Coordinate("Q.x"), moves: Up, pitch: {:e}),"#,
                0.1 * metre
            ),
            format!(r#"Reset("Q.x", "Q.x + {:e}"),"#, moved * metre),
        ]
    });
    planar(
        1.0,
        &format!(
            r#"gravity: [0, {gravity:e}], parameters: {{ "f": 0.5, "g": 0.5 }},
            points: {{ "P": (at: [0, {metre:e}], mass: 1), "Q": (at: [{metre:e}, 0], velocity: [0, 0], mass: 1) }},
            joints: {{ "rail": PointOnLine(point: "Q", line: Fixed(through: [0, 0], direction: [1, 0])) }},
            contacts: {{
                "floor": Touch(point: "P", surface: Plane(through: [0, "f*{metre:e}"], normal: [0, 1]), law: Restitution(0)),
                {pawl}
            }},
            events: {{ "set": (when: At(0.1), then: [Reset("P.y", "{second}*{metre:e}"), {set}]) }},
            objectives: {{ "y": Final("P.y/{metre:e}") }},"#,
            gravity = -G * metre,
        ),
    )
}

#[test]
fn what_positions_may_be_set_to_does_not_depend_on_the_units() {
    for metre in [1.0, 1e-12, 1e-6, 1e3, 1e9] {
        let gradient = |text: &str| experiment(text, &Changes::default()).gradient(Method::Adjoint);
        let report = gradient(&set_down(metre, "f", None)).unwrap_or_else(|error| panic!("{metre:e}: {error}"));
        assert!(
            (report.objectives[0].gradient[0] - 1.0).abs() < 1e-8,
            "{metre:e}: {report:?}"
        );
        let refused = gradient(&set_down(metre, "g", None)).map(|report| report.objectives[0].gradient.clone());
        let refused = refused.expect_err(&format!("{metre:e}"));
        assert!(
            refused.message().contains("\"floor\" touches after positions are set"),
            "{refused}"
        );
        // What is remembered may be off by rounding, and no more.
        let runs =
            |moved: f64| experiment(&set_down(metre, "f", Some(moved)), &Changes::default()).run(false, &mut |_| {});
        runs(1e-8).unwrap_or_else(|error| panic!("{metre:e}: {error}"));
        let refused = runs(1e-3).expect_err("it remembers");
        assert!(refused.message().contains("\"pawl\" remembers"), "{refused}");
    }
}

/// A ball that falls for one second and bounces, with these objectives.
fn fallen(metre: f64, objectives: &str) -> String {
    planar(
        1.5,
        &format!(
            r#"gravity: [0, {gravity:e}], parameters: {{ "u": {metre:e}, "w": 4000 }},
            points: {{ "P": (at: [0, "u"], velocity: [{speed:e}, 0], mass: 1) }},
            contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)) }},
            objectives: {{ {objectives} }},"#,
            gravity = -2.0 * metre,
            speed = 0.1 * metre,
        ),
    )
}

#[test]
fn extreme_values_are_searched_for_to_the_same_digits() {
    // Some hundred turns within a step.
    let objectives = r#""top": Max("P.y*sin(w*t)"), "low": Min("P.x + 0.2*u*cos(w*t)")"#;
    let found = |metre: f64| {
        let report = experiment(&fallen(metre, objectives), &Changes::default()).gradient(Method::Adjoint);
        let report = report.unwrap_or_else(|error| panic!("{metre:e}: {error}"));
        let rows = report.objectives.iter();
        let rows: Vec<[f64; 2]> = rows.map(|row| [row.value / metre, row.gradient[0]]).collect();
        rows
    };
    let want = found(1.0);
    for metre in [1e-12, 1e-6, 1e9] {
        for (got, want) in found(metre).iter().zip(&want) {
            for (got, want) in got.iter().zip(want) {
                assert!((got - want).abs() < 1e-9, "{metre:e}: {got} instead of {want}");
            }
        }
    }
}

#[test]
fn formulas_have_kinks_and_values_have_jumps_at_the_same_places() {
    let formula =
        |factor: f64| format!(r#""far": Formula("max(x, {factor}*end)"), "x": Final("P.x"), "end": Final("0.15*u")"#);
    for metre in [1.0, 1e-15, 1e-12, 1e-6, 1e3, 1e9] {
        let gradient =
            |objectives: &str| experiment(&fallen(metre, objectives), &Changes::default()).gradient(Method::Adjoint);
        let smooth = gradient(&formula(1.001)).unwrap_or_else(|error| panic!("{metre:e}: {error}"));
        assert!(
            (smooth.objectives[0].gradient[0] - 0.15015).abs() < 1e-9,
            "{metre:e}: {smooth:?}"
        );
        for (objectives, reason) in [
            (formula(1.0).as_str(), "has a kink at the values of its objectives"),
            (r#""speed": At(time: 1, of: "P.vy")"#, "jumps from"),
            (
                r#""height": At(time: 1, of: "P.y")"#,
                "has a kink at the very time of `At`",
            ),
        ] {
            let refused = gradient(objectives).map(|report| report.objectives[0].gradient.clone());
            let refused = refused.expect_err(&format!("{metre:e} {reason}"));
            assert!(refused.message().contains(reason), "{metre:e}: {refused}");
        }
    }
}

/// A clipped force on a point, memory whose rate is clipped, and an event by memory, all measured by a size of their own.
fn clipped(size: f64) -> String {
    planar(
        3.0,
        &format!(
            r#"constants: {{ "S": {size:e} }}, parameters: {{ "lim": 0.5, "w": 2 }},
            points: {{ "P": (at: [0, 0], velocity: [0.1, 0], mass: "S") }},
            memory: {{ "q": (start: 0, rate: "min(S*lim, S*sin(w*t))"), "low": (start: 0) }},
            forces: {{ "drive": Load(at: "P", force: ["max(-S*lim, min(S*lim, S*sin(w*t)))", 0]) }},
            events: {{ "fall": (when: Falling("q - 0.2*S"), then: [Set("low", "t")]) }},
            objectives: {{ "x": Final("P.x"), "q": Final("q/S"), "low": Final("low") }},"#
        ),
    )
}

#[test]
fn kinks_and_events_of_any_size_are_found_where_they_are() {
    let found = |size: f64| {
        let experiment = experiment(&clipped(size), &Changes::default());
        let report = experiment.gradient(Method::Adjoint);
        report.unwrap_or_else(|error| panic!("{size:e}: {error}"))
    };
    let want = found(1.0);
    // Clipped from pi/12 to 5 pi/12: 1 - cos(pi/6) + pi/3, over 2, and the rest of the cosine.
    let clipped = 0.5 * (1.0 - (PI / 6.0).cos()) + PI / 6.0 + 0.5 * ((5.0 * PI / 6.0).cos() - 6.0_f64.cos());
    close("q", want.objectives[1].value, clipped, 1e-9);
    for size in [1e-30, 1e-20, 1e-14, 1e-9, 1e9] {
        let report = found(size);
        assert_eq!(report.events.len(), want.events.len(), "{size:e}");
        for (got, want) in report.objectives.iter().zip(&want.objectives) {
            let name = format!("{} at {size:e}", got.name);
            close(&name, got.value, want.value, 1e-9);
            for (got, want) in got.gradient.iter().zip(&want.gradient) {
                close(&name, *got, *want, 1e-8);
            }
        }
    }
}

#[test]
fn a_force_that_the_motion_feeds_back_does_not_make_the_mechanism_large() {
    // x'' = -c x' - k x from rest, without any place but its own: the tolerance took it for a free fall of 4.5e5 m.
    let text = planar(
        3.0,
        r#"points: { "P": (at: [1, 0], mass: 1) },
        forces: { "f": Load(at: "P", force: ["-1000*P.vx - 1e5*P.x", 0]) },
        objectives: { "v": At(time: 0.05, of: "P.vx"), "x": At(time: 0.05, of: "P.x") },"#,
    );
    let root = (500.0_f64 * 500.0 - 1e5).sqrt();
    let (a, b) = (-500.0 + root, -500.0 - root);
    let mode = |rate: f64| (rate * 0.05).exp();
    let (x, v) = (
        (b * mode(a) - a * mode(b)) / (b - a),
        a * b * (mode(a) - mode(b)) / (b - a),
    );
    let report = report(&experiment(&text, &Changes::default()));
    close("v", objective(&report, "v"), v, 1e-8);
    close("x", objective(&report, "x"), x, 1e-8);
}

/// A body on a screw, or on a rack, with a length for the unit: rows that mix lengths with angles must leave the inertia its digits by
/// blocks too.
fn threaded(length: f64, by: &str, joints: &str) -> String {
    format!(
        r#"Scene(name: "threaded", space: Spatial, gravity: [0, 0, {}],
        constants: {{ "L": {length} }},
        ground: {{ "A": [0, 0, 0] }},
        bodies: {{ "p": Solid(mass: 1, inertia: ["0.02*L^2", "0.02*L^2", "0.03*L^2", 0, 0, 0], centre_of_mass: ["0.05*L", 0, 0], guess: [0, 0, 0]),
                   "r": Solid(mass: 0.5, inertia: ["0.01*L^2", "0.02*L^2", "0.02*L^2", 0, 0, 0], guess: ["L", 0, 0]) }},
        joints: {{ {joints} }},
        objectives: {{ "a": Final("h.angle"), "w": Final("h.omega") }},
        simulation: (duration: 2, rtol: 1e-10, by: {by}))"#,
        -9.81 * length
    )
}

#[test]
fn rows_of_lengths_and_angles_keep_their_digits_by_blocks() {
    let screws = r#""h": Screw(between: ("A", "p.origin"), axis: [0, 1, 1], lead: "0.4*L", angle: 0.2, angular_velocity: 1),
        "k": Prismatic(between: ("p.origin", "r.origin"), direction: [1, 0, 0], position: "L", velocity: 0)"#;
    let coupled = r#""h": Revolute(between: ("A", "p.origin"), axis: [0, 1, 1], angle: 0.2, angular_velocity: 1),
        "k": Prismatic(between: ("A", "r.origin"), direction: [0, 0, 1], position: 0),
        "c": Coupling(terms: [("h.angle", "0.3*L"), ("k.position", 1)], equals: "0.06*L")"#;
    for joints in [screws, coupled] {
        let run = |length: f64, by: &str| {
            let report = report(&experiment(&threaded(length, by, joints), &Changes::default()));
            let values = ["a", "w"].map(|name| objective(&report, name));
            (values, report.statistics.accepted)
        };
        let (want, steps) = run(1.0, "Qr");
        for length in [1.0, 1e-3, 1e-5, 1e3] {
            let (found, taken) = run(length, "Blocks");
            for (got, want) in found.iter().zip(want) {
                assert!(
                    (got - want).abs() < 1e-8 * want.abs(),
                    "{length}: {got} instead of {want}"
                );
            }
            assert!(taken <= steps + 2, "{length}: {taken} steps instead of {steps}");
        }
    }
}

/// A wheel that a gear couples with an arm, both on pins at their origins but for what rounding leaves.
#[test]
fn pins_off_the_origin_by_rounding_are_at_it() {
    let last = |e: &str| {
        let fields = format!(
            r#"gravity: [0, -9.81], ground: {{ "O": [0.3, 0.2], "C": [1, 0] }},
            bodies: {{
                "a": Rigid(mass: 2, inertia: 0.1, at: [0.3, 0.2, 0.3], velocity: [0, 0, 1], markers: {{ "pin": ["{e}", 0], "rail": [0.2, 0.1] }}),
                "b": Rigid(mass: 1, inertia: 0.03, guess: [0.9, 0.3, 0.1], markers: {{ "slide": ["{e}", "{e}"] }}),
                "w": Rigid(mass: 1, inertia: 0.02, guess: [1, 0, 0.1], markers: {{ "pin": ["{e}", "-{e}"] }}),
            }},
            joints: {{
                "hinge": Revolute(between: ("O", "a.pin")), "axle": Revolute(between: ("C", "w.pin")),
                "slide": Prismatic(between: ("a.rail", "b.slide"), direction: [1, 0.2]), "gear": Gear(between: ("a", "w"), ratio: -1.5),
            }},
            objectives: {{ "x": Final("b.x"), "angle": Final("w.angle"), "push": Integral("hinge.fx") }},"#
        );
        // Runs that went wrong took steps without end.
        let scene = planar(0.7, &fields).replace("duration:", "max_steps: 1000, duration:");
        let found = report(&experiment(&scene, &Changes::default()));
        ["x", "angle", "push"].map(|name| objective(&found, name))
    };
    let exact = last("0");
    for e in ["1e-17", "1e-15"] {
        for (got, want) in last(e).into_iter().zip(exact) {
            close(e, got, want, 1e-10);
        }
    }
}
