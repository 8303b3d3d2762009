//! The rules by which each kind of wait completes.
//!
//! | waits for | completes if |
//! |---|---|
//! | units of a fair lock | all waits ahead complete or leave, and enough units are free, or held by tasks that can progress, for this wait and for the waits ahead that may keep their units |
//! | permits of a semaphore, capacity of a channel | as units of a fair lock, or any code that may close it can progress; a receiver returns the capacity of buffered messages |
//! | units of an unfair lock | as units of a fair lock without the queue, but waits that were woken have to leave first, unless other code may wake more waits |
//! | all units, the tasks of a tracker | all holders can progress |
//! | a lock that a reader upgrades | in addition, the task of the upgrade can progress |
//! | capacity of a channel of another library than tokio | as units of a lock; a send ahead that is not polled keeps no capacity |
//! | a message | any sender can progress; if no capacity is free, any holder of capacity can progress; or all senders are dropped |
//! | an upgradable read | any holder of the lock or any waiting writer can progress, since one of these blocks the read |
//! | the initialization of a cell | the initializing call can progress, or the call whose turn it is after a failure; if there is neither, as a notification |
//! | a resource that the program defines itself | if all units are held, any holder can progress; never proven |
//! | a notification, the arrival of others, the closing of an empty tracker | any task or thread that has used the resource, or any younger task, can progress |
//! | the end of tasks | any of these tasks can progress, or is done |
//!
//! Two rules come before all others: a woken wait completes, and a wait without a waker never does.
//! A thread that blocks with a time limit gives up.

use super::build::{System, task_node};
use super::graph::NodeId;
use super::node::Node;
use crate::analysis::hangs::facts::{
    buffers_messages, closing_ends, completes_by_itself, exceeds_permits, forwards_unpolled, has_no_waker,
    queue_side, units_asked, waits_for_event,
};
use crate::model::{Attribution, Holding, Resource, ResourceKind, Role, Wait, WaitMode};

