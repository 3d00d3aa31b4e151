//! From the text of a scene file to its checked description.
//!
//! [`read()`] takes a file and [`parse`] a text to a [`SceneFile`]: the plain data of [`schema`] together with the source
//! text, so that whatever is found wrong later can still be shown at its place in the file. The format is described for
//! users in `docs/scene-format.md`.

mod beside;
mod bytes;
pub mod compile;
pub mod compiled;
mod data;
mod fields;
mod folder;
mod locate;
mod read;
mod repeat;
mod rewrite;
mod scene_file;
pub mod schema;
mod shape_file;
mod urdf;

pub use beside::inputs;
pub use compile::{Overrides, compile, touches};
pub use compiled::{Compiled, PenaltySettings, Settings};
pub use data::DataFile;
pub use fields::{PartOf, with_fields};
pub use locate::locate;
pub use read::{parse, parse_with, read, read_with, recounted};
pub use rewrite::{with_data, with_values};
pub use scene_file::SceneFile;
pub use shape_file::ShapeFile;
