//! The `costate` program: reads the command line, calls the library, prints.

use std::process::ExitCode;

fn main() -> ExitCode {
    costate::cli::main()
}
