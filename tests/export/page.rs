//! What the data of an exported page promise; what browsers do with them is tested in `web/`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use costate::appearance::{Block, Item};
use costate::error::ErrorKind;
use costate::export::{Format, Motion};
use costate::run::{Changes, Experiment, Interruption, Method};
use costate::show::{Ghost, Show};
use serde_json::Value;

use super::support::{experiment, planar, shipped, tight};
use super::{PLANAR, show};

/// The page of the whole motion.
pub fn html(show: &Show) -> String {
    let (start, end) = show.film.span();
    Motion::new(show, start, end).page(None).unwrap()
}

pub fn data(html: &str) -> Value {
    let (_, rest) = html
        .split_once(r#"<script type="application/json" id="data">"#)
        .unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

pub fn numbers(value: &Value) -> Vec<f64> {
    list(value).iter().map(|x| x.as_f64().unwrap()).collect()
}

pub fn index(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

pub fn courses(value: &Value, count: usize) -> Vec<Vec<f64>> {
    let bytes = STANDARD.decode(value.as_str().unwrap()).unwrap();
    let all: Vec<f64> = bytes
        .chunks(2)
        .map(|pair| f64::from(u16::from_le_bytes([pair[0], pair[1]])))
        .collect();
    assert_eq!(all.len() % count, 0);
    all.chunks(count).map(<[f64]>::to_vec).collect()
}

/// The value of an entry of a matrix by `[.., track, offset, scale]` at a state.
pub fn value(course: &[Value], courses: &[Vec<f64>], k: usize) -> f64 {
    let [track, offset, scale] = &course[course.len() - 3..] else {
        unreachable!()
    };
    offset.as_f64().unwrap() + scale.as_f64().unwrap() * courses[index(track)][k] / 65535.0
}

/// The blocks of the page that are seen in a state: name, colour, matrix.
fn seen(page: &Value, courses: &[Vec<f64>], k: usize) -> Vec<(String, String, Vec<f64>)> {
    let blocks = list(&page["blocks"]).iter().filter(|block| {
        let hidden = list(&block["hidden"]).iter().map(numbers);
        !hidden
            .into_iter()
            .any(|ends| ends[0] <= k as f64 && (k as f64) < ends[1])
    });
    blocks
        .map(|block| {
            let mut matrix = numbers(&block["matrix"]);
            for course in list(&block["tracks"]) {
                let course = list(course);
                matrix[index(&course[0])] = value(course, courses, k);
            }
            let text = |field: &str| block[field].as_str().unwrap().to_string();
            (text("name"), text("colour"), matrix)
        })
        .collect()
}

fn matrix(block: &Block) -> Vec<f64> {
    let [x, y, z] = block.axes;
    [block.origin, x, y, z].iter().flat_map(|v| [v.x, v.y, v.z]).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs()))
}

/// Holds what a page shows against what is drawn.
fn shows(show: &Show, found: &[(String, String, Vec<f64>)], (items, drawn): (Vec<Item>, Vec<Block>)) {
    assert_eq!(found.len(), drawn.len());
    for block in &drawn {
        let [r, g, b] = block.colour;
        let (name, colour) = (
            items[block.item].owner.name(show.model()),
            format!("#{r:02x}{g:02x}{b:02x}"),
        );
        let same = found
            .iter()
            .filter(|(of, in_colour, _)| of == name && *in_colour == colour);
        let nearest = same
            .map(|(.., found)| distance(found, &matrix(block)))
            .fold(f64::INFINITY, f64::min);
        // Half a step of sixteen bits.
        assert!(nearest < 1e-5 * show.scale.extent(), "{name}: {nearest} m");
    }
}

#[test]
fn a_page_has_every_block_where_it_is_drawn_also_of_what_is_switched() {
    let show = show(experiment(&planar(1.5, PLANAR), &tight()), 90);
    let page = data(&html(&show));
    let times = numbers(&page["times"]);
    let courses = courses(&page["tracks"], times.len());
    for (k, &t) in times.iter().enumerate() {
        shows(&show, &seen(&page, &courses, k), show.blocks(t));
    }
    let names = |k| {
        seen(&page, &courses, k)
            .into_iter()
            .map(|(name, ..)| name)
            .collect::<Vec<_>>()
    };
    assert!(names(0).contains(&"brace".to_string()));
    assert!(!names(times.len() - 1).contains(&"brace".to_string()));
    let events = list(&page["events"]);
    assert_eq!(events.len(), show.report.events.len());
    assert!(events.iter().any(|event| event["text"] == "impact of floor"));
}

/// A rod swings from a pivot at height `p` against a wall at the distance `d`; `unused` moves nothing.
const ROD: &str = r#"parameters: {
        "p": (value: 0.2, bounds: (0, 0.4), unit: "m", about: "height of the pivot"), "d": (value: -0.3, bounds: (-0.5, -0.1)), "unused": 1.0
    },
    gravity: [0, -9.81],
    ground: { "O": [0, "p"] }, points: { "E": (guess: [0.8, -0.4]) },
    bodies: { "rod": Bar(from: "O", to: "E", length: 1.0, mass: 1.0, angle: -0.6) },
    contacts: { "wall": Touch(point: "E", surface: Plane(through: ["d", 0], normal: [1, 0]), law: Restitution(0.8)) },
    objectives: { "x": Final("E.x") },
    outputs: { "x": "E.x" },"#;

