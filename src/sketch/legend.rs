//! What colours and arrows mean, below the drawing.

use super::Place;
use super::pencil::{LETTER, NAMES, Pen, Pencil, Rank};
use crate::appearance::Rgb;

/// Length of a stroke of colour, distance of its label, of the next entry and of the edges, in millimetres.
const STROKE: f64 = 6.0;
const ASIDE: f64 = 1.4;
const APART: f64 = 5.0;
const EDGE: f64 = 2.0;
/// Width of a stroke of colour.
const WIDTH: f64 = 0.9;
/// Distance of lines over their height.
const LEADING: f64 = 1.6;

/// What a sign of a colour means; none is the colour of the ink.
pub(super) struct Entry {
    pub colour: Option<Rgb>,
    /// Length of an arrow in millimetres, instead of a stroke.
    pub arrow: Option<f64>,
    pub label: String,
}

impl From<(Option<Rgb>, &str)> for Entry {
    fn from((colour, label): (Option<Rgb>, &str)) -> Self {
        Self {
            colour,
            arrow: None,
            label: label.to_string(),
        }
    }
}

/// Draws the entries below a page, as many in a line as there is room for; returns the height that they take.
pub(super) fn draw(pencil: &mut Pencil, entries: &[Entry]) -> f64 {
    let [wide, high] = pencil.frame.size;
    let step = LEADING * NAMES;
    let (mut left, mut line) = (EDGE, 0.0);
    for entry in entries {
        let sign = entry.arrow.unwrap_or(STROKE);
        let room = wide - 2.0 * EDGE - sign - ASIDE;
        let lines = broken(&entry.label, (room / (LETTER * NAMES)) as usize);
        let longest = lines.iter().map(|words| words.chars().count()).max();
        let width = sign + ASIDE + LETTER * NAMES * longest.unwrap_or(0) as f64;
        if left > EDGE && left + width > wide - EDGE {
            (left, line) = (EDGE, line + 1.0);
        }
        let place = |x: f64, line: f64| -> Place { [x, high + (line + 0.6) * step] };
        draw_sign(pencil, entry, [left, left + sign].map(|x| place(x, line)));
        for (k, words) in lines.iter().enumerate() {
            let [x, y] = place(left + sign + ASIDE, line + k as f64);
            pencil.write(words, [x, y + 0.35 * NAMES]);
        }
        left += width + APART;
        if lines.len() > 1 {
            (left, line) = (EDGE, line + lines.len() as f64);
        }
    }
    let lines = if left > EDGE { line + 1.0 } else { line };
    if lines > 0.0 { lines * step + EDGE } else { 0.0 }
}

fn draw_sign(pencil: &mut Pencil, entry: &Entry, ends: [Place; 2]) {
    let colour = entry.colour.map_or(pencil.ink(), |colour| pencil.shade(colour));
    if entry.arrow.is_some() {
        return pencil.vector(Rank::Label, ends, colour, 1);
    }
    let pen = Pen {
        colour,
        width: WIDTH,
        dashed: false,
    };
    pencil.line(Rank::Label, ends.to_vec(), pen);
}

/// A label in lines of at most this many letters, broken behind commas.
pub(super) fn broken(label: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in label.split_inclusive(", ") {
        match lines.last_mut() {
            Some(line) if line.chars().count() + part.trim_end().chars().count() <= most => line.push_str(part),
            _ => lines.push(part.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn long_labels_are_broken_behind_commas_and_nowhere_else() {
        assert_eq!(broken("a = 1, b = 2", 40), ["a = 1, b = 2"]);
        assert_eq!(broken("a = 1, b = 2, c = 3", 13), ["a = 1, b = 2, ", "c = 3"]);
        assert_eq!(broken("a long name = 1", 5), ["a long name = 1"]);
    }
}
