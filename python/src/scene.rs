//! A scene, and what is computed of it.

use std::ops::ControlFlow;
use std::path::Path;

use costate::error::Result;
use costate::files::fingerprint;
use costate::hybrid::HybridSystem;
use costate::optimize::{
    Design, Interruptible, Optimized, Recall, SceneDesign, Unevaluated, optimize_start, optimized_scene, search,
    unfinished_starts,
};
use costate::run::{Changes, DenseRun, Experiment, Interruption, Recording};
use costate::scene;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::{Map, Value, json};

use crate::arguments::{Changed, METHODS, Wanted, chosen, or_raise, refuse_unknown};
use crate::objects::{floats, object};
use crate::work::work;

/// A report, with a recording if that was asked for.
type Ran<'py> = (Bound<'py, PyAny>, Option<Bound<'py, PyDict>>);

/// A scene that was read and compiled; `costate.Scene` stands before it.
#[pyclass(frozen, module = "costate._costate")]
pub struct Scene {
    pub experiment: Experiment,
}

#[pymethods]
impl Scene {
    /// Reads the text of a scene; `file` is the name that messages show, in the folder that its files are in.
    #[new]
    fn new(py: Python<'_>, file: &str, text: &str, allow_outside: bool) -> PyResult<Self> {
        Self::prepared(py, allow_outside, || scene::parse_with(file, text, allow_outside))
    }

    /// Reads a file.
    #[staticmethod]
    fn load(py: Python<'_>, path: &str, allow_outside: bool) -> PyResult<Self> {
        Self::prepared(py, allow_outside, || scene::read_with(Path::new(path), allow_outside))
    }

    /// What it was made from: file, text, whether files outside its folder may be read, and the files that it was read from.
    fn origin(&self) -> (String, String, bool, Vec<String>) {
        let (file, changes) = self.experiment.recipe();
        let inputs = self.experiment.inputs();
        (
            file.source.file.clone(),
            file.source.text.clone(),
            changes.allow_outside,
            inputs.iter().map(|input| input.display().to_string()).collect(),
        )
    }

    /// A text that differs between scenes that compute other numbers, whatever files they were read from.
    fn fingerprint(&self) -> String {
        let Experiment { mechanism, options, .. } = &self.experiment;
        fingerprint(format!("{mechanism:?} {options:?}").bytes())
    }

    /// Compiles the scene as a call changes it, and looks these objectives up, for the errors that this has.
    fn prepare(&self, py: Python<'_>, changed: Changed, objectives: Vec<String>) -> PyResult<()> {
        self.work(py, changed, move |experiment| {
            refuse_unknown_objectives(&experiment, &objectives)
        })
    }

