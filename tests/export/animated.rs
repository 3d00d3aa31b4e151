//! Reads animated glTF as a viewer does.

use std::collections::HashMap;

use gltf::animation::Interpolation;
use gltf::animation::util::ReadOutputs;
use gltf::{Document, Gltf};
use nalgebra::{Matrix4, Quaternion, Translation3, UnitQuaternion, Vector3, Vector4};

/// Keys of one channel: times, values, whether they stay until the next.
pub struct Channel {
    pub times: Vec<f32>,
    pub values: Vec<Vec<f32>>,
    pub is_step: bool,
    path: Path,
}

#[derive(Clone, Copy, PartialEq)]
enum Path {
    Translation,
    Rotation,
    Scale,
}

/// A file with its animation.
pub struct Animated {
    pub document: Document,
    pub blob: Vec<u8>,
    /// By node.
    pub channels: Vec<(usize, Channel)>,
    parents: HashMap<usize, usize>,
}

impl Animated {
    /// Reads and validates.
    pub fn read(bytes: &[u8]) -> Self {
        let Gltf { document, blob } = Gltf::from_slice(bytes).expect("a valid file");
        let blob = blob.unwrap_or_default();
        let animations = document.animations();
        let channels = animations.flat_map(|animation| {
            let read: Vec<_> = animation.channels().map(|channel| read(&channel, &blob)).collect();
            read
        });
        let channels = channels.collect();
        let parents = document.nodes().flat_map(|node| {
            let children: Vec<_> = node.children().map(|child| (child.index(), node.index())).collect();
            children
        });
        Self {
            channels,
            parents: parents.collect(),
            document,
            blob,
        }
    }

    /// Indices of the nodes with this name.
    pub fn named(&self, name: &str) -> Vec<usize> {
        let nodes = self.document.nodes().filter(|node| node.name() == Some(name));
        nodes.map(|node| node.index()).collect()
    }

    /// Where the only node with this name takes a place at a time.
    pub fn place(&self, name: &str, t: f64, at: [f32; 3]) -> [f64; 3] {
        let nodes = self.named(name);
        assert_eq!(nodes.len(), 1, "nodes with the name {name}");
        let place = self.world(nodes[0], t) * Vector4::new(at[0], at[1], at[2], 1.0);
        [place.x, place.y, place.z].map(f64::from)
    }

    /// The transform of a node with all above it.
    pub fn world(&self, node: usize, t: f64) -> Matrix4<f32> {
        let own = self.local(node, t as f32);
        match self.parents.get(&node) {
            Some(&parent) => self.world(parent, t) * own,
            None => own,
        }
    }

    fn local(&self, node: usize, t: f32) -> Matrix4<f32> {
        let of_node = self.document.nodes().nth(node).expect("a node");
        let (mut translation, mut rotation, mut scale) = of_node.transform().decomposed();
        for (_, channel) in self.channels.iter().filter(|(of, _)| *of == node) {
            let value = channel.at(t);
            match channel.path {
                Path::Translation => translation.copy_from_slice(&value),
                Path::Rotation => rotation.copy_from_slice(&value),
                Path::Scale => scale.copy_from_slice(&value),
            }
        }
        let rotation = UnitQuaternion::new_unchecked(Quaternion::from(Vector4::from(rotation)));
        Translation3::from(translation).to_homogeneous()
            * rotation.to_homogeneous()
            * Matrix4::new_nonuniform_scaling(&Vector3::from(scale))
    }
}

impl Channel {
    pub fn is_rotation(&self) -> bool {
        self.path == Path::Rotation
    }

    fn at(&self, t: f32) -> Vec<f32> {
        let next = self.times.partition_point(|&time| time <= t).min(self.times.len() - 1);
        let before = next.saturating_sub(1);
        let (a, b) = (&self.values[before], &self.values[next]);
        if t >= self.times[next] {
            return b.clone();
        }
        if self.is_step || t <= self.times[before] {
            return a.clone();
        }
        let part = (t - self.times[before]) / (self.times[next] - self.times[before]);
        let between = a.iter().zip(b).map(|(a, b)| a + part * (b - a));
        // Neighbours are so close that the straight line is as good as the arc.
        match self.path {
            Path::Rotation => {
                let between: Vec<f32> = between.collect();
                let norm = between.iter().map(|x| x * x).sum::<f32>().sqrt();
                between.iter().map(|x| x / norm).collect()
            }
            _ => between.collect(),
        }
    }
}

fn read(channel: &gltf::animation::Channel, blob: &[u8]) -> (usize, Channel) {
    let reader = channel.reader(|_| Some(blob));
    let vectors = |values: &mut dyn Iterator<Item = [f32; 3]>| values.map(|value| value.to_vec()).collect();
    let (path, values): (_, Vec<Vec<f32>>) = match reader.read_outputs().expect("values") {
        ReadOutputs::Translations(mut values) => (Path::Translation, vectors(&mut values)),
        ReadOutputs::Scales(mut values) => (Path::Scale, vectors(&mut values)),
        ReadOutputs::Rotations(values) => (Path::Rotation, values.into_f32().map(|value| value.to_vec()).collect()),
        ReadOutputs::MorphTargetWeights(_) => panic!("nothing is morphed"),
    };
    let read = Channel {
        times: reader.read_inputs().expect("times").collect(),
        values,
        is_step: channel.sampler().interpolation() == Interpolation::Step,
        path,
    };
    (channel.target().node().index(), read)
}
