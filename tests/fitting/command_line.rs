//! The `optimize` command on measured data, as a process.

use std::process::Command;

use serde_json::Value;

use crate::support::{close, scenes};

fn costate(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_costate"))
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_results_of_a_fit_are_files_that_can_be_used_where_they_are() {
    let scene = scenes().join("bouncing_ball_fit.ron");
    let folder = tempfile::tempdir().unwrap();
    let (scene, out) = (scene.to_str().unwrap(), folder.path().to_str().unwrap());
    let found: Value = serde_json::from_str(&costate(&["optimize", scene, "--json", "--out", out])).unwrap();
    let fit = &found["fit"];
    assert_eq!(
        (&found["solver"], &fit["deviations"]),
        (&"gauss-newton".into(), &"given".into())
    );
    assert_eq!(fit["degrees_of_freedom"], 4);
    close(
        "standard error",
        fit["standard_errors"]["e"].as_f64().unwrap(),
        0.00047981530,
        1e-9,
    );
    close("correlation", fit["correlations"][0][1].as_f64().unwrap(), 0.9627, 1e-4);
    let points = fit["data"][0]["points"].as_array().unwrap();
    assert_eq!(
        (points.len(), &points[5]["occurrence"], &points[5]["line"]),
        (6, &6.into(), &9.into())
    );
    let residuals = std::fs::read_to_string(folder.path().join("residuals.csv")).unwrap();
    assert_eq!(residuals.lines().count(), 7);
    for file in ["fit-events.svg", "fit-events.png", "convergence.svg"] {
        assert!(folder.path().join(file).is_file(), "{file}");
    }
    let optimized = folder.path().join("optimized.ron");
    let again: Value = serde_json::from_str(&costate(&["run", optimized.to_str().unwrap(), "--json"])).unwrap();
    let misfit = again["objectives"]["misfit"].as_f64().unwrap();
    close("misfit", misfit, found["final"]["value"].as_f64().unwrap(), 1e-9);
}

#[test]
fn the_summary_says_what_the_data_say() {
    let scene = scenes().join("bouncing_ball_fit.ron");
    let words = costate(&["optimize", scene.to_str().unwrap()]);
    for part in [
        "6 measured values, 4 degrees of freedom",
        "e                               0.800231250 +- 0.000479815",
        "g and e have the correlation 0.9627",
    ] {
        assert!(words.contains(part), "{words}");
    }
}
