//! From text to tokens.

use std::ops::Range;

use super::error::ExpressionError;
use super::name::{Name, scan_name, starts_name};

/// A piece of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Name(Name),
    Plus,
    Minus,
    Times,
    Divide,
    Power,
    Open,
    Close,
    Comma,
    End,
}

impl Token {
    /// Whether an operand can start here; a sign does not count, since after an operand it is an operator.
    pub(super) fn starts_operand(&self) -> bool {
        matches!(self, Self::Number(_) | Self::Name(_) | Self::Open)
    }
}

/// Reads tokens one after the other.
pub(super) struct Lexer<'t> {
    text: &'t str,
    position: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, position: 0 }
    }

    /// The next token and its bytes; [`Token::End`] with an empty range for ever after the last one.
    pub(super) fn next_token(&mut self) -> Result<(Token, Range<usize>), ExpressionError> {
        let rest = &self.text[self.position..];
        let start = self.text.len() - rest.trim_start().len();
        let Some(first) = self.text[start..].chars().next() else {
            self.position = start;
            return Ok((Token::End, start..start));
        };
        let (token, end) = match first {
            '+' => (Token::Plus, start + 1),
            '-' => (Token::Minus, start + 1),
            '*' => (Token::Times, start + 1),
            '/' => (Token::Divide, start + 1),
            '^' => (Token::Power, start + 1),
            '(' => (Token::Open, start + 1),
            ')' => (Token::Close, start + 1),
            ',' => (Token::Comma, start + 1),
            c if starts_name(c) => {
                let (name, end) = scan_name(self.text, start)?;
                (Token::Name(name), end)
            }
            c if c.is_ascii_digit() || c == '.' => scan_number(self.text, start)?,
            c => return Err(foreign_character(c, start)),
        };
        self.position = end;
        Ok((token, start..end))
    }
}

/// Scans the number at byte `start`, where a digit or a dot stands.
fn scan_number(text: &str, start: usize) -> Result<(Token, usize), ExpressionError> {
    let bytes = text.as_bytes();
    let whole_end = skip_digits(bytes, start);
    let has_point = bytes.get(whole_end) == Some(&b'.');
    let mantissa_end = if has_point {
        skip_digits(bytes, whole_end + 1)
    } else {
        whole_end
    };
    if whole_end == start && mantissa_end == start + 1 {
        return Err(ExpressionError::new(start..start + 1, "a dot stands alone")
            .advise("write a number as `0.5`, a path as `P2.y`"));
    }
    let end = scan_exponent(text, start, mantissa_end)?;
    let literal = &text[start..end];
    let value = literal.parse::<f64>().unwrap_or(f64::NAN);
    let vanished = value == 0.0 && text[start..mantissa_end].contains(|c| ('1'..='9').contains(&c));
    if !value.is_finite() || vanished {
        let fault = if vanished { "small" } else { "large" };
        return Err(
            ExpressionError::new(start..end, format!("the number is too {fault} for double precision"))
                .advise("double precision reaches from about 1e-308 to 1e308"),
        );
    }
    Ok((Token::Number(value), end))
}

/// The end of the exponent after the mantissa, if there is one. `3exp(x)` has none: there a name begins.
fn scan_exponent(text: &str, start: usize, mantissa_end: usize) -> Result<usize, ExpressionError> {
    let bytes = text.as_bytes();
    if !matches!(bytes.get(mantissa_end), Some(b'e' | b'E')) {
        return Ok(mantissa_end);
    }
    let sign = usize::from(matches!(bytes.get(mantissa_end + 1), Some(b'+' | b'-')));
    let digits = mantissa_end + 1 + sign;
    let end = skip_digits(bytes, digits);
    if end > digits {
        return Ok(end);
    }
    if sign == 0 && text[digits..].starts_with(starts_name) {
        return Ok(mantissa_end);
    }
    let mantissa = &text[start..mantissa_end];
    let letter = &text[mantissa_end..=mantissa_end];
    Err(
        ExpressionError::new(start..digits, "the number has no digits in its exponent").advise(format!(
            "write the exponent as in `{mantissa}{letter}3`, or `{mantissa}*{letter}` to multiply by the variable `{letter}`"
        )),
    )
}

fn skip_digits(bytes: &[u8], start: usize) -> usize {
    let count = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    start + count
}

fn foreign_character(c: char, start: usize) -> ExpressionError {
    let advice = match c {
        '×' | '·' | '⋅' | '∙' => "write `*`",
        '÷' | '∕' => "write `/`",
        '−' | '–' | '—' => "write the minus sign `-`",
        '²' => "write `^2`",
        '³' => "write `^3`",
        '√' => "write `sqrt(..)`",
        '"' | '`' | '‘' | '’' | '“' | '”' => "quote names with `'`",
        '[' | ']' | '{' | '}' => "group with `(` and `)`",
        '<' | '>' | '=' | '!' | '?' | ':' | '&' | '|' => {
            "there are no comparisons; see whether `step`, `min` or `max` does, or an event"
        }
        '%' => "write a percentage as a division by 100",
        _ => "a name with this character stands in single quotes, as in `'left-rod'.force`",
    };
    ExpressionError::new(
        start..start + c.len_utf8(),
        format!("the character `{}` is not part of an expression", c.escape_debug()),
    )
    .advise(advice)
}
