//! Decides where a guard may be, from what the macro saw in the body that has the guard, and from
//! the future that contains it.

use diagnose_reports::model::{Attribution, Holding, TaskId};

use super::capture_context::CaptureContext;
use super::confined::Stay;
use super::task_copy::{TaskCopy, some};
use crate::site::{FutureKind, GuardUse, Site, SiteKind};
use crate::tree::Node;
use crate::waits::{self, HoldingCopy};

/// Returns what the code that has a guard does with it. That code is the body that acquired the
/// guard, or that got it from a finished await or from an ended body.
pub(super) fn of_holding(copy: &HoldingCopy, capture: &CaptureContext<'_>) -> GuardUse {
    let Some(node) = copy.node else { return GuardUse::Unknown };
    let (itself, inside) = (node.site.guard_use, node.site.inside_use);
    let is_lock = node.site.polls_at_most(FutureKind::Own);
    let is_its_own = is_lock && copy.at.is_some_and(|at| node.site.contains(at));
    if is_its_own && !matches!(itself, GuardUse::Unknown | GuardUse::Returns) {
        return itself;
    }
    match capture.confined.last_polled(copy.span) {
        // Acquired in an annotated body, but not by an await that the attribute saw.
        Some(_) if node.site.is_body() => GuardUse::Moves,
        // Acquired in code that an await called, and returned by that code.
        Some(span) => {
            // The await of a macro with arms is not listed.
            let is_over = span.at.map_or(node.site.is_direct, |at| !std::ptr::eq(at, node.site));
            let is_kept = is_its_own && itself == GuardUse::Returns;
            if is_over && !is_kept { may_take(inside) } else { GuardUse::Unknown }
        }
        None if inside == GuardUse::Moves => inside,
        // The body has ended, and returned the guard to its caller.
        None => {
            let body = if await_of(node).is_some() { node.parent } else { Some(node) };
            body.map_or(GuardUse::Unknown, of_callers)
        }
    }
}

/// Sets the task of a guard that borrows, if another task now polls the future that contains the
/// guard. Also sets whether that future may be in yet another task. A guard that was acquired
/// without a future, as by `try_lock`, may be in any task.
pub(super) fn follow_future(copy: &HoldingCopy, holding: &mut Holding, capture: &CaptureContext<'_>) {
    if copy.is_movable || copy.role != waits::Role::Holds || copy.task == 0 {
        return;
    }
    let last = capture.confined.last_polled(copy.span);
    let task = last.map_or(copy.task, |span| span.task);
    if task != copy.task {
        holding.task = some(task).map(TaskId::new);
    }
    let mut stay = capture.confined.stay_of(copy.memory, task);
    if capture.tasks.get(task).is_some_and(TaskCopy::is_running) {
        // A running poll may have lent a future that it does not poll to scoped threads.
        stay = stay.min(last.map_or(stay, |span| span.stay));
    }
    // The guard was dropped together with its task.
    let is_gone = capture.tasks.get(task).is_none() && copy.root.contains(copy.memory);
    match stay {
        _ if is_gone => {}
        Stay::Confined => {}
        Stay::Awaited => holding.attribution = holding.attribution.max(Attribution::Unmoved),
        Stay::Unknown => holding.may_have_moved = true,
    }
}

/// Returns what the callers of an ended body do with the value of its await. If a caller only
/// returns the value, the caller's own caller decides. The same holds for a future that was named
/// by hand.
fn of_callers(mut body: &'static Node) -> GuardUse {
    loop {
        let (site, caller) = match (body.via, body.parent) {
            (Some(via), caller) => (Some(via), caller),
            (None, Some(node)) => match await_of(node) {
                Some(site) => (Some(site), node.parent),
                None => (None, Some(node)),
            },
            (None, None) => return GuardUse::Unknown,
        };
        match (site.map_or(GuardUse::Returns, |site| site.inside_use), caller) {
            (GuardUse::Returns, Some(caller)) => body = caller,
            (it, _) => return may_take(it),
        }
    }
}

/// Returns what a body does with a guard that other code has acquired. That code may have put the
/// guard anywhere before it returned. The macro sees what the body does with the value, but not
/// whether the value contains the guard.
fn may_take(guard: GuardUse) -> GuardUse {
    if guard == GuardUse::Moves { guard } else { GuardUse::Calls }
}

/// Returns the await that a node stands for.
fn await_of(node: &Node) -> Option<&'static Site> {
    (node.site.kind == SiteKind::Await).then_some(node.site)
}
