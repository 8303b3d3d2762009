//! Converts the recorded lock order to plain data.

use diagnose_reports::model::{self, LockOrder, LockedResource, ResourceId, TaskId};

use super::task_copy::some;
use super::texts::Texts;
use crate::tree;
use crate::waits::RecordIdentity;
use crate::waits::lock_order::{LockPair, recorded};

/// Returns the recorded pairs, or `None` while recording them is off.
pub(super) fn build() -> Option<LockOrder> {
    let recorded = recorded()?;
    let mut order = LockOrder::default();
    let texts = Texts::default();
    for (id, identity) in &recorded.resources {
        order.resources.push(resource(*id, identity, &texts));
    }
    for ((held, acquired), pair) in &recorded.pairs {
        if recorded.resources.contains_key(held) && recorded.resources.contains_key(acquired) {
            order.pairs.push(build_pair(*held, *acquired, pair, &texts));
        }
    }
    order.over_pairs = recorded.over;
    Some(order)
}

fn resource(id: u64, identity: &RecordIdentity, texts: &Texts) -> LockedResource {
    let mut built = LockedResource::default();
    built.id = ResourceId::new(id);
    built.kind = identity.resource_type.kind;
    built.library.push_str(identity.resource_type.library);
    built.name = identity.name.as_deref().map(str::to_owned);
    built.created = texts.place_outside_std(identity.made_at);
    built
}

fn build_pair(held: u64, acquired: u64, pair: &LockPair, texts: &Texts) -> model::LockPair {
    let mut built = model::LockPair::default();
    (built.held, built.acquired) = (ResourceId::new(held), ResourceId::new(acquired));
    built.held_at = pair.held_at.map(|at| texts.place(at));
    built.acquired_at = pair.acquired_at.map(|at| texts.place(at));
    built.task = some(pair.task).map(TaskId::new);
    built.task_name.push_str(pair.task_name);
    if pair.task == 0 {
        let own = tree::all().into_iter().find(|tree| Some(tree.root.tree) == pair.thread);
        built.thread = own.and_then(tree::Tree::thread).map(|(name, _)| name).unwrap_or_default();
    }
    built.count = pair.count;
    built
}
