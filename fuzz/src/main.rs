//! So many mutants from a seed: `costate-fuzz COUNT SEED FOLDER [SECONDS]`. With 0 seconds each is read and compiled, and none moves.
//!
//! Findings are scenes in the folder, with what was found in their first line. The mutant at work is `current.ron` there: what
//! hangs, or ends the process, is left behind in it.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use costate_fuzz::{Corpus, Outcome, Random, examine, read};

/// Seconds for everything that is computed of a mutant, unless given.
const SECONDS: u64 = 10;

/// How many times longer a mutant may take until it counts as one that hangs.
const HANGS: u64 = 12;

/// One in so many mutants is held to difference quotients.
const CERTIFIED: u64 = 8;

#[derive(Debug, Default)]
struct Counts {
    refused: u64,
    slow: u64,
    ran: u64,
    compared: u64,
    comparisons: usize,
    findings: u64,
    slowest: (Duration, u64),
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize| arguments.get(k).and_then(|text| text.parse::<u64>().ok());
    let (Some(count), Some(seed), Some(folder)) = (number(0), number(1), arguments.get(2).map(PathBuf::from)) else {
        eprintln!("usage: costate-fuzz COUNT SEED FOLDER [SECONDS]");
        return ExitCode::from(2);
    };
    if let Err(error) = fs::create_dir_all(&folder) {
        eprintln!("{} cannot be created: {error}", folder.display());
        return ExitCode::FAILURE;
    }
    let seconds = number(3).unwrap_or(SECONDS);
    let hangs = HANGS * if seconds == 0 { SECONDS } else { seconds };
    let corpus = Corpus::load();
    println!("{} scenes", corpus.scenes.len());
    // The mutant at work, whose progress another thread watches.
    let at_work = AtomicU64::new(seed);
    let mut counts = Counts::default();
    std::thread::scope(|scope| {
        scope.spawn(|| watch(&at_work, seed + count, hangs));
        for own in seed..seed + count {
            at_work.store(own, Ordering::Relaxed);
            one(&corpus, own, seconds, &folder, &mut counts);
            if (own - seed) % 1000 == 999 {
                println!("{} mutants: {counts:?}", own - seed + 1);
            }
        }
        at_work.store(seed + count, Ordering::Relaxed);
    });
    println!("{count} mutants: {counts:?}");
    if counts.findings == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn one(corpus: &Corpus, seed: u64, seconds: u64, folder: &Path, counts: &mut Counts) {
    let mutant = corpus.mutant(&mut Random::new(seed));
    let _ = fs::write(folder.join("current.ron"), format!("// seed {seed}\n{mutant}"));
    let clock = Instant::now();
    let time = Duration::from_secs(seconds);
    let examined = catch_unwind(AssertUnwindSafe(|| match seconds {
        0 => read(&mutant),
        _ => examine(&mutant, time, seed.is_multiple_of(CERTIFIED)),
    }));
    let outcome = examined.unwrap_or_else(|_| Outcome::Finding("panic".to_string()));
    counts.slowest = counts.slowest.max((clock.elapsed(), seed));
    match outcome {
        Outcome::Refused => counts.refused += 1,
        Outcome::Slow => {
            counts.slow += 1;
            let _ = fs::write(folder.join(format!("slow-{seed}.ron")), &mutant);
        }
        Outcome::Ran => counts.ran += 1,
        Outcome::Compared(comparisons) => {
            counts.compared += 1;
            counts.comparisons += comparisons;
        }
        Outcome::Finding(finding) => {
            counts.findings += 1;
            println!("seed {seed}: {finding}");
            let _ = fs::write(
                folder.join(format!("finding-{seed}.ron")),
                format!("// {finding}\n{mutant}"),
            );
        }
    }
}

/// Ends the process where one mutant takes longer than it may.
fn watch(at_work: &AtomicU64, end: u64, seconds: u64) {
    let (mut seen, mut since) = (0, Instant::now());
    while seen < end {
        std::thread::sleep(Duration::from_millis(200));
        let now = at_work.load(Ordering::Relaxed);
        if now != seen {
            (seen, since) = (now, Instant::now());
        } else if seen < end && since.elapsed() > Duration::from_secs(seconds) {
            eprintln!("seed {seen} hangs: current.ron");
            std::process::exit(3);
        }
    }
}
