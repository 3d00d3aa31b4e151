//! What pictures of mechanisms show. Without a graphics driver there is nothing to test, unless `COSTATE_DEMAND_GRAPHICS` is
//! set, as it is where the driver has been installed for these tests.
#![cfg(all(feature = "cli", feature = "viewer"))]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

use costate::appearance::{Fastening, Line, Material, Owner, Shape, frame_blocks};
use costate::error::ErrorKind;
use costate::files::Image;
use costate::model::quantity::VectorKind;
use costate::run::{Changes, Experiment};
use costate::show::{Comparison, Show};
use costate::viewer::{Look, Studio, Style};

/// One picture at a time: the graphics library keeps one context a thread, and drivers in software take all cores.
static STUDIO: Mutex<()> = Mutex::new(());

const SIZE: (u32, u32) = (640, 480);

fn scene(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes").join(name)
}

fn show(name: &str) -> Show {
    let experiment = Experiment::open(&scene(name), &Changes::default()).expect("the scene is valid");
    Show::new(experiment, &mut |_| ()).expect("it runs")
}

/// None without a graphics driver.
fn studio() -> Option<Studio> {
    studio_of(SIZE)
}

fn studio_of((width, height): (u32, u32)) -> Option<Studio> {
    match Studio::new(width, height) {
        Ok(studio) => Some(studio),
        Err(error) if error.kind() == ErrorKind::Graphics && !is_demanded() => None,
        Err(error) => panic!("{error}"),
    }
}

/// Pictures of a scene at some times and the pixels of its joints then; none without a graphics driver.
fn pictures(show: &Show, times: &[f64]) -> Option<Vec<(Image, Vec<Joint>)>> {
    let _one = STUDIO.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    studio().map(|mut studio| taken(&mut studio, show, times))
}

fn taken(studio: &mut Studio, show: &Show, times: &[f64]) -> Vec<(Image, Vec<Joint>)> {
    let taken = times.iter().map(|&t| {
        let image = studio.picture(show, t).expect("a picture");
        let joints = show.items(t).into_iter().filter_map(|item| match item.shape {
            Shape::Joint(at, how) => Some(Joint {
                pixel: studio.pixel(show, at),
                is_fixed: how == Fastening::Ground,
            }),
            _ => None,
        });
        (image, joints.collect())
    });
    taken.collect()
}

fn is_demanded() -> bool {
    std::env::var_os("COSTATE_DEMAND_GRAPHICS").is_some()
}

struct Joint {
    pixel: (f32, f32),
    is_fixed: bool,
}

fn at(image: &Image, (x, y): (f32, f32)) -> [u8; 3] {
    image.pixel(x as u32, y as u32).expect("the pixel is in the picture")
}

fn brightness(pixel: [u8; 3]) -> u32 {
    pixel.iter().map(|&part| u32::from(part)).sum()
}

#[test]
fn every_joint_is_in_the_picture_and_has_the_colour_of_joints() {
    let show = show("five_bar.ron");
    let Some(taken) = pictures(&show, &[0.0, 0.4, 2.0]) else {
        return;
    };
    for (image, joints) in &taken {
        assert_eq!(joints.len(), 5);
        for joint in joints {
            let (x, y) = joint.pixel;
            assert!(
                x > 0.0 && x < SIZE.0 as f32 && y > 0.0 && y < SIZE.1 as f32,
                "({x}, {y})"
            );
            // White in the middle of a pin, with a dark rim a few pixels aside.
            assert!(brightness(at(image, joint.pixel)) > 690, "{:?}", at(image, joint.pixel));
            let darkest = (0..12).map(|aside| brightness(at(image, (x + aside as f32, y)))).min();
            assert!(darkest < Some(450), "no rim: {darkest:?}");
        }
    }
}

