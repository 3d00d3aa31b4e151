//! Any text, read and compiled.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Err(finding) = costate_fuzz::read_and_compile(text) {
        panic!("{finding}");
    }
});
