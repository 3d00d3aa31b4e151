//! The keys, and what they do. A button does what its key does.

use kiss3d::egui::{Grid, Order, Pos2, RichText, Ui};
use kiss3d::event::{Action, Key, Modifiers, MouseButton, WindowEvent};
use kiss3d::prelude::Vec2;
use kiss3d::window::Window;

use super::inspect::Pointer;
use super::state::Viewer;
use crate::show::VectorKind;

/// Change of a parameter by a key, as part of its slider.
const NUDGE: f64 = 0.02;

/// Keys and what they do.
const KEYS: [(&str, &str); 26] = [
    ("space", "play or pause"),
    ("left, right", "single step"),
    ("up, down", "faster, slower"),
    ("N, B", "next event, event before"),
    ("home, end", "start, end"),
    ("L", "start again at the end"),
    ("T", "paths of the points"),
    ("W", "names of the parts"),
    ("X", "frames of bodies"),
    ("V", "keep this motion beside the next"),
    ("P", "parameters"),
    ("O", "charts"),
    ("E", "energy, its balance, outputs"),
    ("1, 2", "velocities, accelerations"),
    ("3, 4, 5", "forces of springs, joints, contacts"),
    ("escape", "nothing selected"),
    ("[, ]", "choose a parameter"),
    ("-, =", "less, more of it"),
    ("C", "colours: gradient of the next objective"),
    ("G", "predicted motion while it changes"),
    ("M", "optimization, parameters"),
    ("enter", "start or stop the optimization"),
    ("K, D, S", "keep, discard, save its result"),
    ("R", "values of the scene"),
    ("F", "see everything"),
    ("Q", "close"),
];

/// The list of keys in two columns, which a small window has room for.
pub(super) fn list(ui: &mut Ui) {
    let rows = KEYS.len().div_ceil(2);
    Grid::new("keys").num_columns(4).spacing([10.0, 2.0]).show(ui, |ui| {
        for row in 0..rows {
            for (key, meaning) in KEYS.iter().skip(row).step_by(rows) {
                ui.label(RichText::new(*key).strong());
                ui.label(*meaning);
            }
            ui.end_row();
        }
    });
    ui.separator();
    ui.horizontal(|ui| {
        ui.label(RichText::new("mouse").strong());
        ui.label("drag moves a plane; in space left turns, right moves; wheel zooms; click selects a part");
    });
    ui.horizontal(|ui| {
        ui.label(RichText::new("shift, drag").strong());
        ui.label("a part: the parameter that moves it that way follows");
        ui.label(RichText::new("ctrl, drag").strong());
        ui.label("a part on a spring, while it plays; R lets it go");
    });
    ui.horizontal(|ui| {
        ui.label(RichText::new("charts").strong());
        ui.label("wheel: part of the time; right drag: another; double click: all; click, drag: go there");
    });
}

/// The keys that were pressed since the last frame; the pointer follows the mouse over the mechanism.
pub(super) fn pressed(window: &mut Window, pointer: &mut Pointer) -> Vec<Key> {
    let mut keys = Vec::new();
    let typing = window.is_egui_capturing_keyboard();
    let (context, scale) = (window.egui_context(), window.scale_factor() as f32);
    let over_panel = |at: Vec2| {
        let layer = context.layer_id_at(Pos2::new(at.x / scale, at.y / scale));
        layer.is_some_and(|layer| layer.order != Order::Background)
    };
    // From the frame after the press on: in that frame the way to it may not have been seen yet.
    pointer.moves_view = pointer.holds_view;
    pointer.is_stirred = false;
    for mut event in window.events().iter() {
        pointer.is_stirred = true;
        if let WindowEvent::MouseButton(_, action, _) = event.value {
            pointer.holds_view = action == Action::Press && !over_panel(pointer.at);
            pointer.moves_view &= pointer.holds_view;
        }
        match event.value {
            WindowEvent::Key(key, Action::Press, _) if !typing => {
                event.inhibited = true;
                keys.push(key);
            }
            // Where the pointer is by now may be elsewhere.
            WindowEvent::CursorPos(x, y, _) => {
                pointer.at = Vec2::new(x as f32, y as f32);
                // The view stays where it is.
                event.inhibited = pointer.grabbed.is_some() || pointer.pulls;
            }
            WindowEvent::MouseButton(MouseButton::Button1, Action::Press, held)
                if pointer.holds_view && held.contains(Modifiers::Shift) =>
            {
                event.inhibited = true;
                pointer.grabbed = Some(pointer.at);
            }
            WindowEvent::MouseButton(MouseButton::Button1, Action::Press, held)
                if pointer.holds_view && held.contains(Modifiers::Control) =>
            {
                event.inhibited = true;
                pointer.pulls = true;
            }
            WindowEvent::MouseButton(MouseButton::Button1, Action::Release, _)
                if pointer.grabbed.is_some() || pointer.pulls =>
            {
                event.inhibited = true;
                (pointer.grabbed, pointer.pulls) = (None, false);
            }
            WindowEvent::MouseButton(MouseButton::Button1, Action::Press, _) if pointer.holds_view => pointer.press(),
            WindowEvent::MouseButton(MouseButton::Button1, Action::Release, _) => pointer.release(),
            _ => {}
        }
    }
    keys
}

impl Viewer {
    /// Does what a key asks for.
    pub(super) fn press(&mut self, key: Key) {
        let events = self.show.report.events.iter().map(|event| event.t);
        let (playback, shown) = (&mut self.playback, &mut self.shown);
        match key {
            Key::Space => playback.toggle(),
            Key::Right => playback.step(1.0),
            Key::Left => playback.step(-1.0),
            Key::N => playback.seek_next(events),
            Key::B => playback.seek_previous(events),
            Key::Home => playback.seek(f64::NEG_INFINITY),
            Key::End => playback.seek(f64::INFINITY),
            Key::Up => playback.set_speed(2.0 * playback.speed()),
            Key::Down => playback.set_speed(0.5 * playback.speed()),
            Key::L => playback.looping = !playback.looping,
            Key::T => shown.traces = !shown.traces,
            Key::V => self.keep_motion(),
            Key::W => shown.names = !shown.names,
            Key::X => shown.frames = !shown.frames,
            Key::P => shown.parameters = !shown.parameters,
            Key::O => shown.plot = !shown.plot,
            Key::M => shown.optimization = !shown.optimization,
            Key::G => shown.ghost = !shown.ghost,
            Key::H | Key::F1 => shown.help = !shown.help,
            Key::E => {
                self.plots.subject = self.plots.subject.next();
                shown.plot = true;
            }
            Key::LBracket => self.choose(-1),
            Key::RBracket => self.choose(1),
            Key::Minus => self.nudge(-NUDGE),
            Key::Equals => self.nudge(NUDGE),
            Key::Return => self.optimize(),
            Key::K => self.keep(),
            Key::D => self.discard(),
            Key::S => self.save(),
            Key::C => self.gradient.choose_next(&self.show),
            Key::Key1 => self.arrows.toggle(VectorKind::Velocity),
            Key::Key2 => self.arrows.toggle(VectorKind::Acceleration),
            Key::Key3 => self.arrows.toggle(VectorKind::Spring),
            Key::Key4 => self.arrows.toggle(VectorKind::Reaction),
            Key::Key5 => self.arrows.toggle(VectorKind::Contact),
            Key::Escape => self.inspector.select(None, &self.show),
            Key::R => self.reset(),
            Key::F => self.is_refitted = true,
            Key::Q => self.is_closing = true,
            _ => {}
        }
    }
}
