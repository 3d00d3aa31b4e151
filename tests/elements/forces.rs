//! Forces: derivatives along every argument, against differences, other dual numbers and the energies they come from.

use std::collections::BTreeMap;

use costate::model::Model;
use costate::model::force::{Force, ForceKind, Tension};
use costate::model::local::Scratch;
use costate::scalar::Dual64;
use num_dual::HyperDual64;

use super::calls::{Along, Comparisons, State, applied, force_kind, stored, zoos};
use crate::element_support::{Random, moved, size, slope};

pub fn along(model: &Model, force: &Force, at: &State, d: &Along) -> Vec<f64> {
    let t = Dual64::new(at.t, d.t);
    let q = State::lift(&at.q, |i, x| Dual64::new(x, d.q[i]));
    let v = State::lift(&at.v, |i, x| Dual64::new(x, d.v[i]));
    let numbers = State::lift(&at.numbers, |i, x| Dual64::new(x, d.numbers[i]));
    let found = match model.dimension {
        2 => force.along::<2>(t, |i| q[i], |i| v[i], |i| numbers[i]),
        _ => force.along::<3>(t, |i| q[i], |i| v[i], |i| numbers[i]),
    };
    found[..force.local.width()].to_vec()
}

fn by_quotient(model: &Model, force: &Force, at: &State, d: &Along) -> Vec<f64> {
    slope(0.01, |s| {
        let (q, v) = (moved(&at.q, s, &d.q), moved(&at.v, s, &d.v));
        applied(model, force, at.t + s * d.t, &q, &v, &moved(&at.numbers, s, &d.numbers))
    })
}

fn by_hyper_dual(model: &Model, force: &Force, at: &State, d: &Along) -> Vec<f64> {
    let part = |x: f64, slope: f64| HyperDual64::new(x, 0.0, slope, 0.0);
    let q = State::lift(&at.q, |i, x| part(x, d.q[i]));
    let v = State::lift(&at.v, |i, x| part(x, d.v[i]));
    let numbers = State::lift(&at.numbers, |i, x| part(x, d.numbers[i]));
    applied(model, force, part(at.t, d.t), &q, &v, &numbers)
        .iter()
        .map(|f| f.eps2)
        .collect()
}

fn each(seed: u64, mut visit: impl FnMut(String, &Model, &Force, &State, &mut Random)) {
    let mut random = Random::new(seed);
    for model in zoos() {
        for _ in 0..6 {
            let at = State::random(&model, &mut random);
            for force in &model.forces {
                let name = format!("{} {}", force_kind(&force.kind), model.dimension);
                visit(name, &model, force, &at, &mut random);
            }
        }
    }
}

fn compare(seed: u64, directions: impl Fn(&Model, &Force, &mut Random) -> Vec<Along>) -> Comparisons {
    let mut comparisons = Comparisons::new();
    each(seed, |name, model, force, at, random| {
        for direction in directions(model, force, random) {
            let found = along(model, force, at, &direction);
            let exact = by_hyper_dual(model, force, at, &direction);
            let quotient = by_quotient(model, force, at, &direction);
            comparisons
                .entry(name.clone())
                .or_default()
                .add(&found, &exact, &quotient);
        }
    });
    comparisons
}

/// Friction of joints.
const SLIDING: [&str; 3] = [
    "Sliding about a pin 2",
    "Sliding along a direction 2",
    "Sliding along a line 2",
];

/// Springs with hysteresis: the direction of the elongation is memory, which only jumps change.
const HYSTERETIC: [&str; 4] = [
    "Hysteretic coordinate 2",
    "Hysteretic coordinate 3",
    "Hysteretic distance 2",
    "Hysteretic distance 3",
];

fn judge(comparisons: Comparisons, what: &str, zero: &[&str]) {
    for (name, comparison) in comparisons {
        let what = format!("{name} along {what}");
        if zero.contains(&name.as_str()) {
            comparison.judge_zero(&what);
        } else {
            comparison.judge(&what, 1e-8);
        }
    }
}

#[test]
fn derivatives_along_positions_are_exact() {
    let directions = |model: &Model, _: &Force, random: &mut Random| {
        vec![Along {
            q: random.vector(model.nq(), 1.0),
            ..Along::zero(model)
        }]
    };
    // In space every marker is linear in the coordinates, and so are drag and loads.
    judge(
        compare(21, directions),
        "q",
        &["Torque 2", "Load 3", "Drag 3", "Sliding about a pin 2"],
    );
}

#[test]
fn derivatives_along_velocities_are_exact() {
    let directions = |model: &Model, _: &Force, random: &mut Random| {
        vec![Along {
            v: random.vector(model.nq(), 1.0),
            ..Along::zero(model)
        }]
    };
    let mut zero = vec!["Torque 2", "Load 2", "Load 3", "Tangential 2"];
    zero.extend(SLIDING);
    zero.extend(HYSTERETIC);
    judge(compare(22, directions), "v", &zero);
}

