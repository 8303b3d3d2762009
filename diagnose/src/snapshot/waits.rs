//! Copies resources, holdings and waits, in order.
//!
//! Every wait is read twice, and so are the units that are held where it waits. A wait is marked if
//! they changed in between, so that no analysis mistakes two different moments for a deadlock.

use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    Alike, Classes, Resource, ResourceId, SpanId, TaskId, Wait, WaitClass, WaitId, WaitMode,
};
use diagnose_reports::sort::sort_by_key;

use super::capture_context::{CaptureContext, TaskTable};
use super::confined::Stay;
use super::draining::{Draining, in_place};
use super::holdings::Holdings;
use super::kinds::mode;
use super::leftovers::Leftovers;
use super::local_sets;
use super::resource_queue::{ResourceQueue, free};
use super::task_copy::TaskCopy;
use super::unrecorded::OtherThread;
use super::usage::past_resources;
use crate::clock;
#[cfg(feature = "tokio")]
use crate::live;
use crate::own_thread;
use crate::site::{Site, SiteKind};
use crate::tree::{self, Node};
use crate::waits::{self, HoldingCopy, Record, WaitCopy, WaitProgress};

/// A copy of all waits, holdings and resources.
#[derive(Debug, Default)]
pub(super) struct WaitsCopy {
    records: Vec<ResourceQueue>,
    /// Waits for resources, by resource: the queue in order, followed by waits that were given up.
    queued: Vec<WaitCopy>,
    /// Waits without a resource: timers, joins.
    loose: Vec<WaitCopy>,
    pub(super) left: Leftovers,
    holdings: Vec<HoldingCopy>,
    /// The ages of unknown threads, in ns.
    foreign: Vec<u64>,
    /// All threads but this crate's; `None` if unknown.
    threads: Option<Vec<OtherThread>>,
    /// The tick before all of this was read.
    read_at: u64,
}

/// Returns the ages of all unknown threads, in ns. Where threads cannot be listed, assumes one that
/// began just now.
fn foreign_threads(threads: Option<&[(u64, u64)]>) -> Vec<u64> {
    let Some(threads) = threads else { return vec![0] };
    // The number of a thread that has ended may be that of an unknown one.
    let is_known = |tree: &&tree::Tree| tree.runs_tasks() && tree.is_leased();
    let mut known: Vec<u64> = tree::all().into_iter().filter(is_known).map(tree::Tree::thread_id).collect();
    #[cfg(feature = "tokio")]
    known.extend(live::workers::all_threads());
    // The main thread is older than anything it could have received, and its reported age is too
    // coarse to show that.
    known.push(u64::from(std::process::id()));
    threads.iter().filter(|(id, _)| !known.contains(id)).map(|(_, age_ns)| *age_ns).collect()
}

