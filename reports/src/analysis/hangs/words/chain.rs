//! Turns a path through the graph into links, and into an equivalent sentence.
//!
//! ```text
//! nodes   Task 2  Woken  Wait ────────────────── EnoughUnits  FreeUnits  Holding ──────── Task 3  …
//! links                  task 2 waits, resource                          task 3 holds
//! words                  task 2 `a` is waiting for `Mutex#1` at …        ; task 3 `b` has held it for …
//! ```
//! `endings` adds the consequence of a chain.

use std::fmt::Write as _;

use super::callers::{NamedCallers, callers_of_holding};
use super::holdings::{HoldingPlace, candidates_words, holding_words, is_exact};
use super::names::{at, link, place, resource_words};
use crate::analysis::hangs::facts::{Facts, is_active, step};
use crate::analysis::hangs::system::Node;
use crate::analysis::hangs::verdict::{Link, LinkNode, LinkRole};
use crate::model::{Holding, ResourceKind, Role, RunState, TaskId};
use crate::units::time;

/// Maximum number of links that the sentence describes.
const MAX_LINKS: usize = 64;
/// The initial capacity of a sentence, in bytes. The sentence of a cycle of two tasks fits.
const USUAL_BYTES: usize = 512;

/// A chain and its sentence.
#[derive(Debug)]
pub(crate) struct Chain<'a> {
    facts: &'a Facts<'a>,
    pub(crate) links: Vec<Link>,
    pub(crate) words: String,
    /// The callers that the sentence mentioned last.
    callers: NamedCallers,
    /// The task that the sentence mentioned last.
    about: Option<TaskId>,
    /// The wait that the sentence mentioned last.
    wait: Option<usize>,
    resource: Option<usize>,
    /// The task that the last clause ends with, and the words that join the next clause about it.
    joint: Option<(TaskId, &'static str)>,
    /// Whether the last clause ended with the channel of an unread message.
    is_after_message: bool,
}

impl<'a> Chain<'a> {
    /// Builds the chain of a path, from the first node on.
    pub(crate) fn new(facts: &'a Facts<'a>, path: &[Node]) -> Self {
        let mut chain = Self {
            facts,
            links: Vec::new(),
            words: String::with_capacity(USUAL_BYTES),
            callers: NamedCallers::default(),
            about: None,
            wait: None,
            resource: None,
            joint: None,
            is_after_message: false,
        };
        let mut length = 0;
        for (number, &node) in path.iter().enumerate() {
            let next = path.get(number + 1).copied();
            match node {
                Node::Wait(wait) => chain.push_wait(wait),
                Node::WaitEnd(wait) => chain.push_queued(wait),
                Node::Holding(resource, number) => chain.push_holding(resource, number, next),
                Node::AnyReceiver(resource) | Node::AnySender(resource)
                    if chain.resource != Some(resource) =>
                {
                    chain.push_message(resource);
                }
                Node::AnyNotifier(resource) => chain.push_notifier(resource, &path[number..]),
                Node::Task(task) => chain.push_task(task, next),
                Node::Woken(task) if next.is_none() => chain.push_unwakeable(task),
                _ => {}
            }
            step();
            // A longer sentence would be unreadable. The list of links stays complete.
            if chain.links.len() <= MAX_LINKS {
                length = chain.words.len();
            } else {
                chain.words.truncate(length);
            }
        }
        if chain.links.len() > MAX_LINKS {
            let _ = write!(chain.words, " … ({} links in total)", chain.links.len());
        }
        chain
    }

    fn push_wait(&mut self, index: usize) {
        if self.wait == Some(index) {
            return;
        }
        let wait = &self.facts.snapshot.waits[index];
        let task = self.facts.task_of(wait);
        let role = if self.facts.is_blocking(wait) { LinkRole::Blocked } else { LinkRole::Waits };
        let place = self.facts.place_of(wait);
        let link = match task {
            Some(task) => self.facts.task_link(task, place.as_ref(), role, wait.since_ns),
            None => {
                let id = wait.thread_id.unwrap_or(wait.id.get());
                link(LinkNode::Thread, id, String::new(), place.as_ref(), role, wait.since_ns)
            }
        };
        self.links.push(Link { callers: self.facts.callers_of(wait), ..link });
        self.push_subject(wait.task, &self.facts.waiter_words(wait));
        self.words.push_str(&self.facts.waits_words(wait, &mut self.callers));
        (self.about, self.wait) = (wait.task, Some(index));
        self.push_resource(self.facts.resource_of(wait));
    }

    fn push_resource(&mut self, resource: Option<usize>) {
        let Some(index) = resource.filter(|_| self.resource != resource) else {
            self.resource = resource;
            return;
        };
        self.resource = resource;
        self.links.extend(self.facts.resource_link(index));
    }

