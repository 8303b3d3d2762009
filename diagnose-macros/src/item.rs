//! Dispatches the annotated item to the other modules of this crate.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Item, ItemFn, Result, TraitItemFn};

use crate::args::Args;
use crate::function::Function;
use crate::{blocks, check, members};

/// Runs the whole macro. An item that cannot be timed is still emitted, followed by the error. So
/// there is only one error, and other uses of the item still compile.
pub(crate) fn diagnose(args: TokenStream, item: TokenStream) -> TokenStream {
    let (mut tokens, item) = without_docs(item);
    tokens.extend(rewrite(args, item.clone()).unwrap_or_else(|error| {
        let mut tokens = untimed(item);
        tokens.extend(error.into_compile_error());
        tokens
    }));
    tokens
}

/// Splits an item into the documentation at its start and the rest. Parsing a long text takes as
/// long as parsing a function.
fn without_docs(item: TokenStream) -> (TokenStream, TokenStream) {
    let tokens: Vec<TokenTree> = item.into_iter().collect();
    let n_docs = tokens.chunks_exact(2).take_while(|pair| is_doc(pair)).count();
    let (docs, rest) = tokens.split_at(2 * n_docs);
    (docs.iter().cloned().collect(), rest.iter().cloned().collect())
}

/// Returns whether the tokens are `#[doc …]`, which is a line of documentation.
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
    // A method alone parses as a function with `self`.
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
        // Incomplete, as in an editor: the compiler has the best message for it.
        Err(_) => Ok(item),
    }
}

/// Returns the item without the attributes on async blocks in it, which the compiler rejects.
fn untimed(item: TokenStream) -> TokenStream {
    if let Ok(mut function) = syn::parse2::<ItemFn>(item.clone()) {
        blocks::strip(&mut function.block);
        return function.into_token_stream();
    }
    match syn::parse2::<Item>(item.clone()) {
        Ok(mut container @ (Item::Impl(_) | Item::Trait(_) | Item::Mod(_))) => {
            members::strip(&mut container);
            container.into_token_stream()
        }
        _ => item,
    }
}
