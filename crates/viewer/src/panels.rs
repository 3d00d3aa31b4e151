//! Panels over the picture: time, parameters, plot, help, messages. They change nothing; they ask.

use kiss3d::egui::{
    Align2, Button, Color32, Context, Grid, Rect, Response, RichText, ScrollArea, Sense, Slider, SliderClamping,
    Stroke, Ui, Visuals, pos2, vec2,
};
use kiss3d::event::Key;
use kiss3d::prelude::Vec2;
use kiss3d::window::Window;

use super::state::{Requests, Shown, Viewer};
use super::widgets::{BLUE, MARGIN, WARNING, message_panel, panel, small};
use super::{bars, charts, curves_menu, inspect, keys, optimizing_panel, trust};
use crate::appearance::Material;
use crate::scalar::short;
use crate::show::VectorKind;

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
        let closed = inspect::panel(context, &viewer.inspector, viewer.gradient.found.as_ref(), free);
        requests.key(closed, Key::Escape);
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

fn time_panel(context: &Context, viewer: &Viewer, requests: &mut Requests) {
    let width = context.content_rect().width() - 2.0 * MARGIN - 20.0;
    panel(context, "time", Align2::CENTER_BOTTOM, [0.0, -MARGIN], |ui| {
        ui.set_width(width);
        if viewer.shown.plot {
            charts::draw(ui, viewer, requests, PLOT);
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
            let (slowest, fastest) = playback.speeds();
            let slider = Slider::new(&mut speed, slowest..=fastest).logarithmic(true);
            let slider = ui.add(slider.text("speed").custom_formatter(|speed, _| short(speed)));
            let slider = slider.on_hover_text("simulated seconds per second");
            requests.when(slider.changed(), move |viewer| viewer.playback.set_speed(speed));
            ui.monospace(format!("t = {:8.3} s", playback.t()));
            if viewer.shown.plot {
                charts::legend(ui, viewer);
            }
        });
        ui.horizontal(|ui| {
            for (text, on, key) in [
                ("loop", viewer.playback.looping, Key::L),
                ("paths", viewer.shown.traces, Key::T),
                ("names", viewer.shown.names, Key::W),
                ("frames", viewer.shown.frames, Key::X),
                ("outputs", viewer.shown.plot, Key::O),
                ("parameters", viewer.shown.parameters, Key::P),
                ("ghost", viewer.shown.ghost, Key::G),
                ("keys", viewer.shown.help, Key::H),
            ] {
                requests.key(ui.add(toggle(on, text)).clicked(), key);
            }
            let keep = ui.add(toggle(!viewer.kept.others.is_empty(), "keep"));
            let keep = keep.on_hover_text("keep this motion beside the next ones");
            requests.key(keep.clicked(), Key::V);
            requests.key(ui.button("fit").clicked(), Key::F);
            arrows_menu(ui, viewer, requests);
            curves_menu::menu(ui, viewer, requests);
        });
    });
}

/// A button that is on or off; a button either way.
fn toggle(on: bool, text: &str) -> Button<'_> {
    Button::new(text).selected(on)
}

/// The menu of the kinds of arrows, each in its colour.
fn arrows_menu(ui: &mut Ui, viewer: &Viewer, requests: &mut Requests) {
    ui.menu_button("arrows", |ui| {
        for kind in VectorKind::ALL {
            let mut on = viewer.arrows.kinds.contains(&kind);
            let [red, green, blue] = Material::Arrow(kind).colour();
            let text = RichText::new(kind.name()).color(Color32::from_rgb(red, green, blue));
            let is_clicked = ui.checkbox(&mut on, text).clicked();
            requests.when(is_clicked, move |viewer| viewer.arrows.toggle(kind));
        }
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
                requests.key(ui.add(toggle(is_shown, text)).clicked() && !is_shown, Key::M);
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
        let room = context.content_rect().height() - covered(&viewer.shown).y - 5.0 * MARGIN;
        if viewer.shown.optimization {
            requests.when(true, |viewer| viewer.predictions.hold(false));
            let scrolled = ScrollArea::vertical().max_height(room).min_scrolled_height(room);
            scrolled.show(ui, |ui| optimizing_panel::draw(ui, viewer, requests));
            return;
        }
        let room = room - if viewer.shown.ghost { trust::HEIGHT } else { 0.0 };
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
    let (mut held, changes) = (false, bars::shown(viewer));
    let settings = viewer.values.iter().copied().zip(&viewer.ranges);
    for (i, (parameter, (mut value, range))) in parameters.iter().zip(settings).enumerate() {
        if is_scrolled_away(ui, viewer) {
            continue;
        }
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
        if let Some(line) = gradient(ui, viewer, &parameter.name) {
            bars::draw(ui, line, &changes, i);
        }
    }
    requests.when(true, move |viewer| viewer.predictions.hold(held));
    if !parameters.is_empty() {
        let reset = ui.button("reset").on_hover_text("the values of the scene");
        requests.key(reset.clicked(), Key::R);
    }
}

/// Leaves the room of a parameter that is out of sight: of a thousand, few are seen.
fn is_scrolled_away(ui: &mut Ui, viewer: &Viewer) -> bool {
    let (spacing, mut height) = (ui.spacing().item_spacing.y, ui.spacing().interact_size.y);
    if viewer.gradient.found.is_some() {
        height += spacing + ui.fonts_mut(|fonts| fonts.row_height(&small()));
    }
    let size = vec2(ui.available_width(), height);
    let is_seen = ui.is_rect_visible(Rect::from_min_size(ui.next_widget_position(), size));
    if !is_seen {
        ui.allocate_space(size);
    }
    !is_seen
}

/// The derivative of the chosen objective by a parameter.
fn gradient(ui: &mut Ui, viewer: &Viewer, parameter: &str) -> Option<Response> {
    let objective = &viewer.gradient.found.as_ref()?.objective;
    let value = viewer.gradient.by_parameter(parameter);
    let value = value.map_or("none".to_string(), short);
    let text = format!("d {objective} / d {parameter} = {value}");
    Some(ui.label(RichText::new(text).font(small())))
}

fn objectives(ui: &mut Ui, viewer: &Viewer, requests: &mut Requests) {
    if !viewer.show.report.objectives.is_empty() {
        ui.separator();
        ui.label(RichText::new("objectives").strong());
        let gradient = &viewer.gradient;
        let units = viewer.show.model().objective_units();
        Grid::new("objectives").num_columns(2).show(ui, |ui| {
            for (index, (name, value)) in viewer.show.report.objectives.iter().enumerate() {
                let unit = units.get(index).and_then(Option::as_ref);
                let label = unit.map_or(name.clone(), |unit| format!("{name} [{unit}]"));
                let row = ui.selectable_label(gradient.objective() == Some(name), label);
                let row = row.on_hover_text("colour the parts by its gradient");
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
