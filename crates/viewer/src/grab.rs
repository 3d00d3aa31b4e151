//! A part that is drawn along with the mouse: the parameter that moves it that way follows.

use kiss3d::prelude::Vec2;

use super::camera::Sight;
use super::inspect::{self, Along, Grab, Held};
use super::state::Viewer;
use crate::appearance::{Item, Shape, Vector};
use crate::show::Ghost;

/// Pixels that the mouse moves before it is known which way.
const NEAR: f32 = 6.0;
/// Part of a slider over which the slope of a place is measured.
const STEP: f64 = 1e-3;
/// Least part of a way that a parameter must explain, and least pixels over its slider.
const ALONG: f32 = 0.5;
const FEWEST: f32 = 2.0;

impl Viewer {
    /// Lets the parameter follow the mouse, as long as a part is held.
    pub(super) fn follow_mouse(&mut self, sight: &Sight, size: Vec2) {
        let Some(from) = self.inspector.pointer.grabbed else {
            self.grab = None;
            return;
        };
        // Sliders that are not held have been told so in this frame.
        self.predictions.hold(true);
        if self.grab.as_ref().is_none_or(|grab| grab.from != from) {
            // The place stands still while it is held.
            self.playback.seek(self.playback.t());
            let held = self.held(from, sight, size);
            self.grab = Some(Grab {
                from,
                held,
                along: None,
            });
        }
        let way = self.inspector.pointer.at - from;
        let Some(Grab {
            held: Some(held),
            along,
            ..
        }) = &self.grab
        else {
            return;
        };
        let along = match along {
            Some(along) => *along,
            None if way.length() < NEAR => return,
            None => match self.along(*held, way, sight, size) {
                Some(found) => found,
                None => return,
            },
        };
        if let Some(grab) = &mut self.grab {
            grab.along = Some(along);
        }
        let change = f64::from(way.dot(along.slope) / along.slope.length_squared());
        let (low, high) = self.ranges[along.parameter];
        let value = (along.value + change).clamp(low, high);
        if value != self.values[along.parameter] {
            self.set(along.parameter, value);
        }
    }

    /// What lies under a pixel, and which of its places is nearest.
    fn held(&self, pixel: Vec2, sight: &Sight, size: Vec2) -> Option<Held> {
        let t = self.playback.t();
        let index = inspect::item_under(&self.show, t, sight, (pixel, size))?;
        let items = self.show.items(t);
        let item = items.get(index)?;
        let off = |at: &Vector| (sight.pixel(*at, size) - pixel).length();
        let places = places(item).into_iter().enumerate();
        let (nearest, _) = places.min_by(|(_, a), (_, b)| off(a).total_cmp(&off(b)))?;
        Some((index, item.owner, nearest))
    }

    /// The parameter that moves what is held most nearly along a way; none without predictions.
    fn along(&self, held: Held, way: Vec2, sight: &Sight, size: Vec2) -> Option<Along> {
        let (t, ghost) = (self.playback.t(), self.predictions.ghost()?);
        let start = place(&ghost.items(t, &ghost.unchanged()).ok()?, held)?;
        let parameters = self.show.model().parameters.iter().enumerate();
        let slopes = parameters.filter_map(|(k, parameter)| {
            let (low, high) = self.ranges[k];
            let step = STEP * (high - low);
            let moved = moved(ghost, &parameter.name, step, t, held)?;
            // The step is small in pixels, too: a longer one along the same line.
            let [from, to] = [start, start + (moved - start) / STEP].map(|at| sight.pixel(at, size));
            let over_slider = to - from;
            let explained = (way.dot(over_slider) / (way.length() * over_slider.length())).abs();
            let serves = over_slider.length() > FEWEST && explained > ALONG;
            let along = Along {
                parameter: k,
                value: ghost.value(&parameter.name)?,
                slope: over_slider / (high - low) as f32,
            };
            serves.then_some((explained, along))
        });
        let (_, best) = slopes.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
        Some(best)
    }
}

/// Where what is held is predicted with another value of a parameter.
fn moved(ghost: &Ghost, parameter: &str, step: f64, t: f64, held: Held) -> Option<Vector> {
    let change = ghost.change(parameter, ghost.value(parameter)? + step)?;
    place(&ghost.items(t, &change).ok()?, held)
}

/// The place that is held, unless the mechanism is in another mode.
fn place(items: &[Item], (index, owner, nearest): Held) -> Option<Vector> {
    let item = items.get(index).filter(|item| item.owner == owner)?;
    let at = places(item).get(nearest).copied()?;
    at.iter().all(|x| x.is_finite()).then_some(at)
}

/// The places of an item that may be held: the ends of what has a length.
fn places(item: &Item) -> Vec<Vector> {
    match &item.shape {
        Shape::Solid(solid) => vec![solid.origin],
        Shape::Circle(centre, _) | Shape::Spoke(centre, ..) => vec![*centre],
        shape => shape.anchors(),
    }
}
