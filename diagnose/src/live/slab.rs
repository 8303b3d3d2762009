//! Where slots come from: chunks that are never freed, a list of free slots, and a few at hand on each thread.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::slot::{Anchor, Slot};
use crate::sync::Mutex;
use crate::tree::Node;

/// So many slots are made at once.
const CHUNK: usize = 512;
/// So many spans can be listed at the same time, in 64 MB; further ones are timed but not listed, and counted.
const MAX_SLOTS: usize = 1 << 20;
/// So many free slots a thread keeps for itself.
const MAX_CACHED: u32 = 64;

/// One slot on a cache line of its own.
#[derive(Debug)]
#[repr(align(64))]
struct Line(Anchor);

struct Slab {
    chunks: Vec<&'static [Line]>,
    free: Option<&'static Anchor>,
}

static SLAB: Mutex<Slab> = Mutex::new(Slab { chunks: Vec::new(), free: None });

/// Spans that found no slot.
static OVER: AtomicU64 = AtomicU64::new(0);

/// The free slots that a thread has at hand.
#[derive(Debug)]
pub(crate) struct Cache {
    first: Cell<Option<&'static Anchor>>,
    count: Cell<u32>,
}

impl Cache {
    pub(crate) const fn new() -> Self {
        Self { first: Cell::new(None), count: Cell::new(0) }
    }
}

/// A slot for a span that has just become pending. `None` if all are taken.
#[inline]
pub(crate) fn take(cache: &Cache, id: u64, node: &'static Node, made: u64) -> Option<&'static Anchor> {
    let anchor = cache.first.get().or_else(|| fill(cache))?;
    let slot = anchor.slot()?;
    cache.first.set(slot.next().get());
    cache.count.set(cache.count.get() - 1);
    slot.occupy(id, node, made);
    Some(anchor)
}

/// Takes a slot back whose span is gone.
#[inline]
pub(crate) fn put(cache: &Cache, anchor: &'static Anchor) {
    if let Some(slot) = anchor.slot() {
        slot.vacate();
        slot.next().put(cache.first.get());
        cache.first.set(Some(anchor));
        cache.count.set(cache.count.get() + 1);
        if cache.count.get() > MAX_CACHED {
            give_back(cache);
        }
    }
}

/// Returns all that a thread has at hand.
#[cold]
pub(crate) fn give_back(cache: &Cache) {
    let Some(first) = cache.first.take() else { return };
    cache.count.set(0);
    let mut last = first;
    while let Some(next) = last.slot().and_then(|slot| slot.next().get()) {
        last = next;
    }
    let mut slab = SLAB.lock();
    if let Some(slot) = last.slot() {
        slot.next().put(slab.free);
        slab.free = Some(first);
    }
}

/// Puts some free slots at hand. Returns the first, still in the cache.
#[cold]
fn fill(cache: &Cache) -> Option<&'static Anchor> {
    let mut slab = SLAB.lock();
    if slab.free.is_none() {
        slab.grow();
    }
    let first = slab.free;
    let mut count = 0;
    let mut last = None;
    while let (Some(anchor), true) = (slab.free, count < MAX_CACHED / 2) {
        slab.free = anchor.slot().and_then(|slot| slot.next().get());
        last = Some(anchor);
        count += 1;
    }
    if let Some(slot) = last.and_then(Anchor::slot) {
        slot.next().put(None);
    }
    if first.is_none() {
        OVER.fetch_add(1, Relaxed);
    }
    cache.first.set(first);
    cache.count.set(count);
    first
}

impl Slab {
    fn grow(&mut self) {
        if self.chunks.len() * CHUNK >= MAX_SLOTS {
            return;
        }
        let lines: Vec<Line> = (0..CHUNK).map(|_| Line(Anchor::Live(Slot::free()))).collect();
        let lines: &'static [Line] = Vec::leak(lines);
        for Line(anchor) in lines {
            if let Some(slot) = anchor.slot() {
                slot.next().put(self.free);
                self.free = Some(anchor);
            }
        }
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
