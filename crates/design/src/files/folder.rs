//! Folders for results: whether they can be written, asked before there is anything to write, and what results must not
//! replace.

use std::fs;
use std::path::{Path, PathBuf};

use super::part::{existing, part};
use crate::error::{Error, ErrorKind, Result};

/// A folder for results, with the files that these must not replace: those that they are made from.
#[derive(Clone, Debug)]
pub struct OutFolder {
    path: PathBuf,
    inputs: Vec<PathBuf>,
}

impl From<&Path> for OutFolder {
    fn from(path: &Path) -> Self {
        Self::new(path, Vec::new())
    }
}

impl From<&PathBuf> for OutFolder {
    fn from(path: &PathBuf) -> Self {
        Self::new(path, Vec::new())
    }
}

impl From<&Self> for OutFolder {
    fn from(folder: &Self) -> Self {
        folder.clone()
    }
}

impl OutFolder {
    /// A folder, for what is made from these files.
    pub fn new(path: &Path, inputs: Vec<PathBuf>) -> Self {
        let path = path.to_path_buf();
        Self { path, inputs }
    }

    /// The same, checked by [`check_folder`].
    ///
    /// # Errors
    /// As [`check_folder`].
    pub fn checked(path: &Path, inputs: Vec<PathBuf>) -> Result<Self> {
        check_folder(path)?;
        Ok(Self::new(path, inputs))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses a name for a result that one of the files has that it is made from.
    ///
    /// # Errors
    /// Kind `File`, naming the file.
    pub fn refuse_input(&self, name: &str) -> Result<()> {
        let result = self.path.join(name);
        // A result that is not there yet replaces nothing.
        let Ok(place) = result.canonicalize() else {
            return Ok(());
        };
        let is_it = |input: &&PathBuf| input.canonicalize().is_ok_and(|input| input == place);
        match self.inputs.iter().find(is_it) {
            None => Ok(()),
            Some(_) => {
                let message = format!(
                    "the result {} would replace a file that the scene is read from",
                    result.display()
                );
                Err(failed(message, &result).advise("name another folder with --out"))
            }
        }
    }
}

/// Checks that files can be written into a folder, or that it can be created, without leaving anything behind.
///
/// # Errors
/// Kind `File` when the path or a part of it is a file, or when the folder that would hold it cannot be written.
pub fn check_folder(folder: &Path) -> Result<()> {
    let existing = existing(folder);
    if !existing.is_dir() {
        let what = if existing == folder {
            "it is"
        } else {
            "a part of its path is"
        };
        let message = format!("{} cannot be a folder: {what} a file", folder.display());
        return Err(failed(message, folder).advise("give --out the name of a folder; it is created when missing"));
    }
    let probe = part(existing, "costate");
    let written = fs::write(&probe, []);
    // Nothing can be done about a file that cannot be removed; it is hidden, empty and marked as a part.
    let _ = fs::remove_file(&probe);
    written.map_err(|error| {
        let message = format!("nothing can be written into {}: {error}", existing.display());
        failed(message, folder).advise("name a folder that you may write to")
    })
}

/// Flushes the names in a folder to disk, where the system lets folders be opened for that.
pub(super) fn flush(folder: &Path) {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
}

fn failed(message: String, folder: &Path) -> Error {
    Error::new(ErrorKind::File, message).named(folder.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::check_folder;
    use crate::error::ErrorKind;

    #[test]
    fn a_folder_that_exists_or_can_be_created_is_accepted_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        check_folder(folder.path()).unwrap();
        check_folder(&folder.path().join("new/and/newer")).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_file_in_the_path_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("taken");
        std::fs::write(&file, "text").unwrap();
        for path in [file.clone(), file.join("inside")] {
            let error = check_folder(&path).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::File);
            assert!(error.message().contains("taken"), "{error}");
            assert!(error.advice().is_some());
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "text");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_folder_that_cannot_be_written_is_an_error() {
        // Nobody can create files there, not even root.
        let error = check_folder(std::path::Path::new("/proc/nothing")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::File);
    }
}
