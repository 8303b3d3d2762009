//! Rewrites macros whose arguments are expressions, known by their names.
//!
//! A macro that does not parse as expected stays as it was written, except for annotated blocks. So
//! do all other macros: `dbg!` and `assert!` print the source of their arguments, and an unknown
//! macro may do anything with an `.await`. Then the macro as a whole is one await.

use std::mem;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut as _;
use syn::{Expr, Lit, Macro, PathSegment, Result, Token};

use crate::acquired::is_one_of;
use crate::attributes::is_ours;
use crate::blocks::Blocks;
use crate::expand::AwaitPlace;
use crate::through;

/// Macros that evaluate their arguments and print none of them as source.
const PLAIN: [&str; 20] = [
    "anyhow",
    "assert_eq",
    "assert_ne",
    "bail",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "panic",
    "pin",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Macros of `log` and `tracing`. Arguments before the format string must be `name = value`.
const LOGGING: [&str; 6] = ["debug", "error", "info", "log", "trace", "warn"];

/// Macros whose arguments are the body of other code, which does not run here.
const BODIES: [&str; 4] = ["quote", "quote_spanned", "stream", "try_stream"];

/// Macros that mention their arguments where they stand, and that the lists above do not have.
const IN_PLACE: [&str; 13] = [
    "assert",
    "dbg",
    "debug_assert",
    "debug_span",
    "ensure",
    "event",
    "info_span",
    "join",
    "matches",
    "select",
    "select_biased",
    "span",
    "try_join",
];

/// Returns whether what happens to a variable that the macro mentions shows in its arguments.
pub(crate) fn is_known(name: &str) -> bool {
    PLAIN.contains(&name) || LOGGING.contains(&name) || IN_PLACE.contains(&name)
}

/// Macros that borrow their arguments, besides those that log.
const SHOWING: [&str; 12] = [
    "assert_eq",
    "assert_ne",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "print",
    "println",
    "write",
    "writeln",
];

/// Returns whether the macro only borrows the arguments that are variables or fields.
pub(crate) fn only_shows(name: &str) -> bool {
    SHOWING.contains(&name) || LOGGING.contains(&name)
}

impl Blocks {
    /// Rewrites the arguments of a macro as far as they can be parsed. If some awaits in it cannot
    /// be, returns the place of the macro itself.
    pub(crate) fn invocation(&mut self, invocation: &mut Macro) -> Option<AwaitPlace> {
        if let Some(tokens) = self.known_macro(invocation) {
            invocation.tokens = tokens;
            return None;
        }
        let hides_awaits = self.awaits().is_some() && hides_awaits(invocation);
        let place = hides_awaits.then(|| AwaitPlace::of(&*invocation));
        if let Some(tokens) = self.in_tokens(&invocation.tokens) {
            invocation.tokens = tokens;
        }
        if let Some(args) = self.awaits().filter(|_| hides_awaits && !prints_code(invocation)) {
            if let Some(tokens) = through::rewrite(args, &invocation.tokens) {
                invocation.tokens = tokens;
            }
        }
        place
    }

    /// Returns the rewritten arguments of a known macro; `None` if it is unknown or has nothing to
    /// rewrite.
    pub(crate) fn known_macro(&mut self, invocation: &Macro) -> Option<TokenStream> {
        let arms = mem::take(&mut self.arms);
        if !self.is_timing() {
            return None;
        }
        let name = invocation.path.segments.last()?.ident.to_string();
        let tokens = &invocation.tokens;
        let guard = mem::take(&mut self.guard);
        match name.as_str() {
            _ if !(self.has_arms(&name) || mentions_async(tokens.clone())) => None,
            "join" | "try_join" => self.join(tokens, name == "join", guard, arms.as_deref()),
            "select" | "select_biased" => self.select(&invocation.path, tokens),
            "matches" => self.matches(tokens),
            name if PLAIN.contains(&name) => self.arguments(tokens, false),
            name if LOGGING.contains(&name) => self.arguments(tokens, true),
            _ => None,
        }
    }

    /// Returns whether there are arms to rewrite, even if they mention nothing asynchronous.
    fn has_arms(&self, name: &str) -> bool {
        self.awaits().is_some() && matches!(name, "join" | "try_join" | "select" | "select_biased")
    }

    /// Rewrites a list of expressions.
    fn arguments(&mut self, tokens: &TokenStream, is_logging: bool) -> Option<TokenStream> {
        let repeated = |input: ParseStream<'_>| {
            Ok((input.parse::<Expr>()?, input.parse::<Token![;]>()?, input.parse::<Expr>()?))
        };
        if let Ok((mut value, semi, mut times)) = repeated.parse2(tokens.clone()) {
            self.visit_expr_mut(&mut value);
            self.visit_expr_mut(&mut times);
            return Some(quote!(#value #semi #times));
        }
        let mut list = Punctuated::<Argument, Token![,]>::parse_terminated.parse2(tokens.clone()).ok()?;
        if is_logging {
            // A field of `tracing` may be a bare path, whose text is printed.
            let first = list.iter().find(|argument| argument.name.is_none())?;
            if !matches!(&first.value, Expr::Lit(literal) if matches!(literal.lit, Lit::Str(_))) {
                return None;
            }
        }
        let mut rewritten = TokenStream::new();
        for mut pair in list.pairs_mut() {
            let argument = pair.value_mut();
            self.visit_expr_mut(&mut argument.value);
            let (name, value) = (&argument.name, &argument.value);
            if let Some((name, equals)) = name {
                name.to_tokens(&mut rewritten);
                equals.to_tokens(&mut rewritten);
            }
            value.to_tokens(&mut rewritten);
            pair.punct().to_tokens(&mut rewritten);
        }
        Some(rewritten)
    }

    /// Rewrites `matches!`: an expression, and a pattern that stays.
    fn matches(&mut self, tokens: &TokenStream) -> Option<TokenStream> {
        let parse = |input: ParseStream<'_>| {
            Ok((input.parse::<Expr>()?, input.parse::<Token![,]>()?, input.parse::<TokenStream>()?))
        };
        let (mut value, comma, pattern) = parse.parse2(tokens.clone()).ok()?;
        self.visit_expr_mut(&mut value);
        Some(quote!(#value #comma #pattern))
    }

    /// Returns the arguments of any macro with their annotated blocks rewritten, or `None` if there
    /// are none.
    pub(crate) fn in_tokens(&mut self, tokens: &TokenStream) -> Option<TokenStream> {
        let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
        let mut rewritten = TokenStream::new();
        let mut any = false;
        let mut at = 0;
        while at < tokens.len() {
            if let Some((mut block, length)) = annotated_block(&tokens[at..]) {
                self.visit_expr_mut(&mut block);
                block.to_tokens(&mut rewritten);
                any = true;
                at += length;
                continue;
            }
            let inside = match &tokens[at] {
                TokenTree::Group(group) => {
                    self.in_tokens(&group.stream()).map(|inside| regroup(group, inside))
                }
                _ => None,
            };
            any |= inside.is_some();
            rewritten.extend([inside.unwrap_or_else(|| tokens[at].clone())]);
            at += 1;
        }
        any.then_some(rewritten)
    }
}

/// `value` or `name = value`.
struct Argument {
    name: Option<(Ident, Token![=])>,
    value: Expr,
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let is_named = input.peek(Ident::peek_any) && input.peek2(Token![=]) && !input.peek2(Token![==]);
        let name = if is_named { Some((input.call(Ident::parse_any)?, input.parse()?)) } else { None };
        Ok(Self { name, value: input.parse()? })
    }
}

/// Returns whether a macro shows its arguments as they are written.
fn prints_code(invocation: &Macro) -> bool {
    let names = ["assert", "dbg", "debug_assert", "ensure", "stringify"];
    invocation.path.segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name))
}

