//! Wavefront OBJ.

use super::MeshPart;

/// The objects of a file; polygons become triangles.
///
/// # Errors
/// What is wrong with the text.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<MeshPart>, String> {
    check_indices(bytes)?;
    let options = tobj::LoadOptions {
        triangulate: true,
        single_index: true,
        ..tobj::LoadOptions::default()
    };
    // Materials are not used, and files of materials not read.
    let nothing = |_: &std::path::Path| Ok(Default::default());
    let (models, _) = tobj::load_obj_buf(&mut &bytes[..], &options, nothing).map_err(|error| error.to_string())?;
    let parts = models.into_iter().map(|model| MeshPart {
        positions: model.mesh.positions.as_chunks().0.to_vec(),
        normals: model.mesh.normals.as_chunks().0.to_vec(),
        faces: model.mesh.indices.as_chunks().0.to_vec(),
    });
    Ok(parts.collect())
}

/// Refuses indices that no file can have, by which the reader would calculate beyond the range of its numbers.
fn check_indices(bytes: &[u8]) -> Result<(), String> {
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    for (k, line) in lines.filter(|(_, line)| line.trim_ascii_start().starts_with(b"f")) {
        let digits = line.split(|byte| !byte.is_ascii_digit());
        if digits.map(<[u8]>::len).any(|length| length > 10) {
            return Err(format!("its line {} has a vertex that is not there", k + 1));
        }
    }
    Ok(())
}
