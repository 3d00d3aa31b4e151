//! From shapes to stretched and moved unit meshes with a material.
//!
//! A planar mechanism is built of flat parts in layers, so that what lies in front is seen in front.

use super::mesh::{Unit, cross};
use super::{Fastening, Item, Owner, Shape, Vector, unit};

/// What a block is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Material {
    /// Bars and rigid bodies.
    Body,
    /// Links without mass.
    Link,
    /// Point masses and centres of mass.
    Mass,
    /// Rims of joints.
    Rim,
    /// Middles of joints.
    Pin,
    /// Whatever is fixed in the ground.
    Ground,
    /// Springs.
    Spring,
    /// Dampers.
    Damper,
    /// Rails and threads.
    Rail,
    /// Surfaces that may be touched.
    Surface,
    /// Forces and torques that are given.
    Load,
    /// The floor under a spatial mechanism.
    Floor,
    /// Arrows of velocities.
    Velocity,
    /// Arrows of accelerations.
    Acceleration,
    /// Arrows of the forces of springs and dampers.
    SpringForce,
    /// Arrows of the forces of bars and joints.
    Reaction,
    /// Arrows of the forces of contacts.
    ContactForce,
}

/// A unit mesh in the ground frame: the place of its origin and the images of its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Index of the item that it is part of.
    pub item: usize,
    /// Mesh.
    pub unit: Unit,
    /// Material.
    pub material: Material,
    /// Place of its origin.
    pub origin: Vector,
    /// Images of its x, y and z axes.
    pub axes: [Vector; 3],
}

impl Block {
    /// Index of what is part of no item.
    pub const NO_ITEM: usize = usize::MAX;

    /// Where a place of its unit mesh is.
    pub fn place(&self, at: Vector) -> Vector {
        std::array::from_fn(|k| self.origin[k] + (0..3).map(|i| self.axes[i][k] * at[i]).sum::<f64>())
    }
}

/// Sizes that suit a mechanism, and what a picture of it must hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// 2 or 3.
    pub dimension: usize,
    /// Half the width of a bar, in metres.
    pub bar: f64,
    /// Least and greatest coordinates of what has ends.
    pub bounds: [Vector; 2],
    /// Largest point mass.
    pub mass: f64,
}

impl Scale {
    /// A scale for several instants of a mechanism.
    pub fn new<'a>(dimension: usize, instants: impl Iterator<Item = &'a [Item]>) -> Self {
        let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        let (mut lengths, mut mass) = (Vec::new(), 0.0_f64);
        for shape in instants.flatten().map(|item| &item.shape) {
            for anchor in shape
                .anchors()
                .iter()
                .filter(|anchor| anchor.iter().all(|x| x.is_finite()))
            {
                for k in 0..3 {
                    bounds[0][k] = bounds[0][k].min(anchor[k]);
                    bounds[1][k] = bounds[1][k].max(anchor[k]);
                }
            }
            match shape {
                Shape::Link { ends, .. } => lengths.push(distance(ends[0], ends[1])),
                Shape::Mass { mass: of_point, .. } => mass = mass.max(*of_point),
                _ => {}
            }
        }
        if bounds[0][0] > bounds[1][0] {
            bounds = [[-1.0; 3], [1.0; 3]];
        }
        let mut scale = Self {
            dimension,
            bar: 0.0,
            bounds,
            mass,
        };
        lengths.sort_by(f64::total_cmp);
        let typical = lengths.get(lengths.len() / 2).copied().unwrap_or(f64::INFINITY);
        let extent = scale.extent();
        scale.bar = (0.014 * extent).min(0.11 * typical).max(1e-4 * extent);
        scale
    }

    /// Diagonal of the bounds; one metre for a mechanism without extent.
    pub fn extent(&self) -> f64 {
        let diagonal = distance(self.bounds[0], self.bounds[1]);
        if diagonal > 0.0 { diagonal } else { 1.0 }
    }

    /// Centre of the bounds.
    pub fn centre(&self) -> Vector {
        std::array::from_fn(|k| (self.bounds[0][k] + self.bounds[1][k]) / 2.0)
    }

    fn is_planar(&self) -> bool {
        self.dimension == 2
    }
}

/// The blocks of all items.
pub fn blocks(items: &[Item], scale: &Scale) -> Vec<Block> {
    let mut builder = Builder {
        scale,
        item: 0,
        blocks: Vec::with_capacity(4 * items.len()),
    };
    for (index, item) in items.iter().enumerate() {
        builder.item = index;
        builder.add(item);
    }
    builder.blocks
}

