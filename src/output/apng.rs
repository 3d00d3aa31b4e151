//! Animated PNG: every colour as it is, where a GIF has 64.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use super::image::{Pictures, failed};
use crate::error::{Error, Result};
use crate::files::Image;

/// Pictures of one size, one after the other, over and over again. After the first one only the rectangle that changes is kept.
pub(super) struct AnimatedPng {
    writer: png::Writer<Sink>,
    bytes: Rc<RefCell<Vec<u8>>>,
    seen: Option<Image>,
    /// Pictures that are still to come.
    missing: u32,
}

/// The bytes of the file; the writer drops what it writes to.
struct Sink(Rc<RefCell<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A part of a picture: its least column and row, and its width and height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    at: [usize; 2],
    size: [usize; 2],
}

impl AnimatedPng {
    /// An animation of this many pictures of this size, so many a second.
    ///
    /// # Errors
    /// Kind `File` when the format does not hold them.
    pub fn new((width, height): (u32, u32), pictures: usize, fps: f64) -> Result<Self> {
        let count = u32::try_from(pictures).map_err(|_| failed("there are too many pictures"))?;
        let bytes = Rc::default();
        let mut encoder = png::Encoder::new(Sink(Rc::clone(&bytes)), width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        encoder.set_animated(count, 0).map_err(encoding)?;
        let (part, whole) = match fps.fract() {
            0.0 if fps <= f64::from(u16::MAX) => (1, fps as u16),
            _ => ((1000.0 / fps).round().min(f64::MAX) as u64, 1000),
        };
        let part =
            u16::try_from(part).map_err(|_| failed("pictures of an animated PNG stay for 65 seconds at most"))?;
        encoder.set_frame_delay(part, whole).map_err(encoding)?;
        let writer = encoder.write_header().map_err(encoding)?;
        Ok(Self {
            writer,
            bytes,
            seen: None,
            missing: count,
        })
    }
}

impl Pictures for AnimatedPng {
    fn add(&mut self, image: &Image) -> Result<()> {
        let part = match &self.seen {
            Some(seen) if [seen.width, seen.height] != [image.width, image.height] => {
                return Err(failed("pictures of an animation have one size"));
            }
            Some(seen) => changed(seen, image),
            None => whole(image),
        };
        if self.seen.is_some() {
            let [x, y, width, height] = [part.at[0], part.at[1], part.size[0], part.size[1]].map(|side| side as u32);
            self.writer.set_frame_position(0, 0).map_err(encoding)?;
            self.writer.set_frame_dimension(width, height).map_err(encoding)?;
            self.writer.set_frame_position(x, y).map_err(encoding)?;
        }
        self.writer.write_image_data(&cut(image, part)).map_err(encoding)?;
        self.seen = Some(image.clone());
        self.missing = self.missing.saturating_sub(1);
        Ok(())
    }

    fn finish(self) -> Result<Vec<u8>> {
        if self.missing > 0 {
            return Err(failed("pictures of the animation are missing"));
        }
        self.writer.finish().map_err(encoding)?;
        Ok(self.bytes.take())
    }
}

fn encoding(error: png::EncodingError) -> Error {
    failed(&error.to_string())
}

fn whole(image: &Image) -> Part {
    Part {
        at: [0, 0],
        size: [image.width as usize, image.height as usize],
    }
}

/// The smallest rectangle around what differs; one pixel where nothing does.
fn changed(before: &Image, now: &Image) -> Part {
    let width = now.width as usize;
    let (mut low, mut high) = ([usize::MAX; 2], [0; 2]);
    let pixels = before.rgb.chunks_exact(3).zip(now.rgb.chunks_exact(3));
    for (index, _) in pixels.enumerate().filter(|(_, (before, now))| before != now) {
        let at = [index % width, index / width];
        for axis in 0..2 {
            low[axis] = low[axis].min(at[axis]);
            high[axis] = high[axis].max(at[axis]);
        }
    }
    if low[0] == usize::MAX {
        low = [0; 2];
    }
    Part {
        at: low,
        size: [0, 1].map(|axis| high[axis] + 1 - low[axis]),
    }
}

fn cut(image: &Image, part: Part) -> Vec<u8> {
    let [x, y] = part.at;
    let row = |y: usize| &image.rgb[3 * (y * image.width as usize + x)..][..3 * part.size[0]];
    (y..y + part.size[1]).flat_map(row).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::{AnimatedPng, Pictures};
    use crate::files::Image;

    /// A white picture with one black pixel.
    fn dotted(at: Option<(usize, usize)>) -> Image {
        let mut rgb = vec![255; 3 * 8 * 6];
        if let Some((x, y)) = at {
            rgb[3 * (8 * y + x)..][..3].fill(0);
        }
        Image {
            width: 8,
            height: 6,
            rgb,
        }
    }

    #[test]
    fn pictures_come_back_by_laying_the_parts_over_each_other() {
        let pictures = [Some((1, 1)), Some((6, 4)), Some((6, 4)), None].map(dotted);
        let mut animation = AnimatedPng::new((8, 6), pictures.len(), 25.0).unwrap();
        pictures.iter().for_each(|picture| animation.add(picture).unwrap());
        let bytes = animation.finish().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        assert_eq!(reader.info().animation_control().unwrap().num_frames, 4);
        let mut seen = vec![0; 3 * 8 * 6];
        for picture in &pictures {
            let mut part = vec![0; reader.output_buffer_size().unwrap()];
            let info = reader.next_frame(&mut part).unwrap();
            let frame = *reader.info().frame_control().unwrap();
            assert_eq!((frame.delay_num, frame.delay_den), (1, 25));
            for row in 0..info.height as usize {
                let start = 3 * ((frame.y_offset as usize + row) * 8 + frame.x_offset as usize);
                let length = 3 * info.width as usize;
                seen[start..start + length].copy_from_slice(&part[row * length..][..length]);
            }
            assert_eq!(seen, picture.rgb);
        }
    }

    #[test]
    fn a_missing_picture_is_an_error() {
        let mut animation = AnimatedPng::new((8, 6), 2, 25.0).unwrap();
        animation.add(&dotted(None)).unwrap();
        assert!(animation.finish().is_err());
    }
}
