//! The motion as animated binary glTF.

use std::collections::HashMap;
use std::sync::Arc;

use nalgebra::UnitQuaternion;

use super::Motion;
use super::track::{Piece, Track, tracks};
use crate::appearance::{Block, Material, Mesh, Rgb, Unit, Vector};
use crate::error::Result;
use crate::output::gltf::{Document, Geometry, Handle, Keys, Paint, Painted, Timeline, Transform};

/// How much of the size of a mechanism, of a turn (rad) or of a scale counts as motion: somewhat more than the rounding of
/// single precision.
const STILL: f32 = 1e-6;
/// Name of the camera.
const CAMERA: &str = "camera";
const ROUGHNESS: f32 = 0.6;

impl Motion<'_> {
    /// The file: a node per shape, named after what it belongs to, over a node per unit mesh. The nodes of points with mass,
    /// bars with mass and rigid bodies are their frames. The time of the animation begins at zero, and `speed` simulated
    /// seconds are one second of it; y is up. Lengths are scaled to metres at the topmost node.
    ///
    /// # Errors
    /// Kind `NotFinite` when a place does not fit into single precision; kind `Request` for a file of more than 4 GiB.
    pub fn glb(&self, speed: f64) -> Result<Vec<u8>> {
        let name = &self.show.experiment.name;
        let (times, kept) = self.single_times(speed);
        let mut writer = Writer {
            timeline: None,
            times,
            kept,
            document: Document::default(),
            geometries: HashMap::new(),
            paints: HashMap::new(),
            meshes: HashMap::new(),
            shapes: self.show.appearance.meshes().collect(),
            size: self.show.scale.extent() as f32,
        };
        let mut nodes = Vec::new();
        for track in tracks(self) {
            nodes.push(writer.track(&track)?);
        }
        let (lens, place) = self.camera();
        nodes.push(writer.document.camera(CAMERA, lens, &place));
        let upright = Transform {
            rotation: self.upright().coords.map(|x| x as f32).into(),
            scale: [self.show.model().metres() as f32; 3],
            ..Transform::default()
        };
        let top = writer.document.node(name, None, &nodes, &upright);
        writer.document.finish(name, top)
    }

    /// Times of the animation in single precision, ascending, and the states that they are of: of several that are equal
    /// in single precision the last.
    fn single_times(&self, speed: f64) -> (Vec<f32>, Vec<usize>) {
        let (mut times, mut kept) = (Vec::<f32>::new(), Vec::new());
        let first = self.frames.first().map_or(0.0, |frame| frame.t);
        for (k, frame) in self.frames.iter().enumerate() {
            let t = ((frame.t - first) / speed) as f32;
            if times.last().is_some_and(|&last| last >= t) {
                times.pop();
                kept.pop();
            }
            times.push(t);
            kept.push(k);
        }
        (times, kept)
    }

    /// From the ground frame to that of glTF: a spatial mechanism is turned until up is y.
    fn upright(&self) -> UnitQuaternion<f64> {
        if self.show.is_planar() {
            return UnitQuaternion::identity();
        }
        let turn = UnitQuaternion::rotation_between(&self.show.up(), &Vector::y());
        turn.unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector::x_axis(), std::f64::consts::PI))
    }
}

struct Writer {
    document: Document,
    times: Vec<f32>,
    /// The states of these times.
    kept: Vec<usize>,
    /// Written with the first thing that moves.
    timeline: Option<Timeline>,
    geometries: HashMap<Unit, Geometry>,
    paints: HashMap<(Material, Rgb), Paint>,
    meshes: HashMap<(Unit, Material, Rgb), Painted>,
    /// The meshes that blocks are of.
    shapes: Vec<(Unit, Arc<Mesh>)>,
    /// Size of the mechanism.
    size: f32,
}

impl Writer {
    fn track(&mut self, track: &Track) -> Result<Handle> {
        let mut children = Vec::with_capacity(track.pieces.len());
        for piece in &track.pieces {
            children.push(self.piece(piece, &track.name)?);
        }
        let seen: Vec<bool> = self.kept.iter().map(|&k| track.visible[k]).collect();
        let factor = |seen: bool| [if seen { 1.0 } else { 0.0 }; 3];
        let first = track.carried.first().copied().unwrap_or_default();
        let start = Transform {
            scale: factor(seen.first().copied().unwrap_or(true)),
            ..first
        };
        let node = self.document.node(&track.name, None, &children, &start);
        self.animate(node, &track.carried, false)?;
        let changes: Vec<usize> = (0..seen.len()).filter(|&k| k == 0 || seen[k] != seen[k - 1]).collect();
        if changes.len() > 1 {
            let times: Vec<f32> = changes.iter().map(|&k| self.times[k]).collect();
            let timeline = self.document.timeline(&times)?;
            let values = changes.iter().map(|&k| factor(seen[k])).collect();
            self.document.animate(node, timeline, &Keys::Switch(values))?;
        }
        Ok(node)
    }

