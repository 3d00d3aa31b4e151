//! A pendulum in coordinates, as equations of index 2, against the pendulum in its angle.

use costate::equations::{DualNum, Equations, Point, Sensitivities, Study};
use costate::error::Result;
use costate::hybrid::{HybridSystem, Observer, StepView};
use costate::integrate::Method;
use costate::sensitivity::{ForwardMode, ForwardSystem, Switching};

use super::models::{Angle, Cartesian, PENDULUM};

/// After three impacts.
const END: f64 = 4.0;

fn cartesian(stabilized: bool) -> Study<Cartesian> {
    Study::new(Cartesian { stabilized }, &PENDULUM, (0.0, END))
}

fn angle() -> Study<Angle> {
    Study::new(Angle, &PENDULUM, (0.0, END))
}

/// Largest difference relative to one and the exact value.
pub fn difference(found: &[f64], exact: &[f64]) -> f64 {
    assert_eq!(found.len(), exact.len());
    let differences = found.iter().zip(exact).map(|(a, b)| (a - b).abs() / (1.0 + b.abs()));
    differences.fold(0.0, |most, d| if d > most || d.is_nan() { d } else { most })
}

fn assert_close(found: &[f64], exact: &[f64], tolerance: f64) {
    let d = difference(found, exact);
    assert!(d < tolerance, "{d:.1e}: {found:?} instead of {exact:?}");
}

/// Position, velocity and lambda from the angle, with their derivatives by a parameter.
fn from_angle(reference: &Sensitivities<Angle>, t: f64, parameter: usize) -> [Vec<f64>; 2] {
    use costate::scalar::Dual64;
    let at = reference.at(t).expect("within the motion");
    let unit = |k: usize| f64::from(u8::from(k == parameter));
    let [length, weight] = [0, 1].map(|k| Dual64::new(PENDULUM[k], unit(k)));
    let [theta, rate] = [0, 1].map(|i| Dual64::new(at.x[i], at.dx[parameter][i]));
    let (sin, cos) = theta.sin_cos();
    let speed = length * rate;
    let lambda = rate * rate + weight * cos / length;
    let numbers = [length * sin, -length * cos, cos * speed, sin * speed, lambda];
    [
        numbers.iter().map(|number| number.re).collect(),
        numbers.iter().map(|number| number.eps).collect(),
    ]
}

/// States, lambda, slopes of both and times of events, against the reference.
fn check(study: &Study<Cartesian>, reference: &Sensitivities<Angle>, tolerance: f64) {
    let motion = study.forward().expect("it swings");
    assert_eq!(motion.events.len(), 3);
    for (event, exact) in motion.events.iter().zip(&reference.events) {
        assert_close(&[event.t], &[exact.t], tolerance);
        assert_close(&event.slopes, &exact.slopes, tolerance);
    }
    for t in [0.0, 0.4, 0.79, 1.0, 1.7, 2.9, 3.91, END] {
        let found = motion.at(t).expect("within the motion");
        for k in 0..PENDULUM.len() {
            let [values, slopes] = from_angle(reference, t, k);
            assert_close(&[&found.x[..], &found.y[..1]].concat(), &values, tolerance);
            assert_close(&[&found.dx[k][..], &found.dy[k][..1]].concat(), &slopes, tolerance);
        }
    }
    let adjoint = study.adjoint().expect("it swings");
    for gradients in [&motion.gradients, &adjoint] {
        assert_close(&gradients.costs, &reference.gradients.costs, tolerance);
        for (found, exact) in gradients.gradients.iter().zip(&reference.gradients.gradients) {
            let size = exact.iter().fold(1.0, |most: f64, slope| most.max(slope.abs()));
            let relative = |row: &[f64]| row.iter().map(|slope| slope / size).collect::<Vec<_>>();
            assert_close(&relative(found), &relative(exact), tolerance);
        }
    }
}

#[test]
fn motion_multiplier_and_sensitivities_of_both_methods_are_those_of_the_angle() {
    let reference_study = angle();
    let reference = reference_study.forward().expect("it swings");
    for stabilized in [true, false] {
        check(&cartesian(stabilized), &reference, 1e-10);
        let radau = cartesian(stabilized).by(Method::Radau);
        check(&radau.to_tolerance(1e-11, 1e-12), &reference, 1e-8);
        let trapezoidal = cartesian(stabilized).by(Method::Trapezoidal);
        check(&trapezoidal.to_tolerance(1e-8, 1e-9), &reference, 1e-4);
    }
}

/// Largest residual of the constraints at ends of steps.
struct Residual<'a> {
    study: &'a Study<Cartesian>,
    largest: f64,
    steps: usize,
}

impl Observer<()> for Residual<'_> {
    fn step(&mut self, step: &StepView<()>) -> Result<()> {
        let system = self.study.system();
        let mut g = [0.0; 2];
        let at = Point {
            t: step.end,
            x: &step.x[..4],
            y: &[0.0; 2],
            p: system.parameters(),
        };
        system.equations().constraint(&(), &at, &mut g);
        self.largest = self.largest.max(g[0].abs()).max(g[1].abs());
        self.steps += 1;
        Ok(())
    }
}

