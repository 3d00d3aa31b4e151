//! Links as bodies: those that fixed joints hold together are one body, with their masses as its parts.

use std::ops::Range;

use super::Fault;
use super::document::UrdfFile;
use super::frames::{Frame, at_pose, orientation, place, then, zero};
use super::imported::Imported;
use super::robot::{Kind, Model};
use super::tree::Tree;
use crate::expression::suggest;
use crate::scene::schema::joint::{Joint, Weld};
use crate::scene::schema::part::{Body, Part, Solid};
use crate::scene::schema::{Base, Named, Number, Placement, Robot, Scene};

/// What a link is fixed in, with its frame there.
#[derive(Clone)]
pub(super) enum Carrier {
    Ground(Frame),
    /// A body of the robot.
    Body(usize, Frame),
    /// A body of the scene.
    Existing(String, Frame),
}

/// A body of the robot.
struct Draft {
    /// The link whose frame is that of the body.
    link: usize,
    parts: Vec<Part>,
    markers: Vec<(String, Placement)>,
    /// Velocity and angular velocity of a body that starts where it is.
    free: Option<[Vec<Number>; 2]>,
}

/// Adds a robot to a scene.
pub(super) struct Builder<'a> {
    pub(super) name: &'a str,
    pub(super) written: &'a Robot,
    pub(super) model: &'a Model,
    pub(super) file: &'a UrdfFile,
    pub(super) scene: &'a mut Scene,
    imported: &'a mut Imported,
    /// Initial frame of each link in the ground.
    pub(super) poses: Vec<Frame>,
    carriers: Vec<Carrier>,
    bodies: Vec<Draft>,
    /// The link whose frame is that of each body.
    owners: Vec<usize>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        name: &'a str,
        written: &'a Robot,
        model: &'a Model,
        file: &'a UrdfFile,
        scene: &'a mut Scene,
        imported: &'a mut Imported,
    ) -> Self {
        let links = model.links.len();
        Self {
            name,
            written,
            model,
            file,
            scene,
            imported,
            poses: vec![None; links],
            carriers: vec![Carrier::Ground(None); links],
            bodies: Vec::new(),
            owners: Vec::new(),
        }
    }

    /// Adds the bodies and joints.
    pub(super) fn build(&mut self, tree: &Tree) -> Result<(), Fault> {
        self.check_joints_named()?;
        for &(link, joint) in &tree.order {
            match joint {
                None => self.root(link, tree)?,
                Some(joint) => self.hang(joint)?,
            }
            self.settle(link);
        }
        for draft in std::mem::take(&mut self.bodies) {
            self.finish(draft)?;
        }
        Ok(())
    }

    /// The name of an element in the scene.
    pub(super) fn named(&self, name: &str) -> String {
        format!("{}/{name}", self.name)
    }

    /// Notes where an element comes from; returns its name in the scene.
    pub(super) fn noted(&mut self, name: &str, place: &Range<usize>) -> String {
        let name = self.named(name);
        self.imported.add(&name, place.clone());
        name
    }

    /// A fault at a field of the robot in the scene.
    pub(super) fn fault<T>(&self, path: &[&str], message: String, advice: impl Into<String>) -> Result<T, Fault> {
        let path = [&["robots", self.name], path].concat();
        let path = path.into_iter().map(str::to_string).collect();
        Err(Fault::Scene(path, message, advice.into()))
    }

    fn root(&mut self, root: usize, tree: &Tree) -> Result<(), Fault> {
        match &self.written.base {
            None => {}
            Some(Base::Ground { at, orientation }) => {
                let frame = then(&None, self.three(at, "at")?, orientation.clone());
                self.poses[root] = frame.clone();
                self.carriers[root] = Carrier::Ground(frame);
            }
            Some(Base::Free {
                at,
                orientation,
                velocity,
                angular_velocity,
            }) => {
                self.poses[root] = then(&None, self.three(at, "at")?, orientation.clone());
                let mut rates = [velocity, angular_velocity].map(|rate| rate.clone().unwrap_or(vec![zero(); 3]));
                self.three(&rates[0], "velocity")?;
                self.three(&rates[1], "angular_velocity")?;
                self.carriers[root] = self.body(root, Some(std::mem::take(&mut rates)));
            }
            Some(Base::On(attachment)) => self.root_on(root, attachment, tree)?,
        }
        Ok(())
    }

    /// Demands three components in a field of the base.
    fn three<'n>(&self, list: &'n [Number], field: &str) -> Result<&'n [Number], Fault> {
        match list.len() {
            3 => Ok(list),
            other => {
                let message = format!("`{field}` has {other} components, but needs 3");
                self.fault(&["base", field], message, "write [x, y, z]")
            }
        }
    }

    /// Fastens the first link to a ground point or to a body of the scene.
    fn root_on(&mut self, root: usize, attachment: &str, tree: &Tree) -> Result<(), Fault> {
        if let Some(ground) = self.scene.ground.get(attachment) {
            self.poses[root] = Some(ground.clone());
            self.carriers[root] = Carrier::Ground(Some(ground.clone()));
            return Ok(());
        }
        let Some((body, marker)) = marker_of(&self.scene.bodies, attachment) else {
            let markers = self.scene.bodies.iter().flat_map(|(name, body)| {
                let names = body.markers().names().chain(["origin"]);
                names.map(move |marker| format!("{name}.{marker}"))
            });
            let known: Vec<String> = self.scene.ground.names().map(str::to_string).chain(markers).collect();
            let message = format!("there is no ground point and no marker of a body in space `{attachment}`");
            let advice = suggest(attachment, known.iter().map(String::as_str), "places");
            return self.fault(&["base", "0"], message, advice);
        };
        let (name, _) = attachment.split_once('.').unwrap_or((attachment, ""));
        self.poses[root] = within(&marker, frame_of(body));
        if !tree.has_mass(self.model, root) {
            self.carriers[root] = Carrier::Existing(name.to_string(), marker);
            return Ok(());
        }
        self.carriers[root] = self.body(root, None);
        let link = &self.model.links[root];
        let between = (attachment.to_string(), self.named(&format!("{}.origin", link.name)));
        let (angle, active) = (None, true);
        let weld = self.noted("base", &link.place);
        let joint = Joint::Weld(Weld { between, angle, active });
        self.scene.joints.0.push((weld, joint));
        Ok(())
    }

    /// A new body with the frame of a link.
    pub(super) fn body(&mut self, link: usize, free: Option<[Vec<Number>; 2]>) -> Carrier {
        self.owners.push(link);
        self.bodies.push(Draft {
            link,
            parts: Vec::new(),
            markers: Vec::new(),
            free,
        });
        Carrier::Body(self.bodies.len() - 1, None)
    }

    /// Hangs the child of a joint on its parent.
    fn hang(&mut self, joint: usize) -> Result<(), Fault> {
        let written = &self.model.joints[joint];
        let (parent, child) = (written.parent, written.child);
        let pose = at_pose(&self.poses[parent], &written.origin);
        if written.kind == Kind::Fixed {
            let frame = |frame: &Frame| at_pose(frame, &written.origin);
            self.poses[child] = pose;
            self.carriers[child] = match &self.carriers[parent] {
                Carrier::Ground(outer) => Carrier::Ground(frame(outer)),
                Carrier::Body(body, outer) => Carrier::Body(*body, frame(outer)),
                Carrier::Existing(body, outer) => Carrier::Existing(body.clone(), frame(outer)),
            };
            return Ok(());
        }
        self.poses[child] = self.moved(&pose, joint)?;
        let free = (written.kind == Kind::Floating).then(|| [vec![zero(); 3], vec![zero(); 3]]);
        self.carriers[child] = self.body(child, free);
        self.add_joint(joint)
    }

    /// The attachment of a joint on its parent.
    pub(super) fn attachment(&mut self, joint: usize) -> String {
        let written = &self.model.joints[joint];
        let at = |frame: &Frame| place(&at_pose(frame, &written.origin));
        match self.carriers[written.parent].clone() {
            Carrier::Ground(frame) => {
                let name = self.noted(&format!("{} frame", written.name), &written.place);
                self.scene.ground.0.push((name.clone(), at(&frame)));
                name
            }
            Carrier::Body(body, frame) => {
                let link = self.bodies[body].link;
                self.bodies[body].markers.push((written.name.clone(), at(&frame)));
                self.named(&format!("{}.{}", self.model.links[link].name, written.name))
            }
            Carrier::Existing(body, frame) => {
                let name = self.named(&written.name);
                add_marker(&mut self.scene.bodies, &body, &name, at(&frame));
                format!("{body}.{name}")
            }
        }
    }

    /// Adds the place, the mass and the shapes of a link to what it is fixed in.
    fn settle(&mut self, index: usize) {
        let link = &self.model.links[index];
        match self.carriers[index].clone() {
            Carrier::Ground(frame) => {
                let name = self.noted(&link.name, &link.place);
                self.scene.ground.0.push((name, place(&frame)));
            }
            Carrier::Existing(body, frame) => {
                let name = self.named(&link.name);
                add_marker(&mut self.scene.bodies, &body, &name, place(&frame));
            }
            Carrier::Body(body, frame) => {
                let draft = &mut self.bodies[body];
                if draft.link != index {
                    draft.markers.push((link.name.clone(), place(&frame)));
                }
                let inertial = link.inertial.iter().filter(|_| link.has_mass());
                draft.parts.extend(inertial.map(|inertial| Part::Mass {
                    mass: inertial.mass.clone(),
                    inertia: inertial.inertia.to_vec(),
                    at: Some(inertial.origin.xyz.to_vec()),
                    orientation: orientation(&inertial.origin),
                    within: frame.clone(),
                }));
            }
        }
    }

    /// The body and frame that a link's pictures belong to; none where it does not move.
    pub(super) fn shown_on(&self, link: usize) -> Option<(String, &Frame)> {
        match &self.carriers[link] {
            Carrier::Ground(_) => None,
            Carrier::Existing(body, frame) => Some((body.clone(), frame)),
            Carrier::Body(body, frame) => {
                let owner = &self.model.links[*self.owners.get(*body)?];
                Some((self.named(&owner.name), frame))
            }
        }
    }

    fn finish(&mut self, draft: Draft) -> Result<(), Fault> {
        let link = &self.model.links[draft.link];
        if draft.parts.is_empty() {
            let message = format!(
                "the link `{}` moves, but has no mass, and none is fixed to it",
                link.name
            );
            let advice = format!(
                "give it an <inertial>, or `overrides: {{ \"{0}.mass\": .., \"{0}.ixx\": .., \"{0}.iyy\": .., \"{0}.izz\": .. }}`",
                link.name
            );
            return Err(self.file.refused(link.place.clone(), message, advice).into());
        }
        let name = self.noted(&link.name, &link.place);
        let start = Some(vec![zero(); 3]);
        let (at, guess, [velocity, angular_velocity]) = match draft.free {
            Some(rates) => (start, None, rates.map(Some)),
            None => (None, start, [None, None]),
        };
        let solid = Solid {
            mass: None,
            inertia: None,
            parts: draft.parts,
            centre_of_mass: None,
            at,
            guess,
            orientation: None,
            within: self.poses[draft.link].clone(),
            hold: Vec::new(),
            velocity,
            angular_velocity,
            markers: Named(draft.markers),
        };
        self.scene.bodies.0.push((name, Body::Solid(solid)));
        Ok(())
    }
}

