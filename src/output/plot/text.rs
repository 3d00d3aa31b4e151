//! The embedded font and the width of text.

use std::sync::OnceLock;

use plotters::style::{FontStyle, IntoFont, register_font};

/// Name of the embedded font, followed by fonts that are no wider, for viewers of an SVG that do not have it.
pub(super) const FAMILY: &str = "DejaVu Sans, Verdana, Arial, Helvetica, sans-serif";

/// Height of a line of the font in its em: the drawing library gives font sizes as line heights.
pub(super) const LINE_HEIGHT: f64 = 1.164;

/// The same ratio as the SVG backend assumes it.
pub(super) const SVG_HEIGHT: f64 = 1.24;

/// First of the scripts whose characters fill an em; none of them is in the embedded font.
const WIDE: char = '\u{1100}';

/// Line height at which text is measured, large because measures are integers.
const MEASURE: f64 = 1000.0;

/// Makes the embedded font known to the drawing library.
pub(super) fn register() {
    static ONCE: OnceLock<bool> = OnceLock::new();
    ONCE.get_or_init(|| {
        let bytes = include_bytes!("../../../assets/fonts/DejaVuSans.ttf");
        register_font(FAMILY, FontStyle::Normal, bytes).is_ok()
    });
}

/// Width of a text whose em is `size`.
pub(super) fn width(text: &str, size: f64) -> f64 {
    register();
    let (wide, narrow): (Vec<char>, Vec<char>) = text
        .chars()
        .partition(|c| *c >= WIDE && !('\u{1e00}'..'\u{2300}').contains(c));
    let narrow: String = narrow.into_iter().collect();
    let measured = (FAMILY, MEASURE)
        .into_font()
        .box_size(&narrow)
        .map_or(narrow.len() as f64 * MEASURE, |(w, _)| f64::from(w));
    (measured / MEASURE * LINE_HEIGHT + wide.len() as f64) * size
}

/// The text on one line, its end replaced by an ellipsis when it is wider than `room`.
pub(super) fn shorten(text: &str, size: f64, room: f64) -> String {
    let mut line: Vec<char> = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let whole: String = line.iter().collect();
    if width(&whole, size) <= room {
        return whole;
    }
    // The narrowest character is a fifth of an em: more of them never fit.
    line.truncate((room / size * 5.0) as usize);
    loop {
        let start: String = line.iter().collect();
        let short = format!("{}…", start.trim_end());
        if line.is_empty() || width(&short, size) <= room {
            return short;
        }
        line.pop();
    }
}
