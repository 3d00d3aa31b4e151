//! Nothing depends on where the origin lies, and what joins parts of the mechanism feels no motion of the whole.

use costate::model::force::ForceKind;
use costate::model::local::MAX_LOCAL;
use costate::model::measure::Measure;
use costate::model::{CoordinateKind, Model};

use super::calls::{State, applied, constraint_kind, evaluate, force_kind, stored, value, zoos};
use super::references::{of_constraint, of_force};
use crate::element_support::{Random, distance, model, planar, size, zoo};

/// Coordinates of a rigid motion of everything: turn about the origin, then shift. Planar.
fn moved_rigidly(model: &Model, q: &[f64], angle: f64, shift: [f64; 2]) -> Vec<f64> {
    let mut moved = q.to_vec();
    for (i, pair) in places(model) {
        let [x, y] = pair.map(|j| q[j]);
        moved[i[0]] = x * angle.cos() - y * angle.sin() + shift[0];
        moved[i[1]] = x * angle.sin() + y * angle.cos() + shift[1];
    }
    for i in (0..q.len()).filter(|&i| model.coordinates[i].kind == CoordinateKind::Angle) {
        moved[i] += angle;
    }
    moved
}

/// Pairs of the coordinates x and y of one place.
fn places(model: &Model) -> Vec<([usize; 2], [usize; 2])> {
    let lengths: Vec<usize> = (0..model.nq())
        .filter(|&i| model.coordinates[i].kind == CoordinateKind::Length)
        .collect();
    let pairs = lengths.chunks_exact(2).map(|pair| [pair[0], pair[1]]);
    pairs
        .inspect(|pair| {
            let [x, y] = pair.map(|i| model.coordinates[i].name.as_str());
            assert!(
                x.ends_with(".x") && y.ends_with(".y") && x[..x.len() - 2] == y[..y.len() - 2],
                "{x} and {y}"
            );
        })
        .map(|pair| (pair, pair))
        .collect()
}

/// Velocities of a rigid motion at a configuration: shifts along x and y, and a turn about the origin.
fn rigid_motions(model: &Model, q: &[f64]) -> [Vec<f64>; 3] {
    let mut motions = [vec![0.0; q.len()], vec![0.0; q.len()], vec![0.0; q.len()]];
    for ([x, y], _) in places(model) {
        motions[0][x] = 1.0;
        motions[1][y] = 1.0;
        motions[2][x] = -q[y];
        motions[2][y] = q[x];
    }
    for i in (0..q.len()).filter(|&i| model.coordinates[i].kind == CoordinateKind::Angle) {
        motions[2][i] = 1.0;
    }
    motions
}

