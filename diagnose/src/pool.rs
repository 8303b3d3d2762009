//! Where records that live as long as the process come from: they are never freed, only used again.
//!
//! ```text
//! take ◀── cache of the thread ◀── 32 at once, under a lock ── free ── grown by chunks that never move
//! put  ──▶ cache of the thread ──▶ 32 at once, under a lock ──▶ free
//! ```
//! So a reader can follow a reference to one at any time, and finds out by its number whether it still stands for the same.
//! A thread gives its cache back when it ends.

use std::cell::Cell;
use std::marker::PhantomData;

use crate::sync::SeenMutex as Mutex;

#[cfg(all(test, diagnose_loom))]
mod loom;

/// Free ones that a thread keeps at most.
const CACHED: usize = 64;

/// Something that is used again and again. [`pooled!`](crate::pool::pooled) implements it.
pub(crate) trait Pooled: Sized + Sync + 'static {
    /// In use at the same time at most; further ones are refused, and counted.
    const MAX: usize;
    /// Made at once.
    const CHUNK: usize;

    /// A new one, in nobody's use.
    fn free() -> Self;
    fn pool() -> &'static Pool<Self>;
    fn with_cache<R>(run: impl FnOnce(&ThreadCache<Self>) -> R) -> R;
    /// Has this thread give its cache back at its end. Returns whether it is not too late for that.
    fn lease() -> bool;
}

/// Implements [`Pooled`] for a type that has a `const fn free() -> Self`.
macro_rules! pooled {
    ($type:ty, max = $max:expr, chunk = $chunk:expr) => {
        const _: () = {
            use $crate::pool::{Lease, Pool, Pooled, ThreadCache};

            // A lock of the model checker's is made while that runs, and not before.
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

                fn free() -> Self {
                    Self::free()
                }

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

/// All of a type that there are.
#[derive(Debug)]
pub(crate) struct Pool<T: 'static> {
    state: Mutex<PoolState<T>>,
}

#[derive(Debug)]
struct PoolState<T: 'static> {
    chunks: Vec<&'static [T]>,
    /// With room for all that there are, so that giving back never allocates.
    free: Vec<&'static T>,
    made: usize,
    over: u64,
}

/// The free ones that a thread has at hand: the first `count`.
#[derive(Debug)]
pub(crate) struct ThreadCache<T: 'static> {
    free: [Cell<Option<&'static T>>; CACHED],
    count: Cell<usize>,
    /// Whether they are given back when the thread ends.
    is_leased: Cell<bool>,
}

/// Gives the cache of a thread back when that ends.
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
            T::pool().take_back(cache, 0);
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

/// One that nobody uses. `None` if as many as there may be are in use.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn take<T: Pooled>() -> Option<&'static T> {
    T::with_cache(|cache| T::pool().take(cache))
}

/// Takes one back.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn put<T: Pooled>(one: &'static T) {
    T::with_cache(|cache| T::pool().put(cache, one));
}

/// Every one that there is, in use or not.
pub(crate) fn all<T: Pooled>() -> impl Iterator<Item = &'static T> {
    chunks().into_iter().flatten()
}

/// Every record that there is, in chunks, in the order in which the chunks were made.
pub(crate) fn chunks<T: Pooled>() -> Vec<&'static [T]> {
    T::pool().state.lock().chunks.clone()
}

/// How often there was none left.
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

    /// Puts half of what a cache can hold into it, and takes one more.
    #[cold]
    #[inline(never)]
    fn fill(&self, cache: &ThreadCache<T>) -> Option<&'static T> {
        // A thread that is ending takes what it needs, and no more.
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

    /// Takes one back for which the cache has no room, and with it what the cache has beyond half.
    #[cold]
    #[inline(never)]
    fn take_back_with(&self, cache: &ThreadCache<T>, one: &'static T) {
        cache.is_leased.set(T::lease());
        if !cache.push(one) {
            self.take_back(cache, CACHED / 2);
            self.state.lock().free.push(one);
        }
    }

    /// Takes back all that a cache has, but for so many.
    fn take_back(&self, cache: &ThreadCache<T>, kept: usize) {
        let mut state = self.state.lock();
        while cache.count.get() > kept {
            state.free.extend(cache.pop());
        }
    }
}

impl<T: Pooled> PoolState<T> {
    const fn new() -> Self {
        Self { chunks: Vec::new(), free: Vec::new(), made: 0, over: 0 }
    }

    fn grow(&mut self) {
        let size = T::CHUNK.min(T::MAX.saturating_sub(self.made));
        if size == 0 {
            return;
        }
        let chunk: Vec<T> = (0..size).map(|_| T::free()).collect();
        let chunk: &'static [T] = Vec::leak(chunk);
        self.made += size;
        self.free.reserve(self.made);
        // The first is taken first.
        self.free.extend(chunk.iter().rev());
        self.chunks.push(chunk);
    }
}
