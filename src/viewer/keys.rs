//! What can be asked for, and the keys that ask for it.

use kiss3d::event::{Action, Key, WindowEvent};
use kiss3d::window::Window;

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
    /// The values of the scene.
    Reset,
    /// The end.
    Close,
}

/// Change of a parameter by a key, as part of its slider.
const NUDGE: f64 = 0.02;

/// The list of keys that the window shows.
pub(super) const KEYS: [(&str, &str); 19] = [
    ("space", "play or pause"),
    ("left, right", "single step"),
    ("up, down", "faster, slower"),
    ("N, B", "next event, event before"),
    ("home, end", "start, end"),
    ("L", "start again at the end"),
    ("T", "paths of the points"),
    ("P", "parameters"),
    ("O", "outputs"),
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

/// What was asked for by keys since the last frame.
pub(super) fn pressed(window: &mut Window) -> Vec<Request> {
    let mut requests = Vec::new();
    if window.is_egui_capturing_keyboard() {
        return requests;
    }
    for mut event in window.events().iter() {
        let WindowEvent::Key(key, Action::Press, _) = event.value else {
            continue;
        };
        if let Some(request) = request_of(key) {
            event.inhibited = true;
            requests.push(request);
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
        Key::R => Request::Reset,
        Key::H | Key::F1 => Request::Help,
        Key::Q => Request::Close,
        _ => return None,
    })
}
