//! Range, ticks and tick labels of an axis.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use super::text;

/// Size of tick labels.
pub(super) const TICK_SIZE: f64 = 10.5;

/// Part of the range left free above and below curves.
const PADDING: f64 = 0.06;

/// Ranges narrower than this, relative to the values, are rounding noise of a constant.
const CONSTANT: f64 = 1e-12;

/// Room shown on either side of a constant, relative to it.
const CONSTANT_MARGIN: f64 = 0.11;

/// Labels with more digits than this are given relative to an offset.
const MOST_DIGITS: usize = 6;

/// Decimal exponents of the largest label that are written out.
const PLAIN: std::ops::RangeInclusive<i32> = -3..=4;

/// An axis from 0 at its lower to 1 at its upper end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    /// Divisor that brings all values to the order of one, so that no extreme value overflows; ignored when `log`.
    unit: f64,
    log: bool,
    low: f64,
    high: f64,
    pub(super) ticks: Vec<Tick>,
    /// Factor and offset shared by the labels; empty for none.
    pub(super) note: String,
}

/// A labelled place on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    /// Between 0 and 1.
    pub(super) at: f64,
    pub(super) label: String,
}

/// Smallest and largest of the values, if any.
pub(super) fn extent(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values.into_iter().fold(None, |range, v| {
        range.map_or(Some((v, v)), |(low, high): (f64, f64)| Some((low.min(v), high.max(v))))
    })
}

impl Axis {
    /// A linear axis with at most `most` ticks; `tight` leaves no room beyond the range.
    pub(super) fn linear(range: Option<(f64, f64)>, tight: bool, most: usize) -> Self {
        let (low, high) = range.unwrap_or((0.0, 1.0));
        let size = low.abs().max(high.abs());
        let exponent = if size > 0.0 {
            (size.log10().floor() as i32).clamp(-300, 300)
        } else {
            0
        };
        let unit = 10_f64.powi(exponent);
        let (mut low, mut high) = (low / unit, high / unit);
        let span = high - low;
        // In the unit, since products with subnormal values round to zero.
        let size = size / unit;
        if span <= CONSTANT * size {
            let half = if size > 0.0 {
                CONSTANT_MARGIN * size
            } else {
                10.0 * CONSTANT_MARGIN
            };
            (low, high) = (low - half, high + half);
        } else if !tight {
            (low, high) = (low - PADDING * span, high + PADDING * span);
        }
        let mut axis = Self {
            unit,
            log: false,
            low,
            high,
            ticks: Vec::new(),
            note: String::new(),
        };
        axis.mark_linear(exponent, most.max(2));
        axis
    }

    /// A logarithmic axis for a positive range.
    pub(super) fn logarithmic((low, high): (f64, f64), most: usize) -> Self {
        let (mut low, mut high) = (low.log10(), high.log10());
        let padding = PADDING * (high - low);
        (low, high) = (low - padding, high + padding);
        if high.floor() - low.ceil() < 1.0 {
            (low, high) = (low.floor(), high.ceil().max(low.floor() + 1.0));
        }
        let (first, last) = (low.ceil() as i32, high.floor() as i32);
        let stride = (last - first) / most.max(2) as i32 + 1;
        let at = |decade: i32| (f64::from(decade) - low) / (high - low);
        let ticks = (first..=last).filter(|decade| decade.rem_euclid(stride) == 0);
        let ticks = ticks
            .map(|decade| Tick {
                at: at(decade),
                label: power_of_ten(decade),
            })
            .collect();
        Self {
            unit: 1.0,
            log: true,
            low,
            high,
            ticks,
            note: String::new(),
        }
    }

    /// Distance between ticks of a linear axis; infinite with one tick.
    pub(super) fn step(&self) -> f64 {
        match self.ticks.as_slice() {
            // Rounded, so that a step of one is one.
            [first, second, ..] => ((second.at - first.at) * (self.high - self.low) * self.unit * 1e9).round() / 1e9,
            _ => f64::INFINITY,
        }
    }

    /// Width of the widest label.
    pub(super) fn label_width(&self) -> f64 {
        let widths = self.ticks.iter().map(|tick| text::width(&tick.label, TICK_SIZE));
        widths.fold(0.0, f64::max)
    }

    /// Place of a value, 0 to 1 within the axis; `None` for values that a logarithmic axis does not have.
    pub(super) fn at(&self, value: f64) -> Option<f64> {
        let value = match self.log {
            true if value <= 0.0 => return None,
            true => value.log10(),
            false => value / self.unit,
        };
        Some((value - self.low) / (self.high - self.low))
    }

    /// Ticks at multiples of 1, 2 or 5 times a power of ten; `exponent` is that of the unit.
    fn mark_linear(&mut self, exponent: i32, most: usize) {
        let (low, high) = (self.low, self.high);
        let mut power = ((high - low) / most as f64).log10().floor() as i32;
        let (multiple, first, last) = 'found: loop {
            for multiple in [1_i64, 2, 5] {
                let step = multiple as f64 * 10_f64.powi(power);
                let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
                if last - first < most as f64 {
                    break 'found (multiple, first as i64, last as i64);
                }
            }
            power += 1;
        };
        let step = multiple as f64 * 10_f64.powi(power);
        let counts: Vec<i64> = (first..=last).map(|k| k * multiple).collect();
        let (labels, note) = labels(&counts, power + exponent);
        let places = (first..=last).map(|k| ((k as f64 * step - low) / (high - low)).clamp(0.0, 1.0));
        self.ticks = places.zip(labels).map(|(at, label)| Tick { at, label }).collect();
        self.note = note;
    }
}

