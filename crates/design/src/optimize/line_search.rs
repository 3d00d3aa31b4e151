//! Line search for the Wolfe conditions, which also finds its way past points without a value.
//!
//! Bracketing and bisection after Lewis and Overton, Nonsmooth optimization via quasi-Newton methods, Mathematical
//! Programming 141 (2013): it needs no continuity of derivatives, which a change of the sequence of events breaks, and
//! an infinite value is only one that is too large. Where both ends of the bracket have values, a cubic chooses the
//! place in it (Nocedal and Wright, Numerical Optimization, 3.59).

use crate::linear::{dot, max_abs};

/// Least decrease, relative to the slope at the start.
const DECREASE: f64 = 1e-4;

/// A value that is larger by no more than this, relative, counts as equal: differences between simulations are not more
/// accurate (Hager and Zhang, A new conjugate gradient method, SIAM Journal on Optimization 16 (2005), 4.1).
const ROUNDING: f64 = 1e-10;

/// A new place keeps this part of the bracket's width from its ends.
const MARGIN: f64 = 0.1;

/// Most places tried; bisection has narrowed the bracket by 1e9 then.
const MOST_TRIALS: usize = 30;

/// Slopes at which the search ends, relative to the one at the start.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wolfe {
    /// Not steeper downhill than this.
    Weak(f64),
    /// Not steeper than this, neither downhill nor uphill.
    Strong(f64),
}

impl Wolfe {
    /// For quasi-Newton methods, whose first trial is usually right.
    pub const QUASI_NEWTON: Self = Self::Weak(0.9);
    /// For conjugate gradients, whose directions need a minimum along the line.
    pub const CONJUGATE: Self = Self::Strong(0.1);

    fn is_steep(self, slope: f64, start: f64) -> bool {
        let (Self::Weak(part) | Self::Strong(part)) = self;
        slope < part * start
    }

    fn is_past(self, slope: f64, start: f64) -> bool {
        match self {
            Self::Weak(_) => false,
            Self::Strong(part) => slope > -part * start,
        }
    }
}

/// Value and slope along a line; both infinite where there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub value: f64,
    pub slope: f64,
}

/// A place on the line.
#[derive(Clone, Copy, Debug)]
struct Trial {
    step: f64,
    sample: Sample,
}

/// A place to search from: scaled variables, value and gradient there, and the direction.
pub(super) struct Line<'a> {
    x: &'a [f64],
    value: f64,
    gradient: &'a [f64],
    direction: &'a [f64],
}

impl<'a> Line<'a> {
    pub fn new(x: &'a [f64], value: f64, gradient: &'a [f64], direction: &'a [f64]) -> Self {
        Self {
            x,
            value,
            gradient,
            direction,
        }
    }

    /// The variables after a step.
    pub fn at(&self, step: f64) -> Vec<f64> {
        self.x.iter().zip(self.direction).map(|(x, d)| x + step * d).collect()
    }

    /// Step and value after the search; `evaluate` gives value and gradient at a place, or nothing where there are none.
    ///
    /// The first trial is the whole step, and none is longer than `longest` or changes a variable by more than its scale.
    ///
    /// # Errors
    /// Those of `evaluate`.
    pub fn search<E>(
        &self,
        longest: f64,
        wolfe: Wolfe,
        mut evaluate: impl FnMut(&Vec<f64>) -> Result<Option<(f64, Vec<f64>)>, E>,
    ) -> Result<Option<(f64, f64)>, E> {
        let longest = longest.min(1.0 / max_abs(self.direction));
        let start = Sample {
            value: self.value,
            slope: dot(self.gradient, self.direction),
        };
        search(start, [longest.min(1.0), longest], wolfe, |step| {
            Ok(match evaluate(&self.at(step))? {
                Some((value, gradient)) => Sample {
                    value,
                    slope: dot(&gradient, self.direction),
                },
                None => Sample {
                    value: f64::INFINITY,
                    slope: f64::INFINITY,
                },
            })
        })
    }
}

/// The step to take from a place with this sample and the value there, tried first with `initial` and at most `longest`;
/// none when no smaller value is found.
fn search<E>(
    start: Sample,
    [initial, longest]: [f64; 2],
    wolfe: Wolfe,
    mut sample_at: impl FnMut(f64) -> Result<Sample, E>,
) -> Result<Option<(f64, f64)>, E> {
    // A slope or length that is not a number is none to go along either.
    let descends = start.slope < 0.0 && initial > 0.0 && longest > 0.0;
    if !descends {
        return Ok(None);
    }
    let mut low = Trial {
        step: 0.0,
        sample: start,
    };
    let mut high: Option<Trial> = None;
    let mut step = initial.min(longest);
    for _ in 0..MOST_TRIALS {
        let sample = sample_at(step)?;
        let tried = Trial { step, sample };
        if !decreases_enough(&start, &tried) || wolfe.is_past(sample.slope, start.slope) {
            high = Some(tried);
        } else if wolfe.is_steep(sample.slope, start.slope) && step < longest {
            low = tried;
        } else {
            return Ok(Some((step, sample.value)));
        }
        step = next(&low, high.as_ref(), longest);
    }
    Ok((low.step > 0.0).then_some((low.step, low.sample.value)))
}

