//! Which of several reasons best explains why a node is stuck.
//!
//! The choice does not change which nodes are stuck, since all listed dependencies of a stuck node
//! are stuck too. It decides which dependency the sentence of a verdict follows:
//!
//! | node | the first that applies |
//! |---|---|
//! | a task with several waits | a wait that it polls itself, before a wait that a combinator polls; a wait for a lock, capacity or a task, before a wait for a message |
//! | a wait | the holder of the units that it asks for, if these are not free, before the waits ahead |
//! | a guard or a channel end | the unread message that contains it; the task that a spawn moved it into; the task that last used it; the task that created it |
//!
//! A task that waits for a message is unlikely to own the sender, and one that waits for a lock is
//! unlikely to have its guard.

use super::components::StuckGraph;
use crate::analysis::hangs::facts::{Facts, asks_for_signal};
use crate::analysis::hangs::system::{Node, NodeId, System, task_node};
use crate::model::{Holding, ResourceKind, Role, RunState, Wait, WaitMode};
use crate::sort::sort_by_key;

/// Lower is more plausible.
type Rank = u8;

/// Maximum number of pairs of a holding and a possible owner that are ranked. With more pairs, all
/// of them rank equally.
const MAX_PAIRS: usize = 16_384;

/// The most plausible of a node's stuck dependencies.
pub(crate) fn best_reasons(system: &System<'_>, stuck: &StuckGraph, node: NodeId) -> Vec<NodeId> {
    let dependencies = stuck.fixed_point.dependencies.of(node);
    let kind = system.node(node);
    let pairs = match kind {
        Node::Holding(resource, _) => {
            system.facts.snapshot.resources[resource].holdings.len().saturating_mul(dependencies.len())
        }
        _ => 0,
    };
    if dependencies.len() <= 1 || pairs > MAX_PAIRS {
        return dependencies.to_vec();
    }
    let owners = match kind {
        Node::Holding(resource, number) => Some(Owners::new(system, stuck, resource, number)),
        _ => None,
    };
    let rank = |dependency: NodeId| match (kind, &owners, system.node(dependency)) {
        (_, Some(owners), Node::Task(task)) => owners.rank(task),
        (Node::Woken(_), _, Node::Wait(wait)) => rank_of_wait(system.facts, wait),
        (Node::EnoughUnits(_), _, Node::EnoughUnits(_)) => Rank::from(lacks_units(system, stuck, dependency)),
        // Reading a watch channel does not remove its value.
        (Node::Holding(..), _, Node::AnyReceiver(channel)) => {
            Rank::from(system.facts.snapshot.resources[channel].kind == ResourceKind::Watch)
        }
        (_, _, Node::QueueAhead(_) | Node::AllSendersGone(_) | Node::AnyLaterTask(_))
        | (Node::EnoughUnits(_), _, Node::AnyReceiver(_)) => 1,
        _ => 0,
    };
    let ranks: Vec<Rank> = dependencies.iter().map(|&dependency| rank(dependency)).collect();
    let Some(best) = ranks.iter().min() else { return Vec::new() };
    dependencies
        .iter()
        .zip(&ranks)
        .filter(|(_, rank)| *rank == best)
        .map(|(&dependency, _)| dependency)
        .collect()
}

/// Returns whether there are too few free units for a wait and for the waits ahead that may keep
/// their units. If enough units are free, the waits ahead explain the node, and the holders of
/// other units do not.
fn lacks_units(system: &System<'_>, stuck: &StuckGraph, units: NodeId) -> bool {
    stuck
        .fixed_point
        .dependencies
        .of(units)
        .iter()
        .any(|&node| matches!(system.node(node), Node::EnoughUnits(_) | Node::FreeUnits(_)))
}

fn rank_of_wait(facts: &Facts<'_>, index: usize) -> Rank {
    let wait = &facts.snapshot.waits[index];
    2 * Rank::from(wait.is_indirect || wait.is_set_aside) + Rank::from(asks_for_signal(wait))
}

