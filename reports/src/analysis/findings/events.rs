//! Waits for the next event: idle time that nothing could have saved.
//!
//! A loop that waits for the next message, connection or tick waits most of its time, and should.
//! Such a wait is recognized by its resource, or by the method that is awaited.

use super::facts::Facts;
use super::texts::{calls_any, calls_any_word, contains_any, last_awaited, last_call};
use crate::model::{ResourceKind, Site, SiteIndex, SiteKind};

/// Methods of std, tokio, futures and channels that wait for the next event.
const METHODS: [&str; 14] = [
    "accept",
    "borrow_and_update",
    "cancelled",
    "changed",
    "closed",
    "ctrl_c",
    "join_next",
    "notified",
    "readable",
    "recv_many",
    "select_next_some",
    "subscribe",
    "tick",
    "wait_for",
];

/// Methods that read from a connection or a channel. The next request is an event, but the answer
/// to one's own is not.
const READS: [&str; 17] = [
    "fill_buf",
    "next",
    "next_line",
    "read",
    "read_buf",
    "read_exact",
    "read_frame",
    "read_i32",
    "read_line",
    "read_u16",
    "read_u32",
    "read_u64",
    "read_u8",
    "read_until",
    "recv",
    "recv_async",
    "recv_from",
];
/// Calls without arguments that receive the next message of a stream, as in tonic and futures; and
/// the next piece of a body, as in hyper, reqwest and the multipart forms of axum.
const MESSAGES: [&str; 3] = [".message()", ".next_message()", ".try_next()"];
const BODIES: [&str; 3] = [".chunk()", ".frame()", ".next_field()"];
/// Methods and functions that read a whole body, which is that of a request unless one was sent.
const WHOLE_BODIES: [&str; 2] = ["bytes", "to_bytes"];
/// The variables from which rows of a database are read, as an answer.
const ROWS: [&str; 2] = ["cursor.", "rows."];
/// Methods that send a request to what is read from; and all whose names begin with `write_`.
const WRITES: [&str; 8] =
    ["feed", "flush", "send", "send_all", "send_async", "send_to", "write", "write_all"];

/// Calls of tokio, futures, hyper and axum that serve one event after the other. A method of one's
/// own may have such a name too.
const LOOPS: [&str; 9] = [
    ".for_each(",
    ".for_each_concurrent(",
    ".forward(",
    ".serve_connection",
    ".try_for_each(",
    "axum::serve(",
    "copy_bidirectional(",
    "io::copy(",
    "io::copy_buf(",
];

/// First words of the names of functions that wait for an event; and `read`, if nothing else tells.
pub(super) const WAITING: [&str; 14] = [
    "accept",
    "blpop",
    "brpop",
    "dequeue",
    "listen",
    "next",
    "poll",
    "pop",
    "receive",
    "recv",
    "subscribe",
    "until",
    "wait",
    "watch",
];

/// Methods of clients of databases that send a request and wait for its answer.
const REQUESTS: [&str; 9] = [
    "execute",
    "fetch_all",
    "fetch_one",
    "fetch_optional",
    "query",
    "query_async",
    "query_one",
    "query_opt",
    "query_raw",
];
/// How many calls below an await each call of it may have that serves no loop.
const MAX_CALLS: u64 = 2;

/// Functions and methods that wait for a moment.
const TIMERS: [&str; 3] = ["sleep", "sleep_until", "tick"];

/// Returns whether the waiting below a node is for the answer to a request: it reads what it has
/// asked for before, or calls a client that does. A `send` without an argument is that of an HTTP
/// client.
pub(super) fn is_for_answer(facts: &Facts<'_>, node: usize) -> bool {
    let deepest = facts.deepest_wait(node);
    let path = std::iter::once(deepest).chain(facts.tree.ancestors(deepest));
    // Up to the node, and that itself.
    let above = facts.tree.ancestors(node).next();
    let mut path = path.take_while(|&it| Some(it) != above).filter_map(|it| facts.site(it));
    path.any(|site| site.kind == SiteKind::Await && is_request(&site.name))
        || facts.site(deepest).is_some_and(|site| is_read(&site.name) && is_answer(facts, deepest, site))
}

