//! Links and joints of a URDF file, with the numbers that a scene may replace.

use std::collections::BTreeMap;
use std::ops::Range;

use super::document::{Element, UrdfFile, child, opening};
use crate::error::Result;
use crate::scene::schema::Number;

/// A place and rotations about fixed axes: roll, pitch and yaw about x, y and z, one after the other.
#[derive(Clone, Debug)]
pub struct Pose {
    pub xyz: [Number; 3],
    pub rpy: [Number; 3],
}

/// Mass of a link about its inertial origin.
#[derive(Clone, Debug)]
pub struct Inertial {
    pub origin: Pose,
    pub mass: Number,
    /// `[xx, yy, zz, xy, xz, yz]` about the centre of mass, in the axes of the origin.
    pub inertia: [Number; 6],
}

/// What a link looks like.
#[derive(Clone, Debug)]
pub struct Visual {
    pub origin: Pose,
    pub geometry: Geometry,
    pub place: Range<usize>,
}

/// The shape of a visual.
#[derive(Clone, Debug)]
pub enum Geometry {
    Box([f64; 3]),
    /// Radius and length.
    Cylinder(f64, f64),
    Sphere(f64),
    /// File and factors.
    Mesh(String, [f64; 3]),
}

/// A link.
#[derive(Clone, Debug)]
pub struct Link {
    pub name: String,
    /// Its opening tag.
    pub place: Range<usize>,
    pub inertial: Option<Inertial>,
    pub visuals: Vec<Visual>,
}

/// How a joint moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Revolute,
    Prismatic,
    Fixed,
    Floating,
    Planar,
}

/// A joint.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Its name; one that a link has too is followed by ` joint`.
    pub name: String,
    /// Its opening tag.
    pub place: Range<usize>,
    pub kind: Kind,
    /// Indices of the links.
    pub parent: usize,
    pub child: usize,
    pub origin: Pose,
    pub axis: [Number; 3],
    /// Least and greatest position.
    pub limits: Option<[Number; 2]>,
    pub damping: Number,
    /// Of the force or torque of dry friction.
    pub friction: Number,
    /// Index of the joint that it follows, with factor and offset.
    pub mimic: Option<(usize, [Number; 2])>,
}

/// What a file says.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub links: Vec<Link>,
    pub joints: Vec<Joint>,
    /// What is not supported, with its lines.
    pub left_out: BTreeMap<String, Vec<usize>>,
}

/// Attributes of an inertia tensor.
const TENSOR: [&str; 6] = ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"];

/// Children of elements that are read, or that pictures alone would need.
const KNOWN: [(&str, &[&str]); 3] = [
    ("robot", &["link", "joint", "material"]),
    ("link", &["inertial", "visual"]),
    (
        "joint",
        &["origin", "parent", "child", "axis", "limit", "dynamics", "mimic"],
    ),
];

impl Model {
    /// Reads a file.
    ///
    /// # Errors
    /// Kind `Scene` at the line of what is wrong.
    pub fn read(file: &UrdfFile) -> Result<Self> {
        let tree = file.tree()?;
        let root = tree.root_element();
        if !root.has_tag_name("robot") {
            let message = format!("<{}> is no robot", root.tag_name().name());
            return Err(file.refused(
                opening(root),
                message,
                "give a URDF file, whose first element is <robot>",
            ));
        }
        let mut model = Self::default();
        let those = |tag: &'static str| root.children().filter(move |child| child.has_tag_name(tag));
        for element in those("link") {
            let link = model.link(file, element)?;
            model.links.push(link);
        }
        let names: Vec<&str> = those("joint")
            .map(|joint| file.text(joint, "name"))
            .collect::<Result<_>>()?;
        for (k, element) in those("joint").enumerate() {
            if names[..k].contains(&names[k]) {
                let message = format!("there are two joints `{}`", names[k]);
                return Err(file.refused(opening(element), message, "give every joint its own name"));
            }
            let joint = model.joint(file, element, &names)?;
            model.joints.push(joint);
        }
        model.leave_out_unknown(file, root);
        Ok(model)
    }

