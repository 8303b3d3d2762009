//! The text of an expression, as the source has it but on one short line.
//!
//! Tokens that touch in the source touch in the text; any gap becomes one space, and none before `.` and `?`, where
//! chains are broken. Braces that span lines are `{…}`. Where the compiler does not tell where tokens stand, the tokens
//! are printed as the compiler prints them.

use proc_macro2::{Delimiter, Group, LineColumn, TokenStream, TokenTree};

/// How many characters a text has at most.
const MOST: usize = 80;
/// How many of them are kept from the end of a longer one: its last call and its `.await`.
const END: usize = 30;

/// The text of these tokens.
pub(crate) fn of(tokens: TokenStream) -> String {
    let is_located = tokens.clone().into_iter().next().is_some_and(|first| first.span().end().line != 0);
    if !is_located {
        let text = tokens.to_string();
        return cut(&text
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .replace(" . ", ".")
            .replace(" .", "."));
    }
    let mut printer = Printer { text: String::new(), end: None };
    printer.tokens(tokens);
    cut(&printer.text)
}

struct Printer {
    text: String,
    /// Where the last token ended.
    end: Option<LineColumn>,
}

impl Printer {
    fn tokens(&mut self, tokens: TokenStream) {
        for token in without_attributes(tokens) {
            match token {
                TokenTree::Group(group) => self.group(&group),
                other => self.token(&other.to_string(), other.span().start(), other.span().end()),
            }
        }
    }

    fn group(&mut self, group: &Group) {
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Brace => ("{", "}"),
            Delimiter::Bracket => ("[", "]"),
            // What a `macro_rules!` puts around a `$value`.
            Delimiter::None => return self.tokens(group.stream()),
        };
        // Not `span_open` and `span_close`: a group that was parsed and printed again has one span only.
        let (start, end) = (group.span().start(), group.span().end());
        let is_broken = start.line != end.line;
        let inside = LineColumn { line: start.line, column: start.column + 1 };
        let behind = LineColumn { line: end.line, column: end.column.saturating_sub(1) };
        self.token(open, start, inside);
        if group.delimiter() == Delimiter::Brace && is_broken {
            self.text.push('…');
            self.end = Some(behind);
        } else {
            self.tokens(group.stream());
        }
        // The comma that a list on several lines ends with.
        if is_broken && close == ")" && self.text.ends_with(',') {
            self.text.pop();
        }
        self.token(close, behind, end);
    }

    fn token(&mut self, token: &str, start: LineColumn, end: LineColumn) {
        let touches = self.end.is_none_or(|end| end == start);
        let is_broken_line = self.end.is_some_and(|end| end.line != start.line);
        let is_open = self.text.ends_with(['(', '[']);
        let hugs = matches!(token, "." | "?") || is_broken_line && (is_open || matches!(token, ")" | "]"));
        if !touches && !hugs {
            self.text.push(' ');
        }
        // A string that spans lines.
        self.text.push_str(if token.contains('\n') { "\"…\"" } else { token });
        self.end = Some(end);
    }
}

/// The tokens without `#[…]` among them.
pub(crate) fn without_attributes(tokens: TokenStream) -> impl Iterator<Item = TokenTree> {
    let mut tokens = tokens.into_iter().peekable();
    std::iter::from_fn(move || {
        loop {
            let token = tokens.next()?;
            let is_pound = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#');
            let is_attribute = |next: &TokenTree| matches!(next, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket);
            if !is_pound || tokens.next_if(is_attribute).is_none() {
                return Some(token);
            }
        }
    })
}

/// A text that is too long, without its middle.
fn cut(text: &str) -> String {
    let n_chars = text.chars().count();
    if n_chars <= MOST {
        return text.to_owned();
    }
    let start: String = text.chars().take(MOST - END - 1).collect();
    let end: String = text.chars().skip(n_chars - END).collect();
    format!("{start}…{end}")
}
