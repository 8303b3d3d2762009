//! Adds up the trees of all threads by path, in ticks.

use std::ptr;

use super::capture::CaptureTurn;
use super::cost::RecordedWork;
use super::merged_path::MergedPath;
use super::numbers::Table;
use super::replaced_labels;
use super::reset;
use super::total_times::{PassedTotals, TotalTimes, is_nothing};
use crate::clock;
use crate::label::{Label, Replaced};
use crate::site::Site;
use crate::sync::Ordering;
use crate::tree::{self, Node};

/// All paths, parents before children, and the totals of the trees.
#[derive(Debug, Clone, Default)]
pub(super) struct Merged {
    pub(super) paths: Vec<MergedPath>,
    index: Table<PathKey, usize>,
    pub(super) threads: Vec<TreeThread>,
    pub(super) over_nodes: u64,
    pub(super) over_depth: u64,
    pub(super) unreadable: u64,
    pub(super) recorded: RecordedWork,
    /// The tick up to which open polls and waits count.
    until: u64,
    replaced: Replaced,
}

/// Index of the parent, address of the site, label.
type PathKey = (Option<usize>, usize, Label);

#[derive(Debug, Clone)]
pub(super) struct TreeThread {
    pub(super) name: String,
    pub(super) alive: bool,
    pub(super) nodes: u64,
    /// The kernel's number; zero if unknown.
    pub(super) thread_id: u64,
}

impl Merged {
    /// Reads all trees, and subtracts the baseline of the last reset.
    pub(super) fn capture(turn: Option<&CaptureTurn>) -> Self {
        let mut merged = Self::read_all(turn);
        reset::with_baseline(|baseline| merged.subtract(baseline));
        merged.cover();
        merged
    }

    /// Reads all trees. The sums of labels that have lost their places are in `[other]`.
    pub(super) fn read_all(turn: Option<&CaptureTurn>) -> Self {
        replaced_labels::move_to_other(Self::read_trees(), turn)
    }

    /// Reads all trees, with the numbers of all labels as they are.
    fn read_trees() -> Self {
        let mut merged = Self { until: clock::now(), ..Self::default() };
        for tree in tree::all() {
            merged.add_children(&tree.root, None);
            if let Some((name, alive)) = tree.thread() {
                let nodes = tree.nodes.load(Ordering::Relaxed);
                let thread_id = tree.thread_id();
                merged.threads.push(TreeThread { name, alive, nodes, thread_id });
            }
            merged.over_nodes += tree.over_nodes.load(Ordering::Relaxed);
            merged.over_depth += tree.over_depth.load(Ordering::Relaxed);
            merged.recorded.add_thread(&tree.counts);
        }
        for path in &mut merged.paths {
            path.settle();
        }
        merged
    }

    fn add_children(&mut self, node: &'static Node, path: Option<usize>) -> PassedTotals {
        let mut through = PassedTotals::NONE;
        for child in node.children() {
            through.add(&self.add(child, path));
        }
        through
    }

    /// Adds a node and everything below it. Children are read first, so that the parent's time
    /// covers theirs.
    ///
    /// Returns the totals that also pass through the parent.
    fn add(&mut self, node: &'static Node, parent: Option<usize>) -> PassedTotals {
        if let (true, Some(parent)) = (tree::is_nested(node.site), parent) {
            match TotalTimes::read(node, PassedTotals::NONE, self.until).0 {
                Some(whole) => self.paths[parent].sums.nested += whole.busy,
                None => self.unreadable += 1,
            }
            return PassedTotals::NONE;
        }
        if node.is_blank() && is_nothing(node.read(self.until, clock::now)) {
            return PassedTotals::NONE;
        }
        let via = node.via.map(|via| self.path(parent, via, Label::NONE));
        let path = self.path(via.or(parent), node.site, node.label);
        let below = self.add_children(node, Some(path));
        let (whole, through) = TotalTimes::read(node, below, self.until);
        let Some(whole) = whole else {
            self.unreadable += 1;
            return through;
        };
        self.recorded.add(node, &whole, through.polls());
        self.paths[path].add(node, &whole);
        self.paths[path].sums.unpolled += node.unpolled.load(Ordering::Relaxed);
        self.paths[path].sums.queued += node.queued.load(Ordering::Relaxed);
        self.paths[path].sums.wall += node.wall.load(Ordering::Relaxed);
        if let Some(via) = via {
            self.paths[via].add(node, &whole.of_await());
        }
        through
    }

    /// Adds a task's open wait: `waited` to the waiting path, `queued` to the task's root.
    pub(super) fn add_open(&mut self, node: &'static Node, waited: u64, queued: u64) {
        let path = self.path_of(node);
        self.paths[path].sums.wall += waited;
        let root = std::iter::successors(Some(path), |&path| self.paths[path].parent).last();
        self.paths[root.unwrap_or(path)].sums.queued += queued;
    }

