//! Gravity, ground points and moving points.

use super::Build;
use super::names::Element;
use super::site::Site;
use crate::error::Result;
use crate::model::body::{BodyKind, Particle};
use crate::model::marker::Place;
use crate::model::{Coordinate, CoordinateKind, Start};
use crate::scene::schema::{self, Number, Placement, Point};

/// What a component of a velocity says that the assembly is to find.
const FREE: &str = "free";

/// Whether a mass is left out or a plain zero, so that there is no body.
pub(super) fn is_massless(mass: Option<&Number>) -> bool {
    matches!(mass, None | Some(Number::Literal(0.0)))
}

/// The initial state of a point or rigid body as written.
pub(super) struct Initial<'s> {
    pub(super) at: Option<&'s Vec<Number>>,
    pub(super) guess: Option<&'s Vec<Number>>,
    pub(super) hold: &'s [schema::Coordinate],
    pub(super) velocity: Option<&'s Vec<Number>>,
    /// Numbers of the position, where they are not those written.
    pub(super) start: Option<Place>,
}

impl Build<'_> {
    pub(super) fn gravity(&mut self) -> Result<()> {
        let site = Site::new(self.file, "gravity");
        let written = &self.scene.gravity;
        self.gravity = match written.is_empty() {
            true => self.zeros(&site),
            false => self.components(written, self.axes(), "gravity", &site)?,
        };
        Ok(())
    }

    pub(super) fn ground(&mut self) -> Result<()> {
        let site = Site::new(self.file, "ground");
        for (name, placement) in self.scene.ground.iter() {
            let (place, turn) = self.placement(placement, self.axes(), name, &site.at(name))?;
            self.ground.push(place);
            self.ground_turns.push(turn);
        }
        Ok(())
    }

    /// The numbers of a named place, and of the quaternion of its orientation where it has one.
    pub(super) fn placement(
        &mut self,
        written: &Placement,
        components: &[&str],
        label: &str,
        site: &Site,
    ) -> Result<(Place, Option<[usize; 4]>)> {
        let mut place = self.components(&written.at, components, label, site)?;
        let mut turn = match &written.orientation {
            None => None,
            Some(orientation) => {
                let advice = "leave `orientation` out";
                self.require_spatial("the orientation of a place", advice, &site.at("orientation"))?;
                Some(self.quaternion(Some(orientation), site)?)
            }
        };
        if let Some(outer) = &written.within {
            let (moved, turned) = self.within(place, turn, outer, site)?;
            (place, turn) = (moved, Some(turned));
        }
        Ok((place, turn))
    }

    pub(super) fn points(&mut self) -> Result<()> {
        for (name, point) in self.scene.points.iter() {
            let site = Site::new(self.file, "points").at(name);
            let initial = Initial {
                at: point.at.as_ref(),
                guess: point.guess.as_ref(),
                hold: &point.hold,
                velocity: point.velocity.as_ref(),
                start: None,
            };
            let kinds = [CoordinateKind::Length; 3];
            let place = self.initial(&initial, self.axes(), &kinds, &site)?;
            self.points.push(place);
            self.particle(point, place, &site)?;
        }
        Ok(())
    }

    fn particle(&mut self, point: &Point, place: Place, site: &Site) -> Result<()> {
        if is_massless(point.mass.as_ref()) {
            return Ok(());
        }
        let mass = self.not_negative(site, "mass", point.mass.as_ref())?;
        let mut draft = self.draft(true);
        let kind = Particle {
            point: draft.coordinates(place),
            mass: draft.number(mass),
            gravity: draft.numbers(self.gravity),
        };
        self.add_body(BodyKind::Particle(kind), draft, site);
        Ok(())
    }

    /// Adds the coordinates of a point or rigid body with their initial values.
    pub(super) fn initial(
        &mut self,
        initial: &Initial,
        names: &[&'static str],
        kinds: &[CoordinateKind; 3],
        site: &Site,
    ) -> Result<Place> {
        let (field, start) = match (initial.at, initial.guess) {
            (Some(at), None) => ("at", at),
            (None, Some(guess)) => ("guess", guess),
            (at, _) => return not_one_position(at.is_some(), site),
        };
        let held = self.held(initial, names, site)?;
        let inner = site.at(field);
        let start = match initial.start {
            Some(start) => start,
            None => self.components(start, names, &inner.label(), &inner)?,
        };
        let velocity = self.velocity(initial, names, site)?;
        let mut place = Place::default();
        for (k, (slot, name)) in place.iter_mut().zip(names).enumerate() {
            *slot = self.model.coordinates.len();
            self.model.coordinates.push(Coordinate {
                name: format!("{}.{name}", site.element()),
                kind: kinds[k],
                start: Start::Number(start[k]),
                held: field == "at" || held[k],
                velocity: velocity[k],
                weight: 1.0,
                measured: None,
            });
        }
        Ok(place)
    }

    /// The numbers of the velocities that are held.
    fn velocity(&mut self, initial: &Initial, names: &[&'static str], site: &Site) -> Result<[Option<usize>; 3]> {
        let rate = |name: &&'static str| if *name == "angle" { "omega" } else { *name };
        let names: Vec<&str> = names.iter().map(rate).collect();
        self.held_rates(initial.velocity, "velocity", &names, site)
    }

    /// The numbers of rates that are held, none for those that are free.
    pub(super) fn held_rates(
        &mut self,
        list: Option<&Vec<Number>>,
        field: &str,
        names: &[&str],
        site: &Site,
    ) -> Result<[Option<usize>; 3]> {
        let Some(list) = list else {
            return Ok([None; 3]);
        };
        let held = |number: &Number| {
            if self.is_free(number) {
                Number::Literal(0.0)
            } else {
                number.clone()
            }
        };
        let inner = site.at(field);
        let numbers = self.components(
            &list.iter().map(held).collect::<Vec<_>>(),
            names,
            &inner.label(),
            &inner,
        )?;
        let mut velocity = numbers.map(Some);
        for (slot, _) in velocity.iter_mut().zip(list).filter(|(_, number)| self.is_free(number)) {
            *slot = None;
        }
        Ok(velocity)
    }

    /// Whether a velocity is the word for one that the assembly is to find; a parameter of this name is a number.
    pub(super) fn is_free(&self, number: &Number) -> bool {
        let is_word = !self.scene.parameters.0.iter().any(|(name, _)| name == FREE);
        is_word && matches!(number, Number::Text(text) if text.trim() == FREE)
    }

    /// Which coordinates of a guess are held.
    fn held(&self, initial: &Initial, names: &[&str], site: &Site) -> Result<[bool; 3]> {
        let mut held = [false; 3];
        if initial.at.is_some() && !initial.hold.is_empty() {
            return site.at("hold").refuse(
                "`hold` belongs to a `guess`; `at` holds every coordinate",
                "remove `hold`, or write `guess` in place of `at`",
            );
        }
        for (index, coordinate) in initial.hold.iter().enumerate() {
            let (word, name) = match coordinate {
                schema::Coordinate::X => ("X", "x"),
                schema::Coordinate::Y => ("Y", "y"),
                schema::Coordinate::Z => ("Z", "z"),
                schema::Coordinate::Angle => ("Angle", "angle"),
                schema::Coordinate::Orientation => ("Orientation", "orientation"),
            };
            let Some(position) = names.iter().position(|known| *known == name) else {
                let message = format!("`{}` has no coordinate `{word}`", site.element());
                let advice = format!("its coordinates are {}", names.join(", "));
                return site.at("hold").at(index).refuse(message, advice);
            };
            held[position] = true;
        }
        Ok(held)
    }

    /// Refuses points that nothing ties to a mass: neither a body nor a joint.
    pub(super) fn check_points(&self) -> Result<()> {
        let mut tied = vec![false; self.model.coordinates.len()];
        let of_bodies = self.model.bodies.iter().map(|body| &body.local);
        let of_constraints = self.model.groups.iter().flat_map(|group| {
            let constraints = group.constraints.iter();
            constraints.map(|&index| &self.model.constraints[index].local)
        });
        for local in of_bodies.chain(of_constraints) {
            for &coordinate in &local.coordinates {
                tied[coordinate] = true;
            }
        }
        for (name, element) in self.names.iter() {
            let Element::Point(index) = element else {
                continue;
            };
            let place = self.points[index];
            if !place.iter().take(self.dimension).any(|&coordinate| tied[coordinate]) {
                let site = Site::new(self.file, "points").at(name);
                let message = format!("`{name}` is a body without mass where mass is needed");
                return site.refuse(message, "give the point a mass, or let a bar or a joint use it");
            }
        }
        Ok(())
    }
}

fn not_one_position<T>(both: bool, site: &Site) -> Result<T> {
    let name = site.element();
    if both {
        return site.at("guess").refuse(
            format!("`{name}` has both `at` and `guess`"),
            "write `at` to hold the position, or `guess` with `hold` to hold some of its coordinates",
        );
    }
    site.refuse(
        format!("`{name}` has no initial position"),
        "write `at` to hold the position, or `guess` to start the assembly there",
    )
}
