//! The Jacobian that differences give.

use costate::hybrid::{At, HybridSystem};
use divan::black_box;

use super::Prepared;

/// One-sided differences of the flow: one evaluation per state and one more; row-major.
pub fn jacobian_by_differences(prepared: &mut Prepared, jacobian: &mut [f64]) {
    let Prepared {
        mechanism,
        workspace,
        mode,
        x,
        ..
    } = prepared;
    let n = x.len();
    let (mut base, mut shifted) = (vec![0.0; n], vec![0.0; n]);
    mechanism
        .flow(At::new(0.0, mode, black_box(x)), workspace, &mut base)
        .expect("it moves");
    for j in 0..n {
        let (value, step) = (x[j], 1e-8 * x[j].abs().max(1.0));
        x[j] = value + step;
        mechanism
            .flow(At::new(0.0, mode, x), workspace, &mut shifted)
            .expect("it moves");
        x[j] = value;
        for i in 0..n {
            jacobian[i * n + j] = (shifted[i] - base[i]) / step;
        }
    }
}
