//! What large mechanisms hold in memory, counted at the allocator. Alone in its process: the counters are those of all threads.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use costate::optimize::{SceneDesign, optimize};
use costate::run::{Changes, Method};

/// Bytes held now, the most since the last reset, and the largest piece asked for since then.
static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
static LARGEST: AtomicUsize = AtomicUsize::new(0);

struct Counting;

fn take(bytes: usize) {
    let held = HELD.fetch_add(bytes, Relaxed) + bytes;
    MOST.fetch_max(held, Relaxed);
    LARGEST.fetch_max(bytes, Relaxed);
}

fn give(bytes: usize) {
    HELD.fetch_sub(bytes, Relaxed);
}

// SAFETY: every call goes to the system allocator unchanged; counting touches atomic numbers only.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        take(size);
        give(layout.size());
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        give(layout.size());
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Links of the chains.
const LINKS: usize = 1000;

/// One matrix of the size of M, with its zeros.
const DENSE: usize = 4 * LINKS * LINKS * size_of::<f64>();

const MEGABYTE: usize = 1 << 20;

/// Does some work, which may hold this many bytes at most, and no piece of the size of a dense matrix.
fn within<T>(what: &str, most: usize, work: impl FnOnce() -> T) -> T {
    let before = HELD.load(Relaxed);
    MOST.store(before, Relaxed);
    LARGEST.store(0, Relaxed);
    let done = work();
    let (held, largest) = (MOST.load(Relaxed) - before, LARGEST.load(Relaxed));
    assert!(held <= most, "{what}: {held} bytes");
    assert!(largest < DENSE / 8, "{what}: {largest} bytes at once");
    done
}

#[test]
fn a_chain_of_a_thousand_links_holds_little() {
    let chain = support::chain(LINKS, 0.02, "Auto");
    let simulation = |fields: &str| chain.replace("by: Auto,", fields);
    let beside = r#"joints: { "again[i = 1..n]": DriveDistance(between: ("P[i-1]", "P[i]"), distance: 1) }, bodies: {"#;
    // Of seven stages, with two multipliers a row, a step has three complex matrices.
    for (name, text, [of_run, of_gradient]) in [
        ("null space", chain.clone(), [10, 20]),
        ("penalty", simulation("formulation: Penalty,"), [10, 20]),
        ("stabilized", simulation("formulation: Stabilized,"), [32, 40]),
        ("redundant", chain.replace("bodies: {", beside), [10, 20]),
    ] {
        let experiment = within(name, 10 * MEGABYTE, || support::experiment(&text, &Changes::default()));
        within(name, of_run * MEGABYTE, || support::report(&experiment));
        let gradient = || experiment.gradient(Method::Adjoint).expect("a gradient");
        within(&format!("{name}, gradient"), of_gradient * MEGABYTE, gradient);
    }
    a_few_masses_are_followed_forward_within_little(&chain);
    the_masses_are_optimized_within_little();
}

/// Not a test of its own either.
fn a_few_masses_are_followed_forward_within_little(chain: &str) {
    let rest = r#""b[i = 5..n]": Bar(from: "P[i-1]", to: "P[i]", length: 1, mass: 1), "#;
    let few = chain.replace("[i = 1..n]\": \"1 + 0.5", "[i = 1..4]\": \"1 + 0.5");
    let chain = few.replace(r#""b[i = 1..n]""#, &format!(r#"{rest} "b[i = 1..4]""#));
    for (formulation, of_gradient) in [("Nullspace", 20), ("Stabilized", 60), ("Index3", 40)] {
        let text = chain.replace("by: Auto,", &format!("formulation: {formulation},"));
        let experiment = support::experiment(&text, &Changes::default());
        let gradient = || experiment.gradient(Method::Forward).expect("a gradient");
        let report = within(&format!("{formulation}, forward"), of_gradient * MEGABYTE, gradient);
        assert_eq!(report.parameters.len(), 4);
    }
}

/// Two iterations over all masses; not a test of its own, for the counters are those of all threads.
fn the_masses_are_optimized_within_little() {
    let task = r#"optimization: (minimize: "x", over: ["m[i = 1..n]"], solver: Lbfgs), bodies: {"#;
    let chain = support::chain(LINKS, 0.02, "Auto").replace("bodies: {", task);
    let experiment = support::experiment(&chain, &Changes::default());
    let task = experiment.optimization.clone().expect("an optimization");
    let mut iterations = 0;
    let found = within("optimize", 40 * MEGABYTE, || {
        let design = SceneDesign::new(&experiment, &task);
        let mut watch = |_: &_| {
            iterations += 1;
            if iterations > 2 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        optimize(&design, &task, &mut watch).expect("a design")
    });
    assert_eq!(found.variables.len(), LINKS);
    assert!(
        found.simulations > 1 && iterations > 1,
        "{} {iterations}",
        found.simulations
    );
}
