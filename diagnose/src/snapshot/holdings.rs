//! Where a holding is: with the task that used it last, with one that was spawned since, in a message, or nobody knows.
//!
//! A guard that borrows, and an end of a channel, cannot be followed when they are moved. But all ways out of a task that
//! are recorded are counted: what it has spawned, and what it has sent that could carry something away. A thread that began
//! later, and of which nothing is known, may have what was there before.

use diagnose_reports::model::{Attribution, Holding, Place, Role};

use super::candidates::Candidates;
use super::capture_context::{CaptureContext, KnownTask};
use super::numbers::Table;
use crate::live::{self, TransferCounts};
use crate::site;
use crate::waits::{self, Creator, HoldingCopy, ResourceKind};

/// All holdings by their resource.
#[derive(Debug)]
pub(super) struct Holdings<'a> {
    /// By resource, the oldest first.
    copy: Vec<HoldingCopy>,
    candidates: Candidates,
    /// All records by number: among them the channels that tasks have sent to last.
    records: Table<u64, &'static waits::Record>,
    /// How often tasks that are done had spawned, and sent, as far as that is kept.
    done: Table<u64, TransferCounts>,
    /// Per task, the creation tick and resource number of its youngest unused holding. The number breaks ties: everything made
    /// in one poll may share a tick.
    youngest: Table<u64, (u64, u64)>,
    /// The ages of threads of which nothing is known, in nanoseconds.
    foreign: &'a [u64],
}

/// So many candidates are listed in all: of a holding for which there is no room, it is not known where it is.
const MAX_CANDIDATES: usize = 1 << 20;

/// The number of callers that are listed at most: a recursive function has many more.
const MAX_CALLERS: usize = 16;

/// The kernel tells when a thread began in hundredths of a second.
const MARGIN_NS: u64 = 30_000_000;

impl<'a> Holdings<'a> {
    pub(super) fn new(mut holdings: Vec<HoldingCopy>, foreign: &'a [u64], seen: &CaptureContext<'_>) -> Self {
        holdings.sort_by_key(|holding| (holding.resource, holding.since, holding.span, holding.units));
        let mut youngest: Table<u64, (u64, u64)> = Table::default();
        for holding in holdings.iter().filter(|holding| holding.uses == 0 && holding.is_movable) {
            let made = youngest.entry(holding.task).or_default();
            *made = (holding.since, holding.resource).max(*made);
        }
        let spawner = |known: &KnownTask| (!known.is_stranger).then_some(known.spawned_by);
        let tasks = seen.tasks.all.iter().map(|known| (known.id, spawner(known), known.made));
        let candidates = Candidates::new(tasks, MAX_CANDIDATES);
        let records = waits::all_records().into_iter().map(|record| (record.id(), record));
        let records = records.filter(|(id, _)| *id != 0).collect();
        let done = live::all_tasks().filter_map(live::Task::given_away_before).collect();
        Self { copy: holdings, candidates, records, done, youngest, foreign }
    }

    /// The holdings in that resource, oldest first. `first_wait` is when the first in its queue came; `None` if it is empty.
    pub(super) fn of(
        &self,
        resource: u64,
        first_wait: Option<u64>,
        seen: &CaptureContext<'_>,
    ) -> Vec<Holding> {
        let build = |copy: &HoldingCopy| {
            let mut holding = self.build(copy, first_wait.unwrap_or(seen.now), seen);
            if first_wait.is_some() {
                holding.callers = callers(copy, seen);
            }
            holding
        };
        self.in_resource(resource).iter().map(build).collect()
    }

    /// The holdings in that resource, as they were read.
    fn in_resource(&self, resource: u64) -> &[HoldingCopy] {
        let first = self.copy.partition_point(|holding| holding.resource < resource);
        let holdings = &self.copy[first..];
        let count = holdings.iter().take_while(|holding| holding.resource == resource).count();
        &holdings[..count]
    }

