//! The stages of the coupled components and multipliers, by simplified Newton iterations in transformed variables
//! (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.8).

use super::factors::Factors;
use super::system::{Hessenberg, StagePoint, Structure};
use crate::error::Result;
use crate::integrate::attempt::{DIVERGED, NOT_FINITE, Progress, Tried};
use crate::integrate::scheme::{LEAST_CONTRACTION, RATE_TO_KEEP};
use crate::integrate::tableau::Tableau;
use crate::linear::add_scaled;

/// Increments over the tolerance at which the iteration stops.
const PRECISION: f64 = 1e-3;

/// The same where rates count times the step size only: about as small as rounding lets them become.
const PRECISION_OF_WEAKENED: f64 = 1e-4;

/// Rounding of a relative increment; no tolerance is met more precisely.
const ROUNDING: f64 = 10.0 * f64::EPSILON;

/// Increments over the tolerance that may be rounding where they do not fall any more.
const STALLED: f64 = 0.3;

/// Most iterations per attempt: each gains about the part by which the constraints turn within the step.
pub(super) fn most_iterations(tableau: &Tableau) -> u32 {
    12 + 5 * (tableau.stages as u32 - 3) / 2
}

/// The stage equations of a step.
#[derive(Clone, Copy)]
pub(super) struct StageEquations<'a> {
    pub t: f64,
    pub h: f64,
    pub x: &'a [f64],
    /// Derivative at the start.
    pub dx: &'a [f64],
    /// Inverse of the error allowed per component; 0 where free.
    pub weights: &'a [f64],
    pub rtol: f64,
    /// Rounding of what the rates are rates of, which returns in weakened ones over the step size.
    pub rounding: f64,
}

/// Multipliers, matrices and scratch.
#[derive(Clone, Debug)]
pub(super) struct Stages {
    structure: Structure,
    pub factors: Factors,
    /// StageEquations size of the factors, if they belong to the matrices.
    factored: Option<f64>,
    /// Whether the matrices belong to the start of the current step, and whether they still serve.
    fresh: bool,
    due: bool,
    /// Where the matrices were evaluated.
    linearized_at: f64,
    linearized: Vec<f64>,
    /// Multipliers of the stages, stage i at i * their number; those of the last stage of the step before to begin with.
    multipliers: Vec<f64>,
    /// Multipliers at the start of the step.
    y: Vec<f64>,
    /// Residuals of the stages and what they ask for, stage i at i * unknowns.
    residuals: Vec<f64>,
    increments: Vec<f64>,
    state: Vec<f64>,
    rate: Vec<f64>,
}