    /// Notes what is left out at an element.
    fn leave_out(&mut self, what: &str, file: &UrdfFile, element: Element) {
        let lines = self.left_out.entry(what.to_string()).or_default();
        lines.push(file.line(element.range().start));
    }

    fn leave_out_unknown(&mut self, file: &UrdfFile, parent: Element) {
        let Some((_, known)) = KNOWN.iter().find(|(tag, _)| parent.has_tag_name(*tag)) else {
            return;
        };
        for element in parent.children().filter(|child| child.is_element()) {
            let tag = element.tag_name().name();
            match known.contains(&tag) {
                true => self.leave_out_unknown(file, element),
                false => self.leave_out(&format!("<{tag}>"), file, element),
            }
        }
    }

    fn link(&mut self, file: &UrdfFile, element: Element) -> Result<Link> {
        let name = file.text(element, "name")?.to_string();
        if self.links.iter().any(|link| link.name == name) {
            let message = format!("there are two links `{name}`");
            return Err(file.refused(opening(element), message, "give every link its own name"));
        }
        let mut visuals = Vec::new();
        for visual in element.children().filter(|child| child.has_tag_name("visual")) {
            match geometry(file, visual)? {
                Some(geometry) => visuals.push(Visual {
                    origin: pose(file, visual)?,
                    geometry,
                    place: opening(visual),
                }),
                None => self.leave_out("visuals of unknown shape", file, visual),
            }
        }
        Ok(Link {
            name,
            place: opening(element),
            inertial: child(element, "inertial")
                .map(|found| inertial(file, found))
                .transpose()?,
            visuals,
        })
    }

    fn joint(&mut self, file: &UrdfFile, element: Element, names: &[&str]) -> Result<Joint> {
        let name = file.text(element, "name")?;
        let is_link = self.links.iter().any(|link| link.name == name);
        let axis = match child(element, "axis") {
            Some(axis) => file.numbers(axis, "xyz")?,
            None => None,
        };
        let kind = file.text(element, "type")?;
        let limits = match child(element, "limit") {
            Some(limit) if matches!(kind, "revolute" | "prismatic") => {
                if limit.has_attribute("effort") || limit.has_attribute("velocity") {
                    self.leave_out("limits of effort and velocity", file, limit);
                }
                Some([
                    file.number_or(limit, "lower", 0.0)?,
                    file.number_or(limit, "upper", 0.0)?,
                ])
            }
            _ => None,
        };
        let [mut damping, mut friction] = [Number::Literal(0.0), Number::Literal(0.0)];
        if let Some(dynamics) = child(element, "dynamics") {
            damping = file.number_or(dynamics, "damping", 0.0)?;
            friction = file.number_or(dynamics, "friction", 0.0)?;
            if kind == "planar" && friction != Number::Literal(0.0) {
                self.leave_out("friction of planar joints", file, dynamics);
            }
        }
        Ok(Joint {
            name: if is_link {
                format!("{name} joint")
            } else {
                name.to_string()
            },
            place: opening(element),
            kind: kind_of(file, element, kind)?,
            parent: self.end(file, element, "parent")?,
            child: self.end(file, element, "child")?,
            origin: pose(file, element)?,
            axis: axis.unwrap_or([1.0, 0.0, 0.0]).map(Number::Literal),
            limits,
            damping,
            friction,
            mimic: child(element, "mimic")
                .map(|found| mimic(file, found, names))
                .transpose()?,
        })
    }

    /// The link at an end of a joint.
    fn end(&self, file: &UrdfFile, joint: Element, tag: &str) -> Result<usize> {
        let Some(end) = child(joint, tag) else {
            let message = format!("this joint has no <{tag}>");
            return Err(file.refused(opening(joint), message, format!("write <{tag} link=\"..\"/> in it")));
        };
        let name = file.text(end, "link")?;
        self.links.iter().position(|link| link.name == name).ok_or_else(|| {
            let known = self.links.iter().map(|link| link.name.as_str());
            let advice = crate::expression::suggest(name, known, "links");
            file.refused(opening(end), format!("there is no link `{name}`"), advice)
        })
    }
}