#[test]
fn constraints_between_parts_feel_no_rigid_motion_of_the_whole() {
    let model = model(&planar(zoo::FLOATING));
    let mut random = Random::new(61);
    let mut kinds = std::collections::BTreeSet::new();
    for _ in 0..5 {
        let at = State::random(&model, &mut random);
        let elsewhere = moved_rigidly(&model, &at.q, random.between(-3.0, 3.0), [random.unit(), random.unit()]);
        assert!(distance(&at.q, &elsewhere) > 0.1);
        for constraint in model
            .constraints
            .iter()
            .filter(|constraint| of_constraint(&constraint.kind).floats())
        {
            let here = value(&model, constraint, at.t, &at.q, &at.numbers);
            let there = value(&model, constraint, at.t, &elsewhere, &at.numbers);
            // The two components of a coincidence turn with the whole; their length does not.
            let same = match here.len() {
                1 => (here[0] - there[0]).abs() < 1e-12,
                _ => (here[0].hypot(here[1]) - there[0].hypot(there[1])).abs() < 1e-12,
            };
            assert!(same, "{}: {here:?} and {there:?}", constraint.name);
            kinds.insert(constraint_kind(&constraint.kind));
        }
    }
    let expected = [
        "BarAngle",
        "Cable",
        "CircleGap",
        "Coincidence",
        "CoordinateLimit",
        "Distance",
        "DistanceLimit",
        "EdgeGap",
        "PlaneGap",
        "PointOnLine",
        "RelativeAngle",
        "Slide",
    ];
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn internal_forces_have_no_resultant_and_no_moment() {
    let model = model(&planar(zoo::FLOATING));
    let mut random = Random::new(62);
    let mut kinds = std::collections::BTreeSet::new();
    for _ in 0..5 {
        let at = State::random(&model, &mut random);
        let motions = rigid_motions(&model, &at.q);
        for force in model.forces.iter().filter(|force| of_force(&force.kind).floats()) {
            let local = applied(&model, force, at.t, &at.q, &at.v, &at.numbers);
            for motion in &motions {
                let power: f64 = force
                    .local
                    .coordinates
                    .iter()
                    .zip(&local)
                    .map(|(&j, f)| f * motion[j])
                    .sum();
                assert!(
                    power.abs() < 1e-12 * (1.0 + size(&local)),
                    "{} has a resultant or moment {power}",
                    force.name
                );
            }
            assert!(size(&local) > 1e-6, "{}", force.name);
            kinds.insert(force_kind(&force.kind));
        }
    }
    let kinds: Vec<&str> = kinds.into_iter().collect();
    let expected = [
        "Hysteretic coordinate",
        "Hysteretic distance",
        "Line, expression",
        "Line, linear",
        "Sliding about a pin",
        "Sliding along a direction",
        "Sliding along a line",
        "Tangential",
        "Torque",
        "Torsion",
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn reactions_of_internal_constraints_have_no_resultant_and_no_moment() {
    let model = model(&planar(zoo::FLOATING));
    let mut random = Random::new(63);
    let at = State::random(&model, &mut random);
    let motions = rigid_motions(&model, &at.q);
    for constraint in model
        .constraints
        .iter()
        .filter(|constraint| of_constraint(&constraint.kind).floats())
    {
        let (rows, jacobian) = evaluate(&model, constraint, at.t, &at.q, &at.v, &at.numbers);
        let width = constraint.local.width();
        // An open coincidence has a moment: opening times force.
        let turns = constraint.rows == 1;
        for (k, motion) in motions.iter().enumerate().filter(|(k, _)| *k < 2 || turns) {
            for row in 0..constraint.rows {
                let columns = constraint.local.coordinates.iter().zip(&jacobian[row * width..]);
                let moved: f64 = columns.map(|(&j, c)| c * motion[j]).sum();
                assert!(
                    moved.abs() < 1e-12,
                    "{} feels motion {k} of the whole: {moved}",
                    constraint.name
                );
            }
        }
        assert!(rows.c.iter().all(|c| c.is_finite()) && size(&jacobian[..MAX_LOCAL.min(width)]) > 0.0);
    }
}

/// Whether a force depends on a single coordinate, which has an origin.
fn is_on_a_coordinate(kind: &ForceKind) -> bool {
    let measure = match kind {
        ForceKind::Hysteretic(spring) => Some(spring.measure),
        _ => None,
    };
    matches!(measure, Some(Measure::Coordinate { a: None, .. }))
}

#[test]
fn nothing_depends_on_where_the_origin_lies() {
    let mut random = Random::new(64);
    for model in zoos() {
        let at = State::random(&model, &mut random);
        let shift = [random.unit(), random.unit(), random.unit()];
        let mut q = at.q.clone();
        for (i, coordinate) in model.coordinates.iter().enumerate() {
            if let Some(axis) = ["x", "y", "z"]
                .iter()
                .position(|axis| coordinate.name.ends_with(&format!(".{axis}")))
            {
                q[i] += shift[axis];
            }
        }
        let shifted = |ground: Vec<(usize, usize)>| {
            let mut numbers = at.numbers.clone();
            for (number, axis) in ground {
                numbers[number] += shift[axis];
            }
            numbers
        };
        let mut seen = 0;
        for constraint in &model.constraints {
            let references = of_constraint(&constraint.kind);
            let numbers = shifted(references.ground_numbers(&constraint.local, model.dimension));
            if !references.absolute {
                let here = value(&model, constraint, at.t, &at.q, &at.numbers);
                let there = value(&model, constraint, at.t, &q, &numbers);
                assert!(
                    distance(&here, &there) < 1e-12,
                    "{}: {here:?} and {there:?}",
                    constraint.name
                );
                seen += 1;
            }
        }
        for force in &model.forces {
            let references = of_force(&force.kind);
            if is_on_a_coordinate(&force.kind) {
                continue;
            }
            let numbers = shifted(references.ground_numbers(&force.local, model.dimension));
            let here = applied(&model, force, at.t, &at.q, &at.v, &at.numbers);
            let there = applied(&model, force, at.t, &q, &at.v, &numbers);
            assert!(distance(&here, &there) < 1e-12 * (1.0 + size(&here)), "{}", force.name);
            let energies = [
                stored(&model, force, &at.q, &at.numbers),
                stored(&model, force, &q, &numbers),
            ];
            assert!(
                (energies[0] - energies[1]).abs() < 1e-12 * (1.0 + energies[0].abs()),
                "{}",
                force.name
            );
        }
        assert!(seen > 10, "{seen}");
    }
}
