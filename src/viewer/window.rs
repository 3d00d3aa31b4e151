//! The window: what is shown, what is asked for, and the loop of frames.

use std::panic;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use kiss3d::event::{Action, Key, WindowEvent};
use kiss3d::pollster::block_on;
use kiss3d::prelude::Vec3;
use kiss3d::window::Window;

use super::camera::Area;
use super::headless::{prepare, setup};
use super::panels::{self, Request};
use super::playback::Playback;
use super::stage::{Placing, Stage};
use super::worker::{Order, Worker};
use super::{backdrop, camera, graphics, palette};
use crate::error::{Error, ErrorKind, Result};
use crate::run::{Changes, Experiment};
use crate::show::Show;

/// Size of a new window in pixels.
const SIZE: (u32, u32) = (1280, 800);
/// How often the scene file is looked at for changes, in seconds.
const FILE_INTERVAL: f64 = 0.5;

/// What a window shows, apart from the graphics.
pub(super) struct Viewer {
    scene: PathBuf,
    /// What the caller changes about the scene, and what the sliders change besides.
    given: Changes,
    changes: Changes,
    pub(super) show: Box<Show>,
    pub(super) playback: Playback,
    pub(super) worker: Worker,
    /// Values of the sliders, one per parameter, and their ends, which stay where they are while a slider is dragged.
    pub(super) values: Vec<f64>,
    pub(super) ranges: Vec<(f64, f64)>,
    /// What went wrong last.
    pub(super) message: Option<String>,
    /// Which panels are shown.
    pub(super) shown: Shown,
    paths: Option<Vec<Vec<Vec3>>>,
    file_time: Option<SystemTime>,
    looked: Instant,
}

/// What is switched on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    pub(super) traces: bool,
    pub(super) help: bool,
    pub(super) parameters: bool,
    pub(super) plot: bool,
}

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
    block_on(viewer.run(&mut window));
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

impl Viewer {
    fn new(scene: &Path, changes: &Changes, show: Show) -> Self {
        Self {
            scene: scene.to_path_buf(),
            given: changes.clone(),
            changes: changes.clone(),
            playback: Playback::new(show.film.span()),
            values: values(&show),
            ranges: panels::ranges(&show),
            show: Box::new(show),
            worker: Worker::new(),
            message: None,
            shown: Shown {
                traces: false,
                help: false,
                parameters: true,
                plot: true,
            },
            paths: None,
            file_time: modified(scene),
            looked: Instant::now(),
        }
    }

    async fn run(&mut self, window: &mut Window) {
        prepare(window);
        window.set_shadows_enabled(!self.show.is_planar());
        let mut stage = Stage::new();
        let mut placing = Placing::new(&self.show.scale);
        let mut camera = camera::fitted(&self.show, &placing, &self.area(window));
        let mut free = self.area(window).free();
        let mut last = Instant::now();
        loop {
            let blocks = self.show.blocks(self.playback.t()).1;
            stage.show(&blocks, &placing, |block| palette::colour(block.material));
            let area = self.area(window);
            backdrop::draw(window, &camera, &self.show, &placing, (&area, ""));
            self.draw_paths(window, &placing);
            let requests = panels::draw(window, self);
            let requests = requests.into_iter().chain(self.keys(window));
            for request in requests.collect::<Vec<_>>() {
                match request {
                    Request::Close => window.close(),
                    Request::Fit => {
                        placing = Placing::new(&self.show.scale);
                        self.paths = None;
                        camera = camera::fitted(&self.show, &placing, &self.area(window));
                    }
                    other => self.answer(other),
                }
            }
            let now_free = self.area(window).free();
            if now_free != free {
                free = now_free;
                camera = camera::fitted(&self.show, &placing, &self.area(window));
            }
            window.set_title(&title(&self.show, self.playback.t()));
            if !window.render_3d(&mut stage.scene, &mut camera).await {
                return;
            }
            let now = Instant::now();
            self.playback.advance((now - last).as_secs_f64());
            last = now;
            self.look_at_the_file();
            self.take_over();
        }
    }

    /// The picture with what the panels cover.
    fn area(&self, window: &Window) -> Area {
        let points = window.scale_factor() as f32;
        Area {
            covered: panels::covered(&self.shown) * points,
            ..Area::whole(window.width(), window.height())
        }
    }

