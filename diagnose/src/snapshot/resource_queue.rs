//! A resource with the places of its waits: how it is copied, and turned into a row.

use std::ops::Range;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::atomic::{AtomicU64, fence};

use diagnose_reports::model::{
    self, Holding, LastEvent, Resource, ResourceClass, ResourceId, Role, TaskId, Text,
};

use super::capture_context::CaptureContext;
use super::usage::usage;
use crate::waits::{self, Creator, Record, RecordIdentity, ResourceKind, UNBOUNDED, WaitCopy};

/// A resource and its queue.
#[derive(Debug)]
pub(super) struct ResourceQueue {
    pub(super) record: &'static Record,
    pub(super) id: u64,
    pub(super) identity: RecordIdentity,
    /// The indexes of its queue in the waits.
    pub(super) queue: Range<usize>,
    /// Whether a sender waits that was not woken.
    has_sender: bool,
    /// Index of a wait that was given up and whose waker the primitive still keeps.
    pub(super) given_up: Option<usize>,
    last_notified: Option<Box<waits::LastNotify>>,
    last_forgotten: Option<Box<waits::LastEvent>>,
}

/// The counts of a resource.
#[derive(Debug, Default)]
struct Counts {
    capacity: u64,
    forgotten: u64,
    is_refilled: bool,
    is_closed: bool,
    last_acquired: Option<waits::LastEvent>,
    /// Messages put in, arrivals, or acquisitions.
    entered: u64,
    /// Messages that nothing has taken out.
    filled: u64,
}

impl ResourceQueue {
    /// Copies a record and finds its queue. From `next` on, `waits` has the waits of this resource
    /// and of later ones.
    pub(super) fn capture(
        id: u64,
        record: &'static Record,
        waits: &[WaitCopy],
        next: &mut usize,
    ) -> Option<Self> {
        let (_, identity) = record.identity().filter(|(own, _)| *own == id)?;
        let count = |from: usize, is_its: &dyn Fn(&WaitCopy) -> bool| {
            waits[from..].iter().take_while(|wait| is_its(wait)).count()
        };
        let start = *next + count(*next, &|wait| wait.resource < id);
        let queue = start..start + count(start, &|wait| wait.resource == id && !wait.is_given_up);
        *next = queue.end + count(queue.end, &|wait| wait.resource == id);
        let given_up = (*next).checked_sub(1).filter(|last| *last >= queue.end);
        let is_sender = |wait: &WaitCopy| wait.mode == waits::WaitMode::Send && wait.polled.woken == 0;
        let has_sender = waits[queue.clone()].iter().any(is_sender);
        let last_notified = record.last_notified().map(Box::new);
        let last_forgotten = record.last_forgotten().map(Box::new);
        // `None` if the record was reused in between.
        (record.id() == id).then_some(Self {
            record,
            id,
            identity,
            queue,
            has_sender,
            given_up,
            last_notified,
            last_forgotten,
        })
    }

    pub(super) fn build(&self, capture: &CaptureContext<'_>) -> Resource {
        let Self { record, identity, .. } = self;
        let counts = self.counts();
        let mut resource = Resource::default();
        // Borrowed once, because each mutable borrow checks that the class is not shared.
        let class: &mut ResourceClass = &mut resource;
        class.kind = identity.resource_type.kind;
        class.library = capture.texts.of(identity.resource_type.library);
        class.name = identity.name.as_deref().map(Text::from);
        class.created = capture.texts.place_outside_std(identity.made_at);
        if let Creator::Thread(thread) = identity.made_by {
            class.created_on = capture.thread_id(Some(thread));
        }
        class.capacity = Some(counts.capacity).filter(|capacity| *capacity != UNBOUNDED);
        class.forgotten = counts.forgotten;
        class.is_refilled = counts.is_refilled;
        class.is_fair = identity.resource_type.is_fair;
        class.is_closed = counts.is_closed;
        class.last_notified = self.last_notified.as_ref().map(|notify| {
            let mut built = event(&notify.last, capture);
            (built.waiters, built.is_broadcast) = (notify.waiting, notify.all);
            built
        });
        class.last_acquired = counts.last_acquired.map(|last| event(&last, capture));
        class.last_forgotten = self.last_forgotten.as_ref().map(|last| event(last, capture));
        // Read late: a kilobyte for each of a million channels is too much to keep.
        let mut used = record.usage_so_far();
        if record.id() == self.id {
            let acquisitions = waits::subtract_usage(self.id, counts.entered, &mut used);
            class.usage = usage(&used, acquisitions, identity.resource_type.kind, capture);
            // The listed waits only: waits that began since would seem to have ended.
            class.usage.contended += self.queue.len() as u64;
        }
        resource.id = ResourceId::new(self.id);
        if let Creator::Task(task) = identity.made_by {
            resource.created_by = Some(TaskId::new(task));
        }
        resource.first_task = capture.first_task_since(identity.created).map(TaskId::new);
        resource.age_ns = capture.ago(identity.started);
        // A broadcast drops a message once all receivers have it. How many it has is not recorded.
        // Neither is what the original of a receiver has received.
        resource.filled = match identity.resource_type.kind {
            ResourceKind::Mpsc
            | ResourceKind::Mpmc
            | ResourceKind::Oneshot
            | ResourceKind::Pipe
            | ResourceKind::Barrier => counts.filled,
            _ => 0,
        };
        resource
    }

    /// Reads the counts of the resource; none if it is gone, and its record that of another one.
    fn counts(&self) -> Counts {
        let record = self.record;
        let value = |counter: &AtomicU64| counter.load(Relaxed);
        let entered = value(&record.entered);
        let capacity = value(&record.capacity);
        let mut filled = entered.saturating_sub(value(&record.left));
        if filled > 0 && record.has_lost(waits::Role::Receives) {
            // A sender waits only if the channel is full.
            filled = if self.has_sender && capacity != UNBOUNDED { filled.min(capacity) } else { 0 };
        }
        let counts = Counts {
            capacity,
            forgotten: value(&record.forgotten),
            is_refilled: record.is_refilled.load(Relaxed),
            is_closed: record.is_closed.load(Relaxed),
            last_acquired: record.last_acquired(),
            entered,
            filled,
        };
        // Pairs with the Release fence in `occupy`: if something was read of a later resource, the
        // id has changed.
        fence(Acquire);
        let is_same = record.id() == self.id;
        if is_same { counts } else { Counts { capacity: UNBOUNDED, ..Counts::default() } }
    }
}

fn event(last: &waits::LastEvent, capture: &CaptureContext<'_>) -> LastEvent {
    let mut built = LastEvent::default();
    built.ago_ns = (last.tick != 0).then(|| capture.ago(last.tick));
    built.task = (last.task != 0).then_some(TaskId::new(last.task));
    built.place = Some(capture.texts.place(last.at));
    built
}

/// Returns the units that are neither held nor granted.
pub(super) fn free(resource: &Resource, granted: u64) -> u64 {
    let Some(capacity) = resource.capacity else { return u64::MAX };
    let is_channel = matches!(
        resource.kind,
        model::ResourceKind::Mpsc | model::ResourceKind::Mpmc | model::ResourceKind::Pipe
    );
    let holds = |holding: &&Holding| holding.role == Role::Holds;
    let held: u64 = resource.holdings.iter().filter(holds).map(|holding| holding.units).sum();
    let taken = held.saturating_add(granted).saturating_add(resource.forgotten);
    capacity.saturating_sub(taken).saturating_sub(if is_channel { resource.filled } else { 0 })
}
