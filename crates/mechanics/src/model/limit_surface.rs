//! Friction that feet of one body on one flat face can bear together: the limit surface of Goyal, Ruina and Papadopoulos (theory, 4.19).
//!
//! While the body slides on the face it has three velocities. They are given as y: those of the first foot along both tangents, and that of
//! another foot across the line between the two, by which the body turns. Forces along the face have the three parts w that belong to these, with the power w.y.

use nalgebra::{Matrix4, Vector4};

use super::tangential::{direction, inner, size};
use crate::scalar::{Scalar, each};

/// Most feet on one face that stick together.
pub const MOST_FEET: usize = 16;

/// Steps of Newton's method for the motion.
const MOST_STEPS: usize = 200;

/// Change of the motion, over itself, that is rounding.
const ROUNDING: f64 = 1e-15;

/// Excess of the force at a foot, over what it bears, up to which it stays in place.
const EXCESS: f64 = 1e-12;

/// Deviation of forces across a line, over what feet bear, up to which they are as large as they can be.
const ALIKE: f64 = 1e-7;

/// Each step with the matrix at the values gives the derivatives of one order more.
const ORDERS: usize = 4;

/// Feet of one body on one flat face.
#[derive(Clone, Copy, Debug)]
pub struct Feet<S> {
    count: usize,
    /// Velocity of each for a unit of that of the other foot, across the line to it, while the first one stays.
    turns: [[S; 2]; MOST_FEET],
    /// The direction across that line.
    across: [S; 2],
    /// The most that each bears.
    most: [S; MOST_FEET],
}

/// The motion against which feet hold a load best, in proportion to which they share it.
#[derive(Clone, Copy, Debug)]
pub struct Yielding<S> {
    /// Velocities, of power one with the load.
    pub motion: [S; 3],
    /// The load over the most of its kind that the feet bear.
    pub used: S,
    /// The foot that stays in place, if one does.
    pub pivot: Option<usize>,
}

impl<S: Scalar> Feet<S> {
    /// Feet by their places along the tangents, of which the first and one other, `turning`, carry what holds the body.
    pub fn new(places: &[[S; 2]], most: &[S], turning: usize) -> Self {
        let arm = |i: usize| [places[0][1] - places[i][1], places[i][0] - places[0][0]];
        let unit = size(arm(turning));
        let mut feet = Self {
            count: places.len().min(MOST_FEET),
            turns: [[S::from(0.0); 2]; MOST_FEET],
            across: arm(turning).map(|x| x / unit),
            most: [S::from(0.0); MOST_FEET],
        };
        for (i, most) in most.iter().enumerate().take(feet.count) {
            feet.turns[i] = arm(i).map(|x| x / unit);
            feet.most[i] = *most;
        }
        feet
    }

    /// The most that all bear that no moment turns.
    pub fn most(&self) -> S {
        self.most[..self.count]
            .iter()
            .fold(S::from(0.0), |sum, most| sum + *most)
    }

    /// Velocity of a foot.
    pub fn velocity(&self, i: usize, y: [S; 3]) -> [S; 2] {
        let turning = y[2] - inner(self.across, [y[0], y[1]]);
        each(|k| y[k] + self.turns[i][k] * turning)
    }

    /// Adds the parts of a force at a foot.
    pub fn add_force(&self, i: usize, force: [S; 2], parts: &mut [S; 3]) {
        let turning = inner(self.turns[i], force);
        for k in 0..2 {
            parts[k] += force[k] - self.across[k] * turning;
        }
        parts[2] += turning;
    }

    /// The force that these parts are, along the tangents.
    fn force(&self, parts: [S; 3]) -> [S; 2] {
        each(|k| parts[k] + self.across[k] * parts[2])
    }

    /// The direction across the line from the first foot to the one that turns.
    pub fn across(&self) -> [S; 2] {
        self.across
    }

    /// What the feet take of the power of a motion.
    fn dissipated(&self, y: [S; 3]) -> S {
        (0..self.count).fold(S::from(0.0), |sum, i| sum + self.most[i] * size(self.velocity(i, y)))
    }

    /// Rotation about a foot, of power one with a load; none where that has none.
    fn about(&self, foot: usize, load: [S; 3]) -> Option<[S; 3]> {
        let [x, y] = self.turns[foot];
        let own = inner(self.across, self.turns[foot]);
        let motion = [-x, -y, -own + 1.0];
        let (power, terms) = (dot(load, motion), reach(load) * reach(motion));
        (power.re().abs() > 1e-12 * terms).then(|| motion.map(|part| part / power))
    }

