//! A part of a surface with ends: where it is the part that a point may touch, and what goes on from there.

use crate::model::local::Local;
use crate::model::marker::{Marker, difference, dot, norm};
use crate::scalar::Scalar;

/// Overlap of two parts in a corner that the point is in, over the length of the next.
const OVERLAP: f64 = 1e-6;

/// What makes a contact one with a part of a surface, in its own local indices.
#[derive(Clone, Debug)]
pub struct Face {
    /// Global indices.
    pub local: Local,
    /// The point that touches.
    pub point: Marker,
    /// Number: radius about the point.
    pub radius: usize,
    /// A marker of what carries the surface.
    pub surface: Marker,
    /// Where it ends.
    pub borders: Vec<Border>,
}

/// A line across the surface at which a part ends, in the frame of the surface; numbers.
#[derive(Clone, Debug)]
pub struct Border {
    /// A place on it.
    pub place: [usize; 2],
    /// Direction along the surface.
    pub along: [usize; 2],
    /// +1 where the part lies in this direction, -1 where it lies in the other.
    pub sign: f64,
    /// The contact that goes on beyond it.
    pub beyond: Option<usize>,
    /// In a corner that the point is in, the direction of the other edge: the part goes on as long as the point is not behind that.
    pub next: Option<[usize; 2]>,
}

impl Border {
    /// How far inside a point is, m.
    fn inside<S: Scalar>(&self, p: [S; 2], radius: S, numbers: &[S]) -> S {
        let place = self.place.map(|number| numbers[number]);
        let arm = difference(place, p);
        let unit = |of: [usize; 2]| {
            let along = of.map(|number| numbers[number]);
            (along, norm(along))
        };
        let (along, length) = unit(self.along);
        let inside = dot(along, arm) * self.sign / length;
        let Some(next) = self.next else { return inside };
        let (along, length) = unit(next);
        let over = (along[0] * arm[1] - along[1] * arm[0]) / length - radius + length * OVERLAP;
        if over.re() > inside.re() { over } else { inside }
    }
}

impl Face {
    fn borders<'a, S: Scalar>(&'a self, q: &[S], numbers: &'a [S]) -> impl Iterator<Item = S> + 'a {
        let place: [S; 2] = self.point.position(q, numbers);
        let p: [S; 2] = self.surface.locate(place, q, numbers);
        let radius = numbers[self.radius];
        self.borders.iter().map(move |border| border.inside(p, radius, numbers))
    }

    /// How far inside its borders the point is, m: negative outside.
    pub fn inside<S: Scalar>(&self, q: &[S], numbers: &[S]) -> S {
        let least = |least: S, next: S| if next.re() < least.re() { next } else { least };
        self.borders(q, numbers).reduce(least).unwrap_or(S::from(f64::INFINITY))
    }

    /// The border that the point is nearest to.
    pub fn nearest(&self, q: &[f64], numbers: &[f64]) -> Option<&Border> {
        let distances = self.borders(q, numbers).map(f64::abs).zip(&self.borders);
        distances.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, border)| border)
    }
}

#[cfg(test)]
mod tests {
    use super::Border;
    use crate::scalar::Dual64;

    #[test]
    fn in_a_corner_the_part_goes_on_until_the_circle_meets_the_other_edge() {
        // The part comes along x to the origin; the other edge rises from there at 45 degrees.
        let border = Border {
            place: [0, 1],
            along: [2, 3],
            sign: -1.0,
            beyond: None,
            next: Some([4, 5]),
        };
        let numbers = [0.0, 0.0, 1.0, 0.0, 1.0, 1.0].map(Dual64::from);
        let (p, root) = ([0.1, 0.5].map(Dual64::from), 0.5_f64.sqrt());
        let inside = border.inside(p, Dual64::new(0.2, 1.0), &numbers);
        assert!((inside.re - (0.4 * root - 0.2)).abs() < 2e-6, "{inside:?}");
        assert_eq!(inside.eps, -1.0);
        // Before the origin it is the place along the part.
        let inside = border.inside([-0.5, 0.1].map(Dual64::from), Dual64::new(0.2, 1.0), &numbers);
        assert_eq!((inside.re, inside.eps), (0.5, 0.0));
    }
}
