//! Blocks as instances of a few meshes: one node per mesh, however many links there are.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use kiss3d::color::Color;
use kiss3d::prelude::{InstanceData3d, Mat3, SceneNode3d, Vec3};
use kiss3d::resource::GpuMesh3d;
use kiss3d::window::Window;

use super::arrows::{ShownArrows, draw_states, draw_swatches};
use super::backdrop::{self, Page, Trace};
use super::camera::{Placing, Sight};
use super::floor::Floor;
use super::outline::{self, Outlines};
use super::through::{Through, is_same};
use super::{heat, light, names, palette, through};
use crate::appearance::{AXES, Block, INK, Mesh, Owner, Unit, Vector, frame_blocks, friction_blocks};
use crate::run::DesignGradient;
use crate::show::{Comparison, Show};

/// What a frame shows besides panels.
pub(super) struct Content<'a> {
    pub(super) show: &'a Show,
    pub(super) t: f64,
    /// Below the title.
    pub(super) caption: &'a str,
    /// Colours of bars, springs, masses and contacts.
    pub(super) gradient: Option<&'a DesignGradient>,
    /// What is highlighted.
    pub(super) selected: Option<Owner>,
    /// The arrows, and what says what they mean.
    pub(super) arrows: Vec<Block>,
    pub(super) legend: &'a ShownArrows,
    /// A predicted motion, and what the legend calls it.
    pub(super) ghost: Vec<Block>,
    pub(super) predicted: Option<String>,
    /// Moments that are seen through behind.
    pub(super) behind: &'a [f64],
    /// Other motions that are seen through.
    pub(super) comparison: &'a Comparison,
    /// Whether names are written.
    pub(super) names: bool,
    /// Whether frames are drawn.
    pub(super) frames: bool,
    /// Paths of points on the stage.
    pub(super) paths: &'a [Trace],
}

/// The node of a mesh.
struct Solid {
    unit: Unit,
    node: SceneNode3d,
    /// Least and greatest coordinates of the mesh.
    bounds: [Vec3; 2],
}

/// The scene of the graphics library.
pub struct Stage {
    /// What is rendered.
    pub scene: SceneNode3d,
    /// The node of each mesh.
    solids: Vec<Solid>,
    /// The far sides of the same meshes, for outlines in space.
    hulls: Vec<Solid>,
    /// The same meshes, seen through.
    ghosts: Vec<Solid>,
    /// Meshes that the scene gives.
    given: Vec<Arc<Mesh>>,
    /// Whether what is shown is planar; none before anything is shown.
    is_planar: Option<bool>,
}

impl Stage {
    /// An empty stage with its lights.
    pub fn new() -> Self {
        let mut scene = SceneNode3d::empty();
        light::add(&mut scene);
        let mut stage = Self {
            scene,
            solids: Vec::new(),
            hulls: Vec::new(),
            ghosts: Vec::new(),
            given: Vec::new(),
            is_planar: None,
        };
        for unit in Unit::ALL {
            stage.add(unit, &unit.mesh());
        }
        stage
    }

    fn add(&mut self, unit: Unit, mesh: &Mesh) {
        let bounds = outline::bounds(mesh);
        let mut node = |mesh: &Mesh| self.scene.add_mesh(gpu(mesh), Vec3::ONE);
        let (solid, mut ghost, mut hull) = (node(mesh), node(mesh), node(&mesh.inside_out()));
        ghost.set_color(palette::GHOST);
        ghost.set_visible(false);
        hull.enable_backface_culling(true);
        hull.set_visible(false);
        for (nodes, node) in [
            (&mut self.solids, solid),
            (&mut self.ghosts, ghost),
            (&mut self.hulls, hull),
        ] {
            nodes.push(Solid { unit, node, bounds });
        }
    }

