//! Sizes of memory that follows a rate.

use super::{HALVINGS, Mode, Model, Motion, Output, Sizes};

impl Sizes {
    /// Sizes of the memory of a model: at the start, and of its rates times the time of this motion, as far as these do not drive
    /// it back before.
    pub fn memory(&self, model: &Model, t: f64, duration: f64) -> Vec<f64> {
        let time = duration.min(self.length / self.speed);
        let (slots, rates): (Vec<usize>, Vec<&Output>) = model.memory_rates().unzip();
        let mut speeds = vec![0.0; model.memory.len()];
        for (slot, speed) in slots.into_iter().zip(self.values(model, (t, duration), &rates)) {
            speeds[slot] = speed;
        }
        let mut far = speeds.iter().map(|speed| speed * time).collect::<Vec<f64>>();
        for _ in 0..HALVINGS {
            let rates = model.memory_rates().filter(|(slot, _)| {
                let far = far[*slot];
                far > model.memory[*slot].abs() && far.is_finite()
            });
            let turned = rates.filter(|own| self.turns(model, (t, duration), *own, (&far, &speeds)));
            let turned: Vec<usize> = turned.map(|(slot, _)| slot).collect();
            if turned.is_empty() {
                break;
            }
            turned.into_iter().for_each(|slot| far[slot] *= 0.5);
        }
        let sizes = model.memory.iter().zip(far).map(|(value, far)| value.abs().max(far));
        let size = |size: f64| if size > 0.0 && size.is_finite() { size } else { 1.0 };
        sizes.map(size).collect()
    }

    /// Whether memory that has come this far is driven back more than twice as fast as it started, on both sides, and at no state
    /// driven on faster than that. Where its rate is no number it cannot be. Other memory is anywhere that it comes to.
    fn turns(
        &self,
        model: &Model,
        span: (f64, f64),
        (slot, rate): (usize, &Output),
        (far, speeds): (&[f64], &[f64]),
    ) -> bool {
        let rates = |by: f64| {
            let change = |sample: usize, numbers: &mut [f64]| {
                for (other, _) in model.memory_rates() {
                    // All at their farthest first.
                    let share = ((sample * (3 * other + 2)) as f64).cos();
                    let by = if other == slot { by } else { share * far[other] };
                    numbers[model.memory_number(other)] = model.memory[other] + by;
                }
            };
            let mut rates = Vec::new();
            self.sample(model, span, change, |motion, mode| {
                let numbers = &model.on_its_sides(mode, motion);
                rates.push(rate.evaluate(model, mode, &Motion { numbers, ..*motion }));
            });
            rates.into_iter()
        };
        let known = rates(0.0).filter(|rate| rate.is_finite());
        let fastest = known.map(f64::abs).fold(speeds[slot], f64::max);
        [far[slot], -far[slot]].into_iter().all(|by| {
            let outward = |rate: f64| {
                if rate.is_finite() {
                    rate * by.signum()
                } else {
                    f64::NEG_INFINITY
                }
            };
            let (on, back) = rates(by)
                .map(outward)
                .fold((f64::NEG_INFINITY, f64::INFINITY), |(on, back), rate| {
                    (f64::max(on, rate), f64::min(back, rate))
                });
            on <= fastest && back < -2.0 * fastest
        })
    }
}

impl Model {
    /// The numbers of a motion with each kink held on the side that it is on.
    fn on_its_sides(&self, mode: &Mode, motion: &Motion<f64>) -> Vec<f64> {
        let mut numbers = motion.numbers.to_vec();
        for kink in &self.kinks {
            let motion = Motion {
                numbers: &numbers,
                ..*motion
            };
            if kink.guard.evaluate(self, mode, &motion) < 0.0 {
                numbers[self.memory_number(kink.slot)] *= -1.0;
            }
        }
        numbers
    }
}