    /// How the feet share a load by a motion: each as much of what it bears, against its velocity; what stays in place has the rest.
    pub fn shares(&self, load: [S; 3], yielding: &Yielding<S>) -> [[S; 2]; MOST_FEET] {
        let mut found = [[S::from(0.0); 2]; MOST_FEET];
        let mut rest = self.force(load);
        for (i, share) in found.iter_mut().enumerate().take(self.count) {
            if Some(i) != yielding.pivot {
                let most = self.most[i] * yielding.used;
                *share = direction(self.velocity(i, yielding.motion)).map(|x| x * most);
                rest = each(|k| rest[k] - share[k]);
            }
        }
        if let Some(pivot) = yielding.pivot {
            found[pivot] = rest;
        }
        found
    }

    /// How the feet share no load at all, for its derivatives: with the least sum of squares over what each bears.
    pub fn least_squares(&self, load: [S; 3]) -> [[S; 2]; MOST_FEET] {
        let mut found = [[S::from(0.0); 2]; MOST_FEET];
        let all = self.most();
        if all.re() <= 0.0 {
            return found;
        }
        let weighted = |value: &dyn Fn(usize) -> S| {
            (0..self.count).fold(S::from(0.0), |sum, i| sum + self.most[i] * value(i)) / all
        };
        let mean: [S; 2] = each(|k| weighted(&|i| self.turns[i][k]));
        let arm = |i: usize| -> [S; 2] { each(|k| self.turns[i][k] - mean[k]) };
        let square = weighted(&|i| inner(arm(i), arm(i))) * all;
        let force = self.force(load);
        let turning = load[2] - inner(mean, force);
        for (i, share) in found.iter_mut().enumerate().take(self.count) {
            let (along, own) = (arm(i), self.most[i]);
            *share = each(|k| own * (force[k] / all + along[k] * turning / square));
        }
        found
    }

    /// The values alone.
    fn re(&self) -> Feet<f64> {
        Feet {
            count: self.count,
            turns: self.turns.map(|turn| turn.map(|x| x.re())),
            across: self.across.map(|x| x.re()),
            most: self.most.map(|most| most.re().max(0.0)),
        }
    }

    fn is_steady(&self) -> bool {
        let own = self.turns[..self.count]
            .iter()
            .flatten()
            .chain(&self.most[..self.count])
            .chain(&self.across);
        own.into_iter().all(S::is_steady)
    }

    /// The motion against which a load is held best; none without a load, or where nothing is borne.
    pub fn yielding(&self, load: [S; 3]) -> Option<Yielding<S>> {
        let values = self.re();
        let found = values.yielding_value(load.map(|part| part.re()))?;
        let motion = match found.pivot {
            Some(pivot) => self.about(pivot, load)?,
            None if self.is_steady() && load.iter().all(S::is_steady) => found.motion.map(S::from),
            None => self.corrected(&values, load, found.motion)?,
        };
        Some(Yielding {
            motion,
            used: self.dissipated(motion).recip(),
            pivot: found.pivot,
        })
    }

    /// What vanishes at the motion, with the power of the load and the multiplier of that.
    fn stationary(&self, load: [S; 3], y: [S; 3], multiplier: S) -> [S; 4] {
        let mut slope = [S::from(0.0); 3];
        for i in 0..self.count {
            let most = self.most[i];
            self.add_force(i, direction(self.velocity(i, y)).map(|x| x * most), &mut slope);
        }
        let rest: [S; 3] = each(|k| slope[k] - load[k] * multiplier);
        [rest[0], rest[1], rest[2], dot(load, y) - 1.0]
    }

    /// The derivatives of a motion that is known by its values.
    fn corrected(&self, values: &Feet<f64>, load: [S; 3], motion: [f64; 3]) -> Option<[S; 3]> {
        let inverse = values.matrix(load.map(|part| part.re()), motion).lu().try_inverse()?;
        let mut y = motion.map(S::from);
        let mut multiplier = self.dissipated(y);
        for _ in 0..ORDERS {
            let rest = self.stationary(load, y, multiplier);
            let change: [S; 4] = each(|i| (0..4).fold(S::from(0.0), |sum, j| sum + rest[j] * inverse[(i, j)]));
            y = each(|k| y[k] - change[k]);
            multiplier -= change[3];
        }
        Some(y)
    }
}