    fn keys(&self, window: &mut Window) -> Vec<Request> {
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

    /// Does what a key or a button asks for.
    fn answer(&mut self, request: Request) {
        let events = || self.show.report.events.iter().map(|event| event.t);
        match request {
            Request::Toggle => self.playback.toggle(),
            Request::Step(direction) => self.playback.step(direction),
            Request::Next => {
                let events: Vec<f64> = events().collect();
                self.playback.seek_next(events.into_iter());
            }
            Request::Previous => {
                let events: Vec<f64> = events().collect();
                self.playback.seek_previous(events.into_iter());
            }
            Request::Seek(t) => self.playback.seek(t),
            Request::Speed(speed) => self.playback.set_speed(speed),
            Request::Faster(factor) => self.playback.set_speed(self.playback.speed() * factor),
            Request::Loop => self.playback.looping = !self.playback.looping,
            Request::Traces => self.shown.traces = !self.shown.traces,
            Request::Help => self.shown.help = !self.shown.help,
            Request::Parameters => self.shown.parameters = !self.shown.parameters,
            Request::Plot => self.shown.plot = !self.shown.plot,
            Request::Set(parameter, value) => self.set(parameter, value),
            Request::Reset => self.reset(),
            Request::Close | Request::Fit => {}
        }
    }

    fn set(&mut self, parameter: usize, value: f64) {
        let name = self.show.model().parameters[parameter].name.clone();
        self.values[parameter] = value;
        self.changes.parameters.retain(|(other, _)| *other != name);
        self.changes.parameters.push((name, value));
        self.order();
    }

    fn reset(&mut self) {
        self.changes = self.given.clone();
        self.order();
    }

    fn order(&mut self) {
        self.worker.order(Order {
            scene: self.scene.clone(),
            changes: self.changes.clone(),
        });
    }

    fn look_at_the_file(&mut self) {
        if self.looked.elapsed().as_secs_f64() < FILE_INTERVAL {
            return;
        }
        self.looked = Instant::now();
        let time = modified(&self.scene);
        if time.is_some() && time != self.file_time {
            self.file_time = time;
            self.order();
        }
    }

    /// Shows the motion that the worker has made; until then and on an error the old one stays.
    fn take_over(&mut self) {
        match self.worker.poll() {
            Some(Ok(show)) => {
                if names(&show) != names(&self.show) {
                    (self.values, self.ranges) = (values(&show), panels::ranges(&show));
                }
                self.show = show;
                self.paths = None;
                self.message = None;
                self.playback.set_span(self.show.film.span());
                if !self.worker.is_busy() {
                    self.values = values(&self.show);
                }
            }
            Some(Err(error)) => self.message = Some(describe(&error)),
            None => {}
        }
    }

    fn draw_paths(&mut self, window: &mut Window, placing: &Placing) {
        if !self.shown.traces {
            return;
        }
        let show = &self.show;
        let paths = self.paths.get_or_insert_with(|| {
            let place = |path: Vec<_>| path.into_iter().map(|at| placing.place(at)).collect();
            show.paths().into_iter().map(place).collect()
        });
        for path in paths.iter() {
            for pair in path.windows(2) {
                window.draw_line(pair[0], pair[1], palette::TRACE, 2.0, false);
            }
        }
    }
}

fn values(show: &Show) -> Vec<f64> {
    show.model()
        .parameters
        .iter()
        .map(|parameter| parameter.value)
        .collect()
}

fn names(show: &Show) -> Vec<&str> {
    show.model()
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect()
}

fn modified(scene: &Path) -> Option<SystemTime> {
    scene.metadata().and_then(|metadata| metadata.modified()).ok()
}

/// An error on a few lines: place, message, advice.
fn describe(error: &Error) -> String {
    let mut text = match error.line() {
        Some(line) => format!("line {line}: {}", error.message()),
        None => error.message().to_string(),
    };
    if let Some(advice) = error.advice() {
        text.push('\n');
        text.push_str(advice);
    }
    text
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
        Key::R => Request::Reset,
        Key::H | Key::F1 => Request::Help,
        Key::Q => Request::Close,
        _ => return None,
    })
}
