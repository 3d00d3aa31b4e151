//! What is to be made better, as written.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess};
use serde::{Deserialize, Serialize};

use super::shorthand::{Shorthand, deserialize_in_any_form};
use super::{Finite, Named, Number};

/// The `optimization` part of a scene.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Optimization {
    /// What is made small.
    pub minimize: Goal,
    /// The parameters that are varied.
    pub over: Vec<Variable>,
    /// Limits of objectives, by the name of the objective.
    #[serde(default)]
    pub subject_to: Named<Limit>,
    /// Load cases: the goal is summed over them, and limits hold in each; the scene as it is when left out.
    #[serde(default)]
    pub cases: Vec<Case>,
    /// Method; when left out, the one that suits bounds and limits.
    pub solver: Option<Solver>,
    /// Settings of the methods.
    pub options: Option<SolverOptions>,
    /// When to stop.
    pub stopping: Option<Stopping>,
    /// Number of starts: the values of the scene, and others within the bounds; 1 when left out.
    pub starts: Option<u32>,
    /// Seed of the random numbers; 0 when left out.
    pub seed: Option<u64>,
}

/// What is made small: an objective, or a sum of objectives with factors.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// The name of an objective.
    Objective(String),
    /// Pairs of a finite factor and the name of an objective.
    Sum(Vec<(f64, String)>),
}

/// A parameter that is varied.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct Variable {
    /// Its name.
    pub parameter: String,
    /// Least and greatest value; those of the parameter when left out.
    pub bounds: Option<(Finite, Finite)>,
    /// The size of a large step, in the unit of the parameter.
    pub scale: Option<Finite>,
}

/// A load case: the scene with other values.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What reports call it.
    pub name: String,
    /// Values of parameters and constants in it, which may be expressions of those before them and of themselves.
    #[serde(default)]
    pub set: Named<Number>,
    /// Factor of its goal in the sum; 1 when left out.
    pub weight: Option<Finite>,
}

/// A limit of an objective.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// Least value.
    pub at_least: Option<Finite>,
    /// Greatest value.
    pub at_most: Option<Finite>,
    /// The value; excludes the other two.
    pub equals: Option<Finite>,
}

/// Optimization method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all(serialize = "kebab-case"))]
pub enum Solver {
    /// Limited-memory quasi-Newton method.
    Lbfgs,
    /// Quasi-Newton method with a full matrix.
    Bfgs,
    /// Nonlinear conjugate gradients.
    ConjugateGradients,
    /// Limited-memory quasi-Newton method within bounds.
    LbfgsB,
    /// Sequential quadratic programming, within bounds and limits.
    Slsqp,
    /// Simplex search without gradients.
    NelderMead,
    /// Gauss-Newton steps in a trust region, within bounds, for measured data.
    GaussNewton,
    /// Swarm of points all over the bounds, without gradients.
    ParticleSwarm,
}

/// The name of a method on the command line.
impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// Settings of the methods. A field left out takes its default value.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolverOptions {
    /// Steps that the limited-memory methods remember; 10 when left out.
    pub memory: Option<u32>,
    /// Size of the first step in scales; 0.1 when left out.
    pub first_step: Option<Finite>,
    /// Particles of a swarm; 10 and twice the root of the number of variables when left out.
    pub particles: Option<u32>,
}

/// When to stop. A field left out takes its default value.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stopping {
    /// Largest entry of the projected gradient at a minimum, in objective per scale; 1e-7 when left out.
    pub gradient: Option<Finite>,
    /// Relative decrease of the objective by an iteration that is too small to go on; 1e-12 when left out.
    pub decrease: Option<Finite>,
    /// Largest violation of a limit, in its unit; 1e-8 when left out.
    pub violation: Option<Finite>,
    /// A value of the objective that is good enough.
    pub target: Option<Finite>,
    /// Most iterations; 200 when left out.
    pub max_iterations: Option<u32>,
    /// Most simulations; 1000 when left out.
    pub max_simulations: Option<u32>,
}

deserialize_in_any_form!(Goal, Variable);

impl<'de> Shorthand<'de> for Goal {
    const EXPECTED: &'static str = "the name of an objective in quotes, or [(factor, \"objective\"), ..]";

    fn from_text(name: &str) -> Option<Self> {
        Some(Self::Objective(name.to_string()))
    }

    fn from_list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        let terms = Vec::<(Finite, String)>::deserialize(SeqAccessDeserializer::new(list))?;
        let terms = terms.into_iter().map(|(factor, name)| (factor.0, name));
        Ok(Self::Sum(terms.collect()))
    }
}

impl<'de> Shorthand<'de> for Variable {
    const EXPECTED: &'static str =
        "the name of a parameter in quotes, or (parameter: \"..\", bounds: (low, high), scale: ..)";

    fn from_text(name: &str) -> Option<Self> {
        Some(Self {
            parameter: name.to_string(),
            bounds: None,
            scale: None,
        })
    }

    fn from_fields<A: MapAccess<'de>>(fields: A) -> Result<Self, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(fields))
    }
}
