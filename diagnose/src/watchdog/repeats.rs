//! Decides which alarms about polls and queued tasks are raised, if the same code is late again and
//! again. Otherwise, a handler that is slow for every request would fill the log, and hide other
//! alarms.
//!
//! Alarms are alike if their kind and their runtime are the same, and for a long poll the functions
//! that run.
//! ```text
//! 1st, 2nd, 4th, 8th …  raised at once
//! any other             raised if no alike one was for a minute, or once it has lasted eight times
//!                       as long as the first had when it was found. Then that time doubles, so an
//!                       endless poll is raised, and polls of equal length are not
//! ```

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use diagnose_reports::Snapshot;
use diagnose_reports::model::{AlarmKind, Place, SiteIndex, TaskId};

use super::alarm_texts::kind;
use super::looks::Finding;

/// Time after which an alarm is raised in any case.
pub(super) const QUIET: Duration = Duration::from_secs(60);
/// An alarm is raised in any case if it lasts that many times longer than the first.
pub(super) const LONGER: u64 = 8;
/// Maximum number of kinds of alarms that are counted.
const MAX_KNOWN: usize = 1_024;

/// Kind, runtime, and for a long poll the function of its task and those that run. Each snapshot
/// numbers its sites anew, so these are names and places.
type RepeatKey = (AlarmKind, u64, Vec<(String, Place)>);
/// An alarm that lasts: its kind, its first task, and the number of that task's polls.
type RepeatId = (AlarmKind, Option<TaskId>, u64);

/// Alike alarms.
#[derive(Debug, Clone, Copy)]
struct Occurrences {
    count: u64,
    raised: Instant,
    /// The duration from which another one is raised in any case, in ns.
    raised_from_ns: u64,
}

#[derive(Debug, Default)]
pub(super) struct Repeats {
    known: HashMap<RepeatKey, Occurrences>,
    /// Those that were counted at the last look, and not raised.
    pending: HashSet<RepeatId>,
}

impl Repeats {
    /// Counts each alarm. Returns those that are to be raised, with the number of alike ones so
    /// far. The others are to be looked at again while they last: `again` is called for them.
    pub(super) fn raised<'a>(
        &mut self,
        snapshot: &Snapshot,
        findings: Vec<Finding<'a>>,
        now: Instant,
        mut again: impl FnMut(&Finding<'a>),
    ) -> (Vec<Finding<'a>>, Vec<u64>) {
        let mut pending = HashSet::new();
        let mut raised = |finding: Finding<'a>| {
            let count = self.note(snapshot, &finding, now);
            if count.is_none() {
                again(&finding);
                pending.insert(id(&finding));
            }
            Some((finding, count?))
        };
        let raised = findings.into_iter().filter_map(&mut raised).unzip();
        self.pending = pending;
        raised
    }

    fn note(&mut self, snapshot: &Snapshot, finding: &Finding<'_>, now: Instant) -> Option<u64> {
        let key = key(snapshot, finding);
        if self.known.len() >= MAX_KNOWN && !self.known.contains_key(&key) {
            self.known.clear();
        }
        let age_ns = finding.tasks().first().map_or(0, |task| task.since_ns);
        let own = self.known.entry(key).or_insert_with(|| Occurrences {
            count: 0,
            raised: now,
            raised_from_ns: age_ns.saturating_mul(LONGER),
        });
        let is_new = !self.pending.contains(&id(finding));
        own.count += u64::from(is_new);
        let is_long = age_ns >= own.raised_from_ns;
        if is_long {
            own.raised_from_ns = age_ns.saturating_mul(2);
        }
        let is_quiet = now.saturating_duration_since(own.raised) >= QUIET;
        let is_raised = is_new && own.count.is_power_of_two() || is_long || is_quiet;
        if is_raised {
            own.raised = now;
        }
        is_raised.then_some(own.count)
    }
}

fn id(finding: &Finding<'_>) -> RepeatId {
    let first = finding.tasks().first();
    (kind(finding), first.map(|task| task.id), first.map_or(0, |task| task.polls))
}

fn key(snapshot: &Snapshot, finding: &Finding<'_>) -> RepeatKey {
    let site = |index: &SiteIndex| snapshot.site(*index).map(|site| (site.name.clone(), site.place.clone()));
    let (runtime, sites) = match finding {
        Finding::LongPoll(task) => {
            let sites = std::iter::once(&task.site).chain(&task.running);
            (task.runtime_number, sites.filter_map(site).collect())
        }
        // Any tasks may be on the workers and in the queue.
        Finding::Blocked { runtime, .. } | Finding::Uneven { runtime, .. } => (runtime.number, Vec::new()),
        Finding::Starved(queued) => (queued.first().map_or(0, |task| task.runtime_number), Vec::new()),
    };
    (kind(finding), runtime, sites)
}

