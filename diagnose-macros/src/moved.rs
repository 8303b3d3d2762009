//! Finds out whether code may move a variable that holds a guard, from its tokens: macros have no
//! other form.

use std::collections::HashMap;

use proc_macro2::{Delimiter, Group, Ident, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Pat;

use crate::escape::{Acquired, GuardUse, is_one_of};
use crate::macros::is_known;

/// Functions that end their argument: `drop(…)`, `mem::forget(…)`.
const ENDING: [&str; 2] = ["drop", "forget"];

/// Functions that take a value out of a place that is borrowed.
const SWAPPING: [&str; 2] = ["replace", "swap"];

/// What this code does with the variables of the pattern.
pub(crate) fn use_of(guard: Acquired, pattern: &Pat, code: &[impl ToTokens]) -> GuardUse {
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
    let code: TokenStream = code.iter().map(ToTokens::to_token_stream).collect();
    let use_of = |name: Ident| {
        let mut is_called = false;
        let mut is_moved = |mention: Mention<'_>| match mention {
            Mention::Name(word) => *word == name,
            Mention::Text(text) => text.contains(&name.to_string()),
            Mention::Called(word) => {
                is_called |= *word == name;
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

/// What a body does with all variables that it may move anywhere, or calls unknown methods on. One
/// pass, for the values of awaits that look like no guard: a body may have hundreds.
#[derive(Debug, Default)]
pub(crate) struct MovedNames(HashMap<String, GuardUse>);

impl MovedNames {
    pub(crate) fn of(body: &impl ToTokens) -> Self {
        let mut names = HashMap::new();
        let mut add = |mention: Mention<'_>| {
            match mention {
                Mention::Name(word) => names.extend([(word.to_string(), GuardUse::Moves)]),
                Mention::Text(text) => {
                    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
                    names.extend(words.map(|word| (word.to_owned(), GuardUse::Moves)));
                }
                Mention::Called(word) => {
                    names.entry(word.to_string()).or_insert(GuardUse::Calls);
                }
            }
            false
        };
        moves(Acquired::MaybeLock, body.to_token_stream(), Caller::None, false, &mut add);
        Self(names)
    }

    /// What the body does with the value of a pattern. Nothing is looked up but a variable.
    pub(crate) fn use_of(&self, pattern: &Pat) -> GuardUse {
        match pattern {
            Pat::Ident(variable) if variable.subpat.is_none() => {
                self.0.get(&variable.ident.to_string()).copied().unwrap_or(GuardUse::Stays)
            }
            _ => GuardUse::Moves,
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
                let use_here =
                    if takes || is_swapped { GuardUse::Moves } else { use_at(guard, &tokens, index) };
                let is_found = match use_here {
                    GuardUse::Moves => found(Mention::Name(word)),
                    GuardUse::Calls => found(Mention::Called(word)),
                    GuardUse::Stays | GuardUse::Unknown => false,
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

/// What happens to the word at this place. It stays if it is borrowed, dereferenced, has a field or
/// method used, is assigned to, or is another thing of that name.
fn use_at(guard: Acquired, tokens: &[TokenTree], index: usize) -> GuardUse {
    let sign = |index: usize| sign(tokens, index);
    let before = index.checked_sub(1).and_then(sign).map(|(sign, _)| sign);
    let is_mutable =
        matches!(tokens.get(index.wrapping_sub(1)), Some(TokenTree::Ident(word)) if word == "mut");
    // Through `&mut`, a permit can be split, and what is in an `Option` or a list be taken out.
    let is_borrowed = is_mutable
        && guard == Acquired::Lock
        && index.checked_sub(2).and_then(sign).is_some_and(|(sign, _)| sign == '&');
    let in_place = |is_in_place: bool| if is_in_place { GuardUse::Stays } else { GuardUse::Moves };
    // `value.name` is a field, `&name` and `*name` are places.
    if is_borrowed || matches!(before, Some('&' | '*' | '.')) {
        return GuardUse::Stays;
    }
    match (sign(index + 1), tokens.get(index + 2)) {
        (Some(('.', Spacing::Alone)), Some(TokenTree::Ident(word))) => {
            let is_called = match tokens.get(index + 3) {
                Some(TokenTree::Group(_)) => true,
                // `name.method::<T>()` or `name.await`.
                Some(TokenTree::Punct(punct)) => punct.as_char() == ':',
                _ => false,
            };
            match guard.call_of(word) {
                _ if !is_called => in_place(word != "await"),
                GuardUse::Calls if guard == Acquired::Lock && is_used_again(tokens, index) => GuardUse::Stays,
                it => it,
            }
        }
        // `name.0`, `name = value`, `name: value`.
        (Some(('.', Spacing::Alone)), Some(TokenTree::Literal(_)))
        | (Some(('=' | ':', Spacing::Alone)), _) => GuardUse::Stays,
        _ => {
            // `name[0]`, or a function of that name: a guard cannot be called.
            let is_used =
                |group: &Group| matches!(group.delimiter(), Delimiter::Bracket | Delimiter::Parenthesis);
            in_place(matches!(tokens.get(index + 1), Some(TokenTree::Group(group)) if is_used(group)))
        }
    }
}

/// Whether the method that is called on the word at this place borrows it, as a later statement
/// shows that uses it: one that had moved it would not compile.
fn is_used_again(tokens: &[TokenTree], index: usize) -> bool {
    let [TokenTree::Ident(name), TokenTree::Punct(dot), TokenTree::Ident(_), rest @ ..] = &tokens[index..]
    else {
        return false;
    };
    let is = |token: &TokenTree, sign| matches!(token, TokenTree::Punct(it) if it.as_char() == sign);
    let mut later = rest.iter().skip_while(|token| !is(token, ';'));
    dot.as_char() == '.' && dot.spacing() == Spacing::Alone && later.next().is_some() && {
        let later: Vec<TokenTree> = later.cloned().collect();
        first_mention_uses(&later, name) == Some(true)
    }
}

/// Whether the first mention of a variable uses it: in `name.…`, `*name` or `drop(name)`. Another
/// may be a variable of the same name, or a new value.
fn first_mention_uses(tokens: &[TokenTree], name: &Ident) -> Option<bool> {
    tokens.iter().enumerate().find_map(|(index, token)| match token {
        TokenTree::Group(group) => {
            let inside: Vec<TokenTree> = group.stream().into_iter().collect();
            let is_used = first_mention_uses(&inside, name)?;
            let caller = caller_before(&tokens[..index]);
            Some(caller == Caller::Ends && is_list(&inside) || caller != Caller::UnknownMacro && is_used)
        }
        TokenTree::Ident(word) if word == name => {
            let before = index.checked_sub(1).and_then(|before| sign(tokens, before));
            let is_used = matches!(sign(tokens, index + 1), Some(('.', Spacing::Alone)));
            let is_field = matches!(before, Some(('.', _)));
            (!is_field).then_some(is_used || matches!(before, Some(('*', _))))
        }
        _ => None,
    })
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
