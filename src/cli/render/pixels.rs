//! Pictures of pixels.

use super::arguments::{ArrowArgument, RenderArguments};
use super::{Files, Pixels};
use crate::cli::progress::Progress;
use crate::error::Result;
use crate::files::file_name;
use crate::model::quantity::VectorKind;
use crate::output::animation::Animation;
use crate::output::apng::AnimatedPng;
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
    let mut studio = Studio::new(width, height)?;
    studio.colour_by(gradient);
    studio.compare(comparison);
    let (&moment, behind) = moments.split_last().unwrap_or((&show.experiment.start, &[]));
    let is_motion = pixels != Pixels::Png;
    studio.set_style(style(arguments, if is_motion { &[] } else { behind }));
    let times = times(arguments, show.experiment.start, show.experiment.options.end);
    let mut drawn = |i: usize| {
        progress.at(0.5 + 0.5 * i as f64 / times.len() as f64, || "drawing".to_string());
        studio.picture(show, times[i])
    };
    match pixels {
        Pixels::Png => Ok(vec![(file_name(&arguments.out)?, png(&studio.picture(show, moment)?)?)]),
        Pixels::Gif => {
            let mut animation = Animation::new(width, height, (100.0 / arguments.fps).round() as u16)?;
            for i in 0..times.len() {
                animation.add(&drawn(i)?)?;
            }
            Ok(vec![(file_name(&arguments.out)?, animation.finish()?)])
        }
        Pixels::Apng => {
            let mut animation = AnimatedPng::new(arguments.size, times.len(), arguments.fps)?;
            for i in 0..times.len() {
                animation.add(&drawn(i)?)?;
            }
            Ok(vec![(file_name(&arguments.out)?, animation.finish()?)])
        }
        Pixels::Frames => {
            let picture = |i: usize| Ok((format!("frame-{i:05}.png"), png(&drawn(i)?)?));
            (0..times.len()).map(picture).collect()
        }
    }
}

/// What the pictures show, and from where.
fn style(arguments: &RenderArguments, behind: &[f64]) -> Style {
    let kind = |argument: &ArrowArgument| match argument {
        ArrowArgument::Velocities => VectorKind::Velocity,
        ArrowArgument::Accelerations => VectorKind::Acceleration,
        ArrowArgument::Springs => VectorKind::Spring,
        ArrowArgument::Reactions => VectorKind::Reaction,
        ArrowArgument::Contacts => VectorKind::Contact,
    };
    Style {
        look: Look {
            azimuth: arguments.azimuth.map(f64::to_radians),
            elevation: arguments.elevation.map(f64::to_radians),
            zoom: arguments.zoom,
            centre: arguments.centre,
        },
        traces: arguments.traces,
        names: arguments.labels,
        arrows: arguments.arrows.iter().map(kind).collect(),
        behind: behind.to_vec(),
        ..Style::default()
    }
}

/// The moments of the pictures of a motion, the first and the last included.
fn times(arguments: &RenderArguments, start: f64, end: f64) -> Vec<f64> {
    let step = arguments.speed / arguments.fps;
    let count = ((end - start) / step).floor() as usize;
    let inner = (0..=count).map(|i| start + i as f64 * step);
    let rest = (start + count as f64 * step < end - 0.5 * step).then_some(end);
    inner.chain(rest).collect()
}
