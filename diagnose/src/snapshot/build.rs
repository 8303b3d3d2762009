//! Converts merged ticks to the plain data of a [`Snapshot`].

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    Bucket, Clock, Dropped, Node, NodeIndex, Process, Site, SiteIndex, SiteKind, Thread,
};
use diagnose_reports::ordered::{OrderedMap, OrderedSet};
use diagnose_reports::sort::{sort_by, sort_by_cached_key};

use super::latency;
use super::live_spans::LiveSpans;
use super::lock_order;
use super::merged::Merged;
use super::merged_path::{MergedPath, PathSums};
use super::numbers::Table;
use super::reset;
use crate::clock::{self, Scale};
use crate::tree::Histogram;
use crate::{alarms, cpu, identity, label, live, site, switch, task_attr, waits};

/// Duration from which reports count a poll as long, in ns.
static LONG_POLL_NS: AtomicU64 = AtomicU64::new(100_000);

/// Sets the duration from which reports count a poll as long.
pub(crate) fn set_long_polls(bound: Duration) {
    LONG_POLL_NS.store(u64::try_from(bound.as_nanos()).unwrap_or(u64::MAX), Relaxed);
}

/// Builds the snapshot of a capture, in its final order.
pub(super) fn build(merged: &Merged, alive: LiveSpans) -> Snapshot {
    let scale = Scale::measure();
    let began = reset::began();
    let mut snapshot = Snapshot::default();
    snapshot.version = diagnose_reports::model::VERSION;
    snapshot.producer.push_str(concat!("diagnose ", env!("CARGO_PKG_VERSION")));
    snapshot.process = process();
    snapshot.captured_unix_ms = identity::unix_ms();
    snapshot.elapsed_ns = scale.ns(clock::now().saturating_sub(began));
    snapshot.enabled = switch::is_enabled();
    snapshot.clock = clock_of();
    snapshot.costs = merged.recorded.costs(|ticks| scale.ns(ticks));
    snapshot.dropped = dropped(merged);
    snapshot.threads = threads(merged);
    let order = PathOrder::new(merged, &alive);
    snapshot.sites = order.sites();
    for &path in &order.paths {
        let mut node = node(&merged.paths[path], scale, began);
        node.site = order.site_index(merged.paths[path].site);
        node.parent = merged.paths[path].parent.map(|parent| NodeIndex::new(order.numbers[parent]));
        snapshot.nodes.push(node);
    }
    snapshot.alarms = alarms::alarms();
    snapshot.long_poll_ns = LONG_POLL_NS.load(Relaxed);
    snapshot.lock_order = lock_order::build();
    let node_index = |node| merged.find(node).and_then(|path| order.node_index(path));
    alive.build(&mut snapshot, scale, |site| order.site_index(site), &node_index);
    task_attr::fill(&mut snapshot.tasks);
    snapshot.are_threads_unknown = !cpu::counts_threads();
    snapshot
}

/// The paths of a snapshot, and their numbers.
struct PathOrder {
    /// Paths that were used, or are above a used one, depth first.
    paths: Vec<usize>,
    /// The new number of each path.
    numbers: Vec<usize>,
    /// Sites by content, with their numbers.
    sites: OrderedMap<Site, usize>,
    /// Site numbers by address, so that a million tasks of a few sites compare no contents.
    site_numbers: Table<*const site::Site, usize>,
}

