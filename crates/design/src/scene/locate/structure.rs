//! Builds the tree of values from the tokens, up to the first structural fault.
//!
//! The brackets that are open wait on a stack of their own, so that no nesting can exhaust that of the program.

use std::ops::Range;

use super::fault::{Fault, LocatedFault};
use super::token::{Token, TokenKind, Tokens};

/// Deepest nesting that the tree follows, as deep as the deserializer goes.
const DEEPEST: usize = 128;

/// What a value looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// A bare word.
    Word,
    /// A number, or a character in single quotes.
    Scalar,
    /// Text in double quotes.
    Text,
    /// `( .. )`, possibly after a word.
    Parentheses,
    /// `[ .. ]`
    Brackets,
    /// `{ .. }`
    Braces,
}

/// A value in the text.
#[derive(Clone, Debug)]
pub struct Node {
    /// The field name or map key before the colon.
    pub key: Option<Range<usize>>,
    /// The value, from the word before its parenthesis to its closing bracket.
    pub range: Range<usize>,
    /// The opening bracket, or the start of a value without one.
    pub opening: usize,
    pub shape: Shape,
    /// Index of the value it lies in.
    pub parent: Option<usize>,
    /// Index after its last descendant: the values are stored in the order in which they start.
    pub after: usize,
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Entry,
    Value,
    Separator,
}

/// The values of a text in the order in which they start, and the fault at which the structure breaks off.
pub fn structure(text: &str) -> (Vec<Node>, Option<LocatedFault>) {
    let mut builder = Builder::new(text);
    let fault = builder.run().err();
    let end = fault.as_ref().map_or(text.len(), |p| p.detected);
    builder.close_all(end);
    (builder.nodes, fault)
}

