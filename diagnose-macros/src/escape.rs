//! Decides whether a guard stays in the body that acquires it.
//!
//! ```text
//! let jobs = self.jobs.lock().await;     acquired by this await alone, and held by a variable
//! jobs.push(job);  drop(jobs);           only used in place: it stays, and ends with the body
//! tokio::spawn(run(jobs));               handed on: it escapes
//! ```
//! A guard that borrows a lock which lives forever can go to any task. Its type does not say how
//! long the lock lives, but the body shows what happens to the guard. Whatever cannot be decided
//! counts as an escape.

use quote::ToTokens;
use syn::{Arm, Block, Expr, ExprCall, ExprLet, Local, Pat, Stmt, UnOp};

use crate::acquired::{
    ACQUIRING, Acquired, UNWRAPPING, acquired, awaited, calls_with_guard, is_one_of, made_with,
};
use crate::attributes::may_leave_out;
use crate::joined::arm_of;
use crate::moved::{MovedNames, mentions_call, use_of};
use crate::place::ends_argument;

/// What a body does with a guard that it acquires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GuardUse {
    /// The guard is not acquired by this await, or nobody asks.
    Unknown,
    /// Returns it.
    Returns,
    /// Uses it in place, or drops it.
    Stays,
    /// Calls methods on it that are not known here, or lends it by `&mut`. As a rule, it stays.
    Calls,
    /// Moves it, or does something that is not known here.
    Moves,
}

/// What a body does with the value of an await. A function of the program's own may have the name
/// of a library's, and return a struct with the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ValueUse {
    /// If it is the guard.
    pub(crate) itself: GuardUse,
    /// If the guard is inside of it. That it stays there cannot be known: the code that put it
    /// inside may as well have put it elsewhere.
    pub(crate) inside: GuardUse,
}

impl ValueUse {
    pub(crate) const UNKNOWN: Self = Self::both(GuardUse::Unknown);
    pub(crate) const RETURNS: Self = Self::both(GuardUse::Returns);
    pub(crate) const STAYS: Self = Self::both(GuardUse::Stays);
    pub(crate) const MOVES: Self = Self::both(GuardUse::Moves);

    pub(crate) const fn both(guard: GuardUse) -> Self {
        Self { itself: guard, inside: guard }
    }

    /// What the body does with the guard if its value has the guard inside. A type of the program
    /// has methods, operators and a destructor of its own, which may take the guard.
    pub(crate) fn of_inside(self) -> GuardUse {
        if self.inside == GuardUse::Stays { GuardUse::Calls } else { self.inside }
    }

    /// What is done with a guard by `of`, which looks at code.
    fn of(guard: Acquired, of: impl Fn(Acquired) -> GuardUse) -> Self {
        Self { itself: of(guard), inside: of(guard.inside()) }
    }
}

impl Default for ValueUse {
    fn default() -> Self {
        Self::MOVES
    }
}

/// What the body does with the guard that this await acquires, if it does `outer` with the value of
/// the await. Only `place.lock().await` may return the guard itself.
pub(crate) fn of_await(operand: &Expr, outer: ValueUse) -> ValueUse {
    if acquired(operand).is_some() {
        return outer;
    }
    let inside = if calls_with_guard(operand) { GuardUse::Moves } else { outer.inside };
    ValueUse { itself: GuardUse::Unknown, inside }
}

/// What an expression does with its first operand, if the body does `outer` with its value.
pub(crate) fn of_operand(expression: &Expr, outer: ValueUse) -> ValueUse {
    let of = |value: &Expr, use_of: &dyn Fn(Acquired) -> GuardUse| {
        guard_of(value).map_or(ValueUse::MOVES, |guard| ValueUse::of(guard, use_of))
    };
    match expression {
        Expr::Paren(_) | Expr::Group(_) | Expr::Try(_) | Expr::Let(_) => outer,
        Expr::Return(_) => ValueUse::RETURNS,
        // A guard can be swapped behind `&mut`.
        Expr::Reference(reference) if reference.mutability.is_some() => ValueUse::MOVES,
        // A field of another value may be the guard, and so may what an index finds.
        Expr::Field(_) | Expr::Index(_) => ValueUse { itself: GuardUse::Stays, ..outer },
        Expr::Reference(_) => ValueUse::STAYS,
        Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => ValueUse::STAYS,
        Expr::MethodCall(call) if is_one_of(&UNWRAPPING, &call.method) => outer,
        Expr::MethodCall(call) => of(&call.receiver, &|guard| guard.call_of(&call.method)),
        Expr::If(choice) => of_condition(&choice.cond, &choice.then_branch),
        Expr::While(repeated) => of_condition(&repeated.cond, &repeated.body),
        Expr::Match(choice) => of(&choice.expr, &|guard| {
            let of_arm = |arm: &Arm| use_of(guard, &arm.pat, &[&arm.body]);
            choice.arms.iter().map(of_arm).max().unwrap_or(GuardUse::Moves)
        }),
        _ => ValueUse::MOVES,
    }
}

/// Returns whether it is `drop(value)`, or `forget(value)`.
pub(crate) fn is_ending(call: &ExprCall) -> bool {
    let is_path = matches!(&*call.func, Expr::Path(_));
    is_path && call.args.len() == 1 && ends_argument(&call.func.to_token_stream())
}

fn of_condition(condition: &Expr, body: &Block) -> ValueUse {
    let Expr::Let(ExprLet { pat, expr, .. }) = condition else { return ValueUse::MOVES };
    guard_of(expr).map_or(ValueUse::MOVES, |guard| ValueUse::of(guard, |guard| use_of(guard, pat, &[body])))
}

