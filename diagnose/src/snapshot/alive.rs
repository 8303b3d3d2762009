//! What is alive, copied from the live registry and put into order.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering::Relaxed;

use diagnose_reports::{Snapshot, Span, State, Task, TaskKind, Worker};

use super::merged::Merged;
use super::waits::{Known, Seen, Waits};
use crate::clock::{self, Scale};
use crate::cpu;
use crate::live::{self, Doing, Listed, Origin, Runtime, Work};
use crate::site::{Kind, Site};
use crate::tree::{self, Node};

/// A copy of the live registry, taken at `now`.
#[derive(Debug)]
pub(super) struct Alive {
    tasks: Vec<Listing>,
    /// Depth first, a parent before its children.
    spans: Vec<Placed>,
    waits: Waits,
    now: u64,
}

/// A task and what was read of it.
#[derive(Debug)]
struct Listing {
    task: &'static live::Task,
    id: u64,
    origin: Origin,
    doing: Doing,
    since: u64,
    /// Clones of its waker that were kept then.
    wakers: u32,
    span: u64,
    entered: u64,
    /// When its last poll ended; zero if it was not polled yet.
    left: u64,
    /// While it is running, the nodes that run on its thread, from its root down.
    running: Vec<&'static Node>,
}

/// A span in its place.
#[derive(Debug)]
struct Placed {
    listed: Listed,
    parent: Option<usize>,
    /// The number of its task; zero if it has none.
    task: u64,
    /// The node of the span, or of the await at which it is.
    node: &'static Node,
    is_detached: bool,
    is_skipped: bool,
}

impl Alive {
    /// Copies what is alive. A task and its spans are read one after the other, and none is stopped: one that moves on in
    /// between is caught in the middle.
    pub(super) fn capture() -> Self {
        // Before the tasks: a task that waits since before its waits were read waits for all of them still.
        let waits = Waits::capture();
        let mut tasks: Vec<Listing> = live::all_tasks().into_iter().filter_map(listing).collect();
        hide_doubles(&mut tasks);
        tasks.sort_by_key(|task| task.id);
        let mut spans: Vec<Listed> = live::all().filter_map(live::Slot::read).collect();
        // A span is listed after the spans below it, so its number says more about the order of siblings.
        spans.sort_by_key(|span| span.id);
        let now = clock::now();
        let roots: HashMap<u64, (u64, u64)> =
            tasks.iter().map(|task| (task.span, (task.id, task.entered))).collect();
        Self { tasks, spans: place(&spans, &roots), waits, now }
    }

