//! Who waits for whom, copied from the records of resources and put into order.
//!
//! Everything is read twice: what has changed in between is marked, so that no analysis takes for a knot what was only read
//! at different moments.

use std::panic::Location;

use diagnose_reports::{Forgot, Mode, Place, Resource, ResourceKind, Snapshot, Taken, Told, Usage, Wait};

use super::numbers::Table;
use super::quantiles::quantiles;
use super::stakes::Stakes;
use crate::clock::{self, Scale};
use crate::cpu;
use crate::live;
use crate::site::Site;
use crate::tree;
use crate::waits::{self, Identity, Kind, Maker, Polled, Record, Staked, UNBOUNDED, Waiting};
use std::sync::atomic::Ordering::Relaxed;

/// A copy of all waits and resources.
#[derive(Debug, Default)]
pub(super) struct Waits {
    records: Vec<Recorded>,
    /// Waits at no resource: timers and joins.
    loose: Vec<Waiting>,
    stakes: Vec<Staked>,
    /// The ages of threads of which nothing is known, in nanoseconds.
    foreign: Vec<u64>,
    /// The kernel's numbers of all threads but this crate's; `None` if they are not known.
    threads: Option<Vec<u64>>,
    /// The tick before all this was read.
    read_at: u64,
}

/// A resource and its queue.
#[derive(Debug)]
struct Recorded {
    record: &'static Record,
    id: u64,
    identity: Identity,
    queue: Vec<Waiting>,
    /// A wait that was given up, and whose waker the primitive keeps.
    given_up: Option<Waiting>,
    told: Option<waits::Told>,
    forgot: Option<waits::Forgot>,
}

/// What a capture knows of a task, by its number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) task: &'static live::Task,
    /// When the last poll that is over began; zero if none is.
    pub(super) entered: u64,
    pub(super) made: u64,
    pub(super) spawned_by: u64,
    /// Whether it was met without being spawned through this crate.
    pub(super) is_stranger: bool,
}

/// What all parts of a capture are seen with.
pub(super) struct Seen<'a> {
    pub(super) now: u64,
    pub(super) scale: Scale,
    pub(super) tasks: &'a Table<u64, Known>,
    /// When each of them was made, and its number, in that order.
    pub(super) made: &'a [(u64, u64)],
    /// Names and kernel's numbers of threads, by the numbers of their trees.
    pub(super) threads: &'a Table<u32, (String, u64)>,
}

impl Seen<'_> {
    pub(super) fn ago(&self, tick: u64) -> u64 {
        self.scale.ns(self.now.saturating_sub(tick))
    }

    /// The first task that was made after that tick: a number that none has, if there is none. `None` for zero.
    fn first_task_since(&self, born: u64) -> Option<u64> {
        let first = self.made.partition_point(|(made, _)| *made < born);
        (born != 0).then(|| self.made.get(first).map_or(u64::MAX, |(_, id)| *id))
    }

    pub(super) fn thread_id(&self, tree: Option<u32>) -> Option<u64> {
        tree.and_then(|tree| self.threads.get(&tree)).map(|(_, id)| *id).filter(|id| *id != 0)
    }
}

/// Of all threads those of which nothing is known, by their ages in nanoseconds. Where it cannot be known, one that began just
/// now.
fn foreign_threads(threads: Option<&[(u64, u64)]>) -> Vec<u64> {
    let Some(threads) = threads else { return vec![0] };
    #[allow(unused_mut)] // Only runtimes tell of more.
    let mut known: Vec<u64> =
        tree::all().into_iter().filter(|tree| tree.runs_tasks()).map(tree::Tree::thread_id).collect();
    #[cfg(feature = "tokio")]
    known.extend(live::workers::all_threads());
    // The first thread is older than all that it could have been handed, and its age is too coarse to tell.
    known.push(u64::from(std::process::id()));
    threads.iter().filter(|(id, _)| !known.contains(id)).map(|(_, age_ns)| *age_ns).collect()
}

