use super::figures::figures;
use super::{Curve, Figure, MOST_PANELS, Mark, Panel};
use crate::error::{ErrorKind, Result};
use crate::run::{Energy, EventMark, FrictionCourse, FrictionState, Recording, Series};

/// Colour of the first curve of a panel and of the marks in an SVG document.
const CURVE: &str = "stroke=\"#0072B2\"";
const MARK: &str = "stroke=\"#969696\"";

fn render_svg(figure: &Figure) -> Result<String> {
    super::render_svg(&figure.clone().into())
}

fn render_png(figure: &Figure) -> Result<Vec<u8>> {
    super::render_png(&figure.clone().into())
}

fn panel(label: &str, segments: Vec<Vec<(f64, f64)>>) -> Panel {
    Panel {
        label: label.to_string(),
        curves: vec![Curve {
            name: label.to_string(),
            segments,
        }],
        ..Panel::default()
    }
}

fn figure(panels: Vec<Panel>, marks: &[(f64, &str)]) -> Figure {
    let marks = marks
        .iter()
        .map(|&(x, label)| Mark {
            x,
            label: label.to_string(),
        })
        .collect();
    Figure {
        title: "title".to_string(),
        x_label: "time (s)".to_string(),
        panels,
        marks,
        ..Figure::default()
    }
}

fn line(values: impl Fn(f64) -> f64) -> Vec<Vec<(f64, f64)>> {
    vec![(0..50).map(|k| f64::from(k) / 10.0).map(|t| (t, values(t))).collect()]
}

/// The first coordinates of the elements of a kind and colour: `points` of polylines.
fn polylines<'a>(svg: &'a str, colour: &str) -> Vec<Vec<(f64, f64)>> {
    let points = |line: &'a str| {
        let points = line.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        points
            .split_whitespace()
            .map(|pair| pair.split_once(',').unwrap())
            .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
            .collect()
    };
    svg.lines()
        .filter(|line| line.starts_with("<polyline") && line.contains(colour))
        .map(points)
        .collect()
}

fn texts(svg: &str) -> Vec<&str> {
    svg.split("<text")
        .skip(1)
        .map(|text| text.split('>').nth(1).unwrap().split('<').next().unwrap().trim())
        .collect()
}

fn decoded(bytes: &[u8]) -> (usize, usize, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width as usize, info.height as usize, pixels)
}

fn recording(outputs: usize) -> Recording {
    let series = |k: usize| Series {
        name: format!("out{k}"),
        expression: String::new(),
        values: vec![0.0, 1.0, -1.0, 0.0],
        ..Series::default()
    };
    Recording {
        scene: "ball".to_string(),
        outputs: (1..=outputs).map(series).collect(),
        times: vec![0.0, 0.5, 0.5, 2.0],
        phases: vec![0, 2],
        events: vec![EventMark {
            t: 0.5,
            name: "ground".to_string(),
            kind: "impact".to_string(),
            at_once: false,
            part: 0,
            outcome: None,
        }],
        energy: Energy {
            kinetic: vec![1.0, 2.0, 1.5, 1.5],
            potential: vec![1.0, 0.0, 0.0, 0.5],
            ..Energy::default()
        },
        ..Recording::default()
    }
}

#[test]
fn a_jump_is_not_connected() {
    let (_, figure) = figures(&recording(1)).remove(0);
    let curves = polylines(&render_svg(&figure).unwrap(), CURVE);
    assert_eq!(curves.len(), 2);
    let (before, after) = (curves[0].last().unwrap(), curves[1][0]);
    assert_eq!(before.0, after.0);
    assert!(after.1 - before.1 > 500.0, "the jump is visible: {before:?} {after:?}");
}

#[test]
fn a_mark_stands_where_its_time_is() {
    let (_, figure) = figures(&recording(2)).remove(0);
    let svg = render_svg(&figure).unwrap();
    let curves = polylines(&svg, CURVE);
    let marks = polylines(&svg, MARK);
    assert_eq!(marks.len(), 2, "the line and the piece up to its label");
    assert!(marks.iter().flatten().all(|point| point.0 == curves[1][0].0));
    let (start, end) = (curves[0][0].0, curves[1].last().unwrap().0);
    assert!(((marks[0][0].0 - start) / (end - start) - 0.25).abs() < 1e-3);
}

