//! Reads from `/proc` what threads wait for: the system call that each is in. Linux only.

use std::io::Read as _;
use std::path::Path;

/// Returns the system call that the thread is in, as the kernel describes it: number, arguments,
/// stack and code position. It is equal at two moments if the thread stayed in one call. `None` if
/// unknown.
pub(crate) fn of(thread_id: u64) -> Option<String> {
    std::fs::read_to_string(format!("/proc/self/task/{thread_id}/syscall")).ok()
}

/// Returns whether a thread in that call waits for another thread of this process, without a time
/// limit: in `park()`, for a lock, a condition variable or a channel of std, for a thread's end, or
/// as an executor without timers and files.
pub(crate) fn waits_for_thread(system_call: &str) -> bool {
    /// Operations of the call, without flags.
    const WAIT: u64 = 0;
    const WAIT_BITSET: u64 = 9;
    /// Only this process can end the wait.
    const PRIVATE: u64 = 128;
    const REAL_TIME: u64 = 256;
    if let Some(is_quiet) = is_quiet_executor(system_call) {
        return is_quiet;
    }
    let (number, [_, operation, expected, limit]) = parse(system_call);
    let is_wait = |operation: u64| {
        let is_private =
            matches!(operation & !REAL_TIME, it if it == WAIT | PRIVATE || it == WAIT_BITSET | PRIVATE);
        // The kernel ends the wait for a thread's end. The word has the number of that thread until
        // then. A semaphore that is shared with other processes is waited for in the same way.
        let is_thread = || expected.is_some_and(|id| Path::new(&format!("/proc/self/task/{id}")).exists());
        is_private || operation == WAIT_BITSET | REAL_TIME && is_thread()
    };
    number.is_some() && number == crate::os::FUTEX && operation.is_some_and(is_wait) && limit == Some(0)
}

/// Returns whether a thread that waits for files has no time limit, and no files but the two by
/// which an executor wakes itself. One of these may be a timer that is not set, or the pipe through
/// which signals arrive, if the program catches none. `None` if it does not wait for files.
fn is_quiet_executor(system_call: &str) -> Option<bool> {
    const OWN_FILES: usize = 2;
    /// No limit, as an `int`.
    const NONE: u64 = 0xffff_ffff;
    let (number, [epoll, _, _, limit]) = parse(system_call);
    let number = number.filter(|number| crate::os::EPOLL_WAITS.contains(number))?;
    let limit = limit.unwrap_or_default();
    let is_unlimited = if number == crate::os::EPOLL_PWAIT2 { limit == 0 } else { limit & NONE == NONE };
    let is_own = |list: String| {
        let files: Vec<&str> = list.lines().filter_map(|line| line.strip_prefix("tfd:")).collect();
        let is_quiet = |file: &&str| file.split_whitespace().next().is_some_and(is_quiet_file);
        files.len() <= OWN_FILES && files.iter().all(is_quiet)
    };
    Some(is_unlimited && file_info(&epoll?.to_string()).is_some_and(is_own))
}

/// Returns whether nothing outside of the process will make this file of an executor ready. An
/// executor such as that of `async-io` sets a timer instead of a time limit. That of tokio has a
/// pipe to which the handlers of signals write, a pair of sockets. A child process may have any of
/// these too.
fn is_quiet_file(file: &str) -> bool {
    let Some(info) = file_info(file) else { return false };
    let field = |name: &str| info.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    match (field("it_value:"), field("eventfd-count:")) {
        (Some(left), _) => left == "(0, 0)",
        _ if crate::os::has_child_process() => false,
        (None, Some(_)) => true,
        (None, None) => file.parse().is_ok_and(crate::os::is_connected_to_itself) && !catches_signals(),
    }
}

/// Returns whether the process has a handler for a signal that it may wait for. This crate has
/// handlers of its own, and may have one for a real-time signal. True if unknown.
fn catches_signals() -> bool {
    const FIRST_REAL_TIME: i32 = 32;
    // It begins with the name of the thread, which may be of any bytes.
    let status = std::fs::read("/proc/self/status").unwrap_or_default();
    let status = String::from_utf8_lossy(&status);
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(u64::MAX);
    let is_caught = |signal: &i32| caught >> (signal - 1) & 1 != 0;
    let mut awaited = (1..FIRST_REAL_TIME).filter(|signal| !crate::os::INTERRUPTS.contains(signal));
    awaited.any(|signal| is_caught(&signal) && !crate::signal::is_own(signal))
}

