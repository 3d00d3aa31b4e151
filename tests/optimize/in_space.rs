//! A crank and a rocker in space whose lengths follow from an output curve in closed form.

use crate::{open, solved};

#[test]
fn lengths_in_space_are_found_from_their_output_curve() {
    let found = solved(&open("rssr_synthesis"), None);
    assert!(found.best.value < 1e-9, "{:e}", found.best.value);
    assert!(found.simulations < 100, "{}", found.simulations);
    for (length, wanted) in found.best.parameters.iter().zip([0.4, 0.9, 1.5, 0.3, 0.5]) {
        assert!((length - wanted).abs() < 1e-5, "{length} {wanted}");
    }
}
