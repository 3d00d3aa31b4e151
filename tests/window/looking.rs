//! Clicks on the mechanism, and scenes that are wrong from the start.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use super::{Running, Screen, closes, opened, wait_for, write_scene};

/// Presses and releases without moving, slowly enough for every frame to see it.
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

/// A kept motion is hidden behind the same one, and seen when a parameter changes the motion, with a label from the start.
#[test]
fn a_motion_that_is_kept_stays_beside_the_next_and_names_come_and_go() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = folder.path().join("ball.ron");
    write_scene(&scene, "kept scene");
    let Some((_server, program, screen)) = opened(&scene, "kept scene") else {
        return;
    };
    wait_for("the time goes on", || screen.t() > 0.0);
    screen.key("Home");
    wait_for("the start", || screen.t() == 0.0);
    // Where the ball strikes the floor.
    screen.key("n");
    wait_for("the impact", || screen.t() > 0.4);
    let kept = || screen.kept_and_dark()[0];
    wait_for("a picture", || screen.kept_and_dark()[1] > 0);
    assert_eq!(kept(), 0);
    screen.key("v");
    wait_for("the label of the kept motion", || kept() > 30);
    sleep(Duration::from_millis(500));
    let label = kept();
    screen.key("bracketright");
    for _ in 0..10 {
        screen.key("minus");
    }
    wait_for("the kept ball beside the other one", || kept() > label + 100);
    screen.key("r");
    wait_for("it is hidden again", || kept() < label + 30);
    screen.key("v");
    wait_for("nothing is kept", || kept() == 0);

    let dark = || screen.kept_and_dark()[1];
    let before = dark();
    screen.key("w");
    wait_for("the name of the ball", || dark() > before + 15);
    screen.key("w");
    wait_for("no name", || dark() <= before + 5);
    closes(&screen, program);
}

/// The ball begins at the square of a parameter: drawn down, it begins lower, and the view stays.
#[test]
fn a_part_that_is_drawn_along_takes_its_parameter_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = folder.path().join("ball.ron");
    write_scene(&scene, "drawn scene");
    let Some((_server, program, screen)) = opened(&scene, "drawn scene") else {
        return;
    };
    wait_for("the time goes on", || screen.t() > 0.0);
    screen.key("Home");
    wait_for("the start", || screen.t() == 0.0);
    // Dark pixels about where the ball is drawn to: 100 lines below the upper edge of the part that is looked at.
    let is_dark = |pixel: &[u8; 3]| pixel.iter().map(|part| u32::from(*part)).sum::<u32>() < 200;
    let there = || {
        let pixels = screen.pixels();
        let lines = pixels.chunks_exact(960).skip(70).take(60);
        lines
            .flat_map(|line| &line[460..540])
            .filter(|pixel| is_dark(pixel))
            .count()
    };
    wait_for("the ball above", || there() < 20);
    let floor = || {
        let pixels = screen.pixels();
        // Right of the legend.
        let column = pixels.chunks_exact(960).map(|line| line[700]);
        column.take_while(|[blue, ..]| *blue > 0xc0).count()
    };
    let before = floor();
    wait_for("the ball where it was drawn to", || {
        screen.xdotool(&["mousemove", "500", "75"]);
        // The prediction is prepared when nothing moves.
        sleep(Duration::from_millis(2500));
        screen.xdotool(&["keydown", "shift"]);
        for command in [
            &["mousedown", "1"][..],
            &["mousemove", "502", "120"],
            &["mousemove", "500", "200"],
            &["mouseup", "1"],
        ] {
            screen.xdotool(command);
            sleep(Duration::from_millis(700));
        }
        screen.xdotool(&["keyup", "shift"]);
        sleep(Duration::from_millis(700));
        there() > 200
    });
    assert!(floor().abs_diff(before) < 3, "the view stays");
    screen.key("r");
    wait_for("the values of the scene", || there() < 20);
    closes(&screen, program);
}

