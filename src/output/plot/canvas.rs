//! Lines and text in units of the page, on either medium.

use std::fmt::Display;

use plotters::coord::Shift;
use plotters::prelude::{
    Color, DrawingArea, DrawingBackend, IntoDrawingArea, PathElement, RGBColor, Rectangle, Text, WHITE,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{IntoFont, ShapeStyle, TextStyle};

use super::text::{self, FAMILY};
use crate::error::{Error, ErrorKind, Result};

/// Colour of text.
const INK: RGBColor = RGBColor(40, 40, 40);

/// Point of the page: right and down, in pixels of the SVG document.
pub(super) type Point = (f64, f64);

/// What is drawn on.
#[derive(Clone, Copy)]
pub(super) struct Medium {
    /// Steps of its integer coordinates per unit of the page.
    pub scale: u32,
    /// Height of a line that it draws in the font size, in ems.
    line: f64,
    /// Distance, in ems, by which it centres text too high for its capitals and digits.
    drop: f64,
    /// Whether lines have spikes where they turn sharply, unless they are drawn piece by piece.
    pub spikes: bool,
}

/// Coordinates of an SVG document are integers: it is drawn large and shown at its real size.
pub(super) const SVG: Medium = Medium {
    scale: 20,
    line: text::SVG_HEIGHT,
    drop: 0.09,
    spikes: false,
};

/// Pixels, more of them than the picture has, which has so many to a unit of the page.
pub(super) fn bitmap(scale: u32) -> Medium {
    Medium {
        scale: scale * super::png::OVERSAMPLING,
        line: text::LINE_HEIGHT,
        drop: 0.25,
        spikes: true,
    }
}

/// A page to draw on.
pub(super) struct Canvas<B: DrawingBackend> {
    pub root: DrawingArea<B, Shift>,
    pub medium: Medium,
}

pub(super) fn failed(error: impl Display) -> Error {
    Error::new(ErrorKind::File, format!("a plot cannot be drawn: {error}"))
}

impl<B: DrawingBackend> Canvas<B> {
    /// A white page.
    pub(super) fn new(backend: B, medium: Medium) -> Result<Self> {
        text::register();
        let root = backend.into_drawing_area();
        root.fill(&WHITE).map_err(failed)?;
        Ok(Self { root, medium })
    }

    /// A length of the page in steps of the medium.
    pub(super) fn steps(&self, length: f64) -> i32 {
        (length * f64::from(self.medium.scale)).round() as i32
    }

    /// A colour with the width of its lines.
    pub(super) fn pen(&self, colour: RGBColor, width: f64) -> ShapeStyle {
        colour.stroke_width(self.steps(width).max(1) as u32)
    }

    /// Text of this size, and how far down it has to be moved to be centred.
    pub(super) fn style(&self, size: f64) -> (TextStyle<'static>, i32) {
        let height = size * self.medium.line * f64::from(self.medium.scale);
        let style = TextStyle::from((FAMILY, height).into_font()).color(&INK);
        (style, self.steps(self.medium.drop * size))
    }

    /// Fills a rectangle.
    pub(super) fn fill(&self, from: Point, to: Point, colour: RGBColor) -> Result<()> {
        let corners = [from, to].map(|(x, y)| (self.steps(x), self.steps(y)));
        self.root
            .draw(&Rectangle::new(corners, colour.filled()))
            .map_err(failed)
    }

    /// Draws a line.
    pub(super) fn line(&self, points: [Point; 2], colour: RGBColor, width: f64) -> Result<()> {
        let places = points.map(|(x, y)| (self.steps(x), self.steps(y)));
        let path = PathElement::new(places, self.pen(colour, width));
        self.root.draw(&path).map_err(failed)
    }

    /// Writes a line of text, centred vertically about the point.
    pub(super) fn text(&self, text: &str, (x, y): Point, anchor: HPos, size: f64) -> Result<()> {
        let (style, drop) = self.style(size);
        let style = style.pos(Pos::new(anchor, VPos::Center));
        let place = (self.steps(x), self.steps(y) + drop);
        self.root.draw(&Text::new(text, place, style)).map_err(failed)
    }
}
