//! Independent tasks on several threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::HAS_SYSTEM;

/// As many threads as there are cores.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Results of a task for each of `0..count`, in order whatever the number of threads; `progress` is told the part that is
/// done.
pub fn in_parallel<T: Send>(
    threads: usize,
    count: usize,
    progress: &(dyn Fn(f64) + Sync),
    task: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let results: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let keep = |index: usize| {
        let result = task(index);
        if let Ok(mut slot) = results[index].lock() {
            *slot = Some(result);
        }
    };
    share_out(threads, count, progress, &keep);
    // Every slot is filled: a task that panics does not get here.
    let kept = results.into_iter().map(|slot| slot.into_inner().ok().flatten());
    kept.flatten().collect()
}

/// Calls a task for each of `0..count`, on several threads.
fn share_out(threads: usize, count: usize, progress: &(dyn Fn(f64) + Sync), task: &(dyn Fn(usize) + Sync)) {
    let threads = threads.clamp(1, count.max(1));
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return;
            }
            task(index);
            progress((done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / count as f64);
        }
    };
    if threads == 1 || !HAS_SYSTEM {
        return work();
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            // A panic of a task goes on in the caller, as if there were one thread.
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::in_parallel;
    use std::thread::current;

    #[test]
    fn one_thread_is_that_of_the_caller() {
        let own = current().id();
        assert!(
            in_parallel(1, 3, &|_| {}, |_| current().id())
                .iter()
                .all(|id| *id == own)
        );
        assert!(
            in_parallel(2, 3, &|_| {}, |_| current().id())
                .iter()
                .all(|id| *id != own)
        );
        assert_eq!(in_parallel(2, 3, &|_| {}, |index| 2 * index), [0, 2, 4]);
    }
}
