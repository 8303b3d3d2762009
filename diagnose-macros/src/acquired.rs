//! What an await acquires: a guard, permits, or a value that may have them inside.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Expr, ExprMethodCall, Pat};

use crate::borrowing::Method;
use crate::escape::GuardUse;
use crate::moved::{has_macro, mentions_call};

/// Methods that acquire a lock, and return a guard that borrows.
const LOCKING: [&str; 4] = ["lock", "read", "upgradable_read", "write"];

/// Methods that acquire permits, and return these or a `Result` with them.
pub(crate) const ACQUIRING: [&str; 2] = ["acquire", "acquire_many"];

/// Methods of permits, and of a `Result` or `Option` with them, that move nothing.
const OF_PERMITS: [&str; 7] = ["forget", "is_err", "is_none", "is_ok", "is_some", "merge", "num_permits"];

/// Methods of futures and streams that call a function with the output.
const COMBINING: [&str; 6] = ["and_then", "for_each", "inspect", "map", "map_ok", "then"];

/// Methods of `Option` and `Result` that return what is inside.
pub(crate) const UNWRAPPING: [&str; 2] = ["expect", "unwrap"];

/// Methods that return a clone.
const SHARING: [&str; 4] = ["clone", "cloned", "to_owned", "to_vec"];

/// What an await acquires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Acquired {
    /// A guard. Its methods are those of what the lock protects.
    Lock,
    Permits,
    /// The output of another future that may have a guard: the guard itself, or a `Result` with it.
    MaybeLock,
    /// The output of another future that may have permits.
    MaybePermits,
    /// The tuple of a `join!`, whose element of this number is the guard.
    LockIn(usize),
    /// Such a tuple with permits.
    PermitsIn(usize),
}

impl Acquired {
    /// What a call of this method does with it.
    pub(crate) fn call_of(self, method: &Ident) -> GuardUse {
        let is_of_permits = is_one_of(&OF_PERMITS, method);
        match (self, Method::of(method)) {
            _ if is_one_of(&UNWRAPPING, method) => GuardUse::Moves,
            // A value that has a guard inside and can be cloned shares the guard.
            (Self::MaybeLock, _) if is_one_of(&SHARING, method) => GuardUse::Moves,
            (Self::Lock, Method::Borrows | Method::Takes) | (Self::MaybeLock, Method::Borrows) => {
                GuardUse::Stays
            }
            (Self::Lock, Method::PassesOn) | (Self::Lock | Self::MaybeLock, Method::Unknown) => {
                GuardUse::Calls
            }
            (Self::Permits | Self::MaybePermits, _) if is_of_permits => GuardUse::Stays,
            // A tuple has no methods, but a trait of the program may be implemented for it.
            (Self::LockIn(_) | Self::PermitsIn(_), Method::Borrows | Method::Unknown) => GuardUse::Calls,
            _ => GuardUse::Moves,
        }
    }

    /// Returns whether it may be inside of another value: a struct, a closure.
    pub(crate) fn may_be_inside(self) -> bool {
        !matches!(self, Self::Lock | Self::Permits)
    }

    /// What an await acquires if its value is a struct, a closure or another value with this
    /// inside.
    pub(crate) fn inside(self) -> Self {
        match self {
            Self::Lock | Self::MaybeLock | Self::LockIn(_) => Self::MaybeLock,
            Self::Permits | Self::MaybePermits | Self::PermitsIn(_) => Self::MaybePermits,
        }
    }

    /// What is inside a `Result`, an `Option` or a tuple.
    pub(crate) fn unwrapped(self) -> Self {
        match self {
            Self::Lock | Self::MaybeLock | Self::LockIn(_) => Self::Lock,
            Self::Permits | Self::MaybePermits | Self::PermitsIn(_) => Self::Permits,
        }
    }

    /// The tuple with this as its element of that number.
    pub(crate) fn in_tuple(self, number: usize) -> Self {
        match self {
            Self::Lock | Self::MaybeLock | Self::LockIn(_) => Self::LockIn(number),
            Self::Permits | Self::MaybePermits | Self::PermitsIn(_) => Self::PermitsIn(number),
        }
    }

    /// The element of such a tuple, and its number.
    pub(crate) fn element(self) -> Option<(usize, Self)> {
        match self {
            Self::LockIn(number) => Some((number, Self::Lock)),
            Self::PermitsIn(number) => Some((number, Self::Permits)),
            _ => None,
        }
    }
}

/// Returns whether it is `place.lock().then(|guard| …)`, or the like: that function may put the
/// guard anywhere.
pub(crate) fn calls_with_guard(operand: &Expr) -> bool {
    match operand {
        Expr::Paren(inside) => calls_with_guard(&inside.expr),
        Expr::Group(inside) => calls_with_guard(&inside.expr),
        Expr::MethodCall(call) => {
            let is_combined = is_one_of(&COMBINING, &call.method);
            let is_function = |argument: &Expr| match argument {
                Expr::Closure(it) => it.inputs.iter().any(|input| !matches!(input, Pat::Wild(_))),
                _ => is_combined,
            };
            let receiver = || call.receiver.to_token_stream();
            let has_guard = || [&LOCKING[..], &ACQUIRING].iter().any(|it| mentions_call(it, receiver()));
            call.args.iter().any(is_function) && has_guard() || calls_with_guard(&call.receiver)
        }
        _ => false,
    }
}

/// What the value of an await may be. `None` if nothing in it looks like a lock.
pub(crate) fn awaited(operand: &Expr) -> Option<Acquired> {
    acquired(operand).or_else(|| made_with(operand))
}

/// What may be in the value of code that was made with the futures in it.
pub(crate) fn made_with(code: &impl ToTokens) -> Option<Acquired> {
    let tokens = || code.to_token_stream();
    if mentions_call(&ACQUIRING, tokens()) {
        Some(Acquired::MaybePermits)
    } else {
        (mentions_call(&LOCKING, tokens()) || has_macro(tokens())).then_some(Acquired::MaybeLock)
    }
}

pub(crate) fn acquired(operand: &Expr) -> Option<Acquired> {
    match operand {
        Expr::Paren(inside) => acquired(&inside.expr),
        Expr::Group(inside) => acquired(&inside.expr),
        Expr::MethodCall(call) if is_plain(&call.receiver) && call.args.iter().all(is_plain) => {
            let is_lock = is_one_of(&LOCKING, &call.method);
            let is_permit = || is_one_of(&ACQUIRING, &call.method).then_some(Acquired::Permits);
            is_lock.then_some(Acquired::Lock).or_else(is_permit)
        }
        _ => None,
    }
}

fn acquires(call: &ExprMethodCall) -> bool {
    is_one_of(&LOCKING, &call.method) || is_one_of(&ACQUIRING, &call.method)
}

/// Returns whether nothing in the expression acquires a lock, but for what an `.await` of its own
/// does.
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

pub(crate) fn is_one_of(names: &[&str], word: &Ident) -> bool {
    names.iter().any(|name| word == name)
}
