//! Where a stake is: with the task that used it last, with one that was spawned since, in a message, or nobody knows.
//!
//! A guard that borrows, and an end of a channel, cannot be followed when they are moved. But all ways out of a task that
//! are recorded are counted: what it has spawned, and what it has sent that could carry something away. A thread that began
//! later, and of which nothing is known, may have what was there before.

use std::collections::HashMap;

use diagnose_reports::{Role, Stake, Whereabouts};

use super::waits::{Known, Seen, place};
use crate::live;
use crate::waits::{self, Staked};

/// All stakes by their resource.
#[derive(Debug)]
pub(super) struct Stakes<'a> {
    by_resource: HashMap<u64, Vec<&'a Staked>>,
    /// How often tasks that are done had spawned, and sent, as far as that is kept.
    done: HashMap<u64, (u32, u32)>,
    /// The ages of threads of which nothing is known, in nanoseconds.
    foreign: &'a [u64],
}

/// The kernel tells when a thread began in hundredths of a second.
const MARGIN_NS: u64 = 30_000_000;

impl<'a> Stakes<'a> {
    pub(super) fn new(stakes: &'a [Staked], foreign: &'a [u64]) -> Self {
        let mut by_resource: HashMap<u64, Vec<&Staked>> = HashMap::new();
        for stake in stakes {
            by_resource.entry(stake.resource).or_default().push(stake);
        }
        for stakes in by_resource.values_mut() {
            stakes.sort_by_key(|stake| (stake.since, stake.span, stake.units));
        }
        let done = live::all_tasks().into_iter().filter_map(live::Task::given_away_before).collect();
        Self { by_resource, done, foreign }
    }

    pub(super) fn foreign_threads(&self) -> u64 {
        self.foreign.len() as u64
    }

    /// The stakes in that resource, oldest first.
    pub(super) fn of(&self, resource: u64, seen: &Seen<'_>) -> Vec<Stake> {
        let stakes = self.by_resource.get(&resource).map_or(&[][..], Vec::as_slice);
        stakes.iter().map(|stake| self.build(stake, seen)).collect()
    }

    fn build(&self, staked: &Staked, seen: &Seen<'_>) -> Stake {
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
        stake.place = staked.at.map(place);
        stake.since_ns = seen.ago(staked.since);
        stake.uses = staked.uses;
        self.find(staked, &mut stake, seen);
        stake
    }

    /// Says where it is.
    fn find(&self, staked: &Staked, stake: &mut Stake, seen: &Seen<'_>) {
        let Some(owner) = seen.tasks.get(&staked.task) else {
            // Its task is gone, and what can be moved is with somebody else. What borrows was forgotten there.
            let is_forgotten = staked.task != 0 && !staked.is_movable;
            stake.whereabouts = if is_forgotten {
                Whereabouts::Exact
            } else if staked.is_movable
                && self.is_with_spawned(staked)
                && !self.may_be_foreign(stake.since_ns)
            {
                stake.candidates = spawned_by(staked.task, staked.since, seen);
                if stake.candidates.is_empty() { Whereabouts::Unknown } else { Whereabouts::Likely }
            } else {
                Whereabouts::Unknown
            };
            return;
        };
        let (spawned, sent) = owner.task.given_away();
        if spawned != staked.spawned {
            stake.candidates = spawned_by(staked.task, staked.since, seen);
        }
        stake.whereabouts = if !staked.is_movable {
            if sent == staked.sent { Whereabouts::Exact } else { Whereabouts::Likely }
        } else if self.may_be_foreign(stake.since_ns) {
            Whereabouts::Unknown
        } else if sent != staked.sent {
            self.follow(staked, stake, owner, seen)
        } else if staked.role != waits::Role::Holds && (staked.uses == 0 || staked.is_shared) {
            // Nobody has seen it since it was made, or it goes from hand to hand.
            Whereabouts::Likely
        } else {
            Whereabouts::Exact
        };
    }

    /// Whether its task, which is done, has sent nothing since that could carry something away, and has spawned.
    fn is_with_spawned(&self, staked: &Staked) -> bool {
        let done = self.done.get(&staked.task);
        done.is_some_and(|(spawned, sent)| *sent == staked.sent && *spawned != staked.spawned)
    }

    /// Whether a thread of which nothing is known began after that.
    fn may_be_foreign(&self, since_ns: u64) -> bool {
        self.foreign.iter().any(|age_ns| *age_ns <= since_ns.saturating_add(MARGIN_NS))
    }

    /// Its task has sent something since, maybe with this in it.
    fn follow(&self, staked: &Staked, stake: &mut Stake, owner: &Known, seen: &Seen<'_>) -> Whereabouts {
        let [resource, message, _] = owner.task.sent_to();
        let (_, sent) = owner.task.given_away();
        // An end that was in use: what is sent is what was made for it, or else this is stale.
        if staked.uses != 0 && staked.role != waits::Role::Holds {
            return Whereabouts::Likely;
        }
        // It was made, one message was sent, and since then nobody has seen it.
        if staked.uses != 0 || sent.wrapping_sub(staked.sent) != 1 {
            return Whereabouts::Unknown;
        }
        let Some(record) = waits::all_records().into_iter().find(|record| record.id() == resource) else {
            return Whereabouts::Unknown;
        };
        if record.taken_out() < message {
            stake.inside = Some(resource);
            return Whereabouts::Likely;
        }
        // It was received. Whoever did has it, or has spawned a task for it, or has sent it on.
        let receives = |stake: &&&Staked| stake.role == waits::Role::Receives;
        let receiver = self.by_resource.get(&resource).and_then(|all| all.iter().find(receives));
        let Some((receiver, task)) = receiver.and_then(|it| Some((it.task, seen.tasks.get(&it.task)?)))
        else {
            return Whereabouts::Unknown;
        };
        let [_, _, sent_at] = task.task.sent_to();
        if sent_at >= staked.since {
            return Whereabouts::Unknown;
        }
        stake.candidates.push(receiver);
        stake.candidates.extend(spawned_by(receiver, staked.since, seen));
        Whereabouts::Likely
    }
}

/// The tasks that were spawned by that one since then, and those of which nobody knows who spawned them.
fn spawned_by(task: u64, since: u64, seen: &Seen<'_>) -> Vec<u64> {
    let is_later = |known: &Known| (known.spawned_by == task || known.is_stranger) && known.made >= since;
    let mut later: Vec<u64> =
        seen.tasks.iter().filter(|(id, known)| **id != task && is_later(known)).map(|(id, _)| *id).collect();
    later.sort_unstable();
    later
}
