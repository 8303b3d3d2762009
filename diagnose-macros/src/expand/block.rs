//! An async block.

use proc_macro2::Span;
use quote::quote_spanned;
use syn::spanned::Spanned as _;
use syn::{Expr, ExprAsync, LitStr, Result};

use super::parts::{future_kind, krate, label, site};
use crate::args::Args;

/// A timed async block.
pub(crate) fn block(args: &Args, block: &ExprAsync) -> Result<Expr> {
    let krate = krate(args);
    let place = block.async_token.span();
    let name = args.name.clone().unwrap_or_else(|| LitStr::new("{block}", place));
    let site = site(&krate, future_kind(args, "Block"), &name, place);
    let label = label(args, &krate);
    syn::parse2(quote_spanned! {Span::mixed_site()=>
        {
            let __diagnose_site = #site;
            #krate::__private::Timed::new(__diagnose_site, #label, #block)
        }
    })
}
