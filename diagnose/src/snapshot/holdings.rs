//! Locates each holding: with its last user, a task spawned since, in a message, or unknown.
//!
//! A moved guard or channel end cannot be followed. But all recorded ways out of a task are
//! counted: its spawns, and its sends that could carry a guard. An unknown thread that began later
//! may have anything that existed before.

mod follow;

use std::cell::LazyCell;
use std::iter::Peekable;
use std::sync::atomic::Ordering::Relaxed;

use diagnose_reports::model::{Attribution, Holding, HoldingClass, SpanId, TaskId};
use diagnose_reports::sort::sort_by_key;

use super::callers::callers;
use super::candidates::Candidates;
use super::capture_context::CaptureContext;
use super::draining::Draining;
use super::guard_use;
use super::numbers::Table;
use super::statics::Statics;
use super::task_copy::{TaskCopy, some};
use crate::live::{self, Memory, TransferCounts};
use crate::site::GuardUse;
use crate::switch;
use crate::waits::{self, Creator, HoldingCopy, ResourceKind, ResourceType};

/// All holdings, by resource.
#[derive(Debug)]
pub(super) struct Holdings<'a> {
    /// Sorted by resource, then oldest first. Each is freed once its resource has been taken.
    rest: Peekable<Draining<HoldingCopy>>,
    candidates: Candidates,
    /// All records by number, including the channels that tasks last sent to.
    records: Table<u64, &'static waits::Record>,
    /// Spawn and send counts of finished tasks, as far as they are kept.
    done: Table<u64, TransferCounts>,
    /// Per task, the creation tick and resource number of its youngest unused holding. The number
    /// breaks ties: holdings made in one poll may share a tick.
    youngest: Table<u64, (u64, u64)>,
    /// The ages of unknown threads, in ns.
    foreign: &'a [u64],
    /// Whether there are several tasks of a `block_on`.
    has_block_ons: bool,
    /// By resource: the task of its oldest receiving end, and the task's counts at the last use of
    /// that end.
    receivers: Table<u64, (u64, TransferCounts)>,
    statics: LazyCell<Statics>,
}

/// Maximum number of candidates in all. Past that, a holding's place is unknown.
const MAX_CANDIDATES: usize = 1 << 20;

/// Maximum number of tasks that a guard is followed through, from output to output.
const MAX_JOINERS: usize = 8;

/// The kernel reports a thread's start in hundredths of a second.
const MARGIN_NS: u64 = 30_000_000;

impl<'a> Holdings<'a> {
    pub(super) fn new(
        mut holdings: Vec<HoldingCopy>,
        foreign: &'a [u64],
        capture: &CaptureContext<'_>,
    ) -> Self {
        sort_by_key(&mut holdings, |holding| (holding.resource, holding.since, holding.span, holding.units));
        for holding in &mut holdings {
            follow_output(holding, capture);
        }
        let mut youngest: Table<u64, (u64, u64)> = Table::default();
        for holding in holdings.iter().filter(|holding| holding.uses == 0 && holding.is_movable) {
            let made = youngest.entry(holding.task).or_default();
            *made = (holding.since, holding.resource).max(*made);
        }
        let spawner = |known: &TaskCopy| some(known.spawned_by).filter(|_| !known.is_spawner_unknown());
        let tasks = capture.tasks.all.iter().map(|known| (known.id, spawner(known), known.made));
        let candidates = Candidates::new(tasks, MAX_CANDIDATES);
        let all = waits::all_records();
        let mut records = Table::default();
        records.reserve(all.len());
        records.extend(all.into_iter().map(|record| (record.id(), record)).filter(|(id, _)| *id != 0));
        let done = live::all_tasks().filter_map(live::Task::transfers_of_earlier).collect();
        let statics = LazyCell::new(Statics::read as fn() -> Statics);
        let has_block_ons = capture.tasks.all.iter().filter(|task| task.is_block_on()).nth(1).is_some();
        // In reverse, because the last entry of each resource stays.
        let receivers = holdings.iter().rev().filter(|holding| holding.role == waits::Role::Receives);
        let receivers = receivers.map(|it| (it.resource, (it.task, it.transfers))).collect();
        Self {
            rest: Draining::new(holdings).peekable(),
            candidates,
            records,
            done,
            youngest,
            foreign,
            has_block_ons,
            receivers,
            statics,
        }
    }

