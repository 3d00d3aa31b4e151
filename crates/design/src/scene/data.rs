//! Tables of measured data beside a scene: texts separated by commas under a header, with the lines for messages.

use std::fs::File;
use std::io::{ErrorKind as Io, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::SceneFile;
use super::schema::Objective;
use super::shape_file;
use crate::error::{Error, ErrorKind, Result, Source};
use crate::expression::nearest_name;

/// Most bytes that a table may have.
const LONGEST: u64 = 64 << 20;

/// Texts that stand for a value that was not measured, in any case.
const MISSING: [&str; 4] = ["", "nan", "na", "-"];

/// A table of measured data.
#[derive(Clone, Debug, PartialEq)]
pub struct DataFile {
    /// Path as written in the scene.
    pub path: String,
    /// File name and text, shared with the errors that quote it.
    pub source: Arc<Source>,
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
    /// Reads a table; `path` is the one written, `file` where it is.
    ///
    /// # Errors
    /// Kind `File` when it cannot be read, kind `Scene` with the line when it is no table.
    fn read(path: &str, file: &Path) -> Result<Self> {
        let source = Arc::new(Source {
            file: file.display().to_string(),
            text: load(file)?,
        });
        let (header, rows) = table(&source)?;
        let path = path.to_string();
        Ok(Self {
            path,
            source,
            header,
            rows,
        })
    }

    /// Names of the columns.
    pub fn header(&self) -> impl Iterator<Item = &str> + Clone {
        self.header.iter().map(String::as_str)
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
            _ => Err(self
                .error(
                    row,
                    format!("`{cell}` in the column `{}` is not a number", self.header[column]),
                )
                .advise("write a number such as 1.5e-3, or leave the cell empty where nothing was measured")),
        }
    }

    /// An error about a row.
    pub fn error(&self, row: usize, message: impl AsRef<str>) -> Error {
        let Row { line, place, .. } = &self.rows[row];
        at_line(&self.source, *line, place.clone(), message.as_ref())
    }
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
    let twice = (1..names.len()).find(|&k| names[..k].contains(&names[k]));
    if let Some(k) = twice {
        let message = format!("two columns have the name `{}`", names[k]);
        return Err(
            at_line(source, header.line, header.place.clone(), &message).advise("give every column a name of its own")
        );
    }
    if let [only] = names.as_slice()
        && let Some(separator) = only.chars().find(|c| matches!(c, ';' | '\t'))
    {
        let separator = if separator == ';' { "semicolons" } else { "tabs" };
        let message = format!("the header is separated by {separator}");
        return Err(at_line(source, header.line, header.place.clone(), &message)
            .advise("separate the cells by commas, with points in the numbers"));
    }
    match rows.iter().find(|row| row.cells.len() != names.len()) {
        None => Ok(()),
        Some(row) => {
            let message = format!("{} cells under a header of {} columns", row.cells.len(), names.len());
            Err(at_line(source, row.line, row.place.clone(), &message)
                .advise("separate the cells by commas, and leave a cell empty where nothing was measured"))
        }
    }
}

fn load(file: &Path) -> Result<String> {
    let shown = file.display().to_string();
    let failed = |message: String| Error::new(ErrorKind::File, message).named(shown.clone());
    let opened = File::open(file).map_err(|error| match error.kind() {
        Io::NotFound => failed(format!("there is no data file {shown}"))
            .advise(near_files(file).unwrap_or("the path is relative to the folder of the scene".to_string())),
        _ => failed(format!("cannot open {shown}: {error}")).advise("check the permission to read it"),
    })?;
    let mut bytes = Vec::new();
    opened
        .take(LONGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| failed(format!("cannot read {shown}: {error}")).advise("check that it is a file"))?;
    if bytes.len() as u64 > LONGEST {
        return Err(failed(format!("{shown} is longer than the 64 MiB that data may have")).advise("thin the data out"));
    }
    let text = String::from_utf8(bytes)
        .ok()
        .filter(|text| !text.contains(|c: char| c.is_control() && !c.is_whitespace()))
        .ok_or_else(|| failed(format!("{shown} is not UTF-8 text")).advise("save the table as CSV in UTF-8"))?;
    Ok(text.strip_prefix('\u{FEFF}').map(str::to_string).unwrap_or(text))
}

pub(super) fn near_files(file: &Path) -> Option<String> {
    let entries = file.parent()?.read_dir().ok()?.flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let near = nearest_name(&file.file_name()?.to_string_lossy(), names.iter().map(String::as_str))?;
    Some(format!("did you mean {near}?"))
}

/// A place in the scene where a data file is named: the path to its objective and the data file.
struct Mention<'s> {
    path: Vec<String>,
    data: &'s str,
}

fn mentions<'s>(objective: &'s Objective, path: &[String], found: &mut Vec<Mention<'s>>) {
    let inner = |last: &[String]| [path, last].concat();
    match objective {
        Objective::Fit { data, .. } => found.push(Mention {
            path: inner(&["data".to_string()]),
            data,
        }),
        Objective::Sum(terms) => {
            for (k, (_, term)) in terms.iter().enumerate() {
                mentions(term, &inner(&[0, k, 1].map(|index| index.to_string())), found);
            }
        }
        Objective::Final(_)
        | Objective::Integral(_)
        | Objective::Max(_)
        | Objective::Min(_)
        | Objective::AtEvents { .. } => {}
    }
}

fn all_mentions(file: &SceneFile) -> Vec<Mention<'_>> {
    let mut found = Vec::new();
    for (name, objective) in file.scene.objectives.iter() {
        mentions(objective, &["objectives".to_string(), name.to_string()], &mut found);
    }
    found
}

/// Reads the data files that the objectives of a scene name, each once.
///
/// # Errors
/// As [`DataFile::read`]; errors without a line of the data point at the path in the scene.
pub(super) fn read_data(file: &SceneFile) -> Result<Vec<Arc<DataFile>>> {
    let folder = Path::new(&file.source.file)
        .parent()
        .map_or_else(PathBuf::new, Path::to_path_buf);
    let mut tables: Vec<Arc<DataFile>> = Vec::new();
    for mention in all_mentions(file) {
        if tables.iter().any(|table| table.path == mention.data) {
            continue;
        }
        let table = DataFile::read(mention.data, &folder.join(mention.data));
        tables.push(Arc::new(table.map_err(|error| located(error, file, &mention.path))?));
    }
    Ok(tables)
}

fn located(error: Error, file: &SceneFile, path: &[String]) -> Error {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match file.place(&path).filter(|_| error.place().is_none()) {
        Some(place) => error.at_place(place).in_source(file.source.clone()),
        None => error,
    }
}

/// Byte ranges in the scene of the paths of the files that it names, with the paths.
pub(super) fn data_places(file: &SceneFile) -> Vec<(Range<usize>, &str)> {
    let place = |mention: Mention<'_>| {
        let path: Vec<&str> = mention.path.iter().map(String::as_str).collect();
        file.place(&path)
    };
    let tables = all_mentions(file).into_iter().filter_map(|mention| {
        let data = mention.data;
        Some((place(mention)?, data))
    });
    let shapes = shape_file::mentions(file).filter_map(|(path, shape)| {
        let path = path.each_ref().map(String::as_str);
        Some((file.place(&path)?, shape))
    });
    tables.chain(shapes).collect()
}
