//! Shows what other modules computed: tables and plots. No mathematics here.

mod atomic;
mod folder;
mod plot;
mod recording;
mod tables;

pub use folder::check_folder;
pub use plot::{Curve, Figure, Mark, Panel, render_png, render_svg};
pub use recording::{Energy, EventMark, Recording, Series};

use std::path::{Path, PathBuf};

use crate::error::Result;
use atomic::Batch;

/// Writes tables and plots of a recording into a folder, which is created when missing; returns the files.
///
/// Every file is written under a temporary name first: either all of them appear or none.
///
/// # Errors
/// Kind `File` when the folder or a file cannot be written; kind `NotFinite` naming an output that cannot be drawn;
/// kind `Request` naming an output with a number of values other than that of the times.
pub fn write_all(recording: &Recording, folder: &Path) -> Result<Vec<PathBuf>> {
    recording.check()?;
    let mut batch = Batch::new(folder)?;
    batch.add("outputs.csv", &tables::outputs(recording)?)?;
    batch.add("events.csv", &tables::events(recording)?)?;
    batch.add("energy.csv", &tables::energy(recording)?)?;
    for (name, figure) in plot::figures(recording) {
        batch.add(&format!("{name}.svg"), render_svg(&figure)?.as_bytes())?;
        batch.add(&format!("{name}.png"), &render_png(&figure)?)?;
    }
    batch.commit()
}
