//! What this process uses: processor time and memory, as Linux counts them.

use std::time::Duration;

/// The number after `key:` in `/proc/self/status`, in bytes.
fn status_bytes(key: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Resident memory, in bytes; 0 where that is not known.
#[must_use]
pub fn resident() -> u64 {
    status_bytes("VmRSS").unwrap_or(0)
}

/// The highest resident memory since [`forget_peak`], in bytes; 0 where that is not known.
#[must_use]
pub fn peak() -> u64 {
    status_bytes("VmHWM").unwrap_or(0)
}

/// Starts a new measurement of [`peak`].
pub fn forget_peak() {
    // The kernel may lack the file; then the peak counts from the start of the process.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Processor time of the threads of this process whose name begins with `name`, up to now.
#[must_use]
pub fn thread_time(name: &str) -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let times = tasks.filter_map(|task| {
        let comm = std::fs::read_to_string(task.path().join("comm")).ok()?;
        let times = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        let nanoseconds = times.split(' ').next()?.parse().ok()?;
        comm.starts_with(name).then(|| Duration::from_nanos(nanoseconds))
    });
    times.sum()
}