struct Builder<'a> {
    text: &'a str,
    tokens: Tokens<'a>,
    nodes: Vec<Node>,
    /// Indices of the values whose brackets are open.
    open: Vec<usize>,
    next: Next,
    key: Option<Token>,
    previous: Option<Token>,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            tokens: Tokens::new(text),
            nodes: Vec::new(),
            open: Vec::new(),
            next: Next::Entry,
            key: None,
            previous: None,
        }
    }

    fn run(&mut self) -> Result<(), LocatedFault> {
        self.skip_attributes();
        while let Some(token) = self.tokens.next() {
            self.take(token)?;
            self.previous = Some(token);
        }
        if self.open.is_empty() {
            return Ok(());
        }
        let end = self.text.len();
        let token = Token {
            kind: TokenKind::Close,
            start: end,
            end,
        };
        Err(self.fault(Fault::NotClosed, token))
    }

    /// Skips `#![enable(..)]` and the like at the start.
    fn skip_attributes(&mut self) {
        while self.tokens.clone().next().map(|t| t.of(self.text)) == Some("#") {
            let closing = |token: &Token| token.of(self.text) == "]";
            if !self.tokens.by_ref().any(|token| closing(&token)) {
                return;
            }
        }
    }

    fn take(&mut self, token: Token) -> Result<(), LocatedFault> {
        match token.kind {
            TokenKind::UnclosedQuote => return Err(self.fault(Fault::UnclosedQuote, token)),
            TokenKind::UnclosedComment => return Err(self.fault(Fault::UnclosedComment, token)),
            TokenKind::Strange => return Err(self.fault(Fault::Strange, token)),
            TokenKind::Close => return self.close(token),
            _ => {}
        }
        match (self.next, token.kind) {
            (Next::Separator, TokenKind::Comma) if !self.open.is_empty() => {
                self.next = Next::Entry;
                Ok(())
            }
            (Next::Separator, _) if self.open.is_empty() => Err(self.after_the_scene(token)),
            (Next::Separator, TokenKind::Colon) => Err(self.fault(Fault::StrayColon, token)),
            (Next::Separator, _) => Err(self.missing_separator(token)),
            (Next::Value, TokenKind::Comma) => Err(self.fault(Fault::MissingValue, token)),
            (_, TokenKind::Comma) => Err(self.fault(Fault::StrayComma, token)),
            (_, TokenKind::Colon) => Err(self.fault(Fault::StrayColon, token)),
            (Next::Entry, TokenKind::Word | TokenKind::Text) if self.colon_follows() => self.take_key(token),
            (Next::Entry, TokenKind::Text) if self.inside(Shape::Braces) => Err(self.fault(Fault::MissingColon, token)),
            _ => self.take_value(token),
        }
    }

    fn after_the_scene(&self, token: Token) -> LocatedFault {
        let whole = self.nodes.first().map(|node| node.shape);
        if whole.is_some_and(|shape| shape < Shape::Parentheses) {
            return self.fault(Fault::NoScene, token);
        }
        self.fault(Fault::Trailing, token)
    }

    fn inside(&self, shape: Shape) -> bool {
        self.innermost().is_some_and(|node| node.shape == shape)
    }

    /// A bare word without a name of its own, followed by a value, is a name whose colon was forgotten.
    fn missing_separator(&self, token: Token) -> LocatedFault {
        let word = self.previous.filter(|token| token.kind == TokenKind::Word);
        let unnamed = self.nodes.last().is_some_and(|node| node.key.is_none());
        match word {
            Some(word) if unnamed && self.inside(Shape::Parentheses) => self.fault(Fault::MissingColon, word),
            _ => self.fault(Fault::MissingComma, token),
        }
    }

    fn colon_follows(&self) -> bool {
        let next = self.tokens.clone().next();
        !self.open.is_empty() && next.is_some_and(|token| token.kind == TokenKind::Colon)
    }

    fn take_key(&mut self, token: Token) -> Result<(), LocatedFault> {
        let shape = self.innermost().map(|node| node.shape);
        let fault = match (shape, token.kind) {
            (Some(Shape::Parentheses), TokenKind::Text) => Some(Fault::QuotedField),
            (Some(Shape::Braces), TokenKind::Word) => Some(Fault::BareName),
            (Some(Shape::Brackets), _) => Some(Fault::NameInList),
            _ => None,
        };
        if let Some(fault) = fault {
            return Err(self.fault(fault, token));
        }
        self.previous = self.tokens.next();
        self.key = Some(token);
        self.next = Next::Value;
        Ok(())
    }

    fn take_value(&mut self, token: Token) -> Result<(), LocatedFault> {
        let mut opening = token;
        if token.kind == TokenKind::Word {
            let after = self.tokens.clone().next();
            if let Some(bracket) = after.filter(|bracket| bracket.of(self.text) == "(") {
                opening = bracket;
                self.tokens.next();
            }
        }
        let shape = match (opening.kind, opening.of(self.text)) {
            (TokenKind::Word, _) => Shape::Word,
            (TokenKind::Text, _) => Shape::Text,
            (TokenKind::Open, "(") => Shape::Parentheses,
            (TokenKind::Open, "[") => Shape::Brackets,
            (TokenKind::Open, _) => Shape::Braces,
            _ => Shape::Scalar,
        };
        if shape >= Shape::Parentheses && self.open.len() >= DEEPEST {
            return Err(self.fault(Fault::TooDeep, opening));
        }
        let index = self.nodes.len();
        self.nodes.push(Node {
            key: self.key.take().map(Token::range),
            range: token.start..opening.end,
            opening: opening.start,
            shape,
            parent: self.open.last().copied(),
            after: index + 1,
        });
        self.next = Next::Separator;
        if shape >= Shape::Parentheses {
            self.open.push(index);
            self.next = Next::Entry;
        }
        Ok(())
    }

    fn close(&mut self, token: Token) -> Result<(), LocatedFault> {
        let pair = |shape: Shape| match shape {
            Shape::Brackets => "]",
            Shape::Braces => "}",
            _ => ")",
        };
        let bracket = token.of(self.text);
        let matches = |index: &usize| {
            let node = self.nodes.get(*index);
            node.is_some_and(|node| pair(node.shape) == bracket)
        };
        if self.next == Next::Value {
            return Err(self.fault(Fault::MissingValue, token));
        }
        if self.open.last().is_some_and(matches) {
            self.close_one(token.end);
            self.next = Next::Separator;
            return Ok(());
        }
        let somewhere = self.open.iter().any(matches);
        let fault = match (somewhere, self.open.is_empty()) {
            (true, _) => Fault::NotClosed,
            (false, true) if !self.nodes.is_empty() => Fault::Trailing,
            (false, _) => Fault::NothingToClose,
        };
        Err(self.fault(fault, token))
    }

    fn close_one(&mut self, end: usize) {
        let after = self.nodes.len();
        if let Some(node) = self.open.pop().and_then(|index| self.nodes.get_mut(index)) {
            node.range.end = end;
            node.after = after;
        }
    }

    fn close_all(&mut self, end: usize) {
        while !self.open.is_empty() {
            self.close_one(end);
        }
    }

    fn innermost(&self) -> Option<&Node> {
        self.nodes.get(*self.open.last()?)
    }

    fn fault(&self, fault: Fault, token: Token) -> LocatedFault {
        LocatedFault {
            fault,
            detected: token.start,
            token,
            previous: self.previous,
            opening: self.innermost().map(|node| node.opening),
        }
    }
}
