//! The shape of the node list, and the self time of each node.
//!
//! ```text
//! busy      |████████████████████|      handle
//!              |██████|                 read, a child
//!                        |████|         a task that a nested executor polled: nested_ns
//! self busy |██|       |█|    |███|     busy − Σ children's busy − nested_ns
//! ```

use crate::model::{Node, NodeIndex, Snapshot};

/// The nodes of a snapshot with their links and self times, all by node index.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    /// The nodes themselves, parents before children.
    pub(crate) nodes: &'a [Node],
    /// The nodes without a parent, ascending.
    pub(crate) roots: Vec<usize>,
    /// The children of each node, ascending.
    pub(crate) children: Vec<Vec<usize>>,
    /// The busy time of each node, in ns, that no other node accounts for.
    pub(crate) self_busy_ns: Vec<u64>,
}

impl<'a> Tree<'a> {
    /// Links the nodes. Times that do not add up, as after a poll during the capture, saturate at
    /// zero.
    pub(crate) fn new(snapshot: &'a Snapshot) -> Self {
        let nodes = &snapshot.nodes[..];
        let mut roots = Vec::new();
        let mut children = vec![Vec::new(); nodes.len()];
        let mut elsewhere_ns: Vec<u64> = nodes.iter().map(|node| node.nested_ns).collect();
        for (index, node) in nodes.iter().enumerate() {
            match parent(nodes, index) {
                None => roots.push(index),
                Some(parent) => {
                    children[parent].push(index);
                    elsewhere_ns[parent] = elsewhere_ns[parent].saturating_add(node.busy_ns);
                }
            }
        }
        let self_busy_ns = nodes
            .iter()
            .zip(elsewhere_ns)
            .map(|(node, elsewhere_ns)| node.busy_ns.saturating_sub(elsewhere_ns))
            .collect();
        Self { nodes, roots, children, self_busy_ns }
    }

    /// The ancestors of a node, from its parent to the root.
    pub(crate) fn ancestors(&self, index: usize) -> impl Iterator<Item = usize> + use<'a> {
        let nodes = self.nodes;
        std::iter::successors(parent(nodes, index), move |&index| parent(nodes, index))
    }

    /// The nodes from the root down to this one, which is included.
    pub(crate) fn path(&self, index: usize) -> Vec<usize> {
        let mut path: Vec<usize> = self.ancestors(index).collect();
        path.reverse();
        path.push(index);
        path
    }

    /// Whether no ancestor is `same` as the node. Only such a node adds to a cumulative time: the
    /// time of a recursive call is part of the outer one.
    pub(crate) fn is_outermost(&self, index: usize, same: impl Fn(&Node, &Node) -> bool) -> bool {
        self.ancestors(index).all(|ancestor| !same(&self.nodes[ancestor], &self.nodes[index]))
    }
}

/// The parent if it stands before the child, as the snapshot promises. So no path is endless.
fn parent(nodes: &[Node], index: usize) -> Option<usize> {
    nodes[index].parent.map(NodeIndex::get).filter(|&parent| parent < index)
}