/// The possible owners of a holding: the task that used it last, and the tasks spawned since then.
struct Owners<'a> {
    facts: &'a Facts<'a>,
    resource: usize,
    number: usize,
    /// Whether any task spawned since the last use does not wait for this resource. Only for guards
    /// and permits.
    has_other_than_waiters: bool,
    likely: Option<usize>,
}

impl<'a> Owners<'a> {
    fn new(system: &System<'a>, stuck: &StuckGraph, resource: usize, number: usize) -> Self {
        let facts = system.facts;
        let mut owners = Self { facts, resource, number, has_other_than_waiters: false, likely: None };
        let holding = owners.holding();
        owners.has_other_than_waiters =
            holding.role == Role::Holds && owners.candidates().any(|task| !owners.waits_here(task));
        owners.likely = owners.likely(system, stuck);
        owners
    }

    fn holding(&self) -> &'a Holding {
        &self.facts.snapshot.resources[self.resource].holdings[self.number]
    }

    /// The indices of the live tasks that were spawned since the last use.
    fn candidates(&self) -> impl Iterator<Item = usize> + 'a {
        let facts = self.facts;
        self.holding().candidates.iter().filter_map(|&task| facts.task(task))
    }

    /// The waits of a task. For a running task, these include the waits that block its thread, and
    /// the waits of a task in a nested `block_on`.
    fn waits(&self, task: usize) -> impl Iterator<Item = &'a Wait> + 'a {
        let facts = self.facts;
        let it = &facts.snapshot.tasks[task];
        let thread = it.thread_id.filter(|_| it.state == RunState::Running);
        let blocking = thread.and_then(|thread| facts.blocking_waits.get(&thread)).into_iter().flatten();
        let nested = thread.and_then(|thread| facts.local_tasks.get(&thread)).into_iter().flatten();
        let of_nested =
            nested.filter(move |&&other| other != task).flat_map(|&other| &facts.waits_of_task[other]);
        let own = facts.waits_of_task[task].iter();
        own.chain(of_nested).chain(blocking).map(|&wait| &facts.snapshot.waits[wait])
    }

    /// Ranks a possible owner. An unread message that contains the holding has rank 0, before all
    /// tasks.
    fn rank(&self, task: usize) -> Rank {
        let holding = self.holding();
        if holding.in_channel.is_some() {
            return 4;
        }
        let is_last = Some(self.facts.snapshot.tasks[task].id) == holding.task;
        match () {
            () if self.is_unlikely(task) => 3,
            () if self.likely == Some(task) => 0,
            () if self.likely.is_some() => 1,
            () if is_last => 2,
            () => 1,
        }
    }

    /// The most likely owner: the task that a spawn moved the holding into, or the task that last
    /// used it. `None` if the holding was never used, and several tasks may have been spawned with
    /// it.
    fn likely(&self, system: &System<'_>, stuck: &StuckGraph) -> Option<usize> {
        let (facts, holding) = (self.facts, self.holding());
        let holdings = &facts.snapshot.resources[self.resource].holdings;
        let last = holding.task.and_then(|task| facts.task(task));
        let was_used = holding.uses > 0 && holding.role != Role::Holds;
        let is_borrowed = holding.role == Role::Holds && !holding.is_movable;
        if is_borrowed || holding.candidates.is_empty() {
            return last;
        }
        if was_used {
            // The last user had the holding when it spawned the task that it now awaits.
            let is_awaited = |&task: &usize| last.is_some_and(|last| self.joins(last, task));
            return self.candidates().find(|task| is_awaited(task) && !self.has_other_end(*task)).or(last);
        }
        // A task that lacks only a thread is a better explanation than a task that waits.
        let is_of_threads = |node: &NodeId| {
            matches!(system.node(*node), Node::FreeWorker(_) | Node::FreePoolThread(_) | Node::Thread(_))
        };
        let is_ready = |task: &usize| {
            let lacks = stuck.fixed_point.dependencies.of(task_node(*task));
            !lacks.is_empty() && lacks.iter().all(is_of_threads)
        };
        if let Some(task) = self.candidates().find(|task| is_ready(task) && !self.is_unlikely(*task)) {
            return Some(task);
        }
        // Each spawned task takes the youngest of the holdings created for it.
        let is_alike = |other: &Holding| {
            other.role == holding.role && other.task == holding.task && other.uses == holding.uses
        };
        let mut free: Vec<usize> = (0..holdings.len()).filter(|&other| is_alike(&holdings[other])).collect();
        sort_by_key(&mut free, |&other| holdings[other].since_ns);
        for task in self.candidates() {
            let it = &facts.snapshot.tasks[task];
            let has_its_own =
                holdings.iter().any(|other| other.role == holding.role && other.task == Some(it.id));
            let is_its_child = it.spawned_by == holding.task;
            if has_its_own || !is_its_child || self.is_unlikely(task) {
                continue;
            }
            let Some(position) = free.iter().position(|&other| holdings[other].since_ns >= it.age_ns) else {
                continue;
            };
            if free.remove(position) == self.number {
                return Some(task);
            }
        }
        // Every spawned task has taken another holding, so the last user still has this one.
        last.filter(|&last| free.contains(&self.number) && !self.has_other_end(last))
    }

    /// Returns whether the task is an unlikely owner: it has the other end of the channel, or waits
    /// for the resource of this holding. The wait counts in two cases. First, a task that does not
    /// wait for the resource may have been spawned since. Second, the task that acquired the
    /// holding most likely still has it if it waits for more units, or for a task that waits for
    /// units.
    fn is_unlikely(&self, task: usize) -> bool {
        let holding = self.holding();
        if holding.role != Role::Holds {
            return self.has_other_end(task);
        }
        let id = self.facts.snapshot.tasks[task].id;
        let last = || holding.task.and_then(|last| self.facts.task(last));
        holding.task != Some(id)
            && self.waits_here(task)
            && (self.has_other_than_waiters
                || last().is_some_and(|last| self.waits_here(last) || self.joins_waiter(last)))
    }

    fn waits_here(&self, task: usize) -> bool {
        self.waits(task).any(|wait| self.facts.resource_of(wait) == Some(self.resource))
    }

    /// Returns whether the task awaits the end of exactly this other task.
    fn joins(&self, task: usize, other: usize) -> bool {
        let id = self.facts.snapshot.tasks[other].id;
        self.waits(task).any(|wait| wait.mode == WaitMode::Join && wait.tasks == [id])
    }

    /// Returns whether the task awaits the end of one other task, and that task waits for the
    /// resource of this holding.
    fn joins_waiter(&self, task: usize) -> bool {
        self.waits(task).any(|wait| {
            let joined = if wait.mode == WaitMode::Join { wait.tasks.as_slice() } else { &[] };
            matches!(joined, [id] if self.facts.task(*id).is_some_and(|joined| self.waits_here(joined)))
        })
    }

    /// Returns whether the task has the other end of the channel.
    fn has_other_end(&self, task: usize) -> bool {
        let (other, mode) = match self.holding().role {
            Role::Sends => (Role::Receives, WaitMode::Receive),
            Role::Receives => (Role::Sends, WaitMode::Send),
            _ => return false,
        };
        let id = self.facts.snapshot.tasks[task].id;
        let has = |holding: &Holding| holding.role == other && holding.uses > 0 && holding.task == Some(id);
        let is_here = |wait: &Wait| self.facts.resource_of(wait) == Some(self.resource);
        self.waits(task).any(|wait| is_here(wait) && wait.mode == mode)
            || self.facts.snapshot.resources[self.resource].holdings.iter().any(has)
    }
}