#[test]
fn sliders_move_what_the_prediction_moves_within_what_is_trusted() {
    let show = show(experiment(&planar(1.2, ROD), &tight()), 120);
    let page = data(&html(&show));
    let ghost = Ghost::new(show.experiment.clone(), show.scale).unwrap();
    let times = numbers(&page["times"]);
    let simulated = courses(&page["tracks"], times.len());
    for (parameter, name) in list(&page["parameters"]).iter().zip(["p", "d"]) {
        let prediction = &parameter["prediction"];
        let (values, at) = (numbers(&prediction["values"]), numbers(&prediction["times"]));
        let [low, high] = numbers(&prediction["trusted"])[..] else {
            panic!()
        };
        assert!(values.is_sorted_by(|a, b| a < b) && values.len() >= 3);
        let own = parameter["value"].as_f64().unwrap();
        assert!(
            values.contains(&own) && values[0] <= low && low < own && own < high && high <= values[values.len() - 1]
        );
        let courses = courses(&prediction["tracks"], values.len() * at.len());
        for (i, &changed) in values.iter().enumerate() {
            let change = ghost.change(name, changed).unwrap();
            let impact = prediction["events"][i][0].as_f64().unwrap();
            assert_eq!(impact, ghost.events(&change).unwrap()[0].t);
            for (j, &t) in at.iter().enumerate() {
                let k = times.iter().rposition(|&known| known <= t).unwrap();
                let mut found = seen(&page, &simulated, k);
                for course in list(&prediction["blocks"]) {
                    let course = list(course);
                    let (block, entry) = (index(&course[0]), index(&course[1]));
                    found[block].2[entry] = value(course, &courses, i * at.len() + j);
                }
                let items = ghost.items(t, &change).unwrap();
                shows(&show, &found, (items, ghost.blocks(t, &change).unwrap()));
            }
        }
    }
    let unused = &page["parameters"][2];
    assert!(unused["prediction"].is_null() && unused["reason"].as_str().unwrap().contains("derivative"));
    assert_eq!(page["parameters"][0]["unit"], "m");
    assert_eq!(page["parameters"][0]["about"], "height of the pivot");
}

#[test]
fn what_a_parameter_switches_earlier_is_hidden_earlier() {
    let text = planar(
        1.0,
        r#"parameters: { "at": (value: 0.5, bounds: (0.3, 0.7)) }, ground: { "wall": [0, 1] }, points: { "free": (at: [0, 0], mass: 1) },
        gravity: [0, -1], joints: { "brace": Link(from: "wall", to: "free", length: 1) },
        events: { "break": (when: At("at"), then: [Disable("brace")]) },"#,
    );
    let show = show(experiment(&text, &tight()), 100);
    let page = data(&html(&show));
    let brace = list(&page["blocks"])
        .iter()
        .position(|block| block["name"] == "brace")
        .unwrap();
    let prediction = &page["parameters"][0]["prediction"];
    let (values, times) = (numbers(&prediction["values"]), numbers(&prediction["times"]));
    for (i, value) in values.iter().enumerate() {
        let mut hidden = list(&prediction["hidden"]).iter().map(numbers);
        let found = hidden.find(|found| found[..2] == [brace as f64, i as f64]).unwrap();
        let first = times.iter().position(|t| t >= value).unwrap();
        assert_eq!(found[2..], [first as f64, times.len() as f64], "at = {value}");
    }
}

