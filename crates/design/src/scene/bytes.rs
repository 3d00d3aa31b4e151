//! Files beside a scene, read with care for their size.

use std::fs::{self, File};
use std::io::{ErrorKind as Io, Read};
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::expression::nearest_name;

/// Most bytes that a file may have.
pub(super) const LONGEST: u64 = 64 << 20;

/// The bytes of a file; `what` it is, and how to make one shorter that is too long.
///
/// # Errors
/// Kind `File`.
pub(super) fn load(file: &Path, what: &str, shorten: &str) -> Result<Vec<u8>> {
    let shown = file.display().to_string();
    let failed = |message: String| Error::new(ErrorKind::File, message).named(shown.clone());
    if is_endless(file) {
        return Err(failed(format!("{shown} is no file")).advise("name a file beside the scene"));
    }
    let opened = File::open(file).map_err(|error| match error.kind() {
        Io::NotFound => failed(format!("there is no {what} {shown}"))
            .advise(near_file(file).unwrap_or("the path is relative to the folder of the scene".to_string())),
        _ => failed(format!("cannot open {shown}: {error}")).advise("check the permission to read it"),
    })?;
    let mut bytes = Vec::new();
    let read = opened.take(LONGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| failed(format!("cannot read {shown}: {error}")).advise("check that it is a file"))?;
    match bytes.len() as u64 > LONGEST {
        true => Err(failed(format!("{shown} is longer than the 64 MiB that it may have")).advise(shorten)),
        false => Ok(bytes),
    }
}

/// Whether something is there that is no file: a pipe or a device could keep one waiting for ever.
pub(super) fn is_endless(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file())
}

fn near_file(file: &Path) -> Option<String> {
    let names = names_in(file.parent()?);
    let near = nearest_name(&file.file_name()?.to_string_lossy(), names.iter().map(String::as_str))?;
    Some(format!("did you mean {near}?"))
}

/// Names of the files in a folder, sorted; none when it cannot be read.
pub(super) fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