    fn path_of(&mut self, node: &'static Node) -> usize {
        let parent = node.parent.filter(|parent| !parent.is_root()).map(|parent| self.path_of(parent));
        let via = node.via.map(|via| self.path(parent, via, Label::NONE));
        self.path(via.or(parent), node.site, node.label)
    }

    /// The path of a node, if it was read.
    pub(super) fn find(&self, node: &'static Node) -> Option<usize> {
        let parent = match node.parent.filter(|parent| !parent.is_root()) {
            Some(parent) => Some(self.find(parent)?),
            None => None,
        };
        let path = |parent: Option<usize>, site: &'static Site, label: Label| {
            let find = |label| self.index.get(&(parent, ptr::from_ref(site).addr(), label)).copied();
            let shown = self.replaced.shown(label);
            let found = find(shown);
            // Another text has its number now, and has no calls here yet.
            let is_gone = label != Label::NONE && found.is_none_or(|path| self.paths[path].is_empty());
            if is_gone { find(Label::OTHER).or(found) } else { found }
        };
        let parent = match node.via {
            Some(via) => Some(path(parent, via, Label::NONE)?),
            None => parent,
        };
        path(parent, node.site, node.label)
    }

    /// Calls `change` with each path of `other`, and the same path here. Numbers of paths differ
    /// per capture, and labels may have lost their places.
    pub(super) fn for_paths_of(
        &mut self,
        other: &Self,
        mut change: impl FnMut(&mut MergedPath, &MergedPath),
    ) {
        // Parents come first.
        let mut here: Vec<usize> = Vec::with_capacity(other.paths.len());
        for old in &other.paths {
            let path = self.path(old.parent.map(|parent| here[parent]), old.site, old.label);
            here.push(path);
            change(&mut self.paths[path], old);
        }
    }

    /// Returns these sums, with the sums of the `replaced` labels moved to `[other]`.
    pub(super) fn with_replaced(self, replaced: Replaced) -> Self {
        if replaced.is_empty() {
            return self;
        }
        let mut moved = Self { replaced, until: self.until, ..Self::default() };
        moved.for_paths_of(&self, MergedPath::add_all);
        Self { paths: moved.paths, index: moved.index, replaced: moved.replaced, ..self }
    }

    /// Returns the paths at and below these labels, with the paths above, which have no sums here.
    pub(super) fn below(&self, labels: &Replaced) -> Self {
        let mut is_below = vec![false; self.paths.len()];
        let mut is_above = vec![false; self.paths.len()];
        for (index, path) in self.paths.iter().enumerate() {
            is_below[index] = labels.has(path.label) || path.parent.is_some_and(|parent| is_below[parent]);
        }
        for (index, path) in self.paths.iter().enumerate().rev() {
            if let (true, Some(parent)) = (is_below[index] || is_above[index], path.parent) {
                is_above[parent] = true;
            }
        }
        let mut kept = Self::default();
        let mut here = vec![0; self.paths.len()];
        for (index, old) in
            self.paths.iter().enumerate().filter(|(index, _)| is_below[*index] || is_above[*index])
        {
            here[index] = kept.path(old.parent.map(|parent| here[parent]), old.site, old.label);
            if is_below[index] {
                kept.paths[here[index]].add_all(old);
            }
        }
        kept
    }

    /// From now on, paths that are added keep their labels.
    pub(super) fn restore_labels(&mut self) {
        self.replaced = Replaced::default();
    }

    fn path(&mut self, parent: Option<usize>, site: &'static Site, label: Label) -> usize {
        let label = self.replaced.shown(label);
        let key = (parent, ptr::from_ref(site).addr(), label);
        *self.index.entry(key).or_insert_with(|| {
            self.paths.push(MergedPath::new(parent, site, label));
            self.paths.len() - 1
        })
    }

    /// Corrects parents that are short of their children's time: open times are read node by node,
    /// and a reset takes the difference of two captures.
    fn cover(&mut self) {
        let mut children = vec![0_u64; self.paths.len()];
        for path in (0..self.paths.len()).rev() {
            let MergedPath { parent, sums, .. } = &mut self.paths[path];
            sums.busy = sums.busy.max(children[path].saturating_add(sums.nested));
            if let Some(parent) = *parent {
                children[parent] = children[parent].saturating_add(sums.busy);
            }
        }
    }

    /// Subtracts the counts of `baseline`, path by path.
    fn subtract(&mut self, baseline: &Self) {
        self.for_paths_of(baseline, |path, old| path.sums.subtract(&old.sums));
        self.recorded.subtract(&baseline.recorded);
        self.over_nodes = self.over_nodes.saturating_sub(baseline.over_nodes);
        self.over_depth = self.over_depth.saturating_sub(baseline.over_depth);
    }
}
