//! Lists of the quantities that elements have, for advice.

use super::Build;
use super::names::Element;
use super::quantities::HYSTERETIC;
use crate::scene::schema::{Contact, Force};

impl Build<'_> {
    /// The quantities of an element, without its name.
    pub(super) fn fields(&self, element: Element) -> Vec<String> {
        let owned = |fields: &[&str]| fields.iter().map(ToString::to_string).collect::<Vec<_>>();
        match element {
            Element::Ground(_) => owned(self.axes()),
            Element::Point(_) => self.motion_fields(""),
            Element::Bar(index) => {
                let mut fields = owned(&["length", "force"]);
                if self.is_planar() {
                    fields.extend(owned(&["angle", "omega", "alpha"]));
                }
                fields.extend(self.marker_fields(index));
                fields
            }
            Element::Rigid(index) => {
                let mut fields = owned(&["x", "y", "angle", "vx", "vy", "omega", "ax", "ay", "alpha"]);
                fields.extend(self.marker_fields(index));
                fields
            }
            Element::Joint(index) => {
                let all = ["force", "fx", "fy", "fz", "torque"];
                let joint = self.scene.joints.0.get(index);
                let has = |field: &&str| joint.is_some_and(|(_, joint)| self.joint_part(joint, field).is_some());
                all.into_iter().filter(has).map(String::from).collect()
            }
            Element::Force(index) => owned(match self.scene.forces.0.get(index) {
                Some((_, Force::Spring { .. } | Force::Damper { .. } | Force::NonlinearSpring { .. })) => {
                    &["length", "force"]
                }
                Some((_, Force::TorsionSpring { .. } | Force::TorsionDamper { .. })) => &["angle", "torque"],
                Some((_, Force::HystereticSpring { .. })) => return owned(&HYSTERETIC.map(|(name, _)| name)),
                _ => &[],
            }),
            Element::Contact(index) => owned(match self.scene.contacts.0.get(index) {
                Some((_, Contact::Ratchet { .. })) => &["gap", "force", "position"],
                _ => &["gap", "force"],
            }),
        }
    }

    /// Position, velocity and acceleration along every axis.
    fn motion_fields(&self, before: &str) -> Vec<String> {
        let rates = ["", "v", "a"].into_iter();
        rates
            .flat_map(|rate| self.axes().iter().map(move |axis| format!("{before}{rate}{axis}")))
            .collect()
    }

    fn marker_fields(&self, solid: usize) -> Vec<String> {
        let markers = self.marker_names(solid);
        markers
            .iter()
            .flat_map(|marker| self.motion_fields(&format!("{marker}.")))
            .collect()
    }
}