/// Returns whether an awaited expression sends a request with a client, and waits for its answer.
pub(super) fn is_request(text: &str) -> bool {
    calls_any(text, &REQUESTS) || text.contains(".send()")
}

/// Returns whether an awaited expression reads, writes, or waits for a moment or an event: all that
/// loops do, over and over.
pub(super) fn is_repeated(text: &str) -> bool {
    !is_request(text) && (is_read(text) || is_write(text) || is_timer(text) || calls_event_method(text))
}

/// Returns whether an awaited expression tries to connect, perhaps under a timeout.
pub(super) fn is_connect(text: &str) -> bool {
    let names = ["connect", "connect_async", "connect_timeout", "connect_with", "try_connect"];
    calls_any(text, &names)
}

/// Returns whether an awaited expression accepts a connection.
pub(super) fn is_accept(text: &str) -> bool {
    calls_any(text, &["accept"])
}

/// Returns whether an awaited expression waits for a moment.
pub(super) fn is_timer(text: &str) -> bool {
    calls_any(text, &TIMERS)
}

/// Returns whether an awaited expression waits for the next moment of several, as a limit on the
/// rate of calls does, rather than for a while: also by a sleep for what is left until then.
pub(super) fn is_next_moment(text: &str) -> bool {
    let computes = ["- now", "duration_since", "elapsed", "remaining", "saturating_sub"];
    calls_any(text, &["sleep_until", "tick"])
        || text.split_once("sleep(").is_some_and(|(_, delay)| contains_any(delay, &computes))
}

/// Returns whether an awaited expression is a future that is never ready.
pub(super) fn is_pending(text: &str) -> bool {
    calls_any(text, &["pending"]) || text.contains("pending::<")
}

/// Returns whether the waiting below a node is for the next event.
pub(super) fn is_for_event(facts: &Facts<'_>, node: usize) -> bool {
    let deepest = facts.deepest_wait(node);
    facts.site(deepest).is_some_and(|site| {
        let is_read = || is_read(&site.name) || is_whole_body(&site.name);
        let reads = || is_read() || is_at(facts, site, is_channel);
        calls_event_method(&site.name)
            || is_at(facts, site, is_signal)
            || reads() && !is_answer(facts, deepest, site)
    })
}

/// Returns whether an await may be for the next event by the name of what it calls, and is not for
/// an answer: functions that wrap a `recv` are named after it. Or it serves one after the other.
pub(super) fn is_event_like(facts: &Facts<'_>, node: usize) -> bool {
    let deepest = facts.deepest_wait(node);
    calls_words(facts, deepest, &WAITING)
        || facts.site(deepest).is_some_and(|it| is_loop(&it.name))
        || looks_for_event(facts, node, deepest)
}

/// Returns whether the waiting below a node is a pause of a function that looks for an event again
/// and again, by a name on the way to it.
fn looks_for_event(facts: &Facts<'_>, node: usize, pause: usize) -> bool {
    let above = facts.tree.ancestors(node).next();
    let path = std::iter::once(pause).chain(facts.tree.ancestors(pause));
    let is_named = |node: usize| match facts.site(node) {
        Some(site) if site.kind == SiteKind::Await => calls_any_word(&site.name, &WAITING),
        _ => is_named_for_event(facts, facts.node(node).site),
    };
    let own_calls = facts.function(pause).map_or(0, |it| facts.node(it).calls);
    let is_repeated = facts.node(pause).calls >= own_calls.saturating_mul(2);
    facts.site(pause).is_some_and(|site| is_repeated && is_timer(&site.name))
        && path.take_while(|&it| Some(it) != above).any(is_named)
}

/// Returns whether an awaited expression serves one event after the other.
pub(super) fn is_loop(text: &str) -> bool {
    LOOPS.iter().any(|call| text.contains(call)) && !text.starts_with("self.forward(")
}

