//! Work beside the interpreter: its lock is free meanwhile, and its signals end the work.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{self, Builder};
use std::time::Duration;

use costate::error::{Error, ErrorKind, Result};
use costate::run::Interruption;
use pyo3::prelude::*;

use crate::error::raised;

/// Time between two looks at the signals.
const LOOK: Duration = Duration::from_millis(20);

/// Bytes of the stack, as the main thread of a program has.
const STACK: usize = 8 << 20;

/// Does some work on a thread of its own, which `flag` ends. A signal whose handler raises, such as that of Ctrl-C, sets it.
///
/// # Errors
/// What the handler raises, else what the work ends with.
pub fn work<T: Send>(py: Python<'_>, flag: &Interruption, task: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    let (found, signal) = py.detach(|| beside(flag, task));
    match (signal, found) {
        (Some(signal), _) => Err(signal),
        (None, found) => found.map_err(|error| raised(py, &error)),
    }
}

fn beside<T: Send>(flag: &Interruption, task: impl FnOnce() -> Result<T> + Send) -> (Result<T>, Option<PyErr>) {
    thread::scope(|scope| {
        let (done, waiting) = channel();
        let task = move || {
            let found = task();
            // Nobody waits any more only where the caller is gone, too.
            let _ = done.send(());
            found
        };
        let worker = match Builder::new().stack_size(STACK).spawn_scoped(scope, task) {
            Ok(worker) => worker,
            Err(error) => {
                let message = format!("the system gives no thread to work on: {error}");
                return (Err(Error::new(ErrorKind::Request, message)), None);
            }
        };
        let mut signal = None;
        while waiting.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            if signal.is_none() {
                signal = Python::attach(|py| py.check_signals()).err();
                signal.iter().for_each(|_| flag.set());
            }
        }
        // A panic of the task goes on in the caller.
        let found = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (found, signal)
    })
}
