//! The paths of points over a run, and what was measured of it.

use std::sync::Arc;

use super::experiment::Experiment;
use super::recording::{Recording, Series};
use crate::error::Result;
use crate::model::Measured;
use crate::scene::SceneFile;
use crate::scene::schema::Body;

/// The path of a point in the plane of x and y.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Name of the point, or of the marker with its body.
    pub name: String,
    /// Positions in metres, one list per smooth piece of the motion.
    pub pieces: Vec<Vec<(f64, f64)>>,
}

/// What a column of measured data measures, over time.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredCurve {
    /// Name of the objective that compares it with the data.
    pub objective: String,
    /// Name of the column.
    pub column: String,
    /// Times and values in the unit of the column, one list per smooth piece of the motion.
    pub pieces: Vec<Vec<(f64, f64)>>,
}

/// A recording of the outputs of the scene, with more to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedRun {
    /// Outputs, energy and events.
    pub recording: Recording,
    /// Paths of all moving points, of the markers of bodies, and of the origins of rigid ones.
    pub traces: Vec<Trace>,
    /// What is measured at given times, by objective and column.
    pub measured: Vec<MeasuredCurve>,
}

impl Experiment {
    /// Simulates and records, with paths, and with what the columns of these objectives measure. Objectives are not
    /// evaluated: one that nobody asked for may have no value.
    ///
    /// # Errors
    /// As [`Experiment::run`].
    pub fn run_with_traces(&self, fits: &[&str]) -> Result<TracedRun> {
        let (file, changes) = self.recipe();
        let names = traced(file);
        let mut file = file.clone();
        let own = file.scene.outputs.len();
        let prefix = unused_prefix(&file);
        for (k, name) in names.iter().enumerate() {
            // Every part in quotes, for it may be any text.
            let place = format!("'{}'", name.replace('.', "'.'"));
            let output = |axis: &str| (format!("{prefix}{k}{axis}"), format!("{place}.{axis}"));
            file.scene.outputs.0.extend(["x", "y"].map(output));
        }
        let mut experiment = Self::prepare(Arc::new(file), changes.clone())?;
        let columns = experiment.record_measured(fits, &prefix);
        experiment.want_objectives(|_| false);
        let (_, recording) = experiment.run(true, &mut |_time| {})?;
        let mut recording = recording.unwrap_or_default();
        let mut paths = recording.outputs.split_off(own);
        let measured = paths.split_off(2 * names.len());
        let traces = names.into_iter().zip(paths.chunks(2)).map(|(name, axes)| Trace {
            name,
            pieces: match axes {
                [x, y] => pieces(&recording, &x.values, &y.values),
                _ => Vec::new(),
            },
        });
        let curve = |((objective, column), series): ((String, String), Series)| MeasuredCurve {
            objective,
            column,
            pieces: pieces(&recording, &recording.times, &series.values),
        };
        Ok(TracedRun {
            traces: traces.collect(),
            measured: columns.into_iter().zip(measured).map(curve).collect(),
            recording,
        })
    }

    /// The same scene with more outputs, each named by its expression.
    ///
    /// # Errors
    /// As of a scene that has these outputs.
    pub fn with_outputs(&self, expressions: &[String]) -> Result<Self> {
        let (file, changes) = self.recipe();
        let mut file = file.clone();
        let own = file.scene.outputs.len();
        let prefix = unused_prefix(&file);
        // Names of scenes may not have every sign of an expression.
        let written = expressions.iter().enumerate();
        let written = written.map(|(k, expression)| (format!("{prefix}{k}"), expression.clone()));
        file.scene.outputs.0.extend(written);
        let mut experiment = Self::prepare(Arc::new(file), changes.clone())?;
        for ((name, _), expression) in experiment.mechanism.model.outputs.iter_mut().skip(own).zip(expressions) {
            name.clone_from(expression);
        }
        Ok(experiment)
    }

