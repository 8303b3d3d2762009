//! Where slots come from: chunks that are never freed, a table of free slots, and a few at hand on each thread.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::slot::{Anchor, Listed, Slot};
use crate::sync::Mutex;

/// So many slots are made at once.
const CHUNK: usize = 512;
/// So many spans can be listed at the same time, in 64 MB; further ones are timed but not listed, and counted.
const MAX_SLOTS: usize = 1 << 20;
/// So many free slots a thread keeps for itself.
const MAX_CACHED: usize = 64;

/// One slot on a cache line of its own.
#[derive(Debug)]
#[repr(align(64))]
struct Line(Anchor);

struct Slab {
    chunks: Vec<&'static [Line]>,
    /// With room for all slots that there are.
    free: Vec<&'static Anchor>,
}

static SLAB: Mutex<Slab> = Mutex::new(Slab { chunks: Vec::new(), free: Vec::new() });

/// Spans that found no slot.
static OVER: AtomicU64 = AtomicU64::new(0);

/// The free slots that a thread has at hand: the first so many.
#[derive(Debug)]
pub(crate) struct Cache {
    slots: [Cell<Option<&'static Anchor>>; MAX_CACHED],
    count: Cell<usize>,
}

impl Cache {
    pub(crate) const fn new() -> Self {
        Self { slots: [const { Cell::new(None) }; MAX_CACHED], count: Cell::new(0) }
    }

    #[inline]
    fn pop(&self) -> Option<&'static Anchor> {
        let count = self.count.get().checked_sub(1)?;
        self.count.set(count);
        self.slots.get(count)?.get()
    }

    /// Returns whether there was room.
    #[inline]
    fn push(&self, anchor: &'static Anchor) -> bool {
        let count = self.count.get();
        let Some(slot) = self.slots.get(count) else { return false };
        slot.set(Some(anchor));
        self.count.set(count + 1);
        true
    }
}

/// A slot for a span, most often one that has just become pending. `None` if all are taken.
#[inline]
pub(crate) fn take(cache: &Cache, listed: &Listed) -> Option<&'static Anchor> {
    let anchor = cache.pop().or_else(|| fill(cache))?;
    anchor.slot()?.occupy(listed);
    Some(anchor)
}

/// Takes a slot back whose span is gone.
#[inline]
pub(crate) fn put(cache: &Cache, anchor: &'static Anchor) {
    if let Some(slot) = anchor.slot() {
        slot.vacate();
        if !cache.push(anchor) {
            give_back(cache);
            cache.push(anchor);
        }
    }
}

/// Returns all that a thread has at hand.
#[cold]
pub(crate) fn give_back(cache: &Cache) {
    if cache.count.get() == 0 {
        return;
    }
    let mut slab = SLAB.lock();
    slab.free.extend(std::iter::from_fn(|| cache.pop()));
}

/// Puts some free slots at hand, and takes one of them.
#[cold]
fn fill(cache: &Cache) -> Option<&'static Anchor> {
    let mut slab = SLAB.lock();
    if slab.free.is_empty() {
        slab.grow();
    }
    let rest = slab.free.len().saturating_sub(MAX_CACHED / 2);
    for anchor in slab.free.drain(rest..) {
        cache.push(anchor);
    }
    drop(slab);
    let taken = cache.pop();
    if taken.is_none() {
        OVER.fetch_add(1, Relaxed);
    }
    taken
}

impl Slab {
    fn grow(&mut self) {
        let size = self.chunks.len() * CHUNK;
        if size >= MAX_SLOTS {
            return;
        }
        let lines: Vec<Line> = (0..CHUNK).map(|_| Line(Anchor::Live(Slot::free()))).collect();
        let lines: &'static [Line] = Vec::leak(lines);
        // So that nothing that gives slots back allocates.
        self.free.reserve(size + CHUNK);
        self.free.extend(lines.iter().map(|Line(anchor)| anchor));
        self.chunks.push(lines);
    }
}

/// Every slot there is, taken or free.
pub(crate) fn all() -> impl Iterator<Item = &'static Slot> {
    let chunks = SLAB.lock().chunks.clone();
    chunks.into_iter().flatten().filter_map(|Line(anchor)| anchor.slot())
}

/// How many spans were not listed, because all slots were taken.
pub(crate) fn over() -> u64 {
    OVER.load(Relaxed)
}

#[cfg(test)]
mod tests {
    use super::Line;

    #[test]
    fn a_slot_is_a_cache_line() {
        assert_eq!(size_of::<Line>(), 64);
    }
}