    fn build(&self, copy: &HoldingCopy, first_wait: u64, seen: &CaptureContext<'_>) -> Holding {
        let mut holding = Holding::default();
        holding.role = match copy.role {
            waits::Role::Holds => Role::Holds,
            waits::Role::Sends => Role::Sends,
            waits::Role::Receives => Role::Receives,
            waits::Role::Uses => Role::Uses,
        };
        holding.units = copy.units;
        holding.task = (copy.task != 0).then_some(copy.task);
        holding.span = (copy.span != 0).then_some(copy.span);
        holding.thread_id = if copy.task == 0 { seen.thread_id(copy.thread) } else { None };
        holding.place = copy.at.map(|at| seen.texts.place(at));
        holding.since_ns = seen.ago(if copy.since == 0 { first_wait } else { copy.since });
        holding.uses = copy.uses;
        // A guard of a lock that is in a static borrows for ever: it can go anywhere too.
        holding.is_movable = copy.is_movable || self.is_in_a_static(copy.resource);
        self.find(copy, &mut holding, seen);
        if holding.is_movable
            && holding.attribution == Attribution::Exact
            && seen.tasks.get(copy.task).is_some()
        {
            holding.attribution = Attribution::Unmoved;
        }
        holding
    }

    /// Whether it is a lock that was made in a constant, and so by nobody, and whose guards can go to other threads.
    fn is_in_a_static(&self, resource: u64) -> bool {
        let Some((_, it)) = self.records.get(&resource).and_then(|record| record.identity()) else {
            return false;
        };
        let is_lock =
            matches!(it.what.kind, ResourceKind::Mutex | ResourceKind::RwLock | ResourceKind::Semaphore);
        is_lock && it.what.library == "tokio" && matches!(it.made_by, Creator::Unknown)
    }

    /// Says where it is.
    fn find(&self, copy: &HoldingCopy, holding: &mut Holding, seen: &CaptureContext<'_>) {
        let Some(owner) = seen.tasks.get(copy.task) else {
            // Its task is gone, and what can be moved is with somebody else. What borrows was forgotten there.
            let is_forgotten = copy.task != 0 && !copy.is_movable;
            holding.attribution = if is_forgotten {
                Attribution::Exact
            } else if copy.is_movable
                && self.is_with_spawned(copy)
                && !self.may_be_foreign(seen.ago(copy.since))
            {
                holding.candidates = self.candidates.since(copy.task, copy.since).unwrap_or_default();
                if holding.candidates.is_empty() { Attribution::Unknown } else { Attribution::Likely }
            } else {
                Attribution::Unknown
            };
            return;
        };
        let given = owner.task.transfer_counts();
        if given.spawned() != copy.given.spawned() {
            let Some(candidates) = self.candidates.since(copy.task, copy.since) else { return };
            holding.candidates = candidates;
        }
        holding.attribution = if !copy.is_movable {
            // One of a static can go to a thread.
            let is_there = given.sent() == copy.given.sent() && !self.may_be_foreign(seen.ago(copy.since));
            if is_there { Attribution::Exact } else { Attribution::Likely }
        } else if self.may_be_foreign(seen.ago(copy.since)) {
            Attribution::Unknown
        } else if given.sent() != copy.given.sent() {
            self.follow(copy, holding, owner, seen)
        } else if copy.role != waits::Role::Holds && (copy.uses == 0 || copy.is_shared) {
            // Nobody has seen it since it was made, or it goes from hand to hand.
            Attribution::Likely
        } else if copy.role == waits::Role::Sends && self.may_be_shared(copy) {
            Attribution::Likely
        } else {
            Attribution::Exact
        };
    }

    /// Whether another task than the one that uses it may have it too, behind an `Arc`: one that was spawned since the channel
    /// was made, by who made it or by who uses it.
    fn may_be_shared(&self, copy: &HoldingCopy) -> bool {
        let Some(record) = self.records.get(&copy.resource) else { return true };
        let (made_by, made) = record.born();
        let has = |task: u64| task != 0 && self.candidates.has_since(task, made, copy.task);
        matches!(made_by, Creator::Task(task) if has(task)) || has(copy.task)
    }

