//! Panels over the picture: time, parameters, plot, help, messages. They change nothing; they ask.

use kiss3d::egui::{
    Align2, Area, Button, Color32, Context, FontId, Frame, Grid, Id, Pos2, Rect, RichText, ScrollArea, Sense, Slider,
    SliderClamping, Stroke, Ui, Visuals, vec2,
};
use kiss3d::prelude::Vec2;
use kiss3d::window::Window;

use super::keys::{self, Request};
use super::playback::SPEEDS;
use super::state::{Shown, Viewer};
use super::{arrows, curves, inspect, optimizing_panel, trust};
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

/// What panels cover of the right and the lower edge, in points.
pub(super) fn covered(shown: &Shown) -> Vec2 {
    let side = if shown.parameters { SIDE + 3.0 * MARGIN } else { 0.0 };
    let plot = if shown.plot { PLOT } else { 0.0 };
    Vec2::new(side, BAR + plot + 2.0 * MARGIN)
}

/// Draws all panels; what was clicked comes back.
pub(super) fn draw(window: &mut Window, viewer: &Viewer) -> Vec<Request> {
    let mut requests = Vec::new();
    window.draw_ui(|context| {
        context.set_visuals(Visuals::light());
        time_panel(context, viewer, &mut requests);
        if viewer.shown.parameters {
            side_panel(context, viewer, &mut requests);
        } else {
            requests.push(Request::Hold(false));
        }
        inspect::panel(
            context,
            &viewer.inspector,
            context.content_rect().height() - covered(&viewer.shown).y,
            &mut requests,
        );
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

fn panel(context: &Context, name: &str, anchor: Align2, offset: [f32; 2], content: impl FnOnce(&mut Ui)) {
    Area::new(Id::new(name))
        .anchor(anchor, offset)
        .show(context, |ui| Frame::popup(ui.style()).show(ui, content));
}

fn time_panel(context: &Context, viewer: &Viewer, requests: &mut Vec<Request>) {
    let width = context.content_rect().width() - 2.0 * MARGIN - 20.0;
    panel(context, "time", Align2::CENTER_BOTTOM, [0.0, -MARGIN], |ui| {
        ui.set_width(width);
        if viewer.shown.plot {
            curves::draw(ui, viewer, PLOT);
        }
        timeline(ui, viewer, requests);
        ui.horizontal(|ui| {
            let playback = &viewer.playback;
            let mut button = |ui: &mut Ui, text: &str, hint: &str, request: Request| {
                if ui.add(Button::new(text)).on_hover_text(hint).clicked() {
                    requests.push(request);
                }
            };
            button(ui, "|<", "to the start", Request::Seek(f64::NEG_INFINITY));
            button(ui, "<<", "event before", Request::Previous);
            button(ui, "<", "step back", Request::Step(-1.0));
            let play = if playback.playing { "pause" } else { "play" };
            button(ui, play, "space", Request::Toggle);
            button(ui, ">", "step", Request::Step(1.0));
            button(ui, ">>", "next event", Request::Next);
            ui.separator();
            let mut speed = playback.speed();
            let slider = Slider::new(&mut speed, SPEEDS.0..=SPEEDS.1)
                .logarithmic(true)
                .text("speed");
            if ui.add(slider).changed() {
                requests.push(Request::Speed(speed));
            }
            ui.monospace(format!("t = {:8.3} s", playback.t()));
        });
        ui.horizontal(|ui| {
            let playback = &viewer.playback;
            for (text, on, request) in [
                ("loop", playback.looping, Request::Loop),
                ("paths", viewer.shown.traces, Request::Traces),
                ("outputs", viewer.shown.plot, Request::Plot),
                ("parameters", viewer.shown.parameters, Request::Parameters),
                ("ghost", viewer.shown.ghost, Request::Ghost),
                ("keys", viewer.shown.help, Request::Help),
            ] {
                if ui.selectable_label(on, text).clicked() {
                    requests.push(request);
                }
            }
            if ui.button("fit").clicked() {
                requests.push(Request::Fit);
            }
            arrows::menu(ui, viewer, requests);
            curves::menu(ui, viewer, requests);
        });
    });
}

/// The span of the motion with its events; a click or a drag goes to a time.
fn timeline(ui: &mut Ui, viewer: &Viewer, requests: &mut Vec<Request>) {
    let (response, painter) = ui.allocate_painter(vec2(ui.available_width(), 18.0), Sense::click_and_drag());
    let rect = response.rect;
    let (start, end) = viewer.playback.span();
    let x_of = |t: f64| rect.left() + rect.width() * ((t - start) / (end - start).max(f64::MIN_POSITIVE)) as f32;
    let bar = Rect::from_min_max(
        Pos2::new(rect.left(), rect.center().y - 2.0),
        Pos2::new(rect.right(), rect.center().y + 2.0),
    );
    painter.rect_filled(bar, 2.0, Color32::from_gray(190));
    for event in &viewer.show.report.events {
        let x = x_of(event.t);
        let line = [Pos2::new(x, rect.top() + 2.0), Pos2::new(x, rect.bottom() - 2.0)];
        painter.line_segment(line, Stroke::new(1.5, Color32::from_rgb(0xb8, 0x2f, 0x3a)));
    }
    let cursor = Pos2::new(x_of(viewer.playback.t()), rect.center().y);
    painter.circle_filled(cursor, 6.0, Color32::from_rgb(0x35, 0x6a, 0x9c));
    let t_of = |x: f32| start + f64::from((x - rect.left()) / rect.width()) * (end - start);
    if let Some(pointer) = response.interact_pointer_pos() {
        requests.push(Request::Seek(t_of(pointer.x)));
    }
    if let Some(pointer) = response.hover_pos() {
        let near = |event: &&crate::run::EventMark| (x_of(event.t) - pointer.x).abs() < 4.0;
        if let Some(event) = viewer.show.report.events.iter().find(near) {
            response.on_hover_text(format!("{} ({}) at {:.6} s", event.name, event.kind, event.t));
        }
    }
}

fn side_panel(context: &Context, viewer: &Viewer, requests: &mut Vec<Request>) {
    panel(context, "side", Align2::RIGHT_TOP, [-MARGIN, MARGIN], |ui| {
        ui.set_width(SIDE);
        ui.horizontal(|ui| {
            for (text, is_shown) in [
                ("parameters", !viewer.shown.optimization),
                ("optimization", viewer.shown.optimization),
            ] {
                if ui.selectable_label(is_shown, text).clicked() && !is_shown {
                    requests.push(Request::Side);
                }
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
            requests.push(Request::Hold(false));
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

fn sliders(ui: &mut Ui, viewer: &Viewer, requests: &mut Vec<Request>) {
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
        let changed = response.changed();
        held |= response.is_pointer_button_down_on();
        // Not while it is dragged: the text would hide the sliders below.
        if !parameter.about.is_empty() && !response.is_pointer_button_down_on() {
            response.on_hover_text(&parameter.about);
        }
        if changed {
            requests.push(Request::Set(i, value));
        }
        gradient(ui, viewer, &parameter.name);
    }
    requests.push(Request::Hold(held));
    if !parameters.is_empty() && ui.button("reset").on_hover_text("the values of the scene").clicked() {
        requests.push(Request::Reset);
    }
}

/// The derivative of the chosen objective by a parameter.
fn gradient(ui: &mut Ui, viewer: &Viewer, parameter: &str) {
    let influence = &viewer.influence;
    if let Some(gradient) = &influence.gradient {
        let value = influence.by_parameter(parameter).map_or("none".to_string(), short);
        let text = format!("d {} / d {parameter} = {value}", gradient.objective);
        ui.label(RichText::new(text).font(small()));
    }
}

fn objectives(ui: &mut Ui, viewer: &Viewer, requests: &mut Vec<Request>) {
    if !viewer.show.report.objectives.is_empty() {
        ui.separator();
        ui.label(RichText::new("objectives").strong());
        let influence = &viewer.influence;
        Grid::new("objectives").num_columns(2).show(ui, |ui| {
            for (index, (name, value)) in viewer.show.report.objectives.iter().enumerate() {
                let row = ui.selectable_label(influence.objective() == Some(name), name);
                if row.on_hover_text("colour the bars by its gradient").clicked() {
                    requests.push(Request::Objective(index));
                }
                ui.monospace(format!("{value:.6}"));
                ui.end_row();
            }
        });
        if let Some(trouble) = &influence.trouble {
            ui.colored_label(WARNING, format!("no gradient: {trouble}"));
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

/// Small text.
pub(super) fn small() -> FontId {
    FontId::proportional(11.0)
}
