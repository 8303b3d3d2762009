//! Where a stake is: with the task that used it last, with one that was spawned since, in a message, or nobody knows.
//!
//! A guard that borrows, and an end of a channel, cannot be followed when they are moved. But all ways out of a task that
//! are recorded are counted: what it has spawned, and what it has sent that could carry something away. A thread that began
//! later, and of which nothing is known, may have what was there before.

use diagnose_reports::{Place, Role, Stake, Whereabouts};

use super::candidates::Candidates;
use super::known::{Known, Seen};
use super::numbers::Table;
use crate::live::{self, Counts};
use crate::site;
use crate::waits::{self, Kind, Maker, Staked};

/// All stakes by their resource.
#[derive(Debug)]
pub(super) struct Stakes<'a> {
    /// By resource, the oldest first.
    staked: Vec<Staked>,
    candidates: Candidates,
    /// All records by number: among them the channels that tasks have sent to last.
    records: Table<u64, &'static waits::Record>,
    /// How often tasks that are done had spawned, and sent, as far as that is kept.
    done: Table<u64, Counts>,
    /// Per task, the creation tick and resource number of its youngest unused holding. The number breaks ties: everything made
    /// in one poll may share a tick.
    youngest: Table<u64, (u64, u64)>,
    /// The ages of threads of which nothing is known, in nanoseconds.
    foreign: &'a [u64],
}

/// So many candidates are listed in all: of a stake for which there is no room, it is not known where it is.
const MAX_CANDIDATES: usize = 1 << 20;

/// The number of callers that are listed at most: a recursive function has many more.
const MAX_CALLERS: usize = 16;

/// The kernel tells when a thread began in hundredths of a second.
const MARGIN_NS: u64 = 30_000_000;

impl<'a> Stakes<'a> {
    pub(super) fn new(mut stakes: Vec<Staked>, foreign: &'a [u64], seen: &Seen<'_>) -> Self {
        stakes.sort_by_key(|stake| (stake.resource, stake.since, stake.span, stake.units));
        let mut youngest: Table<u64, (u64, u64)> = Table::default();
        for stake in stakes.iter().filter(|stake| stake.uses == 0 && stake.is_movable) {
            let made = youngest.entry(stake.task).or_default();
            *made = (stake.since, stake.resource).max(*made);
        }
        let spawner = |known: &Known| (!known.is_stranger).then_some(known.spawned_by);
        let tasks = seen.tasks.all.iter().map(|known| (known.id, spawner(known), known.made));
        let candidates = Candidates::new(tasks, MAX_CANDIDATES);
        let records = waits::all_records().into_iter().map(|record| (record.id(), record));
        let records = records.filter(|(id, _)| *id != 0).collect();
        let done = live::all_tasks().filter_map(live::Task::given_away_before).collect();
        Self { staked: stakes, candidates, records, done, youngest, foreign }
    }

    /// The stakes in that resource, oldest first. `first_wait` is when the first in its queue came; `None` if it is empty.
    pub(super) fn of(&self, resource: u64, first_wait: Option<u64>, seen: &Seen<'_>) -> Vec<Stake> {
        let build = |staked: &Staked| {
            let mut stake = self.build(staked, first_wait.unwrap_or(seen.now), seen);
            if first_wait.is_some() {
                stake.callers = callers(staked, seen);
            }
            stake
        };
        self.in_resource(resource).iter().map(build).collect()
    }

    /// The stakes in that resource, as they were read.
    fn in_resource(&self, resource: u64) -> &[Staked] {
        let first = self.staked.partition_point(|stake| stake.resource < resource);
        let stakes = &self.staked[first..];
        let count = stakes.iter().take_while(|stake| stake.resource == resource).count();
        &stakes[..count]
    }

    fn build(&self, staked: &Staked, first_wait: u64, seen: &Seen<'_>) -> Stake {
        let mut stake = Stake::default();
        stake.role = match staked.role {
            waits::Role::Holds => Role::Holds,
            waits::Role::Sends => Role::Sends,
            waits::Role::Receives => Role::Receives,
            waits::Role::Uses => Role::Uses,
        };
        stake.units = staked.units;
        stake.task = (staked.task != 0).then_some(staked.task);
        stake.span = (staked.span != 0).then_some(staked.span);
        stake.thread_id = if staked.task == 0 { seen.thread_id(staked.thread) } else { None };
        stake.place = staked.at.map(|at| seen.texts.place(at));
        stake.since_ns = seen.ago(if staked.since == 0 { first_wait } else { staked.since });
        stake.uses = staked.uses;
        // A guard of a lock that is in a static borrows for ever: it can go anywhere too.
        stake.is_movable = staked.is_movable || self.is_in_a_static(staked.resource);
        self.find(staked, &mut stake, seen);
        if stake.is_movable
            && stake.whereabouts == Whereabouts::Exact
            && seen.tasks.get(staked.task).is_some()
        {
            stake.whereabouts = Whereabouts::Unmoved;
        }
        stake
    }

    /// Whether it is a lock that was made in a constant, and so by nobody, and whose guards can go to other threads.
    fn is_in_a_static(&self, resource: u64) -> bool {
        let Some((_, it)) = self.records.get(&resource).and_then(|record| record.identity()) else {
            return false;
        };
        let is_lock = matches!(it.what.kind, Kind::Mutex | Kind::RwLock | Kind::Semaphore);
        is_lock && it.what.library == "tokio" && matches!(it.made_by, Maker::Unknown)
    }

