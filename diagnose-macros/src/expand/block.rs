//! Emits timed async blocks and async closures.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::token::Brace;
use syn::{Attribute, Block, Expr, ExprAsync, ExprBlock, ExprClosure, LitStr, ReturnType, Stmt};

use super::arguments::allow_underscored;
use super::output::{expected, never};
use super::parts::{body, future_kind, in_braces, krate, label, path};
use crate::args::Args;
use crate::captures::Variables;

pub(crate) fn block(args: &Args, mut block: ExprAsync, points: &[TokenStream]) -> Expr {
    // The compiler rejects attributes in an argument, but accepts them before a statement.
    let attrs = std::mem::take(&mut block.attrs);
    let (krate, place) = (krate(args), block.async_token.span);
    let statics = statics(args, place, points);
    let label = label(args, &krate);
    let here = Span::mixed_site().located_at(place);
    let timed = path(args, here, "Timed");
    braced(
        attrs,
        place,
        quote_spanned! {here=>
            #statics
            #timed::new(#krate::__private::Span::new(&__DIAGNOSE_BODY.site, #label), #block)
        },
    )
}

/// Returns an async block that is no span of its own, in a body that polls it through other code.
pub(crate) fn inline(args: &Args, block: &Expr) -> Expr {
    let inline = path(args, Span::mixed_site(), "Inline");
    Expr::Verbatim(quote_spanned!(Span::mixed_site()=> #inline::new(#block)))
}

/// Makes the body of an async closure a timed async block. It owns the arguments of the call, like
/// the bare body: borrowed, an argument that is not `Sync` would make it not `Send`. It borrows
/// every other variable that the body only borrows, so that the closure can still be called more
/// than once.
pub(crate) fn closure(args: &Args, closure: &mut ExprClosure, points: &[TokenStream]) {
    let Variables { names, has_mut, .. } = Variables::of(closure);
    let Some(async_token) = &closure.asyncness else { return };
    let krate = krate(args);
    let owned = owned(&names);
    let statics = statics(args, async_token.span, points);
    let expected = match &closure.output {
        ReturnType::Type(_, output) if never(output).is_none() => expected(&krate, &closure.output),
        _ => TokenStream::new(),
    };
    let inside = match &*closure.body {
        // Its own braces, whose edition says when the temporaries of its last expression are
        // dropped.
        Expr::Block(block) if block.attrs.is_empty() && block.label.is_none() => {
            let statements = &block.block.stmts;
            in_braces(block.block.brace_token, quote!(#owned #expected #(#statements)*))
        }
        body => {
            // Printed in parentheses if it would end earlier as a statement, as an `if`.
            let body = Stmt::Expr(body.clone(), None);
            quote_spanned!(Span::mixed_site()=> { #owned #expected #body })
        }
    };
    let timed = quote_spanned!(Span::mixed_site()=> #krate::__private::Timed::new(#krate::__private::Span::new(&__DIAGNOSE_BODY.site, #krate::__private::Label::NONE), async #inside).await);
    // As in an `async fn` with a `mut` argument.
    let output = if has_mut {
        quote_spanned! {Span::mixed_site()=>
            #[allow(unreachable_code, unused_assignments)]
            let __diagnose_output = #timed;
            __diagnose_output
        }
    } else {
        timed
    };
    *closure.body = braced(Vec::new(), async_token.span, quote!(#statics #output));
}

/// Returns a branch that is never taken and moves these variables, so that the block around it
/// captures them by value, in this order. It does not end, so the code after it still has them.
fn owned(names: &[(Ident, bool)]) -> Option<TokenStream> {
    let moves = names.iter().map(|(name, is_mentioned)| {
        let allow = allow_underscored(name);
        if *is_mentioned {
            quote_spanned!(Span::mixed_site()=> #allow let _owned = #name;)
        } else {
            // The compiler must still be able to warn.
            quote_spanned!(Span::mixed_site()=> #allow let #name = #name;)
        }
    });
    (!names.is_empty()).then(|| quote_spanned!(Span::mixed_site()=> if false { #(#moves)* loop {} }))
}

fn statics(args: &Args, place: Span, points: &[TokenStream]) -> TokenStream {
    let name = args.name.clone().unwrap_or_else(|| LitStr::new("{block}", place));
    body(args, future_kind(args, "Block"), &name, place, points)
}

/// Returns a block expression. It is printed in parentheses where a statement begins with it.
///
/// Its braces are at `place`, which the user wrote: with those of a macro, the compiler would show
/// the attribute as the place of whatever the block is the beginning or the end of, as in
/// `async { … }.boxed()`.
fn braced(attrs: Vec<Attribute>, place: Span, inside: TokenStream) -> Expr {
    let brace_token = Brace(place);
    let block = Block { brace_token, stmts: vec![Stmt::Expr(Expr::Verbatim(inside), None)] };
    Expr::Block(ExprBlock { attrs, label: None, block })
}
