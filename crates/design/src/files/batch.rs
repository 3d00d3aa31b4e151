//! Files that appear together or not at all.

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;

use super::folder::{OutFolder, flush};
use super::part::{part, remove_stale};
use crate::error::{Error, ErrorKind, Result};

/// Files written under temporary names until they are committed; dropped uncommitted, they leave nothing.
#[derive(Debug)]
pub struct Batch {
    folder: OutFolder,
    /// Temporary and final name of each file.
    files: Vec<(PathBuf, PathBuf)>,
}

impl Batch {
    /// No files yet, for a folder that is created when missing.
    ///
    /// # Errors
    /// Kind `File` when the folder cannot be created.
    pub fn new(folder: impl Into<OutFolder>) -> Result<Self> {
        let out = folder.into();
        let folder = out.path();
        fs::create_dir_all(folder).map_err(|error| {
            Error::new(
                ErrorKind::File,
                format!("the folder {} cannot be created: {error}", folder.display()),
            )
            .advise("name a folder that you may write to")
        })?;
        remove_stale(folder);
        Ok(Self {
            folder: out,
            files: Vec::new(),
        })
    }

    /// Writes a file under a temporary name.
    ///
    /// # Errors
    /// Kind `File` when it cannot be written, or its name is that of a folder or of a file that it is made from.
    pub fn add(&mut self, name: &str, content: &[u8]) -> Result<()> {
        self.folder.refuse_input(name)?;
        let folder = self.folder.path();
        if folder.join(name).is_dir() {
            return Err(self.failed(name, &std::io::ErrorKind::IsADirectory.into()));
        }
        let temporary = part(folder, name);
        self.files.push((temporary.clone(), folder.join(name)));
        let written = File::create(&temporary).and_then(|mut file| {
            file.write_all(content)?;
            file.sync_all()
        });
        written.map_err(|error| self.failed(name, &error))
    }

    /// Gives every file its name; returns the files.
    ///
    /// # Errors
    /// Kind `File` when a file cannot be renamed.
    pub fn commit(mut self) -> Result<Vec<PathBuf>> {
        let files = std::mem::take(&mut self.files);
        let mut named = Vec::new();
        for (temporary, path) in &files {
            if let Err(error) = fs::rename(temporary, path) {
                self.files = files.iter().skip(named.len()).cloned().collect();
                return Err(self.failed(&path.display().to_string(), &error));
            }
            named.push(path.clone());
        }
        flush(self.folder.path());
        Ok(named)
    }

    fn failed(&self, name: &str, error: &std::io::Error) -> Error {
        Error::new(
            ErrorKind::File,
            format!("{name} cannot be written in {}: {error}", self.folder.path().display()),
        )
        .advise("check that the folder may be written to and that the disk is not full")
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        for (temporary, _) in &self.files {
            // Nothing can be done about a file that cannot be removed; it is hidden and marked as a part.
            let _ = fs::remove_file(temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Batch;

    #[test]
    fn a_batch_that_is_not_committed_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut batch = Batch::new(folder.path()).unwrap();
        batch.add("a.csv", b"1").unwrap();
        drop(batch);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn committed_files_have_their_names_and_contents() {
        let folder = tempfile::tempdir().unwrap();
        let mut batch = Batch::new(&folder.path().join("new")).unwrap();
        batch.add("a.csv", b"1").unwrap();
        let files = batch.commit().unwrap();
        assert_eq!(files, vec![folder.path().join("new/a.csv")]);
        assert_eq!(std::fs::read(&files[0]).unwrap(), b"1");
    }

    #[test]
    fn a_write_that_fails_leaves_no_part_and_keeps_older_files() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.csv"), "old").unwrap();
        std::fs::create_dir(folder.path().join("b.csv")).unwrap();
        let mut batch = Batch::new(folder.path()).unwrap();
        batch.add("a.csv", b"new").unwrap();
        let error = batch.add("b.csv", b"2").unwrap_err();
        assert!(error.message().contains("b.csv"));
        drop(batch);
        assert_eq!(std::fs::read_to_string(folder.path().join("a.csv")).unwrap(), "old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_file_in_the_place_of_the_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("taken");
        std::fs::write(&path, "").unwrap();
        let error = Batch::new(&path).err().unwrap();
        assert!(error.message().contains("taken"));
    }
}
