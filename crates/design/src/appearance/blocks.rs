//! From shapes to stretched and moved unit meshes with a material.
//!
//! A planar mechanism is built of flat parts in layers, so that what lies in front is seen in front.

use super::{Drawn, Fastening, Item, Layer, Line, Material, Owner, Rgb, Scale, Shape, Unit, Vector, unit};

/// A unit mesh in the ground frame: the place of its origin and the images of its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Index of the item that it is part of.
    pub item: usize,
    /// Mesh.
    pub unit: Unit,
    /// Material.
    pub material: Material,
    /// Its colour.
    pub colour: Rgb,
    /// Place of its origin.
    pub origin: Vector,
    /// Images of its x, y and z axes.
    pub axes: [Vector; 3],
}

impl Block {
    /// Index of what is part of no item.
    pub const NO_ITEM: usize = usize::MAX;

    /// A block of no item.
    pub const fn new(unit: Unit, material: Material, origin: Vector, axes: [Vector; 3]) -> Self {
        Self {
            item: Self::NO_ITEM,
            unit,
            material,
            colour: material.colour(),
            origin,
            axes,
        }
    }

    /// A mesh along its y axis from one place to another, round with this radius.
    pub(super) fn between(unit: Unit, [a, b]: [Vector; 2], radius: f64, material: Material) -> Self {
        let [x, along, z] = frame(b - a);
        let axes = [x * radius, along * (a - b).norm(), z * radius];
        Self::new(unit, material, a, axes)
    }

    /// Whether all of its numbers are finite.
    pub(super) fn is_finite(&self) -> bool {
        let vectors = self.axes.iter().chain([&self.origin]);
        vectors.flatten().all(|x| x.is_finite())
    }

    /// Whether another block looks like this one, but for its colour, and lies in its place.
    pub fn covers(&self, other: &Self) -> bool {
        (self.unit, self.material) == (other.unit, other.material)
            && (self.origin, self.axes) == (other.origin, other.axes)
    }

    /// Where a place of its unit mesh is.
    pub fn place(&self, at: Vector) -> Vector {
        self.origin + (self.axes[0] * at.x + self.axes[1] * at.y + self.axes[2] * at.z)
    }
}

/// The blocks of all items.
pub fn blocks(items: &[Item], scale: &Scale) -> Vec<Block> {
    let mut builder = Builder {
        scale,
        bar: scale.bar,
        item: 0,
        colour: Material::Body.colour(),
        given: None,
        height: 0.0,
        layer: Layer::ONLY,
        blocks: Vec::with_capacity(4 * items.len()),
    };
    for (index, item) in items.iter().enumerate() {
        builder.item = index;
        builder.colour = item.colour;
        // The mark of the centre of mass of a plate is the same on all.
        builder.given = item.given.filter(|_| !matches!(item.shape, Shape::Plate(..)));
        builder.height = item.height;
        builder.layer = item.layer;
        builder.add(item);
    }
    builder.blocks
}

/// Thickness of what is flat, and the height that the items of a layer share, in half-widths of a bar.
const THICK: f64 = 0.7;
pub(super) const SHARED: f64 = 0.3;

/// Heights of the layers of a planar mechanism, in half-widths of a bar.
pub(super) mod layer {
    pub const SURFACE: f64 = -6.0;
    pub const GROUND: f64 = -4.5;
    pub const SPRING: f64 = -2.5;
    pub const PLATE: f64 = 0.0;
    pub const BODY: f64 = 0.35;
    pub const CENTRE: f64 = 0.7;
    pub const LINK: f64 = 0.9;
    /// What all bodies have together.
    pub const BODIES: f64 = LINK + super::SHARED;
    pub const JOINT: f64 = 2.0;
    pub const LOAD: f64 = 3.5;
    pub const ARROW: f64 = 5.0;
}

pub(super) struct Builder<'a> {
    scale: &'a Scale,
    /// Half the width of a bar.
    pub(super) bar: f64,
    item: usize,
    /// Colour of its body.
    colour: Rgb,
    /// Colour that the scene gives it.
    given: Option<Rgb>,
    /// Its height among its kind, from 0 to 1.
    height: f64,
    layer: Layer,
    blocks: Vec<Block>,
}