#[test]
fn everything_is_labelled() {
    let (_, figure) = figures(&recording(2)).remove(0);
    let svg = render_svg(&figure).unwrap();
    let texts = texts(&svg);
    for label in [
        "ball: outputs",
        "time (s)",
        "out1",
        "out2",
        "ground (impact)",
        "0.5",
        "−1.0",
    ] {
        assert!(texts.contains(&label), "{label} is missing in {texts:?}");
    }
}

#[test]
fn nine_outputs_fill_two_pages_and_energy_has_a_legend() {
    let figures = figures(&recording(9));
    let names: Vec<&str> = figures.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["outputs", "outputs-2", "energy"]);
    assert_eq!(
        figures
            .iter()
            .map(|(_, figure)| figure.panels.len())
            .collect::<Vec<_>>(),
        [6, 3, 1]
    );
    let svg = render_svg(&figures[2].1).unwrap();
    let texts = texts(&svg);
    assert!(
        ["kinetic", "potential", "total"]
            .iter()
            .all(|name| texts.contains(name))
    );
    assert_eq!(
        figures[2].1.panels[0].curves[2].segments[1],
        vec![(0.5, 1.5), (2.0, 2.0)]
    );
}

#[test]
fn without_outputs_there_is_the_energy() {
    let figures = figures(&recording(0));
    assert_eq!(figures.len(), 1);
    assert_eq!(figures[0].0, "energy");
}

#[test]
fn an_image_has_twice_the_size_of_the_document_and_shows_the_curve() {
    let figure = figure(vec![panel("y", line(f64::sin))], &[]);
    let (width, height, pixels) = decoded(&render_png(&figure).unwrap());
    let svg = render_svg(&figure).unwrap();
    assert!(
        svg.starts_with(&format!("<svg width=\"{}\" height=\"{}\"", width / 2, height / 2)),
        "{}",
        &svg[..80]
    );
    assert_eq!(&pixels[..3], [255; 3], "white background");
    let blue = pixels.chunks_exact(3).filter(|rgb| **rgb == [0, 114, 178]).count();
    assert!(blue > width, "{blue} pixels of the curve");
}

#[test]
fn equal_labels_in_a_row_are_written_once() {
    let figure = figure(
        vec![panel("y", line(f64::sin))],
        &[(1.0, "a (x)"), (2.0, "a (x)"), (3.0, "b (x)"), (4.0, "a (x)")],
    );
    let svg = render_svg(&figure).unwrap();
    assert_eq!(texts(&svg).iter().filter(|text| **text == "a (x)").count(), 2);
}

#[test]
fn many_marks_are_summed_up() {
    let marks: Vec<(f64, &str)> = (0..40)
        .map(|k| (f64::from(k) / 10.0, if k == 7 { "b (y)" } else { "a (x)" }))
        .collect();
    let svg = render_svg(&figure(vec![panel("y", line(f64::sin))], &marks)).unwrap();
    assert!(texts(&svg).contains(&"40 events: a (x) × 39, b (y)"));
    assert!(!texts(&svg).contains(&"a (x)"));
}

#[test]
fn a_value_that_is_not_finite_is_an_error_that_names_the_curve() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let figure = figure(vec![panel("y", vec![vec![(0.0, 1.0), (1.0, value)]])], &[]);
        let error = render_svg(&figure).unwrap_err();
        assert_eq!((error.kind(), error.name()), (ErrorKind::NotFinite, Some("y")));
        assert_eq!(render_png(&figure).unwrap_err().kind(), ErrorKind::NotFinite);
    }
    let marked = figure(vec![], &[(f64::NAN, "a")]);
    assert_eq!(render_svg(&marked).unwrap_err().name(), Some("a"));
}

#[test]
fn too_many_panels_are_an_error() {
    let figure = figure(vec![Panel::default(); MOST_PANELS + 1], &[]);
    assert_eq!(render_svg(&figure).unwrap_err().kind(), ErrorKind::Request);
}

