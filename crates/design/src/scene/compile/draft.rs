//! An element under construction: from global indices to those into its own short lists.
//!
//! While the scene is compiled, markers and orientations hold global indices. An element that uses them gets a copy with
//! indices into its own lists of coordinates and numbers.

use super::Build;
use super::attachments::Attachment;
use crate::model::joint::Direction;
use crate::model::local::Local;
use crate::model::marker::{Base, Marker, Orientation, Place};

/// The lists of an element that is being built.
pub(super) struct Draft {
    pub(super) local: Local,
    /// Whether it acts from the start.
    pub(super) active: bool,
    dimension: usize,
}

impl Build<'_> {
    /// An element without coordinates and numbers yet.
    pub(super) fn draft(&self, active: bool) -> Draft {
        Draft {
            local: Local::default(),
            active,
            dimension: self.dimension,
        }
    }
}

impl Draft {
    /// The local index of a number, which is new or known.
    pub(super) fn number(&mut self, global: usize) -> usize {
        self.local.number(global)
    }

    /// The local index of a coordinate, which is new or known.
    pub(super) fn coordinate(&mut self, global: usize) -> usize {
        self.local.coordinate(global)
    }

    /// The markers of two attachments.
    pub(super) fn ends(&mut self, ends: [Attachment; 2]) -> [Marker; 2] {
        ends.map(|end| self.marker(end.marker))
    }

    pub(super) fn marker(&mut self, marker: Marker) -> Marker {
        marker.map(self.dimension, &mut |list, i| self.local.index(list, i))
    }

    pub(super) fn base(&mut self, base: Base) -> Base {
        base.map(self.dimension, &mut |list, i| self.local.index(list, i))
    }

    pub(super) fn orientation(&mut self, orientation: Orientation) -> Orientation {
        orientation.map(&mut |list, i| self.local.index(list, i))
    }

    pub(super) fn direction(&mut self, direction: Direction) -> Direction {
        direction.map(&mut |list, i| self.local.index(list, i))
    }

    /// The coordinates of a place, one per dimension.
    pub(super) fn coordinates(&mut self, place: Place) -> Place {
        self.each(place, Local::coordinate)
    }

    /// The numbers of a place, one per dimension.
    pub(super) fn numbers(&mut self, place: Place) -> Place {
        self.each(place, Local::number)
    }

    fn each(&mut self, place: Place, local: fn(&mut Local, usize) -> usize) -> Place {
        let mut found = Place::default();
        for (slot, &global) in found.iter_mut().zip(&place).take(self.dimension) {
            *slot = local(&mut self.local, global);
        }
        found
    }
}
