//! The wait graph of tasks and resources, as nodes and edges for the formats that draw it.
//!
//! ```text
//! task 2 ──waits src/main.rs:6──▶ Mutex#2 ──held src/main.rs:9──▶ task 3
//! ```
//! Nodes are tasks, resources, and blocked threads outside of tasks. A large graph is cut. The
//! edges of verdicts are kept first, then the longest waits, each with both of its nodes.

use std::cmp::Reverse;

use crate::analysis::hangs::words::{place, resource_name};
use crate::analysis::hangs::{Confidence, Link, LinkNode};
use crate::clean::printable;
use crate::model::{Attribution, Holding, Place, ResourceId, Role, Snapshot, TaskId, Wait};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::sort::sort_by_key;
use crate::units::time;

/// The record behind a node. The order is that of the nodes in a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NodeId {
    Task(TaskId),
    /// The kernel id of a thread.
    Thread(u64),
    Resource(ResourceId),
}

/// A node.
#[derive(Debug)]
pub(crate) struct GraphNode {
    pub(crate) id: NodeId,
    /// Its label, one line each, safe to print.
    pub(crate) lines: Vec<String>,
    /// Whether it is part of a proven or likely verdict.
    pub(crate) is_stuck: bool,
}

/// An edge: a wait of a task or thread for a resource, or a holding of a resource by a task or
/// thread.
#[derive(Debug)]
pub(crate) struct GraphEdge {
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    /// Its label, one line each, safe to print.
    pub(crate) lines: Vec<String>,
    pub(crate) is_stuck: bool,
    /// Whether the holder is only a likely one.
    pub(crate) is_likely: bool,
    /// Length of the wait in ns; for a holding, the length of the longest wait for its resource.
    since_ns: u64,
}

/// The graph.
#[derive(Debug)]
pub(crate) struct WaitGraph {
    /// Nodes by id.
    pub(crate) nodes: Vec<GraphNode>,
    /// Waits in the order of the snapshot, then holdings in the order of their resources.
    pub(crate) edges: Vec<GraphEdge>,
    /// Number of edges beyond the maximum.
    pub(crate) edges_left_out: usize,
}

/// The ids of nodes in proven and likely verdicts, and of the tasks behind them.
fn stuck_nodes(snapshot: &Snapshot) -> OrderedSet<NodeId> {
    let mut stuck = OrderedSet::new();
    for verdict in snapshot.verdicts() {
        if verdict.confidence == Confidence::Suspect {
            continue;
        }
        let chain = || verdict.chain.iter();
        let tasks = verdict.victims.iter().copied().chain(chain().filter_map(Link::task));
        stuck.extend(tasks.map(NodeId::Task));
        stuck.extend(chain().filter_map(Link::resource).map(NodeId::Resource));
        let threads = chain().filter(|link| link.node == LinkNode::Thread);
        stuck.extend(threads.map(|link| NodeId::Thread(link.id)));
    }
    stuck
}

/// Collects the graph, with at most `max_edges` edges.
pub(crate) fn wait_graph(snapshot: &Snapshot, max_edges: usize) -> WaitGraph {
    let stuck = stuck_nodes(snapshot);
    let mut edges: Vec<GraphEdge> = Vec::new();
    let mut longest_ns = OrderedMap::<ResourceId, u64>::new();
    for wait in &snapshot.waits {
        add_wait(&mut edges, snapshot, &stuck, wait);
        if let Some(resource) = wait.resource {
            let longest_ns = longest_ns.entry(resource).or_default();
            *longest_ns = wait.since_ns.max(*longest_ns);
        }
    }
    // Holders of resources that nothing waits for are not part of the graph.
    for &(resource, since_ns) in &longest_ns {
        let Some(it) = snapshot.resource(resource) else { continue };
        for holding in it.holdings.iter().filter(|holding| holding.role != Role::Uses) {
            edges.extend(holding_edge(&stuck, it.id, holding, since_ns));
        }
    }
    let edges_left_out = edges.len().saturating_sub(max_edges);
    if edges_left_out > 0 {
        let mut order: Vec<usize> = (0..edges.len()).collect();
        sort_by_key(&mut order, |&index| (!edges[index].is_stuck, Reverse(edges[index].since_ns), index));
        let drawn: OrderedSet<usize> = order.into_iter().take(max_edges).collect();
        let mut index = 0..;
        edges.retain(|_| index.next().is_some_and(|index| drawn.contains(&index)));
    }
    let ids: OrderedSet<NodeId> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
    WaitGraph { nodes: nodes(snapshot, &stuck, &ids), edges, edges_left_out }
}

