//! Finds the futures that cannot have left their task, by their place in memory.
//!
//! ```text
//! memory of the root ─┬ a future pinned in it                   confined, even if it is set aside
//!                     ├ a box that is awaited ── pinned in it   confined
//!                     ├ a box that a macro or a library polls   awaited: with it as a rule
//!                     └ a box that is set aside                 may be in another task by now
//!                       └ a future pinned in it                 moves along
//! ```
//! A boxed future can move to another task through anything that is not recorded. Its new task is
//! known only once it polls the future. Code that polls a future for a body, such as `join_all` or
//! the code behind a `Pin<Box<dyn Future>>`, usually owns it, but may share it.

use std::collections::BTreeMap;
use std::ops::Range;

use super::capture_context::TaskTable;
use super::numbers::Index;
use super::span_order::{SpanPlace, Spans};
use super::task_copy::TaskCopy;
use crate::live::{Memory, RunState};
use crate::site::{FutureKind, Site, SiteKind};

/// The usual size of a stack.
const STACK_BYTES: u64 = 8 << 20;

/// The memory of the futures that cannot leave their task, and which spans are among these.
#[derive(Debug)]
pub(super) struct Confined<'a> {
    /// With the memory of each root.
    tasks: &'a TaskTable,
    spans: &'a Spans,
    /// Positions of spans by their numbers.
    by_number: Index,
    /// By position of the span.
    stays: Vec<Stay>,
    /// Memory outside of roots, by first address.
    blocks: BTreeMap<u64, Block>,
}

/// Memory of a span that its task awaits.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// The address after the last.
    end: u64,
    /// The number of the task.
    task: u64,
    stay: Stay,
}

/// Whether a span is where its task polled it last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stay {
    /// It may be anywhere.
    Unknown,
    /// Its task awaits it, through code that may share it.
    Awaited,
    /// It cannot have left.
    Confined,
}

/// The task that polled a span last.
#[derive(Debug, Clone, Copy)]
pub(super) struct LastPolled {
    /// The number of the task; 0 if it is unknown or done.
    pub(super) task: u64,
    /// Whether the span is still with that task.
    pub(super) stay: Stay,
    /// Its current await, if that has a node.
    pub(super) at: Option<&'static Site>,
}

/// The facts about a parent that decide where a span can be.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct ParentSpan {
    span: u64,
    since: u64,
    /// Whether it is at an await of something that is not a span.
    is_at_await: bool,
    /// Whether this is such an await, or an arm of a macro.
    is_await: bool,
    is_set_aside: bool,
    stay: Stay,
}

impl<'a> Confined<'a> {
    pub(super) fn new(spans: &'a Spans, tasks: &'a TaskTable) -> Self {
        let (by_number, blocks) = (spans.index(), BTreeMap::new());
        let stays = Vec::with_capacity(spans.len());
        let mut confined = Self { tasks, spans, by_number, stays, blocks };
        // The rows above the current one, with their numbers.
        let mut above: Vec<(usize, ParentSpan)> = Vec::new();
        for (row, spot) in spans.iter().enumerate() {
            let task = spot.task.map(|task| &tasks.all[task]);
            while above.last().is_some_and(|(row, _)| Some(*row) != spot.parent) {
                above.pop();
            }
            let around = above.last().map(|(_, around)| *around);
            let stay = task.map_or(Stay::Unknown, |task| confined.stay(&spot, around, task));
            let task = task.map_or(0, |task| task.id);
            let span = spot.listed.id;
            if around.is_none_or(|around| around.span != span) {
                confined.stays.push(stay);
                confined.add(spot.listed.memory, task, stay);
            }
            let around = ParentSpan {
                span,
                since: spot.listed.since,
                is_at_await: spot.listed.node.site.kind == SiteKind::Await,
                is_await: spot.node.site.kind == SiteKind::Await,
                is_set_aside: spot.is_set_aside,
                stay,
            };
            above.push((row, around));
        }
        confined
    }

    /// Returns whether the span has stayed in its task since that polled it last.
    fn stay(&self, spot: &SpanPlace, around: Option<ParentSpan>, task: &TaskCopy) -> Stay {
        let stay = self.stay_between_polls(spot, around, task);
        // The running poll may lend the futures that it does not poll to scoped threads, or move
        // them.
        let is_left_out = task.doing == RunState::Running && spot.listed.state == RunState::Waiting;
        if is_left_out { stay.min(Stay::Awaited) } else { stay }
    }