impl Waits {
    /// Copies what there is.
    pub(super) fn capture() -> Self {
        let read_at = clock::now();
        // Before the stakes: one that ends in between gives up what it has, or hands it on.
        // Where nothing is recorded that they could have, nobody asks.
        let threads = if waits::all_records().is_empty() { Some(Vec::new()) } else { cpu::other_threads() };
        let foreign = foreign_threads(threads.as_deref());
        let mut queues: Table<u64, Vec<Waiting>> = Table::default();
        for wait in waits::all_waits() {
            queues.entry(wait.resource).or_default().push(wait);
        }
        let records = waits::all_records().into_iter();
        let mut records: Vec<Recorded> =
            records.filter_map(|record| Recorded::capture(record, &mut queues)).collect();
        records.sort_by_key(|recorded| recorded.id);
        let mut loose = queues.remove(&0).unwrap_or_default();
        loose.sort_by_key(|wait| wait.id);
        let threads = threads.map(|threads| threads.into_iter().map(|(id, _)| id).collect());
        Self { records, loose, stakes: waits::all_stakes(), foreign, threads, read_at }
    }

    /// Whether what began then may wait for more than was read.
    pub(super) fn may_miss(&self, since: u64) -> bool {
        since > self.read_at
    }

    /// By task, how many clones of its waker are kept by these waits; `None` if one of them has changed since it was read.
    pub(super) fn kept_wakers(&self) -> Table<u64, Option<u64>> {
        let mut kept = Table::default();
        let waits = self.records.iter().flat_map(|recorded| recorded.queue.iter().chain(&recorded.given_up));
        for wait in waits.chain(&self.loose) {
            let polled = wait.polled;
            // What only notes that it was forced to wait keeps none, however fast it is polled.
            if polled.is_forced && polled.wakers == 0 {
                continue;
            }
            let count = kept.entry(polled.task).or_insert(Some(0));
            if wait.read() != polled {
                *count = None;
            } else if polled.wakers > 0 && !polled.is_indirect {
                *count = count.map(|count: u64| count + 1);
            }
        }
        kept
    }

    /// The kernel's numbers of all threads but this crate's; `None` if they are not known.
    pub(super) fn threads(&self) -> Option<&[u64]> {
        self.threads.as_deref()
    }

    /// Puts resources and waits into a snapshot.
    pub(super) fn build(mut self, snapshot: &mut Snapshot, seen: &Seen<'_>) {
        snapshot.foreign_threads = self.foreign.len() as u64;
        if self.records.is_empty() {
            snapshot.waits.extend(self.loose.iter().map(|wait| build(wait, seen)));
            return;
        }
        let stakes = Stakes::new(&self.stakes, &self.foreign, seen);
        for recorded in std::mem::take(&mut self.records) {
            let first_wait = recorded.queue.iter().map(|wait| wait.began).min();
            let stakes = stakes.of(recorded.id, first_wait, seen);
            if stakes.is_empty() && recorded.queue.is_empty() {
                continue;
            }
            let number = snapshot.resources.len();
            let mut granted = 0;
            for (place, wait) in recorded.queue.iter().enumerate() {
                let mut built = build(wait, seen);
                built.resource = Some(number);
                built.is_granted = recorded.identity.what.is_fair && is_grant(&built, &wait.polled);
                granted += if built.is_granted { built.units } else { 0 };
                built.ahead = ahead(&recorded.queue, place);
                snapshot.waits.push(built);
            }
            if let Some(wait) = recorded.given_up.as_ref().filter(|it| may_be_made_anew(it, seen)) {
                let mut built = build(wait, seen);
                built.resource = Some(number);
                built.ahead = recorded.queue.len() as u64;
                snapshot.waits.push(built);
            }
            let mut resource = recorded.build(seen);
            resource.stakes = stakes;
            resource.free = free(&resource, granted);
            snapshot.resources.push(resource);
        }
        snapshot.waits.extend(self.loose.iter().map(|wait| build(wait, seen)));
    }
}

/// Whether the task may wait with a future that it makes anew for each poll. One that was polled more than once and then given
/// up, or left out by a later poll, is gone: its waker wakes the task for nothing.
fn may_be_made_anew(wait: &Waiting, seen: &Seen<'_>) -> bool {
    let polled = &wait.polled;
    let entered = seen.tasks.get(&polled.task).map_or(0, |task| task.entered);
    polled.polls <= 1 && entered != 0 && polled.entered >= entered
}

/// Whether its wake was the grant.
fn is_grant(wait: &Wait, polled: &Polled) -> bool {
    let can_be = matches!(wait.mode, Mode::Lock | Mode::Read | Mode::Write | Mode::Acquire | Mode::Send);
    can_be && polled.woken != 0 && !polled.is_forced
}

