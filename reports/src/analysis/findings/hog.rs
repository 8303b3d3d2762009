//! The rule `hog`: one function does long polls, and other tasks wait for a thread meanwhile.
//!
//! ```text
//! poll of a task   |█ handle ████ sign ██████████|     longer than LONG_NS
//! another task            woken ·················|███  queued
//! ```
//! A poll counts for the innermost function on record whose callees do not explain it. On a machine
//! that is busy with other threads, short polls look long now and then: the more so if they wake
//! another thread. So most of the function's own time has to be in long polls, the bound rises with
//! the time that workers waited for a CPU, and the CPU time that they got must suffice for these
//! polls beside all others.

use super::blocking::{blocking, blocks, is_beside_workers, on_workers_ns};
use super::connections::{is_between_read_and_write, is_served};
use super::facts::{Facts, per_mille, percent};
use super::finding::{Finding, Severity};
use super::long_polls::{HogPolls, LONG_NS, MIN_LONG_POLLS, own_long_polls, rare_long_ns, working_polls};
use super::rule::Rule;
use super::unseen::may_wait;
use super::workers::{CpuShare, capacity_ns, parks_ns};
use crate::model::{NodeIndex, SiteIndex, SiteKind};
use crate::ordered::OrderedSet;
use crate::sort::sort_by_key;
use crate::units::{count, time};

/// The minimum share of all busy time, in thousandths.
const MIN_SHARE: u64 = 200;
/// The minimum share of a function that does most of the work, in thousandths.
const MIN_MOST: u64 = 500;
/// The least share of the function's own time in long polls, in thousandths.
const MIN_LONG_TIME: u64 = 500;
/// The least share of long polls if these were long although CPUs were free: one kind of many
/// requests is slow.
const MIN_SURE_POLLS: u64 = 10;
/// The least share of long polls if these were long although CPUs were free, and from this mean
/// on, in ns: few of them already delay others.
const MIN_STALL_POLLS: u64 = 2;
const STALLS_NS: u64 = 20_000_000;
/// How many long polls of a function that takes most of all busy time are felt on any number of
/// workers, and their least mean in ns: what is in the queue of the worker waits for each.
const MIN_FELT: u64 = 20;
const FELT_NS: u64 = 10_000_000;
/// A few long polls are a start-up: threads are created, pages and files read for the first time.
const MIN_POLLS: u64 = 10;
const MIN_ELAPSED_NS: u64 = 1_000_000_000;
/// Fewer long polls suffice if they take half a second each, which no start-up does repeatedly, and
/// ten seconds are recorded.
const MIN_STALLS: u64 = 3;
const STALL_NS: u64 = 500_000_000;
const MIN_STALLS_ELAPSED_NS: u64 = 10_000_000_000;
/// The minimum share of the time of all workers, in thousandths, at which calls must have waited,
/// even if no wait is on record: a thread that polls does not see what arrives at its sockets. If
/// one call in ten waits, the p95 shows it.
const MIN_CAPACITY: u64 = 100;
/// The least share of the time of all workers for a function that takes most of all busy time in
/// polls that are surely long. One call in twenty has to wait then.
const MIN_SURE_CAPACITY: u64 = 50;
/// The least share of the recorded time in long polls, in thousandths. An idle program on a busy
/// machine has a few: its threads wait for a CPU.
const MIN_RECORDED: u64 = 10;
/// How many awaits per poll are ready at once in a function that does not compute for long between
/// them, and the time that is not long, in ns.
const MIN_READY: u64 = 32;
const SHORT_PIECE_NS: u64 = 200_000;
/// In how many calls of its callers a function is called once that fills a cache.
const MIN_RARE: u64 = 10;
/// The least delay of others, against the time of the long polls, in thousandths.
const MIN_DELAY: u64 = 100;

/// A function with long polls.
#[derive(Debug)]
pub(super) struct Hog {
    pub(super) site: SiteIndex,
    pub(super) self_busy_ns: u64,
    /// ns that other functions were busy.
    others_ns: u64,
    /// Its share of all busy time, in thousandths.
    pub(super) share: u64,
    pub(super) long: HogPolls,
    /// ns of its long polls on workers, or on any thread if no worker is on record.
    on_workers_ns: u64,
    /// ns that other tasks were queued.
    pub(super) delay_ns: u64,
    /// How many awaits are ready in each of its polls, if it computes only little before each.
    ready_awaits: Option<u64>,
    /// Its node with the most own time.
    node: usize,
}

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let cpu = CpuShare::new(facts.snapshot);
    if facts.snapshot.elapsed_ns < MIN_ELAPSED_NS {
        return Vec::new();
    }
    let mut asleep = candidates(facts, &cpu, LONG_NS);
    asleep.retain(|hog| blocks(facts, &cpu, hog));
    let mut busy = candidates(facts, &cpu, cpu.stretched_poll(LONG_NS));
    let parks_ns = parks_ns(facts.snapshot);
    busy.retain(|hog| {
        hog.is_sure(&cpu, parks_ns)
            && (cpu.is_known || hog.long.time_ns > rare_long_ns(facts, hog.site))
            && asleep.iter().all(|other| other.site != hog.site)
    });
    let asleep = asleep.iter().map(|hog| blocking(facts, hog));
    asleep.chain(busy.iter().map(|hog| of_hog(facts, &cpu, hog))).collect()
}

