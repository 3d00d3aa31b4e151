//! Pictures.

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
    /// Colour of a pixel, from the upper left corner.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        let start = 3 * (y as usize * self.width as usize + x as usize);
        let inside = x < self.width && y < self.height;
        let bytes = self.rgb.get(start..start + 3).filter(|_| inside)?;
        bytes.try_into().ok()
    }
}
