//! The wait graph of tasks and resources for Graphviz.
//!
//! ```text
//! task2 ──waits src/main.rs:6──▶ resource2 ──held src/main.rs:9──▶ task3
//! ```
//! Tasks are boxes, resources ellipses, blocked threads outside of tasks diamonds. Nodes of proven
//! and likely verdicts are red; an edge that is only likely is dashed. Draw it with `dot -Tsvg`.

use std::fmt::Write as _;
use std::io;

use crate::export::footer::footer;
use crate::export::wait_graph::{NodeId, wait_graph};
use crate::model::Snapshot;
use crate::units::counted;
use crate::view::View;

/// Maximum number of edges. Graphviz needs minutes for more.
const MAX_EDGES: usize = 1_000;

/// Renders the graph. It does not depend on the view.
#[allow(clippy::unnecessary_wraps, reason = "all formats share one signature")]
pub(crate) fn render(snapshot: &Snapshot, _view: View) -> io::Result<String> {
    let graph = wait_graph(snapshot, MAX_EDGES);
    let mut page = String::from("digraph waits {\n  rankdir=LR;\n  node [fontname=\"monospace\"];\n");
    for node in &graph.nodes {
        let shape = match node.id {
            NodeId::Task(_) => "box",
            NodeId::Thread(_) => "diamond",
            NodeId::Resource(_) => "ellipse",
        };
        let color = if node.is_stuck { ", color=red, fontcolor=red" } else { "" };
        // Writing to a string cannot fail.
        let _ =
            writeln!(page, "  {} [label=\"{}\", shape={shape}{color}];", name(node.id), label(&node.lines));
    }
    for edge in &graph.edges {
        let (from, to) = (name(edge.from), name(edge.to));
        let color = if edge.is_stuck { ", color=red" } else { "" };
        let style = if edge.is_likely { ", style=dashed" } else { "" };
        let _ = writeln!(page, "  {from} -> {to} [label=\"{}\"{color}{style}];", label(&edge.lines));
    }
    page.push_str("}\n");
    if graph.edges_left_out > 0 {
        let more = counted(graph.edges_left_out as u64, "edge");
        let _ = writeln!(page, "// diagnose: {more} more; the JSON report has all waits and holders");
    }
    for line in footer(snapshot) {
        let _ = writeln!(page, "// diagnose: {line}");
    }
    Ok(page)
}

/// The name of a node in the file.
pub(crate) fn name(node: NodeId) -> String {
    match node {
        NodeId::Task(id) => format!("task{id}"),
        NodeId::Thread(id) => format!("thread{id}"),
        NodeId::Resource(id) => format!("resource{id}"),
    }
}

/// Joins lines for a quoted string of the DOT language.
fn label(lines: &[String]) -> String {
    let quoted: Vec<String> =
        lines.iter().map(|line| line.replace('\\', "\\\\").replace('"', "\\\"")).collect();
    quoted.join("\\n")
}
