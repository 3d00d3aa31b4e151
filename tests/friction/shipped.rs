//! Shipped scenes with friction give the values of their headers.

use crate::support::{close, objective, report, shipped, tight, times};

#[test]
fn the_clutch_slips_holds_and_slips() {
    let found = report(&shipped("clutch", &tight()));
    let kinds: Vec<&str> = found.events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["switch", "stick", "switch", "slip"]);
    for (time, wanted) in times(&found).into_iter().zip([1.0, 4.0, 4.75, 6.75]) {
        close("time", time, wanted, 1e-10);
    }
    close("sticks", objective(&found, "sticks"), 4.0, 1e-10);
    close("slips", objective(&found, "slips"), 6.75, 1e-10);
    close("motor", objective(&found, "motor at the end"), 14.0, 1e-9);
    close("load", objective(&found, "load at the end"), 11.75, 1e-9);
    // From s = 2 on the slip velocity is the integral of (c s - T)/I2, that is (c s^2/2 - 2 s + 1.5)/I2.
    let slip = |s: f64| (1.25 * s * s * s / 6.0 - s * s + 1.5 * s) / 0.5;
    close(
        "heat",
        objective(&found, "heat"),
        36.0 + 2.0 * (slip(3.0) - slip(2.0)),
        1e-9,
    );
}

#[test]
fn the_slider_crank_and_the_five_bar_have_their_values() {
    let found = report(&shipped("slider_crank_friction", &tight()));
    for (name, wanted) in [
        ("angle", 11.212344664790207),
        ("speed", 24.48683894150008),
        ("heat", 0.7874675635327408),
        ("normal force", 8.221417721157419),
    ] {
        close(name, objective(&found, name), wanted, 1e-9);
    }
    let found = report(&shipped("five_bar_friction", &tight()));
    for (name, wanted) in [
        ("x2", -0.8331218274938534),
        ("y2", -2.336736050103951),
        ("vx2", -5.327504948401915),
        ("vy2", -0.057551394461011825),
        ("taken by impacts", 60.229029102439846),
    ] {
        close(name, objective(&found, name), wanted, 1e-8);
    }
}

#[test]
fn the_box_stops_where_integrations_of_its_own_do() {
    let found = report(&shipped("spinning_box", &tight()));
    close("time", times(&found)[0], 0.844_843_155_183, 1e-10);
    close("x", objective(&found, "x"), 0.943_035_707_845, 1e-10);
    close("y", objective(&found, "y"), -0.049_162_693_637, 1e-10);
    // What it moves with at the start.
    close("heat", objective(&found, "heat"), 4.0 + 0.52 / 12.0 * 64.0, 1e-10);
    // The corner that the others carry touches all the time, which is no near miss.
    let margins = shipped("spinning_box", &tight()).margins().unwrap();
    let nearest = &margins.near_misses[0];
    assert!(nearest.clearance > 1.0, "{nearest:?}");
}
