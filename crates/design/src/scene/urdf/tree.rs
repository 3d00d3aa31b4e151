//! The tree of links: which joint moves each, and in which order they hang on each other.

use super::document::UrdfFile;
use super::robot::{Kind, Model};
use crate::error::Result;

/// The tree of links of a robot.
pub struct Tree {
    /// Links with the joint that each hangs on, the first link without one; each comes after its parent.
    pub order: Vec<(usize, Option<usize>)>,
}

impl Tree {
    /// The tree.
    ///
    /// # Errors
    /// Kind `Scene` where the joints do not make one.
    pub fn of(model: &Model, file: &UrdfFile) -> Result<Self> {
        let mut above: Vec<Option<usize>> = vec![None; model.links.len()];
        for (index, joint) in model.joints.iter().enumerate() {
            if above[joint.child].replace(index).is_some() {
                let message = format!(
                    "the link `{}` is the child of two joints",
                    model.links[joint.child].name
                );
                return Err(file.refused(
                    joint.place.clone(),
                    message,
                    "a robot is a tree of links; close loops by joints of the scene",
                ));
            }
        }
        let mut roots = (0..model.links.len()).filter(|&link| above[link].is_none());
        let root = roots.next();
        if let (Some(_), Some(second)) = (root, roots.next()) {
            let message = format!(
                "the link `{}` hangs on no joint, and is not the first such one",
                model.links[second].name
            );
            return Err(file.refused(
                model.links[second].place.clone(),
                message,
                "join it to the others; fixed joints hold links together",
            ));
        }
        let mut order: Vec<(usize, Option<usize>)> = root.map(|root| (root, None)).into_iter().collect();
        let mut next = 0;
        while let Some(&(link, _)) = order.get(next) {
            let below = model
                .joints
                .iter()
                .enumerate()
                .filter(|(_, joint)| joint.parent == link);
            order.extend(below.map(|(index, joint)| (joint.child, Some(index))));
            next += 1;
        }
        if order.len() < model.links.len() || order.is_empty() {
            let place = model.joints.first().map_or(0..0, |joint| joint.place.clone());
            return Err(file.refused(
                place,
                "the links make no tree that begins at one of them",
                "a robot is a tree of links; close loops by joints of the scene",
            ));
        }
        Ok(Self { order })
    }

    /// Whether a link, or one that fixed joints fasten to it, has a mass.
    pub fn has_mass(&self, model: &Model, link: usize) -> bool {
        let mut fastened = vec![false; model.links.len()];
        fastened[link] = true;
        for (link, joint) in &self.order {
            if let Some(joint) = joint.map(|joint| &model.joints[joint]) {
                fastened[*link] |= joint.kind == Kind::Fixed && fastened[joint.parent];
            }
        }
        let mut those = model.links.iter().zip(fastened).filter(|(_, fastened)| *fastened);
        those.any(|(link, _)| link.has_mass())
    }
}
