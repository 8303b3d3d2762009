//! Finds out whether a variable is used again after a method was called on it.
//!
//! ```text
//! rows.run(job);  rows.push(1);     a method that had taken the guard would not compile here
//! ```
//! That holds only for code that is compiled, and reached.

use proc_macro2::{Delimiter, Ident, Spacing, TokenTree};

use crate::acquired::is_one_of;
use crate::attributes::may_leave_out;
use crate::macros::never_returns;
use crate::place::{Caller, caller_before, is_list, sign};
use crate::points::mentions_break;

/// Keywords that leave the code around them.
const LEAVING: [&str; 3] = ["break", "continue", "return"];

/// Returns whether the method that is called on the word at this place borrows it, as a later
/// statement shows that uses it: one that had moved it would not compile.
pub(crate) fn is_used_again(tokens: &[TokenTree], index: usize) -> bool {
    let [TokenTree::Ident(name), TokenTree::Punct(dot), TokenTree::Ident(_), rest @ ..] = &tokens[index..]
    else {
        return false;
    };
    let is_end = |token: &&TokenTree| matches!(token, TokenTree::Punct(it) if it.as_char() == ';');
    // `return name.method();`: nothing after it is reached.
    let leaves = tokens[..index].iter().rev().take_while(|token| !is_end(token)).any(is_leaving);
    let mut later = rest.iter().skip_while(|token| !is_end(token));
    !leaves && dot.as_char() == '.' && dot.spacing() == Spacing::Alone && later.next().is_some() && {
        let later: Vec<TokenTree> = later.cloned().collect();
        first_mention_uses(&later, name, false) == Some(true)
    }
}

/// Returns whether the first mention of a variable uses it: in `name.…`, `*name` or `drop(name)`.
/// Another may be a variable of the same name, or a new value. So may one that is not compiled in
/// each configuration. In code that is never reached, a moved variable may be used. `is_in_macro`
/// says that the tokens are the arguments of a macro.
fn first_mention_uses(tokens: &[TokenTree], name: &Ident, is_in_macro: bool) -> Option<bool> {
    let mut is_certain = true;
    tokens.iter().enumerate().find_map(|(index, token)| {
        let before = &tokens[..index];
        if is_conditional(before, token) || is_leaving(token) || never_ends(before, token) {
            is_certain = false;
        }
        let is_used = mention_uses(tokens, index, name, is_in_macro)?;
        Some(is_certain && is_used)
    })
}

/// Returns whether the variable is used by this token, or by the first token in it that mentions
/// the variable.
fn mention_uses(tokens: &[TokenTree], index: usize, name: &Ident, is_in_macro: bool) -> Option<bool> {
    match &tokens[index] {
        TokenTree::Group(group) => {
            let inside: Vec<TokenTree> = group.stream().into_iter().collect();
            let is_of_macro =
                matches!(tokens[..index].last(), Some(TokenTree::Punct(it)) if it.as_char() == '!');
            let is_used = first_mention_uses(&inside, name, is_of_macro)?;
            let caller = caller_before(&tokens[..index]);
            Some(caller == Caller::Ends && is_list(&inside) || caller != Caller::UnknownMacro && is_used)
        }
        TokenTree::Ident(word) if word == name => {
            let before = |length| index.checked_sub(length).and_then(|before| sign(tokens, before));
            let is_used = matches!(sign(tokens, index + 1), Some(('.', Spacing::Alone)));
            if is_used && is_in_macro && is_key(&tokens[index + 1..]) {
                return Some(false);
            }
            // `value.name`, `module::name`.
            let is_path = matches!(before(2), Some((':', Spacing::Joint)));
            let is_other = matches!(before(1), Some(('.', _))) || is_path;
            (!is_other).then_some(is_used || matches!(before(1), Some(('*', _))))
        }
        _ => None,
    }
}

/// Returns whether a name that continues with these tokens is that of a value in `tracing`, which
/// is no variable: `info!(rows.count = 1)`.
fn is_key(tokens: &[TokenTree]) -> bool {
    match tokens {
        [TokenTree::Punct(dot), TokenTree::Ident(_), rest @ ..] if dot.as_char() == '.' => is_key(rest),
        [TokenTree::Punct(equals), ..] => equals.as_char() == '=' && equals.spacing() == Spacing::Alone,
        _ => false,
    }
}

/// Returns whether the token is the group of `#[cfg(…)]` or `#![cfg(…)]`.
fn is_conditional(before: &[TokenTree], token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else { return false };
    let is_sign = |length: usize, is: char| {
        let sign = before.len().checked_sub(length).and_then(|index| sign(before, index));
        sign.is_some_and(|(sign, _)| sign == is)
    };
    let is_attribute = is_sign(1, '#') || is_sign(1, '!') && is_sign(2, '#');
    is_attribute && group.delimiter() == Delimiter::Bracket && may_leave_out(group.stream())
}

fn is_leaving(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Ident(word) if is_one_of(&LEAVING, word))
}

/// Returns whether the group is the body of an endless loop, or belongs to a macro that never
/// returns.
fn never_ends(before: &[TokenTree], token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else { return false };
    match before {
        [.., TokenTree::Ident(keyword)] => keyword == "loop" && !mentions_break(group.stream()),
        [.., TokenTree::Ident(name), TokenTree::Punct(mark)] => mark.as_char() == '!' && never_returns(name),
        _ => false,
    }
}
