//! A page that plays a motion in a browser, from its parts: one file that asks no host for anything.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::tables::Table;
use crate::error::{Error, ErrorKind, Result};

/// The page without its data; `web/` is what it is built from.
const FRAME: &str = include_str!("../../web/page.html");
const TITLE: &str = "__COSTATE_TITLE__";
const DATA: &str = "__COSTATE_DATA__";

/// Version of the layout of the data.
pub const FORMAT: u32 = 1;
/// Program and version.
pub const VERSION: &str = concat!("costate ", env!("CARGO_PKG_VERSION"));

/// Steps that the range of a course is divided into.
const STEPS: f64 = 65535.0;

/// What a page shows. Numbers of courses are packed by [`Courses`], meshes in single precision.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Page {
    /// Version of this layout.
    pub format: u32,
    /// Name of the scene.
    pub name: String,
    /// Program and version.
    pub version: String,
    /// Whether it moves in a plane.
    pub planar: bool,
    /// Upwards.
    pub up: [f64; 3],
    /// Least and greatest coordinates at all times (m).
    #[serde(rename = "box")]
    pub bounds: [[f64; 3]; 2],
    /// Simulated seconds per second, where the page shall not choose.
    pub speed: Option<f64>,
    /// Times of the states (s).
    pub times: Vec<f64>,
    /// Unit meshes.
    pub meshes: Vec<PageMesh>,
    /// What is drawn.
    pub blocks: Vec<PageBlock>,
    /// Courses over the states.
    pub tracks: String,
    /// Events.
    pub events: Vec<PageEvent>,
    /// Outputs over time.
    pub outputs: PageOutputs,
    /// Objectives; none where they are left out.
    pub objectives: Option<Vec<PageObjective>>,
    /// Bars and links coloured by derivatives.
    pub heat: PageHeat,
    /// Parameters.
    pub parameters: Vec<PageParameter>,
    /// The scene.
    pub source: String,
    /// Parts of a report, below everything else.
    pub sections: Vec<PageSection>,
}

/// A part of a report.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PageSection {
    /// What it is about.
    pub title: String,
    /// What was found, in words.
    pub lines: Vec<String>,
    /// Why it failed, if it did, and what to do.
    pub failure: Option<(String, Option<String>)>,
    /// Numbers.
    pub tables: Vec<PageTable>,
    /// Plots.
    pub figures: Vec<PageFigure>,
}

/// A table of a report.
#[derive(Clone, Debug, Serialize)]
pub struct PageTable {
    /// What it holds.
    pub title: String,
    /// Names of the columns.
    pub header: Vec<String>,
    /// Rows, as long as the header.
    pub rows: Vec<Vec<String>>,
}

/// A plot of a report.
#[derive(Clone, Debug, Serialize)]
pub struct PageFigure {
    /// What it shows.
    pub title: String,
    /// An SVG document.
    pub svg: String,
}

impl PageTable {
    /// A table with a title.
    pub fn new(title: impl Into<String>, table: Table) -> Self {
        Self {
            title: title.into(),
            header: table.header,
            rows: table.rows,
        }
    }
}

/// A mesh in single precision: base64 of little-endian numbers.
#[derive(Clone, Debug, Serialize)]
pub struct PageMesh {
    /// Vertices, three numbers each.
    pub positions: String,
    /// Normals, three numbers each.
    pub normals: String,
    /// Triangles, three unsigned integers of 32 bits each.
    pub faces: String,
}

/// A unit mesh, moved.
#[derive(Clone, Debug, Serialize)]
pub struct PageBlock {
    /// What it is part of.
    pub name: String,
    /// Its material.
    pub material: &'static str,
    /// Its colour, `#rrggbb`.
    pub colour: String,
    /// Index of its mesh.
    pub mesh: usize,
    /// Place of its origin and images of its axes in the first state.
    pub matrix: [f32; 12],
    /// What of the matrix moves.
    pub tracks: Vec<Course>,
    /// States in which it is not seen: from the first up to and without the second.
    pub hidden: Vec<[usize; 2]>,
}

