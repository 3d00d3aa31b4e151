//! Markers: velocity is the rate of the position, force is applied by its transpose, and locating inverts placing.

use costate::model::marker::{Base, Marker, OnBar, Orientation, dot};
use costate::scalar::Dual64;

use super::calls::marker_kind;
use crate::element_support::{Random, distance};

/// A marker over six coordinates and twelve numbers; the numbers that say where it stands in its body.
struct Case {
    marker: Marker,
    place: Vec<usize>,
    /// Whether positions are those of a bar of the length of number 6 between coordinates 0.. and 3.. or ground 0..
    bar: Option<(Base, Base)>,
}

const LENGTH: usize = 6;

fn cases(dimension: usize) -> Vec<Case> {
    let plain = |marker, place: &[usize]| Case {
        marker,
        place: place.to_vec(),
        bar: None,
    };
    let (first, second, ground) = (Base::Point([0, 1, 2]), Base::Point([3, 4, 5]), Base::Ground([0, 1, 2]));
    let mut cases = vec![
        plain(Marker::Base(ground), &[0, 1, 2][..dimension]),
        plain(
            Marker::Offset {
                point: [0, 1, 2],
                offset: [3, 4, 5],
            },
            &[3, 4, 5][..dimension],
        ),
    ];
    for (from, to) in [(first, second), (ground, second), (first, ground)] {
        let across = (dimension == 2).then_some(8);
        let marker = Marker::OnBar(OnBar {
            from,
            to,
            length: LENGTH,
            along: 7,
            across,
        });
        let place = if dimension == 2 { vec![7, 8] } else { vec![7] };
        cases.push(Case {
            marker,
            place,
            bar: Some((from, to)),
        });
    }
    if dimension == 2 {
        cases.push(plain(
            Marker::OnBody {
                body: [0, 1, 2],
                place: [9, 10],
            },
            &[9, 10],
        ));
    }
    cases
}

/// Coordinates and numbers such that a bar has its length.
fn state<const D: usize>(case: &Case, random: &mut Random) -> (Vec<f64>, Vec<f64>) {
    let q = random.vector(6, 1.0);
    let mut numbers = random.vector(12, 1.0);
    if let Some((from, to)) = case.bar {
        let (a, b): ([f64; D], [f64; D]) = (from.position(&q, &numbers), to.position(&q, &numbers));
        numbers[LENGTH] = (0..D).map(|k| (b[k] - a[k]).powi(2)).sum::<f64>().sqrt();
    }
    (q, numbers)
}

fn velocity_and_force<const D: usize>() {
    let mut random = Random::new(71);
    let point = Case {
        marker: Marker::Base(Base::Point([3, 4, 5])),
        place: vec![],
        bar: None,
    };
    for case in cases(D).iter().chain([&point]) {
        let name = marker_kind(&case.marker);
        for _ in 0..5 {
            let (q, numbers) = state::<D>(case, &mut random);
            let (v, force) = (
                random.vector(6, 1.0),
                std::array::from_fn::<f64, D, _>(|_| random.unit()),
            );
            let moving: Vec<Dual64> = q.iter().zip(&v).map(|(q, v)| Dual64::new(*q, *v)).collect();
            let fixed: Vec<Dual64> = numbers.iter().map(|x| Dual64::from(*x)).collect();
            let rate = case.marker.position::<Dual64, D>(&moving, &fixed).map(|x| x.eps);
            let velocity: [f64; D] = case.marker.velocity(&q, &v, &numbers);
            assert!(
                distance(&rate, &velocity) < 1e-15,
                "velocity of {name} in {D}: {rate:?} and {velocity:?}"
            );
            let mut generalized = vec![0.0; 6];
            case.marker.apply(&q, &numbers, force, &mut generalized);
            let power: f64 = generalized.iter().zip(&v).map(|(f, v)| f * v).sum();
            assert!((power - dot(force, velocity)).abs() < 1e-14, "force on {name} in {D}");
            let moves = velocity.iter().any(|x| x.abs() > 1e-3);
            assert_eq!(moves, !case.marker.is_ground(), "{name}");
        }
    }
}

#[test]
fn velocity_is_the_rate_of_the_position_and_force_its_transpose() {
    velocity_and_force::<2>();
    velocity_and_force::<3>();
}

fn locating<const D: usize>() {
    let mut random = Random::new(72);
    for case in cases(D) {
        let name = marker_kind(&case.marker);
        for _ in 0..5 {
            let (q, numbers) = state::<D>(&case, &mut random);
            let place: [f64; D] = case.marker.position(&q, &numbers);
            // From wherever the marker stood before, it is found where the place is.
            let mut elsewhere = numbers.clone();
            for &number in &case.place {
                elsewhere[number] += 1.0 + random.unit();
            }
            let away: [f64; D] = case.marker.position(&q, &elsewhere);
            assert!(distance(&away, &place) > 1e-3, "{name}");
            let found = case.marker.locate(place, &q, &elsewhere);
            for (&number, value) in case.place.iter().zip(found) {
                assert!(
                    (value - numbers[number]).abs() < 1e-13,
                    "{name} in {D}: {value} and {}",
                    numbers[number]
                );
                elsewhere[number] = value;
            }
            let back: [f64; D] = case.marker.position(&q, &elsewhere);
            assert!(distance(&back, &place) < 1e-13, "{name} in {D}: {back:?} and {place:?}");
        }
    }
}

#[test]
fn locating_inverts_placing() {
    locating::<2>();
    locating::<3>();
}

#[test]
fn a_point_locates_a_place_by_its_offset() {
    let (q, numbers) = ([1.0, 2.0, 3.0], [0.0; 6]);
    let found = Marker::Base(Base::Point([0, 1, 2])).locate([1.5, 1.0, 3.25], &q, &numbers);
    assert_eq!(found, [0.5, -1.0, 0.25]);
}

#[test]
fn an_orientation_turns_the_plane_and_keeps_the_third_axis() {
    let turned: [f64; 3] = Orientation::Angle(0).turn(&[0.5], [1.0, 2.0, 3.0]);
    let (sin, cos) = 0.5_f64.sin_cos();
    assert!(distance(&turned, &[cos - 2.0 * sin, sin + 2.0 * cos, 3.0]) < 1e-15);
    let kept: [f64; 3] = Orientation::Ground.turn(&[0.5], [1.0, 2.0, 3.0]);
    assert_eq!(kept, [1.0, 2.0, 3.0]);
    let mut torque = [0.0];
    Orientation::Angle(0).apply(2.0, &mut torque);
    assert_eq!(
        (torque, Orientation::Angle(0).of(&[0.5]), Orientation::Ground.of(&[0.5])),
        ([2.0], 0.5, 0.0)
    );
}
