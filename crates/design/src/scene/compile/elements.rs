//! What all elements share: numbers of fields, vectors, and adding the finished element to the model.

use super::Build;
use super::draft::Draft;
use super::site::Site;
use crate::error::Result;
use crate::model::body::{Body, BodyKind};
use crate::model::constraint::{Constraint, ConstraintKind};
use crate::model::force::{Force, ForceKind};
use crate::model::local::{Local, MAX_LOCAL};
use crate::model::marker::Place;
use crate::model::{Coordinate, CoordinateKind, Start};
use crate::scene::schema::Number;

impl Build<'_> {
    /// The number of a field.
    pub(super) fn field(&mut self, site: &Site, field: &str, number: &Number) -> Result<usize> {
        let site = site.at(field);
        self.numbers.read(number, site.label(), &site)
    }

    /// The number of a field that was left out.
    pub(super) fn default(&mut self, site: &Site, field: &str, value: f64) -> usize {
        self.numbers.constant(value, site.at(field).label())
    }

    /// The number of a field, or its default.
    pub(super) fn field_or(
        &mut self,
        site: &Site,
        field: &str,
        number: Option<&Number>,
        default: f64,
    ) -> Result<usize> {
        match number {
            Some(number) => self.field(site, field, number),
            None => Ok(self.default(site, field, default)),
        }
    }

    /// The number of a field that must be positive.
    pub(super) fn positive(&mut self, site: &Site, field: &str, number: &Number) -> Result<usize> {
        let id = self.field(site, field, number)?;
        self.numbers.require(id, &site.at(field), |x| x > 0.0, "positive")
    }

    /// The number of a field that must not be negative.
    pub(super) fn not_negative(&mut self, site: &Site, field: &str, number: Option<&Number>) -> Result<usize> {
        let id = self.field_or(site, field, number, 0.0)?;
        self.numbers.require(id, &site.at(field), |x| x >= 0.0, "at least zero")
    }

    /// The numbers of a list with one component per name; their names are `label.component`.
    pub(super) fn components(&mut self, list: &[Number], names: &[&str], label: &str, site: &Site) -> Result<Place> {
        self.check_components(list, names, site)?;
        let mut place = Place::default();
        for (index, (slot, (number, name))) in place.iter_mut().zip(list.iter().zip(names)).enumerate() {
            *slot = self.numbers.read(number, format!("{label}.{name}"), &site.at(index))?;
        }
        Ok(place)
    }

    /// Demands one component per name.
    pub(super) fn check_components(&self, list: &[Number], names: &[&str], site: &Site) -> Result<()> {
        if list.len() == names.len() {
            return Ok(());
        }
        let (label, found, needed) = (site.label(), list.len(), names.len());
        let plural = if found == 1 { "" } else { "s" };
        site.refuse(
            format!("`{label}` has {found} component{plural}, but needs {needed}"),
            format!("write [{}]", names.join(", ")),
        )
    }

    /// The numbers of a vector, one component per dimension.
    pub(super) fn vector(&mut self, site: &Site, field: &str, list: &[Number]) -> Result<Place> {
        let site = site.at(field);
        self.components(list, self.axes(), &site.label(), &site)
    }

    /// Numbers of a vector that was left out: zeros.
    pub(super) fn zeros(&mut self, site: &Site) -> Place {
        let mut place = Place::default();
        for (slot, axis) in place.iter_mut().zip(self.axes()) {
            *slot = self.default(site, axis, 0.0);
        }
        place
    }

    /// The numbers of a vector that has a direction.
    pub(super) fn direction(&mut self, site: &Site, field: &str, list: &[Number]) -> Result<Place> {
        let place = self.vector(site, field, list)?;
        let components = place
            .iter()
            .take(self.dimension)
            .map(|&number| self.numbers.value(number));
        let square: f64 = components.map(|x| x * x).sum();
        if square.is_normal() {
            return Ok(place);
        }
        let (inner, zero) = (site.at(field), square == 0.0);
        let fault = if zero {
            "is the zero vector"
        } else {
            "is too long or too short"
        };
        let message = format!("`{}` {fault} and has no direction", inner.label());
        inner.refuse(message, "give a vector of any length but zero")
    }

    /// Adds a constraint to the model.
    pub(super) fn constraint(&mut self, kind: ConstraintKind, draft: Draft, site: &Site) -> Result<usize> {
        check_lists(&draft.local, ["joins only", "attach it to a point or a body"], site)?;
        self.refuse_rates(&draft.local, "this", site)?;
        let name = site.element().to_string();
        let constraint = Constraint::new(name, kind, draft.local, self.dimension);
        self.model.constraints.push(constraint);
        Ok(self.model.constraints.len() - 1)
    }

    /// Adds a force to the model.
    pub(super) fn add_force(&mut self, kind: ForceKind, draft: Draft, site: &Site) -> Result<()> {
        check_lists(&draft.local, ["acts only on", "let it act on a point or a body"], site)?;
        self.model.forces.push(Force {
            name: site.element().to_string(),
            kind,
            local: draft.local,
        });
        self.model.force_active.push(draft.active);
        Ok(())
    }

    /// Adds a body to the model.
    pub(super) fn add_body(&mut self, kind: BodyKind, draft: Draft, site: &Site) {
        self.model.bodies.push(Body {
            name: site.element().to_string(),
            kind,
            local: draft.local,
        });
    }

    /// Adds a coordinate of the program's own, which starts where others put it; returns its index.
    pub(super) fn own_coordinate(&mut self, name: String, kind: CoordinateKind, start: Start) -> usize {
        self.model.coordinates.push(Coordinate {
            name,
            kind,
            start,
            held: false,
            velocity: None,
            weight: if kind == CoordinateKind::Length { 1.0 } else { 0.0 },
            measured: None,
        });
        self.model.coordinates.len() - 1
    }

    /// Refuses a kind that exists in the plane only.
    pub(super) fn require_planar(&self, what: &str, advice: &str, site: &Site) -> Result<()> {
        self.require_space(true, what, advice, site)
    }

    /// Refuses a kind that exists in space only.
    pub(super) fn require_spatial(&self, what: &str, advice: &str, site: &Site) -> Result<()> {
        self.require_space(false, what, advice, site)
    }

    fn require_space(&self, planar: bool, what: &str, advice: &str, site: &Site) -> Result<()> {
        let space = if planar { "planar" } else { "spatial" };
        match self.is_planar() == planar {
            true => Ok(()),
            false => site.refuse(format!("{what} exists only in {space} scenes"), advice),
        }
    }
}

/// Refuses an element with too many coordinates or numbers, or without any coordinate; `does` and `advice` are about the
/// latter.
fn check_lists(local: &Local, [does, advice]: [&str; 2], site: &Site) -> Result<()> {
    let (name, width, numbers) = (site.element(), local.width(), local.numbers.len());
    if width > MAX_LOCAL || numbers > MAX_LOCAL {
        return site.refuse(
            format!(
                "`{name}` uses {width} coordinates and {numbers} numbers; at most {MAX_LOCAL} of each are possible"
            ),
            "split it into several elements, or combine parameters in a parameter of their own",
        );
    }
    if local.coordinates.is_empty() {
        return site.refuse(format!("`{name}` {does} places that cannot move"), advice);
    }
    Ok(())
}