impl WaitsCopy {
    /// Copies all waits, holdings and resources.
    pub(super) fn capture() -> Self {
        let read_at = clock::now();
        // Listed before the holdings, because a thread that ends in between drops its holdings, or
        // passes them on. Without records there are no holdings, so threads need not be listed.
        let threads = if waits::all_records().is_empty() { Some(Vec::new()) } else { own_thread::others() };
        let foreign = foreign_threads(threads.as_deref());
        let mut left = Leftovers::default();
        let waits = waits::all_waits().filter_map(|wait| {
            if wait.is_ready {
                left.0.push(wait);
                None
            } else {
                Some(wait)
            }
        });
        let (mut loose, mut queued): (Vec<_>, Vec<_>) = waits.partition(|wait| wait.resource == 0);
        local_sets::keep_known(&mut loose);
        sort_by_key(&mut loose, |wait| wait.id);
        sort_by_key(&mut queued, |wait| (wait.resource, wait.is_given_up, wait.place));
        let records = waits::all_records().into_iter().map(|record| (record.id(), record));
        let mut records: Vec<(u64, &'static Record)> = records.filter(|(id, _)| *id != 0).collect();
        sort_by_key(&mut records, |(id, _)| *id);
        let mut all = Self { foreign, read_at, ..Self::default() };
        let mut next = 0;
        all.records.extend(
            records
                .into_iter()
                .filter_map(|(id, record)| ResourceQueue::capture(id, record, &queued, &mut next)),
        );
        (all.queued, all.loose, all.left) = (queued, loose, left);
        all.threads =
            threads.map(|threads| threads.into_iter().map(|(id, _)| OtherThread::read(id)).collect());
        all.holdings = waits::holdings().collect();
        all
    }

    /// Returns the tick before all of this was read.
    pub(super) fn read_at(&self) -> u64 {
        self.read_at
    }

    /// Returns, by task index, the number of clones of its waker that these waits store; `None` if
    /// one of the waits has changed since it was read.
    pub(super) fn stored_wakers(&self, tasks: &TaskTable) -> Vec<Option<u32>> {
        let mut stored = vec![Some(0); tasks.all.len()];
        let queues = self.records.iter().flat_map(|it| it.queue.clone().chain(it.given_up));
        let queued = queues.filter_map(|index| self.queued.get(index));
        for wait in self.loose.iter().chain(queued) {
            let polled = wait.polled;
            // A wait forced by tokio's coop budget stores none, however often it is polled.
            if polled.is_forced && polled.wakers == 0 {
                continue;
            }
            let Some(count) = tasks.position(polled.task).and_then(|task| stored.get_mut(task)) else {
                continue;
            };
            if wait.read() != polled {
                *count = None;
            } else if polled.wakers > 0 && !polled.is_indirect {
                *count = count.map(|count: u32| count + 1);
            }
        }
        stored
    }

    /// Takes all threads but this crate's; `None` if unknown.
    pub(super) fn take_threads(&mut self) -> Option<Vec<OtherThread>> {
        self.threads.take()
    }

    /// Adds resources and waits to a snapshot.
    pub(super) fn build(mut self, snapshot: &mut Snapshot, capture: &CaptureContext<'_>) {
        // Read before the current resources, so that one that ends in between is not counted twice.
        if capture.is_whole {
            snapshot.past_resources = past_resources(capture);
        }
        if !self.queued.is_empty() {
            snapshot.waits.reserve_exact(self.loose.len() + self.queued.len());
        }
        let mut classes = Default::default();
        if !self.records.is_empty() {
            let mut holdings = Holdings::new(std::mem::take(&mut self.holdings), &self.foreign, capture);
            let records = std::mem::take(&mut self.records);
            let resources = in_place(records, |_, recorded| {
                self.add(snapshot, &recorded, &mut holdings, &mut classes, capture)
            });
            snapshot.resources = resources;
        }
        drop(std::mem::take(&mut self.queued));
        let loose = in_place(self.loose, |_, wait| {
            let mut built = build(&wait, capture);
            let is_set = wait.mode == waits::WaitMode::LocalSet;
            if is_set && !local_sets::add_tasks(&mut built, &wait, capture) {
                return None;
            }
            built.share(&mut classes.0);
            Some(built)
        });
        if snapshot.waits.is_empty() {
            snapshot.waits = loose;
        } else {
            snapshot.waits.extend(Draining::new(loose));
        }
    }

    /// Adds the waits for a resource to a snapshot, and returns the resource, if it has holdings or
    /// waits.
    fn add(
        &self,
        snapshot: &mut Snapshot,
        recorded: &ResourceQueue,
        holdings: &mut Holdings<'_>,
        classes: &mut (Classes<WaitClass>, <Resource as Alike>::Classes),
        capture: &CaptureContext<'_>,
    ) -> Option<Resource> {
        let queue = &self.queued[recorded.queue.clone()];
        let copies = holdings.take(recorded.id);
        // Units of the resource that were released since they were read.
        let are_over = !queue.is_empty() && copies.iter().any(HoldingCopy::is_over);
        let holdings = holdings.of(&copies, queue.iter().map(|wait| wait.began).min(), capture);
        // A lock that was waited for is listed even if it is free now.
        let was_contended =
            || capture.is_whole && recorded.record.has_units() && recorded.record.was_contended();
        if holdings.is_empty() && queue.is_empty() && !was_contended() {
            return None;
        }
        let id = ResourceId::new(recorded.id);
        let mut granted = 0;
        for (place, wait) in queue.iter().enumerate() {
            let mut built = build(wait, capture);
            built.resource = Some(id);
            built.is_unstable |= are_over;
            built.is_granted = recorded.identity.resource_type.is_fair && is_grant(&built, &wait.polled);
            granted += if built.is_granted { built.units } else { 0 };
            built.ahead = ahead(queue, place);
            push(snapshot, built, &mut classes.0);
        }
        let given_up = recorded.given_up.map(|index| &self.queued[index]);
        if let Some(wait) = given_up.filter(|it| may_be_made_anew(it, capture)) {
            let mut built = build(wait, capture);
            built.resource = Some(id);
            built.ahead = queue.len() as u64;
            push(snapshot, built, &mut classes.0);
        }
        let mut resource = recorded.build(capture);
        resource.holdings = holdings;
        resource.free = free(&resource, granted);
        resource.share(&mut classes.1);
        Some(resource)
    }
}

/// Adds a wait, which shares its class with the waits before.
fn push(snapshot: &mut Snapshot, mut wait: Wait, classes: &mut Classes<WaitClass>) {
    wait.share(classes);
    snapshot.waits.push(wait);
}

/// Returns whether the task may wait with a future that it creates anew for each poll. A future
/// that was given up after several polls, or left out by a later poll, is gone, and its waker wakes
/// the task without effect.
fn may_be_made_anew(wait: &WaitCopy, capture: &CaptureContext<'_>) -> bool {
    let polled = &wait.polled;
    let entered = capture.tasks.get(polled.task).map_or(0, |task| task.entered);
    polled.polls <= 1 && entered != 0 && polled.entered >= entered
}

/// Returns whether the wake of this wait granted the resource.
fn is_grant(wait: &Wait, polled: &WaitProgress) -> bool {
    let can_be = matches!(
        wait.mode,
        WaitMode::Lock | WaitMode::Read | WaitMode::Write | WaitMode::Acquire | WaitMode::Send
    );
    can_be && polled.woken != 0 && !polled.is_forced
}

/// Returns the number of waits that were certainly in the queue before this one.
fn ahead(queue: &[WaitCopy], place: usize) -> u64 {
    let Some(own) = queue.get(place) else { return 0 };
    if own.thread.is_none() && own.asked == 0 {
        return 0;
    }
    let is_before =
        |other: &WaitCopy| (other.thread.is_some() && other.thread == own.thread) || other.place < own.asked;
    // Counts back from the end to the first wait that was certainly before: nearly all are.
    let unsure = queue[..place].iter().rev().take_while(|other| !is_before(other)).count();
    (place - unsure) as u64
}

fn build(wait: &WaitCopy, capture: &CaptureContext<'_>) -> Wait {
    let polled = &wait.polled;
    let task = capture.tasks.get(polled.task);
    let entered = task.map_or(0, |task| task.entered);
    let later = wait.read();
    let is_set_aside = !wait.is_blocking && later.entered < entered;
    let is_pinned = wait.is_pinned && !wait.is_given_up;
    let mut built = Wait::default();
    // Borrowed once, because each mutable borrow checks that the class is not shared.
    let class: &mut WaitClass = &mut built;
    if let Some(tasks) = &wait.tasks {
        class.tasks = tasks.iter().copied().map(TaskId::new).collect();
    }
    class.mode = mode(wait.mode);
    class.units = wait.units;
    class.place = Some(match wait.awaited {
        Some(site) => capture.texts.place_of_site(site),
        None => capture.texts.place(wait.at),
    });
    // Decided by the finished polls of its task, because it is not known yet which futures the
    // running poll leaves out.
    class.is_set_aside = is_set_aside;
    // The poll that runs now may lend the future to scoped threads, or move it.
    let is_left_out = !wait.is_blocking && task.is_some_and(TaskCopy::is_running);
    class.is_confined = is_pinned && !is_left_out && capture.confined.has(wait.memory, polled.task);
    class.may_have_moved = is_left_out || !wait.is_blocking && may_have_moved(wait, is_set_aside, capture);
    class.is_wake_ignored = is_set_aside && polled.woken != 0 && polled.woken < entered;
    class.is_indirect = polled.is_indirect;
    class.is_forced = polled.is_forced;
    class.wakers = polled.wakers.into();
    class.thread_id = if wait.is_blocking { capture.thread_id(wait.thread) } else { None };
    class.is_unstable = !later.waits_as(polled);
    built.id = WaitId::new(wait.id);
    // A task that is not listed is done, unless its record was lost.
    let is_known = task.is_some() || polled.task != 0 && capture.tasks.is_done(polled.task, polled.entered);
    built.task = is_known.then_some(TaskId::new(polled.task));
    built.span = (polled.span != 0).then_some(SpanId::new(polled.span));
    built.since_ns = capture.ago(wait.began);
    built.polls = polled.polls;
    built.due_ns = (wait.due != 0).then(|| {
        let ns = |ns: u64| i64::try_from(ns).unwrap_or(i64::MAX);
        ns(wait.due.saturating_sub(capture.instant_ns)) - ns(capture.instant_ns.saturating_sub(wait.due))
    });
    built.woken_ns = (polled.woken != 0).then(|| capture.ago(polled.woken));
    built
}

/// Returns whether its future may have moved to another task since it was polled. `is_set_aside`
/// says whether its task was polled since.
fn may_have_moved(wait: &WaitCopy, is_set_aside: bool, capture: &CaptureContext<'_>) -> bool {
    let polled = &wait.polled;
    if mode(wait.mode) == WaitMode::Join {
        // A handle on the heap may be shared, and a set goes on after the future that borrowed it.
        return wait.is_given_up || !capture.confined.has(wait.memory, polled.task);
    }
    let is_around = || {
        let span = capture.confined.last_polled(polled.span);
        span.is_none_or(|span| span.stay == Stay::Confined && is_still_at(wait.polled_in, span.at))
    };
    !(capture.confined.has(wait.memory, polled.task) || !is_set_aside && is_around())
}

/// Returns whether a body whose current await is `at` may still be where it polled a future, in
/// this node. If it has gone on within the same poll, it may have handed on the future.
fn is_still_at(polled_in: Option<&'static Node>, at: Option<&'static Site>) -> bool {
    let is_await = |node: &&Node| node.site.kind == SiteKind::Await;
    match at {
        // An arm of a macro is below the await of the macro, if that is on record.
        Some(at) => std::iter::successors(polled_in.filter(is_await), |node| node.parent.filter(is_await))
            .any(|node| std::ptr::eq(node.site, at)),
        None => polled_in.is_none_or(|node| !is_await(&node) || !node.site.is_direct),
    }
}

#[cfg(all(test, target_os = "linux", not(diagnose_loom)))]
mod tests {
    use std::future::{Future, poll_fn};
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};
    use std::thread;

