//! A drawing as pixels with smooth edges.

use crate::files::Image;

/// Pixels of the image per unit of the page.
pub(super) const SCALE: u32 = 2;

/// Pixels drawn per pixel of the image, in each direction: averaging them smooths every edge.
pub(super) const OVERSAMPLING: u32 = 3;

/// The picture of an RGB drawing whose sides are multiples of [`OVERSAMPLING`].
pub(super) fn smoothed(drawing: &[u8], width: usize, height: usize) -> Image {
    let step = OVERSAMPLING as usize;
    Image {
        width: (width / step) as u32,
        height: (height / step) as u32,
        rgb: averaged(drawing, width, step),
    }
}

/// Mean of each square of `step` by `step` pixels.
fn averaged(drawing: &[u8], width: usize, step: usize) -> Vec<u8> {
    let stride = 3 * width;
    let mut image = Vec::with_capacity(drawing.len() / (step * step));
    let mut sums = vec![0_u32; stride / step];
    for rows in drawing.chunks_exact(stride * step) {
        sums.fill(0);
        for row in rows.chunks_exact(stride) {
            for (sum, square) in sums.chunks_exact_mut(3).zip(row.chunks_exact(3 * step)) {
                for pixel in square.chunks_exact(3) {
                    sum[0] += u32::from(pixel[0]);
                    sum[1] += u32::from(pixel[1]);
                    sum[2] += u32::from(pixel[2]);
                }
            }
        }
        image.extend(sums.iter().map(|sum| (sum / (step * step) as u32) as u8));
    }
    image
}
