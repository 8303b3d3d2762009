//! Which signals the threads of this crate accept: those that a handler answers in the thread that
//! they interrupt, and the one that asks for a dump.
//!
//! A signal to the process goes to any thread that accepts it. A program that blocks `SIGTERM` in
//! its own threads and waits for it with `sigwait` or a `signalfd` never gets it if another thread
//! accepts it, and is ended instead. So these threads begin with signals blocked. For the time of a
//! call to the program's own code, they have the mask of the thread that has started them, and
//! block what the main thread blocks by then.
//!
//! Writes are kept from ending the process: past the file size limit (`ulimit -f`) and to a pipe
//! without a reader, they fail with an error.

#![allow(unsafe_code)]

#[cfg(all(unix, not(miri)))]
pub(crate) use on_unix::{Blocked, ProgramMask, as_program};

#[cfg(all(unix, not(miri), feature = "signal"))]
pub(crate) use on_unix::{accept, is_blocked};

/// Does nothing: there are no signals to test.
#[cfg(all(unix, miri, feature = "signal"))]
pub(crate) fn accept(_signal: std::ffi::c_int) {}

/// `false`, for the same reason.
#[cfg(all(unix, miri, feature = "signal"))]
pub(crate) fn is_blocked(_signal: std::ffi::c_int) -> bool {
    false
}

#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) use on_linux::with_write_errors;

/// Calls `write`: only Linux sends these signals to the thread that writes.
#[cfg(not(all(target_os = "linux", not(miri))))]
pub(crate) fn with_write_errors<R>(write: impl FnOnce() -> R) -> R {
    write()
}

#[cfg(not(all(unix, not(miri))))]
pub(crate) use elsewhere::{Blocked, ProgramMask, as_program};

#[cfg(all(unix, not(miri)))]
mod on_unix {
    use std::cell::Cell;
    use std::ffi::c_int;
    use std::mem::MaybeUninit;

    use crate::os::INTERRUPTS;

    /// Signals that end the process because of a write.
    pub(super) const WRITE_SIGNALS: [c_int; 2] = [libc::SIGXFSZ, libc::SIGPIPE];

    thread_local! {
        /// In a thread of this crate, the mask for the program's code.
        static PROGRAM: Cell<Option<ProgramMask>> = const { Cell::new(None) };
    }

    /// The mask of the program's code in a thread of this crate.
    #[derive(Clone, Copy)]
    pub(crate) struct ProgramMask(libc::sigset_t);

    impl ProgramMask {
        /// Keeps it for calls of [`as_program`] on this thread.
        pub(crate) fn keep(self) {
            PROGRAM.set(Some(self));
        }

        #[cfg(feature = "signal")]
        fn has(&self, signal: c_int) -> bool {
            // SAFETY: the pointer is to a set, which the call reads.
            unsafe { libc::sigismember(&raw const self.0, signal) == 1 }
        }
    }

    /// While this value exists, this thread accepts no signal but [`INTERRUPTS`]. A thread that it
    /// starts begins so.
    pub(crate) struct Blocked {
        before: Option<libc::sigset_t>,
    }

    impl Blocked {
        pub(crate) fn new() -> Self {
            let mut all = empty();
            // SAFETY: the pointer is to a set of this function, which the call fills in.
            let _ = unsafe { libc::sigfillset(&raw mut all) };
            for &signal in INTERRUPTS {
                // SAFETY: the pointer is to a set of this function. It fails only if the number is
                // not a signal.
                let _ = unsafe { libc::sigdelset(&raw mut all, signal) };
            }
            Self { before: change(libc::SIG_BLOCK, &all) }
        }

        /// The mask for the program's code in a thread that this one starts.
        pub(crate) fn program(&self) -> Option<ProgramMask> {
            let own = PROGRAM.get();
            own.or_else(|| {
                let mut mask = self.before?;
                add(&mut mask, &WRITE_SIGNALS);
                Some(ProgramMask(mask))
            })
        }
    }

    impl Drop for Blocked {
        fn drop(&mut self) {
            if let Some(before) = &self.before {
                let _ = change(libc::SIG_SETMASK, before);
            }
        }
    }

    /// Calls code of the program on a thread of this crate. Threads and processes that it starts
    /// accept the signals that the program's do, but for those that end it because of a write.
    pub(crate) fn as_program<R>(call: impl FnOnce() -> R) -> R {
        let mut program = PROGRAM.get();
        if let Some(ProgramMask(mask)) = &mut program {
            add(mask, &blocked_by_main_thread());
        }
        let _restored = Blocked { before: program.and_then(|mask| change(libc::SIG_SETMASK, &mask.0)) };
        call()
    }

