//! The volume that triangles enclose, with its centre and its second moments.

use std::collections::HashMap;

use super::ShapeFile;

/// Volume, centre, and inertia tensor about the centre for a density of one: `[xx, yy, zz, xy, xz, yz]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::scene) struct Enclosed {
    pub volume: f64,
    pub centre: [f64; 3],
    pub inertia: [f64; 6],
}

impl ShapeFile {
    /// What the triangles enclose; what is wrong, in words, where they enclose nothing.
    pub(in crate::scene) fn enclosed(&self) -> Result<Enclosed, String> {
        let open = self.open_edges();
        if open > 0 {
            return Err(format!(
                "is not closed: {open} edges do not join two triangles that face the same way"
            ));
        }
        let about = self.positions.first().copied().unwrap_or_default();
        let (mut volume, mut first, mut second) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
        for face in &self.faces {
            let corners = face.map(|i| sub(self.positions[i as usize], about));
            let [a, b, c] = corners;
            let part = dot(a, cross(b, c)) / 6.0;
            let sum: [f64; 3] = std::array::from_fn(|k| a[k] + b[k] + c[k]);
            volume += part;
            for i in 0..3 {
                first[i] += part * sum[i] / 4.0;
                for j in 0..3 {
                    let squares: f64 = corners.iter().map(|corner| corner[i] * corner[j]).sum();
                    second[i][j] += part / 20.0 * (squares + sum[i] * sum[j]);
                }
            }
        }
        if volume.is_nan() || volume <= 0.0 {
            return Err("encloses nothing: its triangles face inwards".to_string());
        }
        let centre = first.map(|x| x / volume);
        let moment = |i: usize, j: usize| second[i][j] - volume * centre[i] * centre[j];
        let [xx, yy, zz] = [moment(0, 0), moment(1, 1), moment(2, 2)];
        Ok(Enclosed {
            volume,
            centre: std::array::from_fn(|k| centre[k] + about[k]),
            inertia: [yy + zz, zz + xx, xx + yy, -moment(0, 1), -moment(0, 2), -moment(1, 2)],
        })
    }

    /// Edges that no other triangle has in the opposite direction. Vertices that single precision does not tell apart are one:
    /// texts that give a corner of each triangle with all digits differ in the last.
    fn open_edges(&self) -> usize {
        let mut places: HashMap<[u32; 3], usize> = HashMap::new();
        // Zero and minus zero are one place.
        let key = |at: &[f64; 3]| at.map(|x| (x as f32 + 0.0).to_bits());
        let id = |at: &[f64; 3]| {
            let next = places.len();
            *places.entry(key(at)).or_insert(next)
        };
        let ids: Vec<usize> = self.positions.iter().map(id).collect();
        let mut edges: HashMap<(usize, usize), isize> = HashMap::new();
        for face in &self.faces {
            let [a, b, c] = face.map(|i| ids[i as usize]);
            for (from, to) in [(a, b), (b, c), (c, a)] {
                if from != to {
                    *edges.entry((from.min(to), from.max(to))).or_default() += if from < to { 1 } else { -1 };
                }
            }
        }
        edges.values().filter(|balance| **balance != 0).count()
    }
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}
