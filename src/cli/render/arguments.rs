//! The arguments of the `view` and `render` commands.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::common::{Common, TimeLimit};
use crate::cli::compare::Compare;
use crate::cli::motion::rate;
use crate::model::quantity::VectorKind;
use crate::run::DesignGradient;
use crate::show::Show;
use crate::sketch::{self, Crop, WIDTHS};

#[cfg(feature = "viewer")]
#[derive(Debug, Args)]
pub(in crate::cli) struct ViewArguments {
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RenderArguments {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub limit: TimeLimit,
    #[command(flatten)]
    pub beside: Compare,
    /// File that ends with .png, .svg or .pdf (one moment), .gif, .apng or .mp4 (the motion), or a folder for numbered pictures of the motion; with --fps or --speed an .svg has the motion.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Moment of a .png, .svg or .pdf, in seconds; the start when left out. Of several the last is drawn in full, those before it paler.
    #[arg(
        long,
        value_name = "SECONDS,..",
        value_delimiter = ',',
        allow_negative_numbers = true
    )]
    pub at: Vec<f64>,
    /// Width of a .svg or .pdf in millimetres, 120 when left out; its height follows.
    #[arg(long, value_name = "MILLIMETRES", value_parser = width)]
    pub width: Option<f64>,
    /// Colours of a .svg or .pdf.
    #[arg(long, value_enum, default_value_t)]
    pub style: StyleArgument,
    /// Write the names of points, bodies, forces and joints.
    #[arg(long)]
    pub labels: bool,
    /// Draw the axes of the ground and of rigid bodies.
    #[arg(long)]
    pub frames: bool,
    /// Width and height in pixels.
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", value_parser = size)]
    pub size: (u32, u32),
    /// Pictures per second of a motion, 25 when left out.
    #[arg(long, value_parser = rate)]
    pub fps: Option<f64>,
    /// Colour bars and links by the derivative of this objective with respect to their length, and springs, masses and contacts by theirs.
    #[arg(long, value_name = "OBJECTIVE")]
    pub gradient: Option<String>,
    /// Simulated seconds per second of a motion: 0.1 is slow motion. When left out such that the motion takes 3 to 10 s.
    #[arg(long, value_parser = rate)]
    pub speed: Option<f64>,
    /// Spatial scenes: direction of the eye about the vertical, in degrees from the x axis.
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = finite)]
    pub azimuth: Option<f64>,
    /// Spatial scenes: height of the eye over the horizon, in degrees from -90 to 90.
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = elevation)]
    pub elevation: Option<f64>,
    /// How many times nearer.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = rate)]
    pub zoom: f64,
    /// Place in the middle of the picture, in metres: x,y or x,y,z.
    #[arg(long, value_name = "X,Y[,Z]", allow_hyphen_values = true, value_parser = place)]
    pub centre: Option<[f64; 3]>,
    /// Draw the paths of points.
    #[arg(long)]
    pub traces: bool,
    /// Draw these outputs over time below the mechanism, with a line at the time of each picture.
    #[arg(long, value_name = "OUTPUT,..", value_delimiter = ',')]
    pub curves: Vec<String>,
    /// Draw arrows.
    #[arg(long, value_name = "KIND,..", value_enum, value_delimiter = ',')]
    pub arrows: Vec<ArrowArgument>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(in crate::cli) enum ArrowArgument {
    #[value(alias = "velocity")]
    Velocities,
    #[value(alias = "acceleration")]
    Accelerations,
    #[value(alias = "spring")]
    Springs,
    #[value(alias = "reaction")]
    Reactions,
    #[value(alias = "contact")]
    Contacts,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum StyleArgument {
    /// Bodies have six colours in turn.
    #[default]
    Colour,
    /// Black lines, as in print.
    Paper,
}

impl RenderArguments {
    /// Pictures per second of a motion, and how many times as fast it is shown.
    pub fn rates(&self, show: &Show) -> (f64, f64) {
        (
            self.fps.unwrap_or(25.0),
            self.speed.unwrap_or_else(|| show.usual_speed()),
        )
    }

    /// The kinds of arrows.
    pub fn kinds(&self) -> Vec<VectorKind> {
        let kind = |argument: &ArrowArgument| match argument {
            ArrowArgument::Velocities => VectorKind::Velocity,
            ArrowArgument::Accelerations => VectorKind::Acceleration,
            ArrowArgument::Springs => VectorKind::Spring,
            ArrowArgument::Reactions => VectorKind::Reaction,
            ArrowArgument::Contacts => VectorKind::Contact,
        };
        self.arrows.iter().map(kind).collect()
    }

    /// What a vector picture shows.
    pub fn look(&self, gradient: Option<DesignGradient>) -> sketch::Look {
        sketch::Look {
            width: self.width.unwrap_or(sketch::Look::default().width),
            palette: match self.style {
                StyleArgument::Colour => sketch::Palette::Colour,
                StyleArgument::Paper => sketch::Palette::Paper,
            },
            labels: self.labels,
            traces: self.traces,
            frames: self.frames,
            arrows: self.kinds(),
            gradient,
            crop: Crop {
                zoom: self.zoom,
                centre: self.centre.map(|[x, y, _]| [x, y]),
            },
        }
    }
}

fn finite(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.trim().parse().ok();
    let number = number.filter(|number| number.is_finite());
    number.ok_or_else(|| format!("{text:?} is not a finite number"))
}

fn elevation(text: &str) -> Result<f64, String> {
    let degrees = finite(text)?;
    let possible = (-90.0..=90.0).contains(&degrees);
    possible
        .then_some(degrees)
        .ok_or_else(|| "give degrees from -90 to 90".to_string())
}

fn place(text: &str) -> Result<[f64; 3], String> {
    let parts: Vec<f64> = text.split(',').map(finite).collect::<Result<_, _>>()?;
    match parts[..] {
        [x, y] => Ok([x, y, 0.0]),
        [x, y, z] => Ok([x, y, z]),
        _ => Err("write X,Y or X,Y,Z in metres, for example 0.5,-1".to_string()),
    }
}

fn width(text: &str) -> Result<f64, String> {
    let width = finite(text)?;
    let possible = WIDTHS.contains(&width).then_some(width);
    possible.ok_or_else(|| format!("give a width from {} to {} millimetres", WIDTHS.start(), WIDTHS.end()))
}

/// Largest side of a picture in pixels.
const MOST_PIXELS: u32 = 8192;

fn size(text: &str) -> Result<(u32, u32), String> {
    let side = |text: &str| {
        text.trim()
            .parse()
            .ok()
            .filter(|side| (16..=MOST_PIXELS).contains(side))
    };
    let sides = text
        .split_once('x')
        .and_then(|(width, height)| Some((side(width)?, side(height)?)));
    sides.ok_or_else(|| format!("write WIDTHxHEIGHT with sides from 16 to {MOST_PIXELS} pixels, for example 640x480"))
}
