//! What all elements share: numbers of fields, vectors, and adding the finished element to the model.

use super::Build;
use super::site::Site;
use crate::error::Result;
use crate::model::constraint::{Constraint, ConstraintKind};
use crate::model::force::{Force, ForceKind};
use crate::model::local::{Local, MAX_LOCAL};
use crate::model::marker::Place;
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
        let require = |x: f64| x > 0.0;
        self.numbers.require(id, &site.at(field), require, "positive")?;
        Ok(id)
    }

    /// The number of a field that must not be negative.
    pub(super) fn not_negative(&mut self, site: &Site, field: &str, number: Option<&Number>) -> Result<usize> {
        let id = self.field_or(site, field, number, 0.0)?;
        let require = |x: f64| x >= 0.0;
        self.numbers.require(id, &site.at(field), require, "at least zero")?;
        Ok(id)
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
        let (found, needed) = (list.len(), names.len());
        let plural = if found == 1 { "" } else { "s" };
        let label = site.label();
        Err(site
            .error(format!("`{label}` has {found} component{plural}, but needs {needed}"))
            .advise(format!("write [{}]", names.join(", "))))
    }

    /// The numbers of a vector, one component per dimension.
    pub(super) fn vector(&mut self, site: &Site, field: &str, list: &[Number]) -> Result<Place> {
        let site = site.at(field);
        self.components(list, self.axes(), &site.label(), &site)
    }

    /// The numbers of a vector that has a direction.
    pub(super) fn direction(&mut self, site: &Site, field: &str, list: &[Number]) -> Result<Place> {
        let place = self.vector(site, field, list)?;
        let components = place
            .iter()
            .take(self.dimension)
            .map(|&number| self.numbers.value(number));
        let square: f64 = components.map(|x| x * x).sum();
        if !square.is_normal() {
            let label = site.at(field).label();
            let fault = if square == 0.0 {
                "is the zero vector"
            } else {
                "is too long or too short"
            };
            return Err(site
                .at(field)
                .error(format!("`{label}` {fault} and has no direction"))
                .advise("give a vector of any length but zero"));
        }
        Ok(place)
    }

    /// Adds a constraint to the model.
    pub(super) fn constraint(&mut self, kind: ConstraintKind, local: Local, site: &Site) -> Result<usize> {
        check_size(&local, site)?;
        if local.coordinates.is_empty() {
            return Err(site
                .error(format!("`{}` joins only places that cannot move", site.element()))
                .advise("attach it to a point or a body"));
        }
        let name = site.element().to_string();
        let constraint = Constraint::new(name, kind, local, self.dimension);
        self.model.constraints.push(constraint);
        Ok(self.model.constraints.len() - 1)
    }

    /// Adds a force to the model.
    pub(super) fn add_force(&mut self, kind: ForceKind, local: Local, active: bool, site: &Site) -> Result<()> {
        check_size(&local, site)?;
        if local.coordinates.is_empty() {
            return Err(site
                .error(format!("`{}` acts only on places that cannot move", site.element()))
                .advise("let it act on a point or a body"));
        }
        self.model.forces.push(Force {
            name: site.element().to_string(),
            kind,
            local,
        });
        self.model.force_active.push(active);
        Ok(())
    }

    /// Refuses a kind that exists in the plane only.
    pub(super) fn require_planar(&self, what: &str, advice: &str, site: &Site) -> Result<()> {
        if self.is_planar() {
            return Ok(());
        }
        Err(site
            .error(format!("{what} exists only in planar scenes"))
            .advise(advice))
    }

    /// Refuses a kind that exists in space only.
    pub(super) fn require_spatial(&self, what: &str, advice: &str, site: &Site) -> Result<()> {
        if self.is_planar() {
            return Err(site
                .error(format!("{what} exists only in spatial scenes"))
                .advise(advice));
        }
        Ok(())
    }
}

fn check_size(local: &Local, site: &Site) -> Result<()> {
    if local.width() <= MAX_LOCAL && local.numbers.len() <= MAX_LOCAL {
        return Ok(());
    }
    Err(site
        .error(format!(
            "`{}` uses {} coordinates and {} numbers; at most {MAX_LOCAL} of each are possible",
            site.element(),
            local.width(),
            local.numbers.len()
        ))
        .advise("split it into several elements, or combine parameters in a parameter of their own"))
}