/// The course of an entry of a matrix: entry, index of the packed course, its value at 0, and the difference to that at 65535.
pub type Course = (usize, usize, f64, f64);

/// Index of a block, and the course of an entry of its matrix.
pub type Moved = (usize, usize, usize, f64, f64);

/// An event.
#[derive(Clone, Debug, Serialize)]
pub struct PageEvent {
    /// Time (s).
    pub t: f64,
    /// What happened.
    pub kind: String,
    /// To what.
    pub name: String,
    /// Both in words.
    pub text: String,
}

/// Outputs over time.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PageOutputs {
    /// Times (s); that of an event appears twice.
    pub times: Vec<f64>,
    /// Indices at which smooth pieces begin.
    pub phases: Vec<usize>,
    /// Curves.
    pub series: Vec<PageSeries>,
}

/// A curve.
#[derive(Clone, Debug, Serialize)]
pub struct PageSeries {
    /// Name of the output.
    pub name: String,
    /// Its expression.
    pub expression: String,
    /// One value per time.
    pub values: Vec<f64>,
}

/// An objective.
#[derive(Clone, Debug, Serialize)]
pub struct PageObjective {
    /// Name.
    pub name: String,
    /// Value.
    pub value: f64,
    /// Derivatives by the parameters; none where there is none at all.
    pub gradient: Option<Vec<Option<f64>>>,
    /// Why a derivative is missing, by parameters.
    pub reasons: Vec<Option<String>>,
    /// Why there is no gradient.
    pub reason: Option<String>,
}

/// Derivatives of objectives by the lengths of bars and links.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PageHeat {
    /// Colours, `#rrggbb`, from the least to the greatest value, at equal distances.
    pub scale: Vec<String>,
    /// Names of the bars and links, with the indices of their blocks.
    pub bars: Vec<(String, Vec<usize>)>,
    /// By objective.
    pub objectives: Vec<PageSlopes>,
    /// Why there are none.
    pub reason: Option<String>,
}

/// The derivatives of an objective by lengths.
#[derive(Clone, Debug, Serialize)]
pub struct PageSlopes {
    /// Name of the objective.
    pub name: String,
    /// By bar, in the unit of the objective per metre; none where the length cannot change alone.
    pub slopes: Vec<Option<f64>>,
    /// The ends of the scale.
    pub largest: f64,
}

/// A parameter.
#[derive(Clone, Debug, Serialize)]
pub struct PageParameter {
    /// Name.
    pub name: String,
    /// Unit.
    pub unit: String,
    /// Value.
    pub value: f64,
    /// What it is.
    pub about: String,
    /// Why there is no prediction.
    pub reason: Option<String>,
    /// The motion for other values.
    pub prediction: Option<PagePrediction>,
}

/// Predicted motions for several values of a parameter, the simulated one among them.
#[derive(Clone, Debug, Serialize)]
pub struct PagePrediction {
    /// Values, ascending.
    pub values: Vec<f64>,
    /// Between which values to trust them.
    pub trusted: [f64; 2],
    /// What ends this range on either side, in words.
    pub causes: [Option<String>; 2],
    /// Times of the states (s).
    pub times: Vec<f64>,
    /// Courses over the states of the first value, then those of the next.
    pub tracks: String,
    /// What of the matrices moves.
    pub blocks: Vec<Moved>,
    /// Times of the events for each value, in the order of the page; none where it does not happen.
    pub events: Vec<Vec<Option<f64>>>,
    /// What is not seen: index of a block, index of a value, and states, from the first up to and without the second.
    pub hidden: Vec<[usize; 4]>,
    /// Derivatives of the outputs: one for both sides of the value, or one for each side that has any.
    pub curves: Vec<PageCurves>,
    /// Why there are none.
    pub no_curves: Option<String>,
}

