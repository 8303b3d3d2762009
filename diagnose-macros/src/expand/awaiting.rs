//! An await point.
//!
//! ```text
//! get(key).await   ──▶   ended(&SITE, at({ static AWAIT: Await = Await::new(&AWAIT, &SITE, "get(key).await", …); &AWAIT },
//!                                  get(key)).await)
//! ```
//! The calls give back what they are given. They stand where the awaited expression stood, so temporaries live as long as
//! they did, and the `.await` is the user's own: what is not a future is refused there. The owner is the site that is innermost where the static stands.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, ExprAwait, parse_quote};

use super::parts::krate;
use crate::args::Args;
use crate::text;

/// Where an await point stands, and its text: taken from the tokens before anything in them is rewritten.
pub(crate) struct Place {
    text: String,
    start: Span,
    end: Span,
}

impl Place {
    pub(crate) fn of(expression: &impl ToTokens) -> Self {
        let tokens = expression.to_token_stream();
        Self { text: text::of(tokens.clone()), start: first(tokens.clone()), end: last(tokens) }
    }
}

/// What stands before `.await`.
pub(crate) fn awaited(args: &Args, place: &Place, expression: &Expr) -> Expr {
    call(args, "at", None, place, expression)
}

/// What stands around the whole expression.
pub(crate) fn ended(args: &Args, place: &Place, expression: &mut ExprAwait) -> Expr {
    let krate = krate(args);
    let attributes = std::mem::take(&mut expression.attrs);
    let path = path(args, &krate, "ended", place);
    let arguments = quote_spanned!(Span::mixed_site()=> &__DIAGNOSE_SITE, #expression);
    let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
    arguments.set_span(place.end);
    Expr::Verbatim(quote!(#(#attributes)* #path #arguments))
}

/// An arm of a macro that polls it in code of its own. `is_joined`: until it is done, whatever the others do.
pub(crate) fn arm(args: &Args, place: &Place, expression: &Expr, is_joined: bool) -> Expr {
    let marked = if is_joined { quote!(.joined()) } else { quote!(.arm()) };
    call(args, "arm", Some(&marked), place, expression)
}

/// The path of a call. It has the span of the expression's first token, as if the user had written it there: a message
/// about its result shows that line, and lints that replace an expression see the whole of it, from there to `.await`.
fn path(args: &Args, krate: &TokenStream, function: &str, place: &Place) -> TokenStream {
    let function = Ident::new(function, place.start);
    let path = quote_spanned!(place.start=> #krate::__private::#function).into_iter().map(|mut token| {
        let hygiene = if args.krate.is_some() { token.span() } else { place.start };
        token.set_span(hygiene.located_at(place.start));
        token
    });
    path.collect()
}

fn call(args: &Args, function: &str, marked: Option<&TokenStream>, place: &Place, expression: &Expr) -> Expr {
    let krate = krate(args);
    let point = point(&krate, marked, place);
    let path = path(args, &krate, function, place);
    let expression = argument(expression);
    let here = Span::mixed_site().located_at(place.start);
    let mut arguments =
        Group::new(Delimiter::Parenthesis, quote_spanned!(here=> { #point &AWAIT }, #expression));
    arguments.set_span(place.start);
    Expr::Verbatim(quote!(#path #arguments))
}

/// The static of an await point. Where the compiler does not tell where a token ends, that is 0.
fn point(
    krate: &TokenStream,
    marked: Option<&TokenStream>,
    Place { text, start, end }: &Place,
) -> TokenStream {
    let here = quote_spanned!(*start=> ::core::file!(), ::core::line!(), ::core::column!());
    let end = end.end();
    let end_line = u32::try_from(end.line).unwrap_or(0);
    let end_column = if end_line == 0 { 0 } else { u32::try_from(end.column + 1).unwrap_or(0) };
    quote_spanned! {Span::mixed_site()=>
        static AWAIT: #krate::__private::Await = #krate::__private::Await::new(
            &AWAIT, &__DIAGNOSE_SITE, #text, ::core::module_path!(), #here, #end_line, #end_column,
        ) #marked;
    }
}

/// The expression as the argument of a call: nothing may warn there of what did not warn before `.await`.
fn argument(expression: &Expr) -> TokenStream {
    match expression {
        Expr::Paren(inside) if inside.attrs.is_empty() => {
            let inside = &inside.expr;
            quote!(#inside)
        }
        // With one item in them, braces are not called unnecessary.
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

/// The span of the first token behind attributes, inside the invisible groups of a `macro_rules!`.
fn first(tokens: TokenStream) -> Span {
    match text::without_attributes(tokens).next() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => first(group.stream()),
        Some(token) => token.span(),
        None => Span::call_site(),
    }
}

/// The span of the last token.
fn last(tokens: TokenStream) -> Span {
    match tokens.into_iter().last() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => last(group.stream()),
        Some(token) => token.span(),
        None => Span::call_site(),
    }
}
