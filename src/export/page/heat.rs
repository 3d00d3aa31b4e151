//! Bars and links coloured by the derivatives of objectives by their lengths.

use super::solids::Solid;
use super::{Missing, Motion, is_end, written};
use crate::output::page::{PageHeat, PageSlopes};
use crate::show::{DIVERGING, largest_slope, length_slope};

impl Motion<'_> {
    /// Of what is drawn; nothing where no bar or link has a length that can change alone.
    pub(super) fn heat(&self, drawn: &[Solid], missing: &mut Vec<Missing>) -> PageHeat {
        let gradients = match self.show.experiment.design_gradients(|_| true) {
            Ok(gradients) => gradients,
            Err(error) => {
                let reason = Some(error.message().to_string());
                if is_end(&error) {
                    missing.push(("Colours", error));
                }
                return PageHeat {
                    reason,
                    ..PageHeat::default()
                };
            }
        };
        let mut bars = Vec::new();
        for solid in drawn.iter().filter(|solid| solid.has_length) {
            let is_known = |gradient| length_slope(gradient, solid.owner).is_some();
            if !bars.contains(&solid.owner) && gradients.iter().any(is_known) {
                bars.push(solid.owner);
            }
        }
        if bars.is_empty() {
            return PageHeat::default();
        }
        let blocks = |owner| {
            let own = drawn
                .iter()
                .enumerate()
                .filter(|(_, solid)| solid.has_length && solid.owner == owner);
            own.map(|(block, _)| block).collect()
        };
        let slopes = gradients.iter().map(|gradient| PageSlopes {
            name: gradient.objective.clone(),
            slopes: bars.iter().map(|&owner| length_slope(gradient, owner)).collect(),
            largest: largest_slope(gradient),
        });
        let model = self.show.model();
        PageHeat {
            scale: DIVERGING.map(written).to_vec(),
            objectives: slopes.collect(),
            bars: bars
                .iter()
                .map(|&owner| (owner.name(model).to_string(), blocks(owner)))
                .collect(),
            reason: None,
        }
    }
}
