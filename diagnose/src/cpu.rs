//! Reads from `/proc` how much of a CPU threads use, whether they sleep, and which signals they
//! block. Linux only.

use std::collections::HashMap;
use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::time::{Duration, Instant};

use crate::os;

/// The CPU usage of a thread over a short time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CpuUsage {
    /// Share of one CPU, in percent.
    pub(crate) share: u64,
    /// Whether it slept in the kernel most of the time. A thread that neither sleeps nor runs waits
    /// for a CPU.
    pub(crate) is_asleep: bool,
}

/// Measures these threads during the next 20 ms or so. Threads that cannot be measured are left
/// out.
pub(crate) fn watch(thread_ids: &[u64]) -> HashMap<u64, CpuUsage> {
    const LOOKS: u64 = 5;
    const PAUSE: Duration = Duration::from_millis(4);
    // Time on a CPU so far, in ns.
    let used = |id: u64| {
        let path = format!("/proc/self/task/{id}/schedstat");
        std::fs::read_to_string(path).ok()?.split(' ').next()?.parse::<u64>().ok()
    };
    let mut watched: Vec<(u64, u64, Instant, u64)> =
        thread_ids.iter().filter_map(|id| Some((*id, used(*id)?, Instant::now(), 0))).collect();
    if watched.is_empty() {
        return HashMap::new();
    }
    for _ in 0..LOOKS {
        std::thread::sleep(PAUSE);
        for (id, _, _, asleep) in &mut watched {
            *asleep += u64::from(is_asleep(*id) == Some(true));
        }
    }
    let usages = watched.into_iter().filter_map(|(id, begin, start, asleep)| {
        let (end, window) = (used(id)?, start.elapsed());
        let window = u64::try_from(window.as_nanos()).ok()?;
        let share = (end.saturating_sub(begin).saturating_mul(100) / window.max(1)).min(100);
        Some((id, CpuUsage { share, is_asleep: asleep * 2 > LOOKS }))
    });
    usages.collect()
}

/// Returns the time of a thread on a CPU, and the time that it waited for one, in ns. `None` if
/// unknown.
pub(crate) fn times(thread_id: u64) -> Option<(u64, u64)> {
    let mut bytes = [0; ROOM];
    let text = std::str::from_utf8(read(thread_id, "schedstat", &mut bytes)?).ok()?;
    let mut times = text.split_whitespace();
    let mut next = || times.next()?.parse::<u64>().ok();
    Some((next()?, next()?))
}

/// Returns how long a thread has been on a CPU or waited for one. `None` if unknown. Allocates
/// nothing.
pub(crate) fn work(thread_id: u64) -> Option<Duration> {
    let (used, waited) = times(thread_id)?;
    Some(Duration::from_nanos(used.saturating_add(waited)))
}

/// Returns whether a thread is known to wait for a disk. Allocates nothing.
pub(crate) fn waits_for_disk(thread_id: u64) -> bool {
    state(thread_id) == Some('D')
}

/// Returns whether the thread sleeps in the kernel, rather than running or waiting for a CPU.
/// `None` if unknown.
pub(crate) fn is_asleep(thread_id: u64) -> Option<bool> {
    state(thread_id).map(|state| matches!(state, 'S' | 'D'))
}

/// Returns whether the thread will go on by itself: it runs, or waits for a CPU or a disk. `None`
/// if unknown.
pub(crate) fn goes_on(thread_id: u64) -> Option<bool> {
    state(thread_id).map(|state| matches!(state, 'R' | 'D'))
}

fn state(thread_id: u64) -> Option<char> {
    let mut stat = [0; ROOM];
    let stat = read(thread_id, "stat", &mut stat)?;
    // The thread name before it may be of any bytes, including parentheses.
    let name_ends = stat.windows(2).rposition(|two| two == b") ")?;
    stat.get(name_ends + 2).map(|letter| char::from(*letter))
}

/// More bytes than the number, the name and the state of a thread take, or its times.
const ROOM: usize = 128;

