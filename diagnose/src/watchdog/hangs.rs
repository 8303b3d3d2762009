//! Decides when to ask for verdicts, and which of them are new alarms.
//!
//! ```text
//! new late tasks or waits    ask after the threshold
//! the same as last time      ask after twice the last pause, up to 10 s: a hang need not begin
//!                            with a wait, because the task that would have ended one can go away
//! in any case                not before a hundred times the duration of the last verdicts
//! ```
//! A verdict is identified by its kind and by the names and places in its chain. The same chain in
//! other tasks is the same alarm: it is printed once and counted. An alarm that is missing twice in
//! a row is over, and its end is printed too. If it comes back, its second, fourth, eighth …
//! occurrence is printed at once. Any other is printed if none was for a minute, or once it has
//! lasted eight times as long as the first had when it was found; then that time doubles.
//!
//! A verdict that is behind another alarm does not raise its own.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use diagnose_reports::model::{Alarm, AlarmKind, TaskId};
use diagnose_reports::ordered::OrderedSet;
use diagnose_reports::sort::sort;
use diagnose_reports::{Confidence, Link, LinkNode, LinkRole, Verdict, VerdictKind};

use super::late::Late;
use super::repeats::{LONGER, QUIET};
use crate::alarms::alarm;

/// Longest pause between two requests for verdicts while tasks stay late.
const LONGEST: Duration = Duration::from_secs(10);
/// Verdicts take at most one part in `SHARE` of one processor.
const SHARE: u32 = 100;
/// Maximum number of verdicts printed at once; the others are counted.
const MAX_NEW_ALARMS: usize = 16;

/// Number of tasks of an open alarm past which they are forgotten: the count of similar hangs then
/// includes some twice.
const MAX_TASKS: usize = 4_096;
/// Maximum number of finished alarms that are remembered.
const MAX_OVER: usize = 256;
/// Minimum age of a first hang, in ns, from which the age of a later one is told.
const MIN_AGE_NS: u64 = 10_000_000;
/// Number of requests in a row without an alarm after which it is over. One is not enough, because
/// a capture leaves out a task that changes in the meantime.
const MISSED: u32 = 2;

/// The identity of an alarm.
type AlarmKey = (VerdictKind, Vec<AlarmPart>);
/// A link without its number: its node, name, file, line and role.
type AlarmPart = (LinkNode, String, String, u32, LinkRole);

/// The start or the end of an alarm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HangEvent {
    /// Its tasks are those in the chains, by id: sorted, without duplicates.
    Alarm(Alarm),
    Over {
        /// The alarm as it was raised.
        alarm: Alarm,
        /// How long the alarm lasted, and how many verdicts it stood for.
        words: String,
    },
}

/// Hangs that look alike: one alarm, raised or only counted.
#[derive(Debug, Default)]
struct HangAlarm {
    /// The alarm as it was raised; `None` if it was only counted.
    raised: Option<Alarm>,
    /// The tasks of its current verdicts. `count` is the number of verdicts so far.
    tasks: OrderedSet<TaskId>,
    count: u64,
    /// Its age at the last look that found it, in ns.
    age_ns: u64,
    /// Number of requests in a row in which it was missing; at most [`MISSED`].
    missed: u32,
    /// Number of times that it has begun.
    times: u64,
    /// When it was last raised, and the age from which another one is raised in any case, in ns.
    last: Option<(Instant, u64)>,
}

impl HangAlarm {
    /// Returns whether an occurrence that was not raised when it began is to be raised now.
    fn is_due_again(&self) -> bool {
        let is_due = |(raised, from_ns): (Instant, u64)| self.age_ns >= from_ns || raised.elapsed() >= QUIET;
        self.raised.is_none() && self.times > 1 && self.last.is_some_and(is_due)
    }

    fn note_raised(&mut self) {
        let from_ns = match self.last {
            // A verdict about polls alone may have just begun.
            None => self.age_ns.max(MIN_AGE_NS).saturating_mul(LONGER),
            Some((_, from_ns)) if self.age_ns >= from_ns => self.age_ns.saturating_mul(2),
            Some((_, from_ns)) => from_ns,
        };
        self.last = Some((Instant::now(), from_ns));
    }

