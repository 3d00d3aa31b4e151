//! A guard and its rate along the motion, with the gradients of both: values over hyper-dual numbers, one part along the motion.

use crate::linear::dot;
use crate::model::constraint::Direction;
use crate::model::quantity::Motion;
use crate::model::{Mode, Model, Slide};
use crate::scalar::{Dual, Dual64};

/// Gradient by time, positions, velocities, accelerations and numbers followed by memory.
#[derive(Clone, Debug, Default)]
pub(in crate::mechanism) struct Slopes {
    pub t: f64,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    pub numbers: Vec<f64>,
}

impl Slopes {
    fn clear(&mut self, [nq, nv, numbers]: [usize; 3]) {
        self.t = 0.0;
        for (values, length) in [
            (&mut self.q, nq),
            (&mut self.v, nv),
            (&mut self.a, nv),
            (&mut self.numbers, numbers),
        ] {
            values.clear();
            values.resize(length, 0.0);
        }
    }

    /// Derivative along a direction and a change of the accelerations.
    pub fn along(&self, direction: &Direction, da: &[f64]) -> f64 {
        self.t * direction.t
            + dot(&self.q, direction.q)
            + dot(&self.v, direction.v)
            + dot(&self.a, da)
            + dot(&self.numbers, direction.numbers)
    }

    /// All entries but that by time.
    pub fn entries(&self) -> impl Iterator<Item = f64> + Clone {
        (self.q.iter().chain(&self.v)).chain(&self.numbers).copied()
    }
}

/// A number with its derivative along the motion, and the derivatives of both in a direction.
type Moving = Dual<Dual64>;

/// A number that moves at a rate and is the same in the direction.
fn moving(x: f64, rate: f64) -> Moving {
    Moving::new(x.into(), rate.into())
}

/// The motion over such numbers.
#[derive(Clone, Debug, Default)]
pub(in crate::mechanism) struct Surface {
    t: f64,
    q: Vec<Moving>,
    v: Vec<Moving>,
    numbers: Vec<Moving>,
    /// Gradient of the guard; written by [`Surface::differentiate`].
    pub guard: Slopes,
    /// Gradient of its rate.
    pub rate: Slopes,
}

impl Surface {
    /// Loads a motion, with the numbers of memory that has rates and these; returns the guard and its rate.
    pub fn load(
        &mut self,
        (model, mode): (&Model, &Mode),
        slide: &Slide,
        at: &Motion<f64>,
        rates: &[(usize, f64)],
    ) -> (f64, f64) {
        self.t = at.t;
        self.q.clear();
        let rate = |(i, x): (usize, &f64)| moving(*x, at.rate(i));
        self.q.extend(at.q.iter().enumerate().map(rate));
        self.v.clear();
        self.v.extend(at.v.iter().zip(at.a).map(|(x, rate)| moving(*x, *rate)));
        self.numbers.clear();
        self.numbers.extend(at.numbers.iter().map(|&x| Moving::from(x)));
        rates
            .iter()
            .for_each(|&(number, rate)| self.numbers[number].eps.re = rate);
        slide.prepare(model, &mut self.numbers);
        let value = self.pass((model, mode), slide, 0.0);
        (value.re.re, value.eps.re)
    }

    /// The guard where the time changes by `dt` in the direction.
    fn pass(&mut self, (model, mode): (&Model, &Mode), slide: &Slide, dt: f64) -> Moving {
        let t = Moving::new(Dual64::new(self.t, dt), Dual64::from(1.0));
        model.follow(mode, t, &self.q, &self.v, &mut self.numbers);
        let motion = Motion {
            t,
            q: &self.q,
            v: &self.v,
            a: &[],
            lambda: &[],
            numbers: &self.numbers,
            frames: &model.frames,
        };
        slide.guard(model, mode, &motion)
    }

    /// Writes the gradients of the guard and of its rate at the loaded motion.
    pub fn differentiate(&mut self, at: (&Model, &Mode), slide: &Slide) {
        let count = self.numbers.len();
        for slopes in [&mut self.guard, &mut self.rate] {
            slopes.clear([self.q.len(), self.v.len(), count]);
        }
        let by_time = self.pass(at, slide, 1.0);
        (self.guard.t, self.rate.t) = (by_time.re.eps, by_time.eps.eps);
        self.differentiate_by_motion(at, slide);
        let model = at.0;
        // What follows the motion has its part in the passes of what it reads.
        for i in (0..count).filter(|&i| model.is_fed(i) && !model.follows(i)) {
            self.numbers[i].re.eps = 1.0;
            let by_number = self.pass(at, slide, 0.0);
            self.numbers[i].re.eps = 0.0;
            (self.guard.numbers[i], self.rate.numbers[i]) = (by_number.re.eps, by_number.eps.eps);
        }
        self.leave_out(slide, model);
    }

    /// Those by positions, velocities and accelerations. With each, the rates of positions q' = Z v change: by velocities, and
    /// by the quaternions in Z.
    fn differentiate_by_motion(&mut self, at: (&Model, &Mode), slide: &Slide) {
        let model = at.0;
        let v: Vec<f64> = self.v.iter().map(|v| v.re.re).collect();
        let mut unit = vec![0.0; self.q.len()];
        for i in 0..self.q.len() {
            unit[i] = 1.0;
            let mut turned = vec![0.0; self.q.len()];
            model.add_turned_rates(&unit, &v, &mut turned);
            unit[i] = 0.0;
            self.q[i].re.eps = 1.0;
            self.turn(&turned);
            let by_position = self.pass(at, slide, 0.0);
            self.q[i].re.eps = 0.0;
            self.turn(&vec![0.0; turned.len()]);
            (self.guard.q[i], self.rate.q[i]) = (by_position.re.eps, by_position.eps.eps);
        }
        let q: Vec<f64> = self.q.iter().map(|q| q.re.re).collect();
        let mut unit = vec![0.0; v.len()];
        for j in 0..v.len() {
            unit[j] = 1.0;
            let rates = model.coordinate_rates(&q, &unit);
            unit[j] = 0.0;
            self.v[j].re.eps = 1.0;
            self.turn(&rates);
            let by_velocity = self.pass(at, slide, 0.0);
            self.v[j].re.eps = 0.0;
            self.turn(&vec![0.0; rates.len()]);
            (self.guard.v[j], self.rate.v[j]) = (by_velocity.re.eps, by_velocity.eps.eps);
            self.v[j].eps.eps = 1.0;
            self.rate.a[j] = self.pass(at, slide, 0.0).eps.eps;
            self.v[j].eps.eps = 0.0;
        }
    }

    /// Sets the change of the rates of positions in the direction.
    fn turn(&mut self, change: &[f64]) {
        self.q
            .iter_mut()
            .zip(change)
            .for_each(|(q, change)| q.eps.eps = *change);
    }

    /// The guard does not depend on what it mixes.
    fn leave_out(&mut self, slide: &Slide, model: &Model) {
        for (kink, _) in &slide.kinks {
            let own = model.memory_number(model.kinks[*kink].slot);
            (self.guard.numbers[own], self.rate.numbers[own]) = (0.0, 0.0);
        }
    }
}