    /// The sites that occur.
    pub(super) fn sites(&self) -> impl Iterator<Item = &'static Site> {
        let spans = self.spans.iter().flat_map(|span| [Some(span.node.site), span.node.via]);
        let running = self.tasks.iter().flat_map(|task| &task.running);
        let running = running.flat_map(|node| [Some(node.site), node.via]);
        spans.chain(running).flatten().chain(self.tasks.iter().map(|task| task.origin.site))
    }

    /// Charges the open wait of every task to the first path that waits in it by itself.
    pub(super) fn charge(&self, merged: &mut Merged) {
        let mut leaves = HashMap::<u64, &'static Node>::new();
        let mut is_detached = false;
        for (number, placed) in self.spans.iter().enumerate() {
            // What has lost its parent, and what is below that, is nothing that its task waits for.
            is_detached = if placed.parent.is_none() { placed.is_detached } else { is_detached };
            let has_children = self.spans.get(number + 1).is_some_and(|next| next.parent == Some(number));
            let is_waiting = placed.listed.state == live::State::Waiting;
            if !has_children && !is_detached && !placed.is_skipped && is_waiting {
                leaves.entry(placed.task).or_insert(placed.node);
            }
        }
        for task in &self.tasks {
            let Some(leaf) = leaves.get(&task.id) else { continue };
            let since = task.since.max(task.left).max(live::last_reset());
            match task.doing {
                Doing::Waiting => merged.add_open(leaf, self.now.saturating_sub(since), 0),
                Doing::Queued => {
                    let left = task.left.max(live::last_reset());
                    let waited = task.since.saturating_sub(left);
                    merged.add_open(leaf, waited, self.now.saturating_sub(since));
                }
                Doing::Unpolled | Doing::Running => {}
            }
        }
    }

    /// Puts tasks and spans into a snapshot.
    pub(super) fn build(
        &self,
        snapshot: &mut Snapshot,
        scale: Scale,
        site_number: impl Fn(&'static Site) -> usize,
    ) {
        let ago = |tick: u64| scale.ns(self.now.saturating_sub(tick));
        let threads = threads();
        let mut roots = HashMap::<u64, usize>::new();
        for (number, placed) in self.spans.iter().enumerate() {
            let Placed { node, .. } = *placed;
            let Listed { id, state, since, made, polls, .. } = placed.listed;
            if placed.parent.is_none() && placed.task != 0 && !placed.is_detached {
                roots.insert(placed.task, number);
            }
            let mut span = Span::default();
            span.id = id;
            span.site = site_number(node.site);
            span.at = node.via.map(&site_number);
            span.label = node.label.text().map(str::to_owned);
            span.parent = placed.parent;
            span.task = some(placed.task);
            span.state = match state {
                live::State::Waiting => State::Waiting,
                live::State::Running => State::Running,
            };
            span.since_ns = ago(since);
            span.age_ns = ago(made);
            span.polls = u64::from(polls);
            span.detached = placed.is_detached;
            span.skipped = placed.is_skipped;
            snapshot.spans.push(span);
        }
        snapshot.workers = self.workers(scale);
        add_runtimes(snapshot);
        let kept = self.waits.kept_wakers();
        for listing in &self.tasks {
            let mut task = listing.build(self.now, scale, site_number(listing.origin.site));
            let path = listing.running.iter().flat_map(|node| [node.via, Some(node.site)]);
            task.running = path.flatten().map(&site_number).collect();
            task.span = roots.get(&listing.id).copied();
            // One that was spawned got its label with its root span.
            let label = task.span.and_then(|span| snapshot.spans.get(span)?.label.clone());
            task.label = task.label.or(label);
            let thread = listing.task.thread.load(Relaxed);
            if task.polls > 0 || task.state == State::Running {
                let (name, id) = threads.get(&thread).cloned().unwrap_or_default();
                task.thread = name;
                task.thread_id = some(id);
            }
            if task.state == State::Running {
                task.is_asleep = task.thread_id.and_then(cpu::is_asleep);
            }
            let kept = kept.get(&task.id).copied().unwrap_or(0);
            task.opaque_wakers = task.wakers.map(|wakers| wakers.saturating_sub(kept));
            task.is_unstable = listing.has_changed();
            snapshot.tasks.push(task);
        }
        let tasks = self.tasks.iter().map(|listing| (listing.id, listing.known())).collect();
        self.waits.build(snapshot, &Seen { now: self.now, scale, tasks: &tasks, threads: &threads });
    }
}

#[cfg(feature = "tokio")]
impl Alive {
    /// The worker threads, each with the task that runs on it.
    fn workers(&self, scale: Scale) -> Vec<Worker> {
        let workers = live::workers::all_workers().into_iter().map(|listed| {
            let mut worker = Worker::default();
            worker.runtime.push_str(runtime(listed.runtime));
            worker.thread = listed.name;
            worker.thread_id = listed.os_id;
            worker.runtime_number = u64::from(listed.runtime_number);
            worker.parked = listed.is_parked;
            worker.since_ns = scale.ns(self.now.saturating_sub(listed.since));
            let is_here = |task: &&Listing| {
                task.doing == Doing::Running && Some(task.task.thread.load(Relaxed)) == listed.tree
            };
            worker.task = self.tasks.iter().find(is_here).map(|task| task.id).filter(|_| !worker.parked);
            worker
        });
        let mut workers: Vec<Worker> = workers.collect();
        workers.sort_by(|a, b| (&a.thread, a.thread_id).cmp(&(&b.thread, b.thread_id)));
        workers
    }
}

#[cfg(not(feature = "tokio"))]
impl Alive {
    /// No runtime tells of its threads.
    #[allow(clippy::unused_self)]
    fn workers(&self, _: Scale) -> Vec<Worker> {
        Vec::new()
    }
}

