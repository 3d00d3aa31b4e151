//! Which contacts may touch while the state stays within bounds (theory, 8): of the others no gap is evaluated.
//!
//! The places of points and circles within the bounds are boxes. Boxes of two circles that touch each other are found by
//! sweeping along an axis, so that the cost is in proportion to the circles and to what is near.

use std::collections::HashMap;

use crate::hybrid::Bounds;
use crate::model::Model;
use crate::model::constraint::{Constraint, ConstraintKind};
use crate::model::contact::{Contact, PlaneGap};
use crate::model::marker::{Base, Marker, Orientation, Place};

/// Rounding of a place, over the size of what it is the sum of.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Lower and upper bound.
type Interval = [f64; 2];

/// Bounds of a place, zeros beyond the dimension.
type Box3 = [Interval; 3];

/// The contacts of a model by what bounds their gaps.
#[derive(Clone, Debug, Default)]
pub(super) struct Nearness {
    centres: Vec<Centre>,
    /// Contacts of two circles, by their centres, ascending.
    pairs: Vec<Pair>,
    /// Centres with the contacts that they have with planes that do not move.
    planes: Vec<(usize, usize)>,
    /// Contacts whose gaps nothing bounds.
    unbounded: Vec<usize>,
}

/// A place that circles are about.
#[derive(Clone, Copy, Debug)]
struct Centre {
    /// By the model's indices.
    marker: Marker,
    /// Largest radius of the circles that touch others.
    radius: f64,
}

/// A contact of two circles.
#[derive(Clone, Copy, Debug)]
struct Pair {
    centres: [usize; 2],
    contact: usize,
    /// Sum of the radii.
    radii: f64,
}

/// Scratch of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct NearScratch {
    boxes: Vec<Box3>,
    order: Vec<usize>,
    /// Contacts that may touch, ascending.
    pub found: Vec<usize>,
}

impl Nearness {
    /// The contacts of a model.
    pub fn new(model: &Model) -> Self {
        let (mut found, mut known) = (Self::default(), HashMap::new());
        for (contact, element) in model.contacts.iter().enumerate() {
            let constraint = &model.constraints[element.gap];
            let number = |i: usize| model.numbers[constraint.local.numbers[i]].value;
            let mut centre = |marker: Marker, radius: f64| {
                let marker = marker.global(&constraint.local, model.dimension);
                let centre = *known.entry(marker).or_insert_with(|| {
                    found.centres.push(Centre { marker, radius });
                    found.centres.len() - 1
                });
                found.centres[centre].radius = found.centres[centre].radius.max(radius);
                centre
            };
            match &constraint.kind {
                _ if !is_plain(model, element, constraint) => found.unbounded.push(contact),
                ConstraintKind::CircleGap(gap) if !gap.inside => {
                    let [a, b] = gap.radii.map(number);
                    let mut centres = [centre(gap.a, a), centre(gap.b, b)];
                    centres.sort_unstable();
                    let radii = (a + b) * (1.0 + ROUNDING);
                    if centres[0] == centres[1] || !radii.is_finite() {
                        found.unbounded.push(contact);
                        continue;
                    }
                    found.pairs.push(Pair {
                        centres,
                        contact,
                        radii,
                    });
                }
                ConstraintKind::PlaneGap(gap) if gap.through.is_ground() && gap.frame == Orientation::Ground => {
                    found.planes.push((centre(gap.point, 0.0), contact));
                }
                _ => found.unbounded.push(contact),
            }
        }
        found.pairs.sort_unstable_by_key(|pair| (pair.centres, pair.contact));
        found
    }

    /// The same with nothing known of any gap.
    pub fn of_nothing(model: &Model) -> Self {
        Self {
            unbounded: (0..model.contacts.len()).collect(),
            ..Self::default()
        }
    }

    /// Finds at least the contacts whose gaps may be no larger than `reach` within the bounds of the coordinates.
    pub fn find(&self, model: &Model, numbers: &[f64], within: &Bounds, reach: f64, scratch: &mut NearScratch) {
        let NearScratch { boxes, order, found } = scratch;
        boxes.clear();
        let places = (self.centres.iter()).map(|centre| place(&centre.marker, model.dimension, within, numbers));
        boxes.extend(places);
        found.clear();
        let known = |centre: &Centre| centre.radius.is_finite();
        if !self.centres.iter().all(known) || boxes.iter().flatten().flatten().any(|bound| !bound.is_finite()) {
            found.extend(0..model.contacts.len());
            return;
        }
        found.extend(&self.unbounded);
        for &(centre, contact) in &self.planes {
            let constraint = &model.constraints[model.contacts[contact].gap];
            if let ConstraintKind::PlaneGap(gap) = &constraint.kind {
                let gap = least_gap(gap, constraint, &boxes[centre], model.dimension, numbers);
                found.extend(Some(contact).filter(|_| is_within(gap, reach)));
            }
        }
        if !self.pairs.is_empty() {
            self.sweep(reach, boxes, order, found);
        }
        found.sort_unstable();
    }

