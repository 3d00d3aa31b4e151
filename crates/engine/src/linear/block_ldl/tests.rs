use super::{BlockLdl, Indefinite, Scratch};
use crate::linear::tests::Random;
use crate::linear::{Lu, Sparse};

/// Points of two coordinates with masses of their own, coupled along the first bars; a row for every bar.
struct Mechanism {
    mass: Sparse,
    jacobian: Sparse,
}

impl Mechanism {
    fn new(points: usize, bars: &[(usize, usize)], heavy: usize, random: &mut Random) -> Self {
        let ends = |&(a, b): &(usize, usize)| [2 * a, 2 * a + 1, 2 * b, 2 * b + 1];
        let pattern = |i: usize| {
            let touching = bars[..heavy].iter().map(ends).filter(move |ends| ends.contains(&i));
            let mut columns: Vec<usize> = touching.flatten().chain([i]).collect();
            columns.sort_unstable();
            columns.dedup();
            columns
        };
        let mut mass = Sparse::with_columns((0..2 * points).map(pattern));
        for i in 0..2 * points {
            mass.add(i, i, 1.0 + 0.5 * random.unit());
        }
        for bar in &bars[..heavy] {
            let shape = [random.unit(), random.unit(), random.unit(), random.unit()];
            for (i, x) in ends(bar).into_iter().zip(shape) {
                for (j, y) in ends(bar).into_iter().zip(shape) {
                    mass.add(i, j, x * y);
                }
            }
        }
        let mut jacobian = Sparse::default();
        for bar in bars {
            let values = jacobian.push(&ends(bar));
            let (x, y) = (random.unit(), random.unit());
            values.copy_from_slice(&[-x, -y, x, y]);
        }
        Self { mass, jacobian }
    }

    fn dense(&self, rows: &[usize]) -> (usize, Vec<f64>) {
        let nv = self.mass.len();
        let n = nv + rows.len();
        let mut matrix = vec![0.0; n * n];
        for i in 0..nv {
            for (j, value) in self.mass.row(i).entries() {
                matrix[i * n + j] = value;
            }
        }
        for (k, &row) in rows.iter().enumerate() {
            for (j, value) in self.jacobian.row(row).entries() {
                matrix[(nv + k) * n + j] = value;
                matrix[j * n + nv + k] = value;
            }
        }
        (n, matrix)
    }

    /// Demands that the solutions are those of a dense factorization with pivoting, for one and for four right-hand sides.
    fn check(&self, rows: &[usize], random: &mut Random) -> BlockLdl {
        let mut saddle = BlockLdl::new(&self.mass, &self.jacobian, rows);
        saddle.set_mass(&self.mass);
        saddle.factor(&self.jacobian, rows, &[]).unwrap();
        let (n, matrix) = self.dense(rows);
        let mut lu = Lu::new(n);
        lu.matrix_mut(n).copy_from_slice(&matrix);
        lu.factor().unwrap();
        let right: Vec<[f64; 4]> = (0..n).map(|_| std::array::from_fn(|_| random.unit())).collect();
        let mut panel = right.clone();
        saddle.solve_lanes(&mut panel, &mut Scratch::default());
        for lane in 0..4 {
            let mut x: Vec<[f64; 1]> = right.iter().map(|row| [row[lane]]).collect();
            let mut expected = x.as_flattened().to_vec();
            saddle.solve_lanes(&mut x, &mut Scratch::default());
            let x = x.as_flattened();
            lu.solve(&mut expected);
            let size = crate::linear::max_abs(&expected);
            for i in 0..n {
                assert!(
                    (x[i] - expected[i]).abs() < 1e-9 * size,
                    "{i}: {} {}",
                    x[i],
                    expected[i]
                );
                assert!((panel[i][lane] - x[i]).abs() < 1e-12 * size);
            }
        }
        saddle
    }
}

