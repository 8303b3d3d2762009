//! The watchdog: a thread of its own that sees what does not move, while it does not move.
//!
//! It only looks: at the state of each task, and at what runs on the threads. Each alarm comes once, on stderr.
//! ```text
//! diagnose: ALARM task 7 conn has been in one poll for 312 ms, on thread tokio-rt-worker, using 100 % of a processor
//!   conn (src/main.rs:12)
//!   └─ parse (src/parse.rs:3)  ◀ running
//! diagnose: ALARM task 9 flush was woken 250 ms ago and not polled since; running: task 7 conn for 312 ms
//! ```

use std::collections::HashSet;
use std::fmt::Write as _;
use std::thread;
use std::time::Duration;

use diagnose_reports::{Snapshot, State, Task, TaskKind};

use crate::cpu;
use crate::say::say;
use crate::sync::Mutex;

/// How long a poll, or a wait in the queue, may take before it is an alarm.
static THRESHOLD: Mutex<Option<Duration>> = Mutex::new(None);
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

/// The alarms so far.
pub(crate) fn alarms() -> Vec<String> {
    ALARMS.lock().clone()
}

fn run() {
    let mut watchdog = Watchdog::default();
    // No guard may live while it looks.
    let threshold = || *THRESHOLD.lock();
    while let Some(threshold) = threshold() {
        thread::sleep((threshold / 4).clamp(Duration::from_millis(1), Duration::from_secs(1)));
        watchdog.look(&crate::snapshot::alive(), threshold);
    }
}

/// What has been said, so that each alarm comes once.
#[derive(Debug, Default)]
struct Watchdog {
    /// A task in a poll, by the number of the poll.
    said: HashSet<(u64, u64, State)>,
}

impl Watchdog {
    fn look(&mut self, snapshot: &Snapshot, threshold: Duration) {
        let threshold_ns = u64::try_from(threshold.as_nanos()).unwrap_or(u64::MAX);
        let late = |task: &&Task| task.kind == TaskKind::Future && task.since_ns >= threshold_ns;
        for task in snapshot.tasks.iter().filter(late) {
            if !matches!(task.state, State::Running | State::Queued) {
                continue;
            }
            if self.said.insert((task.id, task.polls, task.state)) {
                let alarm = match task.state {
                    State::Running => long_poll(snapshot, task),
                    _ => starved(snapshot, task),
                };
                raise(alarm);
            }
        }
        self.said
            .retain(|&(id, polls, _)| snapshot.tasks.iter().any(|task| task.id == id && task.polls == polls));
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

fn long_poll(snapshot: &Snapshot, task: &Task) -> String {
    let processor = match task.thread_id.and_then(|id| cpu::share(id, Duration::from_millis(20))) {
        Some(share) if share > 50 => format!(", using {share} % of a processor"),
        Some(share) => format!(", blocked: it uses {share} % of a processor"),
        None => String::new(),
    };
    let mut alarm = format!(
        "{} has been in one poll for {}, on thread {}{processor}",
        name(snapshot, task),
        ms(task.since_ns),
        task.thread
    );
    for (depth, &site) in task.running.iter().enumerate() {
        let Some(site) = snapshot.sites.get(site) else { continue };
        let branch = if depth == 0 { String::new() } else { format!("{:1$}└─ ", "", (depth - 1) * 3) };
        let mark = if depth + 1 == task.running.len() { "  ◀ running" } else { "" };
        let place = format!("{}:{}:{}", site.file, site.line, site.column);
        // Writing to a string cannot fail.
        let _ = write!(alarm, "\n  {branch}{} ({place}){mark}", site.name);
    }
    alarm
}

fn starved(snapshot: &Snapshot, task: &Task) -> String {
    let running = snapshot.tasks.iter().filter(|task| task.state == State::Running);
    let running: Vec<String> =
        running.map(|task| format!("{} for {}", name(snapshot, task), ms(task.since_ns))).collect();
    let running = if running.is_empty() { "no task".to_owned() } else { running.join(", ") };
    format!(
        "{} was woken {} ago and not polled since; running: {running}",
        name(snapshot, task),
        ms(task.since_ns)
    )
}

fn name(snapshot: &Snapshot, task: &Task) -> String {
    let name = snapshot.sites.get(task.site).map_or("", |site| &site.name);
    format!("task {} {name}", task.id)
}

fn ms(ns: u64) -> String {
    format!("{} ms", ns / 1_000_000)
}
