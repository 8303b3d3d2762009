//! Where a guard or a channel end may be that was sent in a message.

use std::sync::atomic::Ordering::Relaxed;

use diagnose_reports::model::{Attribution, Holding, ResourceId, TaskId};

use super::{Holdings, MAX_JOINERS, ids};
use crate::snapshot::capture_context::CaptureContext;
use crate::snapshot::task_copy::TaskCopy;
use crate::waits::{self, HoldingCopy};

impl Holdings<'_> {
    /// Attributes a holding whose task has sent since, maybe with the holding in the message.
    pub(super) fn follow(
        &self,
        copy: &HoldingCopy,
        holding: &mut Holding,
        owner: &TaskCopy,
        capture: &CaptureContext<'_>,
    ) -> Attribution {
        let [resource, message, _] = owner.task.sent_to();
        let sent = owner.task.transfer_counts().sent();
        // A used end: its task probably sent something made for the purpose, or else this
        // attribution is outdated. And a receiver is in no message of its own channel.
        let is_its_receiver = copy.role == waits::Role::Receives && copy.resource == resource;
        if copy.uses != 0 || is_its_receiver {
            let is_end = copy.role != waits::Role::Holds;
            return if is_end { Attribution::Likely } else { Attribution::Unknown };
        }
        // An unused holding, followed by exactly one send, is in that message. If there are several
        // messages, the last one probably has the youngest holding, but that is a guess.
        let is_only_one = sent.wrapping_sub(copy.transfers.sent()) == 1;
        let made = (copy.since, copy.resource);
        if !is_only_one && self.youngest.get(&copy.task).is_none_or(|youngest| *youngest > made) {
            return Attribution::Unknown;
        }
        let likely = if is_only_one { Attribution::Likely } else { Attribution::Unknown };
        let Some(record) = self.records.get(&resource).filter(|record| record.id() == resource) else {
            return Attribution::Unknown;
        };
        if record.left.load(Relaxed) < message {
            holding.in_channel = Some(ResourceId::new(resource));
            return likely;
        }
        // The message was received. The receiver has the holding, has spawned a task for it, or has
        // sent it on.
        let receiver = self.receivers.get(&resource);
        let Some((&(receiver, then), task)) = receiver.and_then(|it| Some((it, capture.tasks.get(it.0)?)))
        else {
            return Attribution::Unknown;
        };
        // The receiver, if it is known at all.
        holding.candidates.push(TaskId::new(receiver));
        // The receiver may have sent it on in its last poll, if it sent more in that poll.
        let [_, _, sent_at] = task.task.sent_to();
        let sent = task.task.transfer_counts().sent();
        let was_last = record.left.load(Relaxed) == message;
        if sent_at >= copy.since || was_last && sent != then.sent() {
            self.add_next_receivers(task, holding, capture);
            return Attribution::Unknown;
        }
        let Some(later) = self.candidates.since(receiver, copy.since) else {
            return Attribution::Unknown;
        };
        holding.candidates.extend(ids(later));
        likely
    }

    /// Adds the receiver of the last message of `task`, of that receiver's last message, and so on:
    /// each may have sent the holding on.
    fn add_next_receivers(&self, task: &TaskCopy, holding: &mut Holding, capture: &CaptureContext<'_>) {
        let mut task = task;
        for _ in 0..MAX_JOINERS {
            let [resource, ..] = task.task.sent_to();
            let Some(&(receiver, _)) = self.receivers.get(&resource) else { return };
            let Some(next) = capture.tasks.get(receiver) else { return };
            if holding.candidates.contains(&TaskId::new(receiver)) {
                return;
            }
            holding.candidates.push(TaskId::new(receiver));
            task = next;
        }
    }
}
