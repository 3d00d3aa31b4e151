//! Motions that stand beside another: of other values, or of another scene.

use super::Show;
use crate::appearance::{Block, Rgb};
use crate::error::{Error, ErrorKind, Result};
use crate::run::{Experiment, Variants, about};

/// Colours of the motions beside, from the first to the last: blue, purple, pink, orange. Their brightness grows all the way,
/// so that they are told apart in grey and without red and green.
const SHADES: [Rgb; 4] = [
    [0x1d, 0x12, 0x88],
    [0x9c, 0x2f, 0xae],
    [0xdc, 0x5c, 0x6e],
    [0xf2, 0x93, 0x3c],
];

/// A motion that is shown beside another.
#[derive(Clone, Debug)]
pub struct Other {
    /// What legends call it: values of parameters, or a file.
    pub label: String,
    /// The one colour that it is drawn in.
    pub colour: Rgb,
    /// The motion.
    pub show: Show,
}

/// The motions beside another one.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// What legends call the motion that they stand beside.
    pub own: String,
    /// The motions beside it.
    pub others: Vec<Other>,
}

impl Comparison {
    /// Simulates an experiment and those beside it; `progress` is told the part that is done.
    ///
    /// # Errors
    /// Kind `Request` for motions in another dimension; else as [`Show::new`], with the values that it is about.
    pub fn simulated(
        experiment: Experiment,
        variants: Variants,
        progress: &mut dyn FnMut(f64),
    ) -> Result<(Show, Self)> {
        let dimension = experiment.mechanism.model.dimension;
        for (label, other) in &variants.others {
            let its = other.mechanism.model.dimension;
            if its != dimension {
                let message = format!("{label} moves in {its} dimensions, the scene in {dimension}");
                return Err(Error::new(ErrorKind::Request, message).advise("compare with a scene of the same `space`"));
            }
        }
        let count = 1 + variants.others.len();
        let mut simulate = |k: usize, experiment: Experiment| {
            let (start, end) = (experiment.start, experiment.options.end);
            Show::new(experiment, &mut |t| {
                progress((k as f64 + (t - start) / (end - start)) / count as f64);
            })
        };
        let mut show = simulate(0, experiment)?;
        let others = variants.others.into_iter().enumerate().map(|(k, (label, other))| {
            let other = simulate(k + 1, other).map_err(|error| about(&label, error))?;
            Ok((label, other))
        });
        let others = others.collect::<Result<_>>()?;
        let comparison = Self::new(variants.own, &mut show, others);
        Ok((show, comparison))
    }

    /// Gives motions, each with what legends call it, colours in their order and one size with the motion that they stand beside,
    /// which comes to hold them all.
    pub fn new(own: String, show: &mut Show, motions: Vec<(String, Show)>) -> Self {
        for (_, other) in &motions {
            show.scale = show.scale.with(&other.scale);
        }
        let count = motions.len();
        let other = |(k, (label, other)): (usize, (String, Show))| Other {
            label,
            colour: shade(k, count),
            show: Show {
                scale: show.scale,
                ..other
            },
        };
        Self {
            own,
            others: motions.into_iter().enumerate().map(other).collect(),
        }
    }

    /// What a legend says: a label of every motion with its colour, none for the one that the others stand beside. Nothing where
    /// there is nothing to compare.
    pub fn legend(&self) -> Vec<(Option<Rgb>, &str)> {
        let own = (!self.others.is_empty()).then_some((None, self.own.as_str()));
        let others = self
            .others
            .iter()
            .map(|other| (Some(other.colour), other.label.as_str()));
        own.into_iter().chain(others).collect()
    }
}

impl Other {
    /// Whether its motion has this time.
    pub fn has(&self, t: f64) -> bool {
        let (start, end) = self.show.film.span();
        (start..=end).contains(&t)
    }

    /// The blocks at a time, all in its colour, without those that lie where one of the motion beside it lies; none outside of
    /// its motion.
    pub fn blocks(&self, t: f64, beside: &[Block]) -> Vec<Block> {
        if !self.has(t) {
            return Vec::new();
        }
        let (_, found) = self.show.blocks(t);
        let is_same = |(k, block): (usize, &Block)| beside.get(k).is_some_and(|own| own.covers(block));
        let is_hidden: Vec<bool> = found.iter().enumerate().map(is_same).collect();
        let seen = found.into_iter().zip(is_hidden).filter(|(_, is_hidden)| !is_hidden);
        let tinted = seen.map(|(block, _)| Block {
            colour: self.colour,
            ..block
        });
        tinted.collect()
    }
}

/// The colour of one of several; that of a single one lies in the middle.
fn shade(index: usize, count: usize) -> Rgb {
    let part = match count {
        0 | 1 => 0.5,
        _ => index as f64 / (count - 1) as f64,
    };
    let place = part * (SHADES.len() - 1) as f64;
    let below = (place.floor() as usize).min(SHADES.len() - 2);
    let part = place - below as f64;
    std::array::from_fn(|k| {
        let [from, to] = [SHADES[below][k], SHADES[below + 1][k]].map(f64::from);
        (from + part * (to - from)).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::shade;

    #[test]
    fn shades_grow_brighter_and_stay_darker_than_paper() {
        let brightness = |[r, g, b]: [u8; 3]| 0.2126 * f64::from(r) + 0.7152 * f64::from(g) + 0.0722 * f64::from(b);
        for count in 2..12 {
            let found: Vec<f64> = (0..count).map(|k| brightness(shade(k, count))).collect();
            assert!(
                found.is_sorted_by(|a, b| a + 2.0 < *b) && found[count - 1] < 180.0,
                "{found:?}"
            );
        }
        assert_eq!(shade(0, 1), shade(1, 3), "a single one is in the middle");
    }
}
