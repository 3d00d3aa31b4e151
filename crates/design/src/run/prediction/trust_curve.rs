//! How far predictions may be trusted when one parameter changes.

use super::{Cause, Limit, Prediction};
use crate::error::Result;
use crate::run::Interruption;

/// Places between the value and each end of a range, as parts of the way: the residuals grow with the square of the change.
const PARTS: [f64; 12] = [0.01, 0.02, 0.04, 0.07, 0.12, 0.2, 0.3, 0.42, 0.55, 0.7, 0.85, 1.0];

/// What predictions leave over for other values of one parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct TrustCurve {
    /// Index of the parameter among those of the prediction.
    pub parameter: usize,
    /// Values of the parameter in ascending order, with the largest residual of [`Trust`](super::Trust) at each; infinite
    /// where the changed scene has no meaning.
    pub points: Vec<(f64, f64)>,
    /// The largest residual that was accepted.
    pub bound: f64,
    /// The values between which the residuals stay below the bound and the events keep their order.
    pub range: (f64, f64),
    /// What ends the range on either side; nothing where it reaches the end that was asked for.
    pub causes: [Option<Cause>; 2],
}

impl Prediction {
    /// Follows the largest residual over the values of one parameter between `low` and `high`, and finds where it passes
    /// a bound.
    ///
    /// # Errors
    /// Kind `Interrupted` once the flag is set.
    pub fn trust_curve(
        &self,
        parameter: usize,
        (low, high): (f64, f64),
        bound: f64,
        interruption: &Interruption,
    ) -> Result<TrustCurve> {
        let (start, _) = self.motions.first()?.motion.span();
        let value = self.parameters.get(parameter).map_or(f64::NAN, |(_, value)| *value);
        let mut points = vec![(value, self.at(parameter, 0.0, bound).0)];
        let (mut range, mut causes) = ([value; 2], [None, None]);
        for (k, end) in [low, high].into_iter().enumerate() {
            let mut is_within = true;
            for part in PARTS {
                interruption.check(start)?;
                let change = part * (end - value);
                let (residual, limit) = self.at(parameter, change, bound);
                points.push((value + change, residual));
                if is_within {
                    let fraction = limit.as_ref().map_or(1.0, |limit| limit.fraction);
                    let reached = value + change * fraction.min(1.0);
                    // The reach seen from afar may fall short of a place already accepted.
                    if (reached - value).abs() > (range[k] - value).abs() {
                        range[k] = reached;
                    }
                    is_within = fraction >= 1.0;
                    causes[k] = limit.filter(|_| !is_within).map(|limit| limit.cause);
                }
            }
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.dedup_by(|a, b| a.0 == b.0);
        Ok(TrustCurve {
            parameter,
            points,
            bound,
            range: (range[0], range[1]),
            causes,
        })
    }

    /// Largest residual of a change of one parameter, and the multiple of the change up to which it can be trusted, with what
    /// ends it there.
    fn at(&self, parameter: usize, change: f64, bound: f64) -> (f64, Option<Limit>) {
        let mut dp = vec![0.0; self.parameters.len()];
        if let Some(entry) = dp.get_mut(parameter) {
            *entry = change;
        }
        match self.trust(&dp) {
            Ok(trust) => (trust.residuals().fold(0.0, f64::max), trust.limit(bound)),
            Err(_) => {
                let (fraction, cause) = (0.0, Cause::Failure);
                (f64::INFINITY, Some(Limit { fraction, cause }))
            }
        }
    }
}
