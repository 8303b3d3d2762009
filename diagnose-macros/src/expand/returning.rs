//! Emits functions that return a future.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Expr, ReturnType};

use super::output::inferred;
use super::parts::{before, body_of, future_kind, in_braces, krate, label, path, split, value};
use crate::args::Args;
use crate::boxed::{self, Returned};
use crate::function::Function;

/// Returns a function whose returned future is timed. Statements before the future still run when
/// the function is called.
pub(crate) fn returning(
    args: &Args,
    function: Function,
    returned: Returned,
    points: &[TokenStream],
) -> TokenStream {
    let statics = body_of(args, future_kind(args, "Fn"), &function, points);
    let Function { attrs, before: qualifiers, sig, mut block, .. } = function;
    let (outer, inner) = split(&attrs);
    let krate = krate(args);
    let label = label(args, &krate);
    let start = quote_spanned! {Span::mixed_site()=>
        #statics
        let __diagnose_label = #label;
    };
    // A message about the future shows the expression that the user wrote.
    let timed_at = |place: Span, future: TokenStream| {
        let here = Span::mixed_site().located_at(place);
        let timed = path(args, here, "Timed");
        quote_spanned!(here=> #timed::new(#krate::__private::Span::new(&__DIAGNOSE_BODY.site, __diagnose_label), #future))
    };
    let braces = block.brace_token;
    // A closure would not know the caller.
    let hides_return = returned == Returned::Opaque
        && !attrs.iter().any(|attribute| attribute.path().is_ident("track_caller"))
        && boxed::may_hide_return(&mut block);
    let ends_early = hides_return || boxed::ends_early(&mut block);
    let place = boxed::last(&mut block).map_or_else(Span::mixed_site, |last| last.span());
    let mut last = if ends_early { None } else { boxed::last(&mut block) };
    let pinned = match (returned, &mut last) {
        (Returned::Boxed, Some(last)) => boxed::pinned(last),
        _ => None,
    };
    if let Some(future) = pinned {
        *future = Expr::Verbatim(timed_at(future.span(), quote!(#future)));
        let body = before(block, &inner, &start);
        return quote_spanned!(Span::mixed_site()=> #(#outer)* #qualifiers #sig #body);
    }
    let body = match (returned, last) {
        (Returned::Opaque, Some(last)) => {
            *last = Expr::Verbatim(timed_at(last.span(), quote!(#last)));
            before(block, &inner, &start)
        }
        (Returned::Opaque, None) => {
            let future = value(&timed_at(
                place,
                quote_spanned!(Span::mixed_site()=> #krate::__private::call_once(move || #block)),
            ));
            in_braces(braces, quote_spanned!(Span::mixed_site()=> #(#inner)* #start #future))
        }
        (Returned::Boxed, _) => {
            let ReturnType::Type(arrow, output) = &sig.output else {
                return quote!(#(#attrs)* #qualifiers #sig #block);
            };
            let output = inferred(output);
            let whole = if ends_early {
                quote_spanned!(Span::mixed_site()=> #krate::__private::call_once(move || #arrow #output #block))
            } else {
                quote!(#block)
            };
            let future = timed_at(place, quote_spanned!(Span::mixed_site()=> __diagnose_future));
            // The body may never return, and clippy would ask for a `return`.
            let inside = quote_spanned! {Span::mixed_site()=>
                #(#inner)*
                #start
                let __diagnose_future: #output = #whole;
                #[allow(unreachable_code, clippy::implicit_return)]
                #krate::__private::Box::pin(#future)
            };
            in_braces(braces, inside)
        }
    };
    quote_spanned!(Span::mixed_site()=> #(#outer)* #qualifiers #sig #body)
}
