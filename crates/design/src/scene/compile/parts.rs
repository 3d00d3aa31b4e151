//! Mass, inertia and centre of mass of bodies in space: as given, or of the parts that they are made of.

use super::Build;
use super::derivatives::Formula;
use super::site::Site;
use crate::error::Result;
use crate::model::marker::Place;
use crate::model::quaternion::turned;
use crate::scalar::{Scalar, each};
use crate::scene::schema::part::{Part, Solid};
use crate::scene::schema::{Number, Placement};

/// Names of the entries of an inertia tensor, in the order of the scene.
const TENSOR: [&str; 6] = ["xx", "yy", "zz", "xy", "xz", "yz"];

/// Names of the numbers of all parts together.
const TOTAL: [&str; 10] = [
    "mass",
    "inertia.xx",
    "inertia.yy",
    "inertia.zz",
    "inertia.xy",
    "inertia.xz",
    "inertia.yz",
    "centre_of_mass.x",
    "centre_of_mass.y",
    "centre_of_mass.z",
];

/// Row and column of the entries of a tensor.
const ENTRIES: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

/// Numbers of the mass of a body or a part, in its frame.
#[derive(Clone, Copy)]
pub(super) struct Properties {
    pub(super) mass: usize,
    /// Of the tensor about the centre of mass.
    pub(super) inertia: [usize; 6],
    pub(super) centre: Place,
}

/// The entries of a tensor turned by a quaternion; the numbers are the entries and the quaternion.
struct TurnedTensor;

impl Formula<6> for TurnedTensor {
    fn over<S: Scalar>(&self, numbers: &[S]) -> [S; 6] {
        let turn: [S; 4] = each(|k| numbers[6 + k]);
        let entry = |i: usize, j: usize| {
            let at = ENTRIES.iter().position(|&of| of == (i.min(j), i.max(j))).unwrap_or(0);
            numbers[at]
        };
        // R J, and its rows turned again: R J R^T.
        let columns: [[S; 3]; 3] = each(|j| turned(turn, each(|i| entry(i, j))));
        let rows: [[S; 3]; 3] = each(|i| turned(turn, each(|j| columns[j][i])));
        each(|k| rows[ENTRIES[k].0][ENTRIES[k].1])
    }
}

/// Mass, tensor about the centre of mass and centre of mass of all parts together, from those of each.
struct Total;

impl Formula<10> for Total {
    fn over<S: Scalar>(&self, numbers: &[S]) -> [S; 10] {
        let parts = || numbers.chunks_exact(10);
        let sum = |of: &dyn Fn(&[S]) -> S| parts().fold(S::from(0.0), |sum, part| sum + of(part));
        let mass = sum(&|part| part[0]);
        let centre: [S; 3] = each(|k| sum(&|part| part[0] * part[7 + k]) / mass);
        let inertia: [S; 6] = each(|k| {
            let (i, j) = ENTRIES[k];
            sum(&|part| {
                let from: [S; 3] = each(|axis| part[7 + axis] - centre[axis]);
                let square = from.iter().fold(S::from(0.0), |sum, x| sum + *x * *x);
                let diagonal = if i == j { square } else { S::from(0.0) };
                part[1 + k] + part[0] * (diagonal - from[i] * from[j])
            })
        });
        each(|k| match k {
            0 => mass,
            1..7 => inertia[k - 1],
            _ => centre[k - 7],
        })
    }
}

