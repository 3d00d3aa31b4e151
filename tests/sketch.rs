//! What vector pictures show, read back from the files.

#[path = "sketch/animated.rs"]
mod animated;
#[path = "sketch/read_back.rs"]
mod read_back;
#[path = "sketch/vectors.rs"]
mod vectors;

use std::path::Path;

use costate::run::{Changes, Experiment};
use costate::show::Show;
use costate::sketch::{Look, Palette, Sketch};
use read_back::{middle, page, paths, scene, show, svg, texts};

#[test]
fn every_bar_has_a_colour_of_its_own_and_lies_between_its_pins() {
    let show = show("four_bar.ron");
    let text = svg(&show, &[0.5], &Look::default());
    let found = paths(&text);
    let bars: Vec<_> = found
        .iter()
        .filter(|(places, fill, _)| places.len() > 20 && fill != "none" && fill != "#ffffff")
        .collect();
    assert_eq!(bars.len(), 3, "{bars:?}");
    let mut fills: Vec<&str> = bars.iter().map(|(_, fill, _)| &fill[..]).collect();
    fills.sort_unstable();
    fills.dedup();
    assert_eq!(fills.len(), 3);
    let pins: Vec<[f64; 2]> = found
        .iter()
        .filter(|(places, fill, _)| places.len() >= 12 && fill == "#ffffff")
        .map(|(places, ..)| middle(places))
        .collect();
    assert_eq!(pins.len(), 4);
    // The middle of a bar is half way between two pins.
    for (places, ..) in bars {
        let at = middle(places);
        let is_between = pins.iter().enumerate().any(|(i, a)| {
            pins[..i]
                .iter()
                .any(|b| ((a[0] + b[0]) / 2.0 - at[0]).hypot((a[1] + b[1]) / 2.0 - at[1]) < 0.05)
        });
        assert!(is_between, "{at:?} {pins:?}");
    }
}

#[test]
fn lengths_on_the_page_are_those_of_the_mechanism() {
    let show = show("four_bar.ron");
    let pins = |t: f64| -> Vec<[f64; 2]> {
        let found = paths(&svg(&show, &[t], &Look::default()));
        let pins = found
            .iter()
            .filter(|(places, fill, _)| places.len() >= 12 && fill == "#ffffff");
        pins.map(|(places, ..)| middle(places)).collect()
    };
    let distances = |pins: &[[f64; 2]]| {
        let mut all: Vec<f64> = Vec::new();
        for (i, a) in pins.iter().enumerate() {
            all.extend(pins[..i].iter().map(|b| (a[0] - b[0]).hypot(a[1] - b[1])));
        }
        all
    };
    let (first, later) = (distances(&pins(0.0)), distances(&pins(0.7)));
    let rigid = first.iter().zip(&later).filter(|(a, b)| (*a - *b).abs() < 0.01).count();
    // Three bars and the ground keep their lengths, the two diagonals do not.
    assert_eq!((first.len(), rigid), (6, 4), "{first:?} {later:?}");
}

#[test]
fn the_page_is_as_wide_as_asked_and_holds_the_mechanism_at_all_times() {
    let show = show("five_bar.ron");
    let look = Look {
        width: 85.0,
        ..Look::default()
    };
    for t in [0.0, 0.8, 1.8, 3.0, 5.0] {
        let text = svg(&show, &[t], &look);
        let [width, height] = page(&text);
        assert!((width - 85.0).abs() < 1e-9 && height > 20.0);
        for (places, fill, _) in paths(&text) {
            let is_within = |at: &[f64; 2]| (0.0..=width).contains(&at[0]) && (0.0..=height).contains(&at[1]);
            assert!(fill == "none" || places.iter().all(is_within), "{t} {places:?}");
        }
    }
}

#[test]
fn the_ground_is_hatched_below_its_surface() {
    let show = show("bouncing_ball.ron");
    let text = svg(&show, &[0.0], &Look::default());
    let found = paths(&text);
    let flat = |places: &[[f64; 2]]| places.len() == 2 && (places[0][1] - places[1][1]).abs() < 1e-9;
    let surface = found.iter().find(|(places, ..)| flat(places)).expect("a surface").0[0][1];
    let hatches: Vec<_> = found
        .iter()
        .filter(|(places, ..)| places.len() == 2 && !flat(places))
        .collect();
    assert!(hatches.len() > 10);
    for (places, ..) in hatches {
        assert!(places.iter().all(|at| at[1] > surface - 1e-9), "{places:?} {surface}");
    }
    let ball = found
        .iter()
        .find(|(places, fill, _)| places.len() > 12 && fill != "none")
        .expect("a ball");
    assert!(middle(&ball.0)[1] < surface);
}

