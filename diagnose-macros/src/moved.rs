//! Finds out whether code may move a variable that holds a guard, from its tokens: macros have no
//! other form.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Pat;
use syn::ext::IdentExt as _;

use crate::acquired::{Acquired, is_one_of};
use crate::escape::GuardUse;
use crate::place::{Caller, caller_before, is_list, use_at};

/// What this code does with the variables of the pattern.
pub(crate) fn use_of(guard: Acquired, pattern: &Pat, code: &[impl ToTokens]) -> GuardUse {
    let mut variables = Vec::new();
    let pattern = without_type(pattern);
    if borrows_mutably(pattern.to_token_stream()) {
        return GuardUse::Moves;
    }
    let guard = match pattern {
        Pat::Ident(variable) if variable.subpat.is_none() => {
            variables.push(variable.ident.clone());
            guard
        }
        _ => {
            names(pattern.to_token_stream(), &mut variables);
            if guard.may_be_inside() { guard } else { guard.unwrapped() }
        }
    };
    let code: TokenStream = code.iter().map(ToTokens::to_token_stream).collect();
    let use_of = |name: Ident| {
        let name = name.unraw();
        let mut is_called = false;
        let mut is_moved = |mention: Mention<'_>| match mention {
            Mention::Name(word) => word.unraw() == name,
            Mention::Text(text) => text.contains(&name.to_string()),
            Mention::Called(word) => {
                is_called |= word.unraw() == name;
                false
            }
        };
        if moves(guard, code.clone(), Caller::None, false, &mut is_moved) {
            GuardUse::Moves
        } else if is_called {
            GuardUse::Calls
        } else {
            GuardUse::Stays
        }
    };
    variables.into_iter().map(use_of).max().unwrap_or(GuardUse::Stays)
}

/// All variables that a body may move. One pass, for the values of awaits that look like no guard:
/// a body may have hundreds.
#[derive(Debug, Default)]
pub(crate) struct MovedNames(HashSet<String>);

impl MovedNames {
    pub(crate) fn of(body: &impl ToTokens) -> Self {
        let mut names = HashSet::new();
        let mut add = |mention: Mention<'_>| {
            match mention {
                Mention::Name(word) => names.extend([word.unraw().to_string()]),
                Mention::Text(text) => {
                    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
                    names.extend(words.map(str::to_owned));
                }
                Mention::Called(_) => {}
            }
            false
        };
        moves(Acquired::MaybeLock, body.to_token_stream(), Caller::None, false, &mut add);
        Self(names)
    }

    /// What the body does with the value of a pattern. Only variables are looked up.
    pub(crate) fn use_of(&self, pattern: &Pat) -> GuardUse {
        match without_type(pattern) {
            Pat::Ident(variable) if variable.subpat.is_none() => {
                let is_moved = self.0.contains(&variable.ident.unraw().to_string());
                if is_moved { GuardUse::Moves } else { GuardUse::Stays }
            }
            _ => GuardUse::Moves,
        }
    }
}

/// Returns whether a pattern has `ref mut name`. Through that, the guard can be swapped.
fn borrows_mutably(pattern: TokenStream) -> bool {
    let mut is_ref = false;
    pattern.into_iter().any(|token| {
        let was_ref = std::mem::take(&mut is_ref);
        match token {
            TokenTree::Group(group) => borrows_mutably(group.stream()),
            TokenTree::Ident(word) => {
                is_ref = word == "ref";
                was_ref && word == "mut"
            }
            _ => false,
        }
    })
}

/// The pattern of `name: Type`. What the type names is no variable.
fn without_type(pattern: &Pat) -> &Pat {
    match pattern {
        Pat::Type(typed) => without_type(&typed.pat),
        other => other,
    }
}

/// The variables of a pattern, with the modules that it names.
fn names(pattern: TokenStream, found: &mut Vec<Ident>) {
    let tokens: Vec<TokenTree> = pattern.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => names(group.stream(), found),
            TokenTree::Ident(word) if !["mut", "ref", "None"].iter().any(|other| word == other) => {
                // Not a type, a variant or a constant of a module.
                let is_upper = word.to_string().starts_with(char::is_uppercase);
                let is_last = match tokens.get(index + 1) {
                    None => true,
                    Some(TokenTree::Punct(punct)) => matches!(punct.as_char(), ',' | '@'),
                    Some(_) => false,
                };
                found.extend((!is_upper || is_last).then(|| word.clone()));
            }
            _ => {}
        }
    }
}

/// A mention that may move a variable.
#[derive(Debug, Clone, Copy)]
enum Mention<'a> {
    Name(&'a Ident),
    /// A literal, which may be a format string.
    Text(&'a str),
    /// Has a method called on it that is not known here.
    Called(&'a Ident),
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
    let (is_swapped, is_shown) = (caller == Caller::Swaps, caller == Caller::Shows);
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
                let use_here = if takes || is_swapped {
                    GuardUse::Moves
                } else {
                    use_at(guard, &tokens, index, is_shown)
                };
                let is_found = match use_here {
                    GuardUse::Moves => found(Mention::Name(word)),
                    GuardUse::Calls => found(Mention::Called(word)),
                    _ => false,
                };
                if is_found {
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

/// Returns whether the tokens call one of these methods.
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

/// Returns whether a macro may be called in the tokens.
pub(crate) fn has_macro(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => has_macro(group.stream()),
        TokenTree::Punct(mark) => mark.as_char() == '!',
        _ => false,
    })
}