    /// Names and what is known of them.
    fn details<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.described())
    }

    /// Simulates: the report and, if wanted, what was recorded.
    fn run<'py>(&self, py: Python<'py>, changed: Changed, record: bool, balance: bool) -> PyResult<Ran<'py>> {
        let (report, recording) = self.work(py, changed, move |experiment| match balance {
            true => experiment.run_balanced(record, &mut |_time| {}),
            false => experiment.run(record, &mut |_time| {}),
        })?;
        let recording = recording.map(|recording| recorded(py, &recording)).transpose()?;
        Ok((object(py, &report)?, recording))
    }

    /// Simulates and keeps the interpolants.
    fn dense(&self, py: Python<'_>, changed: Changed) -> PyResult<Dense> {
        let run = self.work(py, changed, Experiment::dense)?;
        Ok(Dense { run })
    }

    /// Derivatives of these objectives, of all when none, by a method, with the certificate and second derivatives if wanted.
    fn gradient<'py>(
        &self,
        py: Python<'py>,
        changed: Changed,
        objectives: Option<Vec<String>>,
        method: &str,
        asked: (bool, bool),
    ) -> PyResult<Bound<'py, PyAny>> {
        let method = or_raise(py, chosen("method", method, &METHODS))?;
        let found = self.work(py, changed, move |experiment| {
            refuse_unknown_objectives(&experiment, objectives.as_deref().unwrap_or_default())?;
            experiment.derivatives(objectives.as_deref(), method, asked, &|_part, _what| {})
        })?;
        object(py, &found)
    }

    /// Second derivatives of all objectives.
    fn hessian<'py>(&self, py: Python<'py>, changed: Changed) -> PyResult<Bound<'py, PyAny>> {
        let found = self.work(py, changed, |experiment| experiment.hessian(&|_part| {}))?;
        object(py, &found)
    }

    /// Assembles the mechanism without moving it.
    fn check<'py>(&self, py: Python<'py>, changed: Changed) -> PyResult<Bound<'py, PyAny>> {
        let found = self.work(py, changed, |experiment| experiment.check())?;
        object(py, &found)
    }

    /// Optimizes as the scene says, over points that are known: the report, and the text of the scene with the values that were found.
    fn optimize<'py>(
        &self,
        py: Python<'py>,
        changed: Changed,
        wanted: Wanted,
        known: Vec<String>,
    ) -> PyResult<(Bound<'py, PyAny>, String)> {
        let wanted = or_raise(py, wanted.chosen())?;
        let (found, text) = self.work(py, changed, move |experiment| {
            let wanted = wanted.of(&experiment)?;
            let design = SceneDesign::new(&experiment, &wanted);
            let problem = (experiment.name.as_str(), design.fingerprint());
            let design = Interruptible::new(&design, experiment.interruption());
            let design = Recall::new(&design, (problem.0, &problem.1), known.iter().map(String::as_str))?;
            let found = search(&design, &wanted, &|_start, _iteration| {});
            let found = Optimized::new(
                experiment.clone(),
                wanted,
                found.map_err(|error| experiment.located(error))?,
            );
            let by = ("optimize", found.found.total(|report| report.simulations));
            let text = optimized_scene(&found.experiment, &found.optimization, &found.found.report, by, &[])?;
            Ok((found, text))
        })?;
        Ok((object(py, &found)?, text))
    }

    /// The starts of an optimization that do not come to their end over the points that are known: number and place of each.
    fn unfinished_starts(
        &self,
        py: Python<'_>,
        changed: Changed,
        wanted: Wanted,
        known: Vec<String>,
    ) -> PyResult<Vec<(usize, Vec<f64>)>> {
        let wanted = or_raise(py, wanted.chosen())?;
        self.work(py, changed, move |experiment| {
            let wanted = wanted.of(&experiment)?;
            let scene = SceneDesign::new(&experiment, &wanted);
            let nothing = Unevaluated {
                accuracy: scene.accuracy(),
            };
            let problem = (experiment.name.as_str(), scene.fingerprint());
            let design = Recall::new(&nothing, (problem.0, &problem.1), known.iter().map(String::as_str))?;
            unfinished_starts(&design, &wanted)
        })
    }

    /// The points that the optimization from one of the starts evaluates, whatever ends it.
    fn start(&self, py: Python<'_>, changed: Changed, wanted: Wanted, start: (usize, Vec<f64>)) -> PyResult<String> {
        let wanted = or_raise(py, wanted.chosen())?;
        self.work(py, changed, move |experiment| {
            let wanted = wanted.of(&experiment)?;
            let scene = SceneDesign::new(&experiment, &wanted);
            let problem = (experiment.name.as_str(), scene.fingerprint());
            let design = Interruptible::new(&scene, experiment.interruption());
            let design = Recall::keeping(&design, (problem.0, &problem.1))?;
            // An error is met again by whoever goes over these points.
            let _ = optimize_start(
                &design,
                &wanted,
                (start.0, &start.1),
                &mut |_| ControlFlow::Continue(()),
            );
            Ok(design.finish())
        })
    }
}

impl Scene {
    fn prepared(
        py: Python<'_>,
        allow_outside: bool,
        read: impl FnOnce() -> Result<scene::SceneFile> + Send,
    ) -> PyResult<Self> {
        let changes = Changes {
            allow_outside,
            ..Changes::default()
        };
        let never = Interruption::default();
        let experiment = work(py, &never, move || Experiment::new(&read()?, &changes))?;
        Ok(Self { experiment })
    }

