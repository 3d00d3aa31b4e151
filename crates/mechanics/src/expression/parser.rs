//! Pratt parser: tokens to program, with the errors that name what was meant.

use std::ops::Range;

use super::complaint;
use super::emit::Emitter;
use super::error::ExpressionError;
use super::evaluate::Instruction;
use super::function::{Function, constant};
use super::lexer::{Lexer, Token};
use super::name::Name;
use super::{MAX_LENGTH, MAX_NESTING, Variable};

/// A sign takes operands that bind tighter than products: `-x^2` is `-(x^2)`, `-x*y` is `(-x)*y`.
const SIGN_POWER: u8 = 5;

struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    token: Token,
    span: Range<usize>,
    nesting: usize,
    emitter: Emitter,
}

type Outcome<T> = Result<T, ExpressionError>;

/// Parses a text to a program and its variables.
pub(super) fn parse(text: &str) -> Outcome<(Vec<Instruction>, Vec<Variable>)> {
    if text.len() > MAX_LENGTH {
        let limit = text.floor_char_boundary(MAX_LENGTH);
        return Err(ExpressionError::new(
            limit..text.len(),
            format!("the expression is longer than {MAX_LENGTH} bytes"),
        )
        .advise("name parts of it as parameters of their own"));
    }
    let mut parser = Parser {
        text,
        lexer: Lexer::new(text),
        token: Token::End,
        span: 0..0,
        nesting: 0,
        emitter: Emitter::default(),
    };
    parser.advance()?;
    if parser.token == Token::End {
        return Err(ExpressionError::new(0..text.len(), "the expression is empty")
            .advise("write a number or a formula such as `2*pi*frequency`"));
    }
    parser.expression(0)?;
    if parser.token != Token::End {
        return Err(complaint::left_over(&parser.token, parser.span));
    }
    Ok((parser.emitter.program, parser.emitter.variables))
}

/// The operation of a token between operands, and how tightly it binds to the left and to the right.
fn binary_operation(token: &Token) -> Option<(Instruction, u8, u8)> {
    match token {
        Token::Plus => Some((Instruction::Add, 1, 2)),
        Token::Minus => Some((Instruction::Subtract, 1, 2)),
        Token::Times => Some((Instruction::Multiply, 3, 4)),
        Token::Divide => Some((Instruction::Divide, 3, 4)),
        Token::Power => Some((Instruction::Power, 7, 6)),
        _ => None,
    }
}

/// The operation by which a function of many arguments takes them in, one after the other.
fn pairwise(function: Function) -> Option<Instruction> {
    match function {
        Function::Min => Some(Instruction::Min),
        Function::Max => Some(Instruction::Max),
        Function::Atan2 | Function::Hypot | Function::Unary(_) => None,
    }
}

impl Parser<'_> {
    /// Steps to the next token and returns the one it leaves.
    fn advance(&mut self) -> Outcome<(Token, Range<usize>)> {
        let (token, span) = self.lexer.next_token()?;
        Ok((
            std::mem::replace(&mut self.token, token),
            std::mem::replace(&mut self.span, span),
        ))
    }

    /// Parses operators that bind at least as tightly as `least`, and returns the bytes they span.
    fn expression(&mut self, least: u8) -> Outcome<Range<usize>> {
        let left = self.emitter.here();
        let mut span = self.operand()?;
        loop {
            if self.token.starts_operand() {
                let (left, right) = (span, self.span.clone());
                return Err(complaint::side_by_side(self.text, left, &self.token, right));
            }
            let Some((operation, to_left, to_right)) = binary_operation(&self.token) else {
                return Ok(span);
            };
            if to_left < least {
                return Ok(span);
            }
            let (_, operator) = self.advance()?;
            let right = self.emitter.here();
            let right_span = if operation == Instruction::Power {
                self.nested(to_right, &operator)?
            } else {
                self.expression(to_right)?
            };
            span = span.start..right_span.end;
            self.emitter.binary(operation, left, right, &span)?;
        }
    }

    /// Parses a number, name, call, group or signed operand, and returns the bytes it spans.
    fn operand(&mut self) -> Outcome<Range<usize>> {
        match self.token {
            Token::Number(_) | Token::Name(_) | Token::Open | Token::Plus | Token::Minus => {}
            _ => {
                return Err(complaint::no_operand(self.text, &self.token, self.span.clone()));
            }
        }
        let (token, span) = self.advance()?;
        match token {
            Token::Number(value) => self.emitter.number(value, &span)?,
            Token::Name(name) if name.is_word && self.token == Token::Open => {
                return self.call(&name.text, span);
            }
            Token::Name(name) => self.name(name, &span)?,
            Token::Open => {
                self.nested(0, &span)?;
                return Ok(span.start..self.close(&span)?);
            }
            sign => {
                let start = self.emitter.here();
                let whole = span.start..self.nested(SIGN_POWER, &span)?.end;
                if sign == Token::Minus {
                    self.emitter.negate(start, &whole)?;
                }
                return Ok(whole);
            }
        }
        Ok(span)
    }

    fn name(&mut self, name: Name, span: &Range<usize>) -> Outcome<()> {
        match constant(&name.text) {
            Some(value) if name.is_word => self.emitter.number(value, span),
            _ => self.emitter.variable(name.text, span),
        }
    }

    /// Parses the arguments of the function of that name, from the open parenthesis on.
    fn call(&mut self, word: &str, name: Range<usize>) -> Outcome<Range<usize>> {
        let Some(function) = Function::named(word) else {
            return Err(complaint::unknown_function(word, name));
        };
        let (_, open) = self.advance()?;
        let starts = self.arguments(function, &name)?;
        let span = name.start..self.close(&open)?;
        if let Some(complaint) = function.arity_complaint(starts.len()) {
            return Err(ExpressionError::new(span, format!("`{word}` {complaint}")));
        }
        if pairwise(function).is_none() {
            self.emitter.call(function, &starts, &span)?;
        }
        Ok(span)
    }

    /// Parses arguments up to the closing parenthesis and returns where their programs start.
    fn arguments(&mut self, function: Function, name: &Range<usize>) -> Outcome<Vec<usize>> {
        let mut starts = Vec::new();
        if self.token == Token::Close {
            return Ok(starts);
        }
        loop {
            starts.push(self.emitter.here());
            let argument = self.nested(0, name)?;
            if let (Some(operation), &[first, .., last]) = (pairwise(function), starts.as_slice()) {
                let span = name.start..argument.end;
                self.emitter.binary(operation, first, last, &span)?;
            }
            if self.token != Token::Comma {
                return Ok(starts);
            }
            self.advance()?;
        }
    }

    /// [`Parser::expression`] one level deeper; `opener` is what opens the level.
    fn nested(&mut self, least: u8, opener: &Range<usize>) -> Outcome<Range<usize>> {
        if self.nesting == MAX_NESTING {
            return Err(complaint::too_deep(opener.clone()));
        }
        self.nesting += 1;
        let span = self.expression(least)?;
        self.nesting -= 1;
        Ok(span)
    }

    /// Steps over the parenthesis that closes the one at `open` and returns the byte after it.
    fn close(&mut self, open: &Range<usize>) -> Outcome<usize> {
        match self.token {
            Token::Close => Ok(self.advance()?.1.end),
            Token::End => Err(complaint::never_closed(open.clone())),
            _ => Err(complaint::left_over(&self.token, self.span.clone())),
        }
    }
}
