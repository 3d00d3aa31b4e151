//! Samples outputs and energy over time from the interpolants, and the derivatives of outputs by all parameters.

use super::experiment::Experiment;
use super::grid::{Grid, Keeper};
use super::held_kinks::HeldKinks;
use super::probe::{Probe, alone};
use super::recording::{EventMark, FrictionCourse, Recording, Sensitivities, Series, Towards};
use crate::assembly::Undetermined;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, HybridSystem};
use crate::linear::max_abs;
use crate::mechanism::Started;
use crate::model::Mode;
use crate::model::quantity::{Output, Quantity};

impl Experiment {
    /// Simulates with the forward sensitivities and samples outputs and derivatives, by all parameters that can change alone.
    /// Where events at one instant have no derivative in common, those of each parameter and side for itself, as far as there
    /// are any.
    ///
    /// # Errors
    /// As for the gradient by the forward method.
    pub fn sensitivities(&self) -> Result<Vec<Sensitivities>> {
        let mut workspace = self.mechanism.workspace();
        let started = self.mechanism.start(self.start, &mut workspace)?;
        let found = self.on_branch(&started, |(directions, wary)| {
            let (mut sampler, mut kinks) = (Sampler::new(self, directions), HeldKinks::new(self, directions));
            let observers = &mut (&mut sampler, &mut kinks);
            let mut report = self.forward(&started, (directions, wary), &mut workspace, observers)?;
            let (events, times): (_, Vec<Option<_>>) = std::mem::take(&mut report.events).into_iter().unzip();
            let times = times.into_iter().map(Option::unwrap_or_default);
            Ok((report, (self.sampled(sampler.keeper, (events, times)), kinks.found)))
        });
        let (report, (mut found, kinks)) = match found {
            Err(error) if error.kind() == ErrorKind::Event => return self.sensitivities_by_sides(&started, error),
            found => found?,
        };
        let mut undetermined = self.undetermined_at_start(&started);
        undetermined.extend(report.undetermined);
        undetermined.extend(kinks);
        let of_outputs = found.slopes.into_iter();
        found.slopes = of_outputs.map(|slopes| determined(slopes, &undetermined)).collect();
        found.sizes = determined(found.sizes, &undetermined);
        found.parameters = determined(found.parameters, &undetermined);
        let of_events = found.event_slopes.into_iter();
        found.event_slopes = of_events.map(|slopes| determined(slopes, &undetermined)).collect();
        Ok(vec![found])
    }

    /// What was sampled, with the events and the derivatives of their times.
    fn sampled(
        &self,
        mut sampler: Sampler,
        (events, times): (Vec<EventMark>, impl Iterator<Item = Vec<f64>>),
    ) -> Sensitivities {
        let parameters = &self.mechanism.model.parameters;
        Sensitivities {
            slopes: std::mem::take(&mut sampler.slopes),
            recording: sampler.into_recording(&events),
            side: None,
            sizes: self.parameter_sizes(),
            parameters: parameters.iter().map(|found| found.name.clone()).collect(),
            event_slopes: times.collect(),
        }
    }

    /// The same for each parameter and side, where those in common are refused with an error.
    fn sensitivities_by_sides(&self, started: &Started, refused: Error) -> Result<Vec<Sensitivities>> {
        let own = self.own_course()?;
        let mut undetermined = self.undetermined_at_start(started);
        let mut found = Vec::new();
        for parameter in 0..self.mechanism.model.parameters.len() {
            for (towards, sign) in [(Towards::Below, -1.0), (Towards::Above, 1.0)] {
                let direction = self.towards(parameter, sign);
                let mut sampler = Sampler::new(self, &direction);
                let (side, later) = match self.side(started, (&direction, sign), &own, &mut sampler) {
                    Err(error) if error.kind() != ErrorKind::Interrupted => continue,
                    found => found?,
                };
                undetermined.extend(later);
                let (events, times): (Vec<_>, Vec<_>) = side.events.into_iter().unzip();
                let mut sampled = self.sampled(sampler.keeper, (events, times.into_iter().map(|time| vec![time])));
                let slopes = sampled.slopes.iter_mut().flatten().flatten();
                slopes.for_each(|slope| *slope *= sign);
                sampled.side = Some(towards);
                sampled.sizes = vec![sampled.sizes[parameter]];
                sampled.parameters = vec![sampled.parameters.swap_remove(parameter)];
                found.push(sampled);
            }
        }
        found.retain(|sampled| undetermined.iter().all(|other| other.name != sampled.parameters[0]));
        match found.is_empty() {
            true => Err(refused),
            false => Ok(found),
        }
    }
}

/// The entries of a list by parameter without those of parameters that cannot change alone.
fn determined<T>(list: Vec<T>, undetermined: &[Undetermined]) -> Vec<T> {
    let known = |parameter: usize| undetermined.iter().all(|found| found.parameter != parameter);
    let entries = list.into_iter().enumerate();
    entries
        .filter(|(parameter, _)| known(*parameter))
        .map(|(_, entry)| entry)
        .collect()
}

/// Steps whose errors noise is: between steps a constraint is off by some of them.
const STEPS: f64 = 10.0;

/// Records every output and the energy.
#[derive(Debug)]
pub(super) struct Sampler<'a> {
    probe: Probe<'a>,
    recording: Recording,
    /// Relative tolerance of a step.
    rtol: f64,
    /// Derivatives at fixed times, g_x S + g_p, by output, direction and time.
    slopes: Vec<Vec<Vec<f64>>>,
}

