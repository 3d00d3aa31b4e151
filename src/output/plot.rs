//! Figures: stacked panels over a shared axis, with the events as vertical marks, as SVG and PNG.

mod axis;
mod canvas;
mod curves;
mod figures;
mod frame;
mod map;
mod marks;
mod page;
mod plane;
mod png;
mod sensitivity_figures;
#[cfg(test)]
mod tests;
mod text;

pub use figures::comparison;
pub(super) use figures::figures;
pub use map::{Map, Places};
pub use plane::Plane;
pub(super) use sensitivity_figures::sensitivity_figures;

use plotters::prelude::{BitMapBackend, DrawingBackend, IntoDrawingArea, SVGBackend};

use crate::error::{Error, ErrorKind, Result};
use canvas::{Canvas, Medium};
use page::Page;

/// Most panels of one figure; a page with more would be unreadable.
const MOST_PANELS: usize = 12;

/// Panels stacked over one axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Heading.
    pub title: String,
    /// Name and unit of the shared axis.
    pub x_label: String,
    /// From top to bottom, at most 12.
    pub panels: Vec<Panel>,
    /// Vertical marks through all panels.
    pub marks: Vec<Mark>,
}

/// One pair of axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// Name and unit of the vertical axis.
    pub label: String,
    /// Drawn in order; a legend appears when there are several.
    pub curves: Vec<Curve>,
    /// Logarithmic vertical axis: values that are not positive are left out; without any positive value it is linear.
    pub log_y: bool,
}

/// A named curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Name in the legend.
    pub name: String,
    /// Pieces that are not connected with each other, as points (x, y).
    pub segments: Vec<Vec<(f64, f64)>>,
}

/// A labelled place on the shared axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mark {
    /// Place on the axis.
    pub x: f64,
    /// What happens there.
    pub label: String,
}

/// Anything that can be drawn on a page of its own.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawing {
    /// Panels over a shared axis.
    Figure(Figure),
    /// Values over two coordinates.
    Map(Map),
    /// Curves in a plane.
    Plane(Plane),
}

impl From<Figure> for Drawing {
    fn from(figure: Figure) -> Self {
        Self::Figure(figure)
    }
}

/// A drawing with the places of all its parts.
enum Planned<'a> {
    Figure(Page<'a>),
    Map(map::Layout<'a>),
    Plane(plane::Layout<'a>),
}

impl Drawing {
    fn plan(&self) -> Result<Planned<'_>> {
        Ok(match self {
            Self::Figure(figure) => Planned::Figure(Page::plan(figure)?),
            Self::Map(map) => Planned::Map(map::Layout::plan(map)?),
            Self::Plane(plane) => Planned::Plane(plane::Layout::plan(plane)?),
        })
    }
}

impl Planned<'_> {
    /// Width and height at a number of pixels per unit.
    fn pixels(&self, scale: u32) -> (u32, u32) {
        match self {
            Self::Figure(page) => page.pixels(scale),
            Self::Map(layout) => layout.pixels(scale),
            Self::Plane(layout) => layout.pixels(scale),
        }
    }

    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<()> {
        match self {
            Self::Figure(page) => page.draw(canvas),
            Self::Map(layout) => layout.draw(canvas),
            Self::Plane(layout) => layout.draw(canvas),
        }
    }
}

/// Draws as an SVG document that needs no font to be installed.
///
/// # Errors
/// Kind `NotFinite` naming the curve, mark or map with a value that is not finite; kind `Request` for more than 12 panels.
pub fn render_svg(drawing: &Drawing) -> Result<String> {
    let page = drawing.plan()?;
    let (width, height) = page.pixels(canvas::SVG_SCALE);
    let mut drawing = String::new();
    {
        let area = SVGBackend::with_string(&mut drawing, (width, height)).into_drawing_area();
        page.draw(&Canvas::new(&area, Medium::Svg))?;
        area.present().map_err(canvas::failed)?;
    }
    // Coordinates of the drawing are integers: it is drawn large and shown at its real size.
    let (shown_width, shown_height) = page.pixels(1);
    let drawn = format!("width=\"{width}\" height=\"{height}\"");
    let shown = format!("width=\"{shown_width}\" height=\"{shown_height}\"");
    Ok(drawing.replacen(&drawn, &shown, 1))
}

/// Draws as an encoded PNG image of twice the size of the SVG document.
///
/// # Errors
/// As [`render_svg`].
pub fn render_png(drawing: &Drawing) -> Result<Vec<u8>> {
    let page = drawing.plan()?;
    let (width, height) = page.pixels(png::SCALE * png::OVERSAMPLING);
    let mut pixels = vec![u8::MAX; 3 * width as usize * height as usize];
    {
        let area = BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area();
        page.draw(&Canvas::new(&area, Medium::Bitmap))?;
        area.present().map_err(canvas::failed)?;
    }
    png::encode(&pixels, width as usize, height as usize)
}

impl Figure {
    /// Rejects what cannot be drawn.
    fn check(&self) -> Result<()> {
        if self.panels.len() > MOST_PANELS {
            let message = format!("a figure of {} panels cannot be drawn", self.panels.len());
            let advice = format!("draw at most {MOST_PANELS} panels in one figure");
            return Err(Error::new(ErrorKind::Request, message).advise(advice));
        }
        for curve in self.panels.iter().flat_map(|panel| &panel.curves) {
            for &(x, y) in curve.segments.iter().flatten() {
                finite(&curve.name, x)?;
                finite(&curve.name, y)?;
            }
        }
        self.marks.iter().try_for_each(|mark| finite(&mark.label, mark.x))
    }
}

fn finite(name: &str, value: f64) -> Result<()> {
    if value.is_finite() {
        return Ok(());
    }
    let message = format!("\"{name}\" cannot be drawn: a value is {value}");
    Err(Error::new(ErrorKind::NotFinite, message).named(name).with_value(value))
}

/// A name with nothing but letters, digits, hyphens and underscores, for files.
pub fn plain(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    name.chars().map(kept).collect()
}
