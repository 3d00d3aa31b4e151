//! Rows by hand of joints and contacts between places, and of combinations of coordinates; the indices are the model's.

use super::{Coincidence, Coupling, Distance, RelativeAngle, Slide};
use crate::model::contact::{CoordinateLimit, PlaneGap};
use crate::model::function::{Argument, Function, Signal};
use crate::model::instant::Instant;
use crate::model::local::{List, Local};
use crate::model::marker::{Marker, Orientation, scaled};
use crate::model::place::{Jet, Normal, Placed, of_both};
use crate::scalar::{Dual2, Scalar, negated};

/// A marker by the element's indices and by the model's.
#[derive(Clone, Copy, Debug)]
pub struct End {
    own: Marker,
    /// By the model's.
    pub global: Marker,
}

impl End {
    fn new(marker: Marker, local: &Local, dimension: usize) -> Self {
        Self {
            own: marker,
            global: marker.global(local, dimension),
        }
    }
}

/// c, c' and c''.
pub type RowJet = [f64; 3];

/// Two places coincide: c = b - a.
#[derive(Clone, Copy, Debug)]
pub struct Pin {
    /// First and second place.
    pub ends: [End; 2],
}

/// A place keeps to a line or plane, or touches it: c = n.(b - a) - offset.
#[derive(Clone, Copy, Debug)]
pub struct Guide {
    /// Place of the line or plane, and the one that moves.
    pub ends: [End; 2],
    own: Normal,
    /// n.
    pub normal: Normal,
    /// Number: the offset.
    pub offset: Option<usize>,
    /// Coordinate that is the offset, by the element's index and by the model's.
    position: Option<[usize; 2]>,
}

/// Two places at a distance: c = |b - a|^2 - length(t)^2.
#[derive(Clone, Debug)]
pub struct Span {
    /// First and second place.
    pub ends: [End; 2],
    /// The distance.
    pub length: Signal,
}

/// Coordinates times factors, less a value: c = sum factor_k q_k - sign value(t).
#[derive(Clone, Debug)]
pub struct Combination {
    own: Vec<usize>,
    /// Coordinates and their factors.
    pub terms: Vec<(usize, Factor)>,
    /// What the value is multiplied by.
    pub sign: f64,
    /// The value.
    pub value: Signal,
}

/// A factor of a [`Combination`].
#[derive(Clone, Copy, Debug)]
pub enum Factor {
    /// One that never changes.
    Fixed(f64),
    /// A number.
    Number(usize),
}

impl Factor {
    /// Its value.
    pub fn value(self, numbers: &[f64]) -> f64 {
        match self {
            Self::Fixed(factor) => factor,
            Self::Number(number) => numbers[number],
        }
    }
}

impl Pin {
    /// The rows of a joint of this kind.
    pub fn new(joint: &Coincidence, local: &Local, dimension: usize) -> Self {
        Self {
            ends: [joint.a, joint.b].map(|marker| End::new(marker, local, dimension)),
        }
    }

    /// The places, and c, c' and c''.
    #[inline]
    pub fn evaluate<'a, const D: usize>(&self, at: &Instant<'a>, numbers: &[f64]) -> ([Placed<'a, D>; 2], Jet<D>) {
        let ends = of_both(|i| self.ends[i].global.placed::<D>(at, numbers));
        let d = ends[0].jet.to(&ends[1].jet);
        (ends, d)
    }

    /// Adds the Jacobian of component k to its row.
    #[inline]
    pub fn push<const D: usize>(&self, k: usize, ends: &[Placed<D>; 2], row: &mut [f64]) {
        self.ends[0].own.push_component(&ends[0], k, -1.0, row);
        self.ends[1].own.push_component(&ends[1], k, 1.0, row);
    }
}

impl Guide {
    /// The coordinate that is the offset.
    pub fn position(&self) -> Option<usize> {
        self.position.map(|[_, position]| position)
    }

