//! Processor time and memory of this process, as Linux counts them.

use std::path::PathBuf;
use std::time::Duration;

/// The number after `key:` in `/proc/self/status`, in bytes.
fn status_bytes(key: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Resident memory, in bytes; 0 if unknown.
#[must_use]
pub fn resident() -> u64 {
    status_bytes("VmRSS").unwrap_or(0)
}

/// The part of [`resident`] that is read from files: the program's code, a page when it runs first.
#[must_use]
pub fn resident_files() -> u64 {
    status_bytes("RssFile").unwrap_or(0)
}

/// The peak of resident memory since [`forget_peak`], in bytes; 0 if unknown.
#[must_use]
pub fn peak() -> u64 {
    status_bytes("VmHWM").unwrap_or(0)
}

/// Starts a new measurement of [`peak`].
pub fn forget_peak() {
    // The kernel may lack the file; then the peak counts from the start of the process.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Processor time used so far by this process's threads whose name begins with `name`.
#[must_use]
pub fn thread_time(name: &str) -> Duration {
    let times = threads(name).into_iter().filter_map(|thread| {
        let times = std::fs::read_to_string(thread.join("schedstat")).ok()?;
        Some(Duration::from_nanos(times.split(' ').next()?.parse().ok()?))
    });
    times.sum()
}

/// The number of times this process's threads whose name begins with `name` have gone to sleep.
#[must_use]
pub fn thread_sleeps(name: &str) -> u64 {
    let counts = threads(name).into_iter().filter_map(|thread| {
        let status = std::fs::read_to_string(thread.join("status")).ok()?;
        let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
        count.trim().parse::<u64>().ok()
    });
    counts.sum()
}

/// The `/proc` directories of this process's threads whose name begins with `name`.
fn threads(name: &str) -> Vec<PathBuf> {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let is_it =
        |path: &PathBuf| std::fs::read_to_string(path.join("comm")).is_ok_and(|comm| comm.starts_with(name));
    threads.map(|thread| thread.path()).filter(is_it).collect()
}
