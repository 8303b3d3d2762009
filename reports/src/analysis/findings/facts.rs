//! The input that the rules share: a snapshot with its nodes by site, and the times of functions.

use std::cell::OnceCell;
use std::cmp::Reverse;

use super::awaited_lock::AwaitedLock;
use super::locks::Lock;
use super::site_totals::SiteTotals;
use crate::analysis::tree::Tree;
use crate::clean::printable;
use crate::index::{Index, TasksById};
use crate::model::{
    Node, Place, ResourceId, ResourceKind, Site, SiteIndex, SiteKind, Snapshot, Span, SpanId, Task, TaskId,
    WaitMode,
};
use crate::names::OTHER;
use crate::ordered::{OrderedMap, OrderedSet};

/// How many calls are few, but no accident, if each waits for this long, in ns, and this much is
/// recorded.
const FEW_CALLS: u64 = 20;
const LONG_WAIT_NS: u64 = 200_000_000;
const MIN_ELAPSED_NS: u64 = 5_000_000_000;
/// How often a call may reach an await of its own that is in no loop.
const MAX_TIMES: u64 = 2;

/// The fewest tasks of a batch: a few old ones may be left of many.
const MIN_BATCH: u64 = 8;

/// The number of living tasks of a root, and the age of the youngest in ns.
#[derive(Debug, Default)]
struct Living {
    count: u64,
    youngest_ns: u64,
}

/// A snapshot, prepared for the rules.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    pub(super) snapshot: &'a Snapshot,
    /// An earlier snapshot of the same process.
    pub(super) earlier: Option<&'a Snapshot>,
    pub(super) tree: Tree<'a>,
    /// By site: its nodes, ascending.
    nodes_of_site: Vec<Vec<usize>>,
    /// By site.
    totals: Vec<SiteTotals>,
    /// File, line and resource of all waits but those for a free slot, each once, ascending.
    wait_places: Vec<(&'a str, u32, ResourceKind)>,
    /// By node: its root.
    roots: Vec<usize>,
    /// By node: whether it is under a future, and nothing around it may block.
    are_in_tasks: Vec<bool>,
    /// By node: whether no call of its site is around it.
    are_outermost: Vec<bool>,
    /// The tasks that verdicts mention.
    pub(super) stuck_tasks: OrderedSet<TaskId>,
    /// The resources that verdicts mention.
    pub(super) stuck_resources: OrderedSet<ResourceId>,
    tasks: TasksById<'a>,
    spans: Index<SpanId>,
    /// The roots of handlers.
    handlers: OnceCell<OrderedSet<SiteIndex>>,
    locks: OnceCell<Vec<Lock<'a>>>,
    awaited_locks: OnceCell<OrderedMap<SiteIndex, AwaitedLock>>,
    /// By root: its living tasks.
    living: OnceCell<OrderedMap<SiteIndex, Living>>,
    /// By site: the age of its oldest open call, or of that at the await.
    oldest_ns: OnceCell<OrderedMap<SiteIndex, u64>>,
}

