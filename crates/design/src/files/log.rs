//! Files that grow line by line.

use std::fs::{File, OpenOptions};
use std::io::{Result, Write};
use std::path::Path;
use std::time::Duration;

use super::folder::flush;
use crate::machine::Clock;

/// Lines are on disk after so long at most, also where the power fails; each by itself would cost more than a simulation.
const AT_LEAST_EVERY: Duration = Duration::from_secs(1);

/// A file whose lines are handed to the system one by one, and flushed to disk every second.
#[derive(Debug)]
pub struct Log {
    file: File,
    flushed: Clock,
}

impl Log {
    /// Opens a file behind its first bytes, so many, and cuts off the others; it is created when missing.
    ///
    /// # Errors
    /// As the system.
    pub fn open(path: &Path, length: u64) -> Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        file.set_len(length)?;
        file.sync_all()?;
        path.parent().into_iter().for_each(flush);
        Ok(Self {
            file,
            flushed: Clock::start(),
        })
    }

    /// Adds a line.
    ///
    /// # Errors
    /// As the system.
    pub fn add(&mut self, line: &[u8]) -> Result<()> {
        self.file.write_all(line)?;
        if self.flushed.elapsed() >= AT_LEAST_EVERY {
            self.flush()?;
        }
        Ok(())
    }

    /// Flushes all lines to disk.
    ///
    /// # Errors
    /// As the system.
    pub fn flush(&mut self) -> Result<()> {
        self.flushed = Clock::start();
        self.file.sync_data()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        // Whoever wants to know has asked before.
        let _ = self.file.sync_data();
    }
}