    /// Finds the pairs of circles that may be near, along the axis on which they spread most.
    fn sweep(&self, reach: f64, boxes: &[Box3], order: &mut Vec<usize>, found: &mut Vec<usize>) {
        let radius = |i: usize| self.centres[i].radius;
        let axis = (0..3)
            .map(|k| (k, spread(boxes, k)))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map_or(0, |(k, _)| k);
        // Half of the reach belongs to either circle.
        let lower = |i: usize| boxes[i][axis][0] - radius(i) - 0.5 * reach;
        let upper = |i: usize| boxes[i][axis][1] + radius(i) + 0.5 * reach;
        if order.len() != boxes.len() {
            order.clear();
            order.extend(0..boxes.len());
        }
        // Nearly sorted since the last step.
        order.sort_unstable_by(|&a, &b| lower(a).total_cmp(&lower(b)));
        for (k, &i) in order.iter().enumerate() {
            let end = upper(i);
            for &j in order[k + 1..].iter().take_while(|&&j| lower(j) <= end) {
                let apart = distance(&boxes[i], &boxes[j]);
                if is_within(apart - radius(i) - radius(j), reach) {
                    let centres = [i.min(j), i.max(j)];
                    let first = self.pairs.partition_point(|pair| pair.centres < centres);
                    let same = self.pairs[first..].iter().take_while(|pair| pair.centres == centres);
                    let near = same.filter(|pair| is_within(apart - pair.radii, reach));
                    found.extend(near.map(|pair| pair.contact));
                }
            }
        }
    }
}

/// Whether a least gap does not rule a contact out; whatever is not a number does not.
fn is_within(gap: f64, reach: f64) -> bool {
    gap <= reach || gap.is_nan()
}

/// Whether the gap of a contact is that of its constraint, and constant numbers say where and how large its sides are.
fn is_plain(model: &Model, contact: &Contact, constraint: &Constraint) -> bool {
    let constant = |&number: &usize| number < model.memory_start() && !model.follows(number);
    contact.ratchet.is_none() && constraint.local.numbers.iter().all(constant)
}

fn spread(boxes: &[Box3], axis: usize) -> f64 {
    let ends = boxes.iter().map(|bounds| bounds[axis]);
    let [low, high] = ends.fold([f64::INFINITY, f64::NEG_INFINITY], |all, own| {
        [all[0].min(own[0]), all[1].max(own[1])]
    });
    high - low
}

/// Least distance of places in two boxes, less rounding.
fn distance(a: &Box3, b: &Box3) -> f64 {
    let (mut square, mut size) = (0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        let apart = (b[0] - a[1]).max(a[0] - b[1]).max(0.0);
        square += apart * apart;
        size += a[0].abs() + a[1].abs() + b[0].abs() + b[1].abs();
    }
    square.sqrt() - ROUNDING * size
}

/// Least gap of a circle about a place in a box to a plane that does not move, less rounding.
fn least_gap(gap: &PlaneGap, constraint: &Constraint, bounds: &Box3, dimension: usize, numbers: &[f64]) -> f64 {
    let number = |i: usize| numbers[constraint.local.numbers[i]];
    let Marker::Base(Base::Ground(through)) = gap.through else {
        return f64::NEG_INFINITY;
    };
    let (mut least, mut square, mut size) = (0.0, 0.0, 0.0);
    for k in 0..dimension {
        let (normal, origin) = (number(gap.normal[k]), number(through[k]));
        least += f64::min(normal * (bounds[k][0] - origin), normal * (bounds[k][1] - origin));
        square += normal * normal;
        size += bounds[k][0].abs() + bounds[k][1].abs() + origin.abs();
    }
    least / square.sqrt() - number(gap.radius) * (1.0 + ROUNDING) - ROUNDING * size
}

/// Bounds of the place of a marker.
fn place(marker: &Marker, dimension: usize, within: &Bounds, numbers: &[f64]) -> Box3 {
    let mut found = [[0.0; 2]; 3];
    let axes = 0..dimension.min(3);
    match *marker {
        Marker::Base(base) => axes.for_each(|k| found[k] = of_base(base, k, within, numbers)),
        Marker::Offset { point, offset } => {
            axes.for_each(|k| found[k] = sum(within(point[k]), [numbers[offset[k]]; 2]));
        }
        Marker::OnBar(bar) => {
            let end = |base: Base, k: usize| of_base(base, k, within, numbers);
            let (s, h) = bar.fractions(numbers);
            let arm = |k: usize| sum(end(bar.to, k), times(-1.0, end(bar.from, k)));
            axes.for_each(|k| found[k] = sum(times(1.0 - s, end(bar.from, k)), times(s, end(bar.to, k))));
            if let Some(h) = h {
                found[0] = sum(found[0], times(-h, arm(1)));
                found[1] = sum(found[1], times(h, arm(0)));
            }
        }
        Marker::OnBody { body, place } => {
            let arm = numbers[place[0]].hypot(numbers[place[1]]);
            axes.take(2).for_each(|k| found[k] = sum(within(body[k]), [-arm, arm]));
        }
        Marker::OnSolid { origin, place, .. } => {
            let arm = place.iter().fold(0.0, |sum: f64, &i| sum.hypot(numbers[i]));
            axes.for_each(|k| found[k] = sum(within(origin[k]), [-arm, arm]));
        }
    }
    found
}

fn of_base(base: Base, axis: usize, within: &Bounds, numbers: &[f64]) -> Interval {
    let component = |place: Place| place[axis];
    match base {
        Base::Ground(place) => [numbers[component(place)]; 2],
        Base::Point(place) => within(component(place)),
    }
}

/// The sum of two intervals, with its rounding.
fn sum(a: Interval, b: Interval) -> Interval {
    let size = ROUNDING * (a[0].abs() + a[1].abs() + b[0].abs() + b[1].abs());
    [a[0] + b[0] - size, a[1] + b[1] + size]
}

fn times(factor: f64, a: Interval) -> Interval {
    let ends = [factor * a[0], factor * a[1]];
    [ends[0].min(ends[1]), ends[0].max(ends[1])]
}
