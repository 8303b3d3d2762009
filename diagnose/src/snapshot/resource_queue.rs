//! A resource with the places of its waits: how it is copied, and turned into a row.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

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
    /// Index of a wait that was given up and whose waker the primitive still keeps.
    pub(super) given_up: Option<usize>,
    last_notified: Option<Box<waits::LastNotify>>,
    last_forgotten: Option<Box<waits::LastEvent>>,
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
        let last_notified = record.last_notified().map(Box::new);
        let last_forgotten = record.last_forgotten().map(Box::new);
        // `None` if the record was reused in between.
        (record.id() == id).then_some(Self {
            record,
            id,
            identity,
            queue,
            given_up,
            last_notified,
            last_forgotten,
        })
    }

    pub(super) fn build(&self, capture: &CaptureContext<'_>) -> Resource {
        let Self { record, identity, .. } = self;
        let value = |counter: &std::sync::atomic::AtomicU64| counter.load(Relaxed);
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
        class.capacity = Some(value(&record.capacity)).filter(|capacity| *capacity != UNBOUNDED);
        class.forgotten = value(&record.forgotten);
        class.is_refilled = record.is_refilled.load(Relaxed);
        class.is_fair = identity.resource_type.is_fair;
        class.is_closed = record.is_closed.load(Relaxed);
        class.last_notified = self.last_notified.as_ref().map(|notify| {
            let mut built = event(&notify.last, capture);
            (built.waiters, built.is_broadcast) = (notify.waiting, notify.all);
            built
        });
        class.last_acquired = record.last_acquired().map(|last| event(&last, capture));
        class.last_forgotten = self.last_forgotten.as_ref().map(|last| event(last, capture));
        let (entered, left) = (value(&record.entered), value(&record.left));
        // Read late: a kilobyte for each of a million channels is too much to keep.
        let mut used = record.usage_so_far();
        if record.id() == self.id {
            let acquisitions = waits::subtract_usage(self.id, entered, &mut used);
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
        resource.filled = match identity.resource_type.kind {
            ResourceKind::Mpsc
            | ResourceKind::Mpmc
            | ResourceKind::Oneshot
            | ResourceKind::Pipe
            | ResourceKind::Barrier => entered.saturating_sub(left),
            _ => 0,
        };
        resource
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
