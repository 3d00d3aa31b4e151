//! What motions and gradients promise through singular positions, where the constraints lose their independence for an
//! instant: the branch, the energy and the derivatives are kept at any tolerance.

#[path = "singular_positions/events_beside.rs"]
mod events_beside;
#[path = "singular_positions/lost.rs"]
mod lost;
#[path = "singular_positions/starts.rs"]
mod starts;
#[path = "singular_positions/starts_in_space.rs"]
mod starts_in_space;
#[path = "singular_positions/starts_limits.rs"]
mod starts_limits;
mod support;

use costate::run::{Changes, GradientReport, Method};
use costate::scene::schema::FormulationKind::{self, Index3, Multipliers, Nullspace, Stabilized};
use support::{G, experiment, output, report};

fn under(formulation: FormulationKind, rtol: f64) -> Changes {
    Changes {
        formulation: Some(formulation),
        rtol: Some(rtol),
        atol: Some(1e-2 * rtol),
        ..Changes::default()
    }
}

const ARM: f64 = 1.0;
const BASE: f64 = 2.0;
const SPEED: f64 = 6.0;

/// Two arms on the ground, joined crosswise by a coupler as long as the distance of their pivots; all rods of 1 kg. Seen
/// from the in-line positions, the other branch is a parallelogram.
fn crossed_linkage(duration: f64) -> String {
    support::planar(
        duration,
        &format!(
            r#"parameters: {{ "a": {ARM}, "b": {BASE}, "v0": {SPEED} }},
            gravity: [0, -{G}],
            ground: {{ "A": [0, 0], "D": ["b", 0] }},
            points: {{ "B": (at: [0, "a"], velocity: ["v0", 0]), "C": (guess: [1.2, -0.9]) }},
            bodies: {{
                "arm 1": Bar(from: "A", to: "B", length: "a", mass: 1),
                "arm 2": Bar(from: "D", to: "C", length: "a", mass: 1),
                "coupler": Bar(from: "B", to: "C", length: "b", mass: 1),
            }},
            outputs: {{ "x": "B.x", "y": "B.y" }},
            objectives: {{ "x": Final("x"), "energy": Final("energy.total") }},"#
        ),
    )
}

/// Ends B and C of the arms: A and C mirror each other in the perpendicular bisector of B and D.
fn ends(angle: f64) -> [[f64; 2]; 2] {
    let b = [ARM * angle.sin(), ARM * angle.cos()];
    let (along, middle) = ([BASE - b[0], -b[1]], [0.5 * (BASE + b[0]), 0.5 * b[1]]);
    let share = 2.0 * (middle[0] * along[0] + middle[1] * along[1]) / (along[0].powi(2) + along[1].powi(2));
    [b, [share * along[0], share * along[1]]]
}

/// B of the crossed linkage at a time. Conservation of energy gives the speed of the angle, which never turns back; inertia
/// by differences of the positions, time by the classical method of order 4.
fn place_on_the_crossed_branch(end: f64) -> [f64; 2] {
    let inertia = |angle: f64| {
        let d = 1e-3;
        let at = [-2.0, -1.0, 1.0, 2.0].map(|k| ends(angle + k * d));
        let slope =
            |p: usize, i: usize| (at[0][p][i] - 8.0 * at[1][p][i] + 8.0 * at[2][p][i] - at[3][p][i]) / (12.0 * d);
        let product = |p: usize, r: usize| slope(p, 0) * slope(r, 0) + slope(p, 1) * slope(r, 1);
        (2.0 * product(0, 0) + product(0, 1) + 2.0 * product(1, 1)) / 3.0
    };
    let potential = |angle: f64| G * ends(angle).iter().map(|end| end[1]).sum::<f64>();
    let energy = 0.5 * inertia(0.0) * (SPEED / ARM).powi(2) + potential(0.0);
    let rate = |angle: f64| (2.0 * (energy - potential(angle)) / inertia(angle)).sqrt();
    let steps = 100_000_u32;
    let h = end / f64::from(steps);
    let mut angle = 0.0;
    for _ in 0..steps {
        let k1 = rate(angle);
        let k2 = rate(angle + 0.5 * h * k1);
        let k3 = rate(angle + 0.5 * h * k2);
        let k4 = rate(angle + h * k3);
        angle += h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
    }
    ends(angle)[0]
}

#[test]
fn a_crossed_linkage_keeps_its_branch_at_any_tolerance() {
    let want = place_on_the_crossed_branch(8.0);
    for formulation in [Nullspace, Multipliers, Stabilized, Index3] {
        for rtol in [1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12] {
            let report = report(&experiment(&crossed_linkage(8.0), &under(formulation, rtol)));
            let error = (output(&report, "x") - want[0]).hypot(output(&report, "y") - want[1]);
            // Thirteen in-line positions let the error of a step grow; noise in them is left at the tightest tolerances.
            assert!(error < 300.0 * rtol + 1e-9, "{formulation:?} at {rtol:e}: {error:e}");
        }
    }
}

