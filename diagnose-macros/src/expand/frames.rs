//! Emits code that is busy and never waits by itself. This is a plain function, or the poll of a
//! hand-written future.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{ExprMatch, LitStr, ReturnType, parse_quote_spanned};

use super::parts::{before, body, body_of, future_kind, krate, label, split};
use crate::args::Args;
use crate::boxed;
use crate::driver;
use crate::function::Function;

pub(crate) fn synchronous(args: &Args, function: Function) -> TokenStream {
    let statics = body_of(args, "Sync", &function, &[]);
    let Function { attrs, before: qualifiers, sig, block, .. } = function;
    let (outer, inner) = split(&attrs);
    let krate = krate(args);
    let label = label(args, &krate);
    let start = quote_spanned! {Span::mixed_site()=>
        #statics
        let _diagnose_frame = #krate::__private::Frame::enter(&__DIAGNOSE_BODY.site, #label);
    };
    let body = before(block, &inner, &start);
    quote_spanned!(Span::mixed_site()=> #(#outer)* #qualifiers #sig #body)
}

/// Returns a function that only drives an executor. The future it drives is timed, under the
/// function's name.
pub(crate) fn driving(args: &Args, function: Function, points: &[TokenStream]) -> TokenStream {
    let statics = body_of(args, future_kind(args, "Fn"), &function, points);
    let Function { attrs, before: qualifiers, sig, mut block, .. } = function;
    let (outer, inner) = split(&attrs);
    let krate = krate(args);
    let label = label(args, &krate);
    if let Some(future) = driver::driven(&mut block) {
        // The executor may take a pointer to any future, which one to a timed future becomes. A
        // function of another kind may have the name of an executor's. A `match`, because
        // temporaries of its operand live as long as those of the argument.
        boxed::replace_innermost(future, &|future| {
            let mut timed: ExprMatch = parse_quote_spanned! {Span::mixed_site()=>
                match () {
                    __diagnose_future => #krate::__private::Driven::of(&__diagnose_future).timed(
                        #krate::__private::Span::new(&__DIAGNOSE_BODY.site, __diagnose_label),
                        __diagnose_future,
                    ),
                }
            };
            // A struct as in `App { port }.run()` is printed in parentheses.
            *timed.expr = future.clone();
            quote!(#timed)
        });
    }
    let start = quote_spanned! {Span::mixed_site()=>
        #statics
        // The future may own the arguments by the time it is timed.
        let __diagnose_label = #label;
    };
    let body = before(block, &inner, &start);
    quote_spanned!(Span::mixed_site()=> #(#outer)* #qualifiers #sig #body)
}

/// When a poll has completed something.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ready {
    /// For a future: when it is ready.
    Once,
    /// For a stream: at each item.
    PerItem,
}

/// Returns a timed `poll` of a hand-written future, or `poll_next` of a hand-written stream.
pub(crate) fn polled(args: &Args, function: Function, ready: Ready) -> TokenStream {
    let place = function.sig.ident.span();
    // The type's name is enough: a type has one such method.
    let name = function.owner.clone().unwrap_or_else(|| function.name());
    let name = args.name.clone().unwrap_or_else(|| LitStr::new(&name, place));
    let statics = body(args, "Impl", &name, place, &[]);
    let Function { attrs, before: qualifiers, sig, mut block, .. } = function;
    let (outer, inner) = split(&attrs);
    let krate = krate(args);
    let output = &sig.output;
    let is_ready = match ready {
        Ready::Once => quote!(::core::task::Poll::Ready(_)),
        Ready::PerItem => quote!(::core::task::Poll::Ready(::core::option::Option::Some(_))),
    };
    // The body's last expression may need a coercion.
    let type_ = match output {
        ReturnType::Type(_, output) => Some(quote_spanned!(Span::mixed_site()=> : #output)),
        ReturnType::Default => None,
    };
    let poll = if boxed::ends_early(&mut block) || boxed::may_hide_return(&mut block) {
        quote_spanned!(Span::mixed_site()=> #krate::__private::call_once(move || #output #block))
    } else {
        quote!(#block)
    };
    quote_spanned! {Span::mixed_site()=>
        #(#outer)*
        #qualifiers #sig {
            #(#inner)*
            #statics
            let mut __diagnose_frame = #krate::__private::Frame::enter_poll(&__DIAGNOSE_BODY.site);
            let __diagnose_poll #type_ = #poll;
            // The body may never return.
            #[allow(unreachable_code)]
            {
                if let #is_ready = &__diagnose_poll {
                    __diagnose_frame.ready();
                }
                __diagnose_poll
            }
        }
    }
}