/// Light changes the brightness of flat parts and not their colour: no gloss lies over them.
#[test]
fn planar_parts_have_the_colour_that_they_are_given() {
    let show = show("five_bar.ron");
    let _one = STUDIO.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some(mut studio) = studio() else { return };
    let image = studio.picture(&show, 0.0).expect("a picture");
    let (items, blocks) = show.blocks(0.0);
    let bars = items.iter().enumerate().filter_map(|(k, item)| match item.shape {
        Shape::Line(Line::Bar, [a, b]) => Some((k, (a + b) / 2.0)),
        _ => None,
    });
    let mut count = 0;
    for (k, middle) in bars {
        let block = blocks.iter().find(|block| block.item == k).expect("a part of the bar");
        let seen = at(&image, studio.pixel(&show, middle));
        for (seen, given) in seen.into_iter().zip(block.colour) {
            let (seen, given) = (i32::from(seen), i32::from(given));
            // A little less light than would show the given brightness.
            assert!((seen - given * 24 / 25).abs() < 12, "{seen} for {given}");
        }
        count += 1;
    }
    assert_eq!(count, 4);
}

#[test]
fn moments_before_are_seen_through_behind() {
    let show = show("five_bar.ron");
    let _one = STUDIO.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some(mut studio) = studio() else {
        return;
    };
    let style = |behind: Vec<f64>| Style {
        behind,
        ..Style::default()
    };
    studio.set_style(style(vec![0.0]));
    let both = studio.picture(&show, 0.6).expect("a picture");
    studio.set_style(style(Vec::new()));
    let alone = studio.picture(&show, 0.6).expect("a picture");
    // The middle of a bar as it was at the start, where nothing is now.
    let items = show.items(0.0).into_iter();
    let bars = items.filter_map(|item| match item.shape {
        Shape::Line(Line::Bar, [a, b]) => Some(studio.pixel(&show, (a + b) / 2.0)),
        _ => None,
    });
    let free: Vec<_> = bars.filter(|pixel| brightness(at(&alone, *pixel)) > 650).collect();
    assert!(free.len() > 1, "{free:?}");
    for pixel in free {
        let (before, after) = (brightness(at(&alone, pixel)), brightness(at(&both, pixel)));
        assert!(after + 60 < before && after > 300, "{before} {after}");
    }
}

#[test]
fn other_motions_are_seen_through_in_their_colours() {
    let mut show = show("five_bar.ron");
    let other = |value: f64| {
        let experiment = show.experiment.with_parameter("L01", value).expect("a value");
        (String::new(), Show::new(experiment, &mut |_| ()).expect("it runs"))
    };
    let others = [1.8, 2.8].map(other).into();
    let comparison = Comparison::new(String::new(), &mut show, others);
    let _one = STUDIO.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some(mut studio) = studio() else { return };
    let alone = studio.picture(&show, 1.5).expect("a picture");
    let others = comparison.others.clone();
    studio.compare(comparison);
    let all = studio.picture(&show, 1.5).expect("a picture");
    for other in &others {
        let bars = other.show.items(1.5).into_iter().filter_map(|item| match item.shape {
            Shape::Line(Line::Bar, [a, b]) => Some(studio.pixel(&show, (a + b) / 2.0)),
            _ => None,
        });
        // Where nothing else is.
        let free: Vec<_> = bars.filter(|pixel| brightness(at(&alone, *pixel)) > 650).collect();
        assert!(free.len() > 1, "{free:?}");
        for pixel in free {
            let (before, after) = (at(&alone, pixel), at(&all, pixel));
            assert!(
                apart(after, other.colour) + 100 < apart(before, other.colour),
                "{before:?} {after:?}"
            );
        }
    }
    studio.set_style(Style {
        traces: true,
        ..Style::default()
    });
    let traced = studio.picture(&show, 1.5).expect("a picture");
    for other in &others {
        let from_it = |pixel: &[u8]| apart([pixel[0], pixel[1], pixel[2]], other.colour);
        let pixels = traced.rgb.chunks_exact(3).zip(all.rgb.chunks_exact(3));
        let own = pixels.filter(|(after, before)| from_it(after) < 100 && from_it(before) > 200);
        assert!(own.count() > 100, "its path in its colour");
    }
    // The mechanism itself lies in front.
    for item in show.items(1.5) {
        if let Shape::Line(Line::Bar, [a, b]) = item.shape {
            let pixel = studio.pixel(&show, 0.6 * a + 0.4 * b);
            assert!(apart(at(&alone, pixel), at(&all, pixel)) < 12);
        }
    }
}

