//! Radau IIA with 3, 5 or 7 stages on differential-algebraic systems in Hessenberg form of index 2 or 3 (theory, 8.2;
//! Hairer and Wanner, Solving Ordinary Differential Equations II, sections VII.4 to VII.6).
//!
//! | step | where |
//! | --- | --- |
//! | stages of the coupled components and multipliers, by simplified Newton iterations | `stages` |
//! | rates with their order and digits, in index 3 | `refine` |
//! | quadratures, and variations, which are linear, at the stages found | `quadratures`, `variations` |
//! | error estimate, interpolant | `step` |
//!
//! The polynomial through the stages has the accuracy of the tolerance everywhere within the step, since adjoints and
//! events read it; the end of the step is more accurate by far.

mod factors;
mod quadratures;
mod refine;
mod stages;
mod step;
mod system;
mod variations;

pub use system::{Hessenberg, HessenbergWork, StagePoint, Structure, no_hessenberg};

use self::quadratures::Quadratures;
use self::stages::Stages;
use self::variations::Variations;

use super::attempt::Tried;
use super::noise::Noise;
use super::scheme::{Convergence, Ends, Scheme};
use super::tableau::Tableau;
use super::{DenseOutput, Flow, Tolerance};
use crate::error::Result;
use crate::linear::add_scaled;

/// Radau IIA on a system in Hessenberg form, whose steps end on the manifold.
#[derive(Clone, Debug)]
pub(super) struct Projected {
    tableau: Box<Tableau>,
    structure: Structure,
    /// Stages of the coupled components; sized by `restart` for the mode.
    stages: Stages,
    /// Quadratures and variations; likewise.
    quadratures: Quadratures,
    variations: Variations,
    /// Iterations and rate of convergence of the latest attempt.
    convergence: (u32, f64),
    noise: Noise,
    /// Written by `attempt`: stage increments, stage i at i * n.
    z: Vec<f64>,
    /// Scratch: slopes of the rates at the stages across the constraints, stage i at i * their number.
    slopes: Vec<f64>,
    /// Written by `attempt`: inverse of the error allowed per component.
    weights: Vec<f64>,
    /// Scratch: a state and an error.
    state: Vec<f64>,
    error: Vec<f64>,
    /// Written by `attempt`: error of the coupled components across the constraints.
    across: Vec<f64>,
}

impl Projected {
    /// For `n` components, with 3, 5 or 7 stages.
    pub fn new(n: usize, stages: usize) -> Self {
        let zeros = || vec![0.0; n];
        let structure = Structure::default();
        let tableau = Box::new(Tableau::with_stages(stages));
        Self {
            stages: Stages::new(&structure, &tableau),
            quadratures: Quadratures::new(&structure, &tableau),
            variations: Variations::new(&structure, &tableau),
            convergence: (0, 1.0),
            noise: Noise::default(),
            z: vec![0.0; n * stages],
            weights: zeros(),
            state: zeros(),
            error: zeros(),
            across: Vec::new(),
            slopes: Vec::new(),
            tableau,
            structure,
        }
    }

    /// Sizes for a structure.
    fn fit(&mut self, structure: Structure) {
        self.across.resize(structure.coupled, 0.0);
        let repaired = if structure.repaired { structure.rates.len() } else { 0 };
        self.slopes.resize(repaired * self.tableau.stages, 0.0);
        self.stages = Stages::new(&structure, &self.tableau);
        self.quadratures = Quadratures::new(&structure, &self.tableau);
        self.variations = Variations::new(&structure, &self.tableau);
        self.structure = structure;
    }

    /// Writes the state of a stage, with the coupled components only moved; returns its time.
    fn load_stage(&mut self, i: usize, ends: &Ends, h: f64) -> f64 {
        let moved = &self.z[i * ends.n..][..self.structure.coupled];
        self.state.copy_from_slice(&ends.x);
        add_scaled(&mut self.state[..moved.len()], 1.0, moved);
        ends.t + self.tableau.c[i] * h
    }
}

impl Scheme for Projected {
    /// 5, 9 or 13.
    fn order(&self) -> u32 {
        self.tableau.order()
    }

    fn order_of_estimate(&self) -> u32 {
        self.tableau.stages as u32
    }

    fn bytes(&self, n: usize) -> usize {
        let vectors = (self.tableau.stages + 3) * n * size_of::<f64>() + size_of_val(&self.slopes[..]);
        vectors + self.stages.bytes() + self.quadratures.bytes() + self.variations.bytes()
    }

    fn restart(&mut self, flow: &mut dyn Flow) -> Result<()> {
        let mut structure = Structure::default();
        flow.hessenberg(&mut |system| {
            structure = system.structure();
            Ok(())
        })?;
        if structure != self.structure {
            self.fit(structure);
        }
        self.stages.forget();
        self.variations.restart(flow);
        Ok(())
    }

    /// With the multipliers there.
    fn start(&mut self, ends: &mut Ends, flow: &mut dyn Flow) -> Result<()> {
        self.noise.forget();
        ends.evaluate_start(flow)?;
        flow.hessenberg(&mut |system| self.stages.start_at(system, ends.t, &ends.x))
    }

    fn compute(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Tried<f64> {
        self.step(ends, flow, h, tol)
    }

    fn convergence(&self) -> Convergence {
        let (iterations, rate) = self.convergence;
        Convergence::after(iterations, stages::most_iterations(&self.tableau), rate)
    }

    fn interpolate(&mut self, ends: &Ends, h: f64, output: &mut DenseOutput) {
        self.tableau.interpolate(ends, h, &self.z, output);
    }

    fn advance(&mut self) {
        self.noise.forget();
        self.stages.pass(self.convergence.1);
    }
}
