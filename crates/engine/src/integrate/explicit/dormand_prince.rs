//! Coefficients of the explicit Runge-Kutta pair of Dormand and Prince of order 8(5,3) with dense output of order 7
//! ("DOP853": Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.10 and appendix).
//!
//! Stages are counted from 0. Stages 0 to 11 make the step, stage 12 is the derivative at its end, stages 13 to 15
//! serve the dense output only.

/// Number of stages of the step itself.
pub(super) const STAGES: usize = 12;

/// Index of the derivative at the end of the step; it is the first stage of the next step.
pub(super) const LAST: usize = 12;

/// Number of stages including those of the dense output.
pub(super) const STAGES_DENSE: usize = 16;

/// Nodes: stage `i` is evaluated at `t + C[i] h`.
pub(super) const C: [f64; STAGES_DENSE] = [
    0.0,
    0.05260015195876773,
    0.0789002279381516,
    0.1183503419072274,
    0.2816496580927726,
    0.3333333333333333,
    0.25,
    0.3076923076923077,
    0.6512820512820513,
    0.6,
    0.8571428571428571,
    1.0,
    1.0,
    0.1,
    0.2,
    0.7777777777777778,
];

/// One row of coefficients: pairs (stage, coefficient), zeros left out.
pub(super) type Row = &'static [(usize, f64)];

/// Runge-Kutta matrix: stage `i` is evaluated at the state `x + h sum_j A[i][j] k_j`. Row 12 is left empty: see [`STEP`].
pub(super) const A: [Row; STAGES_DENSE] = [
    &[],
    &[(0, 0.05260015195876773)],
    &[(0, 0.0197250569845379), (1, 0.0591751709536137)],
    &[(0, 0.02958758547680685), (2, 0.08876275643042054)],
    &[
        (0, 0.2413651341592667),
        (2, -0.8845494793282861),
        (3, 0.924834003261792),
    ],
    &[
        (0, 0.037037037037037035),
        (3, 0.17082860872947386),
        (4, 0.12546768756682242),
    ],
    &[
        (0, 0.037109375),
        (3, 0.17025221101954405),
        (4, 0.06021653898045596),
        (5, -0.017578125),
    ],
    &[
        (0, 0.03709200011850479),
        (3, 0.17038392571223998),
        (4, 0.10726203044637328),
        (5, -0.015319437748624402),
        (6, 0.008273789163814023),
    ],
    &[
        (0, 0.6241109587160757),
        (3, -3.3608926294469414),
        (4, -0.868219346841726),
        (5, 27.59209969944671),
        (6, 20.154067550477894),
        (7, -43.48988418106996),
    ],
    &[
        (0, 0.47766253643826434),
        (3, -2.4881146199716677),
        (4, -0.590290826836843),
        (5, 21.230051448181193),
        (6, 15.279233632882423),
        (7, -33.28821096898486),
        (8, -0.020331201708508627),
    ],
    &[
        (0, -0.9371424300859873),
        (3, 5.186372428844064),
        (4, 1.0914373489967295),
        (5, -8.149787010746927),
        (6, -18.52006565999696),
        (7, 22.739487099350505),
        (8, 2.4936055526796523),
        (9, -3.0467644718982196),
    ],
    &[
        (0, 2.273310147516538),
        (3, -10.53449546673725),
        (4, -2.0008720582248625),
        (5, -17.9589318631188),
        (6, 27.94888452941996),
        (7, -2.8589982771350235),
        (8, -8.87285693353063),
        (9, 12.360567175794303),
        (10, 0.6433927460157636),
    ],
    &[],
    &[
        (0, 0.056167502283047954),
        (6, 0.25350021021662483),
        (7, -0.2462390374708025),
        (8, -0.12419142326381637),
        (9, 0.15329179827876568),
        (10, 0.00820105229563469),
        (11, 0.007567897660545699),
        (12, -0.008298),
    ],
    &[
        (0, 0.03183464816350214),
        (5, 0.028300909672366776),
        (6, 0.053541988307438566),
        (7, -0.05492374857139099),
        (10, -0.00010834732869724932),
        (11, 0.0003825710908356584),
        (12, -0.00034046500868740456),
        (13, 0.1413124436746325),
    ],
    &[
        (0, -0.42889630158379194),
        (5, -4.697621415361164),
        (6, 7.683421196062599),
        (7, 4.06898981839711),
        (8, 0.3567271874552811),
        (12, -0.0013990241651590145),
        (13, 2.9475147891527724),
        (14, -9.15095847217987),
    ],
];

/// Stages that the weights and both error estimates use.
pub(super) const STEP_STAGES: [usize; 8] = [0, 5, 6, 7, 8, 9, 10, 11];

