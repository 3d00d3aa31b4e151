//! Clicks on the mechanism, and scenes that are wrong from the start.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use super::{Screen, closes, opened, wait_for, write_scene};

/// Presses and releases without moving, slowly enough for every frame to see it; a frame that sees the pointer come only when
/// the button is down takes it for a drag, which the view is brought back from.
fn click(screen: &Screen, x: &str, y: &str) {
    screen.xdotool(&["mousemove", x, y]);
    sleep(Duration::from_millis(1500));
    screen.key("f");
    for command in [["mousedown", "1"], ["mouseup", "1"]] {
        sleep(Duration::from_millis(1000));
        screen.xdotool(&command);
    }
    sleep(Duration::from_millis(1000));
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
    // A slow machine may still have clicks to come.
    wait_for("no name", || {
        screen.key("Escape");
        !screen.title().contains("ball")
    });
    // Nothing is there.
    click(&screen, "300", "200");
    assert!(!screen.title().contains("ball"), "{}", screen.title());
    for key in ["1", "2", "5", "e"] {
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
