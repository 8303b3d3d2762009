//! Where records and stakes come from: they are never freed, only used again, and each thread has some at hand.

use std::cell::Cell;

use crate::sync::Mutex;

/// So many can be in use at the same time; further ones are not recorded, and counted.
const MAX: usize = 1 << 20;
/// So many free ones a thread takes at once, and twice as many it keeps for itself.
const AT_ONCE: usize = 32;

/// Something that is used again and again.
pub(crate) trait Pooled: Sized + 'static {
    /// A new one, in nobody's use.
    fn free() -> Self;
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

/// The free ones that a thread has at hand. An array, and no list: what is taken is not read for that, and not written.
#[derive(Debug)]
pub(crate) struct Cache<T: 'static> {
    free: [Cell<Option<&'static T>>; 2 * AT_ONCE],
    count: Cell<usize>,
}

impl<T> Cache<T> {
    pub(crate) const fn new() -> Self {
        Self { free: [const { Cell::new(None) }; 2 * AT_ONCE], count: Cell::new(0) }
    }
}

impl<T> Cache<T> {
    /// There is room for it.
    #[inline]
    fn put(&self, one: &'static T) {
        let count = self.count.get();
        if let Some(cell) = self.free.get(count) {
            cell.set(Some(one));
            self.count.set(count + 1);
        }
    }
}

impl<T: Pooled> Pool<T> {
    pub(super) const fn new() -> Self {
        Self { state: Mutex::new(State { all: Vec::new(), free: Vec::new(), over: 0 }) }
    }

    /// One that nobody uses. `None` if all are in use.
    #[inline]
    pub(super) fn take(&self, cache: &Cache<T>) -> Option<&'static T> {
        if cache.count.get() == 0 {
            self.fill(cache);
        }
        let last = cache.count.get().checked_sub(1)?;
        cache.count.set(last);
        cache.free.get(last)?.get()
    }

    /// Takes one back.
    #[inline]
    pub(super) fn put(&self, cache: &Cache<T>, one: &'static T) {
        if cache.count.get() == 2 * AT_ONCE {
            self.give_back(cache);
        }
        cache.put(one);
    }

    /// Returns all that a thread has at hand.
    #[cold]
    pub(super) fn give_back(&self, cache: &Cache<T>) {
        let count = cache.count.replace(0);
        self.state.lock().free.extend(cache.free[..count].iter().filter_map(Cell::get));
    }

    /// Puts some at hand, as far as there are any.
    #[cold]
    fn fill(&self, cache: &Cache<T>) {
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
            cache.put(one);
        }
        if cache.count.get() == 0 {
            state.over += 1;
        }
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
