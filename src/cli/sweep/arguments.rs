//! The arguments of the `sweep` command.

use std::path::PathBuf;

use clap::Args;

use crate::cli::common::{Common, TimeLimit};
use crate::error::{Error, ErrorKind, Result};
use crate::sweep::{Layout, Plan, Range, Shard};

#[derive(Debug, Args)]
pub(in crate::cli) struct SweepArguments {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub limit: TimeLimit,
    /// Vary a parameter over N values from LOW to HIGH, both included; with --sample, without the N. May be given several
    /// times: all combinations are computed.
    #[arg(long, value_name = "NAME=LOW:HIGH:N", value_parser = varied, required = true)]
    pub vary: Vec<Varied>,
    /// Instead of a grid, a Latin hypercube of N points.
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,
    /// Seed of the sample; 0 when left out.
    #[arg(long, value_name = "S", requires = "sample")]
    pub seed: Option<u64>,
    /// Also the derivatives of the objectives by the varied parameters.
    #[arg(long)]
    pub gradient: bool,
    /// Only part K of N, so that several computers share the work.
    #[arg(long, value_name = "K/N", value_parser = shard)]
    pub shard: Option<Shard>,
    /// Number of threads; as many as cores when left out.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Folder for the table and its plots; created when missing. A sweep that was interrupted goes on where it stopped.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// A parameter with its range, and the number of its values if given.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cli) struct Varied {
    range: Range,
    count: Option<usize>,
}

impl SweepArguments {
    /// The points that the arguments ask for.
    ///
    /// # Errors
    /// Kind `Usage` when they contradict each other.
    pub fn plan(&self) -> Result<Plan> {
        plan(&self.vary, (self.sample, self.seed), &self.common.set)
    }
}

/// The points of a grid, or of a sample of this size and seed, beside parameters that are set.
///
/// # Errors
/// Kind `Usage` when they contradict each other.
pub(in crate::cli) fn plan(
    vary: &[Varied],
    (sample, seed): (Option<usize>, Option<u64>),
    set: &[(String, f64)],
) -> Result<Plan> {
    let name = |varied: &Varied| varied.range.name.clone();
    if let Some(varied) = vary
        .iter()
        .find(|varied| set.iter().any(|(set, _)| *set == varied.range.name))
    {
        return Err(usage(
            &name(varied),
            "is both set and varied",
            "leave out --set for it, or --vary",
        ));
    }
    let layout = match sample {
        Some(count) => {
            if let Some(varied) = vary.iter().find(|varied| varied.count.is_some()) {
                let advice = "with --sample write --vary NAME=LOW:HIGH, without a number of values";
                return Err(usage(&name(varied), "has a number of values of its own", advice));
            }
            let seed = seed.unwrap_or(0);
            Layout::Sample { count, seed }
        }
        None => {
            let count = |varied: &Varied| {
                let advice = "write --vary NAME=LOW:HIGH:N, or add --sample N for random points";
                varied
                    .count
                    .ok_or_else(|| usage(&name(varied), "has no number of values", advice))
            };
            Layout::Grid(vary.iter().map(count).collect::<Result<_>>()?)
        }
    };
    Plan::new(vary.iter().map(|varied| varied.range.clone()).collect(), layout)
}

fn usage(name: &str, what: &str, advice: &str) -> Error {
    Error::new(ErrorKind::Usage, format!("the parameter `{name}` {what}"))
        .named(name)
        .advise(advice)
}

/// `NAME=LOW:HIGH` or `NAME=LOW:HIGH:N`.
pub(in crate::cli) fn varied(text: &str) -> std::result::Result<Varied, String> {
    const FORM: &str = "write NAME=LOW:HIGH:N, for example L01=1.8:2.4:25";
    let (name, range) = text.rsplit_once('=').ok_or(FORM)?;
    let parts: Vec<&str> = range.split(':').map(str::trim).collect();
    let (low, high, count) = match parts[..] {
        [low, high] => (low, high, None),
        [low, high, count] => (low, high, Some(count)),
        _ => return Err(FORM.to_string()),
    };
    let number = |text: &str| {
        let value: f64 = text.parse().map_err(|_| format!("{text:?} is not a number; {FORM}"))?;
        if value.is_finite() {
            Ok(value)
        } else {
            Err(format!("{text} is not a finite number"))
        }
    };
    let (low, high) = (number(low)?, number(high)?);
    if low >= high {
        return Err(format!(
            "the range begins at {low} and ends at {high}; write the smaller one first"
        ));
    }
    let count = match count.map(str::parse::<usize>) {
        None => None,
        Some(Ok(count)) if count >= 2 => Some(count),
        Some(Ok(count)) => {
            return Err(format!(
                "{count} values are too few: at least 2; --set gives a parameter one value"
            ));
        }
        Some(Err(_)) => return Err(format!("the number of values is not a whole number; {FORM}")),
    };
    Ok(Varied {
        range: Range {
            name: name.trim().to_string(),
            low,
            high,
        },
        count,
    })
}

/// `K/N`.
fn shard(text: &str) -> std::result::Result<Shard, String> {
    const FORM: &str = "write K/N, for example 3/16, with K from 1 to N";
    let (number, of) = text.split_once('/').ok_or(FORM)?;
    let whole = |text: &str| text.trim().parse::<usize>().map_err(|_| FORM.to_string());
    Shard::new(whole(number)?, whole(of)?).map_err(|_| FORM.to_string())
}

#[cfg(test)]
mod tests {
    use super::{shard, varied};

    #[test]
    fn ranges_are_read_with_and_without_a_number_of_values() {
        let found = varied("rod length = -1.5 : 2e-1 : 7").unwrap();
        assert_eq!(
            (found.range.name.as_str(), found.range.low, found.range.high),
            ("rod length", -1.5, 0.2)
        );
        assert_eq!(found.count, Some(7));
        assert_eq!(varied("a=b=0:1").unwrap().range.name, "a=b");
        assert_eq!(varied("a=0:1").unwrap().count, None);
    }

    #[test]
    fn what_is_no_range_or_shard_is_refused() {
        for text in [
            "a",
            "a=1",
            "a=1:2:3:4",
            "a=x:2:3",
            "a=2:1:3",
            "a=1:1:3",
            "a=0:1:1",
            "a=0:1:2.5",
            "a=0:inf:3",
            "a=nan:1:3",
        ] {
            assert!(varied(text).is_err(), "{text}");
        }
        for text in ["", "1", "0/3", "4/3", "a/b", "1/0", "-1/3"] {
            assert!(shard(text).is_err(), "{text}");
        }
    }
}
