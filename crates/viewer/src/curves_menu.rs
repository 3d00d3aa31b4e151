//! The menu that chooses what is plotted, also quantities that are no outputs of the scene: they become outputs of every motion that the
//! window simulates.

use std::slice;

use kiss3d::egui::containers::menu::{MenuButton, MenuConfig};
use kiss3d::egui::{Key, PopupCloseBehavior, TextEdit, Ui};

use super::curves::Subject;
use super::state::{Requests, Viewer};
use super::widgets::WARNING;
use crate::error::Error;

impl Viewer {
    /// Asks for the quantity that was written.
    fn add_quantity(&mut self) {
        let typed = self.quantities.typed.trim().to_string();
        let is_known = self.show.recording.outputs.iter().any(|series| series.name == typed);
        let found = match is_known {
            true => Ok(()),
            false => self.show.experiment.with_outputs(slice::from_ref(&typed)).map(|_| ()),
        };
        // Without its place: no line of the scene has it.
        let refused = |error: &Error| format!("{}\n{}", error.message(), error.advice().unwrap_or_default());
        self.quantities.refused = found.as_ref().err().map(refused);
        if found.is_ok() {
            self.plots.show(&typed, &self.show.recording);
            self.quantities.typed.clear();
            if !is_known {
                self.quantities.asked.push(typed);
                self.order();
            }
        }
    }

    /// No longer asks for one of them.
    fn drop_quantity(&mut self, name: &str) {
        self.quantities.asked.retain(|asked| asked != name);
        self.order();
    }
}

/// The menu.
pub(super) fn menu(ui: &mut Ui, viewer: &Viewer, requests: &mut Requests) {
    let stays = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    MenuButton::new("curves").config(stays).ui(ui, |ui| {
        let plots = &viewer.plots;
        for (subject, text) in [(Subject::Energy, "energy"), (Subject::Balance, "balance of energy")] {
            let row = ui.selectable_label(plots.subject == subject, text);
            requests.when(row.clicked(), move |viewer| viewer.plots.switch(subject));
        }
        ui.separator();
        outputs(ui, viewer, requests);
        field(ui, viewer, requests);
        over(ui, viewer, requests);
    });
}

/// A box for every output; those of the window can be taken away.
fn outputs(ui: &mut Ui, viewer: &Viewer, requests: &mut Requests) {
    let recording = &viewer.show.recording;
    let names = viewer.plots.names(recording);
    for (index, series) in recording.outputs.iter().enumerate() {
        let mut on = names.contains(&series.name.as_str());
        ui.horizontal(|ui| {
            let row = ui.checkbox(&mut on, &series.name).on_hover_text(&series.expression);
            requests.when(row.clicked(), move |viewer| {
                viewer.plots.toggle(index, &viewer.show.recording);
            });
            if viewer.quantities.asked.contains(&series.name) {
                let name = series.name.clone();
                requests.when(ui.small_button("x").clicked(), move |viewer| {
                    viewer.drop_quantity(&name)
                });
            }
        });
    }
}

/// The field that takes a quantity.
fn field(ui: &mut Ui, viewer: &Viewer, requests: &mut Requests) {
    let mut typed = viewer.quantities.typed.clone();
    let field = ui.add(
        TextEdit::singleline(&mut typed)
            .hint_text("another quantity: P.vx^2")
            .desired_width(180.0),
    );
    let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
    if is_entered {
        field.request_focus();
    }
    requests.when(field.changed(), move |viewer| viewer.quantities.typed = typed);
    requests.when(is_entered, Viewer::add_quantity);
    if let Some(refused) = &viewer.quantities.refused {
        ui.set_max_width(260.0);
        ui.colored_label(WARNING, refused);
    }
}

/// What the curves are drawn over.
fn over(ui: &mut Ui, viewer: &Viewer, requests: &mut Requests) {
    ui.separator();
    ui.label("over");
    let names = viewer.show.recording.outputs.iter().map(|series| Some(&series.name));
    for name in [None].into_iter().chain(names) {
        let row = ui.radio(viewer.plots.over.as_ref() == name, name.map_or("the time", |name| name));
        let name = name.cloned();
        requests.when(row.clicked(), move |viewer| viewer.plots.over = name);
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{opened, wait};

    const SCENE: &str = r#"Scene(
        name: "ball", space: Planar, gravity: [0, -10], parameters: { "v": (value: 2, bounds: (1, 3)) },
        points: { "ball": (at: [0, 1], velocity: ["v", 0], mass: 1) },
        outputs: { "height": "ball.y" }, simulation: (duration: 0.6),
    )"#;

    #[test]
    fn what_is_written_becomes_a_curve_of_every_motion_or_is_refused_by_name() {
        let (_folder, mut viewer) = opened(SCENE);
        viewer.quantities.typed = "bal.vx".to_string();
        viewer.add_quantity();
        let refused = viewer.quantities.refused.clone().expect("a reason");
        assert!(refused.contains("`bal") && refused.contains("`ball`"), "{refused}");
        assert!(viewer.quantities.asked.is_empty() && !viewer.worker.is_busy());

        viewer.quantities.typed = " ball.vx^2 + height ".to_string();
        viewer.add_quantity();
        assert_eq!(
            (viewer.quantities.refused.as_ref(), viewer.quantities.typed.as_str()),
            (None, "")
        );
        wait(&mut viewer);
        let names = ["height", "ball.vx^2 + height"];
        assert_eq!(viewer.plots.names(&viewer.show.recording), names);
        viewer.set(0, 3.0);
        wait(&mut viewer);
        assert_eq!(viewer.message, None);
        let [height, sum] = &viewer.show.recording.outputs[..] else {
            panic!("two outputs")
        };
        assert!(
            sum.values
                .iter()
                .zip(&height.values)
                .all(|(sum, height)| (sum - height - 9.0).abs() < 1e-9)
        );

        viewer.drop_quantity("ball.vx^2 + height");
        wait(&mut viewer);
        assert_eq!(viewer.plots.names(&viewer.show.recording), ["height"]);
    }
}
