//! The watchdog's thread, its settings and its alarms.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use super::alarm_texts::alarms_of;
use super::budget::{Budget, Stopwatch, WatchTurn};
use super::hangs::{HangEvent, Hangs, ordinal};
use super::late::Gather;
use super::looks::{Finding, Looks};
use super::poll_alarms::{self, PollAlarm};
use super::repeats::Repeats;
use super::suspects::{Suspects, suspects};
use crate::alarms::{raise, resolve};
use crate::clock;
use crate::own_thread;
use crate::say::{say, work_or_say};
use crate::switch;
use crate::sync::Mutex;

/// Duration from which a poll or a wait is an alarm; `None` while off.
static THRESHOLD: Mutex<Option<Duration>> = Mutex::new(None);

/// The process whose thread watches. A forked child has none.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Number of times that the watchdog was switched on. The thread of an earlier time ends.
static TIMES: AtomicU64 = AtomicU64::new(0);

/// Switches the watchdog on, or off with `None`.
pub(crate) fn watch(threshold: Option<Duration>) {
    // A child that records nothing would watch the tasks of its parent forever.
    if switch::is_cut_off() {
        return;
    }
    let mut own = THRESHOLD.lock();
    let was_on = std::mem::replace(&mut *own, threshold).is_some();
    let process = std::process::id();
    if threshold.is_none() || PROCESS.swap(process, Relaxed) == process && was_on {
        return;
    }
    let times = TIMES.fetch_add(1, Relaxed) + 1;
    let thread = own_thread::spawn("diagnose-watchdog", move || run(times));
    if let Err(error) = thread {
        say!("diagnose: cannot start the watchdog thread: {error}");
        *own = None;
    }
}

/// After a look the watchdog pauses `LOOK_SHARE` times as long as the look took.
const LOOK_SHARE: u32 = 400;
/// Longest pause between two looks.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

fn run(times: u64) {
    let mut watch = Watch::default();
    // The guard must be dropped before the thread looks.
    let known = || THRESHOLD.lock().filter(|_| TIMES.load(Relaxed) == times);
    let threshold = || own_thread::work(known);
    while let Some(threshold) = threshold() {
        let pause = (threshold / 4).clamp(Duration::from_millis(1), Duration::from_secs(1));
        rest(pause.max(watch.looked.saturating_mul(LOOK_SHARE).min(LONGEST_PAUSE)), threshold);
        if work_or_say("a look for late tasks", || watch.look(threshold)).is_none() {
            // The next one may panic too.
            thread::sleep(LONGEST_PAUSE);
        }
    }
    work_or_say("the end of the watch", || watch.close());
}

/// Sleeps for `pause`. Then sleeps for the threshold if the process stood still in the meantime:
/// stopped, frozen with its container, or paused with its machine. In that case every task seems
/// late, but is about to go on.
fn rest(pause: Duration, threshold: Duration) {
    let (began, tick) = (Instant::now(), clock::now());
    thread::sleep(pause);
    // While a machine is suspended, one of the two clocks may stand still.
    let ticks = clock::now().saturating_sub(tick);
    let scale = own_thread::work(clock::Scale::measure);
    let ticked = Duration::from_nanos(scale.ns(ticks));
    if has_overslept(began.elapsed().max(ticked), pause, threshold) {
        thread::sleep(threshold);
    }
}

/// Returns whether this thread woke so late that other threads may be late for the same reason
/// alone.
fn has_overslept(slept: Duration, pause: Duration, threshold: Duration) -> bool {
    slept >= pause.saturating_add(threshold)
}

#[derive(Debug, Default)]
struct Watch {
    gather: Gather,
    looks: Looks,
    repeats: Repeats,
    /// Alarms about polls and queued tasks that are not over.
    open: Vec<PollAlarm>,
    hangs: Hangs,
    /// Duration of the last look for late tasks alone.
    looked: Duration,
    /// For snapshots of running tasks.
    running: Budget,
    /// For native stacks.
    stacks: Budget,
    /// The last sieve. `quiet` counts the sieves in a row without anything new; `is_new` says that
    /// something is newly late since then.
    sieve: WatchTurn,
    quiet: u32,
    is_new: bool,
    /// The result of the last sieve.
    suspects: Suspects,
    /// The last request for verdicts, and the suspects that it was about.
    asked: WatchTurn,
    asked_about: Suspects,
}

