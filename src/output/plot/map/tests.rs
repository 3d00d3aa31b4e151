use super::super::{Drawing, render_png, render_svg};
use super::{Map, Places};
use crate::error::ErrorKind;

fn map(places: Places, values: Vec<Option<f64>>) -> Drawing {
    let [title, x_label, y_label, label] = ["t", "a (m)", "b", "miss"].map(str::to_string);
    Drawing::Map(Map {
        title,
        x_label,
        y_label,
        label,
        places,
        values,
    })
}

fn grid(values: Vec<Option<f64>>) -> Drawing {
    map(
        Places::Grid {
            x: vec![0.0, 1.0],
            y: vec![0.0, 1.0, 2.0],
        },
        values,
    )
}

/// Rectangles of a colour: x, y, width, height.
fn tiles(svg: &str, colour: &str) -> Vec<[f64; 4]> {
    let field = |line: &str, name: &str| -> f64 {
        line.split(&format!(" {name}=\""))
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap()
            .parse()
            .unwrap()
    };
    let lines = svg
        .lines()
        .filter(|line| line.starts_with("<rect") && line.contains(colour));
    lines
        .map(|line| ["x", "y", "width", "height"].map(|name| field(line, name)))
        .collect()
}

#[test]
fn least_and_greatest_value_have_the_end_colours_in_their_places() {
    let values = [0.0, 0.5, 0.4, 0.3, 0.2, 1.0].map(Some).to_vec();
    let svg = render_svg(&grid(values)).unwrap();
    let (least, greatest) = (tiles(&svg, "#440154"), tiles(&svg, "#FDE725"));
    assert_eq!((least.len(), greatest.len()), (1, 1));
    let ([x, y, ..], [right, top, ..]) = (least[0], greatest[0]);
    let [beside, above, ..] = tiles(&svg, "#21908D")[0];
    assert!(beside == x && above < y, "the second is above the first");
    assert!(
        x < right && y > top,
        "the first is at the lower left: {least:?} {greatest:?}"
    );
}

#[test]
fn a_place_without_a_value_is_grey_and_explained() {
    let values = vec![Some(0.0), None, Some(0.4), Some(0.3), Some(0.2), Some(1.0)];
    let svg = render_svg(&grid(values)).unwrap();
    assert_eq!(tiles(&svg, "#DEDEDE").len(), 2, "the tile and its legend");
    assert!(svg.contains("no value"));
}

#[test]
fn values_over_decades_have_a_logarithmic_bar() {
    let svg = render_svg(&grid([1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1.0].map(Some).to_vec())).unwrap();
    assert!(svg.contains("10⁻³") || svg.contains("10⁻²"), "{svg}");
}

#[test]
fn points_and_empty_maps_are_drawn_and_wrong_ones_refused() {
    let points = Places::Points(vec![(0.0, 1.0), (2.0, -1.0)]);
    assert!(
        render_svg(&map(points.clone(), vec![Some(1.0), Some(2.0)]))
            .unwrap()
            .contains("<circle")
    );
    assert!(render_png(&grid(vec![None; 6])).is_ok());
    let kind = |drawing: &Drawing| render_svg(drawing).unwrap_err().kind();
    assert_eq!(kind(&map(points.clone(), vec![None])), ErrorKind::Request);
    assert_eq!(
        kind(&map(points, vec![Some(1.0), Some(f64::NAN)])),
        ErrorKind::NotFinite
    );
}
