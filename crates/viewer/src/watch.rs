//! Whether a scene file has changed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// How often the file is looked at.
const INTERVAL: Duration = Duration::from_millis(500);

/// A file that may change.
pub(super) struct FileWatch {
    path: PathBuf,
    modified: Option<SystemTime>,
    looked: Instant,
}

impl FileWatch {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            modified: modified(path),
            looked: Instant::now(),
        }
    }

    /// Whether it is seen for the first time that the file has changed.
    pub(super) fn has_changed(&mut self) -> bool {
        if self.looked.elapsed() < INTERVAL {
            return false;
        }
        self.looked = Instant::now();
        let before = self.modified;
        // A file that is just being replaced may be missing.
        self.modified = modified(&self.path).or(before);
        self.modified != before
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|metadata| metadata.modified()).ok()
}