impl Builder<'_> {
    fn add(&mut self, item: &Item) {
        let bar = self.bar;
        match &item.shape {
            Shape::Line(line, ends) => self.add_line(*line, *ends),
            Shape::Plate(centre, corners) => self.add_plate(*centre, corners),
            Shape::Mass(at, mass) => {
                let share = if self.scale.mass > 0.0 {
                    mass / self.scale.mass
                } else {
                    1.0
                };
                let radius = bar * (1.2 + 1.6 * share.max(0.0).cbrt());
                self.add_round(*at, radius, self.within(layer::BODY), Material::Mass);
            }
            Shape::Joint(at, how) => self.add_joint(*at, *how),
            Shape::Hinge(kind, places, axes) => self.add_hinge(*kind, *places, *axes),
            Shape::Spiral(at) => {
                let material = match item.owner {
                    Owner::Force(_) => Material::Spring,
                    _ => Material::Load,
                };
                let at = self.lift(*at, layer::JOINT + 0.5);
                self.push(Unit::Spiral, material, at, enlarged(3.0 * bar));
            }
            Shape::Arrow(at, force) => self.add_arrow(*at, *force),
            Shape::Circle(centre, radius) => {
                let unit = if self.scale.is_planar() { Unit::Ring } else { Unit::Ball };
                let centre = self.lift(*centre, self.within(layer::PLATE));
                self.push(unit, Material::Surface, centre, enlarged(*radius));
            }
            Shape::Spoke(centre, radius, way) => {
                let ends = self.lift_ends([*centre, centre + way * *radius], self.within(layer::LINK));
                self.add_along(Unit::Rod, ends, 0.18 * bar, Material::Surface);
            }
            Shape::Axial(kind, at, axis) => self.add_axial(&kind.drawn(*at, *axis, self.scale)),
            Shape::Rail {
                about,
                direction,
                slider,
            } => self.add_rail(*about, *direction, *slider),
            Shape::Surface(through, normal) => self.add_surface(*through, *normal),
            Shape::Edge(places, centre) => self.add_edge(places, *centre),
            Shape::Solid(solid) => {
                // In the plane so far behind that it hides no joint.
                let top = item
                    .shape
                    .anchors()
                    .iter()
                    .fold(f64::NEG_INFINITY, |top, at| top.max(at.z));
                let room = self.within(layer::JOINT - 1.0 - SHARED) * bar;
                let sunk = match self.scale.is_planar() {
                    true if self.layer == Layer::ONLY => (top - room).max(0.0),
                    true => top - room,
                    false => 0.0,
                };
                let origin = solid.origin - Vector::z() * sunk;
                self.push(solid.unit, Material::Body, origin, solid.axes);
            }
        }
    }

    pub(super) fn push(&mut self, unit: Unit, material: Material, origin: Vector, axes: [Vector; 3]) {
        self.push_block(Block::new(unit, material, origin, axes));
    }

    fn push_block(&mut self, block: Block) {
        if block.is_finite() {
            let colour = match (block.material, self.given) {
                (Material::Body, _) => self.colour,
                (material, Some(given)) if material.can_be_given() => given,
                _ => block.colour,
            };
            let item = self.item;
            self.blocks.push(Block { item, colour, ..block });
        }
    }

    /// The height of the item in its layer of bodies, where its kind has this height.
    fn within(&self, kind: f64) -> f64 {
        self.in_layer(kind + SHARED * self.height)
    }

    /// The height in the layer of the item of what would have this one in the only layer.
    fn in_layer(&self, height: f64) -> f64 {
        layer::BODIES * self.layer.from + height * self.layer.part
    }

    fn lift(&self, at: Vector, layer: f64) -> Vector {
        lifted(at, layer, self.scale)
    }

    fn lift_ends(&self, ends: [Vector; 2], layer: f64) -> [Vector; 2] {
        ends.map(|end| self.lift(end, layer))
    }

    /// A mesh along its y axis from one place to another, round with this radius.
    pub(super) fn add_along(&mut self, unit: Unit, ends: [Vector; 2], radius: f64, material: Material) {
        self.push_block(Block::between(unit, ends, radius, material));
    }

    /// A flat disc in the plane, a ball in space.
    fn add_round(&mut self, at: Vector, radius: f64, layer: f64, material: Material) {
        let at = self.lift(at, layer);
        if self.scale.is_planar() {
            let thick = Vector::z() * (THICK * self.bar);
            let axes = [Vector::x() * radius, thick, Vector::new(0.0, -radius, 0.0)];
            self.push(Unit::Rod, material, at - thick / 2.0, axes);
        } else {
            self.push(Unit::Ball, material, at, enlarged(radius));
        }
    }

    fn add_line(&mut self, line: Line, ends: [Vector; 2]) {
        let (bar, behind) = (self.bar, self.lift_ends(ends, layer::SPRING));
        match line {
            Line::Bar => self.add_strut(ends, bar, self.within(layer::BODY), Material::Body),
            Line::Link => self.add_strut(ends, 0.55 * bar, self.within(layer::LINK), Material::Link),
            Line::Spring => self.add_along(Unit::Coil, behind, 1.7 * bar, Material::Spring),
            Line::Damper => {
                let middle = [0.3, 0.62].map(|part| behind[0] + (behind[1] - behind[0]) * part);
                self.add_along(Unit::Rod, behind, 0.3 * bar, Material::Damper);
                self.add_along(Unit::Rod, middle, 0.9 * bar, Material::Damper);
            }
            Line::Thread => self.add_along(Unit::Rod, behind, 0.2 * bar, Material::Rail),
        }
    }

    /// A bar with rounded ends.
    fn add_strut(&mut self, ends: [Vector; 2], radius: f64, layer: f64, material: Material) {
        let [a, b] = self.lift_ends(ends, layer);
        if self.scale.is_planar() {
            let [across, along, normal] = frame(b - a);
            let axes = [
                across * (2.0 * radius),
                along * (a - b).norm(),
                normal * (THICK * self.bar),
            ];
            self.push(Unit::Cube, material, (a + b) / 2.0, axes);
        } else {
            self.add_along(Unit::Rod, [a, b], radius, material);
        }
        for end in ends {
            self.add_round(end, radius, layer, material);
        }
    }

    fn add_plate(&mut self, centre: Vector, corners: &[Vector]) {
        let radius = self.bar;
        if !self.scale.is_planar() {
            self.add_star(centre, corners);
            return;
        }
        let layer = self.within(layer::PLATE);
        let raised = self.lift(centre, layer);
        let around = around(centre, corners);
        // Two corners have one side.
        let sides = if around.len() > 2 {
            around.len()
        } else {
            around.len().min(1)
        };
        for i in 0..sides {
            let ends = [around[i], around[(i + 1) % around.len()]];
            let [a, b] = ends.map(|end| end - centre);
            self.push(
                Unit::Prism,
                Material::Body,
                raised,
                [a, b, Vector::z() * (THICK * radius)],
            );
            self.add_strut(ends, radius, layer, Material::Body);
        }
        if around.len() < 2 {
            self.add_round(centre, 2.2 * radius, layer, Material::Body);
        }
        self.add_round(centre, 0.6 * radius, self.in_layer(layer::CENTRE), Material::Mass);
    }

    /// A body in space: its centre of mass joined to the places where something is attached.
    fn add_star(&mut self, centre: Vector, places: &[Vector]) {
        let radius = self.bar;
        for &place in places.iter().filter(|place| **place != centre) {
            self.add_strut([centre, place], radius, layer::PLATE, Material::Body);
        }
        self.add_round(centre, 2.2 * radius, layer::PLATE, Material::Body);
        self.add_round(centre, 0.6 * radius, layer::CENTRE, Material::Mass);
    }

    /// The edge, and the body behind it.
    fn add_edge(&mut self, places: &[Vector], centre: Option<Vector>) {
        for pair in places.windows(2) {
            let ends = [pair[0], pair[1]];
            if let Some(centre) = centre {
                let [a, b] = ends.map(|end| end - centre);
                if b.cross(&a).z > 0.0 {
                    let thick = Vector::z() * (THICK * self.bar);
                    let raised = self.lift(centre, self.within(layer::PLATE));
                    self.push(Unit::Prism, Material::Body, raised, [b, a, thick]);
                }
            }
            self.add_strut(ends, 0.4 * self.bar, self.within(layer::LINK), Material::Link);
        }
    }

    fn add_joint(&mut self, at: Vector, how: Fastening) {
        let bar = self.bar;
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

    /// What acts on a coordinate of a place.
    fn add_axial(&mut self, drawn: &Drawn) {
        let bar = self.bar;
        let wall = |builder: &mut Self, ends: [Vector; 2]| {
            let ends = builder.lift_ends(ends, layer::GROUND);
            builder.add_along(Unit::Rod, ends, 0.7 * bar, Material::Ground);
        };
        match drawn {
            Drawn::Spring(ends, stand) => {
                self.add_line(Line::Spring, *ends);
                wall(self, *stand);
            }
            Drawn::Stop(ends) => wall(self, *ends),
            Drawn::Rack(outline, pawl) => {
                let outline: Vec<Vector> = outline.iter().map(|at| self.lift(*at, layer::GROUND)).collect();
                let around = outline.iter().zip(outline.iter().cycle().skip(1));
                for (a, b) in around {
                    self.add_along(Unit::Rod, [*a, *b], 0.25 * bar, Material::Ground);
                }
                let [tip, left, right] = pawl.map(|at| self.lift(at, layer::SPRING));
                for end in [left, right] {
                    self.add_along(Unit::Rod, [tip, end], 0.35 * bar, Material::Rim);
                }
            }
        }
    }

    /// The sign of a place fixed in the ground: a triangle on a slab; in space a cube.
    fn add_support(&mut self, at: Vector) {
        let bar = self.bar;
        if !self.scale.is_planar() {
            self.push(Unit::Cube, Material::Ground, at, enlarged(3.4 * bar));
            return;
        }
        let tip = self.lift(at, layer::GROUND);
        let thick = Vector::z() * (0.5 * bar);
        let [left, right] = [-2.6, 2.6].map(|x| Vector::new(x * bar, -4.2 * bar, 0.0));
        self.push(Unit::Prism, Material::Ground, tip, [left, right, thick]);
        let axes = [Vector::x() * (7.4 * bar), Vector::y() * (0.7 * bar), thick];
        self.push(Unit::Cube, Material::Ground, tip - Vector::y() * (4.5 * bar), axes);
    }

    /// Points the way of the force; its length says nothing.
    fn add_arrow(&mut self, at: Vector, force: Vector) {
        if force == Vector::zeros() {
            return;
        }
        let (bar, at, direction) = (self.bar, self.lift(at, layer::LOAD), unit(force));
        let (neck, tip) = (at + direction * (7.0 * bar), at + direction * (10.0 * bar));
        self.add_along(Unit::Rod, [at, neck], 0.4 * bar, Material::Load);
        self.add_along(Unit::Cone, [neck, tip], 1.1 * bar, Material::Load);
    }

    fn add_rail(&mut self, about: Vector, direction: Vector, slider: Vector) {
        let (bar, extent) = (self.bar, self.scale.extent());
        let [about, slider] = self.lift_ends([about, slider], layer::BODIES);
        let foot = (about - slider).dot(&direction);
        let reach = 0.5 * extent + foot.abs().min(extent);
        let ends = [foot - reach, foot + reach].map(|s| slider + direction * s);
        let behind = self.lift_ends(ends, layer::GROUND);
        self.add_along(Unit::Rod, behind, 0.35 * bar, Material::Rail);
        let [across, along, normal] = frame(direction);
        let axes = [across * (2.6 * bar), along * (4.2 * bar), normal * (0.8 * bar)];
        self.push(Unit::Cube, Material::Link, slider, axes);
    }

    /// A slab under the surface.
    fn add_surface(&mut self, through: Vector, normal: Vector) {
        let (bar, extent, centre) = (self.bar, self.scale.extent(), self.scale.centre());
        let width = self.scale.slab * extent;
        let (depth, breadth) = match self.scale.is_planar() {
            true => (2.0 * bar, 0.7 * bar),
            false => (0.6 * bar, width),
        };
        let foot = centre - normal * (centre - through).dot(&normal);
        let middle = self.lift(foot - normal * (depth / 2.0), layer::SURFACE);
        let [across, along, other] = frame(normal);
        let axes = [across * width, along * depth, other * breadth];
        self.push(Unit::Cube, Material::Surface, middle, axes);
    }
}