    /// Like the check above, assuming that the code that runs now moves no box.
    fn stay_between_polls(&self, spot: &SpanPlace, around: Option<ParentSpan>, task: &TaskCopy) -> Stay {
        let site = spot.node.site;
        let is_in_body = match around {
            // The await of that body, or an arm of a macro in it.
            Some(around) => around.span == spot.listed.id || site.kind == SiteKind::Await && !site.is_direct,
            None => false,
        };
        let around_stays = around.map_or(Stay::Unknown, |around| around.stay);
        if is_in_body {
            return around_stays;
        }
        if self.has(spot.listed.memory, task.id) {
            return Stay::Confined;
        }
        // The future around was set aside, and has stopped with the same clock reading, so it
        // awaits this one.
        let is_awaited = |around: ParentSpan| {
            spot.node.via.is_some()
                && !around.is_at_await
                && around.is_set_aside
                && around.since == spot.listed.since
        };
        if !spot.is_set_aside {
            Self::stay_in_await(spot, around, task)
        } else if around.is_some_and(is_awaited) {
            around_stays
        } else {
            Stay::Unknown
        }
    }

    /// Returns whether a span stays where its task polls it. A span that the body itself awaits is
    /// borrowed until the task continues. Where awaits are not recorded, the span may have been
    /// moved later in the same poll. A future in its first poll is not listed, so the parent may be
    /// missing.
    fn stay_in_await(spot: &SpanPlace, around: Option<ParentSpan>, task: &TaskCopy) -> Stay {
        let keeps = |site: &Site| site.kind == SiteKind::Await && site.polls_at_most(FutureKind::Library);
        let is_running = spot.listed.state == RunState::Running;
        match around {
            Some(around) if around.is_at_await => {
                let is_known = spot.node.parent.is_some_and(|node| keeps(node.site));
                if is_known && around.is_await { around.stay.min(Stay::Awaited) } else { Stay::Unknown }
            }
            // The body is at the await of this span if both have stopped with the same clock
            // reading. An arm of a macro may have been polled for the last time, and moved since.
            Some(around) => match spot.node.via {
                Some(via) if !via.is_direct => around.stay.min(Stay::Awaited),
                Some(_) if is_running || around.since == spot.listed.since => around.stay,
                _ => Stay::Unknown,
            },
            None if !spot.is_detached || task.doing == RunState::Running => Stay::Confined,
            None => Stay::Unknown,
        }
    }

    /// Returns whether this memory is part of something that cannot leave the task.
    pub(super) fn has(&self, memory: Memory, task: u64) -> bool {
        self.stay_of(memory, task) == Stay::Confined
    }

    /// Returns whether the task still has what this memory is part of.
    pub(super) fn stay_of(&self, memory: Memory, task: u64) -> Stay {
        let Some(range) = memory.range() else { return Stay::Unknown };
        if self.root(task).is_some_and(|root| root.start <= range.start && range.end <= root.end) {
            return Stay::Confined;
        }
        match self.blocks.range(..=range.start).next_back() {
            Some((_, block)) if range.end <= block.end && block.task == task => block.stay,
            _ => Stay::Unknown,
        }
    }

    /// Returns whether this memory may be on the stack on which the root of the task lies, but not
    /// in it.
    pub(super) fn is_near(&self, memory: Memory, task: u64) -> bool {
        let places = memory.range().zip(self.root(task));
        let is_near = places.is_none_or(|(place, root)| place.start.abs_diff(root.start) < STACK_BYTES);
        is_near && !self.has(memory, task)
    }

    fn root(&self, task: u64) -> Option<Range<u64>> {
        self.tasks.get(task)?.memory.range()
    }

    fn add(&mut self, memory: Memory, task: u64, stay: Stay) {
        let is_new = || self.stay_of(memory, task) < stay;
        if let Some(range) = memory.range().filter(|_| is_new()) {
            self.blocks.insert(range.start, Block { end: range.end, task, stay });
        }
    }

    /// The task that polled a span last; `None` if the span is gone.
    pub(super) fn last_polled(&self, span: u64) -> Option<LastPolled> {
        let position = self.by_number.get(span)?;
        let (task, at) = self.spans.task_and_await(position)?;
        let task = task.map_or(0, |task| self.tasks.all[task].id);
        Some(LastPolled { task, stay: *self.stays.get(position)?, at })
    }
}
