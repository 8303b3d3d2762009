//! Orders spans depth first, each below the span that polled it last.

use diagnose_reports::sort::sort_by_key;

use super::capture_context::TaskTable;
use super::draining::Draining;
use super::numbers::Index;
use crate::live::{self, SlotCopy};
use crate::site::{Site, SiteKind};
use crate::tree::Node;

/// Copies of spans, and their order.
#[derive(Debug, Default)]
pub(super) struct Spans {
    /// Depth first, parents before children.
    listed: Vec<SlotCopy>,
    /// The places of `listed`.
    placed: Vec<PlacedSpan>,
    /// The number of rows: a span at an await of its own has two.
    rows: u32,
}

/// The place of a span in the order. Kept small: there may be millions.
#[derive(Debug, Clone, Copy)]
struct PlacedSpan {
    /// The number of its row. The row of its current await is the next.
    row: u32,
    /// The row of its parent.
    parent: u32,
    /// Index of the task.
    task: u32,
    is_detached: bool,
    is_set_aside: bool,
}

/// Marks a missing index.
const NONE: u32 = u32::MAX;

/// A row: a span, or its current await.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpanPlace {
    pub(super) listed: SlotCopy,
    /// The node of the span, or of its current await.
    pub(super) node: &'static Node,
    pub(super) parent: Option<usize>,
    /// Index of the task.
    pub(super) task: Option<usize>,
    /// Whether the span that polled it last is gone.
    pub(super) is_detached: bool,
    /// Whether its task was polled since without polling it.
    pub(super) is_set_aside: bool,
}

impl Spans {
    /// Orders spans below their parents. A span whose parent is gone becomes a detached root.
    pub(super) fn new(mut listed: Vec<SlotCopy>, table: &TaskTable) -> Self {
        let tasks = &table.all;
        // A span is listed after the spans below it, so its number gives the better order of
        // siblings.
        sort_by_key(&mut listed, |span| span.id);
        let by_number = Index::new(listed.iter().map(|span| span.id));
        let mut below = ChildLists { last: vec![NONE; listed.len()], before: vec![NONE; listed.len()] };
        let mut roots = Vec::new();
        for (number, span) in (0..).zip(&listed) {
            match by_number.get(span.parent).filter(|_| span.parent != 0) {
                Some(parent) => below.push(parent, number),
                None => roots.push(number),
            }
        }
        let own = Index::new(tasks.iter().map(|task| task.span));
        let count = listed.len();
        let mut spans = Self { listed, placed: Vec::with_capacity(count), rows: 0 };
        let mut order = Vec::with_capacity(count);
        let mut open = Vec::new();
        for root in roots {
            let span = &spans.listed[root as usize];
            // The task that polled it last, if that is not done.
            let last = || table.position(span.task).filter(|task| span.parent != 0 && tasks[*task].span != 0);
            let task = own.get(span.id).or_else(last);
            let entered = task.map_or(0, |task| tasks[task].entered);
            let task = task.and_then(|task| u32::try_from(task).ok()).unwrap_or(NONE);
            open.push((root, NONE));
            while let Some((number, parent)) = open.pop() {
                order.push(number);
                spans.place(number, parent, (task, entered), &below, &mut open);
            }
        }
        arrange(&mut spans.listed, order);
        spans
    }

