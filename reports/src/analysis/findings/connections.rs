//! Requests in the task of a connection: between a read and a write, or in a call of a server.
//!
//! ```text
//! connection   read_line ─▶ handle ─▶ write_all        a socket, read and written by the program
//! connection   framed.next ─▶ handle ─▶ framed.send    a channel has two ends with two names
//! connection   serve_connection ─▶ handle              the server reads and writes
//! ```

use std::cmp::Ordering;

use super::events::{is_socket_read, is_socket_write, is_write};
use super::facts::Facts;
use super::unlisted_lock::last_name;
use crate::model::{Site, SiteKind};
use crate::ordered::OrderedSet;

/// Methods that read from, and write to, a socket that is a stream and a sink of messages.
const RECEIVES: [&str; 3] = [".next(", ".recv(", ".try_next("];
const SENDS: [&str; 3] = [".feed(", ".send(", ".send_all("];
/// Words in the names of sockets and their halves.
const SOCKETS: [&str; 10] =
    ["conn", "connection", "peer", "sink", "socket", "stream", "tcp", "wr", "writer", "ws"];
/// Methods that write bytes or frames.
const WRITES: [&str; 7] = [
    ".flush(",
    ".write(",
    ".write_all(",
    ".write_all_buf(",
    ".write_buf(",
    ".write_frame(",
    ".write_vectored(",
];

/// Returns whether a node is between the `read` of a request and the `write` of its answer.
pub(super) fn is_between_read_and_write(facts: &Facts<'_>, node: usize) -> bool {
    connection(facts, node).is_some()
}

/// Returns whether a node is in a handler that the server of a connection calls, as in hyper.
pub(super) fn is_served(facts: &Facts<'_>, node: usize) -> bool {
    std::iter::once(node).chain(facts.tree.ancestors(node)).any(|node| is_server_call(facts, node))
}

/// Returns whether a node is such a handler.
pub(super) fn is_server_call(facts: &Facts<'_>, node: usize) -> bool {
    let site = facts.node(node).site;
    let around = facts.tree.ancestors(node).next().and_then(|around| facts.site(around));
    around.is_some_and(|it| it.kind == SiteKind::Await && it.name.contains(".serve_connection"))
        && (facts.has_ends(site) || facts.is_overloaded(site))
}

/// The function that reads a request before a node, and writes its answer after it, about as often:
/// that of a connection, not of a stage between two channels or streams.
pub(super) fn connection(facts: &Facts<'_>, node: usize) -> Option<usize> {
    if !facts.is_await(node) && exchanges(facts, node, None) {
        return Some(node);
    }
    let mut below = node;
    facts.tree.ancestors(node).find(|&above| {
        let below = std::mem::replace(&mut below, above);
        // The place of a function is not that of its call.
        let between = facts.site(below).filter(|_| facts.is_await(below));
        !facts.is_await(above) && exchanges(facts, above, between)
    })
}

/// Returns whether a function reads from a socket before an await, and writes to one after it,
/// about as often. Without an await: whether it writes after the read that it makes most.
fn exchanges(facts: &Facts<'_>, function: usize, between: Option<&Site>) -> bool {
    let awaits = || {
        let children = facts.tree.children[function].iter().filter(|&&child| facts.is_await(child));
        children.filter_map(|&child| Some((facts.node(child).calls, facts.site(child)?)))
    };
    let may_read = |it: &Site| is_socket_read(&it.name) || variable(&it.name, &RECEIVES).is_some();
    let reads_most = || awaits().filter(|it| may_read(it.1)).max_by_key(|it| it.0).map(|it| it.1);
    let Some(split) = between.or_else(reads_most) else { return false };
    let order = |it: &Site| {
        let place = |site: &Site| (site.place.line, site.place.column);
        (it.place.file == split.place.file).then(|| place(it).cmp(&place(split)))
    };
    let is_before = |it: &Site| match order(it) {
        Some(Ordering::Equal) => between.is_none(),
        order => order == Some(Ordering::Less),
    };
    let is_after = |it: &Site| order(it) == Some(Ordering::Greater);
    let sockets = |is_it: &dyn Fn(&Site) -> bool, methods: &[&str]| {
        let those = awaits().filter(|it| is_it(it.1));
        those.filter_map(|it| variable(&it.1.name, methods)).collect::<OrderedSet<_>>()
    };
    let (received, sent) = (sockets(&is_before, &RECEIVES), sockets(&is_after, &SENDS));
    let is_of = |it: &Site, methods: &[&str], others: &OrderedSet<&str>| {
        variable(&it.name, methods).is_some_and(|socket| others.contains(socket))
    };
    let calls_of =
        |is_it: &dyn Fn(&Site) -> bool| awaits().filter(|it| is_it(it.1)).map(|it| it.0).max().unwrap_or(0);
    let reads = calls_of(&|it| is_before(it) && (is_socket_read(&it.name) || is_of(it, &RECEIVES, &sent)));
    let writes = calls_of(&|it| is_after(it) && (is_socket_write(&it.name) || is_of(it, &SENDS, &received)));
    reads > 0 && writes >= reads / 2 && reads >= writes / 2
}

/// The variable or field whose method is called: `self.ws` of `self.ws.next().await`.
fn variable<'a>(text: &'a str, methods: &[&str]) -> Option<&'a str> {
    let at = methods.iter().filter_map(|method| text.find(method)).min()?;
    let is_in_path = |it: char| it.is_alphanumeric() || it == '_' || it == '.';
    text[..at].rsplit(|it| !is_in_path(it)).next().filter(|path| !path.is_empty())
}

/// Returns whether it writes to a socket, whose client may read slowly: not to a file by its name,
/// and not by a method that clients and writers of all kinds have, unless its name is a socket's.
pub(super) fn is_for_reader(text: &str) -> bool {
    let at = WRITES.iter().filter_map(|method| text.find(method)).min();
    is_write(text)
        && at.is_some_and(|at| {
            let mut words = last_name(&text[..at]).split('_');
            let is_common = [".flush(", ".write("].iter().any(|method| text[at..].starts_with(method));
            if is_common {
                words.any(|word| SOCKETS.contains(&word))
            } else {
                words.all(|word| word != "file")
            }
        })
}
