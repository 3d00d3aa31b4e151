//! A vector picture as PDF.

use pdf_writer::types::{LineCapStyle, LineJoinStyle, TextRenderingMode};
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

use super::pencil::{DASHES, HALO, Mark, Shape, Text};
use super::{Place, Sketch};

/// Points in a millimetre.
const POINTS: f64 = 72.0 / 25.4;
const FONT: Name<'static> = Name(b"F");

pub(super) fn written(sketch: &Sketch) -> Vec<u8> {
    let [catalog, pages, page, content, font, about] = [1, 2, 3, 4, 5, 6].map(Ref::new);
    let [width, height] = sketch.size.map(points);
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids([page]).count(1);
    let mut sheet = pdf.page(page);
    sheet
        .parent(pages)
        .media_box(Rect::new(0.0, 0.0, width, height))
        .contents(content);
    sheet.resources().fonts().pair(FONT, font);
    sheet.finish();
    pdf.stream(content, &drawn(sketch));
    pdf.type1_font(font)
        .base_font(Name(b"Helvetica"))
        .encoding_predefined(Name(b"WinAnsiEncoding"));
    pdf.document_info(about).title(TextStr(&sketch.title));
    pdf.finish()
}

fn points(millimetres: f64) -> f32 {
    (millimetres * POINTS) as f32
}

fn drawn(sketch: &Sketch) -> Vec<u8> {
    let mut content = Content::new();
    content
        .set_line_cap(LineCapStyle::RoundCap)
        .set_line_join(LineJoinStyle::RoundJoin);
    // Pages of this format have their origin in the lower left corner.
    let place = |[x, y]: Place| [points(x), points(sketch.size[1] - y)];
    for mark in &sketch.marks {
        match mark {
            Mark::Shape(shape) => draw(shape, place, &mut content),
            Mark::Text(text) => write(text, place, &mut content),
        }
    }
    content.finish().to_vec()
}

fn draw(shape: &Shape, place: impl Fn(Place) -> [f32; 2], content: &mut Content) {
    if let Some(fill) = shape.fill {
        let [r, g, b] = fill.map(|channel| f32::from(channel) / 255.0);
        content.set_fill_rgb(r, g, b);
    }
    if let Some(pen) = shape.pen {
        let [r, g, b] = pen.colour.map(|channel| f32::from(channel) / 255.0);
        let dashes: Vec<f32> = if pen.dashed {
            DASHES.map(|part| points(part * pen.width)).to_vec()
        } else {
            Vec::new()
        };
        content
            .set_stroke_rgb(r, g, b)
            .set_line_width(points(pen.width))
            .set_dash_pattern(dashes, 0.0);
    }
    for contour in &shape.contours {
        for (k, at) in contour.iter().enumerate() {
            let [x, y] = place(*at);
            if k == 0 {
                content.move_to(x, y);
            } else {
                content.line_to(x, y);
            }
        }
        if shape.closed {
            content.close_path();
        }
    }
    match (shape.fill, shape.pen) {
        (Some(_), Some(_)) => content.fill_nonzero_and_stroke(),
        (Some(_), None) => content.fill_nonzero(),
        (None, Some(_)) => content.stroke(),
        (None, None) => content.end_path(),
    };
}

fn write(text: &Text, place: impl Fn(Place) -> [f32; 2], content: &mut Content) {
    let [r, g, b] = text.colour.map(|channel| f32::from(channel) / 255.0);
    let [x, y] = place(text.at);
    let words: Vec<u8> = text
        .words
        .chars()
        .map(|letter| u8::try_from(letter).unwrap_or(b'?'))
        .collect();
    content.set_fill_rgb(r, g, b).set_stroke_rgb(1.0, 1.0, 1.0);
    content
        .set_line_width(points(HALO * text.size))
        .set_dash_pattern([], 0.0);
    for mode in [TextRenderingMode::Stroke, TextRenderingMode::Fill] {
        content
            .begin_text()
            .set_font(FONT, points(text.size))
            .set_text_rendering_mode(mode)
            .next_line(x, y);
        content.show(Str(&words)).end_text();
    }
}
