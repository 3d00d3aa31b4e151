//! Masses of shapes of one density, with their derivatives by sizes, places and the density.

use std::f64::consts::PI;

use super::Build;
use super::derivatives::Formula;
use super::parts::Properties;
use super::site::Site;
use crate::error::Result;
use crate::model::marker::Place;
use crate::scalar::{Scalar, each};
use crate::scene::schema::part::{Orientation, Rotation};
use crate::scene::schema::{Number, Placement, Shape};
use crate::scene::shape_file::Enclosed;

/// A shape in its own axes; the numbers are the density and its sizes in the order of its fields.
enum Volume {
    Box,
    /// A cylinder with a hole, which may be left out.
    Ring {
        has_hole: bool,
    },
    Capsule,
    Ball,
    Mesh(Enclosed),
}

/// Names of what the formulas give.
const NAMES: [&str; 10] = ["mass", "xx", "yy", "zz", "xy", "xz", "yz", "x", "y", "z"];

impl Formula<10> for Volume {
    /// Mass, tensor about the centre of mass, and centre of mass.
    fn over<S: Scalar>(&self, numbers: &[S]) -> [S; 10] {
        let (density, sizes) = (numbers[0], &numbers[1..]);
        let zero = S::from(0.0);
        let about_axis = |mass: S, across: S, along: S| {
            let tensor = [across, across, along, zero, zero, zero];
            (mass, tensor, [zero; 3])
        };
        let (mass, tensor, centre) = match self {
            Self::Box => {
                let [a, b, c]: [S; 3] = each(|k| sizes[k] * sizes[k]);
                let mass = density * sizes[0] * sizes[1] * sizes[2];
                let [x, y, z] = [b + c, c + a, a + b].map(|sum| mass * sum / 12.0);
                (mass, [x, y, z, zero, zero, zero], [zero; 3])
            }
            Self::Ring { has_hole } => {
                let (outer, hole) = (sizes[0] * sizes[0], if *has_hole { sizes[1] * sizes[1] } else { zero });
                let length = sizes[sizes.len() - 1];
                let mass = density * (outer - hole) * length * PI;
                let across = (outer + hole) * 3.0 + length * length;
                about_axis(mass, mass * across / 12.0, mass * (outer + hole) / 2.0)
            }
            Self::Capsule => {
                let (radius, length) = (sizes[0], sizes[1]);
                let square = radius * radius;
                let (rod, ball) = (
                    density * square * length * PI,
                    density * square * radius * (4.0 / 3.0 * PI),
                );
                let apart = square * 0.4 + length * length * 0.25 + radius * length * 0.375;
                let across = rod * (square * 3.0 + length * length) / 12.0 + ball * apart;
                about_axis(rod + ball, across, rod * square * 0.5 + ball * square * 0.4)
            }
            Self::Ball => {
                let square = sizes[0] * sizes[0];
                let mass = density * square * sizes[0] * (4.0 / 3.0 * PI);
                about_axis(mass, mass * square * 0.4, mass * square * 0.4)
            }
            Self::Mesh(enclosed) => {
                let scale = sizes[0];
                let cube = density * scale * scale * scale;
                let tensor = enclosed.inertia.map(|entry| cube * scale * scale * entry);
                (cube * enclosed.volume, tensor, enclosed.centre.map(|x| scale * x))
            }
        };
        each(|k| match k {
            0 => mass,
            1..7 => tensor[k - 1],
            _ => centre[k - 7],
        })
    }
}

/// A shape as written: what it is, its sizes with the names of their fields, and where it is.
struct Written<'s> {
    volume: Volume,
    sizes: Vec<(&'static str, Option<usize>, &'s Number)>,
    offset: &'s [Number],
    rotation: &'s [Number],
}

