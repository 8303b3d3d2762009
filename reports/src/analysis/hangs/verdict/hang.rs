//! A stuck component with its kind, before its links and sentences are made.

use super::types::{VerdictDetail, VerdictKind};
use crate::analysis::hangs::system::Node;

/// A stuck component, classified, and a shortest path through it.
#[derive(Debug)]
pub(crate) struct Hang {
    pub(crate) kind: VerdictKind,
    pub(crate) detail: Option<VerdictDetail>,
    /// From a waiting task or thread; in a cycle back to it.
    pub(crate) path: Vec<Node>,
    /// The resource of a knot.
    pub(crate) knot: Option<usize>,
}

impl Hang {
    pub(super) fn new(kind: VerdictKind, detail: Option<VerdictDetail>, path: Vec<Node>) -> Self {
        Self { kind, detail, path, knot: None }
    }
}
