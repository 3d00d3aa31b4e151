//! Problems with known solutions, and a plain loop over a stepper.

use crate::error::{Error, ErrorKind, Result};
use crate::integrate::{DenseOutput, Flow, Singular, Stepper, Tolerance};

/// A flow given by closures.
pub(super) struct Given<F, J> {
    pub n: usize,
    pub flow: F,
    pub jacobian: J,
}

impl<F, J> Flow for Given<F, J>
where
    F: FnMut(f64, &[f64], &mut [f64]) -> Result<()>,
    J: FnMut(f64, &[f64], &mut [f64]),
{
    fn dimension(&self) -> usize {
        self.n
    }

    fn evaluate(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<()> {
        (self.flow)(t, x, dx)
    }

    fn jacobian(&mut self, t: f64, x: &[f64], j: &mut [f64]) -> Result<()> {
        (self.jacobian)(t, x, j);
        Ok(())
    }
}

impl<F, J> Singular for Given<F, J>
where
    F: FnMut(f64, &[f64], &mut [f64]) -> Result<()>,
    J: FnMut(f64, &[f64], &mut [f64]),
{
}

/// A flow without Jacobian.
pub(super) fn plain(n: usize, flow: impl FnMut(f64, &[f64], &mut [f64]) -> Result<()>) -> impl Singular {
    Given {
        n,
        flow,
        jacobian: |_: f64, _: &[f64], _: &mut [f64]| unreachable!(),
    }
}

/// `x' = -2 t x^2, y' = y cos(t) x (1 + t^2)`: from (1, 1) at 0 the solution is `(1 / (1 + t^2), exp(sin t))`.
pub(in crate::integrate) fn smooth() -> impl Singular {
    Given {
        n: 2,
        flow: |t: f64, x: &[f64], dx: &mut [f64]| {
            dx[0] = -2.0 * t * x[0] * x[0];
            dx[1] = x[1] * t.cos() * x[0] * (1.0 + t * t);
            Ok(())
        },
        jacobian: |t: f64, x: &[f64], j: &mut [f64]| {
            let factor = t.cos() * (1.0 + t * t);
            j.copy_from_slice(&[-4.0 * t * x[0], 0.0, x[1] * factor, x[0] * factor]);
        },
    }
}

/// Solution of [`smooth`].
pub(in crate::integrate) fn smooth_solution(t: f64) -> [f64; 2] {
    [1.0 / (1.0 + t * t), t.sin().exp()]
}

/// Planar Kepler problem with unit gravitational parameter: state position, velocity; period 2 pi for unit semi-axis.
pub(in crate::integrate) fn kepler() -> impl Singular {
    plain(4, |_, x, dx| {
        let cube = x[0].hypot(x[1]).powi(3);
        dx.copy_from_slice(&[x[2], x[3], -x[0] / cube, -x[1] / cube]);
        Ok(())
    })
}

/// State of [`kepler`] at the pericentre of an orbit with unit semi-axis.
pub(in crate::integrate) fn pericentre(eccentricity: f64) -> [f64; 4] {
    let speed = ((1.0 + eccentricity) / (1.0 - eccentricity)).sqrt();
    [1.0 - eccentricity, 0.0, 0.0, speed]
}

/// Van der Pol's equation in the time scale of the slow motion.
pub(super) fn van_der_pol(epsilon: f64) -> impl Flow {
    Given {
        n: 2,
        flow: move |_: f64, x: &[f64], dx: &mut [f64]| {
            dx[0] = x[1];
            dx[1] = ((1.0 - x[0] * x[0]) * x[1] - x[0]) / epsilon;
            Ok(())
        },
        jacobian: move |_: f64, x: &[f64], j: &mut [f64]| {
            let row = [(-2.0 * x[0] * x[1] - 1.0) / epsilon, (1.0 - x[0] * x[0]) / epsilon];
            j.copy_from_slice(&[0.0, 1.0, row[0], row[1]]);
        },
    }
}

/// Integrates from `(t, x)` to `end` with step-size control; `see` gets the interpolant of every accepted step.
pub(super) fn integrate(
    stepper: &mut Stepper,
    flow: &mut dyn Flow,
    (mut t, x): (f64, &[f64]),
    end: f64,
    tol: &Tolerance,
    mut see: impl FnMut(&DenseOutput),
) -> Result<Vec<f64>> {
    let mut x = x.to_vec();
    let mut dense = DenseOutput::new();
    stepper.restart(flow, t, &x)?;
    let mut h = stepper.initial_step(flow, t, &x, tol, end - t)?;
    for _ in 0..100_000 {
        let last = (end - t).abs() <= h.abs() * 1.000_001;
        let attempt = stepper.attempt(flow, t, &x, if last { end - t } else { h }, tol)?;
        let verdict = stepper.judge()?;
        h = verdict.next;
        assert_eq!(attempt.acceptable(), verdict.accepted);
        if !verdict.accepted {
            continue;
        }
        stepper.dense(flow, &mut dense)?;
        see(&dense);
        t = stepper.t_new();
        x.copy_from_slice(stepper.x_new());
        stepper.accept()?;
        if last {
            return Ok(x);
        }
    }
    Err(Error::new(ErrorKind::StepSize, "too many steps").at_time(t))
}

/// Takes `steps` equal steps without error control and returns the end state and the largest error of the interpolants
/// against `exact`, sampled within the steps.
pub(super) fn fixed_steps(
    stepper: &mut Stepper,
    flow: &mut dyn Flow,
    (start, end): (f64, f64),
    steps: u32,
    exact: impl Fn(f64) -> [f64; 2],
) -> (f64, f64) {
    let h = (end - start) / f64::from(steps);
    let mut x = exact(start).to_vec();
    let mut dense = DenseOutput::new();
    let (mut sample, mut inside) = ([0.0; 2], 0.0_f64);
    stepper.restart(flow, start, &x).unwrap();
    for step in 0..steps {
        let t = start + f64::from(step) * h;
        // The tightest tolerance that accepts the step: Newton iterations stop at a fraction of it.
        let mut tolerances = (0..60).map(|k| Tolerance::uniform(1e-14, 1e-13 * 2.0_f64.powi(k), 2).unwrap());
        assert!(tolerances.any(|tol| stepper.attempt(flow, t, &x, h, &tol).unwrap().acceptable()));
        stepper.dense(flow, &mut dense).unwrap();
        for part in 1..20 {
            let t = t + h * f64::from(part) / 20.0;
            dense.evaluate(t, &mut sample);
            inside = inside.max(distance(&sample, &exact(t)));
        }
        x.copy_from_slice(stepper.x_new());
        stepper.accept().unwrap();
    }
    (distance(&x, &exact(end)), inside)
}

/// Largest difference of two states.
pub(in crate::integrate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Observed order from errors with a step size and with half of it.
pub(super) fn order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).log2()
}
