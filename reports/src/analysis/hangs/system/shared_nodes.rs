//! Gates that many others are wired to, each made when it is first asked for.

use super::build::{Node, System, Trust, task_gate};
use super::graph::Gate;
use super::queues::Line;
use super::rules::is_queue;
use super::threads::Crew;
use crate::analysis::hangs::facts::{Table, units};
use crate::model::{ResourceKind, Role};

/// Where they are.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub(crate) threads: Table<u64, Gate>,
    pub(crate) workers: Table<u64, Gate>,
    pub(crate) crews: Table<u64, Crew>,
    pub(crate) pools: Table<u64, Gate>,
    /// By the index of a span.
    pub(crate) arms: Table<usize, Gate>,
    anybody: Table<usize, Gate>,
    /// By the index of a task.
    later: Vec<Gate>,
    /// By resource: the level of its units; who receives, sends, uses; the end of all senders; those who were told.
    levels: Vec<Option<Gate>>,
    receivers: Vec<Option<Gate>>,
    senders: Vec<Option<Gate>>,
    closing: Vec<Option<Gate>>,
    told: Vec<Option<Gate>>,
    all: Vec<Option<Gate>>,
    holders: Vec<Option<Gate>>,
    /// By resource: whether no reader waits for those who hold it; the place in its line of the first that wants to
    /// write, the end of the line if none does.
    pub(crate) is_open_to_readers: Vec<Option<bool>>,
    pub(crate) first_writer: Vec<Option<usize>>,
    /// By resource and number: its holdings, and so many of its units.
    pub(crate) holdings: Vec<Vec<Gate>>,
    units: Table<(usize, u64), Gate>,
    /// By resource, side, how many of the line are counted, and units: there is enough beside those who stay.
    pub(crate) enough: Table<(usize, usize, usize, u64), Gate>,
    /// By resource and side.
    pub(crate) lines: Vec<[Line; 2]>,
    everybody: Option<Gate>,
    families: Table<usize, Gate>,
}

impl Shared {
    pub(crate) fn new(resources: usize) -> Self {
        let none = || vec![None; resources];
        Self {
            levels: none(),
            receivers: none(),
            senders: none(),
            closing: none(),
            told: none(),
            all: none(),
            holders: none(),
            is_open_to_readers: vec![None; resources],
            first_writer: vec![None; resources],
            holdings: vec![Vec::new(); resources],
            lines: (0..resources).map(|_| Default::default()).collect(),
            ..Self::default()
        }
    }
}

