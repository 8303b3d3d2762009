//! What the attribute stands on, and the way of it through this crate.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{Item, ItemFn, Result, TraitItemFn};

use crate::args::Args;
use crate::function::Function;
use crate::{blocks, check, members};

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
    // A method, seen by itself, is a function with `self`.
    if let Ok(function) = syn::parse2::<ItemFn>(item.clone()) {
        return members::timed(&args, Function::from(function)).map_err(|(error, _)| error);
    }
    if let Ok(method) = syn::parse2::<TraitItemFn>(item.clone()) {
        return Err(check::without_body(&method));
    }
    match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Mod(module)) if module.content.is_none() => Err(check::elsewhere(&module)),
        Ok(container @ (Item::Impl(_) | Item::Trait(_) | Item::Mod(_))) => {
            check::container(&args)?;
            Ok(members::rewrite(&args, container))
        }
        Ok(other) => Err(check::not_a_function(&other)),
        // Half written, as in an editor: the compiler knows best what is missing.
        Err(_) => Ok(item),
    }
}

/// The item as it is, without the attributes on async blocks in it, which the compiler would not accept.
fn untimed(item: TokenStream) -> TokenStream {
    let Ok(mut function) = syn::parse2::<ItemFn>(item.clone()) else { return item };
    blocks::strip(&mut function.block);
    function.into_token_stream()
}
