//! The explicit method of Dormand and Prince of order 8(5,3) with dense output of order 7.

mod dormand_prince;
mod step;

use self::dormand_prince::{LAST, STAGES_DENSE};
use super::attempt::Tried;
use super::scheme::{Convergence, Ends, Scheme};
use super::{DenseOutput, Flow, Tolerance};
use crate::error::Result;

/// Growth of what is taken to be the longest step with every accepted one.
const WIDENING: f64 = 1.03;

/// Components are processed in blocks of this many, so that sums over stages stay in registers.
const LANES: usize = 4;

type Block = [f64; LANES];

/// Stages of the explicit method; the last block of each vector is padded with zeros.
#[derive(Clone, Debug)]
pub(super) struct DormandPrince {
    /// Number of components.
    n: usize,
    /// Whether the error of each component is estimated by itself.
    by_component: bool,
    /// Whether the stages of the dense output belong to the latest attempt.
    extended: bool,
    /// Written by `compute`: state at the start of the step.
    x: Vec<Block>,
    /// Written by every stage: its state.
    stage: Vec<Block>,
    /// Written by `compute`: inverse of the error allowed per component.
    weights: Vec<f64>,
    /// Step size (in seconds) from which on the method has not been stable of late.
    longest: f64,
    /// Written by `compute`: growth that leads there.
    most_growth: f64,
    /// Size of the step before (in seconds); zero where there is none.
    before: f64,
    /// Written by `compute`: size of the latest attempt (in seconds).
    tried: f64,
    /// Step size and defect of the latest interpolant that was refused from this state; zero if none was.
    refused: (f64, f64),
    /// Scratch where the flow begins stiff: the interpolant; within it, the state, its slope and the slope of the flow.
    within: DenseOutput,
    inside: [Vec<f64>; 3],
    /// Written by `compute`: errors per unit of step size of order 5 and 3.
    errors: [Vec<Block>; 2],
    /// Stage derivatives: stage `i` in blocks `i * blocks` to `(i + 1) * blocks`. Stages 0 to 12 are written by `compute`, 13
    /// to 15 by `extend`.
    k: Vec<Block>,
}

impl DormandPrince {
    pub fn new(n: usize) -> Self {
        let buffer = vec![[0.0; LANES]; n.div_ceil(LANES)];
        Self {
            n,
            by_component: false,
            extended: false,
            x: buffer.clone(),
            stage: buffer.clone(),
            weights: vec![0.0; n],
            longest: f64::INFINITY,
            most_growth: f64::INFINITY,
            before: 0.0,
            tried: 0.0,
            refused: (0.0, 0.0),
            within: DenseOutput::new(),
            inside: Default::default(),
            errors: [buffer.clone(), buffer.clone()],
            k: vec![[0.0; LANES]; STAGES_DENSE * buffer.len()],
        }
    }
}

impl Scheme for DormandPrince {
    fn order(&self) -> u32 {
        8
    }

    fn bytes(&self, _: usize) -> usize {
        let inside: usize = self.inside.iter().map(Vec::len).sum();
        (4 * self.x.len() + self.k.len()) * size_of::<Block>()
            + (self.weights.len() + self.within.coefficients().len() + inside) * size_of::<f64>()
    }

    fn compute(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Tried<f64> {
        (self.extended, self.tried) = (false, h.abs());
        self.step(ends, flow, h, tol)
    }

    fn restart(&mut self, flow: &mut dyn Flow) -> Result<()> {
        self.by_component = flow.pulses();
        (self.longest, self.before, self.refused) = (f64::INFINITY, 0.0, (0.0, 0.0));
        Ok(())
    }

    fn convergence(&self) -> Convergence {
        Convergence {
            most_growth: self.most_growth,
            ..Convergence::NONE
        }
    }

    /// Three more evaluations of the flow, once per attempt.
    fn extend(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64) -> Tried {
        if !self.extended {
            self.stage_derivative_mut(LAST).copy_from_slice(&ends.dx_new);
            for stage in LAST + 1..STAGES_DENSE {
                self.evaluate_stage(ends, flow, stage, h)?;
            }
            self.extended = true;
        }
        Ok(())
    }

    fn interpolate(&mut self, ends: &Ends, h: f64, output: &mut DenseOutput) {
        self.fill(ends, h, output);
    }

    fn advance(&mut self) {
        self.longest *= WIDENING;
        (self.before, self.refused) = (self.tried, (0.0, 0.0));
    }
}
