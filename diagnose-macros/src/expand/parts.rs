//! Parts that all outputs share.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::token::Brace;
use syn::{AttrStyle, Attribute, Block, Expr, LitStr, Meta, Stmt};

use crate::args::Args;
use crate::function::Function;

/// Returns the static of a function, with the given name or the function's own.
pub(super) fn body_of(args: &Args, kind: &str, function: &Function, points: &[TokenStream]) -> TokenStream {
    let place = function.sig.ident.span();
    let name = args.name.clone().unwrap_or_else(|| LitStr::new(&function.name(), place));
    body(args, kind, &name, place, points)
}

/// Returns the static of this body and of its await points. It is an item of the block around the
/// body, so that its name in the body means the innermost one. Line and column are those of
/// `place`.
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

/// Returns the path of an item in the library. It has the span of a place in the source, as if the
/// user had written it there. So a message about the result of a call shows that line, and so does
/// `#[track_caller]`.
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

/// Returns the kind of a span: a task, if the attribute says `root`.
pub(super) fn future_kind(args: &Args, otherwise: &'static str) -> &'static str {
    if args.root.is_some() { "Task" } else { otherwise }
}

/// Returns the label of this call, made before the arguments move.
pub(super) fn label(args: &Args, krate: &TokenStream) -> TokenStream {
    label_with(args, krate, &TokenStream::new())
}

/// Returns the label of this call, which may mention the variables of these statements too.
pub(super) fn label_with(args: &Args, krate: &TokenStream, variables: &TokenStream) -> TokenStream {
    match &args.label {
        Some(format) => {
            let macro_path = path(args, format.span(), "format");
            let text = quote_spanned!(format.span()=> #macro_path!(#format));
            // An argument that only the label uses may be named as unused: without the feature it
            // is.
            quote_spanned! {Span::mixed_site()=>
                #krate::__private::Label::of(&__DIAGNOSE_BODY.site, || {
                    #variables
                    #[allow(clippy::used_underscore_binding)]
                    let __diagnose_text = #text;
                    __diagnose_text
                })
            }
        }
        None => quote_spanned!(Span::mixed_site()=> #krate::__private::Label::NONE),
    }
}

/// Returns the path of the crate `diagnose`.
pub(super) fn krate(args: &Args) -> TokenStream {
    match &args.krate {
        Some(path) => quote!(#path),
        None => quote_spanned!(Span::mixed_site()=> ::diagnose),
    }
}

/// Adds statements before the first one of a body, but after its own attributes and the items at
/// its start. The braces stay the user's own. They keep the edition that decides about temporaries,
/// and the compiler's warnings about unnecessary braces.
pub(super) fn before(body: Block, inner: &[Attribute], start: &TokenStream) -> TokenStream {
    let (braces, items, statements) = taken_apart(body);
    in_braces(braces, quote!(#(#inner)* #items #start #statements))
}

/// Splits a body into its braces, the items at its start, and the rest.
pub(super) fn taken_apart(mut body: Block) -> (Brace, TokenStream, TokenStream) {
    let n_items = body.stmts.iter().take_while(|statement| matches!(statement, Stmt::Item(_))).count();
    let statements = body.stmts.split_off(n_items);
    let items = body.stmts;
    (body.brace_token, quote!(#(#items)*), quote!(#(#statements)*))
}

pub(super) fn in_braces(braces: Brace, inside: TokenStream) -> TokenStream {
    Block { brace_token: braces, stmts: vec![Stmt::Expr(Expr::Verbatim(inside), None)] }.into_token_stream()
}

/// Returns the value of a function whose braces are the user's. Clippy would ask for a `return`
/// that the user cannot write.
pub(super) fn value(value: &TokenStream) -> TokenStream {
    quote_spanned!(Span::mixed_site()=> #[allow(clippy::implicit_return)] #value)
}

/// Splits attributes into those before the function and `#![…]` inside it.
pub(super) fn split(attributes: &[Attribute]) -> (Vec<Attribute>, Vec<Attribute>) {
    let attributes = attributes.iter().map(allowed);
    attributes.partition(|attribute| matches!(attribute.style, AttrStyle::Outer))
}

/// Turns an `expect` of a lint about the form of the function into an `allow`: the function that is
/// emitted has another form.
fn allowed(attribute: &Attribute) -> Attribute {
    let names = ["async_fn_in_trait", "manual_async_fn", "unused_async"];
    let mut attribute = attribute.clone();
    if let Meta::List(list) = &mut attribute.meta {
        let has_name = |token: TokenTree| matches!(token, TokenTree::Ident(word) if names.iter().any(|name| word == name));
        if list.path.is_ident("expect") && list.tokens.clone().into_iter().any(has_name) {
            let place = list.path.span();
            list.path = Ident::new("allow", place).into();
        }
    }
    attribute
}
