//! A hybrid system put together from functions, and what happened to it.

use crate::error::Result;
use crate::hybrid::At;
use crate::hybrid::{Crossing, Finish, Happening, HybridSystem, Jump, JumpView, Observer, Options, simulate};
use crate::integrate::{Method, Tolerance};

type Guard = Box<dyn Fn(f64, &[f64]) -> f64>;

/// A system whose mode counts the jumps so far.
pub struct Toy {
    pub n: usize,
    pub flow: fn(f64, &[f64], &mut [f64]),
    pub guards: Vec<(Crossing, Guard)>,
    /// Changes the state at a jump, given the guards that fired.
    pub jump: fn(&mut [f64], &[usize]),
    /// Whether a guard watches after so many jumps.
    pub awake: fn(usize, usize) -> bool,
}

impl Toy {
    /// A clock: its one state is time, and jumps change nothing.
    pub fn clock() -> Self {
        Self {
            n: 1,
            flow: |_, _, dx| dx[0] = 1.0,
            guards: Vec::new(),
            jump: |_, _| (),
            awake: |_, _| true,
        }
    }

    pub fn with(mut self, crossing: Crossing, guard: impl Fn(f64, &[f64]) -> f64 + 'static) -> Self {
        self.guards.push((crossing, Box::new(guard)));
        self
    }
}

impl HybridSystem for Toy {
    type Mode = usize;
    type Workspace = ();

    fn dimension(&self) -> usize {
        self.n
    }

    fn workspace(&self) {}

    fn flow(&self, at: At<usize>, (): &mut (), dx: &mut [f64]) -> Result<()> {
        let At { t, x, .. } = at;
        (self.flow)(t, x, dx);
        Ok(())
    }

    fn flow_jacobian(&self, at: At<usize>, (): &mut (), jacobian: &mut [f64]) -> Result<()> {
        let At { t, x, .. } = at;
        // Flows of the tests are linear in the state: differences are exact to rounding.
        let (mut above, mut below) = (vec![0.0; self.n], vec![0.0; self.n]);
        for j in 0..self.n {
            let mut moved = x.to_vec();
            moved[j] = x[j] + 0.5;
            (self.flow)(t, &moved, &mut above);
            moved[j] = x[j] - 0.5;
            (self.flow)(t, &moved, &mut below);
            for i in 0..self.n {
                jacobian[i * self.n + j] = above[i] - below[i];
            }
        }
        Ok(())
    }

    fn guards(&self) -> usize {
        self.guards.len()
    }

    fn crossing(&self, guard: usize, mode: &usize) -> Option<Crossing> {
        (self.awake)(guard, *mode).then_some(self.guards[guard].0)
    }

    fn guard(&self, guard: usize, at: At<usize>, (): &mut ()) -> Result<f64> {
        let At { t, x, .. } = at;
        Ok((self.guards[guard].1)(t, x))
    }

    fn jump(&self, _: f64, mode: &usize, x: &mut [f64], fired: &[usize], (): &mut ()) -> Result<Jump<usize>> {
        (self.jump)(x, fired);
        let happening = |guard: &usize| Happening {
            name: format!("guard {guard}"),
            kind: "switch".to_string(),
            part: 0,
            outcome: None,
        };
        Ok(Jump {
            mode: mode + 1,
            happenings: fired.iter().map(happening).collect(),
            remarks: Vec::new(),
        })
    }
}

/// Time, fired guards, state before and after.
pub type Event = (f64, Vec<usize>, Vec<f64>, Vec<f64>);

/// Collects the events.
#[derive(Default)]
pub struct Events(pub Vec<Event>);

impl Observer<usize> for Events {
    fn jump(&mut self, jump: &JumpView<usize>) -> Result<()> {
        self.0
            .push((jump.t, jump.fired.to_vec(), jump.before.to_vec(), jump.after.to_vec()));
        Ok(())
    }
}

pub fn options(n: usize, end: f64, method: Method) -> Options {
    let tolerance = Tolerance::uniform(1e-12, 1e-13, n).expect("positive");
    Options {
        end,
        tolerance,
        method,
        max_step: f64::INFINITY,
        max_steps: 100_000,
    }
}

/// Simulates from time `start`.
pub fn run(toy: &Toy, start: f64, x: &[f64], end: f64) -> Result<(Vec<Event>, Finish<usize>)> {
    let mut events = Events::default();
    let finish = simulate(
        toy,
        (start, 0, x.to_vec()),
        &options(toy.n, end, Method::DormandPrince),
        &mut (),
        &mut events,
    )?;
    assert_eq!(finish.jumps, events.0.len());
    Ok((events.0, finish))
}

/// Times of the events of a clock that starts at zero.
pub fn times(toy: &Toy, end: f64) -> Vec<f64> {
    let (events, finish) = run(toy, 0.0, &[0.0], end).expect("it runs");
    assert_eq!(finish.t, end);
    events.into_iter().map(|event| event.0).collect()
}

/// Demands that the times agree to rounding.
pub fn assert_times(found: &[f64], expected: &[f64]) {
    let close = found
        .iter()
        .zip(expected)
        .all(|(a, b)| (a - b).abs() <= 4e-15 * b.abs().max(1.0));
    assert!(
        close && found.len() == expected.len(),
        "{found:?} instead of {expected:?}"
    );
}