impl System<'_> {
    /// Who could tell those that wait there, or come too: whoever has used it, whoever made it, task or thread, and all tasks
    /// that are younger than it is; an older one would have been handed it.
    pub(crate) fn anybody(&mut self, resource: usize) -> Gate {
        if let Some(&gate) = self.shared.anybody.get(&resource) {
            return gate;
        }
        let gate = self.add(Node::Anybody(resource), 1);
        self.shared.anybody.insert(resource, gate);
        if self.is_exact() || self.facts.snapshot.foreign_threads > 0 {
            self.always(gate);
        }
        let made_by = self.facts.snapshot.resources[resource].created_by;
        if let Some(others) = self.others(made_by) {
            self.gates.wire_aside(others, gate);
        }
        self.or_whoever_may_have_it(gate, resource);
        gate
    }

    /// Who could have what can move, beside whom it was seen with last. `None` if that is nobody.
    pub(crate) fn others(&mut self, task: Option<u64>) -> Option<Gate> {
        if !self.is_wary() {
            return None;
        }
        Some(if self.trust == Trust::Exact { self.everybody() } else { self.family(task) })
    }

    /// Some task goes on, or something that is not on record: it may have anything that can move, or close it, or add to it.
    pub(crate) fn everybody(&mut self) -> Gate {
        if let Some(gate) = self.shared.everybody {
            return gate;
        }
        let gate = self.add(Node::Everybody, 1);
        self.shared.everybody = Some(gate);
        if !self.facts.snapshot.is_all_recorded {
            self.always(gate);
        }
        if let Some(all) = self.later(0) {
            self.or(gate, all);
        }
        gate
    }

    /// Some task goes on that shares an ancestor with that one, or something that is not on record: it may have been handed
    /// the same from there, such as a table in which others put what they have.
    pub(crate) fn family(&mut self, task: Option<u64>) -> Gate {
        let facts = self.facts;
        let families = facts.families();
        let family = task.and_then(|task| facts.task(task)).map_or(0, |task| families.of[task]);
        if let Some(&gate) = self.shared.families.get(&family) {
            return gate;
        }
        let gate = self.add(Node::Family(family), 1);
        self.shared.families.insert(family, gate);
        if facts.snapshot.foreign_threads > 0 || facts.snapshot.unrecorded_tasks > 0 {
            self.always(gate);
        }
        for &task in &families.members[family] {
            self.or(gate, task_gate(task));
        }
        gate
    }

    fn or_whoever_may_have_it(&mut self, gate: Gate, resource: usize) {
        let facts = self.facts;
        let it = &facts.snapshot.resources[resource];
        let users = || it.holdings.iter().filter(|holding| holding.role == Role::Uses);
        let tasks = users().filter_map(|holding| holding.task).chain(it.created_by);
        for task in tasks.filter_map(|task| facts.task(task)) {
            self.or(gate, task_gate(task));
        }
        let outside = users().filter(|holding| holding.task.is_none());
        for thread in outside.filter_map(|holding| holding.thread_id).chain(it.created_on) {
            let thread = self.thread_of(thread);
            self.or(gate, thread);
        }
        // What is in a static, anybody has: a thread too that is in no `block_on`.
        let is_anywhere = it.created_by.is_none() && it.created_on.is_none() && it.first_task.is_none();
        if is_anywhere && facts.local.is_empty() {
            self.always(gate);
        }
        let tasks = &facts.snapshot.tasks;
        let later = |first| {
            let index = facts.task(first);
            index.unwrap_or_else(|| tasks.partition_point(|task| task.id < first))
        };
        let first = it.first_task.map_or(0, later);
        if let Some(later) = self.later(first) {
            self.or(gate, later);
        }
    }

    /// The task of that index or a later one goes on.
    fn later(&mut self, first: usize) -> Option<Gate> {
        if self.shared.later.is_empty() {
            let mut last = None;
            for task in (0..self.facts.snapshot.tasks.len()).rev() {
                let gate = self.add(Node::Later(task), 1);
                self.or(gate, task_gate(task));
                if let Some(last) = last {
                    self.or(gate, last);
                }
                self.shared.later.push(gate);
                last = Some(gate);
            }
            self.shared.later.reverse();
        }
        self.shared.later.get(first).copied()
    }

    /// The level of units that can become free: those that are, that are held by who can go on, or granted to who can.
    pub(crate) fn level(&mut self, resource: usize) -> Gate {
        if let Some(gate) = self.shared.levels[resource] {
            return gate;
        }
        let facts = self.facts;
        let it = &facts.snapshot.resources[resource];
        self.nodes.push(Node::Level(resource));
        let mut holders = it.holdings.iter().filter(|holding| holding.role == Role::Holds);
        let is_taken_whole = it.capacity.is_none() && holders.any(|holding| holding.units > 1);
        let level = self.gates.meter(if is_taken_whole { 0 } else { it.free });
        self.shared.levels[resource] = Some(level);
        for (number, holding) in it.holdings.iter().enumerate() {
            if holding.role == Role::Holds {
                let gate = self.holding(resource, number);
                self.gates.wire(gate, level, holding.units.max(1));
            }
        }
        for &wait in &facts.queues[resource] {
            let granted = &facts.snapshot.waits[wait];
            if granted.is_granted {
                self.gates.wire(self.leaves(wait), level, units(granted));
            }
        }
        // Where several receive, what lies there is known but for what they are about to note.
        let filled = if it.kind == ResourceKind::Mpmc { u64::MAX } else { it.filled };
        if filled > 0 && is_queue(it.kind) {
            let receivers = self.receivers(resource);
            self.gates.wire(receivers, level, filled);
        }
        if it.is_refilled {
            let users = self.users(resource);
            self.gates.wire(users, level, u64::MAX);
        }
        level
    }

    /// So many units of the resource become free.
    pub(crate) fn units(&mut self, resource: usize, units: u64) -> Gate {
        if let Some(&gate) = self.shared.units.get(&(resource, units)) {
            return gate;
        }
        let level = self.level(resource);
        let gate = self.add(Node::Units(resource), 1);
        self.shared.units.insert((resource, units), gate);
        self.gates.wire(level, gate, units);
        gate
    }

    /// Those who were told of an unfair lock leave: until then nobody else is told.
    pub(crate) fn told(&mut self, resource: usize) -> Gate {
        if let Some(gate) = self.shared.told[resource] {
            return gate;
        }
        let gate = self.add(Node::Told(resource), 0);
        self.shared.told[resource] = Some(gate);
        let facts = self.facts;
        for &wait in &facts.queues[resource] {
            if facts.snapshot.waits[wait].woken_ns.is_some() {
                self.gates.require(gate, self.leaves(wait));
            }
        }
        gate
    }

    /// Somebody takes out. Where nobody is known to, it is not known.
    pub(crate) fn receivers(&mut self, resource: usize) -> Gate {
        if let Some(gate) = self.shared.receivers[resource] {
            return gate;
        }
        let gate = self.add(Node::Receivers(resource), 1);
        self.shared.receivers[resource] = Some(gate);
        self.any_holding(gate, resource, Role::Receives);
        gate
    }

    /// Somebody puts in, or the last who could is gone.
    pub(crate) fn senders(&mut self, resource: usize) -> Gate {
        if let Some(gate) = self.shared.senders[resource] {
            return gate;
        }
        let gate = self.add(Node::Senders(resource), 1);
        self.shared.senders[resource] = Some(gate);
        self.any_holding(gate, resource, Role::Sends);
        gate
    }

    /// All who could put in are gone: those who stand in line have to leave for that.
    pub(crate) fn closing(&mut self, resource: usize) -> Gate {
        if let Some(gate) = self.shared.closing[resource] {
            return gate;
        }
        let gate = self.add(Node::Closing(resource), 0);
        self.shared.closing[resource] = Some(gate);
        let facts = self.facts;
        if let Some(line) = self.ahead(resource, 0, facts.lines[resource][0].len()) {
            self.gates.require(gate, line);
        }
        for (number, holding) in facts.snapshot.resources[resource].holdings.iter().enumerate() {
            if holding.role == Role::Sends {
                let holding = self.holding(resource, number);
                self.gates.require(gate, holding);
            }
        }
        gate
    }

    /// Somebody who has made units of it does so again.
    fn users(&mut self, resource: usize) -> Gate {
        let gate = self.add(Node::Users(resource), 1);
        if self.is_exact() {
            self.always(gate);
        }
        self.any_holding(gate, resource, Role::Uses);
        gate
    }

    /// All who hold units give them back, and those who were granted some.
    pub(crate) fn all_units(&mut self, resource: usize) -> Gate {
        if let Some(gate) = self.shared.all[resource] {
            return gate;
        }
        let gate = self.add(Node::Units(resource), 0);
        self.shared.all[resource] = Some(gate);
        let facts = self.facts;
        for (number, holding) in facts.snapshot.resources[resource].holdings.iter().enumerate() {
            if holding.role == Role::Holds {
                let holding = self.holding(resource, number);
                self.gates.require(gate, holding);
            }
        }
        for &wait in &facts.queues[resource] {
            if facts.snapshot.waits[wait].is_granted {
                self.gates.require(gate, self.leaves(wait));
            }
        }
        gate
    }

    /// Somebody who holds it gives it back. Where nobody is known to, it is not known.
    pub(crate) fn holders(&mut self, resource: usize) -> Gate {
        if let Some(gate) = self.shared.holders[resource] {
            return gate;
        }
        let gate = self.add(Node::Units(resource), 1);
        self.shared.holders[resource] = Some(gate);
        self.any_holding(gate, resource, Role::Holds);
        gate
    }

    /// Opens the gate with any holding of that role; without one it is open.
    fn any_holding(&mut self, gate: Gate, resource: usize, role: Role) {
        let facts = self.facts;
        let holdings = &facts.snapshot.resources[resource].holdings;
        let mut numbers = (0..holdings.len()).filter(|&number| holdings[number].role == role).peekable();
        if numbers.peek().is_none() {
            self.always(gate);
        }
        for number in numbers {
            let holding = self.holding(resource, number);
            self.or(gate, holding);
        }
    }

    /// The gate of a holding.
    pub(crate) fn holding(&mut self, resource: usize, number: usize) -> Gate {
        if self.shared.holdings[resource].is_empty() {
            let first = self.nodes.len();
            let count = self.facts.snapshot.resources[resource].holdings.len();
            for number in 0..count {
                self.add(Node::Holding(resource, number), 1);
            }
            self.shared.holdings[resource] = (first..first + count).collect();
            for number in 0..count {
                self.add_holding(first + number, resource, number);
            }
        }
        self.shared.holdings[resource][number]
    }
}