/// With the control key the mouse draws on a part by a spring while the motion plays; it goes on where it is let go, and key R brings the
/// motion of the scene back.
#[test]
fn a_part_is_drawn_by_a_spring_while_the_motion_plays() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = folder.path().join("ball.ron");
    write_scene(&scene, "pulled scene");
    let Some((_server, program, screen)) = opened(&scene, "pulled scene") else {
        return;
    };
    wait_for("the time goes on", || screen.t() > 0.0);
    screen.key("Home");
    wait_for("the start", || screen.t() == 0.0);
    let is_dark = |pixel: &[u8; 3]| pixel.iter().map(|part| u32::from(*part)).sum::<u32>() < 200;
    // Left of where the ball drops.
    let aside = || {
        let pixels = screen.pixels();
        let lines = pixels.chunks_exact(960);
        lines
            .flat_map(|line| &line[150..420])
            .filter(|pixel| is_dark(pixel))
            .count()
    };
    let before = aside();
    wait_for("the ball at the mouse", || {
        screen.key("r");
        screen.key("Home");
        sleep(Duration::from_millis(700));
        screen.xdotool(&["mousemove", "500", "75"]);
        screen.xdotool(&["keydown", "ctrl"]);
        sleep(Duration::from_millis(700));
        screen.xdotool(&["mousedown", "1"]);
        sleep(Duration::from_millis(200));
        screen.xdotool(&["mousemove", "300", "250"]);
        sleep(Duration::from_millis(1200));
        let is_there = aside() > before + 100;
        screen.xdotool(&["mouseup", "1"]);
        screen.xdotool(&["keyup", "ctrl"]);
        is_there
    });
    // The ball is drawn to the left at the end of the motion, too.
    screen.key("End");
    wait_for("where it goes on to", || aside() > before + 100);
    screen.key("r");
    wait_for("the motion of the scene", || aside() < before + 20);
    closes(&screen, program);
}

/// A window that shows the same picture draws it once: while the motion is paused the program takes hardly any time of the processor, and
/// keys, the mouse and a scene that is saved wake it.
#[test]
fn nothing_is_drawn_while_the_motion_is_paused() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = folder.path().join("ball.ron");
    write_scene(&scene, "resting scene");
    let Some((_server, program, screen)) = opened(&scene, "resting scene") else {
        return;
    };
    wait_for("the time goes on", || screen.t() > 0.0);
    let seconds = |span: u64| {
        let before = processor_time(&program);
        sleep(Duration::from_secs(span));
        processor_time(&program) - before
    };
    let playing = seconds(2) / 2.0;
    screen.key("Home");
    wait_for("the start", || screen.t() == 0.0);
    wait_for("rest", || seconds(2) < 0.1 * playing);
    assert!(seconds(3) < 0.2 * playing, "it rests for good");
    screen.key("n");
    wait_for("the first event", || screen.t() > 0.1);
    wait_for("rest again", || seconds(2) < 0.1 * playing);
    write_scene(&scene, "changed scene");
    wait_for("the new scene", || screen.title().contains("changed scene"));
    screen.key("space");
    let t = screen.t();
    wait_for("it plays", || screen.t() != t);
    closes(&screen, program);
}

/// Seconds of the processor that a process has taken.
fn processor_time(program: &Running) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", program.0.id())).expect("it runs");
    let fields: Vec<f64> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split(' ')
        .filter_map(|field| field.parse().ok())
        .collect();
    // After the state, which is no number, the fields are numbers from the fourth on; times are the 14th and 15th, in hundredths.
    (fields[10] + fields[11]) / 100.0
}