#[test]
fn what_turns_fast_has_more_states() {
    let text = planar(
        1.0,
        r#"ground: { "O": [0, 0] }, points: { "E": (guess: [1, 0]) },
        bodies: { "rod": Bar(from: "O", to: "E", length: 1, mass: 1, angle: 0) },
        joints: { "motor": DriveAngle(body: "rod", angle: "300 * t") },"#,
    );
    let film = |format| costate::export::filmed(experiment(&text, &tight()), 240, format, &mut |_| {}).unwrap();
    let steps = |format| film(format).film.frames().count() - 1;
    assert_eq!((steps(Format::Glb), steps(Format::Html)), (240, 1200));
}

#[test]
fn gradients_are_those_of_the_adjoint_with_reasons_where_there_are_none() {
    let five_bar = shipped("five_bar", &Changes::default());
    let report = five_bar.gradient(Method::Adjoint).unwrap();
    let page = data(&html(&show(five_bar, 240)));
    for (objective, found) in report.objectives.iter().zip(list(&page["objectives"])) {
        assert_eq!(
            (found["name"].as_str().unwrap(), found["value"].as_f64().unwrap()),
            (&*objective.name, objective.value)
        );
        assert_eq!(numbers(&found["gradient"]), objective.gradient);
    }
    let kinked = planar(
        1.0,
        r#"parameters: { "a": 0.0, "b": 2.0 }, points: { "P": (at: [0, 0], velocity: ["abs(a) + b", 0], mass: 1) },
        objectives: { "x": Final("P.x") },"#,
    );
    let page = data(&html(&show(experiment(&kinked, &tight()), 10)));
    let found = &page["objectives"][0];
    assert!(found["gradient"][0].is_null() && (found["gradient"][1].as_f64().unwrap() - 1.0).abs() < 1e-9);
    assert!(found["reasons"][0].as_str().is_some_and(|reason| !reason.is_empty()) && found["reasons"][1].is_null());
}

#[test]
fn bars_are_coloured_by_the_gradient_of_an_objective_by_their_lengths() {
    let five_bar = shipped("five_bar", &Changes::default());
    let page = data(&html(&show(five_bar.clone(), 240)));
    let (bars, objectives) = (list(&page["heat"]["bars"]), list(&page["heat"]["objectives"]));
    let names: Vec<&str> = bars.iter().map(|bar| bar[0].as_str().unwrap()).collect();
    assert_eq!(objectives.len(), five_bar.mechanism.model.objectives.len());
    for found in objectives {
        let gradient = five_bar.design_gradient(found["name"].as_str().unwrap()).unwrap();
        assert_eq!(gradient.bars.len(), 4);
        for bar in &gradient.bars {
            let place = names.iter().position(|name| *name == bar.name).unwrap();
            // One pass for all objectives adds up in another order.
            let slope = found["slopes"][place].as_f64().unwrap();
            assert!(
                (slope - bar.slope).abs() <= 1e-9 * bar.slope.abs(),
                "{slope} {}",
                bar.slope
            );
        }
        let most = gradient
            .bars
            .iter()
            .fold(0.0, |most, bar| f64::max(most, bar.slope.abs()));
        assert!((found["largest"].as_f64().unwrap() / most - 1.0).abs() < 1e-9);
    }
    for (name, bar) in names.iter().zip(bars) {
        let blocks = list(&bar[1]);
        assert!(!blocks.is_empty());
        assert!(
            blocks
                .iter()
                .all(|block| page["blocks"][index(block)]["name"] == **name)
        );
    }
    assert_eq!(list(&page["heat"]["scale"]).len(), 5);
    // Where there is no gradient the page says why; where there are no bars it has none.
    let kinked = planar(
        1.0,
        r#"parameters: { "a": 1.0 }, points: { "P": (at: [0, 0], velocity: ["a", 0], mass: 1) }, objectives: { "x": Final("P.x") },"#,
    );
    let page = data(&html(&show(experiment(&kinked, &tight()), 10)));
    assert!(list(&page["heat"]["bars"]).is_empty());
}

