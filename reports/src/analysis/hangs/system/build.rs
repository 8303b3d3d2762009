//! From facts to gates: a gate is open if what it stands for can still make progress.
//!
//! ```text
//! Task ── all ─┬─ Woken ── any ── Wait ── all ─┬─ Ahead ── all ── Leaves, of each before it in the queue
//!              └─ Workers                      └─ Units ── level ── Level ── sum ── Holding, Leaves of what is granted
//! Holding, Leaves ── any ── Task
//! ```
//! Nothing is taken apart below tasks: whether a branch is dropped when its sibling is done (`select!`) or not (`join!`) is not
//! known, so a task that can go on may let go of anything in it. What its task does not poll any more is no reason for it to
//! go on: that makes a futurelock come out as a circle.
//!
//! The same rules are solved up to three times, see [`Trust`]. Where more trust would make no difference, once is enough.

use super::graph::{Gate, Gates};
use crate::analysis::hangs::facts::{Awaits, Facts, is_active, is_blocked, is_run};
use crate::model::{RunState, Task, TaskKind};

/// Whoever polls a root that was only met, and gives up after a while, has done so by then in all likelihood.
const TIMEOUT_NS: u64 = 60_000_000_000;

/// What to make of attributions that moves can have made stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// They may be wrong, and what can move may be anywhere: what is stuck is proven.
    Exact,
    /// They are right, unless something else that can go on could have it: what is stuck is likely so.
    Likely,
    /// They are right: what is stuck is suspect.
    Suspect,
}

/// What a gate stands for. Numbers are indices into the snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// The task can go on.
    Task(usize),
    /// Something wakes the task, or what it is blocked by lets it go.
    Woken(usize),
    /// What is waited for comes.
    Wait(usize),
    /// The wait ends: it is served, or dropped.
    Leaves(usize),
    /// The first so many of a line leave.
    Ahead(usize),
    /// So many units of the resource become free.
    Units(usize),
    /// How many units of the resource can become free.
    Level(usize),
    /// The resource's holding of that number is given back or used.
    Holding(usize, usize),
    /// Somebody takes out.
    Receivers(usize),
    /// Somebody puts in.
    Senders(usize),
    /// All who could put in are gone.
    Closing(usize),
    /// Somebody tells.
    Users(usize),
    /// Those at an unfair lock who were told can take it, or pass it on.
    Told(usize),
    /// Somebody goes on who could tell those that wait at the resource, or come too.
    Anybody(usize),
    /// One of the tasks from that index on goes on.
    Later(usize),
    /// Some task goes on, or something that is not on record does.
    Everybody,
    /// Some task of that family goes on, or something that is not on record does.
    Family(usize),
    /// The arm of a `join!` goes on, by its span, or something around the `join!` does.
    Arm(usize),
    /// A worker of the runtime is free.
    Workers(u64),
    /// A thread for blocking work of the runtime is free.
    Pool(u64),
    /// The thread gets out of what blocks it.
    Thread(u64),
}

impl Node {
    /// The index of the task that it is about.
    pub(crate) fn task(&self) -> Option<usize> {
        match self {
            Self::Task(task) => Some(*task),
            _ => None,
        }
    }
}

/// The gate of a task.
pub(crate) fn task_gate(index: usize) -> Gate {
    index
}

/// The gates of a snapshot.
#[derive(Debug)]
pub(crate) struct System<'a> {
    pub(crate) facts: &'a Facts<'a>,
    pub(crate) trust: Trust,
    pub(crate) gates: Gates,
    /// What each gate stands for.
    pub(crate) nodes: Vec<Node>,
    pub(crate) shared: super::shared_nodes::Shared,
    /// Whether anything would be otherwise under [`Trust::Likely`].
    pub(crate) is_cautious: bool,
}

impl<'a> System<'a> {
    pub(crate) fn new(facts: &'a Facts<'a>, trust: Trust) -> Self {
        let snapshot = facts.snapshot;
        let (tasks, waits) = (snapshot.tasks.len(), snapshot.waits.len());
        let nodes = (0..tasks).map(Node::Task).chain((0..waits).map(Node::Wait));
        let nodes: Vec<Node> = nodes.chain((0..waits).map(Node::Leaves)).collect();
        let mut gates = Gates::default();
        for _ in &nodes {
            gates.gate(1);
        }
        let shared = super::shared_nodes::Shared::new(snapshot.resources.len());
        let mut system = Self { facts, trust, gates, nodes, shared, is_cautious: false };
        for (index, task) in snapshot.tasks.iter().enumerate() {
            system.add_task(index, task);
        }
        for index in 0..waits {
            system.add_wait(index);
            system.add_leaves(index);
        }
        system
    }

