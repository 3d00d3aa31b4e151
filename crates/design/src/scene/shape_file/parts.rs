//! The parts of a file of triangles, read with care for its size.

use std::path::Path;

use super::{MeshPart, gltf, obj, refused};
use crate::error::Result;
use crate::scene::beside;

/// The parts of a file, by its ending.
pub(super) fn parts_of(file: &Path) -> Result<Vec<MeshPart>> {
    let ending = file.extension().map(|ending| ending.to_ascii_lowercase());
    let bytes = || load(file);
    let parts = match ending.as_deref().and_then(|ending| ending.to_str()) {
        Some("obj") => obj::read(&bytes()?),
        Some("glb" | "gltf") => gltf::read(&bytes()?, file),
        _ => {
            return Err(refused(file, "is no file of triangles that can be read")
                .advise("give a file that ends with .obj, .glb or .gltf"));
        }
    };
    parts.map_err(|reason| {
        refused(file, &format!("cannot be read: {reason}")).advise("export it again, as .glb or .obj with triangles")
    })
}

pub(super) fn load(file: &Path) -> Result<Vec<u8>> {
    beside::load(file, "file", "export fewer triangles")
}
