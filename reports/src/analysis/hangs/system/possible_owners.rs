//! Nodes of the tasks and threads that may have or use a resource without being on record for it.

use super::build::{System, task_node};
use super::graph::NodeId;
use super::node::{Evidence, Node};
use crate::model::Role;

impl System<'_> {
    /// Who could tell those that wait there, or come too: whoever has used it, whoever made it, task or thread, and all tasks
    /// that are younger than it is; an older one would have been handed it.
    pub(crate) fn any_notifier(&mut self, resource: usize) -> NodeId {
        if let Some(&node) = self.shared.notifiers.get(&resource) {
            return node;
        }
        let node = self.add_node(Node::AnyNotifier(resource), 1);
        self.shared.notifiers.insert(resource, node);
        if self.is_exact_only() || self.facts.snapshot.foreign_threads > 0 {
            self.set_can_progress(node);
        }
        let made_by = self.facts.snapshot.resources[resource].created_by;
        if let Some(others) = self.other_owners(made_by) {
            self.graph.add_hidden_edge(others, node);
        }
        self.add_possible_users(node, resource);
        node
    }

    /// Who could have what can move, beside whom it was seen with last. `None` if that is nobody.
    pub(crate) fn other_owners(&mut self, task: Option<u64>) -> Option<NodeId> {
        if !self.rejects_suspect() {
            return None;
        }
        Some(if self.evidence == Evidence::Exact { self.any_task() } else { self.any_relative(task) })
    }

    /// Some task goes on, or something that is not on record: it may have anything that can move, or close it, or add to it.
    pub(crate) fn any_task(&mut self) -> NodeId {
        if let Some(node) = self.shared.any_task {
            return node;
        }
        let node = self.add_node(Node::AnyTask, 1);
        self.shared.any_task = Some(node);
        if !self.facts.snapshot.is_all_recorded {
            self.set_can_progress(node);
        }
        if let Some(all) = self.any_later_task(0) {
            self.add_alternative(node, all);
        }
        node
    }

    /// Some task goes on that shares an ancestor with that one, or something that is not on record: it may have been handed
    /// the same from there, such as a table in which others put what they have.
    pub(crate) fn any_relative(&mut self, task: Option<u64>) -> NodeId {
        let facts = self.facts;
        let families = facts.families();
        let family = task.and_then(|task| facts.task(task)).map_or(0, |task| families.of[task]);
        if let Some(&node) = self.shared.families.get(&family) {
            return node;
        }
        let node = self.add_node(Node::AnyRelative(family), 1);
        self.shared.families.insert(family, node);
        if facts.snapshot.foreign_threads > 0 || facts.snapshot.unrecorded_tasks > 0 {
            self.set_can_progress(node);
        }
        for &task in &families.members[family] {
            self.add_alternative(node, task_node(task));
        }
        node
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
        for thread in outside.filter_map(|holding| holding.thread_id).chain(it.created_on) {
            let thread = self.outside_thread_node(thread);
            self.add_alternative(node, thread);
        }
        // What is in a static, anybody has: a thread too that is in no `block_on`.
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

    /// The task of that index or a later one goes on.
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
