//! What a body does with the guards that the arms of a `join!` acquire.
//!
//! ```text
//! let (rows, _) = join!(a.lock(), b.lock());    the pattern of an arm gets its guard
//! let rows = join!(a.lock(), b.lock()).0;       so does a field, and the other guards end here
//! let both = join!(a.lock(), b.lock());         `both.0` is the guard of the first arm
//! ```
//! Elsewhere, each guard is inside of the value.

use syn::punctuated::Punctuated;
use syn::{Expr, ExprField, Local, Member, Pat, PatTupleStruct, Stmt, Token};

use crate::acquired::{Acquired, UNWRAPPING, acquired, is_one_of};
use crate::arms::Join;
use crate::escape::{GuardUse, ValueUse, in_block};

/// What a body does with the value of each arm.
pub(crate) type ArmUses = Vec<ValueUse>;

/// The uses of the arms of a `join!` that is the base of a field.
pub(crate) fn of_field(expression: &Expr, outer: ValueUse) -> Option<ArmUses> {
    let Expr::Field(field) = expression else { return None };
    let (number, arms) = field_of(field)?;
    Some((0..arms.len()).map(|arm| if arm == number { outer } else { ValueUse::STAYS }).collect())
}

/// The uses of the arms of a `join!` that is the value of this statement. The block continues with
/// `rest`. The body does `outer` with the value of the block, and `all` with that of the `join!`.
pub(crate) fn of_statement(
    statement: &Stmt,
    rest: &[Stmt],
    outer: ValueUse,
    all: ValueUse,
) -> Option<ArmUses> {
    let Stmt::Local(Local { pat, init: Some(init), .. }) = statement else { return None };
    let arms = arms_of(&init.expr)?;
    let use_of = |guard: Acquired, pattern: &Pat| in_block(guard, pattern, rest, outer);
    let value_use = |(number, arm)| {
        let guard = acquired(arm);
        let itself = guard.map(|guard| of_arm(number, arms.len(), guard, pat, &use_of));
        ValueUse { itself: itself.unwrap_or(GuardUse::Moves), ..all }
    };
    Some(arms.iter().enumerate().map(value_use).collect())
}

/// What `use_of` finds for the guard of one arm of `count`, if the pattern gets the value.
fn of_arm(
    number: usize,
    count: usize,
    guard: Acquired,
    pattern: &Pat,
    use_of: &dyn Fn(Acquired, &Pat) -> GuardUse,
) -> GuardUse {
    let again = |pattern| of_arm(number, count, guard, pattern, use_of);
    match pattern {
        Pat::Type(typed) => again(&typed.pat),
        Pat::Paren(inside) => again(&inside.pat),
        Pat::Wild(_) => GuardUse::Stays,
        Pat::Tuple(list) if list.elems.len() == count && !list.elems.iter().any(is_rest) => {
            use_of(guard, &list.elems[number])
        }
        Pat::TupleStruct(PatTupleStruct { path, elems, .. }) if elems.len() == 1 && path.is_ident("Ok") => {
            again(&elems[0])
        }
        Pat::Ident(variable) if variable.subpat.is_none() => use_of(guard.in_tuple(number), pattern),
        _ => ValueUse::both(use_of(guard.inside(), pattern)).of_inside(),
    }
}

fn is_rest(pattern: &Pat) -> bool {
    matches!(pattern, Pat::Rest(_))
}

/// The arm whose value is this field of a `join!`, and its number.
pub(crate) fn arm_of(field: &ExprField) -> Option<(usize, Expr)> {
    let (number, arms) = field_of(field)?;
    arms.into_iter().nth(number).map(|arm| (number, arm))
}

/// The number of the field, and the arms of the `join!` that has it.
fn field_of(field: &ExprField) -> Option<(usize, Punctuated<Expr, Token![,]>)> {
    let Member::Unnamed(index) = &field.member else { return None };
    Some((usize::try_from(index.index).ok()?, arms_of(&field.base)?))
}

/// The arms of the `join!` or `try_join!` whose tuple is this value.
fn arms_of(value: &Expr) -> Option<Punctuated<Expr, Token![,]>> {
    match value {
        Expr::Paren(inside) => arms_of(&inside.expr),
        Expr::Group(inside) => arms_of(&inside.expr),
        Expr::Try(inside) => arms_of(&inside.expr),
        Expr::MethodCall(call) if is_one_of(&UNWRAPPING, &call.method) => arms_of(&call.receiver),
        Expr::Macro(invocation) => {
            let name = &invocation.mac.path.segments.last()?.ident;
            let is_join = is_one_of(&["join", "try_join"], name);
            let join = || syn::parse2::<Join>(invocation.mac.tokens.clone()).ok();
            is_join.then(join)?.map(|join| join.futures)
        }
        _ => None,
    }
}