impl PathOrder {
    fn new(merged: &Merged, alive: &LiveSpans) -> Self {
        let paths = &merged.paths;
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); paths.len() + 1];
        let mut used: Vec<bool> = paths.iter().map(|path| !path.is_empty()).collect();
        for path in (0..paths.len()).rev() {
            if used[path] {
                let parent = paths[path].parent;
                children[parent.map_or(0, |parent| parent + 1)].push(path);
                if let Some(parent) = parent {
                    used[parent] = true;
                }
            }
        }
        for siblings in &mut children {
            sort_by_cached_key(siblings, |&path| sort_key(&paths[path]));
        }
        let mut order = Self {
            paths: Vec::new(),
            numbers: vec![0; paths.len()],
            sites: OrderedMap::new(),
            site_numbers: Table::default(),
        };
        order.place(&children, 0);
        let sites = order.paths.iter().map(|&path| paths[path].site).chain(alive.sites());
        let mut by_address: Table<*const site::Site, &site::Site> = Table::default();
        let mut last = None;
        // Consecutive tasks usually have the same sites.
        for site in sites {
            if last.replace(ptr::from_ref(site)) != Some(ptr::from_ref(site)) {
                by_address.insert(site, site);
            }
        }
        let sites: OrderedSet<Site> = by_address.values().map(|site| plain_site(site)).collect();
        order.sites = sites.into_iter().zip(0..).collect();
        let number = |site: &site::Site| order.sites.get(&plain_site(site)).copied().unwrap_or(0);
        order.site_numbers = by_address.into_iter().map(|(address, site)| (address, number(site))).collect();
        order
    }

    fn place(&mut self, children: &[Vec<usize>], slot: usize) {
        for &path in &children[slot] {
            self.numbers[path] = self.paths.len();
            self.paths.push(path);
            self.place(children, path + 1);
        }
    }

    fn sites(&self) -> Vec<Site> {
        self.sites.keys().cloned().collect()
    }

    /// The index of a path in the snapshot; `None` if it was never used.
    fn node_index(&self, path: usize) -> Option<NodeIndex> {
        let number = *self.numbers.get(path)?;
        (self.paths.get(number) == Some(&path)).then_some(NodeIndex::new(number))
    }

    fn site_index(&self, site: &'static site::Site) -> SiteIndex {
        SiteIndex::new(self.site_numbers.get(&ptr::from_ref(site)).copied().unwrap_or(0))
    }
}

/// Sorts siblings by name, then place, label, and address (for two copies of one site).
fn sort_key(path: &MergedPath) -> (&'static str, &'static str, u32, u32, Option<Arc<str>>, usize) {
    let site = path.site;
    let (line, column) = site.line_column();
    (site.name, site.file(), line, column, path.label.text(), ptr::from_ref(site).addr())
}

fn plain_site(site: &site::Site) -> Site {
    let mut plain = Site::default();
    plain.name.push_str(site.name);
    plain.module.push_str(site.module());
    plain.place.file = site.file().into();
    (plain.place.line, plain.place.column) = site.line_column();
    (plain.end_line, plain.end_column) = site.end;
    plain.is_joined = site.is_joined;
    plain.is_hand_written = site.is_hand_written;
    plain.is_blocking = site.is_blocking;
    plain.kind = match site.kind {
        site::SiteKind::Task => SiteKind::Task,
        site::SiteKind::Fn => SiteKind::Fn,
        site::SiteKind::Block => SiteKind::Block,
        site::SiteKind::Await => SiteKind::Await,
        site::SiteKind::Impl => SiteKind::Impl,
        site::SiteKind::Sync => SiteKind::Sync,
        site::SiteKind::Traced => SiteKind::Traced,
        site::SiteKind::Other => SiteKind::Other,
    };
    plain
}

