//! Tables of measured data beside a scene: texts separated by commas under a header, with the lines for messages.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::bytes;
use super::folder::{Folder, Found};
use crate::error::{Error, ErrorKind, Result, Source};

/// Texts that stand for a value that was not measured, in any case.
const MISSING: [&str; 4] = ["", "nan", "na", "-"];

/// What messages call a table that is written in the scene.
const IN_SCENE: &str = "the table in the scene";

/// A table of measured data.
#[derive(Clone, Debug, PartialEq)]
pub struct DataFile {
    /// Path as written in the scene.
    pub path: String,
    /// File name and text, shared with the errors that quote it.
    pub source: Arc<Source>,
    /// Whether it is outside the folder of the scene: then nothing of it is shown.
    outside: bool,
    header: Vec<String>,
    rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq)]
struct Row {
    line: usize,
    place: Range<usize>,
    /// As many as the header has.
    cells: Vec<String>,
}

impl DataFile {
    /// Reads a table; `path` is the one written, or with line breaks the table itself.
    ///
    /// # Errors
    /// Kind `File` when it cannot be read, kind `Scene` with the line when it is no table.
    pub(super) fn read(path: &str, folder: &Folder) -> Result<Self> {
        let (source, outside) = match is_table(path) {
            true => (written(path), false),
            false => {
                let Found { path: file, outside } = folder.find(Path::new(path))?;
                (from_file(&file)?, outside)
            }
        };
        let source = Arc::new(source);
        let read = table(&source);
        let (header, rows) = if outside {
            read.map_err(|error| veiled(&error))?
        } else {
            read?
        };
        Ok(Self {
            path: path.to_string(),
            source,
            outside,
            header,
            rows,
        })
    }

    /// What messages call it.
    pub fn shown(&self) -> &str {
        if self.is_in_scene() { IN_SCENE } else { &self.path }
    }

    /// Whether it is written in the scene, and no file.
    pub fn is_in_scene(&self) -> bool {
        is_table(&self.path)
    }

    /// Names of the columns.
    pub fn header(&self) -> impl Iterator<Item = &str> + Clone {
        self.header.iter().map(String::as_str)
    }

    /// Names of the columns that may be suggested.
    pub fn suggestions(&self) -> impl Iterator<Item = &str> + Clone {
        self.header().filter(|_| !self.outside)
    }

    /// A column in words.
    pub fn described(&self, column: &str) -> String {
        match self.outside {
            true => "a column".to_string(),
            false => format!("the column `{column}`"),
        }
    }

    /// Index of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|known| known == name)
    }

    /// Number of rows below the header.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is nothing below the header.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Line of a row in the file, from 1.
    pub fn line(&self, row: usize) -> usize {
        self.rows[row].line
    }

    /// The finite number in a cell; none where nothing was measured.
    ///
    /// # Errors
    /// Kind `Scene` at the line when the cell has another text.
    pub fn number(&self, row: usize, column: usize) -> Result<Option<f64>> {
        let cell = &self.rows[row].cells[column];
        if MISSING.contains(&cell.to_ascii_lowercase().as_str()) {
            return Ok(None);
        }
        match cell.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Some(value)),
            _ => {
                let message = format!("`{cell}` in the column `{}` is not a number", self.header[column]);
                let advice = "write a number such as 1.5e-3, or leave the cell empty where nothing was measured";
                Err(self.error(row, message).advise(advice))
            }
        }
    }

    /// An error about a row.
    pub fn error(&self, row: usize, message: impl AsRef<str>) -> Error {
        let Row { line, place, .. } = &self.rows[row];
        let error = at_line(&self.source, *line, place.clone(), message.as_ref());
        if self.outside { veiled(&error) } else { error }
    }
}

/// The error about a line of a file outside the folder of the scene, without what stands there.
fn veiled(error: &Error) -> Error {
    let name = error.name().unwrap_or("the table");
    let line = error.line().map_or(String::new(), |line| format!("line {line} of "));
    Error::new(
        error.kind(),
        format!("{line}{name} is not what a table of measured data has there"),
    )
    .named(name)
    .advise("copy the file into the folder of the scene to see what is wrong")
}

