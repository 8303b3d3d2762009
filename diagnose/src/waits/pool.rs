//! Where records and stakes come from: they are never freed, only used again, and each thread has some at hand.

use std::cell::Cell;

use crate::sync::Mutex;
use crate::tree::Link;

/// So many can be in use at the same time; further ones are not recorded, and counted.
const MAX: usize = 1 << 20;
/// So many free ones a thread takes at once, and twice as many it keeps for itself.
const AT_ONCE: u32 = 32;

/// Something that is used again and again.
pub(crate) trait Pooled: Sized + 'static {
    /// A new one, in nobody's use.
    fn free() -> Self;
    /// While it is free, the next free one.
    fn next(&self) -> &Link<Self>;
}

/// All of a kind that there are.
#[derive(Debug)]
pub(super) struct Pool<T: 'static> {
    state: Mutex<State<T>>,
}

#[derive(Debug)]
struct State<T: 'static> {
    all: Vec<&'static T>,
    free: Vec<&'static T>,
    over: u64,
}

/// The free ones that a thread has at hand.
#[derive(Debug)]
pub(crate) struct Cache<T: 'static> {
    first: Cell<Option<&'static T>>,
    count: Cell<u32>,
}

impl<T> Cache<T> {
    pub(crate) const fn new() -> Self {
        Self { first: Cell::new(None), count: Cell::new(0) }
    }
}

impl<T: Pooled> Pool<T> {
    pub(super) const fn new() -> Self {
        Self { state: Mutex::new(State { all: Vec::new(), free: Vec::new(), over: 0 }) }
    }

    /// One that nobody uses. `None` if all are in use.
    #[inline]
    pub(super) fn take(&self, cache: &Cache<T>) -> Option<&'static T> {
        let first = cache.first.get().or_else(|| self.fill(cache))?;
        cache.first.set(first.next().get());
        cache.count.set(cache.count.get() - 1);
        Some(first)
    }

    /// Takes one back.
    #[inline]
    pub(super) fn put(&self, cache: &Cache<T>, one: &'static T) {
        one.next().put(cache.first.get());
        cache.first.set(Some(one));
        cache.count.set(cache.count.get() + 1);
        if cache.count.get() > 2 * AT_ONCE {
            self.give_back(cache);
        }
    }

    /// Returns all that a thread has at hand.
    #[cold]
    pub(super) fn give_back(&self, cache: &Cache<T>) {
        let mut next = cache.first.take();
        cache.count.set(0);
        let mut state = self.state.lock();
        while let Some(one) = next {
            next = one.next().get();
            state.free.push(one);
        }
    }

    /// Puts some at hand. Returns the first, still in the cache.
    #[cold]
    fn fill(&self, cache: &Cache<T>) -> Option<&'static T> {
        let mut state = self.state.lock();
        for _ in 0..AT_ONCE {
            let one = match state.free.pop() {
                Some(one) => one,
                None if state.all.len() < MAX => {
                    let one: &'static T = Box::leak(Box::new(T::free()));
                    state.all.push(one);
                    one
                }
                None => break,
            };
            one.next().put(cache.first.get());
            cache.first.set(Some(one));
            cache.count.set(cache.count.get() + 1);
        }
        if cache.first.get().is_none() {
            state.over += 1;
        }
        cache.first.get()
    }

    /// Every one that there is, in use or not.
    pub(super) fn all(&self) -> Vec<&'static T> {
        self.state.lock().all.clone()
    }

    /// How often none was left.
    pub(super) fn over(&self) -> u64 {
        self.state.lock().over
    }
}
