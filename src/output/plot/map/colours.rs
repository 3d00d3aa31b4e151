//! The colours of values.

use plotters::prelude::RGBColor;

/// The colour map viridis (of Smith and van der Walt) at equal steps: lightness grows with the value.
const VIRIDIS: [(u8, u8, u8); 9] = [
    (68, 1, 84),
    (71, 44, 122),
    (59, 81, 139),
    (44, 113, 142),
    (33, 144, 141),
    (39, 173, 129),
    (92, 200, 99),
    (170, 220, 50),
    (253, 231, 37),
];

/// The colour at a part of the way from the least to the greatest value.
pub(super) fn viridis(part: f64) -> RGBColor {
    let steps = (VIRIDIS.len() - 1) as f64;
    let at = part.clamp(0.0, 1.0) * steps;
    let below = (at.floor() as usize).min(VIRIDIS.len() - 2);
    let rest = at - below as f64;
    let mix = |a: u8, b: u8| (f64::from(a) * (1.0 - rest) + f64::from(b) * rest).round() as u8;
    let (low, high) = (VIRIDIS[below], VIRIDIS[below + 1]);
    RGBColor(mix(low.0, high.0), mix(low.1, high.1), mix(low.2, high.2))
}
