//! Unit meshes; everything that is drawn is a few of them, stretched and moved.

use std::f64::consts::TAU;

use super::{Vector, unit};

/// A mesh of triangles, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertices.
    pub positions: Vec<Vector>,
    /// Unit normals at the vertices.
    pub normals: Vec<Vector>,
    /// Vertices of the triangles.
    pub faces: Vec<[u32; 3]>,
}

/// The kinds of unit meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Cylinder of radius 1 along y from 0 to 1.
    Rod,
    /// Sphere of radius 1.
    Ball,
    /// Helical spring of radius 1 along y from 0 to 1, ends on the axis.
    Coil,
    /// Flat spiral of radius 1 in the plane of x and y.
    Spiral,
    /// Flat ring of radius 1 in the plane of x and y.
    Ring,
    /// Cone of radius 1 along y, base at 0, tip at 1.
    Cone,
    /// Cube from -1/2 to 1/2 along every axis.
    Cube,
    /// Prism over the triangle (0, 0), (1, 0), (0, 1), from -1/2 to 1/2 along z.
    Prism,
    /// A mesh that the scene gives, as large as it is there; its index among them.
    Given(usize),
}

/// Corners of a circle.
const AROUND: usize = 28;
/// Turns of a coil, and corners of each.
const TURNS: usize = 11;
const PER_TURN: usize = 18;
/// Radius of the wire of coils, spirals and rings: across, and along the axis.
const WIRE: [f64; 2] = [0.13, 0.013];
/// Part of a coil's length that each straight lead takes.
const LEAD: f64 = 0.08;

impl Unit {
    /// All kinds but those that scenes give.
    pub const ALL: [Self; 8] = [
        Self::Rod,
        Self::Ball,
        Self::Coil,
        Self::Spiral,
        Self::Ring,
        Self::Cone,
        Self::Cube,
        Self::Prism,
    ];

