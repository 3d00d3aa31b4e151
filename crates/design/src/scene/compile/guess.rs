//! Where the assembly starts with the ends of bars that are pinned to markers: at the markers' guess.

use super::Build;
use super::derivatives::{self, Formula, Known};
use super::site::Site;
use crate::error::Result;
use crate::model::Start;
use crate::model::marker::{Marker, Place};
use crate::scalar::Scalar;

/// An end of a bar with coordinates of its own.
pub(super) struct OwnEnd {
    pub(super) coordinates: Place,
    /// The marker it is pinned to.
    pub(super) marker: Marker,
    /// Name of the bar.
    pub(super) bar: String,
    /// Which end.
    pub(super) field: &'static str,
}

impl Build<'_> {
    /// Gives every end its start. An end on a bar with ends of its own has to wait for those.
    pub(super) fn guess_bar_ends(&mut self) -> Result<()> {
        let mut waiting = std::mem::take(&mut self.own_ends);
        while !waiting.is_empty() {
            let count = waiting.len();
            let mut later = Vec::new();
            for end in waiting {
                if !self.guess_bar_end(&end)? {
                    later.push(end);
                }
            }
            waiting = later;
            if let Some(end) = waiting.first().filter(|_| waiting.len() == count) {
                let site = Site::new(self.file, "bodies").at(&end.bar).at(end.field);
                return site.refuse(
                    "bars end on each other in a circle",
                    "let one of the ends be a point, so that the bars have a position to start from",
                );
            }
        }
        Ok(())
    }

    /// Gives the end its start and returns whether that was possible yet.
    fn guess_bar_end(&mut self, end: &OwnEnd) -> Result<bool> {
        let mut draft = self.draft(true);
        let marker = draft.marker(end.marker);
        let mut starts = Vec::new();
        for &coordinate in &draft.local.coordinates {
            match self.model.coordinates[coordinate].start {
                Start::Number(number) if number < self.numbers.list.len() => starts.push(number),
                _ => return Ok(false),
            }
        }
        let site = Site::new(self.file, "bodies").at(&end.bar).at(end.field);
        let start = Position {
            marker,
            coordinates: starts.len(),
            planar: self.is_planar(),
        };
        let known = starts.iter().chain(&draft.local.numbers);
        let known: Vec<Known> = known.map(|&number| self.numbers.known(number)).collect();
        let (values, derivatives) = derivatives::evaluate(&start, &known);
        for (k, axis) in self.axes().iter().enumerate() {
            let name = format!("{}.{}.{axis}", end.bar, end.field);
            let number = self.numbers.add(values[k], name, derivatives[k].clone());
            self.numbers.require_finite(number, &site)?;
            self.model.coordinates[end.coordinates[k]].start = Start::Number(number);
        }
        Ok(true)
    }
}

/// Position of a marker, by its coordinates and then its numbers.
struct Position {
    marker: Marker,
    coordinates: usize,
    planar: bool,
}

impl Formula<3> for Position {
    fn over<S: Scalar>(&self, numbers: &[S]) -> [S; 3] {
        let (q, numbers) = numbers.split_at(self.coordinates);
        if self.planar {
            let [x, y]: [S; 2] = self.marker.position(q, numbers);
            [x, y, S::from(0.0)]
        } else {
            self.marker.position(q, numbers)
        }
    }
}