/// How many of those before it were in the queue before it can have been.
fn ahead(queue: &[Waiting], place: usize) -> u64 {
    let Some(own) = queue.get(place) else { return 0 };
    let is_before =
        |other: &Waiting| (other.thread.is_some() && other.thread == own.thread) || other.place < own.asked;
    // All before the first that is not surely before it: those are nearly all, and it is found from the end.
    let unsure = queue[..place].iter().rev().take_while(|other| !is_before(other)).count();
    (place - unsure) as u64
}

/// Units that nobody has, and that are promised to nobody.
fn free(resource: &Resource, granted: u64) -> u64 {
    let Some(capacity) = resource.capacity else { return u64::MAX };
    let is_channel = matches!(resource.kind, ResourceKind::Mpsc | ResourceKind::Pipe);
    let holds = |stake: &&diagnose_reports::Stake| stake.role == diagnose_reports::Role::Holds;
    let held: u64 = resource.stakes.iter().filter(holds).map(|stake| stake.units).sum();
    let taken = held.saturating_add(granted).saturating_add(resource.forgotten);
    capacity.saturating_sub(taken).saturating_sub(if is_channel { resource.filled } else { 0 })
}

impl Recorded {
    fn capture(record: &'static Record, queues: &mut Table<u64, Vec<Waiting>>) -> Option<Self> {
        let (id, identity) = record.identity()?;
        let waits = queues.remove(&id).unwrap_or_default();
        let (given_up, mut queue): (Vec<Waiting>, Vec<Waiting>) =
            waits.into_iter().partition(|wait| wait.is_given_up);
        queue.sort_by_key(|wait| wait.place);
        let given_up = given_up.into_iter().max_by_key(|wait| wait.place);
        let (told, forgot) = (record.told(), record.forgot());
        // It has changed hands in between.
        (record.id() == id).then_some(Self { record, id, identity, queue, given_up, told, forgot })
    }

    fn build(&self, seen: &Seen<'_>) -> Resource {
        let Self { record, identity, .. } = self;
        let value = |counter: &std::sync::atomic::AtomicU64| counter.load(Relaxed);
        let mut resource = Resource::default();
        resource.id = self.id;
        resource.kind = kind(identity.what.kind);
        resource.library.push_str(identity.what.library);
        resource.name = identity.name.as_deref().map(str::to_owned);
        resource.created = Some(place(identity.made_at));
        match identity.made_by {
            Maker::Task(task) => resource.created_by = Some(task),
            Maker::Thread(thread) => resource.created_on = seen.thread_id(Some(thread)),
            Maker::Unknown => {}
        }
        resource.first_task = seen.first_task_since(identity.born);
        resource.age_ns = seen.ago(identity.made);
        resource.capacity = Some(value(&record.capacity)).filter(|capacity| *capacity != UNBOUNDED);
        let (entered, left) = (value(&record.entered), value(&record.left));
        resource.filled = match identity.what.kind {
            Kind::Mpsc | Kind::Oneshot | Kind::Broadcast | Kind::Pipe | Kind::Barrier => {
                entered.saturating_sub(left)
            }
            _ => 0,
        };
        resource.forgotten = value(&record.forgotten);
        resource.is_refilled = record.is_refilled.load(Relaxed);
        resource.is_fair = identity.what.is_fair;
        resource.is_closed = record.is_closed.load(Relaxed);
        resource.told = self.told.map(|told| {
            let mut built = Told::default();
            built.ago_ns = seen.ago(told.last.tick);
            built.task = (told.last.task != 0).then_some(told.last.task);
            built.place = Some(place(told.last.at));
            built.waiting = told.waiting;
            built.all = told.all;
            built
        });
        resource.taken = record.taken().map(|taken| {
            let mut built = Taken::default();
            built.ago_ns = (taken.tick != 0).then(|| seen.ago(taken.tick));
            built.task = (taken.task != 0).then_some(taken.task);
            built.place = Some(place(taken.at));
            built
        });
        resource.forgot = self.forgot.map(|forgot| {
            let mut built = Forgot::default();
            built.ago_ns = seen.ago(forgot.tick);
            built.task = (forgot.task != 0).then_some(forgot.task);
            built.place = Some(place(forgot.at));
            built
        });
        // Read only now: a kilobyte for each of a million channels is too much to keep.
        let used = record.usage_so_far();
        if record.id() == self.id {
            resource.usage = usage(&used, entered, seen.scale);
        }
        resource
    }
}