    /// Its mesh; empty for one that a scene gives, which [`Appearance::meshes`](super::Appearance::meshes) has.
    pub fn mesh(self) -> Mesh {
        match self {
            Self::Rod => turned(&[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]),
            Self::Cone => turned(&[(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]),
            Self::Ball => ball(),
            Self::Coil => coil(),
            Self::Spiral => {
                let path = path(3 * PER_TURN, 3, |part, [x, y]| {
                    let radius = 0.15 + 0.78 * part;
                    Vector::new(radius * x, radius * y, 0.0)
                });
                tube(&path, [0.07, 0.07], Vector::z())
            }
            Self::Ring => {
                let path = path(2 * AROUND, 1, |_, [x, y]| Vector::new(0.98 * x, 0.98 * y, 0.0));
                tube(&path, [0.02, 0.02], Vector::z())
            }
            Self::Cube => prism(&[(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]),
            Self::Prism => prism(&[(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]),
            Self::Given(_) => Mesh::default(),
        }
    }
}

impl Mesh {
    /// The mesh whose faces are seen from inside.
    pub fn inside_out(&self) -> Self {
        let faces = self.faces.iter().map(|&[a, b, c]| [a, c, b]);
        Self {
            faces: faces.collect(),
            ..self.clone()
        }
    }

    /// The mesh with these images of its x, y and z axes.
    pub fn stretched(&self, axes: &[Vector; 3]) -> Self {
        let image = |at: &Vector, axes: &[Vector; 3]| axes[0] * at.x + axes[1] * at.y + axes[2] * at.z;
        let [x, y, z] = axes;
        // Normals go with the cofactors.
        let cofactors = [y.cross(z), z.cross(x), x.cross(y)];
        let is_mirrored = x.dot(&cofactors[0]) < 0.0;
        let sign = if is_mirrored { -1.0 } else { 1.0 };
        let normals = self.normals.iter();
        let face = |&[a, b, c]: &[u32; 3]| if is_mirrored { [a, c, b] } else { [a, b, c] };
        Self {
            positions: self.positions.iter().map(|at| image(at, axes)).collect(),
            normals: normals
                .map(|normal| unit(image(&(normal * sign), &cofactors)))
                .collect(),
            faces: self.faces.iter().map(face).collect(),
        }
    }

    fn vertex(&mut self, position: Vector, normal: Vector) -> u32 {
        self.positions.push(position);
        self.normals.push(normal);
        self.positions.len() as u32 - 1
    }

    fn append(&mut self, other: Self) {
        let first = self.positions.len() as u32;
        self.positions.extend(other.positions);
        self.normals.extend(other.normals);
        self.faces
            .extend(other.faces.into_iter().map(|face| face.map(|i| i + first)));
    }

    fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.faces.extend([[a, b, c], [a, c, d]]);
    }
}

/// A profile of radii and heights turned about the y axis, from the bottom to the top; edges are sharp.
fn turned(profile: &[(f64, f64)]) -> Mesh {
    let mut mesh = Mesh::default();
    for pair in profile.windows(2) {
        let ((r0, y0), (r1, y1)) = (pair[0], pair[1]);
        let slope = unit(Vector::new(y1 - y0, r0 - r1, 0.0));
        let mut before = None;
        for i in 0..=AROUND {
            let (sin, cos) = (TAU * i as f64 / AROUND as f64).sin_cos();
            let normal = Vector::new(slope.x * cos, slope.y, slope.x * sin);
            let low = mesh.vertex(Vector::new(r0 * cos, y0, r0 * sin), normal);
            let high = mesh.vertex(Vector::new(r1 * cos, y1, r1 * sin), normal);
            if let Some((low_before, high_before)) = before {
                mesh.quad([low, low_before, high_before, high]);
            }
            before = Some((low, high));
        }
    }
    mesh
}

fn ball() -> Mesh {
    const BANDS: usize = 14;
    let mut mesh = Mesh::default();
    for j in 0..=BANDS {
        let (sin, cos) = (TAU / 2.0 * j as f64 / BANDS as f64).sin_cos();
        for i in 0..=AROUND {
            let (s, c) = (TAU * i as f64 / AROUND as f64).sin_cos();
            let place = Vector::new(sin * c, -cos, sin * s);
            mesh.vertex(place, place);
        }
    }
    let index = |j: usize, i: usize| (j * (AROUND + 1) + i) as u32;
    for j in 0..BANDS {
        for i in 0..AROUND {
            mesh.quad([index(j, i + 1), index(j, i), index(j + 1, i), index(j + 1, i + 1)]);
        }
    }
    mesh
}

/// A helix between two straight leads on the axis; wires of their own where the direction jumps.
fn coil() -> Mesh {
    let helix = path(TURNS * PER_TURN, TURNS, |part, [x, z]| {
        let rise = LEAD + (1.0 - 2.0 * LEAD) * part;
        Vector::new((1.0 - WIRE[0]) * x, rise, (1.0 - WIRE[0]) * z)
    });
    let (axis, at) = (Vector::y(), |height: f64| Vector::y() * height);
    let mut mesh = tube(&helix, WIRE, axis);
    for (end, inner, outer) in [(0.0, LEAD, helix[0]), (1.0, 1.0 - LEAD, helix[helix.len() - 1])] {
        mesh.append(tube(&[at(inner), outer], WIRE, axis));
        mesh.append(tube(&[at(end), at(inner)], [WIRE[0]; 2], axis));
    }
    mesh
}

/// Corners of a path of so many turns, each by the part of the path before it and its direction in the circle.
fn path(corners: usize, turns: usize, place: impl Fn(f64, [f64; 2]) -> Vector) -> Vec<Vector> {
    let corner = |i: usize| {
        let part = i as f64 / corners as f64;
        let (sin, cos) = (TAU * turns as f64 * part).sin_cos();
        place(part, [cos, sin])
    };
    (0..=corners).map(corner).collect()
}

/// A wire along a path; its section is an ellipse with the second radius along the axis.
fn tube(path: &[Vector], radii: [f64; 2], axis: Vector) -> Mesh {
    const CORNERS: usize = 8;
    let mut mesh = Mesh::default();
    for (i, place) in path.iter().enumerate() {
        let (before, after) = (path[i.saturating_sub(1)], path[(i + 1).min(path.len() - 1)]);
        let along = unit(after - before);
        let mut side = along.cross(&axis);
        if side.iter().all(|x| x.abs() < 1e-9) {
            side = along.cross(&Vector::x());
        }
        let side = unit(side);
        let up = side.cross(&along);
        for corner in 0..CORNERS {
            let (sin, cos) = (TAU * corner as f64 / CORNERS as f64).sin_cos();
            let normal = unit(side * cos / radii[0] + up * sin / radii[1]);
            mesh.vertex(place + side * cos * radii[0] + up * sin * radii[1], normal);
        }
    }
    let index = |i: usize, corner: usize| (i * CORNERS + corner % CORNERS) as u32;
    for i in 1..path.len() {
        for k in 0..CORNERS {
            mesh.quad([index(i - 1, k), index(i, k), index(i, k + 1), index(i - 1, k + 1)]);
        }
    }
    mesh
}

/// A convex polygon, counter-clockwise, as a plate from -1/2 to 1/2 along z.
fn prism(corners: &[(f64, f64)]) -> Mesh {
    let mut mesh = Mesh::default();
    for z in [-0.5, 0.5] {
        let corner = |&(x, y): &(f64, f64)| mesh.vertex(Vector::new(x, y, z), Vector::z() * (2.0 * z));
        let face: Vec<u32> = corners.iter().map(corner).collect();
        for i in 1..corners.len() - 1 {
            let (b, c) = if z > 0.0 { (i, i + 1) } else { (i + 1, i) };
            mesh.faces.push([face[0], face[b], face[c]]);
        }
    }
    for (i, &(x0, y0)) in corners.iter().enumerate() {
        let (x1, y1) = corners[(i + 1) % corners.len()];
        let normal = unit(Vector::new(y1 - y0, x0 - x1, 0.0));
        let side = [(x0, y0, -0.5), (x1, y1, -0.5), (x1, y1, 0.5), (x0, y0, 0.5)];
        let side = side.map(|(x, y, z)| mesh.vertex(Vector::new(x, y, z), normal));
        mesh.quad(side);
    }
    mesh
}
