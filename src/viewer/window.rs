//! The window: what is shown, what is asked for, and the loop of frames.

use std::panic;
use std::path::Path;
use std::time::Instant;

use kiss3d::camera::OrbitCamera3d;
use kiss3d::pollster::block_on;
use kiss3d::prelude::Vec2;
use kiss3d::window::Window;

use super::camera::{Area, Look};
use super::headless::{prepare, setup};
use super::keys::{self, Request};
use super::stage::{Placing, Stage};
use super::state::Viewer;
use super::{backdrop, camera, graphics, heat, palette, panels};
use crate::error::{Error, ErrorKind, Result};
use crate::run::{Changes, Experiment};
use crate::show::Show;

/// Size of a new window in pixels.
const SIZE: (u32, u32) = (1280, 800);

/// Opens a window on a scene and returns when it is closed.
///
/// # Errors
/// Whatever is wrong with the scene at the start; kind `Graphics` without a display or a driver.
pub fn view(scene: &Path, changes: &Changes) -> Result<()> {
    let experiment = Experiment::open(scene, changes)?;
    let show = Show::new(experiment, &mut |_| ())?;
    demand_display()?;
    graphics::demand()?;
    let title = title(&show, show.experiment.start);
    let mut window = open(&title)?;
    graphics::confirm()?;
    let mut viewer = Viewer::new(scene, changes, show);
    block_on(run(&mut viewer, &mut window));
    Ok(())
}

/// A window needs a display; on Linux its name is in the environment.
fn demand_display() -> Result<()> {
    let named = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    if cfg!(target_os = "linux") && !named {
        return Err(
            Error::new(ErrorKind::Graphics, "there is no display to open a window on")
                .advise("draw pictures without one: costate render SCENE --out picture.png (or .gif)"),
        );
    }
    Ok(())
}

/// The graphics library panics where the display cannot be opened.
fn open(title: &str) -> Result<Window> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| ()));
    let opened = panic::catch_unwind(|| block_on(Window::new_with_setup(title, SIZE.0, SIZE.1, setup())));
    panic::set_hook(hook);
    opened.map_err(|cause| {
        let cause = cause.downcast_ref::<String>().map_or("", |text| text.as_str());
        Error::new(ErrorKind::Graphics, format!("no window can be opened: {cause}"))
            .advise("check the environment variable DISPLAY, or draw pictures: costate render SCENE --out picture.png")
    })
}

fn title(show: &Show, t: f64) -> String {
    format!("{} - t = {t:.3} s - costate", show.experiment.name)
}

/// Draws frame after frame until the window is closed.
async fn run(viewer: &mut Viewer, window: &mut Window) {
    prepare(window);
    window.set_shadows_enabled(!viewer.show.is_planar());
    let mut sight = Sight::new(viewer, window);
    let mut last = Instant::now();
    loop {
        let mut requests = panels::draw(window, viewer);
        requests.extend(keys::pressed(window));
        for request in requests {
            match request {
                Request::Close => window.close(),
                Request::Fit => sight.fit(viewer, window),
                other => viewer.answer(other),
            }
        }
        viewer.follow_optimization();
        viewer.take_over();
        viewer.foresee();
        sight.follow(viewer, window);
        // After the requests, so that what they change is seen in the same frame.
        sight.draw(viewer, window);
        window.set_title(&title(&viewer.show, viewer.playback.t()));
        if !window.render_3d(&mut sight.stage.scene, &mut sight.camera).await {
            return;
        }
        let now = Instant::now();
        viewer.playback.advance((now - last).as_secs_f64());
        last = now;
        viewer.look_at_the_file();
    }
}

/// What the graphics library draws, and from where.
struct Sight {
    stage: Stage,
    placing: Placing,
    camera: OrbitCamera3d,
    /// The part of the window that the panels left free when the camera was placed.
    free: Vec2,
}

impl Sight {
    fn new(viewer: &Viewer, window: &Window) -> Self {
        let (placing, area) = (Placing::new(&viewer.show.scale), area(viewer, window));
        Self {
            stage: Stage::new(),
            placing,
            camera: camera::fitted(&viewer.show, &placing, &area, &Look::default()),
            free: area.free(),
        }
    }

    /// Shows everything, in the size that suits the motion.
    fn fit(&mut self, viewer: &mut Viewer, window: &Window) {
        viewer.show.rescale();
        self.placing = Placing::new(&viewer.show.scale);
        viewer.paths = None;
        self.camera = camera::fitted(&viewer.show, &self.placing, &area(viewer, window), &Look::default());
    }

    /// Shows everything once panels come or go or the window changes its size.
    fn follow(&mut self, viewer: &Viewer, window: &Window) {
        let area = area(viewer, window);
        if area.free() != self.free {
            self.free = area.free();
            self.camera = camera::fitted(&viewer.show, &self.placing, &area, &Look::default());
        }
    }

    /// Puts everything but the panels into the next frame.
    fn draw(&mut self, viewer: &mut Viewer, window: &mut Window) {
        let (items, blocks) = viewer.show.blocks(viewer.playback.t());
        let gradient = viewer.influence.gradient.as_ref();
        self.stage.give(viewer.show.given());
        self.stage
            .show(&blocks, &self.placing, |block| heat::colour(gradient, &items, block));
        let ghost = match viewer.shown.ghost {
            true => viewer.foresight.blocks(viewer.playback.t()),
            false => Vec::new(),
        };
        self.stage.show_ghost(&ghost, &self.placing);
        let area = area(viewer, window);
        backdrop::draw(window, &self.camera, &viewer.show, &self.placing, (&area, ""));
        if let Some(gradient) = &viewer.influence.gradient {
            heat::draw_legend(window, gradient, &area);
        }
        self.draw_paths(viewer, window);
    }

    fn draw_paths(&self, viewer: &mut Viewer, window: &mut Window) {
        if !viewer.shown.traces {
            return;
        }
        let show = &viewer.show;
        let paths = viewer
            .paths
            .get_or_insert_with(|| backdrop::placed_paths(show, &self.placing));
        backdrop::draw_paths(window, paths);
    }
}

/// The picture with what the panels cover.
fn area(viewer: &Viewer, window: &Window) -> Area {
    let points = window.scale_factor() as f32;
    Area {
        covered: panels::covered(&viewer.shown) * points,
        ..Area::whole(window.width(), window.height())
    }
}
