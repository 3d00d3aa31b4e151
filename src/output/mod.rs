//! Shows what other modules computed: tables and plots. No mathematics here.

pub mod animation;
mod apng;
mod excerpt;
mod gif;
pub mod gltf;
pub mod image;
mod mp4;
pub mod page;
mod plot;
mod tables;
pub mod vtk;

pub use excerpt::Excerpt;
pub use plot::{
    Curve, Drawing, Figure, Map, Mark, Panel, Pattern, Places, Plane, Strip, comparison, figures, plain, render_png,
    render_svg,
};
pub use tables::{Table, cell};

use std::path::PathBuf;

use crate::error::Result;
use crate::files::{Batch, OutFolder};
use crate::run::{Recording, Sensitivities};

/// Writes tables and plots of a recording into a folder, which is created when missing; returns the files.
///
/// Every file is written under a temporary name first: either all of them appear or none.
///
/// # Errors
/// Kind `File` when the folder or a file cannot be written, or would replace one that it is made from; kind `NotFinite` naming an output that cannot be drawn;
/// kind `Request` naming an output with a number of values other than that of the times.
pub fn write_all(recording: &Recording, folder: impl Into<OutFolder>) -> Result<Vec<PathBuf>> {
    write_with(recording, &[], folder)
}

/// The same with further figures by file stem.
///
/// # Errors
/// As [`write_all`].
pub fn write_with(
    recording: &Recording,
    figures: &[(String, Figure)],
    folder: impl Into<OutFolder>,
) -> Result<Vec<PathBuf>> {
    recording.check()?;
    let own = plot::figures(recording).into_iter();
    let figures: Vec<(String, Figure)> = own.chain(figures.iter().cloned()).collect();
    write_files(&tables::of_recording(recording), &figures, &[], folder)
}

/// Writes tables and plots of sensitivities, with further tables and figures by file stem, as [`write_all`] does; those of one side
/// of a parameter as tables alone, which have its name.
///
/// # Errors
/// As [`write_all`].
pub fn write_sensitivities(
    sensitivities: &[Sensitivities],
    tables: &[Table],
    figures: &[(String, Figure)],
    folder: impl Into<OutFolder>,
) -> Result<Vec<PathBuf>> {
    sensitivities.iter().try_for_each(Sensitivities::check)?;
    let of_all = sensitivities.iter().flat_map(tables::of_sensitivities);
    let tables: Vec<Table> = of_all.chain(tables.iter().cloned()).collect();
    let in_common = sensitivities.iter().filter(|found| found.side.is_none());
    let figures = in_common
        .flat_map(plot::sensitivity_figures)
        .chain(figures.iter().cloned());
    let figures: Vec<(String, Figure)> = figures.collect();
    write_files(&tables, &figures, &[], folder)
}

/// Writes tables, drawings by file stem and texts by file name, as [`write_all`] does.
///
/// # Errors
/// Kind `File` when the folder or a file cannot be written; kind `NotFinite` naming a curve that cannot be drawn.
pub fn write_files<D: Clone + Into<Drawing>>(
    tables: &[Table],
    drawings: &[(String, D)],
    texts: &[(String, String)],
    folder: impl Into<OutFolder>,
) -> Result<Vec<PathBuf>> {
    let mut batch = Batch::new(folder)?;
    for table in tables {
        batch.add(&format!("{}.csv", table.name), &table.to_csv()?)?;
    }
    for (name, drawing) in drawings.iter().cloned() {
        let drawing = drawing.into();
        batch.add(&format!("{name}.svg"), render_svg(&drawing)?.as_bytes())?;
        batch.add(&format!("{name}.png"), &render_png(&drawing)?)?;
    }
    for (name, text) in texts {
        batch.add(name, text.as_bytes())?;
    }
    batch.commit()
}
