//! Numbers of the scene in place of those of a URDF file.

use super::robot::{Inertial, Model, Pose};
use crate::expression::suggest;
use crate::scene::schema::{Named, Number};

/// Names of the numbers of a pose.
const POSE: [&str; 6] = ["x", "y", "z", "roll", "pitch", "yaw"];

/// Names of the other numbers of a link, besides the mass.
const TENSOR: [&str; 6] = ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"];

/// Names of the components of an axis.
const AXIS: [&str; 3] = ["axis_x", "axis_y", "axis_z"];

/// The number of a name such as `link2.mass` or `joint1.axis_x`.
fn number<'m>(model: &'m mut Model, name: &str) -> Option<&'m mut Number> {
    let (owner, field) = name.rsplit_once('.')?;
    let at = |names: &[&str]| names.iter().position(|known| *known == field);
    if let Some(link) = model.links.iter_mut().find(|link| link.name == owner) {
        if field != "mass" && at(&TENSOR).is_none() && at(&POSE).is_none() {
            return None;
        }
        let inertial = link.inertial.get_or_insert_with(massless);
        return match at(&TENSOR) {
            Some(k) => Some(&mut inertial.inertia[k]),
            None if field == "mass" => Some(&mut inertial.mass),
            None => of_pose(&mut inertial.origin, at(&POSE)?),
        };
    }
    let joint = model.joints.iter_mut().find(|joint| joint.name == owner)?;
    match field {
        "damping" => Some(&mut joint.damping),
        "friction" => Some(&mut joint.friction),
        "lower" => joint.limits.as_mut().map(|[lower, _]| lower),
        "upper" => joint.limits.as_mut().map(|[_, upper]| upper),
        "multiplier" => joint.mimic.as_mut().map(|(_, [factor, _])| factor),
        "offset" => joint.mimic.as_mut().map(|(_, [_, offset])| offset),
        _ => match at(&AXIS) {
            Some(k) => Some(&mut joint.axis[k]),
            None => of_pose(&mut joint.origin, at(&POSE)?),
        },
    }
}

fn of_pose(pose: &mut Pose, k: usize) -> Option<&mut Number> {
    let Pose { xyz, rpy } = pose;
    xyz.iter_mut().chain(rpy).nth(k)
}

fn massless() -> Inertial {
    let zero = || Number::Literal(0.0);
    Inertial {
        origin: Pose {
            xyz: [(); 3].map(|()| zero()),
            rpy: [(); 3].map(|()| zero()),
        },
        mass: zero(),
        inertia: [(); 6].map(|()| zero()),
    }
}

/// Puts the numbers of a scene in place of those of the file.
///
/// # Errors
/// The name that means none, with advice.
pub fn replace(model: &mut Model, overrides: &Named<Number>) -> Result<(), (String, String)> {
    for (name, value) in overrides.iter() {
        match number(model, name) {
            Some(slot) => *slot = value.clone(),
            None => return Err((name.to_string(), suggestion(model, name))),
        }
    }
    Ok(())
}

fn suggestion(model: &Model, name: &str) -> String {
    let of_link = ["mass"].iter().chain(&TENSOR).chain(&POSE);
    let of_joint = POSE
        .iter()
        .chain(&AXIS)
        .chain(&["damping", "friction", "lower", "upper", "multiplier", "offset"]);
    let links = model
        .links
        .iter()
        .flat_map(|link| of_link.clone().map(move |field| format!("{}.{field}", link.name)));
    let joints = model.joints.iter();
    let joints = joints.flat_map(|joint| of_joint.clone().map(move |field| format!("{}.{field}", joint.name)));
    let known: Vec<String> = links.chain(joints).collect();
    suggest(name, known.iter().map(String::as_str), "numbers of the robot")
}
