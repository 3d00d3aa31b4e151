//! Coordinates by name, such as `P1.x` or `crank.angle`.

use super::Build;
use super::names::Element;
use super::site::Site;
use crate::error::{Error, Result};
use crate::expression::suggest;
use crate::model::quantity::{Quantity, Rate};

impl Build<'_> {
    /// The coordinate of that name.
    pub(super) fn coordinate(&mut self, name: &str, site: &Site) -> Result<usize> {
        Ok(self.coordinate_by(name, &[Rate::Position], site)?.0)
    }

    /// The velocity that a name means: a rate, its coordinate, or an angular velocity in body axes.
    pub(super) fn velocity_of(&mut self, name: &str, site: &Site) -> Result<usize> {
        let (element, field) = name.split_once('.').unwrap_or((name, ""));
        if let Some(owner) = self.names.get(element)
            && !matches!(owner, Element::Bar(_))
            && let Some(Quantity::Speed(velocity, Rate::Velocity)) = self.element_quantity(element, field)?
        {
            return Ok(velocity);
        }
        let (coordinate, _) = self.coordinate_with_rate(name, site)?;
        if self.model.is_turning(&[coordinate]) {
            let message = format!("`{name}` is a component of a quaternion, whose rate is no velocity");
            return site.refuse(
                message,
                format!("name an angular velocity, such as `{element}.omega_x`"),
            );
        }
        Ok(self.model.velocities_behind(coordinate).start)
    }

    /// The coordinate of that name, or the one whose velocity the name means, and which of them it is.
    pub(super) fn coordinate_with_rate(&mut self, name: &str, site: &Site) -> Result<(usize, Rate)> {
        self.coordinate_by(name, &[Rate::Position, Rate::Velocity], site)
    }

    fn coordinate_by(&mut self, name: &str, rates: &[Rate], site: &Site) -> Result<(usize, Rate)> {
        let (element, field) = name.split_once('.').unwrap_or((name, ""));
        let owner = self.names.get(element);
        if let (Some(Element::Bar(index)), "angle") = (owner, field) {
            return Ok((self.bar_angle(index, site)?, Rate::Position));
        }
        match owner
            .map(|_| self.element_quantity(element, field))
            .transpose()?
            .flatten()
        {
            Some(Quantity::Coordinate(coordinate, rate)) if rates.contains(&rate) => Ok((coordinate, rate)),
            _ => Err(self.unknown_coordinate(name, element, site)),
        }
    }

    fn unknown_coordinate(&self, name: &str, element: &str, site: &Site) -> Error {
        let of = |(name, element): (&str, Element)| -> Vec<String> {
            let fields = self.coordinate_fields(element);
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
