//! The figures of sensitivities: an output and, below it, the effects of the parameters on it.

use super::figures::{curve, figure};
use super::{Figure, Panel, plain};
use crate::linear::max_abs;
use crate::run::{Sensitivities, labelled};

/// Curves in one panel: as many as there are line styles.
const CURVES: usize = 6;

/// Parameters shown, those with the largest effects.
const MOST: usize = 12;

/// File stem and figure of each output.
pub(in crate::output) fn sensitivity_figures(sensitivities: &Sensitivities) -> Vec<(String, Figure)> {
    (0..sensitivities.recording.outputs.len())
        .map(|output| {
            let name = &sensitivities.recording.outputs[output].name;
            let stem = format!("sensitivity-{}-{}", output + 1, plain(name));
            (stem, of_output(sensitivities, output))
        })
        .collect()
}

fn of_output(sensitivities: &Sensitivities, output: usize) -> Figure {
    let recording = &sensitivities.recording;
    let series = &recording.outputs[output];
    let slopes = &sensitivities.slopes[output];
    let effect = |p: usize| max_abs(&slopes[p]) * sensitivities.sizes[p];
    let mut order: Vec<usize> = (0..slopes.len()).filter(|&p| effect(p) > 0.0).collect();
    order.sort_by(|&a, &b| effect(b).total_cmp(&effect(a)));
    let count = order.len();
    order.truncate(MOST);
    let values = curve(recording, &series.name, |k| series.values.get(k).copied());
    let mut panels = vec![Panel::new(series.label(), vec![values])];
    panels.extend(order.chunks(CURVES).map(|chunk| {
        let effect = |&p: &usize| {
            let scaled = |k: usize| Some(slopes[p].get(k)? * sensitivities.sizes[p]);
            curve(recording, &sensitivities.parameters[p], scaled)
        };
        Panel::new(
            labelled(&format!("d {} / d p × size", series.name), &series.unit),
            chunk.iter().map(effect).collect(),
        )
    }));
    let what = match count > MOST {
        true => format!("{} and the {MOST} largest of {count} sensitivities", series.name),
        false => format!("{} and its sensitivities", series.name),
    };
    figure(recording, &what, panels)
}
