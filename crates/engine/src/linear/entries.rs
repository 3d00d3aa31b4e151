//! A vector without its zeros, over any scalar.

use crate::scalar::Scalar;

/// The entries of a vector, in any order and without repetition; the others are zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entries<S>(Vec<(usize, S)>);

impl<S: Scalar> Entries<S> {
    /// No entries, with room for this many.
    pub fn with_capacity(entries: usize) -> Self {
        Self(Vec::with_capacity(entries))
    }

    /// The unit vector of an index.
    pub fn unit(index: usize) -> Self {
        Self(vec![(index, S::from(1.0))])
    }

    /// Appends an entry of an index that has none yet.
    pub fn push(&mut self, index: usize, value: S) {
        self.0.push((index, value));
    }

    /// Adds to the entry of an index.
    pub fn add(&mut self, index: usize, value: S) {
        match self.0.iter_mut().find(|(i, _)| *i == index) {
            Some((_, entry)) => *entry += value,
            None => self.push(index, value),
        }
    }

    /// Indices with their values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (usize, S)> + Clone + '_ {
        self.0.iter().copied()
    }

    /// The entry of an index.
    pub fn entry(&self, index: usize) -> S {
        self.iter()
            .find(|(i, _)| *i == index)
            .map_or(S::from(0.0), |(_, value)| value)
    }

    /// Scalar product with a vector.
    pub fn dot(&self, x: &[S]) -> S {
        self.dot_by(|i| x[i])
    }

    /// Scalar product with a vector that is given by its entries.
    pub fn dot_by(&self, x: impl Fn(usize) -> S) -> S {
        self.iter().fold(S::from(0.0), |sum, (i, value)| sum + value * x(i))
    }

    /// y += factor times the vector.
    pub fn add_to(&self, factor: S, y: &mut [S]) {
        for (i, value) in self.iter() {
            y[i] += value * factor;
        }
    }

    /// The vector with its zeros, of this length.
    pub fn dense(&self, length: usize) -> Vec<S> {
        let mut dense = vec![S::from(0.0); length];
        for (i, value) in self.iter() {
            dense[i] = value;
        }
        dense
    }

    /// Its values without derivatives.
    pub fn re(&self) -> Entries<f64> {
        Entries(self.iter().map(|(i, value)| (i, value.re())).collect())
    }

    /// Largest magnitude of an entry; NaN if any is.
    pub fn max_abs(&self) -> f64 {
        self.iter().fold(0.0, |most, (_, value)| {
            let value = value.re().abs();
            if value > most || value.is_nan() { value } else { most }
        })
    }
}
