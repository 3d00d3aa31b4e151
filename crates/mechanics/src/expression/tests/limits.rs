//! Long and deep texts are refused with a message, or just work; nothing overflows.

use super::*;
use crate::expression::{MAX_LENGTH, MAX_NESTING, MAX_STACK};

/// Parsing must fit into half of the 2 MiB that a thread has by default, in unoptimized builds too.
fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1024 * 1024).spawn(work);
    thread.expect("a thread").join().expect("no panic");
}

#[test]
fn long_chains_have_no_limit_but_the_length() {
    on_small_stack(|| {
        let sum = format!("x{}", "+1".repeat(4999));
        assert_eq!(value(&sum), 5002.0);
        // Many variables, as a sum over an index has.
        let many: String = (1..=10_000).map(|i| format!("+ m[{i}]")).collect();
        let many = parsed(&many);
        assert_eq!(many.evaluate(&vec![0.5; 10_000]), 5000.0);
        assert_eq!(many.slopes(&vec![0.5; 10_000]), vec![1.0; 10_000]);
        let alternating = format!("x{}", "-y*y/y".repeat(1600));
        assert_eq!(value(&alternating), 3.0 - 5.0 * 1600.0);
        let least = format!("min(9{})", ",x".repeat(4000));
        assert_eq!(value(&least), 3.0);
        let spaced = format!("x{}+1", " ".repeat(9000));
        assert_eq!(value(&spaced), 4.0);
    });
}

#[test]
fn nesting_ends_with_a_message_at_the_level_too_many() {
    on_small_stack(|| {
        let nested = |open: &str, inner: &str, close: &str, depth: usize| {
            format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
        };
        for (open, inner, close) in [
            ("(", "x", ")"),
            ("-", "x", ""),
            ("x^", "1", ""),
            ("sin(", "x", ")"),
            ("+", "x", ""),
        ] {
            let depth = if open == "x^" { MAX_STACK - 1 } else { MAX_NESTING };
            parsed(&nested(open, inner, close, depth));
            let error = refused(&nested(open, inner, close, 4000 / open.len()));
            assert!(error.message.contains("more than"), "{error:?}");
            assert!(error.span.end <= 101 * open.len(), "{error:?}");
        }
        for open in [
            "(",
            "-",
            "2^",
            "sin(",
            "2*(",
            "2+(",
            "-(",
            "(((-",
            "max(x,",
            "hypot(x, (",
            "'",
            "((x^-",
        ] {
            refused(&open.repeat(9_000 / open.len()));
        }
        let error = refused(&"(".repeat(9000));
        assert_eq!(error.span, MAX_NESTING..MAX_NESTING + 1);
        assert!(error.message.contains("100 levels"));
    });
}

#[test]
fn levels_are_counted_inside_each_other_not_in_a_row() {
    let row = format!("0{}", "+(-x)".repeat(500));
    assert_eq!(value(&row), -1500.0);
}

#[test]
fn too_many_waiting_results_are_refused_where_they_become_too_many() {
    let nested = |depth: usize| format!("{}x{}", "x*(y-".repeat(depth), ")".repeat(depth));
    let fits = nested((MAX_STACK - 1) / 2);
    assert!(value(&fits).is_finite());
    let error = refused(&nested(MAX_STACK / 2));
    assert!(error.message.contains("32 intermediate results"), "{error:?}");
    assert_eq!(error.span, 5 * MAX_STACK / 2..5 * MAX_STACK / 2 + 1);
    assert!(error.advice.is_some());
}

#[test]
fn every_stack_size_gives_the_same_value() {
    for depth in 1..MAX_STACK {
        let right = format!("{}y{}", "x+(".repeat(depth), ")".repeat(depth));
        assert_eq!(value(&right), 3.0 * depth as f64 + 5.0, "{depth}");
        let long = format!("hypot(x{})", ", x".repeat(depth));
        assert_eq!(value(&long), (9.0 * (depth + 1) as f64).sqrt(), "{depth}");
    }
}

#[test]
fn too_long_a_text_is_refused_at_a_character_boundary() {
    let long = format!("x{}", "+ω".repeat(100_000));
    assert!(long.len() > MAX_LENGTH);
    let error = refused(&long);
    assert!(error.message.contains("262144 bytes"));
    assert!(long.is_char_boundary(error.span.start) && error.span.start <= MAX_LENGTH);
    assert_eq!(error.span.end, long.len());
    parsed(&format!("x{}", "+11".repeat(87_000)));
}
