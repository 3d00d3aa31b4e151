//! One process at a time for a file that grows.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};
use crate::machine::time_of_day;

/// How often a lock is tried that others take and give back meanwhile.
const TRIES: usize = 100;

/// The right to write a file, given back when it is dropped. The system takes it from a process that ends, however that
/// happened.
#[derive(Debug)]
pub struct Lock {
    /// The file beside it that is locked, and names the process.
    path: PathBuf,
    /// Open as long as the lock is held.
    _file: File,
}

impl Lock {
    /// Takes the lock of a file in a folder that is there.
    ///
    /// # Errors
    /// Kind `File`, with the process that has the lock, or when none can be taken in the folder.
    pub fn take(path: &Path) -> Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let lock = path.with_file_name(format!(".{name}.lock"));
        for _ in 0..TRIES {
            if let Some(file) = attempt(path, &lock)? {
                return Ok(Self {
                    path: lock,
                    _file: file,
                });
            }
        }
        Err(held(path, "other processes"))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Before it is given back; a file that stays does no harm.
        let _ = fs::remove_file(&self.path);
    }
}

/// The locked file; none if it was removed by the one before.
fn attempt(path: &Path, lock: &Path) -> Result<Option<File>> {
    let failed = |error: std::io::Error| {
        let message = format!("{} cannot be locked: {error}", path.display());
        Error::new(ErrorKind::File, message).advise("name a folder that you may write to")
    };
    let opened = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(lock);
    let mut file = opened.map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(held(path, &holder(&mut file))),
        // Where files know no locks, nobody holds one.
        Err(TryLockError::Error(error)) if error.kind() == std::io::ErrorKind::Unsupported => {}
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    let own = format!("{} {}", std::process::id(), time_of_day().as_nanos());
    file.set_len(0)
        .and_then(|()| file.write_all(own.as_bytes()))
        .map_err(failed)?;
    let is_there = fs::read_to_string(lock).is_ok_and(|text| text == own);
    Ok(is_there.then_some(file))
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.read_to_string(&mut text).ok().and(text.split_once(' '));
    read.map_or("another process".to_string(), |(process, _)| {
        format!("process {process}")
    })
}

fn held(path: &Path, by: &str) -> Error {
    Error::new(ErrorKind::File, format!("{} is being written by {by}", path.display()))
        .named(path.display().to_string())
        .advise("wait until that ends, or name another folder")
}

#[cfg(test)]
mod tests {
    use super::Lock;

    #[test]
    fn a_lock_names_its_process_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        let lock = Lock::take(&path).unwrap();
        let error = Lock::take(&path).unwrap_err();
        let process = format!("by process {}", std::process::id());
        assert!(error.message().ends_with(&process), "{error}");
        Lock::take(&folder.path().join("other.csv")).unwrap();
        drop(lock);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_lock_of_a_process_that_ended_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        std::fs::write(folder.path().join(".table.csv.lock"), "1 0").unwrap();
        Lock::take(&path).unwrap();
    }
}