    use super::foreign_threads;
    use crate::{FutureExt as _, os};

    fn call() -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let mut polls = 0;
        let waits = poll_fn(move |_| {
            polls += 1;
            if polls > 2 { Poll::Ready(()) } else { Poll::Pending }
        });
        Box::pin(waits.diagnose("call"))
    }

    fn poll(call: &mut (dyn Future<Output = ()> + Unpin)) -> Poll<()> {
        Pin::new(call).poll(&mut Context::from_waker(Waker::noop()))
    }

    // one thread       ├ call ┤┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈
    // another            moved to it ─▶ ├ call ┤┈┈├ ready ┤   ├ a call of its own ┤
    //                                                      unknown             known
    #[test]
    fn a_thread_that_ends_a_call_of_another_may_have_what_no_task_has() {
        let begins = || {
            let mut moved = call();
            assert!(poll(&mut moved).is_pending());
            moved
        };
        let mut moved = thread::spawn(begins).join().unwrap();
        let ends = move || {
            let is_known = || foreign_threads(Some(&[(os::thread_id(), 1)])).is_empty();
            while poll(&mut moved).is_pending() {}
            assert!(!is_known());
            let mut own = call();
            assert!(poll(&mut own).is_pending());
            assert!(is_known());
        };
        thread::spawn(ends).join().unwrap();
    }
}
