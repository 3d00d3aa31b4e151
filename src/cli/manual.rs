//! The `completions` and `manual` commands: what packages of the program bring beside it.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use super::arguments::Arguments;
use super::print::{line, say_written};
use crate::error::{Error, ErrorKind, Result};
use crate::files::write;

/// Prints the completions of a shell.
///
/// # Errors
/// Kind `File` when standard output cannot be written.
pub(super) fn print_completions(shell: Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "costate", &mut script);
    line(format_args!("{}", String::from_utf8_lossy(&script).trim_end()))
}

/// Writes a page for the program and one for each command.
///
/// # Errors
/// Kind `File` when a page cannot be written; then none is.
pub(super) fn write_pages(folder: &Path) -> Result<()> {
    let mut program = Arguments::command().disable_help_subcommand(true);
    program.build();
    let commands = program.get_subcommands().cloned();
    let pages = std::iter::once(program.clone()).chain(commands).map(|command| {
        let man = Man::new(command);
        let mut page = Vec::new();
        man.render(&mut page)
            .map_err(|error| Error::new(ErrorKind::File, format!("a manual page cannot be rendered: {error}")))?;
        Ok((man.get_filename(), page))
    });
    let pages: Vec<_> = pages.collect::<Result<_>>()?;
    let written = write(pages, folder)?;
    say_written(Some(folder), written.len())
}
