//! From global indices to the local ones of an element.
//!
//! While the scene is compiled, markers and orientations hold global indices. An element that uses them gets a copy with
//! indices into its own short lists.

use crate::model::local::Local;
use crate::model::marker::{Base, Marker, Orientation, Place};

/// The marker in local indices of `local`, which takes up what is new.
pub(super) fn marker(marker: Marker, dimension: usize, local: &mut Local) -> Marker {
    match marker {
        Marker::Base(end) => Marker::Base(base(end, dimension, local)),
        Marker::Offset { point, offset } => Marker::Offset {
            point: coordinates(point, dimension, local),
            offset: numbers(offset, dimension, local),
        },
        Marker::OnBar {
            from,
            to,
            length,
            along,
            across,
        } => Marker::OnBar {
            from: base(from, dimension, local),
            to: base(to, dimension, local),
            length: local.number(length),
            along: local.number(along),
            across: across.map(|across| local.number(across)),
        },
        Marker::OnBody { body, place } => Marker::OnBody {
            body: coordinates(body, 3, local),
            place: place.map(|number| local.number(number)),
        },
    }
}

/// The end of a bar in local indices.
pub(super) fn base(base: Base, dimension: usize, local: &mut Local) -> Base {
    match base {
        Base::Ground(place) => Base::Ground(numbers(place, dimension, local)),
        Base::Point(place) => Base::Point(coordinates(place, dimension, local)),
    }
}

/// The orientation in local indices.
pub(super) fn orientation(orientation: Orientation, local: &mut Local) -> Orientation {
    match orientation {
        Orientation::Ground => Orientation::Ground,
        Orientation::Angle(coordinate) => Orientation::Angle(local.coordinate(coordinate)),
    }
}

/// The first `count` coordinates of a place in local indices.
pub(super) fn coordinates(place: Place, count: usize, local: &mut Local) -> Place {
    let mut found = Place::default();
    for (slot, &global) in found.iter_mut().zip(&place).take(count) {
        *slot = local.coordinate(global);
    }
    found
}

/// The first `count` numbers of a place in local indices.
pub(super) fn numbers(place: Place, count: usize, local: &mut Local) -> Place {
    let mut found = Place::default();
    for (slot, &global) in found.iter_mut().zip(&place).take(count) {
        *slot = local.number(global);
    }
    found
}