/// In a picture of other proportions than those of the other tests.
#[test]
fn names_stand_beside_what_they_are_of_and_nowhere_else() {
    let show = show("five_bar.ron");
    let _one = STUDIO.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some(mut studio) = studio_of((640, 400)) else {
        return;
    };
    let plain = studio.picture(&show, 0.3).expect("a picture");
    studio.set_style(Style {
        names: true,
        ..Style::default()
    });
    let named = studio.picture(&show, 0.3).expect("a picture");
    let names = show.names(&show.items(0.3), show.scale.bar);
    let mut words: Vec<&str> = names.iter().map(|(_, words)| words.as_str()).collect();
    words.sort_unstable();
    let bars = ["left crank", "left rod", "right crank", "right rod"];
    let all = ["A", "B", "P1", "P2", "P3"]
        .into_iter()
        .chain(bars)
        .chain(["spring 1", "spring 2"]);
    assert_eq!(words, all.collect::<Vec<_>>());
    let places: Vec<(f32, f32)> = names.iter().map(|(at, _)| studio.pixel(&show, *at)).collect();
    let changed: Vec<(f32, f32)> = (0..400)
        .flat_map(|y| (0..640).map(move |x| (x as f32, y as f32)))
        .filter(|&pixel| apart(at(&plain, pixel), at(&named, pixel)) > 60)
        .collect();
    let is_near = |place: (f32, f32), pixel: (f32, f32), (wide, high): (f32, f32)| {
        (place.0 - pixel.0).abs() < wide && (place.1 - pixel.1).abs() < high
    };
    for (place, (_, words)) in places.iter().zip(&names) {
        let near = changed
            .iter()
            .filter(|pixel| is_near(*place, **pixel, (40.0, 30.0)))
            .count();
        assert!(near > 8 * words.len(), "{words}: {near} pixels");
    }
    let strays = changed
        .iter()
        .filter(|pixel| !places.iter().any(|place| is_near(*place, **pixel, (100.0, 40.0))));
    assert_eq!(strays.count(), 0);
}

#[test]
fn ground_points_stay_and_the_others_move() {
    let show = show("five_bar.ron");
    let Some(taken) = pictures(&show, &[0.0, 0.3]) else {
        return;
    };
    for (before, after) in taken[0].1.iter().zip(&taken[1].1) {
        assert_eq!(before.is_fixed, before.pixel == after.pixel);
    }
}

#[test]
fn two_times_differ_and_the_same_time_twice_is_identical() {
    let show = show("double_pendulum_wall.ron");
    let Some(taken) = pictures(&show, &[0.2, 0.7, 0.2]) else {
        return;
    };
    assert!(taken[0].0 != taken[1].0);
    assert!(taken[0].0 == taken[2].0);
}

#[test]
fn arrows_are_drawn_where_they_act_and_a_zoom_keeps_its_centre() {
    let show = show("hanging_lamp.ron");
    let _one = STUDIO.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some(mut studio) = studio() else { return };
    let lamp = [0.6, 0.0, -1.2 * std::f64::consts::FRAC_PI_6.cos()];
    let centred = Look {
        centre: Some(lamp),
        ..Look::default()
    };
    let mut pictures = Vec::new();
    for (zoom, azimuth, arrows) in [
        (1.0, None, vec![]),
        (2.0, None, vec![]),
        (1.0, Some(1.0), vec![]),
        (1.0, None, vec![VectorKind::Reaction]),
    ] {
        let look = Look {
            zoom,
            azimuth,
            ..centred
        };
        studio.set_style(Style {
            look,
            arrows,
            ..Style::default()
        });
        let (x, y) = studio.pixel(&show, lamp);
        assert!((x - 320.0).abs() < 1.0 && (y - 240.0).abs() < 1.0, "({x}, {y})");
        let hook = studio.pixel(&show, [0.0; 3]);
        pictures.push((studio.picture(&show, 0.0).expect("a picture"), hook));
    }
    // The hook is farther off in the middle of a picture that is nearer, and elsewhere from another side.
    let off = |(x, y): (f32, f32)| (x - 320.0).hypot(y - 240.0);
    assert!(off(pictures[1].1) > 1.8 * off(pictures[0].1));
    assert!((pictures[2].1.0 - pictures[0].1.0).abs() > 20.0);
    let red = |image: &Image| {
        let pixels = image.rgb.chunks_exact(3);
        pixels
            .filter(|pixel| i32::from(pixel[0]) > i32::from(pixel[1].max(pixel[2])) + 60)
            .count()
    };
    assert_eq!(red(&pictures[0].0), 0);
    assert!(red(&pictures[3].0) > 200, "{} red pixels", red(&pictures[3].0));
}