/// Returns whether a function waits for an event by its name, such as `Jobs::next_job`.
pub(super) fn is_named_for_event(facts: &Facts<'_>, function: SiteIndex) -> bool {
    facts.snapshot.site(function).is_some_and(|site| {
        let name = site.name.rsplit(':').next().unwrap_or_default();
        WAITING.contains(&name.split('_').next().unwrap_or(name))
    })
}

/// Like [`is_event_like`], also for functions named after a `read`, which may be one of a database.
pub(super) fn is_event_or_read_like(facts: &Facts<'_>, node: usize) -> bool {
    is_event_like(facts, node) || calls_words(facts, facts.deepest_wait(node), &["read"])
}

fn calls_words(facts: &Facts<'_>, node: usize, words: &[&str]) -> bool {
    facts.site(node).is_some_and(|site| calls_any_word(&site.name, words) && !is_answer(facts, node, site))
}

/// Returns whether calls go on below an await while it lasts: it serves one after the other.
pub(super) fn serves(facts: &Facts<'_>, node: usize) -> bool {
    let below = facts.tree.children[node].iter().map(|&child| facts.node(child).calls);
    below.fold(0, u64::saturating_add) > facts.node(node).calls.saturating_mul(MAX_CALLS)
}

/// Returns whether it reads bytes, lines or frames, as from a socket.
pub(super) fn is_socket_read(text: &str) -> bool {
    is_read(text) && !is_channel_read(text) && !contains_any(text, &BODIES)
}

/// Returns whether it may receive from a channel or a stream.
pub(super) fn is_channel_read(text: &str) -> bool {
    calls_any(text, &["next", "recv", "recv_async", "recv_many"]) || is_message(text)
}

/// Returns whether it receives from a stream of messages.
fn is_message(text: &str) -> bool {
    contains_any(text, &MESSAGES) && !contains_any(text, &ROWS)
}

/// Returns whether it acquires a lock. `read` and `write` of a lock have no argument.
pub(super) fn is_lock(text: &str) -> bool {
    let text = last_awaited(text);
    calls_any(text, &["lock", "lock_owned", "lock_arc"])
        || [".read().await", ".write().await", ".read_owned().await", ".write_owned().await"]
            .iter()
            .any(|call| text.ends_with(call))
}

/// Returns whether it sends to a channel, or gets a slot of it.
pub(super) fn is_channel_send(text: &str) -> bool {
    calls_any(text, &["send", "send_async", "send_timeout", "reserve", "reserve_owned", "reserve_many"])
}

/// Returns whether it gets the next job or connection: what workers that share a queue hold a lock
/// for.
pub(super) fn is_next_job(text: &str) -> bool {
    is_channel_read(text) || calls_any(text, &["accept", "recv_from"])
}

/// Returns whether it writes bytes, as to a socket.
pub(super) fn is_socket_write(text: &str) -> bool {
    is_write(text) && !calls_any(text, &["feed", "send", "send_all", "send_async"])
}

/// Returns whether an await initializes what is then there for all, or waits for the call that
/// does.
pub(super) fn is_initialization(facts: &Facts<'_>, node: usize) -> bool {
    let is_it = |text: &str| calls_any(text, &["get_or_init", "get_or_try_init"]);
    facts.site(node).is_some_and(|site| is_it(&site.name))
}

/// Returns whether an awaited expression waits for an event or a moment, by what it calls alone.
pub(super) fn waits_for_event(text: &str) -> bool {
    calls_event_method(text) || is_timer(text) || is_next_job(text)
}

/// Returns whether an awaited expression calls a method that waits for the next event.
fn calls_event_method(text: &str) -> bool {
    calls_any(text, &METHODS)
}

/// Returns whether an awaited expression calls a method that is ready for ever once its channel is
/// closed or its token is cancelled, and that returns nothing to work on.
pub(super) fn is_endless(text: &str) -> bool {
    calls_any(text, &["cancelled", "changed", "closed", "tick"])
}