/// Returns the first kilobytes of what the kernel says about an open file: an instance of epoll in
/// a server watches a hundred thousand. `None` if unknown.
fn file_info(file: &str) -> Option<String> {
    const READ: u64 = 4 << 10;
    let info = std::fs::File::open(format!("/proc/self/fdinfo/{file}")).ok()?;
    let mut start = String::new();
    info.take(READ).read_to_string(&mut start).ok()?;
    Some(start)
}

/// Returns the number of a system call and its first arguments.
fn parse(system_call: &str) -> (Option<i64>, [Option<u64>; 4]) {
    let mut words = system_call.split_whitespace();
    let number = words.next().and_then(|number| number.parse::<i64>().ok());
    let mut arguments = words.filter_map(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok());
    (number, [(); 4].map(|()| arguments.next()))
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::{Duration, Instant};

    use super::{of, waits_for_thread};
    use crate::os;

    /// Runs `sleeps` on a thread. Returns whether that thread is seen to wait for another within
    /// ten seconds; `None` if the system does not show it.
    fn is_seen_to_wait(sleeps: impl FnOnce() + Send + 'static) -> Option<bool> {
        let (send, number) = mpsc::channel();
        thread::spawn(move || {
            send.send(os::thread_id()).unwrap();
            sleeps();
        });
        let number = number.recv().unwrap();
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(10) {
            if waits_for_thread(&of(number)?) {
                return Some(true);
            }
            thread::yield_now();
        }
        Some(false)
    }

    #[test]
    fn a_parked_thread_and_one_that_joins_another_wait_for_it() {
        assert_ne!(is_seen_to_wait(thread::park), Some(false));
        assert_ne!(is_seen_to_wait(|| thread::spawn(thread::park).join().unwrap()), Some(false));
    }

    #[test]
    fn a_call_that_ends_by_itself_or_from_outside_is_no_wait_for_a_thread() {
        let futex = os::FUTEX.unwrap();
        let call =
            |operation, limit| format!("{futex} 0x56 {operation} 0x0 {limit} 0x0 0xffffffff 0x7f 0x7f");
        assert!(waits_for_thread(&call("0x80", "0x0")));
        assert!(waits_for_thread(&call("0x189", "0x0")));
        assert!(!waits_for_thread(&call("0x189", "0x7f10")), "with a time limit");
        assert!(!waits_for_thread(&call("0x0", "0x0")), "another process may have this word");
        assert!(!waits_for_thread(&call("0x81", "0x0")), "it wakes others");
        assert!(!waits_for_thread("-1 0x7ffc 0x7f0f"), "it waits outside of calls");
        assert!(!waits_for_thread("running"));
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn a_socket_of_a_service_is_not_taken_for_the_pipe_of_an_executor() {
        use std::net::{TcpListener, TcpStream};
        use std::os::fd::AsRawFd as _;
        use std::os::unix::net::{UnixListener, UnixStream};
        let (one, other) = UnixStream::pair().unwrap();
        assert!(os::is_connected_to_itself(one.as_raw_fd()) && os::is_connected_to_itself(other.as_raw_fd()));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let path = std::env::temp_dir().join(format!("diagnose-quiet-{}", std::process::id()));
        let local = UnixListener::bind(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let null = std::fs::File::open("/dev/null").unwrap();
        for file in [listener.as_raw_fd(), stream.as_raw_fd(), local.as_raw_fd(), null.as_raw_fd(), -1] {
            assert!(!os::is_connected_to_itself(file));
        }
    }

    #[test]
    fn an_executor_without_timers_and_files_waits_for_a_thread() {
        use std::os::fd::AsRawFd as _;
        // It stands in for an instance of epoll with no files.
        let none = std::fs::File::open("/dev/null").unwrap();
        let wait = |limit| format!("232 {:#x} 0x7f 0x400 {limit} 0x0 0x0 0x7f 0x7f", none.as_raw_fd());
        assert!(waits_for_thread(&wait("0xffffffff")));
        assert!(!waits_for_thread(&wait("0x5dc")), "a timer");
        let unknown = "232 0x7ffffff0 0x7f 0x400 0xffffffff 0x0 0x0 0x7f 0x7f";
        assert!(!waits_for_thread(unknown), "files that cannot be listed");
    }
}