    /// The signals that the main thread blocks now. Empty if the system does not report them.
    fn blocked_by_main_thread() -> Vec<c_int> {
        let blocked = crate::cpu::blocked_signals(u64::from(std::process::id())).unwrap_or(0);
        (1..=64).filter(|signal| blocked >> (signal - 1) & 1 == 1).collect()
    }

    /// Lets this thread accept a signal, unless the program blocked it before: then it reads the
    /// signal itself, as from a `signalfd`.
    #[cfg(feature = "signal")]
    pub(crate) fn accept(signal: c_int) {
        if PROGRAM.get().is_some_and(|mask| mask.has(signal)) {
            return;
        }
        let mut set = empty();
        add(&mut set, &[signal]);
        let _ = change(libc::SIG_UNBLOCK, &set);
    }

    /// Returns whether the program blocks a signal on this thread, so that a thread that this one
    /// starts does not [`accept`] it.
    #[cfg(feature = "signal")]
    pub(crate) fn is_blocked(signal: c_int) -> bool {
        let own = || change(libc::SIG_BLOCK, &empty()).map(ProgramMask);
        PROGRAM.get().or_else(own).is_some_and(|mask| mask.has(signal))
    }

    pub(super) fn empty() -> libc::sigset_t {
        let mut set = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: the call fills in the set at the pointer, which is valid for it, and cannot fail.
        let _ = unsafe { libc::sigemptyset(set.as_mut_ptr()) };
        // SAFETY: the call above has filled it in.
        unsafe { set.assume_init() }
    }

    pub(super) fn add(set: &mut libc::sigset_t, signals: &[c_int]) {
        for &signal in signals {
            // SAFETY: the pointer is to a set. It fails for what is no signal only.
            let _ = unsafe { libc::sigaddset(set, signal) };
        }
    }

    /// Changes the signal mask of this thread. Returns the mask before; `None` if it is unchanged.
    pub(super) fn change(how: c_int, set: &libc::sigset_t) -> Option<libc::sigset_t> {
        let mut before = empty();
        // SAFETY: the pointers are to sets, of which the call reads one and fills in the other.
        let result = unsafe { libc::pthread_sigmask(how, set, &raw mut before) };
        (result == 0).then_some(before)
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
mod on_linux {
    use super::on_unix::{WRITE_SIGNALS, add, change, empty};

    /// Calls `write` on any thread, which it does not end. The signal of a failed write is taken
    /// back before the thread accepts it again.
    pub(crate) fn with_write_errors<R>(write: impl FnOnce() -> R) -> R {
        let mut signals = empty();
        add(&mut signals, &WRITE_SIGNALS);
        // Those that the program has blocked and left pending are its own.
        let mut pending = empty();
        // SAFETY: the pointer is to a set of this function, which the call fills in.
        let _ = unsafe { libc::sigpending(&raw mut pending) };
        let _restored = WriteSignals { before: change(libc::SIG_BLOCK, &signals), pending };
        write()
    }

    /// Restores the mask of a thread, also after a panic.
    struct WriteSignals {
        before: Option<libc::sigset_t>,
        pending: libc::sigset_t,
    }

    impl Drop for WriteSignals {
        fn drop(&mut self) {
            let Some(before) = &self.before else { return };
            for signal in WRITE_SIGNALS {
                // SAFETY: the pointer is to a set, which the call reads.
                if unsafe { libc::sigismember(&raw const self.pending, signal) } == 1 {
                    continue;
                }
                let mut own = empty();
                add(&mut own, &[signal]);
                let no_time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
                // SAFETY: the pointers are to values of this function, or null, which the call
                // allows. It fails at once if no signal is pending.
                let _ =
                    unsafe { libc::sigtimedwait(&raw const own, std::ptr::null_mut(), &raw const no_time) };
            }
            let _ = change(libc::SIG_SETMASK, before);
        }
    }
}

/// No signals, or none that may be asked about.
#[cfg(not(all(unix, not(miri))))]
#[allow(clippy::unused_self)] // The signatures are those on Unix.
mod elsewhere {
    #[derive(Clone, Copy)]
    pub(crate) struct ProgramMask;

    impl ProgramMask {
        pub(crate) fn keep(self) {}
    }

    pub(crate) struct Blocked;

    impl Blocked {
        pub(crate) fn new() -> Self {
            Self
        }

        pub(crate) fn program(&self) -> Option<ProgramMask> {
            None
        }
    }

    pub(crate) fn as_program<R>(call: impl FnOnce() -> R) -> R {
        call()
    }
}
