//! What observers and trajectories are told.

use super::toy::{Toy, options};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{Crossing, JumpView, Observer, StepView, Trajectory, simulate};
use crate::integrate::Method;

/// A ball that bounces without loss.
fn ball() -> Toy {
    let flow = |_: f64, x: &[f64], dx: &mut [f64]| (dx[0], dx[1]) = (x[1], -1.0);
    Toy {
        n: 2,
        flow,
        jump: |x, _| x[1] = -x[1],
        ..Toy::clock()
    }
    .with(Crossing::Unilateral, |_, x| x[0])
}

#[test]
fn a_trajectory_holds_one_phase_more_than_jumps_and_gives_the_state_at_any_time() {
    let mut trajectory = Trajectory::default();
    let finish = simulate(
        &ball(),
        (0.0, 0, vec![0.5, 0.0]),
        &options(2, 4.0, Method::DormandPrince),
        &mut (),
        &mut trajectory,
    )
    .expect("it runs");
    assert_eq!(
        (trajectory.phases.len(), trajectory.jumps.len(), finish.jumps),
        (3, 2, 2)
    );
    assert_eq!(
        trajectory.phases.iter().map(|phase| phase.mode).collect::<Vec<_>>(),
        [0, 1, 2]
    );
    for (jump, pair) in trajectory.jumps.iter().zip(trajectory.phases.windows(2)) {
        let last = pair[0].steps.last().expect("a step");
        assert!((last.end() - jump.t).abs() < 1e-15 && pair[1].start == jump.t && pair[1].x == jump.after);
        assert_eq!((jump.after[0], jump.after[1]), (jump.before[0], -jump.before[1]));
        assert_eq!(
            (jump.fired.as_slice(), jump.happenings[0].name.as_str()),
            (&[0][..], "guard 0")
        );
    }
    for phase in &trajectory.phases {
        for pair in phase.steps.windows(2) {
            assert_eq!(pair[0].end(), pair[1].start());
        }
    }
    for (t, height) in [
        (0.0_f64, 0.5),
        (0.7, 0.5 - 0.245),
        (1.5, 0.375),
        (2.0, 0.5),
        (3.5, 0.375),
        (4.0, 0.5),
    ] {
        let x = trajectory.state(t).expect("within");
        assert!((x[0] - height).abs() < 1e-11, "{} instead of {height} at {t}", x[0]);
    }
    assert!(trajectory.state(4.1).is_none() && trajectory.state(-0.1).is_none());
    assert!(trajectory.bytes() > 0);
}

/// Checks that steps join each other and the jumps.
#[derive(Default)]
struct Joined {
    t: f64,
    x: Vec<f64>,
    steps: usize,
    stop_after: Option<usize>,
}

impl Observer<usize> for Joined {
    fn start(&mut self, t: f64, mode: &usize, x: &[f64]) -> Result<()> {
        assert_eq!(*mode, 0);
        (self.t, self.x) = (t, x.to_vec());
        Ok(())
    }

    fn step(&mut self, step: &StepView<usize>) -> Result<()> {
        assert!(step.start == self.t && step.end > step.start && step.dense.is_none());
        (self.t, self.x) = (step.end, step.x.to_vec());
        self.steps += 1;
        match self.stop_after {
            Some(most) if self.steps >= most => Err(Error::new(ErrorKind::Request, "enough")),
            _ => Ok(()),
        }
    }

    fn jump(&mut self, jump: &JumpView<usize>) -> Result<()> {
        assert!(jump.t == self.t && jump.before == self.x && jump.mode_after == &(jump.mode_before + 1));
        self.x = jump.after.to_vec();
        Ok(())
    }
}

#[test]
fn an_observer_sees_steps_and_jumps_that_join() {
    let mut joined = Joined::default();
    let finish = simulate(
        &ball(),
        (0.0, 0, vec![0.5, 0.0]),
        &options(2, 4.0, Method::DormandPrince),
        &mut (),
        &mut joined,
    )
    .expect("it runs");
    assert_eq!((joined.t, joined.x), (4.0, finish.x));
    assert!(joined.steps > 3);
}

#[test]
fn an_observer_can_end_the_run() {
    let mut joined = Joined {
        stop_after: Some(2),
        ..Joined::default()
    };
    let error = simulate(
        &ball(),
        (0.0, 0, vec![0.5, 0.0]),
        &options(2, 4.0, Method::DormandPrince),
        &mut (),
        &mut joined,
    )
    .expect_err("enough");
    assert_eq!(
        (error.kind(), error.message(), joined.steps),
        (ErrorKind::Request, "enough", 2)
    );
}

/// Has enough of a simulation after so many evaluations.
struct Impatient {
    evaluations: u32,
    steps: u32,
}

impl Observer<usize> for Impatient {
    fn seeks(&mut self, t: f64) -> Result<()> {
        self.evaluations -= 1;
        match self.evaluations {
            0 => Err(Error::new(ErrorKind::Interrupted, "enough").at_time(t)),
            _ => Ok(()),
        }
    }

    fn step(&mut self, _: &StepView<usize>) -> Result<()> {
        self.steps += 1;
        Ok(())
    }
}

#[test]
fn an_observer_can_end_the_search_for_a_step_before_one_is_found() {
    let mut observer = Impatient {
        evaluations: 5,
        steps: 0,
    };
    let options = options(1, 1.0, Method::DormandPrince);
    let ended = simulate(&Toy::clock(), (0.0, 0, vec![0.0]), &options, &mut (), &mut observer);
    assert_eq!(ended.unwrap_err().kind(), ErrorKind::Interrupted);
    assert_eq!((observer.evaluations, observer.steps), (0, 0));
}
