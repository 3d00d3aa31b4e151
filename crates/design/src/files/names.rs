//! Parts of the names of files.

use std::path::Path;

use crate::error::{Error, ErrorKind, Result};

/// What the name of a file ends with, in lower case.
pub fn extension(path: &Path) -> Option<String> {
    path.extension()
        .map(|extension| extension.to_string_lossy().to_lowercase())
}

/// The name of a file without its folder.
///
/// # Errors
/// Kind `Request` for a path that ends with no name.
pub fn file_name(path: &Path) -> Result<String> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    name.ok_or_else(|| Error::new(ErrorKind::Request, format!("{} is no file name", path.display())))
}
