//! Rows on disk: a table that grows row by row, beside a recipe that says which sweep it belongs to.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::plan::Layout;
use super::row::Row;
use super::task::Sweep;
use crate::error::{Error, ErrorKind, Result};
use crate::files::{self, Lock, Log, OutFolder};
use crate::scene::{DataFile, ShapeFile};

/// The file that says what a folder's tables belong to.
const RECIPE: &str = "sweep.json";

/// The table of a sweep in a folder, open for more rows.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    log: Mutex<Log>,
    values: usize,
    /// Held as long as rows may come.
    _lock: Lock,
}

impl Store {
    /// Opens the table of the sweep in a folder, which is created when missing; also gives the rows of its points that
    /// are in the tables of this folder, of any shard. The last line of a table may be torn: it is left out.
    ///
    /// # Errors
    /// Kind `File` when something cannot be read or written, would replace what the scene is read from, or another process writes the table; kind `Request` when the folder has the tables of another
    /// sweep, naming in what it differs, or a line that is no row.
    pub fn open(sweep: &Sweep, out: &OutFolder) -> Result<(Self, Vec<Row>)> {
        let (folder, name) = (out.path(), format!("{}.csv", sweep.shard.stem()));
        out.refuse_input(RECIPE)?;
        out.refuse_input(&name)?;
        let tables = tables(folder)?;
        check_recipe(sweep, folder, tables.is_empty())?;
        let path = folder.join(name);
        let lock = Lock::take(&path)?;
        let wanted = sweep.shard.points(sweep.plan.count());
        let (mut rows, mut length) = (Vec::<Row>::new(), 0);
        for table in tables {
            let text = whole_lines(&table)?;
            let found = read(sweep, &table, &text)?;
            if table == path {
                length = text.len() as u64;
            }
            rows.extend(found.into_iter().filter(|row| wanted.contains(&row.index)));
        }
        rows.sort_by_key(|row| row.index);
        rows.dedup_by_key(|row| row.index);
        let failed = |error: std::io::Error| failed(&path, "written", &error);
        let mut log = Log::open(&path, length).map_err(failed)?;
        if length == 0 {
            log.add(&files::csv([sweep.header()])?).map_err(failed)?;
        }
        let store = Self {
            path: path.clone(),
            log: Mutex::new(log),
            values: sweep.values(),
            _lock: lock,
        };
        Ok((store, rows))
    }

    /// Adds a row to the table.
    ///
    /// # Errors
    /// Kind `File` when it cannot be written.
    pub fn add(&self, row: &Row) -> Result<()> {
        let line = files::csv([row.fields(self.values)])?;
        // Poisoned only by a panic, which goes on by itself.
        let Ok(mut log) = self.log.lock() else { return Ok(()) };
        log.add(&line).map_err(|error| failed(&self.path, "written", &error))
    }
}

impl Sweep<'_> {
    /// File stem of the table: that of the whole or of the shard.
    pub fn stem(&self) -> String {
        self.shard.stem()
    }

    /// The files that the scene names, with what tells them from others.
    fn inputs(&self) -> Vec<(&str, String)> {
        let (file, _) = self.experiment.recipe();
        let table = |data: &Arc<DataFile>| files::fingerprint(data.source.text.bytes());
        let shape = |shape: &Arc<ShapeFile>| files::fingerprint(shape.obj().bytes());
        let tables = file.data.iter().map(|data| (data.shown(), table(data)));
        tables
            .chain(file.shapes.iter().map(|found| (found.path.as_str(), shape(found))))
            .collect()
    }

    /// Everything that the rows depend on.
    fn recipe(&self) -> Value {
        let (file, changes) = self.experiment.recipe();
        let points = match self.plan.layout() {
            Layout::Grid(counts) => json!({"grid": counts}),
            Layout::Sample { count, seed } => json!({"sample": count, "seed": seed}),
            Layout::Points(points) => json!({"points": points}),
        };
        let ranges = self.plan.ranges().iter();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "build": files::build(),
            "vary": ranges.map(|range| json!([range.name, range.low, range.high])).collect::<Vec<_>>(),
            "points": points,
            "gradient": self.gradient,
            "set": changes.parameters,
            "formulation": changes.formulation.map(|kind| format!("{kind:?}")),
            "tolerances": [changes.rtol, changes.atol],
            "duration": changes.duration,
            "scene": file.source.text,
            "files": self.inputs(),
        })
    }
}

/// The recipe in the folder is that of the sweep, or there is none and no table, and it is written.
fn check_recipe(sweep: &Sweep, folder: &Path, empty: bool) -> Result<()> {
    let path = folder.join(RECIPE);
    let own = format!("{:#}\n", sweep.recipe());
    if !path.exists() && empty {
        return files::write([(RECIPE, own)], folder).map(|_| ());
    }
    let refused = |what: &str| {
        Error::new(
            ErrorKind::Request,
            format!("{} has another sweep: {what}", folder.display()),
        )
        .named(folder.display().to_string())
        .advise("name another folder, or remove the files of the other sweep")
    };
    let text =
        fs::read_to_string(&path).map_err(|_| refused(&format!("its tables have no {RECIPE} that can be read")))?;
    // Both are read from text, so that numbers are equal where they are written alike.
    let parsed =
        |text: &str| serde_json::from_str::<Value>(text).map_err(|_| refused(&format!("its {RECIPE} is damaged")));
    let (own, other) = (parsed(&own)?, parsed(&text)?);
    let mut fields = own.as_object().into_iter().flatten();
    match fields.find(|(name, value)| other.get(name.as_str()) != Some(*value)) {
        None => Ok(()),
        Some((name, _)) if name == "scene" => Err(refused("its scene has another text")),
        Some((name, _)) if name == "files" => Err(refused("a table or mesh that the scene names has changed")),
        Some((name, _)) if name == "build" => Err(refused("another build of costate has computed it")),
        Some((name, value)) => {
            let before = other.get(name).unwrap_or(&Value::Null);
            Err(refused(&format!("its `{name}` is {before} instead of {value}")))
        }
    }
}

