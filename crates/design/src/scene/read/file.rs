//! The text of a scene file, or what is wrong with the file.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{ErrorKind as Io, Read};
use std::path::Path;

use super::LONGEST;
use super::choices::quoted_list;
use crate::error::{Error, ErrorKind, Result};
use crate::expression::nearest_name;
use crate::scene::bytes::{is_endless, names_in};

/// Reads the whole file as text.
pub fn load(path: &Path) -> Result<String> {
    let shown = path.display();
    if path.is_dir() {
        return Err(is_directory(path));
    }
    if is_endless(path) {
        return Err(
            refused(path, format!("{shown} is no file")).advise("name a scene file; pipes and devices are not read")
        );
    }
    let file = File::open(path).map_err(|error| match error.kind() {
        Io::NotFound => not_found(path),
        _ => refused(path, format!("cannot open {shown}: {error}"))
            .advise("check the name of the file and the permission to read it"),
    })?;
    let mut bytes = Vec::new();
    let limit = LONGEST as u64 + 1;
    file.take(limit).read_to_end(&mut bytes).map_err(|error| {
        refused(path, format!("cannot read {shown}: {error}")).advise("check that it is a file and may be read")
    })?;
    if bytes.len() > LONGEST {
        return Err(too_long(&shown.to_string(), ErrorKind::File));
    }
    String::from_utf8(bytes).map_err(|error| not_text(path, error.as_bytes()))
}

/// The error about a scene of more than [`LONGEST`] bytes.
pub fn too_long(file: &str, kind: ErrorKind) -> Error {
    Error::new(kind, format!("{file} is longer than the 4 MiB that a scene may have"))
        .named(file)
        .advise("check that this is a scene; data such as long tables do not belong into one")
}

fn refused(path: &Path, message: String) -> Error {
    Error::new(ErrorKind::File, message).named(path.display().to_string())
}

fn is_directory(path: &Path) -> Error {
    let scenes: Vec<String> = names_in(path)
        .into_iter()
        .filter(|name| name.ends_with(".ron"))
        .map(|name| path.join(name).display().to_string())
        .take(10)
        .collect();
    let advice = if scenes.is_empty() {
        "give a scene file; there is none ending in .ron in this folder".to_string()
    } else {
        format!("give a scene file, such as {}", scenes.join(" or "))
    };
    let message = format!("{} is a folder, not a scene file", path.display());
    refused(path, message).advise(advice)
}

fn not_found(path: &Path) -> Error {
    let folder = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let message = format!("there is no file {}", path.display());
    let error = refused(path, message);
    if !folder.is_dir() {
        return error.advise(format!("there is no folder {} either", folder.display()));
    }
    error.advise(near_files(path, &names_in(folder)))
}

/// The file that was probably meant: one of the same name but for its ending, or one of a similar name.
fn near_files(path: &Path, names: &[String]) -> String {
    let wanted = path.file_name().unwrap_or_default().to_string_lossy();
    let scenes = || names.iter().map(String::as_str).filter(|n| n.ends_with(".ron"));
    let stem = |name: &str| Path::new(name).file_stem().map(OsStr::to_os_string);
    let same_stem = scenes().find(|name| stem(name) == stem(&wanted));
    let similar = || nearest_name(&wanted, names.iter().map(String::as_str));
    if let Some(near) = same_stem.map(str::to_string).or_else(similar) {
        return format!("did you mean {}?", path.with_file_name(near).display());
    }
    match quoted_list(scenes().take(10)) {
        list if list.is_empty() => "no file in that folder ends in .ron".to_string(),
        list => format!("the scenes in that folder are {list}"),
    }
}

fn not_text(path: &Path, bytes: &[u8]) -> Error {
    let sound = bytes.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
    let line = 1 + bytes[..sound].iter().filter(|byte| **byte == b'\n').count();
    let advice = if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        "the file is encoded as UTF-16: save it as UTF-8"
    } else {
        "save the file as UTF-8 text, and check that it is a scene"
    };
    let message = format!(
        "{} is not UTF-8 text: byte {sound} (line {line}) is no character",
        path.display()
    );
    Error::new(ErrorKind::Scene, message)
        .named(path.display().to_string())
        .advise(advice)
}