#[cfg(test)]
mod tests {
    use diagnose_reports::Snapshot;
    use diagnose_reports::model::{Site, SiteIndex, Task, TaskId};

    use super::{Duration, Finding, Instant, MAX_KNOWN, QUIET, Repeats};

    /// A task in a poll, and the number of the function that runs there.
    fn in_poll(id: u64, function: usize, since_ns: u64) -> (Task, usize) {
        let mut task = Task::default();
        (task.id, task.since_ns, task.running) = (TaskId::new(id), since_ns, vec![SiteIndex::new(0)]);
        (task, function)
    }

    /// A snapshot whose only site is that function.
    fn snapshot(function: usize) -> Snapshot {
        let mut site = Site::default();
        site.name = format!("function {function}");
        let mut snapshot = Snapshot::default();
        snapshot.sites.push(site);
        snapshot
    }

    /// One look that finds only this poll. Returns what is raised; `None` if it is looked at again.
    fn look(repeats: &mut Repeats, now: Instant, (task, function): &(Task, usize)) -> Option<u64> {
        let mut is_again = false;
        let findings = vec![Finding::LongPoll(task)];
        let (findings, counts) = repeats.raised(&snapshot(*function), findings, now, |_| is_again = true);
        assert_eq!((findings.len(), is_again), (counts.len(), counts.is_empty()));
        counts.first().copied()
    }

    #[test]
    fn alike_long_polls_are_raised_ever_more_rarely_and_others_at_once() {
        let (mut repeats, now) = (Repeats::default(), Instant::now());
        let mut raised = Vec::new();
        for id in 1..=1_000 {
            // A poll that was raised is not looked at again.
            let mut looks = [100, 125, 150].into_iter();
            raised.extend(looks.find_map(|age| look(&mut repeats, now, &in_poll(id, 1, age))));
        }
        assert_eq!(raised, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
        assert_eq!(look(&mut repeats, now, &in_poll(7, 2, 100)), Some(1), "another function");
        let (starved, function) = in_poll(8, 1, 100);
        let findings = vec![Finding::Starved(vec![&starved])];
        let (_, counts) = repeats.raised(&snapshot(function), findings, now, |_| {});
        assert_eq!(counts, [1], "another kind");
    }

    // third poll  ├─ 100 ns: not raised ─ … ─ 800 ns: raised
    // fourth      ├─ 100 ns: raised, as the 4th
    // fifth       ├─ 100 ns ─ … ─ 1,599 ns: not raised ─ 1,600 ns: raised
    #[test]
    fn a_poll_that_lasts_much_longer_than_others_is_raised() {
        let (mut repeats, now) = (Repeats::default(), Instant::now());
        let mut at = |id, age| look(&mut repeats, now, &in_poll(id, 1, age));
        assert_eq!([at(1, 100), at(2, 100)], [Some(1), Some(2)]);
        assert_eq!([at(3, 100), at(3, 799), at(3, 800)], [None, None, Some(3)]);
        assert_eq!(at(4, 100), Some(4));
        assert_eq!([at(5, 100), at(5, 1_599), at(5, 1_600)], [None, None, Some(5)]);
    }

    #[test]
    fn an_alarm_that_was_quiet_for_long_is_raised() {
        let (mut repeats, now) = (Repeats::default(), Instant::now());
        let mut after = |id, time| look(&mut repeats, now + time, &in_poll(id, 1, 100));
        let nearly = Duration::from_millis(59_999);
        assert_eq!([after(1, Duration::ZERO), after(2, Duration::ZERO)], [Some(1), Some(2)]);
        assert_eq!([after(3, nearly), after(3, QUIET), after(5, QUIET + nearly)], [None, Some(3), Some(4)]);
    }

    #[test]
    fn the_number_of_alarms_that_are_counted_is_bounded() {
        let (mut repeats, now) = (Repeats::default(), Instant::now());
        for site in 0..3 * MAX_KNOWN {
            look(&mut repeats, now, &in_poll(1, site, 100));
        }
        assert!(repeats.known.len() <= MAX_KNOWN);
    }
}
