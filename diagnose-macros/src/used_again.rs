//! Finds out whether a variable is used again after a method was called on it.
//!
//! ```text
//! rows.run(job);  rows.push(1);     a method that had taken the guard would not compile here
//! ```

use proc_macro2::{Ident, Spacing, TokenTree};

use crate::place::{Caller, caller_before, is_list, sign};

/// Returns whether the method that is called on the word at this place borrows it, as a later
/// statement shows that uses it: one that had moved it would not compile.
pub(crate) fn is_used_again(tokens: &[TokenTree], index: usize) -> bool {
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

/// Returns whether the first mention of a variable uses it: in `name.…`, `*name` or `drop(name)`.
/// Another may be a variable of the same name, or a new value.
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