impl Watch {
    fn look(&mut self, threshold: Duration) {
        let (watch, now) = (Stopwatch::start(), clock::now());
        let ticks = clock::Scale::measure().ticks(threshold);
        let late = self.gather.look(now, ticks);
        poll_alarms::resolve_ended(&mut self.open);
        self.looked = watch.turn().took;
        self.is_new |= late.is_new;
        if late.polls && self.running.allows(Instant::now()) {
            let watch = Stopwatch::start();
            let taken = Instant::now();
            let snapshot = crate::snapshot::running();
            let findings = self.looks.look(&snapshot, ns(threshold));
            let again = |finding: &Finding<'_>| self.looks.look_again(finding);
            let (findings, counts) = self.repeats.raised(&snapshot, findings, taken, again);
            self.running.spend(watch.turn().took);
            let alarms = alarms_of(&snapshot, &findings, &mut self.stacks);
            for ((finding, mut alarm), count) in findings.iter().zip(alarms).zip(counts) {
                if count > 1 {
                    alarm.text = format!("for the {} time: {}", ordinal(count), alarm.text);
                }
                self.open.push(PollAlarm::new(alarm.clone(), finding, taken));
                raise(alarm);
            }
        }
        if (late.anything || self.hangs.has_open()) && self.is_sieve_due(threshold) {
            let watch = Stopwatch::start();
            self.suspects = suspects(now, ticks, ns(threshold));
            self.sieve = watch.turn();
            self.quiet = if self.is_new { 0 } else { self.quiet + 1 };
            self.is_new = false;
            self.ask(threshold);
        }
    }

    /// Resolves the open alarms. If they last, the next watch raises them again.
    fn close(&mut self) {
        let open = poll_alarms::close(&mut self.open).into_iter().chain(self.hangs.close());
        open.for_each(|alarm| resolve(alarm, "no longer watched".to_owned()));
    }

    /// Returns whether to sieve now: because something is newly late, or because verdicts about the
    /// last suspects are due.
    fn is_sieve_due(&self, threshold: Duration) -> bool {
        let quiet = if self.is_new { 0 } else { self.quiet.min(16) };
        let pause = threshold.saturating_mul(1 << quiet).min(LONGEST_PAUSE.max(threshold));
        let ago = self.sieve.ago();
        ago >= self.sieve.took.saturating_mul(LOOK_SHARE) && (ago >= pause || self.is_asking_due(threshold))
    }

    fn is_asking_due(&self, threshold: Duration) -> bool {
        self.hangs.is_due(self.suspects.late(self.asked_about), self.asked.ago(), threshold)
    }

    /// Asks for verdicts, if they are due.
    fn ask(&mut self, threshold: Duration) {
        if !self.is_asking_due(threshold) {
            return;
        }
        let watch = Stopwatch::start();
        let late = self.suspects.late(self.asked_about);
        let verdicts = crate::snapshot::alive().verdicts();
        // Counted from the sieve, so that both are due again together.
        self.asked = WatchTurn { took: watch.turn().took, ..self.sieve };
        self.asked_about = self.suspects;
        let events = self.hangs.update(&verdicts, late, self.asked.took, ns(threshold));
        for event in events {
            match event {
                HangEvent::Alarm(alarm) => raise(alarm),
                HangEvent::Over { alarm, words } => resolve(alarm, words),
            }
        }
    }
}

fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Duration, has_overslept};

    #[test]
    fn a_process_that_stood_still_is_given_time_to_go_on() {
        let ms = Duration::from_millis;
        assert!(has_overslept(ms(19_000), ms(25), ms(100)), "a machine that was paused");
        assert!(has_overslept(ms(125), ms(25), ms(100)));
        assert!(!has_overslept(ms(124), ms(25), ms(100)), "a busy one");
        assert!(!has_overslept(ms(10_050), ms(10_000), ms(100)), "a long pause that was asked for");
    }
}