fn build(wait: &Waiting, seen: &Seen<'_>) -> Wait {
    let polled = &wait.polled;
    let task = seen.tasks.get(&polled.task);
    let entered = task.map_or(0, |task| task.entered);
    let later = wait.read();
    let mut built = Wait::default();
    built.id = wait.id;
    built.tasks.clone_from(&wait.tasks);
    built.mode = mode(wait.mode);
    built.units = wait.units;
    built.task = (polled.task != 0).then_some(polled.task);
    built.span = (polled.span != 0).then_some(polled.span);
    built.place = Some(wait.awaited.map_or_else(|| place(wait.at), place_of_site));
    built.since_ns = seen.ago(wait.began);
    built.polls = polled.polls;
    built.due_ns = (wait.due != 0).then(|| {
        let ns = |ticks: u64| i64::try_from(seen.scale.ns(ticks)).unwrap_or(i64::MAX);
        ns(wait.due.saturating_sub(seen.now)) - ns(seen.now.saturating_sub(wait.due))
    });
    built.woken_ns = (polled.woken != 0).then(|| seen.ago(polled.woken));
    // By the polls of its task that are over: it is not known yet what the running one leaves out.
    built.is_parked = !wait.is_blocking && later.entered < entered;
    built.is_snoozed = built.is_parked && polled.woken != 0 && polled.woken < entered;
    built.is_indirect = polled.is_indirect;
    built.is_forced = polled.is_forced;
    built.wakers = polled.wakers;
    built.thread_id = if wait.is_blocking { seen.thread_id(wait.thread) } else { None };
    built.is_unstable = !later.waits_as(polled);
    built
}

fn usage(usage: &waits::Usage, acquisitions: u64, scale: Scale) -> Usage {
    let mut built = Usage::default();
    built.acquisitions = acquisitions;
    built.contended = usage.contended;
    built.wait_ns = quantiles(&usage.waits).map(|ticks| scale.ns(ticks));
    built.held_ns = quantiles(&usage.holds).map(|ticks| scale.ns(ticks));
    built
}

pub(super) fn place(location: &Location<'_>) -> Place {
    let mut place = Place::default();
    place.file.push_str(location.file());
    place.line = location.line();
    place.column = location.column();
    place
}

pub(super) fn place_of_site(site: &Site) -> Place {
    let mut place = Place::default();
    place.file.push_str(site.file());
    (place.line, place.column) = site.line_column();
    place
}

pub(super) fn kind(kind: Kind) -> ResourceKind {
    match kind {
        Kind::Mutex => ResourceKind::Mutex,
        Kind::RwLock => ResourceKind::RwLock,
        Kind::Semaphore => ResourceKind::Semaphore,
        Kind::OnceCell => ResourceKind::OnceCell,
        Kind::Barrier => ResourceKind::Barrier,
        Kind::Notify => ResourceKind::Notify,
        Kind::Condvar => ResourceKind::Condvar,
        Kind::Mpsc => ResourceKind::Mpsc,
        Kind::Oneshot => ResourceKind::Oneshot,
        Kind::Broadcast => ResourceKind::Broadcast,
        Kind::Watch => ResourceKind::Watch,
        Kind::Pipe => ResourceKind::Pipe,
        Kind::Custom => ResourceKind::Custom,
    }
}

fn mode(mode: waits::Mode) -> Mode {
    match mode {
        waits::Mode::Lock => Mode::Lock,
        waits::Mode::Read => Mode::Read,
        waits::Mode::Write => Mode::Write,
        waits::Mode::Acquire => Mode::Acquire,
        waits::Mode::Send => Mode::Send,
        waits::Mode::Receive => Mode::Receive,
        waits::Mode::Closed => Mode::Closed,
        waits::Mode::Initialise => Mode::Initialise,
        waits::Mode::Arrive => Mode::Arrive,
        waits::Mode::Notified => Mode::Notified,
        waits::Mode::Join => Mode::Join,
        waits::Mode::Timer => Mode::Timer,
        waits::Mode::Shutdown => Mode::Shutdown,
        waits::Mode::Custom => Mode::Custom,
    }
}
