//! Names beside what they are of, where they cover no other text.

use kiss3d::prelude::Vec2;
use kiss3d::window::Window;

use super::backdrop::Page;
use super::camera::Sight;
use super::palette;
use crate::appearance::{INK, Item};
use crate::show::{Room, Show};

/// Size of names, in pixels of a picture 720 pixels high, and the least in pixels.
const TEXT: f32 = 25.0;
const LEAST: f32 = 13.0;
/// Parts of this size: the usual width of a letter, a line, and the base line from the top.
const LETTER: f32 = 0.47;
const LINE: f32 = 0.86;
const BASE: f32 = 0.78;
/// Room that the title and legends may take, and coordinates at the edges, in pixels of a picture 720 pixels high.
const HEAD: f32 = 76.0;
const TITLE_LETTER: f32 = 15.0;
const LEGEND: f32 = 260.0;
const EDGES: [f32; 2] = [62.0, 32.0];
/// Width of the paper around letters, in parts of the size.
const HALO: f32 = 0.09;

/// Draws names of points, joints, bodies and forces, as far as there is room beside them; legends reach down to `below`, in
/// pixels of a picture 720 pixels high.
pub(super) fn draw(window: &mut Window, page: &Page, sight: &Sight, (show, items): (&Show, &[Item]), below: f32) {
    let size = (TEXT * page.unit).max(LEAST);
    let bar = sight.placing.length(show.scale.bar) * page.size.y / (2.0 * sight.half_height());
    // Balls in space are thicker than bars.
    let aside = if show.is_planar() { 1.3 } else { 2.4 };
    let title = TITLE_LETTER * (show.experiment.name.chars().count() + 1) as f32;
    let [edge, foot] = EDGES.map(|side| side * page.unit);
    let free = page.free
        - if show.is_planar() {
            Vec2::new(edge, foot)
        } else {
            Vec2::new(0.0, foot)
        };
    let mut room = Room {
        size: [free.x, free.y].map(f64::from),
        line: f64::from(LINE * size),
        letter: f64::from(LETTER * size),
        aside: f64::from((aside * bar).max(0.3 * size)),
        taken: [[title, HEAD], [LEGEND, below]]
            .map(|corner| [0.0, 0.0, corner[0], corner[1]].map(|x| f64::from(x * page.unit)))
            .to_vec(),
    };
    // Points and joints, which come after bodies, choose first: a body may be named anywhere beside it.
    for (at, words) in show.names(items, show.scale.bar).into_iter().rev() {
        let beside = sight.pixel(at, page.size).to_array().map(f64::from);
        if let Some([x, y]) = room.find(&words, beside) {
            let corner = Vec2::new(x as f32, y as f32 - BASE * size);
            write(window, page, &words, corner, size);
        }
    }
}

/// Words on a line of paper, so that they can be read over what is drawn.
fn write(window: &mut Window, page: &Page, words: &str, corner: Vec2, size: f32) {
    let around = (0..8).map(|k| Vec2::from_angle(k as f32 * std::f32::consts::FRAC_PI_4) * HALO * size);
    for off in around {
        page.text_in(window, words, corner + off, size, palette::BACKGROUND);
    }
    page.text_in(window, words, corner, size, INK);
}