impl<'a> Facts<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, earlier: Option<&'a Snapshot>) -> Self {
        let mut nodes_of_site = vec![Vec::new(); snapshot.sites.len()];
        for (index, node) in snapshot.nodes.iter().enumerate() {
            if let Some(nodes) = nodes_of_site.get_mut(node.site.get()) {
                nodes.push(index);
            }
        }
        let tree = Tree::new(snapshot);
        Self {
            snapshot,
            earlier,
            roots: tree.inherit(|node, root| root.unwrap_or(node)),
            are_in_tasks: tree.inherit(|node, is_around_in_task| {
                let site = snapshot.site(tree.nodes[node].site);
                let may_block = site.is_some_and(|site| site.is_blocking || site.kind == SiteKind::Other);
                let is_root_in_task = || site.is_some_and(|site| site.kind != SiteKind::Sync);
                !may_block && is_around_in_task.unwrap_or_else(is_root_in_task)
            }),
            are_outermost: tree.outermost(|node| node.site),
            tree,
            nodes_of_site,
            totals: SiteTotals::of_sites(snapshot),
            wait_places: wait_places(snapshot),
            stuck_tasks: OrderedSet::new(),
            stuck_resources: OrderedSet::new(),
            tasks: TasksById::new(&snapshot.tasks),
            spans: Index::new(snapshot.spans.iter().map(|span| span.id)),
            handlers: OnceCell::new(),
            locks: OnceCell::new(),
            awaited_locks: OnceCell::new(),
            living: OnceCell::new(),
            oldest_ns: OnceCell::new(),
        }
    }

    /// The task with this id; `None` if it was done at the capture.
    pub(super) fn task(&self, id: TaskId) -> Option<&'a Task> {
        self.tasks.get(id)
    }

    /// The index of the task with this id; `None` if it was done at the capture.
    pub(super) fn task_position(&self, id: TaskId) -> Option<usize> {
        self.tasks.position(id)
    }

    /// The span of a function or block with this id; `None` if it is gone.
    pub(super) fn span(&self, id: SpanId) -> Option<&'a Span> {
        self.span_position(id).map(|index| &self.snapshot.spans[index])
    }

    /// The index of the span with this id; `None` if it is gone.
    pub(super) fn span_position(&self, id: SpanId) -> Option<usize> {
        self.spans.get(id)
    }

    pub(super) fn node(&self, index: usize) -> &'a Node {
        &self.tree.nodes[index]
    }

    pub(super) fn site(&self, node: usize) -> Option<&'a Site> {
        self.snapshot.site(self.node(node).site)
    }

    pub(super) fn nodes_of_site(&self, site: SiteIndex) -> &[usize] {
        self.nodes_of_site.get(site.get()).map_or(&[], Vec::as_slice)
    }

    /// The site's name in backquotes.
    pub(super) fn name(&self, site: SiteIndex) -> String {
        quoted(&self.snapshot.site(site).map_or_else(|| OTHER.to_owned(), |site| printable(&site.name)))
    }

    /// The name and the line: `` `get` (src/store.rs:12) ``. For code without annotation, only the
    /// place where its task was spawned is known.
    pub(super) fn name_and_line(&self, site: SiteIndex) -> String {
        let name = self.name(site);
        let is_spawn = self.snapshot.site(site).is_some_and(|site| site.kind == SiteKind::Task);
        match self.place(site) {
            Some(place) if is_spawn => format!("{name} (spawned at {})", line(&place)),
            Some(place) => format!("{name} ({})", line(&place)),
            None => name,
        }
    }

    pub(super) fn place(&self, site: SiteIndex) -> Option<Place> {
        let site = self.snapshot.site(site)?;
        (!site.place.file.is_empty()).then(|| site.place.clone())
    }

    pub(super) fn is_await(&self, node: usize) -> bool {
        self.site(node).is_some_and(|site| site.kind == SiteKind::Await)
    }

    /// The node itself if it is no await, else the function or block that awaits there.
    pub(super) fn function(&self, node: usize) -> Option<usize> {
        std::iter::once(node).chain(self.tree.ancestors(node)).find(|&node| !self.is_await(node))
    }

    /// The functions and blocks from the node up to its root.
    pub(super) fn functions(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::once(node).chain(self.tree.ancestors(node)).filter(|&node| !self.is_await(node))
    }

    /// The site of a task's root span.
    pub(super) fn root_site(&self, task: &Task) -> SiteIndex {
        root_site(self.snapshot, task)
    }

    /// The root of a node.
    pub(super) fn root(&self, node: usize) -> usize {
        self.roots[node]
    }

    /// Sums over the nodes of a site; recursive calls are part of the outer ones.
    pub(super) fn sum_outermost(&self, site: SiteIndex, value: fn(&Node) -> u64) -> u64 {
        let nodes = self.nodes_of_site(site).iter().copied();
        let outermost = nodes.filter(|&node| self.are_outermost[node]);
        outermost.map(|node| value(self.node(node))).fold(0, u64::saturating_add)
    }

    /// Sums over all nodes of a site.
    pub(super) fn sum(&self, site: SiteIndex, value: fn(&Node) -> u64) -> u64 {
        self.sum_of(self.nodes_of_site(site), value)
    }

    /// The sum over these nodes.
    pub(super) fn sum_of(&self, nodes: &[usize], value: fn(&Node) -> u64) -> u64 {
        nodes.iter().map(|&node| value(self.node(node))).fold(0, u64::saturating_add)
    }

    /// The time of all calls of a site, from first poll to end, in ns.
    pub(super) fn wall_ns(&self, site: SiteIndex) -> u64 {
        self.sum_outermost(site, |node| node.busy_ns.saturating_add(node.idle_ns))
    }

    /// The sums over all nodes of a site.
    pub(super) fn totals(&self, site: SiteIndex) -> SiteTotals {
        self.totals.get(site.get()).copied().unwrap_or_default()
    }

    /// Returns whether most calls of a site end: requests, not loops.
    pub(super) fn has_ends(&self, site: SiteIndex) -> bool {
        self.totals(site).has_ends()
    }

    /// How many calls must wait: `usually` as many, or few if they wait long on average, since
    /// there are few in a short time then.
    pub(super) fn least_calls(&self, usually: u64, mean_ns: Option<u64>) -> u64 {
        let is_long = mean_ns >= Some(LONG_WAIT_NS) && self.snapshot.elapsed_ns >= MIN_ELAPSED_NS;
        if is_long { usually.min(FEW_CALLS) } else { usually }
    }

    /// Returns whether calls of a site end, although an overloaded service has more in flight. It
    /// awaits nothing again and again, as a loop does.
    pub(super) fn is_overloaded(&self, site: SiteIndex) -> bool {
        let totals = self.totals(site);
        let is_once = |&child: &usize| self.node(child).calls <= totals.calls.saturating_mul(MAX_TIMES);
        let mut children = self.nodes_of_site(site).iter().flat_map(|&node| &self.tree.children[node]);
        totals.is_served(FEW_CALLS) && children.all(is_once)
    }

    /// Returns whether unrecorded tasks poll the calls of this root, and calls end: a handler.
    pub(super) fn is_handler(&self, root: SiteIndex) -> bool {
        let handlers = self.handlers.get_or_init(|| {
            let is_unspawned = |it: &&Task| it.is_unspawned;
            let unspawned = self.snapshot.tasks.iter().filter(is_unspawned).map(|task| self.root_site(task));
            let spawned = self.snapshot.tasks.iter().filter(|it| !is_unspawned(it));
            let spawned: OrderedSet<SiteIndex> = spawned.map(|task| self.root_site(task)).collect();
            // Counts roots that are no longer alive, too.
            let first = self.tree.roots.iter().map(|&root| self.node(root));
            let first = first.filter(|root| root.is_unspawned).map(|root| root.site);
            let roots: OrderedSet<SiteIndex> =
                unspawned.chain(first.filter(|root| !spawned.contains(root))).collect();
            roots.into_iter().filter(|&root| self.has_ends(root) || self.is_overloaded(root)).collect()
        });
        handlers.contains(&root)
    }

    /// Returns whether the tasks of this root are a batch: of those that live, none was spawned in
    /// the last half of the time since the first began, and they are too many for an accident.
    pub(super) fn is_batch(&self, root: SiteIndex) -> bool {
        let living = self.living.get_or_init(|| {
            let mut living = OrderedMap::<SiteIndex, Living>::new();
            for task in &self.snapshot.tasks {
                let it = living.entry(self.root_site(task)).or_default();
                it.youngest_ns = if it.count == 0 { task.age_ns } else { it.youngest_ns.min(task.age_ns) };
                it.count += 1;
            }
            living
        });
        let first_ns = self.nodes_of_site(root).iter().map(|&node| self.node(node).first_seen_ns).min();
        let since_ns = self.snapshot.elapsed_ns.saturating_sub(first_ns.unwrap_or(0));
        living.get(&root).is_some_and(|it| it.count >= MIN_BATCH && it.youngest_ns >= since_ns / 2)
    }

    /// The locks that calls wait for or have waited for: found once, as there may be many.
    pub(super) fn locks(&self, find: impl FnOnce(&Self) -> Vec<Lock<'a>>) -> &[Lock<'a>] {
        self.locks.get_or_init(|| find(self))
    }

    /// The locks that calls have waited for, by await: found once, as there may be many.
    pub(super) fn awaited_locks(
        &self,
        find: impl FnOnce(&Self) -> OrderedMap<SiteIndex, AwaitedLock>,
    ) -> &OrderedMap<SiteIndex, AwaitedLock> {
        self.awaited_locks.get_or_init(|| find(self))
    }

    /// The kinds of resources at which futures wait now in the lines of a site. Waits for a free
    /// slot are left out.
    pub(super) fn kinds_waited_for(&self, site: &Site) -> impl Iterator<Item = ResourceKind> {
        let (file, first) = (site.place.file.as_str(), site.place.line);
        let last = site.end_line.max(first);
        let start = self.wait_places.partition_point(|&(own, line, _)| (own, line) < (file, first));
        let there = self.wait_places[start..].iter();
        there.take_while(move |(own, line, _)| *own == file && *line <= last).map(|&(_, _, kind)| kind)
    }

    /// The deepest node that explains most of the waiting below a node, or the node itself. Of the
    /// nodes of one function with several labels, the one that has waited longest.
    pub(super) fn deepest_wait(&self, node: usize) -> usize {
        self.longest_wait(&self.deepest_waits(node)).unwrap_or(node)
    }

    /// The node that has waited longest.
    pub(super) fn longest_wait(&self, nodes: &[usize]) -> Option<usize> {
        nodes.iter().copied().max_by_key(|&node| (self.node(node).idle_ns, Reverse(node)))
    }

    /// All nodes that [`deepest_wait`](Self::deepest_wait) chooses from: one for each label.
    pub(super) fn deepest_waits(&self, node: usize) -> Vec<usize> {
        let (mut deepest, mut idle_ns) = (vec![node], self.node(node).idle_ns);
        loop {
            let mut sites = OrderedMap::<SiteIndex, (u64, Vec<usize>)>::new();
            for &child in deepest.iter().flat_map(|&node| &self.tree.children[node]) {
                let (sum_ns, children) = sites.entry(self.node(child).site).or_default();
                *sum_ns = sum_ns.saturating_add(self.node(child).idle_ns);
                children.push(child);
            }
            match sites.into_values().max_by_key(|(sum_ns, of)| (*sum_ns, Reverse(of[0]))) {
                Some((sum_ns, children)) if sum_ns > idle_ns / 2 => (deepest, idle_ns) = (children, sum_ns),
                _ => return deepest,
            }
        }
    }

    /// The age of the oldest open call of a site, or at an await, in ns.
    pub(super) fn oldest_ns(&self, site: SiteIndex) -> u64 {
        let oldest = self.oldest_ns.get_or_init(|| {
            let mut oldest = OrderedMap::<SiteIndex, u64>::new();
            for span in &self.snapshot.spans {
                for site in std::iter::once(span.site).chain(span.at) {
                    let oldest_ns = oldest.entry(site).or_default();
                    *oldest_ns = span.age_ns.max(*oldest_ns);
                }
            }
            oldest
        });
        oldest.get(&site).copied().unwrap_or_default()
    }

    /// Returns whether a node is under a future: on a thread for blocking work, long calls harm
    /// nobody.
    pub(super) fn is_in_task(&self, node: usize) -> bool {
        self.are_in_tasks[node]
    }
}

