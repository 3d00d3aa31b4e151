//! Which points a sweep consists of.

use crate::error::{Error, ErrorKind, Result};
use crate::expression::suggest;
use crate::latin_hypercube::LatinHypercube;
use crate::run::Experiment;

/// Points of the largest sweep: their rows are kept in memory.
const MOST_POINTS: usize = 10_000_000;

/// Difference of a value of a grid, over the size of the range, that is rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// A parameter that is varied.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// Name in the scene.
    pub name: String,
    /// Least value, in the unit of the parameter.
    pub low: f64,
    /// Greatest value.
    pub high: f64,
}

/// How points lie in the ranges.
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// All combinations of so many equidistant values of each parameter, both ends included; the last varies fastest.
    Grid(Vec<usize>),
    /// A Latin hypercube.
    Sample {
        /// Number of points.
        count: usize,
        /// Seed of the random numbers.
        seed: u64,
    },
    /// These points, one value of each parameter.
    Points(Vec<Vec<f64>>),
}

/// A part of the points of a sweep, so that several computers can share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: usize,
    of: usize,
}

/// The points of a sweep, numbered from 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    ranges: Vec<Range>,
    layout: Layout,
    /// Of a sample.
    points: Vec<Vec<f64>>,
    count: usize,
}

impl Plan {
    /// The points of a layout within ranges.
    ///
    /// # Errors
    /// Kind `Usage` for a range without width, a parameter that is there twice, too few values or too many points.
    pub fn new(ranges: Vec<Range>, layout: Layout) -> Result<Self> {
        ranges.iter().try_for_each(Range::check)?;
        refuse_twice(&ranges)?;
        let count = layout.count(&ranges)?;
        let points = match layout {
            Layout::Grid(_) | Layout::Points(_) => Vec::new(),
            Layout::Sample { count, seed } => {
                let (lower, upper): (Vec<f64>, Vec<f64>) = ranges.iter().map(|range| (range.low, range.high)).unzip();
                LatinHypercube::new(seed).points(count, &lower, &upper)
            }
        };
        Ok(Self {
            ranges,
            layout,
            points,
            count,
        })
    }

    /// These points, one value of each of the named parameters.
    ///
    /// # Errors
    /// Kind `Usage` for a point with another number of values or one that is not finite, and as [`Plan::new`].
    pub fn given(names: &[String], points: Vec<Vec<f64>>) -> Result<Self> {
        let fits = |point: &&Vec<f64>| point.len() == names.len() && point.iter().all(|value| value.is_finite());
        if let Some((k, point)) = points.iter().enumerate().find(|(_, point)| !fits(point)) {
            let message = format!("point {k} of the sweep is {point:?}");
            let advice = format!("give every point {} finite values", names.len());
            return Err(usage(message).advise(advice));
        }
        let column = |k: usize| points.iter().map(move |point| point[k]);
        let range = |(k, name): (usize, &String)| Range {
            name: name.clone(),
            low: column(k).fold(f64::INFINITY, f64::min),
            high: column(k).fold(f64::NEG_INFINITY, f64::max),
        };
        let ranges: Vec<Range> = names.iter().enumerate().map(range).collect();
        refuse_twice(&ranges)?;
        let layout = Layout::Points(points);
        Ok(Self {
            count: layout.count(&ranges)?,
            ranges,
            layout,
            points: Vec::new(),
        })
    }

    /// The varied parameters.
    pub fn ranges(&self) -> &[Range] {
        &self.ranges
    }

    /// How the points lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Number of points.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The values of the parameters at a point.
    pub fn point(&self, index: usize) -> Vec<f64> {
        match &self.layout {
            Layout::Sample { .. } => self.points.get(index).cloned().unwrap_or_default(),
            Layout::Points(points) => points.get(index).cloned().unwrap_or_default(),
            Layout::Grid(counts) => {
                let mut rest = index;
                let mut point = vec![0.0; counts.len()];
                for ((value, range), &count) in point.iter_mut().zip(&self.ranges).zip(counts).rev() {
                    *value = range.step(rest % count, count - 1);
                    rest /= count;
                }
                point
            }
        }
    }

    /// Whether the scene has the parameters or constants.
    ///
    /// # Errors
    /// Kind `Usage` naming one that it does not have, with the one that may be meant.
    pub fn check(&self, experiment: &Experiment) -> Result<()> {
        let scene = &experiment.recipe().0.scene;
        let known = || scene.parameters.names().chain(scene.constants.names());
        match self.ranges.iter().find(|range| !known().any(|name| name == range.name)) {
            None => Ok(()),
            Some(Range { name, .. }) => Err(usage(format!("the scene has no parameter `{name}` to vary"))
                .named(name)
                .advise(suggest(name, known(), "parameters and constants"))),
        }
    }
}