impl System<'_> {
    /// Adds the dependencies of a wait.
    pub(crate) fn add_wait(&mut self, index: usize) {
        let facts = self.facts;
        let (node, wait) = (self.wait_node(index), &facts.snapshot.waits[index]);
        if completes_by_itself(wait) {
            self.set_can_progress(node);
        } else if has_no_waker(wait) {
            // The node gets no dependency, because nothing can wake the wait.
        } else {
            match wait.mode {
                WaitMode::Join => self.add_join(node, wait),
                WaitMode::Shutdown => self.add_shutdown(node, wait),
                _ => match facts.resource_of(wait) {
                    Some(resource) => self.add_resource(node, index, resource),
                    None => self.set_can_progress(node),
                },
            }
        }
    }

    fn add_join(&mut self, node: NodeId, wait: &Wait) {
        if wait.tasks.is_empty() {
            self.set_can_progress(node);
        }
        for &task in &wait.tasks {
            match self.facts.task(task) {
                Some(task) => self.add_alternative(node, task_node(task)),
                None => self.set_can_progress(node),
            }
        }
    }

    /// Makes a wait for the shutdown of a runtime depend on all of its blocking tasks.
    fn add_shutdown(&mut self, node: NodeId, wait: &Wait) {
        self.graph.set_needed(node, 0);
        for &task in &wait.tasks {
            if let Some(task) = self.facts.task(task) {
                self.graph.require(node, task_node(task));
            }
        }
    }

    fn add_resource(&mut self, node: NodeId, index: usize, resource: usize) {
        let facts = self.facts;
        let (wait, it) = (&facts.snapshot.waits[index], &facts.snapshot.resources[resource]);
        if it.is_closed && closing_ends(it, wait) {
            if facts.awaits_reserved_slots(resource, wait) {
                let holders = self.any_holder(resource);
                self.add_alternative(node, holders);
            } else {
                self.set_can_progress(node);
            }
            return;
        }
        match (it.kind, wait.mode) {
            (kind, WaitMode::Closed) if kind != ResourceKind::TaskTracker => {
                let receivers = self.any_receiver(resource);
                self.add_alternative(node, receivers);
            }
            // A channel without capacity hands each message over directly.
            (ResourceKind::Mpsc | ResourceKind::Mpmc, WaitMode::Send) if it.capacity == Some(0) => {
                let receivers = self.any_receiver(resource);
                self.add_alternative(node, receivers);
            }
            (ResourceKind::Mutex | ResourceKind::RwLock | ResourceKind::Semaphore, _)
            | (ResourceKind::Mpsc | ResourceKind::Mpmc, WaitMode::Send) => {
                self.add_lock(node, index, resource);
            }
            (ResourceKind::Pipe, WaitMode::Send) => {
                let receivers = self.any_receiver(resource);
                self.add_alternative(node, receivers);
                if it.free > 0 {
                    self.set_can_progress(node);
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
            ) => self.add_receive(node, resource, it),
            (ResourceKind::OnceCell, _) => {
                let turn_ends = self.turn_ends(resource);
                self.add_alternative(node, turn_ends);
            }
            _ if waits_for_event(it) => {
                let notifiers = self.any_notifier(resource);
                self.add_alternative(node, notifiers);
            }
            // Closing a tracker ends no wait while a task or a token is left.
            (ResourceKind::Watch | ResourceKind::TaskTracker, _) => {
                let all = self.all_units_back(resource);
                self.add_alternative(node, all);
            }
            (ResourceKind::Custom, _) if self.may_end_otherwise(wait, it) => self.set_can_progress(node),
            (ResourceKind::Custom, _) => {
                let holders = self.any_holder(resource);
                self.add_alternative(node, holders);
            }
            _ => self.set_can_progress(node),
        }
    }

    /// Returns whether a wait for a resource of the program's own may end although no holder
    /// releases a unit. Its future may open a new connection, or give up. The wait most likely
    /// depends on a holder if all units are held and only one clone of its waker is kept.
    fn may_end_otherwise(&mut self, wait: &Wait, it: &Resource) -> bool {
        it.free > 0 || self.rejects_suspect() && (self.is_exact_only() || wait.wakers > 1)
    }

    fn add_lock(&mut self, node: NodeId, index: usize, resource: usize) {
        let facts = self.facts;
        let (wait, it) = (&facts.snapshot.waits[index], &facts.snapshot.resources[resource]);
        let mut node = node;
        if exceeds_permits(it, wait) {
            // Any task can add permits, so a wait for more permits than ever existed is never
            // proven stuck.
            if it.forgotten == 0 && self.is_exact_only() {
                self.set_can_progress(node);
                return;
            }
            // Forgotten permits come back only if a task that can reach the semaphore adds permits.
            if self.is_exact_only() {
                let closer = self.any_task();
                self.graph.add_hidden_edge(closer, node);
            } else {
                self.has_exceptions = true;
                let notifiers = self.any_notifier(resource);
                self.add_alternative(node, notifiers);
                if it.forgotten == 0 && !it.is_refilled {
                    // All holders together do not have enough permits.
                    return;
                }
            }
            let units_back = self.add_node(Node::EnoughUnits(resource), 0);
            self.add_alternative(node, units_back);
            node = units_back;
        } else if let Some(closer) = self.any_closer(resource) {
            // Closing the resource ends the wait, but the wait does not ask for it.
            let units_back = self.add_node(Node::EnoughUnits(resource), 0);
            self.graph.add_hidden_edge(closer, node);
            self.add_alternative(node, units_back);
            node = units_back;
        } else {
            self.graph.set_needed(node, 0);
        }
        let mut enough = None;
        if it.is_fair && !forwards_unpolled(it) {
            let (side, before) = (queue_side(wait.mode), facts.waits_ahead[index]);
            let is_alone = wait.mode == WaitMode::Write || exceeds_permits(it, wait);
            let room =
                if is_alone { None } else { self.room_beside(resource, side, before, units_asked(wait)) };
            if let Some([others_end, units]) = room {
                self.graph.require(node, others_end);
                enough = Some(units);
            } else if let Some(ahead) = self.queue_ahead(resource, side, before) {
                self.graph.require(node, ahead);
            }
        } else if wait.mode == WaitMode::Read {
            if self.is_kept_out_by_writer(index, resource) {
                let ends = self.any_writer_ends(resource);
                self.graph.require(node, ends);
            }
            if wait.thread_id.is_none() {
                // A reader that was woken wakes the next one when it is polled.
                let woken_end = self.woken_readers_end(resource);
                self.graph.require(node, woken_end);
            }
        } else if wait.thread_id.is_none() && !self.is_read(resource) {
            let woken_end = self.woken_waits_end(resource, wait.mode);
            let either = match self.further_wakes(resource) {
                Some(wakes) => {
                    let either = self.add_node(Node::WokenWaitsEnd(resource), 1);
                    self.add_alternative(either, woken_end);
                    self.graph.add_hidden_edge(wakes, either);
                    either
                }
                None => woken_end,
            };
            self.graph.require(node, either);
        }
        if let Some(ends) = self.upgrade_ends(index, resource) {
            self.graph.require(node, ends);
        }
        if it.kind == ResourceKind::RwLock && wait.mode == WaitMode::Lock {
            let ends = self.exclusive_access_ends(resource);
            self.graph.require(node, ends);
        } else if buffers_messages(it.kind) && it.filled == 0 && self.is_exact_only() {
            // A receiver may take a message. If the receiver is dropped, no sender waits any more.
            let (either, receivers) =
                (self.add_node(Node::EnoughUnits(resource), 1), self.any_receiver(resource));
            let units = enough.unwrap_or_else(|| self.enough_units(resource, units_asked(wait)));
            self.add_alternative(either, units);
            self.add_alternative(either, receivers);
            self.graph.require(node, either);
        } else if wait.mode == WaitMode::Write {
            let all = self.all_units_back(resource);
            self.graph.require(node, all);
        } else if enough.is_some() || wait.mode != WaitMode::Read || !self.admits_readers(resource) {
            let units = enough.unwrap_or_else(|| self.enough_units(resource, units_asked(wait)));
            self.graph.require(node, units);
        }
    }

    /// The node whose progress may wake another wait for an unfair resource, although a wait that
    /// was woken earlier is still in the queue. It is a further way to progress, not what the wait
    /// asks for.
    fn further_wakes(&mut self, resource: usize) -> Option<NodeId> {
        let it = &self.facts.snapshot.resources[resource];
        let is_held = || it.holdings.iter().any(|holding| holding.role == Role::Holds);
        match it.kind {
            // The next receive wakes the next sender, or takes that sender's message, too.
            kind if buffers_messages(kind) => Some(self.any_receiver(resource)),
            // A task that adds several permits at once wakes several waits. Most tasks add one
            // permit.
            _ if it.is_refilled => self.rejects_suspect().then(|| self.any_refill(resource)),
            // A release wakes the wait with the lowest number. Numbers of finished waits are
            // reused, so a wait that began while the lock was held may have a lower number than the
            // woken wait.
            _ if it.library == *"futures" && is_held() => {
                self.rejects_suspect().then(|| self.any_holder(resource))
            }
            _ => None,
        }
    }

    /// The node for the tasks that may close the resource, which ends all waits in its queue. Any
    /// task with a handle to a tokio semaphore can close the semaphore, and any receiver can close
    /// its channel. Semaphores of other libraries cannot be closed, and adding permits is recorded.
    fn any_closer(&mut self, resource: usize) -> Option<NodeId> {
        let it = &self.facts.snapshot.resources[resource];
        match it.kind {
            ResourceKind::Semaphore if self.is_exact_only() => Some(self.any_task()),
            kind if buffers_messages(kind) && self.is_exact_only() => Some(self.any_receiver(resource)),
            _ => None,
        }
    }

    fn add_receive(&mut self, node: NodeId, resource: usize, it: &Resource) {
        // Whether all capacity is promised to waiting senders, or reserved. Some channels never
        // promise capacity.
        let is_all_promised = buffers_messages(it.kind)
            && it.capacity.is_some_and(|capacity| capacity > 0)
            && it.free == 0
            && !forwards_unpolled(it);
        if it.filled > 0 && it.kind != ResourceKind::Broadcast {
            // A message is buffered. A receiver that was woken but is never polled leaves the
            // message there.
            let woken_end = self.woken_waits_end(resource, WaitMode::Receive);
            self.add_alternative(node, woken_end);
            if it.kind == ResourceKind::Mpmc {
                // The next message wakes the next receiver.
                let senders = self.any_sender(resource);
                self.add_alternative(node, senders);
            }
        } else if is_all_promised {
            let (units, senders_gone) = (self.enough_units(resource, 1), self.all_senders_gone(resource));
            self.add_alternative(node, units);
            self.add_alternative(node, senders_gone);
        } else {
            let senders = self.any_sender(resource);
            self.add_alternative(node, senders);
        }
    }

    /// Adds the dependencies of a holding.
    pub(crate) fn add_holding(&mut self, node: NodeId, resource: usize, number: usize) {
        let facts = self.facts;
        let holding = &facts.snapshot.resources[resource].holdings[number];
        let is_trusted = match holding.attribution {
            Attribution::Exact => !self.is_owner_done(holding) || !self.is_exact_only(),
            Attribution::Unmoved => true,
            Attribution::Likely => !self.is_exact_only(),
            Attribution::Unknown => {
                (holding.is_movable || facts.is_of_blocked_thread(holding)) && !self.is_exact_only()
            }
        };
        if !is_trusted || (holding.task.is_none() && holding.thread_id.is_none()) {
            self.set_can_progress(node);
            return;
        }
        // The holdings of a future move with it.
        let is_in_movable = holding.may_have_moved && holding.thread_id.is_none();
        let is_known = holding.attribution != Attribution::Unknown;
        let can_move = holding.is_movable || is_in_movable || !is_known;
        if let Some(others) = can_move.then(|| self.other_owners()).flatten() {
            // Any of these owners may have the holding instead, but no record shows it.
            self.graph.add_hidden_edge(others, node);
        }
        let may_be_handed_on = holding.role == Role::Holds
            && !holding.is_movable
            && holding.thread_id.is_none()
            && holding.attribution == Attribution::Likely;
        if may_be_handed_on && self.rejects_suspect() && !self.are_all_listed() {
            // The code that has the guard may have put it where other tasks can reach it.
            self.set_can_progress(node);
            return;
        }
        let is_permit = facts.snapshot.resources[resource].kind == ResourceKind::Semaphore;
        if is_permit && self.is_owner_done(holding) && self.rejects_suspect() {
            // The permit will never be returned, but any task that can reach the semaphore may add
            // another.
            let notifiers = self.any_notifier(resource);
            self.graph.add_hidden_edge(notifiers, node);
        }
        // Library code that polls the guard's future may share that future.
        let is_lent = !holding.is_movable && holding.attribution == Attribution::Unmoved;
        if holding.may_have_moved || is_lent {
            match holding.thread_id {
                Some(thread) => self.add_thread_of_guard(node, thread),
                None => self.add_new_owners(node),
            }
        }
        // The holdings of a future that was set aside stay with that future.
        let owner = holding.task.and_then(|task| facts.task(task)).filter(|_| facts.is_set_aside(holding));
        if let Some(arm) = owner.and_then(|task| self.join_arm_node(task, holding.span)) {
            self.add_alternative(node, arm);
            return;
        }
        // A borrowed guard can leave its task only if its lock outlives that task.
        let is_borrowed =
            holding.role == Role::Holds && !holding.is_movable && holding.attribution <= Attribution::Unmoved;
        for task in holding.task.iter().chain(&holding.candidates).filter_map(|&task| facts.task(task)) {
            let it = &facts.snapshot.tasks[task];
            let is_of_owner = holding.task == Some(it.id) || holding.task == it.spawned_by;
            // A borrowed guard rarely moves to a task that its owner did not spawn.
            if is_of_owner || !is_borrowed || self.rejects_suspect() {
                self.add_alternative(node, task_node(task));
            }
        }
        if let (None, Some(thread)) = (holding.task, holding.thread_id) {
            let thread = self.outside_thread_node(thread);
            self.add_alternative(node, thread);
        }
        if let Some(channel) = holding.in_channel.and_then(|id| facts.resource(id)) {
            let receivers = self.any_receiver(channel);
            self.add_alternative(node, receivers);
            // A new value of a watch channel replaces the last one, and a new broadcast message
            // replaces the oldest.
            if matches!(facts.snapshot.resources[channel].kind, ResourceKind::Watch | ResourceKind::Broadcast)
            {
                let senders = self.any_sender(channel);
                self.add_alternative(node, senders);
            }
        }
    }

    /// Returns whether the task that last had the holding is done.
    fn is_owner_done(&self, holding: &Holding) -> bool {
        holding.task.is_some_and(|task| self.facts.task(task).is_none())
    }
}
