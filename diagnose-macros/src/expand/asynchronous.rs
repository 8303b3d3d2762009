//! Emits a timed `async fn`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, Pat, PatIdent, ReturnType, Signature};

use super::arguments::{for_label, naming};
use super::output::{diverging, expected, never, promised, return_future};
use super::parts::{body_of, future_kind, in_braces, krate, label_with, path, split, taken_apart, value};
use crate::args::Args;
use crate::captures::{self, Mentions};
use crate::function::Function;
use crate::{attributes, elided};

/// Returns a function that returns the timed future. Keeps it `async` for an attribute that looks
/// for that.
pub(crate) fn asynchronous(args: &Args, function: Function, points: &[TokenStream]) -> TokenStream {
    let statics = body_of(args, future_kind(args, "Fn"), &function, points);
    let never = match &function.sig.output {
        ReturnType::Type(_, output) => never(output),
        ReturnType::Default => None,
    };
    let keep_async =
        never.is_some() || function.keep_async || function.attrs.iter().any(attributes::may_look_for_async);
    let keep_patterns = function.attrs.iter().any(attributes::may_read_arguments);
    let Function { attrs, before: qualifiers, mut sig, block, .. } = function;
    let keep_async = keep_async || !elided::name_all(&mut sig);
    // A message about the future shows the expression that the user wrote.
    let place = block.stmts.last().map_or_else(|| block.brace_token.span.open(), Spanned::span);
    let (braces, items, statements) = taken_apart(block);
    let mentions = Mentions::of(&sig, &statements, args.label.as_ref());
    let captures = captures::of(&mut sig, &mentions, keep_patterns);
    let (outer, inner) = split(&attrs);
    let krate = krate(args);
    let label = label_with(args, &krate, &for_label(&captures, args.label.as_ref()));
    let (captured, variables) = naming(&captures);
    let expected = if never.is_some() { TokenStream::new() } else { expected(&krate, &sig.output) };
    let inside = if variables.is_empty() {
        in_braces(braces, quote_spanned!(Span::mixed_site()=> #items #captured #expected #statements))
    } else {
        // The surrounding braces have this crate's edition, 2024: temporaries of the body's last
        // expression are dropped before the bindings of the patterns.
        let block = in_braces(braces, quote!(#items #statements));
        quote_spanned!(Span::mixed_site()=> { #captured #variables #expected #block })
    };
    let future = match never {
        Some(place) => diverging(place, &inside),
        None => quote_spanned!(braces.span.open()=> async move #inside),
    };
    let promised = match &sig.output {
        ReturnType::Type(_, output) => promised(output),
        ReturnType::Default => None,
    };
    let here = promised.unwrap_or_else(|| Span::mixed_site().located_at(place));
    let timed = path(args, here, "Timed");
    let timed = quote_spanned!(here=> #timed::new(#krate::__private::Span::new(&__DIAGNOSE_BODY.site, #label), #future));
    let body = match (keep_async, never) {
        (false, _) => value(&timed),
        (true, None) => value(&quote_spanned!(Span::mixed_site()=> #timed.await)),
        (true, Some(_)) => quote_spanned!(Span::mixed_site()=> #timed.await; loop {}),
    };
    let allow_loop = never.map(|_| quote!(#[allow(unreachable_code)]));
    // The compiler's lints know that the output of an `async fn` may be a future. They do not know
    // it of an async block.
    let allow_futures =
        matches!(sig.output, ReturnType::Type(..)).then(|| quote!(#[allow(clippy::async_yields_async)]));
    if !keep_async {
        return_future(&mut sig);
    }
    // Like an `async fn`, it only makes a future: without a caller there is nothing to compile.
    let is_placed = keep_async || sig.abi.is_some() || attrs.iter().any(attributes::may_place);
    let inline = (!is_placed).then(|| quote!(#[inline]));
    // The compiler sees a captured variable as only assigned to, if nothing but its drop reads it
    // again.
    let allow_assignments = has_mut(&sig).then(|| quote!(#[allow(unused_assignments)]));
    let allow_braces = (!variables.is_empty()).then(|| quote!(#[allow(unused_braces)]));
    let whole = in_braces(braces, quote_spanned!(Span::mixed_site()=> #(#inner)* #statics #body));
    // The user's attributes come last: of two levels of a lint, the compiler takes the last one.
    quote_spanned! {Span::mixed_site()=>
        #allow_loop
        #allow_assignments
        #allow_braces
        #allow_futures
        #(#outer)*
        #inline
        #qualifiers #sig #whole
    }
}

/// Returns whether the function may modify an argument, as in `mut self`.
fn has_mut(signature: &Signature) -> bool {
    signature.inputs.iter().any(|argument| match argument {
        FnArg::Receiver(receiver) => receiver.mutability.is_some(),
        FnArg::Typed(argument) => {
            matches!(&*argument.pat, Pat::Ident(PatIdent { mutability: Some(_), .. }))
        }
    })
}