#[test]
fn extremes_are_drawn_inside_the_page() {
    let point = |x: f64, y: f64| vec![vec![(x, y)]];
    let cases = [
        line(|_| 0.0),
        line(|_| -7.0),
        line(|t| 1e-12 * t),
        line(|t| 1e9 * t),
        line(|t| f64::MAX * (3.0 * t).sin()),
        line(|t| f64::MIN_POSITIVE * 1e-10 * t),
        line(|_| 5e-324),
        line(|_| -f64::MAX),
        line(|t| 1234.5 + 1e-8 * t),
        line(|t| 1e300 + 1e284 * t),
        point(0.0, 0.0),
        point(1e300, -1e-300),
        vec![vec![(2.0, 1.0), (2.0, 3.0)]],
        vec![vec![(-f64::MAX, f64::MAX), (f64::MAX, -f64::MAX)]],
        vec![vec![(1e15, 0.0), (1e15 + 1.0, 1.0)]],
        vec![vec![]],
        vec![],
    ];
    for (case, segments) in cases.into_iter().enumerate() {
        for log_y in [false, true] {
            let panel = Panel {
                log_y,
                ..panel("y", segments.clone())
            };
            let svg = render_svg(&figure(vec![panel], &[])).unwrap();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "case {case}");
            assert!(
                texts(&svg).iter().all(|text| text.chars().count() < 30),
                "case {case}: {:?}",
                texts(&svg)
            );
            for (x, y) in polylines(&svg, "stroke").into_iter().flatten() {
                assert!(
                    (0.0..=16800.0).contains(&x) && (0.0..=8000.0).contains(&y),
                    "case {case}: ({x}, {y})"
                );
            }
        }
    }
}

#[test]
fn an_extreme_image_is_drawn() {
    let panels = vec![
        panel("single", vec![vec![(0.0, 0.0)]]),
        panel("", vec![]),
        panel("", line(|t| f64::MAX * t.sin())),
    ];
    let (width, _, pixels) = decoded(&render_png(&figure(panels, &[(0.0, "")])).unwrap());
    assert_eq!(width, 1680);
    assert!(pixels.iter().any(|value| *value < 60));
    assert!(render_png(&Figure::default()).is_ok());
}

#[test]
fn long_names_end_in_an_ellipsis() {
    let long = "длинное имя Ω ".repeat(40);
    let svg = render_svg(&figure(vec![panel(&long, line(f64::sin))], &[(1.0, &long)])).unwrap();
    let shortened = texts(&svg).iter().filter(|text| text.ends_with('…')).count();
    assert_eq!(shortened, 2);
    assert!(texts(&svg).iter().all(|text| text.chars().count() < 80));
}

#[test]
fn values_that_a_logarithmic_axis_does_not_have_interrupt_the_curve() {
    let values = vec![vec![(0.0, 1.0), (1.0, 100.0), (2.0, 0.0), (3.0, 10.0), (4.0, 1000.0)]];
    let svg = render_svg(&figure(
        vec![Panel {
            log_y: true,
            ..panel("y", values)
        }],
        &[],
    ))
    .unwrap();
    assert_eq!(polylines(&svg, CURVE).len(), 2);
    assert!(texts(&svg).contains(&"10²"));
}

#[test]
fn a_long_curve_keeps_its_extremes_in_a_small_document() {
    let spike = |k: u32| if k == 70_001 { 5.0 } else { f64::from(k % 2) };
    let segments = vec![(0..200_000).map(|k| (f64::from(k), spike(k))).collect()];
    let svg = render_svg(&figure(vec![panel("y", segments)], &[])).unwrap();
    assert!(svg.len() < 400_000, "{} bytes", svg.len());
    let points = &polylines(&svg, CURVE)[0];
    let top = points.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
    assert_eq!(points.iter().filter(|point| point.1 == top).count(), 1);
}

