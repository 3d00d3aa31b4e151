//! What tells files, problems and programs apart.

use std::path::PathBuf;
use std::sync::OnceLock;

/// The file of the program, where that is not the one that runs.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// A text that differs between different bytes.
pub fn fingerprint(bytes: impl IntoIterator<Item = u8>) -> String {
    // FNV-1a, 64 bits (Fowler, Noll, Vo): the same in every version of the standard library.
    let mixed = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, mixed))
}

/// A text that differs between builds of the program, which may round differently; empty where the program cannot be read.
pub fn build() -> &'static str {
    static BUILD: OnceLock<String> = OnceLock::new();
    BUILD.get_or_init(|| {
        let program = PROGRAM.get().cloned().map_or_else(std::env::current_exe, Ok);
        let program = program.and_then(std::fs::read).ok();
        program.map_or(String::new(), fingerprint)
    })
}

/// Says which file [`build`] tells apart: a library that another program loads. It counts only before the first call of that.
pub fn built_as(library: PathBuf) {
    // Said twice, it is the same file.
    let _ = PROGRAM.set(library);
}
