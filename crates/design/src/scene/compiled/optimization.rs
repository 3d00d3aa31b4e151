//! What an optimization varies, makes small and keeps, with every default filled in.

use crate::error::{Error, ErrorKind, Result};
use crate::scene::schema::Solver;

/// What is to be made better.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimization {
    /// Pairs of a factor and an objective, the sum of which is made small; at least one.
    pub goal: Vec<(f64, String)>,
    /// Whether the goal is measured data alone: `Fit` objectives with positive factors.
    pub is_fit: bool,
    /// Whether the goal is a sum of squares: `Fit` and `SumOfSquares` objectives with positive factors.
    pub is_least_squares: bool,
    /// The parameters that are varied; at least one, each once.
    pub variables: Vec<DesignVariable>,
    /// Limits of objectives, in each of the cases.
    pub limits: Vec<Limit>,
    /// Load cases; none for the scene as it is.
    pub cases: Vec<LoadCase>,
    /// Method.
    pub solver: Solver,
    /// Steps that the limited-memory methods remember; at least 1.
    pub memory: usize,
    /// Size of the first step in scales, positive.
    pub first_step: f64,
    /// Particles of a swarm, at least 1; the usual number when none.
    pub particles: Option<u32>,
    /// Number of starts, at least 1.
    pub starts: u32,
    /// Seed of the random numbers.
    pub seed: u64,
    /// When to stop.
    pub stopping: Stopping,
}

/// A parameter that is varied.
#[derive(Clone, Debug, PartialEq)]
pub struct DesignVariable {
    /// Its name.
    pub name: String,
    /// Its unit, for reports.
    pub unit: String,
    /// Value at the start, within the bounds.
    pub start: f64,
    /// Least value; minus infinity when there is none.
    pub lower: f64,
    /// Greatest value; infinity when there is none.
    pub upper: f64,
    /// Size of a large step, in the unit of the parameter, positive.
    pub scale: f64,
}

/// Part of the scale within which a value is on its bound: what is left of a bound after scaling and unscaling.
const ON_BOUND: f64 = 1e-10;

impl DesignVariable {
    /// Whether a value is on the lower bound and on the upper one, within rounding.
    pub fn on_bounds(&self, value: f64) -> [bool; 2] {
        let on = |bound: f64| bound.is_finite() && (value - bound).abs() <= ON_BOUND * self.scale.max(bound.abs());
        [
            value <= self.lower || on(self.lower),
            value >= self.upper || on(self.upper),
        ]
    }
}

/// A load case: the scene with other values.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadCase {
    /// Its name in the scene.
    pub name: String,
    /// Factor of its goal in the sum.
    pub weight: f64,
}

/// A limit of an objective: `value - bound` is zero, or at most zero times the sign.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Name of the objective.
    pub objective: String,
    /// The load case in which it holds, where there are some.
    pub case: Option<String>,
    /// Which side of the bound is allowed.
    pub side: LimitSide,
    /// The bound, in the unit of the objective.
    pub bound: f64,
}

/// Which side of a bound is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitSide {
    /// The bound itself only.
    Equal,
    /// The bound and above.
    AtLeast,
    /// The bound and below.
    AtMost,
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stopping {
    /// Largest entry of the projected gradient at a minimum, in objective per scale; not negative.
    pub gradient: f64,
    /// Relative decrease of the objective by an iteration that is too small to go on; not negative.
    pub decrease: f64,
    /// Largest violation of a limit, in its unit; positive.
    pub violation: f64,
    /// A value of the objective that is good enough; minus infinity when there is none.
    pub target: f64,
    /// Most iterations, at least 1.
    pub max_iterations: u32,
    /// Most simulations, at least 1.
    pub max_simulations: u32,
}

impl Default for Stopping {
    fn default() -> Self {
        Self {
            gradient: 1e-7,
            decrease: 1e-12,
            violation: 1e-8,
            target: f64::NEG_INFINITY,
            max_iterations: 200,
            max_simulations: 1000,
        }
    }
}

impl Limit {
    /// The objective, with the load case if there is one.
    pub fn name(&self) -> String {
        match &self.case {
            Some(case) => format!("{} ({case})", self.objective),
            None => self.objective.clone(),
        }
    }

    /// What is asked for, in words.
    pub fn rule(&self) -> String {
        let words = match self.side {
            LimitSide::Equal => "equals",
            LimitSide::AtLeast => "at least",
            LimitSide::AtMost => "at most",
        };
        format!("{words} {}", self.bound)
    }

    /// By how much a value misses the limit, in its unit; zero when it is kept.
    pub fn violation(&self, value: f64) -> f64 {
        match self.side {
            LimitSide::Equal => (value - self.bound).abs(),
            LimitSide::AtLeast => (self.bound - value).max(0.0),
            LimitSide::AtMost => (value - self.bound).max(0.0),
        }
    }
}

impl Optimization {
    /// Whether a variable has a bound.
    pub fn has_bounds(&self) -> bool {
        let mut variables = self.variables.iter();
        variables.any(|variable| variable.lower.is_finite() || variable.upper.is_finite())
    }

    /// Names of the variables.
    pub fn variable_names(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|variable| variable.name.as_str())
    }

    /// Refuses variables without a bound on both sides.
    ///
    /// # Errors
    /// Kind `Request` naming such a variable and `what` needs the bounds.
    pub fn require_bounds(&self, what: &str) -> Result<()> {
        let unbounded = |variable: &&DesignVariable| !(variable.upper - variable.lower).is_finite();
        let Some(variable) = self.variables.iter().find(unbounded) else {
            return Ok(());
        };
        let message = format!("`{}` has no bounds, which are needed for {what}", variable.name);
        Err(Error::new(ErrorKind::Request, message)
            .named(&variable.name)
            .advise("write `bounds: (low, high)` with the parameter, or in its entry of `over`"))
    }
}
