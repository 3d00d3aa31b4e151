//! Outlines: of the bodies of planar mechanisms in ink, and of what is selected.

use kiss3d::color::Color;
use kiss3d::prelude::{InstanceData3d, Mat3, Vec3};

use super::palette;
use crate::appearance::{Block, INK, Item, Line, Material, Mesh, Owner, Shape, Unit};

/// Widths of lines in pixels of a picture 720 pixels high.
const EDGE: f32 = 1.6;
const SELECTED: f32 = 4.0;

/// How outlines are drawn.
#[derive(Clone, Copy)]
pub(super) struct Outlines {
    /// What is selected.
    pub selected: Option<Owner>,
    /// Whether the mechanism is planar: flat parts in layers.
    pub is_planar: bool,
    /// Stage per pixel of a picture 720 pixels high.
    pub pixel: f32,
    /// How far an outline lies below what it belongs to, on the stage.
    pub below: f32,
}

/// Least and greatest coordinates of a mesh.
pub(super) fn bounds(mesh: &Mesh) -> [Vec3; 2] {
    let places = mesh
        .positions
        .iter()
        .map(|at| Vec3::new(at.x as f32, at.y as f32, at.z as f32));
    let [low, high] = [Vec3::INFINITY, Vec3::NEG_INFINITY];
    places.fold([low, high], |[low, high], at| [low.min(at), high.max(at)])
}

impl Outlines {
    /// Whether a block is selected and can have an outline: thin wire has a colour instead.
    pub fn has(&self, items: &[Item], block: &Block) -> bool {
        !is_wire(block.unit) && self.is_selected(items, block)
    }

    /// The colour of wire that is selected.
    pub fn wire(&self, items: &[Item], block: &Block) -> Option<Color> {
        (is_wire(block.unit) && self.is_selected(items, block)).then(|| palette::lit(palette::SELECTED))
    }

    fn is_selected(&self, items: &[Item], block: &Block) -> bool {
        let item = items.get(block.item);
        self.selected.is_some() && item.map(|item| item.owner) == self.selected
    }

    /// What lies behind a flat block and is seen around it.
    pub fn edge(
        &self,
        items: &[Item],
        block: &Block,
        own: &InstanceData3d,
        bounds: [Vec3; 2],
    ) -> Option<InstanceData3d> {
        let item = items.get(block.item).filter(|_| self.is_planar)?;
        let is_selected = self.has(items, block);
        if !is_selected && !is_edged(item, block) {
            return None;
        }
        let (width, colour) = match is_selected {
            true => (SELECTED, palette::SELECTED),
            false => (EDGE, INK),
        };
        let mut edge = self.larger(own, bounds, width);
        edge.position.z -= self.below;
        edge.color = palette::lit(colour);
        Some(edge)
    }

    /// What is seen around a block in space, where only its far sides are drawn.
    pub fn hull(&self, own: &InstanceData3d, bounds: [Vec3; 2]) -> InstanceData3d {
        let mut hull = self.larger(own, bounds, SELECTED);
        hull.color = palette::lit(palette::SELECTED);
        hull
    }

    /// Larger by this many pixels on all sides; in the plane no higher.
    fn larger(&self, own: &InstanceData3d, [low, high]: [Vec3; 2], width: f32) -> InstanceData3d {
        let (middle, size) = ((low + high) / 2.0, high - low);
        let columns = [own.deformation.x_axis, own.deformation.y_axis, own.deformation.z_axis];
        let mut larger = columns;
        for (k, column) in larger.iter_mut().enumerate() {
            let length = column.length() * size[k];
            let is_upright = self.is_planar && column.z.abs() > 0.9 * column.length();
            if length > 0.0 && !is_upright {
                *column *= 1.0 + 2.0 * width * self.pixel / length;
            }
        }
        let shift: Vec3 = (0..3).map(|k| (columns[k] - larger[k]) * middle[k]).sum();
        InstanceData3d {
            position: own.position + shift,
            deformation: Mat3::from_cols(larger[0], larger[1], larger[2]),
            ..InstanceData3d::default()
        }
    }
}

/// Whether a flat block has an outline in ink: bars, plates, links and the shapes of scenes; the inner sides of a plate lie under it.
fn is_edged(item: &Item, block: &Block) -> bool {
    let is_body = matches!(
        item.shape,
        Shape::Line(Line::Bar | Line::Link, _) | Shape::Plate(..) | Shape::Solid(_) | Shape::Rail { .. }
    );
    let is_part = matches!(block.material, Material::Body | Material::Link);
    is_body && is_part && block.unit != Unit::Prism
}

fn is_wire(unit: Unit) -> bool {
    matches!(unit, Unit::Coil | Unit::Spiral | Unit::Ring)
}