#[test]
fn constraints_hold_to_rounding_at_the_end_of_every_step_however_rough() {
    for method in [Method::DormandPrince, Method::Radau, Method::Trapezoidal] {
        for rtol in [1e-3, 1e-6] {
            for stabilized in [true, false] {
                let study = cartesian(stabilized).by(method).to_tolerance(rtol, rtol);
                let mut residual = Residual {
                    study: &study,
                    largest: 0.0,
                    steps: 0,
                };
                study.run(&mut residual).expect("it swings");
                assert!(
                    residual.steps > 10 && residual.largest < 1e-14,
                    "{:e}",
                    residual.largest
                );
            }
        }
    }
}

/// Largest residual of the derivatives of the constraints by the length, at ends of steps.
struct SlopeResidual {
    /// Entries of a block of the state.
    block: usize,
    largest: f64,
}

impl Observer<ForwardMode<()>> for SlopeResidual {
    fn step(&mut self, step: &StepView<ForwardMode<()>>) -> Result<()> {
        let (x, s) = (step.x, &step.x[self.block..]);
        let length = x[0] * s[0] + x[1] * s[1] - PENDULUM[0];
        let rate = x[0] * s[2] + x[1] * s[3] + x[2] * s[0] + x[3] * s[1];
        self.largest = self.largest.max(length.abs()).max(rate.abs());
        Ok(())
    }
}

#[test]
fn so_do_their_derivatives() {
    for method in [Method::DormandPrince, Method::Radau, Method::Trapezoidal] {
        let study = cartesian(true).by(method).to_tolerance(1e-3, 1e-3);
        let directions = study.directions();
        let forward = ForwardSystem::new(study.system(), &directions);
        let mut residual = SlopeResidual {
            block: study.system().dimension(),
            largest: 0.0,
        };
        study.run_forward(&forward, &mut residual).expect("it swings");
        assert!(residual.largest < 1e-13, "{:e}", residual.largest);
    }
}

#[test]
fn points_between_steps_satisfy_the_constraints_too_with_their_slopes() {
    let study = cartesian(true).to_tolerance(1e-4, 1e-4);
    let (motion, sensitive) = (
        study.simulate().expect("it swings"),
        study.forward().expect("it swings"),
    );
    for k in 0..40 {
        let t = END * f64::from(k) / 40.0;
        let at = sensitive.at(t).expect("within the motion");
        for x in [&motion.at(t).expect("within the motion").0, &at.x] {
            let length = x[0].hypot(x[1]);
            assert!((length - PENDULUM[0]).abs() < 1e-14 && (x[0] * x[2] + x[1] * x[3]).abs() < 1e-14);
        }
        let q_dq = at.x[0] * at.dx[0][0] + at.x[1] * at.dx[0][1];
        assert!((q_dq - PENDULUM[0]).abs() < 1e-13, "{q_dq}");
    }
}

#[test]
fn gradients_are_those_of_richardson_differences() {
    let of = |p: &[f64]| {
        let study = Study::new(Cartesian { stabilized: true }, p, (0.0, END));
        study.simulate().expect("it swings").costs
    };
    let gradients = cartesian(true).adjoint().expect("it swings").gradients;
    for (cost, gradient) in gradients.iter().enumerate() {
        for (k, found) in gradient.iter().enumerate() {
            let central = |h: f64| {
                let moved = |by: f64| {
                    let mut p = PENDULUM;
                    p[k] += by;
                    of(&p)[cost]
                };
                (moved(h) - moved(-h)) / (2.0 * h)
            };
            let difference = (4.0 * central(5e-4) - central(1e-3)) / 3.0;
            assert_close(&[*found], &[difference], 1e-8);
        }
    }
}

#[test]
fn hessians_are_those_of_the_angle() {
    let exact = angle().hessians().expect("it swings");
    let found = cartesian(true).hessians().expect("it swings");
    for (found, exact) in found.iter().flatten().zip(exact.iter().flatten()) {
        assert_close(found, exact, 1e-7);
    }
}

#[test]
fn predictions_err_by_the_square_of_the_change() {
    let study = cartesian(true);
    let motion = study.forward().expect("it swings");
    let error = |change: f64| {
        let dp: Vec<f64> = PENDULUM.iter().map(|p| p * change).collect();
        let p: Vec<f64> = PENDULUM.iter().zip(&dp).map(|(p, d)| p + d).collect();
        let changed = Study::new(Cartesian { stabilized: true }, &p, (0.0, END));
        let changed = changed.simulate().expect("it swings");
        let (x, y) = motion.predict(3.0, &dp, Switching::Predicted).expect("a prediction");
        let (exact_x, exact_y) = changed.at(3.0).expect("within the motion");
        difference(&x, &exact_x).max(difference(&y[..1], &exact_y[..1]))
    };
    let ratio = error(2e-3) / error(1e-3);
    assert!((3.5..4.5).contains(&ratio), "{ratio}");
}
