//! Which flows are said to jump without a guard.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use super::toy::{Toy, options};
use crate::error::Result;
use crate::hybrid::{Observer, StepView, simulate};
use crate::integrate::Method::{self, DormandPrince, Radau};

/// Times and components of jumps.
#[derive(Default)]
struct Breaks(Vec<(usize, f64)>);

impl Observer<usize> for Breaks {
    fn step(&mut self, step: &StepView<usize>) -> Result<()> {
        self.0.extend(step.breaks.map(|found| (found.component, found.t)));
        Ok(())
    }
}

fn breaks(flow: fn(f64, &[f64], &mut [f64]), method: Method) -> Vec<(usize, f64)> {
    breaks_of(2, flow, method)
}

fn breaks_of(n: usize, flow: fn(f64, &[f64], &mut [f64]), method: Method) -> Vec<(usize, f64)> {
    let toy = Toy {
        n,
        flow,
        ..Toy::clock()
    };
    let mut found = Breaks::default();
    let start = (0.0, 0, vec![0.0; n]);
    simulate(&toy, start, &options(n, 1.0, method), &mut (), &mut found).expect("it runs");
    found.0
}

#[test]
fn a_flow_that_jumps_by_state_or_time_is_told_once_at_its_time() {
    for method in [DormandPrince, Radau] {
        let by_time = breaks(|t, _, dx| dx.copy_from_slice(&[1.0, f64::from(t > 0.4)]), method);
        let by_state = breaks(
            |_, x, dx| dx.copy_from_slice(&[1.0, if x[0] > 0.4 { 0.3 } else { 0.2 }]),
            method,
        );
        // In the middle of the jump it has a value of its own, or none.
        let by_three = breaks(
            |_, x, dx| dx.copy_from_slice(&[1.0, if x[0] == 0.4 { 0.0 } else { (x[0] - 0.4).signum() }]),
            method,
        );
        let none = breaks(
            |_, x, dx| dx.copy_from_slice(&[1.0, (x[0] - 0.4) / (x[0] - 0.4).abs()]),
            method,
        );
        for found in [by_time, by_state, by_three, none] {
            assert_eq!(found.len(), 1, "{method:?} {found:?}");
            assert_eq!(found[0].0, 1);
            assert!((found[0].1 - 0.4).abs() < 1e-9, "{found:?}");
        }
    }
}

#[test]
fn a_flow_that_bends_or_changes_quickly_does_not_jump() {
    type Rates = fn(f64, &[f64], &mut [f64]);
    let flows: [Rates; 4] = [
        |t, _, dx| dx.copy_from_slice(&[1.0, (t - 0.4).abs()]),
        |t, _, dx| dx.copy_from_slice(&[1.0, (t - 0.4).abs().sqrt()]),
        |t, _, dx| dx.copy_from_slice(&[1.0, ((t - 0.4) / 1e-6).tanh()]),
        |t, _, dx| dx.copy_from_slice(&[1.0, 1e-3 / (1e-6 + (t - 0.4).powi(2))]),
    ];
    for flow in flows {
        assert_eq!(breaks(flow, DormandPrince), []);
    }
}

#[test]
fn components_that_change_alike_are_looked_at_together() {
    static EVALUATIONS: AtomicUsize = AtomicUsize::new(0);
    let [few, many] = [2, 40].map(|n| {
        EVALUATIONS.store(0, Relaxed);
        let quick = |t: f64, _: &[f64], dx: &mut [f64]| {
            EVALUATIONS.fetch_add(1, Relaxed);
            dx.fill(((t - 0.4) / 1e-6).tanh());
        };
        assert_eq!(breaks_of(n, quick, DormandPrince), []);
        EVALUATIONS.load(Relaxed)
    });
    assert!(many <= few + few / 20, "{few} {many}");
}
