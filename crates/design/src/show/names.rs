//! Names of what is drawn, and where in a picture there is room for them.

use super::Show;
use crate::appearance::{Item, Owner, Shape, Vector};

impl Show {
    /// Names of points, bodies and forces with their places, and of joints at places that have no name; those of places nearer
    /// than this to each other, in metres, together.
    pub fn names(&self, items: &[Item], near: f64) -> Vec<(Vector, String)> {
        let model = self.model();
        let mut named: Vec<(Vector, Vec<&str>)> = Vec::new();
        let mut written: Vec<&str> = Vec::new();
        for item in items {
            let Some(beside) = place(&item.shape) else { continue };
            let (name, label) = (item.owner.name(model), self.appearance.label(&item.owner, model));
            // Pins that a bar has where it ends at no point are called after it.
            let of_bar = |stem: &str| model.bodies.iter().any(|body| body.name == stem);
            if matches!(item.owner, Owner::Group(_)) && name.split_once(" (").is_some_and(|(stem, _)| of_bar(stem)) {
                continue;
            }
            if label.is_empty() || written.contains(&name) {
                continue;
            }
            written.push(name);
            match named.iter_mut().find(|(at, _)| (*at - beside).norm() < near) {
                Some((_, names)) if names.contains(&label) => {}
                Some((_, names)) => names.push(label),
                None => named.push((beside, vec![label])),
            }
        }
        named.into_iter().map(|(at, names)| (at, names.join(", "))).collect()
    }
}

/// The place that the name of a shape stands beside.
fn place(shape: &Shape) -> Option<Vector> {
    match shape {
        Shape::Line(_, [a, b]) => Some((a + b) / 2.0),
        Shape::Plate(at, _) | Shape::Mass(at, _) | Shape::Joint(at, _) | Shape::Spiral(at) => Some(*at),
        Shape::Rail { slider: at, .. } | Shape::Arrow(at, _) | Shape::Axial(_, at, _) => Some(*at),
        Shape::Hinge(_, [_, at], _) => Some(*at),
        Shape::Solid(solid) => Some(solid.origin),
        Shape::Circle(..) | Shape::Spoke(..) | Shape::Surface(..) | Shape::Edge(..) => None,
    }
}

/// Lines above and below a place that names may stand on, the nearest first.
const LINES: [f64; 6] = [-1.0, 1.0, -2.0, 2.0, -3.0, 3.0];

/// Finds places for names in a picture; all lengths in its unit, from the upper left corner, y downwards.
#[derive(Clone, Debug)]
pub struct Room {
    /// Width and height of the picture.
    pub size: [f64; 2],
    /// Height of a line.
    pub line: f64,
    /// Usual width of a letter.
    pub letter: f64,
    /// Distance from the place that a name stands beside.
    pub aside: f64,
    /// Corners of what is taken: left, top, right, bottom.
    pub taken: Vec<[f64; 4]>,
}

impl Room {
    /// The left end of the base line of a name beside a place, where it lies within the picture and covers nothing that is
    /// taken; none where there is no room. The place is taken from then on.
    pub fn find(&mut self, words: &str, beside: [f64; 2]) -> Option<[f64; 2]> {
        let width = self.letter * words.chars().count() as f64;
        let places = LINES.into_iter().flat_map(|line| [(line, true), (line, false)]);
        let mut places = places.map(|(line, is_right)| self.beside(beside, width, line, is_right));
        let found = places.find(|at| self.is_free(*at, width))?;
        self.take(found, width);
        Some(found)
    }

    /// The same, and above on the right where there is no room.
    pub fn find_or_cover(&mut self, words: &str, beside: [f64; 2]) -> [f64; 2] {
        self.find(words, beside).unwrap_or_else(|| {
            let width = self.letter * words.chars().count() as f64;
            let at = self.beside(beside, width, LINES[0], true);
            self.take(at, width);
            at
        })
    }

    fn beside(&self, place: [f64; 2], width: f64, line: f64, is_right: bool) -> [f64; 2] {
        let x = match is_right {
            true => place[0] + self.aside,
            false => place[0] - self.aside - width,
        };
        let y = match line > 0.0 {
            true => self.aside + (line - 0.3) * self.line,
            false => (line + 1.0) * self.line - self.aside,
        };
        [x, place[1] + y]
    }

    fn is_free(&self, at: [f64; 2], width: f64) -> bool {
        let [left, top, right, bottom] = self.corners(at, width);
        let is_within = left > 0.0 && right < self.size[0] && top > 0.0 && bottom < self.size[1];
        let mut taken = self.taken.iter();
        is_within && !taken.any(|other| left < other[2] && other[0] < right && top < other[3] && other[1] < bottom)
    }

    fn take(&mut self, at: [f64; 2], width: f64) {
        self.taken.push(self.corners(at, width));
    }

    fn corners(&self, [x, y]: [f64; 2], width: f64) -> [f64; 4] {
        [x, y - self.line, x + width, y]
    }
}

#[cfg(test)]
mod tests {
    use super::Room;

    #[test]
    fn names_find_places_apart_from_each_other_until_there_is_no_room() {
        let mut room = Room {
            size: [100.0, 100.0],
            line: 10.0,
            letter: 5.0,
            aside: 2.0,
            taken: vec![[0.0, 0.0, 100.0, 20.0]],
        };
        let mut count = 0;
        while room.find("name", [50.0, 50.0]).is_some() {
            count += 1;
        }
        assert_eq!(count, 10, "two on each line below what is taken");
        let names = &room.taken;
        for (k, a) in names.iter().enumerate() {
            let covers = |b: &[f64; 4]| a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
            assert!(!names[..k].iter().any(covers), "{names:?}");
        }
        assert!(room.find("a name that is too long", [50.0, 90.0]).is_none());
        let before = room.taken.len();
        room.find_or_cover("name", [50.0, 50.0]);
        assert_eq!(room.taken.len(), before + 1);
    }
}