fn kind_of(file: &UrdfFile, element: Element, word: &str) -> Result<Kind> {
    Ok(match word {
        "revolute" | "continuous" => Kind::Revolute,
        "prismatic" => Kind::Prismatic,
        "fixed" => Kind::Fixed,
        "floating" => Kind::Floating,
        "planar" => Kind::Planar,
        _ => {
            let advice = "possible are revolute, continuous, prismatic, fixed, floating and planar";
            return Err(file.refused(opening(element), format!("there is no type of joint `{word}`"), advice));
        }
    })
}

fn pose(file: &UrdfFile, element: Element) -> Result<Pose> {
    let origin = child(element, "origin");
    let read = |attribute| {
        let found = origin
            .map(|origin| file.numbers(origin, attribute))
            .transpose()?
            .flatten();
        Ok(found.unwrap_or([0.0; 3]).map(Number::Literal))
    };
    Ok(Pose {
        xyz: read("xyz")?,
        rpy: read("rpy")?,
    })
}

fn inertial(file: &UrdfFile, element: Element) -> Result<Inertial> {
    let missing = |tag: &str| {
        let message = format!("this inertial has no <{tag}>");
        file.refused(
            opening(element),
            message,
            "give <mass> and <inertia>, or leave the <inertial> out",
        )
    };
    let mass = child(element, "mass").ok_or_else(|| missing("mass"))?;
    let tensor = child(element, "inertia").ok_or_else(|| missing("inertia"))?;
    file.text(mass, "value")?;
    let mut inertia = TENSOR.map(|_| Number::Literal(0.0));
    for (slot, attribute) in inertia.iter_mut().zip(TENSOR) {
        *slot = file.number_or(tensor, attribute, 0.0)?;
    }
    Ok(Inertial {
        origin: pose(file, element)?,
        mass: file.number_or(mass, "value", 0.0)?,
        inertia,
    })
}

fn mimic(file: &UrdfFile, element: Element, names: &[&str]) -> Result<(usize, [Number; 2])> {
    let name = file.text(element, "joint")?;
    let followed = names.iter().position(|known| *known == name).ok_or_else(|| {
        let advice = crate::expression::suggest(name, names.iter().copied(), "joints");
        file.refused(opening(element), format!("there is no joint `{name}`"), advice)
    })?;
    let factor = file.number_or(element, "multiplier", 1.0)?;
    Ok((followed, [factor, file.number_or(element, "offset", 0.0)?]))
}

/// The shape of a visual; none for one that is not known.
fn geometry(file: &UrdfFile, visual: Element) -> Result<Option<Geometry>> {
    let shapes = child(visual, "geometry");
    let Some(shape) = shapes.and_then(|shapes| shapes.children().find(|child| child.is_element())) else {
        return Ok(None);
    };
    let one = |attribute: &str| Ok(file.numbers::<1>(shape, attribute)?.map_or(0.0, |[value]| value));
    Ok(match shape.tag_name().name() {
        "box" => file.numbers(shape, "size")?.map(Geometry::Box),
        "cylinder" => Some(Geometry::Cylinder(one("radius")?, one("length")?)),
        "sphere" => Some(Geometry::Sphere(one("radius")?)),
        "mesh" => {
            let factors = file.numbers(shape, "scale")?.unwrap_or([1.0; 3]);
            Some(Geometry::Mesh(file.text(shape, "filename")?.to_string(), factors))
        }
        _ => None,
    })
}

impl Link {
    /// Whether it has a mass that is not written as zero.
    pub fn has_mass(&self) -> bool {
        let numbers = self
            .inertial
            .iter()
            .flat_map(|inertial| inertial.inertia.iter().chain([&inertial.mass]));
        numbers.into_iter().any(|number| *number != Number::Literal(0.0))
    }
}
