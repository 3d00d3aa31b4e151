//! Where points and bodies are, as a table.

use super::Motion;
use crate::appearance::{Moving, Placement};
use crate::output::Table;

impl Motion<'_> {
    /// A row per time and point, bar or rigid body: time, name, kind, place in metres, and orientation as a unit quaternion
    /// from its frame to the ground frame.
    pub fn poses(&self, name: &str) -> Table {
        let moving = Moving::all(self.show.model());
        let mut placements: Vec<Placement> = Vec::new();
        let mut rows = Vec::with_capacity(moving.len() * self.frames.len());
        for frame in &self.frames {
            placements = self.show.placements(&moving, frame, &placements);
            rows.extend(moving.iter().zip(&placements).map(|(moving, placement)| {
                let [x, y, z] = placement.at.into();
                let [qx, qy, qz, qw] = placement.rotation.coords.into();
                let texts = [frame.t.to_string(), moving.name.clone(), moving.kind().to_string()];
                // The sum has no negative zero.
                let numbers = [x, y, z, qw, qx, qy, qz].map(|value: f64| (value + 0.0).to_string());
                texts.into_iter().chain(numbers).collect()
            }));
        }
        Table::new(name, ["t", "name", "kind", "x", "y", "z", "qw", "qx", "qy", "qz"], rows)
    }
}