#[test]
fn earlier_moments_are_paler_and_lie_behind() {
    let show = show("torsional_pendulum.ron");
    let text = svg(&show, &[0.0, 0.2, 0.4], &Look::default());
    let masses: Vec<u32> = paths(&text)
        .iter()
        .filter(|(places, fill, _)| places.len() > 20 && fill != "none" && fill != "#ffffff")
        .map(|(_, fill, _)| u32::from_str_radix(&fill[1..3], 16).unwrap())
        .collect();
    assert_eq!(masses.len(), 3, "{masses:?}");
    assert!(masses[0] > masses[1] && masses[1] > masses[2], "{masses:?}");
}

#[test]
fn print_has_no_colours() {
    let show = show("andrews_squeezer.ron");
    let look = Look {
        palette: Palette::Paper,
        traces: true,
        ..Look::default()
    };
    for (_, fill, stroke) in paths(&svg(&show, &[0.0], &look)) {
        for colour in [fill, stroke] {
            let is_grey = colour == "none" || (colour[1..3] == colour[3..5] && colour[3..5] == colour[5..7]);
            assert!(is_grey, "{colour}");
        }
    }
}

#[test]
fn names_are_written_once_and_escaped() {
    let text = r#"Scene(name: "a < b & c", space: Planar, ground: { "O": [0, 0] },
        points: { "tip <&>": (at: [1, 0], mass: 1) },
        bodies: { "rod": Bar(from: "O", to: "tip <&>", length: 1, mass: 1) }, simulation: (duration: 0.1))"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("names.ron");
    std::fs::write(&path, text).unwrap();
    let experiment = Experiment::open(&path, &Changes::default()).expect("the scene is valid");
    let show = Show::new(experiment, &mut |_| ()).expect("it runs");
    let look = Look {
        labels: true,
        ..Look::default()
    };
    let text = svg(&show, &[0.0], &look);
    let mut names = texts(&text);
    names.sort();
    assert_eq!(names, ["O", "rod", "tip <&>"]);
    assert!(text.contains("<title>a &lt; b &amp; c</title>"));
    assert!(texts(&svg(&show, &[0.0], &Look::default())).is_empty());
}

