//! Constraints whose rows and derivatives are written by hand, with the model's indices.

use super::Matrix;
use super::constraint::{Constraint, ConstraintKind};
use super::instant::Instant;
use super::joint::{Combination, Guide, Hinge, Perpendicular, Pin, PointAngle, PointDistance, Span};

/// Constraints by hand.
#[derive(Clone, Debug)]
pub enum ByHand {
    /// Constant distance of two points.
    Distance(PointDistance),
    /// Angle of a bar.
    Angle(PointAngle),
    /// Two places coincide.
    Pin(Pin),
    /// A place keeps to a line or plane.
    Guide(Guide),
    /// Any distance of any two places.
    Span(Span),
    /// Combination of coordinates.
    Combination(Combination),
    /// Directions that stay perpendicular.
    Perpendicular(Perpendicular),
    /// Angle of a joint in space.
    Hinge(Hinge),
}

/// Terms of the rows in use.
pub struct RowTerms<'a> {
    /// C.
    pub jacobian: &'a mut Matrix,
    /// c.
    pub c: &'a mut [f64],
    /// c'.
    pub rate: &'a mut [f64],
    /// The part of c' that is explicit in time.
    pub c_t: &'a mut [f64],
    /// c'' without C a.
    pub gamma: &'a mut [f64],
}

impl RowTerms<'_> {
    fn write(&mut self, row: usize, [c, rate, gamma]: [f64; 3], c_t: f64) {
        (self.c[row], self.rate[row], self.gamma[row], self.c_t[row]) = (c, rate, gamma, c_t);
    }
}

impl ByHand {
    /// What a constraint is, if it is one of them.
    pub fn of(constraint: &Constraint, dimension: usize) -> Option<Self> {
        let local = &constraint.local;
        Some(match &constraint.kind {
            ConstraintKind::Distance(distance) => match distance.between_points(local, dimension) {
                Some(distance) => Self::Distance(distance),
                None => Self::Span(Span::new(distance, local, dimension)),
            },
            ConstraintKind::BarAngle(angle) => Self::Angle(angle.between_points(local)),
            ConstraintKind::Coincidence(pin) => Self::Pin(Pin::new(pin, local, dimension)),
            ConstraintKind::Slide(slide) => Self::Guide(Guide::of_slide(slide, local, dimension)),
            ConstraintKind::PlaneGap(gap) if gap.rim.is_none() => Self::Guide(Guide::of_plane(gap, local, dimension)),
            ConstraintKind::RelativeAngle(angle) => Self::Combination(Combination::of_angle(angle, local)),
            ConstraintKind::Coupling(coupling) => Self::Combination(Combination::of_coupling(coupling, local)),
            ConstraintKind::CoordinateLimit(limit) => Self::Combination(Combination::of_limit(limit, local)),
            ConstraintKind::Across(across) => Self::Perpendicular(Perpendicular::new(across, local)),
            ConstraintKind::Turned(turned) => Self::Hinge(Hinge::new(turned, local)),
            _ => return None,
        })
    }

    /// Writes the terms of its rows, the first at `first`, at a state without acceleration.
    #[inline]
    pub fn assemble<const D: usize>(
        &self,
        at: &Instant,
        numbers: &[f64],
        coordinates: &[usize],
        first: usize,
        out: &mut RowTerms,
    ) {
        if let Self::Pin(pin) = self {
            let (ends, d) = pin.evaluate::<D>(at, numbers);
            for k in 0..D {
                pin.push(k, &ends, out.jacobian.next_row(coordinates));
                out.write(first + k, [d.x[k], d.v[k], d.a[k]], 0.0);
            }
            return;
        }
        let row = out.jacobian.next_row(coordinates);
        let (jet, c_t) = match self {
            Self::Distance(distance) => (distance.evaluate::<D>(at.q, at.v, numbers, row), 0.0),
            Self::Angle(angle) => (angle.evaluate(at.q, at.v, numbers, row), 0.0),
            Self::Guide(guide) => (guide.evaluate::<D>(at, numbers, row), 0.0),
            Self::Perpendicular(rows) => (rows.evaluate::<D>(at, numbers, row), 0.0),
            Self::Hinge(hinge) => (hinge.evaluate::<D>(at, numbers, row), 0.0),
            Self::Span(span) => span.evaluate::<D>(at, numbers, row),
            Self::Combination(combination) => combination.evaluate(at, numbers, row),
            Self::Pin(_) => return,
        };
        out.write(first, jet, c_t);
    }
}
