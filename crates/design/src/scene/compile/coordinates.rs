//! Coordinates by name, such as `P1.x` or `crank.angle`.

use super::Build;
use super::bodies::Solid;
use super::names::Element;
use super::site::Site;
use crate::error::{Error, Result};
use crate::expression::suggest;

/// Velocities by the coordinate that they are the rate of.
const RATES: [(&str, &str); 4] = [("vx", "x"), ("vy", "y"), ("vz", "z"), ("omega", "angle")];

impl Build<'_> {
    /// The coordinate of that name.
    pub(super) fn coordinate(&mut self, name: &str, site: &Site) -> Result<usize> {
        let Some((element, field)) = name.split_once('.') else {
            return Err(self.unknown_coordinate(name, site));
        };
        let axis = self.axes().iter().position(|axis| *axis == field);
        match (self.names.get(element), axis, field) {
            (Some(Element::Point(index)), Some(axis), _) => Ok(self.points[index][axis]),
            (Some(Element::Bar(index) | Element::Rigid(index)), None, "angle") => self.solid_angle(index, site),
            (Some(Element::Rigid(index)), Some(axis), _) => match self.solids.get(index) {
                Some(Solid::Rigid(plan)) => Ok(plan.coordinates[axis]),
                _ => Err(self.unknown_coordinate(name, site)),
            },
            _ => Err(self.unknown_coordinate(name, site)),
        }
    }

    /// The coordinate of that name, or the one whose velocity the name means.
    pub(super) fn coordinate_or_rate(&mut self, name: &str, site: &Site) -> Result<usize> {
        let Some((element, field)) = name.split_once('.') else {
            return self.coordinate(name, site);
        };
        match RATES.iter().find(|(rate, _)| *rate == field) {
            Some((_, coordinate)) => self.coordinate(&format!("{element}.{coordinate}"), site),
            None => self.coordinate(name, site),
        }
    }

    fn unknown_coordinate(&self, name: &str, site: &Site) -> Error {
        let element = name.split_once('.').map_or(name, |(element, _)| element);
        let known = match self.names.get(element) {
            Some(found) => self.coordinate_names(element, found),
            None => {
                let all = self.names.iter();
                all.flat_map(|(name, found)| self.coordinate_names(name, found))
                    .collect()
            }
        };
        let error = site.error(format!("there is no coordinate `{name}`"));
        let advice = match self.names.get(element) {
            Some(found) if known.is_empty() => {
                format!("`{element}` is {} and has no coordinates", found.described())
            }
            _ => suggest(name, known.iter().map(String::as_str), "coordinates"),
        };
        error.advise(advice)
    }

    fn coordinate_names(&self, name: &str, element: Element) -> Vec<String> {
        let fields: &[&str] = match element {
            Element::Point(_) => self.axes(),
            Element::Rigid(_) => &["x", "y", "angle"],
            Element::Bar(_) if self.is_planar() => &["angle"],
            _ => &[],
        };
        fields.iter().map(|field| format!("{name}.{field}")).collect()
    }
}
