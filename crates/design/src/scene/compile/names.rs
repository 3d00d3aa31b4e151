//! Which element of the scene a name means.

use std::collections::HashMap;

use super::site::Site;
use crate::error::Result;
use crate::expression::is_reserved;
use crate::scene::SceneFile;
use crate::scene::schema::Body;

/// An element with its index in its map of the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Ground(usize),
    Point(usize),
    Bar(usize),
    Rigid(usize),
    Joint(usize),
    Force(usize),
    Contact(usize),
}

impl Element {
    /// The element in words.
    pub(super) fn described(self) -> &'static str {
        match self {
            Self::Ground(_) => "a ground point",
            Self::Point(_) => "a point",
            Self::Bar(_) => "a bar",
            Self::Rigid(_) => "a rigid body",
            Self::Joint(_) => "a joint",
            Self::Force(_) => "a force",
            Self::Contact(_) => "a contact",
        }
    }

    fn is_place(self) -> bool {
        !matches!(self, Self::Joint(_) | Self::Force(_) | Self::Contact(_))
    }
}

/// The elements by name and in the order of the file.
pub(super) struct Names<'s> {
    elements: HashMap<&'s str, Element>,
    ordered: Vec<(&'s str, Element)>,
}

impl<'s> Names<'s> {
    /// Collects the names of all elements and checks every name of the scene.
    pub(super) fn read(file: &'s SceneFile) -> Result<Self> {
        let scene = &file.scene;
        let mut names = Self {
            elements: HashMap::new(),
            ordered: Vec::new(),
        };
        for (index, (name, _)) in scene.ground.iter().enumerate() {
            names.insert(file, "ground", name, Element::Ground(index))?;
        }
        for (index, (name, _)) in scene.points.iter().enumerate() {
            names.insert(file, "points", name, Element::Point(index))?;
        }
        for (index, (name, body)) in scene.bodies.iter().enumerate() {
            let element = match body {
                Body::Bar { .. } => Element::Bar(index),
                Body::Rigid { .. } => Element::Rigid(index),
            };
            names.insert(file, "bodies", name, element)?;
        }
        for (index, (name, _)) in scene.joints.iter().enumerate() {
            names.insert(file, "joints", name, Element::Joint(index))?;
        }
        for (index, (name, _)) in scene.forces.iter().enumerate() {
            names.insert(file, "forces", name, Element::Force(index))?;
        }
        for (index, (name, _)) in scene.contacts.iter().enumerate() {
            names.insert(file, "contacts", name, Element::Contact(index))?;
        }
        check_other_names(file)?;
        Ok(names)
    }

    pub(super) fn get(&self, name: &str) -> Option<Element> {
        self.elements.get(name).copied()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'s str, Element)> + Clone {
        self.ordered.iter().copied()
    }

    fn insert(&mut self, file: &'s SceneFile, map: &str, name: &'s str, element: Element) -> Result<()> {
        let site = Site::new(file, map).at(name);
        check_name(name, &site)?;
        if name == "energy" {
            let message = "the name `energy` stands for the energy of the mechanism";
            return Err(site.name_error(message).advise("choose another name"));
        }
        if name == "ground" && element.is_place() {
            let message = format!("{} cannot have the name `ground`", element.described());
            return Err(site
                .name_error(message)
                .advise("`ground` means the fixed frame itself; choose another name"));
        }
        if let Some(other) = self.elements.insert(name, element) {
            let message = format!("there is already {} named `{name}`", other.described());
            return Err(site
                .name_error(message)
                .advise("give every element of the scene its own name"));
        }
        self.ordered.push((name, element));
        Ok(())
    }
}

fn check_other_names(file: &SceneFile) -> Result<()> {
    let scene = &file.scene;
    for (name, _) in scene.parameters.iter() {
        check_variable(name, &Site::new(file, "parameters").at(name))?;
    }
    for (name, _) in scene.outputs.iter() {
        let site = Site::new(file, "outputs").at(name);
        check_variable(name, &site)?;
        if scene.parameters.get(name).is_some() {
            return Err(site
                .name_error(format!("there is already a parameter named `{name}`"))
                .advise("expressions could not tell them apart; rename one of them"));
        }
    }
    for (name, _) in scene.memory.iter() {
        let site = Site::new(file, "memory").at(name);
        check_variable(name, &site)?;
        let others = [
            ("a parameter", scene.parameters.get(name).is_some()),
            ("an output", scene.outputs.get(name).is_some()),
        ];
        if let Some((other, _)) = others.into_iter().find(|(_, exists)| *exists) {
            return Err(site
                .name_error(format!("there is already {other} named `{name}`"))
                .advise("expressions could not tell them apart; rename one of them"));
        }
    }
    for (name, _) in scene.events.iter() {
        check_name(name, &Site::new(file, "events").at(name))?;
    }
    for (name, _) in scene.objectives.iter() {
        check_name(name, &Site::new(file, "objectives").at(name))?;
    }
    Ok(())
}

/// Names that expressions use without a dot.
fn check_variable(name: &str, site: &Site) -> Result<()> {
    check_name(name, site)?;
    let meaning = match name {
        "t" => "the time",
        _ if is_reserved(name) => "a constant",
        _ => return Ok(()),
    };
    Err(site
        .name_error(format!("in expressions `{name}` means {meaning}"))
        .advise("choose another name"))
}

/// Whether expressions and attachments can refer to the name.
pub(super) fn check_name(name: &str, site: &Site) -> Result<()> {
    if name.trim().is_empty() {
        return Err(site.name_error("the name is empty").advise("give it a name"));
    }
    for (character, meaning) in [('.', "separates names"), ('\'', "quotes names")] {
        if name.contains(character) {
            let message = format!("the name `{name}` contains `{character}`");
            return Err(site
                .name_error(message)
                .advise(format!("`{character}` {meaning} in expressions; leave it out of names")));
        }
    }
    Ok(())
}