fn nodes(snapshot: &Snapshot, stuck: &OrderedSet<NodeId>, ids: &OrderedSet<NodeId>) -> Vec<GraphNode> {
    let mut lines: OrderedMap<NodeId, Vec<String>> = OrderedMap::new();
    for task in snapshot.tasks.iter().filter(|task| ids.contains(&NodeId::Task(task.id))) {
        let name = snapshot.site(task.site).map_or("", |site| site.name.as_str());
        let line = format!("task {} {}", task.id, printable(name));
        lines.entry(NodeId::Task(task.id)).or_insert_with(|| vec![line]);
    }
    for it in snapshot.resources.iter().filter(|it| ids.contains(&NodeId::Resource(it.id))) {
        let label = [resource_name(it)].into_iter().chain(place(it.created.as_ref()));
        lines.entry(NodeId::Resource(it.id)).or_insert_with(|| label.collect());
    }
    let unknown = |id: NodeId| match id {
        NodeId::Task(id) => vec![format!("task {id}, done")],
        NodeId::Thread(id) => vec![format!("thread {id}")],
        NodeId::Resource(id) => vec![format!("resource {id}")],
    };
    ids.iter()
        .map(|&id| GraphNode {
            id,
            lines: lines.get(&id).cloned().unwrap_or_else(|| unknown(id)),
            is_stuck: stuck.contains(&id),
        })
        .collect()
}

fn add_wait(edges: &mut Vec<GraphEdge>, snapshot: &Snapshot, stuck: &OrderedSet<NodeId>, wait: &Wait) {
    let from = match (wait.task, wait.thread_id) {
        (Some(task), _) => NodeId::Task(task),
        (None, Some(thread)) => NodeId::Thread(thread),
        (None, None) => return,
    };
    let verb = if wait.is_granted { "granted" } else { "waits" };
    let lines = vec![edge_label(verb, wait.place.as_ref()), time(wait.since_ns)];
    let resource = wait.resource.and_then(|id| snapshot.resource(id));
    let targets = wait.tasks.iter().map(|task| NodeId::Task(*task));
    for to in targets.chain(resource.map(|it| NodeId::Resource(it.id))) {
        let (is_stuck, is_likely) = (stuck.contains(&from), false);
        edges.push(GraphEdge {
            from,
            to,
            lines: lines.clone(),
            is_stuck,
            is_likely,
            since_ns: wait.since_ns,
        });
    }
}

fn holding_edge(
    stuck: &OrderedSet<NodeId>,
    resource: ResourceId,
    holding: &Holding,
    since_ns: u64,
) -> Option<GraphEdge> {
    let to = match (holding.attribution, holding.task, holding.thread_id) {
        (Attribution::Unknown, ..) | (_, None, None) => return None,
        (_, Some(task), _) => NodeId::Task(task),
        (_, None, Some(thread)) => NodeId::Thread(thread),
    };
    let from = NodeId::Resource(resource);
    let verb = match holding.role {
        Role::Holds => "held",
        Role::Sends => "sender",
        _ => "receiver",
    };
    Some(GraphEdge {
        from,
        to,
        lines: vec![edge_label(verb, holding.place.as_ref())],
        is_stuck: stuck.contains(&from) && stuck.contains(&to),
        is_likely: holding.attribution > Attribution::Unmoved,
        since_ns,
    })
}

fn edge_label(verb: &str, at: Option<&Place>) -> String {
    place(at).map_or_else(|| verb.to_owned(), |place| format!("{verb} {}", printable(&place)))
}
