//! What happens to a variable that holds a guard at one place, from the tokens around its name.

use proc_macro2::{Delimiter, Group, Ident, Spacing, TokenStream, TokenTree};

use crate::acquired::{Acquired, is_one_of};
use crate::escape::GuardUse;
use crate::macros::{is_known, only_shows};
use crate::used_again::is_used_again;

/// Functions that end their argument: `drop(…)`, `mem::forget(…)`.
const ENDING: [&str; 2] = ["drop", "forget"];

/// Functions that take a value out of a place that is borrowed.
const SWAPPING: [&str; 3] = ["replace", "swap", "take"];

/// What stands before a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// Nothing, a keyword, a method, or a function that may move its arguments.
    None,
    /// A function that ends its argument.
    Ends,
    /// A function that takes a value out of a place that is borrowed.
    Swaps,
    /// A macro that borrows its arguments, as to print them.
    Shows,
    /// A macro that may do anything.
    UnknownMacro,
}

/// What happens to the word at this place. It stays if it is borrowed, dereferenced, has a field or
/// method used, is assigned to, or is another thing of that name. `is_shown` says that a macro
/// borrows its value.
pub(crate) fn use_at(guard: Acquired, tokens: &[TokenTree], index: usize, is_shown: bool) -> GuardUse {
    if let Some((number, inside)) = guard.element() {
        match element_at(&tokens[index + 1..]) {
            // That a later statement uses another element does not show what happens to this one.
            Some(it) if it == number => {
                let is_end =
                    |token: &&TokenTree| matches!(token, TokenTree::Punct(it) if it.as_char() == ';');
                let mut place = tokens[..=index].to_vec();
                place.extend(tokens[index + 3..].iter().take_while(|token| !is_end(token)).cloned());
                return use_at(inside, &place, index, is_shown);
            }
            Some(_) => return GuardUse::Stays,
            None => {}
        }
    }
    let sign = |index: usize| sign(tokens, index);
    let before = index.checked_sub(1).and_then(sign).map(|(sign, _)| sign);
    let is_mutable =
        matches!(tokens.get(index.wrapping_sub(1)), Some(TokenTree::Ident(word)) if word == "mut");
    let before_borrow = || index.checked_sub(2).and_then(sign).map(|(sign, _)| sign);
    if before == Some('=') && is_lent(&tokens[index..]) {
        return GuardUse::Moves;
    }
    if is_mutable && before_borrow() == Some('&') {
        // Whatever has the name of a borrow, as of `let name = &mut guard;`, may swap the guard,
        // and so may a function, or take out what is in an `Option` or a list.
        let is_named = matches!(index.checked_sub(3).and_then(sign), Some(('=', _)))
            && sign(index + 1).is_none_or(|(sign, _)| sign == ';');
        return if is_named { GuardUse::Moves } else { GuardUse::Calls };
    }
    let in_place = |is_in_place: bool| if is_in_place { GuardUse::Stays } else { GuardUse::Moves };
    // `value.name` is a field, `&name` is a place. The rest of a struct moves out of `..name`.
    let is_rest = || matches!(index.checked_sub(2).and_then(sign), Some(('.', Spacing::Joint)));
    if before == Some('.') && !is_rest() {
        return GuardUse::Stays;
    }
    let is_member = matches!(sign(index + 1), Some(('.', Spacing::Alone)));
    // An operator of the program's own may take the guard: `value * name`, `value & name`.
    let is_operand = || index.checked_sub(2).is_some_and(|before| ends_operand(&tokens[before]));
    if (before == Some('&') || before == Some('*') && !is_member) && !is_operand() {
        return GuardUse::Stays;
    }
    match (sign(index + 1), tokens.get(index + 2)) {
        (Some(('.', Spacing::Alone)), Some(TokenTree::Ident(_) | TokenTree::Literal(_))) => {
            let field = if is_shown { GuardUse::Stays } else { use_of_field(&tokens[..index]) };
            match use_of_member(guard, &tokens[index + 1..], field) {
                GuardUse::Stays if is_lent(&tokens[index..]) => GuardUse::Calls,
                GuardUse::Calls if guard == Acquired::Lock && is_used_again(tokens, index) => GuardUse::Stays,
                it => it,
            }
        }
        // `name = value`, `name: value`.
        (Some(('=' | ':', Spacing::Alone)), _) => GuardUse::Stays,
        _ => in_place(match tokens.get(index + 1) {
            // `name[0]`.
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => {
                return use_of_place(guard, &tokens[index + 2..]);
            }
            // A function of that name: a guard cannot be called, but a closure that has one can. If
            // its future is awaited here, the guard stays.
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
                let is_awaited =
                    || matches!(tokens.get(index + 3), Some(TokenTree::Ident(word)) if word == "await");
                !guard.may_be_inside() || is_awaited()
            }
            _ => false,
        }),
    }
}