/// The runtimes that there are.
#[cfg(feature = "tokio")]
fn add_runtimes(snapshot: &mut Snapshot) {
    for listed in live::runtimes::all_runtimes() {
        let number = u64::from(listed.number);
        if let Some(threads) = listed.max_blocking {
            let mut pool = diagnose_reports::BlockingPool::default();
            pool.runtime_number = number;
            pool.threads = threads;
            snapshot.blocking_pools.push(pool);
        }
        let mut built = diagnose_reports::Runtime::default();
        built.number = number;
        built.library.push_str(runtime(listed.runtime));
        built.name = listed.name;
        built.workers = listed.workers;
        built.threads = listed.threads;
        snapshot.runtimes.push(built);
    }
}

/// None tells of itself.
#[cfg(not(feature = "tokio"))]
fn add_runtimes(_: &mut Snapshot) {}

/// The name of a runtime.
fn runtime(runtime: Runtime) -> &'static str {
    match runtime {
        Runtime::Unknown | Runtime::Other => "",
        Runtime::Tokio | Runtime::TokioHooks => "tokio",
        Runtime::Smol => "smol",
        Runtime::AsyncStd => "async-std",
    }
}

fn listing(task: &'static live::Task) -> Option<Listing> {
    let (id, origin) = task.origin()?;
    let (mut doing, mut since) = task.doing();
    let mut wakers = task.live_wakers();
    // Whoever wakes says so before the clone goes, so a state that is the same afterwards had these clones.
    while (doing, since) != task.doing() {
        (doing, since) = task.doing();
        wakers = task.live_wakers();
    }
    let left = if doing == Doing::Unpolled { 0 } else { task.since() };
    let is_running = doing == Doing::Running && origin.work == Work::Future;
    let running = if is_running { running_on(task.thread.load(Relaxed), origin.site) } else { Vec::new() };
    // The poll that is running has not left anything out yet.
    let entered = if is_running { 0 } else { task.entered.load(Relaxed) };
    let span = task.span.load(Relaxed);
    Some(Listing { task, id, origin, doing, since, wakers, span, entered, left, running })
}

/// A task of which only hooks tell is left out where a root in it is listed.
fn hide_doubles(tasks: &mut Vec<Listing>) {
    if !tasks.iter().any(Listing::is_hooked) {
        return;
    }
    let runtime_id = |task: &Listing| task.task.runtime_id.load(Relaxed);
    let listed: HashSet<u64> = tasks.iter().filter(|task| !task.is_hooked()).map(runtime_id).collect();
    tasks.retain(|task| !task.is_hooked() || !listed.contains(&runtime_id(task)));
}

