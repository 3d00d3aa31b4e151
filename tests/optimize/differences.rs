//! The same optimizations with difference quotients for gradients.

use std::cell::Cell;

use costate::error::Result;
use costate::optimize::{Design, Evaluation, SceneDesign};

use crate::{by, open, solved};

/// Central differences over simulations.
struct Differences<'a> {
    design: SceneDesign<'a>,
    simulations: Cell<u32>,
}

/// Third root of the accuracy of a simulation, relative.
const STEP: f64 = 1e-4;

impl Differences<'_> {
    fn values(&self, parameters: &[f64]) -> Result<Evaluation> {
        self.simulations.set(self.simulations.get() + 1);
        self.design.evaluate(parameters, false)
    }
}

impl Design for Differences<'_> {
    fn evaluate(&self, parameters: &[f64], _gradient: bool) -> Result<Evaluation> {
        let mut found = self.values(parameters)?;
        found.gradients = vec![Vec::new(); found.values.len()];
        for (k, value) in parameters.iter().enumerate() {
            let step = STEP * value.abs();
            let beside = |sign: f64| {
                let mut beside = parameters.to_vec();
                beside[k] += sign * step;
                self.values(&beside)
            };
            let (above, below) = (beside(1.0)?, beside(-1.0)?);
            for (row, gradient) in found.gradients.iter_mut().enumerate() {
                gradient.push((above.values[row] - below.values[row]) / (2.0 * step));
            }
        }
        Ok(found)
    }
}

#[test]
fn difference_quotients_find_the_same_optimum_with_more_simulations() {
    for scene in ["five_bar_rest", "slider_crank"] {
        let experiment = open(scene);
        let task = experiment.optimization.clone().unwrap();
        let exact = solved(&experiment, None);
        let differences = Differences {
            design: SceneDesign::new(&experiment, &task),
            simulations: Cell::new(0),
        };
        let found = by(&differences, &task);
        let simulations = differences.simulations.get();
        println!(
            "{scene}: {} simulations with {} adjoint passes, {simulations} simulations with difference quotients",
            exact.simulations, exact.gradients
        );
        for (a, b) in exact.best.parameters.iter().zip(&found.best.parameters) {
            assert!((a - b).abs() < 1e-4, "{scene} {a} {b}");
        }
        assert!(simulations >= 3 * exact.simulations, "{scene} {simulations}");
    }
}
