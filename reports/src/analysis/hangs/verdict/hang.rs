//! A classified component, before its links and its sentence are built.

use super::types::{VerdictDetail, VerdictKind};
use crate::analysis::hangs::system::Node;

/// A stuck component with its kind, and a shortest path through it.
#[derive(Debug)]
pub(crate) struct Hang {
    pub(crate) kind: VerdictKind,
    pub(crate) detail: Option<VerdictDetail>,
    /// The nodes from a waiting task or thread on; in a cycle, back to that task or thread.
    pub(crate) path: Vec<Node>,
    /// The index of the resource, for a knot.
    pub(crate) knot: Option<usize>,
}

impl Hang {
    pub(super) fn new(kind: VerdictKind, detail: Option<VerdictDetail>, path: Vec<Node>) -> Self {
        Self { kind, detail, path, knot: None }
    }
}