fn node(path: &MergedPath, scale: Scale, began: u64) -> Node {
    let PathSums { calls, polls, completed, cancelled, panicked, never_polled, .. } = path.sums;
    let since = |tick: u64| scale.ns(tick.saturating_sub(began));
    let mut node = Node::default();
    node.label = path.label.text().as_deref().map(str::to_owned);
    node.is_unspawned = path.is_unspawned;
    node.calls = calls;
    node.polls = polls;
    node.completed = completed;
    node.cancelled = cancelled;
    node.panicked = panicked;
    node.never_polled = never_polled;
    node.pending = path.pending;
    node.running = path.running;
    let known = [completed, cancelled, panicked, path.pending, path.running].iter().sum::<u64>();
    node.unsettled = 0_i64.wrapping_add_unsigned(calls.wrapping_sub(known));
    node.busy_ns = scale.ns(path.sums.busy);
    node.nested_ns = scale.ns(path.sums.nested);
    node.idle_ns = scale.ns(path.sums.own_idle.saturating_add(path.sums.child_idle));
    node.self_idle_ns = scale.ns(path.sums.own_idle);
    node.wall_ns = scale.ns(path.sums.wall);
    // Open times in the queue are read after the waits: a task may have been woken in between.
    node.queued_ns = scale.ns(path.sums.queued).min(node.idle_ns);
    node.unpolled_ns = scale.ns(path.sums.unpolled);
    // A poll that was open at a reset ends with its whole length, of which this is the most that
    // can have been after it.
    node.longest_poll_ns = scale.ns(path.longest).min(node.busy_ns);
    // A path that could not be read has no first tick.
    node.first_seen_ns = since(if path.first_seen == u64::MAX { began } else { path.first_seen });
    node.last_seen_ns = since(path.last_seen).max(node.first_seen_ns);
    node.polls_histogram = buckets(path, scale);
    node.latency.completed = latency::to_model(&path.sums.completed_calls, scale);
    node.latency.cancelled = latency::to_model(&path.sums.cancelled_calls, scale);
    node
}

fn buckets(path: &MergedPath, scale: Scale) -> Vec<Bucket> {
    let used = path.sums.histogram.iter().enumerate().filter(|(_, count)| **count > 0);
    let buckets = used.map(|(number, &count)| {
        let (from, to) = Histogram::bounds(number);
        let mut bucket = Bucket::default();
        bucket.from_ns = scale.ns(from);
        bucket.to_ns = scale.ns(to);
        bucket.count = count;
        bucket
    });
    buckets.collect()
}

pub(super) fn process() -> Process {
    let mut process = Process::default();
    process.pid = std::process::id();
    let executable = std::env::current_exe().ok();
    let name = executable.as_deref().and_then(|path| path.file_name());
    let name = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // Linux adds this to the name of a file that was replaced, as each deployment does.
    name.strip_suffix(" (deleted)").unwrap_or(&name).clone_into(&mut process.name);
    process.host = identity::host();
    process.build = identity::build();
    process.cpus = cpus();
    process
}

/// Returns the number of CPUs. It is read once, because that reads files of the control group. No
/// lock guards it, because a lock may stay locked in a forked child.
fn cpus() -> Option<u64> {
    /// 0 if it has not been read.
    static CPUS: AtomicU64 = AtomicU64::new(0);
    let known = CPUS.load(Relaxed);
    if known > 0 {
        return Some(known);
    }
    let cpus = std::thread::available_parallelism().ok().and_then(|cpus| u64::try_from(cpus.get()).ok())?;
    CPUS.store(cpus, Relaxed);
    Some(cpus)
}

fn clock_of() -> Clock {
    let mut clock = Clock::default();
    clock.name.push_str(clock::name());
    clock.jumps = clock::jumps();
    clock
}

fn dropped(merged: &Merged) -> Dropped {
    let mut dropped = Dropped::default();
    dropped.over_nodes = merged.over_nodes;
    dropped.over_depth = merged.over_depth;
    dropped.over_labels = label::over();
    dropped.over_spans = live::over();
    dropped.over_holdings = waits::over();
    dropped.unreadable = merged.unreadable;
    dropped
}

fn threads(merged: &Merged) -> Vec<Thread> {
    let mut threads: Vec<Thread> = Vec::new();
    for merged in &merged.threads {
        let mut thread = Thread::default();
        thread.name.clone_from(&merged.name);
        thread.alive = merged.alive;
        thread.nodes = merged.nodes;
        let living = Some(merged.thread_id).filter(|&id| merged.alive && id != 0);
        (thread.cpu_ns, thread.delayed_ns) = living.and_then(reset::cpu_times_of).unzip();
        threads.push(thread);
    }
    sort_by(&mut threads, |a, b| (&a.name, !a.alive, a.nodes).cmp(&(&b.name, !b.alive, b.nodes)));
    threads
}
