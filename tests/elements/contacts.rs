//! Contacts: the normal is the direction in which the gap opens, and gaps have the sign they should.

use costate::model::constraint::{Constraint, ConstraintKind};
use costate::model::local::MAX_LOCAL;
use costate::model::marker::{Marker, Orientation};
use costate::model::{ContactState, Mode, Model};
use costate::scalar::Dual64;

use super::calls::{State, constraint_kind, evaluate, value, zoos};
use crate::element_support::{Random, distance, model, planar, spatial};

/// What the contact pushes along its normal (the point of a plane contact, the second circle of a circle contact), and the
/// marker that takes the opposite.
fn sides(constraint: &Constraint) -> Option<[Marker; 2]> {
    match &constraint.kind {
        ConstraintKind::PlaneGap(kind) => Some([kind.point, kind.through]),
        ConstraintKind::CircleGap(kind) => Some([kind.b, kind.a]),
        ConstraintKind::EdgeGap(kind) => Some([kind.point, kind.surface]),
        _ => None,
    }
}

/// Whether a local coordinate moves a marker in some state.
fn moves(marker: Marker, k: usize) -> bool {
    let unit: Vec<Dual64> = (0..MAX_LOCAL)
        .map(|i| Dual64::new(0.3, f64::from(u8::from(i == k))))
        .collect();
    marker
        .position::<Dual64, 3>(&unit, &[Dual64::from(0.7); MAX_LOCAL])
        .iter()
        .any(|x| x.eps != 0.0)
}

/// A force along the normal and its opposite are C^T, but for coordinates that also turn the plane.
fn check_normal<const D: usize>(model: &Model, constraint: &Constraint, [pushed, other]: [Marker; 2], at: &State) {
    let q = constraint.local.gather::<f64>(&at.q);
    let numbers = constraint.local.gather_numbers::<f64>(&at.numbers);
    let normal: [f64; D] = constraint.kind.contact_normal(&q, &numbers);
    let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!((length - 1.0).abs() < 1e-14, "{}", constraint.name);
    let mut generalized = vec![0.0; constraint.local.width()];
    pushed.apply(&q, &numbers, normal, &mut generalized);
    other.apply(&q, &numbers, normal.map(|x| -x), &mut generalized);
    let turned = |k: usize| match &constraint.kind {
        ConstraintKind::PlaneGap(kind) => {
            kind.frame != Orientation::Ground && (moves(other, k) || kind.frame == Orientation::Angle(k))
        }
        ConstraintKind::EdgeGap(kind) => {
            kind.frame != Orientation::Ground && (moves(other, k) || kind.frame == Orientation::Angle(k))
        }
        _ => false,
    };
    let (_, jacobian) = evaluate(model, constraint, at.t, &at.q, &at.v, &at.numbers);
    let compared: Vec<usize> = (0..generalized.len()).filter(|&k| !turned(k)).collect();
    for &k in &compared {
        assert!(
            (jacobian[k] - generalized[k]).abs() < 1e-13,
            "{}: {jacobian:?} and {generalized:?}",
            constraint.name
        );
    }
    assert!(
        compared.len() >= D && compared.iter().any(|&k| generalized[k].abs() > 1e-3),
        "{}",
        constraint.name
    );
}

#[test]
fn the_normal_is_the_direction_in_which_the_gap_opens() {
    let mut random = Random::new(81);
    let mut seen = std::collections::BTreeSet::new();
    for model in zoos() {
        for _ in 0..4 {
            let at = State::random(&model, &mut random);
            for constraint in &model.constraints {
                let Some(sides) = sides(constraint) else { continue };
                match model.dimension {
                    2 => check_normal::<2>(&model, constraint, sides, &at),
                    _ => check_normal::<3>(&model, constraint, sides, &at),
                }
                seen.insert(format!("{} {}", constraint_kind(&constraint.kind), model.dimension));
            }
        }
    }
    assert_eq!(
        seen.into_iter().collect::<Vec<_>>(),
        ["CircleGap 2", "CircleGap 3", "EdgeGap 2", "PlaneGap 2", "PlaneGap 3"]
    );
}

const PLACED: &str = r#"
points: { "P": (guess: [3, 4], mass: 1) },
ground: { "O": [0, 0] },
contacts: {
  "floor": Touch(point: "P", radius: 0.5, surface: Plane(through: [0, 1], normal: [0, 2]), law: Flip),
  "ball": Touch(point: "P", radius: 0.5, surface: Circle(centre: "O", radius: 2), law: Flip),
  "bowl": Touch(point: "P", radius: 0.5, surface: Circle(centre: "O", radius: 8, inside: true), law: Flip),
  "rope": Limit(of: Distance("O", "P"), at_least: 1, at_most: 7, law: Flip),
  "wall": Limit(of: Coordinate("P.x"), at_least: -1, at_most: 3.5, law: Flip),
},
"#;

#[test]
fn gaps_are_distances_that_are_positive_when_open() {
    let model = model(&planar(PLACED));
    let expected = [
        ("floor", 2.5),
        ("ball", 2.5),
        ("bowl", 2.5),
        ("rope (at least)", 4.0),
        ("rope (at most)", 2.0),
        ("wall (at least)", 4.0),
        ("wall (at most)", 0.5),
    ];
    assert_eq!(model.contacts.len(), expected.len());
    for (contact, (name, gap)) in model.contacts.iter().zip(expected) {
        assert_eq!(contact.name, name);
        let found = value(
            &model,
            &model.constraints[contact.gap],
            0.0,
            &[3.0, 4.0],
            &model.number_values(),
        );
        assert!(distance(&found, &[gap]) < 1e-14, "{name}: {found:?}");
    }
}

#[test]
fn a_sphere_in_space_has_the_same_gaps() {
    let model = model(&spatial(
        r#"points: { "P": (guess: [1, 2, 2], mass: 1) }, ground: { "O": [0, 0, 0] },
        contacts: {
          "floor": Touch(point: "P", radius: 0.5, surface: Plane(through: [0, 0, 1], normal: [0, 0, 3]), law: Flip),
          "ball": Touch(point: "P", radius: 0.5, surface: Circle(centre: "O", radius: 2), law: Flip),
        },"#,
    ));
    let gap = |contact: usize| {
        let constraint = &model.constraints[model.contacts[contact].gap];
        value(&model, constraint, 0.0, &[1.0, 2.0, 2.0], &model.number_values())[0]
    };
    assert_eq!((gap(0), gap(1)), (0.5, 0.5));
}

#[test]
fn a_contact_adds_the_row_that_its_state_asks_for() {
    for model in zoos() {
        for (i, contact) in model.contacts.iter().enumerate() {
            let mut mode = Mode::initial(&model);
            assert_eq!(mode.row_of(contact.gap), None, "{}", contact.name);
            let rows = mode.rows;
            mode.contacts[i] = ContactState::Sliding;
            mode.refresh(&model);
            assert_eq!(
                (mode.row_of(contact.gap), mode.rows),
                (Some(rows), rows + 1),
                "{}",
                contact.name
            );
            mode.contacts[i] = ContactState::Stuck;
            mode.refresh(&model);
            let (joint, count) = contact
                .pin
                .as_ref()
                .map_or((contact.gap, 1), |pin| (pin.constraint, model.dimension));
            assert_eq!(
                (mode.row_of(joint), mode.rows),
                (Some(rows), rows + count),
                "{}",
                contact.name
            );
        }
    }
}
