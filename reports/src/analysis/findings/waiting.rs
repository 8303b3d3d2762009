//! The waits of a group of tasks, as far as they tell whether the tasks will end.

use std::cell::RefCell;

use super::facts::Facts;
use super::held::is_acquisition;
use super::stops::Stops;
use crate::lists::Lists;
use crate::model::{
    Place, Resource, ResourceKind, Role, RunState, Site, SiteIndex, SiteKind, Task, TaskId, Wait, WaitMode,
};
use crate::ordered::OrderedMap;

/// A timer that is due later than this, in ns, ends no task soon.
pub(super) const FAR_NS: i64 = 600_000_000_000;
/// A timer that is due in more than a year stands for "never". In ns.
const NEVER_NS: i64 = 365 * 86_400 * 1_000_000_000;
/// How long after its own start a task spawns those that belong to it, such as a connection's
/// reader, in ns; for an old task, a tenth of its age.
const START_NS: u64 = 100_000_000;
/// How many tasks are followed from one that waits to one that it waits for.
const MAX_STEPS: usize = 4;
/// How many times each call reaches a timer that ends it.
const MAX_SLEEPS: u64 = 2;
/// How many times as long as the longest ended call of a task's function a wait may be that the
/// task ends.
const MAX_CALLS: u64 = 10;
/// How many times as long as the longest ended hold of a lock or permit one may be that ends soon.
const MAX_HOLDS: u64 = 10;

/// How a group of tasks waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waiting {
    /// A timer ends them, or they run.
    Ends,
    /// They have waited for most of their life, without a poll.
    Dormant,
    /// They have waited for most of their life for the next message of a channel that has had some,
    /// as actors do.
    Served,
    /// They are polled now and then.
    Active,
}

/// The waits of each task.
#[derive(Debug)]
pub(super) struct WaitingTasks<'f, 'a> {
    facts: &'f Facts<'a>,
    /// By position of the task.
    waits: Lists,
    /// The answers of [`Self::will_end`] and [`Self::is_recorded`] so far.
    ending: Answers,
    recorded: Answers,
    /// The answers of [`Self::is_repeated`], by the place of the wait.
    repeated: RefCell<OrderedMap<Place, bool>>,
}

/// Answers to a question about a task and what it waits for within a number of steps. Each is found
/// once: of tasks that may all wait for each other, the number of paths grows with a power of the
/// number of tasks.
#[derive(Debug, Default)]
struct Answers(RefCell<OrderedMap<(TaskId, usize), bool>>);

impl Answers {
    fn get_or_find(&self, task: &Task, steps: usize, find: impl FnOnce() -> bool) -> bool {
        let key = (task.id, steps);
        if let Some(&known) = self.0.borrow().get(&key) {
            return known;
        }
        let answer = find();
        self.0.borrow_mut().insert(key, answer);
        answer
    }
}

impl<'f, 'a> WaitingTasks<'f, 'a> {
    pub(super) fn new(facts: &'f Facts<'a>) -> Self {
        let waits = facts.snapshot.waits.iter().enumerate();
        let waits = waits.filter_map(|(index, wait)| Some((facts.task_position(wait.task?)?, index)));
        let waits = Lists::new(facts.snapshot.tasks.len(), waits);
        let (ending, recorded, repeated) = Default::default();
        Self { facts, waits, ending, recorded, repeated }
    }

    fn waits(&self, task: &Task) -> impl Iterator<Item = &'a Wait> + '_ {
        let waits = self.facts.task_position(task.id).map_or(&[][..], |task| self.waits.of(task));
        waits.iter().map(|&wait| &self.facts.snapshot.waits[wait])
    }

    /// How most of these tasks wait.
    pub(super) fn of(&self, tasks: &[&Task]) -> Waiting {
        let most =
            |is: &dyn Fn(&Task) -> bool| tasks.iter().filter(|task| is(task)).count() * 2 > tasks.len();
        if most(&|task| self.will_end(task, MAX_STEPS)) {
            Waiting::Ends
        } else if !most(&|task| task.since_ns >= task.age_ns / 2) {
            Waiting::Active
        } else if most(&|task| self.is_served(task)) {
            Waiting::Served
        } else {
            Waiting::Dormant
        }
    }

    /// Returns whether it runs, sleeps for the first time and not for ever, or waits for a task
    /// that does, or for permits that others give back.
    fn will_end(&self, task: &Task, steps: usize) -> bool {
        self.ending.get_or_find(task, steps, || {
            task.state != RunState::Waiting
                || self.waits(task).any(|wait| {
                    let is_due = self.due_ns(wait).is_some_and(|due_ns| due_ns < FAR_NS);
                    let others = || self.awaited(task, wait).into_iter().filter_map(|id| self.facts.task(id));
                    let is_released =
                        || self.acquired(wait).is_some_and(|it| self.is_released(it, steps - 1));
                    is_due
                        || steps > 0
                            && (others().any(|other| self.will_end(other, steps - 1)) || is_released())
                })
        })
    }

