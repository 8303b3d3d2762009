//! The sums of each function. A wait at an await counts for the function that awaits.

use std::cmp::Reverse;

use crate::analysis::tree::Tree;
use crate::model::{Latency, Node, Site, SiteIndex, SiteKind, Snapshot};
use crate::names::{Names, UNNAMED, sanitize};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::sort::sort_by;

/// The sums of one function.
#[derive(Debug, Default)]
pub(super) struct FunctionSums {
    /// Its name, unambiguous within its module.
    pub(super) name: String,
    pub(super) module: String,
    pub(super) calls: u64,
    pub(super) cancelled: u64,
    pub(super) panicked: u64,
    pub(super) pending: u64,
    pub(super) polls: u64,
    /// ns inside `poll`, without annotated callees.
    pub(super) self_busy_ns: u64,
    /// ns of waits, without those of annotated callees.
    pub(super) self_idle_ns: u64,
    /// For tasks, ns between wakes and polls.
    pub(super) queued_ns: u64,
    /// ns of all polls, running ones included, with annotated callees.
    pub(super) busy_ns: u64,
    pub(super) poll_durations: Durations,
    pub(super) latency: Latency,
}

/// A histogram of durations.
pub(super) type Durations = crate::model::Durations;

/// The heaviest functions, sorted by name, and the number of functions left out.
pub(super) fn functions(snapshot: &Snapshot, max: usize) -> (Vec<FunctionSums>, usize) {
    let tree = Tree::new(snapshot);
    let names = Names::new(snapshot);
    let kind = |node: &Node| snapshot.site(node.site).map_or(SiteKind::Other, |site| site.kind);
    // By site; the last entry is for nodes without a known site.
    let other = snapshot.sites.len();
    let mut functions: Vec<Option<FunctionSums>> = Vec::new();
    functions.resize_with(other + 1, || None);
    let mut owners: Vec<usize> = Vec::with_capacity(tree.nodes.len());
    for (index, node) in tree.nodes.iter().enumerate() {
        let above = tree.ancestors(index).next().map(|parent| owners[parent]);
        let is_await = kind(node) == SiteKind::Await;
        let owner = above.filter(|_| is_await).unwrap_or(index);
        owners.push(owner);
        let owner_node = &tree.nodes[owner];
        let site = if kind(owner_node) == SiteKind::Other { other } else { owner_node.site.get() };
        let function = functions[site].get_or_insert_default();
        add(&mut function.self_busy_ns, tree.self_busy_ns[index]);
        add(&mut function.self_idle_ns, node.self_idle_ns);
        if owner == index {
            add_own(function, node);
        }
    }
    let mut found: Vec<FunctionSums> = Vec::new();
    let used = functions.iter().enumerate().filter(|(_, function)| function.is_some());
    let mut series = Series::new(snapshot, used.map(|(site, _)| SiteIndex::new(site)));
    for (site, function) in functions.into_iter().enumerate() {
        let Some(function) = function else { continue };
        let site = SiteIndex::new(site);
        let (module, name) = series.of(snapshot.site(site), names.frame(site));
        found.push(FunctionSums { name, module, ..function });
    }
    let left_out = found.len().saturating_sub(max);
    let weight = |it: &FunctionSums| it.self_busy_ns.saturating_add(it.self_idle_ns);
    sort_by(&mut found, |a, b| Reverse(weight(a)).cmp(&Reverse(weight(b))).then_with(|| a.name.cmp(&b.name)));
    found.truncate(max);
    sort_by(&mut found, |a, b| a.name.cmp(&b.name));
    (found, left_out)
}

/// The modules and names of series. A series keeps its name when a function of the same name in
/// another module is called first.
struct Series {
    /// The number of sites of each module and name.
    sites: OrderedMap<(String, String), usize>,
    taken: OrderedSet<(String, String)>,
}

impl Series {
    fn new(snapshot: &Snapshot, used: impl Iterator<Item = SiteIndex>) -> Self {
        let mut numbers = OrderedMap::default();
        for site in used.filter_map(|site| snapshot.site(site)) {
            *numbers.entry(plain(site)).or_default() += 1;
        }
        Self { sites: numbers, taken: OrderedSet::default() }
    }

    /// Returns the module and name of a site, whose name in other reports is `frame`.
    fn of(&mut self, site: Option<&Site>, frame: &str) -> (String, String) {
        let plain = site.filter(|site| site.name != UNNAMED).map(plain);
        let alone = plain.filter(|plain| self.sites.get(plain) == Some(&1));
        let module = site.map_or_else(String::new, |site| site.module.clone());
        let (module, name) = alone.unwrap_or_else(|| (module, frame.to_owned()));
        let mut numbered = name.clone();
        let mut number = 1;
        while !self.taken.insert((module.clone(), numbered.clone())) {
            number += 1;
            numbered = format!("{name} ({number})");
        }
        (module, numbered)
    }
}

fn plain(site: &Site) -> (String, String) {
    (site.module.clone(), sanitize(&site.name))
}

fn add_own(function: &mut FunctionSums, node: &Node) {
    add(&mut function.calls, node.calls);
    add(&mut function.cancelled, node.cancelled);
    add(&mut function.panicked, node.panicked);
    add(&mut function.pending, node.pending);
    add(&mut function.polls, node.polls);
    add(&mut function.queued_ns, node.queued_ns);
    add(&mut function.busy_ns, node.busy_ns);
    let mut polls = Durations::default();
    polls.buckets.clone_from(&node.polls_histogram);
    function.poll_durations.merge(&polls);
    function.latency.merge(&node.latency);
}

/// Adds with saturation, because a saved snapshot may contain any number.
fn add(sum: &mut u64, value: u64) {
    *sum = sum.saturating_add(value);
}
