//! Which parameters an objective depends on most: its change over the slider of each, as bars beside the derivatives.

use kiss3d::egui::{Rect, Response, Stroke, Ui};

use super::state::Viewer;
use super::widgets::{BLUE, INK, WARNING};
use crate::run::DesignGradient;
use crate::scalar::short;

/// Width of the longest bar, in points.
const WIDTH: f32 = 45.0;

/// The derivative by each parameter times the length of its slider; none where it is unknown.
fn changes<'a>(
    gradient: &DesignGradient,
    names: impl Iterator<Item = &'a str>,
    ranges: &[(f64, f64)],
) -> Vec<Option<f64>> {
    let known = gradient.parameters.iter().zip(names).zip(ranges);
    known
        .map(|(((name, slope), own), (low, high))| slope.filter(|_| name == own).map(|slope| slope * (high - low)))
        .collect()
}

/// The same for what the window shows; empty without a gradient.
pub(super) fn shown(viewer: &Viewer) -> Vec<Option<f64>> {
    let names = viewer
        .show
        .model()
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str());
    let found = viewer.gradient.found.as_ref();
    found.map_or_else(Vec::new, |gradient| changes(gradient, names, &viewer.ranges))
}

/// Draws the bar of a parameter at the right end of a line: to the right where the parameter makes the objective greater, to the left
/// where it makes it less, the longest for what matters most.
pub(super) fn draw(ui: &Ui, line: Response, changes: &[Option<f64>], parameter: usize) {
    let Some(change) = changes.get(parameter).copied().flatten() else {
        return;
    };
    let largest = changes
        .iter()
        .flatten()
        .fold(f64::MIN_POSITIVE, |most, change| most.max(change.abs()));
    let (middle, tip) = (ui.max_rect().right() - WIDTH, WIDTH * (change / largest) as f32);
    let down = line.rect.y_range().shrink(1.5);
    let across = middle.min(middle + tip)..=middle.max(middle + tip);
    let colour = if change > 0.0 { WARNING } else { BLUE };
    ui.painter()
        .rect_filled(Rect::from_x_y_ranges(across, down), 1.0, colour);
    ui.painter().vline(middle, line.rect.y_range(), Stroke::new(1.0, INK));
    line.on_hover_text(format!("times the length of the slider: {}", short(change)));
}

#[cfg(test)]
mod tests {
    use super::changes;
    use crate::run::DesignGradient;

    #[test]
    fn bars_are_derivatives_times_the_lengths_of_sliders() {
        let parameters = [
            ("stiff", Some(0.01)),
            ("long", Some(-3.0)),
            ("free", None),
            ("old", Some(1.0)),
        ];
        let gradient = DesignGradient {
            objective: "y".to_string(),
            value: 1.0,
            parameters: parameters.map(|(name, slope)| (name.to_string(), slope)).to_vec(),
            bars: Vec::new(),
            properties: Vec::new(),
        };
        let ranges = [(100.0, 300.0), (1.0, 1.5), (0.0, 1.0), (0.0, 1.0)];
        let found = changes(&gradient, ["stiff", "long", "free", "new"].into_iter(), &ranges);
        assert_eq!(found, [Some(2.0), Some(-1.5), None, None]);
    }
}
