//! Command line: parse, call, print. Exit status 0 done, 1 the scene or the computation failed, 2 wrong usage.

mod arguments;
mod bytes;
mod check;
mod common;
mod compare;
mod export;
mod families;
mod gradient;
mod interruption;
mod manual;
mod motion;
mod optimize;
mod print;
mod progress;
mod quoted;
mod render;
mod report;
mod run;
mod sweep;

use std::process::ExitCode;

use clap::Parser;

use crate::error::{ErrorKind, Result};
use arguments::{Arguments, Command};
use print::note;
pub use quoted::Quoted;

/// Exit status for a command line that cannot be served, as that of one that cannot be parsed.
const WRONG_USAGE: u8 = 2;

/// Parses the arguments of the process and does what they say.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    install_report_handler();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let kind = error.kind();
            note!("{:?}", miette::Report::new(Quoted::from(error)));
            match kind {
                ErrorKind::Usage => ExitCode::from(WRONG_USAGE),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

fn dispatch(arguments: &Arguments) -> Result<()> {
    match &arguments.command {
        Command::Check(check) => check::check(check),
        Command::Run(run) => run::run(run),
        Command::Gradient(gradient) => gradient::gradient(gradient),
        Command::Optimize(optimize) => optimize::optimize(optimize),
        Command::Sweep(sweep) => sweep::sweep(sweep),
        Command::Export(export) => export::export(export),
        Command::Report(report) => report::report(report),
        Command::Render(render) => render::render(render),
        #[cfg(feature = "viewer")]
        Command::View(view) => render::view(view),
        Command::Completions(completions) => manual::print_completions(completions.shell),
        Command::Manual(manual) => manual::write_pages(&manual.out),
    }
}

/// Plain lines where nobody watches, so that messages can be searched; colours and curves on a terminal.
fn install_report_handler() {
    // Fails only if a handler is installed already, which then stays.
    let _ = miette::set_hook(Box::new(|_| {
        Box::new(miette::MietteHandlerOpts::new().width(100).build())
    }));
}
