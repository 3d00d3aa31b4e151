//! Outlines of bodies on the page.

use std::collections::HashMap;
use std::f64::consts::TAU;

use super::Place;
use crate::appearance::{Mesh, Solid, Vector};

/// Most that a polygon may miss a circle by, in millimetres.
const CHORD: f64 = 0.005;

/// The size of a mesh over the distance within which vertices are one.
const SAME: f64 = 1e8;

/// A circle as a polygon.
pub(super) fn circle(at: Place, radius: f64) -> Vec<Place> {
    let count = (TAU / (8.0 * CHORD / radius.max(CHORD)).sqrt())
        .ceil()
        .clamp(12.0, 5000.0) as usize;
    let angle = |k: usize| TAU * k as f64 / count as f64;
    (0..count)
        .map(|k| [at[0] + radius * angle(k).cos(), at[1] + radius * angle(k).sin()])
        .collect()
}

/// The convex hull of discs of one radius (Andrew's monotone chain): a bar with rounded ends, or a plate.
pub(super) fn hull(centres: &[Place], radius: f64) -> Vec<Place> {
    let mut places: Vec<Place> = centres.iter().flat_map(|&centre| circle(centre, radius)).collect();
    places.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let mut around: Vec<Place> = Vec::with_capacity(places.len());
    for pass in 0..2 {
        let first = around.len();
        for k in 0..places.len() {
            let next = places[if pass == 0 { k } else { places.len() - 1 - k }];
            while around.len() >= first + 2 && turns_back(around[around.len() - 2], around[around.len() - 1], next) {
                around.pop();
            }
            around.push(next);
        }
        around.pop();
    }
    around
}

fn turns_back(a: Place, b: Place, c: Place) -> bool {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) <= 0.0
}

/// The contours of a solid seen from the front: the edges between faces that look forward and those that do not.
pub(super) fn silhouette(mesh: &Mesh, solid: &Solid, place: impl Fn(Vector) -> Place) -> Vec<Vec<Place>> {
    let corners: Vec<Vector> = mesh
        .positions
        .iter()
        .map(|at| solid.origin + (solid.axes[0] * at.x + solid.axes[1] * at.y + solid.axes[2] * at.z))
        .collect();
    // Meshes repeat a vertex for every normal.
    let size = mesh
        .positions
        .iter()
        .fold(f64::MIN_POSITIVE, |most, at| at.amax().max(most));
    let mut known: HashMap<[i64; 3], usize> = HashMap::new();
    let vertices = mesh.positions.iter().enumerate();
    let joined: Vec<usize> = vertices
        .map(|(i, at)| {
            *known
                .entry(at.map(|x| (x / size * SAME).round() as i64).into())
                .or_insert(i)
        })
        .collect();
    let mut next: HashMap<usize, Vec<usize>> = HashMap::new();
    for face in &mesh.faces {
        let [a, b, c] = face.map(|i| joined[i as usize]);
        let normal = (corners[b] - corners[a]).cross(&(corners[c] - corners[a]));
        if normal.z > 1e-12 * normal.norm() {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                // An edge between two faces that look forward is passed both ways.
                let back = next.get_mut(&to);
                let passed = back.and_then(|ends| Some((ends.iter().position(|&end| end == from)?, ends)));
                match passed {
                    Some((k, ends)) => {
                        ends.swap_remove(k);
                    }
                    None => next.entry(from).or_default().push(to),
                }
            }
        }
    }
    contours(next, mesh.positions.len())
        .into_iter()
        .map(|contour| contour.into_iter().map(|i| place(corners[i])).collect())
        .collect()
}

/// Closed walks along edges.
fn contours(mut next: HashMap<usize, Vec<usize>>, count: usize) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    for first in 0..count {
        while let Some(mut at) = next.get_mut(&first).and_then(Vec::pop) {
            let mut contour = vec![first];
            while at != first {
                contour.push(at);
                match next.get_mut(&at).and_then(Vec::pop) {
                    Some(then) => at = then,
                    None => break,
                }
            }
            found.push(contour);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{CHORD, circle, hull};

    fn area(around: &[[f64; 2]]) -> f64 {
        let next = around.iter().cycle().skip(1);
        let twice: f64 = around.iter().zip(next).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum();
        twice.abs() / 2.0
    }

    #[test]
    fn a_bar_has_the_area_of_a_rectangle_and_a_disc() {
        let found = area(&hull(&[[1.0, 2.0], [31.0, 42.0]], 2.0));
        let wanted = 50.0 * 4.0 + std::f64::consts::PI * 4.0;
        assert!((found / wanted - 1.0).abs() < 1e-3, "{found} {wanted}");
    }

    #[test]
    fn places_within_a_plate_do_not_change_it() {
        let corners = [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]];
        let more = [corners[0], corners[1], corners[2], [2.0, 2.0]];
        assert_eq!(hull(&corners, 1.0), hull(&more, 1.0));
    }

    #[test]
    fn circles_are_round() {
        for radius in [0.3, 2.0, 50.0] {
            let found = area(&circle([1.0, 1.0], radius));
            let around = circle([1.0, 1.0], radius);
            let middle = [0, 1].map(|k| (around[0][k] + around[1][k]) / 2.0 - 1.0);
            let missed = radius - middle[0].hypot(middle[1]);
            assert!(
                missed < 2.0 * CHORD && found < std::f64::consts::PI * radius * radius,
                "{missed}"
            );
        }
    }
}