/// Returns whether it reads. A `read` without an argument is that of a lock.
fn is_read(text: &str) -> bool {
    calls_any(text, &READS) && !text.contains(".read()") && !text.contains("fs::")
        || is_message(text)
        || contains_any(text, &BODIES)
}

/// Returns whether it reads a whole body: `body::to_bytes(body).await`, or `field.bytes().await`.
fn is_whole_body(text: &str) -> bool {
    last_call(text).is_some_and(|(name, _)| WHOLE_BODIES.contains(&name))
}

/// Returns whether it sends something. A `write` without an argument is that of a lock.
pub(super) fn is_write(text: &str) -> bool {
    let begins = text.contains(".write_") || text.starts_with("write_");
    (begins || calls_any(text, &WRITES)) && !text.contains(".write()")
}

/// Returns whether the function of an await has sent something before, about as often as it reads.
/// A loop that reads many times after a greeting waits for events, unless it reads the body of a
/// response.
fn is_answer(facts: &Facts<'_>, deepest: usize, site: &Site) -> bool {
    let is_request = |node: usize| {
        // Code that forwards a message reads it first.
        let is_write = |it: &Site| is_write(&it.name) && !is_read(&it.name);
        let is_before = |it: &Site| it.place.line <= site.place.line && is_write(it);
        let is_body = || contains_any(&site.name, &BODIES) || is_whole_body(&site.name);
        let is_response = |it: &Site| it.name.contains(".send()") && is_body();
        let gets = ["reqwest::get(", "client.execute(", "client.request("];
        let is_got = |it: &Site| it.place.line <= site.place.line && contains_any(&it.name, &gets);
        let reads = facts.node(deepest).calls;
        let is_each = reads <= facts.node(node).calls.saturating_mul(3) / 2;
        facts
            .site(node)
            .is_some_and(|it| is_before(it) && (is_each || is_response(it)) || is_body() && is_got(it))
    };
    let parent = facts.tree.ancestors(deepest).next();
    parent.is_some_and(|parent| facts.tree.children[parent].iter().any(|&node| is_request(node)))
}

/// Returns whether a future waits at this await now, at a resource of an accepted kind. One that
/// waits for a free slot does not: its receiver is slow.
fn is_at(facts: &Facts<'_>, site: &Site, is_kind: fn(ResourceKind) -> bool) -> bool {
    facts.kinds_waited_for(site).any(is_kind)
}

fn is_channel(kind: ResourceKind) -> bool {
    matches!(kind, ResourceKind::Mpsc | ResourceKind::Mpmc | ResourceKind::Broadcast)
}

fn is_signal(kind: ResourceKind) -> bool {
    matches!(kind, ResourceKind::Watch | ResourceKind::Notify | ResourceKind::Cancellation)
}

#[cfg(test)]
mod tests {
    use super::{calls_event_method, is_read, is_socket_read, is_write};

    #[test]
    fn a_method_counts_only_by_its_whole_name() {
        for text in ["self.listener.accept().await", "signal::ctrl_c().await", "tick()"] {
            assert!(calls_event_method(text), "{text}");
        }
        for text in ["rx.recv().await", "lines.next_line().await?", "socket.read_u64().await"] {
            assert!(is_read(text), "{text}");
        }
        for text in ["ws.try_next().await?", "stream.message().await?", "field.chunk().await?"] {
            assert!(is_read(text) && !is_socket_read(text), "{text}");
        }
        for text in ["rows.try_next().await?", "client.message(id).await", "chunk(x).await"] {
            assert!(!is_read(text), "{text}");
        }
        for text in ["tx.send(1).await", "socket.write_u64(7).await", "write_all(&bytes).await"] {
            assert!(is_write(text), "{text}");
        }
        for text in ["recvd(x).await", "self.next_id.load().await", "query(next).await", "", "read().await"] {
            assert!(!calls_event_method(text) && !is_write(text), "{text}");
        }
        for text in ["map.read().await", "map.write().await", "sender(1).await", "rewrite_all(x).await"] {
            assert!(!is_read(text) && !is_write(text), "{text}");
        }
    }
}
