//! Animated GIF.

use std::collections::HashMap;

use color_quant::NeuQuant;

use super::image::{Pictures, failed};
use crate::error::Result;
use crate::files::Image;

/// Colours of an animation. One more stands for what does not change.
const COLOURS: usize = 63;
const UNCHANGED: u8 = COLOURS as u8;
/// Fewer pixels than this in a row are kept although they do not change: holes between colours cost more.
const SHORT: usize = 12;
/// Every so many pixels of the first picture decide about the colours.
const SAMPLING: i32 = 3;
/// A picture with more than this part of its pixels farther off than this from the colours of the animation gets its own.
const STRANGE: (f64, u8) = (1e-3, 40);
/// Speed of the choice of colours of such a picture, from 1 (best) to 30.
const COLOUR_SPEED: i32 = 10;

/// Pictures of one size, one after the other, over and over again. Most of a picture stands still: after the first one only
/// what changes is kept, in the colours of the first one as long as they serve.
pub(super) struct AnimatedGif {
    width: u16,
    height: u16,
    delay: u16,
    /// Begun with the first picture.
    begun: Option<Begun>,
}

struct Begun {
    encoder: gif::Encoder<Vec<u8>>,
    colours: Colours,
    /// Colours of the pixels that are seen; none after a picture with colours of its own.
    seen: Option<Vec<u8>>,
}

/// Colours by number.
struct Colours {
    quantizer: NeuQuant,
    /// Red, green and blue, one after the other.
    table: Vec<u8>,
    known: HashMap<[u8; 3], u8>,
}

impl AnimatedGif {
    /// An animation of pictures of this size, so many a second; each stays for whole hundredths of a second.
    ///
    /// # Errors
    /// Kind `File` when the format does not hold the size.
    pub fn new((width, height): (u32, u32), fps: f64) -> Result<Self> {
        let side = |pixels: u32| u16::try_from(pixels).map_err(|_| failed("a GIF has at most 65535 pixels a side"));
        Ok(Self {
            width: side(width)?,
            height: side(height)?,
            delay: (100.0 / fps).round() as u16,
            begun: None,
        })
    }
}

impl Pictures for AnimatedGif {
    fn add(&mut self, image: &Image) -> Result<()> {
        let (width, height) = (u32::from(self.width), u32::from(self.height));
        if (image.width, image.height) != (width, height) || image.rgb.len() != 3 * (width * height) as usize {
            return Err(failed("it has another size than the animation"));
        }
        let begun = match &mut self.begun {
            Some(begun) => begun,
            none => none.insert(Begun::new(self.width, self.height, image)?),
        };
        let mut frame = begun.frame(image, (self.width, self.height));
        frame.delay = self.delay;
        begun
            .encoder
            .write_frame(&frame)
            .map_err(|error| failed(&error.to_string()))
    }

    fn finish(self) -> Result<Vec<u8>> {
        let begun = self.begun.ok_or_else(|| failed("the animation has no pictures"))?;
        begun.encoder.into_inner().map_err(|error| failed(&error.to_string()))
    }
}

impl Begun {
    fn new(width: u16, height: u16, image: &Image) -> Result<Self> {
        let colours = Colours::new(image);
        let wrong = |error: gif::EncodingError| failed(&error.to_string());
        let mut encoder = gif::Encoder::new(Vec::new(), width, height, &colours.table).map_err(wrong)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(wrong)?;
        Ok(Self {
            encoder,
            colours,
            seen: None,
        })
    }

    /// The rectangle around what changes.
    fn frame(&mut self, image: &Image, (width, height): (u16, u16)) -> gif::Frame<'static> {
        let Some(now) = self.colours.of(image) else {
            self.seen = None;
            return gif::Frame::from_rgb_speed(width, height, &image.rgb, COLOUR_SPEED);
        };
        let row = usize::from(width);
        let changed: Vec<bool> = match &self.seen {
            Some(before) => before.iter().zip(&now).map(|(a, b)| a != b).collect(),
            None => vec![true; now.len()],
        };
        let places = || (0..now.len()).filter(|&i| changed[i]);
        let ((left, right), (top, bottom)) = (range(places().map(|i| i % row)), range(places().map(|i| i / row)));
        let mut pixels = Vec::with_capacity((right - left) * (bottom - top));
        for y in top..bottom {
            let (start, end) = (y * row + left, y * row + right);
            for run in changed[start..end].chunk_by(|a, b| a == b) {
                let place = start + pixels.len() % (right - left);
                match run[0] || run.len() < SHORT {
                    true => pixels.extend_from_slice(&now[place..place + run.len()]),
                    false => pixels.resize(pixels.len() + run.len(), UNCHANGED),
                }
            }
        }
        self.seen = Some(now);
        let side = |from: usize, to: usize| u16::try_from(to - from).unwrap_or(u16::MAX);
        gif::Frame {
            left: side(0, left),
            top: side(0, top),
            width: side(left, right),
            height: side(top, bottom),
            dispose: gif::DisposalMethod::Keep,
            transparent: Some(UNCHANGED),
            buffer: pixels.into(),
            ..gif::Frame::default()
        }
    }
}

