//! Finds out whether code may move a variable that holds a guard, from its tokens: macros have no
//! other form.

use proc_macro2::{Delimiter, Group, Ident, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Pat;

use crate::escape::Acquired;

/// Functions that end their argument.
pub(crate) const ENDING: [&str; 2] = ["drop", "forget"];

/// Functions that take a value out of a place that is borrowed.
const SWAPPING: [&str; 2] = ["replace", "swap"];

/// Whether a variable of the pattern may be moved in this code.
pub(crate) fn are_moved(guard: Acquired, pattern: &Pat, code: &[impl ToTokens]) -> bool {
    let mut variables = Vec::new();
    names(pattern.to_token_stream(), &mut variables);
    variables.into_iter().any(|name| {
        let variable = Variable { name, guard };
        code.iter().any(|part| variable.is_moved(part.to_token_stream(), None, false))
    })
}

/// The variables of a pattern, with the modules that it names.
fn names(pattern: TokenStream, found: &mut Vec<Ident>) {
    for token in pattern {
        match token {
            TokenTree::Group(group) => names(group.stream(), found),
            TokenTree::Ident(word) if !["mut", "ref"].iter().any(|keyword| word == keyword) => {
                // Not a type, a variant or a constant.
                let is_variable = !word.to_string().starts_with(char::is_uppercase);
                found.extend(is_variable.then_some(word));
            }
            _ => {}
        }
    }
}

/// A variable that holds a guard.
struct Variable {
    name: Ident,
    guard: Acquired,
}

impl Variable {
    /// Whether the tokens may move it: mention it neither as a place that is used there, nor in
    /// `drop(name)`. Tokens, because macros have no other form. `caller` is the function before the
    /// group that they stand in; `is_captured` says that they are in a closure or async block,
    /// which owns what it drops.
    fn is_moved(&self, tokens: TokenStream, caller: Option<&str>, is_captured: bool) -> bool {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        if !is_captured && caller.is_some_and(|caller| ENDING.contains(&caller)) && is_list(&tokens) {
            return false;
        }
        let is_swapped = caller.is_some_and(|caller| SWAPPING.contains(&caller));
        // Whether the rest of the statement has a closure or block, and one that takes all that it
        // mentions.
        let (mut captures, mut takes) = (is_captured, false);
        for (index, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => {
                    let caller = function_before(&tokens, index);
                    let is_there = || is_mentioned(&self.name, &group.stream());
                    if takes && is_there() || self.is_moved(group.stream(), caller.as_deref(), captures) {
                        return true;
                    }
                }
                TokenTree::Punct(punct) if punct.as_char() == ';' => {
                    (captures, takes) = (is_captured, false);
                }
                TokenTree::Punct(punct) if punct.as_char() == '|' => captures = true,
                TokenTree::Ident(word) if word == "async" => captures = true,
                TokenTree::Ident(word) if word == "move" => takes = true,
                TokenTree::Ident(word) if *word != self.name => {}
                TokenTree::Ident(_) if takes || is_swapped || !self.is_in_place(&tokens, index) => {
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    /// Whether the word at this place is borrowed, dereferenced, has a field or method used, is
    /// assigned to, or is another thing of that name.
    fn is_in_place(&self, tokens: &[TokenTree], index: usize) -> bool {
        let sign = |index: usize| sign(tokens, index);
        let before = index.checked_sub(1).and_then(sign).map(|(sign, _)| sign);
        let is_mutable =
            matches!(tokens.get(index.wrapping_sub(1)), Some(TokenTree::Ident(word)) if word == "mut");
        let is_borrowed =
            is_mutable && index.checked_sub(2).and_then(sign).is_some_and(|(sign, _)| sign == '&');
        // `value.name` is a field, `&name` and `*name` are places.
        if is_borrowed || matches!(before, Some('&' | '*' | '.')) {
            return true;
        }
        match (sign(index + 1), tokens.get(index + 2)) {
            (Some(('.', Spacing::Alone)), Some(TokenTree::Ident(word))) => match tokens.get(index + 3) {
                Some(TokenTree::Group(_)) => self.guard.stays_in(word),
                // `name.method::<T>()` or `name.await`.
                Some(TokenTree::Punct(punct)) if punct.as_char() == ':' => self.guard.stays_in(word),
                _ => word != "await",
            },
            // `name.0`, `name = value`, `name: value`.
            (Some(('.', Spacing::Alone)), Some(TokenTree::Literal(_)))
            | (Some(('=' | ':', Spacing::Alone)), _) => true,
            _ => {
                let is_index = |group: &Group| group.delimiter() == Delimiter::Bracket;
                matches!(tokens.get(index + 1), Some(TokenTree::Group(group)) if is_index(group))
            }
        }
    }
}

fn sign(tokens: &[TokenTree], index: usize) -> Option<(char, Spacing)> {
    match tokens.get(index)? {
        TokenTree::Punct(punct) => Some((punct.as_char(), punct.spacing())),
        _ => None,
    }
}

/// The name of the function whose arguments are the group at this place. Not that of a method.
fn function_before(tokens: &[TokenTree], index: usize) -> Option<String> {
    let name = match tokens.get(index.checked_sub(1)?)? {
        TokenTree::Ident(name) => name.to_string(),
        _ => return None,
    };
    let is_method =
        index.checked_sub(2).and_then(|before| sign(tokens, before)).is_some_and(|(it, _)| it == '.');
    (!is_method).then_some(name)
}

/// Whether the tokens are names, in parentheses or not.
fn is_list(tokens: &[TokenTree]) -> bool {
    tokens.iter().all(|token| match token {
        TokenTree::Group(group) => is_list(&group.stream().into_iter().collect::<Vec<_>>()),
        TokenTree::Punct(punct) => punct.as_char() == ',',
        TokenTree::Ident(_) => true,
        TokenTree::Literal(_) => false,
    })
}

/// Whether the tokens have the name, also in a string, as in `println!("{name}")`.
fn is_mentioned(name: &Ident, tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => is_mentioned(name, &group.stream()),
        TokenTree::Ident(word) => word == *name,
        TokenTree::Literal(literal) => literal.to_string().contains(&name.to_string()),
        TokenTree::Punct(_) => false,
    })
}
