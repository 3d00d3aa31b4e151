//! The entry `looks` of a view: colours, labels and layers.

use super::Build;
use super::names::Element;
use super::site::Site;
use crate::error::Result;
use crate::expression::suggest;
use crate::scene::compiled::{COLOURS, Look, Rgb};
use crate::scene::schema;

/// What has a name beside the colours.
const GREYS: [(&str, Rgb); 3] = [("black", [0x00; 3]), ("grey", [0x99; 3]), ("white", [0xff; 3])];

impl Build<'_> {
    /// How an element of this name looks.
    pub(super) fn look(&self, name: &str, written: &schema::Look, site: &Site) -> Result<Look> {
        let element = match self.names.get(name) {
            Some(Element::Contact(_)) => {
                return site.refuse_name(
                    format!("`{name}` is a contact, which looks as what it is between"),
                    "name a place, a body, a joint or a force",
                );
            }
            Some(element) => element,
            None => {
                let has_look = |element| !matches!(element, Element::Contact(_));
                let advice = suggest(name, self.names.those(has_look), "places, bodies, joints and forces");
                return site.refuse_name(format!("there is nothing named `{name}`"), advice);
            }
        };
        if written.label.is_some() && !self.is_planar() {
            return site.at("label").refuse(
                "names are written in vector pictures, which a mechanism in space has none of",
                "leave it out",
            );
        }
        let is_body = matches!(element, Element::Point(_) | Element::Bar(_) | Element::Rigid(_));
        let layer = site.at("layer");
        if written.layer != 0 && !self.is_planar() {
            return layer.refuse(
                "what moves in space has no layer",
                "leave it out: what is nearer is in front",
            );
        }
        if written.layer != 0 && !is_body {
            return layer.refuse(
                format!("`{name}` is {}, which has no layer", element.described()),
                "give layers to points, bars and rigid bodies",
            );
        }
        let colour = written.colour.as_deref();
        Ok(Look {
            colour: colour.map(|colour| read(colour, &site.at("colour"))).transpose()?,
            label: written.label.clone(),
            layer: written.layer,
        })
    }
}

/// A colour by its name or its digits.
fn read(colour: &str, site: &Site) -> Result<Rgb> {
    let named = COLOURS.iter().chain(&GREYS);
    if let Some((_, rgb)) = named.clone().find(|(name, _)| *name == colour) {
        return Ok(*rgb);
    }
    let digits = colour.strip_prefix('#').filter(|digits| digits.len() == 6);
    let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
    match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
        Some(number) => {
            let [_, red, green, blue] = number.to_be_bytes();
            Ok([red, green, blue])
        }
        None => {
            let names: Vec<String> = named.map(|(name, _)| format!("`{name}`")).collect();
            site.refuse(
                format!("there is no colour `{colour}`"),
                format!("write {}, or red, green and blue as `#e69f00`", names.join(", ")),
            )
        }
    }
}
