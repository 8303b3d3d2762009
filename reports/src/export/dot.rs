//! Who waits for what, and who holds it, as a graph for Graphviz.
//!
//! ```text
//! task2 ──waits src/main.rs:6──▶ resource2 ──held src/main.rs:9──▶ task3
//! ```
//! Tasks are boxes, resources ellipses, blocked threads outside of tasks diamonds. Nodes of proven
//! and likely verdicts are red; an edge that is only likely is dashed. Draw it with `dot -Tsvg`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;

use crate::analysis::hangs::words::{place, resource_name};
use crate::analysis::hangs::{Confidence, LinkNode};
use crate::clean::printable;
use crate::export::footer::footer;
use crate::model::{Attribution, Holding, Place, Role, Snapshot, Wait};
use crate::units::time;
use crate::view::View;

/// Renders the graph. It does not depend on the view.
#[allow(clippy::unnecessary_wraps, reason = "all formats share one signature")]
pub(crate) fn render(snapshot: &Snapshot, _view: View) -> io::Result<String> {
    let mut page = String::from("digraph waits {\n  rankdir=LR;\n  node [fontname=\"monospace\"];\n");
    let graph = Graph::new(snapshot);
    graph.write_nodes(&mut page);
    for wait in &snapshot.waits {
        graph.write_wait(&mut page, wait);
    }
    for (index, it) in
        snapshot.resources.iter().enumerate().filter(|(index, _)| graph.resources.contains(index))
    {
        for holding in it.holdings.iter().filter(|holding| holding.role != Role::Uses) {
            graph.write_holding(&mut page, index, holding);
        }
    }
    page.push_str("}\n");
    for line in footer(snapshot) {
        let _ = writeln!(page, "// diagnose: {line}");
    }
    Ok(page)
}

struct Graph<'a> {
    snapshot: &'a Snapshot,
    /// Ids of the tasks that wait, or that hold what is waited for.
    tasks: BTreeSet<u64>,
    threads: BTreeSet<u64>,
    /// Indices of the resources with waits.
    resources: BTreeSet<usize>,
    /// Ids of the tasks (`true`) and resources of verdicts, and of the tasks behind them.
    stuck: BTreeSet<(bool, u64)>,
}

impl<'a> Graph<'a> {
    fn new(snapshot: &'a Snapshot) -> Self {
        let mut graph = Self {
            snapshot,
            tasks: BTreeSet::new(),
            threads: BTreeSet::new(),
            resources: BTreeSet::new(),
            stuck: BTreeSet::new(),
        };
        for wait in &snapshot.waits {
            graph.resources.extend(wait.resource.filter(|&index| index < snapshot.resources.len()));
            graph.tasks.extend(wait.task.iter().chain(&wait.tasks));
            graph.threads.extend(wait.thread_id.filter(|_| wait.task.is_none()));
        }
        for &index in &graph.resources {
            for holding in
                snapshot.resources[index].holdings.iter().filter(|holding| holding.role != Role::Uses)
            {
                graph.tasks.extend(holding.task);
                graph.threads.extend(holding.thread_id.filter(|_| holding.task.is_none()));
            }
        }
        for verdict in snapshot.verdicts() {
            if verdict.confidence != Confidence::Suspect {
                graph.stuck.extend(verdict.victims.iter().map(|id| (true, *id)));
                for link in verdict.chain {
                    let is_known = matches!(link.node, LinkNode::Task | LinkNode::Resource);
                    graph.stuck.extend(is_known.then_some((link.node == LinkNode::Task, link.id)));
                }
            }
        }
        graph
    }

