//! Where the assembly starts with the ends of bars that are pinned to markers: at the markers' guess.

use super::Build;
use super::derivatives::{Derivatives, Known, across, along, pairs, support};
use super::site::Site;
use crate::error::Result;
use crate::model::Start;
use crate::model::marker::{Marker, Place};
use crate::scalar::{Dual, Dual64, Scalar};

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
        let (values, derivatives) = self.position_at(marker, &starts, &draft.local.numbers);
        for (k, axis) in self.axes().iter().enumerate() {
            let name = format!("{}.{}.{axis}", end.bar, end.field);
            let number = self.numbers.add(values[k], name, derivatives[k].clone());
            self.numbers.require_finite(number, &site)?;
            self.model.coordinates[end.coordinates[k]].start = Start::Number(number);
        }
        Ok(true)
    }

    /// Position of a marker and its derivatives, where the coordinates have the values of these numbers.
    fn position_at(&self, marker: Marker, starts: &[usize], numbers: &[usize]) -> ([f64; 3], [Derivatives; 3]) {
        let known =
            |numbers: &[usize]| -> Vec<Known> { numbers.iter().map(|&number| self.numbers.known(number)).collect() };
        let (q, n) = (known(starts), known(numbers));
        let value = |known: &Known| known.0;
        let values = self.over(marker, (&q, &n), value);
        let mut derivatives: [Derivatives; 3] = Default::default();
        let support = support(&[q.as_slice(), n.as_slice()].concat());
        for &p in &support {
            let place: [Dual64; 3] = self.over(marker, (&q, &n), |known| along(known, p));
            for (derivatives, place) in derivatives.iter_mut().zip(place) {
                derivatives.push(p, place.eps);
            }
        }
        for pair in pairs(&support) {
            let place: [Dual<Dual64>; 3] = self.over(marker, (&q, &n), |known| across(known, pair));
            for (derivatives, place) in derivatives.iter_mut().zip(place) {
                derivatives.push_second(pair, place.eps.eps);
            }
        }
        (values, derivatives)
    }

    /// Position of a marker with every number taken over a scalar.
    fn over<S: Scalar>(&self, marker: Marker, (q, n): (&[Known], &[Known]), of: impl Fn(&Known) -> S) -> [S; 3] {
        let q: Vec<S> = q.iter().map(&of).collect();
        let n: Vec<S> = n.iter().map(of).collect();
        self.position(marker, &q, &n)
    }

    fn position<S: Scalar>(&self, marker: Marker, q: &[S], numbers: &[S]) -> [S; 3] {
        if self.is_planar() {
            let [x, y]: [S; 2] = marker.position(q, numbers);
            [x, y, S::from(0.0)]
        } else {
            marker.position(q, numbers)
        }
    }
}
