//! Finds out whether code may move a variable that holds a guard, from its tokens: macros have no
//! other form.

use std::collections::HashSet;

use proc_macro2::{Delimiter, Group, Ident, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Pat;

use crate::escape::{Acquired, is_one_of};
use crate::macros::is_known;

/// Functions that end their argument: `drop(…)`, `mem::forget(…)`.
const ENDING: [&str; 2] = ["drop", "forget"];

/// Functions that take a value out of a place that is borrowed.
const SWAPPING: [&str; 2] = ["replace", "swap"];

/// Whether a variable of the pattern may be moved in this code.
pub(crate) fn are_moved(guard: Acquired, pattern: &Pat, code: &[impl ToTokens]) -> bool {
    let mut variables = Vec::new();
    let guard = match pattern {
        Pat::Ident(variable) if variable.subpat.is_none() => {
            variables.push(variable.ident.clone());
            guard
        }
        _ => {
            names(pattern.to_token_stream(), &mut variables);
            guard.unwrapped()
        }
    };
    variables.into_iter().any(|name| {
        let mut is_it = |moved: Mention<'_>| match moved {
            Mention::Name(word) => *word == name,
            Mention::Text(text) => text.contains(&name.to_string()),
        };
        code.iter().any(|part| moves(guard, part.to_token_stream(), Caller::None, false, &mut is_it))
    })
}

/// The names of all variables that a body may move anywhere. One pass, for the values of awaits
/// that look like no guard: a body may have hundreds.
#[derive(Debug, Default)]
pub(crate) struct MovedNames(HashSet<String>);

impl MovedNames {
    pub(crate) fn of(body: &impl ToTokens) -> Self {
        let mut names = HashSet::new();
        let mut add = |moved: Mention<'_>| {
            match moved {
                Mention::Name(word) => names.extend([word.to_string()]),
                Mention::Text(text) => {
                    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
                    names.extend(words.map(str::to_owned));
                }
            }
            false
        };
        moves(Acquired::MaybeLock, body.to_token_stream(), Caller::None, false, &mut add);
        Self(names)
    }

    /// Whether the pattern is more than a variable, or one that may be moved.
    pub(crate) fn may_have(&self, pattern: &Pat) -> bool {
        match pattern {
            Pat::Ident(variable) => variable.subpat.is_some() || self.0.contains(&variable.ident.to_string()),
            _ => true,
        }
    }
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

/// What stands before a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caller {
    /// Nothing, a keyword, a method, or a function that may move its arguments.
    None,
    /// A function that ends its argument.
    Ends,
    /// A function that takes a value out of a place that is borrowed.
    Swaps,
    /// A macro that may do anything.
    UnknownMacro,
}

