//! The synchronization types of the recorder: atomics and locks.
//!
//! Atomics are loom's in the model checker's build. Locks guard cold tables only. They are
//! `parking_lot`'s: const and without poisoning. Unlike the standard library's, they are compiled
//! here, so the thread sanitizer sees what they order.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

pub(crate) use once_cell::sync::OnceCell;
pub(crate) use parking_lot::{Mutex, MutexGuard, RwLock};

/// The mutex of `parking_lot`. In the model checker's build that of loom, which tries every order
/// of lock holders.
#[cfg(not(diagnose_loom))]
pub(crate) use parking_lot::Mutex as SeenMutex;

#[cfg(diagnose_loom)]
#[derive(Debug)]
pub(crate) struct SeenMutex<T>(loom::sync::Mutex<T>);

#[cfg(diagnose_loom)]
impl<T> SeenMutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(loom::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
        self.0.lock().expect("a model ends with its first panic")
    }
}

#[cfg(not(diagnose_loom))]
pub(crate) use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

#[cfg(diagnose_loom)]
pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

/// Adds to a counter that only the calling thread writes: a load and a store, no read-modify-write.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn add(counter: &AtomicU64, amount: u64) {
    let value = counter.load(Ordering::Relaxed).wrapping_add(amount);
    counter.store(value, Ordering::Relaxed);
}

/// Adds to a counter of std, which loom does not check, and which only the calling thread writes.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn add_relaxed(counter: &std::sync::atomic::AtomicU64, amount: u64) {
    let value = counter.load(std::sync::atomic::Ordering::Relaxed).wrapping_add(amount);
    counter.store(value, std::sync::atomic::Ordering::Relaxed);
}

/// Subtracts from a counter that only the calling thread writes.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn sub(counter: &AtomicU64, amount: u64) {
    add(counter, amount.wrapping_neg());
}

/// A cell whose accesses the model checker sees.
#[cfg(not(diagnose_loom))]
#[derive(Debug, Default)]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

#[cfg(diagnose_loom)]
pub(crate) use loom::cell::UnsafeCell;

#[cfg(not(diagnose_loom))]
impl<T> UnsafeCell<T> {
    pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        read(self.0.get())
    }

    pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        write(self.0.get())
    }
}

/// Waits for a thread that is inside a few instructions.
#[cold]
pub(crate) fn spin(attempt: u32) {
    #[cfg(diagnose_loom)]
    {
        let _ = attempt;
        loom::thread::yield_now();
    }
    #[cfg(not(diagnose_loom))]
    if attempt % 64 < 63 {
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}

/// Number of attempts after which a lock counts as held for good: some milliseconds, with a pause
/// for other threads after every 64.
const MOST_ATTEMPTS: u32 = 100_000;

/// Locks a mutex in the destructor of a thread-local. `None` if it stays locked.
///
/// `exit` in a signal handler runs these destructors on the thread that the handler has
/// interrupted, perhaps while it held the mutex. Nothing waits in a queue here: that may allocate,
/// and the thread may have been interrupted in the allocator, too.
pub(crate) fn lock_at_end<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    (0..MOST_ATTEMPTS).find_map(|attempt| {
        let guard = mutex.try_lock();
        if guard.is_none() {
            spin(attempt);
        }
        guard
    })
}

#[cfg(not(diagnose_loom))]
pub(crate) use lock_at_end as lock_seen_at_end;

/// Always locks the mutex: no model has signals.
#[cfg(diagnose_loom)]
pub(crate) fn lock_seen_at_end<T>(mutex: &SeenMutex<T>) -> Option<loom::sync::MutexGuard<'_, T>> {
    Some(mutex.lock())
}

/// A mutex that a fork holds, so that the child can unlock it.
///
/// The queue of a mutex of `parking_lot` is copied into the child, with threads that do not exist
/// there, and an unlock may hand the mutex over to one of them. So nothing waits in a queue here:
/// threads look again and again, and lock the mutex inside only when it is free.
#[derive(Debug)]
pub(crate) struct ForkMutex<T> {
    gate: Gate,
    value: Mutex<T>,
}

impl<T> ForkMutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        let gate = Gate { is_closed: AtomicBool::new(false), sleeping: std::sync::atomic::AtomicU32::new(0) };
        Self { gate, value: Mutex::new(value) }
    }

    pub(crate) fn lock(&self) -> ForkMutexGuard<'_, T> {
        let mut attempt = 0;
        loop {
            if let Some(guard) = self.try_lock() {
                return guard;
            }
            self.gate.wait(attempt);
            attempt = attempt.saturating_add(1);
        }
    }

    /// Returns `None` if the mutex is not free within `patience`.
    pub(crate) fn try_lock_for(&self, patience: Duration) -> Option<ForkMutexGuard<'_, T>> {
        let (began, mut attempt) = (Instant::now(), 0);
        loop {
            let guard = self.try_lock();
            if guard.is_some() || began.elapsed() >= patience {
                return guard;
            }
            self.gate.wait(attempt);
            attempt = attempt.saturating_add(1);
        }
    }

    fn try_lock(&self) -> Option<ForkMutexGuard<'_, T>> {
        // Acquire pairs with the Release in the drop of `ClosedGate`.
        self.gate.is_closed.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).ok()?;
        Some(ForkMutexGuard { value: self.value.lock(), gate: ClosedGate(&self.gate) })
    }
}

/// The state of a [`ForkMutex`]: whether it is locked, and how many threads wait.
#[derive(Debug)]
struct Gate {
    is_closed: AtomicBool,
    /// Number of threads that sleep between two looks.
    sleeping: std::sync::atomic::AtomicU32,
}

impl Gate {
    /// The number of looks before a thread sleeps.
    const LOOKS: u32 = 256;
    const PAUSE: Duration = Duration::from_micros(100);

    fn wait(&self, attempt: u32) {
        if attempt < Self::LOOKS {
            return spin(attempt);
        }
        self.sleeping.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Self::PAUSE);
        self.sleeping.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A locked [`ForkMutex`].
pub(crate) struct ForkMutexGuard<'a, T> {
    // Dropped first: nothing ever waits for the mutex inside.
    value: MutexGuard<'a, T>,
    #[cfg_attr(not(unix), allow(dead_code))]
    gate: ClosedGate<'a>,
}

impl<T> ForkMutexGuard<'_, T> {
    /// Forgets the threads that wait: in a forked child there are none.
    #[cfg(unix)]
    pub(crate) fn forget_waiting(&self) {
        self.gate.0.sleeping.store(0, Ordering::Relaxed);
    }
}

struct ClosedGate<'a>(&'a Gate);

impl Drop for ClosedGate<'_> {
    fn drop(&mut self) {
        // Release pairs with the Acquire in `try_lock`.
        self.0.is_closed.store(false, Ordering::Release);
        if self.0.sleeping.load(Ordering::Relaxed) != 0 {
            // A thread that locks it again at once would not leave it free for a look of another.
            std::thread::sleep(Gate::PAUSE * 2);
        }
    }
}

impl<T> Deref for ForkMutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for ForkMutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}
