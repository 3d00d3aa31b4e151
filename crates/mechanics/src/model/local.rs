//! The few coordinates and numbers that one element sees.

use crate::linear::{Weight, pairs_within};
use crate::scalar::Scalar;

/// Most coordinates, and most numbers, that one element may use.
pub const MAX_LOCAL: usize = 26;

/// What the index of an element points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Coordinates and velocities.
    Coordinates,
    /// Numbers.
    Numbers,
}

/// Global indices of the coordinates and numbers that an element uses; element kinds hold indices into these lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Local {
    /// Indices into q and v, without repetition.
    pub coordinates: Vec<usize>,
    /// Indices into the numbers of the model, without repetition.
    pub numbers: Vec<usize>,
}

impl Local {
    /// Number of coordinates.
    pub fn width(&self) -> usize {
        self.coordinates.len()
    }

    /// The model's index for a local one.
    pub fn global(&self, list: List, i: usize) -> usize {
        match list {
            List::Coordinates => self.coordinates[i],
            List::Numbers => self.numbers[i],
        }
    }

    /// The local index for one of the model's, appended when new.
    pub fn index(&mut self, list: List, global: usize) -> usize {
        match list {
            List::Coordinates => self.coordinate(global),
            List::Numbers => self.number(global),
        }
    }

    /// The element's coordinates (or velocities) picked from a global vector, as constants of the scalar.
    #[inline]
    pub fn gather<S: Scalar>(&self, global: &[f64]) -> [S; MAX_LOCAL] {
        self.coordinates_by(|i| S::from(global[i]))
    }

    /// The element's numbers as constants of the scalar.
    #[inline]
    pub fn gather_numbers<S: Scalar>(&self, numbers: &[f64]) -> [S; MAX_LOCAL] {
        self.numbers_by(|i| S::from(numbers[i]))
    }

    /// The element's coordinates picked from a global vector of the same scalar.
    #[inline]
    pub fn pick<S: Scalar>(&self, global: &[S]) -> [S; MAX_LOCAL] {
        self.coordinates_by(|i| global[i])
    }

    /// The element's numbers picked from a global vector of the same scalar.
    #[inline]
    pub fn pick_numbers<S: Scalar>(&self, numbers: &[S]) -> [S; MAX_LOCAL] {
        self.numbers_by(|i| numbers[i])
    }

    /// The element's coordinates by their global indices; zero beyond its own.
    #[inline(always)]
    pub fn coordinates_by<S: Scalar>(&self, value: impl Fn(usize) -> S) -> [S; MAX_LOCAL] {
        let mut local = [S::from(0.0); MAX_LOCAL];
        pairs_within(&mut local, &self.coordinates, |slot, &i| *slot = value(i));
        local
    }

    /// The element's numbers by their global indices; zero beyond its own.
    #[inline(always)]
    pub fn numbers_by<S: Scalar>(&self, value: impl Fn(usize) -> S) -> [S; MAX_LOCAL] {
        let mut local = [S::from(0.0); MAX_LOCAL];
        pairs_within(&mut local, &self.numbers, |slot, &i| *slot = value(i));
        local
    }

    /// Adds a local vector into a global one.
    #[inline]
    pub fn scatter_add<T: Weight>(&self, local: &[T], global: &mut [T]) {
        for (k, &i) in self.coordinates.iter().enumerate() {
            global[i] += local[k];
        }
    }

    /// Subtracts a local vector from a global one.
    #[inline]
    pub fn scatter_subtract(&self, local: &[f64], global: &mut [f64]) {
        for (k, &i) in self.coordinates.iter().enumerate() {
            global[i] -= local[k];
        }
    }

    /// Local index of a coordinate, appended when new.
    pub fn coordinate(&mut self, global: usize) -> usize {
        position_or_push(&mut self.coordinates, global)
    }

    /// Local index of a number, appended when new.
    pub fn number(&mut self, global: usize) -> usize {
        position_or_push(&mut self.numbers, global)
    }
}

/// Buffers for the local arguments of one element after another, so that the hot path need not clear fresh ones.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// Coordinates; written by [`Scratch::load`].
    pub q: [f64; MAX_LOCAL],
    /// Velocities; written by [`Scratch::load`].
    pub v: [f64; MAX_LOCAL],
    /// Numbers; written by [`Scratch::load`].
    pub numbers: [f64; MAX_LOCAL],
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            q: [0.0; MAX_LOCAL],
            v: [0.0; MAX_LOCAL],
            numbers: [0.0; MAX_LOCAL],
        }
    }
}

impl Scratch {
    /// Loads an element's coordinates, velocities and numbers; entries beyond its own keep what they held.
    #[inline]
    pub fn load(&mut self, local: &Local, q: &[f64], v: &[f64], numbers: &[f64]) {
        for (k, &i) in local.coordinates.iter().enumerate().take(MAX_LOCAL) {
            self.q[k] = q[i];
            self.v[k] = v[i];
        }
        pairs_within(&mut self.numbers, &local.numbers, |slot, &i| *slot = numbers[i]);
    }
}

fn position_or_push(list: &mut Vec<usize>, item: usize) -> usize {
    list.iter().position(|&x| x == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

/// One value per argument of an expression: on the stack for few of them, without allocation, and as many as there are.
#[derive(Clone, Debug)]
pub struct Slots<S> {
    few: [S; MAX_LOCAL],
    many: Vec<S>,
    count: usize,
}

impl<S: Copy> Slots<S> {
    /// So many times the same value.
    pub fn new(count: usize, value: S) -> Self {
        let many = if count > MAX_LOCAL {
            vec![value; count]
        } else {
            Vec::new()
        };
        Self {
            few: [value; MAX_LOCAL],
            many,
            count,
        }
    }
}

impl<S> std::ops::Deref for Slots<S> {
    type Target = [S];

    fn deref(&self) -> &[S] {
        if self.many.is_empty() {
            &self.few[..self.count]
        } else {
            &self.many
        }
    }
}

impl<S> std::ops::DerefMut for Slots<S> {
    fn deref_mut(&mut self) -> &mut [S] {
        if self.many.is_empty() {
            &mut self.few[..self.count]
        } else {
            &mut self.many
        }
    }
}
