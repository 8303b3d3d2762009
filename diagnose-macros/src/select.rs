//! The grammar of `select!`.
//!
//! ```text
//! [biased;] pattern = future [, if condition] => handler, … [else => handler]      tokio
//! pattern = future => handler, … [complete => handler] [default => handler]        futures
//! ```

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::{Block, Expr, Pat, Path, Result, Token, token};

pub(crate) struct Select {
    biased: Option<Biased>,
    pub(crate) branches: Vec<Branch>,
}

pub(crate) struct Branch {
    pub(crate) source: Source,
    arrow: Token![=>],
    pub(crate) handler: Handler,
    comma: Option<Token![,]>,
}

/// The left side of a branch.
pub(crate) enum Source {
    Future(Box<Waited>),
    /// One of `else`, `complete` and `default`.
    Word(Ident),
}

/// `pattern = future [, if condition]`
pub(crate) struct Waited {
    pub(crate) pattern: Pat,
    equals: Token![=],
    pub(crate) future: Expr,
    pub(crate) condition: Option<(Token![,], Token![if], Expr)>,
}

pub(crate) enum Handler {
    Block(Block),
    Value(Expr),
}

impl Parse for Select {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let biased = Biased::parse(input)?;
        let mut branches = Vec::new();
        while !input.is_empty() {
            branches.push(input.parse()?);
        }
        Ok(Self { biased, branches })
    }
}

impl Parse for Branch {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let source = input.parse()?;
        let arrow = input.parse()?;
        let handler = if input.peek(token::Brace) {
            Handler::Block(input.parse()?)
        } else {
            Handler::Value(Expr::parse_with_earlier_boundary_rule(input)?)
        };
        let comma: Option<Token![,]> = input.parse()?;
        let needs_comma = matches!(&handler, Handler::Value(value) if !ends_in_braces(value));
        if needs_comma && comma.is_none() && !input.is_empty() {
            return Err(input.error("expected `,`"));
        }
        Ok(Self { source, arrow, handler, comma })
    }
}

impl Parse for Source {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if input.peek(Ident::peek_any) && input.peek2(Token![=>]) {
            return Ok(Self::Word(input.call(Ident::parse_any)?));
        }
        let pattern = Pat::parse_multi_with_leading_vert(input)?;
        let equals = input.parse()?;
        let future = input.parse()?;
        let condition =
            if input.peek(Token![,]) { Some((input.parse()?, input.parse()?, input.parse()?)) } else { None };
        Ok(Self::Future(Box::new(Waited { pattern, equals, future, condition })))
    }
}

impl ToTokens for Select {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.biased.to_tokens(tokens);
        for Branch { source, arrow, handler, comma } in &self.branches {
            match source {
                Source::Word(word) => word.to_tokens(tokens),
                Source::Future(waited) => {
                    let Waited { pattern, equals, future, condition } = &**waited;
                    tokens.extend(quote!(#pattern #equals #future));
                    if let Some((comma, keyword, condition)) = condition {
                        tokens.extend(quote!(#comma #keyword #condition));
                    }
                }
            }
            arrow.to_tokens(tokens);
            handler.to_tokens(tokens);
            comma.to_tokens(tokens);
        }
    }
}

impl ToTokens for Handler {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Block(block) => block.to_tokens(tokens),
            Self::Value(value) => value.to_tokens(tokens),
        }
    }
}

/// The library of a `select!`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Library {
    Tokio,
    Futures,
}

impl Library {
    /// Returns the library of a `select!`, judged by its path or its form; `None` if both are
    /// possible.
    pub(crate) fn of(path: &Path, select: &Select) -> Option<Self> {
        let is = |words: &[&str]| {
            path.segments.iter().any(|segment| words.iter().any(|word| segment.ident == word))
                || select.branches.iter().any(|branch| match &branch.source {
                    Source::Word(found) => words.iter().any(|word| found == word),
                    Source::Future(_) => false,
                })
        };
        let has_condition = select
            .branches
            .iter()
            .any(|branch| matches!(&branch.source, Source::Future(waited) if waited.condition.is_some()));
        if select.biased.is_some() || has_condition || is(&["tokio", "else"]) {
            Some(Self::Tokio)
        } else if is(&["futures", "futures_util", "select_biased", "complete", "default"]) {
            Some(Self::Futures)
        } else {
            None
        }
    }
}

/// Returns whether a handler needs no comma after it.
fn ends_in_braces(handler: &Expr) -> bool {
    matches!(
        handler,
        Expr::Async(_)
            | Expr::Block(_)
            | Expr::ForLoop(_)
            | Expr::If(_)
            | Expr::Loop(_)
            | Expr::Match(_)
            | Expr::Unsafe(_)
            | Expr::While(_)
    )
}

/// `biased;`
pub(crate) struct Biased(Ident, Token![;]);

impl Biased {
    pub(crate) fn parse(input: ParseStream<'_>) -> Result<Option<Self>> {
        let is_there = input.peek(Ident::peek_any) && input.peek2(Token![;]);
        Ok(if is_there { Some(Self(input.parse()?, input.parse()?)) } else { None })
    }
}

impl ToTokens for Biased {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self(word, semi) = self;
        tokens.extend(quote!(#word #semi));
    }
}
