//! Functions that only drive an executor. The last expression of such a function is
//! `runtime.block_on(future)` or `block_on(future)`, as in the output of `#[tokio::main]`. It may
//! unwrap or match on the result, shut the runtime down, exit with the result, or return a value
//! that takes no time.
//!
//! The call lasts as long as the future, and its thread is parked meanwhile. A frame would be busy
//! all that time, so the future is timed instead. If that is an async block, its awaits are those
//! of the function.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Block, Expr, ExprCall, ExprMethodCall, Local, Macro, Pat, Stmt};

/// Returns the future that a body drives, if the body ends with that.
pub(crate) fn driven(body: &mut Block) -> Option<&mut Expr> {
    let last = last(body)?;
    match &mut body.stmts[last] {
        Stmt::Expr(value, _) => driven_by(value),
        Stmt::Local(local) => driven_by(&mut local.init.as_mut()?.expr),
        _ => None,
    }
}

/// Returns the position of the last statement that takes time.
fn last(body: &Block) -> Option<usize> {
    body.stmts.iter().rposition(|stmt| !is_plain_stmt(stmt))
}

/// Returns the async block that a body drives, if it is known which one that is. It is the argument
/// itself, or the value of a variable, as in the output of `#[tokio::main]`:
///
/// ```text
/// let body = async { … };
/// { return build().block_on(body); }
/// ```
pub(crate) fn driven_block(body: &mut Block) -> Option<&mut Expr> {
    let name = match driven(body)? {
        Expr::Async(_) => None,
        Expr::Path(variable) => Some(variable.path.get_ident()?.clone()),
        _ => return None,
    };
    match name {
        None => driven(body),
        Some(name) => value_of(&name, body),
    }
}

/// Returns the async block in a variable that the last statement drives.
fn value_of<'a>(name: &Ident, body: &'a mut Block) -> Option<&'a mut Expr> {
    let last = last(body)?;
    let (before, after) = body.stmts.split_at_mut(last);
    // Another mention may be another variable of this name.
    if n_mentions(name, after.first()?.to_token_stream()) != 1 {
        return None;
    }
    for statement in before.iter_mut().rev() {
        let Stmt::Local(Local { pat, init, .. }) = statement else { continue };
        if n_mentions(name, pat.to_token_stream()) == 0 {
            continue;
        }
        let value = &mut *init.as_mut().filter(|_| is_variable(pat))?.expr;
        if !is_passed_on(name, value) {
            return matches!(value, Expr::Async(_)).then_some(value);
        }
    }
    None
}

fn is_variable(pattern: &Pat) -> bool {
    match pattern {
        Pat::Ident(name) => name.by_ref.is_none() && name.subpat.is_none(),
        Pat::Type(typed) => is_variable(&typed.pat),
        _ => false,
    }
}

fn n_mentions(name: &Ident, tokens: TokenStream) -> usize {
    let of_token = |token| match token {
        TokenTree::Group(group) => n_mentions(name, group.stream()),
        TokenTree::Ident(word) => usize::from(word == *name),
        _ => 0,
    };
    tokens.into_iter().map(of_token).sum()
}

/// Returns whether a value is that of the variable: `body`, or `{ if … { … } body }`.
fn is_passed_on(name: &Ident, value: &Expr) -> bool {
    match value {
        Expr::Path(path) => path.path.is_ident(name),
        Expr::Block(block) => match block.block.stmts.split_last() {
            Some((Stmt::Expr(value, None), before)) => {
                !before.iter().any(|it| matches!(it, Stmt::Local(_))) && is_passed_on(name, value)
            }
            _ => false,
        },
        _ => false,
    }
}

fn driven_by(value: &mut Expr) -> Option<&mut Expr> {
    match value {
        Expr::Return(end) => driven_by(end.expr.as_deref_mut()?),
        Expr::Block(block) => driven(&mut block.block),
        Expr::Paren(inside) => driven_by(&mut inside.expr),
        Expr::Group(inside) => driven_by(&mut inside.expr),
        Expr::Try(result) => driven_by(&mut result.expr),
        Expr::Match(result) => {
            let is_plain = result.arms.iter().all(|arm| is_plain(&arm.body));
            if is_plain { driven_by(&mut result.expr) } else { None }
        }
        Expr::If(branch) => {
            let is_plain = is_plain_block(&branch.then_branch)
                && branch.else_branch.as_ref().is_none_or(|(_, other)| is_plain(other));
            if is_plain { driven_by(&mut branch.cond) } else { None }
        }
        Expr::Let(result) => driven_by(&mut result.expr),
        Expr::MethodCall(call) => {
            if call.method != "block_on" {
                return if passes_on(call) { driven_by(&mut call.receiver) } else { None };
            }
            // `local_set.block_on(&runtime, future)`.
            let is_local_set = call.args.len() == 2 && matches!(call.args.first(), Some(Expr::Reference(_)));
            if call.args.len() == 1 || is_local_set { future(call.args.last_mut()?) } else { None }
        }
        Expr::Call(call) if call.args.len() == 1 => match called(call)?.as_str() {
            "block_on" => future(call.args.first_mut()?),
            "Ok" | "Some" | "drop" | "exit" => driven_by(call.args.first_mut()?),
            "from" if converts_at_once(call) => driven_by(call.args.first_mut()?),
            _ => None,
        },
        _ => None,
    }
}

