//! Which element of the scene a name means.

use std::collections::HashMap;

use super::site::Site;
use crate::error::Result;
use crate::expression::is_reserved;
use crate::scene::SceneFile;
use crate::scene::schema::{Body, Named};

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

    pub(super) fn is_place(self) -> bool {
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
        names.add(file, "ground", &scene.ground, |index, _| Element::Ground(index))?;
        names.add(file, "points", &scene.points, |index, _| Element::Point(index))?;
        names.add(file, "bodies", &scene.bodies, |index, body| match body {
            Body::Bar(_) => Element::Bar(index),
            Body::Rigid(_) | Body::Solid(_) => Element::Rigid(index),
        })?;
        names.add(file, "joints", &scene.joints, |index, _| Element::Joint(index))?;
        names.add(file, "forces", &scene.forces, |index, _| Element::Force(index))?;
        names.add(file, "contacts", &scene.contacts, |index, _| Element::Contact(index))?;
        check_other_names(file)?;
        Ok(names)
    }

    pub(super) fn get(&self, name: &str) -> Option<Element> {
        self.elements.get(name).copied()
    }

    /// The element and its field in a dotted name.
    pub(super) fn split<'n>(&self, name: &'n str) -> Option<(&'n str, &'n str)> {
        let first = name.split_once('.')?;
        // Elements have no dots in their names. Parts of contacts have those of their attachments, as in `pl (pill.a)`, and not in their fields.
        match self.get(first.0) {
            None if first.0.contains(" (") => name.rsplit_once('.'),
            _ => Some(first),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'s str, Element)> + Clone {
        self.ordered.iter().copied()
    }

    /// Names of the elements of some kinds.
    pub(super) fn those(&self, kinds: fn(Element) -> bool) -> impl Iterator<Item = &'s str> + Clone {
        let those = self.iter().filter(move |(_, element)| kinds(*element));
        those.map(|(name, _)| name)
    }

    fn add<T>(
        &mut self,
        file: &'s SceneFile,
        map: &str,
        entries: &'s Named<T>,
        element: impl Fn(usize, &T) -> Element,
    ) -> Result<()> {
        for (index, (name, entry)) in entries.iter().enumerate() {
            self.insert(name, element(index, entry), &Site::new(file, map).at(name))?;
        }
        Ok(())
    }

    fn insert(&mut self, name: &'s str, element: Element, site: &Site) -> Result<()> {
        check_name(name, site)?;
        if name == "energy" {
            let message = "the name `energy` stands for the energy of the mechanism";
            return site.refuse_name(message, "choose another name");
        }
        if name == "ground" && element.is_place() {
            let message = format!("{} cannot have the name `ground`", element.described());
            return site.refuse_name(message, "`ground` means the fixed frame itself; choose another name");
        }
        if let Some(other) = self.elements.insert(name, element) {
            let message = format!("there is already {} named `{name}`", other.described());
            return site.refuse_name(message, "give every element of the scene its own name");
        }
        self.ordered.push((name, element));
        Ok(())
    }
}

fn check_other_names(file: &SceneFile) -> Result<()> {
    let scene = &file.scene;
    let check_variables = |map: &str, names: &mut dyn Iterator<Item = &str>, others: &[&str]| -> Result<()> {
        for name in names {
            let site = Site::new(file, map).at(name);
            check_variable(name, &site)?;
            let exists = |kind: &&&str| match **kind {
                "a constant" => scene.constants.get(name).is_some(),
                "a parameter" => scene.parameters.get(name).is_some(),
                _ => scene.outputs.get(name).is_some(),
            };
            if let Some(other) = others.iter().find(exists) {
                return site.refuse_name(
                    format!("there is already {other} named `{name}`"),
                    "expressions could not tell them apart; rename one of them",
                );
            }
        }
        Ok(())
    };
    check_variables("constants", &mut scene.constants.names(), &[])?;
    check_variables("parameters", &mut scene.parameters.names(), &["a constant"])?;
    check_variables("outputs", &mut scene.outputs.names(), &["a constant", "a parameter"])?;
    let others = ["a constant", "a parameter", "an output"];
    check_variables("memory", &mut scene.memory.names(), &others)?;
    let events = scene.events.names().map(|name| ("events", name));
    let objectives = scene.objectives.names().map(|name| ("objectives", name));
    for (map, name) in events.chain(objectives) {
        check_name(name, &Site::new(file, map).at(name))?;
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
    site.refuse_name(
        format!("in expressions `{name}` means {meaning}"),
        "choose another name",
    )
}

/// Whether expressions and attachments can refer to the name.
pub(super) fn check_name(name: &str, site: &Site) -> Result<()> {
    if name.trim().is_empty() {
        return site.refuse_name("the name is empty", "give it a name");
    }
    for (character, meaning) in [('.', "separates names"), ('\'', "quotes names")] {
        if name.contains(character) {
            let message = format!("the name `{name}` contains `{character}`");
            return site.refuse_name(
                message,
                format!("`{character}` {meaning} in expressions; leave it out of names"),
            );
        }
    }
    Ok(())
}
