//! Emits await points.
//!
//! ```text
//! get(key).await   ──▶   ended(at(&BODY.awaits.3, get(key)).await, &BODY.site)
//! ```
//! A macro that cannot be parsed is one await:
//! ```text
//! ended((InMacro::begin(&BODY.awaits.3, || ()), retry!(get(key).await)).1, &BODY.site)
//! ```
//! At the end of a block or arm it may also be statements, or end the body, and the await ends with
//! the scope:
//! ```text
//! { let in_macro = InMacro::begin(&BODY.awaits.3, || ()); retry! { get(key).await } }
//! ```
//!
//! The calls return their argument. They replace the awaited expression, so temporaries live as
//! long as before. The `.await` is the user's own, so the compiler reports an operand that is no
//! future at that place. The body is the innermost one, whose static has the site of the await
//! among its `awaits`.

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, Expr, ExprAwait, Stmt, parse_quote, parse_quote_spanned};

use super::parts::{krate, path};
use crate::args::Args;
use crate::escape::{GuardUse, ValueUse};
use crate::text;

/// The place of an await point, and its text. Both are taken from the tokens before anything in
/// them is rewritten.
pub(crate) struct AwaitPlace {
    text: String,
    start: Span,
    end: Span,
}

impl AwaitPlace {
    pub(crate) fn of(expression: &impl ToTokens) -> Self {
        let tokens: Vec<TokenTree> =
            text::without_attributes(expression.to_token_stream().into_iter()).collect();
        Self { start: first(tokens.first()), end: last(tokens.last()), text: text::of(tokens) }
    }
}