/// The charts of the library have the places on an axis as coordinates, with its ticks.
impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn range(&self) -> Range<f64> {
        0.0..1.0
    }

    fn map(&self, at: &f64, (first, last): (i32, i32)) -> i32 {
        (f64::from(first) + at * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let is_bold = !hint.weight().allow_light_points();
        self.ticks.iter().filter(|_| is_bold).map(|tick| tick.at).collect()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, at: &f64) -> String {
        let tick = self.ticks.iter().find(|tick| tick.at == *at);
        tick.map(|tick| tick.label.clone()).unwrap_or_default()
    }
}

/// Labels of the values `count * 10^power`, and their common factor and offset.
fn labels(counts: &[i64], power: i32) -> (Vec<String>, String) {
    let (first, last) = (
        counts.first().copied().unwrap_or(0),
        counts.last().copied().unwrap_or(0),
    );
    let offset = if digits(first).max(digits(last)) > MOST_DIGITS {
        let block = 10_i64.pow(digits(last - first) as u32);
        first.div_euclid(block) * block
    } else {
        0
    };
    let largest = digits(first - offset).max(digits(last - offset)) as i32 - 1 + power;
    let shared = if PLAIN.contains(&largest) {
        0
    } else {
        3 * largest.div_euclid(3)
    };
    let labels = counts
        .iter()
        .map(|count| decimal(count - offset, power - shared))
        .collect();
    let factor = if shared == 0 {
        String::new()
    } else {
        format!("×{}", power_of_ten(shared))
    };
    let note = match (offset, factor.is_empty()) {
        (0, _) => factor,
        (_, true) => format!("+ {}", scientific(offset, power)),
        (_, false) => format!("{factor} + {}", scientific(offset, power)),
    };
    (labels, note)
}

/// Decimal digits of a whole number.
fn digits(count: i64) -> usize {
    count.unsigned_abs().max(1).ilog10() as usize + 1
}

/// `count * 10^power` without an exponent, exactly.
fn decimal(count: i64, power: i32) -> String {
    let sign = if count < 0 { "−" } else { "" };
    let count = count.unsigned_abs();
    if power >= 0 {
        let zeros = if count == 0 { 0 } else { power as usize };
        return format!("{sign}{count}{}", "0".repeat(zeros));
    }
    let places = power.unsigned_abs() as usize;
    let padded = format!("{count:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    format!("{sign}{whole}.{fraction}")
}

/// `count * 10^power` with an exponent where needed and without trailing zeros.
fn scientific(count: i64, power: i32) -> String {
    let exponent = digits(count) as i32 - 1 + power;
    let shared = if PLAIN.contains(&exponent) { 0 } else { exponent };
    let mut text = decimal(count, power - shared);
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    if shared == 0 {
        text
    } else {
        format!("{text}×{}", power_of_ten(shared))
    }
}

/// 10 with the exponent raised.
fn power_of_ten(exponent: i32) -> String {
    let raised = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        _ => char::from_u32(0x2070 + u32::from(c) - u32::from('0')).unwrap_or(c),
    };
    let exponent: String = exponent.to_string().chars().map(raised).collect();
    format!("10{exponent}")
}

#[cfg(test)]
mod tests {
    use super::Axis;

    fn labels(low: f64, high: f64) -> (Vec<String>, String) {
        let axis = Axis::linear(Some((low, high)), true, 5);
        (axis.ticks.into_iter().map(|tick| tick.label).collect(), axis.note)
    }

    #[test]
    fn labels_are_short_and_exact() {
        assert_eq!(
            labels(-0.25, 0.3),
            (vec!["−0.2".into(), "0.0".into(), "0.2".into()], String::new())
        );
        assert_eq!(
            labels(0.0, 4e4),
            (
                ["0", "10000", "20000", "30000", "40000"].map(String::from).into(),
                String::new()
            )
        );
        assert_eq!(
            labels(0.0, 4e-12),
            (["0", "1", "2", "3", "4"].map(String::from).into(), "×10⁻¹²".into())
        );
        assert_eq!(
            labels(-3e9, 3e9),
            (["−2", "0", "2"].map(String::from).into(), "×10⁹".into())
        );
    }

    #[test]
    fn a_small_change_of_a_large_value_is_shown_relative_to_an_offset() {
        let (labels, note) = labels(1234.5, 1234.500004);
        assert_eq!(labels, ["0", "1", "2", "3", "4"]);
        assert_eq!(note, "×10⁻⁶ + 1234.5");
    }

    #[test]
    fn values_lie_between_the_ends() {
        let axis = Axis::linear(Some((-2.0, 2.0)), true, 5);
        assert_eq!(
            (axis.at(-2.0), axis.at(0.0), axis.at(2.0)),
            (Some(0.0), Some(0.5), Some(1.0))
        );
        let axis = Axis::logarithmic((1e-3, 1e3), 5);
        assert!((axis.at(1.0).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(axis.at(0.0), None);
    }
}