/// The show of a planar scene with these fields.
fn written(fields: &str) -> Show {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("written.ron");
    let text = format!(r#"Scene(name: "written", space: Planar, {fields} simulation: (duration: 0.1))"#);
    std::fs::write(&path, text).unwrap();
    let experiment = Experiment::open(&path, &Changes::default()).expect("the scene is valid");
    Show::new(experiment, &mut |_| ()).expect("it runs")
}

#[test]
fn a_rail_goes_through_its_block_where_it_is_offset() {
    let show = written(
        r#"ground: { "A": [0, 0], "B": [2, 0] }, points: { "P": (at: [1, 0.5], mass: 1) },
        joints: { "slot": PointOnLine(point: "P", line: Through("A", "B"), offset: 0.5) },"#,
    );
    let found = paths(&svg(&show, &[0.0], &Look::default()));
    let [width, _] = page(&svg(&show, &[0.0], &Look::default()));
    let rail = found
        .iter()
        .find(|(places, ..)| places.len() == 2 && (places[0][0] - places[1][0]).abs() > width - 1e-6);
    let block = found
        .iter()
        .find(|(places, fill, _)| places.len() == 4 && fill == "#ffffff")
        .expect("a block");
    assert!((rail.expect("a rail").0[0][1] - middle(&block.0)[1]).abs() < 1e-6);
}

#[test]
fn a_cylinder_seen_along_its_axis_is_one_circle() {
    let show = written(
        r#"points: { "P": (at: [0, 0], mass: 1) }, view: (shapes: { "P": [Cylinder(radius: 0.3, length: 0.1)] }),"#,
    );
    let text = svg(&show, &[0.0], &Look::default());
    let shapes: Vec<_> = paths(&text)
        .into_iter()
        .filter(|(_, fill, _)| fill != "none" && fill != "#ffffff")
        .collect();
    assert_eq!(
        (shapes.len(), text.matches('Z').count()),
        (1, paths(&text).iter().filter(|(_, fill, _)| fill != "none").count())
    );
    let (places, ..) = &shapes[0];
    let at = middle(places);
    let radii = places.iter().map(|place| (place[0] - at[0]).hypot(place[1] - at[1]));
    let (least, most) = radii.fold((f64::INFINITY, 0.0_f64), |(least, most), r| (least.min(r), most.max(r)));
    assert!(least > 0.97 * most, "{least} {most}");
}

#[test]
fn a_near_look_at_a_wide_surface_stays_small() {
    let show = show("five_bar.ron");
    let near = Look {
        crop: costate::sketch::Crop {
            zoom: 1e6,
            centre: Some([0.5, -2.35]),
        },
        ..Look::default()
    };
    assert!(svg(&show, &[1.8], &near).len() < 2_000_000);
}

#[test]
fn both_formats_draw_the_same_paths() {
    let show = show("slider_crank.ron");
    let sketch = Sketch::new(&show, &[0.1], &Look::default()).expect("a picture");
    let (pdf, svg) = (sketch.pdf(), sketch.svg());
    assert!(pdf.starts_with(b"%PDF-1.7") && pdf.trim_ascii_end().ends_with(b"%%EOF"));
    let text = String::from_utf8_lossy(&pdf);
    let drawn = text
        .lines()
        .filter_map(|line| line.strip_suffix(" m").or(line.strip_suffix(" l")));
    let drawn = drawn.map(|place| {
        let (x, y) = place.split_once(' ').expect("two coordinates");
        [x, y].map(|number| number.parse::<f64>().expect("a number") * 25.4 / 72.0)
    });
    let drawn: Vec<[f64; 2]> = drawn.collect();
    let wanted: Vec<[f64; 2]> = paths(&svg).into_iter().flat_map(|(places, ..)| places).collect();
    let height = page(&svg)[1];
    assert!(drawn.len() == wanted.len() && !wanted.is_empty());
    for (drawn, wanted) in drawn.iter().zip(&wanted) {
        let error = (drawn[0] - wanted[0]).hypot(height - drawn[1] - wanted[1]);
        assert!(error < 2e-3, "{drawn:?} {wanted:?}");
    }
}

#[cfg(feature = "cli")]
#[test]
fn the_command_writes_whole_files_and_says_what_is_not_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let render = |name: &str, out: &str, more: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_costate"));
        command
            .arg("render")
            .arg(scene(name))
            .arg("--out")
            .arg(folder.path().join(out));
        let done = command.args(more).output().expect("the program starts");
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    let moments = ["--at", "0,0.1,0.2", "--labels", "--style", "paper", "--width", "85"];
    assert_eq!(render("four_bar.ron", "four_bar.svg", &moments).0, Some(0));
    let text = std::fs::read_to_string(folder.path().join("four_bar.svg")).unwrap();
    assert!((page(&text)[0] - 85.0).abs() < 1e-9 && !texts(&text).is_empty());
    let shown = ["--arrows", "velocities,reactions", "--frames"];
    assert_eq!(render("four_bar.ron", "four_bar.pdf", &shown).0, Some(0));
    // A second is shown for five unless a speed is given.
    for (option, pictures) in [("--fps", 50), ("--speed", 25)] {
        let number = if option == "--fps" { "10" } else { "1" };
        assert_eq!(
            render("four_bar.ron", "plays.svg", &[option, number, "--duration", "1"]).0,
            Some(0)
        );
        let text = std::fs::read_to_string(folder.path().join("plays.svg")).unwrap();
        assert_eq!(animated::Played::read(&text).pictures(), pictures + 1);
    }
    for (name, out, more, words) in [
        (
            "four_bar.ron",
            "a.svg",
            &["--gradient", "y", "--style", "paper"][..],
            "--gradient",
        ),
        ("four_bar.ron", "a.svg", &["--gradient", "nothing"], "nothing"),
        ("four_bar.ron", "a.svg", &["--at", "0,99"], "99"),
        ("four_bar.ron", "a.gif", &["--style", "paper"], "--style"),
        ("four_bar.ron", "a.png", &["--width", "85"], "--width"),
        ("four_bar.ron", "a.svg", &["--at", "0.1", "--fps", "10"], "--at"),
        ("four_bar.ron", "a.eps", &[], ".eps"),
        ("heavy_top.ron", "a.svg", &[], "space"),
    ] {
        let (status, message) = render(name, out, more);
        assert!(status == Some(1) && message.contains(words), "{out}: {message}");
        assert!(!folder.path().join(out).exists());
    }
}

