//! What lies under a ray.

use std::sync::Arc;

use nalgebra::Matrix3;

use super::{Block, Mesh, Unit, Vector};

/// A half-line from an eye, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it begins.
    pub origin: Vector,
    /// Where it goes, of any length but zero.
    pub direction: Vector,
}

/// The first block that a ray meets: its index.
pub fn pick(ray: &Ray, blocks: &[Block], meshes: &[(Unit, Arc<Mesh>)]) -> Option<usize> {
    let met = blocks.iter().enumerate().filter_map(|(index, block)| {
        let (_, mesh) = meshes.iter().find(|(unit, _)| *unit == block.unit)?;
        Some((index, distance(ray, block, mesh)?))
    });
    met.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
}

/// How far along its direction a ray meets the mesh of a block, in lengths of the direction.
fn distance(ray: &Ray, block: &Block, mesh: &Mesh) -> Option<f64> {
    // A block without volume is not seen from anywhere but its edge.
    let factors = Matrix3::from_columns(&block.axes).lu();
    let origin = factors.solve(&(ray.origin - block.origin))?;
    let direction = factors.solve(&ray.direction)?;
    let corner = |i: u32| mesh.positions.get(i as usize).copied();
    let met = mesh.faces.iter().filter_map(|&[a, b, c]| {
        let triangle = [corner(a)?, corner(b)?, corner(c)?];
        through(origin, direction, triangle)
    });
    met.min_by(f64::total_cmp)
}

/// Where a line meets a triangle, in lengths of its direction (Möller and Trumbore 1997).
fn through(origin: Vector, direction: Vector, [a, b, c]: [Vector; 3]) -> Option<f64> {
    let (u_edge, v_edge) = (b - a, c - a);
    let p = direction.cross(&v_edge);
    let determinant = u_edge.dot(&p);
    if determinant == 0.0 {
        return None;
    }
    let from = origin - a;
    let u = from.dot(&p) / determinant;
    let q = from.cross(&u_edge);
    let v = direction.dot(&q) / determinant;
    let t = v_edge.dot(&q) / determinant;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0).then_some(t)
}

#[cfg(test)]
mod tests {
    use super::{Ray, pick};
    use crate::appearance::{Block, Material, Mesh, Unit, Vector};
    use std::sync::Arc;

    fn block(unit: Unit, origin: [f64; 3], size: f64) -> Block {
        Block {
            item: 0,
            unit,
            material: Material::Body,
            colour: Material::Body.colour(),
            origin: origin.into(),
            axes: [Vector::x() * size, Vector::y() * size, Vector::z() * size],
        }
    }

    fn meshes() -> Vec<(Unit, Arc<Mesh>)> {
        Unit::ALL.map(|unit| (unit, Arc::new(unit.mesh()))).to_vec()
    }

    #[test]
    fn the_nearest_block_is_met_whatever_their_order() {
        let blocks = [
            block(Unit::Cube, [0.0, 0.0, -5.0], 4.0),
            block(Unit::Ball, [0.0; 3], 0.5),
            block(Unit::Cube, [0.0, 0.0, 50.0], 4.0),
        ];
        let down = |x: f64| Ray {
            origin: Vector::new(x, 0.0, 20.0),
            direction: Vector::new(0.0, 0.0, -0.1),
        };
        assert_eq!(pick(&down(0.1), &blocks, &meshes()), Some(1));
        assert_eq!(pick(&down(0.6), &blocks, &meshes()), Some(0));
        assert_eq!(pick(&down(2.1), &blocks, &meshes()), None);
    }

    #[test]
    fn the_hole_of_a_ring_is_not_the_ring() {
        let blocks = [block(Unit::Ring, [1.0, 2.0, 0.0], 3.0)];
        let at = |x: f64| Ray {
            origin: Vector::new(x, 2.0, 1.0),
            direction: -Vector::z(),
        };
        assert_eq!(pick(&at(1.0), &blocks, &meshes()), None);
        assert_eq!(pick(&at(1.0 + 3.0 * 0.98), &blocks, &meshes()), Some(0));
    }

    #[test]
    fn stretched_and_turned_blocks_are_met_where_they_are() {
        let mut rod = block(Unit::Rod, [0.0; 3], 1.0);
        rod.axes = [[0.0, 0.0, 0.1], [3.0, 4.0, 0.0], [0.08, -0.06, 0.0]].map(Vector::from);
        let at = |x: f64, y: f64| Ray {
            origin: Vector::new(x, y, 9.0),
            direction: -Vector::z(),
        };
        assert_eq!(pick(&at(1.5, 2.0), &[rod], &meshes()), Some(0));
        assert_eq!(pick(&at(1.5, 2.3), &[rod], &meshes()), None);
        assert_eq!(pick(&at(3.3, 4.4), &[rod], &meshes()), None);
    }
}
