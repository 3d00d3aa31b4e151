//! Functions in closed form as designs.

use std::sync::atomic::{AtomicU32, Ordering};

use costate::error::{Error, ErrorKind, Result};
use costate::optimize::{Design, Evaluation};
use costate::scene::compiled::{DesignVariable, Optimization, Stopping};
use costate::scene::schema::Solver;

/// Value and gradient in closed form; nothing where the first variable is beyond `wall`.
pub struct Formula {
    pub formula: fn(&[f64]) -> (f64, Vec<f64>),
    pub wall: f64,
    /// Evaluations so far.
    pub calls: AtomicU32,
}

impl Formula {
    pub fn new(formula: fn(&[f64]) -> (f64, Vec<f64>)) -> Self {
        Self {
            formula,
            wall: f64::INFINITY,
            calls: AtomicU32::new(0),
        }
    }

    pub fn calls(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Design for Formula {
    fn evaluate(&self, p: &[f64], gradient: bool) -> Result<Evaluation> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if p[0] > self.wall {
            return Err(Error::new(ErrorKind::Assembly, "it does not close")
                .at_time(0.1)
                .named("bar"));
        }
        let (value, slopes) = (self.formula)(p);
        Ok(Evaluation {
            values: vec![value],
            gradients: if gradient { vec![slopes] } else { Vec::new() },
            ..Evaluation::default()
        })
    }
}

/// A bowl with waves: minima near the multiples of tau/3, the least at zero.
pub fn waves(p: &[f64]) -> (f64, Vec<f64>) {
    let one = |x: f64| (0.05 * x * x + 1.0 - (3.0 * x).cos(), 0.1 * x + 3.0 * (3.0 * x).sin());
    let (values, slopes): (Vec<f64>, Vec<f64>) = p.iter().map(|x| one(*x)).unzip();
    (values.iter().sum(), slopes)
}

/// The formula over variables between two bounds, all from one start.
pub fn task(solver: Solver, start: f64, [lower, upper]: [f64; 2], variables: usize) -> Optimization {
    let variable = |k: usize| DesignVariable {
        name: format!("x{k}"),
        unit: String::new(),
        start,
        lower,
        upper,
        scale: 1.0,
    };
    Optimization {
        goal: vec![(1.0, "f".to_string())],
        variables: (0..variables).map(variable).collect(),
        is_fit: false,
        is_least_squares: false,
        cases: Vec::new(),
        limits: Vec::new(),
        solver,
        memory: 10,
        first_step: 0.1,
        particles: None,
        starts: 1,
        seed: 1,
        stopping: Stopping::default(),
    }
}