impl<'a> Sampler<'a> {
    /// A sampler of a run along directions in the numbers.
    pub fn new(experiment: &'a Experiment, directions: &'a [Vec<f64>]) -> Grid<Self> {
        let probe = Probe::new(&experiment.mechanism, directions);
        let model = &experiment.mechanism.model;
        let series = |((name, output), unit): (&(String, Output), Option<&str>)| Series {
            name: name.clone(),
            expression: output.expression.text().to_string(),
            unit: unit.unwrap_or_default().to_string(),
            ..Series::default()
        };
        let course = |friction| FrictionCourse {
            name: model.rubbed_name(friction).to_string(),
            states: Vec::new(),
        };
        let sampler = Self {
            probe,
            recording: Recording {
                scene: experiment.name.clone(),
                outputs: model.outputs.iter().zip(model.output_units()).map(series).collect(),
                frictions: (0..model.frictions.len()).map(course).collect(),
                ..Recording::default()
            },
            rtol: experiment.options.tolerance.rtol(),
            slopes: vec![vec![Vec::new(); directions.len()]; model.outputs.len()],
        };
        Grid::new(experiment, experiment.samples, sampler)
    }

    /// The recording, with the events of the run.
    pub fn into_recording(self, events: &[EventMark]) -> Recording {
        let (mut recording, rtol) = (self.recording, self.rtol);
        for series in &mut recording.outputs {
            series.noise = STEPS * (series.noise + rtol * max_abs(&series.values));
        }
        let energy = &mut recording.energy;
        energy.noise = STEPS * (energy.noise + rtol * max_abs(&energy.kinetic).max(max_abs(&energy.potential)));
        recording.events = events.to_vec();
        recording
    }

    /// The absolute tolerances of what is recorded, about the start.
    fn measure(&mut self, at: At<Mode>) {
        let outputs = &self.probe.mechanism.model.outputs;
        for (series, (_, output)) in self.recording.outputs.iter_mut().zip(outputs) {
            series.noise = self.probe.atol_of(output, at);
        }
        self.recording.energy.noise = self.probe.atol_of(&alone(Quantity::Total), at);
    }
}

impl Keeper for Sampler<'_> {
    fn begin(&mut self, mode: &Mode) {
        self.recording.phases.push(self.recording.times.len());
        let model = &self.probe.mechanism.model;
        for (friction, course) in self.recording.frictions.iter_mut().enumerate() {
            course.states.push(model.friction_state(friction, mode));
        }
    }

    fn keep(&mut self, at: At<Mode>) -> Result<()> {
        if self.recording.times.is_empty() {
            self.measure(at);
        }
        let model = &self.probe.mechanism.model;
        let (outputs, motion) = self.probe.outputs(at)?;
        let (kinetic, potential) = model.energy(at.mode, &motion);
        let recording = &mut self.recording;
        for (series, value) in recording.outputs.iter_mut().zip(outputs) {
            series.values.push(value);
        }
        recording.energy.kinetic.push(kinetic);
        recording.energy.potential.push(potential);
        recording.times.push(at.t);
        self.probe.each_jvp(at, &[], |k, motion, _| {
            for ((_, output), slopes) in model.outputs.iter().zip(&mut self.slopes) {
                slopes[k].push(output.evaluate(model, at.mode, motion).eps);
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::run::{Changes, Experiment};
    use crate::scene::parse;

    #[test]
    fn noise_is_in_the_unit_of_what_is_recorded() {
        let text = r#"Scene(
            name: "", space: Planar, gravity: [0, -9.81],
            ground: { "O": [0, 0] },
            points: { "P": (at: [1, 0], mass: 1) },
            joints: { "rod": Link(from: "O", to: "P", length: 1) },
            outputs: { "x": "P.x", "small": "1e-9 * P.x", "length": "sqrt(P.x^2 + P.y^2)", "constant": "2" },
            simulation: (duration: 1),
        )"#;
        let experiment = Experiment::new(&parse("", text).unwrap(), &Changes::default()).unwrap();
        let recording = experiment.run(true, &mut |_| ()).unwrap().1.unwrap();
        let [x, small, length, constant] = &recording.outputs[..] else {
            panic!("four outputs")
        };
        // The relative tolerance, 1e-9, and a little for the absolute one.
        assert!((1.0e-8..1.1e-8).contains(&x.noise), "{}", x.noise);
        assert!((small.noise / x.noise / 1e-9 - 1.0).abs() < 1e-6);
        assert!((constant.noise / 2e-8 - 1.0).abs() < 1e-12);
        let range = |values: &[f64]| {
            let [low, high] = [f64::min, f64::max].map(|pick| values.iter().copied().reduce(pick).unwrap());
            high - low
        };
        assert!(
            range(&length.values) < length.noise,
            "{} {}",
            range(&length.values),
            length.noise
        );
        assert!(range(&small.values) > small.noise);
        let energy = &recording.energy;
        let total: Vec<f64> = energy
            .kinetic
            .iter()
            .zip(&energy.potential)
            .map(|(a, b)| a + b)
            .collect();
        assert!((5e-8..2e-7).contains(&energy.noise), "{}", energy.noise);
        assert!(range(&total) < energy.noise, "{} {}", range(&total), energy.noise);
    }
}
