//! A window on a scene that cannot be simulated yet: the message, until the file is mended or the window is closed.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use kiss3d::camera::OrbitCamera3d;
use kiss3d::egui::Visuals;
use kiss3d::prelude::{SceneNode3d, Vec2, Vec3};
use kiss3d::window::Window;

use super::keys::{self, Request};
use super::panels;
use super::state::{describe, modified, simulate};
use super::worker::Worker;
use crate::error::{Error, Result};
use crate::run::{Changes, Interruption};
use crate::show::Show;

/// How often the scene file is looked at.
const FILE_INTERVAL: Duration = Duration::from_millis(500);

/// Shows why the scene cannot be simulated; ends with its motion once it can, and with nothing when the window is closed.
pub(super) async fn wait(window: &mut Window, scene: &Path, changes: &Changes, error: &Error) -> Option<Box<Show>> {
    let mut message = describe(error);
    let make = |order, interruption: &Interruption| -> Result<Box<Show>> { simulate(order, interruption) };
    let mut worker = Worker::new(make);
    let mut file_time: Option<SystemTime> = modified(scene);
    let mut looked = Instant::now();
    let (mut empty, mut camera) = (SceneNode3d::empty(), OrbitCamera3d::new(Vec3::Z, Vec3::ZERO));
    let mut pointer = Vec2::ZERO;
    window.set_title(&format!("{} - cannot be simulated - costate", scene.display()));
    while window.render_3d(&mut empty, &mut camera).await {
        if keys::pressed(window, &mut pointer).contains(&Request::Close) {
            return None;
        }
        window.draw_ui(|context| {
            context.set_visuals(Visuals::light());
            let title = "The scene cannot be simulated. Mend it and save: this window follows.";
            panels::message_panel(context, title, &message);
        });
        match worker.poll() {
            Some(Ok(show)) => return Some(show),
            Some(Err(error)) => message = describe(&error),
            None => {}
        }
        if looked.elapsed() >= FILE_INTERVAL {
            looked = Instant::now();
            let time = modified(scene);
            if time.is_some() && time != file_time {
                file_time = time;
                worker.order((scene.to_path_buf(), changes.clone()));
            }
        }
    }
    None
}