    /// Takes the copies of a resource's holdings, oldest first. Resources come in order.
    pub(super) fn take(&mut self, resource: u64) -> Vec<HoldingCopy> {
        while self.rest.next_if(|holding| holding.resource < resource).is_some() {}
        std::iter::from_fn(|| self.rest.next_if(|holding| holding.resource == resource)).collect()
    }

    /// Returns the holdings of a resource from their copies. `first_wait` is the tick of the first
    /// wait in its queue; `None` if the queue is empty.
    pub(super) fn of(
        &self,
        copies: &[HoldingCopy],
        first_wait: Option<u64>,
        capture: &CaptureContext<'_>,
    ) -> Vec<Holding> {
        let build = |copy: &HoldingCopy| {
            let mut holding = self.build(copy, first_wait, capture);
            if first_wait.is_some() {
                holding.callers = callers(copy, capture);
            }
            holding
        };
        copies.iter().map(build).collect()
    }

    fn build(&self, copy: &HoldingCopy, first_wait: Option<u64>, capture: &CaptureContext<'_>) -> Holding {
        let mut holding = Holding::default();
        // Borrowed once, because each mutable borrow checks that the class is not shared.
        let class: &mut HoldingClass = &mut holding;
        class.role = copy.role;
        class.units = copy.units;
        let is_bound = copy.task == 0 || self.is_of_a_thread(copy);
        class.thread_id = if is_bound { capture.thread_id(copy.thread) } else { None };
        class.place = copy.at.and_then(|at| capture.texts.place_outside_std(at));
        holding.task = some(copy.task).map(TaskId::new);
        holding.span = some(copy.span).map(SpanId::new);
        holding.since_ns =
            capture.ago(if copy.since == 0 { first_wait.unwrap_or(capture.now) } else { copy.since });
        holding.uses = copy.uses;
        let is_owner_listed = capture.tasks.get(copy.task).is_some();
        if copy.is_in_root {
            // If its task is not listed, the holding is about to end, too.
            holding.attribution = if is_owner_listed { Attribution::Exact } else { Attribution::Unknown };
            return holding;
        }
        // It never leaves its thread, and ends there. A guard that an ended thread has leaked would
        // be attributed to the thread that has the tree now.
        if copy.task == 0 && self.is_of_a_thread(copy) && capture.is_first_of(copy.thread) {
            holding.attribution = Attribution::Exact;
            return holding;
        }
        let guard = guard_use::of_holding(copy, capture);
        holding.is_movable = copy.is_movable || self.may_leave(copy, guard, first_wait.is_some(), capture);
        self.find(copy, guard, &mut holding, capture);
        if holding.is_movable && holding.attribution == Attribution::Exact && is_owner_listed {
            holding.attribution = Attribution::Unmoved;
        }
        guard_use::follow_future(copy, &mut holding, capture);
        holding
    }

    /// Returns whether it is a guard that borrows, but may have left its task. A guard can do so if
    /// its lock outlives the task. The body that acquired the guard decides; for other code, the
    /// place of the lock decides.
    fn may_leave(
        &self,
        copy: &HoldingCopy,
        guard: GuardUse,
        has_waiters: bool,
        capture: &CaptureContext<'_>,
    ) -> bool {
        match guard {
            _ if copy.role != waits::Role::Holds || self.is_of_a_thread(copy) => false,
            // The permit of an initialization is inside the initializing future, and no other code
            // gets it.
            _ if self.resource_type(copy).is_some_and(|it| it.kind == ResourceKind::OnceCell) => false,
            GuardUse::Stays => false,
            // A message sent since then may contain it.
            GuardUse::Calls => Self::has_sent(copy, capture) && !self.cannot_outlive(copy, capture),
            GuardUse::Moves => !self.cannot_outlive(copy, capture),
            GuardUse::Unknown | GuardUse::Returns => {
                is_polled(copy, capture)
                    || self.is_in_a_static(copy.resource, has_waiters)
                    || self.may_leave_block_on(copy, capture)
            }
        }
    }

