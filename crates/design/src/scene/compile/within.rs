//! Frames within frames: a place and an orientation that are given in the frame of another place.

use super::Build;
use super::derivatives::{self, Formula, Known};
use super::site::Site;
use crate::error::Result;
use crate::model::marker::Place;
use crate::model::quaternion::{product, turned};
use crate::scalar::{Scalar, each};
use crate::scene::schema::Placement;

/// Place and quaternion in the outer frame, from those in the inner one and those of the inner one.
struct Composed;

impl Formula<7> for Composed {
    fn over<S: Scalar>(&self, numbers: &[S]) -> [S; 7] {
        let quaternion = |first: usize| -> [S; 4] { each(|k| numbers[first + k]) };
        let (outer, inner) = (quaternion(10), quaternion(3));
        let place = turned(outer, each(|k| numbers[k]));
        let turn = product(outer, inner);
        each(|k| match k {
            0..3 => numbers[7 + k] + place[k],
            _ => turn[k - 3],
        })
    }
}

impl Build<'_> {
    /// The numbers of a place and a quaternion that are given in the frame `outer`; `site` has that frame in its field `within`.
    pub(super) fn within(
        &mut self,
        place: Place,
        turn: Option<[usize; 4]>,
        outer: &Placement,
        site: &Site,
    ) -> Result<(Place, [usize; 4])> {
        let inner = site.at("within");
        self.require_spatial("a frame within another one", "leave `within` out", &inner)?;
        let (origin, outer) = self.placement(outer, self.axes(), &inner.label(), &inner)?;
        let [turn, outer] = [turn, outer].map(|turn| turn.map_or_else(|| self.quaternion(None, &inner), Ok));
        let numbers = [&place[..], &turn?, &origin, &outer?].concat();
        let found = self.derived(&Composed, &numbers, |k| format!("{}.{k}", inner.label()), &inner)?;
        Ok(([found[0], found[1], found[2]], [found[3], found[4], found[5], found[6]]))
    }

    /// New numbers that follow from others, all finite.
    pub(super) fn derived<const N: usize>(
        &mut self,
        formula: &impl Formula<N>,
        numbers: &[usize],
        name: impl Fn(usize) -> String,
        site: &Site,
    ) -> Result<[usize; N]> {
        let known: Vec<Known> = numbers.iter().map(|&number| self.numbers.known(number)).collect();
        let (values, derivatives) = derivatives::evaluate(formula, &known);
        let mut found = [0; N];
        for (k, (value, derivatives)) in values.into_iter().zip(derivatives).enumerate() {
            found[k] = self.numbers.add(value, name(k), derivatives);
            self.numbers.require_finite(found[k], site)?;
        }
        Ok(found)
    }
}
