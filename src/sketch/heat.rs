//! Colours by the derivatives of an objective, and what they mean.

use super::legend::broken;
use super::pencil::{LETTER, NAMES, Pencil, Rank};
use crate::appearance::{Axial, Item, Line, Material, Rgb, Shape};
use crate::run::DesignGradient;
use crate::show::{HeatScale, diverging, heat, heat_scales};

/// Colour of what has no derivative to show.
const GREY: Rgb = [0xd4; 3];
/// Steps of the scale, its width and height, its distance from the edges, and that of lines over their height, in millimetres.
const STEPS: usize = 48;
const WIDTH: f64 = 40.0;
const HEIGHT: f64 = 2.4;
const EDGE: f64 = 2.0;
const LEADING: f64 = 1.3;

/// Gives items the colours of a gradient; joints, arrows and centres of mass keep their own.
pub(super) fn colour(items: &mut [Item], gradient: &DesignGradient) {
    for item in items {
        let material = match &item.shape {
            Shape::Line(Line::Damper, _) => Material::Damper,
            Shape::Line(Line::Spring, _) | Shape::Spiral(_) | Shape::Axial(Axial::Spring(_), ..) => Material::Spring,
            Shape::Line(..) => Material::Rail,
            Shape::Plate(..) | Shape::Mass(..) | Shape::Solid(_) => Material::Mass,
            Shape::Surface(..) | Shape::Edge(..) | Shape::Circle(..) | Shape::Spoke(..) | Shape::Axial(..) => {
                Material::Surface
            }
            Shape::Joint(..) | Shape::Hinge(..) | Shape::Arrow(..) | Shape::Rail { .. } => continue,
        };
        let shown = heat(gradient, item, material);
        let is_surface = material == Material::Surface;
        item.colour = shown.unwrap_or(GREY);
        item.given = shown.or_else(|| (!is_surface).then_some(GREY));
    }
}

/// Draws the scale of colours below a page that is so high; returns the height that it takes.
pub(super) fn draw_scale(pencil: &mut Pencil, gradient: &DesignGradient, top: f64) -> f64 {
    let (left, step, room) = (EDGE, LEADING * NAMES, pencil.frame.size[0] - 2.0 * EDGE);
    let width = WIDTH.min(room);
    let mut base = top + NAMES - step;
    let write = |pencil: &mut Pencil, words: &str, base: &mut f64| {
        for line in broken(words, (room / (LETTER * NAMES)) as usize) {
            *base += step;
            pencil.write(&line, [left, *base]);
        }
    };
    write(pencil, &format!("change of {}", gradient.objective), &mut base);
    let bar = base + 0.3 * NAMES;
    for k in 0..STEPS {
        // Each reaches under those after it: gaps between neighbours would be seen.
        let [from, to] = [k, STEPS].map(|k| left + width * k as f64 / STEPS as f64);
        let value = 2.0 * (k as f64 + 0.5) / STEPS as f64 - 1.0;
        let corners = vec![[from, bar], [to, bar], [to, bar + HEIGHT], [from, bar + HEIGHT]];
        pencil.filled(Rank::Label, corners, diverging(value));
    }
    base = bar + HEIGHT;
    for HeatScale { numbers, words } in heat_scales(gradient) {
        if let Some(numbers) = numbers {
            base += step;
            for (part, number) in [0.0, 0.5, 1.0].into_iter().zip(numbers) {
                let own = LETTER * NAMES * number.chars().count() as f64;
                pencil.write(&number, [left + part * (width - own), base]);
            }
        }
        write(pencil, &words, &mut base);
    }
    base + EDGE - top
}