#[test]
fn bodies_have_the_colour_that_is_given() {
    let show = show("double_pendulum_wall.ron");
    let Some(taken) = pictures(&show, &[0.0]) else { return };
    let given = Material::Body.colour();
    let is_near = |pixel: &[u8]| pixel.iter().zip(given).all(|(a, b)| a.abs_diff(b) < 12);
    let found = taken[0].0.rgb.chunks_exact(3).filter(|pixel| is_near(pixel)).count();
    assert!(found > 500, "{found} pixels have the colour of bodies");
}

#[test]
fn every_scene_shows_its_mechanism() {
    let _one = STUDIO.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some(mut studio) = studio() else { return };
    let folder = scene("");
    for entry in std::fs::read_dir(folder).expect("the scenes are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "ron") {
            continue;
        }
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let show = show(&name);
        let (image, joints) = &taken(&mut studio, &show, &[show.experiment.start])[0];
        for joint in joints {
            let (x, y) = joint.pixel;
            assert!(
                x > 0.0 && x < SIZE.0 as f32 && y > 0.0 && y < SIZE.1 as f32,
                "{name}: ({x}, {y})"
            );
        }
        let paper = at(image, (3.0, SIZE.1 as f32 / 2.0));
        let drawn = image.rgb.chunks_exact(3).filter(|pixel| pixel[..] != paper).count();
        assert!(drawn > 2000, "{name}: {drawn} pixels are not paper");
    }
}

fn costate(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_costate"))
        .args(arguments)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .expect("the program runs")
}

/// Of a command that draws; none without a graphics driver.
fn drawn(arguments: &[&str]) -> Option<Output> {
    let _one = STUDIO.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let output = costate(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() && error.contains("mesa-vulkan-drivers") && !is_demanded() {
        return None;
    }
    assert!(output.status.success(), "{error}");
    Some(output)
}

#[test]
fn the_command_writes_pictures_animations_and_frames() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let scene = scene("bouncing_ball.ron").to_string_lossy().into_owned();
    let small = ["--size", "160x120", "--quiet"];
    let render = |rest: &[&str]| {
        let start = ["render", &scene];
        drawn(&start.iter().chain(rest).chain(&small).copied().collect::<Vec<_>>())
    };
    if render(&["--out", &file("a.png"), "--at", "1"]).is_none() {
        return;
    }
    for name in ["a.gif", "frames", "a.apng"] {
        render(&["--out", &file(name), "--duration", "1", "--fps", "5", "--speed", "1"]);
    }
    let bytes = |name: &str| std::fs::read(file(name)).expect("it is written");
    assert!(bytes("a.png").starts_with(b"\x89PNG"));
    assert!(bytes("a.gif").starts_with(b"GIF89a"));
    let animated = bytes("a.apng");
    assert_eq!(animated.windows(4).filter(|tag| *tag == b"fcTL").count(), 6);
    let frames = std::fs::read_dir(file("frames")).expect("a folder").count();
    assert_eq!(frames, 6);
}

fn decoded(path: &Path) -> Image {
    let file = std::fs::File::open(path).expect("it is written");
    let mut reader = png::Decoder::new(std::io::BufReader::new(file))
        .read_info()
        .expect("a PNG");
    let mut rgb = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut rgb).expect("a PNG");
    let (width, height) = (info.width, info.height);
    Image { width, height, rgb }
}

/// Rows and columns of the line at the time of a picture, in the lower half.
fn line_of_time(picture: &Image) -> (Vec<u32>, Vec<u32>) {
    let places = (picture.height / 2..picture.height).flat_map(|y| (0..picture.width).map(move |x| (x, y)));
    places
        .filter(|&(x, y)| picture.pixel(x, y) == Some([184, 47, 58]))
        .map(|(x, y)| (y, x))
        .unzip()
}

