//! Lists whose copies share what is the same in them.

use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// Entries of a part.
const PART: usize = 256;

/// A list of fixed length in parts: a copy shares them, and whoever changes an entry gets a part of its own. So what thousands of
/// modes say of a hundred thousand contacts takes little memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared<T> {
    parts: Vec<Arc<Vec<T>>>,
    len: usize,
}

impl<T: Clone> Shared<T> {
    /// A list of equal entries.
    pub fn new(value: T, len: usize) -> Self {
        let sizes = (0..len.div_ceil(PART)).map(|part| PART.min(len - part * PART));
        Self {
            parts: sizes.map(|size| Arc::new(vec![value.clone(); size])).collect(),
            len,
        }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The entries.
    pub fn iter(&self) -> impl Iterator<Item = &T> + Clone {
        self.parts.iter().flat_map(|part| part.iter())
    }

    /// Bytes held, of those that are shared the own share.
    pub fn bytes(&self) -> usize {
        let parts = self.parts.iter();
        let own: usize = parts.map(|part| size_of_val(&part[..]) / Arc::strong_count(part)).sum();
        own + size_of_val(&self.parts[..])
    }
}

impl<T: Clone + PartialEq> Shared<T> {
    /// Sets an entry; one that stays as it is remains shared.
    pub fn set(&mut self, index: usize, value: T) {
        if self[index] != value {
            self[index] = value;
        }
    }
}

impl<T> Index<usize> for Shared<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        &self.parts[index / PART][index % PART]
    }
}

impl<T: Clone> IndexMut<usize> for Shared<T> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        &mut Arc::make_mut(&mut self.parts[index / PART])[index % PART]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_keeps_what_it_was_and_shares_what_stays() {
        let first = Shared::new(0, 600);
        let mut second = first.clone();
        second[300] = 7;
        second.set(5, 0);
        assert_eq!((first[300], second[300], second.len()), (0, 7, 600));
        assert_eq!(second.iter().sum::<i32>(), 7);
        let shared = |part: usize| Arc::ptr_eq(&first.parts[part], &second.parts[part]);
        assert_eq!([0, 1, 2].map(shared), [true, false, true]);
        assert!(second.bytes() < first.bytes() + 256 * size_of::<i32>());
    }
}
