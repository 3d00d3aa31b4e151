//! Panels over the picture: time, parameters, plot, help, messages. They change nothing; they ask.

use kiss3d::egui::{
    Align2, Area, Color32, Context, Frame, Grid, Id, Rect, RichText, ScrollArea, Sense, Slider, SliderClamping, Stroke,
    Ui, Visuals, pos2, vec2,
};
use kiss3d::event::Key;
use kiss3d::prelude::Vec2;
use kiss3d::window::Window;

use super::chart::{BLUE, small};
use super::playback::SPEEDS;
use super::state::{Shown, Viewer};
use super::{arrows, curves, inspect, keys, optimizing_panel, trust};
use crate::scalar::shortest;
use crate::show::Show;

/// Colour of what went wrong.
pub(super) const WARNING: Color32 = Color32::from_rgb(0xb8, 0x2f, 0x3a);
/// Free space around panels, in points.
const MARGIN: f32 = 10.0;
/// Width of the panel of parameters.
const SIDE: f32 = 250.0;
/// Height of the plot, and of the rest of the panel of time.
const PLOT: f32 = 110.0;
const BAR: f32 = 94.0;

type Change = Box<dyn FnOnce(&mut Viewer)>;

/// What panels ask for: changes of the window, made once all panels are drawn.
#[derive(Default)]
pub(super) struct Requests(Vec<Change>);

impl Requests {
    /// Asks for a change, if so.
    pub(super) fn when(&mut self, is_asked: bool, change: impl FnOnce(&mut Viewer) + 'static) {
        if is_asked {
            self.0.push(Box::new(change));
        }
    }

    /// Asks for what a key does, if so.
    pub(super) fn key(&mut self, is_asked: bool, key: Key) {
        self.when(is_asked, move |viewer| viewer.press(key));
    }

    pub(super) fn apply(self, viewer: &mut Viewer) {
        self.0.into_iter().for_each(|change| change(viewer));
    }
}

/// What panels cover of the right and the lower edge, in points.
pub(super) fn covered(shown: &Shown) -> Vec2 {
    let side = if shown.parameters { SIDE + 3.0 * MARGIN } else { 0.0 };
    let plot = if shown.plot { PLOT } else { 0.0 };
    Vec2::new(side, BAR + plot + 2.0 * MARGIN)
}

/// Draws all panels; what was clicked comes back.
pub(super) fn draw(window: &mut Window, viewer: &Viewer) -> Requests {
    let mut requests = Requests::default();
    window.draw_ui(|context| {
        context.set_visuals(Visuals::light());
        time_panel(context, viewer, &mut requests);
        if viewer.shown.parameters {
            side_panel(context, viewer, &mut requests);
        } else {
            requests.when(true, |viewer| viewer.predictions.hold(false));
        }
        let free = context.content_rect().height() - covered(&viewer.shown).y;
        inspect::panel(context, &viewer.inspector, free, &mut requests);
        if viewer.shown.help {
            panel(context, "help", Align2::CENTER_CENTER, [0.0, -40.0], keys::list);
        }
        if let Some(message) = &viewer.message {
            let title = "The scene cannot be simulated; the motion before is shown.";
            message_panel(context, title, message);
        }
    });
    requests
}

pub(super) fn panel(context: &Context, name: &str, anchor: Align2, offset: [f32; 2], content: impl FnOnce(&mut Ui)) {
    Area::new(Id::new(name))
        .anchor(anchor, offset)
        .show(context, |ui| Frame::popup(ui.style()).show(ui, content));
}

