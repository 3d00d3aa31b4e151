//! The text of a scene with its repetitions written out, and where in the source each part of it stands.

use std::ops::Range;

use crate::scene::locate::Explanation;

/// A text made of parts of a source and of what stands for such parts.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The text.
    pub text: String,
    /// The constants that an index or a range reads, with the values that were set for them.
    pub counts: Vec<(String, Option<f64>)>,
    pieces: Vec<Piece>,
    /// The values of the indices in each copy of an entry, in words.
    notes: Vec<String>,
}

/// A part of the text, up to the next one.
#[derive(Clone, Debug)]
struct Piece {
    start: usize,
    source: Range<usize>,
    /// Whether it is what the source has there, byte by byte.
    exact: bool,
    note: Option<usize>,
}

impl Written {
    /// Adds what stands at a place of the source.
    pub fn copy(&mut self, source: &str, place: Range<usize>, note: Option<usize>) {
        let start = self.text.len();
        self.text.push_str(&source[place.clone()]);
        if let Some(last) = self.pieces.last_mut()
            && last.exact
            && last.note == note
            && last.source.end == place.start
        {
            last.source.end = place.end;
            return;
        }
        self.pieces.push(Piece {
            start,
            source: place,
            exact: true,
            note,
        });
    }

    /// Adds a text that stands for a place of the source.
    pub fn insert(&mut self, text: &str, place: Range<usize>, note: Option<usize>) {
        self.pieces.push(Piece {
            start: self.text.len(),
            source: place,
            exact: false,
            note,
        });
        self.text.push_str(text);
    }

    /// Keeps the values of the indices in a copy, and returns its number.
    pub fn note(&mut self, words: String) -> usize {
        self.notes.push(words);
        self.notes.len() - 1
    }

    /// Where in the source a part of the text stands.
    pub fn source(&self, place: Range<usize>) -> Range<usize> {
        let Some(first) = self.piece(place.start) else {
            return place;
        };
        let start = match first.exact {
            true => first.source.start + (place.start - first.start),
            false => first.source.start,
        };
        // The byte after the end may belong to another piece.
        let last = self
            .piece(place.end.saturating_sub(1).max(place.start))
            .unwrap_or(first);
        let end = match last.exact {
            true => last.source.start + (place.end - last.start),
            false => last.source.end,
        };
        start..end.max(start)
    }

    /// The values of the indices at a place of the text, such as `i = 3`.
    fn indices(&self, position: usize) -> Option<&str> {
        let note = self.piece(position)?.note?;
        self.notes.get(note).map(String::as_str)
    }

    /// The same explanation of the source, with the values of the indices.
    pub fn explanation(&self, found: Explanation) -> Explanation {
        let message = self.message(found.message, found.place.start);
        Explanation::new(self.source(found.place), message, found.advice)
    }

    /// A message about a place of the text, with the values of the indices there.
    pub fn message(&self, message: String, position: usize) -> String {
        match self.indices(position) {
            Some(indices) => format!("{message} ({indices})"),
            None => message,
        }
    }

    fn piece(&self, position: usize) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.start <= position);
        self.pieces.get(after.checked_sub(1)?)
    }
}
