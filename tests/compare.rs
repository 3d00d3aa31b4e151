//! Motions beside that of a scene: other values of a parameter, or another scene, in pictures and plots.

#[path = "sketch/read_back.rs"]
mod read_back;

use costate::show::{Comparison, Show};
use costate::sketch::{Look, Palette, Sketch};
use read_back::{middle, page, paths, scene, show, svg, texts};

/// A scene with other values of a parameter beside it.
fn with_others(name: &str, parameter: &str, values: &[f64]) -> (Show, Comparison) {
    let mut own = show(name);
    let other = |value: &f64| {
        let experiment = own.experiment.with_parameter(parameter, *value).expect("a value");
        (
            format!("{parameter} = {value}"),
            Show::new(experiment, &mut |_| ()).expect("it runs"),
        )
    };
    let others = values.iter().map(other).collect();
    let comparison = Comparison::new("own".to_string(), &mut own, others);
    (own, comparison)
}

fn hex(colour: [u8; 3]) -> String {
    let [r, g, b] = colour;
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[test]
fn other_values_are_outlines_in_a_colour_of_their_own_where_their_mechanisms_are() {
    let (show, comparison) = with_others("five_bar.ron", "L01", &[1.8, 2.0, 2.8]);
    let look = Look::default();
    let compared = Sketch::compared(&show, &comparison, &[1.5], &look)
        .expect("a picture")
        .svg();
    let own = paths(&svg(&show, &[1.5], &look));
    let found = paths(&compared);
    assert!(
        own.iter().all(|path| found.contains(path)),
        "the scene itself is drawn in full"
    );
    for other in &comparison.others {
        let colour = hex(other.colour);
        let tinted: Vec<_> = found
            .iter()
            .filter(|(_, fill, stroke)| *stroke == colour || *fill == colour)
            .collect();
        assert!(
            tinted.iter().all(|(_, fill, _)| fill == "none"),
            "outlines are not filled"
        );
        // Each bar alone, in the frame that holds all: their middles are those of the outlines.
        let alone = paths(&svg(&other.show, &[1.5], &look));
        let bars = alone
            .iter()
            .filter(|(places, fill, _)| places.len() > 20 && fill != "none" && fill != "#ffffff");
        let bars: Vec<[f64; 2]> = bars.map(|(places, ..)| middle(places)).collect();
        assert_eq!(bars.len(), 4);
        for bar in bars {
            let near = |at: [f64; 2]| (at[0] - bar[0]).hypot(at[1] - bar[1]) < 1e-3;
            assert!(
                tinted.iter().any(|(places, ..)| near(middle(places))),
                "{colour} {bar:?}"
            );
        }
    }
    let mut words = texts(&compared);
    words.sort();
    assert_eq!(words, ["L01 = 1.8", "L01 = 2", "L01 = 2.8", "own"]);
    let [plain, with_legend] = [svg(&show, &[1.5], &look), compared].map(|text| page(&text));
    assert!(
        with_legend[1] > plain[1] + 3.0 && with_legend[0] == plain[0],
        "the legend is below the drawing"
    );
}

#[test]
fn what_is_the_same_in_all_motions_is_drawn_once() {
    let (show, comparison) = with_others("five_bar.ron", "L01", &[1.8]);
    let text = Sketch::compared(&show, &comparison, &[1.5], &Look::default())
        .expect("a picture")
        .svg();
    let colour = hex(comparison.others[0].colour);
    let [width, _] = page(&text);
    let is_wide = |places: &[[f64; 2]]| places.len() == 2 && (places[0][0] - places[1][0]).abs() > 0.9 * width;
    let ground: Vec<String> = paths(&text)
        .into_iter()
        .filter(|(places, ..)| is_wide(places))
        .map(|path| path.2)
        .collect();
    assert!(ground.len() == 1 && ground[0] != colour, "{ground:?}");
}

#[test]
fn a_page_holds_the_motions_beside_and_print_shows_them_in_greys() {
    let (show, comparison) = with_others("bouncing_ball.ron", "x0", &[80.0]);
    let look = Look {
        palette: Palette::Paper,
        traces: true,
        ..Look::default()
    };
    let text = Sketch::compared(&show, &comparison, &[0.0], &look)
        .expect("a picture")
        .svg();
    let [_, height] = page(&text);
    let mut greys = Vec::new();
    for (places, fill, stroke) in paths(&text) {
        for colour in [fill, stroke] {
            let is_grey = colour == "none" || (colour[1..3] == colour[3..5] && colour[3..5] == colour[5..7]);
            assert!(is_grey, "{colour}");
            greys.push(colour);
        }
        let outside = places.iter().find(|at| at[1] <= 0.0 || at[1] >= height);
        assert_eq!(outside, None);
    }
    greys.sort();
    greys.dedup();
    let is_between = |grey: &String| !["none", "#000000", "#ffffff"].contains(&grey.as_str());
    assert!(greys.iter().any(is_between), "the grey of the other: {greys:?}");
}

#[cfg(feature = "cli")]
#[test]
fn the_command_compares_with_values_and_scenes_and_refuses_before_it_writes() {
    let folder = tempfile::tempdir().unwrap();
    let optimized = folder.path().join("optimized.ron");
    let text = std::fs::read_to_string(scene("five_bar.ron")).unwrap();
    std::fs::write(&optimized, text.replacen("sqrt(5)", "2.5", 1)).unwrap();
    let optimized = optimized.to_string_lossy().into_owned();
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
    for (more, labels) in [
        // The value of the scene among the others is drawn once.
        (
            &["--vary", "k1=120,100,80"][..],
            &["k1 = 100 N/m", "k1 = 80 N/m", "k1 = 120 N/m"][..],
        ),
        (
            &["--compare", "L01=2.5,k1=90"],
            &["L01 = 2.23607 m, k1 = 100 N/m", "L01 = 2.5 m, k1 = 90 N/m"],
        ),
        (
            &["--compare", &optimized, "--set", "L01=2"],
            &["five_bar.ron", "optimized.ron"],
        ),
    ] {
        let more: Vec<&str> = ["--at", "0.6,1.5"].iter().chain(more).copied().collect();
        assert_eq!(render("five_bar.ron", "a.svg", &more), (Some(0), String::new()));
        let text = std::fs::read_to_string(folder.path().join("a.svg")).unwrap();
        assert_eq!(texts(&text), labels);
        std::fs::remove_file(folder.path().join("a.svg")).unwrap();
    }
    for (name, more, words) in [
        (
            "five_bar.ron",
            &["--vary", "nosuch=1"][..],
            &["with nosuch = 1", "`L01`"][..],
        ),
        (
            "five_bar.ron",
            &["--vary", "L01=2,100"],
            &["with L01 = 100 m", "outside its bounds 0.5 to 4"],
        ),
        (
            "five_bar.ron",
            &["--compare", "LA1=0.2"],
            &["with LA1 = 0.2 m", "cannot be assembled", "check lengths"],
        ),
        (
            "five_bar.ron",
            &["--compare", "nosuch=1,k1=2"],
            &["with nosuch = 1, k1 = 2 N/m", "no parameter `nosuch`"],
        ),
        ("five_bar.ron", &["--compare", "../nowhere.ron"], &["no such file"]),
        (
            "five_bar.ron",
            &["--vary", "L01=2", "--compare", "L01=2"],
            &["cannot be used with"],
        ),
        ("five_bar.ron", &["--vary", "L01=2,2"], &["given twice"]),
    ] {
        let (status, message) = render(name, "a.svg", more);
        let message = message
            .split_whitespace()
            .filter(|word| *word != "│")
            .collect::<Vec<_>>()
            .join(" ");
        assert!(
            status != Some(0) && words.iter().all(|word| message.contains(word)),
            "{message}"
        );
        assert!(!folder.path().join("a.svg").exists());
    }
    let (_, message) = render("heavy_top.ron", "a.png", &["--compare", &optimized]);
    assert!(message.contains("optimized.ron moves in 2 dimensions"), "{message}");
}

#[cfg(feature = "cli")]
#[test]
fn plots_have_a_curve_for_each_motion() {
    let folder = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_costate"));
        let done = command
            .arg("run")
            .arg(scene("bouncing_ball.ron"))
            .arg("--quiet")
            .args(more)
            .output();
        let done = done.expect("the program starts");
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    let out = folder.path().join("out").to_string_lossy().into_owned();
    assert_eq!(run(&["--vary", "e=0.6,0.9", "--out", &out]), (Some(0), String::new()));
    let text = std::fs::read_to_string(folder.path().join("out/comparison.svg")).expect("it is written");
    for label in ["e = 0.8", "e = 0.6", "e = 0.9"] {
        assert!(
            text.contains(&format!(">{label}<")) || text.contains(&format!("{label}\n")),
            "{label}"
        );
    }
    let nowhere = folder.path().join("nowhere").to_string_lossy().into_owned();
    for (more, words) in [
        (&["--vary", "e=0.6"][..], "add --out DIR"),
        (
            &["--vary", "e=0.1,0.2,0.3,0.4,0.5,0.6", "--out", &nowhere],
            "at most 5 values",
        ),
        (&["--compare", "e=2", "--out", &nowhere], "with e = 2"),
    ] {
        let (status, message) = run(more);
        assert!(status == Some(1) && message.contains(words), "{message}");
    }
    assert!(!folder.path().join("nowhere").exists());
}
