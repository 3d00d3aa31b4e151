//! The window, driven by keys and mouse on a virtual display. Needs Xvfb, xdotool and a graphics driver; where they are
//! missing there is nothing to test, unless `COSTATE_DEMAND_GRAPHICS` is set.
#![cfg(all(feature = "cli", feature = "viewer", target_os = "linux"))]

#[path = "window/looking.rs"]
mod looking;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A ball. The first parameter is the simulated time, so that the last time shown tells its value; the optimization takes it
/// to 2.5 in small steps. The height of the ball grows with the square of the second: predictions of it are seen to be off.
const SCENE: &str = r#"Scene(
    name: "NAME",
    space: Planar,
    parameters: { "T": (value: 2.0, bounds: (1.0, 3.0)), "h": (value: 1.0, bounds: (0.5, 1.5)) },
    gravity: [0, -9.81],
    points: { "ball": (at: [0, "h^2"], mass: 1) },
    contacts: { "floor": Touch(point: "ball", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.9)) },
    outputs: { "height": "ball.y" },
    objectives: { "miss": Final("(T - 2.5)^2 + 1e-9 * ball.y") },
    optimization: (minimize: "miss", over: ["T"], solver: NelderMead, stopping: (decrease: 1e-30)),
    simulation: (duration: "T"),
)"#;

/// Brightness of the ghost of the ball on paper.
const PALE: RangeInclusive<u32> = 560..=690;

/// One window at a time: drivers in software take all cores.
static ONE: Mutex<()> = Mutex::new(());

/// How long software rendering on a busy machine may take for anything.
const PATIENCE: Duration = Duration::from_secs(120);

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A virtual display and its name; it keeps its picture in a file in this folder.
fn display(folder: &Path) -> Option<(Running, String)> {
    let started = Command::new("Xvfb")
        .args([
            "-displayfd",
            "1",
            "-screen",
            "0",
            "1400x900x24",
            "-nolisten",
            "tcp",
            // Else it starts anew whenever its last client leaves, and refuses who comes then.
            "-noreset",
            "-fbdir",
        ])
        .arg(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut server = Running(started.ok()?);
    let mut number = String::new();
    let output = server.0.stdout.take().expect("a pipe");
    BufReader::new(output).read_line(&mut number).ok()?;
    Some((server, format!(":{}", number.trim())))
}

struct Screen {
    name: String,
    window: String,
    /// Where the display keeps its picture.
    folder: PathBuf,
    _one: MutexGuard<'static, ()>,
}

impl Screen {
    fn xdotool(&self, arguments: &[&str]) -> String {
        xdotool(&self.name, arguments).unwrap_or_default()
    }

    fn title(&self) -> String {
        self.xdotool(&["getwindowname", &self.window])
    }

    /// The time in the title.
    fn t(&self) -> f64 {
        let title = self.title();
        let time = title.split("t = ").nth(1).and_then(|rest| rest.split(' ').next());
        time.and_then(|time| time.parse().ok()).unwrap_or(f64::NAN)
    }

    fn key(&self, key: &str) {
        self.xdotool(&["key", "--window", &self.window, key]);
    }

    /// How many pixels left of and above the panels have this brightness, from 0 to 765.
    fn count(&self, brightness: RangeInclusive<u32>) -> usize {
        let pixels = self.pixels().into_iter();
        pixels
            .filter(|pixel| brightness.contains(&pixel.iter().map(|part| u32::from(*part)).sum()))
            .count()
    }

    /// The pixels left of and above the panels: blue, green and red.
    fn pixels(&self) -> Vec<[u8; 3]> {
        self.part(0..960, 100..560)
    }

    /// The pixels of a part of the display, line by line.
    fn part(&self, across: Range<usize>, down: Range<usize>) -> Vec<[u8; 3]> {
        let bytes = fs::read(self.folder.join("Xvfb_screen0")).expect("a picture");
        // The format of xwd: a header of big-endian numbers, colours of twelve bytes each, then the lines.
        let number = |k: usize| u32::from_be_bytes(bytes[4 * k..4 * k + 4].try_into().expect("four bytes")) as usize;
        let (start, line) = (number(0) + 12 * number(19), number(12));
        let lines = down.map(|y| &bytes[start + y * line + 4 * across.start..start + y * line + 4 * across.end]);
        let pixels = lines.flat_map(|line| line.chunks_exact(4));
        pixels.map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
    }

    /// How many pixels of the same part have the colour of a motion that is kept, and how many are as dark as ink.
    fn kept_and_dark(&self) -> [usize; 2] {
        let pixels = self.pixels();
        let is_kept =
            |[blue, green, red]: &[u8; 3]| *red > green.saturating_add(30) && *blue > green.saturating_add(15);
        let is_dark = |pixel: &[u8; 3]| pixel.iter().map(|part| u32::from(*part)).sum::<u32>() < 200;
        [
            pixels.iter().filter(|pixel| is_kept(pixel)).count(),
            pixels.iter().filter(|pixel| is_dark(pixel)).count(),
        ]
    }

    /// The last time.
    fn end(&self) -> f64 {
        self.key("End");
        sleep(Duration::from_millis(300));
        self.t()
    }

    /// Presses, moves and releases slowly enough for every frame to see it.
    fn drag(&self, from: (&str, &str), to: (&str, &str)) {
        self.xdotool(&["mousemove", from.0, from.1]);
        sleep(Duration::from_millis(700));
        self.xdotool(&["mousedown", "1"]);
        sleep(Duration::from_millis(700));
        self.xdotool(&["mousemove", to.0, to.1]);
        sleep(Duration::from_millis(700));
        self.xdotool(&["mouseup", "1"]);
    }
}

fn xdotool(display: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new("xdotool").args(arguments).env("DISPLAY", display).output();
    let output = output.ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// Waits until something holds.
fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < PATIENCE, "not seen: {what}");
        sleep(Duration::from_millis(100));
    }
}

