//! A scene with its text, so that whatever is wrong can be shown at its place.

use std::ops::Range;
use std::sync::Arc;

use super::data::DataFile;
use super::locate::{Outline, Shape, locate_entry, text_content};
use super::repeat::Written;
use super::schema::Scene;
use super::shape_file::ShapeFile;
use super::urdf::Imported;
use crate::error::{Error, ErrorKind, Source};

/// A scene as written together with its text.
#[derive(Clone, Debug)]
pub struct SceneFile {
    /// The scene.
    pub scene: Scene,
    /// File name and text, shared with the errors that quote it.
    pub source: Arc<Source>,
    /// The text with its repetitions written out, which the scene was read from.
    pub(super) written: Arc<Written>,
    /// The tables of measured data that its objectives name, each once.
    pub data: Vec<Arc<DataFile>>,
    /// The files of triangles that its shapes name, each once.
    pub shapes: Vec<Arc<ShapeFile>>,
    /// What comes from files of robots.
    pub(super) imported: Imported,
}

impl SceneFile {
    /// Byte range of the value that a path leads to; see [`locate`](super::locate()).
    pub fn place(&self, path: &[&str]) -> Option<Range<usize>> {
        let place = Outline::new(&self.written.text).locate(path)?;
        Some(self.written.source(place))
    }

    /// The error with the place of the entry that it names, unless it has a place.
    pub fn located(&self, error: Error) -> Error {
        let name = error.name().map(str::to_string);
        let error = match name {
            Some(name) => self.located_import(&name, error),
            None => error,
        };
        let place = error.name().and_then(|name| locate_entry(&self.written.text, name));
        match place.filter(|_| error.place().is_none()) {
            Some(place) => error
                .at_place(self.written.source(place))
                .in_source(self.source.clone()),
            None => error,
        }
    }

    /// What is said of robots whose files were not read as a whole.
    pub fn remarks(&self) -> &[String] {
        &self.imported.remarks
    }

    /// The files of robots as written in the scene, with their texts.
    pub fn robot_files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.imported.files()
    }

    /// The error with the place of an element that a file of a robot has, unless it has a place.
    pub(super) fn located_import(&self, name: &str, error: Error) -> Error {
        let element = |name: &str| self.imported.pointed(name, &error);
        let owner = || name.rsplit_once('.').map(|(owner, _)| owner);
        let side = || name.rsplit_once(" (").map(|(owner, _)| owner);
        let found = || element(name).or_else(|| element(owner()?)).or_else(|| element(side()?));
        error.place().is_none().then(found).flatten().unwrap_or(error)
    }

    /// Whether an index or a range of the scene reads the constant.
    pub fn counts(&self, constant: &str) -> bool {
        self.written.counts.iter().any(|(name, _)| name == constant)
    }

    /// An error about the value at the end of the path, named after the entry of the scene that it lies in.
    ///
    /// When the path leads further than the text, the last value on the way is shown. Of a value over several lines
    /// only its beginning is.
    pub fn error(&self, path: &[&str], message: impl Into<String>) -> Error {
        self.error_at(path, self.shown(path), message.into())
    }

    /// An error about a part of the quoted text at the end of the path, given as a byte range of that text.
    ///
    /// Where escapes hide the part, or the range lies outside, the whole value is shown.
    pub fn error_in_text(&self, path: &[&str], span_inside: Range<usize>, message: impl Into<String>) -> Error {
        let part = self.part_of_text(path, span_inside);
        self.error_at(path, part.or_else(|| self.shown(path)), message.into())
    }

    /// The error about a place of the text with its repetitions written out.
    fn error_at(&self, path: &[&str], place: Option<Range<usize>>, message: String) -> Error {
        if let [_, name, ..] = path {
            let error = Error::new(ErrorKind::Scene, message.clone()).named(*name);
            if let Some(pointed) = self.imported.pointed(name, &error) {
                return pointed;
            }
        }
        let message = match &place {
            Some(place) => self.written.message(message, place.start),
            None => message,
        };
        let error = Error::new(ErrorKind::Scene, message).in_source(self.source.clone());
        let error = match path {
            [] => error,
            [section] => error.named(*section),
            [_, name, ..] => error.named(*name),
        };
        match place {
            Some(place) => error.at_place(self.written.source(place)),
            None => error,
        }
    }

    fn shown(&self, path: &[&str]) -> Option<Range<usize>> {
        let outline = Outline::new(&self.written.text);
        let (index, _) = outline.follow(path)?;
        let located = outline.locate(path);
        let range = located.or_else(|| Some(outline.node(index)?.range.clone()))?;
        let over_lines = self.written.text.get(range.clone())?.contains('\n');
        if over_lines { outline.head(index) } else { Some(range) }
    }

    fn part_of_text(&self, path: &[&str], span: Range<usize>) -> Option<Range<usize>> {
        let text = &self.written.text;
        let outline = Outline::new(text);
        let (mut index, _) = outline.follow(path)?;
        let mut children = outline.children(index);
        if let (Some(only), None) = (children.next(), children.next()) {
            index = only;
        }
        let node = outline.node(index).filter(|node| node.shape == Shape::Text)?;
        let content = text_content(text, node.range.clone())?;
        text.get(content.clone())?.get(span.clone())?;
        Some(content.start + span.start..content.start + span.end)
    }
}
