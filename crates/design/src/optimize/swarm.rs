//! Particle swarm: a search all over the bounds, without gradients.

use basin::{Executor, GlobalBestPso, PopulationProgress, Stepper};

use super::problem::ScaledProblem;
use super::stepwise::{Advance, Begun, Stepwise};
use super::through_basin::{Handle, WithinBounds};
use crate::latin_hypercube::LatinHypercube;

type Swarm = GlobalBestPso<Vec<f64>, f64>;

/// A swarm between two steps.
struct SwarmSteps<'a> {
    stepper: Stepper<Handle<'a, WithinBounds>, PopulationProgress<Vec<f64>, f64>, Swarm>,
    /// Standard deviation of the best values of the better half at which the swarm has gathered; of the others, some may
    /// hold on to another minimum.
    gathered: f64,
}

/// A swarm with one particle at a point and the others in a Latin hypercube within the bounds, which are finite.
pub(super) fn particle_swarm<'a>(problem: &'a ScaledProblem<'a>, x: Vec<f64>) -> Begun<'a> {
    let optimization = problem.optimization;
    let particles = optimization.particles.map(|count| count as usize);
    let particles = particles.unwrap_or_else(|| Swarm::default_swarm_size(x.len()));
    let (lower, upper) = problem.bounds();
    let mut places = LatinHypercube::new(optimization.seed).points(particles - 1, &lower, &upper);
    places.insert(0, x);
    let (swarm, state) = (
        Swarm::new(optimization.seed),
        PopulationProgress::from_population(places),
    );
    let stepper = Executor::new(Handle::within_bounds(problem), swarm, state).into_stepper()?;
    let gathered = optimization.stopping.decrease;
    Ok(Box::new(SwarmSteps { stepper, gathered }))
}

impl Stepwise for SwarmSteps<'_> {
    fn advance(&mut self) -> Advance {
        if self.stepper.step().is_err() {
            return Advance::Stuck;
        }
        let swarm = self.stepper.solver();
        match swarm.global_best() {
            Some((x, _)) if deviation_of_better_half(swarm.personal_best_costs()) <= self.gathered => {
                Advance::Converged(x.clone())
            }
            Some((x, _)) => Advance::Moved(x.clone()),
            None => Advance::Stuck,
        }
    }
}

/// Standard deviation; not a number, which is not small, while fewer particles have found a value.
fn deviation_of_better_half(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.truncate(values.len().div_ceil(2));
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}
