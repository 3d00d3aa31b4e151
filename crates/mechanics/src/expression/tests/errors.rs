//! What is refused, where the error points, and what it advises.

use super::*;

/// Text, the offending part, its byte offset, a piece of the message, a piece of the advice.
type Case = (&'static str, &'static str, usize, &'static str, &'static str);

fn check(cases: &[Case]) {
    for &(text, part, start, message, advice) in cases {
        let error = refused(text);
        assert_eq!(error.span, start..start + part.len(), "span in `{text}`: {error:?}");
        assert_eq!(&text[error.span.clone()], part, "`{text}`");
        assert!(error.message.contains(message), "`{text}`: {error:?}");
        let given = error.advice.clone().unwrap_or_default();
        assert!(given.contains(advice), "`{text}`: {error:?}");
    }
}

#[test]
fn a_missing_operator_is_advised_with_the_product() {
    check(&[
        ("2 x", "x", 2, "operator is missing", "`2*x`"),
        ("2x", "x", 1, "operator is missing", "`2*x`"),
        ("2(x+1)", "(", 1, "operator is missing", "`2*(..)`"),
        ("a + 2 sin(x)", "sin", 6, "operator is missing", "`2*sin`"),
        ("3exp(x)", "exp", 1, "operator is missing", "`3*exp`"),
        ("(a)(b)", "(", 3, "operator is missing", "`(a)*(..)`"),
        ("(a) b", "b", 4, "operator is missing", "`(a)*b`"),
        ("sin(x) y", "y", 7, "operator is missing", "`sin(x)*y`"),
        ("4th bar", "th bar", 1, "operator is missing", "`'4th bar'`"),
        ("1_000", "_000", 1, "operator is missing", "separators"),
        ("1.2.3", ".3", 3, "operator is missing", "between"),
        ("x'y'", "'y'", 1, "operator is missing", "`x*'y'`"),
        (
            "crank length (2)",
            "(",
            13,
            "operator is missing",
            "`crank length*(..)`",
        ),
        ("x^2 y", "y", 4, "operator is missing", "`2*y`"),
    ]);
}

#[test]
fn a_broken_number_is_shown_whole() {
    check(&[
        ("3e", "3e", 0, "no digits in its exponent", "`3*e`"),
        ("1 + 2.5E+", "2.5E+", 4, "no digits in its exponent", "`2.5E3`"),
        ("3e-x", "3e-", 0, "no digits in its exponent", "`3*e`"),
        ("2*1e999", "1e999", 2, "too large", "1e308"),
        ("2*1e-999", "1e-999", 2, "too small", "1e-308"),
        (".", ".", 0, "dot stands alone", "0.5"),
        ("2*.x", ".", 2, "dot stands alone", "P2.y"),
        ("1,5", ",", 1, "comma", "`1.5`"),
        ("(1,5)", ",", 2, "comma", "`1.5`"),
    ]);
}

#[test]
fn a_broken_name_is_explained() {
    check(&[
        ("P2 .y", " .", 2, "before the dot", "`P2.y`"),
        ("P2. y", ". ", 2, "after the dot", "`P2.y`"),
        ("P2.", "P2.", 0, "ends with a dot", "`P2.x`"),
        ("P2.+1", "P2.", 0, "ends with a dot", "`P2.x`"),
        ("bar 1.5th", ".5th", 5, "starts with a digit", "`bar 1.'5th'`"),
        ("2*'left", "'left", 2, "does not end", "close"),
        ("''", "''", 0, "empty", ""),
        ("a.'  '", "'  '", 2, "empty", ""),
    ]);
}

