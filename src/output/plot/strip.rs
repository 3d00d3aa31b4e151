//! Curves of outputs over time below the pictures of a motion.

use super::figures::{curve, figure};
use super::page::Page;
use super::{Panel, bitmap};
use crate::error::{Error, ErrorKind, Result};
use crate::files::Image;
use crate::run::Recording;

/// Least width of a strip in units of its page: text has the same size on all of them.
const NARROWEST: u32 = 400;

/// Colour of the line at the time of a picture, and its width in units of the page.
const NOW: [u8; 3] = [184, 47, 58];
const NOW_WIDTH: f64 = 1.5;

/// A panel for each of some outputs.
pub struct Strip {
    image: Image,
    /// Columns of the start and the end of the motion, and rows of the upper and lower end of the panels.
    columns: [f64; 2],
    rows: [usize; 2],
    span: [f64; 2],
    width: usize,
}

impl Strip {
    /// The outputs of these names, for the lower part of pictures of this size in pixels, at most half.
    ///
    /// # Errors
    /// Kind `Request` for more than 12 outputs, and where there is no room for them; kind `NotFinite` for values that are not finite.
    pub fn new(recording: &Recording, names: &[String], (width, height): (u32, u32)) -> Result<Self> {
        let named = |name: &String| recording.outputs.iter().find(|series| series.name == *name);
        let panels = names.iter().filter_map(named).map(|series| Panel {
            noise: series.noise,
            ..Panel::new(
                series.label(),
                vec![curve(recording, "", |k| series.values.get(k).copied())],
            )
        });
        let mut figure = figure(recording, "", panels.collect());
        figure.title.clear();
        figure.bands.clear();
        let widest = (width / NARROWEST).max(1);
        for scale in (1..=widest).rev() {
            figure.strip = Some(f64::from(width) / f64::from(scale));
            let page = Page::plan(&figure)?;
            if 2 * page.pixels(scale).1 <= height {
                return Self::drawn(&page, recording, scale);
            }
        }
        let least = 2 * Page::plan(&figure)?.pixels(1).1;
        let message = format!("there is no room for the curves in a picture {height} pixels high");
        let advice = format!("make it {least} pixels high, or draw fewer curves");
        Err(Error::new(ErrorKind::Request, message).advise(advice))
    }

    fn drawn(page: &Page, recording: &Recording, scale: u32) -> Result<Self> {
        let image = bitmap(page, scale)?;
        let span = [recording.times.first(), recording.times.last()].map(|t| t.copied().unwrap_or_default());
        let scale = f64::from(scale);
        let [columns, rows] = page.ends().map_or([[0.0; 2]; 2], |[first, last]| {
            let column = |t| first.left + (first.right - first.left) * first.x.at(t).unwrap_or_default();
            [span.map(column), [first.top, last.bottom]]
        });
        Ok(Self {
            image,
            columns: columns.map(|column| scale * column),
            rows: rows.map(|row| (scale * row) as usize),
            span,
            width: (scale * NOW_WIDTH).ceil() as usize,
        })
    }

    /// Its height in pixels.
    pub fn height(&self) -> u32 {
        self.image.height
    }

    /// A picture with the strip below it, and a line there at its time.
    pub fn below(&self, mut picture: Image, t: f64) -> Image {
        let ([from, to], [start, end]) = (self.columns, self.span);
        let part = if end > start { (t - start) / (end - start) } else { 0.0 };
        let (stride, column) = (
            3 * self.image.width as usize,
            (from + part * (to - from)).round() as usize,
        );
        let mut strip = self.image.rgb.clone();
        for row in strip.chunks_exact_mut(stride).take(self.rows[1]).skip(self.rows[0]) {
            row.chunks_exact_mut(3)
                .skip(column)
                .take(self.width)
                .for_each(|pixel| pixel.copy_from_slice(&NOW));
        }
        picture.rgb.extend(strip);
        picture.height += self.image.height;
        picture
    }
}
