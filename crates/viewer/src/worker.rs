//! Work in the background: the last that was asked for counts, whatever was asked for before is ended.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind, Result};
use crate::run::Interruption;

/// A thread that turns orders into answers.
pub struct Worker<O, A> {
    /// Each with its number and the flag that ends it.
    orders: Sender<(u64, O, Interruption)>,
    answers: Receiver<(u64, Result<A>)>,
    /// Number of the last order, and of the last one that was answered or given up.
    ordered: u64,
    answered: u64,
    /// Ends the work on the last order.
    interruption: Interruption,
}

impl<O: Send + 'static, A: Send + 'static> Worker<O, A> {
    /// Starts the thread; it ends with the worker. `serve` should look at the flag and end with an error once it is set.
    pub fn new(serve: fn(O, &Interruption) -> Result<A>) -> Self {
        let (orders, incoming) = channel::<(u64, O, Interruption)>();
        let (outgoing, answers) = channel();
        thread::spawn(move || {
            while let Ok(mut next) = incoming.recv() {
                while let Ok(later) = incoming.try_recv() {
                    next = later;
                }
                let (number, order, interruption) = next;
                if outgoing.send((number, serve(order, &interruption))).is_err() {
                    return;
                }
            }
        });
        Self {
            orders,
            answers,
            ordered: 0,
            answered: 0,
            interruption: Interruption::new(),
        }
    }

    /// Asks for something else than before.
    pub fn order(&mut self, order: O) {
        self.interruption.set();
        self.interruption = Interruption::new();
        self.ordered += 1;
        // A thread that has ended is noticed when its answer is asked for.
        let _ = self.orders.send((self.ordered, order, self.interruption.clone()));
    }

    /// Asks for nothing any more.
    pub fn cancel(&mut self) {
        self.interruption.set();
        self.answered = self.ordered;
    }

    /// Whether an answer is awaited.
    pub fn is_busy(&self) -> bool {
        self.ordered > self.answered
    }

    /// The answer to the last order, once it is there.
    pub fn poll(&mut self) -> Option<Result<A>> {
        self.poll_within(Duration::ZERO)
    }

    /// The answer to the last order, if it comes within so long.
    pub fn poll_within(&mut self, patience: Duration) -> Option<Result<A>> {
        let until = Instant::now() + patience;
        while self.is_busy() {
            let left = until.saturating_duration_since(Instant::now());
            match self.answers.recv_timeout(left) {
                Ok((number, answer)) if number == self.ordered => {
                    self.answered = number;
                    return Some(answer);
                }
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return None,
                Err(RecvTimeoutError::Disconnected) => {
                    self.answered = self.ordered;
                    let message = "the work in the background has ended by itself";
                    return Some(Err(Error::new(ErrorKind::Request, message)));
                }
            }
        }
        None
    }
}

impl<O, A> Drop for Worker<O, A> {
    fn drop(&mut self) {
        self.interruption.set();
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use super::Worker;
    use crate::error::Result;
    use crate::run::Interruption;

    /// Takes forever over an odd order, unless it is ended.
    fn slow_when_odd(order: u32, interruption: &Interruption) -> Result<u32> {
        let is_odd = order % 2 == 1;
        loop {
            interruption.check(0.0)?;
            if !is_odd {
                return Ok(order);
            }
            sleep(Duration::from_millis(1));
        }
    }

    fn answer(worker: &mut Worker<u32, u32>) -> Option<Result<u32>> {
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(60) {
            let found = worker.poll();
            if found.is_some() || !worker.is_busy() {
                return found;
            }
            sleep(Duration::from_millis(1));
        }
        panic!("no answer");
    }

    #[test]
    fn the_last_order_ends_the_one_before_and_is_the_one_answered() {
        let mut worker = Worker::new(slow_when_odd);
        worker.order(1);
        sleep(Duration::from_millis(20));
        worker.order(3);
        worker.order(4);
        assert_eq!(answer(&mut worker).unwrap().unwrap(), 4);
        assert!(!worker.is_busy() && worker.poll().is_none());
    }

    #[test]
    fn after_a_cancellation_no_answer_comes_and_the_next_order_is_served() {
        let mut worker = Worker::new(slow_when_odd);
        worker.order(1);
        sleep(Duration::from_millis(20));
        worker.cancel();
        assert!(!worker.is_busy() && worker.poll().is_none());
        worker.order(2);
        assert_eq!(answer(&mut worker).unwrap().unwrap(), 2);
    }
}
