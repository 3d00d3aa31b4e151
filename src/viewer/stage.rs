//! Blocks as instances of a few meshes: one node per mesh, however many links there are.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use kiss3d::color::Color;
use kiss3d::light::Light;
use kiss3d::prelude::{InstanceData3d, Mat3, SceneNode3d, Vec3};
use kiss3d::resource::GpuMesh3d;

use super::palette;
use crate::appearance::{Block, Mesh, Scale, Unit, Vector};

/// Diagonal of any mechanism on the stage: the graphics library works best with sizes near one.
pub const EXTENT: f64 = 10.0;

/// From metres to the stage.
#[derive(Clone, Copy, Debug)]
pub struct Placing {
    centre: Vector,
    factor: f64,
}

impl Placing {
    /// Centres a mechanism and makes it as large as [`EXTENT`].
    pub fn new(scale: &Scale) -> Self {
        Self {
            centre: scale.centre(),
            factor: EXTENT / scale.extent(),
        }
    }

    /// A place on the stage.
    pub fn place(&self, at: Vector) -> Vec3 {
        self.vector(std::array::from_fn(|k| at[k] - self.centre[k]))
    }

    /// A vector on the stage.
    pub fn vector(&self, vector: Vector) -> Vec3 {
        let [x, y, z] = vector.map(|x| (x * self.factor) as f32);
        Vec3::new(x, y, z)
    }

    /// The place in metres of a point of the stage.
    pub fn metres(&self, at: Vec3) -> Vector {
        let at = [at.x, at.y, at.z];
        std::array::from_fn(|k| f64::from(at[k]) / self.factor + self.centre[k])
    }

    /// A length on the stage.
    pub fn length(&self, length: f64) -> f32 {
        (length * self.factor) as f32
    }
}

/// The scene of the graphics library.
pub struct Stage {
    /// What is rendered.
    pub scene: SceneNode3d,
    nodes: Vec<(Unit, SceneNode3d)>,
    /// The same meshes, seen through.
    ghosts: Vec<(Unit, SceneNode3d)>,
    /// Meshes that the scene gives, with their nodes.
    given: Vec<(Arc<Mesh>, [SceneNode3d; 2])>,
}

impl Stage {
    /// An empty stage with its lights.
    pub fn new() -> Self {
        let mut scene = SceneNode3d::empty();
        scene.add_light(Light::directional(Vec3::new(-0.4, -0.7, -1.0)).with_intensity(1.1));
        scene.add_light(
            Light::directional(Vec3::new(0.8, 0.3, -0.4))
                .with_intensity(0.3)
                .with_casts_shadows(false),
        );
        let nodes = Unit::ALL.map(|unit| (unit, scene.add_mesh(gpu(&unit.mesh()), Vec3::ONE)));
        let ghosts = Unit::ALL.map(|unit| (unit, ghostly(scene.add_mesh(gpu(&unit.mesh()), Vec3::ONE))));
        Self {
            scene,
            nodes: nodes.to_vec(),
            ghosts: ghosts.to_vec(),
            given: Vec::new(),
        }
    }

    /// Takes over the meshes that a scene gives, before its blocks are shown.
    pub fn give(&mut self, meshes: &[Arc<Mesh>]) {
        let known = self.given.iter().map(|(mesh, _)| mesh);
        if known.len() == meshes.len() && known.zip(meshes).all(|(a, b)| Arc::ptr_eq(a, b)) {
            return;
        }
        for mut node in self.given.drain(..).flat_map(|(_, nodes)| nodes) {
            node.detach();
        }
        for list in [&mut self.nodes, &mut self.ghosts] {
            list.retain(|(unit, _)| !matches!(unit, Unit::Given(_)));
        }
        for (index, mesh) in meshes.iter().enumerate() {
            let node = self.scene.add_mesh(gpu(mesh), Vec3::ONE);
            let ghost = ghostly(self.scene.add_mesh(gpu(mesh), Vec3::ONE));
            self.nodes.push((Unit::Given(index), node.clone()));
            self.ghosts.push((Unit::Given(index), ghost.clone()));
            self.given.push((mesh.clone(), [node, ghost]));
        }
    }

    /// Shows these blocks as a ghost, instead of the ghost before.
    pub fn show_ghost(&mut self, blocks: &[Block], placing: &Placing) {
        place(&mut self.ghosts, blocks, placing, |block| {
            palette::colour(block.material)
        });
    }

    /// Shows these blocks instead of those before.
    pub fn show(&mut self, blocks: &[Block], placing: &Placing, colour: impl Fn(&Block) -> Color) {
        place(&mut self.nodes, blocks, placing, colour);
    }
}

/// A node that is seen through, and not yet seen.
fn ghostly(mut node: SceneNode3d) -> SceneNode3d {
    node.set_color(palette::GHOST);
    node.set_visible(false);
    node
}

/// Each block as an instance of the node of its mesh.
fn place(nodes: &mut [(Unit, SceneNode3d)], blocks: &[Block], placing: &Placing, colour: impl Fn(&Block) -> Color) {
    for (unit, node) in nodes {
        let instances: Vec<InstanceData3d> = blocks
            .iter()
            .filter(|block| block.unit == *unit)
            .map(|block| instance(block, placing, colour(block)))
            .collect();
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
    let vector = |&[x, y, z]: &Vector| Vec3::new(x as f32, y as f32, z as f32);
    Rc::new(RefCell::new(GpuMesh3d::new(
        mesh.positions.iter().map(vector).collect(),
        mesh.faces.clone(),
        Some(mesh.normals.iter().map(vector).collect()),
        None,
        false,
    )))
}