fn time_panel(context: &Context, viewer: &Viewer, requests: &mut Requests) {
    let width = context.content_rect().width() - 2.0 * MARGIN - 20.0;
    panel(context, "time", Align2::CENTER_BOTTOM, [0.0, -MARGIN], |ui| {
        ui.set_width(width);
        if viewer.shown.plot {
            curves::draw(ui, viewer, PLOT);
        }
        timeline(ui, viewer, requests);
        ui.horizontal(|ui| {
            let playback = &viewer.playback;
            let play = if playback.playing { "pause" } else { "play" };
            for (text, hint, key) in [
                ("|<", "to the start", Key::Home),
                ("<<", "event before", Key::B),
                ("<", "step back", Key::Left),
                (play, "space", Key::Space),
                (">", "step", Key::Right),
                (">>", "next event", Key::N),
            ] {
                requests.key(ui.button(text).on_hover_text(hint).clicked(), key);
            }
            ui.separator();
            let mut speed = playback.speed();
            let slider = Slider::new(&mut speed, SPEEDS.0..=SPEEDS.1);
            let slider = ui.add(slider.logarithmic(true).text("speed"));
            requests.when(slider.changed(), move |viewer| viewer.playback.set_speed(speed));
            ui.monospace(format!("t = {:8.3} s", playback.t()));
        });
        ui.horizontal(|ui| {
            for (text, on, key) in [
                ("loop", viewer.playback.looping, Key::L),
                ("paths", viewer.shown.traces, Key::T),
                ("outputs", viewer.shown.plot, Key::O),
                ("parameters", viewer.shown.parameters, Key::P),
                ("ghost", viewer.shown.ghost, Key::G),
                ("keys", viewer.shown.help, Key::H),
            ] {
                requests.key(ui.selectable_label(on, text).clicked(), key);
            }
            requests.key(ui.button("fit").clicked(), Key::F);
            arrows::menu(ui, viewer, requests);
            curves::menu(ui, viewer, requests);
        });
    });
}

/// The span of the motion with its events; a click or a drag goes to a time.
fn timeline(ui: &mut Ui, viewer: &Viewer, requests: &mut Requests) {
    let (response, painter) = ui.allocate_painter(vec2(ui.available_width(), 18.0), Sense::click_and_drag());
    let rect = response.rect;
    let (start, end) = viewer.playback.span();
    let x_of = |t: f64| rect.left() + rect.width() * ((t - start) / (end - start).max(f64::MIN_POSITIVE)) as f32;
    let bar = Rect::from_x_y_ranges(rect.x_range(), rect.center().y - 2.0..=rect.center().y + 2.0);
    painter.rect_filled(bar, 2.0, Color32::from_gray(190));
    let events = &viewer.show.report.events;
    for event in events {
        painter.vline(x_of(event.t), rect.y_range().shrink(2.0), Stroke::new(1.5, WARNING));
    }
    painter.circle_filled(pos2(x_of(viewer.playback.t()), rect.center().y), 6.0, BLUE);
    if let Some(pointer) = response.interact_pointer_pos() {
        let t = start + f64::from((pointer.x - rect.left()) / rect.width()) * (end - start);
        requests.when(true, move |viewer| viewer.playback.seek(t));
    }
    if let Some(pointer) = response.hover_pos() {
        let near = |t: f64| (x_of(t) - pointer.x).abs() < 4.0;
        if let Some(event) = events.iter().find(|event| near(event.t)) {
            response.on_hover_text(format!("{} ({}) at {:.6} s", event.name, event.kind, event.t));
        }
    }
}

fn side_panel(context: &Context, viewer: &Viewer, requests: &mut Requests) {
    panel(context, "side", Align2::RIGHT_TOP, [-MARGIN, MARGIN], |ui| {
        ui.set_width(SIDE);
        ui.horizontal(|ui| {
            for (text, is_shown) in [
                ("parameters", !viewer.shown.optimization),
                ("optimization", viewer.shown.optimization),
            ] {
                requests.key(ui.selectable_label(is_shown, text).clicked() && !is_shown, Key::M);
            }
            match viewer.delay {
                _ if viewer.worker.is_busy() => drop(ui.spinner()),
                Some(delay) => {
                    let text = ui.weak(format!("{} ms", delay.as_millis()));
                    text.on_hover_text("from the last change to the new motion");
                }
                None => {}
            }
        });
        if viewer.shown.optimization {
            requests.when(true, |viewer| viewer.predictions.hold(false));
            optimizing_panel::draw(ui, viewer, requests);
            return;
        }
        let chart = if viewer.shown.ghost { trust::HEIGHT } else { 0.0 };
        let room = context.content_rect().height() - covered(&viewer.shown).y - 5.0 * MARGIN - chart;
        ScrollArea::vertical().max_height(room).show(ui, |ui| {
            sliders(ui, viewer, requests);
            objectives(ui, viewer, requests);
        });
        if viewer.shown.ghost {
            trust::draw(ui, viewer);
        }
    });
}