/// The number of the element after the name of a tuple: `.0`. In `.0.1`, which is one number in
/// tokens, the second is a field of the element: a place in what a guard protects.
fn element_at(tokens: &[TokenTree]) -> Option<usize> {
    let [TokenTree::Punct(dot), TokenTree::Literal(element), ..] = tokens else { return None };
    let is_field = dot.as_char() == '.' && dot.spacing() == Spacing::Alone;
    is_field.then(|| element.to_string().parse().unwrap_or(usize::MAX))
}

/// Returns whether the first of the tokens is borrowed by `BorrowMut`, which every type has:
/// whatever gets the borrow may swap the guard, as with `&mut`.
fn is_lent(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [_, TokenTree::Punct(_), TokenTree::Ident(method), ..] if method == "borrow_mut")
}

/// What the field or method whose dot comes first does with the value. A field of a guard is one of
/// what the lock protects. A field of another value may be the guard: then only a use of that field
/// in place leaves it there, or what is done with its value, `field`.
fn use_of_member(guard: Acquired, tokens: &[TokenTree], field: GuardUse) -> GuardUse {
    let is_list = |group: &Group| group.delimiter() == Delimiter::Parenthesis;
    match tokens {
        // `name.method()`.
        [_, TokenTree::Ident(word), TokenTree::Group(group), ..] if is_list(group) => guard.call_of(word),
        // `name.method::<T>()`.
        [_, TokenTree::Ident(word), TokenTree::Punct(punct), ..] if punct.as_char() == ':' => {
            guard.call_of(word)
        }
        [_, TokenTree::Ident(word), ..] if word == "await" => GuardUse::Moves,
        _ if !guard.may_be_inside() => GuardUse::Stays,
        // `name.field.other`.
        [_, _, TokenTree::Punct(dot), ..] if dot.as_char() == '.' && dot.spacing() == Spacing::Alone => {
            use_of_member(guard, &tokens[2..], field)
        }
        // `name.field[0]`.
        [_, _, TokenTree::Group(group), rest @ ..] if group.delimiter() == Delimiter::Bracket => {
            use_of_place(guard, rest)
        }
        // `name.field + 1`, `name.field as u64`.
        [_, _, next, ..] if reads(next) => GuardUse::Stays,
        _ => field,
    }
}

/// What is done with `name[0]` before these tokens. Only a method can move anything out of it.
fn use_of_place(guard: Acquired, tokens: &[TokenTree]) -> GuardUse {
    match tokens {
        [TokenTree::Punct(dot), ..] if dot.as_char() == '.' && dot.spacing() == Spacing::Alone => {
            use_of_member(guard, tokens, GuardUse::Moves)
        }
        [TokenTree::Group(group), rest @ ..] if group.delimiter() == Delimiter::Bracket => {
            use_of_place(guard, rest)
        }
        _ => GuardUse::Stays,
    }
}

/// What is done with a field whose value follows these tokens. The operand of an operator or a
/// condition is no guard as a rule, and neither is that of `let number = name.field;`.
fn use_of_field(before: &[TokenTree]) -> GuardUse {
    let is_operator = |sign: char| "+-*/%^<>!".contains(sign);
    let (last, first) = match before {
        [.., TokenTree::Ident(word)] if word == "if" || word == "while" => return GuardUse::Stays,
        [.., TokenTree::Punct(first), TokenTree::Punct(last)] if first.spacing() == Spacing::Joint => {
            (last.as_char(), first.as_char())
        }
        [.., TokenTree::Punct(last)] => (last.as_char(), ' '),
        _ => return GuardUse::Moves,
    };
    match (first, last) {
        // An arrow.
        ('=' | '-', '>') => GuardUse::Moves,
        (' ' | '&' | '|', '=') => GuardUse::Calls,
        ('=', '=') => GuardUse::Stays,
        (sign, '=') | (_, sign) if is_operator(sign) => GuardUse::Stays,
        _ => GuardUse::Moves,
    }
}