/// Parallelograms side by side on the ground: uprights of the length L, couplers of the length W, all of the mass m, and
/// more.
fn windows(count: usize, (width, speed, gravity): (f64, f64, [f64; 2]), duration: f64, more: &str) -> String {
    support::planar(
        duration,
        &format!(
            r#"constants: {{ "n": {count} }},
            parameters: {{ "L": 1.0, "W": {width}, "m": 1.0, "v0": {speed} }},
            gravity: {gravity:?},
            ground: {{ "A[i = 0..n]": ["i*W", 0], "S": [0.7, 2.0] }},
            points: {{ "B[0]": (at: [0, "L"], velocity: ["v0", 0]), "B[i = 1..n]": (guess: ["i*W", "L"]) }},
            bodies: {{
                "u[i = 0..n]": Bar(from: "A[i]", to: "B[i]", length: "L", mass: "m"),
                "c[i = 1..n]": Bar(from: "B[i-1]", to: "B[i]", length: "W", mass: "m"),
            }},
            {more}
            outputs: {{ "x": "B[0].x", "y": "B[0].y" }},
            objectives: {{ "x": Final("x"), "y": Final("y"), "energy": Final("energy.total"), "height": Integral("y") }},"#
        ),
    )
}

/// Mechanisms that pass singular positions, with the name of the parameter by which the energy has a derivative that is
/// known: that of the energy at the start.
fn mechanisms() -> Vec<(&'static str, String, f64)> {
    let spring = r#"forces: { "spring": Spring(from: "S", to: "B[0]", stiffness: 5, natural_length: 0.5) },"#;
    let down = [0.0, -G];
    // Couplers move with v0, uprights turn with v0 / L.
    let kinetic = |count: f64, speed: f64| 2.0 * speed * ((count + 1.0) / 6.0 + 0.5 * count);
    vec![
        ("one", windows(1, (1.0, 1.0, down), 10.0, ""), kinetic(1.0, 1.0)),
        (
            "two, tilted",
            windows(2, (1.3, 0.5, [5.0, -G]), 8.0, ""),
            kinetic(2.0, 0.5),
        ),
        ("five", windows(5, (1.0, 1.0, down), 5.0, ""), kinetic(5.0, 1.0)),
        (
            "sideways",
            windows(1, (0.6, 6.0, [G, 0.0]), 10.0, ""),
            kinetic(1.0, 6.0),
        ),
        (
            "with a spring",
            windows(2, (1.5, 1.0, down), 10.0, spring),
            kinetic(2.0, 1.0),
        ),
        ("fast", windows(1, (1.0, 15.0, down), 3.0, ""), kinetic(1.0, 15.0)),
        ("crossed", crossed_linkage(8.0), f64::NAN),
    ]
}

fn entry(report: &GradientReport, objective: &str, parameter: &str) -> f64 {
    let column = report.parameters.iter().position(|name| name == parameter).unwrap();
    let row = report.objectives.iter().find(|found| found.name == objective).unwrap();
    row.gradient[column]
}

/// Largest difference over the largest entry of its row.
fn worst_difference(got: &GradientReport, want: &GradientReport) -> f64 {
    let rows = got.objectives.iter().zip(&want.objectives);
    rows.fold(0.0, |worst: f64, (got, want)| {
        let size = want.gradient.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()));
        let differences = got.gradient.iter().zip(&want.gradient);
        differences.fold(worst, |worst, (got, want)| {
            let error = (got - want).abs() / size;
            if error.is_nan() { error } else { worst.max(error) }
        })
    })
}

#[test]
fn gradients_through_singular_positions_are_as_good_as_the_tolerance() {
    for (name, text, by_speed) in mechanisms() {
        let gradient = |rtol: f64, method: Method| {
            let found = experiment(&text, &under(Nullspace, rtol)).gradient(method);
            found.unwrap_or_else(|error| panic!("{name} at {rtol:e}, {method:?}: {error}"))
        };
        let want = gradient(1e-11, Method::Forward);
        for rtol in [1e-6, 1e-7, 1e-8, 1e-9, 1e-10] {
            for method in [Method::Adjoint, Method::Forward] {
                let found = gradient(rtol, method);
                let error = worst_difference(&found, &want);
                // The upright start is unstable: errors grow with the time as the derivatives do.
                assert!(error < 1e4 * rtol, "{name} at {rtol:e}, {method:?}: {error:e}");
            }
        }
        if by_speed.is_finite() {
            let error = entry(&want, "energy", "v0") / by_speed - 1.0;
            assert!(error.abs() < 1e-8, "{name}: {error:e}");
        }
    }
}

/// Parallelograms stay so at any tolerance, though the steps of a method of order 2 are short beside the places that they pass.
#[test]
fn the_trapezoidal_rule_passes_singular_positions() {
    for text in [windows(2, (1.5, 8.0, [0.0, -G]), 2.0, ""), crossed_linkage(2.0)] {
        let by_trapezoids = text.replace("duration: 2", "integrator: Trapezoidal, duration: 2");
        let want = experiment(&text, &under(Nullspace, 1e-11))
            .gradient(Method::Forward)
            .expect("it runs");
        for rtol in [1e-5, 1e-6, 1e-7, 1e-8] {
            for method in [Method::Adjoint, Method::Forward] {
                let found = experiment(&by_trapezoids, &under(Nullspace, rtol)).gradient(method);
                let found = found.unwrap_or_else(|error| panic!("{method:?} at {rtol:e}: {error}"));
                let error = worst_difference(&found, &want);
                // A step of order 2 whose error is the tolerance leaves this power of it in the motion.
                let expected = rtol.powf(2.0 / 3.0);
                assert!(error < 200.0 * expected, "{method:?} at {rtol:e}: {error:e}");
            }
        }
    }
}