#[test]
fn curves_stand_below_the_mechanism_with_a_line_at_the_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = scene("five_bar.ron").to_string_lossy().into_owned();
    let picture = |curves: &[&str], t: &str| {
        let out = folder.path().join("a.png");
        let start = [
            "render",
            &scene,
            "--quiet",
            "--size",
            "440x400",
            "--at",
            t,
            "--out",
            out.to_str()?,
        ];
        drawn(&start.iter().chain(curves).copied().collect::<Vec<_>>())?;
        Some(decoded(&out))
    };
    let Some(plain) = picture(&[], "0") else { return };
    assert_eq!(line_of_time(&plain).0.len(), 0);
    let column = |t: &str| {
        let picture = picture(&["--curves", "y2,vy2"], t).expect("a driver");
        assert_eq!((picture.width, picture.height), (440, 400));
        let (rows, columns) = line_of_time(&picture);
        assert!(rows.len() > 2 * 112, "through both panels: {}", rows.len());
        *columns.iter().min().expect("a line")
    };
    let (start, middle, end) = (column("0"), column("2.5"), column("5"));
    assert!(start > 20 && end < 440 && end - start > 300, "{start} {end}");
    assert!((start + end).abs_diff(2 * middle) <= 2, "{start} {middle} {end}");
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_is_complained_of_where_no_folder_for_displays_is_named() {
    let _one = STUDIO.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let folder = tempfile::tempdir().expect("a folder");
    let mut program = Command::new(env!("CARGO_BIN_EXE_costate"));
    program
        .args(["render", "--quiet", "--size", "64x64"])
        .arg(scene("bouncing_ball.ron"));
    program
        .arg("--out")
        .arg(folder.path().join("a.png"))
        .env_remove("XDG_RUNTIME_DIR");
    let output = program.output().expect("the program runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!error.contains("XDG_RUNTIME_DIR"), "{error}");
    assert!(output.status.success() || !is_demanded(), "{error}");
}

/// `render` to a.mp4 in a folder, where a script of this text, or nothing, is the program ffmpeg.
#[cfg(unix)]
fn filming(folder: &Path, programs: &Path, ffmpeg: Option<&str>) -> Command {
    use std::os::unix::fs::PermissionsExt;
    let mut path = programs.as_os_str().to_owned();
    if let Some(text) = ffmpeg {
        let script = programs.join("ffmpeg");
        std::fs::write(&script, format!("#!/bin/sh\n[ $1 = -version ] && exit 0\n{text}")).expect("it is written");
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("it is executable");
        path.push(":/usr/bin:/bin");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_costate"));
    command.args([
        "render",
        "--duration",
        "1",
        "--fps",
        "5",
        "--speed",
        "1",
        "--size",
        "160x120",
        "--quiet",
        "--out",
        "a.mp4",
    ]);
    command
        .arg(scene("bouncing_ball.ron"))
        .env("PATH", path)
        .current_dir(folder);
    command
}

/// What it ends with; none without a graphics driver.
#[cfg(unix)]
fn filmed(folder: &Path, ffmpeg: Option<&str>) -> Option<Output> {
    let programs = tempfile::tempdir().expect("a folder");
    let _one = STUDIO.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let output = filming(folder, programs.path(), ffmpeg)
        .output()
        .expect("the program runs");
    let has_driver = !String::from_utf8_lossy(&output.stderr).contains("mesa-vulkan-drivers");
    (has_driver || is_demanded()).then_some(output)
}

#[cfg(unix)]
#[test]
fn an_interruption_leaves_nothing_of_an_mp4() {
    let [folder, programs] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let files = || std::fs::read_dir(folder.path()).expect("a folder").count();
    let _one = STUDIO.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let script = "for last; do :; done; echo half > \"${last#file:}\"; sleep 5";
    let mut program = filming(folder.path(), programs.path(), Some(script))
        .spawn()
        .expect("the program runs");
    while files() == 0 && program.try_wait().expect("a status").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let sent = Command::new("kill").args(["-INT", &program.id().to_string()]).status();
    let status = program.wait().expect("a status");
    assert_eq!(files(), 0, "{status}");
    // Without a graphics driver it has ended before.
    assert!(
        sent.is_ok() && (status.code() == Some(130) || !is_demanded()),
        "{status}"
    );
}

#[cfg(unix)]
#[test]
fn pictures_of_an_mp4_go_to_ffmpeg_as_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    // More complaints than a pipe holds must not stop it.
    let script = "head -c 200000 /dev/zero >&2\nwhile [ $# -gt 1 ]; do printf '%s ' \"$1\"; shift; done > seen\n\
                  wc -c >> seen\necho film > \"${1#file:}\"";
    let Some(output) = filmed(folder.path(), Some(script)) else {
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("it is written");
    assert_eq!(read("a.mp4"), "film\n");
    let seen = read("seen");
    for words in [
        "-f rawvideo -pixel_format rgb24 -video_size 160x120 -framerate 5 -i pipe:0 ",
        "-c:v libx264 -pix_fmt yuv420p -movflags +faststart -f mp4 -y ",
        &format!("-y {}\n", 6 * 3 * 160 * 120),
    ] {
        assert!(seen.contains(words), "{seen}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2);
}

#[cfg(unix)]
#[test]
fn where_ffmpeg_fails_its_last_words_are_told_and_nothing_is_written() {
    for (script, words) in [
        (None, "no program ffmpeg is found on PATH"),
        (
            Some("echo one >&2; echo Unknown encoder >&2; exit 1"),
            "failed: one; Unknown encoder",
        ),
        (
            Some("for last; do :; done; echo half > \"${last#file:}\"; cat > /dev/null; echo no space >&2; exit 1"),
            "no space",
        ),
        (Some("exit 0"), "ended with exit status: 0"),
        (Some("cat > /dev/null"), "written nothing"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let Some(output) = filmed(folder.path(), script) else {
            return;
        };
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(1) && error.contains(words),
            "{words}: {error}"
        );
        assert!(error.contains(".gif or .apng"), "{error}");
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("a folder").count(),
            0,
            "{words}"
        );
    }
}

#[test]
fn wrong_requests_are_refused_before_anything_is_drawn() {
    let scene = scene("bouncing_ball.ron").to_string_lossy().into_owned();
    for (arguments, words) in [
        (&["--out", "a.bmp"][..], ".svg, .pdf, .gif, .apng"),
        (&["--out", "a.png", "--at", "1e9"][..], "outside the simulated time"),
        (&["--out", "a.png", "--azimuth", "30"][..], "seen straight on"),
        (&["--out", "a.mp4", "--size", "641x480"][..], "--size 642x480"),
        (&["--out", "a.gif", "--at", "1"][..], "--at is not for motions"),
        (&["--out", "a.png", "--curves", "z"][..], "no output of the scene"),
        (
            &["--out", "a.svg", "--curves", "y"][..],
            "--curves is not for vector pictures",
        ),
        (
            &["--out", "a.png", "--curves", "x", "--size", "160x120"][..],
            "236 pixels high",
        ),
    ] {
        let start = ["render", &scene];
        let all: Vec<&str> = start.iter().chain(arguments).copied().collect();
        let output = costate(&all);
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains(words), "{error}");
    }
    let output = costate(&["render", &scene, "--out", "a.png", "--size", "10x10"]);
    assert_eq!(output.status.code(), Some(2));
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_driver_the_packages_are_named_and_no_file_appears() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("a.png").to_string_lossy().into_owned();
    let scene = scene("bouncing_ball.ron").to_string_lossy().into_owned();
    let mut program = Command::new(env!("CARGO_BIN_EXE_costate"));
    program.args(["render", &scene, "--out", &out, "--size", "64x64"]);
    // The loader of Vulkan looks nowhere else; OpenGL may still be there.
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        program.env(variable, "/nowhere");
    }
    let output = program.output().expect("the program runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    for word in ["Vulkan", "libvulkan1", "mesa-vulkan-drivers"] {
        assert!(error.contains(word), "{error}");
    }
    assert!(!folder.path().join("a.png").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_window_without_a_display_points_to_pictures() {
    let scene = scene("bouncing_ball.ron").to_string_lossy().into_owned();
    for display in ["", ":4711"] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_costate"));
        program
            .args(["view", &scene])
            .env("DISPLAY", display)
            .env_remove("WAYLAND_DISPLAY");
        let output = program.output().expect("the program runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(
            error.contains("costate render") || error.contains("mesa-vulkan-drivers"),
            "{error}"
        );
    }
}

#[test]
fn bars_are_the_brighter_the_greater_the_derivative_by_their_length() {
    let show = show("five_bar.ron");
    let gradient = show.experiment.design_gradient("y2").expect("it has a gradient");
    let _one = STUDIO.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some(mut studio) = studio() else { return };
    let plain = studio.picture(&show, 0.0).expect("no arrows are asked for");
    studio.colour_by(Some(gradient.clone()));
    let coloured = studio.picture(&show, 0.0).expect("no arrows are asked for");
    let mut bars = Vec::new();
    for item in show.items(0.0) {
        let (Owner::Body(body), Shape::Line(Line::Bar, [a, b])) = (item.owner, &item.shape) else {
            continue;
        };
        // Away from the springs, which meet the bars at their ends.
        let place = studio.pixel(&show, 0.6 * a + 0.4 * b);
        let slope = gradient
            .bars
            .iter()
            .find(|bar| bar.body == Some(body))
            .expect("a slope");
        assert_ne!(at(&plain, place), at(&coloured, place), "{}", slope.name);
        let [red, green, blue] = at(&coloured, place).map(f64::from);
        bars.push((slope.slope, 0.299 * red + 0.587 * green + 0.114 * blue));
    }
    assert_eq!(bars.len(), 4);
    bars.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(bars.is_sorted_by(|a, b| a.1 < b.1), "{bars:?}");
}

#[test]
fn springs_are_the_brighter_the_more_a_per_cent_of_their_stiffness_changes() {
    let show = show("five_bar.ron");
    let gradient = show.experiment.design_gradient("y2").expect("it has a gradient");
    let _one = STUDIO.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some(mut studio) = studio() else { return };
    let plain = studio.picture(&show, 0.5).expect("a picture");
    studio.colour_by(Some(gradient.clone()));
    let coloured = studio.picture(&show, 0.5).expect("a picture");
    let mut springs = Vec::new();
    for item in show.items(0.5) {
        let Shape::Line(Line::Spring, [a, b]) = item.shape else {
            continue;
        };
        let own = costate::show::property_slope(&gradient, item.owner).expect("a slope");
        // Where the coil crosses its axis, away from its ends.
        let is_orange = |[red, _, blue]: [u8; 3]| red > blue.saturating_add(60);
        let places = (25..75).map(|k| studio.pixel(&show, a + (b - a) * (0.01 * f64::from(k))));
        let on_coil: Vec<_> = places.filter(|place| is_orange(at(&plain, *place))).collect();
        assert!(on_coil.len() > 5, "{}: {}", own.name, on_coil.len());
        let light: u32 = on_coil.iter().map(|place| brightness(at(&coloured, *place))).sum();
        studio.set_style(Style {
            selected: Some(item.owner),
            ..Style::default()
        });
        let selected = studio.picture(&show, 0.5).expect("a picture");
        assert!(
            on_coil
                .iter()
                .all(|place| apart(at(&selected, *place), at(&coloured, *place)) < 12)
        );
        springs.push((own.per_cent(), f64::from(light) / on_coil.len() as f64));
    }
    springs.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(springs.len(), 2);
    assert!(
        springs[0].0 < springs[1].0 && springs[0].1 + 10.0 < springs[1].1,
        "{springs:?}"
    );
}

#[test]
fn frames_are_drawn_where_bodies_have_them_and_turn_with_them() {
    let _one = STUDIO.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some(mut studio) = studio() else { return };
    for (name, axes) in [("tipping_block.ron", 2), ("gyroscope_in_gimbals.ron", 3)] {
        let show = show(name);
        let t = show.experiment.start + 0.2;
        studio.set_style(Style::default());
        let plain = studio.picture(&show, t).expect("a picture");
        studio.set_style(Style {
            frames: true,
            ..Style::default()
        });
        let framed = studio.picture(&show, t).expect("a picture");
        let frames = frame_blocks(&show.frames(t), &show.scale);
        let bodies = show.model().bodies.len();
        // A rod and a head for each axis of each body and of the ground.
        assert_eq!(frames.len(), 2 * axes * (bodies + 1), "{name}");
        let rods = frames.iter().step_by(2);
        let seen = rods.filter(|rod| {
            let pixel = studio.pixel(&show, rod.place(0.6 * costate::appearance::Vector::y()));
            let [old, new] = [&plain, &framed].map(|picture| at(picture, pixel));
            apart(new, rod.colour) < 120 && apart(old, new) > 60
        });
        assert!(seen.count() >= axes, "{name}");
    }
}

/// How far two colours are apart.
fn apart(a: [u8; 3], b: [u8; 3]) -> u32 {
    a.iter().zip(b).map(|(&a, b)| u32::from(a.abs_diff(b))).sum()
}

#[test]
fn bars_that_cross_have_colours_of_their_own_and_outlines() {
    let show = show("jansen_leg.ron");
    let _one = STUDIO.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some(mut studio) = studio() else { return };
    let image = studio.picture(&show, 0.5).expect("a picture");
    let (mut seen, mut outlined, mut count) = (std::collections::HashSet::new(), 0, 0);
    for item in show.items(0.5) {
        let Shape::Line(Line::Bar, [a, b]) = item.shape else {
            continue;
        };
        count += 1;
        // Some place along the bar that no other lies over.
        let places = (2..9).map(|k| studio.pixel(&show, a + (b - a) * (0.1 * f64::from(k))));
        let Some((x, y)) = { places }.find(|place| apart(at(&image, *place), item.colour) < 60) else {
            continue;
        };
        seen.insert(item.colour);
        let [from, to] = [a, b].map(|end| studio.pixel(&show, end));
        let across = [to.1 - from.1, from.0 - to.0].map(|x| x / (to.0 - from.0).hypot(to.1 - from.1));
        let around = (3..7).flat_map(|k| [k, -k]).map(|k| {
            let aside = |axis: usize| k as f32 * across[axis];
            brightness(at(&image, (x + aside(0), y + aside(1))))
        });
        outlined += usize::from(around.min() < Some(brightness(item.colour) - 60));
    }
    assert_eq!(count, 21);
    assert_eq!(seen.len(), 6, "{seen:?}");
    assert!(outlined > 16, "{outlined} of {count} have an outline");
}

#[test]
fn what_is_selected_keeps_its_colour_within_an_outline() {
    let _one = STUDIO.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some(mut studio) = studio() else { return };
    for (scene, coloured) in [("five_bar.ron", Some("y2")), ("slider_crank_3d.ron", None)] {
        let show = show(scene);
        let gradient = coloured.map(|objective| show.experiment.design_gradient(objective).expect("it has a gradient"));
        studio.colour_by(gradient);
        studio.set_style(Style::default());
        let items = show.items(0.0);
        let ends = items.iter().find_map(|item| match &item.shape {
            Shape::Line(Line::Bar, [a, b]) => Some((item.owner, *a, *b)),
            Shape::Plate(centre, corners) => Some((item.owner, *centre, *corners.first()?)),
            _ => None,
        });
        let (owner, a, b) = ends.expect("a body");
        let place = studio.pixel(&show, 0.6 * a + 0.4 * b);
        let plain = studio.picture(&show, 0.0).expect("a picture");
        studio.set_style(Style {
            selected: Some(owner),
            ..Style::default()
        });
        let selected = studio.picture(&show, 0.0).expect("a picture");
        assert!(apart(at(&plain, place), at(&selected, place)) < 12, "{scene}");
        let is_yellow = |[red, green, blue]: [u8; 3]| red > 200 && green > 130 && blue < 110;
        let count = |image: &Image| {
            let pixels = (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y)));
            pixels
                .filter(|&(x, y)| image.pixel(x, y).is_some_and(is_yellow))
                .count()
        };
        let (before, after) = (count(&plain), count(&selected));
        assert!(after > before + 60, "{scene}: {before} {after}");
    }
}
