//! The thread of the watchdog, its settings, and what it has raised.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use super::alarms::texts;
use super::hangs::Hangs;
use super::late::late;
use super::looks::Looks;
use crate::clock;
use crate::say::{self, say};
use crate::sync::Mutex;

/// How long a poll, or a wait, may take before it is an alarm.
static THRESHOLD: Mutex<Option<Duration>> = Mutex::new(None);

/// How long a poll may take before reports count it as long, in nanoseconds.
static LONG_POLL_NS: AtomicU64 = AtomicU64::new(100_000);

/// How often it was switched on: a thread of an earlier time ends.
static TIMES: AtomicU64 = AtomicU64::new(0);

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
    let times = TIMES.fetch_add(1, Relaxed) + 1;
    let thread = thread::Builder::new().name("diagnose-watchdog".to_owned()).spawn(move || run(times));
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

fn run(times: u64) {
    let (mut looks, mut hangs) = (Looks::default(), Hangs::default());
    let mut asked = Asked { tick: 0, at: Instant::now() };
    // No guard may live while it looks.
    let threshold = || THRESHOLD.lock().filter(|_| TIMES.load(Relaxed) == times);
    while let Some(threshold) = threshold() {
        thread::sleep((threshold / 4).clamp(Duration::from_millis(1), Duration::from_secs(1)));
        let now = clock::now();
        let late = late(now, asked.tick, ns(threshold));
        let is_due = hangs.is_due(late, asked.at.elapsed(), threshold);
        if !late.polls && !is_due {
            continue;
        }
        let began = Instant::now();
        let snapshot = crate::snapshot::alive();
        let verdicts = if is_due { snapshot.verdicts() } else { Vec::new() };
        let took = began.elapsed();
        let findings = looks.look(&snapshot, ns(threshold));
        for alarm in texts(&snapshot, &findings) {
            raise(alarm);
        }
        if is_due {
            for alarm in hangs.hear(&snapshot, verdicts, late, took, ns(threshold)) {
                raise(alarm);
            }
            asked = Asked { tick: now, at: Instant::now() };
        }
    }
}

/// When it was asked last what hangs.
struct Asked {
    /// What was late then was seen.
    tick: u64,
    at: Instant,
}

fn raise(alarm: String) {
    let words = format!("diagnose: ALARM {alarm}");
    let mut alarms = ALARMS.lock();
    if alarms.len() == MAX_ALARMS {
        alarms.remove(0);
    }
    alarms.push(alarm);
    drop(alarms);
    say::later(words);
}

fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
