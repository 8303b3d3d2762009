//! When to ask what hangs, and which of the answers are new.
//!
//! ```text
//! late, and not yet when it was asked last   ask after the threshold
//! late, as when it was asked last            ask after twice as long as before, up to 10 s: what hangs need not begin with
//!                                            a wait, for whoever would have ended one can go away
//! in any case                                not before a hundred times what it took has passed
//! ```
//! A verdict is known by its kind and the names and places of its chain: the same of other tasks is the same alarm, which is said
//! once and counted. One that was not seen twice in a row is over, and that is said too. If it comes again, that is said for the
//! second time, the fourth, the eighth …
//!
//! What waits behind a verdict that is an alarm is none of its own.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use diagnose_reports::{Confidence, Link, LinkNode, LinkRole, Verdict, VerdictKind};

use super::late::Late;

/// What is late for long is asked about so often at least.
const LONGEST: Duration = Duration::from_secs(10);
/// Asking takes at most one of so many parts of a processor.
const SHARE: u32 = 100;
/// So many verdicts are said at once, and the others counted.
const MAX_SAID: usize = 16;

/// The number of alarms that are over and still remembered.
const MAX_OVER: usize = 256;
/// One that was not seen so often in a row is over: a task that changes while it is looked at is left out for once.
const MISSED: u32 = 2;

/// What a verdict is known by.
type AlarmKey = (VerdictKind, Vec<AlarmPart>);
/// A link without its number: what it is, its name, its place, its role.
type AlarmPart = (LinkNode, String, String, u32, LinkRole);

/// What the watchdog prints of an alarm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// A new alarm.
    Alarm(String),
    /// That one is over.
    Over {
        /// Its text, as it was said.
        alarm: String,
        /// After how long, and how many there were.
        words: String,
    },
}

/// An alarm that was said.
#[derive(Debug, Default)]
struct HangAlarm {
    text: String,
    /// The tasks, threads and resources of the verdicts that it stands for now, and how many verdicts it stood for in all.
    links: BTreeSet<(LinkNode, u64)>,
    count: u64,
    /// For how long it lasted when it was seen last, in nanoseconds.
    age_ns: u64,
    /// How often in a row it was not seen; more than [`MISSED`] does not count.
    missed: u32,
    /// How often it came.
    times: u64,
}

impl HangAlarm {
    fn is_over(&self) -> bool {
        self.missed >= MISSED
    }
}

/// What was said, and when it was asked.
#[derive(Debug, Default)]
pub(super) struct Hangs {
    alarms: HashMap<AlarmKey, HangAlarm>,
    /// How often in a row there was nothing new.
    quiet: u32,
    /// What it took the last time.
    took: Duration,
}

impl Hangs {
    /// Whether to ask now, `since` the last time.
    pub(super) fn is_due(&self, late: Late, since: Duration, threshold: Duration) -> bool {
        let quiet = if late.is_new { 0 } else { self.quiet.min(16) };
        let pause = threshold.saturating_mul(1 << quiet).min(LONGEST.max(threshold));
        (late.anything || self.has_open()) && since >= pause.max(self.took.saturating_mul(SHARE))
    }

    /// Whether an alarm was said and is not over.
    pub(super) fn has_open(&self) -> bool {
        self.alarms.values().any(|alarm| !alarm.is_over())
    }

    /// It was asked: what is to be said of the answer. `late` is what it was asked for, `took` how long that was.
    pub(super) fn hear(
        &mut self,
        verdicts: &[Verdict],
        late: Late,
        took: Duration,
        threshold_ns: u64,
    ) -> Vec<Said> {
        let is_alarm = |verdict: &Verdict| {
            verdict.confidence <= Confidence::Likely && youngest_ns(verdict) >= threshold_ns
        };
        let is_behind = |verdict: &Verdict| {
            let cause = verdict.behind.and_then(|behind| verdicts.get(behind));
            !verdict.root_cause && cause.is_some_and(is_alarm)
        };
        let mut seen: HashMap<AlarmKey, Vec<&Verdict>> = HashMap::new();
        let mut order = Vec::new();
        for verdict in verdicts.iter().filter(|verdict| is_alarm(verdict) && !is_behind(verdict)) {
            let alike = seen.entry(key(verdict)).or_default();
            if alike.is_empty() {
                order.push(key(verdict));
            }
            alike.push(verdict);
        }
        let mut said = Vec::new();
        let mut more = 0_usize;
        for key in order {
            let Some(alike) = seen.get(&key) else { continue };
            let Some(text) = self.note(key, alike) else { continue };
            if said.len() == MAX_SAID {
                more += 1;
            } else {
                said.push(Said::Alarm(text));
            }
        }
        if more > 0 {
            said.push(Said::Alarm(format!("{more} more verdicts, which the reports list")));
        }
        said.extend(self.end(&seen));
        self.quiet = if late.is_new || !said.is_empty() { 0 } else { self.quiet + 1 };
        self.took = took;
        said
    }