impl Stages {
    pub fn new(structure: &Structure, tableau: &Tableau) -> Self {
        let s = tableau.stages;
        Self {
            factors: Factors::new(structure.unknowns(), tableau),
            factored: None,
            fresh: false,
            due: true,
            linearized_at: 0.0,
            linearized: vec![0.0; structure.dimension()],
            multipliers: vec![0.0; s * structure.multipliers],
            y: vec![0.0; structure.multipliers],
            residuals: vec![0.0; s * structure.unknowns()],
            increments: vec![0.0; s * structure.unknowns()],
            state: vec![0.0; structure.dimension()],
            rate: vec![0.0; structure.coupled],
            structure: structure.clone(),
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let vectors = [
            &self.multipliers,
            &self.residuals,
            &self.increments,
            &self.state,
            &self.linearized,
        ];
        self.factors.bytes() + vectors.map(|vector| size_of_val(&vector[..])).iter().sum::<usize>()
    }

    /// Forgets the matrices.
    pub fn forget(&mut self) {
        (self.due, self.fresh) = (true, false);
    }

    /// Loads the multipliers of a state.
    pub fn start_at(&mut self, system: &mut dyn Hessenberg, t: f64, x: &[f64]) -> Result<()> {
        self.fresh = false;
        system.multipliers(t, x, &mut self.y).map_err(|error| error.at_time(t))
    }

    /// Goes on after a step that converged at this rate.
    pub fn pass(&mut self, rate: f64) {
        self.fresh = false;
        self.due = rate > RATE_TO_KEEP;
        let m = self.y.len();
        let last = self.multipliers.len() - m;
        self.y.copy_from_slice(&self.multipliers[last..]);
    }

    /// Evaluates and factors the matrices where they do not serve.
    pub fn prepare(
        &mut self,
        system: &mut dyn Hessenberg,
        tableau: &Tableau,
        step: &StageEquations,
        progress: &mut Progress,
    ) -> Tried {
        if self.due || (self.factored != Some(step.h) && !self.fresh) {
            progress.statistics.jacobians += 1;
            let point = StagePoint {
                t: step.t,
                x: step.x,
                rate: &step.dx[..self.structure.coupled],
                multipliers: &self.y,
            };
            let done = self.factors.linearize(system, &point, &self.structure);
            done.map_err(|error| error.at_time(step.t))?;
            (self.factored, self.fresh, self.due) = (None, true, false);
            self.linearized_at = step.t;
            self.linearized.copy_from_slice(step.x);
        }
        if self.factored == Some(step.h) {
            return Ok(());
        }
        progress.statistics.factorisations += 1;
        self.factored = self.factors.factor(tableau, step.h).then_some(step.h);
        if self.factored.is_none() {
            let message = "the matrix of the step is singular: the constraints depend on each other here, or something that the motion \
                           follows has no derivative, such as the magnitude of a force that is zero";
            return progress.singular(message, step.t, step.h);
        }
        Ok(())
    }

    /// Whether the iteration may be worth another try: with matrices of this step.
    pub fn renew(&mut self) -> bool {
        self.due = !self.fresh;
        self.due
    }

    /// Whether the matrices are to be evaluated before the next try.
    pub fn is_due(&self) -> bool {
        self.due
    }

    /// Filters the error of the coupled components.
    pub fn filter(&mut self, tableau: &Tableau, h: f64, error: &mut [f64]) {
        let coupled = self.structure.coupled;
        let unknowns = &mut self.increments[..self.structure.unknowns()];
        unknowns.fill(0.0);
        unknowns[..coupled].copy_from_slice(&error[..coupled]);
        self.factors.filter(tableau, h, unknowns);
        error[..coupled].copy_from_slice(&unknowns[..coupled]);
    }

    /// Makes `M slope` the residual of a stage, with the slopes of its leading components.
    pub fn set_slope(&mut self, i: usize, slope: &[f64]) {
        let n = self.structure.unknowns();
        self.factors.times_mass(slope, &mut self.residuals[i * n..(i + 1) * n]);
    }

    /// What stages with the slopes that were set move by, each its unknowns.
    pub fn increments_of_slopes(&mut self, tableau: &Tableau) -> std::slice::ChunksExact<'_, f64> {
        self.factors.solve(tableau, &self.residuals, &mut self.increments);
        self.increments.chunks_exact(self.structure.unknowns().max(1))
    }

    /// Makes a change tangent to the constraints that the matrices know.
    pub fn make_tangent(&mut self, system: &mut dyn Hessenberg, change: &mut [f64]) -> Result<()> {
        system.make_tangent(self.linearized_at, &self.linearized, change)
    }

    /// Iterates from the increments in `z`, of which it changes the coupled components; how many there were and
    /// their rate of convergence.
    pub fn solve(
        &mut self,
        system: &mut dyn Hessenberg,
        tableau: &Tableau,
        step: &StageEquations,
        z: &mut [f64],
        progress: &mut Progress,
    ) -> Tried<(u32, f64)> {
        for y in self.multipliers.chunks_exact_mut(self.y.len().max(1)) {
            y.copy_from_slice(&self.y);
        }
        let wanted = if self.structure.weakened {
            PRECISION_OF_WEAKENED
        } else {
            PRECISION
        };
        let precision = wanted.max(ROUNDING / step.rtol);
        let (most, stalled) = (most_iterations(tableau), self.stalled(step));
        let (mut rate, mut before) = (RATE_TO_KEEP, f64::INFINITY);
        for iterations in 1..=most {
            self.evaluate(system, tableau, step, z, progress)?;
            let size = self.correct(tableau, step, z);
            if !size.is_finite() {
                return Err(NOT_FINITE);
            }
            if iterations > 1 {
                rate = size / before;
            }
            let left = if iterations > 1 {
                (rate / (1.0 - rate)).max(LEAST_CONTRACTION) * size
            } else {
                size
            };
            if (rate < 1.0 && left <= precision) || (size <= stalled.max(precision) && iterations > 1 && rate > 0.5) {
                return Ok((iterations, rate));
            }
            let remaining = (most - iterations) as i32;
            if iterations > 1 && (rate >= 1.0 || left * rate.powi(remaining) > STALLED) {
                break;
            }
            before = size;
        }
        Err(DIVERGED)
    }