/// What the body does with the value of a statement of a block. The block continues with `rest`,
/// and the body does `outer` with its value.
pub(crate) fn of_statement(statement: &Stmt, rest: &[Stmt], outer: ValueUse, moved: &MovedNames) -> ValueUse {
    match statement {
        Stmt::Local(Local { pat, init: Some(init), .. }) => match guard_of(&init.expr) {
            Some(guard) => ValueUse::of(guard, |guard| in_block(guard, pat, rest, outer)),
            None if is_awaited(&init.expr) => ValueUse::both(moved.use_of(pat)),
            None => ValueUse::MOVES,
        },
        // Of such statements, that which is compiled may be the last.
        Stmt::Expr(_, None) if rest.is_empty() || is_conditional(statement) => outer,
        Stmt::Expr(_, _) => ValueUse::STAYS,
        _ => ValueUse::MOVES,
    }
}

/// What a body does with a guard that the variables of the pattern have, in a block that continues
/// with `rest`. It does `outer` with the value of the block.
pub(crate) fn in_block(guard: Acquired, pattern: &Pat, rest: &[Stmt], outer: ValueUse) -> GuardUse {
    let (rest, value) = match rest.split_last() {
        Some((Stmt::Expr(value, None), rest)) if is_value(value) => (rest, Some(value)),
        _ => (rest, None),
    };
    let in_rest = use_of(guard, pattern, rest);
    let is_value = || value.is_some_and(|it| use_of(guard, pattern, &[it]) == GuardUse::Moves);
    if in_rest == GuardUse::Moves || !is_value() {
        return in_rest;
    }
    // The value of the block is the guard, or has it inside.
    let is_alone = !guard.may_be_inside() && value.is_some_and(|it| matches!(it, Expr::Path(_)));
    match if is_alone { outer.itself } else { outer.of_inside() } {
        GuardUse::Stays => in_rest,
        it => it,
    }
}

fn is_conditional(statement: &Stmt) -> bool {
    let attributes = match statement {
        Stmt::Expr(Expr::Block(it), _) => &it.attrs,
        Stmt::Expr(Expr::Unsafe(it), _) => &it.attrs,
        Stmt::Expr(Expr::If(it), _) => &it.attrs,
        Stmt::Expr(Expr::Match(it), _) => &it.attrs,
        _ => return false,
    };
    attributes.iter().any(|attribute| may_leave_out(attribute.to_token_stream()))
}

/// Returns whether an expression only builds a value: a variable, a struct, a tuple, a variant.
fn is_value(expression: &Expr) -> bool {
    match expression {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Struct(literal) => {
            let is_rest = literal.rest.as_ref().is_none_or(|rest| is_value(rest));
            is_rest && literal.fields.iter().all(|field| is_value(&field.expr))
        }
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
pub(crate) fn of_arm(future: &Expr, pattern: &Pat, handler: &impl ToTokens) -> ValueUse {
    let of = |guard| ValueUse::of(guard, |guard| use_of(guard, pattern, &[handler]));
    let outer = match pattern {
        Pat::Wild(_) => ValueUse::STAYS,
        _ => awaited(future).map_or(ValueUse::MOVES, of),
    };
    of_await(future, outer)
}

/// The guard that is the value, if it is one: only then is it worth looking for moves.
fn guard_of(value: &Expr) -> Option<Acquired> {
    match value {
        Expr::Await(point) => awaited(&point.base),
        Expr::Paren(inside) => guard_of(&inside.expr),
        Expr::Group(inside) => guard_of(&inside.expr),
        Expr::Try(inside) => guard_of(&inside.expr).map(Acquired::unwrapped),
        Expr::MethodCall(call) if is_one_of(&UNWRAPPING, &call.method) => {
            guard_of(&call.receiver).map(Acquired::unwrapped)
        }
        Expr::Block(block) => guard_of_block(&block.block, value),
        Expr::Unsafe(block) => guard_of_block(&block.block, value),
        Expr::If(choice) => guard_of_block(&choice.then_branch, value),
        Expr::Match(choice) => choice.arms.iter().find_map(|arm| match &*arm.body {
            Expr::Block(block) => guard_of_block(&block.block, value),
            other => guard_of(other),
        }),
        Expr::Field(field) => arm_of(field).and_then(|(_, arm)| awaited(&arm)),
        Expr::Macro(invocation) => made_with(&invocation.mac.tokens),
        _ => None,
    }
}

/// Returns whether the value is that of an await.
fn is_awaited(value: &Expr) -> bool {
    match value {
        Expr::Await(_) => true,
        Expr::Paren(inside) => is_awaited(&inside.expr),
        Expr::Group(inside) => is_awaited(&inside.expr),
        Expr::Try(inside) => is_awaited(&inside.expr),
        Expr::MethodCall(call) => is_one_of(&UNWRAPPING, &call.method) && is_awaited(&call.receiver),
        _ => false,
    }
}

/// The guard that is the value of this block, which is in `whole`. If it is a variable or has one
/// inside, that is a permit if any code in there acquires permits.
fn guard_of_block(block: &Block, whole: &Expr) -> Option<Acquired> {
    let has_permits = || mentions_call(&ACQUIRING, whole.to_token_stream());
    let built = || if has_permits() { Acquired::Permits } else { Acquired::Lock };
    match block.stmts.last()? {
        Stmt::Expr(value, None) => guard_of(value).or_else(|| is_value(value).then(built)),
        _ => None,
    }
}