fn write_scene(path: &Path, name: &str) {
    fs::write(path, SCENE.replace("NAME", name)).expect("the scene can be written");
}

/// The program on a display of its own, once a window with these words in its title is there; none without a display or a
/// driver.
fn opened(scene: &Path, words: &str) -> Option<(Running, Running, Screen)> {
    let demanded = std::env::var_os("COSTATE_DEMAND_GRAPHICS").is_some();
    let folder = scene.parent().expect("a folder");
    let one = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some((server, name)) = display(folder).filter(|(_, name)| xdotool(name, &["version"]).is_some()) else {
        assert!(!demanded, "Xvfb or xdotool is missing");
        return None;
    };
    let mut program = Command::new(env!("CARGO_BIN_EXE_costate"));
    let program = program.arg("view").arg(scene).env("DISPLAY", &name);
    let program = program.env_remove("WAYLAND_DISPLAY").stderr(Stdio::piped());
    let mut program = Running(program.spawn().expect("the program runs"));
    let mut window = String::new();
    wait_for("a window or an end", || {
        window = xdotool(&name, &["search", "--name", words]).unwrap_or_default();
        !window.is_empty() || program.0.try_wait().is_ok_and(|ended| ended.is_some())
    });
    if window.is_empty() {
        let mut words = String::new();
        let output = program.0.stderr.take().expect("a pipe");
        BufReader::new(output).read_to_string(&mut words).expect("words");
        assert!(!demanded, "no window: {words}");
        return None;
    }
    let window = window.lines().next().expect("a window").to_string();
    let screen = Screen {
        name,
        window,
        folder: folder.to_path_buf(),
        _one: one,
    };
    screen.xdotool(&["windowfocus", &screen.window]);
    Some((server, program, screen))
}

/// Greatest size of a process in memory so far, in megabytes.
fn peak(process: &Child) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).expect("Linux tells it");
    let kilobytes = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next());
    kilobytes
        .and_then(|number| number.parse::<usize>().ok())
        .expect("a number")
        / 1024
}

/// Asks for the end and waits for it; the window of a planar mechanism has taken little memory until then.
fn closes(screen: &Screen, mut program: Running) {
    let megabytes = peak(&program.0);
    assert!(megabytes < 400, "{megabytes} MB");
    screen.key("q");
    let mut status = None;
    wait_for("the end of the program", || {
        status = program.0.try_wait().expect("a status");
        status.is_some()
    });
    assert!(status.is_some_and(|status| status.success()), "{status:?}");
}

/// While the slider of the height is held, a pale ball is seen where the prediction has it, beside the true one.
fn predicts_beside_the_motion(screen: &Screen) {
    screen.key("Home");
    sleep(Duration::from_millis(1500));
    let pale = || screen.count(PALE);
    let before = pale();
    let hold = |x: &str| screen.xdotool(&["mousemove", x, "68"]);
    hold("1063");
    sleep(Duration::from_millis(1500));
    screen.xdotool(&["mousedown", "1"]);
    sleep(Duration::from_millis(1500));
    hold("1023");
    wait_for("a ghost", || pale() > before + 200);
    screen.xdotool(&["mouseup", "1"]);
    wait_for("the ghost is gone", || pale() < before + 100);
    screen.key("r");
}

/// The optimization changes the motion, stops when asked to, is saved, and its result is discarded.
fn optimizes_and_takes_it_back(screen: &Screen) {
    wait_for("the motion of the scene", || screen.end() == 2.0);
    screen.key("Return");
    wait_for("another motion", || screen.end() != 2.0);
    screen.key("Return");
    wait_for("the optimized scene", || {
        screen.key("s");
        sleep(Duration::from_millis(500));
        screen.folder.join("ball-optimized.ron").exists()
    });
    let text = fs::read_to_string(screen.folder.join("ball-optimized.ron")).expect("it is written");
    assert!(text.contains("Optimized by `costate view` from ball.ron."), "{text}");
    assert!(text.contains("interrupted"), "it was stopped: {text}");
    screen.key("d");
    wait_for("the motion before the optimization", || screen.end() == 2.0);
    screen.key("m");
}

#[test]
fn the_window_plays_scrubs_follows_sliders_and_files_and_closes() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = folder.path().join("ball.ron");
    write_scene(&scene, "first ball");
    let Some((_server, program, screen)) = opened(&scene, "first ball") else {
        return;
    };
    wait_for("the time goes on", || screen.t() > 0.0);
    screen.key("space");
    wait_for("the time stands still", || {
        let t = screen.t();
        sleep(Duration::from_millis(700));
        screen.t() == t
    });
    screen.key("End");
    wait_for("the end", || screen.t() == 2.0);
    screen.drag(("400", "731"), ("640", "731"));
    wait_for("the middle of the timeline", || (screen.t() - 1.0).abs() < 0.05);

    screen.drag(("1068", "47"), ("1100", "47"));
    wait_for("a longer motion", || screen.end() > 2.1);
    screen.key("r");
    wait_for("the motion of the scene", || screen.end() == 2.0);

    predicts_beside_the_motion(&screen);
    optimizes_and_takes_it_back(&screen);

    write_scene(&scene, "second ball");
    wait_for("the new name", || screen.title().starts_with("second ball"));
    fs::write(&scene, "Scene(").expect("the scene can be written");
    sleep(Duration::from_secs(2));
    assert!(screen.title().starts_with("second ball"), "the motion before stays");

    closes(&screen, program);
}
