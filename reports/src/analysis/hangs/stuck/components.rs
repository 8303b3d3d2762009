//! What is left closed, taken apart: groups of gates that wait for each other, and what they wait for in turn.
//!
//! A group that waits for nothing outside of itself is a root cause: a circle, or a single gate that nothing will open. Groups
//! are the strongly connected components of the closed gates (Tarjan 1972, without recursion), found in the order in which
//! what is waited for stands before what waits.

use std::collections::{BTreeSet, VecDeque};

use crate::analysis::hangs::facts::{Table, step, with_capacity};
use crate::analysis::hangs::system::{Gate, Node, Solved, System, task_gate};

/// The closed gates that some task or blocked thread waits for.
#[derive(Debug)]
pub(crate) struct Stuck {
    pub(crate) solved: Solved,
    /// The gates of all groups, one group after the other; those that others wait for come first.
    gates: Vec<Gate>,
    /// Where each group begins there, and where the last ends.
    starts: Vec<usize>,
    /// The group of each closed gate.
    group_of: Vec<Option<usize>>,
}

impl Stuck {
    pub(crate) fn new(system: &System<'_>) -> Self {
        let solved = system.gates.solve();
        let snapshot = system.facts.snapshot;
        let threads = (0..snapshot.waits.len()).filter(|&wait| {
            let wait = &snapshot.waits[wait];
            wait.thread_id.is_some() && system.facts.task_of(wait).is_none()
        });
        let tasks = (0..snapshot.tasks.len()).map(task_gate);
        let arms: BTreeSet<Gate> = system.shared.arms.values().copied().collect();
        let starts = tasks
            .chain(threads.map(|wait| system.wait(wait)))
            .chain(arms)
            .filter(|&gate| !solved.is_open(gate));
        let mut tarjan = Tarjan::new(&solved, system.gates.len());
        tarjan.run(starts);
        let Tarjan { gates, starts, group_of, .. } = tarjan;
        Self { solved, gates, starts, group_of }
    }

    /// How many groups there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The gates of a group.
    pub(crate) fn group(&self, group: usize) -> &[Gate] {
        match (self.starts.get(group), self.starts.get(group + 1)) {
            (Some(&start), Some(&end)) => self.gates.get(start..end).unwrap_or_default(),
            _ => &[],
        }
    }

    /// The gates of all groups.
    pub(crate) fn all(&self) -> &[Gate] {
        &self.gates
    }

    /// Whether the gates of a group wait for themselves.
    pub(crate) fn is_circle(&self, group: usize) -> bool {
        match self.group(group) {
            [gate] => self.solved.inputs.of(*gate).contains(gate),
            gates => gates.len() > 1,
        }
    }

    /// Whether the gate is in that group.
    pub(crate) fn is_in(&self, gate: Gate, group: usize) -> bool {
        self.group_of.get(gate).copied().flatten() == Some(group)
    }

