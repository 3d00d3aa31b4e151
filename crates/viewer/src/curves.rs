//! Outputs or energy over time, with the time cursor.

use std::borrow::Cow;

use kiss3d::egui::{Align2, Color32, Painter, Pos2, Rect, Sense, Stroke, StrokeKind, Ui, vec2};

use super::playback::Playback;
use super::widgets::{BLUE, Chart, INK, note, range, short, small};
use crate::run::Recording;

/// Colours of curves.
const COLOURS: [Color32; 5] = [
    BLUE,
    Color32::from_rgb(0xd9, 0x82, 0x1f),
    Color32::from_rgb(0x4f, 0x9d, 0x8f),
    Color32::from_rgb(0xb8, 0x2f, 0x3a),
    Color32::from_rgb(0x6b, 0x5b, 0x95),
];
/// Charts side by side unless others are chosen, and at most.
const FEW: usize = 4;
const MOST: usize = 8;
/// Least width of a chart, in points.
const NARROWEST: f32 = 140.0;
/// Width of a value.
const VALUE: f32 = 40.0;

/// What the charts show.
#[derive(Clone, Debug, Default)]
pub(super) struct Plots {
    /// The energy instead of outputs.
    pub(super) energy: bool,
    /// Names of the outputs that were chosen; the first ones before.
    chosen: Option<Vec<String>>,
}

/// Values over time with their name and colour.
struct Curve<'a> {
    name: &'a str,
    values: Cow<'a, [f64]>,
    colour: Color32,
}

/// Curves over the same time and the same values.
type Curves<'a> = Vec<Curve<'a>>;

impl Plots {
    /// Shows an output, or no longer.
    pub(super) fn toggle(&mut self, index: usize, recording: &Recording) {
        let Some(series) = recording.outputs.get(index) else {
            return;
        };
        let mut names: Vec<String> = self.names(recording).iter().map(ToString::to_string).collect();
        let count = names.len();
        names.retain(|name| *name != series.name);
        if names.len() == count && count < MOST {
            names.push(series.name.clone());
        }
        self.chosen = Some(names);
        self.energy = false;
    }

    /// Names of the shown outputs.
    pub(super) fn names<'a>(&self, recording: &'a Recording) -> Vec<&'a str> {
        let outputs = recording.outputs.iter().map(|series| series.name.as_str());
        match &self.chosen {
            Some(chosen) => outputs
                .filter(|name| chosen.iter().any(|other| other == name))
                .collect(),
            None => outputs.take(FEW).collect(),
        }
    }
}

/// The chosen outputs side by side, as many as there is room for; the energy if there are none, or if it is asked for. Curves of
/// a motion that is kept are dashed.
pub(super) fn draw(
    ui: &mut Ui,
    plots: &Plots,
    (recording, kept): (&Recording, Option<&Recording>),
    playback: &Playback,
    height: f32,
) {
    let names = plots.names(recording);
    let energy = plots.energy || names.is_empty();
    // Potential energies count from one level.
    let least = |recording: &Recording| recording.energy.potential.iter().copied().fold(f64::INFINITY, f64::min);
    let level = kept.iter().map(|kept| least(kept)).fold(least(recording), f64::min);
    let curves = |recording| match energy {
        true => vec![energies(recording, level)],
        false => outputs(recording, &names),
    };
    let (charts, beside) = (curves(recording), kept.map(curves).unwrap_or_default());
    let (response, painter) = ui.allocate_painter(vec2(ui.available_width(), height), Sense::hover());
    let room = (response.rect.width() / NARROWEST).max(1.0) as usize;
    let width = response.rect.width() / charts.len().min(room) as f32;
    for (i, curves) in charts.iter().take(room).enumerate() {
        let corner = Pos2::new(response.rect.left() + i as f32 * width, response.rect.top());
        let rect = Rect::from_min_size(corner, vec2(width - 8.0, height - 4.0));
        painter.rect_stroke(rect, 2.0, Stroke::new(1.0, Color32::from_gray(200)), StrokeKind::Inside);
        let own = (recording, curves);
        let kept = kept.zip(beside.get(i));
        draw_curves(&painter, rect, own, kept, playback);
    }
}

