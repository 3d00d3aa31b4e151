//! Where a contact touches: the material points of both sides, and how they move against each other.

use super::constraint::ConstraintKind;
use super::local::MAX_LOCAL;
use super::marker::{Marker, difference, dot, norm};
use crate::scalar::{Scalar, each};

/// Surface side, point side and the place where they touch.
pub struct Touch<S, const D: usize> {
    /// A marker of what carries the surface.
    pub surface: Marker,
    /// The marker of the point.
    pub point: Marker,
    /// The place where they touch, in the ground frame.
    pub place: [S; D],
    /// Unit normal, from the surface to the point.
    pub normal: [S; D],
}

/// The two material points that touch, as markers in numbers of their own.
pub struct Touching<S, const D: usize> {
    surface: Marker,
    point: Marker,
    numbers: [S; MAX_LOCAL],
    tangents: [[S; D]; 2],
}

impl<S: Scalar, const D: usize> Touch<S, D> {
    /// Reads the touching place off a gap; none for limits, which have none.
    pub fn of(kind: &ConstraintKind, q: &[S], numbers: &[S]) -> Option<Self> {
        let place = kind.touching_place(q, numbers)?;
        let (surface, point) = match kind {
            ConstraintKind::PlaneGap(gap) => (gap.through, gap.point),
            ConstraintKind::CircleGap(gap) => (gap.a, gap.b),
            ConstraintKind::EdgeGap(gap) => (gap.surface, gap.point),
            _ => return None,
        };
        Some(Self {
            surface,
            point,
            place,
            normal: kind.contact_normal(q, numbers),
        })
    }

    /// The material points; the first `count` of the numbers are the gap's own, and behind them is room for two places.
    pub fn points(&self, q: &[S], mut numbers: [S; MAX_LOCAL], count: usize) -> Touching<S, D> {
        let on_surface: [S; D] = self.surface.locate(self.place, q, &numbers);
        let on_point: [S; D] = self.point.locate(self.place, q, &numbers);
        numbers[count..count + D].copy_from_slice(&on_surface);
        numbers[count + D..count + 2 * D].copy_from_slice(&on_point);
        let from = |first: usize| [first, first + 1, first + 2];
        Touching {
            surface: self.surface.placed_by(from(count), D),
            point: self.point.placed_by(from(count + D), D),
            numbers,
            tangents: tangents(self.normal),
        }
    }
}

impl<S: Scalar, const D: usize> Touching<S, D> {
    /// Unit vectors along the surface, one in the plane, two in space.
    pub fn tangents(&self) -> &[[S; D]] {
        &self.tangents[..D - 1]
    }

    /// Velocity of the point against the surface.
    pub fn velocity(&self, q: &[S], v: &[S]) -> [S; D] {
        difference(
            self.surface.velocity(q, v, &self.numbers),
            self.point.velocity(q, v, &self.numbers),
        )
    }

    /// Adds the generalized force of a force on the point, and the opposite on the surface.
    pub fn apply(&self, q: &[S], force: [S; D], f: &mut [S]) {
        self.point.apply(q, &self.numbers, force, f);
        self.surface.apply(q, &self.numbers, force.map(|x| -x), f);
    }
}

/// Unit vectors that span the tangent space of a unit normal; in the plane the one to the right where the normal points up.
pub fn tangents<S: Scalar, const D: usize>(normal: [S; D]) -> [[S; D]; 2] {
    let mut found = [[S::from(0.0); D]; 2];
    if D == 2 {
        found[0] = each(|k| if k == 0 { normal[1] } else { -normal[0] });
        return found;
    }
    let mut count = 0;
    for axis in (0..D).filter(|_| D == 3) {
        let mut t: [S; D] = each(|k| S::from(if k == axis { 1.0 } else { 0.0 }));
        for other in std::iter::once(&normal).chain(&found[..count]) {
            let along = dot(t, *other);
            t = each(|k| t[k] - other[k] * along);
        }
        let length = norm(t);
        // Of three axes at least two keep this much beside the normal and the tangents found so far.
        if length.re() > 0.4 {
            found[count] = t.map(|x| x / length);
            count += 1;
        }
        if count == 2 {
            break;
        }
    }
    found
}
