//! Decides whether a guard stays in the body that acquires it.
//!
//! ```text
//! let jobs = self.jobs.lock().await;     acquired by this await alone, and held by a variable
//! jobs.push(job);  drop(jobs);           only used in place: it stays, and ends with the body
//! tokio::spawn(run(jobs));               handed on: it escapes
//! ```
//! A guard that borrows a lock which lives forever can go to any task. The type does not tell how
//! long a lock lives, but the body tells what it does with the guard. Whatever cannot be decided
//! counts as an escape.

use proc_macro2::{Delimiter, Ident, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Block, Expr, ExprCall, ExprLet, ExprMethodCall, ExprPath, Local, Pat, Stmt, UnOp};

/// Methods that acquire a lock or permits, and return a guard that borrows.
const ACQUIRING: [&str; 6] = ["acquire", "acquire_many", "lock", "read", "upgradable_read", "write"];

/// Methods of `Option` and `Result` that return what is inside.
const UNWRAPPING: [&str; 2] = ["expect", "unwrap"];

/// Methods of `Option` and `Result` that move what is inside to elsewhere.
const MOVING: [&str; 12] = [
    "and_then",
    "inspect",
    "into",
    "into_iter",
    "is_ok_and",
    "is_some_and",
    "map",
    "map_err",
    "map_or",
    "map_or_else",
    "ok",
    "or_else",
];

/// Functions that end their argument.
const ENDING: [&str; 2] = ["drop", "forget"];

/// Functions that take a value out of a place that is borrowed.
const SWAPPING: [&str; 2] = ["replace", "swap"];

/// Whether the value of this await is a guard at all, and of a lock that the await itself names:
/// `place.lock().await`. A function in between may move the guard before it returns.
pub(crate) fn is_acquiring(operand: &Expr) -> bool {
    match operand {
        Expr::Paren(inside) => is_acquiring(&inside.expr),
        Expr::Group(inside) => is_acquiring(&inside.expr),
        Expr::MethodCall(call) => {
            acquires(call) && is_plain(&call.receiver) && call.args.iter().all(is_plain)
        }
        _ => false,
    }
}

fn acquires(call: &ExprMethodCall) -> bool {
    ACQUIRING.iter().any(|name| call.method == name)
}

/// Whether nothing in the expression acquires a lock, but for what an `.await` of its own does.
fn is_plain(expression: &Expr) -> bool {
    match expression {
        Expr::Path(_) | Expr::Lit(_) | Expr::Await(_) => true,
        Expr::Field(field) => is_plain(&field.base),
        Expr::Index(index) => is_plain(&index.expr) && is_plain(&index.index),
        Expr::Paren(inside) => is_plain(&inside.expr),
        Expr::Group(inside) => is_plain(&inside.expr),
        Expr::Reference(inside) => is_plain(&inside.expr),
        Expr::Unary(inside) => is_plain(&inside.expr),
        Expr::Cast(inside) => is_plain(&inside.expr),
        Expr::Try(inside) => is_plain(&inside.expr),
        Expr::Binary(inside) => is_plain(&inside.left) && is_plain(&inside.right),
        Expr::Call(call) => is_plain(&call.func) && call.args.iter().all(is_plain),
        Expr::MethodCall(call) => {
            !acquires(call) && is_plain(&call.receiver) && call.args.iter().all(is_plain)
        }
        _ => false,
    }
}

/// What a body does with a guard that it acquires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum GuardUse {
    /// Returns it, or has it as the value of a block.
    Unknown,
    /// Uses it in place, or drops it.
    Stays,
    /// Moves it, or does something that is not known here.
    #[default]
    Moves,
}

/// What an expression does with its first operand, if the body does `outer` with its value.
pub(crate) fn of_operand(expression: &Expr, outer: GuardUse) -> GuardUse {
    let in_place = |is_in_place: bool| if is_in_place { GuardUse::Stays } else { GuardUse::Moves };
    match expression {
        Expr::Paren(_) | Expr::Group(_) | Expr::Try(_) | Expr::Let(_) => outer,
        Expr::Return(_) | Expr::Break(_) => GuardUse::Unknown,
        Expr::Field(_) | Expr::Index(_) | Expr::Reference(_) => GuardUse::Stays,
        Expr::Unary(unary) => in_place(matches!(unary.op, UnOp::Deref(_))),
        Expr::MethodCall(call) if is_one_of(&UNWRAPPING, &call.method) => outer,
        Expr::MethodCall(call) => in_place(!is_one_of(&MOVING, &call.method)),
        Expr::If(choice) => of_condition(&choice.cond, &choice.then_branch),
        Expr::While(repeated) => of_condition(&repeated.cond, &repeated.body),
        Expr::Match(choice) if has_guard(&choice.expr) => {
            in_place(choice.arms.iter().all(|arm| !are_moved(&arm.pat, &[&arm.body])))
        }
        _ => GuardUse::Moves,
    }
}

/// Whether it is `drop(value)`, or `forget(value)`.
pub(crate) fn is_ending(call: &ExprCall) -> bool {
    let last = |path: &ExprPath| path.path.segments.last().map(|last| last.ident.to_string());
    let name = match &*call.func {
        Expr::Path(function) => last(function),
        _ => None,
    };
    call.args.len() == 1 && name.is_some_and(|name| ENDING.contains(&name.as_str()))
}

fn of_condition(condition: &Expr, body: &Block) -> GuardUse {
    let is_kept = |bound: &ExprLet| has_guard(&bound.expr) && !are_moved(&bound.pat, &[body]);
    if matches!(condition, Expr::Let(bound) if is_kept(bound)) { GuardUse::Stays } else { GuardUse::Moves }
}

