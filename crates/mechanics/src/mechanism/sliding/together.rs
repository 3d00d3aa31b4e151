//! Which of several guards at one place the motion slides along, and to which sides it leaves the others: the rates of the guards
//! are linear in the shares of their sides, and each guard is slid along where its rate is zero, or left to the side that its rate
//! leads to (theory, section 3.1).

use super::scratch::{LEAST_DIFFERENCE, Sliding};
use crate::error::Result;
use crate::hybrid::At;
use crate::mechanism::jump::{Next, Request};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::{Mode, Slide};

/// Most guards at one place: each more makes three times as many cases.
const MOST_TOGETHER: usize = 6;

/// Rates over the largest, and shares, that are rounding.
const ROUNDING: f64 = 1e-9;

/// What becomes of a guard.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Above,
    Slides,
    Below,
}

impl Mechanism {
    /// Lets the motion slide along those of several guards at a place that it can, beside each other, and leave the others;
    /// returns which of them it slides along.
    ///
    /// # Errors
    /// Kind `Event` where the motion is not unique, or cannot slide.
    pub(super) fn settle_together(
        &self,
        set: &[Slide],
        next: &mut Next,
        request: &mut Request,
        workspace: &mut Workspace,
    ) -> Result<Vec<bool>> {
        let mut mode: Mode = next.mode.clone();
        mode.slides = set.to_vec();
        let mut sliding = std::mem::take(&mut workspace.sliding);
        let parts = self.write_parts(At::new(next.t, &mode, next.x), true, &mut sliding, workspace);
        workspace.sliding = sliding;
        parts?;
        let mut slots: Vec<usize> = set.iter().flat_map(|slide| self.slots_of(slide)).collect();
        let count = slots.len();
        slots.sort_unstable();
        slots.dedup();
        let apart = slots.len() == count && set.len() <= MOST_TOGETHER;
        let Some(fates) = apart.then(|| workspace.sliding.fates()).flatten() else {
            return Err(self.second(&set[0], &set[set.len() - 1], next.t));
        };
        next.mode.slides.clear();
        for (slide, fate) in set.iter().zip(&fates) {
            match fate {
                Fate::Slides => {
                    self.check_reading(slide, next.t)?;
                    next.mode.slides.push(slide.clone());
                }
                side => self.put_aside(slide, *side == Fate::Above, next, request, workspace),
            }
        }
        self.evaluate_motion(next.at(), true, workspace)?;
        self.check_integrands(next.at(), workspace)?;
        Ok(fates.iter().map(|fate| *fate == Fate::Slides).collect())
    }
}

impl Sliding {
    /// What becomes of the guards; none where there is no such motion, or more than one.
    fn fates(&self) -> Option<Vec<Fate>> {
        let n = self.guards.len();
        let mut found: Option<(Vec<Fate>, Vec<f64>)> = None;
        for case in 0..3_usize.pow(n as u32) {
            let fate = |k: usize| [Fate::Above, Fate::Slides, Fate::Below][case / 3_usize.pow(k as u32) % 3];
            let fates: Vec<Fate> = (0..n).map(fate).collect();
            let Some(shares) = self.shares(&fates) else { continue };
            match &found {
                // At the end of a range both of its descriptions are the same motion.
                Some((_, known)) if known.iter().zip(&shares).all(|(a, b)| (a - b).abs() <= ROUNDING) => {}
                Some(_) => return None,
                None => found = Some((fates, shares)),
            }
        }
        found.map(|(fates, _)| fates)
    }

    /// The shares of the sides below; none where the rates lead elsewhere.
    fn shares(&self, fates: &[Fate]) -> Option<Vec<f64>> {
        let n = fates.len();
        let mut shares: Vec<f64> = fates
            .iter()
            .map(|fate| f64::from(u8::from(*fate == Fate::Below)))
            .collect();
        let free: Vec<usize> = (0..n).filter(|&k| fates[k] == Fate::Slides).collect();
        let rate = |k: usize, shares: &[f64]| {
            let row = &self.by_share[k * n..(k + 1) * n];
            self.guards[k].above + row.iter().zip(shares).map(|(slope, share)| slope * share).sum::<f64>()
        };
        let size = |k: usize| {
            let row = self.by_share[k * n..(k + 1) * n].iter();
            row.fold(self.guards[k].above.abs(), |most, slope| most.max(slope.abs()))
        };
        // Gauss: the rows of the free ones, with their rates at the right.
        let mut rows: Vec<Vec<f64>> = (free.iter())
            .map(|&i| {
                let entries = free.iter().map(|&j| self.by_share[i * n + j]);
                entries.chain([-rate(i, &shares)]).collect()
            })
            .collect();
        for k in 0..free.len() {
            let pivot = rows[k][k];
            if pivot.abs() <= LEAST_DIFFERENCE * size(free[k]) {
                return None;
            }
            let row: Vec<f64> = rows[k].iter().map(|entry| entry / pivot).collect();
            for (_, other) in rows.iter_mut().enumerate().filter(|(i, _)| *i != k) {
                let factor = other[k];
                other
                    .iter_mut()
                    .zip(&row)
                    .for_each(|(entry, own)| *entry -= factor * own);
            }
            rows[k] = row;
        }
        for (row, &k) in rows.iter().zip(&free) {
            shares[k] = row[free.len()];
        }
        let holds = |k: usize| match fates[k] {
            Fate::Slides => (-ROUNDING..=1.0 + ROUNDING).contains(&shares[k]),
            Fate::Above => rate(k, &shares) >= -ROUNDING * size(k),
            Fate::Below => rate(k, &shares) <= ROUNDING * size(k),
        };
        (0..n).all(holds).then_some(shares)
    }
}
