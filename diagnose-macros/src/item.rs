//! What the attribute stands on, and the way of it through this crate.

use proc_macro2::TokenStream;
use syn::{ItemFn, Result};

use crate::args::Args;
use crate::{blocks, check, expand};

/// The whole macro. An item that cannot be timed is emitted all the same, with the error behind it, so that there is
/// one error and everything else that names the item still compiles.
pub(crate) fn diagnose(args: TokenStream, item: TokenStream) -> TokenStream {
    rewrite(args, item.clone()).unwrap_or_else(|error| {
        let mut tokens = item;
        tokens.extend(error.into_compile_error());
        tokens
    })
}

fn rewrite(args: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let args: Args = syn::parse2(args)?;
    if args.skip.is_some() {
        return Ok(item);
    }
    let Ok(mut function) = syn::parse2::<ItemFn>(item.clone()) else { return unreadable(item) };
    check::function(&args, &function)?;
    blocks::rewrite(&mut function.block, &args)?;
    Ok(expand::function(&args, function))
}

/// Not a function: says what is accepted. A function that is only half written, as in an editor, is emitted as it is:
/// the compiler knows best what is missing.
fn unreadable(item: TokenStream) -> Result<TokenStream> {
    match syn::parse2::<syn::Item>(item.clone()) {
        Ok(other) => Err(check::not_a_function(&other)),
        Err(_) => match syn::parse2::<syn::TraitItemFn>(item.clone()) {
            Ok(method) => Err(check::without_body(&method)),
            Err(_) => Ok(item),
        },
    }
}