    /// Says where it is.
    fn find(&self, staked: &Staked, stake: &mut Stake, seen: &Seen<'_>) {
        let Some(owner) = seen.tasks.get(staked.task) else {
            // Its task is gone, and what can be moved is with somebody else. What borrows was forgotten there.
            let is_forgotten = staked.task != 0 && !staked.is_movable;
            stake.whereabouts = if is_forgotten {
                Whereabouts::Exact
            } else if staked.is_movable
                && self.is_with_spawned(staked)
                && !self.may_be_foreign(seen.ago(staked.since))
            {
                stake.candidates = self.candidates.since(staked.task, staked.since).unwrap_or_default();
                if stake.candidates.is_empty() { Whereabouts::Unknown } else { Whereabouts::Likely }
            } else {
                Whereabouts::Unknown
            };
            return;
        };
        let given = owner.task.given_away();
        if given.spawned() != staked.given.spawned() {
            let Some(candidates) = self.candidates.since(staked.task, staked.since) else { return };
            stake.candidates = candidates;
        }
        stake.whereabouts = if !staked.is_movable {
            // One of a static can go to a thread.
            let is_there =
                given.sent() == staked.given.sent() && !self.may_be_foreign(seen.ago(staked.since));
            if is_there { Whereabouts::Exact } else { Whereabouts::Likely }
        } else if self.may_be_foreign(seen.ago(staked.since)) {
            Whereabouts::Unknown
        } else if given.sent() != staked.given.sent() {
            self.follow(staked, stake, owner, seen)
        } else if staked.role != waits::Role::Holds && (staked.uses == 0 || staked.is_shared) {
            // Nobody has seen it since it was made, or it goes from hand to hand.
            Whereabouts::Likely
        } else if staked.role == waits::Role::Sends && self.may_be_shared(staked) {
            Whereabouts::Likely
        } else {
            Whereabouts::Exact
        };
    }

    /// Whether another task than the one that uses it may have it too, behind an `Arc`: one that was spawned since the channel
    /// was made, by who made it or by who uses it.
    fn may_be_shared(&self, staked: &Staked) -> bool {
        let Some(record) = self.records.get(&staked.resource) else { return true };
        let (made_by, made) = record.born();
        let has = |task: u64| task != 0 && self.candidates.has_since(task, made, staked.task);
        matches!(made_by, Maker::Task(task) if has(task)) || has(staked.task)
    }

    /// Whether its task, which is done, has sent nothing since that could carry something away, and has spawned.
    fn is_with_spawned(&self, staked: &Staked) -> bool {
        let (done, then) = (self.done.get(&staked.task), staked.given);
        done.is_some_and(|given| given.sent() == then.sent() && given.spawned() != then.spawned())
    }

    /// Whether a thread of which nothing is known began after that.
    fn may_be_foreign(&self, since_ns: u64) -> bool {
        self.foreign.iter().any(|age_ns| *age_ns <= since_ns.saturating_add(MARGIN_NS))
    }

    /// Its task has sent something since, maybe with this in it.
    fn follow(&self, staked: &Staked, stake: &mut Stake, owner: &Known, seen: &Seen<'_>) -> Whereabouts {
        let [resource, message, _] = owner.task.sent_to();
        let sent = owner.task.given_away().sent();
        // An end that was in use: what is sent is what was made for it, or else this is stale.
        if staked.uses != 0 && staked.role != waits::Role::Holds {
            return Whereabouts::Likely;
        }
        if staked.uses != 0 {
            return Whereabouts::Unknown;
        }
        // It was made, one message was sent, and since then nobody has seen it. Of several messages the last has what was made
        // last, but that is a guess.
        let is_only_one = sent.wrapping_sub(staked.given.sent()) == 1;
        let made = (staked.since, staked.resource);
        if !is_only_one && self.youngest.get(&staked.task).is_none_or(|youngest| *youngest > made) {
            return Whereabouts::Unknown;
        }
        let likely = if is_only_one { Whereabouts::Likely } else { Whereabouts::Unknown };
        let Some(record) = self.records.get(&resource).filter(|record| record.id() == resource) else {
            return Whereabouts::Unknown;
        };
        if record.taken_out() < message {
            stake.inside = Some(resource);
            return likely;
        }
        // It was received. Whoever did has it, or has spawned a task for it, or has sent it on.
        let stakes = self.in_resource(resource);
        let receiver = stakes.iter().find(|stake| stake.role == waits::Role::Receives);
        let Some((receiver, task)) = receiver.and_then(|it| Some((it, seen.tasks.get(it.task)?))) else {
            return Whereabouts::Unknown;
        };
        // If it is known at all.
        stake.candidates.push(receiver.task);
        // In its last poll it may have sent it on as soon as it came, if more came then.
        let [_, _, sent_at] = task.task.sent_to();
        let sent = task.task.given_away().sent();
        let was_last = record.taken_out() == message;
        if sent_at >= staked.since || was_last && sent != receiver.given.sent() {
            return Whereabouts::Unknown;
        }
        let Some(later) = self.candidates.since(receiver.task, staked.since) else {
            return Whereabouts::Unknown;
        };
        stake.candidates.extend(later);
        likely
    }
}

/// The awaits by which the call that took it was reached, from the innermost that is not the call's own.
fn callers(staked: &Staked, seen: &Seen<'_>) -> Vec<Place> {
    let nodes = std::iter::successors(staked.node, |node| node.parent);
    let awaits =
        nodes.flat_map(|node| [Some(node.site).filter(|site| site.kind == site::Kind::Await), node.via]);
    let places = awaits.flatten().map(|site| seen.texts.place_of_site(site));
    let own = staked.at.map(|at| seen.texts.place(at));
    let is_own =
        |place: &Place| own.as_ref().is_some_and(|own| own.file == place.file && own.line == place.line);
    let mut places: Vec<Place> = places.skip_while(is_own).take(MAX_CALLERS).collect();
    places.dedup_by(|one, other| one.file == other.file && one.line == other.line);
    places
}