    /// The groups that one waits for, itself left out.
    pub(crate) fn waits_for(&self, group: usize) -> impl Iterator<Item = usize> + '_ {
        let inputs =
            self.group(group).iter().flat_map(|&gate| self.solved.inputs.of(gate)).inspect(|_| step());
        inputs.filter_map(|&gate| self.group_of[gate]).filter(move |&other| other != group)
    }

    /// The shortest way within a group from a gate back to itself, which stands at both ends, by the inputs that `reasons` gives
    /// of each gate.
    pub(crate) fn circle(&self, start: Gate, reasons: impl Fn(Gate) -> Vec<Gate>) -> Option<Vec<Gate>> {
        let group = self.group_of[start]?;
        let mut came_from = with_capacity(self.group(group).len());
        came_from.insert(start, start);
        let mut queue = VecDeque::from([start]);
        while let Some(gate) = queue.pop_front() {
            for input in reasons(gate) {
                step();
                if input == start {
                    return Some(walk_back(&came_from, gate, start).chain([start]).collect());
                }
                if self.is_in(input, group) && !came_from.contains_key(&input) {
                    came_from.insert(input, gate);
                    queue.push_back(input);
                }
            }
        }
        None
    }

    /// Follows the first of the reasons of each gate until one comes again: the gates from there on.
    pub(crate) fn repeats(start: Gate, reasons: impl Fn(Gate) -> Vec<Gate>) -> Option<Vec<Gate>> {
        let (mut way, mut places) = (vec![start], Table::default());
        places.insert(start, 0);
        loop {
            step();
            let next = reasons(*way.last()?).into_iter().min()?;
            if let Some(&place) = places.get(&next) {
                way.drain(..place);
                return Some(way);
            }
            places.insert(next, way.len());
            way.push(next);
        }
    }

    /// The shortest way into a group from a task or a blocked thread, the smallest of the nearest.
    pub(crate) fn way_to(&self, group: usize, is_start: impl Fn(Gate) -> bool) -> Option<Vec<Gate>> {
        self.way(self.group(group), is_start)
    }

    /// The same to one gate.
    pub(crate) fn way_to_gate(&self, end: Gate, is_start: impl Fn(Gate) -> bool) -> Option<Vec<Gate>> {
        self.way(&[end], is_start)
    }

    /// A hundred thousand may wait behind each of a hundred thousand ends: a few of those that wait at the same distance are
    /// nearly always enough.
    fn way(&self, ends: &[Gate], is_start: impl Fn(Gate) -> bool) -> Option<Vec<Gate>> {
        const FEW: usize = 16;
        self.way_within(FEW, ends, &is_start).or_else(|| self.way_within(usize::MAX, ends, &is_start))
    }

    fn way_within(&self, width: usize, ends: &[Gate], is_start: impl Fn(Gate) -> bool) -> Option<Vec<Gate>> {
        let mut level = ends.to_vec();
        let mut goes_to = with_capacity(64);
        goes_to.extend(level.iter().map(|&gate| (gate, gate)));
        while !level.is_empty() {
            if let Some(&start) = level.iter().filter(|&&gate| is_start(gate)).min() {
                let mut way = vec![start];
                let mut gate = start;
                while let Some(&next) = goes_to.get(&gate).filter(|&&next| next != gate) {
                    way.push(next);
                    gate = next;
                }
                return Some(way);
            }
            let mut next = Vec::new();
            for gate in level {
                for &output in self.solved.outputs.of(gate) {
                    if next.len() >= width {
                        break;
                    }
                    step();
                    if self.group_of[output].is_some() && !goes_to.contains_key(&output) {
                        goes_to.insert(output, gate);
                        next.push(output);
                    }
                }
            }
            level = next;
        }
        None
    }

    /// The tasks that wait for one of the groups, each under the first of them that it waits for, by the tasks' indices.
    pub(crate) fn behind(&self, system: &System<'_>, roots: &[usize]) -> Vec<Vec<usize>> {
        let roots: Vec<&[Gate]> = roots.iter().map(|&root| self.group(root)).collect();
        self.behind_gates(system, &roots, |_| true)
    }

    /// The same of gates, and only by gates that are `allowed`.
    pub(crate) fn behind_gates(
        &self,
        system: &System<'_>,
        roots: &[impl AsRef<[Gate]>],
        allowed: impl Fn(Gate) -> bool,
    ) -> Vec<Vec<usize>> {
        let mut root_of: Vec<Option<usize>> = vec![None; system.gates.len()];
        let mut queue = VecDeque::new();
        for (number, root) in roots.iter().enumerate() {
            for &gate in root.as_ref() {
                root_of[gate] = Some(number);
                queue.push_back(gate);
            }
        }
        let mut behind = vec![Vec::new(); roots.len()];
        while let Some(gate) = queue.pop_front() {
            let Some(root) = root_of[gate] else { continue };
            if let Node::Task(task) = system.nodes[gate] {
                behind[root].push(task);
            }
            for &output in self.solved.outputs.of(gate) {
                step();
                if self.group_of[output].is_some() && root_of[output].is_none() && allowed(output) {
                    root_of[output] = Some(root);
                    queue.push_back(output);
                }
            }
        }
        behind
    }
}

/// From `start` to `last`.
fn walk_back(came_from: &Table<Gate, Gate>, last: Gate, start: Gate) -> impl Iterator<Item = Gate> {
    let mut way = vec![last];
    let mut gate = last;
    while gate != start {
        match came_from.get(&gate) {
            Some(&before) => gate = before,
            None => break,
        }
        way.push(gate);
    }
    way.into_iter().rev()
}

/// Tarjan's algorithm with a stack of its own.
struct Tarjan<'a> {
    solved: &'a Solved,
    /// The order in which gates were met, from 1; zero for those that were not.
    met: Vec<usize>,
    lowest: Vec<usize>,
    is_open: Vec<bool>,
    open: Vec<Gate>,
    /// See [`Stuck`].
    gates: Vec<Gate>,
    starts: Vec<usize>,
    group_of: Vec<Option<usize>>,
    count: usize,
}

impl<'a> Tarjan<'a> {
    fn new(solved: &'a Solved, gates: usize) -> Self {
        Self {
            solved,
            met: vec![0; gates],
            lowest: vec![0; gates],
            is_open: vec![false; gates],
            open: Vec::new(),
            gates: Vec::new(),
            starts: vec![0],
            group_of: vec![None; gates],
            count: 0,
        }
    }

    fn run(&mut self, starts: impl Iterator<Item = Gate>) {
        for start in starts {
            if self.met[start] == 0 {
                self.visit(start);
            }
        }
    }

    fn visit(&mut self, start: Gate) {
        let mut calls = vec![(start, 0)];
        self.meet(start);
        while let Some((gate, next)) = calls.pop() {
            step();
            match self.solved.inputs.of(gate).get(next) {
                Some(&input) => {
                    calls.push((gate, next + 1));
                    if self.met[input] == 0 {
                        self.meet(input);
                        calls.push((input, 0));
                    } else if self.is_open[input] {
                        self.lowest[gate] = self.lowest[gate].min(self.met[input]);
                    }
                }
                None => {
                    if self.lowest[gate] == self.met[gate] {
                        self.close(gate);
                    }
                    if let Some(&(caller, _)) = calls.last() {
                        self.lowest[caller] = self.lowest[caller].min(self.lowest[gate]);
                    }
                }
            }
        }
    }

    fn meet(&mut self, gate: Gate) {
        self.count += 1;
        self.met[gate] = self.count;
        self.lowest[gate] = self.count;
        self.is_open[gate] = true;
        self.open.push(gate);
    }

    /// All that was met since the gate, and is open, is its group.
    fn close(&mut self, gate: Gate) {
        let number = self.starts.len() - 1;
        while let Some(member) = self.open.pop() {
            self.is_open[member] = false;
            self.group_of[member] = Some(number);
            self.gates.push(member);
            if member == gate {
                break;
            }
        }
        self.starts.push(self.gates.len());
    }
}
