//! The wait graph of tasks and resources as a Mermaid flowchart, which GitHub draws in an issue.
//!
//! ```text
//! flowchart LR
//!   task2["task 2 handle"] -- "waits src/main.rs:6<br/>1.00 s" --> resource2(["Mutex#2"])
//! ```
//! Tasks are boxes, resources rounded, blocked threads outside of tasks rhombuses. Nodes of proven
//! and likely verdicts are red; an edge that is only likely is dotted.

use std::fmt::Write as _;
use std::io;

use crate::export::footer::footer;
use crate::export::wait_graph::{GraphNode, NodeId, wait_graph};
use crate::export::wrap::shorten;
use crate::model::Snapshot;
use crate::units::counted;
use crate::view::View;

/// Maximum number of edges. Mermaid rejects more than 500 edges, and more than 50,000 characters.
const MAX_EDGES: usize = 150;
/// Maximum number of characters per line of a label.
const MAX_LINE: usize = 60;

/// Renders the graph. It does not depend on the view.
#[allow(clippy::unnecessary_wraps, reason = "all formats share one signature")]
pub(crate) fn render(snapshot: &Snapshot, _view: View) -> io::Result<String> {
    let graph = wait_graph(snapshot, MAX_EDGES);
    let mut page = String::from("flowchart LR\n");
    for node in &graph.nodes {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "  {}", shape(node));
    }
    if graph.nodes.is_empty() {
        page.push_str("  none[\"nothing waits for a recorded resource or task\"]\n");
    }
    for edge in &graph.edges {
        let (from, to) = (name(edge.from), name(edge.to));
        let (start, end) = if edge.is_likely { ("-.", ".->") } else { ("--", "-->") };
        let _ = writeln!(page, "  {from} {start} \"{}\" {end} {to}", label(&edge.lines));
    }
    if graph.edges_left_out > 0 {
        let more = counted(graph.edges_left_out as u64, "edge");
        let _ = writeln!(page, "  more[\"{more} more, in the JSON report\"]");
    }
    let stuck: Vec<String> =
        graph.nodes.iter().filter(|node| node.is_stuck).map(|node| name(node.id)).collect();
    if !stuck.is_empty() {
        page.push_str("  classDef stuck stroke:#D55E00,stroke-width:3px\n");
        let _ = writeln!(page, "  class {} stuck", stuck.join(","));
    }
    let edges = graph.edges.iter().enumerate().filter(|(_, edge)| edge.is_stuck);
    let stuck: Vec<String> = edges.map(|(index, _)| index.to_string()).collect();
    if !stuck.is_empty() {
        let _ = writeln!(page, "  linkStyle {} stroke:#D55E00,stroke-width:3px", stuck.join(","));
    }
    for line in footer(snapshot) {
        // Braces begin a directive, even in a comment.
        let _ = writeln!(page, "%% diagnose: {}", line.replace(['{', '}'], "|"));
    }
    Ok(page)
}

fn shape(node: &GraphNode) -> String {
    let (name, label) = (name(node.id), label(&node.lines));
    match node.id {
        NodeId::Task(_) => format!("{name}[\"{label}\"]"),
        NodeId::Thread(_) => format!("{name}{{\"{label}\"}}"),
        NodeId::Resource(_) => format!("{name}([\"{label}\"])"),
    }
}

fn name(node: NodeId) -> String {
    match node {
        NodeId::Task(id) => format!("task{id}"),
        NodeId::Thread(id) => format!("thread{id}"),
        NodeId::Resource(id) => format!("resource{id}"),
    }
}

/// Joins lines for a quoted text of Mermaid.
fn label(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| escape(&shorten(line, MAX_LINE))).collect();
    lines.join("<br/>")
}

/// Replaces every character that is special in Markdown, HTML or Mermaid by its character code.
fn escape(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    let is_plain = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || " .,/:_()'+-".contains(c);
    for c in line.chars() {
        if is_plain(c) {
            escaped.push(c);
        } else {
            let _ = write!(escaped, "#{};", u32::from(c));
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINE, escape, label};

    #[test]
    fn a_label_has_no_character_of_mermaids_syntax() {
        assert_eq!(escape("Vec<u8>::new()"), "Vec#60;u8#62;::new()");
        assert_eq!(escape("\"x\"; end #1 `a` | {b}"), "#34;x#34;#59; end #35;1 #96;a#96; #124; #123;b#125;");
        assert_eq!(label(&["a".repeat(100)]).chars().count(), MAX_LINE);
    }
}