/// Returns an argument unless it is a literal or a closure, since then `block_on` is something
/// else, or a conversion to the type that `block_on` takes.
fn future(argument: &mut Expr) -> Option<&mut Expr> {
    match argument {
        Expr::Lit(_) | Expr::Closure(_) => None,
        Expr::MethodCall(call) if call.method == "into" => None,
        future => Some(future),
    }
}

/// The last name in the path of a called function.
fn called(call: &ExprCall) -> Option<String> {
    let Expr::Path(function) = &*call.func else { return None };
    Some(function.path.segments.last()?.ident.to_string())
}

/// Returns whether it is the `from` of a number or an exit code. Another one may do any work.
fn converts_at_once(call: &ExprCall) -> bool {
    const TYPES: [&str; 14] = [
        "ExitCode", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
        "f64",
    ];
    let Expr::Path(function) = &*call.func else { return false };
    let before = function.path.segments.iter().rev().nth(1);
    before.is_some_and(|before| TYPES.iter().any(|name| before.ident == name))
}

/// Returns whether a method of a result takes no time: it unwraps, maps by a function with a name,
/// or does something about an error only.
fn passes_on(call: &ExprMethodCall) -> bool {
    const METHODS: [&str; 11] = [
        "context",
        "unwrap",
        "expect",
        "ok",
        "err",
        "is_ok",
        "is_err",
        "map",
        "map_err",
        "unwrap_or",
        "unwrap_or_default",
    ];
    const OF_ERRORS: [&str; 5] = ["inspect_err", "map_err", "or_else", "unwrap_or_else", "with_context"];
    METHODS.iter().any(|method| call.method == method) && call.args.iter().all(is_plain)
        || OF_ERRORS.iter().any(|method| call.method == method)
}

/// Returns whether a value takes no time: `Ok(())`, an unwrapped result, or a macro like `panic!`.
fn is_plain(value: &Expr) -> bool {
    match value {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Macro(message) => is_message(&message.mac),
        Expr::Paren(inside) => is_plain(&inside.expr),
        Expr::Group(inside) => is_plain(&inside.expr),
        Expr::Block(block) => is_plain_block(&block.block),
        Expr::Tuple(values) => values.elems.iter().all(is_plain),
        Expr::Return(end) => end.expr.as_deref().is_none_or(is_plain),
        // `|_| ()`.
        Expr::Closure(call) => is_plain(&call.body),
        Expr::Try(result) => is_plain(&result.expr),
        Expr::Call(call) => {
            let is_known =
                |name: String| ["Ok", "Err", "Some", "drop", "exit"].iter().any(|known| name == *known);
            called(call).is_some_and(is_known) && call.args.iter().all(is_plain)
        }
        Expr::MethodCall(call) => {
            // Blocking jobs get as much time to end as the program wants to wait.
            let is_end = call.method == "shutdown_background" || call.method == "shutdown_timeout";
            (is_end || passes_on(call)) && is_plain(&call.receiver)
        }
        _ => false,
    }
}

/// Returns whether a macro only writes a message or ends with one.
fn is_message(called: &Macro) -> bool {
    const MACROS: [&str; 13] = [
        "panic",
        "unreachable",
        "todo",
        "unimplemented",
        "print",
        "println",
        "eprint",
        "eprintln",
        "error",
        "warn",
        "info",
        "debug",
        "trace",
    ];
    called.path.segments.last().is_some_and(|last| MACROS.iter().any(|name| last.ident == name))
}

fn is_plain_block(block: &Block) -> bool {
    block.stmts.iter().all(is_plain_stmt)
}

fn is_plain_stmt(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Expr(value, _) => is_plain(value),
        Stmt::Macro(message) => is_message(&message.mac),
        _ => false,
    }
}
