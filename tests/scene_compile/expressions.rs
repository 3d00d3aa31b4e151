//! Outputs and objectives: what their variables mean, by their values at a motion given by hand.

use costate::model::quantity::{Motion, Output, Quantity};
use costate::model::{Mode, Model, Term};

use crate::{compiled, coordinate, planar};

const PARTS: &str = r#"
  parameters: { "k": 3, "long name": 4 },
  gravity: [0, -10],
  ground: { "A": [0, 0], "G": [7, 8] },
  points: { "P": (guess: [0, 2]), "Q": (guess: [1, 1], mass: 2) },
  bodies: {
    "bar": Bar(from: "A", to: "P", length: 2, mass: 3, markers: { "m": [1, -1] }),
    "box": Rigid(mass: 1, inertia: 4, guess: [3, 1, 0], markers: { "c": [0, 2] }),
  },
  joints: {
    "link": Link(from: "Q", to: "P", length: "sqrt(2)"),
    "pin": Revolute(between: ("Q", "box.c")),
    "weld": Weld(between: ("A", "box.origin")),
    "gear": Gear(between: ("bar", "box"), ratio: 2),
    "drive": DriveCoordinate(coordinate: "Q.x", value: "t"),
  },
  forces: {
    "spring": Spring(from: "Q", to: "box.origin", stiffness: "k", natural_length: 1),
    "twist": TorsionSpring(between: ("ground", "box"), stiffness: 2, natural_angle: 1),
    "push": Load(at: "Q", force: [1, 0]),
  },
  contacts: {
    "floor": Touch(point: "Q", surface: Plane(through: [0, -1], normal: [0, 1]), law: Flip),
    "stop": Limit(of: Angle("box"), at_least: -1, at_most: 5, law: Flip),
  },
"#;

/// Values by coordinate name; the rest is zero.
fn vector(model: &Model, values: &[(&str, f64)]) -> Vec<f64> {
    let mut vector = vec![0.0; model.nq()];
    for (name, value) in values {
        vector[coordinate(model, name)] = *value;
    }
    vector
}

/// Positions, velocities and accelerations by hand: the bar upright, the box not turned.
fn motion(model: &Model) -> [Vec<f64>; 3] {
    let right = std::f64::consts::FRAC_PI_2;
    let bar = [("P.y", 2.0), ("bar.angle", right)];
    let others = [("Q.x", 1.0), ("Q.y", 1.0), ("box.x", 3.0), ("box.y", 1.0)];
    let v = [
        ("P.x", -1.0),
        ("Q.y", 5.0),
        ("box.x", 1.5),
        ("box.angle", 2.0),
        ("bar.angle", 0.5),
    ];
    let a = [
        ("P.x", 6.0),
        ("Q.x", 7.0),
        ("box.y", 1.0),
        ("box.angle", 3.0),
        ("bar.angle", 0.25),
    ];
    [
        vector(model, &[&bar[..], &others].concat()),
        vector(model, &v),
        vector(model, &a),
    ]
}

/// The value of an expression at that motion, half a second after the start, with multipliers 1, 2, ..
fn evaluate(expression: &str) -> f64 {
    let text = planar(&format!(
        r#"{PARTS} outputs: {{ "angle": "bar.angle", "one": "k + 1", "it": "{expression}", "last": "t" }},"#
    ));
    let model = compiled(&text).model;
    let mode = Mode::initial(&model);
    let [q, v, a] = motion(&model);
    let lambda: Vec<f64> = (1..=mode.rows).map(|k| k as f64).collect();
    let numbers = model.number_values();
    let motion = Motion {
        t: 0.5,
        q: &q,
        v: &v,
        a: &a,
        lambda: &lambda,
        numbers: &numbers,
        frames: &model.frames,
    };
    let (_, output) = model.outputs.iter().find(|(name, _)| name == "it").expect("it");
    output.evaluate(&model, &mode, &motion)
}