#[test]
fn derivatives_along_time_are_exact() {
    let directions = |model: &Model, _: &Force, _: &mut Random| {
        vec![Along {
            t: 1.0,
            ..Along::zero(model)
        }]
    };
    let mut zero = vec![
        "Line, linear 2",
        "Line, linear 3",
        "Torsion 2",
        "Drag 2",
        "Drag 3",
        "Tangential 2",
    ];
    zero.extend(SLIDING);
    zero.extend(HYSTERETIC);
    judge(compare(23, directions), "t", &zero);
}

#[test]
fn derivatives_along_each_number_are_exact() {
    let directions = |model: &Model, force: &Force, _: &mut Random| {
        let unit = |&i: &usize| {
            let mut direction = Along::zero(model);
            direction.numbers[i] = 1.0;
            direction
        };
        force.local.numbers.iter().map(unit).collect()
    };
    judge(compare(24, directions), "numbers", &[]);
}

#[test]
fn every_number_of_a_force_influences_it() {
    let mut felt = BTreeMap::new();
    each(25, |_, model, force, at, _| {
        for &number in &force.local.numbers {
            let mut direction = Along::zero(model);
            direction.numbers[number] = 1.0;
            let name = format!("{} in {} {}", model.number_name(number), force.name, model.dimension);
            *felt.entry(name).or_insert(0.0) += size(&along(model, force, at, &direction));
        }
    });
    let idle: Vec<String> = felt
        .into_iter()
        .filter(|(_, slope)| *slope < 1e-6)
        .map(|(name, _)| name)
        .collect();
    let expected = [
        // Velocities do not depend on where the ground end of a bar lies.
        "A.x in water 3",
        "A.y in water 3",
        "A.z in water 3",
        // The place on a plane that is touched is below the point, wherever the plane is said to lead through.
        "brake pad.surface.through.x in brake pad 2",
        "brake pad.surface.through.y in brake pad 2",
        // Without stiffness the rest position does not matter; that of an expression only says where its energy is zero.
        "friction.natural_angle in friction 2",
        // Beside the line it is where it is.
        "moving slot.offset in moving slot 2",
        "muscle.natural_length in muscle 2",
        "muscle.natural_length in muscle 3",
        "oil.natural_length in oil 2",
        "oil.natural_length in oil 3",
        // Friction along a guide acts where the second body is, wherever the guide begins.
        "plate.c.x in guide 2",
        "plate.c.y in guide 2",
        "rubber.natural_length in rubber 2",
        "rubber.natural_length in rubber 3",
    ];
    assert_eq!(idle, expected);
}

#[test]
fn stiffness_is_the_second_derivative_of_the_energy() {
    let mut seen = 0;
    each(26, |name, model, force, at, random| {
        let rest = vec![0.0; model.nq()];
        let conservative = match &force.kind {
            ForceKind::Torsion(_) => true,
            ForceKind::Line(line) => {
                !matches!(&line.tension, Tension::Expression { force, .. } if force.depends_on_time())
            }
            _ => false,
        };
        if !conservative {
            return;
        }
        let direction = Along {
            q: random.vector(model.nq(), 1.0),
            ..Along::zero(model)
        };
        let resting = State {
            v: rest,
            q: at.q.clone(),
            a: at.a.clone(),
            numbers: at.numbers.clone(),
            ..*at
        };
        let found = along(model, force, &resting, &direction);
        let numbers = State::lift(&at.numbers, |_, x| HyperDual64::from_re(x));
        for (k, &j) in force.local.coordinates.iter().enumerate() {
            let unit = |i: usize| f64::from(u8::from(i == j));
            let q = State::lift(&at.q, |i, x| HyperDual64::new(x, unit(i), direction.q[i], 0.0));
            let energy = stored(model, force, &q, &numbers);
            let error = (found[k] + energy.eps1eps2).abs();
            assert!(
                error <= 1e-12 * (1.0 + size(&found)),
                "{name} {}: {} and {}",
                force.name,
                found[k],
                -energy.eps1eps2
            );
            seen += usize::from(found[k].abs() > 1e-3);
        }
    });
    assert!(seen > 50, "{seen}");
}

#[test]
fn the_global_force_vector_takes_the_local_entries() {
    each(27, |name, model, force, at, _| {
        let mut global = vec![1.0; model.nq()];
        match model.dimension {
            2 => force.add::<2>(at.t, &at.q, &at.v, &at.numbers, &mut global, &mut Scratch::default()),
            _ => force.add::<3>(at.t, &at.q, &at.v, &at.numbers, &mut global, &mut Scratch::default()),
        }
        let local = applied(model, force, at.t, &at.q, &at.v, &at.numbers);
        let mut expected = vec![1.0; model.nq()];
        for (&j, x) in force.local.coordinates.iter().zip(&local) {
            expected[j] += x;
        }
        assert_eq!(global, expected, "{name}");
        assert!(size(&local) > 0.0, "{name}");
    });
}
