//! Rates of stages that have lost an order, and their digits, to hidden constraints (index 3; theory, 8.7 and 8.8).
//!
//! Rounding of the constraints asks for multipliers that grow with the inverse square of the step size. Their impulses lie
//! across the constraints, but those of one stage not quite across those of another, nor across those of the start of the
//! step, along which the iteration corrects them.

use super::Projected;
use crate::integrate::Flow;
use crate::integrate::attempt::Tried;
use crate::integrate::scheme::Ends;
use crate::linear::add_scaled;

impl Projected {
    /// Makes the rates of the stages the integrals of the underlying equation: across the constraints of each stage as they
    /// are, along them, where the equation may be stiff, by the matrices of the step.
    pub(super) fn refine(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64) -> Tried {
        for i in 0..self.tableau.stages {
            self.find_defect(ends, flow, h, i)?;
        }
        let (s, n, rates) = (self.tableau.stages, ends.n, self.structure.rates.clone());
        let increments = self.stages.increments_of_slopes(&self.tableau);
        for (z, increment) in self.z.chunks_exact_mut(n).zip(increments) {
            add_scaled(&mut z[rates.clone()], 1.0, &increment[rates.clone()]);
        }
        for (z, weights) in self.z.chunks_exact_mut(n).zip(self.tableau.integrals.chunks_exact(s)) {
            for (weight, slope) in weights.iter().zip(self.slopes.chunks_exact(rates.len().max(1))) {
                add_scaled(&mut z[rates.clone()], h * weight, slope);
            }
        }
        Ok(())
    }

    /// Difference of the underlying equation and the polynomial in the rates of a stage, its part across the constraints in
    /// `slopes`, the rest left to the matrices.
    fn find_defect(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, i: usize) -> Tried {
        let (s, n, rates) = (self.tableau.stages, ends.n, self.structure.rates.clone());
        let t = self.load_stage(i, ends, h);
        let (state, error) = (&mut self.state, &mut self.error);
        let done = flow.hessenberg(&mut |system| system.make_consistent(t, state));
        ends.progress.survive(t, done)?;
        ends.progress.evaluate(flow, t, state, error)?;
        for (weight, z) in self.tableau.slopes[i * s..(i + 1) * s]
            .iter()
            .zip(self.z.chunks_exact(n))
        {
            add_scaled(&mut error[rates.clone()], -weight / h, &z[rates.clone()]);
        }
        error[..rates.start].fill(0.0);
        let slope = &mut self.slopes[i * rates.len()..(i + 1) * rates.len()];
        slope.copy_from_slice(&error[rates.clone()]);
        let done = flow.hessenberg(&mut |system| system.make_tangent(t, state, error));
        ends.progress.survive(t, done)?;
        add_scaled(slope, -1.0, &error[rates.clone()]);
        self.stages.set_slope(i, &error[..rates.end]);
        Ok(())
    }

    /// Moves the rates of the stages onto the hidden constraints (theory, 8.7).
    pub(super) fn repair(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64) -> Tried {
        for i in 0..self.tableau.stages {
            let t = self.load_stage(i, ends, h);
            let state = &mut self.state;
            let done = flow.hessenberg(&mut |system| system.make_consistent(t, state));
            ends.progress.survive(t, done)?;
            let z = &mut self.z[i * ends.n..];
            for j in self.structure.rates.clone() {
                z[j] = self.state[j] - ends.x[j];
            }
        }
        Ok(())
    }
}
