//! The arguments of the `view` and `render` commands.

use std::path::PathBuf;

use clap::Args;

use crate::cli::arguments::Common;
use crate::cli::motion::rate;

#[derive(Debug, Args)]
pub(in crate::cli) struct ViewArguments {
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RenderArguments {
    #[command(flatten)]
    pub common: Common,
    /// File that ends with .png (one moment) or .gif (the motion), or a folder for numbered pictures of the motion.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Moment of a .png, in seconds; the start when left out.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub at: Option<f64>,
    /// Width and height in pixels.
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", value_parser = size)]
    pub size: (u32, u32),
    /// Pictures per second of a motion.
    #[arg(long, default_value_t = 25.0, value_parser = rate)]
    pub fps: f64,
    /// Colour bars and links by the derivative of this objective with respect to their length.
    #[arg(long, value_name = "OBJECTIVE")]
    pub gradient: Option<String>,
    /// Simulated seconds per second of a motion: 0.1 is slow motion.
    #[arg(long, default_value_t = 1.0, value_parser = rate)]
    pub speed: f64,
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
