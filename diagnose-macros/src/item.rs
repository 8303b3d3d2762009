//! What the attribute stands on, and the way of it through this crate.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{ItemFn, Result};

use crate::args::Args;
use crate::{blocks, check, expand};

/// The whole macro. An item that cannot be timed is emitted all the same, with the error behind it, so that there is
/// one error and everything else that names the item still compiles.
pub(crate) fn diagnose(args: TokenStream, item: TokenStream) -> TokenStream {
    rewrite(args, item.clone()).unwrap_or_else(|error| {
        let mut tokens = untimed(item);
        tokens.extend(error.into_compile_error());
        tokens
    })
}

fn rewrite(args: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let args: Args = syn::parse2(args)?;
    if args.skip.is_some() {
        return Ok(untimed(item));
    }
    let Ok(mut function) = syn::parse2::<ItemFn>(item.clone()) else { return unreadable(item) };
    check::function(&args, &function)?;
    blocks::rewrite(&mut function.block, &args)?;
    Ok(expand::function(&args, function))
}

/// The item as it is, without the attributes on async blocks in it, which the compiler would not accept.
fn untimed(item: TokenStream) -> TokenStream {
    let Ok(mut function) = syn::parse2::<ItemFn>(item.clone()) else { return item };
    blocks::strip(&mut function.block);
    function.into_token_stream()
}

/// Not a function: says what is accepted. A function that is only half written, as in an editor, is emitted as it is:
/// the compiler knows best what is missing.
fn unreadable(item: TokenStream) -> Result<TokenStream> {
    if let Ok(method) = syn::parse2::<syn::TraitItemFn>(item.clone()) {
        return Err(check::without_body(&method));
    }
    match syn::parse2::<syn::Item>(item.clone()) {
        Ok(other) => Err(check::not_a_function(&other)),
        Err(_) => Ok(item),
    }
}
