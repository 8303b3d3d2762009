//! Finds tasks that differ only in their ids and times.
//!
//! Everything that is compared gets a number, so that a comparison of two tasks compares a few
//! numbers:
//! ```text
//! text    equal text                                  1: "user=7"
//! span    site, label, state, …, the shapes below     2: [4, 9, …]   3: [5, 2, …; 2]   children in any order
//! task    site, label, state, …, its spans, sites     what is running
//! ```

use std::collections::HashMap;
use std::ptr;

use crate::model::{RunState, SiteIndex, Snapshot, Span, SpanIndex, Task, TaskKind};
use crate::sort::sort;

/// Maximum depth of nested futures that are compared.
const MAX_DEPTH: u32 = 128;

/// The shapes of spans, and a number for each text.
#[derive(Debug)]
pub(super) struct Shapes<'a> {
    /// By span index.
    spans: Vec<u32>,
    texts: HashMap<&'a str, u64>,
    /// The file of the last spawn site, and its number. Most tasks come from a few spawn sites.
    last_file: (&'a str, u64),
}

/// The shape of a span that is too deep to compare.
const TOO_DEEP: u32 = u32::MAX;

/// Numbers for equal keys, from 0 in the order of their first use.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    known: HashMap<Vec<u64>, usize>,
    /// The previous key, and its number. Neighbors are often alike.
    last: (Vec<u64>, Option<usize>),
}

impl Numbers {
    /// Returns the number of a key.
    pub(super) fn of(&mut self, key: &[u64]) -> usize {
        if let (last, Some(number)) = &self.last {
            if last == key {
                return *number;
            }
        }
        let next = self.known.len();
        let number = match self.known.get(key) {
            Some(number) => *number,
            None => *self.known.entry(key.to_vec()).or_insert(next),
        };
        self.last.0.clear();
        self.last.0.extend_from_slice(key);
        self.last.1 = Some(number);
        number
    }
}

impl<'a> Shapes<'a> {
    /// Computes the shapes of all spans. `children` returns the children of a span, which come
    /// after it; `set_aside` says which spans their tasks have stopped polling.
    pub(super) fn new<'c>(
        snapshot: &'a Snapshot,
        children: impl Fn(usize) -> &'c [usize],
        set_aside: &[bool],
    ) -> Self {
        let spans = vec![TOO_DEEP; snapshot.spans.len()];
        let mut shapes = Self { spans, texts: HashMap::new(), last_file: ("", 0) };
        let mut depths = vec![0_u32; snapshot.spans.len()];
        for number in 0..depths.len() {
            for &child in children(number) {
                depths[child] = depths[number].saturating_add(1);
            }
        }
        let mut known = Numbers::default();
        let mut key = Vec::new();
        for (number, span) in snapshot.spans.iter().enumerate().rev() {
            if depths[number] >= MAX_DEPTH {
                continue;
            }
            key.clear();
            shapes.span(&mut key, span, set_aside.get(number) == Some(&true));
            let own = key.len();
            let below = children(number).iter().map(|&child| shapes.spans[child]);
            key.extend(below.filter(|shape| *shape != TOO_DEEP).map(u64::from));
            // The branches of a `select!` may be polled in any order.
            sort(&mut key[own..]);
            shapes.spans[number] = u32::try_from(known.of(&key)).unwrap_or(TOO_DEEP);
        }
        shapes
    }

    /// Adds the properties that spans of one shape share, without their children.
    fn span(&mut self, key: &mut Vec<u64>, span: &'a Span, is_set_aside: bool) {
        let flags = u64::from(span.is_detached) << 1 | u64::from(is_set_aside);
        key.extend([span.site.get() as u64, place(span.at), span.state as u64, flags]);
        key.push(self.text(span.label.as_deref()));
    }

    /// Builds the key of the properties that tasks of one shape share. `detached` are the spans of
    /// the task whose parents are gone.
    pub(super) fn task(&mut self, key: &mut Vec<u64>, task: &'a Task, detached: &[usize]) {
        key.clear();
        key.extend([task.site.get() as u64, task.state as u64, task.kind as u64, u64::from(is_lost(task))]);
        let spawned = task.spawned_at.as_ref();
        key.extend([self.text(task.label.as_deref()), spawned.map_or(0, |it| self.file(it.file.as_str()))]);
        key.push(spawned.map_or(0, |it| u64::from(it.line) << 32 | u64::from(it.column)));
        let shape = |span: Option<usize>| span.and_then(|span| self.spans.get(span)).copied();
        key.push(shape(task.span.map(SpanIndex::get)).map_or(0, |shape| u64::from(shape) + 1));
        // Equal detached spans count once, because each request may leave one more behind.
        let mut below: Vec<u64> =
            detached.iter().filter_map(|&span| shape(Some(span))).map(u64::from).collect();
        sort(&mut below);
        below.dedup();
        key.push(below.len() as u64);
        key.extend(below);
        key.extend(task.running.iter().map(|site| site.get() as u64));
    }

    /// The number of a file.
    fn file(&mut self, file: &'a str) -> u64 {
        let (last, number) = self.last_file;
        if number == 0 || !ptr::eq(last, file) && last != file {
            self.last_file = (file, self.text(Some(file)));
        }
        self.last_file.1
    }

    /// The number of a text; 0 for `None`.
    fn text(&mut self, text: Option<&'a str>) -> u64 {
        let next = self.texts.len() as u64 + 1;
        text.map_or(0, |text| *self.texts.entry(text).or_insert(next))
    }
}

/// Returns whether nothing can wake the task: no clone of its waker is left.
pub(super) fn is_lost(task: &Task) -> bool {
    let is_sure = task.state == RunState::Waiting && !task.is_unstable;
    is_sure && task.wakers == Some(0) && task.kind == TaskKind::Future
}

/// The number of a site; 0 for `None`.
fn place(index: Option<SiteIndex>) -> u64 {
    index.map_or(0, |index| index.get() as u64 + 1)
}