impl Build<'_> {
    /// Adds the masses of shapes to the parts of a body.
    pub(super) fn mass_of_shapes(
        &mut self,
        density: &Number,
        shapes: &[Shape],
        all: &mut Vec<Properties>,
        site: &Site,
    ) -> Result<()> {
        let density = self.positive(site, "density", density)?;
        for (k, shape) in shapes.iter().enumerate() {
            let site = site.at("shapes").at(k);
            let written = self.volume(shape, &site)?;
            let mut numbers = vec![density];
            for (field, index, number) in &written.sizes {
                let found = match index {
                    Some(index) => self.positive(&site.at(field), &index.to_string(), number)?,
                    None => self.positive(&site, field, number)?,
                };
                numbers.push(found);
            }
            self.check_hole(&written.volume, &numbers, &site)?;
            let name = |k: usize| format!("{}.{}", site.label(), NAMES[k]);
            let [mass, xx, yy, zz, xy, xz, yz, centre @ ..] = self.derived(&written.volume, &numbers, name, &site)?;
            let inertia = [xx, yy, zz, xy, xz, yz];
            let (centre, turn) = self.placed_centre(centre, &written, &site)?;
            all.push(self.turned_mass(Properties { mass, inertia, centre }, turn, &site)?);
        }
        Ok(())
    }

    fn check_hole(&self, volume: &Volume, numbers: &[usize], site: &Site) -> Result<()> {
        let value = |k: usize| self.numbers.value(numbers[k]);
        match volume {
            Volume::Ring { has_hole: true } if value(2) >= value(1) => site
                .at("hole")
                .refuse("the hole is as wide as the ring", "give a `hole` below `radius`"),
            _ => Ok(()),
        }
    }

    /// The centre of mass in the frame of the body, and the quaternion of the shape where it is turned.
    fn placed_centre(&mut self, centre: Place, written: &Written, site: &Site) -> Result<(Place, Option<[usize; 4]>)> {
        if written.offset.is_empty() && written.rotation.is_empty() {
            return Ok((centre, None));
        }
        let orientation = match written.rotation {
            [] => None,
            [x, y, z] => Some(Orientation::Rotations(vec![
                Rotation::Z(z.clone()),
                Rotation::Y(y.clone()),
                Rotation::X(x.clone()),
            ])),
            _ => {
                return site
                    .at("rotation")
                    .refuse("a rotation has three angles", "write [x, y, z]");
            }
        };
        let at = match written.offset {
            [] => vec![Number::Literal(0.0); 3],
            given => given.to_vec(),
        };
        let outer = Placement {
            at,
            orientation,
            within: None,
        };
        let (centre, turn) = self.within(centre, None, &outer, site)?;
        Ok((centre, (!written.rotation.is_empty()).then_some(turn)))
    }

    fn volume<'s>(&self, shape: &'s Shape, site: &Site) -> Result<Written<'s>> {
        let one = |field, number| (field, None, number);
        let (volume, sizes) = match shape {
            Shape::Mesh { file, scale, .. } => {
                let known = self.file.shapes.iter().find(|shape| shape.path == *file);
                let enclosed = known.map_or_else(|| Err("has not been read".to_string()), |shape| shape.enclosed());
                let enclosed = enclosed.or_else(|reason| {
                    let advice =
                        "export it closed, with all triangles facing outwards, or give the mass as a part `Mass`";
                    site.at("file").refuse(format!("{file} {reason}"), advice)
                })?;
                (Volume::Mesh(enclosed), vec![one("scale", scale)])
            }
            Shape::Box { size, .. } => {
                self.check_components(size, &["x", "y", "z"], &site.at("size"))?;
                let sizes = size.iter().enumerate().map(|(k, edge)| ("size", Some(k), edge));
                (Volume::Box, sizes.collect())
            }
            Shape::Cylinder { radius, length, .. } => {
                let sizes = vec![one("radius", radius), one("length", length)];
                (Volume::Ring { has_hole: false }, sizes)
            }
            Shape::Ring {
                radius, hole, length, ..
            } => {
                let sizes = vec![one("radius", radius), one("hole", hole), one("length", length)];
                (Volume::Ring { has_hole: true }, sizes)
            }
            Shape::Capsule { radius, length, .. } => {
                (Volume::Capsule, vec![one("radius", radius), one("length", length)])
            }
            Shape::Ball { radius, .. } => (Volume::Ball, vec![one("radius", radius)]),
        };
        let [offset, rotation] = shape.placed();
        Ok(Written {
            volume,
            sizes,
            offset,
            rotation,
        })
    }
}
