//! The motion of a mechanism for other tools: a page for browsers, animated glTF, tables of poses, polygonal data for ParaView.
//!
//! From a [`Show`] to what the writers of [`output`](crate::output) take; the formats themselves are there.

mod camera;
mod file;
mod glb;
mod page;
mod polydata;
mod poses;
mod track;

pub use file::{Format, RATES, filmed, intervals, part};

use crate::run::Frame;
use crate::show::Show;

/// A part of a motion: states in the order of time, one a time.
#[derive(Debug)]
pub struct Motion<'a> {
    show: &'a Show,
    frames: Vec<Frame<'a>>,
}

impl<'a> Motion<'a> {
    /// The recorded states from one time to another, and those at the two. At the time of an event it is the state after
    /// it.
    pub fn new(show: &'a Show, from: f64, to: f64) -> Self {
        let film = &show.film;
        let inner = film.frames().filter(|frame| from < frame.t && frame.t < to);
        let mut frames: Vec<Frame> = Vec::new();
        for frame in film.frame(from).into_iter().chain(inner).chain(film.frame(to)) {
            match frames.last_mut().filter(|last| last.t == frame.t) {
                Some(last) => *last = frame,
                None => frames.push(frame),
            }
        }
        Self { show, frames }
    }

    /// The times of the states.
    pub fn times(&self) -> impl Iterator<Item = f64> {
        self.frames.iter().map(|frame| frame.t)
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }
}