#[test]
fn bands_show_when_something_sticks_and_slips() {
    let mut recording = recording(1);
    let states = vec![FrictionState::Stick, FrictionState::Slip];
    let name = "heel".to_string();
    recording.frictions = vec![FrictionCourse { name, states }];
    let (_, figure) = figures(&recording).remove(0);
    assert_eq!(
        figure.bands[0].pieces,
        [(0.0, 0.5, FrictionState::Stick), (0.5, 2.0, FrictionState::Slip)]
    );
    let svg = render_svg(&figure).unwrap();
    let width = |colour: &str| -> f64 {
        let line = svg
            .lines()
            .find(|line| line.contains("<rect") && line.contains(colour))
            .unwrap();
        let text = line.split(" width=\"").nth(1).unwrap();
        text.split('"').next().unwrap().parse().unwrap()
    };
    assert!((width("#C93C96") / width("#009E73") - 3.0).abs() < 0.02);
    assert!(svg.contains("heel") && svg.contains("blank: open"));
    recording.frictions[0].states = vec![FrictionState::Slip; 2];
    let (_, figure) = figures(&recording).remove(0);
    assert_eq!(figure.bands[0].pieces, [(0.0, 2.0, FrictionState::Slip)]);
}

#[test]
fn what_changes_by_less_than_the_tolerance_is_drawn_as_constant() {
    let heights = |noise: f64, value: f64| {
        let wiggled = Panel {
            noise,
            ..panel("height", line(|t| value + 1e-12 * (9.0 * t).sin()))
        };
        let curve = polylines(&render_svg(&figure(vec![wiggled], &[])).unwrap(), CURVE).remove(0);
        let (low, high) = super::axis::extent(curve.iter().map(|point| point.1)).unwrap();
        high - low
    };
    for value in [-1.04, 0.0] {
        assert!(heights(0.0, value) > 500.0, "resolved where nothing is said");
        assert!(heights(1e-8, value) < 2.0, "{value}");
    }
}

#[test]
fn axes_of_outputs_have_their_unit() {
    let mut recording = recording(2);
    recording.outputs[0].unit = "m/s".to_string();
    let (_, figure) = figures(&recording).remove(0);
    let svg = render_svg(&figure).unwrap();
    let texts = texts(&svg);
    assert!(texts.contains(&"out1 (m/s)") && texts.contains(&"out2"), "{texts:?}");
}

#[test]
fn potential_energy_counts_from_its_least_value() {
    let mut lifted = recording(1);
    lifted.energy.potential.iter_mut().for_each(|energy| *energy -= 500.0);
    let svg = |recording: &Recording| {
        let (_, figure) = figures(recording)
            .into_iter()
            .find(|(stem, _)| stem == "energy")
            .unwrap();
        render_svg(&figure).unwrap()
    };
    assert_eq!(svg(&recording(1)), svg(&lifted));
}

#[test]
fn the_greatest_givers_of_energy_have_curves_of_their_own() {
    let mut recording = recording(1);
    let names = |recording: &Recording| {
        let found = figures(recording)
            .into_iter()
            .find(|(stem, _)| stem == "energy_balance");
        found.map(|(_, figure)| {
            figure.panels[0]
                .curves
                .iter()
                .map(|curve| curve.name.clone())
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(names(&recording), None);
    recording.energy.noise = 1e-7;
    recording.energy.work = vec![("spring".to_string(), vec![1e-9; 4])];
    assert_eq!(names(&recording), None, "nothing gives more than the tolerance");
    for k in 1..=6 {
        let course = (format!("d{k}"), vec![0.0, -0.1, -0.1, f64::from(-k)]);
        let energy = &mut recording.energy;
        if k % 2 == 0 {
            &mut energy.work
        } else {
            &mut energy.events
        }
        .push(course);
    }
    let found = names(&recording).unwrap();
    assert_eq!(
        found,
        [
            "stored",
            "by d6",
            "by the events of d5",
            "by d4",
            "by the events of d3",
            "by 2 others"
        ]
    );
}

#[test]
fn long_names_of_a_strip_are_whole() {
    let name = "horizontal distance of the foot from the hip (m)";
    let low = Panel::new(
        name.to_string(),
        vec![Curve {
            segments: line(|t| 1e-7 * t),
            ..Curve::default()
        }],
    );
    let strip = Figure {
        strip: Some(600.0),
        ..figure(vec![low.clone(), low], &[])
    };
    let svg = render_svg(&strip).unwrap();
    assert_eq!(texts(&svg).iter().filter(|text| **text == name).count(), 2, "{svg}");
}