/// The tables in a folder, by name.
fn tables(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).and_then(|entries| {
        let paths = entries.map(|entry| entry.map(|entry| entry.path()));
        paths.collect::<std::io::Result<Vec<PathBuf>>>()
    });
    let mut tables = entries.map_err(|error| failed(folder, "read", &error))?;
    tables.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name == "sweep.csv" || name.starts_with("sweep-") && name.ends_with(".csv")
    });
    tables.sort();
    Ok(tables)
}

/// The text of a table up to its last line break.
fn whole_lines(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(|error| failed(path, "read", &error))?;
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let mut whole = bytes;
    whole.truncate(end);
    let line = |sound: &[u8]| 1 + sound.iter().filter(|byte| **byte == b'\n').count();
    String::from_utf8(whole).map_err(|error| no_row(path, line(&error.as_bytes()[..error.utf8_error().valid_up_to()])))
}

fn read(sweep: &Sweep, path: &Path, text: &str) -> Result<Vec<Row>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let columns: Vec<String> = sweep.header().iter().map(|name| files::csv_cell(name)).collect();
    let mut rows = Vec::new();
    for (number, record) in reader.records().enumerate() {
        let record = record.ok();
        let fields: Vec<&str> = record.iter().flatten().collect();
        let header = number == 0 && fields == columns;
        match sweep.row_of(&fields) {
            Some(row) => rows.push(row),
            None if header => {}
            None => return Err(no_row(path, number + 1)),
        }
    }
    Ok(rows)
}

fn no_row(path: &Path, line: usize) -> Error {
    Error::new(
        ErrorKind::Request,
        format!("line {line} of {} is damaged, or no row of this sweep", path.display()),
    )
    .named(path.display().to_string())
    .advise("remove the line, or the file; its points are computed again")
}

fn failed(path: &Path, what: &str, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::File, format!("{} cannot be {what}: {error}", path.display()))
        .named(path.display().to_string())
        .advise("check that the folder may be written to and that the disk is not full")
}

#[cfg(test)]
mod tests {
    use super::Store;
    use crate::run::{Changes, Experiment};
    use crate::scene::parse;
    use crate::sweep::{Layout, Outcome, Plan, Range, Row, Shard, Sweep, Values};

    #[test]
    fn rows_added_behind_a_torn_line_can_be_read_again_and_damaged_ones_cannot() {
        let text = r#"Scene(
            name: "", space: Planar, parameters: { "a": 1.0 },
            points: { "P": (at: ["a", 0], mass: 1) },
            objectives: { "x, at the end": Final("P.x") },
            simulation: (duration: 1),
        )"#;
        let experiment = Experiment::new(&parse("", text).unwrap(), &Changes::default()).unwrap();
        let range = Range {
            name: "a".to_string(),
            low: 0.0,
            high: 1.0,
        };
        let plan = Plan::new(vec![range], Layout::Grid(vec![3])).unwrap();
        let (experiment, plan) = (&experiment, &plan);
        let sweep = Sweep {
            experiment,
            plan,
            shard: Shard::WHOLE,
            gradient: false,
            threads: None,
        };
        let row = |index: usize| Row {
            index,
            parameters: plan.point(index),
            outcome: Outcome::Done(Values {
                events: 0,
                objectives: vec![0.1],
                gradient: Vec::new(),
            }),
        };
        let folder = tempfile::tempdir().unwrap();
        let open = || Store::open(&sweep, &folder.path().into()).unwrap();
        open().0.add(&row(2)).unwrap();
        let path = folder.path().join("sweep.csv");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text + "1,0.5,o").unwrap();
        let (store, rows) = open();
        assert_eq!(rows, [row(2)]);
        store.add(&row(0)).unwrap();
        let held = Store::open(&sweep, &folder.path().into()).unwrap_err();
        assert!(held.message().contains("by process"), "{held}");
        drop(store);
        assert_eq!(open().1, [row(0), row(2)]);
        let whole = std::fs::read_to_string(&path).unwrap();
        // A value with another digit, and a line of which a part is missing.
        for (from, to) in [("2,1,ok,0,0.1,", "2,1,ok,0,0.2,"), ("2,1,ok,0,0.1,", "2,1,ok")] {
            std::fs::write(&path, whole.replacen(from, to, 1)).unwrap();
            let damaged = Store::open(&sweep, &folder.path().into()).unwrap_err();
            assert!(damaged.message().contains("line 2 "), "{damaged}");
        }
    }
}
