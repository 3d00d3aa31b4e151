//! The sparse matrices that users get are those of the equations of motion, and L has no entries beside its pattern.

mod support;

use costate::hybrid::{At, HybridSystem};
use costate::linear::FactorPattern;
use costate::mechanism::Matrices;

use support::{chain, experiment, planar, tight, with_by};

/// A square net of bars and weights that hangs from a corner, with a spring.
fn net(by: &str) -> String {
    let scene = planar(
        1.0,
        r#"gravity: [0, -9.81], constants: { "n": 3 }, ground: { "N[0,0]": [0, 0] },
        points: { "N[0, j = 1..n]": (at: [0, "-j"]), "N[i = 1..n, j = 0..n]": (at: ["i", "-j"], mass: 0.2) },
        bodies: {
            "across[i = 1..n, j = 0..n]": Bar(from: "N[i-1, j]", to: "N[i, j]", length: 1, mass: 1.5),
            "down[i = 0..n, j = 1..n]": Bar(from: "N[i, j-1]", to: "N[i, j]", length: 1),
        },
        forces: { "s": Spring(from: "N[0,0]", to: "N[n,n]", stiffness: 3, natural_length: 1) },
        objectives: { "x": Final("N[n,n].x") },"#,
    );
    with_by(&scene, by)
}

fn links(by: &str) -> String {
    chain(20, 0.5, by)
}

/// A dense matrix by rows.
type Dense = Vec<Vec<f64>>;

/// Those that users get, the dense K, and the pattern of its factor.
fn matrices(scene: &str) -> (Matrices, Dense, Option<FactorPattern>) {
    let experiment = experiment(scene, &tight());
    let mechanism = &experiment.mechanism;
    let mut workspace = mechanism.workspace();
    let started = mechanism.start(0.0, &mut workspace).expect("it closes");
    let (at, nv) = (At::new(0.0, &started.mode, &started.x), mechanism.model.nv());
    let pattern = mechanism.factor_pattern(at, &mut workspace);
    let sparse = mechanism.matrices(at, &mut workspace);
    let terms = &workspace.terms;
    let [mass, rows] = [terms.mass.dense(nv), terms.jacobian.dense(started.mode.rows)];
    let mut dense = vec![vec![0.0; nv + sparse.independent.len()]; nv + sparse.independent.len()];
    for i in 0..nv {
        dense[i][..nv].copy_from_slice(&mass[i * nv..][..nv]);
        for (k, row) in sparse.independent.iter().enumerate() {
            dense[i][nv + k] = rows[row * nv + i];
            dense[nv + k][i] = rows[row * nv + i];
        }
    }
    (sparse, dense, pattern)
}

#[test]
fn the_saddle_matrix_has_the_entries_of_the_dense_one() {
    for (scene, coordinates, rows) in [(links as fn(&str) -> String, 40, 20), (net, 30, 24)] {
        for by in ["Blocks", "Qr"] {
            let (sparse, dense, _) = matrices(&scene(by));
            let saddle = sparse.saddle();
            assert_eq!((sparse.mass.nrows(), sparse.jacobian.nrows()), (coordinates, rows));
            assert_eq!(
                (saddle.nrows(), saddle.ncols()),
                (coordinates + rows, coordinates + rows)
            );
            for (i, row) in dense.iter().enumerate() {
                for (j, &value) in row.iter().enumerate() {
                    let found = saddle.get_entry(i, j).map_or(0.0, |entry| entry.into_value());
                    assert_eq!(found, value, "{i} {j}");
                }
            }
            assert!(saddle.nnz() < dense.len() * dense.len() / 4, "{}", saddle.nnz());
        }
    }
}

/// L of L D L^T without pivoting, of a matrix in this order.
fn factor(dense: &Dense, order: &[usize]) -> Dense {
    let n = order.len();
    let mut rest: Dense = order
        .iter()
        .map(|&i| order.iter().map(|&j| dense[i][j]).collect())
        .collect();
    let mut factor = vec![vec![0.0; n]; n];
    for k in 0..n {
        let pivot = rest[k].clone();
        assert!(pivot[k].abs() > 1e-10, "no pivot at {k}");
        for i in k..n {
            let l = rest[i][k] / pivot[k];
            factor[i][k] = l;
            if l != 0.0 {
                (k..n).for_each(|j| rest[i][j] -= l * pivot[j]);
            }
        }
    }
    factor
}

#[test]
fn the_factor_has_no_entries_beside_its_pattern() {
    for scene in [links("Blocks"), net("Blocks")] {
        let (_, dense, pattern) = matrices(&scene);
        let pattern = pattern.expect("it is eliminated by blocks");
        let mut seen = pattern.order.clone();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..dense.len()), "every unknown once");
        let l = factor(&dense, &pattern.order);
        let mut entries = 0;
        for (j, rows) in pattern.columns.iter().enumerate() {
            for (i, row) in l.iter().enumerate().skip(j) {
                let has = rows.contains(&i);
                assert!(has || row[j].abs() < 1e-12, "{i} {j}: {}", row[j]);
            }
            entries += rows.len();
        }
        let all = l.len() * (l.len() + 1) / 2;
        assert!(3 * entries < 2 * all, "{entries} of {all}");
    }
}

#[test]
fn there_is_no_pattern_without_elimination_by_blocks() {
    assert_eq!(matrices(&net("Qr")).2, None);
}
