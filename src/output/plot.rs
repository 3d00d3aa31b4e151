//! Figures: stacked panels over a shared axis, with the events as vertical marks, as SVG and PNG.

mod axis;
mod bands;
mod canvas;
mod curves;
mod figures;
mod frame;
mod map;
mod marks;
mod page;
mod pattern;
mod plane;
mod png;
mod sensitivity_figures;
mod strip;
#[cfg(test)]
mod tests;
mod text;

pub use bands::Band;
pub use figures::{comparison, figures};
pub use map::{Map, Places};
pub use pattern::Pattern;
pub use plane::Plane;
pub(super) use sensitivity_figures::sensitivity_figures;
pub use strip::Strip;

use plotters::prelude::{BitMapBackend, SVGBackend};

use super::image;
use crate::error::{Error, ErrorKind, Result};
use crate::files::Image;
use canvas::Canvas;
use page::{Content, Page};

/// Most panels of one figure; a page with more would be unreadable.
const MOST_PANELS: usize = 12;

/// Panels stacked over one axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Heading.
    pub title: String,
    /// Name and unit of the shared axis.
    pub x_label: String,
    /// Logarithmic shared axis; all places are positive.
    pub log_x: bool,
    /// From top to bottom, at most 12.
    pub panels: Vec<Panel>,
    /// Vertical marks through all panels.
    pub marks: Vec<Mark>,
    /// Below the panels: what sticks and slips.
    pub bands: Vec<Band>,
    /// Width of a page with low panels, without a heading and names of marks.
    pub strip: Option<f64>,
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
    /// Differences of values that mean nothing: the vertical axis does not resolve them.
    pub noise: f64,
}

/// A named curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Name in the legend.
    pub name: String,
    /// Pieces that are not connected with each other, as points (x, y).
    pub segments: Vec<Vec<(f64, f64)>>,
}

impl Figure {
    /// A figure without marks.
    pub fn new(title: impl Into<String>, x_label: impl Into<String>, panels: Vec<Panel>) -> Self {
        let (title, x_label) = (title.into(), x_label.into());
        Self {
            title,
            x_label,
            panels,
            ..Self::default()
        }
    }

    /// File stem and figure of each page with at most so many panels; a number follows the stem from the second on.
    pub fn pages(&self, stem: &str, most: usize) -> Vec<(String, Self)> {
        let pages = self.panels.chunks(most).enumerate();
        let page = |(k, panels): (usize, &[Panel])| {
            let number = if k == 0 { String::new() } else { format!("-{}", k + 1) };
            (
                format!("{stem}{number}"),
                Self {
                    panels: panels.to_vec(),
                    ..self.clone()
                },
            )
        };
        pages.map(page).collect()
    }
}

impl Panel {
    /// A panel with a linear axis.
    pub fn new(label: impl Into<String>, curves: Vec<Curve>) -> Self {
        Self {
            label: label.into(),
            curves,
            ..Self::default()
        }
    }
}

impl Curve {
    /// A curve of several pieces.
    pub fn new(name: impl Into<String>, segments: Vec<Vec<(f64, f64)>>) -> Self {
        Self {
            name: name.into(),
            segments,
        }
    }
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
    /// Where a matrix has entries.
    Pattern(Pattern),
}

impl From<Figure> for Drawing {
    fn from(figure: Figure) -> Self {
        Self::Figure(figure)
    }
}

impl Drawing {
    fn plan(&self) -> Result<Page<'_>> {
        Ok(match self {
            Self::Pattern(pattern) => {
                let names = (pattern.label.as_str(), pattern.label.as_str());
                Page::single(&pattern.title, names, pattern.plan(), Content::Pattern(pattern))
            }
            Self::Figure(figure) => Page::plan(figure)?,
            Self::Map(map) => {
                let (frame, layer) = map.plan()?;
                Page::single(&map.title, (&map.x_label, &map.y_label), frame, Content::Colours(layer))
            }
            Self::Plane(plane) => {
                let content = Content::Curves(&plane.curves);
                Page::single(&plane.title, (&plane.x_label, &plane.y_label), plane.plan()?, content)
            }
        })
    }
}

/// Draws as an SVG document that needs no font to be installed.
///
/// # Errors
/// Kind `NotFinite` naming the curve, mark or map with a value that is not finite; kind `Request` for more than 12 panels.
pub fn render_svg(drawing: &Drawing) -> Result<String> {
    let page = drawing.plan()?;
    let (width, height) = page.pixels(canvas::SVG.scale);
    let mut drawing = String::new();
    page.draw(&Canvas::new(
        SVGBackend::with_string(&mut drawing, (width, height)),
        canvas::SVG,
    )?)?;
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
    image::png(&bitmap(&drawing.plan()?, png::SCALE)?)
}

/// A page in so many pixels to a unit.
fn bitmap(page: &Page, scale: u32) -> Result<Image> {
    let medium = canvas::bitmap(scale);
    let (width, height) = page.pixels(medium.scale);
    let mut pixels = vec![u8::MAX; 3 * width as usize * height as usize];
    page.draw(&Canvas::new(
        BitMapBackend::with_buffer(&mut pixels, (width, height)),
        medium,
    )?)?;
    Ok(png::smoothed(&pixels, width as usize, height as usize))
}

impl Figure {
    /// Rejects what cannot be drawn.
    fn check(&self) -> Result<()> {
        if self.panels.len() > MOST_PANELS {
            let message = format!("a figure of {} panels cannot be drawn", self.panels.len());
            let advice = format!("draw at most {MOST_PANELS} panels in one figure");
            return Err(Error::new(ErrorKind::Request, message).advise(advice));
        }
        self.panels.iter().try_for_each(|panel| check(&panel.curves))?;
        self.marks.iter().try_for_each(|mark| finite(&mark.label, mark.x))
    }
}

fn check(curves: &[Curve]) -> Result<()> {
    let points = |curve: &Curve| {
        let mut points = curve.segments.iter().flatten();
        points.try_for_each(|(x, y)| finite(&curve.name, *x).and(finite(&curve.name, *y)))
    };
    curves.iter().try_for_each(points)
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
