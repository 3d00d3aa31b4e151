//! Files beside a scene: where it names them, and reading them with care for their size.

use std::fs::{self, File};
use std::io::{ErrorKind as Io, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::SceneFile;
use crate::error::{Error, ErrorKind, Result};
use crate::expression::nearest_name;

/// Most bytes that a file may have.
const LONGEST: u64 = 64 << 20;

/// A place in the scene that names a file.
pub(super) struct Mention<'s> {
    /// The path to the name in the scene.
    pub(super) path: Vec<String>,
    /// The file, as written.
    pub(super) name: &'s str,
}

impl Mention<'_> {
    /// Byte range of the name in the scene.
    pub(super) fn place(&self, file: &SceneFile) -> Option<Range<usize>> {
        file.place(&self.path.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The error at this place, unless it has one in the file itself.
    fn located(&self, error: Error, file: &SceneFile) -> Error {
        match self.place(file).filter(|_| error.place().is_none()) {
            Some(place) => error.at_place(place).in_source(file.source.clone()),
            None => error,
        }
    }
}

/// Reads the files that a scene names, each once; `read` is given the name as written and where the file is.
///
/// # Errors
/// Those of `read`; the ones without a place get that of the name in the scene.
pub(super) fn read_each<T>(
    file: &SceneFile,
    mentions: Vec<Mention>,
    read: impl Fn(&str, &Path) -> Result<T>,
) -> Result<Vec<Arc<T>>> {
    let folder = Path::new(&file.source.file).parent().unwrap_or(Path::new(""));
    let (mut names, mut found) = (Vec::new(), Vec::new());
    for mention in mentions {
        if !names.contains(&mention.name) {
            let one = read(mention.name, &folder.join(mention.name));
            found.push(Arc::new(one.map_err(|error| mention.located(error, file))?));
            names.push(mention.name);
        }
    }
    Ok(found)
}

/// The bytes of a file; `what` it is, and how to make one shorter that is too long.
///
/// # Errors
/// Kind `File`.
pub(super) fn load(file: &Path, what: &str, shorten: &str) -> Result<Vec<u8>> {
    let shown = file.display().to_string();
    let failed = |message: String| Error::new(ErrorKind::File, message).named(shown.clone());
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
