//! Vector pictures of planar mechanisms, in the signs of textbooks of mechanisms, as SVG, also animated, and PDF.

mod animation;
mod body;
mod frame;
mod heat;
mod legend;
mod outline;
mod pdf;
mod pencil;
mod signs;
mod svg;
mod vectors;

pub use frame::Crop;

use std::ops::RangeInclusive;

use crate::appearance::{Material, Vector};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Model;
use crate::model::quantity::VectorKind;
use crate::run::DesignGradient;
use crate::show::{Comparison, Show};
use frame::Frame;
use pencil::{Mark, Pencil, Rank};
use vectors::Vectors;

/// A place on the page in millimetres from the upper left corner, y downwards.
type Place = [f64; 2];

/// What the picture is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// Bodies have six colours in turn, which colour-blind readers tell apart too.
    #[default]
    Colour,
    /// Black lines, as in print.
    Paper,
}

/// Widths of a page in millimetres.
pub const WIDTHS: RangeInclusive<f64> = 10.0..=2000.0;

/// What a vector picture shows, and how large.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Width of the page in millimetres; its height follows.
    pub width: f64,
    /// Colours.
    pub palette: Palette,
    /// Names of points, joints, bodies and forces.
    pub labels: bool,
    /// Paths of points.
    pub traces: bool,
    /// Axes of the ground and of rigid bodies.
    pub frames: bool,
    /// Arrows.
    pub arrows: Vec<VectorKind>,
    /// What bars, springs, masses and contacts have their colours by, instead of their own.
    pub gradient: Option<DesignGradient>,
    /// What part of the plane.
    pub crop: Crop,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            width: 120.0,
            palette: Palette::Colour,
            labels: false,
            traces: false,
            frames: false,
            arrows: Vec::new(),
            gradient: None,
            crop: Crop::default(),
        }
    }
}

/// A vector picture. Its background is transparent.
#[derive(Clone, Debug, PartialEq)]
pub struct Sketch {
    title: String,
    /// Width and height in millimetres.
    size: Place,
    marks: Vec<Mark>,
}

impl Sketch {
    /// A mechanism at one or more moments: the last in full, those before it paler the further back they stand in the list.
    ///
    /// # Errors
    /// Kind `Request` for a mechanism in space; those of [`Arrows`](crate::show::Arrows), where arrows are asked for.
    pub fn new(show: &Show, moments: &[f64], look: &Look) -> Result<Self> {
        Self::compared(show, &Comparison::default(), moments, look)
    }

    /// The same with the outlines of other motions behind it, and a legend below.
    ///
    /// # Errors
    /// As [`Sketch::new`].
    pub fn compared(show: &Show, comparison: &Comparison, moments: &[f64], look: &Look) -> Result<Self> {
        Self::drawn((show, comparison), moments, look, &mut Vectors::new(show, look)?)
    }

    fn drawn(
        (show, comparison): (&Show, &Comparison),
        moments: &[f64],
        look: &Look,
        vectors: &mut Vectors,
    ) -> Result<Self> {
        let all = || comparison.others.iter().map(|other| &other.show).chain([show]);
        all().try_for_each(|show| check_plane(show.model()))?;
        if look.gradient.is_some() && look.palette == Palette::Paper {
            return Err(Error::new(
                ErrorKind::Request,
                "a gradient is shown by colours, not by black lines",
            ));
        }
        let frame = Frame::new(show, look);
        let pencil = |back: f64| Pencil::new(&frame, look.palette, back);
        let mut marks = Vec::new();
        if look.traces {
            for other in &comparison.others {
                let mut pencil = pencil(0.0).tinted(other.colour);
                draw_paths(&mut pencil, &other.show);
                marks.extend(pencil.finish());
            }
            let mut pencil = pencil(0.0);
            draw_paths(&mut pencil, show);
            marks.extend(pencil.finish());
        }
        for (k, &t) in moments.iter().enumerate() {
            let back = (moments.len() - 1 - k) as f64 / moments.len() as f64;
            let mut own = pencil(back);
            own.draw(show, t, look);
            vectors.draw(&mut own, show, t)?;
            let own: Vec<Mark> = own.finish().collect();
            for other in comparison.others.iter().filter(|other| other.has(t)) {
                let mut pencil = pencil(back).tinted(other.colour);
                pencil.draw(&other.show, t, &Look::default());
                // The edges of what lies under its like would be seen around it.
                marks.extend(pencil.finish().filter(|mark| !own.iter().any(|own| own.covers(mark))));
            }
            marks.extend(own);
        }
        let [width, mut height] = frame.size;
        let mut pencil = pencil(0.0);
        let entries = comparison.legend().into_iter().map(legend::Entry::from);
        let entries: Vec<_> = entries.chain(vectors.legend(&frame)).collect();
        height += legend::draw(&mut pencil, &entries);
        if let Some(gradient) = &look.gradient {
            height += heat::draw_scale(&mut pencil, gradient, height);
        }
        marks.extend(pencil.finish());
        Ok(Self {
            title: show.experiment.name.clone(),
            size: [width, height],
            marks,
        })
    }

    /// The motion as an SVG that plays over and over, at so many pictures a second, and so many times as fast as it is; where
    /// it cannot play, its start is seen.
    ///
    /// # Errors
    /// As [`Sketch::new`].
    pub fn animated(show: &Show, comparison: &Comparison, rates: (f64, f64), look: &Look) -> Result<String> {
        let mut vectors = Vectors::new(show, look)?;
        let times = show.picture_times(rates).into_iter();
        let pictures = times.map(|t| Self::drawn((show, comparison), &[t], look, &mut vectors));
        Ok(animation::written(&pictures.collect::<Result<Vec<_>>>()?, rates.0))
    }

    /// As a file of the format SVG 1.1.
    pub fn svg(&self) -> String {
        svg::written(self)
    }

    /// As a file of the format PDF 1.7; names are in Helvetica, what Latin-1 does not have is a question mark.
    pub fn pdf(&self) -> Vec<u8> {
        pdf::written(self)
    }
}

/// Whether vector pictures of a mechanism can be drawn.
///
/// # Errors
/// Kind `Request` for one in space.
pub fn check_plane(model: &Model) -> Result<()> {
    if model.dimension == 2 {
        return Ok(());
    }
    let message = "vector pictures are drawn of planar mechanisms, and this one moves in space";
    Err(Error::new(ErrorKind::Request, message).advise("give --out a name that ends with .png"))
}

fn draw_paths(pencil: &mut Pencil, show: &Show) {
    for path in show.paths() {
        let places: Vec<Place> = path.iter().map(|at: &Vector| pencil.place(*at)).collect();
        let pen = pencil.pen(Material::Rail, 0.2);
        pencil.line(Rank::Trace, places, pen);
    }
}
