//! The first line of a resource in a list: its name, place and state.

use std::fmt::Write as _;

use crate::analysis::hangs::words::{place, resource_name, units_words};
use crate::clean::printable;
use crate::model::{Resource, ResourceKind, Role, Wait};
use crate::units::{count, counted};

/// The line of a resource: `Mutex#1 (tokio), created at src/main.rs:12: locked, 2 waiters`.
pub(super) fn head(it: &Resource, queue: &[&Wait]) -> String {
    let mut line = resource_name(it);
    if !it.library.is_empty() {
        let _ = write!(line, " ({})", printable(&it.library));
    }
    if let Some(place) = place(it.created.as_ref()) {
        let _ = write!(line, ", created at {place}");
    }
    let free = granted(it, queue).or_else(|| free(it));
    let state = [free, filled(it), forgotten(it), missed(it)].into_iter().flatten();
    let state: Vec<String> = state.chain([counted(queue.len() as u64, "waiter")]).collect();
    let _ = writeln!(line, ": {}", state.join(", "));
    line
}

/// `granted to a waiter`, if no task holds the lock because the waiter that was granted it has not
/// been polled yet.
fn granted(it: &Resource, queue: &[&Wait]) -> Option<String> {
    let is_lock = matches!(it.kind, ResourceKind::Mutex | ResourceKind::RwLock);
    let is_held = it.holdings.iter().any(|holding| holding.role == Role::Holds);
    let is_granted = is_lock && !is_held && queue.iter().any(|wait| wait.is_granted);
    is_granted.then(|| "granted to a waiter".to_owned())
}

/// `locked`, or `3 of 8 slots free`. `None` for resources without units to acquire.
fn free(it: &Resource) -> Option<String> {
    let capacity = it.capacity?;
    let nothing_held = it.free >= capacity;
    match it.kind {
        // As in a token bucket: the capacity includes every permit that was ever added, so it is
        // not shown.
        ResourceKind::Semaphore if it.is_refilled => Some(format!("{} free", units_words(it, it.free))),
        ResourceKind::Mutex => Some(if it.free == 0 { "locked" } else { "unlocked" }.to_owned()),
        ResourceKind::RwLock if nothing_held => Some("unlocked".to_owned()),
        ResourceKind::RwLock if it.free == 0 => Some("locked to write".to_owned()),
        ResourceKind::RwLock => Some("locked to read".to_owned()),
        ResourceKind::Semaphore
        | ResourceKind::Mpsc
        | ResourceKind::Mpmc
        | ResourceKind::Pipe
        | ResourceKind::Custom => Some(format!("{} of {} free", count(it.free), units_words(it, capacity))),
        _ => None,
    }
}

/// `2 of 3 arrived`, or `8 messages`.
fn filled(it: &Resource) -> Option<String> {
    let filled = count(it.filled);
    match (it.kind, it.capacity) {
        (ResourceKind::Barrier, Some(capacity)) => Some(format!("{filled} of {} arrived", count(capacity))),
        _ if it.filled == 0 => None,
        (ResourceKind::Pipe, _) => Some(counted(it.filled, "byte")),
        _ => Some(counted(it.filled, "message")),
    }
}

fn forgotten(it: &Resource) -> Option<String> {
    (it.forgotten > 0).then(|| format!("{} forgotten", counted(it.forgotten, "permit")))
}

fn missed(it: &Resource) -> Option<String> {
    (it.usage.missed > 0).then(|| format!("{} missed", counted(it.usage.missed, "message")))
}
