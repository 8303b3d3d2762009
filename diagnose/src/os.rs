//! Facts about this process and the current thread from the operating system.
//!
//! Unsafe is kept in this file: all of them come from system calls, which take no file and no lock.

#![allow(unsafe_code)]

use std::time::Duration;

/// The kernel's id of this thread; zero where there is none.
#[cfg(all(any(target_os = "linux", target_os = "android"), not(miri)))]
pub(crate) fn thread_id() -> u64 {
    // SAFETY: it has no arguments, and always succeeds.
    let id = unsafe { libc::syscall(libc::SYS_gettid) };
    u64::try_from(id).unwrap_or(0)
}

/// Zero: this target has no such id.
#[cfg(not(all(any(target_os = "linux", target_os = "android"), not(miri))))]
pub(crate) fn thread_id() -> u64 {
    0
}

/// Returns whether the process runs with the rights of another user or group than that of the one
/// who started it.
#[cfg(unix)]
pub(crate) fn has_rights_of_another() -> bool {
    // SAFETY: it has no arguments, and always succeeds.
    let user = unsafe { libc::getuid() };
    // SAFETY: as above.
    let effective_user = unsafe { libc::geteuid() };
    // SAFETY: as above.
    let group = unsafe { libc::getgid() };
    // SAFETY: as above.
    let effective_group = unsafe { libc::getegid() };
    user != effective_user || group != effective_group
}

/// `false`: this target has no such programs.
#[cfg(not(unix))]
pub(crate) fn has_rights_of_another() -> bool {
    false
}

/// The number of the system call in which a thread waits for another. `None` where there is none.
#[cfg(any(target_os = "linux", target_os = "android"))]
#[allow(clippy::unnecessary_cast)] // The type depends on the target.
pub(crate) const FUTEX: Option<i64> = Some(libc::SYS_futex as i64);
/// `None`: this target has no such call.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) const FUTEX: Option<i64> = None;

/// The number of `epoll_pwait2`, whose limit is a pointer, on nearly all targets.
pub(crate) const EPOLL_PWAIT2: i64 = 441;
/// The numbers of the system calls in which a thread waits for files. Empty where there are none.
#[cfg(all(any(target_os = "linux", target_os = "android"), target_arch = "x86_64"))]
pub(crate) const EPOLL_WAITS: &[i64] = &[libc::SYS_epoll_wait, libc::SYS_epoll_pwait, EPOLL_PWAIT2];
/// New targets have no `epoll_wait`.
#[cfg(all(any(target_os = "linux", target_os = "android"), not(target_arch = "x86_64")))]
#[allow(clippy::unnecessary_cast)] // The type depends on the target.
pub(crate) const EPOLL_WAITS: &[i64] = &[libc::SYS_epoll_pwait as i64, EPOLL_PWAIT2];
/// Empty: this target has no such calls.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) const EPOLL_WAITS: &[i64] = &[];

/// Signals that a handler answers at once, in the thread that they interrupt: faults, and the timer
/// of profilers.
#[cfg(unix)]
pub(crate) const INTERRUPTS: &[std::ffi::c_int] = &[
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGTRAP,
    libc::SIGABRT,
    libc::SIGSYS,
    libc::SIGPROF,
];
/// Empty: this target has no such signals.
#[cfg(not(unix))]
pub(crate) const INTERRUPTS: &[std::ffi::c_int] = &[];

/// The processor time of this thread so far. `None` if unavailable.
// `/proc` is not used: its value is as old as the last scheduler tick.
#[cfg(unix)]
pub(crate) fn processor_time() -> Option<Duration> {
    time_of(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// `None`: unavailable on this target.
#[cfg(not(unix))]
pub(crate) fn processor_time() -> Option<Duration> {
    None
}

/// The time since the system was started, as the ages of threads are counted. `None` if
/// unavailable.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn since_boot() -> Option<Duration> {
    time_of(libc::CLOCK_BOOTTIME)
}

/// `None`: not used on this target.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn since_boot() -> Option<Duration> {
    None
}

#[cfg(unix)]
fn time_of(clock: libc::clockid_t) -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a value of this function, which the call fills in.
    let result = unsafe { libc::clock_gettime(clock, &raw mut time) };
    let parts = (u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?);
    (result == 0).then(|| Duration::new(parts.0, parts.1))
}

/// The name of this machine or container, also where `/proc` is missing, as after a `chroot`.
#[cfg(unix)]
pub(crate) fn host() -> Option<String> {
    let mut name = [0_u8; 256];
    let (start, length) = (name.as_mut_ptr().cast(), name.len());
    // SAFETY: the call writes at most `length` bytes, which are those of the array.
    let result = unsafe { libc::gethostname(start, length) };
    // A name that was cut may lack its end.
    let end = name.iter().position(|byte| *byte == 0).filter(|_| result == 0)?;
    Some(String::from_utf8_lossy(&name[..end]).into_owned())
}

/// The name of this machine; Windows keeps it in the environment.
#[cfg(not(unix))]
pub(crate) fn host() -> Option<String> {
    std::env::var("COMPUTERNAME").ok()
}