/// Returns whether the token may be the end of an operand: no keyword, no block.
fn ends_operand(token: &TokenTree) -> bool {
    match token {
        TokenTree::Ident(word) => {
            word == "self" || word == "await" || syn::parse2::<Ident>(token.clone().into()).is_ok()
        }
        TokenTree::Group(group) => group.delimiter() != Delimiter::Brace,
        TokenTree::Literal(_) => true,
        TokenTree::Punct(_) => false,
    }
}

/// Returns whether the token after an operand reads or assigns to it: an operator, or `as`.
fn reads(next: &TokenTree) -> bool {
    match next {
        TokenTree::Punct(punct) => "+-*/%^&|=<>!".contains(punct.as_char()),
        TokenTree::Ident(word) => word == "as",
        TokenTree::Group(_) | TokenTree::Literal(_) => false,
    }
}

pub(crate) fn sign(tokens: &[TokenTree], index: usize) -> Option<(char, Spacing)> {
    match tokens.get(index)? {
        TokenTree::Punct(punct) => Some((punct.as_char(), punct.spacing())),
        _ => None,
    }
}

/// What the tokens before a group say about it.
pub(crate) fn caller_before(tokens: &[TokenTree]) -> Caller {
    match tokens {
        // The macro may be used anywhere after this, or nowhere.
        [.., TokenTree::Ident(rules), TokenTree::Punct(_), TokenTree::Ident(_)] if rules == "macro_rules" => {
            Caller::UnknownMacro
        }
        [.., TokenTree::Ident(name), TokenTree::Punct(mark)] if mark.as_char() == '!' => {
            match name.to_string() {
                name if only_shows(&name) => Caller::Shows,
                name if is_known(&name) => Caller::None,
                _ => Caller::UnknownMacro,
            }
        }
        [.., TokenTree::Ident(name)] if is_one_of(&SWAPPING, name) => Caller::Swaps,
        _ if ends(tokens) => Caller::Ends,
        _ => Caller::None,
    }
}

/// Returns whether the path of a function is that of std's `drop` or `forget`.
pub(crate) fn ends_argument(path: &TokenStream) -> bool {
    ends(&path.clone().into_iter().collect::<Vec<_>>())
}

/// Returns whether the tokens end with such a path: `drop`, or one of the module `mem`. Another may
/// lead to another function of that name.
fn ends(tokens: &[TokenTree]) -> bool {
    let [before @ .., TokenTree::Ident(name)] = tokens else { return false };
    let is_sign = |token: &TokenTree, sign| matches!(token, TokenTree::Punct(it) if it.as_char() == sign);
    let is_in_mem = || match before {
        [.., TokenTree::Ident(module), _, _] => module == "mem",
        _ => false,
    };
    is_one_of(&ENDING, name)
        && (name == "drop" || is_in_mem())
        && before.last().is_none_or(|last| !is_sign(last, '.') && (!is_sign(last, ':') || is_in_mem()))
}

/// Returns whether the tokens are names, in parentheses or not: no calls of functions, which may
/// hand on what they get.
pub(crate) fn is_list(tokens: &[TokenTree]) -> bool {
    let is_call = |tokens: &[TokenTree]| match tokens {
        [TokenTree::Ident(name), TokenTree::Group(_)] => {
            !name.to_string().starts_with(|first: char| first.is_ascii_uppercase())
        }
        _ => false,
    };
    let are_names = tokens.iter().all(|token| match token {
        TokenTree::Group(group) => is_list(&group.stream().into_iter().collect::<Vec<_>>()),
        TokenTree::Punct(punct) => punct.as_char() == ',',
        TokenTree::Ident(_) => true,
        TokenTree::Literal(_) => false,
    });
    are_names && !tokens.windows(2).any(is_call)
}
