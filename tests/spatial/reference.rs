//! Tops, a gear pair, a screw, spatial slider-cranks, a body that strikes a plane, a robot, a body on a bushing, and linkages that move although their joints leave no
//! freedom by count, against values and gradients of two independent programs, in their own parameters.

use std::path::Path;

use costate::run::{Experiment, Method};
use serde_json::Value;

use crate::support::tolerances;

/// Worst error of the values, and of the gradients over the largest entry of their row.
fn errors(name: &str, method: Method) -> [f64; 2] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let text = std::fs::read_to_string(folder.join("spatial/references.json")).unwrap();
    let reference = serde_json::from_str::<Value>(&text).unwrap()[name].take();
    let mut changes = tolerances(1e-12, 1e-14);
    changes.duration = reference["at"].as_f64();
    let experiment = Experiment::open(&folder.join(format!("scenes/spatial/{name}.ron")), &changes).unwrap();
    let report = experiment.gradient(method).unwrap();
    let mut worst = [0.0_f64; 2];
    let values = reference["values"].as_object().unwrap();
    assert_eq!(values.len(), report.objectives.len());
    for objective in &report.objectives {
        let want = values[&objective.name].as_f64().unwrap();
        worst[0] = worst[0].max((objective.value - want).abs() / want.abs().max(1.0));
        // The energy of the robot has a value only.
        let Some(row) = reference["gradients"][&objective.name].as_object() else {
            continue;
        };
        // Parameters that follow from those of the reference are not among them.
        let wanted = |parameter: &String| row[parameter].as_f64().unwrap();
        let known = report
            .parameters
            .iter()
            .zip(&objective.gradient)
            .filter(|(p, _)| row.contains_key(*p));
        assert_eq!(known.clone().count(), row.len());
        let scale = known.clone().map(|(p, _)| wanted(p).abs()).fold(0.0, f64::max);
        // Rows of zeros, up to rounding.
        let scale = if scale < 1e-12 { 1.0 } else { scale };
        for (parameter, slope) in known {
            worst[1] = worst[1].max((slope - wanted(parameter)).abs() / scale);
        }
    }
    worst
}

#[test]
fn values_and_gradients_are_those_of_the_references() {
    for name in [
        "top_asymmetric",
        "tennis_racket",
        "gear_pair",
        "screw_joint",
        "slider_crank_3d",
        "slider_crank_3d_tilted_axis",
        "box_corner_impact",
        "robot_arm_xarm7",
        "bushing_large_motion",
        "bennett",
        "bricard",
        "bricard_of_balls",
    ] {
        for method in [Method::Adjoint, Method::Forward] {
            let [values, gradients] = errors(name, method);
            assert!(values < 1e-9, "{name} {method}: values {values:e}");
            assert!(gradients < 1e-8, "{name} {method}: gradients {gradients:e}");
        }
    }
}