/// Returns whether a file is a socket whose other end is in this process too, like the pipe through
/// which an executor learns of signals. Not so if it listens, or is connected to another process or
/// machine.
#[cfg(any(target_os = "linux", target_os = "android"))]
#[allow(clippy::cast_possible_truncation)] // The sizes are a few bytes.
pub(crate) fn is_connected_to_itself(descriptor: std::os::fd::RawFd) -> bool {
    let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut size = size_of::<libc::ucred>() as libc::socklen_t;
    let (level, peer_option) = (libc::SOL_SOCKET, libc::SO_PEERCRED);
    // SAFETY: the pointers are to values of this function, and the size is that of the first. A
    // descriptor that is not a socket, or is closed meanwhile, gives an error.
    let has_peer =
        unsafe { libc::getsockopt(descriptor, level, peer_option, (&raw mut peer).cast(), &raw mut size) };
    let mut listens: libc::c_int = 0;
    let mut size = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: as above.
    let is_socket = unsafe {
        libc::getsockopt(descriptor, level, libc::SO_ACCEPTCONN, (&raw mut listens).cast(), &raw mut size)
    };
    let is_ours = u32::try_from(peer.pid).is_ok_and(|pid| pid == std::process::id());
    has_peer == 0 && is_socket == 0 && is_ours && listens == 0
}

/// `false`: this target does not say.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn is_connected_to_itself(_descriptor: i32) -> bool {
    false
}

/// Returns whether this process has a child process, ended or not. True if unknown.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn has_child_process() -> bool {
    let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: no status is asked for, and the call takes none away from the program.
    let result = unsafe { libc::waitid(libc::P_ALL, 0, std::ptr::null_mut(), flags) };
    result == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::ECHILD)
}

/// `true`: unknown on this target.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn has_child_process() -> bool {
    true
}

/// Returns whether a write to stderr of at most 512 bytes does not block now.
#[cfg(unix)]
pub(crate) fn accepts_stderr() -> bool {
    let mut stderr = libc::pollfd { fd: libc::STDERR_FILENO, events: libc::POLLOUT, revents: 0 };
    // SAFETY: one descriptor is passed, which the call writes its events to. It does not wait.
    let ready = unsafe { libc::poll(&raw mut stderr, 1, 0) };
    ready == 1 && stderr.revents & libc::POLLOUT != 0
}

/// `false`: unknown on this target.
#[cfg(not(unix))]
pub(crate) fn accepts_stderr() -> bool {
    false
}

/// Writes a short text to stderr, in any state of the thread, if that does not block.
#[cfg(unix)]
pub(crate) fn write_to_stderr(text: &str) {
    if accepts_stderr() {
        // SAFETY: the pointer and the length are those of a string.
        let _ = unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    }
}

/// Does nothing: whether a write would block is unknown.
#[cfg(not(unix))]
pub(crate) fn write_to_stderr(_text: &str) {}

/// Stops a socket from listening: a thread in `accept` gets an error, and so does every later one.
/// Other systems may refuse this.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn shut_down(socket: std::os::fd::BorrowedFd<'_>) {
    use std::os::fd::AsRawFd as _;

    // SAFETY: the descriptor is open while it is borrowed. A socket that listens can be shut down.
    let _ = unsafe { libc::shutdown(socket.as_raw_fd(), libc::SHUT_RDWR) };
}

/// Returns whether a file of a thread could not be read because the thread has ended meanwhile.
#[cfg(unix)]
pub(crate) fn is_no_such_process(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(libc::ESRCH)
}

/// `false`: there are no such files on this target.
#[cfg(not(unix))]
pub(crate) fn is_no_such_process(_error: &std::io::Error) -> bool {
    false
}

/// Returns whether a socket could not connect because the other one is of another type.
#[cfg(unix)]
pub(crate) fn is_wrong_type(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(libc::EPROTOTYPE)
}

/// Closes a file descriptor that nothing else in this process closes.
#[cfg(unix)]
pub(crate) fn close(descriptor: std::os::fd::RawFd) {
    // SAFETY: the caller owns the descriptor. A failure leaves nothing to do.
    let _ = unsafe { libc::close(descriptor) };
}

/// Device and number of an open file, which distinguish it from one that has taken over its
/// descriptor. `None` if it is not open.
#[cfg(unix)]
#[allow(clippy::unnecessary_cast, clippy::cast_sign_loss)] // The types depend on the target.
pub(crate) fn file_of(descriptor: std::os::fd::RawFd) -> Option<(u64, u64)> {
    let mut file = std::mem::MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the call only writes to the pointer, which is valid for it. A descriptor that is not
    // open gives an error.
    let result = unsafe { libc::fstat(descriptor, file.as_mut_ptr()) };
    if result != 0 {
        return None;
    }
    // SAFETY: the call has succeeded, and so has filled it in.
    let file = unsafe { file.assume_init() };
    Some((file.st_dev as u64, file.st_ino as u64))
}

/// Returns whether the process handles `signal`, instead of leaving the default or ignoring it.
#[cfg(all(unix, feature = "signal"))]
pub(crate) fn has_signal_handler(signal: std::ffi::c_int) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action the call only reads, and writes to the pointer, which is valid
    // for it.
    let result = unsafe { libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) };
    if result != 0 {
        return false;
    }
    // SAFETY: the call has succeeded, and so has filled it in.
    let action = unsafe { action.assume_init() };
    action.sa_sigaction != libc::SIG_DFL && action.sa_sigaction != libc::SIG_IGN
}
