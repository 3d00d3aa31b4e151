//! Points of sweeps, and objectives with their Jacobian for methods that ask point by point.

use costate::error::Result;
use costate::run::Method;
use costate::sweep::{Layout, Plan, Range};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arguments::Changed;
use crate::objects::floats;
use crate::scene::{Scene, refuse_unknown_objectives};

/// The parameters of a sweep, each with its range.
pub type Ranges = Vec<(String, f64, f64)>;

/// The points of a sweep: numbers of values of a grid, count and seed of a sample, or the points themselves.
#[derive(FromPyObject)]
pub enum Points {
    /// Number of points, and seed.
    Sample((usize, u64)),
    /// Number of values of each parameter.
    Grid(Vec<usize>),
    /// A value of each parameter.
    Given(Vec<Vec<f64>>),
}

impl Points {
    /// The points in ranges.
    ///
    /// # Errors
    /// Kind `Usage` where there are none.
    pub fn plan(self, ranges: Ranges) -> Result<Plan> {
        let layout = match self {
            Self::Sample((count, seed)) => Layout::Sample { count, seed },
            Self::Grid(counts) => Layout::Grid(counts),
            Self::Given(points) => {
                let names: Vec<String> = ranges.into_iter().map(|(name, _, _)| name).collect();
                return Plan::given(&names, points);
            }
        };
        let ranges = ranges.into_iter().map(|(name, low, high)| Range { name, low, high });
        Plan::new(ranges.collect(), layout)
    }
}

/// Values of objectives at a point and, objective by objective, their derivatives by some of the parameters, which must
/// exist; both as bytes.
#[pyfunction]
pub fn jacobian<'py>(
    scene: &Scene,
    py: Python<'py>,
    changed: Changed,
    objectives: Vec<String>,
    parameters: Vec<String>,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let (values, slopes) = scene.work(py, changed, move |mut experiment| {
        refuse_unknown_objectives(&experiment, &objectives)?;
        experiment.want_objectives(|name| objectives.iter().any(|wanted| wanted == name));
        let asked = |name: &str| parameters.iter().any(|parameter| parameter == name);
        let report = experiment.gradient_in_common(Method::Adjoint, asked);
        let report = report.map_err(|error| experiment.located(error))?;
        let (mut values, mut slopes) = (Vec::new(), Vec::new());
        for name in &objectives {
            for objective in report.objectives.iter().filter(|objective| objective.name == *name) {
                values.push(objective.value);
                let place = |name: &String| report.parameters.iter().position(|known| known == name);
                let places = parameters.iter().filter_map(place);
                slopes.extend(places.map(|place| objective.gradient[place]));
            }
        }
        Ok((values, slopes))
    })?;
    Ok((floats(py, &values), floats(py, &slopes)))
}
