//! What all outputs share.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{AttrStyle, Attribute, Block, Expr, LitStr, Stmt};

use crate::args::Args;
use crate::function::Function;

/// The static of a function, under the name that was given or its own.
pub(super) fn site_of(args: &Args, kind: &str, function: &Function) -> TokenStream {
    let place = function.sig.ident.span();
    let name = args.name.clone().unwrap_or_else(|| LitStr::new(&function.name(), place));
    site(&krate(args), kind, &name, place)
}

/// The static of this place, an item for the block around the body: what the body says of it means the innermost one.
/// Line and column are those of `place`.
pub(super) fn site(krate: &TokenStream, kind: &str, name: &LitStr, place: Span) -> TokenStream {
    let kind = Ident::new(kind, Span::mixed_site());
    let here = quote_spanned!(place=> ::core::file!(), ::core::line!(), ::core::column!());
    quote_spanned! {Span::mixed_site()=>
        static __DIAGNOSE_SITE: #krate::__private::Site = #krate::__private::Site::new(
            #krate::__private::Kind::#kind, #name, ::core::module_path!(), #here,
        );
    }
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
                #krate::__private::Label::of(&__DIAGNOSE_SITE, || {
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
pub(super) fn before(mut body: Block, inner: &[&Attribute], start: &TokenStream) -> TokenStream {
    let n_items = body.stmts.iter().take_while(|statement| matches!(statement, Stmt::Item(_))).count();
    let statements = body.stmts.split_off(n_items);
    let items = std::mem::take(&mut body.stmts);
    let inside = quote!(#(#inner)* #(#items)* #start #(#statements)*);
    body.stmts.push(Stmt::Expr(Expr::Verbatim(inside), None));
    quote!(#body)
}

/// Attributes before the function, and `#![…]` inside it.
pub(super) fn split(attributes: &[Attribute]) -> (Vec<&Attribute>, Vec<&Attribute>) {
    attributes.iter().partition(|attribute| matches!(attribute.style, AttrStyle::Outer))
}
