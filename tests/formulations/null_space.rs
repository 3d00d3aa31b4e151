//! The null-space basis: orthonormal in the metric of the sizes, and no constraint resists it.

use costate::formulation::Formulation;
use costate::hybrid::{At, HybridSystem};
use costate::mechanism::FormulationChoice::Nullspace;

use super::agreement::each_state;

#[test]
fn the_basis_is_orthonormal_and_lies_in_the_null_space() {
    let mut most = 0;
    each_state(121, |system, mode, x| {
        let mechanism = system.mechanism(Nullspace);
        let mut workspace = mechanism.workspace();
        mechanism
            .evaluate_motion(At::new(system.t, mode, x), false, &mut workspace)
            .expect("it moves");
        let Formulation::Nullspace(formulation) = &workspace.formulation else {
            panic!("{:?}", workspace.formulation)
        };
        let nv = system.model.nq();
        let dof = formulation.degrees_of_freedom();
        assert_eq!(dof, nv - mode.independent.len(), "{}", system.name);
        let basis: Vec<Vec<f64>> = (0..dof).map(|i| formulation.null_vector(i)).collect();
        for (i, a) in basis.iter().enumerate() {
            assert_eq!(a.len(), nv);
            let weighed = formulation.weighed(a);
            for (j, b) in basis.iter().enumerate() {
                let product: f64 = weighed.iter().zip(b).map(|(a, b)| a * b).sum();
                assert!(
                    (product - f64::from(u8::from(i == j))).abs() < 1e-14,
                    "{}: ({i}, {j}) {product}",
                    system.name
                );
            }
            // Every row, also those that were found dependent on the others, on the constraints.
            for &row in &mode.independent {
                let row = workspace.terms.jacobian.row(row);
                let moved: f64 = row.dot(a);
                let length = row.square().sqrt();
                assert!(
                    moved.abs() < 1e-14 * length,
                    "{}: a row feels vector {i} by {moved:e}",
                    system.name
                );
            }
        }
        most = most.max(dof);
    });
    assert!(most >= 3, "{most}");
}

#[test]
fn on_the_constraints_the_velocity_is_kept_and_off_them_its_violation_removed() {
    each_state(122, |system, mode, x| {
        let mechanism = system.mechanism(Nullspace);
        let mut workspace = mechanism.workspace();
        let mut dx = vec![0.0; x.len()];
        mechanism
            .flow(At::new(system.t, mode, x), &mut workspace, &mut dx)
            .expect("it moves");
        let nv = system.model.nq();
        let terms = &workspace.terms;
        for &row in &mode.independent {
            let along: f64 = terms.jacobian.row(row).dot(&dx[..nv]);
            let open = along + terms.c_t[row];
            assert!(open.abs() < 1e-12, "{}: row {row} opens at {open:e}", system.name);
        }
    });
}
