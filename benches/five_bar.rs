//! Speed of the five-bar mechanism and of a chain of four-bars: `cargo bench` in this folder.
//!
//! Without a filter, tables of work against precision come first, with two other integrators on the same mechanism;
//! then the times of the parts. `docs/performance.md` explains the figures.

use costate_benches as support;

use costate::hybrid::{At, HybridSystem};
use costate::scene::schema::FormulationKind;
use divan::{Bencher, black_box};
use support::others::Method;
use support::{Prepared, Scene};

const FORMULATIONS: [FormulationKind; 3] = [
    FormulationKind::Nullspace,
    FormulationKind::Multipliers,
    FormulationKind::Penalty,
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.len() == 1 && arguments.any(|argument| argument == "--bench") {
        support::table::print_all();
    }
    divan::main();
}

/// x' = F(t, x) at the start, once per sample of many calls.
mod right_hand_side {
    use super::{At, Bencher, FORMULATIONS, FormulationKind, HybridSystem, Prepared, Scene, black_box};

    #[divan::bench(args = FORMULATIONS)]
    fn flow(bencher: Bencher, formulation: FormulationKind) {
        time_flow(bencher, &mut Prepared::new(&Scene::five_bar_smooth(), formulation));
    }

    /// With the objectives of the scene: four integrands more.
    #[divan::bench]
    fn flow_with_integrands(bencher: Bencher) {
        time_flow(
            bencher,
            &mut Prepared::new(&Scene::five_bar_with_objectives(), FormulationKind::Nullspace),
        );
    }

    /// M, f, C, c' and gamma; the same for every formulation.
    #[divan::bench]
    fn assembly(bencher: Bencher) {
        let mut prepared = Prepared::new(&Scene::five_bar_smooth(), FormulationKind::Nullspace);
        let Prepared {
            mechanism,
            workspace,
            mode,
            x,
            ..
        } = &mut prepared;
        let (q, v) = (&x[mechanism.positions()], &x[mechanism.velocities()]);
        bencher.bench_local(|| {
            mechanism
                .model
                .assemble(0.0, black_box(q), v, mode, &mut workspace.terms)
        });
    }

    #[divan::bench(args = FORMULATIONS)]
    fn factorisation(bencher: Bencher, formulation: FormulationKind) {
        let mut prepared = Prepared::new(&Scene::five_bar_smooth(), formulation);
        let Prepared {
            mechanism,
            workspace,
            mode,
            x,
            ..
        } = &mut prepared;
        mechanism
            .evaluate_motion(At::new(0.0, mode, x), false, workspace)
            .expect("it moves");
        let (terms, factors) = (&workspace.terms, &mut workspace.formulation);
        bencher.bench_local(|| factors.factor(&mechanism.model, mode, black_box(terms)));
    }

    pub fn time_flow(bencher: Bencher, prepared: &mut Prepared) {
        let Prepared {
            mechanism,
            workspace,
            mode,
            x,
            ..
        } = prepared;
        let mut dx = vec![0.0; mechanism.dimension()];
        bencher.bench_local(|| mechanism.flow(At::new(0.0, mode, black_box(x)), workspace, &mut dx));
    }
}

/// Motions from a prepared start, without objectives, at a tolerance that keeps 1e-8 m at the end.
mod motion {
    use super::{Bencher, FormulationKind, Prepared, Scene};

    #[divan::bench]
    fn smooth_5_s(bencher: Bencher) {
        time_motion(bencher, &Scene::five_bar_smooth(), 5.0);
    }

    #[divan::bench]
    fn ground_5_s(bencher: Bencher) {
        time_motion(bencher, &Scene::five_bar_ground(), 5.0);
    }

    /// The first impact is at 0.3118 s; the difference of these two is the location of one event with its jump.
    #[divan::bench(args = [0.3118, 0.3119])]
    fn ground_until(bencher: Bencher, end: f64) {
        time_motion(bencher, &Scene::five_bar_ground(), end);
    }

    fn time_motion(bencher: Bencher, scene: &Scene, end: f64) {
        let mut prepared = Prepared::new(scene, FormulationKind::Nullspace)
            .with_tolerance(scene.tolerance)
            .until(end);
        bencher.bench_local(|| prepared.run());
    }
}

/// The smooth motion by other integrators on straight-line code, each at its loosest tolerance that keeps 1e-8 m.
#[divan::bench(args = Method::ALL)]
fn by_hand_5_s(bencher: Bencher, method: Method) {
    let start = support::by_hand::start();
    let tolerance = support::table::sufficient_tolerance(|tolerance| method.run(&start, tolerance).error());
    bencher.bench_local(|| method.run(&start, tolerance));
}

/// Right-hand sides of the chain of N four-bars: 2 (N + 1) coordinates, 2 N + 1 constraints.
mod chain {
    use super::{Bencher, FormulationKind, Prepared, Scene, right_hand_side::time_flow};

    const WINDOWS: [usize; 3] = [2, 10, 40];

    #[divan::bench(args = WINDOWS)]
    fn nullspace(bencher: Bencher, windows: usize) {
        time_flow(
            bencher,
            &mut Prepared::new(
                &Scene::many("windows", &[("n", windows)], 1e-9),
                FormulationKind::Nullspace,
            ),
        );
    }

    #[divan::bench(args = WINDOWS)]
    fn multipliers(bencher: Bencher, windows: usize) {
        time_flow(
            bencher,
            &mut Prepared::new(
                &Scene::many("windows", &[("n", windows)], 1e-9),
                FormulationKind::Multipliers,
            ),
        );
    }

    #[divan::bench(args = WINDOWS)]
    fn penalty(bencher: Bencher, windows: usize) {
        time_flow(
            bencher,
            &mut Prepared::new(
                &Scene::many("windows", &[("n", windows)], 1e-9),
                FormulationKind::Penalty,
            ),
        );
    }
}
