//! The parts of a file of triangles, read with care for its size.

use std::fs::File;
use std::io::{ErrorKind as Io, Read};
use std::path::Path;

use super::{Part, gltf, obj, refused};
use crate::error::{Error, ErrorKind, Result};
use crate::scene::data::near_files;

/// Most bytes that a file may have.
const LONGEST: u64 = 64 << 20;

/// The parts of a file, by its ending.
pub(super) fn parts_of(file: &Path) -> Result<Vec<Part>> {
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
    let shown = file.display().to_string();
    let failed = |message: String| Error::new(ErrorKind::File, message).named(shown.clone());
    let opened = File::open(file).map_err(|error| match error.kind() {
        Io::NotFound => failed(format!("there is no file {shown}"))
            .advise(near_files(file).unwrap_or("the path is relative to the folder of the scene".to_string())),
        _ => failed(format!("cannot open {shown}: {error}")).advise("check the permission to read it"),
    })?;
    let mut bytes = Vec::new();
    let read = opened.take(LONGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| failed(format!("cannot read {shown}: {error}")).advise("check that it is a file"))?;
    if bytes.len() as u64 > LONGEST {
        return Err(
            failed(format!("{shown} is longer than the 64 MiB that it may have")).advise("export fewer triangles")
        );
    }
    Ok(bytes)
}
