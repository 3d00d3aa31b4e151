//! What the shipped scenes cost: `cargo bench --bench scenes` in this folder prints the table of `docs/performance.md`.
//!
//! Of each scene a right-hand side, also over its coordinates and constraint rows together; then in simulations the gradient of
//! its first objective by the adjoint, what each further objective adds, and what the forward method adds for each parameter.
//! Every time is the fastest of some.

use std::path::Path;

use costate::run::{Changes, Experiment, Method};
use costate_benches::timing::{gradient, motion, right_hand_side};

fn main() {
    println!("| scene | coordinates, rows | right-hand side | a row | adjoint | objective | parameter |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes");
    let files = std::fs::read_dir(folder).expect("the scenes are there");
    let mut paths: Vec<_> = files.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ron"));
    paths.sort();
    let asked: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    for path in paths {
        let name = path
            .file_stem()
            .expect("a file has a name")
            .to_string_lossy()
            .into_owned();
        if asked.is_empty() || asked.contains(&name) {
            let file = costate::scene::read(&path).expect("the scene is sound");
            let experiment = Experiment::new(&file, &Changes::default()).expect("the scene compiles");
            print(&name, experiment);
        }
    }
}

fn print(name: &str, mut experiment: Experiment) {
    let (coordinates, rows, flow) = right_hand_side(&experiment);
    let per_row = flow / (coordinates + rows) as f64;
    let times = simulations(&mut experiment).map_or_else(
        |error| format!("{error} | |"),
        |[first, further, parameter]| format!("{first:.2} | {further:.2} | {parameter:.2}"),
    );
    println!(
        "| {name} | {coordinates}, {rows} | {:.2} us | {:.0} ns | {times} |",
        1e6 * flow,
        1e9 * per_row
    );
}

/// In simulations: the adjoint of the first objective, each further objective, and a parameter of the forward method.
fn simulations(experiment: &mut Experiment) -> costate::error::Result<[f64; 3]> {
    let run = motion(experiment)?;
    let all = gradient(experiment, Method::Adjoint)?;
    let forward = gradient(experiment, Method::Forward)?;
    let (objectives, parameters) = {
        let model = &experiment.mechanism.model;
        (model.objectives.len(), model.parameters.len())
    };
    for objective in experiment.mechanism.model.objectives.iter_mut().skip(1) {
        objective.wanted = false;
    }
    let first = gradient(experiment, Method::Adjoint)?;
    Ok([
        first / run,
        (all - first) / run / (objectives - 1).max(1) as f64,
        (forward / run - 1.0) / parameters.max(1) as f64,
    ])
}
