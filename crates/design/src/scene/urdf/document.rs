//! The text of a URDF file as a tree of elements, with errors that point at its lines.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use roxmltree::{Document, Node};

use crate::error::{Error, ErrorKind, Result, Source};
use crate::scene::bytes;
use crate::scene::folder::{Folder, Found};
use crate::scene::schema::Number;

/// An element of the file.
pub type Element<'a> = Node<'a, 'a>;

/// A URDF file.
#[derive(Clone, Debug, PartialEq)]
pub struct UrdfFile {
    /// File name and text, shared with the errors that quote it.
    pub source: Arc<Source>,
    /// Whether it is outside the folder of the scene: then no line of it is shown.
    outside: bool,
}

impl UrdfFile {
    /// Loads the file with this path as written in the scene.
    ///
    /// # Errors
    /// Kind `File` when it cannot be read.
    pub fn load(name: &str, folder: &Folder) -> Result<Self> {
        let Found { path, outside } = folder.find(Path::new(name))?;
        let bytes = bytes::load(&path, "file of a robot", "remove what is not needed")?;
        let file = path.display().to_string();
        let text = String::from_utf8(bytes).map_err(|_| {
            Error::new(ErrorKind::File, format!("{file} is not UTF-8 text"))
                .named(file.clone())
                .advise("save the robot as URDF in UTF-8")
        })?;
        let source = Arc::new(Source { file, text });
        Ok(Self { source, outside })
    }

    /// The tree of elements.
    ///
    /// # Errors
    /// Kind `Scene` with the line where the text is no XML.
    pub fn tree(&self) -> Result<Document<'_>> {
        Document::parse(&self.source.text).map_err(|error| {
            let line = error.pos().row as usize;
            let lines = self.source.text.split_inclusive('\n').take(line.saturating_sub(1));
            let start: usize = lines.map(str::len).sum();
            let length = self.source.text[start..].lines().next().map_or(0, str::len);
            let message = if self.outside {
                String::new()
            } else {
                format!(": {error}")
            };
            self.refused(
                start..start + length,
                format!("no XML that can be read{message}"),
                "export the robot again; a xacro file is expanded first: `xacro robot.xacro > robot.urdf`",
            )
        })
    }

    /// Line of a byte, counted from 1.
    pub fn line(&self, byte: usize) -> usize {
        1 + self.source.text[..byte].matches('\n').count()
    }

    /// Its name without folders.
    pub fn short_name(&self) -> &str {
        let file = Path::new(&self.source.file).file_name();
        file.and_then(|name| name.to_str()).unwrap_or(&self.source.file)
    }

    /// An error about a place of the file.
    pub fn refused(&self, place: Range<usize>, message: impl AsRef<str>, advice: impl Into<String>) -> Error {
        let message = format!(
            "line {} of {}: {}",
            self.line(place.start),
            self.short_name(),
            message.as_ref()
        );
        self.pointed(Error::new(ErrorKind::Scene, message).named(self.short_name()), place)
            .advise(advice)
    }

    /// The error with a place of the file, unless nothing of it may be shown.
    pub fn pointed(&self, error: Error, place: Range<usize>) -> Error {
        match self.outside {
            true => error,
            false => error.at_place(place).in_source(self.source.clone()),
        }
    }

    /// The attribute of that name.
    ///
    /// # Errors
    /// Kind `Scene` where the element has none.
    pub fn text<'a>(&self, element: Element<'a>, attribute: &str) -> Result<&'a str> {
        element.attribute(attribute).ok_or_else(|| {
            let tag = element.tag_name().name();
            let message = format!("<{tag}> has no attribute `{attribute}`");
            self.refused(opening(element), message, format!("write <{tag} {attribute}=\"..\">"))
        })
    }

    /// As many finite numbers as the attribute must have; none where it is left out.
    ///
    /// # Errors
    /// Kind `Scene` where it has others.
    pub fn numbers<const N: usize>(&self, element: Element, attribute: &str) -> Result<Option<[f64; N]>> {
        let Some(text) = element.attribute_node(attribute) else {
            return Ok(None);
        };
        let parsed = text.value().split_whitespace().map(|word| word.parse::<f64>().ok());
        let found: Option<Vec<f64>> = parsed.map(|number| number.filter(|x| x.is_finite())).collect();
        match found.and_then(|found| <[f64; N]>::try_from(found).ok()) {
            Some(found) => Ok(Some(found)),
            None => {
                let message = format!(
                    "`{attribute}` is no {}",
                    if N == 1 { "number" } else { "three numbers" }
                );
                let advice = "write finite numbers with spaces between them; a xacro file with ${..} is expanded first";
                Err(self.refused(text.range(), message, advice))
            }
        }
    }

    /// The number of an attribute, or a default.
    ///
    /// # Errors
    /// As [`UrdfFile::numbers`].
    pub fn number_or(&self, element: Element, attribute: &str, default: f64) -> Result<Number> {
        let found = self.numbers::<1>(element, attribute)?;
        Ok(Number::Literal(found.map_or(default, |[value]| value)))
    }
}

/// The place of the opening tag of an element.
pub fn opening(element: Element) -> Range<usize> {
    let range = element.range();
    let text = &element.document().input_text()[range.clone()];
    range.start..range.start + text.find('>').map_or(text.len(), |end| end + 1)
}

/// The first child with this tag.
pub fn child<'a>(element: Element<'a>, tag: &str) -> Option<Element<'a>> {
    element.children().find(|child| child.has_tag_name(tag))
}
