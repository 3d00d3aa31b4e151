//! Where files that a scene names may be: in its folder, so that a scene from elsewhere reads nothing else.

use std::path::{Component, Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};

/// The folder of a scene.
pub(super) struct Folder {
    path: PathBuf,
    /// Whether files outside are read as well.
    anywhere: bool,
}

/// Where a file is.
pub(super) struct Found {
    pub path: PathBuf,
    /// Whether it is outside the folder of the scene.
    pub outside: bool,
}

impl Folder {
    /// The folder that the file of a scene is in.
    pub(super) fn of(scene: &str, anywhere: bool) -> Self {
        let path = Path::new(scene).parent().unwrap_or(Path::new("")).to_path_buf();
        Self { path, anywhere }
    }

    /// The file of this name, relative to the folder. One outside is not touched unless that is allowed.
    ///
    /// # Errors
    /// Kind `File` for one outside.
    pub(super) fn find(&self, name: &Path) -> Result<Found> {
        let path = self.path.join(name);
        let outside = leads_out(name) || self.is_linked_out(&path);
        if outside && !self.anywhere {
            let shown = name.display().to_string();
            return Err(
                Error::new(ErrorKind::File, format!("{shown} is outside the folder of the scene"))
                    .named(shown)
                    .advise("move it into that folder, or give --allow-outside if you trust the scene"),
            );
        }
        Ok(Found { path, outside })
    }

    /// Whether links lead out of the folder. A file that is not there is not outside.
    fn is_linked_out(&self, path: &Path) -> bool {
        let here = if self.path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.path
        };
        match (here.canonicalize(), path.canonicalize()) {
            (Ok(folder), Ok(path)) => !path.starts_with(folder),
            _ => false,
        }
    }
}

/// Whether a path leads out of its folder as written: an absolute one, or one with more steps up than down.
fn leads_out(name: &Path) -> bool {
    let mut depth = 0_usize;
    for component in name.components() {
        match component {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Folder, leads_out};

    #[test]
    fn steps_up_and_absolute_paths_lead_out() {
        for name in ["a.csv", "./b/a.csv", "b/../a.csv", "b/c/../../a.csv", "..a/b"] {
            assert!(!leads_out(Path::new(name)), "{name}");
        }
        for name in [
            "/a.csv",
            "../a.csv",
            "b/../../a.csv",
            "../b/../c",
            "./..",
            "../scene/a.csv",
        ] {
            assert!(leads_out(Path::new(name)), "{name}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_link_that_leads_out_is_outside_and_one_that_stays_is_not() {
        let base = tempfile::tempdir().unwrap();
        let inner = base.path().join("scenes");
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(base.path().join("secret"), "").unwrap();
        std::fs::write(inner.join("a.csv"), "").unwrap();
        for (target, name) in [("../secret", "out"), ("a.csv", "in"), ("..", "up")] {
            std::os::unix::fs::symlink(target, inner.join(name)).unwrap();
        }
        let scene = inner.join("scene.ron").display().to_string();
        let (strict, lax) = (Folder::of(&scene, false), Folder::of(&scene, true));
        for (name, outside) in [
            ("out", true),
            ("in", false),
            ("up/secret", true),
            ("a.csv", false),
            ("none", false),
        ] {
            assert_eq!(strict.find(Path::new(name)).is_err(), outside, "{name}");
            assert_eq!(lax.find(Path::new(name)).unwrap().outside, outside, "{name}");
        }
    }
}
