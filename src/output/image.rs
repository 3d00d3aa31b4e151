//! Pictures as PNG, and what takes those of a motion.

use crate::error::{Error, ErrorKind, Result};
use crate::files::Image;

/// A file of pictures of one size, one after the other.
pub(super) trait Pictures {
    /// Adds a picture.
    ///
    /// # Errors
    /// Kind `File` for one of another size, one too many, or where it cannot be encoded.
    fn add(&mut self, image: &Image) -> Result<()>;

    /// The file.
    ///
    /// # Errors
    /// Kind `File` when pictures are missing, or cannot be encoded.
    fn finish(self) -> Result<Vec<u8>>;
}

/// PNG bytes of a picture.
///
/// # Errors
/// Kind `File` when the picture has no pixels.
pub fn png(image: &Image) -> Result<Vec<u8>> {
    let failed = |error: png::EncodingError| failed(&error.to_string());
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, image.width, image.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&image.rgb).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

pub(super) fn failed(reason: &str) -> Error {
    Error::new(ErrorKind::File, format!("a picture cannot be encoded: {reason}"))
}
