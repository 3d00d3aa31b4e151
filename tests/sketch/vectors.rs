//! Arrows, frames and colours of gradients in vector pictures.

use costate::appearance::{AXES, Material};
use costate::model::quantity::VectorKind;
use costate::show::{diverging, largest_slope, length_slope};
use costate::sketch::{Look, Palette};

use super::read_back::{middle, page, paths, show, svg, texts};
use super::written;

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// The shafts of arrows of a colour, from their starts.
fn shafts(text: &str, colour: &str) -> Vec<[[f64; 2]; 2]> {
    let found = paths(text).into_iter();
    let shafts = found.filter(|(places, fill, stroke)| places.len() == 2 && fill == "none" && stroke == colour);
    shafts.map(|(places, ..)| [places[0], places[1]]).collect()
}

/// The tips of their heads.
fn tips(text: &str, colour: &str) -> Vec<[f64; 2]> {
    let found = paths(text).into_iter();
    let heads = found.filter(|(places, fill, _)| places.len() == 3 && fill == colour);
    heads.map(|(places, ..)| places[1]).collect()
}

#[test]
fn arrows_are_as_long_as_their_legend_says() {
    // 4 m/s at the start, and 1 m/s after 1.5 s.
    let show = written(
        r#"points: { "P": (at: [0, 0], velocity: [4, 0], mass: 1) }, forces: { "brake": Load(at: "P", force: [-2, 0]) },
        outputs: { "x": "P.x" }, view: (camera: Area(low: [-1, -1], high: [9, 1])),"#,
    );
    let look = Look {
        arrows: vec![VectorKind::Velocity],
        ..Look::default()
    };
    let colour = hex(Material::Arrow(VectorKind::Velocity).colour());
    let lengths = |t: f64| {
        let text = svg(&show, &[t], &look);
        let (starts, tips) = (shafts(&text, &colour), tips(&text, &colour));
        assert_eq!((starts.len(), tips.len()), (2, 2), "one arrow and that of the legend");
        let value: f64 = texts(&text)
            .iter()
            .find_map(|words| words.strip_prefix("velocities ")?.strip_suffix(" m/s")?.parse().ok())
            .expect("a legend");
        let length = |k: usize| (tips[k][0] - starts[k][0][0]).hypot(tips[k][1] - starts[k][0][1]);
        length(0) / length(1) * value
    };
    for t in [0.0, 0.05, 0.1] {
        assert!((lengths(t) - (4.0 - 2.0 * t)).abs() < 0.01, "{t}: {}", lengths(t));
    }
    let print = Look {
        palette: Palette::Paper,
        ..look
    };
    for (_, fill, stroke) in paths(&svg(&show, &[0.0], &print)) {
        for colour in [fill, stroke] {
            assert!(
                colour == "none" || (colour[1..3] == colour[3..5] && colour[3..5] == colour[5..7]),
                "{colour}"
            );
        }
    }
}

#[test]
fn frames_are_those_of_ground_and_bodies() {
    let show = written(
        r#"bodies: { "b": Rigid(mass: 1, inertia: 1, at: [1, 1, 0.5], velocity: [0, 0, 0], markers: { "m": [0.3, 0] }) },"#,
    );
    let look = Look {
        frames: true,
        ..Look::default()
    };
    let text = svg(&show, &[0.0], &look);
    for (k, (name, colour)) in AXES.iter().enumerate().take(2) {
        let found = shafts(&text, &hex(*colour));
        // The legend has a stroke of the colour, too.
        let angles: Vec<f64> = found.iter().map(|[a, b]| (a[1] - b[1]).atan2(b[0] - a[0])).collect();
        for wanted in [0.0, 0.5] {
            let wanted = wanted + k as f64 * std::f64::consts::FRAC_PI_2;
            assert!(
                angles.iter().any(|angle| (angle - wanted).abs() < 1e-3),
                "{name}: {angles:?}"
            );
        }
        assert!(texts(&text).contains(&name.to_string()));
    }
}

#[test]
fn bars_have_the_colours_of_a_gradient_and_a_scale_says_what_they_mean() {
    let show = show("five_bar.ron");
    let gradient = show.experiment.design_gradient("int_height").expect("a gradient");
    let look = Look {
        gradient: Some(gradient.clone()),
        ..Look::default()
    };
    let plain = svg(&show, &[0.5], &Look::default());
    let text = svg(&show, &[0.5], &look);
    let bars = |text: &str| -> Vec<([f64; 2], String)> {
        let found = paths(text).into_iter();
        let bars = found.filter(|(places, fill, _)| places.len() > 20 && fill != "none" && fill != "#ffffff");
        bars.map(|(places, fill, _)| (middle(&places), fill)).collect()
    };
    let [own, by_gradient] = [&plain, &text].map(|text| bars(text));
    for bar in &gradient.bars {
        let owner = costate::appearance::Owner::Body(bar.body.expect("a bar with mass"));
        let slope = length_slope(&gradient, owner).expect("a slope");
        let wanted = hex(diverging(slope / largest_slope(&gradient)));
        let count = by_gradient.iter().filter(|(_, fill)| *fill == wanted).count();
        assert!(count > 0, "{}: {wanted} {by_gradient:?}", bar.name);
    }
    let moved = own
        .iter()
        .filter(|(at, _)| !by_gradient.iter().any(|(other, _)| other == at));
    assert_eq!(moved.count(), 0, "only colours change");
    assert!(texts(&text).contains(&"change of int_height".to_string()));
    assert!(
        page(&text)[1] > page(&plain)[1] + 5.0,
        "the scale has a place of its own"
    );
}