    /// The row of a joint of this kind.
    pub fn of_slide(joint: &Slide, local: &Local, dimension: usize) -> Self {
        let normal = Normal {
            frame: joint.frame,
            given: joint.direction,
            is_perp: dimension == 2,
        };
        let guide = Self::new([joint.a, joint.b], normal, joint.offset, local, dimension);
        let position = joint.position.map(|own| [own, local.coordinates[own]]);
        Self { position, ..guide }
    }

    /// The row of a contact of this kind.
    pub fn of_plane(gap: &PlaneGap, local: &Local, dimension: usize) -> Self {
        let normal = Normal {
            frame: gap.frame,
            given: gap.normal,
            is_perp: false,
        };
        Self::new([gap.through, gap.point], normal, Some(gap.radius), local, dimension)
    }

    fn new(markers: [Marker; 2], own: Normal, offset: Option<usize>, local: &Local, dimension: usize) -> Self {
        let mut given = [0; 3];
        for (slot, &number) in given.iter_mut().zip(&own.given).take(dimension) {
            *slot = local.numbers[number];
        }
        Self {
            ends: markers.map(|marker| End::new(marker, local, dimension)),
            own,
            normal: Normal {
                frame: own.frame.map(&mut |list, i| local.global(list, i)),
                given,
                ..own
            },
            offset: offset.map(|number| local.numbers[number]),
            position: None,
        }
    }

    /// The places and the direction.
    #[inline]
    pub fn placed<'a, const D: usize>(&self, at: &Instant<'a>, numbers: &[f64]) -> ([Placed<'a, D>; 2], Placed<'a, D>) {
        let ends = of_both(|i| self.ends[i].global.placed::<D>(at, numbers));
        (ends, self.normal.placed(at, numbers))
    }

    /// c, c' and c''; adds the Jacobian to the row, one entry per coordinate of the element.
    #[inline]
    pub fn evaluate<const D: usize>(&self, at: &Instant, numbers: &[f64], row: &mut [f64]) -> RowJet {
        let ([a, b], n) = self.placed::<D>(at, numbers);
        let d = a.jet.to(&b.jet);
        self.ends[0].own.push(&a, negated(n.jet.x), row);
        self.ends[1].own.push(&b, n.jet.x, row);
        self.own.push(&n, d.x, row);
        let mut jet = n.jet.dot(&d);
        jet[0] -= self.offset.map_or(0.0, |number| numbers[number]);
        if let Some([own, position]) = self.position {
            row[own] -= 1.0;
            jet = [
                jet[0] - at.q[position],
                jet[1] - at.v[position],
                jet[2] - at.a[position],
            ];
        }
        jet
    }
}

impl Span {
    /// The row of a joint of this kind.
    pub fn new(joint: &Distance, local: &Local, dimension: usize) -> Self {
        Self {
            ends: [joint.a, joint.b].map(|marker| End::new(marker, local, dimension)),
            length: joint.length.global(local),
        }
    }

    /// c, c' and c'', and c_t; adds the Jacobian to the row.
    #[inline]
    pub fn evaluate<const D: usize>(&self, at: &Instant, numbers: &[f64], row: &mut [f64]) -> (RowJet, f64) {
        let [a, b] = of_both(|i| self.ends[i].global.placed::<D>(at, numbers));
        let d = a.jet.to(&b.jet);
        let force = scaled(d.x, 2.0);
        self.ends[0].own.push(&a, negated(force), row);
        self.ends[1].own.push(&b, force, row);
        let (jet, [l, rate, second]) = (d.dot(&d), self.length.jet(at.t, numbers));
        let drift = -2.0 * l * rate;
        let square = [l * l, -drift, 2.0 * (rate * rate + l * second)];
        (std::array::from_fn(|k| jet[k] - square[k]), drift)
    }
}