/// The functions whose polls of `long_ns` or more delay other tasks, most own time first.
fn candidates(facts: &Facts<'_>, cpu: &CpuShare, long_ns: u64) -> Vec<Hog> {
    let tree = &facts.tree;
    let in_tasks = || (0..tree.nodes.len()).filter(|&node| facts.is_in_task(node));
    let all_ns = in_tasks().map(|node| tree.self_busy_ns[node]).fold(0, u64::saturating_add);
    // The CPU times are also of threads for blocking work, if no worker is on record.
    let elsewhere = (0..tree.nodes.len()).filter(|&node| !cpu.is_of_workers && !facts.is_in_task(node));
    let elsewhere_ns = elsewhere.map(|node| tree.self_busy_ns[node]).fold(0, u64::saturating_add);
    let mut by_site = vec![(0_u64, HogPolls::default(), 0_usize); facts.snapshot.sites.len()];
    for node in in_tasks() {
        let Some((busy_ns, long, most)) = by_site.get_mut(facts.node(node).site.get()) else { continue };
        let own = own_long_polls(facts, node, long_ns);
        if *busy_ns == 0 || tree.self_busy_ns[node] > tree.self_busy_ns[*most] {
            *most = node;
        }
        *busy_ns = busy_ns.saturating_add(tree.self_busy_ns[node]);
        long.polls = long.polls.saturating_add(own.polls);
        long.time_ns = long.time_ns.saturating_add(own.time_ns);
    }
    let hog = |site: usize, left_ns: u64| {
        let (self_busy_ns, long, node) = by_site[site];
        let site = SiteIndex::new(site);
        let (share, share_of_left) = (per_mille(self_busy_ns, all_ns), per_mille(self_busy_ns, left_ns));
        let polls = working_polls(facts, site);
        let least = match long.are_sure(cpu) {
            true if long.mean_ns() >= STALLS_NS => MIN_STALL_POLLS,
            true => MIN_SURE_POLLS,
            false => MIN_LONG_POLLS,
        };
        let is_start_up = long.polls < MIN_POLLS
            && (long.polls < MIN_STALLS
                || long.mean_ns() < STALL_NS
                || facts.snapshot.elapsed_ns < MIN_STALLS_ELAPSED_NS);
        let is_long = !is_start_up
            && per_mille(long.time_ns, self_busy_ns) >= MIN_LONG_TIME
            && per_mille(long.time_ns, facts.snapshot.elapsed_ns) >= MIN_RECORDED
            && per_mille(long.polls, polls) >= least;
        let is_found = share_of_left >= MIN_SHARE && is_long && !is_over(facts, site);
        if !is_found || facts.site(node)?.kind == SiteKind::Other {
            return None;
        }
        let ready_awaits = ready_awaits(facts, site, self_busy_ns);
        let is_apart = is_beside_workers(facts, site);
        let delay_ns = if is_apart { 0 } else { delay_ns(facts, site, ready_awaits.is_some()) };
        let is_most = share_of_left >= MIN_MOST && long.are_sure(cpu);
        let least_capacity = if is_most { MIN_SURE_CAPACITY } else { MIN_CAPACITY };
        // A thread that blocks on a task delays nobody but that.
        let on_workers_ns = if is_main_alone(facts) {
            0
        } else if facts.snapshot.workers.iter().all(|worker| worker.listed_ns == 0) {
            long.time_ns
        } else {
            long.time_ns.min(on_workers_ns(facts, site, self_busy_ns))
        };
        // If there are many workers, one that is blocked again and again is a small part.
        let are_stalls = is_most
            && long.polls >= MIN_FELT
            && long.mean_ns() >= FELT_NS
            && on_workers_ns >= long.time_ns / 2;
        let is_felt = per_mille(delay_ns, long.time_ns) >= MIN_DELAY
            || ready_awaits.is_none()
                && !takes_turns(facts, site, facts.node(facts.root(node)).site)
                && (are_stalls || per_mille(on_workers_ns, capacity_ns(facts.snapshot)) >= least_capacity)
                && may_wait(facts, site);
        let others_ns = (all_ns - self_busy_ns.min(all_ns)).saturating_add(elsewhere_ns);
        is_felt.then_some(Hog {
            site,
            self_busy_ns,
            others_ns,
            share,
            long,
            on_workers_ns,
            delay_ns,
            ready_awaits,
            node,
        })
    };
    let mut sites: Vec<usize> = (0..by_site.len()).collect();
    sort_by_key(&mut sites, |&site| (std::cmp::Reverse(by_site[site].0), site));
    // Beside one that takes most of the time, another one counts by its share of the rest.
    let mut left_ns = all_ns;
    let next = |site: usize| {
        let found = hog(site, left_ns)?;
        left_ns = left_ns.saturating_sub(found.self_busy_ns);
        Some(found)
    };
    sites.into_iter().filter_map(next).collect()
}

