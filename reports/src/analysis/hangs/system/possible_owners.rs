//! Nodes for tasks and threads that may use or hold a resource without a record.

use super::build::{System, task_node};
use super::graph::NodeId;
use super::node::Node;
use crate::model::Role;

impl System<'_> {
    /// The node for "any task or thread that could notify the waits, or arrive, continues". These
    /// are the users and the creator of the resource, and all tasks younger than the resource. An
    /// older task is recorded when it gets the resource.
    pub(crate) fn any_notifier(&mut self, resource: usize) -> NodeId {
        if let Some(&node) = self.shared.notifiers.get(&resource) {
            return node;
        }
        let node = self.add_node(Node::AnyNotifier(resource), 1);
        self.shared.notifiers.insert(resource, node);
        if self.is_exact_only() || self.facts.snapshot.foreign_threads > 0 {
            self.set_can_progress(node);
        }
        if let Some(others) = self.other_owners() {
            self.graph.add_hidden_edge(others, node);
        }
        self.add_possible_users(node, resource);
        node
    }

    /// The node for "another possible owner of a movable holding continues", besides the task that
    /// had the holding last. `None` if attributions are trusted.
    pub(crate) fn other_owners(&mut self) -> Option<NodeId> {
        self.rejects_suspect().then(|| self.any_task())
    }

    /// The node for "any task, or any unrecorded code, continues". Such code may have any movable
    /// holding, close a resource or add units.
    pub(crate) fn any_task(&mut self) -> NodeId {
        if let Some(node) = self.shared.any_task {
            return node;
        }
        let node = self.add_node(Node::AnyTask, 1);
        self.shared.any_task = Some(node);
        let snapshot = self.facts.snapshot;
        let is_all_known =
            if self.is_exact_only() { snapshot.is_all_recorded } else { self.are_all_listed() };
        if !is_all_known {
            self.set_can_progress(node);
        }
        if let Some(all) = self.any_later_task(0) {
            self.add_alternative(node, all);
        }
        node
    }

    /// Returns whether all threads and tasks are on record.
    pub(crate) fn are_all_listed(&self) -> bool {
        let snapshot = self.facts.snapshot;
        snapshot.foreign_threads == 0 && snapshot.unrecorded_tasks == 0
    }

    fn add_possible_users(&mut self, node: NodeId, resource: usize) {
        let facts = self.facts;
        let it = &facts.snapshot.resources[resource];
        let users = || it.holdings.iter().filter(|holding| holding.role == Role::Uses);
        let tasks = users().filter_map(|holding| holding.task).chain(it.created_by);
        for task in tasks.filter_map(|task| facts.task(task)) {
            self.add_alternative(node, task_node(task));
        }
        let outside = users().filter(|holding| holding.task.is_none());
        for thread in outside.clone().filter_map(|holding| holding.thread_id).chain(it.created_on) {
            let thread = self.outside_thread_node(thread);
            self.add_alternative(node, thread);
        }
        // The wrapped original was used directly, or there were more users than are tracked. So any
        // task may be a user.
        if outside.into_iter().any(|holding| holding.thread_id.is_none()) {
            self.set_can_progress(node);
        }
        // A resource in a static is reachable from anywhere, even from a thread without a
        // `block_on`.
        let is_anywhere = it.created_by.is_none() && it.created_on.is_none() && it.first_task.is_none();
        if is_anywhere && facts.local_tasks.is_empty() {
            self.set_can_progress(node);
        }
        let tasks = &facts.snapshot.tasks;
        let later = |first| {
            let index = facts.task(first);
            index.unwrap_or_else(|| tasks.partition_point(|task| task.id < first))
        };
        let first = it.first_task.map_or(0, later);
        if let Some(later) = self.any_later_task(first) {
            self.add_alternative(node, later);
        }
    }

    /// The node for "the task with this index, or any later one, continues".
    fn any_later_task(&mut self, first: usize) -> Option<NodeId> {
        if self.shared.later_tasks.is_empty() {
            let mut last = None;
            for task in (0..self.facts.snapshot.tasks.len()).rev() {
                let node = self.add_node(Node::AnyLaterTask(task), 1);
                self.add_alternative(node, task_node(task));
                if let Some(last) = last {
                    self.add_alternative(node, last);
                }
                self.shared.later_tasks.push(node);
                last = Some(node);
            }
            self.shared.later_tasks.reverse();
        }
        self.shared.later_tasks.get(first).copied()
    }
}
