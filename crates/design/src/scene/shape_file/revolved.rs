//! Surfaces of revolution as triangles, for pictures.

use std::f64::consts::TAU;

use super::{MeshPart, ShapeFile};

/// Corners around the axis.
const AROUND: usize = 40;

/// Arcs of a quarter of a circle.
const QUARTER: usize = 8;

impl ShapeFile {
    /// A capsule about its centre, along z: radius, and length without the halves of the ball.
    pub(in crate::scene) fn capsule(radius: f64, length: f64) -> Self {
        let arc = |k: usize| {
            let angle = (k as f64 / QUARTER as f64 - 1.0) * TAU / 4.0;
            [radius * angle.cos(), radius * angle.sin()]
        };
        let lower = (0..=QUARTER).map(arc).map(|[r, z]| [r, z - length / 2.0]);
        let upper = (QUARTER..=2 * QUARTER).map(arc).map(|[r, z]| [r, z + length / 2.0]);
        Self::revolved(&lower.chain(upper).collect::<Vec<_>>())
    }

    /// A cylinder with a hole about its centre, along z.
    pub(in crate::scene) fn ring(radius: f64, hole: f64, length: f64) -> Self {
        let half = length / 2.0;
        let corners = [[radius, -half], [radius, half], [hole, half], [hole, -half]];
        Self::revolved(&[corners[0], corners[1], corners[2], corners[3], corners[0]])
    }

    /// A line of distances from the axis and heights, turned about z; its right side is outside as it goes up.
    fn revolved(line: &[[f64; 2]]) -> Self {
        let mut part = MeshPart::default();
        for k in 0..AROUND {
            let (sin, cos) = (k as f64 / AROUND as f64 * TAU).sin_cos();
            let place = |[r, z]: [f64; 2]| [r * cos, r * sin, z];
            part.positions.extend(line.iter().map(|&at| place(at)));
        }
        let at = |around: usize, along: usize| ((around % AROUND) * line.len() + along) as u32;
        for around in 0..AROUND {
            for along in 1..line.len() {
                let [a, b] = [at(around, along - 1), at(around + 1, along - 1)];
                let [c, d] = [at(around + 1, along), at(around, along)];
                part.faces.extend([[a, b, c], [a, c, d]]);
            }
        }
        let mut shape = Self::default();
        // Every index is one of a corner, and every corner is finite.
        let _ = shape.add(part);
        shape
    }
}