    /// Puts everything but the panels into the next frame.
    pub(super) fn draw(&mut self, window: &mut Window, sight: &Sight, page: &Page, content: Content) {
        let show = content.show;
        let (items, mut blocks) = show.blocks(content.t);
        let mut through = Through::new(show, content.ghost);
        for &t in content.behind {
            let own = show.blocks(t).1;
            through.add(&content.comparison.others, t, &own);
            through.blocks.extend(own);
        }
        through.add(&content.comparison.others, content.t, &blocks);
        blocks.extend(content.arrows);
        if content.frames {
            blocks.extend(frame_blocks(&show.frames(content.t), &show.scale));
        }
        blocks.extend(friction_blocks(&show.friction_marks(content.t), &show.scale));
        if !show.is_planar() {
            blocks.extend(Floor::new(show).slab(sight));
        }
        self.give(&through.meshes, show.is_planar());
        let outlines = Outlines {
            selected: content.selected,
            is_planar: show.is_planar(),
            pixel: 2.0 * sight.half_height() / 720.0,
            below: sight.placing.length(show.appearance.step() * show.scale.bar / 2.0),
        };
        place(&mut self.solids, &blocks, |block, bounds| {
            // A selected coil keeps the colour of a gradient.
            let tint = heat::tint(content.gradient, &items, block).or_else(|| outlines.wire(&items, block));
            let colour = tint.unwrap_or_else(|| heat::colour(content.gradient, block));
            let own = instance(block, &sight.placing, colour);
            let edge = outlines.edge(&items, block, &own, bounds);
            [Some(own), edge]
        });
        place(&mut self.hulls, &blocks, |block, bounds| {
            let is_seen = !outlines.is_planar && outlines.has(&items, block);
            let own = instance(block, &sight.placing, Color::default());
            [is_seen.then(|| outlines.hull(&own, bounds)), None]
        });
        place(&mut self.ghosts, &through.blocks, |block, _| {
            [Some(instance(block, &sight.placing, through::colour(block))), None]
        });
        backdrop::draw(window, page, sight, show, content.caption);
        if let Some(gradient) = content.gradient {
            heat::draw_legend(window, page, gradient);
        }
        let scales = heat::lines(content.gradient);
        let mut below = content.legend.draw_legend(window, page, sight, scales);
        if show.has_friction() {
            below = draw_states(window, page, below);
        }
        let entries = content.comparison.legend().into_iter();
        let entries = entries.map(|(colour, label)| (colour.unwrap_or(INK), label));
        let predicted = content
            .predicted
            .iter()
            .map(|label| (palette::PREDICTED, label.as_str()));
        let axes = AXES.iter().take(if content.frames { show.scale.dimension } else { 0 });
        let axes = axes.map(|&(name, colour)| (colour, name));
        below = draw_swatches(window, page, below, entries.chain(predicted).chain(axes));
        if content.names {
            names::draw(window, page, sight, (show, &items), below);
        }
        backdrop::draw_paths(window, content.paths);
    }

    /// Takes over the meshes that a scene gives.
    fn give(&mut self, meshes: &[Arc<Mesh>], is_planar: bool) {
        if is_same(&self.given, meshes) && self.is_planar == Some(is_planar) {
            return;
        }
        for nodes in [&mut self.solids, &mut self.ghosts, &mut self.hulls] {
            let given = nodes.extract_if(.., |solid| matches!(solid.unit, Unit::Given(_)));
            given.for_each(|mut solid| solid.node.detach());
        }
        for (index, mesh) in meshes.iter().enumerate() {
            self.add(Unit::Given(index), mesh);
        }
        (self.given, self.is_planar) = (meshes.to_vec(), Some(is_planar));
        let shading = light::shading(is_planar);
        for solid in &mut self.solids {
            solid.node.set_material(shading.clone());
        }
    }
}

/// Each block as instances of the node of its mesh, of which it is told the bounds.
fn place(nodes: &mut [Solid], blocks: &[Block], instances: impl Fn(&Block, [Vec3; 2]) -> [Option<InstanceData3d>; 2]) {
    for Solid { unit, node, bounds } in nodes {
        let own = blocks.iter().filter(|block| block.unit == *unit);
        let instances: Vec<InstanceData3d> = own.flat_map(|block| instances(block, *bounds)).flatten().collect();
        node.set_visible(!instances.is_empty());
        if !instances.is_empty() {
            node.set_instances(&instances);
        }
    }
}

fn instance(block: &Block, placing: &Placing, color: Color) -> InstanceData3d {
    let [x, y, z] = block.axes.map(|axis| placing.vector(axis));
    InstanceData3d {
        position: placing.place(block.origin),
        deformation: Mat3::from_cols(x, y, z),
        color,
        ..InstanceData3d::default()
    }
}

fn gpu(mesh: &Mesh) -> Rc<RefCell<GpuMesh3d>> {
    let vector = |at: &Vector| Vec3::new(at.x as f32, at.y as f32, at.z as f32);
    Rc::new(RefCell::new(GpuMesh3d::new(
        mesh.positions.iter().map(vector).collect(),
        mesh.faces.clone(),
        Some(mesh.normals.iter().map(vector).collect()),
        None,
        false,
    )))
}
