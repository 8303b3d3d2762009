//! Waits for a channel, a lock or a token that was not imported through this crate.
//!
//! The text of the await identifies such waits: its last call waits for other tasks, such as
//! `rx.recv().await`. Waits for time, or for events outside of the process, are not hangs, and a
//! name such as `sigterm` or `socket` identifies them. Some methods have both: `next` of a stream,
//! and `send` of a request without arguments, are no evidence. Neither is the await of an async
//! function.

use std::cell::LazyCell;

use super::warning::{SUSPECT_NS, warning};
use crate::analysis::hangs::facts::{Facts, is_active, step};
use crate::analysis::hangs::stuck::has_to_end;
use crate::analysis::hangs::verdict::{Confidence, LinkRole, Verdict, VerdictKind};
use crate::analysis::hangs::words::at;
use crate::clean::printable;
use crate::model::{Role, RunState, SiteIndex, SiteKind, Span, Wait};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::units::{counted, time};

/// Maximum number of tasks shown per place.
const MAX_TASKS: usize = 8;

/// Methods of common libraries that wait for other tasks.
const BETWEEN_TASKS: [&str; 23] = [
    "acquire",
    "acquire_many",
    "acquire_many_owned",
    "acquire_owned",
    "cancelled",
    "changed",
    "closed",
    "get_or_init",
    "get_or_insert_async",
    "get_or_try_init",
    "get_with",
    "join_next",
    "listen",
    "lock",
    "lock_owned",
    "notified",
    "recv",
    "recv_async",
    "recv_many",
    "reserve",
    "send_async",
    "try_get_with",
    "wait_for",
];

/// Methods that wait for other tasks if they have no arguments. With arguments, they read or write
/// bytes, or ask a server.
const WITHOUT_ARGUMENTS: [&str; 6] = ["get", "read", "read_owned", "ready", "write", "write_owned"];

/// Methods that wait for other tasks if they have arguments. Without, they send a request.
const WITH_ARGUMENTS: [&str; 1] = ["send"];

/// Methods that a signal of the operating system or a connection has, too.
const OF_CONNECTIONS: [&str; 8] = ["changed", "closed", "get", "read", "ready", "recv", "send", "write"];

/// The ends of the names of channels and pools, also of those of connections.
const BETWEEN: [&str; 7] = ["channel", "lock", "pool", "queue", "receiver", "rx", "tx"];

/// Parts of the names of such signals and connections.
const OUTSIDE: [&str; 15] = [
    "conn",
    "connection",
    "hangup",
    "hup",
    "int",
    "interrupt",
    "quit",
    "sigint",
    "sighup",
    "signal",
    "signals",
    "sigterm",
    "socket",
    "term",
    "terminate",
];

/// Returns one verdict per place at which tasks that others need wait for something unrecorded.
pub(crate) fn unexplained(facts: &Facts<'_>, stuck: &OrderedSet<usize>) -> Vec<Verdict> {
    let needed = LazyCell::new(|| needed_holders(facts));
    let spans = &facts.snapshot.spans;
    let mut is_deepest = vec![true; spans.len()];
    for parent in spans.iter().filter_map(|span| span.parent) {
        if let Some(is_deepest) = is_deepest.get_mut(parent.get()) {
            *is_deepest = false;
        }
    }
    let mut places: OrderedMap<SiteIndex, Vec<(usize, &Span)>> = OrderedMap::new();
    for (span, _) in spans.iter().zip(is_deepest).filter(|(_, is_deepest)| *is_deepest) {
        let Some(task) = span.task.and_then(|task| facts.task(task)) else { continue };
        let is_needed = || has_to_end(facts, task) || needed.contains(&task);
        if !stuck.contains(&task) && is_unexplained(facts, task, span) && is_needed() {
            places.entry(span.site).or_default().push((task, span));
        }
    }
    places.into_iter().filter_map(|(site, tasks)| verdict(facts, site, &tasks)).collect()
}

/// The indices of the tasks that hold a lock or a permit that a task that has to end waits for.
fn needed_holders(facts: &Facts<'_>) -> OrderedSet<usize> {
    let snapshot = facts.snapshot;
    let needs = |wait: &&Wait| {
        is_active(wait)
            && wait.since_ns >= SUSPECT_NS
            && facts.task_of(wait).is_some_and(|task| has_to_end(facts, task))
    };
    let waits = snapshot.waits.iter().inspect(|_| step()).filter(needs);
    let resources: OrderedSet<usize> = waits.filter_map(|wait| facts.resource_of(wait)).collect();
    let holdings = resources.into_iter().flat_map(|resource| &snapshot.resources[resource].holdings);
    let holdings = holdings.inspect(|_| step());
    let held = holdings.filter(|holding| holding.role == Role::Holds);
    held.filter_map(|holding| facts.task(holding.task?)).collect()
}

