//! A scene with its text, so that whatever is wrong can be shown at its place.

use std::ops::Range;
use std::sync::Arc;

use super::data::DataFile;
use super::locate::{Outline, Shape, text_content};
use super::schema::Scene;
use super::shape_file::ShapeFile;
use crate::error::{Error, ErrorKind, Source};

/// A scene as written together with its text.
#[derive(Clone, Debug)]
pub struct SceneFile {
    /// The scene.
    pub scene: Scene,
    /// File name and text, shared with the errors that quote it.
    pub source: Arc<Source>,
    /// The tables of measured data that its objectives name, each once.
    pub data: Vec<Arc<DataFile>>,
    /// The files of triangles that its shapes name, each once.
    pub shapes: Vec<Arc<ShapeFile>>,
}

impl SceneFile {
    /// Byte range of the value that a path leads to; see [`locate`](super::locate()).
    pub fn place(&self, path: &[&str]) -> Option<Range<usize>> {
        Outline::new(&self.source.text).locate(path)
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

    fn error_at(&self, path: &[&str], place: Option<Range<usize>>, message: String) -> Error {
        let error = Error::new(ErrorKind::Scene, message).in_source(self.source.clone());
        let error = match path {
            [] => error,
            [section] => error.named(*section),
            [_, name, ..] => error.named(*name),
        };
        match place {
            Some(place) => error.at_place(place),
            None => error,
        }
    }

    fn shown(&self, path: &[&str]) -> Option<Range<usize>> {
        let outline = Outline::new(&self.source.text);
        let (index, _) = outline.follow(path)?;
        let located = outline.locate(path);
        let range = located.or_else(|| Some(outline.node(index)?.range.clone()))?;
        let over_lines = self.source.text.get(range.clone())?.contains('\n');
        if over_lines { outline.head(index) } else { Some(range) }
    }

    fn part_of_text(&self, path: &[&str], span: Range<usize>) -> Option<Range<usize>> {
        let text = &self.source.text;
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
