//! Mutants of the scenes, whose seed the fuzzer draws, computed in several ways.
#![no_main]

use std::sync::LazyLock;
use std::time::Duration;

use costate_fuzz::{Corpus, Outcome, Random, examine};

static CORPUS: LazyLock<Corpus> = LazyLock::new(Corpus::load);

libfuzzer_sys::fuzz_target!(|seed: u64| {
    let mutant = CORPUS.mutant(&mut Random::new(seed));
    if let Outcome::Finding(finding) = examine(&mutant, Duration::from_secs(10), seed.is_multiple_of(8)) {
        panic!("{finding}\n{mutant}");
    }
});
