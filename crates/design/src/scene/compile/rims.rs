//! Capsules and rims of discs against planes.

use super::Build;
use super::site::Site;
use crate::error::Result;
use crate::scene::schema::Number;
use crate::scene::schema::contact::{Surface, Touch};

/// A plane as written: a place, its normal and what carries it.
type Plane<'a> = (&'a [Number], &'a [Number], Option<&'a str>);

impl Build<'_> {
    /// A contact for either end of a capsule; on a plane its side lies where both touch.
    pub(super) fn capsule(&mut self, touch: &Touch, to: &str, site: &Site) -> Result<Vec<usize>> {
        let other = site.at("to");
        self.require_spatial("a capsule", "in the plane write a `Touch` for either end", &other)?;
        let (plane, radius) = self.plane_and_radius(touch, site)?;
        let names = [&touch.point, to];
        let ends = self.attachments(names, [&site.at("point"), &other])?;
        if ends[0].carrier != ends[1].carrier {
            let message = format!("`{}` and `{to}` belong to different bodies", touch.point);
            return other.refuse(message, "name two places of one body");
        }
        let mut contacts = Vec::new();
        for (end, name) in ends.into_iter().zip(names) {
            let gap = self.plane_gap((end, radius, None), plane, site)?;
            contacts.push(self.touching(format!("{} ({name})", site.element()), gap, &touch.law, site)?);
        }
        Ok(contacts)
    }

    /// The contact of the rim of a disc.
    pub(super) fn rim(&mut self, touch: &Touch, axis: &[Number], site: &Site) -> Result<Vec<usize>> {
        self.require_spatial(
            "a disc across an axis",
            "in the plane leave out `axis`",
            &site.at("axis"),
        )?;
        let (plane, radius) = self.plane_and_radius(touch, site)?;
        let inner = site.at("point");
        let centre = self.attachment(&touch.point, &inner)?;
        let frame = self.turning_frame(centre, &touch.point, &inner)?;
        let axis = self.direction(site, "axis", axis)?;
        let axis = self.direction_of(centre, axis, frame, site)?;
        let gap = self.plane_gap((centre, radius, Some(axis)), plane, site)?;
        Ok(vec![self.touching(
            site.element().to_string(),
            gap,
            &touch.law,
            site,
        )?])
    }

    fn plane_and_radius<'s>(&mut self, touch: &'s Touch, site: &Site) -> Result<(Plane<'s>, usize)> {
        let Surface::Plane { through, normal, on } = &touch.surface else {
            return site.at("surface").refuse(
                "capsules and rims touch planes only",
                "write `Plane(..)`, or let spheres touch: leave out `to` and `axis`",
            );
        };
        let radius = match &touch.radius {
            Some(radius) => self.positive(site, "radius", radius)?,
            None => return site.refuse("a capsule or a disc has a radius", "write `radius: ..`"),
        };
        Ok(((through, normal, on.as_deref()), radius))
    }
}