/// Heights of the layers of a planar mechanism, in half-widths of a bar.
mod layer {
    pub const SURFACE: f64 = -6.0;
    pub const GROUND: f64 = -4.5;
    pub const SPRING: f64 = -2.5;
    pub const BODY: f64 = 0.0;
    pub const LINK: f64 = 0.9;
    pub const JOINT: f64 = 2.0;
    pub const LOAD: f64 = 3.5;
    pub const ARROW: f64 = 5.0;
}

struct Builder<'a> {
    scale: &'a Scale,
    item: usize,
    blocks: Vec<Block>,
}

impl Builder<'_> {
    fn add(&mut self, item: &Item) {
        let bar = self.scale.bar;
        match &item.shape {
            Shape::Link { ends, massless } => self.add_link(*ends, *massless),
            Shape::Plate { centre, corners } => self.add_plate(*centre, corners),
            Shape::Mass { at, mass } => {
                let share = if self.scale.mass > 0.0 {
                    mass / self.scale.mass
                } else {
                    1.0
                };
                let radius = bar * (1.2 + 1.6 * share.max(0.0).cbrt());
                self.add_round(*at, radius, layer::BODY, Material::Mass);
            }
            Shape::Joint { at, how } => self.add_joint(*at, *how),
            Shape::Coil { ends } => {
                let ends = self.lifted(*ends, layer::SPRING);
                self.add_along(Unit::Coil, ends, 1.7 * bar, Material::Spring);
            }
            Shape::Damper { ends } => self.add_damper(self.lifted(*ends, layer::SPRING)),
            Shape::Spiral { at } => {
                let at = self.lift(*at, layer::JOINT + 0.5);
                let material = match item.owner {
                    Owner::Force(_) => Material::Spring,
                    _ => Material::Load,
                };
                self.push(Unit::Spiral, material, at, scaled([3.0 * bar; 3]));
            }
            Shape::Thread { ends } => {
                let ends = self.lifted(*ends, layer::SPRING);
                self.add_along(Unit::Rod, ends, 0.2 * bar, Material::Rail);
            }
            Shape::Arrow { at, vector } => self.add_arrow(*at, *vector),
            Shape::Circle { centre, radius } => self.add_circle(*centre, *radius),
            Shape::Rail {
                about,
                direction,
                slider,
            } => self.add_rail(*about, *direction, *slider),
            Shape::Surface { through, normal } => self.add_surface(*through, *normal),
            Shape::Solid { unit, origin, axes, .. } => {
                let origin = self.sunk(*origin, &item.shape);
                self.push(*unit, Material::Body, origin, *axes);
            }
        }
    }

    fn push(&mut self, unit: Unit, material: Material, origin: Vector, axes: [Vector; 3]) {
        let finite = origin.iter().chain(axes.iter().flatten()).all(|x| x.is_finite());
        if finite {
            self.blocks.push(Block {
                item: self.item,
                unit,
                material,
                origin,
                axes,
            });
        }
    }

    /// Places of a planar mechanism lie in layers.
    fn lift(&self, at: Vector, layer: f64) -> Vector {
        match self.scale.is_planar() {
            true => [at[0], at[1], at[2] + layer * self.scale.bar],
            false => at,
        }
    }

    fn lifted(&self, ends: [Vector; 2], layer: f64) -> [Vector; 2] {
        ends.map(|end| self.lift(end, layer))
    }

    /// The origin of a shape that the scene gives; in the plane so far behind that it hides no joint.
    fn sunk(&self, origin: Vector, shape: &Shape) -> Vector {
        let top = shape.anchors().iter().fold(f64::NEG_INFINITY, |top, at| top.max(at[2]));
        let room = layer::JOINT * self.scale.bar - self.scale.bar;
        match self.scale.is_planar() {
            true => [origin[0], origin[1], origin[2] - (top - room).max(0.0)],
            false => origin,
        }
    }

    /// A mesh along its y axis from one place to another, round with this radius.
    fn add_along(&mut self, unit: Unit, ends: [Vector; 2], radius: f64, material: Material) {
        let Block { origin, axes, .. } = along(unit, ends, radius, material, self.item);
        self.push(unit, material, origin, axes);
    }

    /// A flat disc in the plane, a ball in space.
    fn add_round(&mut self, at: Vector, radius: f64, layer: f64, material: Material) {
        let at = self.lift(at, layer);
        if self.scale.is_planar() {
            let thick = 0.7 * self.scale.bar;
            let low = [at[0], at[1], at[2] - thick / 2.0];
            self.push(
                Unit::Rod,
                material,
                low,
                [[radius, 0.0, 0.0], [0.0, 0.0, thick], [0.0, -radius, 0.0]],
            );
        } else {
            self.push(Unit::Ball, material, at, scaled([radius; 3]));
        }
    }

    fn add_link(&mut self, ends: [Vector; 2], massless: bool) {
        let (radius, layer, material) = match massless {
            true => (0.55 * self.scale.bar, layer::LINK, Material::Link),
            false => (self.scale.bar, layer::BODY, Material::Body),
        };
        self.add_strut(ends, radius, layer, material);
    }

    /// A bar with rounded ends.
    fn add_strut(&mut self, ends: [Vector; 2], radius: f64, layer: f64, material: Material) {
        let [a, b] = self.lifted(ends, layer);
        if self.scale.is_planar() {
            let [across, along, normal] = frame(minus(b, a));
            let thick = times(normal, 0.7 * self.scale.bar);
            let middle = std::array::from_fn(|k| (a[k] + b[k]) / 2.0);
            let axes = [times(across, 2.0 * radius), times(along, distance(a, b)), thick];
            self.push(Unit::Cube, material, middle, axes);
        } else {
            self.add_along(Unit::Rod, [a, b], radius, material);
        }
        for end in ends {
            self.add_round(end, radius, layer, material);
        }
    }

    fn add_plate(&mut self, centre: Vector, corners: &[Vector]) {
        let radius = self.scale.bar;
        let around = around(centre, corners);
        for (i, &corner) in around.iter().enumerate() {
            let next = around[(i + 1) % around.len()];
            let flat = self.lifted([corner, next], layer::BODY);
            let middle = self.lift(centre, layer::BODY);
            let axes = [minus(flat[0], middle), minus(flat[1], middle), [0.0, 0.0, 0.5 * radius]];
            if self.scale.is_planar() && (around.len() > 2 || i == 0) {
                self.push(Unit::Prism, Material::Body, middle, axes);
            }
            if around.len() > 2 || i == 0 {
                self.add_strut([corner, next], radius, layer::BODY, Material::Body);
            }
        }
        if around.len() < 2 {
            self.add_round(centre, 2.2 * radius, layer::BODY, Material::Body);
        }
        self.add_round(centre, 0.6 * radius, layer::BODY + 0.4, Material::Mass);
    }

    fn add_joint(&mut self, at: Vector, how: Fastening) {
        let bar = self.scale.bar;
        if how == Fastening::Ground {
            self.add_support(at);
        }
        if self.scale.is_planar() {
            self.add_round(at, 0.78 * bar, layer::JOINT, Material::Rim);
            self.add_round(at, 0.48 * bar, layer::JOINT + 0.2, Material::Pin);
        } else {
            self.add_round(at, 1.35 * bar, layer::JOINT, Material::Rim);
        }
    }

    /// The sign of a place fixed in the ground: a triangle on a slab; in space a cube.
    fn add_support(&mut self, at: Vector) {
        let bar = self.scale.bar;
        if !self.scale.is_planar() {
            self.push(Unit::Cube, Material::Ground, at, scaled([3.4 * bar; 3]));
            return;
        }
        let tip = self.lift(at, layer::GROUND);
        let thick = [0.0, 0.0, 0.5 * bar];
        let legs = [[-2.6 * bar, -4.2 * bar, 0.0], [2.6 * bar, -4.2 * bar, 0.0]];
        self.push(Unit::Prism, Material::Ground, tip, [legs[0], legs[1], thick]);
        let slab = [tip[0], tip[1] - 4.5 * bar, tip[2]];
        let axes = [[7.4 * bar, 0.0, 0.0], [0.0, 0.7 * bar, 0.0], thick];
        self.push(Unit::Cube, Material::Ground, slab, axes);
    }

    fn add_damper(&mut self, ends: [Vector; 2]) {
        let bar = self.scale.bar;
        self.add_along(Unit::Rod, ends, 0.3 * bar, Material::Damper);
        let between = |part: f64| std::array::from_fn(|k| ends[0][k] + part * (ends[1][k] - ends[0][k]));
        self.add_along(Unit::Rod, [between(0.3), between(0.62)], 0.9 * bar, Material::Damper);
    }

    /// Points the way of the force; its length says nothing.
    fn add_arrow(&mut self, at: Vector, vector: Vector) {
        if vector.iter().all(|x| *x == 0.0) {
            return;
        }
        let bar = self.scale.bar;
        let (at, direction) = (self.lift(at, layer::LOAD), unit(vector));
        let along = |length: f64| std::array::from_fn(|k| at[k] + length * direction[k]);
        let (neck, tip) = (along(7.0 * bar), along(10.0 * bar));
        self.add_along(Unit::Rod, [at, neck], 0.4 * bar, Material::Load);
        self.add_along(Unit::Cone, [neck, tip], 1.1 * bar, Material::Load);
    }

    fn add_circle(&mut self, centre: Vector, radius: f64) {
        if self.scale.is_planar() {
            let at = self.lift(centre, layer::BODY);
            self.push(Unit::Ring, Material::Surface, at, scaled([radius; 3]));
        } else {
            self.push(Unit::Ball, Material::Surface, centre, scaled([radius; 3]));
        }
    }

    fn add_rail(&mut self, about: Vector, direction: Vector, slider: Vector) {
        let bar = self.scale.bar;
        let [about, slider] = self.lifted([about, slider], layer::LINK);
        let foot = dot(minus(about, slider), direction);
        let reach = 0.5 * self.scale.extent() + foot.abs().min(self.scale.extent());
        let along = |s: f64| std::array::from_fn(|k| slider[k] + s * direction[k]);
        let behind = self.lifted([along(foot - reach), along(foot + reach)], layer::GROUND);
        self.add_along(Unit::Rod, behind, 0.35 * bar, Material::Rail);
        let [across, along, normal] = frame(direction);
        let axes = [
            times(across, 2.6 * bar),
            times(along, 4.2 * bar),
            times(normal, 0.8 * bar),
        ];
        self.push(Unit::Cube, Material::Link, slider, axes);
    }

    /// A slab under the surface, as wide as the picture.
    fn add_surface(&mut self, through: Vector, normal: Vector) {
        let bar = self.scale.bar;
        let centre = self.scale.centre();
        let above = dot(minus(centre, through), normal);
        let foot: Vector = std::array::from_fn(|k| centre[k] - above * normal[k]);
        let width = if self.scale.is_planar() { 4.0 } else { 1.3 } * self.scale.extent();
        let [across, along, other] = frame(normal);
        let depth = if self.scale.is_planar() { 2.0 * bar } else { 0.6 * bar };
        let breadth = if self.scale.is_planar() { 0.7 * bar } else { width };
        let middle = std::array::from_fn(|k| foot[k] - depth / 2.0 * normal[k]);
        let axes = [times(across, width), times(along, depth), times(other, breadth)];
        let middle = self.lift(middle, layer::SURFACE);
        self.push(Unit::Cube, Material::Surface, middle, axes);
    }
}