/// Returns whether its callers have gone on without it for as long as they called it now and then,
/// or longer: it has filled a cache at the start. So has a task that ran once, and is over for
/// longer than it ran.
///
/// ```text
/// page      |█|█|█|█|█|█|█|█|█|█|█|█|█|█|█|█|█|█|█|
/// compile   |█████| |███|
/// ```
fn is_over(facts: &Facts<'_>, site: SiteIndex) -> bool {
    let is_done = |node: usize| {
        let root = facts.node(facts.root(node));
        let (ran_ns, elapsed_ns) =
            (root.last_seen_ns.saturating_sub(root.first_seen_ns), facts.snapshot.elapsed_ns);
        let totals = facts.totals(root.site);
        let has_ended = totals.calls == 1 && totals.ended == 1;
        has_ended && elapsed_ns.saturating_sub(root.last_seen_ns) > ran_ns
    };
    facts.nodes_of_site(site).iter().all(|&node| {
        let own = facts.node(node);
        let is_unused = facts.functions(node).nth(1).is_some_and(|caller| {
            let caller = facts.node(caller);
            let called_ns = own.last_seen_ns.saturating_sub(caller.first_seen_ns);
            let without_ns = caller.last_seen_ns.saturating_sub(own.last_seen_ns);
            without_ns > called_ns && own.calls <= caller.calls / MIN_RARE
        });
        is_unused || is_done(node)
    })
}

/// Returns whether all that was recorded is one task that code without annotation polls on the
/// thread `main`: that of a command, which blocks on it. No worker is on record that it could keep.
fn is_main_alone(facts: &Facts<'_>) -> bool {
    let tasks =
        || facts.tree.roots.iter().filter(|&&root| facts.is_in_task(root)).map(|&root| facts.node(root));
    facts.snapshot.workers.is_empty()
        && tasks().map(|root| root.calls).fold(0, u64::saturating_add) == 1
        && tasks().all(|root| root.is_unspawned)
        && facts.snapshot.threads.iter().all(|thread| thread.nodes == 0 || thread.name == "main")
}

/// How many awaits of a function are ready in each of its polls, if these are many and its own time
/// is short for each: the stage of a pipeline that is never starved. Its polls end with the
/// runtime's budget.
fn ready_awaits(facts: &Facts<'_>, site: SiteIndex, self_busy_ns: u64) -> Option<u64> {
    let nodes = facts.nodes_of_site(site).iter();
    let awaits = nodes.flat_map(|&node| &facts.tree.children[node]).filter(|&&node| facts.is_await(node));
    let ready = awaits.map(|&node| facts.node(node).completed).fold(0, u64::saturating_add);
    let per_poll = ready.checked_div(facts.sum(site, |node| node.polls))?;
    (per_poll >= MIN_READY && self_busy_ns / ready.max(1) < SHORT_PIECE_NS).then_some(per_poll)
}

/// The time in the queue of all tasks, without tasks of the function itself that compute in turns.
/// With `only_ending`, of tasks that end, such as requests: others may be stages that wait for this
/// one by design.
fn delay_ns(facts: &Facts<'_>, site: SiteIndex, only_ending: bool) -> u64 {
    let own_roots = roots_of(facts, site).into_iter().filter(|&root| takes_turns(facts, site, root));
    let own_roots: OrderedSet<SiteIndex> = own_roots.collect();
    let roots = facts.tree.roots.iter().map(|&root| facts.node(root));
    let others = roots.filter(|root| !own_roots.contains(&root.site));
    let others = others.filter(|root| !only_ending || facts.has_ends(root.site));
    others.map(|root| root.queued_ns).fold(0, u64::saturating_add)
}

/// The roots of all calls of a function.
pub(super) fn roots_of(facts: &Facts<'_>, site: SiteIndex) -> OrderedSet<SiteIndex> {
    facts.nodes_of_site(site).iter().map(|&node| facts.node(facts.root(node)).site).collect()
}

