//! Lines and text in units of the page, on either medium.

use std::fmt::Display;

use plotters::coord::Shift;
use plotters::prelude::{Circle, DrawingArea, DrawingBackend, PathElement, RGBColor, Rectangle, ShapeStyle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontTransform, IntoFont, TextStyle};

use super::png;
use super::text::{self, FAMILY};
use crate::error::{Error, ErrorKind, Result};

/// Steps of the integer coordinates of an SVG drawing per unit of the page.
pub(super) const SVG_SCALE: u32 = 20;

/// Radius of a dot relative to the width of its line.
const DOT: f64 = 1.3;

/// Distance, in ems, by which each medium centres text too high for its capitals and digits.
const SVG_DROP: f64 = 0.09;
const BITMAP_DROP: f64 = 0.25;

/// Point of the page: right and down, in pixels of the SVG document.
pub(super) type Point = (f64, f64);

/// What is drawn on; the two place text and joints differently.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Medium {
    Svg,
    Bitmap,
}

/// Which point of a text is given.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Left,
    Centre,
    Right,
}

/// A page to draw on.
pub(super) struct Canvas<'a, B: DrawingBackend> {
    area: &'a DrawingArea<B, Shift>,
    medium: Medium,
}

pub(super) fn failed(error: impl Display) -> Error {
    Error::new(ErrorKind::File, format!("a plot cannot be drawn: {error}"))
}

impl<'a, B: DrawingBackend> Canvas<'a, B> {
    pub(super) fn new(area: &'a DrawingArea<B, Shift>, medium: Medium) -> Self {
        Self { area, medium }
    }

    fn scale(&self) -> f64 {
        match self.medium {
            Medium::Svg => f64::from(SVG_SCALE),
            Medium::Bitmap => f64::from(png::SCALE * png::OVERSAMPLING),
        }
    }

    fn place(&self, (x, y): Point) -> (i32, i32) {
        ((x * self.scale()).round() as i32, (y * self.scale()).round() as i32)
    }

    /// Fills a rectangle.
    pub(super) fn fill(&self, from: Point, to: Point, colour: RGBColor) -> Result<()> {
        let style = ShapeStyle {
            color: colour.into(),
            filled: true,
            stroke_width: 0,
        };
        self.area
            .draw(&Rectangle::new([self.place(from), self.place(to)], style))
            .map_err(failed)
    }

    /// Draws a connected line; a single point becomes a dot.
    pub(super) fn line(&self, points: &[Point], colour: RGBColor, width: f64) -> Result<()> {
        let stroke_width = (width * self.scale()).round().max(1.0) as u32;
        let style = ShapeStyle {
            color: colour.into(),
            filled: true,
            stroke_width,
        };
        let mut places: Vec<(i32, i32)> = points.iter().map(|&point| self.place(point)).collect();
        places.dedup();
        match (&places[..], self.medium) {
            ([], _) => Ok(()),
            ([dot], _) => {
                let radius = (DOT * width * self.scale()).round() as i32;
                self.area.draw(&Circle::new(*dot, radius, style)).map_err(failed)
            }
            (_, Medium::Svg) => self.area.draw(&PathElement::new(places, style)).map_err(failed),
            (_, Medium::Bitmap) => self.pieces(&places, style),
        }
    }

    /// Draws piece by piece with round joints: a wide line drawn at once has spikes where it turns sharply.
    fn pieces(&self, places: &[(i32, i32)], style: ShapeStyle) -> Result<()> {
        for pair in places.windows(2) {
            self.area.draw(&PathElement::new(pair, style)).map_err(failed)?;
        }
        let radius = (style.stroke_width / 2) as i32;
        let inner = places.get(1..places.len() - 1).unwrap_or_default();
        inner
            .iter()
            .try_for_each(|&place| self.area.draw(&Circle::new(place, radius, style)).map_err(failed))
    }

    /// Writes a line of text, centred vertically about the point.
    pub(super) fn text(&self, text: &str, at: Point, anchor: Anchor, size: f64, colour: RGBColor) -> Result<()> {
        self.write(text, at, anchor, size, colour, FontTransform::None)
    }

    /// Writes a line of text that runs upwards, centred about the point.
    pub(super) fn upright(&self, text: &str, at: Point, size: f64, colour: RGBColor) -> Result<()> {
        self.write(text, at, Anchor::Centre, size, colour, FontTransform::Rotate270)
    }

    fn write(
        &self,
        text: &str,
        at: Point,
        anchor: Anchor,
        size: f64,
        colour: RGBColor,
        turn: FontTransform,
    ) -> Result<()> {
        text::register();
        let horizontal = match anchor {
            Anchor::Left => HPos::Left,
            Anchor::Centre => HPos::Center,
            Anchor::Right => HPos::Right,
        };
        let (height, drop) = match self.medium {
            Medium::Svg => (text::SVG_HEIGHT, SVG_DROP * size),
            Medium::Bitmap => (text::LINE_HEIGHT, BITMAP_DROP * size),
        };
        let at = if matches!(turn, FontTransform::None) {
            (at.0, at.1 + drop)
        } else {
            (at.0 + drop, at.1)
        };
        let font = (FAMILY, size * height * self.scale()).into_font().transform(turn);
        let style = TextStyle::from(font)
            .color(&colour)
            .pos(Pos::new(horizontal, VPos::Center));
        self.area
            .draw(&Text::new(text.to_string(), self.place(at), style))
            .map_err(failed)
    }
}