    /// Does something with the scene as a call changes it; signals of the interpreter end it.
    pub fn work<T: Send>(
        &self,
        py: Python<'_>,
        changed: Changed,
        task: impl FnOnce(Experiment) -> Result<T> + Send,
    ) -> PyResult<T> {
        let unchanged = changed.is_nothing();
        let changes = or_raise(py, changed.changes(self.experiment.recipe().1.allow_outside))?;
        let flag = changes.interruption.clone();
        work(py, &flag, || {
            let mut experiment = match unchanged {
                true => self.experiment.clone().interruptible(&changes.interruption),
                false => self.experiment.changed(changes.clone())?,
            };
            experiment.memory = changes.memory;
            task(experiment)
        })
    }

    fn described(&self) -> Value {
        let (experiment, (file, _)) = (&self.experiment, self.experiment.recipe());
        let (model, scene) = (&experiment.mechanism.model, &file.scene);
        let parameters = model.parameters.iter().map(|parameter| {
            let (lower, upper) = parameter.bounds.unzip();
            let object = json!({
                "value": parameter.value,
                "unit": parameter.unit,
                "lower": lower,
                "upper": upper,
                "about": parameter.about,
                "constant": false,
            });
            (parameter.name.clone(), object)
        });
        let constants = scene.constants.iter().map(|(name, number)| {
            let value = match number {
                scene::schema::Number::Literal(value) => Some(*value),
                scene::schema::Number::Text(_) => None,
            };
            let object =
                json!({"value": value, "unit": "", "lower": null, "upper": null, "about": "", "constant": true});
            (name.to_string(), object)
        });
        let outputs = model.outputs.iter();
        let outputs = outputs.map(|(name, output)| (name.clone(), json!(output.expression.text())));
        let written = |name: &str| {
            let place = file.place(&["objectives", name]);
            place.and_then(|place| file.source.text.get(place))
        };
        let objectives = model.objectives.iter();
        let objectives = objectives.map(|objective| (objective.name.clone(), json!(written(&objective.name))));
        json!({
            "name": experiment.name,
            "about": scene.about,
            "source": scene.source,
            "dimension": model.dimension,
            "start": experiment.start,
            "end": experiment.options.end,
            "state_dimension": experiment.mechanism.dimension(),
            "parameters": parameters.chain(constants).collect::<Map<_, _>>(),
            "outputs": outputs.collect::<Map<_, _>>(),
            "objectives": objectives.collect::<Map<_, _>>(),
        })
    }
}

/// Refuses names of objectives that the scene does not have.
///
/// # Errors
/// Kind `Usage` naming the first.
pub fn refuse_unknown_objectives(experiment: &Experiment, names: &[String]) -> Result<()> {
    let known = experiment.mechanism.model.objectives.iter();
    refuse_unknown("objective", names, known.map(|known| known.name.as_str()))
}

/// A recording: columns by name, each as bytes.
pub fn recorded<'py>(py: Python<'py>, recording: &Recording) -> PyResult<Bound<'py, PyDict>> {
    let outputs = PyDict::new(py);
    for series in &recording.outputs {
        outputs.set_item(&series.name, floats(py, &series.values))?;
    }
    let given = PyDict::new(py);
    for (name, values) in recording.energy.given() {
        given.set_item(name, floats(py, values))?;
    }
    let object = PyDict::new(py);
    object.set_item("given", given)?;
    object.set_item("t", floats(py, &recording.times))?;
    object.set_item("phases", &recording.phases)?;
    object.set_item("outputs", outputs)?;
    object.set_item("kinetic", floats(py, &recording.energy.kinetic))?;
    object.set_item("potential", floats(py, &recording.energy.potential))?;
    Ok(object)
}

/// A motion with its interpolants.
#[pyclass(frozen, module = "costate._costate")]
pub struct Dense {
    run: DenseRun,
}

#[pymethods]
impl Dense {
    /// Every output at these times, in the order of the scene, each as bytes.
    fn outputs<'py>(&self, py: Python<'py>, times: Vec<f64>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let found = work(py, &Interruption::default(), || self.run.outputs(&times))?;
        Ok(found.iter().map(|values| floats(py, values)).collect())
    }
}
