//! Clicks on the mechanism, and scenes that are wrong from the start.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::{Running, Screen, display, wait_for, write_scene, xdotool};

/// The program on a display of its own, once a window with these words in its title is there; none without a display or a
/// driver.
fn opened(scene: &std::path::Path, words: &str) -> Option<(Running, Running, Screen)> {
    let demanded = std::env::var_os("COSTATE_DEMAND_GRAPHICS").is_some();
    let folder = scene.parent().expect("a folder");
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
    if window.is_empty() && !demanded {
        return None;
    }
    let window = window.lines().next().expect("a window").to_string();
    let screen = Screen {
        name,
        window,
        folder: folder.to_path_buf(),
    };
    screen.xdotool(&["windowfocus", &screen.window]);
    Some((server, program, screen))
}

/// Presses and releases without moving, slowly enough for every frame to see it.
fn click(screen: &Screen, x: &str, y: &str) {
    for command in [&["mousemove", x, y][..], &["mousedown", "1"], &["mouseup", "1"]] {
        screen.xdotool(command);
        sleep(Duration::from_millis(500));
    }
}

fn closes(screen: &Screen, mut program: Running) {
    screen.key("q");
    let mut status = None;
    wait_for("the end of the program", || {
        status = program.0.try_wait().expect("a status");
        status.is_some()
    });
    assert!(status.is_some_and(|status| status.success()), "{status:?}");
}

#[test]
fn a_click_names_the_part_until_escape() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = folder.path().join("ball.ron");
    write_scene(&scene, "clicked scene");
    let Some((_server, program, screen)) = opened(&scene, "clicked scene") else {
        return;
    };
    wait_for("the time goes on", || screen.t() > 0.0);
    screen.key("Home");
    wait_for("the start", || screen.t() == 0.0);
    // The ball begins in the middle of the free width, at the top of its motion.
    wait_for("the name of the ball", || {
        click(&screen, "500", "75");
        screen.title().contains(" - ball - t = 0.000")
    });
    screen.key("Escape");
    wait_for("no name", || !screen.title().contains("ball"));
    // Nothing is there.
    click(&screen, "300", "200");
    assert!(!screen.title().contains("ball"), "{}", screen.title());
    for key in ["v", "a", "c", "e"] {
        screen.key(key);
    }
    screen.key("End");
    wait_for("the end, with arrows and the energy", || screen.t() == 2.0);
    closes(&screen, program);
}

#[test]
fn a_scene_that_is_wrong_from_the_start_is_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = folder.path().join("ball.ron");
    fs::write(&scene, "Scene(").expect("the scene can be written");
    let Some((_server, program, screen)) = opened(&scene, "cannot be simulated") else {
        return;
    };
    // Longer than the file system's clock may need for another time.
    sleep(Duration::from_secs(1));
    write_scene(&scene, "mended scene");
    wait_for("the motion of the mended scene", || {
        screen.title().starts_with("mended scene") && screen.t() > 0.0
    });
    closes(&screen, program);
}
