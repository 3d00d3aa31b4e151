//! Messages about what stands in the wrong place, with advice on what was probably meant.

use std::ops::Range;

use super::error::ExpressionError;
use super::function::{function_names, substitute};
use super::lexer::Token;
use super::{MAX_NESTING, nearest_name};

/// Longest operand that advice quotes, in bytes.
const QUOTABLE: usize = 40;

/// A token where a value should start.
pub(super) fn no_operand(text: &str, token: &Token, span: Range<usize>) -> ExpressionError {
    let found = &text[span.clone()];
    let before = text[..span.start].trim_end();
    if *token == Token::End {
        return ExpressionError::new(span, "the expression ends where a value is expected")
            .advise("add a number or a name, or remove the last operator");
    }
    let error = ExpressionError::new(span, format!("a value is missing before `{found}`"));
    if *token == Token::Times && before.ends_with('*') {
        return error.advise("write a power as `x^2`");
    }
    if before.ends_with('(') && *token == Token::Close {
        return error.advise("write an expression between the parentheses");
    }
    error.advise("add a number or a name here")
}

/// A token after a complete expression that cannot go on with it.
pub(super) fn left_over(token: &Token, span: Range<usize>) -> ExpressionError {
    match token {
        Token::Comma => ExpressionError::new(span, "a comma stands outside the arguments of a function")
            .advise("write decimals with a point, as in `1.5`"),
        _ => ExpressionError::new(span, "this parenthesis closes nothing").advise("remove it, or open it before"),
    }
}

/// A parenthesis without its partner.
pub(super) fn never_closed(open: Range<usize>) -> ExpressionError {
    ExpressionError::new(open, "this parenthesis is never closed").advise("add the missing `)`")
}

/// One level of nesting too many.
pub(super) fn too_deep(span: Range<usize>) -> ExpressionError {
    ExpressionError::new(
        span,
        format!("more than {MAX_NESTING} levels of parentheses, signs or exponents inside each other"),
    )
    .advise("name parts of the expression as parameters of their own")
}

/// Two operands without an operator between them.
pub(super) fn side_by_side(text: &str, left: Range<usize>, token: &Token, right: Range<usize>) -> ExpressionError {
    let touching = left.end == right.start;
    let factor = match &text[left.clone()] {
        long if long.len() > QUOTABLE => "..",
        short => short,
    };
    let after_digit = text[left].ends_with(|c: char| c.is_ascii_digit());
    let second = match (token, &text[right.clone()]) {
        (Token::Open, _) => "(..)",
        (_, long) if long.len() > QUOTABLE => "..",
        (_, short) => short,
    };
    let error = ExpressionError::new(right, "an operator is missing before this value");
    if after_digit && touching && second.starts_with('_') {
        return error.advise("write numbers without separators between the digits");
    }
    match token {
        Token::Number(_) => error.advise("put an operator between the two values"),
        Token::Name(_) if after_digit && touching => error.advise(format!(
            "write `{factor}*{second}` to multiply; a name that starts with a digit stands in quotes: `'{factor}{second}'`"
        )),
        _ => error.advise(format!("write `{factor}*{second}` to multiply")),
    }
}

/// A word before a parenthesis that is no function.
pub(super) fn unknown_function(word: &str, span: Range<usize>) -> ExpressionError {
    let error = ExpressionError::new(span, format!("there is no function `{word}`"));
    if let Some(advice) = substitute(word) {
        return error.advise(advice);
    }
    if let Some(nearest) = nearest_name(word, function_names()) {
        return error.advise(format!("did you mean `{nearest}`? To multiply, write `{word}*(..)`"));
    }
    let known: Vec<&str> = function_names().collect();
    let list = known.join(", ");
    error.advise(format!("to multiply, write `{word}*(..)`; the functions are {list}"))
}
