//! The report of a scene: one page with everything that is computed of it.

use std::path::PathBuf;
use std::time::Instant;

use costate::export::RATES;
use costate::report::{PARTS, Wanted, told, write};
use pyo3::prelude::*;

use crate::arguments::{Changed, chosen, or_raise, within};
use crate::objects::object;
use crate::points::{Points, Ranges};
use crate::scene::Scene;

/// What the report shall hold.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Parts {
    without: Vec<String>,
    /// The ranges of a sweep and how points lie in them.
    points: Option<(Ranges, Points)>,
    starts: Option<u32>,
    fps: f64,
}

impl Parts {
    fn wanted(self) -> costate::error::Result<Wanted> {
        let without = self.without.iter().map(|word| chosen("without", word, &PARTS));
        let points = self.points.map(|(ranges, points)| points.plan(ranges));
        Ok(Wanted {
            without: without.collect::<Result<_, _>>()?,
            points: points.transpose()?,
            starts: self.starts,
            fps: within("fps", self.fps, RATES)?,
        })
    }
}

/// Writes the page, and says which of its sections failed.
#[pyfunction]
pub fn report<'py>(
    scene: &Scene,
    py: Python<'py>,
    changed: Changed,
    out: PathBuf,
    parts: Parts,
) -> PyResult<Bound<'py, PyAny>> {
    let wanted = or_raise(py, parts.wanted())?;
    let written = scene.work(py, changed, move |experiment| {
        let clock = Instant::now();
        let page = write(&experiment, &wanted, &out, &|_part, _what| {})?;
        Ok(told(&page, &out, clock.elapsed().as_secs_f64()))
    })?;
    object(py, &written)
}