/// Returns whether a macro that stays as it was written awaits something in the surrounding body.
fn hides_awaits(invocation: &Macro) -> bool {
    let is_in = |names: &[&str]| {
        invocation.path.segments.iter().any(|segment| names.iter().any(|name| segment.ident == name))
    };
    let is_select = is_in(&["select", "select_biased"]) && is_in(&["tokio", "futures", "futures_util"]);
    is_select || (!is_in(&BODIES) && awaits(invocation.tokens.clone()))
}

/// Returns whether a macro may end the function around it, judged by its name.
pub(crate) fn may_return(invocation: &Macro) -> bool {
    let is_plain = |name: &str| is_known(name) && name != "bail" && name != "ensure";
    !invocation.path.segments.last().is_some_and(|last| is_plain(&last.ident.to_string()))
}

/// Returns whether a macro awaits something, and none of its temporaries are known.
pub(crate) fn is_unknown_await(invocation: &Macro) -> bool {
    let is_known = invocation.path.segments.last().is_some_and(|last| is_known(&last.ident.to_string()));
    !is_known && hides_awaits(invocation)
}

/// Returns whether a macro may never return, judged by its name and tokens. The compiler calls code
/// after it unreachable.
pub(crate) fn may_never_end(invocation: &Macro) -> bool {
    let names = ["abort", "bail", "fail", "raise", "throw"];
    let is_named = |last: &PathSegment| names.iter().any(|name| last.ident == name);
    invocation.path.segments.last().is_some_and(is_named) || leaves(invocation.tokens.clone())
}