/// Places of a planar mechanism lie in layers.
pub(super) fn lifted(at: Vector, layer: f64, scale: &Scale) -> Vector {
    match scale.is_planar() {
        true => at + Vector::z() * (layer * scale.bar),
        false => at,
    }
}

/// A place in front of a planar mechanism.
pub(super) fn in_front(at: Vector, scale: &Scale) -> Vector {
    lifted(at, layer::ARROW, scale)
}

/// Places about a centre, in the order of their angle in the plane of x and y.
fn around(centre: Vector, places: &[Vector]) -> Vec<Vector> {
    // A place at the centre is no corner.
    let mut sorted: Vec<Vector> = places.iter().copied().filter(|place| *place != centre).collect();
    let angle = |place: &Vector| (place.y - centre.y).atan2(place.x - centre.x);
    sorted.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    if sorted.len() == 1 {
        sorted.push(centre);
    }
    sorted
}

/// Right-handed unit vectors, the second along a vector; the third is z for vectors of the plane.
pub(super) fn frame(vector: Vector) -> [Vector; 3] {
    let along = vector.try_normalize(0.0).unwrap_or_else(Vector::y);
    let reference = if along.z.abs() > 0.9 { Vector::x() } else { Vector::z() };
    let x = unit(along.cross(&reference));
    [x, along, x.cross(&along)]
}

/// The axes, each of this length.
fn enlarged(length: f64) -> [Vector; 3] {
    [Vector::x() * length, Vector::y() * length, Vector::z() * length]
}
