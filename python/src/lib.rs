//! The library for Python. What it computes is in the package `costate`; here arguments are taken, the lock of the interpreter is
//! released, and results become objects. Names, defaults and documentation for users are in `python/costate/`.

#![warn(missing_docs)]

mod arguments;
mod described;
mod error;
mod objects;
mod pictures;
mod points;
mod report;
mod scene;
mod sensitivities;
mod sweep;
mod work;

use pyo3::prelude::*;

/// The compiled part of the package `costate`.
#[pymodule]
mod _costate {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::scene::{Dense, Scene};

    #[pymodule_export]
    use super::described::described;

    #[pymodule_export]
    use super::pictures::{export, page, render};

    #[pymodule_export]
    use super::points::jacobian;

    #[pymodule_export]
    use super::report::report;

    #[pymodule_export]
    use super::sensitivities::sensitivities;

    #[pymodule_export]
    use super::sweep::Sweep;

    /// Says which file the module was loaded from, by which builds are told apart.
    #[pyfunction]
    fn built_as(library: std::path::PathBuf) {
        costate::files::built_as(library);
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
