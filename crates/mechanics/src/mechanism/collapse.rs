//! Impacts of several contacts that follow each other ever faster: what they end in.
//!
//! A ball that falls into a wedge strikes one side after the other, infinitely often in a finite time, and its velocities vanish
//! no faster than the gaps. Where these impacts end, all of the contacts are closed and none of their gaps has a rate:
//! that is one plastic impact of all.

use super::jump::{Next, Request};
use super::{Mechanism, Workspace};
use crate::model::{ContactState, Mode};

/// Gap, over the size of the mechanism, that the other contacts of such impacts have at most.
const NARROW: f64 = 1e-9;

/// Impacts of each contact within such gaps after which they count as infinitely many: a row of balls that touch has a few.
const MANY: u32 = 30;

impl Mechanism {
    /// Counts the impacts of contacts in narrow gaps; where they are many, all of these contacts are asked for, and returned.
    pub(super) fn collapse(&self, next: &mut Next, request: &mut Request, workspace: &Workspace) -> Vec<usize> {
        let loses = |contact: usize| {
            let share = self.model.contacts[contact].law.restitution();
            share.is_some_and(|e| workspace.terms.numbers[e] < 1.0)
        };
        let mut counted = counted_strikes(next.mode);
        counted.extend(&request.touching);
        counted.sort_unstable();
        counted.dedup();
        for contact in counted {
            let struck = request.touching.contains(&contact);
            let strikes = next.mode.strikes[contact];
            let narrow = || NARROW * self.farthest(next.x, self.gap_kind(contact));
            let wide = || self.gap_row(contact, next.at(), workspace).c > narrow();
            let strikes = match next.mode.contacts[contact] {
                _ if struck && loses(contact) => strikes.saturating_add(1),
                ContactState::Open if !struck && strikes > 0 && !wide() => strikes,
                _ => 0,
            };
            next.mode.strikes.set(contact, strikes);
        }
        let all = counted_strikes(next.mode);
        let belongs = |contact: &usize| all.contains(contact);
        if all.len() < 2 || all.iter().any(|&i| next.mode.strikes[i] < MANY) || !request.touching.iter().all(belongs) {
            return Vec::new();
        }
        all.iter().for_each(|&i| next.mode.strikes[i] = 0);
        request.touching.clone_from(&all);
        all
    }
}

/// Contacts whose impacts are counted.
fn counted_strikes(mode: &Mode) -> Vec<usize> {
    let strikes = mode.strikes.iter().enumerate();
    strikes.filter(|(_, strikes)| **strikes > 0).map(|(i, _)| i).collect()
}
