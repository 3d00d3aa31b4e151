//! What the energy of a recording is made of, and what gives and takes it.

use super::recording::Energy;
use crate::linear::{add_scaled, max_abs};

/// Curves of what gives and takes energy: with what is stored as many as there are line styles.
const SHARES: usize = 5;
/// Least share that is shown, over the noise of the energy: errors add up in an integral.
const LEAST: f64 = 10.0;

impl Energy {
    /// Whatever has given energy since the start, in words: a contact may do so by its friction and at its events.
    pub fn given(&self) -> Vec<(String, &[f64])> {
        let work = self.work.iter().map(|(name, given)| (format!("by {name}"), &given[..]));
        let events = self.events.iter();
        let events = events.map(|(name, given)| (format!("by the events of {name}"), &given[..]));
        work.chain(events).collect()
    }

    /// Potential energy over its least value: where its zero is means nothing, and would hide how it changes.
    pub fn lifted(&self) -> Vec<f64> {
        let least = self.potential.iter().copied().fold(f64::INFINITY, f64::min);
        self.potential.iter().map(|potential| potential - least).collect()
    }

    /// Change of the total energy since the start.
    pub fn stored(&self) -> Vec<f64> {
        let total = self
            .kinetic
            .iter()
            .zip(&self.potential)
            .map(|(kinetic, potential)| kinetic + potential);
        let total: Vec<f64> = total.collect();
        let start = total.first().copied().unwrap_or_default();
        total.iter().map(|total| total - start).collect()
    }

    /// What is stored since the start, then what gives and takes it: the greatest, and the sum of the others. The first is the sum of
    /// all others up to the tolerance. Empty where nothing gives or takes energy.
    pub fn balance(&self) -> Vec<(String, Vec<f64>)> {
        let mut order = self.given();
        order.retain(|(_, values)| max_abs(values) > LEAST * self.noise);
        order.sort_by(|(_, a), (_, b)| max_abs(b).total_cmp(&max_abs(a)));
        if order.is_empty() {
            return Vec::new();
        }
        let most = if order.len() > SHARES { SHARES - 1 } else { SHARES };
        let others = order.split_off(most.min(order.len()));
        let mut shares = vec![("stored".to_string(), self.stored())];
        shares.extend(order.into_iter().map(|(name, values)| (name, values.to_vec())));
        if !others.is_empty() {
            let mut sum = vec![0.0; self.kinetic.len()];
            others.iter().for_each(|(_, values)| add_scaled(&mut sum, 1.0, values));
            shares.push((format!("by {} others", others.len()), sum));
        }
        shares
    }
}
