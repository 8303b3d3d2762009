//! Describes in sentences which task has a guard or channel end, or had it last.
//!
//! Moves of Rust values are not recorded. So only an exact owner is described with "belongs to" or
//! "has held". For any other holding, the words name the task that used it last, and the tasks that
//! it may have moved into since.

use super::callers::{NamedCallers, acquired_words, at_words_of_holding};
use super::names::units_words;
use crate::analysis::hangs::facts::Facts;
use crate::model::{Attribution, Holding, Resource, ResourceKind, Role};
use crate::units::time;

/// The known or assumed owner of a holding.
pub(super) enum HoldingPlace {
    /// It is with its last user.
    Exact,
    /// It was with its last user. The words describe the tasks that it may have moved into since.
    LastSeen(Option<String>),
    /// It most likely moved into this task, which has not used it yet.
    Moved(String),
    /// It may be with this task, which waits for the task that needs it.
    Maybe(String),
    /// It is in an unread message.
    Unread,
}

/// Returns whether the last user of a holding surely still has it.
pub(super) fn is_exact(holding: &Holding) -> bool {
    let is_there = matches!(holding.attribution, Attribution::Exact | Attribution::Unmoved);
    is_there && (holding.candidates.is_empty() || holding.role == Role::Holds && !holding.is_movable)
}

/// Describes the live tasks that a holding may have moved into; `None` if there is none.
pub(super) fn candidates_words(facts: &Facts<'_>, holding: &Holding) -> Option<String> {
    let mut live = holding.candidates.iter().filter(|&&task| facts.task(task).is_some());
    let first = live.next()?;
    Some(match live.count() {
        0 => facts.task_words(*first),
        others => format!("one of {} tasks spawned since", others + 1),
    })
}

/// ``; task 3 `right` has held it for 1.20 s (acquired at src/main.rs:9)``. For a holding in an
/// unread message, the clause has no verb yet, because the channel follows.
pub(super) fn holding_words(
    facts: &Facts<'_>,
    resource: usize,
    holding: &Holding,
    who: &str,
    place: &HoldingPlace,
    callers: &mut NamedCallers,
) -> String {
    let it = &facts.snapshot.resources[resource];
    let since = time(holding.since_ns);
    match (holding.role, place) {
        (Role::Holds, HoldingPlace::Exact) if it.kind == ResourceKind::TaskTracker && !holding.is_movable => {
            let added = acquired_words("added", holding, callers);
            format!("; {who} has been tracked by it for {since}{added}")
        }
        (Role::Holds, HoldingPlace::Exact) => {
            let (part, verb) = match it.kind {
                ResourceKind::Mpsc => ("a reserved slot".to_owned(), "reserved"),
                ResourceKind::Semaphore => (units_words(it, holding.units.max(1)), "acquired"),
                ResourceKind::TaskTracker => ("a tracked future or token of it".to_owned(), "created"),
                _ => ("it".to_owned(), "acquired"),
            };
            format!("; {who} has held {part} for {since}{}", acquired_words(verb, holding, callers))
        }
        (Role::Holds, HoldingPlace::Unread) => {
            let guard = match it.kind {
                ResourceKind::Semaphore | ResourceKind::Mpsc => "permit",
                ResourceKind::TaskTracker => "tracked future or token",
                _ => "guard",
            };
            let at = at_words_of_holding(holding, callers);
            format!("; its {guard}, acquired by {who}{at} ({since} ago),")
        }
        (Role::Holds, _) => {
            let acquired = match it.kind {
                ResourceKind::Mpsc => "reserved a slot".to_owned(),
                ResourceKind::Semaphore => format!("acquired {}", units_words(it, holding.units.max(1))),
                ResourceKind::TaskTracker => "created a tracked future or token of it".to_owned(),
                _ => "acquired it".to_owned(),
            };
            let pronoun = if holding.units > 1 && it.kind == ResourceKind::Semaphore { "them" } else { "it" };
            let moved = match place {
                HoldingPlace::Moved(owner) => format!(", and most likely moved {pronoun} into {owner}"),
                HoldingPlace::LastSeen(Some(tasks)) => format!(", and may have moved {pronoun} into {tasks}"),
                HoldingPlace::Maybe(owner) => {
                    format!(", and {pronoun} may be with {owner}")
                }
                _ => String::new(),
            };
            let at = at_words_of_holding(holding, callers);
            format!("; {who} {acquired}{at} ({since} ago){moved}")
        }
        (Role::Sends | Role::Receives, _) => {
            let last = if holding.uses == 0 { "never used, created" } else { "last used" };
            let (end, last) = (end_words(facts, it, holding.role), acquired_words(last, holding, callers));
            match place {
                HoldingPlace::Unread => format!("; {end}, last seen with {who}{last},"),
                HoldingPlace::Exact => format!("; {end} belongs to {who}{last}"),
                HoldingPlace::LastSeen(None) => format!("; {end} was last seen with {who}{last}"),
                HoldingPlace::LastSeen(Some(tasks)) => {
                    format!("; {end} was last seen with {who}{last}, and may have moved into {tasks}")
                }
                HoldingPlace::Maybe(owner) => {
                    format!("; {end} was last seen with {who}{last}, and may be with {owner}")
                }
                HoldingPlace::Moved(owner) => {
                    format!("; {end} was last seen with {who}{last}, and most likely moved into {owner}")
                }
            }
        }
        (Role::Uses, _) => {
            let used = if it.kind == ResourceKind::Semaphore { "added permits" } else { "used it" };
            format!("; {who} {used} {since} ago{}", acquired_words("last", holding, callers))
        }
    }
}

/// `its only sender`, `its receiver`, or `one of its 3 senders`.
fn end_words(facts: &Facts<'_>, it: &Resource, role: Role) -> String {
    let end = match (it.kind, role) {
        (ResourceKind::Pipe, Role::Sends) => "writing end",
        (ResourceKind::Pipe, _) => "reading end",
        (_, Role::Sends) => "sender",
        _ => "receiver",
    };
    let is_single = match it.kind {
        ResourceKind::Oneshot | ResourceKind::Pipe => true,
        ResourceKind::Mpsc => role == Role::Receives,
        _ => false,
    };
    let ends = it.holdings.iter().filter(|holding| holding.role == role).count();
    match ends {
        // The number of ends is unknown if some were over the limit.
        _ if is_single || facts.snapshot.dropped.over_holdings > 0 => format!("its {end}"),
        0 | 1 => format!("its only {end}"),
        many => format!("one of its {many} {end}s"),
    }
}
