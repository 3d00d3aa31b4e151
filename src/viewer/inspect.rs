//! A part of the mechanism that was clicked, and the panel with its values.

use kiss3d::camera::OrbitCamera3d;
use kiss3d::egui::{Align2, Area, Context, Frame, Grid, Id, RichText, ScrollArea, vec2};
use kiss3d::prelude::{Camera3d, Vec2, Vec3};

use super::keys::Request;
use super::panels::short;
use super::stage::Placing;
use crate::appearance::{Owner, Ray, pick};
use crate::hybrid::HybridSystem;
use crate::mechanism::Workspace;
use crate::show::{Inspection, Reading, Show};

/// Farthest that the pointer moves in a click, in pixels; also how near to a part a click may miss it.
const NEAR: f32 = 5.0;
/// Space that the panel takes: from the left and the upper edge, and its width.
const CORNER: [f32; 2] = [10.0, 210.0];
const WIDTH: f32 = 250.0;

/// What was clicked.
#[derive(Default)]
pub(super) struct Inspector {
    selected: Option<(Owner, String)>,
    /// Where the mouse was seen last.
    pub(super) pointer: Vec2,
    /// Where the button went down.
    pressed: Option<Vec2>,
    workspace: Option<Workspace>,
    /// What is said about it now.
    pub(super) shown: Option<Result<Inspection, String>>,
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

    pub(super) fn press(&mut self, at: Vec2) {
        self.pressed = Some(at);
    }

    /// Whether the button came up where it went down.
    pub(super) fn release(&mut self, at: Vec2) -> bool {
        self.pressed
            .take()
            .is_some_and(|pressed| (at - pressed).length() < NEAR)
    }

    pub(super) fn select(&mut self, owner: Option<Owner>, show: &Show) {
        self.selected = owner.map(|owner| (owner, owner.name(show.model()).to_string()));
        self.shown = None;
    }

    /// Another motion is shown: the part with the same name stays selected.
    pub(super) fn move_to(&mut self, show: &Show) {
        self.workspace = None;
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
        let workspace = self
            .workspace
            .get_or_insert_with(|| show.experiment.mechanism.workspace());
        let inspected = show.inspect(owner, t, workspace);
        self.shown = inspected.map_err(|error| error.message().to_string()).transpose();
    }
}

/// What lies under a pixel at a time, or very near to it.
pub(super) fn under(
    show: &Show,
    t: f64,
    (camera, placing): (&OrbitCamera3d, &Placing),
    (pixel, size): (Vec2, Vec2),
) -> Option<Owner> {
    let (items, blocks) = show.blocks(t);
    let meshes: Vec<_> = show.meshes().collect();
    let around = (0..8).map(|k| Vec2::from_angle(k as f32 * std::f32::consts::FRAC_PI_4) * NEAR);
    let mut tried = std::iter::once(Vec2::ZERO).chain(around);
    tried.find_map(|off| {
        let (origin, direction) = camera.unproject(pixel + off, size);
        let ray = ray(origin, direction, placing);
        let block = pick(&ray, &blocks, &meshes)?;
        items.get(blocks[block].item).map(|item| item.owner)
    })
}

fn ray(origin: Vec3, direction: Vec3, placing: &Placing) -> Ray {
    let (from, to) = (placing.metres(origin), placing.metres(origin + direction));
    Ray {
        origin: from,
        direction: std::array::from_fn(|k| to[k] - from[k]),
    }
}

/// The panel with the values of the part.
pub(super) fn panel(context: &Context, inspector: &Inspector, free: f32, requests: &mut Vec<Request>) {
    let Some(shown) = &inspector.shown else { return };
    let area = Area::new(Id::new("inspection")).anchor(Align2::LEFT_TOP, vec2(CORNER[0], CORNER[1].min(0.3 * free)));
    area.show(context, |ui| {
        Frame::popup(ui.style()).show(ui, |ui| {
            ui.set_max_width(WIDTH);
            let (name, kind) = match shown {
                Ok(inspection) => (inspection.name.as_str(), inspection.kind),
                Err(_) => (inspector.name().unwrap_or_default(), ""),
            };
            ui.horizontal(|ui| {
                ui.label(RichText::new(name).strong());
                ui.weak(kind);
                if ui.small_button("x").on_hover_text("escape").clicked() {
                    requests.push(Request::Clear);
                }
            });
            let readings = match shown {
                Ok(inspection) => &inspection.readings,
                Err(reason) => {
                    ui.label(reason);
                    return;
                }
            };
            // Both, for the list would keep the height that it had before it was shown.
            let room = 0.6 * free;
            let list = ScrollArea::vertical().min_scrolled_height(room).max_height(room);
            list.show(ui, |ui| {
                Grid::new("readings").num_columns(2).show(ui, |ui| {
                    for reading in readings {
                        ui.label(&reading.label);
                        ui.monospace(text(reading));
                        ui.end_row();
                    }
                });
            });
        });
    });
}

/// Values one below the other where there are several.
fn text(reading: &Reading) -> String {
    match reading.values.as_slice() {
        [] => reading.unit.to_string(),
        [value] => format!("{} {}", short(*value), reading.unit),
        values => {
            let rows: Vec<String> = values.iter().map(|value| short(*value)).collect();
            format!("{} {}", rows.join("\n"), reading.unit)
        }
    }
}
