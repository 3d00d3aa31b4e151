//! Files that are written whole or not at all, or grow line by line; and pictures.

mod batch;
mod csv;
mod fingerprint;
mod folder;
mod image;
mod lock;
mod log;
mod names;
mod part;

pub use self::csv::{csv, csv_cell};
pub use batch::Batch;
pub use fingerprint::{build, built_as, fingerprint};
pub use folder::{OutFolder, check_folder};
pub use image::Image;
pub use lock::Lock;
pub use log::Log;
pub use names::{extension, file_name};
pub use part::Scratch;

use std::path::PathBuf;

use crate::error::Result;

/// Writes files by name into a folder, which is created when missing; returns the files.
///
/// Every file is written under a temporary name first: either all of them appear or none. Files may be made as they are
/// written, so that only one is in memory at a time.
///
/// # Errors
/// Kind `File` when the folder or a file cannot be written, or would replace one that it is made from.
pub fn write<N: AsRef<str>, C: AsRef<[u8]>>(
    files: impl IntoIterator<Item = (N, C)>,
    folder: impl Into<OutFolder>,
) -> Result<Vec<PathBuf>> {
    let mut batch = Batch::new(folder)?;
    for (name, content) in files {
        batch.add(name.as_ref(), content.as_ref())?;
    }
    batch.commit()
}
