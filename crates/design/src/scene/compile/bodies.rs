//! Bars and rigid bodies: their numbers, coordinates, markers and inertia.

use super::Build;
use super::names::check_name;
use super::points::Initial;
use super::site::Site;
use super::solids::{OF_RIGID, RigidPlan, Solid};
use crate::error::Result;
use crate::model::CoordinateKind;
use crate::model::body::{BodyKind, Rigid};
use crate::model::marker::Place;
use crate::scene::schema::{Body, Named, Placement, part};

const KINDS: [CoordinateKind; 3] = [CoordinateKind::Length, CoordinateKind::Length, CoordinateKind::Angle];

impl Build<'_> {
    pub(super) fn bodies(&mut self) -> Result<()> {
        for (name, body) in self.scene.bodies.iter() {
            let site = Site::new(self.file, "bodies").at(name);
            let solid = match body {
                Body::Bar(bar) => Solid::Bar(self.bar(bar, &site)?),
                Body::Rigid(rigid) => Solid::Rigid(self.rigid(rigid, &site)?),
                Body::Solid(solid) => Solid::InSpace(self.in_space(solid, &site)?),
            };
            self.solids.push(solid);
        }
        for (index, (name, body)) in self.scene.bodies.iter().enumerate() {
            if let Body::Bar(bar) = body {
                self.finish_bar(index, bar, &Site::new(self.file, "bodies").at(name))?;
            }
        }
        self.guess_bar_ends()
    }

    fn rigid(&mut self, rigid: &part::Rigid, site: &Site) -> Result<RigidPlan> {
        let advice = "write `Solid`, a rigid body in space, or build it from bars and points with mass";
        self.require_planar("a rigid body with an angle", advice, site)?;
        let initial = Initial {
            at: rigid.at.as_ref(),
            guess: rigid.guess.as_ref(),
            hold: &rigid.hold,
            velocity: rigid.velocity.as_ref(),
            start: None,
        };
        let coordinates = self.initial(&initial, &["x", "y", "angle"], &KINDS, site)?;
        let mass = self.positive(site, "mass", &rigid.mass)?;
        let inertia = self.positive(site, "inertia", &rigid.inertia)?;
        let centre = match &rigid.centre {
            Some(centre) => self.vector(site, "centre", centre)?,
            None => self.zeros(&site.at("centre")),
        };
        let plan = RigidPlan {
            coordinates,
            centre: [centre[0], centre[1]],
            origin: None,
            markers: self
                .markers(&rigid.markers, &OF_RIGID, self.axes(), site)?
                .into_iter()
                .map(|(place, _)| place)
                .collect(),
        };
        self.rigid_body(&plan, mass, inertia, site);
        Ok(plan)
    }

    fn rigid_body(&mut self, plan: &RigidPlan, mass: usize, inertia: usize, site: &Site) {
        let mut draft = self.draft(true);
        let kind = Rigid {
            body: plan.coordinates.map(|coordinate| draft.coordinate(coordinate)),
            mass: draft.number(mass),
            inertia: draft.number(inertia),
            centre: plan.centre.map(|number| draft.number(number)),
            gravity: draft.numbers(self.gravity),
        };
        self.add_body(BodyKind::Rigid(kind), draft, site);
    }

    /// The numbers of the markers of a body, and those of their quaternions.
    pub(super) fn markers(
        &mut self,
        markers: &Named<Placement>,
        automatic: &[&str],
        components: &[&str],
        site: &Site,
    ) -> Result<Vec<(Place, Option<[usize; 4]>)>> {
        let mut places = Vec::new();
        for (name, placement) in markers.iter() {
            let inner = site.at("markers").at(name);
            check_name(name, &inner)?;
            if automatic.contains(&name) {
                let message = format!("every body of this kind has a marker `{name}` of its own");
                return inner.refuse_name(message, "choose another name");
            }
            let label = format!("{}.{name}", site.element());
            places.push(self.placement(placement, components, &label, &inner)?);
        }
        Ok(places)
    }
}
