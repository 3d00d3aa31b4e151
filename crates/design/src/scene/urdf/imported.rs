//! What a scene got from files of robots, for messages.

use std::collections::HashMap;
use std::ops::Range;

use super::document::UrdfFile;
use crate::error::Error;

/// Elements of a scene that come from files of robots, and what was left out there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    files: Vec<UrdfFile>,
    /// Names as written in the scene.
    names: Vec<String>,
    /// Elements by name: the file, and the place in it.
    places: HashMap<String, (usize, Range<usize>)>,
    /// What was left out, by robot.
    pub remarks: Vec<String>,
}

impl Imported {
    /// Adds a file with its name as written in the scene.
    pub fn add_file(&mut self, name: &str, file: UrdfFile) {
        self.files.push(file);
        self.names.push(name.to_string());
    }

    /// Adds an element of the last file.
    pub fn add(&mut self, name: &str, place: Range<usize>) {
        let file = self.files.len().saturating_sub(1);
        self.places.insert(name.to_string(), (file, place));
    }

    /// The error pointing at the element's place in its file; none for elements of the scene itself.
    pub fn pointed(&self, name: &str, error: &Error) -> Option<Error> {
        let (file, place) = self.places.get(name)?;
        let file = self.files.get(*file)?;
        Some(file.pointed(error.clone(), place.clone()))
    }

    /// The files as written in the scene, with their texts.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        let texts = self.files.iter().map(|file| file.source.text.as_str());
        self.names.iter().map(String::as_str).zip(texts)
    }
}
