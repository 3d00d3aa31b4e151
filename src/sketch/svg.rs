//! A vector picture as SVG.

use std::fmt::Write;

use super::Sketch;
use super::pencil::{DASHES, HALO, Mark, Shape, Text};

pub(super) fn written(sketch: &Sketch) -> String {
    page(sketch, &sketch.marks.iter().map(mark).collect::<String>())
}

/// The page of a picture with marks that are written.
pub(super) fn page(sketch: &Sketch, marks: &str) -> String {
    let [width, height] = sketch.size.map(short);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}mm\" height=\"{height}mm\" viewBox=\"0 0 {width} {height}\">\n\
         <title>{}</title>\n<g stroke-linecap=\"round\" stroke-linejoin=\"round\">\n{marks}</g>\n</svg>\n",
        escaped(&sketch.title)
    )
}

/// The line of a mark.
pub(super) fn mark(mark: &Mark) -> String {
    let mut out = String::new();
    match mark {
        Mark::Shape(shape) => write_shape(shape, &mut out),
        Mark::Text(text) => write_text(text, &mut out),
    }
    out
}

fn write_shape(shape: &Shape, out: &mut String) {
    out.push_str("<path d=\"");
    for contour in &shape.contours {
        for (k, [x, y]) in contour.iter().enumerate() {
            let _ = write!(out, "{}{} {}", if k == 0 { "M" } else { "L" }, short(*x), short(*y));
        }
        if shape.closed {
            out.push('Z');
        }
    }
    let _ = write!(out, "\" fill=\"{}\"", shape.fill.map_or("none".to_string(), colour));
    if let Some(pen) = shape.pen {
        let _ = write!(
            out,
            " stroke=\"{}\" stroke-width=\"{}\"",
            colour(pen.colour),
            short(pen.width)
        );
        if pen.dashed {
            let [dash, gap] = DASHES.map(|part| short(part * pen.width));
            let _ = write!(out, " stroke-dasharray=\"{dash} {gap}\"");
        }
    }
    out.push_str("/>\n");
}

fn write_text(text: &Text, out: &mut String) {
    let [x, y] = text.at.map(short);
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"{}\" fill=\"{}\" stroke=\"#ffffff\" \
         stroke-width=\"{}\" paint-order=\"stroke\">{}</text>",
        short(text.size),
        colour(text.colour),
        short(HALO * text.size),
        escaped(&text.words)
    );
}

fn colour([r, g, b]: crate::appearance::Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Micrometres are enough for print.
fn short(value: f64) -> String {
    let rounded = (value * 1e3).round() / 1e3;
    format!("{}", rounded + 0.0)
}

/// Text between tags.
fn escaped(text: &str) -> String {
    // The two are no characters of XML.
    let text = text.replace(['\u{fffe}', '\u{ffff}'], "?");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
