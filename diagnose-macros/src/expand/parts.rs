//! What all outputs share.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::token::Brace;
use syn::{AttrStyle, Attribute, Block, Expr, LitStr, Stmt};

use crate::args::Args;
use crate::function::Function;

/// The static of a function, under the name that was given or its own.
pub(super) fn body_of(args: &Args, kind: &str, function: &Function, points: &[TokenStream]) -> TokenStream {
    let place = function.sig.ident.span();
    let name = args.name.clone().unwrap_or_else(|| LitStr::new(&function.name(), place));
    body(args, kind, &name, place, points)
}

/// The static of this body and of the await points in it, an item for the block around the body: what the body says of it
/// means the innermost one. Line and column are those of `place`.
pub(super) fn body(
    args: &Args,
    kind: &str,
    name: &LitStr,
    place: Span,
    points: &[TokenStream],
) -> TokenStream {
    let krate = krate(args);
    let kind = Ident::new(kind, Span::mixed_site());
    let types = points.iter().map(|_| quote_spanned!(Span::mixed_site()=> #krate::__private::Site,));
    let site = path(args, place, "Site");
    let new = quote_spanned!(place=> #site::new);
    let arguments = quote_spanned!(Span::mixed_site()=> #krate::__private::SiteKind::#kind, #name, ::core::module_path!());
    let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
    arguments.set_span(place);
    quote_spanned! {Span::mixed_site()=>
        static __DIAGNOSE_BODY: #krate::__private::Body<(#(#types)*)> =
            #krate::__private::Body { site: #new #arguments, awaits: (#(#points,)*) };
    }
}

/// The path of something in the library. It has the span of a place in the source, as if the user had written it there: a
/// message about the result of a call shows that line, as does what the call finds out about its caller.
pub(super) fn path(args: &Args, place: Span, name: &str) -> TokenStream {
    let name = Ident::new(name, place);
    let Some(krate) = &args.krate else { return quote_spanned!(place=> ::diagnose::__private::#name) };
    let krate = krate.to_token_stream().into_iter().map(|mut token| {
        token.set_span(token.span().located_at(place));
        token
    });
    let krate: TokenStream = krate.collect();
    quote_spanned!(place=> #krate::__private::#name)
}

/// The kind of a span: a task, if the user says so.
pub(super) fn future_kind(args: &Args, otherwise: &'static str) -> &'static str {
    if args.root.is_some() { "Task" } else { otherwise }
}

/// The label of this call, made before the arguments move.
pub(super) fn label(args: &Args, krate: &TokenStream) -> TokenStream {
    match &args.label {
        Some(format) => {
            let text = quote_spanned!(format.span()=> ::std::format!(#format));
            // An argument that only the label uses may have the name of an unused one: without the feature it is unused.
            quote_spanned! {Span::mixed_site()=>
                #krate::__private::Label::of(&__DIAGNOSE_BODY.site, || {
                    #[allow(clippy::used_underscore_binding)]
                    let __diagnose_text = #text;
                    __diagnose_text
                })
            }
        }
        None => quote_spanned!(Span::mixed_site()=> #krate::__private::Label::NONE),
    }
}

/// Where the crate is.
pub(super) fn krate(args: &Args) -> TokenStream {
    match &args.krate {
        Some(path) => quote!(#path),
        None => quote_spanned!(Span::mixed_site()=> ::diagnose),
    }
}

/// The body with something before its first statement, but behind its own attributes and the items it begins with. Its
/// braces stay the user's own, and with them the edition that decides about temporaries, and the compiler's word on
/// braces that are not needed.
pub(super) fn before(body: Block, inner: &[&Attribute], start: &TokenStream) -> TokenStream {
    let (braces, items, statements) = taken_apart(body);
    in_braces(braces, quote!(#(#inner)* #items #start #statements))
}

/// The braces of a body, the items that it begins with, and the rest.
pub(super) fn taken_apart(mut body: Block) -> (Brace, TokenStream, TokenStream) {
    let n_items = body.stmts.iter().take_while(|statement| matches!(statement, Stmt::Item(_))).count();
    let statements = body.stmts.split_off(n_items);
    let items = body.stmts;
    (body.brace_token, quote!(#(#items)*), quote!(#(#statements)*))
}

/// A body again.
pub(super) fn in_braces(braces: Brace, inside: TokenStream) -> TokenStream {
    Block { brace_token: braces, stmts: vec![Stmt::Expr(Expr::Verbatim(inside), None)] }.into_token_stream()
}

/// Attributes before the function, and `#![…]` inside it.
pub(super) fn split(attributes: &[Attribute]) -> (Vec<&Attribute>, Vec<&Attribute>) {
    attributes.iter().partition(|attribute| matches!(attribute.style, AttrStyle::Outer))
}
