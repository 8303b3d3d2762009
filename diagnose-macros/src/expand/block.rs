//! An async block, an async closure.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, ExprAsync, ExprClosure, LitStr, Result, ReturnType};

use super::output::expected;
use super::parts::{future_kind, krate, label, site};
use crate::args::Args;

/// A timed async block.
pub(crate) fn block(args: &Args, mut block: ExprAsync) -> Result<Expr> {
    // In an argument the compiler would not accept attributes, before a statement it does.
    let attrs = std::mem::take(&mut block.attrs);
    let krate = krate(args);
    let site = block_site(args, &krate, block.async_token.span);
    let label = label(args, &krate);
    syn::parse2(quote_spanned! {Span::mixed_site()=>
        #(#attrs)*
        {
            #site
            #krate::__private::Timed::new(&__DIAGNOSE_SITE, #label, #block)
        }
    })
}

/// The body of an async closure: a timed async block. It borrows what the body only borrows, so that the closure can
/// still be called more than once.
pub(crate) fn closure(args: &Args, closure: &mut ExprClosure) -> Result<()> {
    let Some(async_token) = &closure.asyncness else { return Ok(()) };
    let krate = krate(args);
    let site = block_site(args, &krate, async_token.span);
    let expected = match &closure.output {
        ReturnType::Type(..) => expected(&closure.output),
        ReturnType::Default => TokenStream::new(),
    };
    let body = match &*closure.body {
        Expr::Block(block) if block.attrs.is_empty() && block.label.is_none() => {
            let statements = &block.block.stmts;
            quote!(#(#statements)*)
        }
        body => quote!(#body),
    };
    *closure.body = syn::parse2(quote_spanned! {Span::mixed_site()=>
        {
            #site
            #krate::__private::Timed::new(&__DIAGNOSE_SITE, #krate::__private::Label::NONE, async { #expected #body }).await
        }
    })?;
    Ok(())
}

fn block_site(args: &Args, krate: &TokenStream, place: Span) -> TokenStream {
    let name = args.name.clone().unwrap_or_else(|| LitStr::new("{block}", place));
    site(krate, future_kind(args, "Block"), &name, place)
}
