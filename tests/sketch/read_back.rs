//! What vector pictures show, read back from the files.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use costate::run::{Changes, Experiment};
use costate::show::Show;
use costate::sketch::{Look, Sketch};

/// The attribute of an element, such as `fill`.
pub fn attribute<'a>(element: roxmltree::Node<'a, 'a>, name: &str) -> &'a str {
    element.attribute(name).unwrap_or("none")
}

/// Width of the page in millimetres.
pub fn page(text: &str) -> [f64; 2] {
    let document = roxmltree::Document::parse(text).expect("well formed");
    let bounds = document.root_element().attribute("viewBox").expect("a page");
    let numbers: Vec<f64> = bounds.split(' ').map(|number| number.parse().unwrap()).collect();
    [numbers[2], numbers[3]]
}

/// The places that a path goes through, with its fill and its stroke.
pub fn paths(text: &str) -> Vec<(Vec<[f64; 2]>, String, String)> {
    let document = roxmltree::Document::parse(text).expect("well formed");
    let paths = document.descendants().filter(|node| node.has_tag_name("path"));
    paths
        .map(|path| {
            let places = path
                .attribute("d")
                .unwrap()
                .split(['M', 'L', 'Z'])
                .filter(|place| !place.is_empty());
            let places = places.map(|place| {
                let (x, y) = place.split_once(' ').expect("two coordinates");
                [x.parse().unwrap(), y.parse().unwrap()]
            });
            (
                places.collect(),
                attribute(path, "fill").to_string(),
                attribute(path, "stroke").to_string(),
            )
        })
        .collect()
}

pub fn texts(text: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(text).expect("well formed");
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.map(|node| node.text().unwrap_or_default().to_string()).collect()
}

/// The middle of a contour.
pub fn middle(places: &[[f64; 2]]) -> [f64; 2] {
    let bound = |axis: usize, pick: fn(f64, f64) -> f64, first: f64| places.iter().map(|at| at[axis]).fold(first, pick);
    [0, 1].map(|axis| (bound(axis, f64::min, f64::INFINITY) + bound(axis, f64::max, f64::NEG_INFINITY)) / 2.0)
}

pub fn scene(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes").join(name)
}

pub fn show(name: &str) -> Show {
    let experiment = Experiment::open(&scene(name), &Changes::default()).expect("the scene is valid");
    Show::new(experiment, &mut |_| ()).expect("it runs")
}

pub fn svg(show: &Show, moments: &[f64], look: &Look) -> String {
    Sketch::new(show, moments, look).expect("a picture").svg()
}
