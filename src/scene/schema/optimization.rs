//! What is to be made better, as written.

use std::fmt;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};

use super::Named;
use super::number::{Finite, finite_option};

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
    /// Method; when left out, the one that suits bounds and limits.
    #[serde(default)]
    pub solver: Option<Solver>,
    /// Settings of the methods.
    #[serde(default)]
    pub options: Option<SolverOptions>,
    /// When to stop.
    #[serde(default)]
    pub stopping: Option<Stopping>,
    /// Number of starts: the values of the scene, and others within the bounds; 1 when left out.
    #[serde(default)]
    pub starts: Option<u32>,
    /// What random numbers begin with; 0 when left out.
    #[serde(default)]
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
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub parameter: String,
    /// Least and greatest value, both finite; those of the parameter when left out.
    pub bounds: Option<(f64, f64)>,
    /// The size of a large step, in the unit of the parameter.
    pub scale: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "Variable")]
struct VariableFields {
    parameter: String,
    #[serde(default)]
    bounds: Option<(Finite, Finite)>,
    #[serde(default, deserialize_with = "finite_option")]
    scale: Option<f64>,
}

/// A limit of an objective.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// Least value.
    #[serde(default, deserialize_with = "finite_option")]
    pub at_least: Option<f64>,
    /// Greatest value.
    #[serde(default, deserialize_with = "finite_option")]
    pub at_most: Option<f64>,
    /// The value; excludes the other two.
    #[serde(default, deserialize_with = "finite_option")]
    pub equals: Option<f64>,
}

/// Optimization method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
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

/// Settings of the methods. A field left out takes its default value.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolverOptions {
    /// Steps that the limited-memory methods remember; 10 when left out.
    #[serde(default)]
    pub memory: Option<u32>,
    /// Size of the first step in scales; 0.1 when left out.
    #[serde(default, deserialize_with = "finite_option")]
    pub first_step: Option<f64>,
    /// Particles of a swarm; 10 and twice the root of the number of variables when left out.
    #[serde(default)]
    pub particles: Option<u32>,
}

/// When to stop. A field left out takes its default value.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stopping {
    /// Largest entry of the projected gradient at a minimum, in objective per scale; 1e-7 when left out.
    #[serde(default, deserialize_with = "finite_option")]
    pub gradient: Option<f64>,
    /// Relative decrease of the objective by an iteration that is too small to go on; 1e-12 when left out.
    #[serde(default, deserialize_with = "finite_option")]
    pub decrease: Option<f64>,
    /// Largest violation of a limit, in its unit; 1e-8 when left out.
    #[serde(default, deserialize_with = "finite_option")]
    pub violation: Option<f64>,
    /// A value of the objective that is good enough.
    #[serde(default, deserialize_with = "finite_option")]
    pub target: Option<f64>,
    /// Most iterations; 200 when left out.
    #[serde(default)]
    pub max_iterations: Option<u32>,
    /// Most simulations; 1000 when left out.
    #[serde(default)]
    pub max_simulations: Option<u32>,
}

struct GoalVisitor;

impl<'de> Visitor<'de> for GoalVisitor {
    type Value = Goal;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the name of an objective in quotes, or [(factor, \"objective\"), ..]")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Goal, E> {
        Ok(Goal::Objective(name.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Goal, A::Error> {
        let terms = Vec::<(Finite, String)>::deserialize(SeqAccessDeserializer::new(list))?;
        let terms = terms.into_iter().map(|(factor, name)| (factor.0, name));
        Ok(Goal::Sum(terms.collect()))
    }
}

impl<'de> Deserialize<'de> for Goal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GoalVisitor)
    }
}

struct VariableVisitor;

impl<'de> Visitor<'de> for VariableVisitor {
    type Value = Variable;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the name of a parameter in quotes, or (parameter: \"..\", bounds: (low, high), scale: ..)")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Variable, E> {
        Ok(Variable {
            parameter: name.to_string(),
            bounds: None,
            scale: None,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Variable, A::Error> {
        let fields = VariableFields::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Variable {
            parameter: fields.parameter,
            bounds: fields.bounds.map(|(low, high)| (low.0, high.0)),
            scale: fields.scale,
        })
    }
}

impl<'de> Deserialize<'de> for Variable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(VariableVisitor)
    }
}
