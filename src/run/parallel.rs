//! Independent tasks on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// As many threads as there are cores.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Results of a task for each of `0..count`, in order whatever the number of threads; `progress` is told the part that is
/// done.
pub(crate) fn in_parallel<T: Send>(
    threads: usize,
    count: usize,
    progress: &(dyn Fn(f64) + Sync),
    task: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let threads = threads.clamp(1, count.max(1));
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut results = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return results;
            }
            results.push((index, task(index)));
            progress((done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / count as f64);
        }
    };
    let mut results: Vec<(usize, T)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        // A panic of a task goes on in the caller, as if there were one thread.
        let passed_on = |panic| std::panic::resume_unwind(panic);
        joined.flat_map(|results| results.unwrap_or_else(passed_on)).collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