    /// Returns whether its task has sent a message since.
    fn has_sent(copy: &HoldingCopy, capture: &CaptureContext<'_>) -> bool {
        let owner = capture.tasks.get(copy.task);
        owner.is_some_and(|owner| owner.task.transfer_counts().sent() != copy.transfers.sent())
    }

    /// Returns whether its guards cannot leave their task, because the lock is in the memory of
    /// that task.
    fn cannot_outlive(&self, copy: &HoldingCopy, capture: &CaptureContext<'_>) -> bool {
        let place = self.records.get(&copy.resource).map(|record| Memory::at(record.address.load(Relaxed)));
        place.is_some_and(|it| capture.confined.has(it, copy.task)) && !is_polled(copy, capture)
    }

    /// Returns whether it is a lock in a static, whose guards can move to other threads. Such a
    /// lock of tokio was created in a constant, so it has no creator. One with waiters lies in the
    /// memory of statics. Guards of std and `parking_lot` stay with their thread.
    fn is_in_a_static(&self, resource: u64, has_waiters: bool) -> bool {
        let Some(&record) = self.records.get(&resource) else { return false };
        let Some((_, it)) = record.identity() else { return false };
        let kind = it.resource_type.kind;
        let is_lock = matches!(kind, ResourceKind::Mutex | ResourceKind::RwLock | ResourceKind::Semaphore);
        let is_made_in_constant =
            || it.resource_type.library == "tokio" && matches!(it.made_by, Creator::Unknown);
        let has_sent_guards = || ["tokio", "async-lock", "futures"].contains(&it.resource_type.library);
        let is_there = || has_sent_guards() && self.statics.has(record.address.load(Relaxed));
        is_lock && (is_made_in_constant() || has_waiters && is_there())
    }

    /// Returns whether the code around a `block_on` may have the lock of this guard. The guard may
    /// then move to a scoped thread. If the future has created the lock, or the creator is unknown,
    /// the lock may be in a cell around the future. That cell is on the stack, or anywhere if there
    /// is a thread that could be scoped.
    fn may_leave_block_on(&self, copy: &HoldingCopy, capture: &CaptureContext<'_>) -> bool {
        let is_block_on = || capture.tasks.get(copy.task).is_some_and(TaskCopy::is_block_on);
        let is_around = |record: &waits::Record| {
            let place = Memory::at(record.address.load(Relaxed));
            match record.creator_and_start().0 {
                Creator::Task(task) if task != copy.task => !capture.confined.has(place, copy.task),
                Creator::Thread(_) => !capture.confined.has(place, copy.task),
                Creator::Task(_) | Creator::Unknown => {
                    capture.confined.is_near(place, copy.task)
                        || self.has_other_threads() && !capture.confined.has(place, copy.task)
                }
            }
        };
        is_block_on() && self.records.get(&copy.resource).is_some_and(|record| is_around(record))
    }

    /// Returns whether there is an unknown thread, or a second `block_on`.
    fn has_other_threads(&self) -> bool {
        !self.foreign.is_empty() || self.has_block_ons
    }

    /// Returns whether it is a guard that cannot leave its thread.
    fn is_of_a_thread(&self, copy: &HoldingCopy) -> bool {
        copy.role == waits::Role::Holds && self.resource_type(copy).is_some_and(|it| it.is_thread_bound)
    }