impl Feet<f64> {
    /// Convex: what the feet take of the power is least among motions of power one. Where one foot stays in place it has a kink; below the
    /// values there nothing has one.
    fn yielding_value(&self, load: [f64; 3]) -> Option<Yielding<f64>> {
        if reach(load) == 0.0 || self.most() <= 0.0 || !reach(load).is_finite() {
            return None;
        }
        let about = |i: usize| Some((i, self.about(i, load)?));
        let least =
            |a: &(usize, [f64; 3]), b: &(usize, [f64; 3])| self.dissipated(a.1).total_cmp(&self.dissipated(b.1));
        let best = (0..self.count).filter_map(about).min_by(least);
        let [x, y] = self.force(load);
        let along = [x, y, inner(self.across, [x, y])];
        let power = dot(load, along);
        let mut start = along.map(|part| part / power);
        if let Some((pivot, motion)) = best
            && !(power > 0.0 && self.dissipated(start) < (1.0 - EXCESS) * self.dissipated(motion))
        {
            match self.below(pivot, motion, load) {
                Some(lower) => start = lower,
                None => {
                    return Some(Yielding {
                        motion,
                        used: self.dissipated(motion).recip(),
                        pivot: Some(pivot),
                    });
                }
            }
        }
        let motion = self.descend(load, start)?;
        Some(Yielding {
            motion,
            used: self.dissipated(motion).recip(),
            pivot: None,
        })
    }

    /// Whether they are on one line, and a load across it takes each as far as it bears. Every motion across it without a turn between
    /// them is then one that it yields to.
    pub fn are_pulled_across(&self, load: [f64; 3]) -> bool {
        let is_across = |[x, y]: [f64; 2], reach: f64| (x * self.across[1] - y * self.across[0]).abs() <= ALIKE * reach;
        let in_line = |turn: &[f64; 2]| is_across(*turn, 1.0);
        let Some(yielding) = self.yielding_value(load) else {
            return false;
        };
        let shares = self.shares(load, &yielding);
        self.turns[..self.count].iter().all(in_line)
            && (0..self.count)
                .all(|i| is_across(shares[i], self.most[i]) && size(shares[i]) >= (1.0 - ALIKE) * self.most[i])
    }

    /// A motion that takes less than one about a foot; none where that is the one that takes least.
    fn below(&self, pivot: usize, motion: [f64; 3], load: [f64; 3]) -> Option<[f64; 3]> {
        let taken = self.dissipated(motion);
        let yielding = Yielding {
            motion,
            used: taken.recip(),
            pivot: Some(pivot),
        };
        let at_pivot = self.shares(load, &yielding)[pivot];
        if size(at_pivot) <= self.most[pivot] * yielding.used * (1.0 + EXCESS) {
            return None;
        }
        let [x, y] = direction(at_pivot);
        let along = [x, y, inner(self.across, [x, y])];
        let back = dot(load, along);
        let step: [f64; 3] = each(|k| along[k] - back * motion[k]);
        let mut length = reach(motion) / reach(step);
        for _ in 0..MOST_STEPS {
            let next: [f64; 3] = each(|k| motion[k] + length * step[k]);
            if self.dissipated(next) < taken {
                return Some(next);
            }
            length *= 0.5;
        }
        None
    }

    /// Newton's method, which goes down; none where nothing is least, as where one foot alone bears something.
    fn descend(&self, load: [f64; 3], mut y: [f64; 3]) -> Option<[f64; 3]> {
        let mut last = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let taken = self.dissipated(y);
            let rest = self.stationary(load, y, taken);
            let solved = self.matrix(load, y).lu().solve(&Vector4::from(rest))?;
            let step: [f64; 3] = each(|k| -solved[k]);
            let moved = reach(step) / reach(y);
            if !step.iter().all(|part| part.is_finite()) {
                return None;
            }
            let mut length = 1.0;
            let next = loop {
                let next: [f64; 3] = each(|k| y[k] + length * step[k]);
                // Beside rounding of what is taken, small steps are trusted.
                if self.dissipated(next) < taken || moved < 1e-6 {
                    break next;
                }
                length *= 0.5;
                if length < 1e-12 {
                    return Some(y);
                }
            };
            y = next;
            if moved <= ROUNDING || moved < 1e-12 && moved >= last {
                return Some(y);
            }
            last = moved;
        }
        None
    }

    /// Derivatives of what vanishes at the motion.
    fn matrix(&self, load: [f64; 3], y: [f64; 3]) -> Matrix4<f64> {
        let mut matrix = Matrix4::zeros();
        for i in 0..self.count {
            let velocity = self.velocity(i, y);
            let ([a, b], speed) = (direction(velocity), size(velocity));
            // (1 - s s^T)/|V| is q q^T/|V| with q across.
            let mut across = [0.0; 3];
            self.add_force(i, [-b, a], &mut across);
            for (j, one) in across.iter().enumerate() {
                for (k, other) in across.iter().enumerate() {
                    matrix[(j, k)] += self.most[i] / speed * one * other;
                }
            }
        }
        for k in 0..3 {
            (matrix[(k, 3)], matrix[(3, k)]) = (-load[k], load[k]);
        }
        matrix
    }
}

/// Product of motion and load.
pub(super) fn dot<S: Scalar>(a: [S; 3], b: [S; 3]) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn reach<S: Scalar>(x: [S; 3]) -> f64 {
    x.iter().fold(0.0, |most: f64, part| most.max(part.re().abs()))
}
