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

/// Pictures of one size, one after the other, over and over again.
pub struct Animation {
    encoder: gif::Encoder<Vec<u8>>,
    /// Hundredths of a second that each picture stays.
    delay: u16,
}

/// Speed of the choice of colours, from 1 (best) to 30.
const COLOUR_SPEED: i32 = 10;

impl Animation {
    /// An animation of pictures of this size that stay for `delay` hundredths of a second each.
    ///
    /// # Errors
    /// Kind `File` when the format does not hold the size.
    pub fn new(width: u32, height: u32, delay: u16) -> Result<Self> {
        let size = |pixels: u32| u16::try_from(pixels).map_err(|_| failed("a GIF has at most 65535 pixels a side"));
        let encoder = gif::Encoder::new(Vec::new(), size(width)?, size(height)?, &[]);
        let mut encoder = encoder.map_err(|error| failed(&error.to_string()))?;
        let forever = encoder.set_repeat(gif::Repeat::Infinite);
        forever.map_err(|error| failed(&error.to_string()))?;
        Ok(Self { encoder, delay })
    }

    /// Adds a picture, which must have the size of the animation.
    ///
    /// # Errors
    /// Kind `File` when it has another size.
    pub fn add(&mut self, image: &Image) -> Result<()> {
        let size = |pixels: u32| u16::try_from(pixels).unwrap_or(u16::MAX);
        let mut frame = gif::Frame::from_rgb_speed(size(image.width), size(image.height), &image.rgb, COLOUR_SPEED);
        frame.delay = self.delay;
        self.encoder
            .write_frame(&frame)
            .map_err(|error| failed(&error.to_string()))
    }

    /// GIF bytes.
    ///
    /// # Errors
    /// Kind `File` when the encoder fails.
    pub fn finish(self) -> Result<Vec<u8>> {
        self.encoder.into_inner().map_err(|error| failed(&error.to_string()))
    }
}

fn failed(reason: &str) -> Error {
    Error::new(ErrorKind::File, format!("a picture cannot be encoded: {reason}"))
}