    /// Whether its task, which is done, has sent nothing since that could carry something away, and has spawned.
    fn is_with_spawned(&self, copy: &HoldingCopy) -> bool {
        let (done, then) = (self.done.get(&copy.task), copy.given);
        done.is_some_and(|given| given.sent() == then.sent() && given.spawned() != then.spawned())
    }

    /// Whether a thread of which nothing is known began after that.
    fn may_be_foreign(&self, since_ns: u64) -> bool {
        self.foreign.iter().any(|age_ns| *age_ns <= since_ns.saturating_add(MARGIN_NS))
    }

    /// Its task has sent something since, maybe with this in it.
    fn follow(
        &self,
        copy: &HoldingCopy,
        holding: &mut Holding,
        owner: &KnownTask,
        seen: &CaptureContext<'_>,
    ) -> Attribution {
        let [resource, message, _] = owner.task.sent_to();
        let sent = owner.task.transfer_counts().sent();
        // An end that was in use: what is sent is what was made for it, or else this is stale.
        if copy.uses != 0 && copy.role != waits::Role::Holds {
            return Attribution::Likely;
        }
        if copy.uses != 0 {
            return Attribution::Unknown;
        }
        // It was made, one message was sent, and since then nobody has seen it. Of several messages the last has what was made
        // last, but that is a guess.
        let is_only_one = sent.wrapping_sub(copy.given.sent()) == 1;
        let made = (copy.since, copy.resource);
        if !is_only_one && self.youngest.get(&copy.task).is_none_or(|youngest| *youngest > made) {
            return Attribution::Unknown;
        }
        let likely = if is_only_one { Attribution::Likely } else { Attribution::Unknown };
        let Some(record) = self.records.get(&resource).filter(|record| record.id() == resource) else {
            return Attribution::Unknown;
        };
        if record.taken_out() < message {
            holding.in_channel = Some(resource);
            return likely;
        }
        // It was received. Whoever did has it, or has spawned a task for it, or has sent it on.
        let holdings = self.in_resource(resource);
        let receiver = holdings.iter().find(|holding| holding.role == waits::Role::Receives);
        let Some((receiver, task)) = receiver.and_then(|it| Some((it, seen.tasks.get(it.task)?))) else {
            return Attribution::Unknown;
        };
        // If it is known at all.
        holding.candidates.push(receiver.task);
        // In its last poll it may have sent it on as soon as it came, if more came then.
        let [_, _, sent_at] = task.task.sent_to();
        let sent = task.task.transfer_counts().sent();
        let was_last = record.taken_out() == message;
        if sent_at >= copy.since || was_last && sent != receiver.given.sent() {
            return Attribution::Unknown;
        }
        let Some(later) = self.candidates.since(receiver.task, copy.since) else {
            return Attribution::Unknown;
        };
        holding.candidates.extend(later);
        likely
    }
}

/// The awaits by which the call that took it was reached, from the innermost that is not the call's own.
fn callers(copy: &HoldingCopy, seen: &CaptureContext<'_>) -> Vec<Place> {
    let nodes = std::iter::successors(copy.node, |node| node.parent);
    let awaits =
        nodes.flat_map(|node| [Some(node.site).filter(|site| site.kind == site::SiteKind::Await), node.via]);
    let places = awaits.flatten().map(|site| seen.texts.place_of_site(site));
    let own = copy.at.map(|at| seen.texts.place(at));
    let is_own =
        |place: &Place| own.as_ref().is_some_and(|own| own.file == place.file && own.line == place.line);
    let mut places: Vec<Place> = places.skip_while(is_own).take(MAX_CALLERS).collect();
    places.dedup_by(|one, other| one.file == other.file && one.line == other.line);
    places
}