/// Reads the beginning of a file about a thread. Allocates nothing.
fn read<'a>(thread_id: u64, file: &str, bytes: &'a mut [u8; ROOM]) -> Option<&'a [u8]> {
    let mut path = [0; ROOM];
    let mut rest = &mut path[..];
    write!(rest, "/proc/self/task/{thread_id}/{file}").ok()?;
    let length = ROOM - rest.len();
    let path = std::str::from_utf8(path.get(..length)?).ok()?;
    let length = File::open(path).ok()?.read(bytes).ok()?;
    bytes.get(..length)
}

/// Returns the signals that a thread blocks, bit `n − 1` for signal `n`. `None` if unknown.
///
/// While the C library starts or ends a thread, the thread blocks all signals, also one that no
/// program can block through the library. This waits for the end of that, for 20 ms at most.
#[cfg(unix)]
pub(crate) fn blocked_signals(thread_id: u64) -> Option<u64> {
    const PATIENCE: Duration = Duration::from_millis(20);
    const OF_LIBRARY: u32 = 32;
    let began = Instant::now();
    loop {
        // The name of a thread, which comes first, may be of any bytes.
        let status = std::fs::read(format!("/proc/self/task/{thread_id}/status")).ok()?;
        let set = status.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"SigBlk:"))?;
        let set = u64::from_str_radix(std::str::from_utf8(set).ok()?.trim(), 16).ok()?;
        if set >> (OF_LIBRARY - 1) & 1 == 0 || began.elapsed() >= PATIENCE {
            return Some(set);
        }
        std::thread::yield_now();
    }
}

/// Returns whether the threads of this process can be counted on this system.
pub(crate) fn counts_threads() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok()
}

/// When a thread began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Began {
    /// In ticks of the kernel since its start.
    At(u64),
    /// There is no such thread any more.
    Over,
    /// The system does not say, as when all file descriptors are in use.
    Unknown,
}

/// Returns when a thread of this process began.
pub(crate) fn began(thread_id: u64) -> Began {
    match std::fs::read(format!("/proc/self/task/{thread_id}/stat")) {
        Ok(stat) => began_of(&stat).map_or(Began::Unknown, Began::At),
        // The second error is that of a thread that ends between opening and reading.
        Err(error) if error.kind() == ErrorKind::NotFound || os::is_no_such_process(&error) => Began::Over,
        Err(_) => Began::Unknown,
    }
}

fn began_of(stat: &[u8]) -> Option<u64> {
    // The thread name before it may be of any bytes, as a long name is cut after 15 of them.
    let name_ends = stat.windows(2).rposition(|two| two == b") ")?;
    // Field 22 of the file, which is number 20 after the name.
    std::str::from_utf8(&stat[name_ends + 2..]).ok()?.split(' ').nth(19)?.parse().ok()
}

/// Returns the time since that tick in ns. `None` if unknown.
pub(crate) fn age(began: u64) -> Option<u64> {
    /// Duration of a kernel clock tick, in ns.
    const TICK_NS: u64 = 10_000_000;
    // `/proc/uptime` is missing in some containers, and has the container's own start in others.
    let now = u64::try_from(os::since_boot()?.as_nanos()).ok()?;
    Some(now.saturating_sub(began.saturating_mul(TICK_NS)))
}

#[cfg(test)]
mod tests {
    use super::began_of;

    #[test]
    fn the_name_of_a_thread_may_be_of_any_bytes() {
        let fields = (3..=25).map(|field| field.to_string()).collect::<Vec<_>>().join(" ");
        let stat = |name: &[u8]| [b"17 (", name, b") ", fields.as_bytes()].concat();
        for name in [&b"worker"[..], b"a) S 1 (", b"verarbeitung-z\xc3"] {
            assert_eq!(began_of(&stat(name)), Some(22), "{name:?}");
        }
        assert_eq!(began_of(b"17 (worker) S 1 2"), None);
    }
}