    fn piece(&mut self, piece: &Piece, name: &str) -> Result<Handle> {
        let mesh = self.mesh(piece)?;
        let start = piece.moves.first().copied().unwrap_or_default();
        let name = format!("{name} ({})", piece.block.material.name());
        let node = self.document.node(&name, Some(mesh), &[], &start);
        self.animate(node, &piece.moves, true)?;
        Ok(node)
    }

    /// Channels for what changes; a single transform stays.
    fn animate(&mut self, node: Handle, moves: &[Transform], scales: bool) -> Result<()> {
        let moves: Vec<Transform> = self.kept.iter().filter_map(|&k| moves.get(k).copied()).collect();
        if moves.len() < self.kept.len() {
            return Ok(());
        }
        let translations: Vec<_> = moves.iter().map(|at| at.translation).collect();
        let rotations: Vec<_> = moves.iter().map(|at| at.rotation).collect();
        let scale: Vec<_> = moves.iter().map(|at| at.scale).collect();
        let largest = scale.iter().flatten().fold(0.0, |largest: f32, x| largest.max(x.abs()));
        let keys = [
            moves_by(&translations, STILL * self.size).then_some(Keys::Translation(translations)),
            moves_by(&rotations, STILL).then_some(Keys::Rotation(rotations)),
            (scales && moves_by(&scale, STILL * largest)).then_some(Keys::Scale(scale)),
        ];
        for keys in keys.iter().flatten() {
            let timeline = self.timeline()?;
            self.document.animate(node, timeline, keys)?;
        }
        Ok(())
    }

    fn timeline(&mut self) -> Result<Timeline> {
        match self.timeline {
            Some(timeline) => Ok(timeline),
            None => Ok(*self.timeline.insert(self.document.timeline(&self.times)?)),
        }
    }

    fn mesh(&mut self, piece: &Piece) -> Result<Painted> {
        let Block {
            unit, material, colour, ..
        } = piece.block;
        let shape = match unit {
            Unit::Given(index) => format!("shape {}", index + 1),
            _ => format!("{unit:?}").to_lowercase(),
        };
        let name = format!("{} {shape}", material.name());
        let paint = self.paint(material, colour);
        if unit == Unit::Prism {
            let geometry = self.add(&unit.mesh().stretched(&piece.block.axes))?;
            return Ok(self.document.mesh(&name, geometry, paint));
        }
        if let Some(mesh) = self.meshes.get(&(unit, material, colour)) {
            return Ok(*mesh);
        }
        let geometry = match self.geometries.get(&unit) {
            Some(geometry) => *geometry,
            None => self.add(&self.shape(unit))?,
        };
        self.geometries.insert(unit, geometry);
        let mesh = self.document.mesh(&name, geometry, paint);
        self.meshes.insert((unit, material, colour), mesh);
        Ok(mesh)
    }

    fn shape(&self, unit: Unit) -> Arc<Mesh> {
        let known = self.shapes.iter().find(|(known, _)| *known == unit);
        known.map_or_else(Arc::default, |(_, mesh)| mesh.clone())
    }

    fn add(&mut self, mesh: &Mesh) -> Result<Geometry> {
        let single =
            |vectors: &[Vector]| -> Vec<[f32; 3]> { vectors.iter().map(|v| v.map(|x| x as f32).into()).collect() };
        self.document
            .geometry(&single(&mesh.positions), &single(&mesh.normals), &mesh.faces)
    }

    fn paint(&mut self, material: Material, colour: Rgb) -> Paint {
        let document = &mut self.document;
        let new = || document.paint(material.name(), colour, ROUGHNESS);
        *self.paints.entry((material, colour)).or_insert_with(new)
    }
}

/// Whether any component differs from the first value by more than this.
fn moves_by<const N: usize>(values: &[[f32; N]], least: f32) -> bool {
    let Some(first) = values.first() else { return false };
    values
        .iter()
        .any(|value| value.iter().zip(first).any(|(a, b)| (a - b).abs() > least))
}