/// Each parameter is varied once.
fn refuse_twice(ranges: &[Range]) -> Result<()> {
    let is_again = |k: usize| ranges.iter().take(k).any(|other| other.name == ranges[k].name);
    match (0..ranges.len()).find(|&k| is_again(k)) {
        None => Ok(()),
        Some(k) => Err(usage(format!("the parameter `{}` is varied twice", ranges[k].name))
            .named(&ranges[k].name)
            .advise("give each parameter one range")),
    }
}

impl Range {
    fn check(&self) -> Result<()> {
        let Self { name, low, high } = self;
        if low.is_finite() && high.is_finite() && low < high {
            return Ok(());
        }
        Err(
            usage(format!("the range of `{name}` from {low} to {high} has no width"))
                .named(name)
                .advise("write the least value first, then a greater one, both finite"),
        )
    }

    /// The value after so many of `steps` equal steps: exact at both ends, and between them the numbers that one would
    /// write, such as 0.55 and not 0.5499999999999999, and zero where the steps meet it.
    fn step(&self, number: usize, steps: usize) -> f64 {
        match number {
            0 => self.low,
            _ if number == steps => self.high,
            _ => {
                let value = (self.low * (steps - number) as f64 + self.high * number as f64) / steps as f64;
                let size = self.low.abs().max(self.high.abs());
                let written = to_digits(value, size);
                if (written - value).abs() <= ROUNDING * size {
                    written
                } else {
                    value
                }
            }
        }
    }
}

/// A value to 15 digits of a size.
fn to_digits(value: f64, size: f64) -> f64 {
    let decimals = (14.0 - size.log10().floor()).clamp(0.0, 340.0) as usize;
    // Not minus zero.
    format!("{value:.decimals$}").parse().unwrap_or(value) + 0.0
}

impl Layout {
    fn count(&self, ranges: &[Range]) -> Result<usize> {
        let too_many =
            || usage("the sweep has too many points").advise("take fewer values of each parameter, or --sample");
        let count = match self {
            Self::Sample { count, .. } => *count,
            Self::Points(points) => points.len(),
            Self::Grid(counts) if counts.len() != ranges.len() => {
                let message = format!("{} parameters have {} numbers of values", ranges.len(), counts.len());
                return Err(usage(message).advise("give each parameter one number of values"));
            }
            Self::Grid(counts) => {
                if let Some((range, count)) = ranges.iter().zip(counts).find(|(_, count)| **count < 2) {
                    return Err(usage(format!("`{}` would take {count} value", range.name))
                        .named(&range.name)
                        .advise("take at least 2 values of a parameter; --set gives it one value"));
                }
                let product = counts
                    .iter()
                    .try_fold(1_usize, |product, &count| product.checked_mul(count));
                product.ok_or_else(too_many)?
            }
        };
        match count {
            0 => Err(usage("the sweep has no points").advise("ask for at least one")),
            _ if count > MOST_POINTS => Err(too_many()),
            _ if ranges.is_empty() => Err(usage("no parameter is varied").advise("add --vary NAME=LOW:HIGH:N")),
            _ => Ok(count),
        }
    }
}

impl Shard {
    /// Everything.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// The part with this number, from 1, of so many.
    ///
    /// # Errors
    /// Kind `Usage` when there is no such part.
    pub fn new(number: usize, of: usize) -> Result<Self> {
        if (1..=of).contains(&number) {
            return Ok(Self { number, of });
        }
        Err(usage(format!("there is no shard {number} of {of}")).advise("write --shard K/N with K from 1 to N"))
    }

    /// Stem of the names of files with this part of a sweep.
    pub(super) fn stem(self) -> String {
        match self {
            Self::WHOLE => "sweep".to_string(),
            Self { number, of } => format!("sweep-{number}-of-{of}"),
        }
    }

    /// The points of this part: neighbours, so that the parts in their order are the whole.
    pub fn points(self, count: usize) -> std::ops::Range<usize> {
        // In 128 bits, where the product cannot overflow; the quotient is at most `count`.
        let bound = |number: usize| (number as u128 * count as u128 / self.of as u128) as usize;
        bound(self.number - 1)..bound(self.number)
    }
}

pub(super) fn usage(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Usage, message)
}

#[cfg(test)]
mod tests {
    use super::{Layout, Plan, Range, Shard};
    use crate::error::ErrorKind;

    fn range(name: &str, low: f64, high: f64) -> Range {
        Range {
            name: name.to_string(),
            low,
            high,
        }
    }