fn decreases_enough(start: &Sample, tried: &Trial) -> bool {
    let Sample { value, slope } = tried.sample;
    let wanted = start.value + DECREASE * tried.step * start.slope;
    let about_equal = value <= start.value + ROUNDING * start.value.abs();
    value <= wanted || (about_equal && slope <= (2.0 * DECREASE - 1.0) * start.slope)
}

/// The next place to try: in the bracket, or farther out when there is none yet.
fn next(low: &Trial, high: Option<&Trial>, longest: f64) -> f64 {
    let Some(high) = high else {
        return (4.0 * low.step).min(longest);
    };
    let width = high.step - low.step;
    let (first, last) = (low.step + MARGIN * width, high.step - MARGIN * width);
    match cubic_minimum(low, high) {
        Some(step) if high.sample.value.is_finite() => step.clamp(first, last),
        _ => low.step + 0.5 * width,
    }
}

/// Minimum of the cubic through two values and slopes.
fn cubic_minimum(a: &Trial, b: &Trial) -> Option<f64> {
    let (va, vb, sa, sb) = (a.sample.value, b.sample.value, a.sample.slope, b.sample.slope);
    let d1 = sa + sb - 3.0 * (vb - va) / (b.step - a.step);
    let d2 = (d1 * d1 - sa * sb).sqrt();
    let step = b.step - (b.step - a.step) * (sb + d2 - d1) / (sb - sa + 2.0 * d2);
    step.is_finite().then_some(step)
}

#[cfg(test)]
mod tests {
    use super::{Sample, Wolfe, search};

    fn along(f: impl Fn(f64) -> (f64, f64)) -> impl Fn(f64) -> Result<Sample, ()> {
        move |step| {
            let (value, slope) = f(step);
            Ok(Sample { value, slope })
        }
    }

    fn found(f: impl Fn(f64) -> (f64, f64) + Copy, initial: f64, longest: f64) -> Option<f64> {
        let (value, slope) = f(0.0);
        search(
            Sample { value, slope },
            [initial, longest],
            Wolfe::QUASI_NEWTON,
            along(f),
        )
        .unwrap()
        .map(|(step, _)| step)
    }

    #[test]
    fn the_step_decreases_the_value_and_passes_the_steep_part() {
        let f = |t: f64| ((t - 3.0).powi(4), 4.0 * (t - 3.0).powi(3));
        for initial in [1e-4, 1.0, 7.0] {
            let step = found(f, initial, 100.0).unwrap();
            assert!(f(step).0 < f(0.0).0 + 1e-4 * step * f(0.0).1, "{step}");
            assert!(f(step).1 >= 0.9 * f(0.0).1, "{step}");
        }
    }

    #[test]
    fn the_strong_conditions_find_the_bottom_from_both_sides() {
        let f = |t: f64| ((t - 3.0).powi(2), 2.0 * (t - 3.0));
        for initial in [0.1, 5.9] {
            let start = Sample {
                value: 9.0,
                slope: -6.0,
            };
            let (step, value) = search(start, [initial, 100.0], Wolfe::CONJUGATE, along(f))
                .unwrap()
                .unwrap();
            assert!((step - 3.0).abs() <= 0.3, "{step}");
            assert_eq!(value, f(step).0);
        }
    }

    #[test]
    fn points_without_a_value_are_backed_off_from() {
        let f = |t: f64| {
            if t > 0.01 {
                (f64::INFINITY, f64::INFINITY)
            } else {
                (-t, -1.0)
            }
        };
        let step = found(f, 1.0, 10.0).unwrap();
        assert!(step > 0.005 && step <= 0.01, "{step}");
    }

    #[test]
    fn a_downward_jump_is_taken_and_an_upward_one_avoided() {
        let down = |t: f64| {
            if t > 1.0 {
                (-5.0 + 0.1 * (t - 1.0), 0.1)
            } else {
                (-t, -1.0)
            }
        };
        assert!(found(down, 2.0, 10.0).unwrap() > 1.0);
        let up = |t: f64| if t > 1.0 { (5.0 - t, -1.0) } else { (-t, -1.0) };
        assert!(found(up, 3.0, 3.5).unwrap() <= 1.0);
    }

    #[test]
    fn no_step_is_longer_than_allowed_and_none_goes_uphill() {
        assert_eq!(found(|t| (-t, -1.0), 1.0, 2.5), Some(2.5));
        assert_eq!(found(|t| (t, 1.0), 1.0, 2.5), None);
        assert_eq!(found(|_| (0.0, f64::NAN), 1.0, 2.5), None);
    }
}
