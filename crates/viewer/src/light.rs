//! Light, and the paper under it. Planar mechanisms are lit at the corners of their meshes: without a graphics card, light for every
//! pixel takes most of the time of a picture.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use kiss3d::camera::Camera3d;
use kiss3d::context::Context;
use kiss3d::light::{Light, LightCollection};
use kiss3d::post_processing::Tonemap;
use kiss3d::prelude::{Pose3, SceneNode3d, Vec3};
use kiss3d::resource::vertex_index::VERTEX_INDEX_FORMAT;
use kiss3d::resource::{
    GpuData, GpuMesh3d, Material3d, MaterialManager3d, PipelineCache, RenderContext, multisample_state,
};
use kiss3d::scene::{InstancesBuffer3d, ObjectData3d};
use kiss3d::window::Window;
use wgpu::VertexStepMode::{Instance, Vertex};

use super::camera::EXTENT;
use super::palette;

/// Directions and strengths of the lights. The first one casts shadows.
const LIGHTS: [([f32; 3], f32); 2] = [([-0.4, -0.7, -1.0], 1.1), ([0.8, 0.3, -0.4], 0.3)];
/// Light from everywhere.
const AMBIENT: f32 = 0.6;
/// Shadows of a light in space are drawn in so many parts of the view, by maps with so many points a side; each takes 8 MB.
const SHADOWS: u32 = 4;
const SHARPNESS: u32 = 1024;
/// What a dull surface sends to the eye of a light in front of it (Lambert).
const DULL: f32 = std::f32::consts::FRAC_1_PI;
const SHADER: &str = include_str!("light.wgsl");

/// How a node is lit.
pub(super) type Shading = Rc<RefCell<Box<dyn Material3d>>>;

/// Lights the stage.
pub(super) fn add(scene: &mut SceneNode3d) {
    for (k, (direction, strength)) in LIGHTS.into_iter().enumerate() {
        let light = Light::directional(direction.into()).with_intensity(strength);
        scene.add_light(light.with_casts_shadows(k == 0));
    }
}

/// Light and paper that every window has; colours stay as they are given.
pub(super) fn prepare(window: &mut Window) {
    window.set_background_color(palette::lit(palette::BACKGROUND));
    window.set_ambient(AMBIENT);
    window.set_tonemap(Tonemap::None);
    cast_shadows(window, true, 0.0);
}

/// Only mechanisms in space cast shadows, and need memory for them; as far as the stage reaches, which is at this distance.
pub(super) fn cast_shadows(window: &mut Window, is_planar: bool, distance: f32) {
    window.set_shadows_enabled(!is_planar);
    window.set_shadow_distance(distance + EXTENT as f32);
    window.set_shadow_resolution(SHARPNESS);
    window.set_shadow_atlas_layers(if is_planar { 1 } else { SHADOWS });
}

/// The shading of solids.
pub(super) fn shading(is_planar: bool) -> Shading {
    match is_planar {
        true => Rc::new(RefCell::new(Box::new(Corners::new()))),
        false => MaterialManager3d::get_global_manager(|known| known.get_default()),
    }
}

/// Light at the corners of meshes.
struct Corners {
    pipeline: PipelineCache,
    group: wgpu::BindGroup,
    /// From the stage to the picture, here and as it was written last.
    projection: wgpu::Buffer,
    written: [f32; 16],
}

impl Corners {
    fn new() -> Self {
        let context = Context::get();
        let layout = context.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::VERTEX,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Uniform,
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let projection = context.create_buffer_simple(None, size_of::<[f32; 16]>() as u64, usage);
        let group = context.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: projection.as_entire_binding(),
            }],
        });
        Self {
            pipeline: PipelineCache::new(move |samples| pipeline(&layout, samples)),
            group,
            projection,
            written: [0.0; 16],
        }
    }
}

/// The shader with the lights.
fn shader() -> String {
    let lights = LIGHTS.map(|(direction, strength)| {
        let [x, y, z] = (-Vec3::from(direction).normalize()).into();
        format!("{} * max(dot(upright, vec3f({x}, {y}, {z})), 0.0)", DULL * strength)
    });
    SHADER.replace("LIGHT", &format!("{AMBIENT} + {}", lights.join(" + ")))
}

