//! Reads a scene file: text to plain data, or an error that shows the line and says what to write instead.

mod choices;
mod explain;
mod file;
mod shape;
mod stop;
mod texts;

use std::path::Path;
use std::sync::Arc;

use ron::extensions::Extensions;
use ron::options::Options;

use super::beside::read_files;
use super::locate::Explanation;
use super::repeat::write_out;
use super::scene_file::SceneFile;
use super::schema::Scene;
use super::urdf::Imported;
use crate::error::{Error, ErrorKind, Result, Source};

/// Most bytes that a scene may have.
const LONGEST: usize = 4 << 20;

/// Reads a scene file.
///
/// # Errors
/// [`ErrorKind::File`] when the file cannot be read or is longer than 4 MiB, [`ErrorKind::Scene`] when its text is not
/// a scene; as [`parse`] for the files that it names.
pub fn read(path: &Path) -> Result<SceneFile> {
    read_with(path, false)
}

/// As [`read`], if wanted with files that the scene names outside its folder.
///
/// # Errors
/// As [`read`].
pub fn read_with(path: &Path, allow_outside: bool) -> Result<SceneFile> {
    parse_with(&path.display().to_string(), &file::load(path)?, allow_outside)
}

/// Reads the text of a scene; `file` is the name that errors show, and the folder in it the one that data files are in.
///
/// # Errors
/// [`ErrorKind::Scene`] with the place in the text when it is not a scene, or in a data file that is no table;
/// [`ErrorKind::File`] when a data file or a file of triangles cannot be read, or is outside the folder.
pub fn parse(file: &str, text: &str) -> Result<SceneFile> {
    parse_with(file, text, false)
}

/// As [`parse`], if wanted with files that the scene names outside its folder.
///
/// # Errors
/// As [`parse`].
pub fn parse_with(file: &str, text: &str, allow_outside: bool) -> Result<SceneFile> {
    let mut parsed = parse_alone(file, text, &[])?;
    read_files(&mut parsed, allow_outside)?;
    Ok(parsed)
}

/// The scene with as many entries as its ranges give when these values replace those of constants; the same one where that
/// makes no difference.
///
/// # Errors
/// As [`read_with`].
pub fn recounted(file: &Arc<SceneFile>, values: &[(String, f64)], allow_outside: bool) -> Result<Arc<SceneFile>> {
    let set = |name: &String| values.iter().find(|(set, _)| set == name).map(|(_, value)| *value);
    if file.written.counts.iter().all(|(name, known)| set(name) == *known) {
        return Ok(file.clone());
    }
    let mut parsed = parse_alone(&file.source.file, &file.source.text, values)?;
    read_files(&mut parsed, allow_outside)?;
    Ok(Arc::new(parsed))
}

/// Reads the text of a scene without the files that it names; `values` replace those of constants that ranges read.
///
/// # Errors
/// [`ErrorKind::Scene`] as [`parse`].
pub(super) fn parse_alone(file: &str, text: &str, values: &[(String, f64)]) -> Result<SceneFile> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    if text.len() > LONGEST {
        return Err(file::too_long(file, ErrorKind::Scene));
    }
    let source = Arc::new(Source {
        file: file.to_string(),
        text: text.to_string(),
    });
    let refused = |explanation: Explanation| {
        Error::new(ErrorKind::Scene, explanation.message)
            .advise(explanation.advice)
            .at_place(explanation.place)
            .in_source(source.clone())
    };
    let written = write_out(text, values).map_err(refused)?;
    let scene = options().from_str::<Scene>(&written.text).map_err(|error| {
        let explanation = explain::explain(&error, &written.text);
        refused(written.explanation(explanation))
    })?;
    if let Some((place, what)) = texts::with_control(text) {
        return Err(refused(Explanation::new(
            place,
            format!("this {what} contains a control character"),
            "write it without: it would change how terminals and tables show what is around it",
        )));
    }
    Ok(SceneFile {
        scene,
        source,
        written: Arc::new(written),
        data: Vec::new(),
        shapes: Vec::new(),
        imported: Imported::default(),
    })
}

/// The dialect of RON: `Some(..)` may be left out.
fn options() -> Options {
    Options::default().with_default_extension(Extensions::IMPLICIT_SOME)
}
