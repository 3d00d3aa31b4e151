//! A window on a scene that cannot be simulated yet: the message, until the file is mended or the window is closed.

use std::path::Path;

use kiss3d::camera::OrbitCamera3d;
use kiss3d::egui::Visuals;
use kiss3d::event::Key;
use kiss3d::prelude::{SceneNode3d, Vec3};
use kiss3d::window::Window;

use super::inspect::Pointer;
use super::state::{Order, describe, simulate};
use super::watch::FileWatch;
use super::worker::Worker;
use super::{keys, widgets};
use crate::error::Error;
use crate::run::Changes;
use crate::show::Show;

/// Shows why the scene cannot be simulated; ends with its motion once it can, and with nothing when the window is closed.
pub(super) async fn wait(window: &mut Window, scene: &Path, changes: &Changes, error: &Error) -> Option<Box<Show>> {
    let mut message = describe(error);
    let (mut worker, mut watch) = (Worker::new(simulate), FileWatch::new(scene));
    let (mut empty, mut camera) = (SceneNode3d::empty(), OrbitCamera3d::new(Vec3::Z, Vec3::ZERO));
    let mut pointer = Pointer::default();
    window.set_title(&format!("{} - cannot be simulated - costate", scene.display()));
    while window.render_3d(&mut empty, &mut camera).await {
        if keys::pressed(window, &mut pointer).contains(&Key::Q) {
            return None;
        }
        window.draw_ui(|context| {
            context.set_visuals(Visuals::light());
            let title = "The scene cannot be simulated. Mend it and save: this window follows.";
            widgets::message_panel(context, title, &message);
        });
        match worker.poll() {
            Some(Ok(show)) => return Some(show),
            Some(Err(error)) => message = describe(&error),
            None => {}
        }
        if watch.has_changed() {
            worker.order(Order {
                scene: scene.to_path_buf(),
                changes: changes.clone(),
                ..Order::default()
            });
        }
    }
    None
}
