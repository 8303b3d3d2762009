//! Waits for the next event: idle time that nothing could have saved.
//!
//! A loop that waits for the next message, connection or tick waits most of its time, and should.
//! Such a wait is recognized by its resource, or by the method that is awaited.

use super::facts::Facts;
use crate::model::{ResourceKind, Site, WaitMode};

/// Methods of std, tokio, futures and channels that wait for the next event.
const METHODS: [&str; 20] = [
    "accept",
    "borrow_and_update",
    "cancelled",
    "changed",
    "closed",
    "ctrl_c",
    "join_next",
    "next",
    "next_line",
    "notified",
    "read_line",
    "readable",
    "recv",
    "recv_async",
    "recv_from",
    "recv_many",
    "select_next_some",
    "subscribe",
    "tick",
    "wait_for",
];

/// Methods that read from a connection. The next request is an event, but the answer to one's own
/// is not.
const READS: [&str; 10] = [
    "fill_buf",
    "read",
    "read_buf",
    "read_exact",
    "read_i32",
    "read_u16",
    "read_u32",
    "read_u64",
    "read_u8",
    "read_until",
];
/// Methods that send a request to what is read from.
const WRITES: [&str; 6] = ["flush", "send", "send_to", "write", "write_all", "write_buf"];

/// Whether the waiting below a node is for the next event.
pub(super) fn is_for_event(facts: &Facts<'_>, node: usize) -> bool {
    let leaf = facts.waiting_leaf(node);
    facts.site(leaf).is_some_and(|site| {
        calls_event_method(&site.name) || is_at_channel(facts, site) || reads_request(facts, leaf, site)
    })
}

/// Whether an awaited expression calls a method that waits for the next event.
fn calls_event_method(text: &str) -> bool {
    calls_any(text, &METHODS)
}

/// Whether an await reads, and its function has not written before.
fn reads_request(facts: &Facts<'_>, leaf: usize, site: &Site) -> bool {
    // A `read` without an argument is that of a lock.
    let reads = calls_any(&site.name, &READS) && !site.name.contains(".read()");
    let writes_before = |node: usize| {
        let other = facts.site(node);
        other.is_some_and(|it| it.place.line <= site.place.line && calls_any(&it.name, &WRITES))
    };
    let parent = facts.tree.ancestors(leaf).next();
    reads && !parent.is_some_and(|parent| facts.tree.children[parent].iter().any(|&node| writes_before(node)))
}

/// Whether a text calls one of these methods.
fn calls_any(text: &str, methods: &[&str]) -> bool {
    methods.iter().any(|method| {
        text.match_indices(method).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + method.len()..].chars().next();
            matches!(before, None | Some('.' | ':')) && after == Some('(')
        })
    })
}

/// Whether a future that waits at this await now waits for a message or a notification. One that
/// waits for a free slot does not: its receiver is slow.
fn is_at_channel(facts: &Facts<'_>, site: &Site) -> bool {
    let snapshot = facts.snapshot;
    snapshot.waits.iter().any(|wait| {
        let resource = wait.resource.and_then(|resource| snapshot.resource(resource));
        let is_event = resource.is_some_and(|it| {
            matches!(
                it.kind,
                ResourceKind::Mpsc
                    | ResourceKind::Mpmc
                    | ResourceKind::Broadcast
                    | ResourceKind::Watch
                    | ResourceKind::Notify
                    | ResourceKind::Cancellation
            )
        });
        let last = site.end_line.max(site.place.line);
        is_event
            && wait.mode != WaitMode::Send
            && wait.place.as_ref().is_some_and(|place| {
                place.file == site.place.file && (site.place.line..=last).contains(&place.line)
            })
    })
}

#[cfg(test)]
mod tests {
    use super::calls_event_method;

    #[test]
    fn a_method_counts_only_by_its_whole_name() {
        for text in ["rx.recv().await", "self.listener.accept().await", "signal::ctrl_c().await", "tick()"] {
            assert!(calls_event_method(text), "{text}");
        }
        for text in ["recvd(x).await", "self.next_id.load().await", "query(next).await", "", "read().await"] {
            assert!(!calls_event_method(text), "{text}");
        }
    }
}
