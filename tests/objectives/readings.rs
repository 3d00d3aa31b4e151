//! Values at given times, which may follow parameters.

use costate::run::Method;

use super::{ball, certified, refused, without_gradient};
use crate::support::*;

/// A ball that falls from h, strikes the ground at sqrt(2 h/g) and rises.
fn falling(objectives: &str) -> String {
    planar(
        0.9,
        &format!(
            r#"gravity: [0, "-g"],
        parameters: {{ "h": 1.2, "e": 0.5, "g": 9.81, "T": 0.3 }},
        points: {{ "P": (at: [0, "h"], velocity: [1, 0], mass: 2) }},
        contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) }},
        objectives: {{ {objectives} }},"#
        ),
    )
}

#[test]
fn a_value_at_a_time_that_follows_parameters_has_the_derivative_of_its_closed_form() {
    let text = falling(r#""before": At(time: "T", of: "P.y"), "after": At(time: "2*T + 0.02", of: "P.vy + t"),"#);
    let (h, e, g, t) = (1.2, 0.5, 9.81_f64, 0.3);
    let fall = (2.0 * h / g).sqrt();
    let late = 2.0 * t + 0.02;
    let rows = [
        ("before", h - 0.5 * g * t * t, [1.0, 0.0, -0.5 * t * t, -g * t]),
        (
            "after",
            e * g * fall - g * (late - fall) + late,
            [
                (1.0 + e) * g / (g * fall),
                g * fall,
                e * fall - (late - fall) - 0.5 * (1.0 + e) * fall,
                2.0 * (1.0 - g),
            ],
        ),
    ];
    let scene = experiment(&text, &tight());
    for method in [Method::Adjoint, Method::Forward] {
        let report = scene.gradient(method).expect("a gradient");
        for (found, (name, value, slopes)) in report.objectives.iter().zip(&rows) {
            close(name, found.value, *value, 1e-11);
            all_close(name, &found.gradient, slopes, 1e-10);
        }
    }
    certified(&text);
}

#[test]
fn values_at_start_and_end_and_at_one_time_are_certified() {
    certified(&ball(
        r#""begin": At(time: 0, of: "P.y"), "end": At(time: 1.1, of: "P.y"), "one": At(time: 0.7, of: "P.vy"),
           "same": At(time: "T", of: "P.vy"), "accelerated": At(time: "T", of: "P.ay*P.x"),"#,
    ));
}

/// With second derivatives by the time, at an instant at which a value at a constant time is due as well.
#[test]
fn second_derivatives_know_the_time() {
    let text = falling(r#""moving": At(time: "T", of: "P.y^2"), "fixed": At(time: 0.3, of: "P.y^2"),"#);
    let hessian = experiment(&text, &tight())
        .hessian(&|_| {})
        .expect("second derivatives");
    let (h, g, t) = (1.2, 9.81_f64, 0.3);
    let (y, v) = (h - 0.5 * g * t * t, -g * t);
    close("by time", hessian.objectives[0].rows[3][3], 2.0 * (v * v - g * y), 1e-8);
    close("by time and height", hessian.objectives[0].rows[3][0], 2.0 * v, 1e-8);
    close("fixed", hessian.objectives[1].rows[3][3], 0.0, 1e-10);
    close("by height", hessian.objectives[1].rows[0][0], 2.0, 1e-8);
}

#[test]
fn times_outside_the_motion_are_refused_by_name() {
    for time in ["0.91", "-0.01", "\"3*T + 0.001\""] {
        let error = refused(&falling(&format!(r#""late": At(time: {time}, of: "P.y"),"#)));
        assert_eq!(error.name(), Some("late"), "{error}");
        assert!(
            error.message().contains("outside the simulated 0 s to 0.9 s"),
            "{error}"
        );
        assert!(error.place().is_some() && error.advice().is_some());
    }
    // The end itself, within rounding.
    report(&experiment(&falling(r#""end": At(time: "3*T", of: "P.y"),"#), &tight()));
}

#[test]
fn a_value_that_jumps_at_the_very_time_of_an_event_is_refused() {
    for method in ["\"sqrt(2*h/g)\"", "\"sqrt(2*h/g) + 1e-13\"", "\"sqrt(2*h/g) - 1e-13\""] {
        let error = failure(&falling(&format!(r#""speed": At(time: {method}, of: "P.vy"),"#)));
        assert_eq!(error.name(), Some("speed"), "{error}");
        assert!(
            error.message().contains("jumps") && error.message().contains("floor"),
            "{error}"
        );
        assert!(error.time().is_some());
    }
}

/// The height is continuous at an impact. Its derivative at a constant time is not; at a time that moves with the impact it is.
#[test]
fn a_value_with_a_kink_at_the_very_time_of_an_event_has_a_derivative_where_its_time_moves_with_the_event() {
    let fall = (2.0 * 1.2 / 9.81_f64).sqrt();
    without_gradient(
        &falling(&format!(r#""y": At(time: {fall:?}, of: "P.y"),"#)),
        "y",
        "kink",
    );
    let scene = experiment(&falling(r#""y": At(time: "sqrt(2*h/g)", of: "P.y + P.x"),"#), &tight());
    for method in [Method::Adjoint, Method::Forward] {
        let report = scene.gradient(method).expect("a gradient");
        let wanted = [fall / (2.0 * 1.2), 0.0, -fall / (2.0 * 9.81), 0.0];
        all_close("gradient", &report.objectives[0].gradient, &wanted, 1e-10);
    }
}