    /// Adds a wait that was granted its units, or that is in the queue.
    fn push_queued(&mut self, index: usize) {
        let facts = self.facts;
        let wait = &facts.snapshot.waits[index];
        let (is_own, place) = (self.about.is_some() && wait.task == self.about, facts.place_of(wait));
        let has_it = wait.is_granted || wait.woken_ns.is_some();
        let (role, since_ns) = match wait.woken_ns {
            Some(woken_ns) => (LinkRole::Granted, woken_ns),
            None if wait.is_granted => (LinkRole::Granted, wait.since_ns),
            None => (LinkRole::Queued, wait.since_ns),
        };
        let is_left = facts.task_of(wait).is_none() && wait.thread_id.is_none();
        let is_future = !is_active(wait) || is_own || is_left;
        let name = facts.span_name(wait.span).unwrap_or_default();
        let link = match facts.task_of(wait).filter(|_| !is_future) {
            Some(task) => facts.task_link(task, place.as_ref(), role, since_ns),
            None => link(LinkNode::Future, wait.id, name, place.as_ref(), role, since_ns),
        };
        self.links.push(Link { callers: facts.callers_of(wait), ..link });
        self.joint = None;
        let who = match (is_future, is_own) {
            (true, true) => format!("{} of the same task", facts.future_words(wait)),
            (true, false) => format!("{} of {}", facts.future_words(wait), facts.waiter_words(wait)),
            (false, _) => facts.waiter_words(wait),
        };
        let (at, since) = (facts.at_words(wait, &mut self.callers), time(since_ns));
        let _ = if has_it && self.words.is_empty() {
            write!(self.words, "{who}{at} was woken {since} ago")
        } else if has_it {
            write!(self.words, "; it was granted to {who}{at} ({since} ago)")
        } else {
            write!(self.words, ", queued behind {who}, which {}", facts.waits_words(wait, &mut self.callers))
        };
        if !is_active(wait) {
            self.words.push_str(", but its task stopped polling it");
        }
        (self.about, self.wait) = (wait.task, Some(index));
    }

    fn push_holding(&mut self, resource: usize, number: usize, next: Option<Node>) {
        let facts = self.facts;
        let holding = &facts.snapshot.resources[resource].holdings[number];
        let owner = match next {
            Some(Node::Task(task)) => Some(task),
            _ => holding.task.and_then(|task| facts.task(task)),
        };
        let owner_id = owner.map(|task| facts.snapshot.tasks[task].id).or(holding.task);
        let is_own = owner_id.is_some() && owner_id == self.about;
        let aside = facts.is_set_aside(holding).then(|| facts.span_name(holding.span)).flatten();
        // The span of a holding belongs to the task that acquired the holding.
        let is_acquirer = is_own && owner_id == holding.task;
        let beside = self.other_future(holding).filter(|_| is_acquirer && aside.is_none());
        let role = if holding.role == Role::Holds { LinkRole::Holds } else { LinkRole::Owns };
        let (place, since_ns) = (holding.place.as_ref(), holding.since_ns);
        let link = match (owner, &aside) {
            (_, Some(name)) => {
                let id = holding.span.unwrap_or_default();
                link(LinkNode::Future, id, name.clone(), place, role, since_ns)
            }
            (Some(task), None) => facts.task_link(task, place, role, since_ns),
            (None, None) => {
                let node = if holding.task.is_some() { LinkNode::Task } else { LinkNode::Thread };
                let id = holding.task.map(TaskId::get).or(holding.thread_id).unwrap_or(0);
                link(node, id, String::new(), place, role, since_ns)
            }
        };
        self.links.push(Link { callers: callers_of_holding(holding), ..link });
        let is_moved = owner_id.is_some() && holding.task.is_some() && owner_id != holding.task;
        let last = match (is_own && !is_moved, holding.task.or(owner_id), holding.thread_id) {
            (true, ..) => "the same task".to_owned(),
            (false, Some(task), _) => facts.task_words(task),
            (false, None, Some(thread)) => format!("thread {thread}"),
            (false, None, None) => "an unknown owner".to_owned(),
        };
        let who = match aside.as_ref().or(beside.as_ref()) {
            Some(name) => format!("future `{name}` of {last}"),
            None => last,
        };
        let is_unread = matches!(
            next,
            Some(Node::AnyReceiver(channel) | Node::AnySender(channel)) if self.resource != Some(channel)
        );
        let place = match owner_id {
            _ if is_unread => HoldingPlace::Unread,
            Some(owner) if is_moved && holding.candidates.contains(&owner) => {
                HoldingPlace::Moved(facts.task_words(owner))
            }
            Some(owner) if is_moved => HoldingPlace::Maybe(facts.task_words(owner)),
            _ if is_exact(holding) => HoldingPlace::Exact,
            _ => HoldingPlace::LastSeen(candidates_words(facts, holding)),
        };
        let words = holding_words(facts, resource, holding, &who, &place, &mut self.callers);
        // If the sentence ends with the channel of the message, a relative clause continues it.
        match words.strip_prefix("; its ").filter(|_| self.is_after_message) {
            Some(end) => {
                let _ = write!(self.words, ", whose {end}");
            }
            None => self.words.push_str(&words),
        }
        self.is_after_message = false;
        if aside.is_some() {
            self.words.push_str(", but its task stopped polling it");
        }
        let is_future = aside.is_some() || beside.is_some();
        let is_last_noun = !matches!(place, HoldingPlace::Unread | HoldingPlace::LastSeen(Some(_)));
        self.joint = owner_id.filter(|_| !is_future && is_last_noun).map(|owner| match holding.role {
            Role::Sends | Role::Receives => (owner, ", which "),
            _ if is_moved => (owner, ", which "),
            _ => (owner, " and "),
        });
        self.about = owner_id;
    }

