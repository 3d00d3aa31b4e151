//! Where a node of glTF puts its triangles.

use gltf_json::scene::Node;

/// Columns of a homogeneous matrix.
pub(super) type Matrix = [[f64; 4]; 4];

pub(super) const IDENTITY: Matrix = [
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 0.0, 1.0],
];

pub(super) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|j| std::array::from_fn(|i| (0..4).map(|k| a[k][i] * b[j][k]).sum()))
}

/// The place of a node in the one above it.
pub(super) fn local(node: &Node) -> Matrix {
    if let Some(matrix) = node.matrix {
        return std::array::from_fn(|j| std::array::from_fn(|i| matrix[4 * j + i].into()));
    }
    let [x, y, z, w] = unit(
        node.rotation
            .map_or([0.0, 0.0, 0.0, 1.0], |rotation| rotation.0.map(f64::from)),
    );
    let scale = node.scale.unwrap_or([1.0; 3]).map(f64::from);
    let [tx, ty, tz] = node.translation.unwrap_or_default().map(f64::from);
    let turn = [
        [
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y + z * w),
            2.0 * (x * z - y * w),
        ],
        [
            2.0 * (x * y - z * w),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z + x * w),
        ],
        [
            2.0 * (x * z + y * w),
            2.0 * (y * z - x * w),
            1.0 - 2.0 * (x * x + y * y),
        ],
    ];
    let column = |j: usize| -> [f64; 4] {
        let [x, y, z] = turn[j].map(|entry| scale[j] * entry);
        [x, y, z, 0.0]
    };
    [column(0), column(1), column(2), [tx, ty, tz, 1.0]]
}

/// A quaternion that turns without stretching, which one of single precision does by 1e-7.
fn unit(turn: [f64; 4]) -> [f64; 4] {
    let length = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 { turn.map(|x| x / length) } else { turn }
}

/// What a matrix does to triangles.
pub(super) struct Pose {
    matrix: Matrix,
    /// Columns that normals go with, with the sign that keeps them outside.
    normals: [[f64; 3]; 3],
    /// Whether triangles turn the other way round.
    pub mirrored: bool,
}

impl Pose {
    pub(super) fn new(matrix: &Matrix) -> Self {
        let [x, y, z]: [[f64; 3]; 3] = std::array::from_fn(|j| std::array::from_fn(|i| matrix[j][i]));
        let cofactors = [cross(y, z), cross(z, x), cross(x, y)];
        let mirrored = (0..3).map(|k| x[k] * cofactors[0][k]).sum::<f64>() < 0.0;
        let sign = if mirrored { -1.0 } else { 1.0 };
        Self {
            matrix: *matrix,
            normals: cofactors.map(|column| column.map(|entry| sign * entry)),
            mirrored,
        }
    }

    pub(super) fn moved(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let matrix = &self.matrix;
        std::array::from_fn(|i| matrix[0][i] * x + matrix[1][i] * y + matrix[2][i] * z + matrix[3][i])
    }

    pub(super) fn turned(&self, normal: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|i| (0..3).map(|j| self.normals[j][i] * normal[j]).sum())
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}