impl Combination {
    /// The row of a relative angle.
    pub fn of_angle(joint: &RelativeAngle, local: &Local) -> Self {
        let term = |orientation, sign| match orientation {
            Orientation::Ground => None,
            Orientation::Angle(angle) => Some((angle, Factor::Fixed(sign))),
            Orientation::Turn(turn) => Some((turn[0], Factor::Fixed(f64::NAN))),
        };
        let terms = [term(joint.b, 1.0), term(joint.a, -1.0)];
        Self::new(terms.into_iter().flatten(), 1.0, &joint.value, local)
    }

    /// The row of a coupling.
    pub fn of_coupling(joint: &Coupling, local: &Local) -> Self {
        let terms = joint
            .terms
            .iter()
            .map(|&(i, factor)| (i, Factor::Number(local.numbers[factor])));
        Self::new(terms, 1.0, &joint.value, local)
    }

    /// The row of a limit.
    pub fn of_limit(limit: &CoordinateLimit, local: &Local) -> Self {
        let from = limit.a.map(|a| (a, Factor::Fixed(-limit.sign)));
        let terms = from.into_iter().chain([(limit.b, Factor::Fixed(limit.sign))]);
        Self::new(terms, limit.sign, &Signal::Number(limit.limit), local)
    }

    fn new(terms: impl Iterator<Item = (usize, Factor)>, sign: f64, value: &Signal, local: &Local) -> Self {
        let (own, factors): (Vec<_>, Vec<_>) = terms.unzip();
        let global = own.iter().map(|&i| local.coordinates[i]);
        Self {
            terms: global.zip(factors).collect(),
            own,
            sign,
            value: value.global(local),
        }
    }

    /// c, c' and c'', and c_t; adds the Jacobian to the row.
    #[inline]
    pub fn evaluate(&self, at: &Instant, numbers: &[f64], row: &mut [f64]) -> (RowJet, f64) {
        let value = self.value.jet(at.t, numbers).map(|value| self.sign * value);
        let mut jet = value.map(|value| -value);
        for (&(i, factor), &own) in self.terms.iter().zip(&self.own) {
            let factor = factor.value(numbers);
            row[own] += factor;
            jet[0] += factor * at.q[i];
            jet[1] += factor * at.v[i];
            jet[2] += factor * at.a[i];
        }
        (jet, -value[1])
    }
}

impl Signal {
    /// The same with the model's indices instead of an element's.
    fn global(&self, local: &Local) -> Self {
        let function = |function: &Function| {
            let mut global = function.clone();
            for argument in &mut global.arguments {
                if let Argument::Number(i) = argument {
                    *i = local.global(List::Numbers, *i);
                }
            }
            global
        };
        match self {
            Self::Number(i) => Self::Number(local.numbers[*i]),
            Self::Function(written) => Self::Function(function(written)),
        }
    }

    /// The value and its derivatives by time.
    #[inline]
    fn jet(&self, t: f64, numbers: &[f64]) -> [f64; 3] {
        match self {
            Self::Number(i) => [numbers[*i], 0.0, 0.0],
            Self::Function(_) => {
                let jet = self.over(t, |i| numbers[i]);
                [jet.re, jet.v1, jet.v2]
            }
        }
    }

    /// The same over any scalar.
    pub fn over<S: Scalar>(&self, t: f64, number: impl Fn(usize) -> S) -> Dual2<S> {
        let time = Dual2::new(S::from(t), S::from(1.0), S::from(0.0));
        match self {
            Self::Number(i) => Dual2::from_re(number(*i)),
            Self::Function(function) => function.evaluate_by(time, |i| Dual2::from_re(number(i))),
        }
    }

    /// Visits the numbers that it reads.
    pub fn each_number(&self, mut visit: impl FnMut(usize)) {
        match self {
            Self::Number(i) => visit(*i),
            Self::Function(function) => {
                for argument in &function.arguments {
                    if let Argument::Number(i) = *argument {
                        visit(i);
                    }
                }
            }
        }
    }
}
