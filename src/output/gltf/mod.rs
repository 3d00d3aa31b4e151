//! Binary glTF 2.0: meshes, materials, a tree of nodes and one animation, in one file.
//!
//! Numbers cite sections of the glTF 2.0 specification of the Khronos Group.

mod store;

use gltf_json::accessor::Type;
use gltf_json::animation::{Channel, Interpolation, Property, Sampler, Target};
use gltf_json::material::{PbrBaseColorFactor, PbrMetallicRoughness, StrengthFactor};
use gltf_json::mesh::{Primitive, Semantic};
use gltf_json::scene::UnitQuaternion;
use gltf_json::validation::Checked;
use gltf_json::{Accessor, Animation, Asset, Camera, Extras, Index, Material, Mesh, Node, Root, Scene, camera};

use crate::error::{Error, ErrorKind, Result};
use store::{KEYS, VERTICES, container};

/// A mesh without material.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    positions: Index<Accessor>,
    normals: Index<Accessor>,
    faces: Index<Accessor>,
}

/// Times of keys, in seconds.
pub type Timeline = Index<Accessor>;

/// A material.
pub type Paint = Index<Material>;

/// A mesh with its material.
pub type Painted = Index<Mesh>;

/// A node of the tree.
pub type Handle = Index<Node>;

/// Translation, rotation as a unit quaternion (x, y, z, w), and scale of a node; the scale is applied first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// In metres.
    pub translation: [f32; 3],
    /// Unit quaternion.
    pub rotation: [f32; 4],
    /// Factors.
    pub scale: [f32; 3],
}

/// What a channel moves, a value per time.
#[derive(Clone, Debug)]
pub enum Keys {
    /// Translations, linear in between.
    Translation(Vec<[f32; 3]>),
    /// Unit quaternions, spherically linear in between.
    Rotation(Vec<[f32; 4]>),
    /// Scales, linear in between.
    Scale(Vec<[f32; 3]>),
    /// Scales that stay until the next one.
    Switch(Vec<[f32; 3]>),
}

/// What a camera takes in. Lengths are in metres: scales of nodes above it do not count (3.10).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// How it is seen.
    pub projection: Projection,
    /// Width of the picture over its height.
    pub aspect: f64,
    /// Farthest distance that is seen.
    pub far: f64,
}

/// A projection to a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Parallel lines stay parallel; half the height that is seen.
    Orthographic(f64),
    /// Angle that is seen upwards, rad.
    Perspective(f64),
}

/// Nearest distance that a camera sees over the farthest.
const NEAR: f64 = 1e-3;

/// A file in the making.
#[derive(Debug, Default)]
pub struct Document {
    root: Root,
    channels: Vec<Channel>,
    samplers: Vec<Sampler>,
    /// Contents of the buffer views: vertices, indices, keys.
    views: [Vec<u8>; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Self {
            translation: [0.0; 3],
            rotation: [0.0, 0.0, 0.0, 1.0],
            scale: [1.0; 3],
        }
    }
}

impl Document {
    /// A material of a colour in sRGB that is no metal.
    pub fn paint(&mut self, name: &str, colour: [u8; 3], roughness: f32) -> Paint {
        let [red, green, blue] = colour.map(linear);
        self.root.push(Material {
            name: Some(name.to_string()),
            pbr_metallic_roughness: PbrMetallicRoughness {
                base_color_factor: PbrBaseColorFactor([red, green, blue, 1.0]),
                metallic_factor: StrengthFactor(0.0),
                roughness_factor: StrengthFactor(roughness),
                ..PbrMetallicRoughness::default()
            },
            ..Material::default()
        })
    }

    /// Vertices with unit normals, and triangles of them.
    ///
    /// # Errors
    /// Kind `NotFinite` for numbers that single precision cannot hold.
    pub fn geometry(&mut self, positions: &[[f32; 3]], normals: &[[f32; 3]], faces: &[[u32; 3]]) -> Result<Geometry> {
        Ok(Geometry {
            positions: self.floats(VERTICES, positions, Type::Vec3, true)?,
            normals: self.floats(VERTICES, normals, Type::Vec3, false)?,
            faces: self.indices(faces),
        })
    }

    /// A geometry of a material; several may share a geometry.
    pub fn mesh(&mut self, name: &str, geometry: Geometry, paint: Paint) -> Painted {
        let attributes = [
            (Checked::Valid(Semantic::Positions), geometry.positions),
            (Checked::Valid(Semantic::Normals), geometry.normals),
        ];
        self.root.push(Mesh {
            extensions: None,
            extras: Extras::default(),
            name: Some(name.to_string()),
            primitives: vec![Primitive {
                attributes: attributes.into(),
                extensions: None,
                extras: Extras::default(),
                indices: Some(geometry.faces),
                material: Some(paint),
                mode: Checked::Valid(gltf_json::mesh::Mode::Triangles),
                targets: None,
            }],
            weights: None,
        })
    }

