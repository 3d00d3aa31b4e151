//! The balance of energy of the shown motion, computed in the background once it is asked for.

use super::worker::Worker;
use crate::run::{Experiment, Interruption, Recording};
use crate::show::Show;

/// Keeps the account of one motion at a time.
pub(super) struct Account {
    worker: Worker<Experiment, Recording>,
    /// The number of the motion that the last question was about.
    asked: Option<u64>,
    failure: Option<String>,
}

impl Account {
    pub(super) fn new() -> Self {
        let account = |experiment: Experiment, interruption: &Interruption| {
            let run = experiment.interruptible(interruption).run_balanced(true, &mut |_| ())?;
            Ok(run.1.unwrap_or_default())
        };
        Self {
            worker: Worker::new(account),
            asked: None,
            failure: None,
        }
    }

    /// Puts the account into the motion that has this number once it is there; asks for it while nothing else is simulated.
    pub(super) fn update(&mut self, show: &mut Show, number: u64, is_wanted: bool) {
        match self.worker.poll() {
            Some(Ok(recording)) if self.asked == Some(number) => show.recording = recording,
            Some(Err(error)) => self.failure = Some(error.message().to_string()),
            _ => {}
        }
        if is_wanted && self.asked != Some(number) {
            (self.asked, self.failure) = (Some(number), None);
            self.worker.order(show.experiment.clone());
        }
    }

    /// Whether it is being computed.
    pub(super) fn is_busy(&self) -> bool {
        self.worker.is_busy()
    }

    /// Why there is nothing to be seen of it.
    pub(super) fn describe(&self) -> &str {
        match &self.failure {
            _ if self.worker.is_busy() => "the balance of energy is being computed",
            Some(failure) => failure,
            None => "nothing gives or takes energy",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Account;
    use crate::run::{Changes, Experiment};
    use crate::show::Show;

    const SCENE: &str = r#"Scene(
        name: "ball", space: Planar, gravity: [0, -9.81], points: { "ball": (at: [0, 1], mass: 1) },
        contacts: { "floor": Touch(point: "ball", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)) },
        simulation: (duration: 0.6),
    )"#;

    /// Only the answer about the shown motion is taken.
    #[test]
    fn the_account_comes_into_the_motion_that_it_is_about() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ball.ron");
        std::fs::write(&path, SCENE).expect("a file");
        let experiment = Experiment::open(&path, &Changes::default()).expect("an experiment");
        let mut show = Show::new(experiment, &mut |_| ()).expect("a motion");
        let mut account = Account::new();
        let plain = show.recording.clone();
        account.update(&mut show, 1, false);
        assert!(!account.worker.is_busy(), "nobody asked");
        account.update(&mut show, 1, true);
        let since = Instant::now();
        while account.worker.is_busy() && since.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
            account.update(&mut show, 1, true);
        }
        let found = show.recording.clone();
        assert_eq!((&found.times, &found.events), (&plain.times, &plain.events));
        let [(name, given)] = &found.energy.events[..] else {
            panic!("{:?}", found.energy.events)
        };
        // A ball of 1 kg from a height of 1 m keeps a quarter.
        let last = given.last().expect("a value");
        assert!(name == "floor" && (last + 0.75 * 9.81).abs() < 1e-6, "{last}");
        assert_eq!(account.describe(), "nothing gives or takes energy");
        account.update(&mut show, 2, true);
        show.recording = plain.clone();
        while account.worker.is_busy() {
            account.update(&mut show, 3, false);
        }
        assert_eq!(show.recording, plain, "it was about another motion");
        assert_ne!(found, plain);
    }
}
