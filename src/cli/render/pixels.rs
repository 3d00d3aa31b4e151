//! Pictures of pixels.

use std::sync::{Arc, PoisonError};

use super::arguments::RenderArguments;
use super::{Files, Pixels};
use crate::cli::interruption::remove_when_interrupted;
use crate::cli::progress::Progress;
use crate::error::Result;
use crate::files::{Scratch, file_name};
use crate::output::Strip;
use crate::output::animation::{Format, animated};
use crate::output::image::png;
use crate::show::{Comparison, Show};
use crate::viewer::{Look, Studio, Style};

pub(super) fn drawn(
    arguments: &RenderArguments,
    pixels: Pixels,
    (show, comparison): (&Show, Comparison),
    moments: &[f64],
    progress: &Progress,
) -> Result<Files> {
    let gradient = arguments.gradient.as_ref();
    let gradient = gradient
        .map(|objective| show.experiment.design_gradient(objective))
        .transpose()?;
    let (width, height) = arguments.size;
    let strip = match arguments.curves.is_empty() {
        true => None,
        false => Some(Strip::new(&show.recording, &arguments.curves, arguments.size)?),
    };
    let below = strip.as_ref().map_or(0, Strip::height);
    let mut studio = Studio::new(width, height - below)?;
    studio.colour_by(gradient);
    studio.compare(comparison);
    let (&moment, behind) = moments.split_last().unwrap_or((&show.experiment.start, &[]));
    let is_motion = pixels != Pixels::Png;
    studio.set_style(style(arguments, if is_motion { &[] } else { behind }));
    let rates = arguments.rates(show);
    let times = show.picture_times(rates);
    let mut picture = |t: f64| {
        let picture = studio.picture(show, t)?;
        Ok(match &strip {
            Some(strip) => strip.below(picture, t),
            None => picture,
        })
    };
    let mut drawn = |i: usize| {
        progress.at(0.5 + 0.5 * i as f64 / times.len() as f64, || "drawing".to_string());
        picture(times[i])
    };
    match pixels {
        Pixels::Png => Ok(vec![(file_name(&arguments.out)?, png(&picture(moment)?)?)]),
        Pixels::Animation(format) => {
            let scratch = Scratch::of(&arguments.out);
            let lock = match format {
                Format::Mp4 => remove_when_interrupted(scratch.path())?,
                Format::Gif | Format::Apng => Arc::default(),
            };
            let drawing = || lock.lock().unwrap_or_else(PoisonError::into_inner);
            let pictures = (0..times.len()).map(|i| {
                let _drawing = drawing();
                drawn(i)
            });
            let file = animated(format, &scratch, arguments.size, rates.0, pictures);
            // From here on the driver shuts down.
            std::mem::forget(drawing());
            Ok(vec![(file_name(&arguments.out)?, file?)])
        }
        Pixels::Frames => {
            let picture = |i: usize| Ok((format!("frame-{i:05}.png"), png(&drawn(i)?)?));
            (0..times.len()).map(picture).collect()
        }
    }
}

/// What the pictures show, and from where.
fn style(arguments: &RenderArguments, behind: &[f64]) -> Style {
    Style {
        look: Look {
            azimuth: arguments.azimuth.map(f64::to_radians),
            elevation: arguments.elevation.map(f64::to_radians),
            zoom: arguments.zoom,
            centre: arguments.centre,
        },
        traces: arguments.traces,
        names: arguments.labels,
        frames: arguments.frames,
        arrows: arguments.kinds(),
        behind: behind.to_vec(),
        ..Style::default()
    }
}
