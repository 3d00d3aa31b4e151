//! Coordinates by name, such as `P1.x` or `crank.angle`.

use super::Build;
use super::names::Element;
use super::site::Site;
use crate::error::{Error, Result};
use crate::expression::suggest;
use crate::model::Settable;
use crate::model::quantity::{Quantity, Rate};

impl Build<'_> {
    /// The coordinate of that name.
    pub(super) fn coordinate(&mut self, name: &str, site: &Site) -> Result<usize> {
        Ok(self.coordinate_by(name, &[Rate::Position], site)?.0)
    }

    /// The velocity that a name means: a rate, its coordinate, or an angular velocity in body axes.
    pub(super) fn velocity_of(&mut self, name: &str, site: &Site) -> Result<usize> {
        if let Some(velocity) = self.angular_velocity(name)? {
            return Ok(velocity);
        }
        let (coordinate, _) = self.coordinate_with_rate(name, site)?;
        if self.model.is_turning(&[coordinate]) {
            let message = format!("`{name}` is a component of a quaternion, whose rate is no velocity");
            return site.refuse(message, instead_of_quaternion(name));
        }
        Ok(self.model.velocities_behind(coordinate).start)
    }

    /// The coordinate or velocity of that name, which an event is to set.
    pub(super) fn settable(&mut self, name: &str, site: &Site) -> Result<Settable> {
        if let Some(velocity) = self.angular_velocity(name)? {
            return Ok(Settable::Velocity(velocity));
        }
        let rates = [Rate::Position, Rate::Velocity];
        let Some((coordinate, rate)) = self.coordinate_among(name, &rates, site)? else {
            return Err(self.unknown_coordinate(name, Self::settable_fields, site));
        };
        if self.model.is_turning(&[coordinate]) {
            let message = format!("`{name}` is a part of an orientation, which cannot be set by its components");
            let advice = "set the angle of a joint such as \"hinge.angle\", or the place of the body";
            return site.refuse(
                message,
                format!("{advice}; for a velocity {}", instead_of_quaternion(name)),
            );
        }
        Ok(match rate {
            Rate::Position => Settable::Position(coordinate),
            _ => Settable::Velocity(self.model.velocities_behind(coordinate).start),
        })
    }

    /// The coordinate of that name, or the one whose velocity the name means, and which of them it is.
    pub(super) fn coordinate_with_rate(&mut self, name: &str, site: &Site) -> Result<(usize, Rate)> {
        self.coordinate_by(name, &[Rate::Position, Rate::Velocity], site)
    }

    fn coordinate_by(&mut self, name: &str, rates: &[Rate], site: &Site) -> Result<(usize, Rate)> {
        let found = self.coordinate_among(name, rates, site)?;
        found.ok_or_else(|| self.unknown_coordinate(name, Self::coordinate_fields, site))
    }

    /// The same; none where there is none.
    fn coordinate_among(&mut self, name: &str, rates: &[Rate], site: &Site) -> Result<Option<(usize, Rate)>> {
        let (element, field) = name.split_once('.').unwrap_or((name, ""));
        let owner = self.names.get(element);
        if let (Some(Element::Bar(index)), "angle") = (owner, field) {
            return Ok(Some((self.bar_angle(index, site)?, Rate::Position)));
        }
        match owner
            .map(|_| self.element_quantity(element, field))
            .transpose()?
            .flatten()
        {
            Some(Quantity::Coordinate(coordinate, rate)) if rates.contains(&rate) => Ok(Some((coordinate, rate))),
            _ => Ok(None),
        }
    }

    /// The angular velocity in body axes of that name, if it is one.
    fn angular_velocity(&mut self, name: &str) -> Result<Option<usize>> {
        let (element, field) = name.split_once('.').unwrap_or((name, ""));
        let Some(Element::Rigid(_)) = self.names.get(element) else {
            return Ok(None);
        };
        Ok(match self.element_quantity(element, field)? {
            Some(Quantity::Speed(velocity, Rate::Velocity)) => Some(velocity),
            _ => None,
        })
    }

    fn unknown_coordinate(&self, name: &str, fields: impl Fn(&Self, Element) -> Vec<String>, site: &Site) -> Error {
        let element = name.split_once('.').map_or(name, |(element, _)| element);
        let of = |(name, element): (&str, Element)| -> Vec<String> {
            let fields = fields(self, element);
            fields.iter().map(|field| format!("{name}.{field}")).collect()
        };
        let found = self.names.get(element);
        let known: Vec<String> = match found {
            Some(found) => of((element, found)),
            None => self.names.iter().flat_map(of).collect(),
        };
        let advice = match found {
            Some(found) if known.is_empty() => format!("`{element}` is {} and has no coordinates", found.described()),
            _ => suggest(name, known.iter().map(String::as_str), "coordinates"),
        };
        site.error(format!("there is no coordinate `{name}`")).advise(advice)
    }
}

/// What to name in the place of a component of a quaternion.
fn instead_of_quaternion(name: &str) -> String {
    let element = name.split_once('.').map_or(name, |(element, _)| element);
    format!("name an angular velocity, such as `{element}.omega_x`")
}