    pub(crate) fn wait(&self, index: usize) -> Gate {
        self.facts.snapshot.tasks.len() + index
    }

    pub(crate) fn leaves(&self, index: usize) -> Gate {
        self.facts.snapshot.tasks.len() + self.facts.snapshot.waits.len() + index
    }

    /// Whether what is only likely can go on; asked where that makes a difference.
    pub(crate) fn is_exact(&mut self) -> bool {
        self.is_cautious |= self.trust == Trust::Exact;
        self.trust == Trust::Exact
    }

    /// Whether what is only suspect can go on; asked where that makes a difference.
    pub(crate) fn is_wary(&mut self) -> bool {
        self.is_cautious |= self.trust != Trust::Suspect;
        self.trust != Trust::Suspect
    }

    /// A new gate, closed until `needs` inputs are open.
    pub(crate) fn add(&mut self, node: Node, needs: u64) -> Gate {
        self.nodes.push(node);
        self.gates.gate(needs)
    }

    /// A new meter, at zero.
    pub(crate) fn meter(&mut self, node: Node) -> Gate {
        self.nodes.push(node);
        self.gates.meter(0)
    }

    /// The gate is open.
    pub(crate) fn always(&mut self, gate: Gate) {
        self.gates.set(gate, 0);
    }

    /// The gate opens with any of its inputs, this one too.
    pub(crate) fn or(&mut self, gate: Gate, input: Gate) {
        self.gates.wire(input, gate, 1);
    }

    fn add_task(&mut self, index: usize, task: &Task) {
        let gate = task_gate(index);
        match task.state {
            _ if task.is_unstable => self.always(gate),
            RunState::Running if is_blocked(task) => self.add_blocked(gate, index, task),
            RunState::Running => self.always(gate),
            RunState::Unpolled | RunState::Queued => {
                self.gates.set(gate, 0);
                self.schedule(gate, task);
            }
            RunState::Waiting if self.may_be_dropped(task) => self.always(gate),
            RunState::Waiting => {
                self.gates.set(gate, 0);
                if !self.may_be_woken(index, task) && !self.may_poll_unheard(index) {
                    let woken = self.add(Node::Woken(index), 1);
                    self.gates.require(gate, woken);
                    for &wait in &self.facts.waits_of_task[index] {
                        if is_active(&self.facts.snapshot.waits[wait]) {
                            self.or(woken, self.wait(wait));
                        }
                    }
                }
                self.schedule(gate, task);
                self.or_aborted(gate, index, task);
            }
        }
    }

    /// Whoever has a handle of the task may abort it, if that goes on. Where the handle is awaited, it is there; otherwise it is
    /// with the thread that has spawned the task, or with a task that shares an ancestor with it. Whoever has asked for a handle
    /// only to abort, or awaits one under a timeout, may abort the task after a while.
    fn or_aborted(&mut self, gate: Gate, index: usize, task: &Task) {
        let facts = self.facts;
        let joiner = facts.joined[index].and_then(|wait| facts.task_of(&facts.snapshot.waits[wait]));
        let may_be = task.has_handle || task.has_abort_handle;
        let may_soon_be = may_be && (task.has_abort_handle || joiner.is_some()) && task.since_ns < TIMEOUT_NS;
        if !(may_be && self.is_exact() || may_soon_be && self.is_wary()) {
            return;
        }
        // A handle that was asked for may be anywhere, and may have been used: that is not recorded.
        if task.has_abort_handle && self.is_exact() {
            return self.always(gate);
        }
        match joiner.filter(|_| !task.has_abort_handle && !task.is_in_set) {
            Some(joiner) => self.gates.override_aside(task_gate(joiner), gate),
            None if task.spawned_by.is_none() => self.always(gate),
            None => {
                let family = self.family(Some(task.id));
                self.gates.override_aside(family, gate);
            }
        }
    }

    /// Whether what polls a root that was only met may drop it, or poll it without a wake: nothing is proven of it, and
    /// nothing is likely while a timeout may be around it.
    fn may_be_dropped(&mut self, task: &Task) -> bool {
        let may_be_under_a_timeout = task.is_unspawned && task.since_ns < TIMEOUT_NS;
        // An executor of the program's own may be under one too.
        let is_unknown = task.is_unspawned || task.runtime.is_empty();
        (is_unknown && self.is_exact()) || (may_be_under_a_timeout && self.is_wary())
    }

