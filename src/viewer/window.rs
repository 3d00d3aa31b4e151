//! The window: what is shown, what is asked for, and the loop of frames.

use std::panic;
use std::path::Path;
use std::time::Instant;

use kiss3d::camera::OrbitCamera3d;
use kiss3d::pollster::block_on;
use kiss3d::prelude::Vec2;
use kiss3d::window::Window;

use super::camera::{Area, Look};
use super::floor::Floor;
use super::headless::{prepare, setup};
use super::keys::{self, Request};
use super::stage::{Placing, Stage};
use super::state::Viewer;
use super::{backdrop, camera, graphics, heat, inspect, palette, panels, waiting};
use crate::appearance::Block;
use crate::error::{Error, ErrorKind, Result};
use crate::run::{Changes, Experiment};
use crate::show::Show;

/// Size of a new window in pixels.
const SIZE: (u32, u32) = (1280, 800);

/// Opens a window on a scene and returns when it is closed.
///
/// # Errors
/// Kind `File` for a scene that cannot be read; kind `Graphics` without a display or a driver, unless the scene is wrong.
pub fn view(scene: &Path, changes: &Changes) -> Result<()> {
    let experiment = Experiment::open(scene, changes);
    let show = experiment.and_then(|experiment| Show::new(experiment, &mut |_| ()));
    // A window waits until a scene that is wrong is mended, but not for one that cannot be read, nor without a display.
    if let (Err(error), true) = (&show, !scene.is_file() || demand_display().is_err()) {
        return Err(error.clone());
    }
    demand_display()?;
    graphics::demand()?;
    let mut window = open(&scene.display().to_string())?;
    graphics::confirm()?;
    prepare(&mut window);
    block_on(async {
        let show = match show {
            Ok(show) => Some(Box::new(show)),
            Err(error) => waiting::wait(&mut window, scene, changes, &error).await,
        };
        if let Some(show) = show {
            run(&mut Viewer::new(scene, changes, show), &mut window).await;
        }
    });
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

fn title(viewer: &Viewer) -> String {
    let selected = viewer
        .inspector
        .name()
        .map_or(String::new(), |name| format!(" - {name}"));
    let (name, t) = (&viewer.show.experiment.name, viewer.playback.t());
    format!("{name}{selected} - t = {t:.3} s - costate")
}

/// Draws frame after frame until the window is closed.
async fn run(viewer: &mut Viewer, window: &mut Window) {
    window.set_shadows_enabled(!viewer.show.is_planar());
    let mut sight = Sight::new(viewer, window);
    let mut last = Instant::now();
    loop {
        let mut requests = panels::draw(window, viewer);
        requests.extend(keys::pressed(window, &mut viewer.inspector.pointer));
        for request in requests {
            match request {
                Request::Close => window.close(),
                Request::Fit => sight.fit(viewer, window),
                Request::Release(at) if viewer.inspector.release(at) => sight.select(at, viewer, window),
                other => viewer.answer(other),
            }
        }
        viewer.follow_optimization();
        viewer.take_over();
        viewer.foresee();
        sight.follow(viewer, window);
        // After the requests, so that what they change is seen in the same frame.
        sight.draw(viewer, window);
        window.set_title(&title(viewer));
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
        let t = viewer.playback.t();
        let (items, mut blocks) = viewer.show.blocks(t);
        blocks.extend(viewer.arrows.blocks(&viewer.show, t));
        if !viewer.show.is_planar() {
            blocks.extend(Floor::new(&viewer.show).slab(&self.camera, &self.placing));
        }
        viewer.inspector.update(&viewer.show, t);
        self.stage.give(viewer.show.given());
        let gradient = viewer.influence.gradient.as_ref();
        let selected = viewer.inspector.owner();
        let colour = |block: &Block| match items.get(block.item) {
            Some(item) if Some(item.owner) == selected => palette::SELECTED,
            _ => heat::colour(gradient, &items, block),
        };
        self.stage.show(&blocks, &self.placing, colour);
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
        let (page, sight) = (backdrop::Page::new(&area), (&self.camera, &self.placing));
        let is_coloured = viewer.influence.gradient.is_some();
        viewer.arrows.draw_legend(window, &page, sight, is_coloured);
        self.draw_paths(viewer, window);
    }

    /// Selects what lies under a pixel.
    fn select(&self, at: Vec2, viewer: &mut Viewer, window: &Window) {
        let size = Vec2::new(window.width() as f32, window.height() as f32);
        let owner = inspect::under(
            &viewer.show,
            viewer.playback.t(),
            (&self.camera, &self.placing),
            (at, size),
        );
        viewer.inspector.select(owner, &viewer.show);
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