fn sliders(ui: &mut Ui, viewer: &Viewer, requests: &mut Requests) {
    let parameters = &viewer.show.model().parameters;
    let mut held = false;
    let settings = viewer.values.iter().copied().zip(&viewer.ranges);
    for (i, (parameter, (mut value, range))) in parameters.iter().zip(settings).enumerate() {
        let text = match parameter.unit.as_str() {
            "" => parameter.name.clone(),
            unit => format!("{} [{unit}]", parameter.name),
        };
        // What --set gives may lie outside.
        let clamping = SliderClamping::Edits;
        let slider = Slider::new(&mut value, range.0..=range.1).clamping(clamping).text(text);
        let response = ui.add(slider);
        requests.when(response.changed(), move |viewer| viewer.set(i, value));
        held |= response.is_pointer_button_down_on();
        // Not while it is dragged: the text would hide the sliders below.
        if !parameter.about.is_empty() && !response.is_pointer_button_down_on() {
            response.on_hover_text(&parameter.about);
        }
        gradient(ui, viewer, &parameter.name);
    }
    requests.when(true, move |viewer| viewer.predictions.hold(held));
    if !parameters.is_empty() {
        let reset = ui.button("reset").on_hover_text("the values of the scene");
        requests.key(reset.clicked(), Key::R);
    }
}

/// The derivative of the chosen objective by a parameter.
fn gradient(ui: &mut Ui, viewer: &Viewer, parameter: &str) {
    if let Some(gradient) = &viewer.gradient.found {
        let value = viewer.gradient.by_parameter(parameter);
        let value = value.map_or("none".to_string(), short);
        let text = format!("d {} / d {parameter} = {value}", gradient.objective);
        ui.label(RichText::new(text).font(small()));
    }
}

fn objectives(ui: &mut Ui, viewer: &Viewer, requests: &mut Requests) {
    if !viewer.show.report.objectives.is_empty() {
        ui.separator();
        ui.label(RichText::new("objectives").strong());
        let gradient = &viewer.gradient;
        Grid::new("objectives").num_columns(2).show(ui, |ui| {
            for (index, (name, value)) in viewer.show.report.objectives.iter().enumerate() {
                let row = ui.selectable_label(gradient.objective() == Some(name), name);
                let row = row.on_hover_text("colour the bars by its gradient");
                requests.when(row.clicked(), move |viewer| viewer.colour_by(index));
                ui.monospace(format!("{value:.6}"));
                ui.end_row();
            }
        });
        if let Some(failure) = &gradient.failure {
            ui.colored_label(WARNING, format!("no gradient: {failure}"));
        }
    }
}

/// Ends of the sliders of a show.
pub(super) fn ranges(show: &Show) -> Vec<(f64, f64)> {
    let parameters = show.model().parameters.iter();
    parameters
        .map(|parameter| range(parameter.value, parameter.bounds))
        .collect()
}

/// The bounds of a parameter, or half to one and a half times its value.
fn range(value: f64, bounds: Option<(f64, f64)>) -> (f64, f64) {
    bounds.unwrap_or_else(|| match value {
        0.0 => (-1.0, 1.0),
        _ => (value - 0.5 * value.abs(), value + 0.5 * value.abs()),
    })
}

pub(super) fn message_panel(context: &Context, title: &str, message: &str) {
    panel(context, "message", Align2::LEFT_TOP, [MARGIN, 70.0], |ui| {
        ui.set_max_width(520.0);
        ui.label(RichText::new(title).strong());
        ui.label(RichText::new(message).color(WARNING));
    });
}

/// Text of a value that fits a label.
pub(super) fn short(value: f64) -> String {
    let text = shortest(value);
    match value.abs() {
        _ if text.len() <= 7 => text,
        1e-3..1e5 => format!("{value:.4}"),
        _ => format!("{value:.3e}"),
    }
}