/// A body of the scene and the frame of one of its markers in it.
fn marker_of<'s>(bodies: &'s Named<Body>, attachment: &str) -> Option<(&'s Solid, Frame)> {
    let (name, marker) = attachment.split_once('.')?;
    let Some(Body::Solid(solid)) = bodies.get(name) else {
        return None;
    };
    match solid.markers.get(marker) {
        Some(found) => Some((solid, Some(found.clone()))),
        None => (marker == "origin").then_some((solid, None)),
    }
}

/// The initial frame of a body of the scene.
fn frame_of(solid: &Solid) -> Frame {
    let at = solid.at.as_ref().or(solid.guess.as_ref());
    then(&solid.within, at.map_or(&[], Vec::as_slice), solid.orientation.clone())
}

/// A frame, as it is within another one.
fn within(frame: &Frame, outer: Frame) -> Frame {
    match frame {
        None => outer,
        Some(frame) => {
            let inner = frame.within.as_deref().cloned();
            then(&within(&inner, outer), &frame.at, frame.orientation.clone())
        }
    }
}

fn add_marker(bodies: &mut Named<Body>, body: &str, name: &str, place: Placement) {
    for (known, found) in &mut bodies.0 {
        if let (true, Body::Solid(solid)) = (known == body, found) {
            solid.markers.0.push((name.to_string(), place.clone()));
        }
    }
}
