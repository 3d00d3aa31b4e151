//! Files beside a scene: where it names them, and what is in them.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::data::DataFile;
use super::folder::Folder;
use super::locate::Outline;
use super::scene_file::SceneFile;
use super::schema::part::Part;
use super::schema::{Body, Objective, Shape};
use super::shape_file::ShapeFile;
use super::urdf::{Fault, add_robots};
use crate::error::{Error, Result};

/// A place in the scene that names a file.
struct Mention<'s> {
    /// The path to the name in the scene.
    path: Vec<String>,
    /// The file, as written.
    name: &'s str,
}

impl Mention<'_> {
    fn path(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }

    /// The error at this place, unless it has one in the file itself.
    fn located(&self, error: Error, file: &SceneFile) -> Error {
        match file.place(&self.path()).filter(|_| error.place().is_none()) {
            Some(place) => error.at_place(place).in_source(file.source.clone()),
            None => error,
        }
    }
}

fn add_mentions<'s>(objective: &'s Objective, path: &[String], found: &mut Vec<Mention<'s>>) {
    match objective {
        Objective::Fit { data, .. } => found.push(Mention {
            path: [path, &["data".to_string()]].concat(),
            name: data,
        }),
        Objective::Sum(terms) => {
            for (k, (_, term)) in terms.iter().enumerate() {
                let inner = [0, k, 1].map(|index| index.to_string());
                add_mentions(term, &[path, &inner].concat(), found);
            }
        }
        Objective::Final(_)
        | Objective::Integral(_)
        | Objective::Max(_)
        | Objective::Min(_)
        | Objective::At { .. }
        | Objective::AtEvents { .. }
        | Objective::Formula(_)
        | Objective::SumOfSquares(_) => {}
    }
}

/// Where the objectives of a scene name tables.
fn data_mentions(file: &SceneFile) -> Vec<Mention<'_>> {
    let mut found = Vec::new();
    for (name, objective) in file.scene.objectives.iter() {
        add_mentions(objective, &["objectives", name].map(str::to_string), &mut found);
    }
    found
}

/// Where the shapes of a scene name files.
fn shape_mentions(file: &SceneFile) -> Vec<Mention<'_>> {
    let mut found = Vec::new();
    for (name, shapes) in file.scene.view.shapes.iter() {
        add_meshes(shapes, &["view", "shapes", name], &mut found);
    }
    for (name, body) in file.scene.bodies.iter() {
        let Body::Solid(solid) = body else { continue };
        for (k, part) in solid.parts.iter().enumerate() {
            if let Part::Shapes { shapes, .. } = part {
                add_meshes(shapes, &["bodies", name, "parts", &k.to_string(), "shapes"], &mut found);
            }
        }
    }
    found
}

fn add_meshes<'s>(shapes: &'s [Shape], path: &[&str], found: &mut Vec<Mention<'s>>) {
    for (k, shape) in shapes.iter().enumerate() {
        if let Shape::Mesh { file, .. } = shape {
            let index = k.to_string();
            let path = [path, &[&index, "file"]].concat();
            found.push(Mention {
                path: path.into_iter().map(str::to_string).collect(),
                name: file,
            });
        }
    }
}

/// Where a scene names files of robots.
fn robot_mentions(file: &SceneFile) -> Vec<Mention<'_>> {
    let robots = file.scene.robots.iter();
    robots
        .map(|(name, robot)| Mention {
            path: ["robots", name, "file"].map(str::to_string).to_vec(),
            name: &robot.file,
        })
        .collect()
}

/// Adds the robots of a scene to it.
fn read_robots(file: &mut SceneFile, folder: &Folder) -> Result<()> {
    let mut scene = file.scene.clone();
    let imported = add_robots(&mut scene, folder).map_err(|(robot, fault)| match fault {
        Fault::Scene(path, message, advice) => {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            file.error(&path, message).advise(advice)
        }
        Fault::File(error) => {
            let path = ["robots", &robot, "file"].map(str::to_string).to_vec();
            Mention { path, name: &robot }.located(error, file)
        }
    })?;
    (file.scene, file.imported) = (scene, imported);
    Ok(())
}

/// Reads the files that a scene names, each once; `read` is given the name as written.
///
/// # Errors
/// Those of `read`; the ones without a place get that of the name in the scene.
fn read_each<T>(file: &SceneFile, mentions: Vec<Mention>, read: impl Fn(&str) -> Result<T>) -> Result<Vec<Arc<T>>> {
    let (mut names, mut found) = (Vec::new(), Vec::new());
    for mention in mentions {
        if !names.contains(&mention.name) {
            let one = read(mention.name);
            found.push(Arc::new(one.map_err(|error| mention.located(error, file))?));
            names.push(mention.name);
        }
    }
    Ok(found)
}

/// Adds the robots of a scene, and reads the tables that its objectives name and the files that its shapes name, each once.
///
/// # Errors
/// As [`DataFile::read`] and [`ShapeFile::read`]; errors without a line of the file point at its name in the scene. Kind `File`
/// for a file outside the folder of the scene, unless that is allowed.
pub(super) fn read_files(file: &mut SceneFile, allow_outside: bool) -> Result<()> {
    let folder = Folder::of(&file.source.file, allow_outside);
    if !file.scene.robots.is_empty() {
        read_robots(file, &folder)?;
    }
    file.data = read_each(file, data_mentions(file), |name| DataFile::read(name, &folder))?;
    file.shapes = read_each(file, shape_mentions(file), |name| ShapeFile::read(name, &folder))?;
    Ok(())
}

/// The files that a scene was read from: its own, the tables and the meshes.
pub fn inputs(file: &SceneFile) -> Vec<PathBuf> {
    let scene = Path::new(&file.source.file);
    let folder = scene.parent().unwrap_or(Path::new(""));
    let (tables, meshes) = (
        file.data
            .iter()
            .filter(|data| !data.is_in_scene())
            .map(|data| &data.path),
        file.shapes.iter().map(|shape| &shape.path),
    );
    let robots = file.imported.files().map(|(name, _)| name);
    let beside = robots
        .chain(tables.chain(meshes).map(String::as_str))
        .map(|name| folder.join(name));
    std::iter::once(scene.to_path_buf()).chain(beside).collect()
}

/// Byte ranges in the scene of the paths of the files that it names, with the paths.
pub(super) fn file_places(file: &SceneFile) -> Vec<(Range<usize>, &str)> {
    let outline = Outline::new(&file.written.text);
    let all = data_mentions(file)
        .into_iter()
        .chain(shape_mentions(file))
        .chain(robot_mentions(file));
    all.filter_map(|mention| {
        let place = outline.locate(&mention.path())?;
        Some((file.written.source(place), mention.name))
    })
    .collect()
}
