//! Speed of gradients on the five-bar mechanism: `cargo bench --bench gradients` in this folder.
//!
//! Without a filter, tables of gradients at the same precision come first, with other solvers on the same mechanism; then
//! the times of the parts. `docs/performance.md` explains the figures.

use costate::hybrid::{At, HybridSystem};
use costate::run::Method;
use costate::scene::schema::FormulationKind;
use costate_benches::differences::jacobian_by_differences;
use costate_benches::gradients::{self, Case};
use costate_benches::parameters::{ground, smooth};
use costate_benches::{Prepared, Scene};
use divan::{Bencher, black_box};

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.len() == 1 && arguments.any(|argument| argument == "--bench") {
        gradients::table::print_all();
    }
    divan::main();
}

/// The gradient of one objective by the adjoint beside the simulation alone, all with assembly: for 1 to 1000 parameters
/// that feed the same numbers.
mod one_objective {
    use super::{Bencher, Method, ground, smooth};

    const PARAMETERS: [usize; 4] = [1, 10, 100, 1000];

    #[divan::bench]
    fn ground_simulation(bencher: Bencher) {
        let experiment = ground(1);
        bencher.bench_local(|| experiment.run(false, &mut |_| ()).expect("it runs"));
    }

    #[divan::bench(args = PARAMETERS)]
    fn ground_adjoint(bencher: Bencher, parameters: usize) {
        let experiment = ground(parameters);
        bencher.bench_local(|| experiment.gradient(Method::Adjoint).expect("it is differentiable"));
    }

    #[divan::bench]
    fn smooth_simulation(bencher: Bencher) {
        let experiment = smooth(1);
        bencher.bench_local(|| experiment.run(false, &mut |_| ()).expect("it runs"));
    }

    #[divan::bench(args = PARAMETERS)]
    fn smooth_adjoint(bencher: Bencher, parameters: usize) {
        let experiment = smooth(parameters);
        bencher.bench_local(|| experiment.gradient(Method::Adjoint).expect("it is differentiable"));
    }
}

/// The integral of (y2 + 2)^2 by four lengths, four masses, two stiffnesses and two natural lengths, by several solvers, each
/// at its loosest tolerance that keeps 1e-8.
mod twelve_parameters {
    use super::{Bencher, Case, gradients};

    #[divan::bench(args = Case::Smooth.methods())]
    fn smooth_5_s(bencher: Bencher, method: &gradients::Method) {
        time_gradient(bencher, *method, Case::Smooth);
    }

    #[divan::bench(args = Case::Ground.methods())]
    fn ground_5_s(bencher: Bencher, method: &gradients::Method) {
        time_gradient(bencher, *method, Case::Ground);
    }

    fn time_gradient(bencher: Bencher, method: gradients::Method, case: Case) {
        let prepared = gradients::Prepared::new(method, case, gradients::table::tolerance(method, case));
        bencher.bench_local(|| prepared.run());
    }
}

/// All eight objectives of the scene by its eight parameters, at the scene's own tolerance.
#[divan::bench(args = [Method::Adjoint, Method::Forward])]
fn eight_objectives(bencher: Bencher, method: Method) {
    let experiment = Scene::five_bar_ground_with_objectives().experiment();
    bencher.bench_local(|| experiment.gradient(method).expect("it is differentiable"));
}

/// dF/dx of the flow, exact and by one-sided differences.
mod jacobian {
    use super::{At, Bencher, FormulationKind, HybridSystem, Prepared, Scene, black_box, jacobian_by_differences};

    #[divan::bench]
    fn exact(bencher: Bencher) {
        let mut prepared = Prepared::new(&Scene::five_bar_smooth(), FormulationKind::Nullspace);
        let Prepared {
            mechanism,
            workspace,
            mode,
            x,
            ..
        } = &mut prepared;
        let mut jacobian = vec![0.0; x.len() * x.len()];
        bencher.bench_local(|| mechanism.flow_jacobian(At::new(0.0, mode, black_box(x)), workspace, &mut jacobian));
    }

    #[divan::bench]
    fn by_differences(bencher: Bencher) {
        let mut prepared = Prepared::new(&Scene::five_bar_smooth(), FormulationKind::Nullspace);
        let mut jacobian = vec![0.0; prepared.x.len().pow(2)];
        bencher.bench_local(|| jacobian_by_differences(&mut prepared, &mut jacobian));
    }
}