    /// Places a span, and pushes its children onto `open`.
    fn place(
        &mut self,
        number: u32,
        parent: u32,
        (task, entered): (u32, u64),
        below: &ChildLists,
        open: &mut Vec<(u32, u32)>,
    ) {
        let span = self.listed[number as usize];
        let row = self.rows;
        // The wait began before the task's last poll.
        let is_set_aside = span.state == live::RunState::Waiting && span.since < entered;
        let is_detached = parent == NONE && span.parent != 0;
        self.placed.push(PlacedSpan { row, parent, task, is_detached, is_set_aside });
        // Futures that its current await polls are below that await.
        let has_await = body(span.node).is_some();
        self.rows += if has_await { 2 } else { 1 };
        for child in below.of(number) {
            let at = self.listed[child as usize].node;
            let node = body(at).unwrap_or(at);
            let is_below = has_await && node.parent.is_some_and(|parent| parent.key() == span.node.key());
            open.push((child, if is_below { row + 1 } else { row }));
        }
    }

    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows as usize
    }

    /// Returns the positions of spans by their numbers.
    pub(super) fn index(&self) -> Index {
        Index::new(self.listed.iter().map(|span| span.id))
    }

    /// Returns the index of the task of the span at a position, and the span's current await, if
    /// that has a row.
    pub(super) fn task_and_await(&self, position: usize) -> Option<(Option<usize>, Option<&'static Site>)> {
        let (listed, placed) = (self.listed.get(position)?, self.placed.get(position)?);
        Some((index(placed.task), body(listed.node).map(|_| listed.node.site)))
    }

    /// Returns the rows in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = SpanPlace> + Clone {
        let all = self.listed.iter().copied().zip(self.placed.iter().copied());
        all.flat_map(|(listed, placed)| placed.rows(listed))
    }

    /// Returns the rows in order. Each copy is freed as soon as it is a row.
    pub(super) fn drain(self) -> impl Iterator<Item = SpanPlace> {
        Draining::new(self.listed)
            .zip(Draining::new(self.placed))
            .flat_map(|(listed, placed)| placed.rows(listed))
    }

    /// Returns, by task, the first path that waits by itself.
    pub(super) fn waiting_nodes(&self, tasks: usize) -> Vec<Option<&'static Node>> {
        let mut nodes = vec![None; tasks];
        let mut is_detached = false;
        let mut rest = self.iter().enumerate();
        while let Some((number, spot)) = rest.next() {
            // A task does not wait for a detached span, nor for the spans below one.
            is_detached = if spot.parent.is_none() { spot.is_detached } else { is_detached };
            let is_below = |(_, next): &(usize, SpanPlace)| next.parent == Some(number);
            let mut below = rest.clone().take_while(is_below);
            let has_children = below.any(|(_, child)| child.listed.state != live::RunState::Unpolled);
            let is_waiting = spot.listed.state == live::RunState::Waiting;
            if !has_children && !is_detached && !spot.is_set_aside && is_waiting {
                if let Some(node) = spot.task.and_then(|task| nodes.get_mut(task)) {
                    *node = node.or(Some(spot.node));
                }
            }
        }
        nodes
    }
}

impl PlacedSpan {
    /// The row of the span, and the row of its current await.
    fn rows(self, listed: SlotCopy) -> impl Iterator<Item = SpanPlace> + Clone {
        let Self { row, parent, task, is_detached, is_set_aside } = self;
        let body = body(listed.node);
        let node = body.unwrap_or(listed.node);
        let own =
            SpanPlace { listed, node, parent: index(parent), task: index(task), is_detached, is_set_aside };
        let awaits = SpanPlace { node: listed.node, parent: index(row), is_detached: false, ..own };
        std::iter::once(own).chain(body.map(|_| awaits))
    }
}

fn index(number: u32) -> Option<usize> {
    (number != NONE).then_some(number as usize)
}

/// Sorts spans: `order` has the old index of each. A span that is not there is left out.
fn arrange(spans: &mut Vec<SlotCopy>, mut order: Vec<u32>) {
    if order.len() != spans.len() {
        *spans = order.into_iter().map(|old| spans[old as usize]).collect();
        return;
    }
    // In place, one cycle of the permutation after the other: there may be no room for a second
    // list.
    for start in 0..spans.len() {
        let first = spans[start];
        let mut to = start;
        loop {
            let from = order[to] as usize;
            order[to] = u32::try_from(to).unwrap_or(NONE);
            if from == start || from == to {
                break;
            }
            spans[to] = spans[from];
            to = from;
        }
        spans[to] = first;
    }
}

/// The children of each span: its last child, and each child's predecessor.
struct ChildLists {
    last: Vec<u32>,
    before: Vec<u32>,
}

impl ChildLists {
    fn push(&mut self, parent: usize, child: u32) {
        self.before[child as usize] = std::mem::replace(&mut self.last[parent], child);
    }

    /// Returns the children, last first.
    fn of(&self, span: u32) -> impl Iterator<Item = u32> {
        let there = |number: u32| (number != NONE).then_some(number);
        std::iter::successors(there(self.last[span as usize]), move |child| {
            there(self.before[*child as usize])
        })
    }
}

/// Returns the node of the body, if `node` is an await in it.
fn body(node: &'static Node) -> Option<&'static Node> {
    if node.site.kind == SiteKind::Await && node.site.is_direct { node.parent } else { None }
}