/// A mention that may move a variable.
#[derive(Debug, Clone, Copy)]
enum Mention<'a> {
    Name(&'a Ident),
    /// A literal, which may be a format string.
    Text(&'a str),
}

/// Calls `found` for what the tokens may move: mention neither as a place that is used there, nor
/// in `drop(name)`. Stops once that returns true, and returns it. Tokens, because macros have no
/// other form. `caller` stands before the group of these tokens; `is_captured` says that they are
/// in a closure or async block, which owns what it drops.
fn moves(
    guard: Acquired,
    tokens: TokenStream,
    caller: Caller,
    is_captured: bool,
    found: &mut dyn FnMut(Mention<'_>) -> bool,
) -> bool {
    if caller == Caller::UnknownMacro {
        return mentions(tokens, found);
    }
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    if !is_captured && caller == Caller::Ends && is_list(&tokens) {
        return false;
    }
    let is_swapped = caller == Caller::Swaps;
    // Whether the rest of the statement has a closure or block, and one that takes all that it
    // mentions.
    let (mut captures, mut takes) = (is_captured, false);
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => {
                let caller = caller_before(&tokens[..index]);
                let stream = group.stream();
                if takes && mentions(stream.clone(), found) || moves(guard, stream, caller, captures, found) {
                    return true;
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => {
                (captures, takes) = (is_captured, false);
            }
            TokenTree::Punct(punct) if punct.as_char() == '|' => captures = true,
            TokenTree::Ident(word) if word == "async" => captures = true,
            TokenTree::Ident(word) if word == "move" => takes = true,
            TokenTree::Ident(word) => {
                let is_moved = takes || is_swapped || !is_in_place(guard, &tokens, index);
                if is_moved && found(Mention::Name(word)) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Calls `found` for all that the tokens mention, also in a string, as in `println!("{name}")`.
fn mentions(tokens: TokenStream, found: &mut dyn FnMut(Mention<'_>) -> bool) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => mentions(group.stream(), found),
        TokenTree::Ident(word) => found(Mention::Name(&word)),
        TokenTree::Literal(literal) => found(Mention::Text(&literal.to_string())),
        TokenTree::Punct(_) => false,
    })
}

/// Whether the word at this place is borrowed, dereferenced, has a field or method used, is
/// assigned to, or is another thing of that name.
fn is_in_place(guard: Acquired, tokens: &[TokenTree], index: usize) -> bool {
    let sign = |index: usize| sign(tokens, index);
    let before = index.checked_sub(1).and_then(sign).map(|(sign, _)| sign);
    let is_mutable =
        matches!(tokens.get(index.wrapping_sub(1)), Some(TokenTree::Ident(word)) if word == "mut");
    let is_borrowed = is_mutable && index.checked_sub(2).and_then(sign).is_some_and(|(sign, _)| sign == '&');
    // `value.name` is a field, `&name` and `*name` are places.
    if is_borrowed || matches!(before, Some('&' | '*' | '.')) {
        return true;
    }
    match (sign(index + 1), tokens.get(index + 2)) {
        (Some(('.', Spacing::Alone)), Some(TokenTree::Ident(word))) => match tokens.get(index + 3) {
            Some(TokenTree::Group(_)) => guard.stays_in(word),
            // `name.method::<T>()` or `name.await`.
            Some(TokenTree::Punct(punct)) if punct.as_char() == ':' => guard.stays_in(word),
            _ => word != "await",
        },
        // `name.0`, `name = value`, `name: value`.
        (Some(('.', Spacing::Alone)), Some(TokenTree::Literal(_)))
        | (Some(('=' | ':', Spacing::Alone)), _) => true,
        _ => {
            // `name[0]`, or a function of that name: a guard cannot be called.
            let is_used =
                |group: &Group| matches!(group.delimiter(), Delimiter::Bracket | Delimiter::Parenthesis);
            matches!(tokens.get(index + 1), Some(TokenTree::Group(group)) if is_used(group))
        }
    }
}

fn sign(tokens: &[TokenTree], index: usize) -> Option<(char, Spacing)> {
    match tokens.get(index)? {
        TokenTree::Punct(punct) => Some((punct.as_char(), punct.spacing())),
        _ => None,
    }
}

/// What the tokens before a group say about it.
fn caller_before(tokens: &[TokenTree]) -> Caller {
    match tokens {
        [.., TokenTree::Ident(name), TokenTree::Punct(mark)] if mark.as_char() == '!' => {
            if is_known(&name.to_string()) { Caller::None } else { Caller::UnknownMacro }
        }
        [.., TokenTree::Ident(name)] if is_one_of(&SWAPPING, name) => Caller::Swaps,
        _ if ends(tokens) => Caller::Ends,
        _ => Caller::None,
    }
}

/// Whether the path of a function is that of std's `drop` or `forget`.
pub(crate) fn ends_argument(path: &TokenStream) -> bool {
    ends(&path.clone().into_iter().collect::<Vec<_>>())
}

/// Whether the tokens end with such a path. Another path may lead to another function of that name.
fn ends(tokens: &[TokenTree]) -> bool {
    let [before @ .., TokenTree::Ident(name)] = tokens else { return false };
    let is_sign = |token: &TokenTree, sign| matches!(token, TokenTree::Punct(it) if it.as_char() == sign);
    let is_in_mem = || match before {
        [.., TokenTree::Ident(module), _, _] => module == "mem",
        _ => false,
    };
    is_one_of(&ENDING, name)
        && before.last().is_none_or(|last| !is_sign(last, '.') && (!is_sign(last, ':') || is_in_mem()))
}

/// Whether the tokens call one of these methods.
pub(crate) fn mentions_call(methods: &[&str], tokens: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_called = tokens.windows(2).any(|pair| match pair {
        [TokenTree::Ident(name), TokenTree::Group(_)] => is_one_of(methods, name),
        _ => false,
    });
    is_called
        || tokens.into_iter().any(|token| match token {
            TokenTree::Group(group) => mentions_call(methods, group.stream()),
            _ => false,
        })
}

/// Whether a macro may be called in the tokens.
pub(crate) fn has_macro(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => has_macro(group.stream()),
        TokenTree::Punct(mark) => mark.as_char() == '!',
        _ => false,
    })
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
