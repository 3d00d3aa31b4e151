//! glTF 2.0, as one binary file or as a text with a file of numbers beside it.
//!
//! Every index, offset and count is checked here before anything is read or allocated by it: the file may be damaged.

mod numbers;
mod pose;

use std::path::Path;

use gltf_json::mesh::{Mode, Primitive, Semantic};
use gltf_json::scene::Node;
use gltf_json::validation::Checked;
use gltf_json::{Index, Root, Scene};

use super::{MeshPart, load};
use crate::scene::folder::Folder;
use numbers::Numbers;
use pose::{IDENTITY, Matrix, Pose, local, product};

/// Why a file cannot be read.
type Reason = String;

/// The triangles of the default scene, or of the first, where its nodes put them at the start of an animation.
///
/// # Errors
/// What is wrong with the file.
pub(super) fn read(bytes: &[u8], path: &Path, folder: &Folder) -> Result<Vec<MeshPart>, Reason> {
    let (text, binary) = numbers::split(bytes)?;
    let root = Root::from_slice(text).map_err(|error| error.to_string())?;
    let numbers = Numbers::load(&root, binary, text.len(), &|uri| beside(uri, path, folder))?;
    let scene = match root.scene {
        Some(scene) => Some(entry(&root.scenes, scene, "scene")?),
        None => root.scenes.first(),
    };
    Reader { root: &root, numbers }.parts(scene.ok_or("it has no scene")?)
}

/// A file of numbers beside the one at a path.
fn beside(uri: &str, path: &Path, folder: &Folder) -> Result<Vec<u8>, Reason> {
    let name = path.parent().unwrap_or(Path::new("")).join(uri);
    let loaded = folder.find(&name).and_then(|found| load(&found.path));
    loaded.map_err(|error| match error.advice() {
        Some(advice) => format!("{} ({advice})", error.message()),
        None => error.message().to_string(),
    })
}

/// An entry of a list of the file.
fn entry<'r, T>(list: &'r [T], index: Index<T>, what: &str) -> Result<&'r T, Reason> {
    let found = list.get(index.value());
    found.ok_or_else(|| format!("it names the {what} {}, which is not there", index.value()))
}

struct Reader<'r> {
    root: &'r Root,
    numbers: Numbers<'r>,
}

impl Reader<'_> {
    /// The triangles of a scene. No node has two others above it, so that each is met once.
    fn parts(&mut self, scene: &Scene) -> Result<Vec<MeshPart>, Reason> {
        let nodes = &self.root.nodes;
        let mut met = vec![false; nodes.len()];
        let mut parts = Vec::new();
        let mut waiting: Vec<(Index<Node>, Matrix)> = scene.nodes.iter().map(|node| (*node, IDENTITY)).collect();
        waiting.reverse();
        while let Some((index, above)) = waiting.pop() {
            let node = entry(nodes, index, "node")?;
            if std::mem::replace(&mut met[index.value()], true) {
                return Err(format!("its node {} is in two places, or inside itself", index.value()));
            }
            let matrix = product(&above, &local(node));
            if let Some(mesh) = node.mesh {
                for primitive in &entry(&self.root.meshes, mesh, "mesh")?.primitives {
                    parts.extend(self.part(primitive, &Pose::new(&matrix))?);
                }
            }
            let children = node.children.iter().flatten().rev();
            waiting.extend(children.map(|child| (*child, matrix)));
        }
        Ok(parts)
    }

    /// The triangles of a primitive; none of points, lines and strips.
    fn part(&mut self, primitive: &Primitive, pose: &Pose) -> Result<Option<MeshPart>, Reason> {
        let mode = matches!(primitive.mode, Checked::Valid(Mode::Triangles));
        let vectors = |semantic| primitive.attributes.get(&Checked::Valid(semantic)).copied();
        let Some(positions) = vectors(Semantic::Positions).filter(|_| mode) else {
            return Ok(None);
        };
        let positions = self.numbers.vectors(positions)?;
        let normals = vectors(Semantic::Normals).map(|normals| self.numbers.vectors(normals));
        let indices = match primitive.indices {
            Some(indices) => self.numbers.indices(indices)?,
            None => (0..positions.len() as u32).collect(),
        };
        let mut faces = indices.as_chunks().0.to_vec();
        if pose.mirrored {
            faces.iter_mut().for_each(|face: &mut [u32; 3]| face.swap(1, 2));
        }
        let normals = normals.transpose()?.unwrap_or_default().into_iter();
        Ok(Some(MeshPart {
            positions: positions.into_iter().map(|at| pose.moved(at)).collect(),
            normals: normals.map(|normal| pose.turned(normal)).collect(),
            faces,
        }))
    }
}