#[test]
fn variables_mean_time_parameters_outputs_and_quantities_of_elements() {
    let cases = [
        ("t", 0.5),
        ("k*long name", 12.0),
        ("one^2", 16.0),
        ("angle - pi/2", 0.0),
        ("G.y - G.x", 1.0),
        ("Q.x + 10*Q.vy + 100*Q.ax", 751.0),
        ("box.x + box.y + box.angle", 4.0),
        ("box.vx + box.omega + box.alpha + box.ay", 7.5),
        ("bar.length", 2.0),
        ("bar.omega + bar.alpha", 0.75),
        ("bar.from.x + bar.to.y + bar.centre.y", 3.0),
        ("bar.m.x + bar.m.y", 2.0),
        ("bar.m.vx + 10*bar.m.vy", -0.5 + 10.0 * 0.5),
        ("box.c.x + box.c.y", 6.0),
        ("box.c.vx", 1.5 - 2.0 * 2.0),
        ("box.c.ay", 1.0 - 2.0 * 4.0),
        ("box.origin.vx + box.centre.vx", 3.0),
        ("spring.length", 2.0),
        ("spring.force", 3.0 * 1.0),
        ("twist.angle", 0.0),
        ("twist.torque", 2.0),
        ("floor.gap", 2.0),
        ("floor.force", 0.0),
        ("'stop (at least)'.gap + 100*'stop (at most)'.gap", 501.0),
        ("energy.total - energy.kinetic - energy.potential", 0.0),
        // Weight of the bar (its middle at height 1), of the point and of the box; the springs are stretched by 1.
        ("energy.potential", 30.0 + 20.0 + 10.0 + 1.5 + 1.0),
        ("energy.kinetic", 0.5 * (3.0 / 3.0) + 25.0 + 0.5 * 2.25 + 8.0),
    ];
    for (expression, expected) in cases {
        let found = evaluate(expression);
        assert!(
            (found - expected).abs() < 1e-12,
            "{expression} is {found}, expected {expected}"
        );
    }
}

#[test]
fn reactions_come_from_the_multipliers_of_the_group() {
    // Rows: bar 1; bar.angle 2 follows its group; then link, pin, weld, gear, drive in the order of the file.
    let text = planar(&format!("{PARTS} outputs: {{ \"a\": \"bar.angle\" }},"));
    let model = compiled(&text).model;
    let mode = Mode::initial(&model);
    let row = |name: &str| {
        let group = model.groups.iter().find(|group| group.name == name).expect("a group");
        1.0 + mode.row_of(group.constraints[0]).expect("a row") as f64
    };
    let cases = [
        ("bar.force", -2.0 * 2.0 * row("bar")),
        ("link.force", -2.0 * 2_f64.sqrt() * row("link")),
        ("link.fx", -2.0 * row("link")),
        ("pin.fx", row("pin")),
        ("pin.fy", row("pin") + 1.0),
        ("pin.force", row("pin").hypot(row("pin") + 1.0)),
        ("weld.torque", row("weld") + 2.0),
        ("gear.torque", row("gear")),
        ("drive.force", row("drive")),
    ];
    for (expression, expected) in cases {
        let found = evaluate(expression);
        assert!(
            (found - expected).abs() < 1e-12,
            "{expression} is {found}, expected {expected}"
        );
    }
}

#[test]
fn an_output_sees_earlier_outputs_only_and_objectives_all() {
    let model = compiled(&planar(&format!(
        r#"{PARTS} outputs: {{ "b": "Q.x", "a": "b^2", "energy": "energy.total" }},
        objectives: {{ "a": Final("a + energy") }},"#
    )))
    .model;
    let arguments = |output: &Output| format!("{:?}", output.arguments);
    assert_eq!(arguments(&model.outputs[1].1), "[Output(0)]");
    let Term::Final { value, .. } = &model.objectives[0].terms[0] else {
        panic!()
    };
    assert_eq!(arguments(value), "[Output(1), Output(2)]");
    assert!(matches!(model.outputs[2].1.arguments[0], Quantity::Total));
}

#[test]
fn sums_multiply_their_factors_down_to_finals_and_integrals() {
    let model = compiled(&planar(&format!(
        r#"{PARTS} objectives: {{
            "plain": Integral("Q.x"),
            "sum": Sum([(2, Final("Q.y")), ("k", Sum([(5, Integral("Q.x^2")), ("long name", Final("t"))]))]),
        }},"#
    )))
    .model;
    assert_eq!((model.objectives.len(), model.integrands.len()), (2, 2));
    let plain = &model.objectives[0].terms;
    assert!(matches!(&plain[..], [Term::Integral { coefficient, integrand: 0 }] if coefficient.is_empty()));
    let terms = &model.objectives[1].terms;
    let factors = |term: &Term| {
        let coefficient = term.coefficient();
        coefficient
            .iter()
            .map(|number| model.numbers[*number].value)
            .collect::<Vec<_>>()
    };
    let all: Vec<Vec<f64>> = terms.iter().map(factors).collect();
    assert_eq!(all, [vec![2.0], vec![3.0, 5.0], vec![3.0, 4.0]]);
    assert!(matches!(terms[1], Term::Integral { integrand: 1, .. }));
    let inner = &model.numbers[crate::number(&model, "sum.factor 2, 2")];
    assert_eq!(inner.gradient, [(1, 1.0)]);
}
