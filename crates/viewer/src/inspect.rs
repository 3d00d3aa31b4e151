//! A part of the mechanism that was clicked, and the panel with its values.

use kiss3d::egui::{Align2, Context, Grid, RichText, ScrollArea, Ui};
use kiss3d::prelude::Vec2;

use super::camera::Sight;
use super::heat;
use super::widgets;
use crate::appearance::{Owner, Vector, pick};
use crate::run::DesignGradient;
use crate::scalar::short;
use crate::show::{Inspection, Reading, Show, length_slope, property_slope};

/// Farthest that the pointer moves in a click, in pixels; also how near to a part a click may miss it.
const NEAR: f32 = 5.0;
/// Space that the panel takes: from the left and the upper edge, and its width.
const CORNER: [f32; 2] = [10.0, 210.0];
const WIDTH: f32 = 250.0;
/// Height of its title and its edges.
const HEAD: f32 = 50.0;

/// What was clicked.
#[derive(Default)]
pub(super) struct Inspector {
    selected: Option<(Owner, String)>,
    pub(super) pointer: Pointer,
    /// What is said about it now.
    shown: Option<Result<Inspection, String>>,
}

/// The mouse over the mechanism; places in pixels.
#[derive(Default)]
pub(super) struct Pointer {
    /// Where it was seen last.
    pub(super) at: Vec2,
    /// Whether a button went down beside the panels, and whether it did before the latest frame.
    pub(super) holds_view: bool,
    pub(super) moves_view: bool,
    /// Where the button went down.
    pressed: Option<Vec2>,
    /// Where a part was taken that is drawn along.
    pub(super) grabbed: Option<Vec2>,
    /// Whether anything has come from mouse, keys or display since it was looked.
    pub(super) is_stirred: bool,
    /// Whether the hand holds what is there.
    pub(super) pulls: bool,
    /// Where the button came up, if it went down there too.
    pub(super) clicked: Option<Vec2>,
}

/// A place that is held: the index of its item, the owner of that, and which of its places.
pub(super) type Held = (usize, Owner, usize);

/// What the mouse holds.
pub(super) struct Grab {
    /// Where it was taken, in pixels.
    pub(super) from: Vec2,
    /// What is held, unless nothing is there.
    pub(super) held: Option<Held>,
    /// What follows the mouse, once it is known.
    pub(super) along: Option<Along>,
}

/// The hand that draws on a part, as long as the mouse is pressed.
#[derive(Clone, Copy)]
pub(super) enum Hand {
    /// Nothing that moves was there.
    Empty,
    /// It took hold at this place.
    Holds(Vector),
}

/// A parameter that moves the place.
#[derive(Clone, Copy)]
pub(super) struct Along {
    pub(super) parameter: usize,
    /// Its value at the start.
    pub(super) value: f64,
    /// Pixels over a change of the parameter by one.
    pub(super) slope: Vec2,
}

impl Pointer {
    pub(super) fn press(&mut self) {
        self.pressed = Some(self.at);
    }

    pub(super) fn release(&mut self) {
        let pressed = self.pressed.take();
        self.clicked = pressed
            .filter(|pressed| (self.at - pressed).length() < NEAR)
            .map(|_| self.at);
    }
}

impl Inspector {
    /// The part that is highlighted.
    pub(super) fn owner(&self) -> Option<Owner> {
        self.selected.as_ref().map(|(owner, _)| *owner)
    }

    /// The name of the part.
    pub(super) fn name(&self) -> Option<&str> {
        self.selected.as_ref().map(|(_, name)| name.as_str())
    }

    pub(super) fn select(&mut self, owner: Option<Owner>, show: &Show) {
        self.selected = owner.map(|owner| (owner, owner.name(show.model()).to_string()));
        self.shown = None;
    }

    /// Another motion is shown: the part with the same name stays selected.
    pub(super) fn move_to(&mut self, show: &Show) {
        let Some((_, name)) = self.selected.take() else { return };
        let items = show.items(show.experiment.start);
        let same = items.iter().find(|item| item.owner.name(show.model()) == name);
        self.selected = same.map(|item| (item.owner, name));
    }

