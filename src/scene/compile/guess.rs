//! Where the assembly starts with the ends of bars that are pinned to markers: at the markers' guess.

use std::collections::BTreeSet;

use super::Build;
use super::localize;
use super::parameters::Gradient;
use super::site::Site;
use crate::error::Result;
use crate::model::Start;
use crate::model::local::Local;
use crate::model::marker::{Marker, Place};
use crate::scalar::{Dual64, Scalar};

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
                return Err(site
                    .error("bars end on each other in a circle")
                    .advise("let one of the ends be a point, so that the bars have a position to start from"));
            }
        }
        Ok(())
    }

    /// Gives the end its start and returns whether that was possible yet.
    fn guess_bar_end(&mut self, end: &OwnEnd) -> Result<bool> {
        let mut local = Local::default();
        let marker = localize::marker(end.marker, self.dimension, &mut local);
        let mut starts = Vec::new();
        for &coordinate in &local.coordinates {
            match self.model.coordinates[coordinate].start {
                Start::Number(number) if number < self.numbers.list.len() => starts.push(number),
                _ => return Ok(false),
            }
        }
        let site = Site::new(self.file, "bodies").at(&end.bar).at(end.field);
        let (values, gradients) = self.position_at(marker, &starts, &local.numbers);
        for (k, axis) in self.axes().iter().enumerate() {
            let name = format!("{}.{}.{axis}", end.bar, end.field);
            let number = self.numbers.add(values[k], name, gradients[k].clone());
            self.numbers.require_finite(number, &site)?;
            self.model.coordinates[end.coordinates[k]].start = Start::Number(number);
        }
        Ok(true)
    }

    /// Position of a marker and its gradient, where the coordinates have the values of these numbers.
    fn position_at(&self, marker: Marker, starts: &[usize], numbers: &[usize]) -> ([f64; 3], [Gradient; 3]) {
        let gradient = |number: &usize| &self.numbers.list[*number].gradient;
        let all = starts.iter().chain(numbers);
        let support: BTreeSet<usize> = all.flat_map(gradient).map(|(p, _)| *p).collect();
        let value = |number: &usize| self.numbers.value(*number);
        let at_rest: Vec<f64> = starts.iter().map(value).collect();
        let constants: Vec<f64> = numbers.iter().map(value).collect();
        let values = self.position(marker, &at_rest, &constants);
        let mut gradients: [Gradient; 3] = Default::default();
        for p in support {
            let along = |number: &usize| {
                let slope = gradient(number).iter().find(|(i, _)| *i == p);
                Dual64::new(value(number), slope.map_or(0.0, |(_, slope)| *slope))
            };
            let q: Vec<Dual64> = starts.iter().map(along).collect();
            let n: Vec<Dual64> = numbers.iter().map(along).collect();
            let slopes = self.position(marker, &q, &n).map(|x| x.eps);
            for (gradient, slope) in gradients.iter_mut().zip(slopes) {
                if slope != 0.0 {
                    gradient.push((p, slope));
                }
            }
        }
        (values, gradients)
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
