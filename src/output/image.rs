//! Pictures as PNG, and motions as animated GIF.

use crate::error::{Error, ErrorKind, Result};

/// Red, green and blue, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Three bytes per pixel.
    pub rgb: Vec<u8>,
}

impl Image {
    /// PNG bytes.
    ///
    /// # Errors
    /// Kind `File` when the picture has no pixels.
    pub fn png(&self) -> Result<Vec<u8>> {
        let failed = |error: png::EncodingError| failed(&error.to_string());
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(&self.rgb).map_err(failed)?;
        writer.finish().map_err(failed)?;
        Ok(bytes)
    }

    /// Colour of a pixel, from the upper left corner.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        let start = 3 * (y as usize * self.width as usize + x as usize);
        let inside = x < self.width && y < self.height;
        let bytes = self.rgb.get(start..start + 3).filter(|_| inside)?;
        bytes.try_into().ok()
    }
}

pub(super) fn failed(reason: &str) -> Error {
    Error::new(ErrorKind::File, format!("a picture cannot be encoded: {reason}"))
}
