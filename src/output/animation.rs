//! Motions as files of pictures of pixels.

use super::apng::AnimatedPng;
use super::gif::AnimatedGif;
use super::image::Pictures;
use super::mp4::Mp4;
use crate::error::Result;
use crate::files::{Image, Scratch};

pub use super::mp4::check_ffmpeg;

/// What a motion is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// GIF.
    Gif,
    /// Animated PNG.
    Apng,
    /// H.264 in MP4, by the program ffmpeg.
    Mp4,
}

/// The file of a motion in pictures of this size, so many a second; another program that writes it does so in `scratch`.
///
/// # Errors
/// Those of the pictures; kind `File` when the format does not hold them, or the program fails.
pub fn animated(
    format: Format,
    scratch: &Scratch,
    size: (u32, u32),
    fps: f64,
    pictures: impl ExactSizeIterator<Item = Result<Image>>,
) -> Result<Vec<u8>> {
    match format {
        Format::Gif => filled(AnimatedGif::new(size, fps)?, pictures),
        Format::Apng => filled(AnimatedPng::new(size, pictures.len(), fps)?, pictures),
        Format::Mp4 => filled(Mp4::new(size, fps, scratch.path())?, pictures),
    }
}

fn filled(mut file: impl Pictures, mut pictures: impl Iterator<Item = Result<Image>>) -> Result<Vec<u8>> {
    pictures.try_for_each(|picture| file.add(&picture?))?;
    file.finish()
}