/// File, line and resource of all waits but those for a free slot, each once, ascending.
fn wait_places(snapshot: &Snapshot) -> Vec<(&str, u32, ResourceKind)> {
    let waits = snapshot.waits.iter().filter(|wait| wait.mode != WaitMode::Send);
    let places = waits.filter_map(|wait| {
        let place = wait.place.as_ref()?;
        Some((place.file.as_str(), place.line, snapshot.resource(wait.resource?)?.kind))
    });
    // A set, as a million tasks wait in few lines.
    places.collect::<OrderedSet<_>>().into_iter().collect()
}

/// The site of a task's root span.
pub(super) fn root_site(snapshot: &Snapshot, task: &Task) -> SiteIndex {
    let span = task.span.and_then(|span| snapshot.span(span));
    span.map_or(task.site, |span| span.site)
}

fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "'"))
}

/// Calls that have ended.
pub(super) fn ended(node: &Node) -> u64 {
    node.completed.saturating_add(node.cancelled).saturating_add(node.panicked)
}

/// A share in thousandths; 0 if `whole` is 0.
pub(super) fn per_mille(part: u64, whole: u64) -> u64 {
    let share = (u128::from(part) * 1000).checked_div(u128::from(whole)).unwrap_or(0);
    u64::try_from(share).unwrap_or(u64::MAX)
}

/// `61 %`, from thousandths.
pub(super) fn percent(per_mille: u64) -> String {
    format!("{} %", per_mille.saturating_add(5) / 10)
}

/// `src/store.rs:12`.
pub(super) fn line(place: &Place) -> String {
    printable(&format!("{}:{}", place.file.as_str(), place.line))
}