#[test]
fn outputs_are_those_of_the_recording_with_both_sides_of_events() {
    let show = show(experiment(&planar(1.2, ROD), &tight()), 120);
    let (_, end) = show.film.span();
    let whole = data(&html(&show));
    assert_eq!(numbers(&whole["outputs"]["times"]), show.recording.times);
    assert_eq!(numbers(&whole["outputs"]["phases"]).len(), 1 + show.report.events.len());
    let values = numbers(&whole["outputs"]["series"][0]["values"]);
    assert_eq!(values, show.recording.outputs[0].values);
    let part = data(&Motion::new(&show, 1.0, end).page(Some(0.5)).unwrap());
    let times = numbers(&part["outputs"]["times"]);
    let inside = times.iter().filter(|t| (1.0..=end).contains(*t)).count();
    assert!(times[0] <= 1.0 && *times.last().unwrap() >= end && inside + 1 >= times.len() && inside > 10);
    assert_eq!((part["speed"].as_f64(), numbers(&part["times"])[0]), (Some(0.5), 1.0));
    assert!(
        list(&part["events"])
            .iter()
            .all(|event| event["t"].as_f64().unwrap() >= 1.0)
    );
}

#[test]
fn whoever_ends_the_work_gets_no_page() {
    let flag = Interruption::new();
    let show = show(experiment(&planar(1.2, ROD), &tight()).interruptible(&flag), 120);
    flag.set();
    let (start, end) = show.film.span();
    let error = Motion::new(&show, start, end).page(None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
}

#[test]
fn the_parts_of_a_page_keep_a_simulated_motion_when_time_is_over() {
    let flag = Interruption::new();
    let show = show(shipped("five_bar", &Changes::default()).interruptible(&flag), 240);
    let (start, end) = show.film.span();
    let motion = Motion::new(&show, start, end);
    let (whole, missing) = motion.parts(None, true);
    assert!(missing.is_empty());
    flag.set();
    let (page, missing) = motion.parts(None, true);
    let titles: Vec<&str> = missing.iter().map(|(title, _)| *title).collect();
    assert_eq!(titles, ["Sliders", "Gradients", "Colours"]);
    assert!(missing.iter().all(|(_, error)| error.kind() == ErrorKind::Interrupted));
    assert_eq!((&page.tracks, &page.times), (&whole.tracks, &whole.times));
    assert_eq!(page.events.len(), whole.events.len());
    assert_eq!(page.outputs.series.len(), whole.outputs.series.len());
    assert!(page.parameters.iter().all(|found| found.reason.is_some()));
    let objectives = page.objectives.unwrap();
    assert!(!objectives.is_empty() && objectives.iter().all(|found| found.reason.is_some()));
    assert!(page.heat.reason.is_some());
}

#[test]
fn a_page_asks_no_host_and_no_text_of_the_scene_ends_its_script() {
    let page = html(&show(shipped("five_bar", &Changes::default()), 300));
    assert!(page.len() < 1_500_000, "{} bytes", page.len());
    assert!(page.contains("default-src 'none'"));
    for host in page.match_indices("://").map(|(at, _)| &page[at..]) {
        assert!(host.starts_with("://www.w3.org/"), "{}", &host[..60.min(host.len())]);
    }
    let name = "a </script><b>";
    let text =
        planar(0.1, r#"points: { "P": (at: [0, 0], mass: 1) },"#).replacen("name: \"", &format!("name: \"{name}"), 1);
    let experiment: Experiment = experiment(&text, &tight());
    let page = html(&show(experiment, 4));
    assert!(data(&page)["name"].as_str().unwrap().starts_with(name));
    assert!(page.contains("<title>a &lt;/script&gt;&lt;b&gt;"));
    assert_eq!(page.matches("<b>").count(), 0);
}
