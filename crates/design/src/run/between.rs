//! Values of a recording between its samples.

use super::recording::Recording;

/// Samples that a polynomial goes through.
const NODES: usize = 4;
/// Samples nearer to each other than this part of the span of a polynomial are one: an event may lie next to one, and the
/// tolerance of their difference would be taken for a rate.
const APART: f64 = 1e-3;

impl Recording {
    /// Value and rate of one of its courses (as many values as times) at a time, by the cubic polynomial through the four samples about
    /// it. Of an event those after it, for no polynomial goes across one; beyond the ends those at the end. No rate in a phase of
    /// one sample; nothing without samples.
    pub fn read(&self, values: &[f64], t: f64) -> Option<(f64, Option<f64>)> {
        let times = &self.times[..values.len().min(self.times.len())];
        let begun = |start: &usize| times.get(*start).is_some_and(|first| *first <= t);
        let after = self.phases.partition_point(begun).max(1);
        let start = *self.phases.get(after - 1)?;
        let phase = start..self.phases.get(after).map_or(times.len(), |end| *end.min(&times.len()));
        let last = phase.end.checked_sub(1).filter(|last| *last >= start)?;
        let t = t.clamp(times[start], times[last]);
        let next = start + times[phase.clone()].partition_point(|time| *time <= t);
        let first = next
            .saturating_sub(NODES / 2)
            .min(phase.end.saturating_sub(NODES))
            .max(start);
        let last = (first + NODES - 1).min(last);
        let apart = |a: usize, b: usize| times[b] - times[a] > APART * (times[last] - times[first]);
        let is_node = |k: &usize| *k == first || *k == last || apart(*k - 1, *k) && apart(*k, *k + 1);
        let nodes = (first..=last).filter(is_node).map(|k| (times[k], values[k]));
        Some(polynomial(nodes.collect(), t))
    }
}

/// Value and slope of the polynomial through points, by divided differences.
fn polynomial(mut points: Vec<(f64, f64)>, t: f64) -> (f64, Option<f64>) {
    for order in 1..points.len() {
        for k in (order..points.len()).rev() {
            points[k].1 = (points[k].1 - points[k - 1].1) / (points[k].0 - points[k - order].0);
        }
    }
    let (mut value, mut slope) = (0.0, 0.0);
    for (at, coefficient) in points.iter().rev() {
        slope = slope * (t - at) + value;
        value = value * (t - at) + coefficient;
    }
    (value, Some(slope).filter(|_| points.len() > 1))
}

/// The unit of the rate of something in this unit.
pub fn per_second(unit: &str) -> String {
    match unit {
        "J" => "W".to_string(),
        unit => match (unit.strip_suffix("/s"), unit.strip_suffix("/s²")) {
            (Some(of), _) => format!("{of}/s²"),
            (_, Some(of)) => format!("{of}/s³"),
            _ => format!("{unit}/s"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{Recording, per_second};

    /// t^3 until 1, then 5 - t; a sample lies next to the event.
    fn recording() -> (Recording, Vec<f64>) {
        let times = vec![0.0, 0.3, 0.6, 1.0 - 1e-12, 1.0, 1.0, 1.5, 2.0];
        let value = |(k, t): (usize, &f64)| match k {
            // Off by the tolerance.
            3 => t.powi(3) + 1e-9,
            ..5 => t.powi(3),
            _ => 5.0 - t,
        };
        let values = times.iter().enumerate().map(value).collect();
        let recording = Recording {
            times,
            phases: vec![0, 5],
            ..Recording::default()
        };
        (recording, values)
    }

    #[test]
    fn values_between_samples_have_their_rate_and_none_across_an_event() {
        let (recording, values) = recording();
        let read = |t: f64| recording.read(&values, t).expect("a value");
        for t in [0.0, 0.1, 0.45] {
            let (value, rate) = read(t);
            assert!((value - t.powi(3)).abs() < 1e-8, "{t}: {value}");
            assert!((rate.expect("a rate") - 3.0 * t * t).abs() < 1e-7, "{t}: {rate:?}");
        }
        // Three samples are left here.
        let (value, rate) = read(0.999);
        assert!(
            (value - 0.997).abs() < 5e-4 && (rate.expect("a rate") - 2.7).abs() < 0.1,
            "{value} {rate:?}"
        );
        for (t, expected) in [(1.0, 4.0), (1.2, 3.8), (9.0, 3.0)] {
            let (value, rate) = read(t);
            assert!((value - expected).abs() < 1e-12, "{t}: {value}");
            assert!((rate.expect("a rate") + 1.0).abs() < 1e-12, "{t}: {rate:?}");
        }
        assert_eq!(read(-1.0).0, 0.0);
    }

    #[test]
    fn a_single_sample_has_no_rate_and_no_samples_no_value() {
        let single = Recording {
            times: vec![2.0],
            phases: vec![0],
            ..Recording::default()
        };
        assert_eq!(single.read(&[7.0], 3.0), Some((7.0, None)));
        assert_eq!(Recording::default().read(&[], 0.0), None);
    }

    #[test]
    fn rates_have_units_of_their_own() {
        let units = ["m", "m/s", "rad/s²", "J", "N m"].map(per_second);
        assert_eq!(units, ["m/s", "m/s²", "rad/s³", "W", "N m/s"]);
    }
}
