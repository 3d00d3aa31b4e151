//! What can be asked for, and the keys that ask for it.

use kiss3d::egui::{Grid, RichText, Ui};
use kiss3d::event::{Action, Key, MouseButton, WindowEvent};
use kiss3d::prelude::Vec2;
use kiss3d::window::Window;

use crate::model::quantity::VectorKind;

/// What a panel or a key asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Request {
    /// Play or pause.
    Toggle,
    /// One step forwards or backwards.
    Step(f64),
    /// The next event.
    Next,
    /// The event before.
    Previous,
    /// A time.
    Seek(f64),
    /// A speed.
    Speed(f64),
    /// The speed times a factor.
    Faster(f64),
    /// Start again at the end, or not.
    Loop,
    /// Paths of points.
    Traces,
    /// The list of keys.
    Help,
    /// The panel of parameters.
    Parameters,
    /// The plot.
    Plot,
    /// See all of the mechanism.
    Fit,
    /// A value of a parameter.
    Set(usize, f64),
    /// Whether a slider is held.
    Hold(bool),
    /// The chosen parameter, by so many places further.
    Choose(isize),
    /// The value of the chosen parameter, by so many parts of its slider.
    Nudge(f64),
    /// Colours by the gradient of an objective.
    Objective(usize),
    /// Colours by the gradient of the objective after the present one.
    NextObjective,
    /// The predicted motion.
    Ghost,
    /// The parameters or the optimization in the panel at the side.
    Side,
    /// The optimization started or stopped.
    Optimize,
    /// The values that were found, as the present ones.
    Keep,
    /// The values before the optimization.
    Discard,
    /// The optimized scene as a file.
    Save,
    /// Arrows of a kind.
    Arrows(VectorKind),
    /// The energy instead of the outputs.
    Energy,
    /// An output in the plot, by its index.
    Output(usize),
    /// The button of the mouse goes down over the mechanism, at a pixel.
    Press(Vec2),
    /// It comes up.
    Release(Vec2),
    /// Nothing selected any more.
    Clear,
    /// The values of the scene.
    Reset,
    /// The end.
    Close,
}

/// Change of a parameter by a key, as part of its slider.
const NUDGE: f64 = 0.02;

/// Keys and what they do.
const KEYS: [(&str, &str); 23] = [
    ("space", "play or pause"),
    ("left, right", "single step"),
    ("up, down", "faster, slower"),
    ("N, B", "next event, event before"),
    ("home, end", "start, end"),
    ("L", "start again at the end"),
    ("T", "paths of the points"),
    ("P", "parameters"),
    ("O", "outputs or energy"),
    ("E", "energy instead of outputs"),
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
        ui.label("drag moves a plane; in space left turns, right moves; wheel zooms; click asks");
    });
}

/// What was asked for by keys and over the mechanism by the mouse since the last frame; `pointer` is where the mouse was seen
/// last.
pub(super) fn pressed(window: &mut Window, pointer: &mut Vec2) -> Vec<Request> {
    let mut requests = Vec::new();
    let (typing, over_panel) = (window.is_egui_capturing_keyboard(), window.is_egui_capturing_mouse());
    for mut event in window.events().iter() {
        match event.value {
            WindowEvent::Key(key, Action::Press, _) if !typing => {
                if let Some(request) = request_of(key) {
                    event.inhibited = true;
                    requests.push(request);
                }
            }
            // Where the pointer is by now may be elsewhere.
            WindowEvent::CursorPos(x, y, _) => *pointer = Vec2::new(x as f32, y as f32),
            WindowEvent::MouseButton(MouseButton::Button1, action, _) if !over_panel => {
                requests.push(match action {
                    Action::Press => Request::Press(*pointer),
                    Action::Release => Request::Release(*pointer),
                });
            }
            _ => {}
        }
    }
    requests
}

/// What a key asks for.
fn request_of(key: Key) -> Option<Request> {
    Some(match key {
        Key::Space => Request::Toggle,
        Key::Right => Request::Step(1.0),
        Key::Left => Request::Step(-1.0),
        Key::N => Request::Next,
        Key::B => Request::Previous,
        Key::Home => Request::Seek(f64::NEG_INFINITY),
        Key::End => Request::Seek(f64::INFINITY),
        Key::Up => Request::Faster(2.0),
        Key::Down => Request::Faster(0.5),
        Key::L => Request::Loop,
        Key::T => Request::Traces,
        Key::P => Request::Parameters,
        Key::O => Request::Plot,
        Key::F => Request::Fit,
        Key::LBracket => Request::Choose(-1),
        Key::RBracket => Request::Choose(1),
        Key::Minus => Request::Nudge(-NUDGE),
        Key::Equals => Request::Nudge(NUDGE),
        Key::M => Request::Side,
        Key::Return => Request::Optimize,
        Key::K => Request::Keep,
        Key::D => Request::Discard,
        Key::S => Request::Save,
        Key::C => Request::NextObjective,
        Key::G => Request::Ghost,
        Key::Key1 => Request::Arrows(VectorKind::Velocity),
        Key::Key2 => Request::Arrows(VectorKind::Acceleration),
        Key::Key3 => Request::Arrows(VectorKind::Spring),
        Key::Key4 => Request::Arrows(VectorKind::Reaction),
        Key::Key5 => Request::Arrows(VectorKind::Contact),
        Key::E => Request::Energy,
        Key::Escape => Request::Clear,
        Key::R => Request::Reset,
        Key::H | Key::F1 => Request::Help,
        Key::Q => Request::Close,
        _ => return None,
    })
}
