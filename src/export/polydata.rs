//! The shapes as triangles at each time.

use std::sync::Arc;

use super::Motion;
use crate::appearance::{Material, Mesh, Unit, blocks};
use crate::output::vtk::PolyData;
use crate::run::Frame;

impl Motion<'_> {
    /// The shapes at each time, in order. Each triangle has the index of its name in `names` and of its material in
    /// `materials`.
    pub fn polydata(&self) -> impl Iterator<Item = PolyData> {
        let meshes: Vec<_> = self.show.appearance.meshes().collect();
        self.frames.iter().map(move |frame| self.polydata_at(frame, &meshes))
    }

    fn polydata_at(&self, frame: &Frame, meshes: &[(Unit, Arc<Mesh>)]) -> PolyData {
        let items = self.show.items_in(frame);
        let mut data = PolyData {
            time: frame.t,
            ..PolyData::default()
        };
        let (mut names, mut materials) = (Vec::new(), Vec::new());
        for block in blocks(&items, &self.show.scale.with_short_slabs()) {
            let Some((_, mesh)) = meshes.iter().find(|(unit, _)| *unit == block.unit) else {
                continue;
            };
            let first = data.points.len() as u32;
            let places = mesh
                .positions
                .iter()
                .map(|&at| <[f32; 3]>::from(block.place(at).map(|x| x as f32)));
            data.points.extend(places);
            data.faces.extend(mesh.faces.iter().map(|face| face.map(|i| i + first)));
            let material = Material::ALL.iter().position(|&material| material == block.material);
            names.resize(data.faces.len(), block.item as i32);
            materials.resize(data.faces.len(), material.map_or(-1, |index| index as i32));
            data.colours.resize(data.faces.len(), block.colour);
        }
        data.numbers = vec![("item".to_string(), names), ("material".to_string(), materials)];
        let model = self.show.model();
        let items = items.iter().map(|item| item.owner.name(model).to_string());
        let materials = Material::ALL.map(|material| material.name().to_string());
        data.texts = vec![
            ("items".to_string(), items.collect()),
            ("materials".to_string(), materials.to_vec()),
        ];
        data
    }
}