#[test]
fn the_gallery_has_every_scene_and_no_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = |folder: &str, endings: &[&str]| -> Vec<String> {
        let files = std::fs::read_dir(root.join(folder)).expect("a folder");
        let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let stem = |file: String| {
            let (stem, ending) = file.rsplit_once('.')?;
            endings.contains(&ending).then(|| stem.to_string())
        };
        let mut found: Vec<String> = files.filter_map(stem).collect();
        found.sort();
        found
    };
    let scenes = names("scenes", &["ron"]);
    assert_eq!(scenes, names("docs/images/gallery", &["svg", "png"]));
    let text = std::fs::read_to_string(root.join("docs/gallery.md")).expect("the gallery");
    let shown: Vec<&str> = text.lines().filter(|line| line.starts_with("<img")).collect();
    assert_eq!(shown.len(), scenes.len());
    for (scene, line) in scenes.iter().zip(shown) {
        assert!(line.contains(&format!("images/gallery/{scene}.")), "{scene}: {line}");
        assert!(text.contains(&format!("](../scenes/{scene}.ron)")), "{scene}");
    }
}

#[test]
fn mechanisms_in_space_are_refused_with_advice() {
    let show = show("heavy_top.ron");
    let error = Sketch::new(&show, &[0.0], &Look::default()).expect_err("it moves in space");
    assert!(error.to_string().contains("planar") && error.advice().is_some_and(|advice| advice.contains(".png")));
}

/// A crank with a plate at its end and a spring, looking like this.
fn with_looks(looks: &str) -> Show {
    written(&format!(
        r#"ground: {{ "A": [0, 0], "W": [3, 0] }}, points: {{ "B": (guess: [1, 0], mass: 1) }},
        bodies: {{
            "crank": Bar(from: "A", to: "B", length: 1, mass: 1),
            "plate": Rigid(mass: 1, inertia: 1, guess: [1, 0.5, 0], hold: [Angle], markers: {{ "a": [-1, 0.2], "b": [1, 0.2], "c": [0, -0.5] }}),
        }},
        joints: {{ "pin": Revolute(between: ("B", "plate.c")) }},
        forces: {{ "coil": Spring(from: "plate.b", to: "W", stiffness: 1, natural_length: 1) }},
        view: (looks: {{ {looks} }}),"#
    ))
}

#[test]
fn things_have_the_colours_labels_and_layers_that_the_scene_gives() {
    let filled = |text: &str, colour: &str| paths(text).iter().position(|(_, fill, _)| fill == colour);
    let look = Look {
        labels: true,
        ..Look::default()
    };
    let plain = svg(&with_looks(""), &[0.0], &look);
    assert!(
        filled(&plain, "#e69f00") > filled(&plain, "#56b4e9"),
        "bars lie over plates"
    );
    let text = svg(
        &with_looks(
            r##""crank": (colour: "#123456", layer: -1), "plate": (label: "coupler"), "coil": (colour: "purple", label: ""), "B": (colour: "black")"##,
        ),
        &[0.0],
        &look,
    );
    assert_eq!(filled(&text, "#e69f00"), None, "it has another colour");
    assert!(
        filled(&text, "#123456").is_some() && filled(&text, "#123456") < filled(&text, "#56b4e9"),
        "it lies below"
    );
    assert!(
        paths(&text).iter().any(|(_, _, stroke)| stroke == "#cc79a7"),
        "the spring"
    );
    assert!(filled(&text, "#000000").is_some(), "the mass");
    let mut names = texts(&text);
    names.sort();
    assert!(names.iter().any(|name| name.contains("coupler")), "{names:?}");
    assert!(
        !names.iter().any(|name| name.contains("plate") || name.contains("coil")),
        "{names:?}"
    );
    let paper = Look {
        palette: Palette::Paper,
        ..look
    };
    let printed = svg(&with_looks(r#""crank": (colour: "vermilion")"#), &[0.0], &paper);
    assert_eq!(filled(&printed, "#d55e00"), None, "print has no colours");
}

#[test]
fn things_far_apart_have_their_labels_though_these_are_equal_and_sliders_lie_over_all_layers() {
    let show = written(
        r##"ground: { "A": [0, 0], "B": [2, 0] },
        points: { "P": (guess: [1, 0.5], mass: 1), "Q": (at: [3, 2], mass: 1) },
        bodies: { "rod": Bar(from: "P", to: "Q", length: 2.5, mass: 1) },
        joints: { "slot": PointOnLine(point: "P", line: Through("A", "B"), offset: 0.5) },
        view: (looks: {
            "P": (label: "end"), "Q": (label: "end"), "slot": (colour: "#aabbcc"), "rod": (colour: "#010203", layer: 1),
        }),"##,
    );
    let look = Look {
        labels: true,
        ..Look::default()
    };
    let text = svg(&show, &[0.0], &look);
    assert_eq!(texts(&text).iter().filter(|name| name.contains("end")).count(), 2);
    let filled = |colour: &str| {
        paths(&text)
            .iter()
            .position(|(_, fill, _)| fill == colour)
            .expect("drawn")
    };
    assert!(filled("#010203") < filled("#aabbcc"), "the slider is in front");
}
