//! The scenes that are mutated: those of `scenes/`, and those written in the tests.

use std::fs;
use std::path::{Path, PathBuf};

use costate::run::{Changes, Experiment};
use costate::scene::parse;

use crate::mutate::mutate;
use crate::random::Random;

/// What every motion has, for scenes that say nothing else.
const OBJECTIVES: &str =
    r#"objectives: { "moving": Final("energy.kinetic"), "lifted": Integral("energy.potential") },"#;

/// Scenes that can be prepared.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// Their texts, in an order that is the same everywhere.
    pub scenes: Vec<String>,
}

impl Corpus {
    /// The scenes of the project that this was compiled in.
    pub fn load() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut texts = Vec::new();
        for folder in ["scenes", "tests"] {
            let scenes = files(&root.join(folder), "ron");
            texts.extend(scenes.into_iter().flat_map(fs::read_to_string));
        }
        for file in files(&root.join("tests"), "rs") {
            let source = fs::read_to_string(file).unwrap_or_default();
            texts.extend(literals(&source).into_iter().filter_map(|text| whole(&text)));
        }
        texts.retain(|text| prepares(text));
        Self { scenes: texts }
    }

    /// A scene with one to four changes, some of them taken from another scene.
    pub fn mutant(&self, random: &mut Random) -> String {
        let (Some(scene), Some(donor)) = (random.one(&self.scenes), random.one(&self.scenes)) else {
            return String::new();
        };
        let mut text = scene.clone();
        for _ in 0..=random.below(4) {
            text = mutate(&text, donor, random);
        }
        text
    }
}

fn prepares(text: &str) -> bool {
    parse("", text).is_ok_and(|file| Experiment::new(&file, &Changes::default()).is_ok())
}

/// The files with an ending in a folder and those inside it, sorted.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let of = |path: PathBuf| match path.is_dir() {
        true => files(&path, ending),
        false => path
            .extension()
            .filter(|found| *found == ending)
            .map(|_| path.clone())
            .into_iter()
            .collect(),
    };
    paths.into_iter().flat_map(of).collect()
}

/// The raw texts in a source.
fn literals(source: &str) -> Vec<String> {
    let after = source.split("r#\"").skip(1);
    after
        .filter_map(|rest| Some(rest.split_once("\"#")?.0.to_string()))
        .collect()
}

/// A text of the tests as a scene; many are the fields alone.
fn whole(text: &str) -> Option<String> {
    if text.trim_start().starts_with("Scene(") {
        return Some(text.to_string());
    }
    let simulation = if text.contains("simulation:") {
        ""
    } else {
        "simulation: (duration: 1)"
    };
    let comma = if text.trim_end().ends_with(',') { "" } else { "," };
    let objectives = if text.contains("objectives:") { "" } else { OBJECTIVES };
    let scene =
        |space: &str| format!("Scene(name: \"test\", space: {space},\n{text}{comma}\n{objectives}\n{simulation})");
    [scene("Planar"), scene("Spatial")]
        .into_iter()
        .find(|text| prepares(text))
}
