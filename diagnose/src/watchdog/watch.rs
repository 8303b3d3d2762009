//! The thread of the watchdog, its settings, and what it has raised.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use super::alarms::texts;
use super::looks::Looks;
use crate::say::say;
use crate::sync::Mutex;

/// How long a poll, or a wait in the queue, may take before it is an alarm.
static THRESHOLD: Mutex<Option<Duration>> = Mutex::new(None);

/// How long a poll may take before reports count it as long, in nanoseconds.
static LONG_POLL_NS: AtomicU64 = AtomicU64::new(100_000);

/// Every alarm so far, oldest first; the last so many.
static ALARMS: Mutex<Vec<String>> = Mutex::new(Vec::new());
const MAX_ALARMS: usize = 64;

/// Watches from now on, or no longer.
pub(crate) fn watch(threshold: Option<Duration>) {
    let mut own = THRESHOLD.lock();
    let was_on = std::mem::replace(&mut *own, threshold).is_some();
    if was_on || threshold.is_none() {
        return;
    }
    let thread = thread::Builder::new().name("diagnose-watchdog".to_owned()).spawn(run);
    if let Err(error) = thread {
        say!("diagnose: no thread for the watchdog: {error}");
        *own = None;
    }
}

/// From which duration on reports count a poll as long.
pub(crate) fn set_long_polls(bound: Duration) {
    LONG_POLL_NS.store(ns(bound), Relaxed);
}

/// From how many nanoseconds on reports count a poll as long.
pub(crate) fn long_poll_ns() -> u64 {
    LONG_POLL_NS.load(Relaxed)
}

/// The alarms so far.
pub(crate) fn alarms() -> Vec<String> {
    ALARMS.lock().clone()
}

fn run() {
    let mut looks = Looks::default();
    // No guard may live while it looks.
    let threshold = || *THRESHOLD.lock();
    while let Some(threshold) = threshold() {
        thread::sleep((threshold / 4).clamp(Duration::from_millis(1), Duration::from_secs(1)));
        let snapshot = crate::snapshot::alive();
        let findings = looks.look(&snapshot, ns(threshold));
        for alarm in texts(&snapshot, &findings) {
            raise(alarm);
        }
    }
}

fn raise(alarm: String) {
    say!("diagnose: ALARM {alarm}");
    let mut alarms = ALARMS.lock();
    if alarms.len() == MAX_ALARMS {
        alarms.remove(0);
    }
    alarms.push(alarm);
}

fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