/// The charts tell what is under the mouse and go to its time; key E leads from outputs to the energy, its balance, and back.
#[test]
fn charts_tell_values_under_the_mouse_go_to_its_time_and_show_the_balance() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = folder.path().join("ball.ron");
    // What gives and takes energy: the floor, the air, and a lift.
    write_scene(&scene, "charted scene");
    let forces =
        r#"forces: { "air": Drag(at: "ball", linear: 0.3), "lift": Load(at: "ball", force: [0, 2]) }, contacts:"#;
    let text = fs::read_to_string(&scene)
        .expect("it is written")
        .replace("contacts:", forces);
    fs::write(&scene, text).expect("the scene can be written");
    let Some((_server, program, screen)) = opened(&scene, "charted scene") else {
        return;
    };
    wait_for("the time goes on", || screen.t() > 0.0);
    screen.key("Home");
    wait_for("the start", || screen.t() == 0.0);
    // Text of the list beside the mouse.
    let is_dark = |pixel: &[u8; 3]| pixel.iter().all(|part| *part < 100);
    let dark = || {
        screen
            .part(640..1100, 560..720)
            .iter()
            .filter(|pixel| is_dark(pixel))
            .count()
    };
    screen.xdotool(&["mousemove", "300", "300"]);
    sleep(Duration::from_millis(1500));
    let before = dark();
    screen.xdotool(&["mousemove", "640", "650"]);
    wait_for("values under the mouse", || dark() > before + 150);
    assert_eq!(screen.t(), 0.0, "pointing does not go there");
    screen.drag(("640", "650"), ("640", "651"));
    wait_for("the middle of the chart", || (screen.t() - 1.0).abs() < 0.03);
    screen.drag(("640", "650"), ("330", "650"));
    wait_for("a quarter of the chart", || (screen.t() - 0.5).abs() < 0.03);
    shows_less_and_all_of_the_time(&screen);

    let count = |colour: [u8; 3]| {
        let is_near = |pixel: &[u8; 3]| pixel.iter().zip(colour).all(|(a, b)| a.abs_diff(b) < 16);
        screen
            .part(20..1260, 595..700)
            .iter()
            .filter(|pixel| is_near(pixel))
            .count()
    };
    screen.xdotool(&["mousemove", "300", "300"]);
    let (blue, orange, green) = ([0x9c, 0x6a, 0x35], [0x1f, 0x82, 0xd9], [0x8f, 0x9d, 0x4f]);
    let is_output = || count(blue) > 100 && count(orange) == 0;
    wait_for("the output", is_output);
    screen.key("e");
    wait_for("the potential energy", || count(orange) > 100 && count(green) == 0);
    screen.key("e");
    wait_for("what the floor, the air and the lift give", || {
        [blue, orange, green].map(count).iter().all(|pixels| *pixels > 100)
    });
    screen.key("e");
    wait_for("the output again", is_output);
    closes(&screen, program);
}

/// The wheel shows less of the time about the mouse, a drag with the right button what is before or after, and a double click all.
fn shows_less_and_all_of_the_time(screen: &Screen) {
    let seek = |x: &str| {
        screen.drag((x, "650"), (x, "651"));
        sleep(Duration::from_millis(300));
        screen.t()
    };
    wait_for("less of the time", || {
        screen.xdotool(&["mousemove", "640", "650"]);
        sleep(Duration::from_millis(1000));
        screen.xdotool(&["click", "--repeat", "4", "4"]);
        (0.55..0.95).contains(&seek("330"))
    });
    let before = screen.t();
    screen.xdotool(&["mousemove", "500", "650", "mousedown", "3"]);
    sleep(Duration::from_millis(1000));
    screen.xdotool(&["mousemove", "640", "650"]);
    sleep(Duration::from_millis(1000));
    screen.xdotool(&["mouseup", "3"]);
    sleep(Duration::from_millis(500));
    let after = seek("330");
    assert!(after < before - 0.02, "{after} {before}");
    wait_for("all of the time", || {
        screen.xdotool(&[
            "mousemove",
            "640",
            "650",
            "click",
            "--repeat",
            "2",
            "--delay",
            "120",
            "1",
        ]);
        sleep(Duration::from_millis(1000));
        (seek("330") - 0.5).abs() < 0.03
    });
}

#[test]
fn the_picture_moves_with_presses_on_it_and_not_with_those_on_panels_however_quick() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = folder.path().join("ball.ron");
    write_scene(&scene, "pressed scene");
    let Some((_server, program, screen)) = opened(&scene, "pressed scene") else {
        return;
    };
    wait_for("the time goes on", || screen.t() > 0.0);
    screen.key("Home");
    wait_for("the start", || screen.t() == 0.0);
    screen.xdotool(&["mousemove", "300", "300"]);
    sleep(Duration::from_millis(1500));
    let picture = || screen.part(0..900, 90..560);
    let before = picture();
    // Arrives and presses within a frame.
    let moves = ["mousemove", "1150", "260", "mousemove", "1100", "300"];
    screen.xdotool(&[&["mousemove", "1180", "240", "mousedown", "1"], &moves[..]].concat());
    sleep(Duration::from_millis(1000));
    screen.xdotool(&["mousemove", "1000", "330"]);
    sleep(Duration::from_millis(1000));
    screen.xdotool(&["mouseup", "1", "mousemove", "300", "300"]);
    sleep(Duration::from_millis(1500));
    assert!(picture() == before, "the picture stays");
    screen.drag(("300", "300"), ("340", "330"));
    wait_for("another picture", || picture() != before);
    closes(&screen, program);
}