/// Returns the site of an await point, which is an element of its body's static. `value` says what
/// the body does with a guard that this await acquires.
pub(crate) fn point(args: &Args, place: &AwaitPlace, value: ValueUse) -> TokenStream {
    let site = site(args, "Site", "at", None, place);
    let used = used(value);
    quote!(#site #used)
}

/// Returns the call that tells a site what its body does with a guard, or nothing if there is
/// nothing to say: a letter if the guard is the value of the await, and one if it is inside of that
/// and moves or is returned with it.
fn used(value: ValueUse) -> Option<TokenStream> {
    let letter = |guard| match guard {
        GuardUse::Unknown => b'u',
        GuardUse::Returns => b'r',
        GuardUse::Stays => b's',
        GuardUse::Calls => b'c',
        GuardUse::Moves => b'm',
    };
    let itself = letter(value.itself);
    let inside =
        if matches!(value.inside, GuardUse::Stays | GuardUse::Calls) { b'u' } else { letter(value.inside) };
    let [first, second] = [itself, inside].map(Literal::byte_character);
    (itself != b'u' || inside != b'u').then(|| quote_spanned!(Span::mixed_site()=> .used(#first, #second)))
}

/// Returns the operand of `.await` for the point of this number.
pub(crate) fn awaited(args: &Args, place: &AwaitPlace, number: usize, expression: &Expr) -> Expr {
    let number = Literal::usize_unsuffixed(number);
    let point = quote_spanned!(Span::mixed_site()=> &__DIAGNOSE_BODY.awaits.#number);
    call(args, "at", &point, place, expression)
}

/// Returns the call around the whole expression.
pub(crate) fn ended(args: &Args, place: &AwaitPlace, expression: &mut ExprAwait) -> Expr {
    let attributes = std::mem::take(&mut expression.attrs);
    let ended = callee(args, place, "ended");
    let arguments = quote_spanned!(Span::mixed_site()=> #expression, &__DIAGNOSE_BODY.site);
    let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
    arguments.set_span(place.end);
    Expr::Verbatim(quote!(#(#attributes)* #ended #arguments))
}

/// Returns the attribute of an await at the end of its block or arm. The future may be one that
/// never ends, and then the compiler calls `ended` unreachable.
pub(crate) fn allow_unreachable() -> Attribute {
    parse_quote_spanned!(Span::mixed_site()=> #[allow(unreachable_code)])
}

/// Returns the await of a macro that cannot be parsed, used as an expression. The await begins
/// before the macro, and ends with its value.
pub(crate) fn macro_awaited(
    args: &Args,
    place: &AwaitPlace,
    number: usize,
    invocation: &impl ToTokens,
) -> Expr {
    let (begin, ended) = (begin(args, number), path(args, here(place.start), "ended"));
    let arguments = quote_spanned!(Span::mixed_site()=> (#begin, #invocation).1, &__DIAGNOSE_BODY.site);
    let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
    arguments.set_span(here(place.end));
    Expr::Verbatim(quote!(#ended #arguments))
}

/// Returns an await in a block that is an argument of an unparsed macro.
pub(crate) fn through(args: &Args, point: &mut ExprAwait) -> Expr {
    let (through, passed) =
        (path(args, Span::mixed_site(), "through"), path(args, Span::mixed_site(), "passed"));
    let attributes = std::mem::take(&mut point.attrs);
    let base = argument(&point.base);
    *point.base = Expr::Verbatim(quote_spanned!(Span::mixed_site()=> #through(#base, || ())));
    Expr::Verbatim(quote_spanned!(Span::mixed_site()=> #(#attributes)* #passed(#point)))
}

/// Returns the await of a macro that cannot be parsed, used as a statement. The macro may define
/// variables, and it may never return. Another `cfg` may remove it, with its await.
pub(crate) fn macro_statement(args: &Args, number: usize, invocation: &Stmt) -> Stmt {
    let begin = begin(args, number);
    let attrs = match invocation {
        Stmt::Macro(invocation) => &invocation.attrs[..],
        _ => &[],
    };
    let cfgs = attrs.iter().filter(|it| ["cfg", "cfg_attr"].iter().any(|name| it.path().is_ident(name)));
    let cfgs: Vec<_> = cfgs.collect();
    let statements = quote_spanned! {Span::mixed_site()=>
        #(#cfgs)*
        let __diagnose_macro = #begin;
        #invocation
        #(#cfgs)*
        #[allow(unreachable_code)]
        __diagnose_macro.end();
    };
    Stmt::Expr(Expr::Verbatim(statements), None)
}

/// Returns the await of a macro that cannot be parsed, at the end of a block or arm. There it must
/// stay, because it may be statements and a value. Braces like those of the block keep the edition
/// that decides about temporaries.
pub(crate) fn macro_end(args: &Args, number: usize, invocation: &impl ToTokens, braces: Span) -> Expr {
    let begin = begin(args, number);
    let begin = quote_spanned!(Span::mixed_site()=> let __diagnose_macro = #begin;);
    let mut block = Group::new(Delimiter::Brace, quote!(#begin #invocation));
    block.set_span(braces);
    Expr::Verbatim(block.into_token_stream())
}

fn begin(args: &Args, number: usize) -> TokenStream {
    let (in_macro, number) = (path(args, Span::mixed_site(), "InMacro"), Literal::usize_unsuffixed(number));
    quote_spanned!(Span::mixed_site()=> #in_macro::begin(&__DIAGNOSE_BODY.awaits.#number, || ()))
}

/// Returns the span of generated code at the given place.
fn here(place: Span) -> Span {
    Span::mixed_site().located_at(place)
}

/// An arm of a macro that polls its arms in code of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArmKind {
    /// Polled until it is done, whatever the other arms do.
    Joined(ValueUse),
    /// Of a `select!` or `try_join!`, which may drop it before.
    Raced(ValueUse),
    Borrowed,
}

/// Returns an arm of a macro that polls it in code of its own.
pub(crate) fn arm(args: &Args, place: &AwaitPlace, expression: &Expr, kind: ArmKind) -> Expr {
    let krate = krate(args);
    let new = site(args, "Arm", "new", Some(&quote_spanned!(Span::mixed_site()=> &ARM,)), place);
    let joined = matches!(kind, ArmKind::Joined(_)).then(|| quote_spanned!(Span::mixed_site()=> .joined()));
    let mark = used(match kind {
        ArmKind::Joined(value) | ArmKind::Raced(value) => value,
        ArmKind::Borrowed => ValueUse::UNKNOWN,
    });
    let arm = quote_spanned! {Span::mixed_site()=>
        { static ARM: #krate::__private::Arm = #new #joined #mark; &ARM }
    };
    call(args, "arm", &arm, place, expression)
}

/// Returns an arm for a variable, which the macro's own code would only have borrowed.
pub(crate) fn borrowed_arm(args: &Args, place: &AwaitPlace, name: &Expr) -> Expr {
    let borrowed = Expr::Verbatim(quote_spanned!(Span::mixed_site()=> &mut #name));
    arm(args, place, &borrowed, ArmKind::Borrowed)
}

/// Returns a call that makes a site at the start of the expression. The end of the site is 0 if the
/// compiler does not report it.
fn site(
    args: &Args,
    type_: &str,
    function: &str,
    first: Option<&TokenStream>,
    place: &AwaitPlace,
) -> TokenStream {
    let AwaitPlace { text, start, end } = place;
    let (type_, function) = (path(args, *start, type_), Ident::new(function, *start));
    let path = quote_spanned!(*start=> #type_::#function);
    let end = end.end();
    let end_line = u32::try_from(end.line).unwrap_or(0);
    let end_column = if end_line == 0 { 0 } else { u32::try_from(end.column + 1).unwrap_or(0) };
    let arguments =
        quote_spanned!(Span::mixed_site()=> #first &__DIAGNOSE_BODY.site, #text, #end_line, #end_column);
    let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
    arguments.set_span(*start);
    quote!(#path #arguments)
}

/// Returns a call around an expression. Lints that replace the expression see all of it, from its
/// first token to its `.await`.
fn call(args: &Args, function: &str, point: &TokenStream, place: &AwaitPlace, expression: &Expr) -> Expr {
    let callee = callee(args, place, function);
    let expression = argument(expression);
    let here = Span::mixed_site().located_at(place.start);
    let mut arguments = Group::new(Delimiter::Parenthesis, quote_spanned!(here=> #point, #expression));
    arguments.set_span(place.start);
    Expr::Verbatim(quote!(#callee #arguments))
}

/// Returns the path of the called function, with the user's span. If the user's expression also
/// starts with `::`, clippy would take this call for source code and lint it. In that case the path
/// gets the macro's span.
fn callee(args: &Args, place: &AwaitPlace, function: &str) -> TokenStream {
    let is_alike = place.text.trim_start_matches('(').starts_with("::");
    path(args, if is_alike { here(place.start) } else { place.start }, function)
}

/// Returns the expression as the argument of a call. There it must cause no warning that it did not
/// cause before `.await`.
fn argument(expression: &Expr) -> TokenStream {
    match expression {
        Expr::Paren(inside) if inside.attrs.is_empty() => {
            let inside = &inside.expr;
            quote!(#inside)
        }
        // With one more item, the compiler does not call the braces unnecessary.
        Expr::Block(block)
            if block.attrs.is_empty() && block.label.is_none() && block.block.stmts.len() == 1 =>
        {
            let mut block = block.clone();
            block.block.stmts.insert(
                0,
                parse_quote!(
                    const _: () = ();
                ),
            );
            quote!(#block)
        }
        other => quote!(#other),
    }
}

/// Returns the span of the first token, also inside the invisible groups of a `macro_rules!`.
fn first(token: Option<&TokenTree>) -> Span {
    match token {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => {
            first(text::without_attributes(group.stream().into_iter()).next().as_ref())
        }
        Some(token) => token.span(),
        None => Span::call_site(),
    }
}

fn last(token: Option<&TokenTree>) -> Span {
    match token {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => {
            last(group.stream().into_iter().last().as_ref())
        }
        Some(token) => token.span(),
        None => Span::call_site(),
    }
}