/// For each of [`STEP_STAGES`]: weight of order 8, then the error weights (order 8 minus embedded) of order 5 and of order 3.
pub(super) const STEP: [[f64; 3]; 8] = [
    [0.054293734116568765, 0.01312004499419488, -0.18980075407240762],
    [4.450312892752409, -1.2251564463762044, 4.450312892752409],
    [1.8915178993145003, -0.4957589496572502, 1.8915178993145003],
    [-5.801203960010585, 1.6643771824549864, -5.801203960010585],
    [0.3111643669578199, -0.35032884874997366, -0.4226823213237919],
    [-0.1521609496625161, 0.3341791187130175, -0.1521609496625161],
    [0.20136540080403034, 0.08192320648511571, 0.20136540080403034],
    [0.04471061572777259, -0.022355307863886294, 0.02265179219836082],
];

/// Stages that the dense output uses.
pub(super) const DENSE_STAGES: [usize; 12] = [0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// For each of [`DENSE_STAGES`]: weights of coefficients 4 to 7 of the interpolant (in the nested form of `DenseOutput`),
/// divided by `h`.
pub(super) const DENSE: [[f64; 4]; 12] = [
    [
        -8.428938276109013,
        10.427508642579134,
        19.985053242002433,
        -25.69393346270375,
    ],
    [
        0.5667149535193777,
        242.28349177525817,
        -387.0373087493518,
        -154.18974869023643,
    ],
    [
        -3.0689499459498917,
        165.20045171727028,
        -189.17813819516758,
        -231.5293791760455,
    ],
    [
        2.38466765651207,
        -374.5467547226902,
        527.8081592054236,
        357.6391179106141,
    ],
    [
        2.117034582445028,
        -22.113666853125306,
        -11.57390253995963,
        93.40532418362432,
    ],
    [
        -0.871391583777973,
        7.733432668472264,
        6.8812326946963,
        -37.45832313645163,
    ],
    [
        2.2404374302607883,
        -30.674084731089398,
        -1.0006050966910838,
        104.0996495089623,
    ],
    [
        0.6315787787694688,
        -9.332130526430229,
        0.7777137798053443,
        29.8402934266605,
    ],
    [
        -0.08899033645133331,
        15.697238121770845,
        -2.778205752353508,
        -43.53345659001114,
    ],
    [
        18.148505520854727,
        -31.139403219565178,
        -60.19669523126412,
        96.32455395918828,
    ],
    [
        -9.194632392478356,
        -9.35292435884448,
        84.32040550667716,
        -39.17726167561544,
    ],
    [
        -4.436036387594894,
        35.81684148639408,
        11.99229113618279,
        -149.72683625798564,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(column: usize, power: i32) -> f64 {
        let terms = STEP_STAGES.iter().zip(&STEP);
        terms.map(|(&stage, row)| row[column] * C[stage].powi(power)).sum()
    }

    /// Sum over the row of coefficient times node to a power.
    fn row_moment(row: Row, power: i32) -> f64 {
        row.iter().map(|&(stage, a)| a * C[stage].powi(power)).sum()
    }

    #[test]
    fn rows_sum_to_their_nodes() {
        for stage in (1..STAGES_DENSE).filter(|stage| *stage != LAST) {
            assert!((row_moment(A[stage], 0) - C[stage]).abs() < 2e-14, "row {stage}");
            assert!(A[stage].iter().all(|(column, _)| *column < stage), "row {stage}");
        }
    }

    #[test]
    fn weights_integrate_polynomials_up_to_degree_7_and_no_further() {
        for power in 0..8 {
            assert!(
                (moment(0, power) - 1.0 / f64::from(power + 1)).abs() < 1e-14,
                "degree {power}"
            );
        }
        assert!((moment(0, 8) - 1.0 / 9.0).abs() > 1e-6);
    }

    #[test]
    fn weights_satisfy_the_conditions_of_trees_with_one_branch_up_to_order_8() {
        for outer in 0..7 {
            for inner in 1..(7 - outer) {
                let sum: f64 = STEP_STAGES
                    .iter()
                    .zip(&STEP)
                    .map(|(&stage, row)| row[0] * C[stage].powi(outer) * row_moment(A[stage], inner))
                    .sum();
                let exact = 1.0 / f64::from((inner + 1) * (outer + inner + 2));
                assert!((sum - exact).abs() < 1e-14, "c^{outer} A c^{inner}");
            }
        }
    }

    #[test]
    fn embedded_weights_have_orders_5_and_3() {
        for (column, order) in [(1, 5), (2, 3)] {
            for power in 0..order {
                assert!(moment(column, power).abs() < 1e-14, "order {order}, degree {power}");
            }
            assert!(moment(column, order).abs() > 1e-4, "order {order}");
        }
    }
}
