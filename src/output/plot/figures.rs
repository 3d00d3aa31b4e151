//! The figures of a recording.

use super::bands::bands;
use super::{Curve, Figure, Mark, Panel};
use crate::run::{Recording, Series};

/// Outputs on one page.
const PANELS_PER_PAGE: usize = 6;

/// File stem and figure: the outputs on as many pages as needed, then the energy.
pub fn figures(recording: &Recording) -> Vec<(String, Figure)> {
    let mut figures = pages(recording, |_, series| {
        vec![curve(recording, &series.name, |k| series.values.get(k).copied())]
    });
    figures.push((
        "energy".to_string(),
        figure(recording, "energy", vec![energy(recording)]),
    ));
    let given = given(recording).map(|panel| figure(recording, "balance of energy", vec![panel]));
    figures.extend(given.map(|figure| ("energy_balance".to_string(), figure)));
    figures
}

/// File stem and figure: the outputs of several motions of one scene, each with its name, on as many pages as needed; events
/// and bands are not drawn, for each motion has its own.
pub fn comparison(motions: &[(&str, &Recording)]) -> Vec<(String, Figure)> {
    let Some((_, first)) = motions.first() else {
        return Vec::new();
    };
    let mut figures = pages(first, |_, shown| {
        let curves = motions.iter().filter_map(|(name, recording)| {
            let series = recording.outputs.iter().find(|series| series.name == shown.name)?;
            Some(curve(recording, name, |k| series.values.get(k).copied()))
        });
        curves.collect()
    });
    for (_, figure) in &mut figures {
        figure.marks.clear();
        figure.bands.clear();
    }
    figures
}

/// File stem and figure: a panel for each output of a recording, with curves by the index of the output.
fn pages(recording: &Recording, curves: impl Fn(usize, &Series) -> Vec<Curve>) -> Vec<(String, Figure)> {
    let panel = |(index, series): (usize, &Series)| Panel {
        noise: series.noise,
        ..Panel::new(series.label(), curves(index, series))
    };
    let panels = recording.outputs.iter().enumerate().map(panel).collect();
    let mut pages = figure(recording, "outputs", panels).pages("outputs", PANELS_PER_PAGE);
    let count = pages.len();
    for (k, (_, figure)) in pages.iter_mut().enumerate().filter(|_| count > 1) {
        figure.title += &format!(" ({} of {count})", k + 1);
    }
    pages
}

/// A figure over time with the events marked.
pub(super) fn figure(recording: &Recording, what: &str, panels: Vec<Panel>) -> Figure {
    let marks = recording.events.iter().map(|event| Mark {
        x: event.t,
        label: format!("{} ({})", event.name, event.kind),
    });
    Figure {
        marks: marks.collect(),
        bands: bands(recording),
        ..Figure::new(format!("{}: {what}", recording.scene), "time (s)", panels)
    }
}

fn energy(recording: &Recording) -> Panel {
    let lifted = recording.energy.lifted();
    let kinetic = |k: usize| recording.energy.kinetic.get(k).copied();
    let potential = |k: usize| lifted.get(k).copied();
    let total = |k: usize| Some(kinetic(k)? + potential(k)?);
    let curves = vec![
        curve(recording, "kinetic", kinetic),
        curve(recording, "potential", potential),
        curve(recording, "total", total),
    ];
    Panel {
        noise: recording.energy.noise,
        ..Panel::new("energy (J)", curves)
    }
}

/// What is stored since the start, and what gives and takes it; none where nothing does.
fn given(recording: &Recording) -> Option<Panel> {
    let shares = recording.energy.balance();
    let curves = shares
        .iter()
        .map(|(name, values)| curve(recording, name, |k| values.get(k).copied()));
    let panel = Panel {
        noise: recording.energy.noise,
        ..Panel::new("energy since the start (J)", curves.collect())
    };
    Some(panel).filter(|panel| !panel.curves.is_empty())
}

/// One segment per phase, so that a jump shows as a jump.
pub(super) fn curve(recording: &Recording, name: &str, value: impl Fn(usize) -> Option<f64>) -> Curve {
    let point = |k: usize| Some((*recording.times.get(k)?, value(k)?));
    let segments = recording.phase_ranges().map(|range| range.filter_map(point).collect());
    Curve::new(name, segments.collect())
}
