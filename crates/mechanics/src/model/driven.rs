//! Drivers whose values jump, which no motion follows.

use super::Model;
use super::constraint::Constraint;
use super::function::{Function, Signal};
use crate::error::{Error, ErrorKind, Result};
use crate::scalar::shortest;

/// Pieces of a simulation that are searched for a jump each.
const PIECES: usize = 256;

/// Changes within one step of the time, over the largest value seen, that are no jump but rounding.
const ROUNDING: f64 = 1e-9;

/// Changes within one step of the time, over the largest change seen, that a steep function makes.
const STEEP: f64 = 1e-3;

impl Constraint {
    /// The expression that it follows in time, if it does.
    pub(crate) fn driven_by(&self) -> Option<&Function> {
        match self.kind.signal()? {
            Signal::Function(function) => Some(function),
            Signal::Number(_) => None,
        }
    }
}

impl Model {
    /// Refuses drivers whose values jump between two times, with memory as it is at the start.
    ///
    /// # Errors
    /// Kind `Request` naming the driver, with the time of the jump.
    pub fn refuse_jumps(&self, start: f64, end: f64) -> Result<()> {
        let numbers = self.numbers.iter().map(|number| number.value);
        let numbers: Vec<f64> = numbers.chain(self.memory.iter().copied()).collect();
        for constraint in &self.constraints {
            let Some(function) = constraint.driven_by().filter(|function| function.depends_on_time()) else {
                continue;
            };
            let local = constraint.local.pick_numbers(&numbers);
            let value = |t: f64| function.as_written().evaluate(t, &local, &[]);
            let at = |k: usize| start + (end - start) * (k as f64 / PIECES as f64);
            if let Some((t, values)) = (0..PIECES).find_map(|k| jump(&value, [at(k), at(k + 1)])) {
                return Err(jumping(&constraint.name, function.expression.text(), t, values));
            }
        }
        Ok(())
    }
}

fn jumping(name: &str, text: &str, t: f64, values: [f64; 2]) -> Error {
    let [before, after] = values.map(shortest);
    let message = format!("the value `{text}` of \"{name}\" jumps from {before} to {after}, which no motion follows");
    Error::new(ErrorKind::Request, message)
        .named(name)
        .at_time(t)
        .with_value(values[1])
        .advise("let the value change over some time, for example as a polynomial of `t`")
}

/// Time and sides of a jump between two times: the half with the greater change is halved until nothing is between. Poles are
/// none: no step gets over them.
fn jump(value: &impl Fn(f64) -> f64, [mut before, mut after]: [f64; 2]) -> Option<(f64, [f64; 2])> {
    let (mut low, mut high) = (value(before), value(after));
    let (mut size, mut most) = (low.abs().max(high.abs()), (high - low).abs());
    loop {
        let middle = before + 0.5 * (after - before);
        let is_done = middle <= before || middle >= after;
        if !is_done {
            let between = value(middle);
            if (between - low).abs() >= (high - between).abs() {
                (after, high) = (middle, between);
            } else {
                (before, low) = (middle, between);
            }
            size = size.max(between.abs());
        }
        let left = (high - low).abs();
        most = most.max(left);
        let counts = left > ROUNDING * size && left > STEEP * most;
        // Neither half of a smooth value changes by what counts after ten halvings.
        if is_done || !counts {
            return counts.then_some((after, [low, high]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::jump;

    #[test]
    fn jumps_are_found_and_steep_or_quick_values_are_none() {
        let jumps: [&dyn Fn(f64) -> f64; 5] = [
            &|t| f64::from((t - 0.3).abs() < 0.25),
            &|t| f64::from(t >= 0.123),
            &|t| t + 1e-3 * (t - 0.7).signum(),
            &|t| (t - 0.3).sin().atan2(-1.0),
            &f64::floor,
        ];
        for (k, value) in jumps.iter().enumerate() {
            assert!(jump(value, [0.0, 1.0]).is_some(), "{k}");
        }
        let smooth: [&dyn Fn(f64) -> f64; 8] = [
            &|_| 0.1,
            &|t| (804.247_719_318_987 * t).sin(),
            &|t| (t - 0.4).abs(),
            &|t| (t - 0.4).cbrt(),
            &f64::sqrt,
            &|t| 1e6 + 1e-12 * t,
            &|t| (t - 0.5).max(0.0).powi(2),
            &|t| (1e9 * (t - 0.5)).tanh(),
        ];
        for (k, value) in smooth.iter().enumerate() {
            assert_eq!(jump(value, [0.0, 1.0]), None, "{k}");
        }
    }
}
