//! What is alive, copied from the live registry and put into order.

use std::cell::OnceCell;
use std::panic::Location;
use std::ptr;
use std::sync::atomic::Ordering::Relaxed;

use diagnose_reports::{Snapshot, Span, State};

use super::listing::{self, Listing, some};
use super::merged::Merged;
use super::numbers::Table;
use super::outside::{self, Counted};
use super::runtimes;
use super::unheard;
use super::waits::{Seen, Waits};
use crate::clock::{self, Scale};
use crate::cpu;
use crate::live::{self, Doing, Listed, Work};
use crate::site::{Kind, Site};
use crate::tree::{self, Node};

/// A copy of the live registry, taken at `now`.
#[derive(Debug)]
pub(super) struct Alive {
    tasks: Vec<Listing>,
    /// Depth first, a parent before its children.
    spans: Vec<Placed>,
    waits: Waits,
    /// The tasks of each runtime, as it counts them itself, before and after the others were read.
    counted: [Vec<Counted>; 2],
    now: u64,
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
        let before = outside::counted();
        let tasks = listing::all();
        let counted = [before, outside::counted()];
        let read_at = tasks.iter().map(|task| (task.id, task.read_at));
        let read_at: Table<u64, u64> = read_at.filter(|(_, read_at)| *read_at != u64::MAX).collect();
        // What a task that ran has begun since is none of that instant's.
        let is_later =
            |span: &Listed| !read_at.is_empty() && read_at.get(&span.task).is_some_and(|at| span.made > *at);
        let spans = live::all().filter_map(live::Slot::read).filter(|span| !is_later(span));
        let mut spans: Vec<Listed> = spans.collect();
        // A span is listed after the spans below it, so its number says more about the order of siblings.
        spans.sort_by_key(|span| span.id);
        let now = clock::now();
        let roots: Table<u64, (u64, u64)> =
            tasks.iter().map(|task| (task.span, (task.id, task.entered))).collect();
        Self { tasks, spans: place(&spans, &roots), waits, counted, now }
    }

    /// Copies the tasks that run or could, and nothing else.
    pub(super) fn running() -> Self {
        let mut tasks = listing::all_that(|task| task.doing().0 != Doing::Waiting);
        tasks.retain(|task| task.doing != Doing::Waiting);
        Self {
            tasks,
            spans: Vec::new(),
            waits: Waits::default(),
            counted: Default::default(),
            now: clock::now(),
        }
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
        let mut leaves = Table::<u64, &'static Node>::default();
        let mut is_detached = false;
        for (number, placed) in self.spans.iter().enumerate() {
            // What has lost its parent, and what is below that, is nothing that its task waits for.
            is_detached = if placed.parent.is_none() { placed.is_detached } else { is_detached };
            let is_below = |next: &&Placed| next.parent == Some(number);
            let mut below = self.spans[number + 1..].iter().take_while(is_below);
            let has_children = below.any(|child| child.listed.state != live::State::Unpolled);
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
        mut self,
        snapshot: &mut Snapshot,
        scale: Scale,
        site_number: impl Fn(&'static Site) -> usize,
    ) {
        let ago = |tick: u64| scale.ns(self.now.saturating_sub(tick));
        let threads = threads();
        let mut roots = Table::<u64, usize>::default();
        snapshot.spans.reserve_exact(self.spans.len());
        for (number, placed) in std::mem::take(&mut self.spans).into_iter().enumerate() {
            let Placed { node, .. } = placed;
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
                live::State::Unpolled => State::Unpolled,
                live::State::Waiting => State::Waiting,
                live::State::Running => State::Running,
            };
            span.since_ns = ago(since);
            span.age_ns = ago(made);
            span.polls = polls;
            span.detached = placed.is_detached;
            span.skipped = placed.is_skipped;
            snapshot.spans.push(span);
        }
        // Of several in each other's polls the first, which is around the others.
        let running = self.tasks.iter().rev();
        let running = running.filter(|task| task.doing == Doing::Running && task.origin.work == Work::Future);
        let running = running.map(|task| (task.task.thread.load(Relaxed), task.id)).collect();
        runtimes::add(snapshot, &running, ago);
        let kept = self.waits.kept_wakers();
        snapshot.tasks.reserve_exact(self.tasks.len());
        let mut places = Places::default();
        for listing in &self.tasks {
            let mut task = listing.build(self.now, scale, site_number(listing.origin.site));
            task.spawned_at = places.text(listing.origin.spawned_at);
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
            let kept = kept.get(&task.id).copied().unwrap_or(Some(0));
            task.opaque_wakers = task.wakers.map(|wakers| wakers.saturating_sub(kept.unwrap_or(0)));
            let is_late = self.waits.may_miss(listing.since);
            task.is_unstable = kept.is_none() || is_late || listing.has_changed();
            snapshot.tasks.push(task);
        }
        runtimes::add_busy_workers(snapshot);
        outside::add(snapshot, self.waits.threads(), &self.counted);
        let tasks = self.tasks.iter().map(|listing| (listing.id, listing.known())).collect();
        let made: Vec<(u64, u64)> =
            self.tasks.iter().map(|listing| (listing.origin.made, listing.id)).collect();
        let seen = Seen { now: self.now, scale, tasks: &tasks, made: &made, threads: &threads };
        self.waits.build(snapshot, &seen);
        unheard::mark(snapshot);
    }
}

/// Places in the source as text: a million tasks have few.
#[derive(Default)]
struct Places(Table<*const Location<'static>, String>);

impl Places {
    fn text(&mut self, place: Option<&'static Location<'static>>) -> String {
        let Some(place) = place else { return String::new() };
        self.0.entry(ptr::from_ref(place)).or_insert_with(|| place.to_string()).clone()
    }
}

/// Puts spans in depth-first order below their parents. A span whose parent is gone becomes a root, and is detached.
fn place(spans: &[Listed], tasks: &Table<u64, (u64, u64)>) -> Vec<Placed> {
    let find = |id: u64| spans.binary_search_by_key(&id, |span| span.id).ok().filter(|_| id != 0);
    // Of each the last child, and the sibling before it.
    let mut last_child: Vec<Option<u32>> = vec![None; spans.len()];
    let mut before: Vec<Option<u32>> = vec![None; spans.len()];
    let entered = OnceCell::<Table<u64, u64>>::new();
    // Where it was polled last, if that task is not done.
    let last = |span: &Listed| {
        let entered = entered.get_or_init(|| tasks.values().copied().collect());
        entered.get(&span.task).map(|entered| (span.task, *entered))
    };
    let mut open: Vec<(usize, Option<usize>, (u64, u64))> = Vec::new();
    for (number, span) in spans.iter().enumerate() {
        if let Some(parent) = find(span.parent) {
            before[number] = last_child[parent].replace(u32::try_from(number).unwrap_or(u32::MAX));
            continue;
        }
        let own = tasks.get(&span.id).copied();
        let last = if span.parent == 0 { None } else { last(span) };
        open.push((number, None, own.or(last).unwrap_or_default()));
    }
    // From the end on, it is the other way round.
    open.reverse();
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
        let siblings = std::iter::successors(last_child[number], |child| before[*child as usize]);
        for child in siblings.map(|child| child as usize) {
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
fn threads() -> Table<u32, (String, u64)> {
    let trees = tree::all();
    let threads =
        trees.into_iter().filter_map(|tree| Some((tree.root.tree, (tree.thread()?.0, tree.thread_id()))));
    threads.collect()
}
