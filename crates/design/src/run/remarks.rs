//! Remarks about a run as a whole.

use super::experiment::{ConstraintResiduals, Experiment};
use crate::integrate::Statistics;
use crate::mechanism::FormulationChoice;

/// Opening of a constraint, over the size of the mechanism, that a run with penalties remarks; coordinates are wrong by
/// some ten times as much then.
const MUCH_OPEN: f64 = 1e-5;

/// Steps at the bound of stability from which on a remark is worth its while.
const MANY_STEPS: u64 = 100;

impl Experiment {
    /// What to say about parameters that nothing uses; none if every parameter is used.
    pub fn unused_parameters_remark(&self) -> Option<String> {
        const LISTED: usize = 12;
        let names = self.unused_parameters.iter();
        let listed: Vec<String> = names.take(LISTED).map(|name| format!("\"{name}\"")).collect();
        let more = match self.unused_parameters.len() - listed.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!listed.is_empty()).then(|| format!("no expression uses {}{more}", listed.join(", ")))
    }

    /// What to say about places so far from the origin that rounding is more than the tolerance, at these positions.
    pub(super) fn offset_remark(&self, q: &[f64]) -> Option<String> {
        let (model, length) = (&self.mechanism.model, self.mechanism.sizes().length);
        let [farthest, _] = model.spread(q, [0.0, 0.0]);
        let rounding = f64::EPSILON * farthest;
        (rounding > self.options.tolerance.rtol() * length).then(|| {
            format!(
                "coordinates of {farthest:.1e} are rounded to {rounding:.1e}, which a mechanism of the size {length:.1e} does not \
                 resolve to the tolerance: lay the origin into the mechanism"
            )
        })
    }

    /// What to say about constraints that the penalty formulation leaves open by much, for a mechanism of this size.
    pub(super) fn opening_remark(&self, residuals: &ConstraintResiduals, size: f64) -> Option<String> {
        let penalty = matches!(self.mechanism.choices.formulation, FormulationChoice::Penalty(_));
        (penalty && residuals.position > MUCH_OPEN * size).then(|| {
            format!(
                "the penalty formulation lets constraints open by up to {:.1e}, in a mechanism of the size {size:.1e}: raise \
                 `augmented` or `factor` of `penalty`, or use another formulation",
                residuals.position
            )
        })
    }

    /// What to say about steps that stability keeps short.
    pub(super) fn stiffness_remark(&self, work: &Statistics) -> Option<String> {
        let (kept, all) = (work.at_stability, work.accepted);
        (kept >= MANY_STEPS && 2 * kept > all).then(|| {
            format!(
                "{kept} of {all} steps are as short as the explicit method has to take them to remain stable, not for accuracy: the motion \
                 is stiff, and `integrator: Radau` may take far fewer"
            )
        })
    }
}
