//! Requests in the task of a connection: between a read and a write, or in a call of a server.
//!
//! ```text
//! connection   read_line ─▶ handle ─▶ write_all        a socket, read and written by the program
//! connection   framed.next ─▶ handle ─▶ framed.send    a channel has two ends with two names
//! connection   serve_connection ─▶ handle              the server reads and writes
//! ```

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
    let mut below = node;
    // What a function computes itself, or in a function that is not async, has no place in it.
    if !facts.is_await(node) && reads_and_writes(facts, node) {
        return Some(node);
    }
    for above in facts.tree.ancestors(node) {
        if !facts.is_await(above) && !facts.is_await(below) && reads_and_writes(facts, above) {
            return Some(above);
        }
        if !facts.is_await(above) {
            let own = facts.site(below)?;
            let children = || facts.tree.children[above].iter().copied().filter(|&child| child != below);
            let calls_of = |is: &dyn Fn(&Site) -> bool| {
                let those = children().filter(|&child| facts.site(child).is_some_and(is));
                those.map(|child| facts.node(child).calls).max().unwrap_or(0)
            };
            let at = |site: &Site| (site.place.line, site.place.column);
            let is_in_file = |it: &Site| it.kind == SiteKind::Await && it.place.file == own.place.file;
            let is_before = |it: &Site| is_in_file(it) && at(it) < at(own);
            let is_after = |it: &Site| is_in_file(it) && at(it) > at(own);
            let sockets = |is_it: &dyn Fn(&Site) -> bool, methods: &[&str]| {
                let those = children().filter_map(|child| facts.site(child)).filter(|&it| is_it(it));
                those.filter_map(|it| variable(&it.name, methods)).collect::<OrderedSet<_>>()
            };
            let (received, sent) = (sockets(&is_before, &RECEIVES), sockets(&is_after, &SENDS));
            let is_of = |it: &Site, methods: &[&str], others: &OrderedSet<&str>| {
                variable(&it.name, methods).is_some_and(|socket| others.contains(socket))
            };
            let is_read = |it: &Site| is_socket_read(&it.name) || is_of(it, &RECEIVES, &sent);
            let is_write = |it: &Site| is_socket_write(&it.name) || is_of(it, &SENDS, &received);
            let reads = calls_of(&|it| is_before(it) && is_read(it));
            let writes = calls_of(&|it| is_after(it) && is_write(it));
            if reads > 0 && writes >= reads / 2 && reads >= writes / 2 {
                return Some(above);
            }
        }
        below = above;
    }
    None
}

/// Returns whether a function reads from a socket and writes to one after that, about as often.
fn reads_and_writes(facts: &Facts<'_>, function: usize) -> bool {
    let awaits = || facts.tree.children[function].iter().copied().filter(|&child| facts.is_await(child));
    let those = |is_it: fn(&str) -> bool| {
        awaits().filter_map(move |it| facts.site(it).filter(|site| is_it(&site.name)).map(|site| (it, site)))
    };
    let Some((read, first)) = those(is_socket_read).max_by_key(|it| facts.node(it.0).calls) else {
        return false;
    };
    let is_after = |site: &Site| {
        site.place.file == first.place.file
            && (site.place.line, site.place.column) > (first.place.line, first.place.column)
    };
    let writes = those(is_socket_write).filter(|it| is_after(it.1)).map(|it| facts.node(it.0).calls).max();
    let (reads, writes) = (facts.node(read).calls, writes.unwrap_or(0));
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
