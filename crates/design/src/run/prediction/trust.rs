//! How far a prediction may be trusted: what it leaves over in the equations of the changed mechanism.

use super::{Cause, Limit, Prediction};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, HybridSystem};
use crate::linear::max_abs;
use crate::model::Mode;
use crate::sensitivity::Linearization;

/// What a prediction leaves over at the recorded instants, each in its recorded phase, and where its sequence of events ends.
///
/// Both residuals grow with the square of dp, as does the error of the prediction, which the motion may magnify further.
#[derive(Clone, Debug, PartialEq)]
pub struct Trust {
    /// Times, s; an event has two.
    pub times: Vec<f64>,
    /// Largest constraint residual of the predicted positions in the changed mechanism, over the length of its Jacobian row
    /// and over the largest recorded coordinate.
    pub opening: Vec<f64>,
    /// Largest difference between the predicted accelerations and those of the changed mechanism in the predicted state, over
    /// the largest recorded acceleration; infinite where the changed mechanism has none there.
    pub defect: Vec<f64>,
    /// Where other events begin.
    pub sequence: Option<Limit>,
}

impl Trust {
    /// The greater of both residuals, one entry per time.
    pub fn residuals(&self) -> impl Iterator<Item = f64> {
        let pairs = self.opening.iter().zip(&self.defect);
        pairs.map(|(opening, defect)| opening.max(*defect))
    }

    /// The smallest multiple of dp at which other events happen or the residuals, which grow with its square, pass a bound, and
    /// which of these; none when nothing limits it.
    pub fn limit(&self, bound: f64) -> Option<Limit> {
        let worst = self.residuals().fold(0.0, f64::max);
        let residual = (worst > 0.0).then(|| Limit {
            fraction: (bound / worst).sqrt(),
            cause: Cause::Error,
        });
        let both = residual.into_iter().chain(self.sequence.clone());
        both.min_by(|a, b| a.fraction.total_cmp(&b.fraction))
    }

    /// The fraction of [`Trust::limit`]; infinite when nothing limits the prediction.
    pub fn reach(&self, bound: f64) -> f64 {
        self.limit(bound).map_or(f64::INFINITY, |limit| limit.fraction)
    }
}

impl Prediction {
    /// How far the prediction for a change may be trusted; the scene is compiled with the changed parameters and its flow
    /// evaluated once per recorded instant.
    ///
    /// # Errors
    /// Kind `Request` where `dp` does not fit or leads to a model of another size; else as [`Prediction::changed`].
    pub fn trust(&self, dp: &[f64]) -> Result<Trust> {
        let changed = self.changed(dp)?.mechanism;
        let (recorded, dp) = self.motions.along(&self.experiment, dp)?;
        let motion = &recorded.motion;
        if changed.dimension() != motion.dimension() {
            return Err(
                Error::new(ErrorKind::Request, "the changed mechanism has other coordinates")
                    .advise("simulate it with these values of the parameters"),
            );
        }
        let (size, acceleration) = self.sizes(motion);
        let (mut workspace, velocities) = (changed.workspace(), changed.velocities());
        let [mut x, mut rate, mut flow] = [(); 3].map(|()| vec![0.0; changed.dimension()]);
        let mut trust = Trust {
            times: Vec::new(),
            opening: Vec::new(),
            defect: Vec::new(),
            sequence: self.sequence(&changed, &recorded, &dp),
        };
        for (mode, sample) in motion.samples() {
            sample.predict(&dp, &mut x, &mut rate);
            let at = At::new(sample.t, mode, &x);
            let (opening, _) = changed.residuals(at, &mut workspace);
            let pairs = rate[velocities.clone()].iter();
            let defect = match changed.flow(at, &mut workspace, &mut flow) {
                Ok(()) => pairs
                    .zip(&flow[velocities.clone()])
                    .fold(0.0, |most, (rate, flow)| f64::max(most, (rate - flow).abs())),
                Err(_) => f64::INFINITY,
            };
            trust.times.push(sample.t);
            trust.opening.push(relative(opening, size));
            trust.defect.push(relative(defect, acceleration));
        }
        Ok(trust)
    }

    /// Largest coordinate and largest acceleration of the simulated motion.
    fn sizes(&self, motion: &Linearization<Mode>) -> (f64, f64) {
        let mechanism = &self.experiment.mechanism;
        let samples = motion.samples();
        samples.fold((0.0, 0.0), |(position, acceleration), (_, sample)| {
            (
                f64::max(position, max_abs(&sample.x()[mechanism.positions()])),
                f64::max(acceleration, max_abs(&sample.rate()[mechanism.velocities()])),
            )
        })
    }
}

/// A residual over a size; beside no size at all every residual is too large.
fn relative(residual: f64, size: f64) -> f64 {
    if residual == 0.0 { 0.0 } else { residual / size }
}
