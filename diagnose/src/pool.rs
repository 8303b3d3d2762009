//! A pool of records that live as long as the process: never freed, only reused.
//!
//! ```text
//! take ◀── cache of the thread ◀── 32 at once, under a lock ── free ── grown by chunks that never move
//! put  ──▶ cache of the thread ──▶ 32 at once, under a lock ──▶ free
//! ```
//! A reader can therefore follow a reference to a record at any time. The record's id shows whether
//! it was reused. A thread's cache goes back to the pool when the thread ends.

use std::cell::Cell;
use std::marker::PhantomData;

use crate::switch;
use crate::sync::{SeenMutex as Mutex, lock_seen_at_end};

#[cfg(all(test, diagnose_loom))]
mod loom;

/// Maximum number of free records that a thread keeps.
const CACHED: usize = 64;

/// A record of a pool; its default is a free one. [`pooled!`](crate::pool::pooled) implements this
/// trait.
pub(crate) trait Pooled: Default + Sync + 'static {
    /// Maximum number in use at a time; further requests are refused and counted.
    const MAX: usize;
    /// Number of records allocated at once.
    const CHUNK: usize;

    fn pool() -> &'static Pool<Self>;
    fn with_cache<R>(run: impl FnOnce(&ThreadCache<Self>) -> R) -> R;
    /// Arranges that this thread's cache goes back to the pool at its end. Returns `false` if it is
    /// too late for that.
    fn lease() -> bool;
}

/// Implements [`Pooled`] for a type.
macro_rules! pooled {
    ($type:ty, max = $max:expr, chunk = $chunk:expr) => {
        const _: () = {
            use $crate::pool::{Lease, Pool, Pooled, ThreadCache};

            // The model checker's locks must be created while it runs.
            #[cfg(not(diagnose_loom))]
            static POOL: Pool<$type> = Pool::new();
            #[cfg(diagnose_loom)]
            static POOL: ::std::sync::LazyLock<Pool<$type>> = ::std::sync::LazyLock::new(Pool::new);
            ::std::thread_local! {
                static CACHE: ThreadCache<$type> = const { ThreadCache::new() };
                static LEASE: Lease<$type> = const { Lease::new() };
            }

            impl Pooled for $type {
                const MAX: usize = $max;
                const CHUNK: usize = $chunk;

                fn pool() -> &'static Pool<Self> {
                    &POOL
                }

                #[cfg_attr(not(debug_assertions), inline(always))]
                fn with_cache<R>(run: impl FnOnce(&ThreadCache<Self>) -> R) -> R {
                    CACHE.with(run)
                }

                fn lease() -> bool {
                    LEASE.try_with(|_| ()).is_ok()
                }
            }
        };
    };
}

pub(crate) use pooled;

/// All records of a type.
#[derive(Debug)]
pub(crate) struct Pool<T: 'static> {
    state: Mutex<PoolState<T>>,
}

#[derive(Debug)]
struct PoolState<T: 'static> {
    chunks: Vec<&'static [T]>,
    /// With capacity for all records, so that returning one never allocates.
    free: Vec<&'static T>,
    made: usize,
    over: u64,
}

/// The free records of a thread: the first `count` elements.
#[derive(Debug)]
pub(crate) struct ThreadCache<T: 'static> {
    free: [Cell<Option<&'static T>>; CACHED],
    count: Cell<usize>,
    /// Whether they go back to the pool when the thread ends.
    is_leased: Cell<bool>,
}

/// Empties the cache of a thread into the pool when the thread ends.
#[derive(Debug)]
pub(crate) struct Lease<T: Pooled>(PhantomData<fn(T)>);