/// A mesh along its y axis from one place to another, round with this radius.
pub(super) fn along(unit: Unit, [a, b]: [Vector; 2], radius: f64, material: Material, item: usize) -> Block {
    let [x, along, z] = frame(minus(b, a));
    Block {
        item,
        unit,
        material,
        origin: a,
        axes: [times(x, radius), times(along, distance(a, b)), times(z, radius)],
    }
}

/// A place in front of a planar mechanism.
pub(super) fn lifted_over(at: Vector, scale: &Scale) -> Vector {
    match scale.is_planar() {
        true => [at[0], at[1], at[2] + layer::ARROW * scale.bar],
        false => at,
    }
}

/// Places about a centre, in the order of their angle in the plane of x and y.
fn around(centre: Vector, places: &[Vector]) -> Vec<Vector> {
    let mut sorted = places.to_vec();
    let angle = |place: &Vector| (place[1] - centre[1]).atan2(place[0] - centre[0]);
    sorted.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    if let [only] = sorted[..]
        && distance(only, centre) > 0.0
    {
        sorted.push(centre);
    }
    sorted
}

/// Right-handed unit vectors, the second along a vector; the third is z for vectors of the plane.
fn frame(vector: Vector) -> [Vector; 3] {
    let along = unit(vector);
    let along = if along == [0.0; 3] { [0.0, 1.0, 0.0] } else { along };
    let reference = if along[2].abs() > 0.9 {
        [1.0, 0.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    };
    let x = unit(cross(along, reference));
    [x, along, cross(x, along)]
}

fn scaled(factors: Vector) -> [Vector; 3] {
    std::array::from_fn(|i| std::array::from_fn(|k| if i == k { factors[i] } else { 0.0 }))
}

fn minus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|k| a[k] - b[k])
}

fn times(vector: Vector, factor: f64) -> Vector {
    vector.map(|x| x * factor)
}

fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

fn distance(a: Vector, b: Vector) -> f64 {
    dot(minus(a, b), minus(a, b)).sqrt()
}