    fn resource_type(&self, copy: &HoldingCopy) -> Option<&'static ResourceType> {
        Some(self.records.get(&copy.resource)?.identity()?.1.resource_type)
    }

    /// Sets the attribution and the candidates of a holding.
    fn find(&self, copy: &HoldingCopy, guard: GuardUse, holding: &mut Holding, capture: &CaptureContext<'_>) {
        let Some(owner) = capture.tasks.get(copy.task) else {
            // The task is gone. A movable holding is elsewhere. A borrowed one was leaked there, or
            // is in the task's output. Or the task goes on: it was polled while recording was off.
            let is_unlisted = copy.since <= switch::last_off();
            let is_forgotten = copy.task != 0 && !copy.is_movable && !copy.may_be_in_output && !is_unlisted;
            holding.attribution = if is_forgotten {
                if guard == GuardUse::Stays { Attribution::Exact } else { Attribution::Likely }
            } else if copy.is_movable
                && self.is_with_spawned(copy)
                && !self.may_be_foreign(capture.ago(copy.since))
            {
                holding.candidates = ids(self.candidates.since(copy.task, copy.since).unwrap_or_default());
                if holding.candidates.is_empty() { Attribution::Unknown } else { Attribution::Likely }
            } else {
                Attribution::Unknown
            };
            return;
        };
        let transfers = owner.task.transfer_counts();
        let has_spawned = transfers.spawned() != copy.transfers.spawned();
        if has_spawned || holding.is_movable && self.candidates.has_unknown_since(copy.since) {
            let Some(candidates) = self.candidates.since(copy.task, copy.since) else { return };
            holding.candidates = ids(candidates);
        }
        holding.attribution = if !holding.is_movable {
            // A guard of a lock that lives forever can move to a thread, or in a message.
            let is_there = match guard {
                GuardUse::Stays => true,
                GuardUse::Calls => self.cannot_outlive(copy, capture),
                GuardUse::Moves | GuardUse::Unknown | GuardUse::Returns => {
                    transfers.sent() == copy.transfers.sent() && !self.may_be_foreign(capture.ago(copy.since))
                }
            };
            if is_there { Attribution::Exact } else { Attribution::Likely }
        } else if self.may_be_foreign(capture.ago(copy.since)) {
            Attribution::Unknown
        } else if transfers.sent() != copy.transfers.sent() {
            self.follow(copy, holding, owner, capture)
        } else if copy.role != waits::Role::Holds && (copy.uses == 0 || copy.is_shared) {
            // It was unused since its creation, or is shared among tasks.
            Attribution::Likely
        } else if copy.role == waits::Role::Sends && self.may_be_shared(copy) {
            Attribution::Likely
        } else {
            Attribution::Exact
        };
    }

    /// Returns whether a second task may share it behind an `Arc`: a task spawned since the channel
    /// was created, by its creator or by its user.
    fn may_be_shared(&self, copy: &HoldingCopy) -> bool {
        let Some(record) = self.records.get(&copy.resource) else { return true };
        let (made_by, started) = record.creator_and_start();
        let has = |task: u64| task != 0 && self.candidates.has_since(task, started, copy.task);
        matches!(made_by, Creator::Task(task) if has(task)) || has(copy.task)
    }

    /// Returns whether its finished task has spawned since, and has sent no message that could
    /// contain it.
    fn is_with_spawned(&self, copy: &HoldingCopy) -> bool {
        let (done, then) = (self.done.get(&copy.task), copy.transfers);
        done.is_some_and(|transfers| transfers.sent() == then.sent() && transfers.spawned() != then.spawned())
    }

    /// Returns whether an unknown thread began after that time.
    fn may_be_foreign(&self, since_ns: u64) -> bool {
        self.foreign.iter().any(|age_ns| *age_ns <= since_ns.saturating_add(MARGIN_NS))
    }
}

/// If the task of a guard is done, attributes the guard to the task that got that task's output.
fn follow_output(holding: &mut HoldingCopy, capture: &CaptureContext<'_>) {
    for _ in 0..MAX_JOINERS {
        let is_gone = holding.task != 0 && capture.tasks.get(holding.task).is_none();
        if !is_gone || holding.role != waits::Role::Holds || !holding.may_be_in_output {
            return;
        }
        let Some(output) = live::output_of(holding.task) else { return };
        (holding.task, holding.span, holding.transfers) = (output.joiner, output.span, output.transfers);
        holding.is_movable = true;
    }
}

/// Returns whether its task is in a poll, which may lend a guard to scoped threads, wherever the
/// lock is.
fn is_polled(copy: &HoldingCopy, capture: &CaptureContext<'_>) -> bool {
    capture.tasks.get(copy.task).is_some_and(TaskCopy::is_running)
}

fn ids(tasks: Vec<u64>) -> Vec<TaskId> {
    tasks.into_iter().map(TaskId::new).collect()
}