    fn is_over(&self) -> bool {
        self.missed >= MISSED
    }
}

/// The alarms so far, and the state that decides when to ask again.
#[derive(Debug, Default)]
pub(super) struct Hangs {
    alarms: HashMap<AlarmKey, HangAlarm>,
    /// The alarm about verdicts past the maximum; it is over once all others are.
    more: Option<Alarm>,
    /// Number of requests in a row that found nothing new.
    quiet: u32,
    /// Processor time of the last request.
    took: Duration,
}

impl Hangs {
    /// Returns whether to ask for verdicts now, `since` after the last request.
    pub(super) fn is_due(&self, late: Late, since: Duration, threshold: Duration) -> bool {
        let quiet = if late.is_new { 0 } else { self.quiet.min(16) };
        let pause = threshold.saturating_mul(1 << quiet).min(LONGEST.max(threshold));
        (late.anything || self.has_open()) && since >= pause.max(self.took.saturating_mul(SHARE))
    }

    pub(super) fn has_open(&self) -> bool {
        self.alarms.values().any(|alarm| !alarm.is_over())
    }

    /// Processes new verdicts. Returns the alarms that began or ended. `late` is the reason for the
    /// request, `took` its duration.
    pub(super) fn update(
        &mut self,
        verdicts: &[Verdict],
        late: Late,
        took: Duration,
        threshold_ns: u64,
    ) -> Vec<HangEvent> {
        let is_alarm = |verdict: &Verdict| {
            verdict.confidence <= Confidence::Likely && youngest_ns(verdict) >= threshold_ns
        };
        let is_behind = |verdict: &Verdict| {
            let cause = verdict.behind.and_then(|behind| verdicts.get(behind));
            !verdict.root_cause && cause.is_some_and(is_alarm)
        };
        let mut current: HashMap<AlarmKey, Vec<&Verdict>> = HashMap::new();
        let mut order = Vec::new();
        for verdict in verdicts.iter().filter(|verdict| is_alarm(verdict) && !is_behind(verdict)) {
            let alike = current.entry(key(verdict)).or_default();
            if alike.is_empty() {
                order.push(key(verdict));
            }
            alike.push(verdict);
        }
        let mut events = Vec::new();
        let mut more = 0_usize;
        for key in order {
            let Some(alike) = current.get(&key) else { continue };
            let Some((text, tasks)) = self.note(key.clone(), alike) else { continue };
            if events.len() == MAX_NEW_ALARMS {
                more += 1;
                continue;
            }
            let raised = alarm(AlarmKind::Hang, text, tasks);
            if let Some(own) = self.alarms.get_mut(&key) {
                own.raised = Some(raised.clone());
            }
            events.push(HangEvent::Alarm(raised));
        }
        if more > 0 {
            let text = format!("{more} more verdicts, which the reports list");
            let raised = alarm(AlarmKind::Hang, text, Vec::new());
            let before = self.more.replace(raised.clone());
            events.extend(before.map(|alarm| HangEvent::Over { alarm, words: "over".to_owned() }));
            events.push(HangEvent::Alarm(raised));
        }
        events.extend(self.end(&current));
        self.quiet = if late.is_new || !events.is_empty() { 0 } else { self.quiet + 1 };
        self.took = took;
        events
    }

    /// Records verdicts that are one alarm. Returns its text and its tasks if it is to be raised.
    fn note(&mut self, key: AlarmKey, alike: &[&Verdict]) -> Option<(String, Vec<TaskId>)> {
        let alarm =
            self.alarms.entry(key).or_insert_with(|| HangAlarm { missed: MISSED, ..HangAlarm::default() });
        let was_over = alarm.is_over();
        if was_over {
            alarm.tasks = OrderedSet::new();
            (alarm.age_ns, alarm.count, alarm.times) = (0, 0, alarm.times + 1);
        }
        let mut tasks = OrderedSet::new();
        for verdict in alike {
            let own: OrderedSet<TaskId> = verdict.chain.iter().filter_map(Link::task).collect();
            alarm.count +=
                u64::from(own.is_empty() && was_over || !own.iter().all(|task| alarm.tasks.contains(task)));
            alarm.age_ns = alarm.age_ns.max(age_ns(verdict));
            tasks.extend(own);
        }
        if alarm.tasks.len() > MAX_TASKS {
            alarm.tasks = OrderedSet::new();
        }
        alarm.tasks.extend(tasks.iter().copied());
        alarm.missed = 0;
        let is_first = was_over && alarm.times.is_power_of_two();
        if !is_first && !alarm.is_due_again() {
            return None;
        }
        alarm.note_raised();
        let mut text = text(alike);
        if alarm.times > 1 {
            text = format!("for the {} time: {text}", ordinal(alarm.times));
        }
        Some((text, tasks.into_iter().collect()))
    }

