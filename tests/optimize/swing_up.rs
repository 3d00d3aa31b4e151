//! The swing-up of a pole on a cart: many iterations along a flat valley, which must end with a reason that is true.

use costate::optimize::Status;
use costate::run::{Changes, Experiment};
use costate::scene;
use costate::scene::schema::Solver;

use super::solved;

/// Coefficients of the force.
const COUNT: usize = 4;

fn swing_up() -> Experiment {
    let list = |each: &dyn Fn(usize) -> String, between: &str| (1..=COUNT).map(each).collect::<Vec<_>>().join(between);
    let parameters = list(
        &|k| format!("\"c{k}\": (value: {}, bounds: (-20, 20))", 0.5 / k as f64),
        ", ",
    );
    let force = list(&|k| format!("c{k}*sin({k}*pi*t/2)"), " + ");
    let over = list(&|k| format!("\"c{k}\""), ", ");
    let text = format!(
        r#"Scene(
            name: "swing-up", space: Planar, gravity: [0, -9.81],
            parameters: {{ {parameters} }},
            points: {{ "cart": (at: [0, 0], velocity: [0, 0], mass: 1), "tip": (guess: [0, -0.5], mass: 0.3) }},
            bodies: {{ "pole": Bar(from: "cart", to: "tip", length: 0.5, angle: "-pi/2", angular_velocity: 0) }},
            joints: {{ "rail": PointOnLine(point: "cart", line: Fixed(through: [0, 0], direction: [1, 0])) }},
            forces: {{ "motor": Load(at: "cart", force: ["{force}", 0]) }},
            outputs: {{ "u": "{force}" }},
            objectives: {{ "goal": Sum([
                (1, Final("(pole.angle - pi/2)^2 + 0.1*pole.omega^2 + cart.x^2 + 0.1*cart.vx^2")), (1e-4, Integral("u^2")),
            ]) }},
            optimization: (minimize: "goal", over: [{over}]),
            simulation: (duration: 2, rtol: 1e-6),
        )"#
    );
    Experiment::new(&scene::parse("swing-up", &text).unwrap(), &Changes::default()).unwrap()
}

#[test]
fn four_methods_swing_a_pole_up_and_end_because_they_have_converged() {
    let experiment = swing_up();
    for solver in [Solver::Lbfgs, Solver::LbfgsB, Solver::Bfgs, Solver::Slsqp] {
        let found = solved(&experiment, Some(solver));
        let converged = [
            Status::Minimum,
            Status::SmallDecrease,
            Status::Accuracy,
            Status::NoDecrease,
        ];
        assert!(converged.contains(&found.status), "{solver:?}: {:?}", found.status);
        // What all four come to, also from tighter tolerances.
        assert!(
            (found.best.value - 0.147_297_56).abs() < 1e-7,
            "{solver:?}: {}",
            found.best.value
        );
    }
}