fn is_unexplained(facts: &Facts<'_>, task: usize, span: &Span) -> bool {
    let it = &facts.snapshot.tasks[task];
    let is_waiting = span.state == RunState::Waiting && it.state == RunState::Waiting;
    let is_old = span.since_ns.min(it.since_ns) >= SUSPECT_NS;
    let is_polled = !span.is_set_aside && !span.is_detached && !it.is_unstable;
    let is_explained = facts.waits_of_task[task].iter().any(|&wait| is_active(&facts.snapshot.waits[wait]));
    let site = facts.snapshot.site(span.site);
    let is_between = site.is_some_and(|site| site.kind == SiteKind::Await && waits_between_tasks(&site.name));
    is_waiting && is_old && is_polled && !is_explained && is_between
}

/// Returns whether the text of an await ends with one of those calls.
fn waits_between_tasks(text: &str) -> bool {
    let call = text.strip_suffix(".await").unwrap_or(text);
    let Some((receiver, method)) = call.rsplit_once('.') else { return false };
    let variable = receiver.rsplit(['.', ' ', '&', '*', '(']).next().unwrap_or_default();
    let is_outside = || {
        variable.rsplit('_').next().is_none_or(|last| !BETWEEN.contains(&last))
            && variable.split('_').any(|part| OUTSIDE.contains(&part))
    };
    method.split_once('(').is_some_and(|(name, arguments)| {
        let only_if = if arguments == ")" { &WITHOUT_ARGUMENTS[..] } else { &WITH_ARGUMENTS };
        (BETWEEN_TASKS.contains(&name) || only_if.contains(&name))
            && !(OF_CONNECTIONS.contains(&name) && is_outside())
    })
}

fn verdict(facts: &Facts<'_>, site: SiteIndex, tasks: &[(usize, &Span)]) -> Option<Verdict> {
    let place = facts.place_of_site(site);
    let link = |&(task, span): &(usize, &Span)| {
        facts.task_link(task, place.as_ref(), LinkRole::Waits, span.since_ns)
    };
    let longest_ns = tasks.iter().map(|(_, span)| span.since_ns).max()?;
    let (first, _) = tasks.first()?;
    let name = printable(&facts.snapshot.site(site)?.name);
    let (others, longest) = match tasks.len() - 1 {
        0 => (" is".to_owned(), ""),
        others => (format!(" and {} are", counted(others as u64, "other task")), "longest "),
    };
    let sentence = format!(
        "{}{others} waiting in `{name}`{} ({longest}{}), and no record explains the wait",
        facts.task_words(facts.snapshot.tasks[*first].id),
        at(place.as_ref()),
        time(longest_ns),
    );
    let chain = tasks.iter().take(MAX_TASKS).map(link).collect();
    let mut verdict = warning(VerdictKind::Starved, Confidence::Suspect, chain, sentence);
    verdict.victims = tasks.iter().skip(MAX_TASKS).map(|(task, _)| facts.snapshot.tasks[*task].id).collect();
    Some(verdict)
}

#[cfg(test)]
mod tests {
    use super::waits_between_tasks;

    #[test]
    fn a_call_that_waits_for_tasks_is_recognized_by_its_last_method() {
        for text in [
            "rx.recv().await",
            "self.lock.lock().await",
            "queue.recv_many(&mut v, 8).await",
            "map.read().await",
            "pool.get().await",
            "self.conn.lock().await",
            "conn_rx.recv().await",
            "conn_pool.get().await",
            "connections_tx.send(it).await",
            "self.jobs.send(job).await",
        ] {
            assert!(waits_between_tasks(text), "{text}");
        }
        for text in [
            "listener.accept().await",
            "file.read(&mut buf).await",
            "run(rx).await",
            "reply.await",
            "lock(a).await",
            "sigterm.recv().await",
            "sigterm_stream.recv().await",
            "socket.send(message).await",
            "conn.ready().await",
            "self.on_hangup.recv().await",
            "socket.recv().await",
            "stream.next().await",
            "client.get(url).send().await",
            "redis.get(key).await",
        ] {
            assert!(!waits_between_tasks(text), "{text}");
        }
    }
}