/// Returns whether the tasks of this root compute without end, or are a batch, and wait for nothing
/// but a thread: for each other, as they should. A connection does not end either, but waits for
/// its client; a busy one waits longer for a thread.
fn takes_turns(facts: &Facts<'_>, site: SiteIndex, root: SiteIndex) -> bool {
    let queued_ns = facts.sum(root, |node| node.queued_ns);
    let answers = |&node: &usize| is_between_read_and_write(facts, node) || is_served(facts, node);
    (!facts.has_ends(root) || facts.is_batch(root))
        && queued_ns >= facts.sum_outermost(root, |node| node.idle_ns) / 2
        && !facts.nodes_of_site(site).iter().any(answers)
}

fn of_hog(facts: &Facts<'_>, cpu: &CpuShare, hog: &Hog) -> Finding {
    let Hog { site, share, long, .. } = *hog;
    let polls = match facts.sum(site, |node| node.polls) {
        all if all > long.polls => format!("{} of {} polls take", count(long.polls), count(all)),
        _ => format!("{} polls of", count(long.polls)),
    };
    // All CPU time of the workers bounds that of polls on them.
    let is_mostly_off_cpu = cpu.is_known
        && cpu.cpu_ns < long.time_ns / 2
        && on_workers_ns(facts, site, hog.self_busy_ns) >= hog.self_busy_ns;
    let on_cpu = if is_mostly_off_cpu {
        format!(" (at most {} in all on a CPU)", time(cpu.cpu_ns))
    } else {
        String::new()
    };
    let sentence = format!(
        "{} takes {} of the busy time of tasks in its own code: {polls} {} on average{on_cpu}, {}",
        facts.name_and_line(site),
        percent(share),
        time(long.mean_ns()),
        hog.harm_words(facts),
    );
    let next = match hog.ready_awaits {
        Some(awaits) => format!(
            "add `yield_now().await` to its loop: its awaits are ready at once, {} in each poll, so that other tasks get no turn",
            count(awaits)
        ),
        None if cpu.is_known && cpu.is_of_workers && !is_mostly_off_cpu => {
            "move that work to `spawn_blocking` or a thread pool, or split it with `yield_now().await`; what it calls \
             without annotation counts as its own"
                .to_owned()
        }
        None => "move that work, or the call that blocks there, to `spawn_blocking` or a thread pool; what it calls \
                 without annotation counts as its own"
            .to_owned(),
    };
    hog.finding(facts, Rule::Hog, Severity::Waste, &sentence, &next)
}

impl Hog {
    /// Returns whether the CPU time of the workers suffices for its polls: even if all other polls,
    /// its own short ones too, were on a CPU all the time, and workers took as long as they may to
    /// park, so much is left. Never if the workers are starved of CPUs.
    fn is_sure(&self, cpu: &CpuShare, parks_ns: u64) -> bool {
        let short_ns = self.self_busy_ns.saturating_sub(self.long.time_ns);
        let others_ns = self.others_ns.saturating_add(short_ns).saturating_add(parks_ns);
        let left_ns = cpu.cpu_ns.saturating_sub(others_ns);
        !cpu.is_scarce() || !cpu.is_starved() && left_ns >= self.long.polls.saturating_mul(LONG_NS)
    }

    /// `and tasks waited 4.39 s for a thread`, or how much of the workers' time its polls took.
    pub(super) fn harm_words(&self, facts: &Facts<'_>) -> String {
        if per_mille(self.delay_ns, self.long.time_ns) >= MIN_DELAY {
            return format!("and tasks waited {} for a thread", time(self.delay_ns));
        }
        let (of_all, elapsed_ns) = (capacity_ns(facts.snapshot), facts.snapshot.elapsed_ns);
        let share = percent(per_mille(self.on_workers_ns, of_all));
        // The number of workers is unknown where none is on record.
        let whole = if !facts.snapshot.workers.is_empty() {
            "of the time of all workers"
        } else if self.on_workers_ns <= of_all {
            "of the recorded time"
        } else {
            return format!(
                "{} on several threads, in {} recorded",
                time(self.on_workers_ns),
                time(elapsed_ns)
            );
        };
        format!("{share} {whole}")
    }

    /// The finding of `rule` about the function.
    pub(super) fn finding(
        &self,
        facts: &Facts<'_>,
        rule: Rule,
        severity: Severity,
        sentence: &str,
        next: &str,
    ) -> Finding {
        let mut finding = Finding::new(rule, severity, sentence, next);
        finding.place = facts.place(self.site);
        finding.explains_ns = self.self_busy_ns.saturating_add(self.delay_ns);
        finding.per_mille = Some(self.share);
        finding.evidence.sites.push(self.site);
        finding.evidence.nodes.push(NodeIndex::new(self.node));
        finding
    }
}