impl<T: Pooled> Lease<T> {
    pub(crate) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: Pooled> Drop for Lease<T> {
    fn drop(&mut self) {
        T::with_cache(|cache| {
            cache.is_leased.set(false);
            let pool = T::pool();
            // Otherwise the records stay with the thread.
            if let Some(mut state) = (!switch::is_cut_off()).then(|| lock_seen_at_end(&pool.state)).flatten()
            {
                state.take_back(cache, 0);
            }
        });
    }
}

impl<T> ThreadCache<T> {
    pub(crate) const fn new() -> Self {
        Self { free: [const { Cell::new(None) }; CACHED], count: Cell::new(0), is_leased: Cell::new(false) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn pop(&self) -> Option<&'static T> {
        let count = self.count.get().checked_sub(1)?;
        self.count.set(count);
        self.free.get(count)?.get()
    }

    /// Returns whether there was room.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn push(&self, one: &'static T) -> bool {
        let count = self.count.get();
        let Some(cell) = self.free.get(count).filter(|_| self.is_leased.get()) else { return false };
        cell.set(Some(one));
        self.count.set(count + 1);
        true
    }
}

/// Takes a free record. Returns `None` if the maximum number is in use.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn take<T: Pooled>() -> Option<&'static T> {
    T::with_cache(|cache| T::pool().take(cache))
}

/// Puts a record back.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn put<T: Pooled>(one: &'static T) {
    T::with_cache(|cache| T::pool().put(cache, one));
}

/// All records, in use or free.
pub(crate) fn all<T: Pooled>() -> impl Iterator<Item = &'static T> {
    chunks().into_iter().flatten()
}

/// All records, in chunks, in the order of allocation.
pub(crate) fn chunks<T: Pooled>() -> Vec<&'static [T]> {
    T::pool().state.lock().chunks.clone()
}

/// Number of requests that were refused.
pub(crate) fn over<T: Pooled>() -> u64 {
    T::pool().state.lock().over
}

impl<T: Pooled> Pool<T> {
    #[cfg(not(diagnose_loom))]
    pub(crate) const fn new() -> Self {
        Self { state: Mutex::new(PoolState::new()) }
    }

    #[cfg(diagnose_loom)]
    pub(crate) fn new() -> Self {
        Self { state: Mutex::new(PoolState::new()) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(&self, cache: &ThreadCache<T>) -> Option<&'static T> {
        cache.pop().or_else(|| self.fill(cache))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn put(&self, cache: &ThreadCache<T>, one: &'static T) {
        if !cache.push(one) {
            self.take_back_with(cache, one);
        }
    }

    /// Takes a record, and fills half of the cache.
    #[cold]
    #[inline(never)]
    fn fill(&self, cache: &ThreadCache<T>) -> Option<&'static T> {
        // A thread that is ending takes one record only.
        let is_leased = T::lease();
        cache.is_leased.set(is_leased);
        let mut state = self.state.lock();
        if state.free.is_empty() {
            state.grow();
        }
        let taken = state.free.pop();
        if taken.is_none() {
            state.over += 1;
        }
        if is_leased {
            let rest = state.free.len().saturating_sub(CACHED / 2);
            for one in state.free.drain(rest..) {
                cache.push(one);
            }
        }
        taken
    }

    /// Takes back a record that the cache has no room for, and the records beyond half of the
    /// cache.
    #[cold]
    #[inline(never)]
    fn take_back_with(&self, cache: &ThreadCache<T>, one: &'static T) {
        if switch::is_cut_off() {
            return;
        }
        cache.is_leased.set(T::lease());
        if !cache.push(one) {
            let mut state = self.state.lock();
            state.take_back(cache, CACHED / 2);
            state.free.push(one);
        }
    }
}

impl<T: Pooled> PoolState<T> {
    const fn new() -> Self {
        Self { chunks: Vec::new(), free: Vec::new(), made: 0, over: 0 }
    }

    /// Takes back all records of a cache except `remaining`. The list has room for all.
    fn take_back(&mut self, cache: &ThreadCache<T>, remaining: usize) {
        while cache.count.get() > remaining {
            self.free.extend(cache.pop());
        }
    }

    fn grow(&mut self) {
        let size = T::CHUNK.min(T::MAX.saturating_sub(self.made));
        if size == 0 {
            return;
        }
        let chunk: Vec<T> = (0..size).map(|_| T::default()).collect();
        let chunk: &'static [T] = Vec::leak(chunk);
        self.made += size;
        self.free.reserve(self.made);
        // The first record of the chunk is taken first.
        self.free.extend(chunk.iter().rev());
        self.chunks.push(chunk);
    }
}
