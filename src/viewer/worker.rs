//! Simulations in the background: the last one asked for is the next one made.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;

use crate::error::{Error, ErrorKind, Result};
use crate::run::{Changes, Experiment};
use crate::show::Show;

/// What to simulate.
#[derive(Clone, Debug)]
pub struct Order {
    /// Scene file.
    pub scene: PathBuf,
    /// What is changed about it.
    pub changes: Changes,
}

/// A thread that simulates.
pub struct Worker {
    orders: Sender<(u64, Order)>,
    shows: Receiver<(u64, Result<Box<Show>>)>,
    /// Number of the last order, and of the last one that was answered.
    ordered: u64,
    answered: u64,
}

impl Worker {
    /// Starts the thread; it ends with the worker.
    pub fn new() -> Self {
        let (orders, incoming) = channel();
        let (outgoing, shows) = channel();
        thread::spawn(move || serve(&incoming, &outgoing));
        Self {
            orders,
            shows,
            ordered: 0,
            answered: 0,
        }
    }

    /// Asks for a simulation; one that was asked for before and has not begun is left out.
    pub fn order(&mut self, order: Order) {
        self.ordered += 1;
        // A thread that has ended is noticed when its answer is asked for.
        let _ = self.orders.send((self.ordered, order));
    }

    /// Whether a simulation is under way.
    pub fn is_busy(&self) -> bool {
        self.ordered > self.answered
    }

    /// A finished simulation, if there is one.
    pub fn poll(&mut self) -> Option<Result<Box<Show>>> {
        match self.shows.try_recv() {
            Ok((number, show)) => {
                self.answered = number;
                Some(show)
            }
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) if self.is_busy() => {
                self.answered = self.ordered;
                Some(Err(Error::new(
                    ErrorKind::Request,
                    "the simulation in the background has ended",
                )))
            }
            Err(TryRecvError::Disconnected) => None,
        }
    }
}

fn serve(orders: &Receiver<(u64, Order)>, shows: &Sender<(u64, Result<Box<Show>>)>) {
    while let Ok((mut number, mut order)) = orders.recv() {
        while let Ok(later) = orders.try_recv() {
            (number, order) = later;
        }
        let opened = Experiment::open(&order.scene, &order.changes);
        let show = opened.and_then(|experiment| Show::new(experiment, &mut |_| ()));
        if shows.send((number, show.map(Box::new))).is_err() {
            return;
        }
    }
}
