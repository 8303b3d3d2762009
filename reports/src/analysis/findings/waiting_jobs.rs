//! The rule `backlog` for tasks that requests spawn, and that wait for permits.
//!
//! ```text
//! requests   spawn · · · · · · · · · · ·
//! jobs       █ █ █ █ ·············▶          two at a time, and more come than end
//! ```
//! A crawler spawns tasks as well, for what its own tasks find: that ends. So there has to be one
//! task for each call of a handler, and as in a channel, a large share of them must wait.

use super::connections::is_server_call;
use super::facts::{Facts, line, per_mille, percent};
use super::finding::{Finding, Severity};
use super::growing::{MANY_TASKS, goes_on};
use super::held::lock_words;
use super::rule::Rule;
use crate::model::{
    Place, Resource, ResourceId, ResourceKind, SiteIndex, SiteKind, Snapshot, Wait, WaitMode,
};
use crate::ordered::OrderedMap;
use crate::units::{count, time};

/// How long the oldest must have waited, in ns.
const MIN_WAIT_NS: u64 = 5_000_000_000;
/// The least share of those that wait, in thousandths, of all that were spawned.
const MIN_SHARE: u64 = 300;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let found = waits(facts.snapshot).into_iter().filter_map(|(id, waits)| {
        let it = facts.snapshot.resource(id).filter(|it| it.kind == ResourceKind::Semaphore)?;
        let is_stuck = it.is_closed || facts.stuck_resources.contains(&id);
        of_semaphore(facts, it, &waits).filter(|_| !is_stuck)
    });
    found.collect()
}

/// The waits for permits.
fn waits(snapshot: &Snapshot) -> OrderedMap<ResourceId, Vec<&Wait>> {
    let mut waits: OrderedMap<ResourceId, Vec<&Wait>> = OrderedMap::new();
    for wait in snapshot.waits.iter().filter(|it| it.mode == WaitMode::Acquire && !it.is_granted) {
        if let Some(id) = wait.resource {
            waits.entry(id).or_default().push(wait);
        }
    }
    waits
}

fn of_semaphore(facts: &Facts<'_>, it: &Resource, waits: &[&Wait]) -> Option<Finding> {
    let ages_ns = || waits.iter().map(|wait| wait.since_ns);
    let oldest_ns = ages_ns().max().filter(|&ns| ns >= MIN_WAIT_NS && goes_on(ages_ns(), ns))?;
    let before = facts.earlier.map(self::waits).and_then(|before| before.get(&it.id).map(Vec::len));
    if waits.len() < MANY_TASKS || before.is_some_and(|before| before >= waits.len()) {
        return None;
    }
    let tasks = || waits.iter().filter_map(|wait| facts.task(wait.task?));
    let (site, at) = (facts.root_site(tasks().next()?), tasks().next()?.spawned_at.as_ref()?);
    let is_alike =
        |task: &crate::model::Task| task.spawned_at.as_ref() == Some(at) && facts.root_site(task) == site;
    let all = facts.totals(site).calls;
    let share = per_mille(waits.len() as u64, all);
    let is_called = |&node: &usize| is_server_call(facts, node);
    let is_handler =
        |&site: &SiteIndex| facts.is_handler(site) || facts.nodes_of_site(site).iter().any(is_called);
    let handler = function_around(facts, at).filter(is_handler)?;
    let is_each = facts.totals(handler).calls.abs_diff(all) <= all / 10;
    if share < MIN_SHARE || !is_each || !tasks().all(is_alike) {
        return None;
    }
    let sentence = format!(
        "tasks of {} (spawned at {}) wait for {}: {} wait, {} of all that {} has spawned, the oldest for {}",
        facts.name(site),
        line(at),
        lock_words(it),
        count(waits.len() as u64),
        percent(share),
        facts.name(handler),
        time(oldest_ns),
    );
    let next = "compare with an earlier snapshot; if they become more, make them shorter, or let more run at once, or refuse requests \
                while many wait";
    let mut finding = Finding::new(Rule::Backlog, Severity::Risk, &sentence, next);
    finding.place = Some(at.clone());
    finding.per_mille = Some(share);
    finding.explains_ns = ages_ns().fold(0, u64::saturating_add);
    finding.evidence.sites = vec![site, handler];
    finding.evidence.set_tasks(tasks().map(|task| task.id));
    finding.evidence.resources.push(it.id);
    Some(finding)
}

/// The last function on record that begins before a place in its file.
pub(super) fn function_around(facts: &Facts<'_>, at: &Place) -> Option<SiteIndex> {
    let sites = facts.snapshot.sites.iter().enumerate();
    let before = sites.filter(|(_, site)| {
        site.kind == SiteKind::Fn && site.place.file == at.file && site.place.line <= at.line
    });
    before.max_by_key(|(_, site)| (site.place.line, site.place.column)).map(|it| SiteIndex::new(it.0))
}