    /// Residuals at all stages.
    fn evaluate(
        &mut self,
        system: &mut dyn Hessenberg,
        tableau: &Tableau,
        step: &StageEquations,
        z: &[f64],
        progress: &mut Progress,
    ) -> Tried {
        for i in 0..tableau.stages {
            self.load(tableau, step, z, i);
            self.write_residual(system, step.t + tableau.c[i] * step.h, i, progress)?;
        }
        Ok(())
    }

    /// Writes state and rate of a stage.
    fn load(&mut self, tableau: &Tableau, step: &StageEquations, z: &[f64], i: usize) {
        let (s, n, coupled) = (tableau.stages, step.x.len(), self.rate.len());
        self.state.copy_from_slice(step.x);
        add_scaled(&mut self.state[..coupled], 1.0, &z[i * n..][..coupled]);
        self.rate.fill(0.0);
        for (weight, z) in tableau.slopes[i * s..(i + 1) * s].iter().zip(z.chunks_exact(n.max(1))) {
            add_scaled(&mut self.rate, weight / step.h, &z[..coupled]);
        }
    }

    /// Residual of the stage that is loaded.
    fn write_residual(&mut self, system: &mut dyn Hessenberg, t: f64, i: usize, progress: &mut Progress) -> Tried {
        let (m, unknowns) = (self.y.len(), self.structure.unknowns());
        let point = StagePoint {
            t,
            x: &self.state,
            rate: &self.rate,
            multipliers: &self.multipliers[i * m..(i + 1) * m],
        };
        let residual = &mut self.residuals[i * unknowns..(i + 1) * unknowns];
        progress.statistics.evaluations += 1;
        let done = system.residual(&point, residual);
        progress.survive(t, done)?;
        progress.finite(t, residual, "residual")
    }

    /// Increments over the tolerance that may be rounding where they do not fall any more. Those of weakened rates count times the
    /// step size, so that slow convergence looks like it: there, errors of the rates are within the tolerance too, or no more than
    /// rounding.
    fn stalled(&self, step: &StageEquations) -> f64 {
        if !self.structure.weakened {
            return STALLED;
        }
        let coupled = self.structure.coupled;
        let rounding = step.weights[..coupled]
            .iter()
            .map(|weight| (weight * step.rounding).min(1.0));
        let noise = (rounding.map(|e| e * e).sum::<f64>() / coupled.max(1) as f64).sqrt();
        STALLED.min(noise.max(STALLED * step.h.abs()))
    }

    /// One iteration; returns the root mean square of the weighted increments of the coupled components.
    fn correct(&mut self, tableau: &Tableau, step: &StageEquations, z: &mut [f64]) -> f64 {
        let (s, n, m, coupled) = (tableau.stages, step.x.len(), self.y.len(), self.structure.coupled);
        self.factors.solve(tableau, &self.residuals, &mut self.increments);
        let mut square = 0.0;
        for (i, increment) in self
            .increments
            .chunks_exact(self.structure.unknowns().max(1))
            .enumerate()
        {
            let (by_state, by_multipliers) = increment.split_at(coupled);
            for (j, (z, d)) in z[i * n..].iter_mut().zip(by_state).enumerate() {
                *z -= d;
                let weakening = self.structure.weakening(j, step.h.abs());
                let allowed = if weakening < 1.0 { step.rounding } else { 0.0 };
                let scaled = d * weakening * step.weights[j].min(1.0 / allowed);
                square += scaled * scaled;
            }
            for (y, d) in self.multipliers[i * m..].iter_mut().zip(by_multipliers) {
                *y -= d;
            }
        }
        (square / (s * coupled).max(1) as f64).sqrt()
    }
}
