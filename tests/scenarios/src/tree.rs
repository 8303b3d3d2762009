//! The nodes of a snapshot by their paths.

use diagnose::model::{Node, NodeIndex, SiteKind};
use diagnose::{Format, Snapshot};

/// Returns the path of a node, `main > my_test > sleep(100).await`.
#[must_use]
pub fn path(snapshot: &Snapshot, node: &Node) -> String {
    let name = &snapshot.sites[node.site].name;
    match node.parent {
        Some(parent) => format!("{} > {name}", path(snapshot, &snapshot.nodes[parent])),
        None => name.clone(),
    }
}

/// Returns the snapshot without awaits that only repeat the span that they await.
#[must_use]
pub fn plain(snapshot: &Snapshot) -> Snapshot {
    let is_above = |index: usize, node: &Node| {
        let is_span = |child: &&Node| snapshot.sites[child.site].kind != SiteKind::Await;
        let is_await = snapshot.sites[node.site].kind == SiteKind::Await;
        is_await
            && snapshot
                .nodes
                .iter()
                .filter(|child| child.parent == Some(NodeIndex::new(index)))
                .any(|child| is_span(&child))
    };
    let mut plain = Snapshot::default();
    plain.sites.clone_from(&snapshot.sites);
    plain.tasks.clone_from(&snapshot.tasks);
    plain.spans.clone_from(&snapshot.spans);
    let mut places: Vec<Option<NodeIndex>> = Vec::new();
    for (index, node) in snapshot.nodes.iter().enumerate() {
        let parent = node.parent.and_then(|parent| places[parent.get()]);
        if node.parent.is_some() && is_above(index, node) {
            places.push(parent);
            continue;
        }
        places.push(Some(NodeIndex::new(plain.nodes.len())));
        let mut node = node.clone();
        node.parent = parent;
        plain.nodes.push(node);
    }
    plain
}

/// Returns the node with this path.
///
/// # Panics
/// If there is none, with a list of all nodes.
#[must_use]
pub fn node(snapshot: &Snapshot, wanted: &str) -> Node {
    let found = snapshot.nodes.iter().find(|node| path(snapshot, node) == wanted);
    found.cloned().unwrap_or_else(|| panic!("{wanted} is not in\n{}", lines(snapshot)))
}

/// Returns the node of the site with this name, on any path.
///
/// # Panics
/// If there is none or more than one, with a list of all nodes.
#[must_use]
pub fn named(snapshot: &Snapshot, name: &str) -> Node {
    let mut found = snapshot.nodes.iter().filter(|node| snapshot.sites[node.site].name == name);
    match (found.next(), found.next()) {
        (Some(node), None) => node.clone(),
        _ => panic!("not one {name} in\n{}", lines(snapshot)),
    }
}

/// Renders a line per node: path, calls, polls, and times in milliseconds.
#[must_use]
pub fn lines(snapshot: &Snapshot) -> String {
    let line = |node: &Node| {
        format!(
            "{}  calls {} polls {} completed {} cancelled {} busy {} idle {} own idle {} queued {} longest {}\n",
            path(snapshot, node),
            node.calls,
            node.polls,
            node.completed,
            node.cancelled,
            ms(node.busy_ns),
            ms(node.idle_ns),
            ms(node.self_idle_ns),
            ms(node.queued_ns),
            ms(node.longest_poll_ns),
        )
    };
    snapshot.nodes.iter().map(line).collect()
}

/// Returns the paths with their calls and polls, sorted.
#[must_use]
pub fn counts(snapshot: &Snapshot) -> Vec<String> {
    let line = |node: &Node| format!("{}: {} calls, {} polls", path(snapshot, node), node.calls, node.polls);
    let mut lines: Vec<String> = snapshot.nodes.iter().map(line).collect();
    lines.sort();
    lines
}

/// Returns the paths, sorted.
#[must_use]
pub fn paths(snapshot: &Snapshot) -> Vec<String> {
    let mut paths: Vec<String> = snapshot.nodes.iter().map(|node| path(snapshot, node)).collect();
    paths.sort();
    paths
}

/// Renders nanoseconds as milliseconds, with microsecond precision.
#[must_use]
#[allow(clippy::cast_precision_loss)]
pub fn ms(ns: u64) -> f64 {
    (ns / 1_000) as f64 / 1_000.0
}

/// Returns the folded stacks of a snapshot, `main;my_test;sleep(100).await;[idle]` and nanoseconds,
/// without places in the source.
///
/// # Panics
/// If a line is malformed.
#[must_use]
pub fn folded(snapshot: &Snapshot) -> Vec<(String, u64)> {
    let mut page = Vec::new();
    diagnose_reports::write(snapshot, Format::Folded.into(), &mut page).expect("a vector takes it");
    let page = String::from_utf8(page).expect("text");
    let without_place = |frame: &str| frame.split(" (tests/").next().unwrap_or(frame).to_owned();
    let lines = page.lines().filter(|line| !line.starts_with("# "));
    lines
        .map(|line| {
            let (path, value) = line.rsplit_once(' ').expect("a path and a number");
            let frames: Vec<String> = path.split(';').map(without_place).collect();
            (frames.join(";"), value.parse().expect("a number"))
        })
        .collect()
}

/// Returns the sum of all folded stacks with the given beginning and end.
#[must_use]
pub fn sum_of(folded: &[(String, u64)], begin: &str, end: &str) -> u64 {
    let is_it = |path: &str| path.starts_with(begin) && path.ends_with(end);
    folded.iter().filter(|(path, _)| is_it(path)).map(|(_, ns)| ns).sum()
}

/// Returns the text dump.
///
/// # Panics
/// If it cannot be written.
#[must_use]
pub fn text() -> String {
    let mut page = Vec::new();
    diagnose::dump_to(diagnose::Format::Text, &mut page).expect("a vector takes it");
    String::from_utf8(page).expect("text")
}

/// Returns the number of the first line that contains `text`.
///
/// # Panics
/// If there is none.
#[must_use]
pub fn line_of(source: &str, text: &str) -> usize {
    source.lines().position(|line| line.contains(text)).expect("it is there") + 1
}