/// From the least to above the greatest; where there are none, one pixel stands for them.
fn range(places: impl Iterator<Item = usize>) -> (usize, usize) {
    let (low, high) = places.fold((usize::MAX, 0), |(low, high), x| (low.min(x), high.max(x)));
    if low > high { (0, 1) } else { (low, high + 1) }
}

impl Colours {
    fn new(image: &Image) -> Self {
        let pixels = image.rgb.as_chunks::<3>().0.iter();
        let rgba: Vec<u8> = pixels.flat_map(|&[red, green, blue]| [red, green, blue, 255]).collect();
        let quantizer = NeuQuant::new(SAMPLING, COLOURS, &rgba);
        let mut table = quantizer.color_map_rgb();
        table.extend([0; 3]);
        Self {
            quantizer,
            table,
            known: HashMap::new(),
        }
    }

    /// The number of each pixel's colour; none when they do not serve.
    fn of(&mut self, image: &Image) -> Option<Vec<u8>> {
        let pixels = image.rgb.as_chunks::<3>().0;
        let (mut numbers, mut strange) = (Vec::with_capacity(pixels.len()), 0);
        // Most of a picture is paper.
        for run in pixels.chunk_by(|a, b| a == b) {
            let number = self.nearest(run[0]);
            let given = &self.table[3 * usize::from(number)..];
            if run[0].iter().zip(given).any(|(a, b)| a.abs_diff(*b) > STRANGE.1) {
                strange += run.len();
            }
            numbers.resize(numbers.len() + run.len(), number);
        }
        (strange as f64 <= STRANGE.0 * pixels.len() as f64).then_some(numbers)
    }

    fn nearest(&mut self, [red, green, blue]: [u8; 3]) -> u8 {
        let quantizer = &self.quantizer;
        let number = || u8::try_from(quantizer.index_of(&[red, green, blue, 255])).unwrap_or(UNCHANGED);
        *self.known.entry([red, green, blue]).or_insert_with(number)
    }
}

#[cfg(test)]
mod tests {
    use super::{AnimatedGif, Pictures};
    use crate::files::Image;

    /// Paper with a square at a place.
    fn image(x: u32) -> Image {
        let (width, height) = (200, 100);
        let inside = |i: u32| (x..x + 10).contains(&(i % width)) && (40..50).contains(&(i / width));
        let pixel = |i: u32| {
            if inside(i) {
                [200, 30, 30]
            } else {
                [240, (i % width) as u8, 240]
            }
        };
        Image {
            width,
            height,
            rgb: (0..width * height).flat_map(pixel).collect(),
        }
    }

    fn encoded(images: &[Image]) -> Vec<u8> {
        let mut animation = AnimatedGif::new((200, 100), 25.0).unwrap();
        images.iter().for_each(|image| animation.add(image).unwrap());
        animation.finish().unwrap()
    }

    #[test]
    fn an_animation_keeps_only_what_changes_and_shows_every_picture() {
        let images: Vec<Image> = [20, 25, 25, 90].map(image).to_vec();
        let bytes = encoded(&images);
        let single = encoded(&images[..1]).len();
        assert!(
            bytes.len() < single * 3 / 2,
            "{} bytes for four, {single} for one",
            bytes.len()
        );
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(&bytes[..]).unwrap();
        let mut shown = vec![0_u8; 200 * 100 * 4];
        for image in &images {
            let frame = decoder.read_next_frame().unwrap().expect("a picture");
            for (k, pixel) in frame
                .buffer
                .chunks_exact(4)
                .enumerate()
                .filter(|(_, pixel)| pixel[3] > 0)
            {
                let (x, y) = (k % usize::from(frame.width), k / usize::from(frame.width));
                let at = 4 * ((y + usize::from(frame.top)) * 200 + x + usize::from(frame.left));
                shown[at..at + 4].copy_from_slice(pixel);
            }
            let off = shown
                .chunks_exact(4)
                .zip(image.rgb.chunks_exact(3))
                .map(|(a, b)| (0..3).map(|k| a[k].abs_diff(b[k])).max().unwrap_or(0));
            assert!(off.max() < Some(12), "another picture is shown");
        }
        assert!(decoder.read_next_frame().unwrap().is_none());
    }

    #[test]
    fn pictures_with_other_colours_get_their_own() {
        let grey = Image {
            rgb: image(20).rgb.iter().map(|x| x / 4).collect(),
            ..image(20)
        };
        let bytes = encoded(&[image(20), grey.clone(), image(20)]);
        let mut decoder = gif::DecodeOptions::new().read_info(&bytes[..]).unwrap();
        let own = std::iter::from_fn(|| decoder.read_next_frame().unwrap().map(|frame| frame.palette.is_some()));
        assert_eq!(own.collect::<Vec<_>>(), [false, true, false]);
    }
}
