//! An edge of a surface in the plane, straight or a cubic, with the gap to a circle on its left.

use std::cell::Cell;

use crate::model::marker::{Marker, Orientation, difference, divided, dot, norm};
use crate::scalar::{Scalar, each};

/// Samples among which the search for the nearest place of a cubic begins.
const SAMPLES: u32 = 8;

/// Newton steps of that search.
const MOST_STEPS: usize = 30;

/// Change of the parameter after which one more step is exact to rounding.
const NEAR: f64 = 1e-8;

/// Straight parts that a cubic is drawn as.
const OUTLINE: u32 = 24;

/// How far beyond its ends a cubic goes on for that search.
const BEYOND: f64 = 0.5;

/// Circle about a point to the left of an edge: gap = normal.(p - foot) - radius, in the frame of a body or the ground.
#[derive(Clone, Debug)]
pub struct EdgeGap {
    /// The point.
    pub point: Marker,
    /// Number: radius about the point.
    pub radius: usize,
    /// A marker of what carries the edge.
    pub surface: Marker,
    /// Frame of the edge.
    pub frame: Orientation,
    /// Numbers: where it begins and ends.
    pub ends: [[usize; 2]; 2],
    /// Numbers: second derivatives by the parameter at both ends; none for a straight edge.
    pub bends: Option<[[usize; 2]; 2]>,
}

impl EdgeGap {
    /// The point in the frame of the edge.
    fn place<S: Scalar>(&self, q: &[S], numbers: &[S]) -> [S; 2] {
        let place: [S; 2] = self.point.position(q, numbers);
        self.surface.locate(place, q, numbers)
    }

    fn cubic<S: Scalar>(&self, numbers: &[S]) -> Cubic<S> {
        let pair = |of: [usize; 2]| of.map(|number| numbers[number]);
        Cubic {
            ends: self.ends.map(pair),
            bends: self.bends.map(|bends| bends.map(pair)),
        }
    }

    /// Unit normal in the frame of the edge and the place below the point.
    fn below<S: Scalar>(&self, p: [S; 2], numbers: &[S]) -> ([S; 2], [S; 2]) {
        let cubic = self.cubic(numbers);
        let [c, d, _] = cubic.at(cubic.foot(p));
        (divided([-d[1], d[0]], norm(d)), c)
    }

    /// The largest curvature towards the left, 1/m, from the element's own numbers; negative where the edge turns away from there.
    pub fn sharpest(&self, numbers: &[f64]) -> f64 {
        let cubic = self.cubic(numbers);
        let curvature = |k: u32| {
            let [_, d, e] = cubic.at(f64::from(k) / f64::from(OUTLINE));
            (d[0] * e[1] - d[1] * e[0]) / norm(d).powi(3)
        };
        (0..=OUTLINE).map(curvature).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Places on the edge in the ground frame, from its begin to its end, from the element's own coordinates and numbers.
    pub fn outline<const D: usize>(&self, q: &[f64], numbers: &[f64]) -> Vec<[f64; D]> {
        let parts = if self.bends.is_some() { OUTLINE } else { 1 };
        let (cubic, first) = (self.cubic(numbers), numbers.len());
        let marker = self.surface.placed_by([first, first + 1, first + 1], D);
        let place = |k: u32| {
            let [place, ..] = cubic.at(f64::from(k) / f64::from(parts));
            marker.position(q, &[numbers, &place].concat())
        };
        (0..=parts).map(place).collect()
    }

    /// Unit normal in the ground frame.
    pub fn unit_normal<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> [S; D] {
        let (normal, _) = self.below(self.place(q, numbers), numbers);
        let normal: [S; 2] = self.frame.turn(q, normal);
        each(|k| if k < 2 { normal[k] } else { S::from(0.0) })
    }

    /// Gap in metres.
    pub fn value<S: Scalar>(&self, q: &[S], numbers: &[S], c: &mut [S]) {
        let p = self.place(q, numbers);
        let (normal, below) = self.below(p, numbers);
        c[0] = dot(normal, difference(below, p)) - numbers[self.radius];
    }
}

/// An edge with its numbers.
struct Cubic<S> {
    ends: [[S; 2]; 2],
    bends: Option<[[S; 2]; 2]>,
}

impl<S: Scalar> Cubic<S> {
    /// Place on the edge, with its first and second derivative by the parameter, which is 0 and 1 at the ends.
    fn at(&self, u: S) -> [[S; 2]; 3] {
        let [a, b] = self.ends;
        let rest = -u + 1.0;
        let along = each(|k| b[k] - a[k]);
        let chord: [S; 2] = each(|k| a[k] * rest + b[k] * u);
        let Some([ma, mb]) = self.bends else {
            return [chord, along, [S::from(0.0); 2]];
        };
        let (before, after) = (rest * rest, u * u);
        let (fa, fb) = ((before - 1.0) * rest / 6.0, (after - 1.0) * u / 6.0);
        let (sa, sb) = ((-before * 3.0 + 1.0) / 6.0, (after * 3.0 - 1.0) / 6.0);
        [
            each(|k| chord[k] + ma[k] * fa + mb[k] * fb),
            each(|k| along[k] + ma[k] * sa + mb[k] * sb),
            each(|k| ma[k] * rest + mb[k] * u),
        ]
    }