    /// The name of the future with the holding, unless that future is the waiting one or encloses
    /// it.
    fn other_future(&self, holding: &Holding) -> Option<String> {
        let facts = self.facts;
        let holder = facts.span(holding.span).filter(|_| holding.role == Role::Holds)?;
        let wait = &facts.snapshot.waits[self.wait?];
        let is_around = crate::analysis::hangs::stuck::is_within_span(facts, wait.span, holder);
        if is_around { None } else { facts.span_name(holding.span) }
    }

    /// Adds the task that could notify the waits for the resource, if the path contains one.
    fn push_notifier(&mut self, resource: usize, path: &[Node]) {
        let Some(task) = path.iter().find_map(Node::task) else { return };
        let it = &self.facts.snapshot.tasks[task];
        let holdings = self.facts.snapshot.resources[resource].holdings.iter();
        let mut uses = holdings.filter(|holding| holding.role == Role::Uses && holding.task == Some(it.id));
        let used = uses.find_map(|holding| holding.place.as_ref());
        let ability = match self.facts.snapshot.resources[resource].kind {
            ResourceKind::Barrier => "could arrive at it",
            ResourceKind::Semaphore => "could add permits to it or close it",
            ResourceKind::Cancellation => "could cancel it",
            ResourceKind::TaskTracker => "could close it",
            _ => "could notify it",
        };
        let used = place(used).map(|used| format!(" (last use at {used})")).unwrap_or_default();
        let _ = write!(self.words, "; {} {ability}{used}", self.facts.task_words(it.id));
        self.joint = Some((it.id, " but "));
    }

    /// Adds the channel whose unread message contains the last holding.
    fn push_message(&mut self, index: usize) {
        let channel = &self.facts.snapshot.resources[index];
        let message = match channel.kind {
            ResourceKind::Watch => "the value of",
            _ => "an unread message in",
        };
        let _ = write!(self.words, " is in {message} {}", resource_words(channel));
        self.is_after_message = true;
        self.push_resource(Some(index));
    }

    /// Adds a task that could be polled but has no thread.
    fn push_task(&mut self, index: usize, next: Option<Node>) {
        let task = &self.facts.snapshot.tasks[index];
        match next {
            Some(Node::FreeWorker(_) | Node::FreePoolThread(_)) => {}
            Some(Node::Thread(_)) if task.state != RunState::Running => {}
            _ => return,
        }
        self.links.push(self.facts.task_link(index, None, LinkRole::Queued, task.since_ns));
        self.push_subject(Some(task.id), &self.facts.task_words(task.id));
        let _ = write!(self.words, "has been queued for a thread for {}", time(task.since_ns));
        (self.about, self.wait) = (Some(task.id), None);
    }

    /// Adds a task that nothing will wake.
    fn push_unwakeable(&mut self, index: usize) {
        let task = &self.facts.snapshot.tasks[index];
        if self.about == Some(task.id) {
            return;
        }
        let place = self.facts.place_of_task(task);
        self.links.push(self.facts.task_link(index, place.as_ref(), LinkRole::Waits, task.since_ns));
        self.push_subject(Some(task.id), &self.facts.task_words(task.id));
        let _ = write!(self.words, "is waiting{} ({})", at(place.as_ref()), time(task.since_ns));
        (self.about, self.wait) = (Some(task.id), None);
    }

    /// Begins a clause about a task or thread. The clause starts with the name, unless the last
    /// clause ended with the same task.
    fn push_subject(&mut self, task: Option<TaskId>, name: &str) {
        self.is_after_message = false;
        match self.joint.take() {
            Some((last, joint)) if Some(last) == task => self.words.push_str(joint),
            _ => {
                if !self.words.is_empty() {
                    self.words.push_str("; ");
                }
                self.words.push_str(name);
                self.words.push(' ');
            }
        }
    }
}
