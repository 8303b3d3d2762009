//! The semaphore between the signal handler and the thread that writes dumps.
//!
//! It has no file descriptor. A program that becomes a daemon closes all descriptors, also those
//! that it does not know, and the system gives their numbers to its next files and sockets. A
//! handler that wrote into a pipe would then write into one of these.
//!
//! Unsafe code is in this file: semaphores are calls into C, and a handler may do little.

#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ffi::c_int;
use std::io;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};

use signal_hook::SigId;
use signal_hook::low_level::{register, unregister};

/// The signals that have arrived, for the thread that waits for them.
pub(super) struct Arrivals(Arc<Shared>);

/// Ends the wait of the thread.
pub(super) struct Handle {
    shared: Arc<Shared>,
    action: SigId,
}

struct Shared {
    arrived: Semaphore,
    is_closed: AtomicBool,
}

/// Handles the signal from now on.
pub(super) fn open(signal: c_int) -> io::Result<(Arrivals, Handle)> {
    let shared = Arc::new(Shared { arrived: Semaphore::new()?, is_closed: AtomicBool::new(false) });
    let arrived = Arc::clone(&shared);
    // SAFETY: the action only posts a semaphore, which POSIX allows in a handler, and never panics.
    let action = unsafe { register(signal, move || arrived.arrived.post()) }?;
    Ok((Arrivals(Arc::clone(&shared)), Handle { shared, action }))
}

impl Handle {
    /// Leaves the signal alone from now on, and ends [`act_on`].
    pub(super) fn close(self) {
        unregister(self.action);
        // Release pairs with the load in `act_on`.
        self.shared.is_closed.store(true, Release);
        self.shared.arrived.post();
    }
}

/// Calls `action` after each signal, until the handle is closed. Signals that arrive during a call
/// cause one further call.
pub(super) fn act_on(signals: Arrivals, action: impl Fn()) {
    let Arrivals(shared) = signals;
    loop {
        shared.arrived.wait();
        // Acquire pairs with the store in `close`.
        if shared.is_closed.load(Acquire) {
            return;
        }
        action();
    }
}

/// A semaphore, at an address that does not change.
struct Semaphore(Box<UnsafeCell<libc::sem_t>>);

// SAFETY: the calls below may be made by any thread, and by several at the same time.
unsafe impl Send for Semaphore {}
// SAFETY: as above.
unsafe impl Sync for Semaphore {}

impl Semaphore {
    fn new() -> io::Result<Self> {
        // SAFETY: all zeros is a valid value of this structure, which has numbers and pointers.
        let zero = unsafe { MaybeUninit::<libc::sem_t>::zeroed().assume_init() };
        let semaphore = Self(Box::new(UnsafeCell::new(zero)));
        // SAFETY: the pointer is to memory that nothing else uses yet.
        let result = unsafe { libc::sem_init(semaphore.0.get(), 0, 0) };
        if result == 0 { Ok(semaphore) } else { Err(io::Error::last_os_error()) }
    }

    /// Lets one `wait` go on. A handler may call it. It fails only if nobody has waited for
    /// billions of posts.
    fn post(&self) {
        // SAFETY: `new` has made the semaphore, which lives as long as `self`.
        let _ = unsafe { libc::sem_post(self.0.get()) };
    }

    /// Waits for a post, and takes all that have come.
    fn wait(&self) {
        // SAFETY: as above. It fails only if a signal interrupts it.
        while unsafe { libc::sem_wait(self.0.get()) } != 0 {}
        // SAFETY: as above. It fails once no post is left.
        while unsafe { libc::sem_trywait(self.0.get()) } == 0 {}
    }
}

impl Drop for Semaphore {
    fn drop(&mut self) {
        // SAFETY: `new` has made the semaphore. Nothing waits for it or posts it: the handler and
        // the thread have a reference to it while they may.
        let _ = unsafe { libc::sem_destroy(self.0.get()) };
    }
}
