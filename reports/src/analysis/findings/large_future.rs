//! The rule `large_future`: the futures of one spawn take much memory, because each is large.
//!
//! A future has room for all that lives across any of its awaits, also in the functions that it
//! awaits. It is copied when it is passed on, and kept until the task ends.

use super::facts::{Facts, line};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use crate::model::{Place, SiteIndex, Task};
use crate::ordered::OrderedMap;
use crate::units::{bytes, count};

/// The least size of a large future: tokio boxes larger ones, and clippy's `large_futures` warns.
const MIN_BYTES: u64 = 16 << 10;
/// The least size of all of them. One large future, such as a server's, costs nothing.
const MIN_TOTAL: u64 = 32 << 20;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let mut groups: OrderedMap<(SiteIndex, Option<&Place>), Vec<&Task>> = OrderedMap::new();
    for task in facts.snapshot.tasks.iter().filter(|task| size(task) >= MIN_BYTES) {
        groups.entry((facts.root_site(task), task.spawned_at.as_ref())).or_default().push(task);
    }
    let found = groups.into_iter().filter_map(|((site, at), tasks)| {
        let total = tasks.iter().map(|task| size(task)).fold(0, u64::saturating_add);
        (total >= MIN_TOTAL).then(|| of_tasks(facts, site, at, &tasks, total))
    });
    found.collect()
}

fn size(task: &Task) -> u64 {
    task.future_bytes.unwrap_or_default()
}

fn of_tasks(facts: &Facts<'_>, site: SiteIndex, at: Option<&Place>, tasks: &[&Task], total: u64) -> Finding {
    let spawned = at.map(|at| format!(" spawned at {}", line(at))).unwrap_or_default();
    let sentence = format!(
        "{} tasks {}{spawned} take {}: a future of {} each",
        count(tasks.len() as u64),
        facts.name_and_line(site),
        bytes(total),
        bytes(tasks.iter().map(|task| size(task)).max().unwrap_or_default()),
    );
    let next = "put large buffers into a `Vec`, box large branches with `Box::pin`, or drop large values before \
                the await";
    let mut finding = Finding::new(Rule::LargeFuture, Severity::Note, &sentence, next);
    finding.place = at.cloned().or_else(|| facts.place(site));
    finding.evidence.sites.push(site);
    finding.evidence.set_tasks(tasks.iter().map(|task| task.id));
    finding
}
