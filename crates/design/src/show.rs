//! A simulated scene ready to be shown: its motion, its appearance and the sizes that suit it.

mod arrows;
mod comparison;
mod directions;
mod ghost;
mod heat;
mod inspection;
mod names;
mod trusted;

pub use arrows::{Arrows, Legend};
pub use comparison::{Comparison, Other};
pub use directions::{FIELD, FILL};
pub use ghost::Ghost;
pub use heat::{
    DIVERGING, HeatScale, diverging, has_length, heat, heat_scales, largest_slope, length_slope, property_slope,
};
pub use inspection::{Inspection, Reading};
pub use names::Room;
pub use trusted::TRUSTED;

pub use crate::model::FrictionState;
pub use crate::model::quantity::VectorKind;

use crate::appearance::{Appearance, Block, FrictionMark, Item, Moving, Placement, Pose, Scale, Vector, blocks};
use crate::error::Result;
use crate::model::body::BodyKind;
use crate::model::{Model, Parameter};
use crate::run::Recording;
use crate::run::{Experiment, Film, Frame, Report};

/// States kept of a second of motion, and at most; a fraction of them decides what a picture must hold.
const PER_SECOND: f64 = 120.0;
const MOST_INTERVALS: f64 = 20_000.0;
const FEWEST_INTERVALS: f64 = 400.0;
const SCALE_FRAMES: usize = 200;

/// How long a motion should take to be watched, in seconds: at least, at most, and where that takes another speed than the true one.
const WATCHED: (f64, f64) = (3.0, 10.0);
const COMFORTABLE: f64 = 5.5;

/// Simulated seconds per second at which a motion of this duration is watched for 3 to 10 s: 1 where that does, otherwise 1, 2 or 5
/// times a power of ten.
pub fn usual_speed(duration: f64) -> f64 {
    if duration <= 0.0 || (WATCHED.0..=WATCHED.1).contains(&duration) {
        return 1.0;
    }
    let power = (duration / COMFORTABLE).log10().floor() as i32;
    // Read as a decimal, so that it is the number that is shown.
    let speeds = [(1, power), (2, power), (5, power), (1, power + 1)];
    let speeds = speeds.map(|(digit, power)| format!("{digit}e{power}").parse().unwrap_or(1.0));
    let miss = |speed: f64| (duration / speed / COMFORTABLE).ln().abs();
    speeds
        .into_iter()
        .min_by(|a, b| miss(*a).total_cmp(&miss(*b)))
        .unwrap_or(1.0)
}

/// A motion with what is drawn of it.
#[derive(Clone, Debug)]
pub struct Show {
    /// The scene.
    pub experiment: Experiment,
    /// Events, outputs and objectives.
    pub report: Report,
    /// Outputs and energy over time.
    pub recording: Recording,
    /// Its motion.
    pub film: Film,
    /// Sizes, and what a picture must hold at all times.
    pub scale: Scale,
    /// What is drawn of it.
    pub appearance: Appearance,
}

impl Show {
    /// Simulates an experiment; `progress` is told the simulated time after each step.
    ///
    /// # Errors
    /// As [`Experiment::run`].
    pub fn new(experiment: Experiment, progress: &mut dyn FnMut(f64)) -> Result<Self> {
        let duration = experiment.options.end - experiment.start;
        let intervals = (PER_SECOND * duration).clamp(FEWEST_INTERVALS, MOST_INTERVALS) as u32;
        Self::with_intervals(experiment, intervals, progress)
    }

    /// As [`Show::new`], with states at this number of equidistant times after the start.
    ///
    /// # Errors
    /// As [`Experiment::run`].
    pub fn with_intervals(experiment: Experiment, intervals: u32, progress: &mut dyn FnMut(f64)) -> Result<Self> {
        let (report, recording, film) = experiment.film(intervals, progress)?;
        let model = &experiment.mechanism.model;
        let mut show = Self {
            appearance: Appearance::new(model, &experiment.view),
            scale: Scale::new(model.dimension, std::iter::empty()),
            experiment,
            report,
            recording,
            film,
        };
        show.rescale();
        Ok(show)
    }

    /// Takes the sizes that suit this motion, instead of those of another that it was shown beside.
    pub fn rescale(&mut self) {
        let shown: Vec<Vec<Item>> = self.samples(SCALE_FRAMES).map(|frame| self.items_in(&frame)).collect();
        self.scale = Scale::new(self.model().dimension, shown.iter().map(Vec::as_slice));
    }

