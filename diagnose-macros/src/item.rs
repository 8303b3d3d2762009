//! What the attribute stands on, and the way of it through this crate.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Item, ItemFn, Result, TraitItemFn};

use crate::args::Args;
use crate::function::Function;
use crate::{blocks, check, members};

/// The whole macro. An item that cannot be timed is emitted all the same, with the error behind it, so that there is
/// one error and everything else that names the item still compiles.
pub(crate) fn diagnose(args: TokenStream, item: TokenStream) -> TokenStream {
    let (mut tokens, item) = without_docs(item);
    tokens.extend(rewrite(args, item.clone()).unwrap_or_else(|error| {
        let mut tokens = untimed(item);
        tokens.extend(error.into_compile_error());
        tokens
    }));
    tokens
}

/// The documentation that an item begins with, and the rest. To parse a long text takes as long as to parse a function.
fn without_docs(item: TokenStream) -> (TokenStream, TokenStream) {
    let tokens: Vec<TokenTree> = item.into_iter().collect();
    let n_docs = tokens.chunks_exact(2).take_while(|pair| is_doc(pair)).count();
    let (docs, rest) = tokens.split_at(2 * n_docs);
    (docs.iter().cloned().collect(), rest.iter().cloned().collect())
}

/// `#[doc …]`, which is what a line of documentation is.
fn is_doc(tokens: &[TokenTree]) -> bool {
    let [TokenTree::Punct(pound), TokenTree::Group(attribute)] = tokens else { return false };
    let first = attribute.stream().into_iter().next();
    pound.as_char() == '#' && matches!(first, Some(TokenTree::Ident(name)) if name == "doc")
}

fn rewrite(args: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let args: Args = syn::parse2(args)?;
    if args.skip.is_some() {
        return Ok(untimed(item));
    }
    // A method, seen by itself, is a function with `self`.
    if let Ok(function) = syn::parse2::<ItemFn>(item.clone()) {
        return Ok(members::timed(&args, Function::from(function)).unwrap_or_else(|(error, mut tokens)| {
            tokens.extend(error.into_compile_error());
            tokens
        }));
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