    #[test]
    fn a_grid_has_every_combination_and_its_ends_exactly() {
        let ranges = vec![range("a", 0.1, 0.7), range("b", -1.0, 1.0)];
        let plan = Plan::new(ranges, Layout::Grid(vec![4, 3])).unwrap();
        let points: Vec<Vec<f64>> = (0..plan.count()).map(|index| plan.point(index)).collect();
        assert_eq!(points.len(), 12);
        assert_eq!((&points[0], &points[11]), (&vec![0.1, -1.0], &vec![0.7, 1.0]));
        assert_eq!(points[1], [0.1, 0.0], "the last varies fastest");
        assert!((points[3][0] - 0.3).abs() < 1e-15);
        let plan = Plan::new(vec![range("a", 0.5, 0.95)], Layout::Grid(vec![10])).unwrap();
        assert_eq!((plan.point(1), plan.point(7)), (vec![0.55], vec![0.85]));
        let plan = Plan::new(vec![range("a", -0.2, 1.2)], Layout::Grid(vec![8])).unwrap();
        let points: Vec<f64> = (0..8).map(|index| plan.point(index)[0]).collect();
        assert_eq!(points, [-0.2, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2]);
        assert!(points[1].is_sign_positive());
        // As near to what is no short number as can be, and far from one in size.
        for (low, high) in [(0.0, 1.0), (3e20, 9e21), (-1e-300, 2e-300), (1.0, 1.0 + 1e-12)] {
            let plan = Plan::new(vec![range("a", low, high)], Layout::Grid(vec![4])).unwrap();
            let third = plan.point(1)[0];
            assert!((third - (low * 2.0 + high) / 3.0).abs() <= 1e-15 * high, "{third:e}");
        }
    }

    #[test]
    fn a_sample_stays_within_its_ranges() {
        let plan = Plan::new(vec![range("a", 2.0, 3.0)], Layout::Sample { count: 40, seed: 3 }).unwrap();
        let values: Vec<f64> = (0..40).map(|index| plan.point(index)[0]).collect();
        assert!(values.iter().all(|value| (2.0..3.0).contains(value)), "{values:?}");
        assert!(values.iter().any(|value| *value > 2.95));
    }

    #[test]
    fn given_points_are_kept_as_they_are_and_must_fit_their_names() {
        let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let plan = Plan::given(&names(&["a", "b"]), vec![vec![1.0, 2.0], vec![1.0, -3.0]]).unwrap();
        assert_eq!((plan.count(), plan.point(1)), (2, vec![1.0, -3.0]));
        for (names, points) in [
            (names(&["a"]), vec![vec![1.0, 2.0]]),
            (names(&["a"]), vec![vec![f64::NAN]]),
            (names(&["a", "a"]), vec![vec![1.0, 2.0]]),
            (names(&["a"]), vec![]),
            (vec![], vec![vec![]]),
        ] {
            let error = Plan::given(&names, points.clone()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Usage, "{points:?}");
            assert!(error.advice().is_some(), "{points:?}");
        }
    }

    #[test]
    fn shards_in_order_are_the_whole() {
        for (count, of) in [(100, 16), (5, 16), (16, 16), (1, 3)] {
            let points: Vec<usize> = (1..=of).flat_map(|number| Shard { number, of }.points(count)).collect();
            assert_eq!(points, (0..count).collect::<Vec<_>>(), "{count} in {of}");
        }
        assert!(Shard::new(0, 3).is_err() && Shard::new(4, 3).is_err() && Shard::new(3, 3).is_ok());
    }

    #[test]
    fn what_is_no_sweep_is_wrong_usage_with_advice() {
        let a = || range("a", 0.0, 1.0);
        let cases = [
            (vec![range("a", 1.0, 1.0)], Layout::Grid(vec![3])),
            (vec![range("a", 2.0, 1.0)], Layout::Grid(vec![3])),
            (vec![range("a", 0.0, f64::INFINITY)], Layout::Grid(vec![3])),
            (vec![a()], Layout::Grid(vec![1])),
            (vec![a()], Layout::Grid(vec![2, 2])),
            (vec![a(), a()], Layout::Grid(vec![2, 2])),
            (vec![a(), range("b", 0.0, 1.0)], Layout::Grid(vec![usize::MAX, 2])),
            (vec![a()], Layout::Sample { count: 0, seed: 0 }),
            (vec![], Layout::Sample { count: 3, seed: 0 }),
        ];
        for (ranges, layout) in cases {
            let error = Plan::new(ranges.clone(), layout).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Usage, "{ranges:?}");
            assert!(error.advice().is_some(), "{ranges:?}");
        }
    }
}
