//! Texts of a scene go to terminals and tables, so that they must not command them.

use std::ops::Range;

use crate::error::is_control;
use crate::scene::locate::{Outline, Shape, text_value};

/// The first text with a control character, and what it is. Line breaks and tabs may stand in expressions and remarks, but
/// not in names and units.
pub fn with_control(text: &str) -> Option<(Range<usize>, &'static str)> {
    let outline = Outline::new(text);
    let has = |place: Range<usize>, refused: fn(char) -> bool| {
        text_value(text, place).is_some_and(|value| value.contains(refused))
    };
    outline.nodes().find_map(|node| {
        let key = node.key.clone();
        if let Some(key) = key.clone().filter(|key| has(key.clone(), is_control)) {
            return Some((key, "name"));
        }
        let field = key.map_or("", |key| &text[key]);
        let refused = match field {
            "name" | "unit" => is_control,
            _ => |c| is_control(c) && !matches!(c, '\n' | '\r' | '\t'),
        };
        let place = node.range.clone();
        (node.shape == Shape::Text && has(place.clone(), refused)).then_some((place, "text"))
    })
}
