//! What the system calls this thread.
//!
//! Unsafe is kept in this file: the number comes from a system call, which takes no file and no lock.

#![allow(unsafe_code)]

/// The kernel's number of this thread; zero where there is none.
#[cfg(all(any(target_os = "linux", target_os = "android"), not(miri)))]
pub(crate) fn thread_id() -> u64 {
    // SAFETY: it has no arguments, and always succeeds.
    let id = unsafe { libc::syscall(libc::SYS_gettid) };
    u64::try_from(id).unwrap_or(0)
}

/// There is none.
#[cfg(not(all(any(target_os = "linux", target_os = "android"), not(miri))))]
pub(crate) fn thread_id() -> u64 {
    0
}
