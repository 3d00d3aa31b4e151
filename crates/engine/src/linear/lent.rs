//! Lists that are lent for a moment: their memory comes from a store of the thread and goes back to it.
//!
//! For derivatives that are made of many short lists of several types of number, where a scratch that is handed through would double
//! every signature.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// Most lists of a type that wait; what a step needs at once is fewer.
const MOST: usize = 32;

thread_local! {
    /// One `Vec<Vec<T>>` per type of entry.
    static STORE: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// A list of fixed length.
pub struct Lent<T: Copy + 'static>(Vec<T>);

impl<T: Copy> Lent<T> {
    /// As many copies of an entry.
    pub fn new(n: usize, entry: T) -> Self {
        let mut list = Self(from_store());
        list.0.resize(n, entry);
        list
    }

    /// These entries.
    pub fn of(entries: impl IntoIterator<Item = T>) -> Self {
        let mut list = Self(from_store());
        list.0.extend(entries);
        list
    }
}

/// An empty list, with memory if any was given back.
fn from_store<T: 'static>() -> Vec<T> {
    STORE.with_borrow_mut(|store| lists(store).pop().unwrap_or_default())
}

/// The lists of a type that wait.
fn lists<T: 'static>(store: &mut Vec<Box<dyn Any>>) -> &mut Vec<Vec<T>> {
    let known = store.iter().position(|lists| lists.is::<Vec<Vec<T>>>());
    let place = known.unwrap_or_else(|| {
        store.push(Box::new(Vec::<Vec<T>>::new()));
        store.len() - 1
    });
    store[place].downcast_mut().expect("lists of this type")
}

impl<T: Copy> Drop for Lent<T> {
    fn drop(&mut self) {
        let mut list = std::mem::take(&mut self.0);
        list.clear();
        // The store of a thread that is ending is gone.
        let _ = STORE.try_with(|store| {
            let mut store = store.borrow_mut();
            let waiting = lists(&mut store);
            if waiting.len() < MOST {
                waiting.push(list);
            }
        });
    }
}

impl<T: Copy> Clone for Lent<T> {
    fn clone(&self) -> Self {
        Self::of(self.iter().copied())
    }
}

impl<T: Copy> Deref for Lent<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Copy> DerefMut for Lent<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Copy + fmt::Debug> fmt::Debug for Lent<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
