//! Names of files that are not whole yet, and what is left of those whose process ended.

use std::fs;
use std::path::{Path, PathBuf};

/// Where Linux tells its name, and which processes there are.
const HOST: &str = "/proc/sys/kernel/hostname";
const PROCESSES: &str = "/proc";

/// The temporary name of a file in a folder, hidden, with the computer and the process that write it.
pub(super) fn part(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!(".{name}.{}.{}.part", host(), std::process::id()))
}

/// A temporary file that another program writes, removed when it is dropped.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// For what becomes this file, in the nearest folder of its path that is there.
    pub fn of(path: &Path) -> Self {
        let folder = existing(path.parent().unwrap_or(Path::new("")));
        remove_stale(folder);
        Self(part(folder, &path.file_name().unwrap_or_default().to_string_lossy()))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing can be done about a file that cannot be removed; it is hidden and marked as a part.
        let _ = fs::remove_file(&self.0);
    }
}

/// The nearest part of a path that exists; an empty path means the working folder.
pub(super) fn existing(path: &Path) -> &Path {
    let exists = |part: &&Path| part.as_os_str().is_empty() || part.symlink_metadata().is_ok();
    match path.ancestors().find(exists).unwrap_or(path) {
        empty if empty.as_os_str().is_empty() => Path::new("."),
        existing => existing,
    }
}

/// Removes the parts in a folder that processes of this computer have left behind. Where the system does not tell which
/// processes there are, they stay.
pub(super) fn remove_stale(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let stale = entries.filter(|entry| is_stale(&entry.file_name().to_string_lossy()));
    for entry in stale {
        // Nothing can be done about a file that cannot be removed; it is hidden and marked as a part.
        let _ = fs::remove_file(entry.path());
    }
}

fn is_stale(name: &str) -> bool {
    let mut parts = name.rsplitn(4, '.');
    let (end, process, of) = (parts.next(), parts.next(), parts.next());
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    name.starts_with('.')
        && end == Some("part")
        && of == Some(host().as_str())
        && Path::new(HOST).exists()
        && process.is_some_and(|process| is_number(process) && !Path::new(PROCESSES).join(process).exists())
}

/// The name of this computer, without dots.
fn host() -> String {
    let name = fs::read_to_string(HOST).unwrap_or_default();
    let plain = name.trim().chars().map(|c| if c.is_alphanumeric() { c } else { '-' });
    plain.collect()
}

#[cfg(test)]
mod tests {
    use super::{host, part, remove_stale};

    #[test]
    #[cfg(target_os = "linux")]
    fn parts_of_processes_that_ended_are_removed_and_no_other_file() {
        let folder = tempfile::tempdir().unwrap();
        let names = [
            // No process has this number.
            format!(".a.csv.{}.4294967295.part", host()),
            ".a.csv.elsewhere.4294967295.part".to_string(),
            format!("a.csv.{}.4294967295.part", host()),
            format!(".a.csv.{}.x.part", host()),
            "a.csv".to_string(),
        ];
        for name in &names {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::write(part(folder.path(), "b.csv"), "").unwrap();
        remove_stale(folder.path());
        assert!(!folder.path().join(&names[0]).exists());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), names.len());
    }
}