impl Build<'_> {
    /// Mass, inertia and centre of mass of a body.
    pub(super) fn mass_of(&mut self, solid: &Solid, site: &Site) -> Result<Properties> {
        if !solid.parts.is_empty() {
            return self.mass_of_parts(solid, site);
        }
        let (Some(mass), Some(inertia)) = (&solid.mass, &solid.inertia) else {
            let missing = if solid.mass.is_none() { "mass" } else { "inertia" };
            return site.refuse(
                format!("`{}` has no `{missing}`", site.element()),
                "give `mass` and `inertia`, or the `parts` that it is made of",
            );
        };
        Ok(Properties {
            mass: self.positive(site, "mass", mass)?,
            centre: match &solid.centre_of_mass {
                Some(centre) => self.vector(site, "centre_of_mass", centre)?,
                None => self.zeros(&site.at("centre_of_mass")),
            },
            inertia: self.tensor(inertia, &site.at("inertia"))?,
        })
    }

    fn mass_of_parts(&mut self, solid: &Solid, site: &Site) -> Result<Properties> {
        let given = [
            ("mass", solid.mass.is_some()),
            ("inertia", solid.inertia.is_some()),
            ("centre_of_mass", solid.centre_of_mass.is_some()),
        ];
        if let Some((field, _)) = given.into_iter().find(|(_, given)| *given) {
            let message = format!("`{field}` follows from the parts of `{}`", site.element());
            return site.at(field).refuse(message, "leave it out, or leave the `parts` out");
        }
        let mut all = Vec::new();
        for (k, part) in solid.parts.iter().enumerate() {
            let site = site.at("parts").at(k);
            match part {
                Part::Mass { .. } => all.push(self.mass_of_part(part, &site)?),
                Part::Shapes { density, shapes } => self.mass_of_shapes(density, shapes, &mut all, &site)?,
            }
        }
        if let [only] = all[..] {
            return Ok(only);
        }
        if all.is_empty() {
            return site
                .at("parts")
                .refuse("these parts have no shapes", "give at least one");
        }
        let each_number = |part: &Properties| [&[part.mass][..], &part.inertia, &part.centre].concat();
        let numbers: Vec<usize> = all.iter().flat_map(each_number).collect();
        let name = |k: usize| format!("{}.{}", site.label(), TOTAL[k]);
        let [mass, xx, yy, zz, xy, xz, yz, centre @ ..] = self.derived(&Total, &numbers, name, site)?;
        let inertia = [xx, yy, zz, xy, xz, yz];
        Ok(Properties { mass, inertia, centre })
    }

    /// A part in the frame of the body.
    fn mass_of_part(&mut self, part: &Part, site: &Site) -> Result<Properties> {
        let Part::Mass {
            mass,
            inertia,
            at,
            orientation,
            within,
        } = part
        else {
            return Err(site.error("this part has no mass of its own"));
        };
        let mass = self.positive(site, "mass", mass)?;
        let inertia = self.tensor(inertia, &site.at("inertia"))?;
        let zero = || vec![Number::Literal(0.0); 3];
        let placement = Placement {
            at: at.clone().unwrap_or_else(zero),
            orientation: orientation.clone(),
            within: within.clone().map(Box::new),
        };
        let (centre, turn) = self.placement(&placement, self.axes(), &site.label(), site)?;
        self.turned_mass(Properties { mass, inertia, centre }, turn, site)
    }

    /// The mass of a part whose tensor is given in axes that a quaternion turns into those of the body.
    pub(super) fn turned_mass(
        &mut self,
        part: Properties,
        turn: Option<[usize; 4]>,
        site: &Site,
    ) -> Result<Properties> {
        let Properties { mass, inertia, centre } = part;
        let inertia = match turn {
            Some(turn) => {
                let (inner, numbers) = (site.at("inertia"), [&inertia[..], &turn].concat());
                self.derived(
                    &TurnedTensor,
                    &numbers,
                    |k| format!("{}.{}", inner.label(), TENSOR[k]),
                    &inner,
                )?
            }
            None => inertia,
        };
        Ok(Properties { mass, inertia, centre })
    }

    /// The numbers of an inertia tensor, which must be positive definite.
    fn tensor(&mut self, written: &[Number], site: &Site) -> Result<[usize; 6]> {
        self.check_components(written, &TENSOR, site)?;
        let mut found = [0; 6];
        for (k, (slot, number)) in found.iter_mut().zip(written).enumerate() {
            *slot = self
                .numbers
                .read(number, format!("{}.{}", site.label(), TENSOR[k]), &site.at(k))?;
        }
        let [xx, yy, zz, xy, xz, yz] = found.map(|number| self.numbers.value(number));
        let minor = xx * yy - xy * xy;
        let determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
        if !(xx > 0.0 && minor > 0.0 && determinant > 0.0) {
            return site.refuse(
                format!("`{}` is no inertia tensor: it is not positive definite", site.label()),
                "give the entries [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] of the matrix about the centre of mass; products of inertia \
                 are entries with their minus sign",
            );
        }
        Ok(found)
    }
}
