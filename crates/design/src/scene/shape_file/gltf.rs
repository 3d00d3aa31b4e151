//! glTF 2.0, as one binary file or as a text with a file of numbers beside it.

use std::path::Path;

use gltf::buffer::Source;
use gltf::mesh::{Mode, Primitive};
use gltf::{Gltf, Node};

use super::{MeshPart, load};

/// Deepest tree of nodes that is followed.
const DEEPEST: usize = 64;

/// The triangles of the default scene, or of the first, where its nodes put them at the start of an animation.
///
/// # Errors
/// What is wrong with the file.
pub(super) fn read(bytes: &[u8], file: &Path) -> Result<Vec<MeshPart>, String> {
    let Gltf { document, blob } = Gltf::from_slice(bytes).map_err(|error| error.to_string())?;
    let mut buffers = Vec::new();
    for buffer in document.buffers() {
        buffers.push(match buffer.source() {
            Source::Bin => blob.clone().ok_or("its numbers are missing")?,
            Source::Uri(uri) if uri.starts_with("data:") => {
                return Err("its numbers are inside the text; save it as .glb".to_string());
            }
            Source::Uri(uri) => {
                let beside = file.parent().unwrap_or(Path::new("")).join(uri);
                load(&beside).map_err(|error| error.message().to_string())?
            }
        });
    }
    let scene = document.default_scene().or_else(|| document.scenes().next());
    let mut parts = Vec::new();
    for node in scene.ok_or("it has no scene")?.nodes() {
        add_node(&node, IDENTITY, &buffers, &mut parts, DEEPEST)?;
    }
    Ok(parts)
}

/// Columns of a homogeneous matrix.
type Matrix = [[f32; 4]; 4];

const IDENTITY: Matrix = [
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 0.0, 1.0],
];

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|j| std::array::from_fn(|i| (0..4).map(|k| a[k][i] * b[j][k]).sum()))
}

fn add_node(
    node: &Node,
    above: Matrix,
    buffers: &[Vec<u8>],
    parts: &mut Vec<MeshPart>,
    deepest: usize,
) -> Result<(), String> {
    if deepest == 0 {
        return Err(format!("its nodes lie more than {DEEPEST} deep"));
    }
    let matrix = product(&above, &node.transform().matrix());
    for primitive in node.mesh().iter().flat_map(|mesh| mesh.primitives()) {
        parts.extend(part(&primitive, &matrix, buffers));
    }
    for child in node.children() {
        add_node(&child, matrix, buffers, parts, deepest - 1)?;
    }
    Ok(())
}

/// The triangles of a primitive; none of points, lines and strips.
fn part(primitive: &Primitive, matrix: &Matrix, buffers: &[Vec<u8>]) -> Option<MeshPart> {
    if primitive.mode() != Mode::Triangles {
        return None;
    }
    let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
    let moved = |[x, y, z]: [f32; 3]| -> [f32; 3] {
        std::array::from_fn(|i| matrix[0][i] * x + matrix[1][i] * y + matrix[2][i] * z + matrix[3][i])
    };
    let positions: Vec<[f32; 3]> = reader.read_positions()?.map(moved).collect();
    let indices: Vec<u32> = match reader.read_indices() {
        Some(indices) => indices.into_u32().collect(),
        None => (0..positions.len() as u32).collect(),
    };
    let mut faces = indices.as_chunks().0.to_vec();
    let columns: [[f32; 3]; 3] = std::array::from_fn(|j| std::array::from_fn(|i| matrix[j][i]));
    let [x, y, z] = columns;
    let cofactors = [cross(y, z), cross(z, x), cross(x, y)];
    let mirrored = (0..3).map(|k| x[k] * cofactors[0][k]).sum::<f32>() < 0.0;
    let sign = if mirrored { -1.0 } else { 1.0 };
    // Normals go with the cofactors.
    let turned =
        |normal: [f32; 3]| std::array::from_fn(|i| sign * (0..3).map(|j| cofactors[j][i] * normal[j]).sum::<f32>());
    if mirrored {
        faces.iter_mut().for_each(|face: &mut [u32; 3]| face.swap(1, 2));
    }
    Some(MeshPart {
        normals: reader
            .read_normals()
            .map_or_else(Vec::new, |normals| normals.map(turned).collect()),
        positions,
        faces,
    })
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}
