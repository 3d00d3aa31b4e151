//! Robots of URDF files: links and joints become bodies and joints of the scene, as if they were written there.

mod bodies;
mod document;
mod frames;
mod imported;
mod joints;
mod replace;
mod robot;
mod shapes;
mod tree;

pub(super) use imported::Imported;

use super::folder::Folder;
use super::schema::{Robot, Scene, Space};
use crate::error::Error;
use bodies::Builder;
use document::UrdfFile;
use robot::Model;
use tree::Tree;

/// What is wrong with a robot.
pub(super) enum Fault {
    /// In the scene: path, message and advice.
    Scene(Vec<String>, String, String),
    /// In a file.
    File(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::File(error)
    }
}

/// Adds the bodies and joints of the robots of a scene to it.
pub(super) fn add_robots(scene: &mut Scene, folder: &Folder) -> Result<Imported, (String, Fault)> {
    let mut imported = Imported::default();
    for (name, robot) in scene.robots.clone().iter() {
        let added = add_robot(name, robot, scene, folder, &mut imported);
        added.map_err(|fault| (name.to_string(), fault))?;
    }
    Ok(imported)
}

fn add_robot(
    name: &str,
    written: &Robot,
    scene: &mut Scene,
    folder: &Folder,
    imported: &mut Imported,
) -> Result<(), Fault> {
    if scene.space == Space::Planar {
        let (message, advice) = ("a robot moves in space", "write `space: Spatial`");
        return Err(Fault::Scene(
            vec!["space".to_string()],
            message.to_string(),
            advice.to_string(),
        ));
    }
    let file = UrdfFile::load(&written.file, folder)?;
    let mut model = Model::read(&file)?;
    let replaced = replace::replace(&mut model, &written.overrides);
    replaced.map_err(|(key, advice)| {
        let path = ["robots", name, "overrides", &key, "key"].map(str::to_string);
        let message = format!("`{key}` is no number of {}", file.short_name());
        Fault::Scene(path.to_vec(), message, advice)
    })?;
    let tree = Tree::of(&model, &file)?;
    imported.add_file(&written.file, file.clone());
    let mut builder = Builder::new(name, written, &model, &file, scene, imported);
    builder.build(&tree)?;
    let mut left_out = builder.into_left_out(folder);
    if written.limits.is_none() && model.joints.iter().any(|joint| joint.limits.is_some()) {
        left_out.push("the limits of its joints (`limits` gives them a law)".to_string());
    }
    left_out.extend(model.left_out.iter().map(|(what, lines)| {
        let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
        let s = if lines.len() == 1 { "" } else { "s" };
        format!("{what} (line{s} {})", lines.join(", "))
    }));
    if !left_out.is_empty() {
        let remark = format!(
            "of the robot `{name}` in {} is left out: {}",
            file.short_name(),
            left_out.join("; ")
        );
        imported.remarks.push(remark);
    }
    Ok(())
}