/// The nodes that run in a tree, from the root of a task down.
fn running_on(thread: u32, site: &'static Site) -> Vec<&'static Node> {
    let Some(tree) = tree::all().into_iter().find(|tree| tree.root.tree == thread) else { return Vec::new() };
    let is_running = |node: &&'static Node| node.times.is_running() && !tree::is_nested(node.site);
    // Of several, one runs inside the other's poll.
    let own = tree.root.children().filter(is_running).find(|node| std::ptr::eq(node.site, site));
    let first = own.or_else(|| tree.root.children().find(is_running));
    std::iter::successors(first, |node| node.children().find(is_running)).collect()
}

impl Listing {
    /// Whether it has gone on since it was read.
    fn has_changed(&self) -> bool {
        self.task.id() != self.id || self.task.doing() != (self.doing, self.since)
    }

    /// Whether only hooks of its runtime tell of it.
    fn is_hooked(&self) -> bool {
        self.origin.home.runtime == Runtime::TokioHooks
    }

    fn known(&self) -> Known {
        Known {
            task: self.task,
            entered: self.entered,
            made: self.origin.made,
            spawned_by: self.origin.spawned_by,
            is_stranger: self.origin.home.runtime == Runtime::Unknown,
        }
    }

    fn build(&self, now: u64, scale: Scale, site: usize) -> Task {
        let ago = |tick: u64| scale.ns(now.saturating_sub(tick));
        let value = |counter: &std::sync::atomic::AtomicU64| counter.load(Relaxed);
        let mut task = Task::default();
        task.id = self.id;
        task.site = site;
        task.label = self.origin.label.text().map(str::to_owned);
        task.kind = match self.origin.work {
            Work::Future => TaskKind::Future,
            Work::Blocking => TaskKind::Blocking,
        };
        task.runtime.push_str(runtime(self.origin.home.runtime));
        task.runtime_number = u64::from(self.origin.home.number);
        task.is_local = self.origin.home.is_local;
        task.runtime_id = some(value(&self.task.runtime_id));
        task.spawned_at = self.origin.spawned_at.map(ToString::to_string).unwrap_or_default();
        task.spawned_by = some(self.origin.spawned_by);
        task.state = match self.doing {
            Doing::Unpolled => State::Unpolled,
            Doing::Running => State::Running,
            Doing::Waiting => State::Waiting,
            Doing::Queued => State::Queued,
        };
        task.since_ns = ago(self.since);
        task.age_ns = ago(self.origin.made);
        task.polls = u64::from(self.task.polls.load(Relaxed));
        task.busy_ns = scale.ns(value(&self.task.busy));
        if task.state == State::Running {
            task.busy_ns = task.busy_ns.saturating_add(task.since_ns);
        }
        task.queued_ns = scale.ns(value(&self.task.queued));
        if task.state == State::Queued {
            task.queued_ns = task.queued_ns.saturating_add(task.since_ns);
        }
        task.wakes = u64::from(self.task.wakes.load(Relaxed));
        task.self_wakes = u64::from(self.task.self_wakes.load(Relaxed));
        task.woken_by = some(value(&self.task.woken_by));
        task.woken_ns = some(value(&self.task.last_wake)).map(ago);
        task.wakers = (live::has_wakers() && self.origin.work == Work::Future && !self.is_hooked())
            .then(|| u64::from(self.wakers));
        task
    }
}

/// Puts spans in depth-first order below their parents. A span whose parent is gone becomes a root, and is detached.
fn place(spans: &[Listed], tasks: &HashMap<u64, (u64, u64)>) -> Vec<Placed> {
    let by_id: HashMap<u64, usize> =
        spans.iter().enumerate().map(|(number, span)| (span.id, number)).collect();
    let parent = |span: &Listed| by_id.get(&span.parent).copied().filter(|_| span.parent != 0);
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); spans.len()];
    let mut open: Vec<(usize, Option<usize>, (u64, u64))> = Vec::new();
    let entered: HashMap<u64, u64> = tasks.values().copied().collect();
    // Where it was polled last, if that task is not done.
    let last = |span: &Listed| entered.get(&span.task).map(|entered| (span.task, *entered));
    for (number, span) in spans.iter().enumerate().rev() {
        match parent(span) {
            Some(parent) => children[parent].push(number),
            None => {
                let own = tasks.get(&span.id).copied();
                let last = if span.parent == 0 { None } else { last(span) };
                open.push((number, None, own.or(last).unwrap_or_default()));
            }
        }
    }
    let mut placed: Vec<Placed> = Vec::with_capacity(spans.len());
    while let Some((number, parent, (task, entered))) = open.pop() {
        let listed = spans[number];
        let here = placed.len();
        let is_detached = parent.is_none() && listed.parent != 0;
        // A wait that began before the task's last poll did.
        let is_skipped = listed.state == live::State::Waiting && listed.since < entered;
        let body = body(listed.node);
        placed.push(Placed {
            listed,
            parent,
            task,
            node: body.unwrap_or(listed.node),
            is_detached,
            is_skipped,
        });
        // At an await of its own, what that polls is below the await.
        let awaits = body.map(|_| {
            let (parent, node) = (Some(here), listed.node);
            placed.push(Placed { listed, parent, task, node, is_detached: false, is_skipped });
            here + 1
        });
        for &child in &children[number] {
            let is_below = spans[child].node.parent.is_some_and(|parent| parent.key() == listed.node.key());
            let parent = awaits.filter(|_| is_below).unwrap_or(here);
            open.push((child, Some(parent), (task, entered)));
        }
    }
    placed
}

/// The node of the body, if that of a span is an await in it.
fn body(node: &'static Node) -> Option<&'static Node> {
    if node.site.kind == Kind::Await && node.site.is_direct { node.parent } else { None }
}

/// The names and numbers of the threads, by the numbers of their trees.
fn threads() -> HashMap<u32, (String, u64)> {
    let trees = tree::all();
    let threads =
        trees.into_iter().filter_map(|tree| Some((tree.root.tree, (tree.thread()?.0, tree.thread_id()))));
    threads.collect()
}

fn some(number: u64) -> Option<u64> {
    (number != 0).then_some(number)
}