    /// Returns the alarms that are open, which nobody will end.
    pub(super) fn close(&mut self) -> Vec<Alarm> {
        let raised = self.alarms.values_mut().filter_map(|alarm| alarm.raised.take());
        raised.chain(self.more.take()).collect()
    }

    /// Records the alarms that are over. Returns those that were raised.
    fn end(&mut self, current: &HashMap<AlarmKey, Vec<&Verdict>>) -> Vec<HangEvent> {
        let mut ended = Vec::new();
        for (key, alarm) in &mut self.alarms {
            if current.contains_key(key) || alarm.is_over() {
                continue;
            }
            alarm.missed += 1;
            let raised = if alarm.is_over() { alarm.raised.take() } else { None };
            if let Some(raised) = raised {
                let age = seconds(alarm.age_ns);
                let words = match alarm.count {
                    0 | 1 => format!("over after at least {age}"),
                    count => format!("over after at least {age}, {count} similar hangs in all"),
                };
                ended.push(HangEvent::Over { alarm: raised, words });
            }
        }
        if let Some(alarm) = self.more.take_if(|_| self.alarms.values().all(HangAlarm::is_over)) {
            ended.push(HangEvent::Over { alarm, words: "over".to_owned() });
        }
        let over = self.alarms.values().filter(|alarm| alarm.is_over()).count();
        if over > MAX_OVER {
            self.alarms.retain(|_, alarm| !alarm.is_over());
        }
        ended
    }
}

/// Returns the text of the first verdict, with the number of the others.
fn text(alike: &[&Verdict]) -> String {
    let Some((first, others)) = alike.split_first() else { return String::new() };
    // `behind` is an index into a list that the text does not contain.
    let mut first = (*first).clone();
    first.behind = None;
    match others.len() {
        0 => first.to_string(),
        1 => format!("{first}\n  and 1 similar hang"),
        many => format!("{first}\n  and {many} similar hangs"),
    }
}

/// Returns a number as an ordinal: 1st, 2nd, 3rd, 4th, 11th, 512th.
pub(super) fn ordinal(number: u64) -> String {
    let suffix = match (number % 10, number % 100) {
        (1, not) if not != 11 => "st",
        (2, not) if not != 12 => "nd",
        (3, not) if not != 13 => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

fn seconds(ns: u64) -> String {
    format!("{}.{} s", ns / 1_000_000_000, ns / 100_000_000 % 10)
}

/// Returns the age of the youngest wait in the chain, in ns.
fn youngest_ns(verdict: &Verdict) -> u64 {
    let waits = |link: &&Link| matches!(link.role, LinkRole::Waits | LinkRole::Queued | LinkRole::Blocked);
    verdict.chain.iter().filter(waits).map(|link| link.since_ns).min().unwrap_or(u64::MAX)
}

/// Returns how long the verdict has been true, in ns: the age of its youngest wait, or else of its
/// youngest poll.
fn age_ns(verdict: &Verdict) -> u64 {
    let tasks = verdict.chain.iter().filter(|link| link.node == LinkNode::Task);
    match youngest_ns(verdict) {
        u64::MAX => tasks.map(|link| link.since_ns).min().unwrap_or(0),
        youngest => youngest,
    }
}

fn key(verdict: &Verdict) -> AlarmKey {
    let known = verdict.chain.iter().filter(|link| link.node != LinkNode::Future);
    let part = |link: &Link| (link.node, link.name.clone(), link.file.clone(), link.line, link.role);
    let mut parts: Vec<AlarmPart> = known.map(part).collect();
    sort(&mut parts);
    parts.dedup();
    (verdict.kind, parts)
}

#[cfg(test)]
mod tests;