fn energies(recording: &Recording, level: f64) -> Curves<'_> {
    let energy = &recording.energy;
    let potential: Vec<f64> = energy.potential.iter().map(|value| value - level).collect();
    let total: Vec<f64> = energy.kinetic.iter().zip(&potential).map(|(a, b)| a + b).collect();
    let curve = |name, values, colour| Curve { name, values, colour };
    vec![
        curve("kinetic energy", Cow::Borrowed(&energy.kinetic[..]), COLOURS[0]),
        curve("potential energy above its least", Cow::Owned(potential), COLOURS[1]),
        curve("sum", Cow::Owned(total), INK),
    ]
}

/// A chart for every output of these names, in the order of the names.
fn outputs<'a>(recording: &'a Recording, names: &[&'a str]) -> Vec<Curves<'a>> {
    let colours = COLOURS.into_iter().cycle();
    let chart = |(name, colour): (&&'a str, Color32)| {
        let series = recording.outputs.iter().find(|series| series.name == **name);
        let curve = series.map(|series| Curve {
            name,
            values: Cow::Borrowed(series.values.as_slice()),
            colour,
        });
        curve.into_iter().collect()
    };
    names.iter().zip(colours).map(chart).collect()
}

fn draw_curves(
    painter: &Painter,
    rect: Rect,
    (recording, curves): (&Recording, &Curves),
    kept: Option<(&Recording, &Curves)>,
    playback: &Playback,
) {
    let t = playback.t();
    let kept_curves = kept.iter().flat_map(|(_, curves)| curves.iter());
    let values = curves
        .iter()
        .chain(kept_curves)
        .flat_map(|curve| curve.values.iter().copied());
    let Some((low, high)) = range(values) else { return };
    let chart = Chart {
        painter,
        rect: rect.shrink2(vec2(2.0, 16.0)),
        across: playback.span(),
        up: (low, if high > low { high } else { low + 1.0 }),
    };
    let now = recording.times.partition_point(|time| *time <= t).saturating_sub(1);
    let cursor = chart.place(t, low).x;
    let height = rect.top() + 14.0..=rect.bottom();
    painter.vline(cursor, height, Stroke::new(1.0, Color32::from_gray(120)));
    if let Some((recording, curves)) = kept {
        for curve in curves {
            segments(recording, curve, &chart, |points| chart.dashed(points, curve.colour));
        }
    }
    let mut left = rect.left() + 4.0;
    for curve in curves {
        segments(recording, curve, &chart, |points| chart.curve(points, curve.colour));
        let value = curve.values.get(now).copied().unwrap_or(f64::NAN);
        painter.circle_filled(chart.place(t, value), 3.0, curve.colour);
        let ink = if curves.len() > 1 { curve.colour } else { INK };
        let text = format!("{} = {}", curve.name, short(value));
        let drawn = painter.text(Pos2::new(left, rect.top() + 1.0), Align2::LEFT_TOP, text, small(), ink);
        left = drawn.right() + 16.0;
    }
    // In a narrow chart the names reach as far as the greatest value would.
    let line = if left > rect.right() - VALUE { 13.0 } else { 1.0 };
    note(painter, rect, Align2::RIGHT_TOP, [4.0, line], &short(high));
    note(painter, rect, Align2::RIGHT_BOTTOM, [4.0, 1.0], &short(low));
}

/// The parts of a curve between jumps, as far as the chart reaches.
fn segments(recording: &Recording, curve: &Curve, chart: &Chart, draw: impl Fn(&mut dyn Iterator<Item = (f64, f64)>)) {
    for phase in recording.phase_ranges() {
        let points = phase.filter_map(|k| Some((*recording.times.get(k)?, *curve.values.get(k)?)));
        draw(&mut points.filter(|(t, _)| *t <= chart.across.1));
    }
}
