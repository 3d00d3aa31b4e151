//! Table of gradients at the same precision.

use super::{Case, Method, Prepared};
use crate::table::{sufficient_tolerance, time};

/// The loosest tolerance at which a method keeps 1e-8 of the largest entry.
pub fn tolerance(method: Method, case: Case) -> f64 {
    sufficient_tolerance(|tolerance| Prepared::new(method, case, tolerance).run().error(case))
}

fn print(case: Case) {
    println!(
        "{:<22} {:>9} {:>8} {:>9} {:>9} {:>9} {:>8}",
        "", "tolerance", "calls", "error", "least, ms", "median, ms", "ratio"
    );
    let mut first = None;
    for &method in case.methods() {
        let tolerance = tolerance(method, case);
        let prepared = Prepared::new(method, case, tolerance);
        let outcome = prepared.run();
        let (least, median) = time(|| prepared.run());
        println!(
            "{:<22} {tolerance:>9.1e} {:>8} {:>9.1e} {least:>9.3} {median:>9.3} {:>8.2}",
            method.to_string(),
            outcome.calls,
            outcome.error(case),
            median / *first.get_or_insert(median)
        );
    }
}

/// Prints the tables.
pub fn print_all() {
    println!(
        "\nOne objective by twelve parameters within 1e-8 of the largest entry, calls of the flow; without ground"
    );
    print(Case::Smooth);
    println!("\nThe same with the ground");
    print(Case::Ground);
    println!();
}
