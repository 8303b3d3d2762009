//! What each kind of wait needs to come true.
//!
//! | waits for | comes if |
//! |---|---|
//! | units of a fair lock | all before it in the queue are served or leave, and what is free and what holders that can go on give back is enough for those of them that stay, and for it |
//! | permits of a semaphore, a place in a channel | the same, or, for all that is known, who may close it can go on |
//! | units of an unfair lock | the same without the queue, but those who were told already have to leave |
//! | all units | all who hold any can go on |
//! | a place in a channel | the same as units; what lies in the channel is given back by its receiver |
//! | a message | somebody who can send can go on; where no place is free, somebody who has one; or all of them go |
//! | to be told, others to arrive | who has used it, or came after it, can go on |
//! | the end of tasks | one of them can go on, or is done |
//!
//! A wait that was woken is served, and one that nobody can wake is not, whatever else is true.

use super::build::{Node, System, task_gate};
use super::graph::Gate;
use crate::analysis::hangs::facts::{side, step, units};
use crate::model::{Attribution, Holding, Resource, ResourceKind, Role, Wait, WaitMode};

impl System<'_> {
    /// Wires the gate of a wait.
    pub(crate) fn add_wait(&mut self, index: usize) {
        let facts = self.facts;
        let (gate, wait) = (self.wait(index), &facts.snapshot.waits[index]);
        if wait.is_unstable || wait.woken_ns.is_some() || wait.is_granted || wait.is_forced {
            self.always(gate);
        } else if is_lost(wait) {
            // Nothing is wired to it.
        } else {
            match wait.mode {
                WaitMode::Join => self.add_join(gate, wait),
                WaitMode::Shutdown => self.add_shutdown(gate, wait),
                WaitMode::Timer => self.always(gate),
                _ => match wait.resource.filter(|&resource| resource < facts.snapshot.resources.len()) {
                    Some(resource) => self.add_resource(gate, index, resource),
                    None => self.always(gate),
                },
            }
        }
    }

    fn add_join(&mut self, gate: Gate, wait: &Wait) {
        if wait.tasks.is_empty() {
            self.always(gate);
        }
        for &task in &wait.tasks {
            match self.facts.task(task) {
                Some(task) => self.or(gate, task_gate(task)),
                None => self.always(gate),
            }
        }
    }

    /// A runtime waits for all of them.
    fn add_shutdown(&mut self, gate: Gate, wait: &Wait) {
        self.gates.set(gate, 0);
        for &task in &wait.tasks {
            if let Some(task) = self.facts.task(task) {
                self.gates.require(gate, task_gate(task));
            }
        }
    }

    fn add_resource(&mut self, gate: Gate, index: usize, resource: usize) {
        let facts = self.facts;
        let (wait, it) = (&facts.snapshot.waits[index], &facts.snapshot.resources[resource]);
        if it.is_closed {
            self.always(gate);
            return;
        }
        match (it.kind, wait.mode) {
            (_, WaitMode::Closed) => {
                let receivers = self.receivers(resource);
                self.or(gate, receivers);
            }
            // Without room, whoever sends meets who receives.
            (ResourceKind::Mpsc | ResourceKind::Mpmc, WaitMode::Send) if it.capacity == Some(0) => {
                let receivers = self.receivers(resource);
                self.or(gate, receivers);
            }
            (ResourceKind::Mutex | ResourceKind::RwLock | ResourceKind::Semaphore, _)
            | (ResourceKind::Mpsc | ResourceKind::Mpmc, WaitMode::Send) => {
                self.add_lock(gate, index, resource);
            }
            (ResourceKind::Pipe, WaitMode::Send) => {
                let receivers = self.receivers(resource);
                self.or(gate, receivers);
                if it.free > 0 {
                    self.always(gate);
                }
            }
            (
                ResourceKind::Mpsc
                | ResourceKind::Mpmc
                | ResourceKind::Oneshot
                | ResourceKind::Broadcast
                | ResourceKind::Watch
                | ResourceKind::Pipe,
                WaitMode::Receive,
            ) => self.add_receive(gate, resource, it),
            (ResourceKind::Watch, _) => {
                let all = self.all_units(resource);
                self.or(gate, all);
            }
            (kind, _) if is_told(kind) => {
                let anybody = self.anybody(resource);
                self.or(gate, anybody);
            }
            (ResourceKind::OnceCell | ResourceKind::Custom, _) => {
                let holders = self.holders(resource);
                self.or(gate, holders);
            }
            _ => self.always(gate),
        }
    }

    fn add_lock(&mut self, gate: Gate, index: usize, resource: usize) {
        let facts = self.facts;
        let (wait, it) = (&facts.snapshot.waits[index], &facts.snapshot.resources[resource]);
        let mut gate = gate;
        if is_short(it, wait) {
            // Permits can be added by anybody: whoever asks for more than there ever were is stuck as far as is known.
            if it.forgotten == 0 && self.is_exact() {
                self.always(gate);
                return;
            }
            // Those that were forgotten come back only if somebody adds some who has the semaphore.
            if self.is_exact() {
                let closers = self.everybody();
                self.gates.wire_aside(closers, gate);
            } else {
                let anybody = self.anybody(resource);
                self.or(gate, anybody);
            }
            let holders = self.add(Node::Units(resource), 0);
            self.or(gate, holders);
            gate = holders;
        } else if let Some(closers) = self.closers_of(resource) {
            // That is a way out, and not what is waited for.
            let holders = self.add(Node::Units(resource), 0);
            self.gates.wire_aside(closers, gate);
            self.or(gate, holders);
            gate = holders;
        } else {
            self.gates.set(gate, 0);
        }
        let mut enough = None;
        if it.is_fair {
            let (side, before) = (side(wait.mode), facts.ahead[index]);
            let is_alone = wait.mode == WaitMode::Write || is_short(it, wait);
            let beside = if is_alone { None } else { self.beside(resource, side, before, units(wait)) };
            if let Some([passed, of_the_rest]) = beside {
                self.gates.require(gate, passed);
                enough = Some(of_the_rest);
            } else if let Some(ahead) = self.ahead(resource, side, before) {
                self.gates.require(gate, ahead);
            }
        } else if wait.mode == WaitMode::Read {
            // Where locks are not fair either, the first who wants to write keeps those out who come to read.
            if let Some(writer) = self.writer_before(index, resource) {
                self.gates.require(gate, self.leaves(writer));
            }
        } else if wait.thread_id.is_none() {
            let told = self.told(resource);
            self.gates.require(gate, told);
        }
        if is_queue(it.kind) && it.filled == 0 && self.is_exact() {
            // Nobody has to take anything out, but whoever receives may also go, and then nobody has to wait.
            let (either, receivers) = (self.add(Node::Units(resource), 1), self.receivers(resource));
            let units = enough.unwrap_or_else(|| self.units(resource, units(wait)));
            self.or(either, units);
            self.or(either, receivers);
            self.gates.require(gate, either);
        } else if wait.mode == WaitMode::Write {
            let all = self.all_units(resource);
            self.gates.require(gate, all);
        } else if enough.is_some() || wait.mode != WaitMode::Read || !self.is_open_to_readers(resource) {
            let units = enough.unwrap_or_else(|| self.units(resource, units(wait)));
            self.gates.require(gate, units);
        }
    }

    /// Who can close it, so that nobody has to wait there any more, whatever the queue: of tokio's semaphore, who has it; of a
    /// channel, who receives. Those of other libraries have no such call, and permits are added by who has added some.
    fn closers_of(&mut self, resource: usize) -> Option<Gate> {
        let it = &self.facts.snapshot.resources[resource];
        match it.kind {
            ResourceKind::Semaphore if self.is_exact() => Some(self.everybody()),
            kind if is_queue(kind) && self.is_exact() => Some(self.receivers(resource)),
            _ => None,
        }
    }

    /// The first that wants to write and stands before that one.
    fn writer_before(&mut self, index: usize, resource: usize) -> Option<usize> {
        let facts = self.facts;
        let line = facts.lines.get(resource)?.first()?;
        let first = *self.shared.first_writer[resource].get_or_insert_with(|| {
            let is_writer = |wait: usize| facts.snapshot.waits[wait].mode == WaitMode::Write;
            line.iter().inspect(|_| step()).position(|&wait| is_writer(wait)).unwrap_or(line.len())
        });
        line.get(first).copied().filter(|_| first < facts.ahead[index])
    }

    /// Whether no reader waits for those who hold the lock: they are readers too.
    fn is_open_to_readers(&mut self, resource: usize) -> bool {
        let it = &self.facts.snapshot.resources[resource];
        *self.shared.is_open_to_readers[resource].get_or_insert_with(|| {
            let holders =
                it.holdings.iter().inspect(|_| step()).filter(|holding| holding.role == Role::Holds);
            let (mut has_any, mut are_readers) = (false, true);
            for holder in holders {
                (has_any, are_readers) = (true, are_readers && holder.units <= 1);
            }
            it.free > 0 || (has_any && are_readers)
        })
    }

    fn add_receive(&mut self, gate: Gate, resource: usize, it: &Resource) {
        // Every place is promised to one who sends, or taken by one who has reserved it.
        let is_full_of_promises =
            is_queue(it.kind) && it.capacity.is_some_and(|places| places > 0) && it.free == 0;
        if it.filled > 0 && it.kind != ResourceKind::Broadcast {
            // There is something, and if one was told of it who does not come, it stays there.
            let told = self.told(resource);
            self.or(gate, told);
        } else if is_full_of_promises {
            let (units, closing) = (self.units(resource, 1), self.closing(resource));
            self.or(gate, units);
            self.or(gate, closing);
        } else {
            let senders = self.senders(resource);
            self.or(gate, senders);
        }
    }

    /// Wires the gate of a holding.
    pub(crate) fn add_holding(&mut self, gate: Gate, resource: usize, number: usize) {
        let facts = self.facts;
        let holding = &facts.snapshot.resources[resource].holdings[number];
        let is_trusted = match holding.attribution {
            Attribution::Exact => !self.is_gone(holding) || !self.is_exact(),
            Attribution::Unmoved => true,
            Attribution::Likely => !self.is_exact(),
            Attribution::Unknown => holding.is_movable && !self.is_exact(),
        };
        if !is_trusted || (holding.task.is_none() && holding.thread_id.is_none()) {
            self.always(gate);
            return;
        }
        let others = match holding.attribution {
            Attribution::Unknown => Some(self.family(holding.task)),
            _ if holding.is_movable => self.others(holding.task),
            _ => None,
        };
        if let Some(others) = others {
            // They may have it, but that is not where it was seen.
            self.gates.wire_aside(others, gate);
        }
        // What a future that is set aside has is with that future.
        let owner = holding.task.and_then(|task| facts.task(task)).filter(|_| facts.is_set_aside(holding));
        if let Some(arm) = owner.and_then(|task| self.arm(task, holding.span)) {
            self.or(gate, arm);
            return;
        }
        for task in holding.task.iter().chain(&holding.candidates).filter_map(|&task| facts.task(task)) {
            self.or(gate, task_gate(task));
        }
        if let (None, Some(thread)) = (holding.task, holding.thread_id) {
            let thread = self.thread_of(thread);
            self.or(gate, thread);
        }
        if let Some(inside) = holding.in_channel.and_then(|id| facts.resource(id)) {
            let receivers = self.receivers(inside);
            self.or(gate, receivers);
        }
    }

    /// Whether the task that has it is done.
    fn is_gone(&self, holding: &Holding) -> bool {
        holding.task.is_some_and(|task| self.facts.task(task).is_none())
    }
}

/// Whether whoever waits there waits to be told, or for others to come.
pub(crate) fn is_told(kind: ResourceKind) -> bool {
    matches!(
        kind,
        ResourceKind::Barrier | ResourceKind::Notify | ResourceKind::Condvar | ResourceKind::Cancellation
    )
}

/// Whether messages lie in it until somebody takes them.
pub(crate) fn is_queue(kind: ResourceKind) -> bool {
    matches!(kind, ResourceKind::Mpsc | ResourceKind::Mpmc)
}

/// Whether a semaphore has lost permits, or never had as many as the wait asks for.
pub(crate) fn is_short(it: &Resource, wait: &Wait) -> bool {
    let is_too_much = it.capacity.is_some_and(|all| units(wait) > all);
    it.kind == ResourceKind::Semaphore && (it.forgotten > 0 || is_too_much)
}

/// Whether nobody can wake it any more.
pub(crate) fn is_lost(wait: &Wait) -> bool {
    let is_future = wait.thread_id.is_none() && wait.mode != WaitMode::Timer;
    is_future && wait.wakers == 0 && wait.woken_ns.is_none() && !wait.is_granted
}