/// How the curves of the outputs follow a parameter, to first order: points move in time with the ends of their smooth piece, in
/// proportion to the distance from these, and their values follow.
#[derive(Clone, Debug, Serialize)]
pub struct PageCurves {
    /// The side of the value, `below` or `above`, that it holds on, if it is one.
    pub side: Option<String>,
    /// Derivatives of the times of the start and the end of each smooth piece.
    pub shifts: Vec<[f64; 2]>,
    /// Courses over the times of the outputs.
    pub tracks: String,
    /// By output.
    pub slopes: Vec<PageSlope>,
}

/// The derivatives of an output.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum PageSlope {
    /// Index of the packed course, the derivative at 0, and the difference to that at 65535.
    Course(usize, f64, f64),
    /// The same at all times.
    Constant(f64),
    /// Why there is none.
    None(String),
}

impl Page {
    /// A page that shows no mechanism.
    pub fn without_motion(name: &str, source: &str) -> Self {
        Self {
            format: FORMAT,
            name: name.to_string(),
            version: VERSION.to_string(),
            source: source.to_string(),
            ..Self::default()
        }
    }

    /// The file.
    ///
    /// # Errors
    /// Kind `Request` for what JSON has no form for.
    pub fn html(&self) -> Result<String> {
        let json = serde_json::to_string(self)
            .map_err(|error| Error::new(ErrorKind::Request, format!("the page cannot be written: {error}")))?;
        // Within a script element only `<` could end it.
        let (json, title) = (json.replace('<', "\\u003c"), escaped(&self.name));
        let [before, rest] = halves(FRAME, TITLE);
        let [between, after] = halves(rest, DATA);
        Ok([before, &title, between, &json, after].concat())
    }
}

fn halves<'a>(text: &'a str, mark: &str) -> [&'a str; 2] {
    text.split_once(mark)
        .map_or([text, ""], |(before, after)| [before, after])
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

impl PageMesh {
    /// From vertices, unit normals and triangles.
    pub fn new(positions: &[[f32; 3]], normals: &[[f32; 3]], faces: &[[u32; 3]]) -> Self {
        Self {
            positions: base64(positions.as_flattened().iter().map(|x| x.to_le_bytes())),
            normals: base64(normals.as_flattened().iter().map(|x| x.to_le_bytes())),
            faces: base64(faces.as_flattened().iter().map(|x| x.to_le_bytes())),
        }
    }
}

/// Courses of numbers in 16 bits, each once: those that differ by an offset and a factor are one.
#[derive(Clone, Debug, Default)]
pub struct Courses {
    courses: Vec<u16>,
    known: HashMap<Vec<u16>, usize>,
}

impl Courses {
    /// Adds the course of an entry; none where it does not change by more than `still`.
    pub fn add(&mut self, entry: usize, values: &[f64], still: f64) -> Option<Course> {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let range = most - least;
        if range.is_nan() || range <= still {
            return None;
        }
        let falls = values[0] - least > 0.5 * range;
        let (from, range) = if falls { (most, -range) } else { (least, range) };
        let packed: Vec<u16> = values
            .iter()
            .map(|value| ((value - from) / range * STEPS).round() as u16)
            .collect();
        let next = self.known.len();
        let index = *self.known.entry(packed).or_insert_with_key(|packed| {
            self.courses.extend_from_slice(packed);
            next
        });
        Some((entry, index, from, range))
    }

    /// Adds derivatives, which are all finite.
    pub fn add_slopes(&mut self, values: &[f64]) -> PageSlope {
        match self.add(0, values, 0.0) {
            Some((_, track, from, range)) => PageSlope::Course(track, from, range),
            None => PageSlope::Constant(values.first().copied().unwrap_or(0.0)),
        }
    }

    /// All courses, one after the other.
    pub fn packed(&self) -> String {
        base64(self.courses.iter().map(|x| x.to_le_bytes()))
    }
}

fn base64<const N: usize>(numbers: impl Iterator<Item = [u8; N]>) -> String {
    STANDARD.encode(numbers.flatten().collect::<Vec<u8>>())
}