    /// The lock, or the pool of permits, that a wait acquires.
    fn acquired(&self, wait: &Wait) -> Option<&'a Resource> {
        wait.resource.filter(|_| is_acquisition(wait)).and_then(|id| self.facts.snapshot.resource(id))
    }

    /// Returns whether a holder of the lock goes on, as far as it is known, and no hold is far
    /// longer than those before.
    fn is_released(&self, lock: &Resource, steps: usize) -> bool {
        let held = || lock.holdings.iter().filter(|holding| holding.role == Role::Holds);
        let most_ns = longest_hold_ns(lock).saturating_mul(MAX_HOLDS);
        let mut holders = held().filter_map(|holding| self.facts.task(holding.task?));
        held().all(|holding| holding.since_ns <= most_ns)
            && holders.any(|task| {
                let is_stuck = self.facts.stuck_tasks.contains(&task.id);
                !is_stuck && (task.opaque_wakers != Some(0) || self.will_end(task, steps))
            })
    }

    /// Returns whether most of them wait for a lock or permits of which no hold has ended: each may
    /// be the first of slow jobs.
    pub(super) fn are_behind_first_holds(&self, tasks: &[&Task]) -> bool {
        let is_behind = |task: &&&Task| {
            let mut locks = self.waits(task).filter_map(|wait| self.acquired(wait));
            locks.any(|lock| longest_hold_ns(lock) == 0)
        };
        tasks.iter().filter(is_behind).count() * 2 > tasks.len()
    }

    /// When a timer ends the task that waits, in ns; `None` if it is not a timer, or is one in a
    /// loop.
    fn due_ns(&self, wait: &Wait) -> Option<i64> {
        wait.due_ns.filter(|_| wait.mode == WaitMode::Timer && !self.is_repeated(wait))
    }

    /// When the first timer is due, in ns, if timers end most of these tasks at some time.
    pub(super) fn timer_due_ns(&self, tasks: &[&Task]) -> Option<u64> {
        let due_ns = |task: &&Task| self.waits(task).filter_map(|wait| self.due_ns(wait)).min();
        let mut all_ns: Vec<i64> = tasks.iter().filter_map(due_ns).collect();
        all_ns.retain(|&due_ns| due_ns < NEVER_NS);
        let is_most = all_ns.len() * 2 > tasks.len();
        all_ns.into_iter().min().filter(|_| is_most).map(|ns| u64::try_from(ns).unwrap_or(0))
    }

    /// Returns whether its await is in a loop: it is reached more often than the function around it
    /// is called.
    fn is_repeated(&self, wait: &Wait) -> bool {
        let Some(place) = &wait.place else { return false };
        if let Some(&known) = self.repeated.borrow().get(place) {
            return known;
        }
        let at = (place.line, place.column);
        let is_around = |site: &Site| {
            site.kind == SiteKind::Await
                && site.place.file == place.file
                && (site.place.line, site.place.column) <= at
                && at <= (site.end_line, site.end_column)
        };
        let (mut reached, mut calls) = (0_u64, 0_u64);
        let sites = self.facts.snapshot.sites.iter().enumerate();
        for (index, _) in sites.filter(|(_, site)| is_around(site)) {
            for &node in self.facts.nodes_of_site(SiteIndex::new(index)) {
                let around = self.facts.tree.ancestors(node).next();
                reached = reached.saturating_add(self.facts.node(node).calls);
                calls = calls.saturating_add(around.map_or(0, |around| self.facts.node(around).calls));
            }
        }
        let is_repeated = reached > calls.saturating_mul(MAX_SLEEPS);
        self.repeated.borrow_mut().insert(place.clone(), is_repeated);
        is_repeated
    }

    /// Returns whether a task may be the one that answers: calls of its function last as long as
    /// the wait.
    fn may_answer(&self, wait: &Wait, id: TaskId) -> bool {
        let Some(task) = self.facts.task(id) else { return false };
        let longest_ns = self.facts.totals(self.facts.root_site(task)).longest_ns;
        // Without an ended call, it is unknown how long they last.
        longest_ns == 0 || wait.since_ns <= longest_ns.saturating_mul(MAX_CALLS)
    }

    /// The tasks that the wait of this task is for: those it joins, and those that were given the
    /// sender of a reply. The task that spawned it may have put the sender anywhere.
    fn awaited(&self, task: &Task, wait: &Wait) -> Vec<TaskId> {
        let mut awaited = wait.tasks.clone();
        let resource = wait.resource.and_then(|resource| self.facts.snapshot.resource(resource));
        let reply = resource.filter(|it| it.kind == ResourceKind::Oneshot);
        for sender in reply.iter().flat_map(|it| &it.holdings).filter(|it| it.role == Role::Sends) {
            let candidates = sender.candidates.iter().copied().filter(|&id| self.may_answer(wait, id));
            awaited.extend(sender.task.into_iter().chain(candidates));
        }
        awaited.retain(|&id| id != task.id && Some(id) != task.spawned_by);
        awaited
    }

    /// Returns whether it waits for a message, and had one before or has a sender that was used.
    fn is_served(&self, task: &Task) -> bool {
        self.waits(task).filter(|wait| wait.mode == WaitMode::Receive).any(|wait| {
            let resource = wait.resource.and_then(|resource| self.facts.snapshot.resource(resource));
            let is_channel = |kind| matches!(kind, ResourceKind::Mpsc | ResourceKind::Mpmc);
            resource
                .filter(|it| is_channel(it.kind))
                .is_some_and(|it| it.holdings.iter().any(|end| end.role == Role::Sends && end.uses > 0))
        })
    }

    /// Returns whether some of them wait for the next message of a broadcast or watch channel.
    pub(super) fn are_subscribed(&self, tasks: &[&Task]) -> bool {
        let mut waits = tasks.iter().flat_map(|task| self.waits(task));
        waits.any(|wait| {
            let resource = wait.resource.and_then(|resource| self.facts.snapshot.resource(resource));
            // A channel that nothing was sent to is a signal, not a topic.
            resource.is_some_and(|it| {
                matches!(it.kind, ResourceKind::Broadcast | ResourceKind::Watch) && it.usage.acquisitions > 0
            })
        })
    }

    /// Returns whether the spawners of most of them have not ended.
    pub(super) fn have_live_spawners(&self, tasks: &[&Task]) -> bool {
        let is_live = |task: &&&Task| task.spawned_by.is_some_and(|id| self.facts.task(id).is_some());
        tasks.iter().filter(is_live).count() * 2 >= tasks.len()
    }

    /// Returns whether most of them were spawned at the start of a task that has not ended.
    pub(super) fn are_of_live_tasks(&self, tasks: &[&Task]) -> bool {
        let is_of_live_task = |task: &&&Task| {
            let spawner = task.spawned_by.and_then(|spawner| self.facts.task(spawner));
            spawner.is_some_and(|it| it.age_ns.saturating_sub(task.age_ns) <= START_NS.max(it.age_ns / 10))
        };
        tasks.iter().filter(is_of_live_task).count() * 2 >= tasks.len()
    }

    /// Returns whether most of them wait for nothing but a recorded resource, or for nothing at
    /// all: not for a client.
    pub(super) fn are_recorded(&self, tasks: &[&Task]) -> bool {
        let recorded = tasks.iter().filter(|task| self.is_recorded(task, MAX_STEPS)).count();
        recorded * 10 >= tasks.len() * 9
    }

    /// Nor does a task that it joins wait for a client.
    fn is_recorded(&self, task: &Task, steps: usize) -> bool {
        self.recorded.get_or_find(task, steps, || {
            let is_join = |wait: &&Wait| wait.mode == WaitMode::Join;
            let joined = self.waits(task).filter(is_join).flat_map(|wait| self.awaited(task, wait));
            task.opaque_wakers == Some(0)
                && joined
                    .filter_map(|id| self.facts.task(id))
                    .all(|it| steps == 0 || self.is_recorded(it, steps - 1))
        })
    }

    /// The line at which most of them wait.
    pub(super) fn place(&self, tasks: &[&Task]) -> Option<Place> {
        let mut places: OrderedMap<Place, usize> = OrderedMap::new();
        for task in tasks {
            let own = self.waits(task).find_map(|wait| wait.place.clone());
            if let Some(place) = own.or_else(|| self.place_of_span(task)) {
                *places.entry(place).or_default() += 1;
            }
        }
        let (place, count) = places.into_iter().max_by_key(|(_, count)| *count)?;
        (count * 2 > tasks.len()).then_some(place)
    }

    /// The innermost await of a task, if it waits at only one.
    fn place_of_span(&self, task: &Task) -> Option<Place> {
        let site = Stops::of(self.facts.snapshot, task).only()?;
        self.facts.place(site)
    }
}

fn longest_hold_ns(lock: &Resource) -> u64 {
    lock.usage.holders.iter().map(|row| row.longest_ns).max().unwrap_or(0)
}