    /// Whether a future of the task that was woken where nobody seems to hear of it may be polled all the same.
    fn may_poll_unheard(&mut self, index: usize) -> bool {
        let facts = self.facts;
        facts.waits_of_task[index].iter().any(|&wait| facts.snapshot.waits[wait].is_wake_lost)
            && self.is_exact()
    }

    /// Whether something that is not recorded may wake a waiting task.
    fn may_be_woken(&mut self, index: usize, task: &Task) -> bool {
        let has_waits = !self.facts.waits_of_task[index].is_empty();
        match (task.opaque_wakers, task.wakers) {
            _ if task.kind == TaskKind::Blocking => true,
            // Nobody has a waker, and nothing recorded waits for it: that is a fact, unless it is meant.
            // So it is not if it is polled without being woken.
            (None | Some(0), Some(0)) if !has_waits => {
                task.polls > task.wakes.saturating_add(1)
                    || match self.facts.awaits[index] {
                        Awaits::OwnPoll => false,
                        Awaits::Pending => true,
                        Awaits::Unknown => self.is_wary(),
                    }
            }
            (Some(0), _) => !has_waits,
            // What polls those with wakers of its own keeps one of the task's.
            (Some(1), _) if self.has_indirect(index) => self.is_wary(),
            _ => true,
        }
    }

    /// Whether something in the task waits with a waker that is not its task's.
    fn has_indirect(&self, index: usize) -> bool {
        let waits = self.facts.waits_of_task[index].iter().map(|&wait| &self.facts.snapshot.waits[wait]);
        waits.into_iter().any(|wait| wait.is_indirect && wait.woken_ns.is_none() && !wait.is_unstable)
    }

    /// What the poll that sleeps is blocked by.
    fn add_blocked(&mut self, gate: Gate, index: usize, task: &Task) {
        let facts = self.facts;
        if let Some(thread) = task.thread_id.filter(|thread| facts.blocked.contains_key(thread)) {
            let thread = self.thread(thread);
            self.or(gate, thread);
            return;
        }
        // Polled since the poll began, and not with the task's own waker: from a `block_on` in it, in all likelihood.
        let is_inside = |wait: &&usize| {
            let wait = &facts.snapshot.waits[**wait];
            wait.is_indirect && wait.since_ns <= task.since_ns
        };
        let inside: Vec<usize> = facts.waits_of_task[index].iter().filter(is_inside).copied().collect();
        // A task that was made since the poll began, and polled on its thread, which has not left the poll: so it was polled
        // inside. If it is run by `block_on`, that comes back when it is done, and not before. What some other executor runs
        // there may be one of many.
        let is_inside = |other: &Task| {
            let is_here = task.thread_id.is_some() && other.thread_id == task.thread_id;
            is_here && other.state == RunState::Waiting && other.age_ns <= task.since_ns
        };
        let mut nested =
            facts.spawned[index].iter().filter(|&&other| is_inside(&facts.snapshot.tasks[other]));
        let is_certain = |&&other: &&usize| is_run(facts.snapshot, &facts.snapshot.tasks[other]);
        let certain = nested.clone().find(is_certain);
        if let Some(&nested) = certain.or_else(|| nested.next().filter(|_| !self.is_exact())) {
            self.or(gate, task_gate(nested));
            return;
        }
        if inside.is_empty() || self.is_exact() {
            self.always(gate);
        }
        for wait in inside {
            self.or(gate, self.wait(wait));
        }
    }

    /// The wait ends when its task goes on: then it is served, or given up.
    fn add_leaves(&mut self, index: usize) {
        let (gate, wait) = (self.leaves(index), &self.facts.snapshot.waits[index]);
        match self.facts.task_of(wait) {
            _ if wait.is_unstable => self.always(gate),
            Some(task) => {
                let arm = if is_active(wait) { None } else { self.arm(task, wait.span) };
                self.or(gate, arm.unwrap_or(task_gate(task)));
                if wait.is_wake_lost && self.is_wary() {
                    // It may have been handed to another task, to be polled there.
                    let family = self.family(wait.task);
                    self.gates.wire_aside(family, gate);
                }
            }
            None if wait.thread_id.is_some() => self.or(gate, self.wait(index)),
            None => self.always(gate),
        }
    }
}