#[test]
fn a_foreign_character_is_shown_whole_even_if_it_has_several_bytes() {
    check(&[
        ("ω × 2", "×", 3, "`×`", "`*`"),
        ("läng²", "²", 5, "`²`", "`^2`"),
        ("2 − x", "−", 2, "`−`", "`-`"),
        ("ω + 😀", "😀", 5, "`😀`", "quotes"),
        ("√(2)", "√", 0, "`√`", "sqrt"),
        ("x > 2", ">", 2, "`>`", "step"),
        ("[x]", "[", 0, "`[`", "`(`"),
        ("\"x\"", "\"", 0, "`\\\"`", "`'`"),
        ("x\u{0}", "\u{0}", 1, "`\\0`", ""),
        ("ω ω. ", ". ", 5, "after the dot", ""),
        ("éé.\u{2003}x", ".\u{2003}", 4, "after the dot", ""),
    ]);
}

#[test]
fn a_missing_value_is_located() {
    check(&[
        ("", "", 0, "empty", "write a number"),
        ("  ", "  ", 0, "empty", "write a number"),
        ("2*", "", 2, "ends where a value", "last operator"),
        ("-", "", 1, "ends where a value", ""),
        ("2**3", "*", 2, "missing before `*`", "`x^2`"),
        ("2*/3", "/", 2, "missing before `/`", ""),
        ("*2", "*", 0, "missing before `*`", ""),
        ("()", ")", 1, "missing before `)`", "between the parentheses"),
        ("sin(,1)", ",", 4, "missing before `,`", ""),
        ("min(1,)", ")", 6, "missing before `)`", ""),
        ("(1", "(", 0, "never closed", "`)`"),
        ("2*sin(x", "(", 5, "never closed", "`)`"),
        ("1)", ")", 1, "closes nothing", "remove"),
        ("sin(x))", ")", 6, "closes nothing", "remove"),
    ]);
}

#[test]
fn an_unknown_function_is_answered_with_the_nearest_one() {
    check(&[
        ("2*sine(x)", "sine", 2, "no function `sine`", "`sin`"),
        ("Sqrt(x)", "Sqrt", 0, "no function `Sqrt`", "`sqrt`"),
        ("x(2)", "x", 0, "no function `x`", "`x*(..)`"),
        ("pow(x, 2)", "pow", 0, "no function", "`a^b`"),
        ("floor(x)", "floor", 0, "no function", "derivative"),
        ("clamp(x, 0, 1)", "clamp", 0, "no function", "min(max("),
        ("gamma(x)", "gamma", 0, "no function", "sqrt, cbrt"),
    ]);
}

#[test]
fn a_wrong_number_of_arguments_is_shown_with_the_call() {
    check(&[
        ("1 + sin()", "sin()", 4, "`sin` takes one argument", ""),
        ("sin(x, y)", "sin(x, y)", 0, "`sin` takes one argument", ""),
        ("atan2(x)", "atan2(x)", 0, "atan2(y, x)", ""),
        ("atan2(x, y, z)", "atan2(x, y, z)", 0, "two arguments", ""),
        ("min(x)", "min(x)", 0, "two arguments or more", ""),
        ("hypot(x)", "hypot(x)", 0, "two arguments or more", ""),
    ]);
}

#[test]
fn a_constant_part_without_a_finite_value_is_refused_where_it_stands() {
    check(&[
        ("x + 1/0", "1/0", 4, "divides by zero", ""),
        ("x/(2 - 2)", "x/(2 - 2)", 0, "divides by zero", ""),
        ("x*log(0)", "log(0)", 2, "no finite value", "range"),
        ("sqrt(2 - 3)", "sqrt(2 - 3)", 0, "no finite value", "negative"),
        ("x + acos(1.1)", "acos(1.1)", 4, "no finite value", "-1 and 1"),
        ("1e300*1e300*x", "1e300*1e300", 0, "no finite value", ""),
        ("(-8)^(1/3)", "(-8)^(1/3)", 0, "no finite value", "cbrt"),
        ("0^-1", "0^-1", 0, "no finite value", ""),
        (
            "hypot(1e308, 1.7e308, 1e308)",
            "hypot(1e308, 1.7e308, 1e308)",
            0,
            "no finite value",
            "",
        ),
    ]);
}
