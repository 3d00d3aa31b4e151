//! The window: what is shown, what is asked for, and the loop of frames.

use std::panic;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use kiss3d::pollster::block_on;
use kiss3d::window::Window;

use super::backdrop::{Page, placed_paths};
use super::camera::{Area, Look, Sight};
use super::headless::setup;
use super::stage::{Content, Stage};
use super::state::Viewer;
use super::{graphics, inspect, keys, light, panels, waiting};
use crate::error::{Error, ErrorKind, Result};
use crate::run::{Changes, Experiment};
use crate::show::Show;

/// Size of a new window in pixels.
const SIZE: (u32, u32) = (1280, 800);

/// How long frames go on once nothing moves, for what panels show with a delay.
const SETTLED: Duration = Duration::from_millis(1500);

/// How often a window at rest looks whether anything has happened.
const TICK: Duration = Duration::from_millis(15);

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
    light::prepare(&mut window);
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
    let name = viewer.inspector.name();
    let selected = name.map_or(String::new(), |name| format!(" - {name}"));
    let (name, t) = (&viewer.show.experiment.name, viewer.playback.t());
    format!("{name}{selected} - t = {t:.3} s - costate")
}

/// Draws frame after frame until the window is closed.
async fn run(viewer: &mut Viewer, window: &mut Window) {
    let (mut stage, mut free) = (Stage::new(), area(viewer, window).free());
    let mut sight = Sight::new(&viewer.show, &area(viewer, window), &Look::default()).of(window);
    let (mut last, mut stirred) = (Instant::now(), Instant::now());
    loop {
        panels::draw(window, viewer).apply(viewer);
        for key in keys::pressed(window, &mut viewer.inspector.pointer) {
            viewer.press(key);
        }
        if viewer.is_closing {
            window.close();
        }
        let area = area(viewer, window);
        let is_resized = std::mem::replace(&mut free, area.free()) != area.free();
        let is_refitted = std::mem::take(&mut viewer.is_refitted);
        if is_refitted {
            // In the size that suits the motion.
            viewer.refit();
        }
        // Panels come or go, or the window changes its size.
        if is_refitted || is_resized {
            viewer.paths = None;
            sight = Sight::new(&viewer.show, &area, &Look::default()).of(window);
        }
        if let Some(at) = viewer.inspector.pointer.clicked.take() {
            let owner = inspect::under(&viewer.show, viewer.playback.t(), &sight, (at, area.size));
            viewer.inspector.select(owner, &viewer.show);
        }
        sight.follow_mouse(viewer.inspector.pointer.moves_view, viewer.show.is_planar());
        viewer.follow_mouse(&sight, area.size);
        viewer.pull(&sight, area.size);
        viewer.follow_optimization();
        viewer.show_new_motion();
        viewer.update_background();
        // After the requests, so that what they change is seen in the same frame.
        draw(viewer, window, &mut stage, &sight, &Page::new(&area));
        window.set_title(&title(viewer));
        if !window.render_3d(&mut stage.scene, &mut sight.camera).await {
            return;
        }
        let now = Instant::now();
        viewer.playback.advance((now - last).as_secs_f64());
        last = now;
        viewer.reload_if_changed();
        if viewer.inspector.pointer.is_stirred || !viewer.is_at_rest() {
            stirred = now;
        } else if stirred.elapsed() > SETTLED {
            rest(viewer, window);
            (stirred, last) = (Instant::now(), Instant::now());
        }
    }
}

/// Draws nothing until something happens that may change the picture.
fn rest(viewer: &mut Viewer, window: &mut Window) {
    while viewer.is_at_rest() && !viewer.inspector.pointer.is_stirred {
        sleep(TICK);
        window.canvas_mut().poll_events();
        for key in keys::pressed(window, &mut viewer.inspector.pointer) {
            viewer.press(key);
        }
        viewer.reload_if_changed();
    }
}

/// Puts everything but the panels into the next frame.
fn draw(viewer: &mut Viewer, window: &mut Window, stage: &mut Stage, sight: &Sight, page: &Page) {
    let t = viewer.playback.t();
    viewer.inspector.update(&viewer.show, t);
    let arrows = viewer.arrows.blocks(&viewer.show, t);
    let ghost = match viewer.shown.ghost {
        true => viewer.predictions.blocks(t),
        false => Vec::new(),
    };
    let show = &viewer.show;
    let paths = match viewer.shown.traces {
        true => viewer
            .paths
            .get_or_insert_with(|| placed_paths(show, &viewer.kept, &sight.placing)),
        false => &Vec::new(),
    };
    let content = Content {
        show,
        t,
        caption: "",
        gradient: viewer.gradient.found.as_ref(),
        selected: viewer.inspector.owner(),
        arrows,
        legend: &viewer.arrows,
        predicted: viewer.predictions.label().filter(|_| !ghost.is_empty()),
        ghost,
        behind: &[],
        comparison: &viewer.kept,
        names: viewer.shown.names,
        frames: viewer.shown.frames,
        paths,
    };
    light::cast_shadows(window, show.is_planar(), sight.camera.dist());
    stage.draw(window, sight, page, content);
}

/// The picture with what the panels cover.
fn area(viewer: &Viewer, window: &Window) -> Area {
    let points = window.scale_factor() as f32;
    Area {
        covered: panels::covered(&viewer.shown) * points,
        ..Area::whole(window.width(), window.height())
    }
}