    /// Parameter of the place of the edge that is nearest to a point, exact in all derivatives of the scalar.
    fn foot(&self, p: [S; 2]) -> S {
        let [a, along, _] = self.at(S::from(0.0));
        let Some(bends) = self.bends else {
            return dot(along, difference(a, p)) / dot(along, along);
        };
        let real = Cubic {
            ends: self.ends.map(|end| end.map(|x| x.re())),
            bends: Some(bends.map(|bend| bend.map(|x| x.re()))),
        };
        let mut u = S::from(real.nearest_again(p.map(|x| x.re())));
        // Each Newton step doubles the derivatives that are exact.
        let mut exact = 0;
        while exact < S::NDERIV {
            let [c, d, e] = self.at(u);
            let arm = difference(c, p);
            u += dot(d, arm) / (dot(d, d) - dot(e, arm));
            exact = 2 * exact + 1;
        }
        u
    }
}

impl Cubic<f64> {
    /// Half the squared distance from a point, with its first and second derivative by the parameter.
    fn slopes(&self, u: f64, p: [f64; 2]) -> [f64; 3] {
        let [c, d, e] = self.at(u);
        let arm = difference(c, p);
        [0.5 * dot(arm, arm), -dot(d, arm), dot(d, d) - dot(e, arm)]
    }

    /// The nearest place, found once where one pass after another asks for it.
    fn nearest_again(&self, p: [f64; 2]) -> f64 {
        thread_local! {
            static LAST: Cell<([[f64; 2]; 5], f64)> = const { Cell::new(([[f64::NAN; 2]; 5], 0.0)) };
        }
        let ([a, b], [ma, mb]) = (self.ends, self.bends.unwrap_or_default());
        let asked = [p, a, b, ma, mb];
        let (last, mut found) = LAST.get();
        if last != asked {
            found = self.nearest(p);
            LAST.set((asked, found));
        }
        found
    }

    /// Parameter of the nearest place: Newton steps from the nearest of some samples, towards smaller distances only.
    fn nearest(&self, p: [f64; 2]) -> f64 {
        let (mut u, mut least) = (0.0, f64::INFINITY);
        for k in 0..=SAMPLES {
            let sample = f64::from(k) / f64::from(SAMPLES);
            let [distance, ..] = self.slopes(sample, p);
            if distance < least {
                (u, least) = (sample, distance);
            }
        }
        for _ in 0..MOST_STEPS {
            let [_, slope, bend] = self.slopes(u, p);
            // Where the distance has no minimum near, the sample is as good as any other place.
            let step = -slope / bend.abs().max(f64::MIN_POSITIVE);
            let next = (u + step.clamp(-0.25, 0.25)).clamp(-BEYOND, 1.0 + BEYOND);
            let change = next - u;
            u = next;
            if change.abs() <= NEAR {
                let [_, slope, bend] = self.slopes(u, p);
                return u - slope / bend;
            }
        }
        u
    }
}
