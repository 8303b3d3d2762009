//! Which kind of verdict a group of stuck gates is, and the way through it that is shown.

use std::collections::BTreeSet;

use super::facts::{Facts, is_active};
use super::gates::Gate;
use super::rules::is_short;
use super::stuck::Stuck;
use super::system::{Node, System};
use super::verdict::{VerdictDetail, VerdictKind};
use crate::model::{Mode, ResourceKind, Role, State};

/// What a group of gates was judged to be.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) kind: VerdictKind,
    pub(super) detail: Option<VerdictDetail>,
    /// From the one that waits; in a circle back to it.
    pub(super) way: Vec<Node>,
    /// Of a knot, its resource.
    pub(super) knot: Option<usize>,
}

impl Judged {
    fn new(kind: VerdictKind, detail: Option<VerdictDetail>, way: Vec<Node>) -> Self {
        Self { kind, detail, way, knot: None }
    }
}

/// Judges a group that nothing outside has to be resolved for, or that is a circle.
pub(super) fn judge(system: &System<'_>, stuck: &Stuck, group: usize) -> Vec<Judged> {
    let gates = stuck.group(group);
    if gates.iter().any(|&gate| matches!(system.nodes[gate], Node::Anybody(_))) {
        return quiet(system, gates);
    }
    let judged = if stuck.is_circle(group) {
        let way = circle(system, stuck, group);
        way.map(|way| judge_circle(system, stuck, group, way))
    } else {
        judge_end(system, stuck, group)
    };
    judged.into_iter().collect()
}

/// The shortest circle from the first task, or blocked thread, rather by who holds than by who stands before it.
fn circle(system: &System<'_>, stuck: &Stuck, group: usize) -> Option<Vec<Node>> {
    let gates = stuck.group(group);
    let is_task = |gate: &Gate| matches!(system.nodes[*gate], Node::Task(_));
    // Who sleeps in a poll is the story, if anybody does.
    let is_awake = |gate: &Gate| {
        let task = system.nodes[*gate].task();
        task.is_some_and(|task| system.facts.snapshot.tasks[task].state != State::Running)
    };
    let tasks = gates.iter().copied().filter(is_task);
    let arm = || gates.iter().copied().find(|gate| matches!(system.nodes[*gate], Node::Arm(_)));
    let start = tasks.min_by_key(|gate| (is_awake(gate), *gate)).or_else(arm);
    let start = start.or_else(|| gates.iter().copied().min())?;
    let is_direct = |gate: Gate| !matches!(system.nodes[gate], Node::Ahead(_) | Node::Closing(_));
    let way = stuck.circle(start, is_direct).or_else(|| stuck.circle(start, |_| true))?;
    Some(way.into_iter().map(|gate| system.nodes[gate]).collect())
}

fn judge_circle(system: &System<'_>, stuck: &Stuck, group: usize, way: Vec<Node>) -> Judged {
    let facts = system.facts;
    let snapshot = facts.snapshot;
    let has = |wanted: fn(&Node) -> bool| way.iter().any(wanted);
    let tasks: BTreeSet<usize> = way.iter().filter_map(Node::task).collect();
    let mut blocked = tasks.iter().filter(|&&task| snapshot.tasks[task].state == State::Running).count();
    let is_shutdown =
        |node: &Node| matches!(node, Node::Wait(wait) if snapshot.waits[*wait].mode == Mode::Shutdown);
    if has(|node| matches!(node, Node::Pool(_))) {
        return Judged::new(VerdictKind::PoolExhausted, None, way);
    }
    if way.iter().any(is_shutdown) {
        return Judged::new(VerdictKind::Shutdown, None, way);
    }
    if has(|node| matches!(node, Node::Workers(_))) {
        return Judged::new(VerdictKind::BlockedWorker, None, way);
    }
    // One that could run, but for its thread.
    if way.windows(2).any(|pair| matches!(pair, [Node::Task(task), Node::Thread(_)] if snapshot.tasks[*task].state != State::Running))
    {
        blocked = 1;
    }
    if blocked > 0 && (blocked < tasks.len() || tasks.len() == 1) {
        return Judged::new(VerdictKind::BlockedWorker, None, way);
    }
    if let Some(detail) = futurelock(facts, &way) {
        return Judged::new(VerdictKind::Futurelock, Some(detail), way);
    }
    if let Some(knot) = way.iter().find_map(|node| knot(system, stuck, group, *node)) {
        let mut judged = Judged::new(VerdictKind::Cycle, Some(VerdictDetail::Knot), way);
        judged.knot = Some(knot);
        return judged;
    }
    let is_own_sender = |node: &Node| match node {
        Node::Stake(resource, number) => {
            let stake = &snapshot.resources[*resource].stakes[*number];
            stake.role == Role::Sends && stake.inside.is_none()
        }
        _ => false,
    };
    if tasks.len() == 1 {
        let is_leak = way.iter().any(is_own_sender);
        let kind = if is_leak { VerdictKind::Leak } else { VerdictKind::SelfWait };
        return Judged::new(kind, None, way);
    }
    let is_queued =
        |node: &Node| matches!(node, Node::Leaves(wait) if snapshot.waits[*wait].woken_ns.is_none());
    let detail = way.iter().any(is_queued).then_some(VerdictDetail::ViaQueue);
    Judged::new(VerdictKind::Cycle, detail, way)
}

