//! The motion as a page for browsers.

mod curves;
mod heat;
mod sliders;
mod solids;

use std::sync::Arc;

use super::Motion;
use crate::appearance::{Mesh, Rgb, Scale, Unit, Vector, blocks};
use crate::error::{Error, ErrorKind, Result};
use crate::output::page::{Courses, FORMAT, Page, PageBlock, PageEvent, PageMesh, PageObjective, VERSION};
use crate::run::{EventMark, Method};
use crate::show::Show;
use solids::{Solid, solids};

/// What counts as motion, over the size of the mechanism: less than 16 bits tell apart.
const STILL: f64 = 1e-7;

fn still(scale: &Scale) -> f64 {
    STILL * scale.extent()
}

/// Most that a part turns from one state to the next (rad).
pub(super) fn turn(show: &Show) -> f64 {
    let (start, end) = show.film.span();
    let drawn = drawn(&Motion::new(show, start, end));
    drawn.iter().map(Solid::turn).fold(0.0, f64::max)
}

/// What is drawn of a motion.
fn drawn(motion: &Motion) -> Vec<Solid> {
    solids(motion.frames.iter().map(|frame| {
        let items = motion.show.items_in(frame);
        let drawn = blocks(&items, &motion.show.scale);
        (items, drawn)
    }))
}

/// What a page lacks: what that is called, and why.
type Missing = (&'static str, Error);

impl Motion<'_> {
    /// The page, which plays this many simulated seconds per second, or as it chooses: with outputs, events, gradients by
    /// the adjoint, and the motion predicted for other values of the parameters. Where there are no derivatives the page says why.
    ///
    /// # Errors
    /// Kind `Interrupted` where derivatives are; else as [`Page::html`].
    pub fn page(&self, speed: Option<f64>) -> Result<String> {
        let (page, missing) = self.parts(speed, true);
        let ended = missing.into_iter().find(|(_, error)| is_end(error));
        ended.map_or_else(|| page.html(), |(_, error)| Err(error))
    }

    /// What the page is made of, without the gradients of the objectives unless they are wanted; and which of the derivatives failed
    /// as a whole. Each place of the page that lacks some says why, too.
    pub fn parts(&self, speed: Option<f64>, gradients: bool) -> (Page, Vec<(&'static str, Error)>) {
        let drawn = drawn(self);
        let mut page = self.simulated(&drawn);
        page.speed = speed;
        let mut missing = Vec::new();
        page.parameters = self.sliders(&drawn, &page.events, &mut missing);
        if gradients {
            page.objectives = Some(self.objectives(&mut missing));
            page.heat = self.heat(&drawn, &mut missing);
        }
        (page, missing)
    }

    /// The page without derivatives.
    fn simulated(&self, drawn: &[Solid]) -> Page {
        let show = self.show;
        let meshes: Vec<(Unit, Arc<Mesh>)> = show.appearance.meshes().collect();
        let used: Vec<Unit> = meshes.iter().map(|(unit, _)| *unit).collect();
        let used: Vec<Unit> = used
            .into_iter()
            .filter(|unit| drawn.iter().any(|solid| solid.block.unit == *unit))
            .collect();
        let mesh = |unit: &Unit| meshes.iter().find(|(known, _)| known == unit);
        let mut courses = Courses::default();
        let blocks = drawn
            .iter()
            .map(|solid| self.block(solid, &used, &mut courses))
            .collect();
        Page {
            format: FORMAT,
            name: show.experiment.name.clone(),
            version: VERSION.to_string(),
            planar: show.is_planar(),
            up: if show.is_planar() {
                Vector::y()
            } else {
                show.up().normalize()
            }
            .into(),
            bounds: show.scale.bounds.map(Into::into),
            times: self.times().collect(),
            meshes: used.iter().filter_map(mesh).map(|(_, mesh)| packed(mesh)).collect(),
            blocks,
            tracks: courses.packed(),
            events: self.events(),
            outputs: self.outputs(),
            source: show.experiment.source().to_string(),
            ..Page::default()
        }
    }

    fn block(&self, solid: &Solid, used: &[Unit], courses: &mut Courses) -> PageBlock {
        let still = still(&self.show.scale);
        let tracks = (0..12).filter_map(|entry| courses.add(entry, &solid.course(entry), still));
        PageBlock {
            name: solid.owner.name(self.show.model()).to_string(),
            material: solid.block.material.name(),
            colour: written(solid.block.colour),
            mesh: used.iter().position(|unit| *unit == solid.block.unit).unwrap_or(0),
            matrix: solid.matrices[0].map(|x| x as f32),
            tracks: tracks.collect(),
            hidden: solid.hidden(),
        }
    }

    fn span(&self) -> (f64, f64) {
        let ends = self.frames.first().zip(self.frames.last());
        ends.map_or((0.0, 0.0), |(first, last)| (first.t, last.t))
    }

    fn events(&self) -> Vec<PageEvent> {
        let (from, to) = self.span();
        let event = |mark: &EventMark| PageEvent {
            t: mark.t,
            kind: mark.kind.clone(),
            name: mark.name.clone(),
            text: match mark.outcome {
                Some(outcome) => format!("{} of {}, which ends in {outcome}", mark.kind, mark.name),
                None => format!("{} of {}", mark.kind, mark.name),
            },
        };
        let marks = self.show.report.events.iter();
        marks.filter(|mark| from <= mark.t && mark.t <= to).map(event).collect()
    }

    /// Values and gradients of the objectives.
    fn objectives(&self, missing: &mut Vec<Missing>) -> Vec<PageObjective> {
        let show = self.show;
        let values = &show.report.objectives;
        let without = |reason: Option<String>| {
            let objective = |(name, value): &(String, f64)| PageObjective {
                name: name.clone(),
                value: *value,
                gradient: None,
                reasons: Vec::new(),
                reason: reason.clone(),
            };
            values.iter().map(objective).collect()
        };
        if values.is_empty() || show.model().parameters.is_empty() {
            return without(None);
        }
        let report = match show.experiment.gradient_or_sides(Method::Adjoint) {
            Ok(report) => report,
            Err(error) => {
                let found = without(Some(error.message().to_string()));
                missing.push(("Gradients", error));
                return found;
            }
        };
        let objective = |(k, (name, value)): (usize, &(String, f64))| {
            let found = report.objectives.get(k);
            let slopes = found.map_or(&[][..], |found| &found.gradient);
            PageObjective {
                name: name.clone(),
                value: *value,
                gradient: Some(slopes.iter().map(|slope| slope.is_finite().then_some(*slope)).collect()),
                reasons: (0..slopes.len()).map(|p| report.no_derivative(k, p)).collect(),
                reason: None,
            }
        };
        values.iter().enumerate().map(objective).collect()
    }
}

/// Whether the user or a limit ended the work.
fn is_end(error: &Error) -> bool {
    error.kind() == ErrorKind::Interrupted
}

fn written([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn packed(mesh: &Arc<Mesh>) -> PageMesh {
    let single = |vectors: &[Vector]| -> Vec<[f32; 3]> { vectors.iter().map(|v| v.map(|x| x as f32).into()).collect() };
    PageMesh::new(&single(&mesh.positions), &single(&mesh.normals), &mesh.faces)
}