    fn write_nodes(&self, page: &mut String) {
        let snapshot = self.snapshot;
        let alive = snapshot.tasks.iter().filter(|task| self.tasks.contains(&task.id));
        let mut known = BTreeSet::new();
        for task in alive {
            known.insert(task.id);
            let name = snapshot.sites.get(task.site).map_or("", |site| site.name.as_str());
            let label = format!("task {} {}", task.id, printable(name));
            write_node(
                page,
                &format!("task{}", task.id),
                &label,
                "box",
                self.stuck.contains(&(true, task.id)),
            );
        }
        for id in self.tasks.difference(&known) {
            write_node(page, &format!("task{id}"), &format!("task {id}, done"), "box", false);
        }
        for thread in &self.threads {
            write_node(page, &format!("thread{thread}"), &format!("thread {thread}"), "diamond", false);
        }
        for &index in &self.resources {
            let it = &snapshot.resources[index];
            let made =
                place(it.created.as_ref()).map(|place| format!("\\n{}", quoted(&place))).unwrap_or_default();
            let label = format!("{}{made}", quoted(&resource_name(it)));
            let is_stuck = self.stuck.contains(&(false, it.id));
            write_raw(page, &format!("resource{}", it.id), &label, "ellipse", is_stuck);
        }
    }

    fn write_wait(&self, page: &mut String, wait: &Wait) {
        let from = match (wait.task, wait.thread_id) {
            (Some(task), _) => format!("task{task}"),
            (None, Some(thread)) => format!("thread{thread}"),
            (None, None) => return,
        };
        let verb = if wait.is_granted { "granted" } else { "waits" };
        let mut label = edge_label(verb, wait.place.as_ref());
        let _ = write!(label, "\\n{}", time(wait.since_ns));
        let is_stuck = wait.task.is_some_and(|task| self.stuck.contains(&(true, task)));
        let mut to: Vec<String> = wait.tasks.iter().map(|task| format!("task{task}")).collect();
        if let Some(it) = wait.resource.and_then(|index| self.snapshot.resources.get(index)) {
            to.push(format!("resource{}", it.id));
        }
        for to in to {
            write_edge(page, &from, &to, &label, is_stuck, false);
        }
    }

    fn write_holding(&self, page: &mut String, index: usize, holding: &Holding) {
        let to = match (holding.attribution, holding.task, holding.thread_id) {
            (Attribution::Unknown, ..) | (_, None, None) => return,
            (_, Some(task), _) => format!("task{task}"),
            (_, None, Some(thread)) => format!("thread{thread}"),
        };
        let id = self.snapshot.resources[index].id;
        let verb = match holding.role {
            Role::Holds => "held",
            Role::Sends => "sender",
            _ => "receiver",
        };
        let label = edge_label(verb, holding.place.as_ref());
        let is_stuck = self.stuck.contains(&(false, id))
            && holding.task.is_some_and(|task| self.stuck.contains(&(true, task)));
        let is_likely = holding.attribution > Attribution::Unmoved;
        write_edge(page, &format!("resource{id}"), &to, &label, is_stuck, is_likely);
    }
}

fn edge_label(verb: &str, at: Option<&Place>) -> String {
    place(at).map_or_else(|| verb.to_owned(), |place| format!("{verb} {}", quoted(&place)))
}

fn write_node(page: &mut String, id: &str, label: &str, shape: &str, is_stuck: bool) {
    write_raw(page, id, &quoted(label), shape, is_stuck);
}

fn write_raw(page: &mut String, id: &str, label: &str, shape: &str, is_stuck: bool) {
    let color = if is_stuck { ", color=red, fontcolor=red" } else { "" };
    // Writing to a string cannot fail.
    let _ = writeln!(page, "  {id} [label=\"{label}\", shape={shape}{color}];");
}

fn write_edge(page: &mut String, from: &str, to: &str, label: &str, is_stuck: bool, is_likely: bool) {
    let color = if is_stuck { ", color=red" } else { "" };
    let style = if is_likely { ", style=dashed" } else { "" };
    let _ = writeln!(page, "  {from} -> {to} [label=\"{label}\"{color}{style}];");
}

/// Escapes text for a quoted string of the DOT language.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
