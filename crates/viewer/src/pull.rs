//! A part that the mouse draws on while the motion plays, by a spring that is not saved.

use kiss3d::prelude::Vec2;

use super::camera::Sight;
use super::inspect::{self, Hand};
use super::state::Viewer;
use crate::appearance::{Moving, Vector};
use crate::run::Pull;

/// Seconds of playback between two places of the hand that are told apart.
const STEP: f64 = 0.05;

impl Viewer {
    /// Lets the hand follow the mouse, as long as a part is held.
    pub(super) fn pull(&mut self, sight: &Sight, size: Vec2) {
        let (t, pixel) = (self.playback.t(), self.inspector.pointer.at);
        let is_held = self.inspector.pointer.pulls;
        match (self.hand, is_held) {
            (None, true) => self.hand = Some(self.take_hold(sight, (pixel, size)).map_or(Hand::Empty, Hand::Holds)),
            (Some(Hand::Holds(at)), true) => {
                self.predictions.hold(true);
                let (within, is_waiting) = (STEP * self.playback.speed(), !self.worker.is_busy());
                let Some(pull) = self.pulls.last_mut() else { return };
                let (first, last) = (pull.path[0].0, pull.path[pull.path.len() - 1].0);
                if t < first {
                    // It starts again: the hand held on to the end.
                    self.hand = Some(Hand::Empty);
                } else if !self.playback.playing {
                    self.inspector.pointer.pulls = false;
                } else if t >= last && is_waiting {
                    let before = pull.path.len();
                    pull.move_to(t, within, sight.beside(at, pixel, size).into());
                    if pull.path.len() > before {
                        self.order();
                    }
                }
            }
            (Some(Hand::Holds(_)), false) => {
                self.hand = None;
                if let Some(pull) = self.pulls.last_mut() {
                    pull.until = Some(t.max(pull.path[0].0));
                    self.order();
                }
            }
            (Some(Hand::Empty), false) => self.hand = None,
            (Some(Hand::Empty), true) | (None, false) => {}
        }
    }

    /// Holds the part under a pixel, if it moves; where.
    fn take_hold(&mut self, sight: &Sight, (pixel, size): (Vec2, Vec2)) -> Option<Vector> {
        let t = self.playback.t();
        let (show, model) = (&self.show, self.show.model());
        let owner = inspect::under(show, t, sight, (pixel, size))?;
        let mut moving = Moving::all(model).into_iter();
        let part = moving.find(|moving| moving.name == owner.name(model))?;
        let frame = show.film.frame(t)?;
        let placed = show.placements(std::slice::from_ref(&part), &frame, &[])[0];
        let at = sight.beside(placed.at, pixel, size);
        let own = placed.rotation.inverse() * (at - placed.at);
        let pull = Pull::new(model, self.playback.speed(), (&part.name, own.into()), (t, at.into()));
        // What was drawn later has not happened.
        self.pulls.retain(|pull| pull.path[0].0 < t);
        for earlier in &mut self.pulls {
            earlier.until = Some(earlier.until.map_or(t, |until| until.min(t)));
        }
        self.pulls.push(pull);
        self.playback.playing = true;
        self.order();
        Some(at)
    }
}