/// What the body does with the value of a statement. It continues with `rest`.
pub(crate) fn of_statement(statement: &Stmt, rest: &[Stmt]) -> GuardUse {
    match statement {
        Stmt::Local(Local { pat, init: Some(init), .. }) if has_guard(&init.expr) => {
            let (rest, value) = match rest.split_last() {
                Some((Stmt::Expr(value, None), rest)) if is_value(value) => (rest, Some(value)),
                _ => (rest, None),
            };
            if are_moved(pat, rest) {
                GuardUse::Moves
            } else if value.is_some_and(|value| are_moved(pat, &[value])) {
                GuardUse::Unknown
            } else {
                GuardUse::Stays
            }
        }
        Stmt::Expr(_, Some(_)) => GuardUse::Stays,
        Stmt::Expr(_, None) => GuardUse::Unknown,
        _ => GuardUse::Moves,
    }
}

/// Whether an expression only builds a value: a variable, a struct, a tuple, a variant.
fn is_value(expression: &Expr) -> bool {
    match expression {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Struct(fields) => fields.fields.iter().all(|field| is_value(&field.expr)),
        Expr::Tuple(values) => values.elems.iter().all(is_value),
        Expr::Call(call) => match &*call.func {
            Expr::Path(function) => function.path.segments.last().is_some_and(|last| {
                let is_variant = last.ident.to_string().starts_with(char::is_uppercase);
                is_variant && call.args.iter().all(is_value)
            }),
            _ => false,
        },
        _ => false,
    }
}

/// What an arm of `select!` does with the guard that it acquires.
pub(crate) fn of_arm(future: &Expr, pattern: &Pat, handler: &impl ToTokens) -> GuardUse {
    match is_acquiring(future) {
        false => GuardUse::Unknown,
        true if are_moved(pattern, std::slice::from_ref(handler)) => GuardUse::Moves,
        true => GuardUse::Stays,
    }
}

/// Whether the value is a guard, so that it is worth looking for moves.
fn has_guard(value: &Expr) -> bool {
    match value {
        Expr::Await(point) => is_acquiring(&point.base),
        Expr::Paren(inside) => has_guard(&inside.expr),
        Expr::Group(inside) => has_guard(&inside.expr),
        Expr::Try(inside) => has_guard(&inside.expr),
        Expr::MethodCall(call) => is_one_of(&UNWRAPPING, &call.method) && has_guard(&call.receiver),
        _ => false,
    }
}

/// Whether a variable of the pattern may be moved in this code.
fn are_moved(pattern: &Pat, code: &[impl ToTokens]) -> bool {
    let mut variables = Vec::new();
    names(pattern.to_token_stream(), &mut variables);
    variables.iter().any(|name| code.iter().any(|part| is_moved(name, part.to_token_stream(), None)))
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

/// Whether the tokens may move the variable: mention it neither as a place that is used there, nor
/// in `drop(name)`. Tokens, because macros have no other form. `caller` is the word before the
/// group that they stand in.
fn is_moved(name: &Ident, tokens: TokenStream, caller: Option<&str>) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    if caller.is_some_and(|caller| ENDING.contains(&caller)) && is_list(&tokens) {
        return false;
    }
    let is_swapped = caller.is_some_and(|caller| SWAPPING.contains(&caller));
    // Whether the rest of the statement is, or has, a closure or block that takes what it mentions.
    let mut takes = false;
    for (index, token) in tokens.iter().enumerate() {
        let word = |index: usize| match tokens.get(index) {
            Some(TokenTree::Ident(word)) => Some(word.to_string()),
            _ => None,
        };
        match token {
            TokenTree::Group(group) => {
                let caller = index.checked_sub(1).and_then(word);
                let is_there = || is_mentioned(name, &group.stream());
                if takes && is_there() || is_moved(name, group.stream(), caller.as_deref()) {
                    return true;
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => takes = false,
            TokenTree::Ident(word) if word == "move" => takes = true,
            TokenTree::Ident(word) if word != name => {}
            TokenTree::Ident(_) if takes || is_swapped || !is_in_place(&tokens, index) => return true,
            _ => {}
        }
    }
    false
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

/// Whether the word at this place is borrowed, dereferenced, has a field or method used, is
/// assigned to, or is another thing of that name.
fn is_in_place(tokens: &[TokenTree], index: usize) -> bool {
    let sign = |index: usize| match tokens.get(index) {
        Some(TokenTree::Punct(punct)) => Some((punct.as_char(), punct.spacing())),
        _ => None,
    };
    let before = index.checked_sub(1).and_then(sign).map(|(sign, _)| sign);
    let is_mutable =
        matches!(tokens.get(index.wrapping_sub(1)), Some(TokenTree::Ident(word)) if word == "mut");
    let is_borrowed = is_mutable && index.checked_sub(2).and_then(sign).is_some_and(|(sign, _)| sign == '&');
    // `value.name` is a field, `&name` and `*name` are places.
    if is_borrowed || matches!(before, Some('&' | '*' | '.')) {
        return true;
    }
    match (sign(index + 1), tokens.get(index + 2)) {
        (Some(('.', Spacing::Alone)), Some(TokenTree::Ident(method))) => {
            method != "await" && !is_one_of(&MOVING, method) && !is_one_of(&UNWRAPPING, method)
        }
        // `name.0`, `name = value`, `name: value`.
        (Some(('.', Spacing::Alone)), Some(TokenTree::Literal(_)))
        | (Some(('=' | ':', Spacing::Alone)), _) => true,
        _ => {
            matches!(tokens.get(index + 1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket)
        }
    }
}

fn is_one_of(names: &[&str], word: &Ident) -> bool {
    names.iter().any(|name| word == name)
}
