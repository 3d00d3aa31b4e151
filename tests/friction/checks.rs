//! Balances of impulse, and what sensitivities do where slip begins: the checks of an implementation that no other test makes.

use costate::run::{Changes, GradientReport, Method};
use costate::scene::schema::FormulationKind::Nullspace;

use crate::support::{certified, check_hessian, close, experiment, objective, planar, report, tight};

/// Momentum, angular momentum and the cone at the impact of a rod's end, and what its energy loses.
#[test]
fn impulses_balance_at_an_impact_and_energy_is_lost() {
    for (mu, e, spin, vx) in [
        (0.1, 0.5, 3.0, 1.0),
        (0.6, 0.8, -4.0, -0.5),
        (0.3, 0.2, 6.0, 2.0),
        (2.0, 0.9, -1.0, 0.2),
    ] {
        let sides = |name: &str, of: &str| {
            ["Before", "After"]
                .map(|side| format!(r#""{name} {side}": AtEvents(of: "{of}", event: "floor", kind: Impact, which: Number(1), side: {side}),"#))
                .concat()
        };
        let text = planar(
            0.6,
            &format!(
                r#"gravity: [0, -9.81],
                bodies: {{ "rod": Rigid(mass: 2, inertia: 0.15, at: [0, 0.7, 0.6], velocity: [{vx}, 0, {spin}], markers: {{ "end": [-0.4, 0.1] }}) }},
                contacts: {{ "floor": Touch(point: "rod.end", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: {mu}, restitution: {e})) }},
                objectives: {{ {} {} {} {} {} {} }},"#,
                sides("vx", "rod.vx"),
                sides("vy", "rod.vy"),
                sides("omega", "rod.omega"),
                sides("E", "energy.total"),
                sides("rx", "rod.end.x - rod.x"),
                sides("ry", "rod.end.y - rod.y"),
            ),
        );
        let found = report(&experiment(&text, &tight()));
        let at = |name: &str, side: &str| objective(&found, &format!("{name} {side}"));
        let change = |name: &str| at(name, "After") - at(name, "Before");
        let [jx, jy] = [2.0 * change("vx"), 2.0 * change("vy")];
        let [rx, ry] = ["rx", "ry"].map(|name| at(name, "Before"));
        close("angular momentum", 0.15 * change("omega"), rx * jy - ry * jx, 1e-9);
        assert!(jy > 0.0 && jx.abs() <= mu * jy * (1.0 + 1e-9), "{jx} {jy}");
        assert!(change("E") < 0.0, "{}", change("E"));
    }
}

/// The gradient of a velocity just before and just after a block begins to slip under a force that grows.
fn onset(static_over: f64) -> [GradientReport; 2] {
    let scene = |time: f64| {
        planar(
            2.0,
            &format!(
                r#"gravity: [0, -10], parameters: {{ "c": 4.0, "mu": 0.3, "over": {static_over} }},
                points: {{ "P": (at: [0, 0], mass: 2) }},
                forces: {{ "pull": Load(at: "P", force: ["c*t", 0]) }},
                contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: "mu", static: "over*mu")) }},
                objectives: {{ "v": At(of: "P.vx", time: {time:?}) }},"#
            ),
        )
    };
    // It slips at over mu m g/c.
    let start = static_over * 0.3 * 20.0 / 4.0;
    [-1e-6, 1e-6].map(|later| {
        let changes: Changes = tight();
        experiment(&scene(start + later), &changes)
            .gradient(Method::Forward)
            .unwrap()
    })
}

/// With one coefficient sensitivities are continuous where slip begins; with a larger static one that of the velocity jumps by the jump
/// of the acceleration times the derivative of the time.
#[test]
fn sensitivities_at_the_onset_jump_only_with_the_acceleration() {
    let [before, after] = onset(1.0);
    for report in [&before, &after] {
        let slopes = &report.objectives[0].gradient;
        assert!(slopes[..2].iter().all(|slope| slope.abs() < 1e-5), "{slopes:?}");
    }
    let [before, after] = onset(1.2);
    assert!(before.objectives[0].gradient.iter().all(|slope| slope.abs() < 1e-12));
    let slopes = &after.objectives[0].gradient;
    // v = a (t - t0) with a = 0.2 mu g and t0 = over mu m g/c.
    let (a, t0) = (0.2 * 0.3 * 10.0, 1.2 * 0.3 * 20.0 / 4.0);
    for (k, slope) in [t0 / 4.0, -t0 / 0.3, -t0 / 1.2].into_iter().enumerate() {
        close("jump", slopes[k], a * slope, 2e-5);
    }
}

/// Friction that reverses and `abs` of the same velocity have their events at one time whatever changes: none is first. The heat is that of the way.
#[test]
fn the_way_of_what_rubs_has_derivatives_where_it_turns_round() {
    let text = planar(
        0.8,
        r#"gravity: [0, -9.81], parameters: { "k": 300.0, "mu": 0.25, "v": 2.0 }, ground: { "W": [-1, 0] },
        points: { "P": (at: [0, 0], velocity: ["v", 0], mass: 1) },
        forces: { "s": Spring(from: "W", to: "P", stiffness: "k", natural_length: 1) },
        contacts: { "f": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: "mu")) },
        objectives: { "way": Integral("abs(P.vx)"), "heat": Integral("f.heat") },"#,
    );
    let found = certified(&text, Nullspace);
    let [way, heat] = [0, 1].map(|k| &found.objectives[k]);
    let load = 0.25 * 9.81;
    close("heat", heat.value, load * way.value, 1e-10);
    let by_load = [0.0, 9.81 * way.value, 0.0];
    for ((heat, way), by_load) in heat.gradient.iter().zip(&way.gradient).zip(by_load) {
        close("d heat", *heat, load * way + by_load, 1e-8);
    }
    check_hessian(&experiment(&text, &tight()), 2e-5);
}