    /// Reads the values of the part at a time.
    pub(super) fn update(&mut self, show: &Show, t: f64) {
        let Some((owner, _)) = self.selected else {
            self.shown = None;
            return;
        };
        let inspected = show.inspect(owner, t);
        self.shown = inspected.map_err(|error| error.message().to_string()).transpose();
    }
}

/// What lies under a pixel of a picture of this size at a time, or very near to it.
pub(super) fn under(show: &Show, t: f64, sight: &Sight, place: (Vec2, Vec2)) -> Option<Owner> {
    let index = item_under(show, t, sight, place)?;
    show.items(t).get(index).map(|item| item.owner)
}

/// The index of the item there.
pub(super) fn item_under(show: &Show, t: f64, sight: &Sight, (pixel, size): (Vec2, Vec2)) -> Option<usize> {
    let (items, blocks) = show.blocks(t);
    let meshes: Vec<_> = show.appearance.meshes().collect();
    let around = (0..8).map(|k| Vec2::from_angle(k as f32 * std::f32::consts::FRAC_PI_4) * NEAR);
    let mut tried = std::iter::once(Vec2::ZERO).chain(around);
    tried.find_map(|off| {
        let block = pick(&sight.ray(pixel + off, size), &blocks, &meshes)?;
        Some(blocks[block].item).filter(|index| *index < items.len())
    })
}

/// The panel with the values of the part, and the derivative by its number if there is a gradient; whether it is to be closed. `free` is the
/// height that other panels leave.
pub(super) fn panel(context: &Context, inspector: &Inspector, gradient: Option<&DesignGradient>, free: f32) -> bool {
    let Some(shown) = &inspector.shown else { return false };
    let mut is_closed = false;
    // Below the scale of colours.
    let top = CORNER[1]
        .min(0.3 * free)
        .max(heat::bottom(gradient) * context.content_rect().height());
    let room = (free - top - HEAD).min(0.6 * free);
    let corner = [CORNER[0], top];
    widgets::panel(context, "inspection", Align2::LEFT_TOP, corner, |ui| {
        ui.set_max_width(WIDTH);
        let (name, kind) = match shown {
            Ok(inspection) => (inspection.name.as_str(), inspection.kind),
            Err(_) => (inspector.name().unwrap_or_default(), ""),
        };
        ui.horizontal(|ui| {
            ui.label(RichText::new(name).strong());
            ui.weak(kind);
            is_closed = ui.small_button("x").on_hover_text("escape").clicked();
        });
        match shown {
            Ok(inspection) => {
                let slope = gradient
                    .zip(inspector.owner())
                    .and_then(|(gradient, owner)| slope(gradient, owner));
                let rows = slope.into_iter().chain(inspection.readings.iter().map(row));
                readings(ui, rows, room);
            }
            Err(reason) => drop(ui.label(reason)),
        }
    });
    is_closed
}

/// The derivative of the objective by the number of a part, in its own unit.
fn slope(gradient: &DesignGradient, owner: Owner) -> Option<(String, String)> {
    let (number, slope, unit) = match property_slope(gradient, owner) {
        Some(own) => (own.property.name(), own.slope, own.unit),
        None => ("length", length_slope(gradient, owner)?, "unit of length"),
    };
    let unit = if unit.is_empty() {
        String::new()
    } else {
        format!(" per {unit}")
    };
    Some((
        format!("d {} / d {number}", gradient.objective),
        format!("{}{unit}", short(slope)),
    ))
}

fn row(reading: &Reading) -> (String, String) {
    (reading.label.clone(), text(reading))
}

fn readings(ui: &mut Ui, rows: impl Iterator<Item = (String, String)>, room: f32) {
    // Both, for the list would keep the height that it had before it was shown.
    let list = ScrollArea::vertical().min_scrolled_height(room).max_height(room);
    list.show(ui, |ui| {
        Grid::new("readings").num_columns(2).show(ui, |ui| {
            for (label, values) in rows {
                ui.label(label);
                ui.monospace(values);
                ui.end_row();
            }
        });
    });
}

/// Values one below the other where there are several.
fn text(reading: &Reading) -> String {
    let values: Vec<String> = reading.values.iter().map(|value| short(*value)).collect();
    match values.is_empty() {
        true => reading.unit.to_string(),
        false => format!("{} {}", values.join("\n"), reading.unit),
    }
}