    /// Notes verdicts that are one alarm. Returns its text, if that is to be said.
    fn note(&mut self, key: AlarmKey, alike: &[&Verdict]) -> Option<String> {
        let alarm =
            self.alarms.entry(key).or_insert_with(|| HangAlarm { missed: MISSED, ..HangAlarm::default() });
        let was_over = alarm.is_over();
        if was_over {
            alarm.links.clear();
            (alarm.age_ns, alarm.count, alarm.times) = (0, 0, alarm.times + 1);
        }
        let mut links = BTreeSet::new();
        for verdict in alike {
            let own = verdict.chain.iter().filter(|link| link.node == LinkNode::Task);
            let own: BTreeSet<(LinkNode, u64)> = own.map(|link| (link.node, link.id)).collect();
            alarm.count += u64::from(own.is_empty() && was_over || !own.is_subset(&alarm.links));
            alarm.age_ns = alarm.age_ns.max(youngest_ns(verdict));
            links.extend(own);
        }
        alarm.links.extend(links);
        alarm.missed = 0;
        if !was_over || !alarm.times.is_power_of_two() {
            return None;
        }
        alarm.text = text(alike);
        if alarm.times > 1 {
            alarm.text = format!("for the {} time: {}", ordinal(alarm.times), alarm.text);
        }
        Some(alarm.text.clone())
    }

    /// Notes which alarms are over, and says so of those that were said.
    fn end(&mut self, seen: &HashMap<AlarmKey, Vec<&Verdict>>) -> Vec<Said> {
        let mut ended = Vec::new();
        for (key, alarm) in &mut self.alarms {
            if seen.contains_key(key) || alarm.is_over() {
                continue;
            }
            alarm.missed += 1;
            if alarm.is_over() && !alarm.text.is_empty() {
                let age = seconds(alarm.age_ns);
                let words = match alarm.count {
                    0 | 1 => format!("over after at least {age}"),
                    count => format!("over after at least {age}, {count} similar hangs in all"),
                };
                ended.push(Said::Over { alarm: std::mem::take(&mut alarm.text), words });
            }
        }
        let over = self.alarms.values().filter(|alarm| alarm.is_over()).count();
        if over > MAX_OVER {
            self.alarms.retain(|_, alarm| !alarm.is_over());
        }
        ended
    }
}

/// The text of the first, with the number of the others.
fn text(alike: &[&Verdict]) -> String {
    let Some((first, others)) = alike.split_first() else { return String::new() };
    // The number of a place in a list that is not there.
    let mut first = (*first).clone();
    first.behind = None;
    match others.len() {
        0 => first.to_string(),
        1 => format!("{first}\n  and 1 similar hang"),
        many => format!("{first}\n  and {many} similar hangs"),
    }
}

/// A power of two as it is spoken: 2nd, 4th, 32nd, 512th.
fn ordinal(times: u64) -> String {
    let is_second = times % 10 == 2 && times % 100 != 12;
    format!("{times}{}", if is_second { "nd" } else { "th" })
}

fn seconds(ns: u64) -> String {
    format!("{}.{} s", ns / 1_000_000_000, ns / 100_000_000 % 10)
}

/// For how long it has been so: the youngest of the waits in the chain.
fn youngest_ns(verdict: &Verdict) -> u64 {
    let waits = |link: &&Link| matches!(link.role, LinkRole::Waits | LinkRole::Queued | LinkRole::Blocked);
    verdict.chain.iter().filter(waits).map(|link| link.since_ns).min().unwrap_or(u64::MAX)
}

fn key(verdict: &Verdict) -> AlarmKey {
    let known = verdict.chain.iter().filter(|link| link.node != LinkNode::Future);
    let part = |link: &Link| (link.node, link.name.clone(), link.file.clone(), link.line, link.role);
    let mut parts: Vec<AlarmPart> = known.map(part).collect();
    parts.sort_unstable();
    parts.dedup();
    (verdict.kind, parts)
}

#[cfg(test)]
mod tests;