    /// Appends what the columns of these objectives measure at given times to the outputs; returns objectives and columns.
    fn record_measured(&mut self, fits: &[&str], prefix: &str) -> Vec<(String, String)> {
        let model = &mut self.mechanism.model;
        let mut columns = Vec::new();
        for fit in model.fits.iter().filter(|fit| fits.contains(&fit.objective.as_str())) {
            for channel in &fit.channels {
                if let Measured::Value(output) = &channel.of {
                    model
                        .outputs
                        .push((format!("{prefix}{}", channel.column), output.clone()));
                    columns.push((fit.objective.clone(), channel.column.clone()));
                }
            }
        }
        columns
    }
}

/// Names of the places whose paths are recorded.
fn traced(file: &SceneFile) -> Vec<String> {
    let points = file.scene.points.iter().map(|(name, _)| name.to_string());
    let markers = file.scene.bodies.iter().flat_map(|(body, written)| {
        let (origin, markers) = match written {
            Body::Bar(bar) => (None, &bar.markers),
            Body::Rigid(rigid) => (Some("origin"), &rigid.markers),
            Body::Solid(solid) => (Some("origin"), &solid.markers),
        };
        let all = origin.into_iter().chain(markers.names());
        all.map(move |marker| format!("{body}.{marker}"))
    });
    points.chain(markers).collect()
}

/// The beginning of a name that no output and no parameter has.
fn unused_prefix(file: &SceneFile) -> String {
    let scene = &file.scene;
    let used = |prefix: &str| {
        let named = scene.outputs.names().chain(scene.constants.names());
        let mut names = named.chain(scene.parameters.names());
        names.any(|name| name.starts_with(prefix))
    };
    let mut prefix = "path ".to_string();
    while used(&prefix) {
        prefix.push('_');
    }
    prefix
}

fn pieces(recording: &Recording, x: &[f64], y: &[f64]) -> Vec<Vec<(f64, f64)>> {
    let point = |k: usize| Some((*x.get(k)?, *y.get(k)?));
    recording
        .phase_ranges()
        .map(|range| range.filter_map(point).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::TracedRun;
    use crate::run::{Changes, Experiment};
    use crate::scene::parse;

    #[test]
    fn points_and_markers_of_any_name_are_traced_and_outputs_stay() {
        let text = r#"Scene(
            name: "", space: Planar,
            ground: { "O": [0, 0] },
            points: { "4th-point": (at: [2, 0]) },
            bodies: {
                "a bar": Bar(from: "O", to: "4th-point", length: 2, mass: 1, angular_velocity: 1, markers: { "pen-1": [1, 1] }),
                "plate": Rigid(mass: 1, inertia: 1, at: [5, 0, 0], velocity: [1, 0, 0]),
            },
            outputs: { "path 1": "plate.x" },
            objectives: { "without a value": Final("log(plate.y - 1)") },
            simulation: (duration: "pi/2"),
        )"#;
        let experiment = Experiment::new(&parse("", text).unwrap(), &Changes::default()).unwrap();
        let TracedRun { recording, traces, .. } = experiment.run_with_traces(&[]).unwrap();
        assert_eq!(recording.outputs.len(), 1);
        let ends = traces
            .iter()
            .map(|trace| (trace.name.as_str(), *trace.pieces[0].last().unwrap()));
        // A quarter of a turn; the pen is to the left of the bar.
        let expected = [
            ("4th-point", (0.0, 2.0)),
            ("a bar.pen-1", (-1.0, 1.0)),
            ("plate.origin", (5.0 + std::f64::consts::FRAC_PI_2, 0.0)),
        ];
        for ((name, end), (expected, place)) in ends.zip(expected) {
            assert_eq!(name, expected);
            assert!(
                (end.0 - place.0).abs() < 1e-7 && (end.1 - place.1).abs() < 1e-7,
                "{name} {end:?}"
            );
        }
        assert_eq!(traces.len(), 3);
    }
}
