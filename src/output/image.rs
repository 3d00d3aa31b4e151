//! Pictures as PNG, and motions as animated GIF.

use crate::error::{Error, ErrorKind, Result};
use crate::files::Image;

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