    /// A node; its children move with it.
    pub fn node(&mut self, name: &str, mesh: Option<Painted>, children: &[Handle], at: &Transform) -> Handle {
        self.root.push(Node {
            name: Some(name.to_string()),
            mesh,
            // An empty list is not allowed (3.5).
            children: (!children.is_empty()).then(|| children.to_vec()),
            translation: Some(at.translation),
            rotation: Some(UnitQuaternion(at.rotation)),
            scale: Some(at.scale),
            ..Node::default()
        })
    }

    /// A node with a camera, which looks along its negative z axis with y upwards (3.10).
    pub fn camera(&mut self, name: &str, lens: Lens, at: &Transform) -> Handle {
        let (aspect, far, near) = (lens.aspect as f32, lens.far as f32, (NEAR * lens.far) as f32);
        let (kind, orthographic, perspective) = match lens.projection {
            Projection::Orthographic(half) => {
                let orthographic = camera::Orthographic {
                    xmag: aspect * half as f32,
                    ymag: half as f32,
                    zfar: far,
                    znear: near,
                    extensions: None,
                    extras: Extras::default(),
                };
                (camera::Type::Orthographic, Some(orthographic), None)
            }
            Projection::Perspective(field) => {
                let perspective = camera::Perspective {
                    aspect_ratio: Some(aspect),
                    yfov: field as f32,
                    zfar: Some(far),
                    znear: near,
                    extensions: None,
                    extras: Extras::default(),
                };
                (camera::Type::Perspective, None, Some(perspective))
            }
        };
        let camera = self.root.push(Camera {
            name: Some(name.to_string()),
            orthographic,
            perspective,
            type_: Checked::Valid(kind),
            extensions: None,
            extras: Extras::default(),
        });
        let node = self.node(name, None, &[], at);
        if let Some(node) = self.root.nodes.get_mut(node.value()) {
            node.camera = Some(camera);
        }
        node
    }

    /// Times for channels; not negative and ascending (3.11).
    ///
    /// # Errors
    /// Kind `NotFinite` for times that single precision cannot hold.
    pub fn timeline(&mut self, times: &[f32]) -> Result<Timeline> {
        let times: Vec<[f32; 1]> = times.iter().map(|&t| [t]).collect();
        self.floats(KEYS, &times, Type::Scalar, true)
    }

    /// Moves a node.
    ///
    /// # Errors
    /// Kind `NotFinite` for values that single precision cannot hold.
    pub fn animate(&mut self, node: Handle, timeline: Timeline, keys: &Keys) -> Result<()> {
        let (path, interpolation) = match keys {
            Keys::Translation(_) => (Property::Translation, Interpolation::Linear),
            Keys::Rotation(_) => (Property::Rotation, Interpolation::Linear),
            Keys::Scale(_) => (Property::Scale, Interpolation::Linear),
            Keys::Switch(_) => (Property::Scale, Interpolation::Step),
        };
        let output = match keys {
            Keys::Rotation(values) => self.floats(KEYS, values, Type::Vec4, false)?,
            Keys::Translation(values) | Keys::Scale(values) | Keys::Switch(values) => {
                self.floats(KEYS, values, Type::Vec3, false)?
            }
        };
        let sampler = Index::push(
            &mut self.samplers,
            Sampler {
                extensions: None,
                extras: Extras::default(),
                input: timeline,
                interpolation: Checked::Valid(interpolation),
                output,
            },
        );
        self.channels.push(Channel {
            sampler,
            target: Target {
                extensions: None,
                extras: Extras::default(),
                node,
                path: Checked::Valid(path),
            },
            extensions: None,
            extras: Extras::default(),
        });
        Ok(())
    }

    /// The file, with the tree under this node as its scene.
    ///
    /// # Errors
    /// Kind `Request` for a file of more than 4 GiB, which the format does not have.
    pub fn finish(mut self, name: &str, top: Handle) -> Result<Vec<u8>> {
        self.root.asset = Asset {
            generator: Some(format!("costate {}", env!("CARGO_PKG_VERSION"))),
            ..Asset::default()
        };
        let scene = self.root.push(Scene {
            extensions: None,
            extras: Extras::default(),
            name: Some(name.to_string()),
            nodes: vec![top],
        });
        self.root.scene = Some(scene);
        if !self.channels.is_empty() {
            self.root.push(Animation {
                extensions: None,
                extras: Extras::default(),
                channels: std::mem::take(&mut self.channels),
                name: Some(name.to_string()),
                samplers: std::mem::take(&mut self.samplers),
            });
        }
        let binary = self.join_views();
        let text = self.root.to_vec();
        let text = text.map_err(|error| Error::new(ErrorKind::File, format!("glTF cannot be written: {error}")))?;
        container(text, binary)
    }
}

/// From sRGB to the linear scale of glTF (IEC 61966-2-1).
fn linear(channel: u8) -> f32 {
    let value = f32::from(channel) / 255.0;
    if value <= 0.04045 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    }
}
