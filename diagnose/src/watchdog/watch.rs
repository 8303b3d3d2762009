//! The thread of the watchdog, its settings, and what it has raised.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use super::alarms::texts;
use super::hangs::{Hangs, Said};
use super::late::Gather;
use super::looks::Looks;
use super::suspects::{Suspects, suspects};
use crate::clock;
use crate::os;
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
        say!("diagnose: cannot start the watchdog thread: {error}");
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

/// Of what a look, and a snapshot for it, takes: so much of the time is left to the program afterwards.
const LOOK_SHARE: u32 = 400;
const SNAPSHOT_SHARE: u32 = 100;
/// It looks so often at least.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

fn run(times: u64) {
    let mut watch = Watch::default();
    // No guard may live while it looks.
    let threshold = || THRESHOLD.lock().filter(|_| TIMES.load(Relaxed) == times);
    while let Some(threshold) = threshold() {
        let pause = (threshold / 4).clamp(Duration::from_millis(1), Duration::from_secs(1));
        thread::sleep(pause.max(watch.looked.saturating_mul(LOOK_SHARE).min(LONGEST_PAUSE)));
        watch.look(threshold);
    }
}

/// What has been seen and said so far.
#[derive(Debug, Default)]
struct Watch {
    gather: Gather,
    looks: Looks,
    hangs: Hangs,
    /// How long the last look took, at what is late and nothing more.
    looked: Duration,
    /// The last snapshot of what runs.
    running: WatchTurn,
    /// The last sieve, how often in a row it had nothing new, and whether something was late since that was not before.
    sieve: WatchTurn,
    quiet: u32,
    is_new: bool,
    /// Whom the last sieve has passed on.
    suspects: Suspects,
    /// When it was asked last what hangs, and about whom.
    asked: WatchTurn,
    asked_about: Suspects,
}

/// When something was done last, and how much processor time that took.
#[derive(Debug, Clone, Copy, Default)]
struct WatchTurn {
    ended: Option<Instant>,
    took: Duration,
}

impl WatchTurn {
    /// How long ago that was; for ever, if it never was.
    fn ago(self) -> Duration {
        self.ended.map_or(Duration::MAX, |ended| ended.elapsed())
    }
}

/// Measures what something takes: processor time where that is known, because others may have the processor meanwhile.
struct Stopwatch {
    began: Instant,
    used: Option<Duration>,
}

impl Stopwatch {
    fn start() -> Self {
        Self { began: Instant::now(), used: os::processor_time() }
    }

    fn turn(&self) -> WatchTurn {
        let used = self.used.zip(os::processor_time()).map(|(before, now)| now.saturating_sub(before));
        let ended = Instant::now();
        WatchTurn { ended: Some(ended), took: used.unwrap_or_else(|| ended - self.began) }
    }
}

impl Watch {
    fn look(&mut self, threshold: Duration) {
        let (watch, now) = (Stopwatch::start(), clock::now());
        let ticks = clock::Scale::measure().ticks(threshold);
        let late = self.gather.look(now, ticks);
        self.looked = watch.turn().took;
        self.is_new |= late.is_new;
        if late.polls && self.running.ago() >= self.running.took.saturating_mul(SNAPSHOT_SHARE) {
            let watch = Stopwatch::start();
            let snapshot = crate::snapshot::running();
            let findings = self.looks.look(&snapshot, ns(threshold));
            self.running = watch.turn();
            texts(&snapshot, &findings).into_iter().for_each(raise);
        }
        if (late.anything || self.hangs.has_open()) && self.is_sieve_due(threshold) {
            let watch = Stopwatch::start();
            self.suspects = suspects(now, ticks);
            self.sieve = watch.turn();
            self.quiet = if self.is_new { 0 } else { self.quiet + 1 };
            self.is_new = false;
            self.ask(threshold);
        }
    }

    /// Whether it is time to see who may hang: something is late that was not, or it is time to ask about the last suspects.
    fn is_sieve_due(&self, threshold: Duration) -> bool {
        let quiet = if self.is_new { 0 } else { self.quiet.min(16) };
        let pause = threshold.saturating_mul(1 << quiet).min(LONGEST_PAUSE.max(threshold));
        let ago = self.sieve.ago();
        ago >= self.sieve.took.saturating_mul(LOOK_SHARE) && (ago >= pause || self.is_asking_due(threshold))
    }

    fn is_asking_due(&self, threshold: Duration) -> bool {
        self.hangs.is_due(self.suspects.late(self.asked_about), self.asked.ago(), threshold)
    }

    /// Asks what hangs, if there is anybody to ask about.
    fn ask(&mut self, threshold: Duration) {
        if !self.is_asking_due(threshold) {
            return;
        }
        let watch = Stopwatch::start();
        let late = self.suspects.late(self.asked_about);
        let verdicts = crate::snapshot::alive().verdicts();
        // From the sieve on, so that it is due again when that is.
        self.asked = WatchTurn { took: watch.turn().took, ..self.sieve };
        self.asked_about = self.suspects;
        let said = self.hangs.hear(&verdicts, late, self.asked.took, ns(threshold));
        for said in said {
            match said {
                Said::Alarm(alarm) => raise(alarm),
                Said::Over { alarm, words } => end(&alarm, &words),
            }
        }
    }
}

/// Marks an alarm as over, and says so.
fn end(alarm: &str, words: &str) {
    let mut alarms = ALARMS.lock();
    if let Some(own) = alarms.iter_mut().rev().find(|own| own.as_str() == alarm) {
        own.push_str("\n  ");
        own.push_str(words);
    }
    drop(alarms);
    say::later(format!("diagnose: {words}: {}", alarm.lines().next().unwrap_or_default()));
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