    /// Frames at equal distances in time, of this many intervals.
    fn samples(&self, intervals: usize) -> impl Iterator<Item = Frame<'_>> {
        let (start, end) = self.film.span();
        (0..=intervals).filter_map(move |i| self.film.frame(start + (end - start) * i as f64 / intervals as f64))
    }

    /// Simulated seconds per second that suit the motion: [`usual_speed`] of its duration.
    pub fn usual_speed(&self) -> f64 {
        usual_speed(self.experiment.options.end - self.experiment.start)
    }

    /// The moments of so many pictures per second of a motion that is shown so many times as fast as it is, its start and its end
    /// included.
    pub fn picture_times(&self, (fps, speed): (f64, f64)) -> Vec<f64> {
        let (start, end) = (self.experiment.start, self.experiment.options.end);
        let step = speed / fps;
        let count = ((end - start) / step).floor() as usize;
        let inner = (0..=count).map(|i| start + i as f64 * step);
        let rest = (start + count as f64 * step < end - 0.5 * step).then_some(end);
        inner.chain(rest).collect()
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.experiment.mechanism.model
    }

    /// The shapes at a time, after whatever happens at it.
    pub fn items(&self, t: f64) -> Vec<Item> {
        let frame = self.film.frame(t);
        frame.map_or_else(Vec::new, |frame| self.items_in(&frame))
    }

    /// The shapes in a state.
    pub fn items_in(&self, frame: &Frame) -> Vec<Item> {
        self.with_pose(frame, |pose| self.appearance.items(pose))
    }

    /// Whether a contact or joint has dry friction.
    pub fn has_friction(&self) -> bool {
        !self.model().frictions.is_empty()
    }

    /// What the dry friction does at a time, after whatever happens at it.
    pub fn friction_marks(&self, t: f64) -> Vec<FrictionMark> {
        let marks = |frame: Frame| self.with_pose(&frame, |pose| self.appearance.friction_marks(self.model(), pose));
        self.film.frame(t).map_or_else(Vec::new, marks)
    }

    /// Where bodies or points are in a state; `before` is where they were, or empty.
    pub fn placements(&self, moving: &[Moving], frame: &Frame, before: &[Placement]) -> Vec<Placement> {
        self.with_pose(frame, |pose| {
            let placed = moving.iter().enumerate();
            placed
                .map(|(i, moving)| moving.placement(pose, before.get(i)))
                .collect()
        })
    }

    /// The frames of the ground and of all rigid bodies at a time.
    pub fn frames(&self, t: f64) -> Vec<Placement> {
        let Some(frame) = self.film.frame(t) else {
            return Vec::new();
        };
        let mut moving = Moving::all(self.model());
        moving.retain(|moving| moving.kind() == "rigid");
        let mut placements = self.placements(&moving, &frame, &[]);
        placements.push(Placement::ground());
        placements
    }

    fn with_pose<R>(&self, frame: &Frame, look: impl FnOnce(&Pose) -> R) -> R {
        let mechanism = &self.experiment.mechanism;
        look(&Pose {
            dimension: mechanism.model.dimension,
            t: frame.t,
            q: &frame.x[mechanism.positions()],
            numbers: &frame.numbers(mechanism),
            mode: frame.mode,
        })
    }

    /// The blocks at a time with the shapes that they are part of.
    pub fn blocks(&self, t: f64) -> (Vec<Item>, Vec<Block>) {
        let items = self.items(t);
        let blocks = blocks(&items, &self.scale);
        (items, blocks)
    }

    /// The paths that the scene asks for; without, of every point that something is attached to.
    pub fn paths(&self) -> Vec<Vec<Vector>> {
        let mut paths: Vec<Vec<Vector>> = Vec::new();
        for frame in self.film.frames() {
            let places = self.with_pose(&frame, |pose| self.appearance.traced(pose));
            paths.resize(places.len(), Vec::new());
            paths.iter_mut().zip(places).for_each(|(path, place)| path.push(place));
        }
        paths
    }

    /// Ends of the sliders of the parameters: their bounds, or half to one and a half times their value.
    pub fn ranges(&self) -> Vec<(f64, f64)> {
        let ends = |parameter: &Parameter| match (parameter.bounds, parameter.value) {
            (Some(bounds), _) => bounds,
            (None, 0.0) => (-1.0, 1.0),
            (None, value) => (value - 0.5 * value.abs(), value + 0.5 * value.abs()),
        };
        self.model().parameters.iter().map(ends).collect()
    }

    /// Whether the mechanism moves in a plane.
    pub fn is_planar(&self) -> bool {
        self.model().dimension == 2
    }

    /// The direction opposite to gravity, upwards in the picture of a spatial mechanism; z without gravity.
    pub fn up(&self) -> Vector {
        let model = self.model();
        let gravity = model.bodies.first().map(|body| {
            let place = match &body.kind {
                BodyKind::Particle(particle) => particle.gravity,
                BodyKind::Bar(bar) => bar.gravity,
                BodyKind::Rigid(rigid) => rigid.gravity,
                BodyKind::Solid(solid) => solid.gravity,
            };
            let number = |k: usize| model.numbers[body.local.numbers[place[k]]].value;
            Vector::from_fn(|k, _| if k < model.dimension { -number(k) } else { 0.0 })
        });
        let is_given = |up: &Vector| up.iter().any(|x| *x != 0.0);
        gravity.filter(is_given).unwrap_or_else(Vector::z).normalize()
    }
}