fn chain(n: usize) -> Vec<(usize, usize)> {
    (0..n).map(|i| (i, i + 1)).collect()
}

#[test]
fn solutions_are_those_of_a_dense_factorization() {
    let mut random = Random(7);
    for round in 0..60 {
        let points = 2 + random.below(25);
        let mut bars = chain(points - 1);
        // Loops and branches, few enough that the rows stay independent.
        for _ in 0..random.below(points / 2 + 1) {
            let (a, b) = (random.below(points), random.below(points));
            if a != b {
                bars.push((a, b));
            }
        }
        bars.truncate(2 * points - 4 + points / 20);
        let heavy = if round % 3 == 0 {
            0
        } else {
            random.below(bars.len() + 1)
        };
        let mechanism = Mechanism::new(points, &bars, heavy, &mut random);
        let mut rows: Vec<usize> = (0..bars.len()).collect();
        rows.retain(|_| round % 2 == 0 || random.unit() > -0.8);
        mechanism.check(&rows, &mut random);
    }
}

#[test]
fn the_fill_of_a_chain_grows_with_its_length() {
    let size = |n: usize| {
        let mechanism = Mechanism::new(n + 1, &chain(n), n, &mut Random(3));
        let rows: Vec<usize> = (0..n).collect();
        mechanism.check(&rows, &mut Random(5)).panels.len() as f64 / n as f64
    };
    assert!(size(200) < 1.05 * size(50), "{} {}", size(200), size(50));
    assert!(size(200) < 40.0, "{}", size(200));
}

#[test]
fn points_that_nothing_couples_are_eliminated_one_by_one() {
    let mechanism = Mechanism::new(101, &[(0, 1)], 0, &mut Random(3));
    let entries = mechanism.check(&[0], &mut Random(5)).panels.len();
    assert!(entries < 3 * 202, "{entries}");
}

#[test]
fn what_cannot_be_factored_is_named() {
    let mut random = Random(11);
    let mut mechanism = Mechanism::new(3, &[(0, 1), (1, 2), (0, 1)], 0, &mut random);
    let factor = |mechanism: &Mechanism, rows: &[usize]| {
        let mut saddle = BlockLdl::new(&mechanism.mass, &mechanism.jacobian, rows);
        saddle.set_mass(&mechanism.mass);
        saddle.factor(&mechanism.jacobian, rows, &[])
    };
    assert_eq!(factor(&mechanism, &[0, 1, 2]), Ok(()));
    let first: Vec<f64> = mechanism.jacobian.row(0).values.to_vec();
    mechanism.jacobian.values_mut()[8..].copy_from_slice(&first);
    assert!(matches!(factor(&mechanism, &[0, 1, 2]), Err(Indefinite::Row(0 | 2))));
    assert_eq!(factor(&mechanism, &[0, 1]), Ok(()));
    mechanism.mass.values_mut()[4] = 0.0;
    assert_eq!(factor(&mechanism, &[0, 1]), Err(Indefinite::Coordinate(4)));
}

#[test]
fn rows_that_nearly_depend_on_each_other_are_measured() {
    let mut mechanism = Mechanism::new(2, &[(0, 1), (0, 1)], 0, &mut Random(2));
    mechanism.mass = Sparse::identity(4);
    let angle: f64 = 1e-3;
    let rows = [
        [-1.0, 0.0, 1.0, 0.0],
        [-angle.cos(), -angle.sin(), angle.cos(), angle.sin()],
    ];
    mechanism.jacobian.values_mut().copy_from_slice(rows.as_flattened());
    let mut saddle = BlockLdl::new(&mechanism.mass, &mechanism.jacobian, &[0, 1]);
    saddle.set_mass(&mechanism.mass);
    saddle.factor(&mechanism.jacobian, &[0, 1], &[]).unwrap();
    assert!(
        (saddle.least() / angle.sin().powi(2) - 1.0).abs() < 1e-6,
        "{}",
        saddle.least()
    );
}