fn pipeline(layout: &wgpu::BindGroupLayout, samples: u32) -> wgpu::RenderPipeline {
    let context = Context::get();
    let shader = context.create_shader_module(None, &shader());
    let layout = context.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    let buffer = |step_mode, attributes| {
        let attributes: &[wgpu::VertexAttribute] = attributes;
        Some(wgpu::VertexBufferLayout {
            array_stride: attributes.iter().map(|attribute| attribute.format.size()).sum(),
            step_mode,
            attributes,
        })
    };
    context.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &shader,
            entry_point: Some("corner"),
            buffers: &[
                buffer(Vertex, &wgpu::vertex_attr_array![0 => Float32x3]),
                buffer(Vertex, &wgpu::vertex_attr_array![1 => Float32x3]),
                buffer(Instance, &wgpu::vertex_attr_array![2 => Float32x3]),
                buffer(Instance, &wgpu::vertex_attr_array![3 => Float32x4]),
                buffer(
                    Instance,
                    &wgpu::vertex_attr_array![4 => Float32x3, 5 => Float32x3, 6 => Float32x3],
                ),
            ],
            compilation_options: Default::default(),
        },
        fragment: Some(wgpu::FragmentState {
            module: &shader,
            entry_point: Some("pixel"),
            targets: &[Some(Context::render_format().into())],
            compilation_options: Default::default(),
        }),
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: Context::depth_format(),
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Less),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: multisample_state(samples),
        multiview_mask: None,
        cache: None,
    })
}

impl Material3d for Corners {
    fn create_gpu_data(&self) -> Box<dyn GpuData> {
        Box::new(Nothing)
    }

    fn prepare(
        &mut self,
        pass: usize,
        _: Pose3,
        _: Vec3,
        camera: &mut dyn Camera3d,
        _: &LightCollection,
        _: &ObjectData3d,
        _: &mut dyn GpuData,
        _: u32,
        _: u32,
    ) {
        let (view, projection) = camera.view_transform_pair(pass);
        let projection = (projection * view.to_mat4()).to_cols_array();
        if self.written != projection {
            self.written = projection;
            let bytes = projection.map(f32::to_ne_bytes);
            Context::get().write_buffer(&self.projection, 0, bytes.as_flattened());
        }
    }

    fn render(
        &mut self,
        _: usize,
        _: Pose3,
        _: Vec3,
        _: &mut dyn Camera3d,
        _: &LightCollection,
        _: &ObjectData3d,
        mesh: &mut GpuMesh3d,
        instances: &mut InstancesBuffer3d,
        _: &mut dyn GpuData,
        pass: &mut wgpu::RenderPass<'_>,
        context: &RenderContext,
    ) {
        let lock = "no other thread draws";
        let mut places = mesh.coords().write().expect(lock);
        let mut normals = mesh.normals().write().expect(lock);
        let mut faces = mesh.faces().write().expect(lock);
        let InstancesBuffer3d {
            positions,
            colors,
            deformations,
            ..
        } = instances;
        let buffers = [
            places.ensure_on_gpu(),
            normals.ensure_on_gpu(),
            positions.ensure_on_gpu(),
            colors.ensure_on_gpu(),
            deformations.ensure_on_gpu(),
        ];
        for (slot, buffer) in (0..).zip(buffers) {
            let Some(buffer) = buffer else { return };
            pass.set_vertex_buffer(slot, buffer.slice(..));
        }
        let count = 3 * faces.len() as u32;
        let Some(corners) = faces.ensure_on_gpu() else { return };
        pass.set_index_buffer(corners.slice(..), VERTEX_INDEX_FORMAT);
        pass.set_pipeline(&self.pipeline.get(context.sample_count));
        pass.set_bind_group(0, &self.group, &[]);
        pass.draw_indexed(0..count, 0, 0..instances.len() as u32);
    }
}

/// What is kept of each node.
struct Nothing;

impl GpuData for Nothing {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