/// Returns whether a macro of this name panics.
pub(crate) fn never_returns(name: &Ident) -> bool {
    is_one_of(&["panic", "todo", "unimplemented", "unreachable"], name)
}

fn leaves(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => leaves(group.stream()),
        TokenTree::Ident(word) => word == "return" || word == "break" || word == "continue",
        _ => false,
    })
}

/// Returns whether there is an `.await` outside of async blocks.
fn awaits(tokens: TokenStream) -> bool {
    let (mut after_dot, mut after_async) = (false, false);
    tokens.into_iter().any(|token| {
        let (was_after_dot, was_after_async) = (after_dot, after_async);
        (after_dot, after_async) = (false, false);
        match token {
            TokenTree::Group(group) => !was_after_async && awaits(group.stream()),
            TokenTree::Ident(word) => {
                after_async = word == "async" || was_after_async && word == "move";
                was_after_dot && word == "await"
            }
            TokenTree::Punct(punct) => {
                after_dot = punct.as_char() == '.';
                false
            }
            TokenTree::Literal(_) => false,
        }
    })
}

/// Returns whether there may be an `.await`, an async block or this crate's attribute.
fn mentions_async(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => mentions_async(group.stream()),
        TokenTree::Ident(word) => word == "async" || word == "await",
        _ => false,
    })
}

/// Returns the `#[diagnose] async move { … }` at the start of these tokens, and its number of
/// tokens.
fn annotated_block(tokens: &[TokenTree]) -> Option<(Expr, usize)> {
    let [TokenTree::Punct(pound), TokenTree::Group(attribute), TokenTree::Ident(keyword), after @ ..] =
        tokens
    else {
        return None;
    };
    if pound.as_char() != '#' || attribute.delimiter() != Delimiter::Bracket || keyword != "async" {
        return None;
    }
    let length = match after {
        [TokenTree::Ident(capture), ..] if capture == "move" => 5,
        _ => 4,
    };
    let block = syn::parse2(tokens.get(..length)?.iter().cloned().collect()).ok()?;
    matches!(&block, Expr::Async(block) if block.attrs.iter().any(is_ours)).then_some((block, length))
}

fn regroup(group: &Group, inside: TokenStream) -> TokenTree {
    let mut regrouped = Group::new(group.delimiter(), inside);
    regrouped.set_span(group.span());
    TokenTree::Group(regrouped)
}