fn at_line(source: &Arc<Source>, line: usize, place: Range<usize>, message: &str) -> Error {
    let name = Path::new(&source.file)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    Error::new(ErrorKind::Scene, format!("line {line} of {name}: {message}"))
        .named(name)
        .at_place(place)
        .in_source(source.clone())
}

/// Header and rows of a table; lines that begin with `#` are comments.
fn table(source: &Arc<Source>) -> Result<(Vec<String>, Vec<Row>)> {
    let mut rows: Vec<Row> = Vec::new();
    let mut blank = None;
    let mut start = 0;
    for (k, text) in source.text.split_inclusive('\n').enumerate() {
        let (line, place) = (k + 1, start..start + text.trim_end().len());
        start += text.len();
        if text.trim().is_empty() {
            blank = blank.or((!rows.is_empty()).then_some((line, place)));
        } else if !text.starts_with('#') {
            // Lines left out at the end do no harm; between rows one could stand for a value.
            if let Some((line, place)) = blank {
                return Err(at_line(source, line, place, "it is empty")
                    .advise("write nan for a value that was not measured, or remove the line"));
            }
            let cells = cells(text).map_err(|message| at_line(source, line, place.clone(), &message))?;
            rows.push(Row { line, place, cells });
        }
    }
    let mut rows = rows.into_iter();
    let Some(header) = rows.next() else {
        return Err(Error::new(ErrorKind::Scene, format!("{} has no header", source.file))
            .named(&source.file)
            .advise("write the names of the columns, separated by commas, into the first line"));
    };
    let rows: Vec<Row> = rows.collect();
    check(source, &header, &rows)?;
    Ok((header.cells, rows))
}

/// The cells of a line without the spaces about them.
fn cells(line: &str) -> std::result::Result<Vec<String>, String> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .trim(csv::Trim::All)
        .from_reader(line.as_bytes());
    match reader.records().next() {
        Some(Ok(record)) => Ok(record.iter().map(str::to_string).collect()),
        Some(Err(error)) => Err(error.to_string()),
        None => Ok(vec![String::new()]),
    }
}

/// Columns must have names of their own, and rows as many cells as there are columns.
fn check(source: &Arc<Source>, header: &Row, rows: &[Row]) -> Result<()> {
    let names = &header.cells;
    let at = |row: &Row, message: String| at_line(source, row.line, row.place.clone(), &message);
    if let Some(k) = (1..names.len()).find(|&k| names[..k].contains(&names[k])) {
        let error = at(header, format!("two columns have the name `{}`", names[k]));
        return Err(error.advise("give every column a name of its own"));
    }
    if let [only] = names.as_slice()
        && let Some(separator) = only.chars().find(|c| matches!(c, ';' | '\t'))
    {
        let separator = if separator == ';' { "semicolons" } else { "tabs" };
        let error = at(header, format!("the header is separated by {separator}"));
        return Err(error.advise("separate the cells by commas, with points in the numbers"));
    }
    match rows.iter().find(|row| row.cells.len() != names.len()) {
        None => Ok(()),
        Some(row) => {
            let message = format!("{} cells under a header of {} columns", row.cells.len(), names.len());
            Err(at(row, message)
                .advise("separate the cells by commas, and leave a cell empty where nothing was measured"))
        }
    }
}

/// Whether what a scene names as data is no path, but the table itself.
fn is_table(data: &str) -> bool {
    data.contains('\n')
}

fn written(table: &str) -> Source {
    Source {
        file: IN_SCENE.to_string(),
        text: table.to_string(),
    }
}

fn from_file(file: &Path) -> Result<Source> {
    Ok(Source {
        file: file.display().to_string(),
        text: load(file)?,
    })
}

fn load(file: &Path) -> Result<String> {
    let text = String::from_utf8(bytes::load(file, "data file", "thin the data out")?).ok();
    let text = text.filter(|text| !text.contains(|c: char| c.is_control() && !c.is_whitespace()));
    let text = text.ok_or_else(|| {
        let shown = file.display().to_string();
        Error::new(ErrorKind::File, format!("{shown} is not UTF-8 text"))
            .named(shown)
            .advise("save the table as CSV in UTF-8")
    })?;
    Ok(text.strip_prefix('\u{FEFF}').map(str::to_string).unwrap_or(text))
}
