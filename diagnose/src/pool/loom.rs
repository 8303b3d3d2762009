//! Model checking of two threads that take and put, over every interleaving. See `tree/loom.rs`.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::{Pool, Pooled, ThreadCache};
use crate::sync::UnsafeCell;

/// A record that detects two owners at once, and a use that does not see the previous one.
#[derive(Default)]
struct One {
    is_used: AtomicBool,
    uses: UnsafeCell<u32>,
}

// SAFETY: a thread accesses `One::uses` only between `Pool::take` and `Pool::put`. The model
// checker fails the test if two threads do so at the same time.
#[allow(unsafe_code)]
unsafe impl Sync for One {}

impl Pooled for One {
    const MAX: usize = 2;
    const CHUNK: usize = 1;

    fn pool() -> &'static Pool<Self> {
        unreachable!("each model has a pool of its own")
    }

    fn with_cache<R>(_: impl FnOnce(&ThreadCache<Self>) -> R) -> R {
        unreachable!("each thread of a model has a cache of its own")
    }

    fn lease() -> bool {
        true
    }
}

impl One {
    #[allow(unsafe_code)]
    fn use_it(&self) -> u32 {
        assert!(!self.is_used.swap(true, Relaxed), "two have it at the same time");
        // SAFETY: the caller has taken this `One` from the pool and not put it back, so no other
        // thread accesses it.
        let uses = self.uses.with_mut(|uses| unsafe {
            *uses += 1;
            *uses
        });
        self.is_used.store(false, Relaxed);
        uses
    }
}

/// Takes a record, uses it, puts it back, and empties the cache as at the end of a thread.
fn take_and_put(pool: &'static Pool<One>) -> Option<u32> {
    let cache = ThreadCache::new();
    let one = pool.take(&cache)?;
    let uses = one.use_it();
    pool.put(&cache, one);
    pool.state.lock().take_back(&cache, 0);
    Some(uses)
}

// one thread    take, use, put
// another          take, use, put      they have two records, or take turns with one
#[test]
fn an_item_in_use_is_not_handed_out_again() {
    loom::model(|| {
        let pool: &'static Pool<One> = Box::leak(Box::new(Pool::new()));
        let other = loom::thread::spawn(move || take_and_put(pool));
        let uses = [take_and_put(pool), other.join().expect("no panic")];
        let all: u32 = uses.into_iter().flatten().sum();
        let made = pool.state.lock().made;
        assert!(uses.iter().all(Option::is_some), "there is one for each");
        assert_eq!(all, if made == 1 { 1 + 2 } else { 1 + 1 }, "each use sees the ones before");
        assert_eq!(pool.state.lock().free.len(), made, "all came back");
    });
}

// one thread    put ─▶ free
// another                 take      one thread takes the record that another has put
#[test]
fn an_item_put_back_by_one_thread_is_taken_by_another() {
    loom::model(|| {
        let pool: &'static Pool<One> = Box::leak(Box::new(Pool::new()));
        assert_eq!(take_and_put(pool), Some(1));
        let other = loom::thread::spawn(move || take_and_put(pool));
        assert_eq!(other.join().expect("no panic"), Some(2));
        assert_eq!(pool.state.lock().made, 1);
    });
}