/// Which futurelock the way goes through.
fn futurelock(facts: &Facts<'_>, way: &[Node]) -> Option<VerdictDetail> {
    let snapshot = facts.snapshot;
    way.iter().find_map(|node| match *node {
        Node::Leaves(wait) => {
            let wait = &snapshot.waits[wait];
            let has_it = wait.is_granted || wait.woken_ns.is_some();
            let detail = if has_it { VerdictDetail::Granted } else { VerdictDetail::Queued };
            (!is_active(wait)).then_some(detail)
        }
        Node::Stake(resource, number) => {
            let stake = &snapshot.resources[resource].stakes[number];
            let is_unpolled = stake.role == Role::Receives && stake.uses == 0 && stake.inside.is_none();
            if facts.is_set_aside(stake) {
                Some(VerdictDetail::Holding)
            } else {
                is_unpolled.then_some(VerdictDetail::Unpolled)
            }
        }
        _ => None,
    })
}

/// The resource whose units are held by several in the group.
fn knot(system: &System<'_>, stuck: &Stuck, group: usize, node: Node) -> Option<usize> {
    let Node::Level(resource) = node else { return None };
    let it = &system.facts.snapshot.resources[resource];
    let held = knotted(system, stuck, group, resource);
    let owners: BTreeSet<u64> = held.into_iter().map(|(_, task)| task).collect();
    (it.kind == ResourceKind::Semaphore && owners.len() > 1).then_some(resource)
}

/// The stakes of a resource that are held in the group, with their tasks.
pub(super) fn knotted(
    system: &System<'_>,
    stuck: &Stuck,
    group: usize,
    resource: usize,
) -> Vec<(usize, u64)> {
    let stakes = system.facts.snapshot.resources[resource].stakes.iter();
    let gates = system.shared.stakes[resource].iter();
    let held = stakes
        .zip(gates)
        .enumerate()
        .filter(|(_, (stake, gate))| stake.role == Role::Holds && stuck.is_in(**gate, group));
    held.filter_map(|(number, (stake, _))| Some((number, stake.task?))).collect()
}

/// A gate that nothing opens.
fn judge_end(system: &System<'_>, stuck: &Stuck, group: usize) -> Option<Judged> {
    let facts = system.facts;
    let &[end] = stuck.group(group) else { return None };
    let is_start = |gate: Gate| match system.nodes[gate] {
        Node::Task(_) => true,
        Node::Wait(wait) => facts.task_of(&facts.snapshot.waits[wait]).is_none(),
        _ => false,
    };
    let way = |start: usize| -> Option<Vec<Node>> {
        let way = stuck.way_to(start, is_start)?;
        Some(way.into_iter().map(|gate| system.nodes[gate]).collect())
    };
    let (kind, detail) = match system.nodes[end] {
        Node::Woken(task) => {
            let set_aside = facts.waits_of_task[task].iter().copied();
            let has_it = |wait: &usize| facts.snapshot.waits[*wait].woken_ns.is_some();
            let mut set_aside: Vec<usize> =
                set_aside.filter(|&wait| !is_active(&facts.snapshot.waits[wait])).collect();
            set_aside.sort_by_key(|wait| !has_it(wait));
            match set_aside.first() {
                Some(first) => {
                    let detail = if has_it(first) { VerdictDetail::Granted } else { VerdictDetail::Queued };
                    let way = way_by(system, stuck, *first, task);
                    return Some(Judged::new(VerdictKind::Futurelock, Some(detail), way));
                }
                None => (VerdictKind::LostWaker, None),
            }
        }
        Node::Wait(_) => (VerdictKind::LostWaker, None),
        Node::Stake(..) => (VerdictKind::Leak, None),
        Node::Level(resource) if facts.snapshot.resources[resource].forgotten > 0 => {
            (VerdictKind::Leak, None)
        }
        _ => (VerdictKind::Starved, None),
    };
    Some(Judged::new(kind, detail, way(group)?))
}

/// From one that waits behind a future that its task does not poll, to that task.
fn way_by(system: &System<'_>, stuck: &Stuck, wait: usize, task: usize) -> Vec<Node> {
    let leaves = system.leaves(wait);
    let others = |gate: Gate| matches!(system.nodes[gate], Node::Task(other) if other != task);
    let way = stuck.way_to_gate(leaves, others).unwrap_or_else(|| vec![leaves]);
    let way = way.into_iter().map(|gate| system.nodes[gate]);
    way.chain([Node::Task(task), Node::Woken(task)]).collect()
}

/// Everything is quiet: each resource at which somebody waits to be told, or for others to come, is a verdict.
fn quiet(system: &System<'_>, gates: &[Gate]) -> Vec<Judged> {
    let snapshot = system.facts.snapshot;
    let mut waits: Vec<(usize, usize)> = gates
        .iter()
        .filter_map(|&gate| match system.nodes[gate] {
            Node::Wait(wait) => Some((snapshot.waits[wait].resource?, wait)),
            _ => None,
        })
        .filter(|&(resource, wait)| {
            let it = &snapshot.resources[resource];
            matches!(it.kind, ResourceKind::Barrier | ResourceKind::Notify | ResourceKind::Condvar)
                || is_short(it, &snapshot.waits[wait])
        })
        .collect();
    waits.sort_unstable();
    waits.dedup_by_key(|(resource, _)| *resource);
    let judged = |(resource, wait): (usize, usize)| {
        let it = &snapshot.resources[resource];
        let kind = match it.told {
            Some(_) => VerdictKind::MissedNotify,
            None if it.kind == ResourceKind::Semaphore && it.forgotten > 0 => VerdictKind::Leak,
            None => VerdictKind::Starved,
        };
        Judged::new(kind, None, vec![Node::Wait(wait), Node::Anybody(resource)])
    };
    waits.into_iter().map(judged).collect()
}
