//! A component with its kind, before links and words are made for it.

use super::types::{VerdictDetail, VerdictKind};
use crate::analysis::hangs::system::Node;

/// What a component was classified as.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) kind: VerdictKind,
    pub(crate) detail: Option<VerdictDetail>,
    /// From a waiting task or thread; in a cycle back to it.
    pub(crate) path: Vec<Node>,
    /// The resource of a knot.
    pub(crate) knot: Option<usize>,
}

impl Finding {
    pub(super) fn new(kind: VerdictKind, detail: Option<VerdictDetail>, path: Vec<Node>) -> Self {
        Self { kind, detail, path, knot: None }
    }
}
