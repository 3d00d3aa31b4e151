//! Rows by hand of joints between frames in space; the indices are those of velocities.

use super::rows::RowJet;
use super::{Across, Direction, Turned};
use crate::linear::Weight;
use crate::model::instant::Instant;
use crate::model::local::Local;
use crate::model::marker::scaled;
use crate::model::place::{Jet, Normal, Placed, of_both};
use crate::scalar::each;

/// A direction by the element's indices and by the model's.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    own: Normal,
    /// By the model's.
    pub global: Normal,
}

impl Axis {
    fn new(direction: Direction, local: &Local) -> Self {
        let normal = |direction: Direction| Normal {
            frame: direction.frame,
            given: direction.given,
            is_perp: false,
        };
        Self {
            own: normal(direction),
            global: normal(direction.map(&mut |list, i| local.global(list, i))),
        }
    }
}

/// Directions that stay perpendicular: c = u.w, or the difference of two such products.
#[derive(Clone, Debug)]
pub struct Perpendicular {
    /// The pairs with their signs.
    pub pairs: Vec<([Axis; 2], f64)>,
}

impl Perpendicular {
    /// The row of a joint of this kind.
    pub fn new(joint: &Across, local: &Local) -> Self {
        let signed = [(Some(joint.pair), 1.0), (joint.less, -1.0)];
        let pairs = signed.into_iter().filter_map(|(pair, sign)| Some((pair?, sign)));
        Self {
            pairs: pairs
                .map(|(pair, sign)| (pair.map(|direction| Axis::new(direction, local)), sign))
                .collect(),
        }
    }

    /// c, c' and c''; adds the Jacobian to the row.
    #[inline]
    pub fn evaluate<const D: usize>(&self, at: &Instant, numbers: &[f64], row: &mut [f64]) -> RowJet {
        let mut sum = [0.0; 3];
        for (pair, sign) in &self.pairs {
            let [u, w] = of_both(|i| pair[i].global.placed::<D>(at, numbers));
            pair[0].own.push(&u, scaled(w.jet.x, *sign), row);
            pair[1].own.push(&w, scaled(u.jet.x, *sign), row);
            let product = u.jet.dot(&w.jet);
            sum = each(|k| sum[k] + sign * product[k]);
        }
        sum
    }
}

/// Angle of a joint: c = p.w with p = cos(angle) y - sin(angle) x.
#[derive(Clone, Debug)]
pub struct Hinge {
    /// x and y.
    pub across: [Axis; 2],
    /// w.
    pub mark: Axis,
    /// Coordinate: the angle, by the element's index and by the model's.
    pub angle: [usize; 2],
}

/// What the angle of a joint turns: x and y, p, and r = dp/d(angle).
#[derive(Clone, Copy, Debug)]
pub struct Pointer<'a, const D: usize> {
    /// x and y.
    pub across: [Placed<'a, D>; 2],
    /// Cosine and sine of the angle, its rate and its second rate.
    pub turn: [f64; 4],
    /// p along the motion.
    pub p: Jet<D>,
    /// r along the motion.
    pub r: Jet<D>,
}

impl<const D: usize> Pointer<'_, D> {
    /// What p changes by where x and y change by vectors and the angle by `turned`.
    #[inline]
    pub fn moved<T: Weight>(&self, [x, y]: [[T; D]; 2], turned: T) -> [T; D] {
        let [cos, sin, ..] = self.turn;
        each(|k| y[k] * cos - x[k] * sin + turned * self.r.x[k])
    }
}

impl Hinge {
    /// The row of a joint of this kind.
    pub fn new(joint: &Turned, local: &Local) -> Self {
        Self {
            across: joint.across.map(|direction| Axis::new(direction, local)),
            mark: Axis::new(joint.mark, local),
            angle: [joint.angle, local.coordinates[joint.angle]],
        }
    }

    /// The pointer along a motion.
    #[inline]
    pub fn pointer<'a, const D: usize>(&self, at: &Instant<'a>, numbers: &[f64]) -> Pointer<'a, D> {
        let across = of_both(|i| self.across[i].global.placed::<D>(at, numbers));
        let [x, y] = [&across[0].jet, &across[1].jet];
        let angle = self.angle[1];
        let ((sin, cos), rate, spin) = (at.q[angle].sin_cos(), at.v[angle], at.a[angle]);
        // Both turn at the rate of the angle: p' has rate r, r' has -rate p.
        let still =
            |k: usize, of: fn(&Jet<D>) -> [f64; D]| [cos * of(y)[k] - sin * of(x)[k], -sin * of(y)[k] - cos * of(x)[k]];
        let (mut p, mut r) = (Jet::fixed([0.0; D]), Jet::fixed([0.0; D]));
        for k in 0..D {
            let [px, rx] = still(k, |jet| jet.x);
            let [pv, rv] = still(k, |jet| jet.v);
            let [pa, ra] = still(k, |jet| jet.a);
            (p.x[k], r.x[k]) = (px, rx);
            (p.v[k], r.v[k]) = (pv + rate * rx, rv - rate * px);
            p.a[k] = pa + 2.0 * rate * rv + spin * rx - rate * rate * px;
            r.a[k] = ra - 2.0 * rate * pv - spin * px - rate * rate * rx;
        }
        Pointer {
            across,
            turn: [cos, sin, rate, spin],
            p,
            r,
        }
    }

    /// c, c' and c''; adds the Jacobian to the row.
    #[inline]
    pub fn evaluate<const D: usize>(&self, at: &Instant, numbers: &[f64], row: &mut [f64]) -> RowJet {
        let pointer = self.pointer::<D>(at, numbers);
        let mark = self.mark.global.placed::<D>(at, numbers);
        let (w, [cos, sin, ..]) = (mark.jet.x, pointer.turn);
        self.across[0].own.push(&pointer.across[0], scaled(w, -sin), row);
        self.across[1].own.push(&pointer.across[1], scaled(w, cos), row);
        self.mark.own.push(&mark, pointer.p.x, row);
        row[self.angle[0]] += (0..D).map(|k| pointer.r.x[k] * w[k]).sum::<f64>();
        pointer.p.dot(&mark.jet)
    }
}
