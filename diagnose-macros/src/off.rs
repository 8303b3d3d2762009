//! The attribute when recording is compiled out.
//!
//! The item is returned unchanged, except for attributes on async blocks in it, which the compiler
//! rejects. This module works on raw tokens, without syn.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Removes `#[diagnose…]` before `async`, at any depth.
pub(crate) fn strip(tokens: TokenStream) -> TokenStream {
    if !has_attribute(&tokens) {
        return tokens;
    }
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut output = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        if is_attribute_at(&tokens, at) {
            at += 2;
            continue;
        }
        output.push(match &tokens[at] {
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), strip(group.stream()));
                inside.set_span(group.span());
                TokenTree::Group(inside)
            }
            other => other.clone(),
        });
        at += 1;
    }
    output.into_iter().collect()
}

fn has_attribute(tokens: &TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    (0..tokens.len()).any(|at| {
        is_attribute_at(&tokens, at)
            || matches!(&tokens[at], TokenTree::Group(group) if has_attribute(&group.stream()))
    })
}

/// Returns whether `#`, `[path::to::diagnose …]`, `async` and no `fn` follow.
fn is_attribute_at(tokens: &[TokenTree], at: usize) -> bool {
    let [TokenTree::Punct(pound), TokenTree::Group(attribute), TokenTree::Ident(keyword), after, ..] =
        &tokens[at..]
    else {
        return false;
    };
    let is_function = matches!(after, TokenTree::Ident(word) if ["fn", "unsafe", "extern"].contains(&word.to_string().as_str()));
    pound.as_char() == '#'
        && attribute.delimiter() == Delimiter::Bracket
        && keyword.to_string() == "async"
        && !is_function
        && is_diagnose(attribute)
}

/// Returns whether the attribute's path ends in `diagnose`.
fn is_diagnose(attribute: &Group) -> bool {
    let path = attribute.stream().into_iter().take_while(|token| !matches!(token, TokenTree::Group(_)));
    let last = path.filter_map(|token| match token {
        TokenTree::Ident(word) => Some(word.to_string()),
        _ => None,
    });
    last.last().is_some_and(|word| word == "diagnose")
}
