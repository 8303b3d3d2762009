//! Dependencies of futures that were set aside inside an arm of a `join!`.
//!
//! ```text
//! join! ─┬ arm: works ── waits for the lock ─▶ … ─▶ granted to a future this arm no longer polls
//!        └ arm: ticks ── a timer: its task runs on, and polls both arms
//! ```
//! A task that continues may drop anything, with one exception: a future that was set aside in an
//! arm of a `join!`. Only that arm polls the future, and the completion of another arm does not
//! drop it. So the future needs progress in its own arm, or around the `join!`. Unrecorded waits
//! can always complete.
//!
//! Nothing here is exact: another macro named `join!` may behave differently, and clones of a waker
//! are counted per task, not per arm.

use std::collections::HashSet;
use std::ops::Range;

use super::build::System;
use super::graph::NodeId;
use super::node::Node;
use crate::analysis::hangs::facts::{Facts, is_active};
use crate::model::{RunState, SiteIndex, SpanId, SpanIndex, TaskId};

/// An arm of a `join!`, with the `join!` itself.
struct Arm {
    /// The index of its span.
    index: usize,
    /// The indices of the spans in the arm, and of the spans in the `join!`.
    own: Range<usize>,
    all: Range<usize>,
}

impl Arm {
    /// Finds the innermost polled arm around the span.
    fn around(facts: &Facts<'_>, span: Option<SpanId>) -> Option<Self> {
        let snapshot = facts.snapshot;
        let is_joined = |site: SiteIndex| snapshot.site(site).is_some_and(|site| site.is_joined);
        let is_arm = |&index: &usize| {
            let span = &snapshot.spans[index];
            !span.is_set_aside
                && !span.is_detached
                && (is_joined(span.site) || span.at.is_some_and(is_joined))
        };
        let index = std::iter::successors(facts.span(span), |&index| facts.parent_of(index)).find(is_arm)?;
        let all = below(facts, facts.parent_of(index)?);
        Some(Self { index, own: below(facts, index), all })
    }

    /// Returns whether the span is in another arm of the same `join!`.
    fn is_beside(&self, index: usize) -> bool {
        self.all.contains(&index) && !self.own.contains(&index) && index != self.all.start
    }
}

/// The span and all its descendants.
fn below(facts: &Facts<'_>, index: usize) -> Range<usize> {
    let after = facts.snapshot.spans.iter().skip(index + 1);
    let count = after.take_while(|span| span.parent.is_some_and(|parent| parent.get() >= index)).count();
    index..index + 1 + count
}

impl System<'_> {
    /// The node of the `join!` arm around the span; `None` outside of a `join!`.
    pub(crate) fn join_arm_node(&mut self, task: usize, span: Option<SpanId>) -> Option<NodeId> {
        let facts = self.facts;
        let arm = Arm::around(facts, span)?;
        if self.is_exact_only() {
            return None;
        }
        if let Some(&node) = self.shared.arms.get(&arm.index) {
            return Some(node);
        }
        // The arm replaces the task as a dependency, and the task may be stuck for another reason.
        self.has_exceptions = true;
        let node = self.add_node(Node::JoinArm(arm.index), 1);
        self.shared.arms.insert(arm.index, node);
        let snapshot = facts.snapshot;
        let waits = || facts.waits_of_task[task].iter().filter(|&&wait| is_active(&snapshot.waits[wait]));
        let known: HashSet<SpanId> = waits().filter_map(|&wait| snapshot.waits[wait].span).collect();
        let it = &snapshot.tasks[task];
        let has_unknown = it.state == RunState::Waiting && !it.is_unstable && it.opaque_wakers != Some(0);
        if has_unknown || may_progress(facts, &arm, it.id, &known) {
            self.set_can_progress(node);
        }
        for &wait in waits() {
            let index = facts.span(snapshot.waits[wait].span);
            if !index.is_some_and(|index| arm.is_beside(index)) {
                self.add_alternative(node, self.wait_node(wait));
            }
        }
        Some(node)
    }
}

/// Returns whether the arm is running, or an unrecorded wait is in the arm or around its `join!`.
fn may_progress(facts: &Facts<'_>, arm: &Arm, task: TaskId, known: &HashSet<SpanId>) -> bool {
    let spans = &facts.snapshot.spans;
    let mut has_polled = HashSet::new();
    for (index, span) in spans.iter().enumerate().rev() {
        if span.is_set_aside || span.task != Some(task) {
            continue;
        }
        let is_deepest = !has_polled.contains(&index);
        has_polled.extend(span.parent.map(SpanIndex::get));
        let is_unknown = is_deepest && !known.contains(&span.id);
        let is_running = span.state == RunState::Running && arm.own.contains(&index);
        if !arm.is_beside(index) && (is_running || is_unknown) {
            return true;
        }
    }
    false
}
