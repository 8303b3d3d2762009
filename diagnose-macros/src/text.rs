//! Returns the text of an expression as in the source, but on one short line.
//!
//! Tokens that touch in the source touch in the text. Any gap becomes one space, except before `.`
//! and `?`, where chains are broken. Braces that span lines become `{…}`. If the compiler does not
//! report positions, the tokens are formatted as the compiler prints them.

use proc_macro2::{Delimiter, Group, LineColumn, Span, TokenStream, TokenTree};

/// Maximum length of a text, in characters.
const MOST: usize = 80;
/// Number of these that are kept from the end of a longer text: its last call and its `.await`.
const END: usize = 30;

pub(crate) fn of(tokens: Vec<TokenTree>) -> String {
    let start = tokens.first().map(|first| first.span().start());
    if start.is_none_or(|start| start.line == 0) {
        let text = tokens.into_iter().collect::<TokenStream>().to_string();
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        return cut(&words.replace(" . ", ".").replace(" .", "."));
    }
    let mut printer = Printer { text: String::new(), end: End::Nowhere };
    printer.tokens(tokens.into_iter());
    cut(&printer.text)
}

struct Printer {
    text: String,
    end: End,
}

/// The end of the last token. Asking the compiler takes longer than all other work here, so it is
/// only asked if the answer matters.
enum End {
    /// There was no token yet.
    Nowhere,
    /// After this text, which began at this span.
    Behind(Span, String),
    At(LineColumn),
}

impl End {
    fn place(&self) -> Option<LineColumn> {
        match self {
            Self::Nowhere => None,
            Self::Behind(span, text) => Some(behind(text, span.start())),
            Self::At(place) => Some(*place),
        }
    }
}

impl Printer {
    fn tokens(&mut self, tokens: impl Iterator<Item = TokenTree>) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.group(&group),
                other => self.token(other.to_string(), other.span()),
            }
        }
    }

    fn group(&mut self, group: &Group) {
        let inside = without_attributes(group.stream().into_iter());
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Brace => ("{", "}"),
            Delimiter::Bracket => ("[", "]"),
            // The invisible group of a `macro_rules!` around a `$value`.
            Delimiter::None => return self.tokens(inside),
        };
        let mut inside = inside.peekable();
        if inside.peek().is_none() && open == "(" {
            self.token(open.to_owned(), group.span());
            self.text.push_str(close);
            self.end = End::Behind(group.span(), "()".to_owned());
            return;
        }
        // Not `span_open` and `span_close`: a group that was parsed and printed again has only one
        // span.
        let (start, end) = (group.span().start(), group.span().end());
        let is_broken = start.line != end.line;
        let last = LineColumn { line: end.line, column: end.column.saturating_sub(1) };
        self.token(open.to_owned(), group.span());
        if group.delimiter() == Delimiter::Brace && is_broken {
            self.text.push('…');
            self.end = End::At(last);
        } else {
            self.tokens(inside);
        }
        // A list over several lines ends with this comma.
        if is_broken && close == ")" && self.text.ends_with(',') {
            self.text.pop();
        }
        self.put(close, Some(last));
        self.end = End::At(end);
    }

    fn token(&mut self, token: String, span: Span) {
        // No space is shown between these, even if the source has one.
        let hugs = matches!(token.as_str(), "." | "?") || self.text.ends_with('.');
        self.put(&token, (!hugs).then(|| span.start()));
        self.end = End::Behind(span, token);
    }

    /// Appends a token. `start` is `None` if there can be no space before it.
    fn put(&mut self, token: &str, start: Option<LineColumn>) {
        if let (Some(start), Some(end)) = (start, self.end.place()) {
            let is_in_parentheses = self.text.ends_with(['(', '[']) || matches!(token, ")" | "]");
            if end != start && !(end.line != start.line && is_in_parentheses) {
                self.text.push(' ');
            }
        }
        self.text.push_str(if token.contains('\n') { "\"…\"" } else { token });
    }
}

/// Returns the end of a token that starts at `start`.
fn behind(token: &str, start: LineColumn) -> LineColumn {
    match token.rsplit_once('\n') {
        Some((before, last)) => {
            LineColumn { line: start.line + before.matches('\n').count() + 1, column: last.chars().count() }
        }
        None => LineColumn { line: start.line, column: start.column + token.chars().count() },
    }
}

/// Returns the tokens without any `#[…]`.
pub(crate) fn without_attributes(tokens: impl Iterator<Item = TokenTree>) -> impl Iterator<Item = TokenTree> {
    let mut tokens = tokens.peekable();
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

/// Removes the middle of a text that is too long.
fn cut(text: &str) -> String {
    let n_chars = text.chars().count();
    if n_chars <= MOST {
        return text.to_owned();
    }
    let start: String = text.chars().take(MOST - END - 1).collect();
    let end: String = text.chars().skip(n_chars - END).collect();
    format!("{start}…{end}")
}
