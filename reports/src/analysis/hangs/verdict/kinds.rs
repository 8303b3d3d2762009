//! Which kind of verdict a group of stuck gates is, and the way through it that is shown.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::types::{VerdictDetail, VerdictKind};
use crate::analysis::hangs::facts::{Facts, is_active};
use crate::analysis::hangs::stuck::sibling_futures;
use crate::analysis::hangs::stuck::{Stuck, reasons};
use crate::analysis::hangs::system::{Gate, Node, System, is_short, is_told, task_gate};
use crate::model::{Holding, ResourceKind, Role, RunState, Task, TaskKind, WaitMode};

/// What a group of gates was judged to be.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) kind: VerdictKind,
    pub(crate) detail: Option<VerdictDetail>,
    /// From the one that waits; in a circle back to it.
    pub(crate) way: Vec<Node>,
    /// Of a knot, its resource.
    pub(crate) knot: Option<usize>,
}

impl Judged {
    fn new(kind: VerdictKind, detail: Option<VerdictDetail>, way: Vec<Node>) -> Self {
        Self { kind, detail, way, knot: None }
    }
}

/// Judges a group that nothing outside has to be resolved for, or that is a circle.
pub(crate) fn judge(system: &System<'_>, stuck: &Stuck, group: usize) -> Vec<Judged> {
    let gates = stuck.group(group);
    if gates.iter().any(|&gate| matches!(system.nodes[gate], Node::Anybody(_))) {
        return quiet(system, stuck, gates);
    }
    let judged = if stuck.is_circle(group) {
        let way = circle(system, stuck, group);
        way.map(|way| judge_circle(system, stuck, group, way))
    } else {
        judge_end(system, stuck, group)
    };
    judged.into_iter().collect()
}

/// The shortest circle from the first task, or blocked thread, by the most plausible reasons.
fn circle(system: &System<'_>, stuck: &Stuck, group: usize) -> Option<Vec<Node>> {
    // Who sleeps in a poll is the story, if anybody does.
    let is_awake = |gate: Gate| {
        let task = system.nodes[gate].task();
        task.is_some_and(|task| system.facts.snapshot.tasks[task].state != RunState::Running)
    };
    let first = |gates: &[Gate]| {
        let tasks = gates.iter().copied().filter(|&gate| matches!(system.nodes[gate], Node::Task(_)));
        let arm = || gates.iter().copied().find(|&gate| matches!(system.nodes[gate], Node::Arm(_)));
        let start = tasks.min_by_key(|&gate| (is_awake(gate), gate)).or_else(arm);
        start.or_else(|| gates.iter().copied().min())
    };
    let reasons = |gate: Gate| {
        let mut reasons = reasons(system, stuck, gate);
        reasons.retain(|&reason| stuck.is_in(reason, group));
        reasons
    };
    let start = first(stuck.group(group))?;
    let way = stuck.circle(start, reasons).or_else(|| {
        let start = first(&Stuck::repeats(start, reasons)?)?;
        stuck.circle(start, reasons)
    });
    Some(way?.into_iter().map(|gate| system.nodes[gate]).collect())
}

fn judge_circle(system: &System<'_>, stuck: &Stuck, group: usize, way: Vec<Node>) -> Judged {
    let facts = system.facts;
    let snapshot = facts.snapshot;
    let has = |wanted: fn(&Node) -> bool| way.iter().any(wanted);
    let tasks: BTreeSet<usize> = way.iter().filter_map(Node::task).collect();
    // Blocking work has its thread to itself.
    let is_blocked = |task: &Task| task.state == RunState::Running && task.kind == TaskKind::Future;
    let mut blocked = tasks.iter().filter(|&&task| is_blocked(&snapshot.tasks[task])).count();
    let is_shutdown =
        |node: &Node| matches!(node, Node::Wait(wait) if snapshot.waits[*wait].mode == WaitMode::Shutdown);
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
    if way.windows(2).any(|pair| matches!(pair, [Node::Task(task), Node::Thread(_)] if snapshot.tasks[*task].state != RunState::Running))
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
        Node::Holding(resource, number) => {
            let holding = &snapshot.resources[*resource].holdings[*number];
            holding.role == Role::Sends && holding.in_channel.is_none()
        }
        _ => false,
    };
    // A thread outside of all tasks is a party too.
    let is_threads =
        |node: &Node| matches!(node, Node::Leaves(wait) if facts.task_of(&snapshot.waits[*wait]).is_none());
    let has_thread = way.iter().any(is_threads);
    if let (1, Some(&task), false) = (tasks.len(), tasks.first(), has_thread) {
        if let Some(way) = sibling_futures::circle(system, stuck, group, task, &way) {
            return Judged::new(VerdictKind::SelfWait, None, way);
        }
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
    way.iter().enumerate().find_map(|(place, node)| match *node {
        Node::Leaves(wait) => {
            let wait = &snapshot.waits[wait];
            let has_it = wait.is_granted || wait.woken_ns.is_some();
            let detail = if has_it { VerdictDetail::Granted } else { VerdictDetail::Queued };
            (!is_active(wait)).then_some(detail)
        }
        Node::Holding(resource, number) => {
            let holding = &snapshot.resources[resource].holdings[number];
            let is_with = |task: usize| holding.task == Some(snapshot.tasks[task].id);
            let is_its_makers = way.get(place + 1).and_then(Node::task).is_some_and(is_with);
            // Who waits for it to go does not wait for it to receive.
            let goes = |node: &Node| {
                let wait = if let Node::Wait(wait) = node { snapshot.waits.get(*wait) } else { None };
                wait.is_some_and(|wait| wait.mode == WaitMode::Closed && wait.resource == Some(resource))
            };
            let is_unused = holding.role == Role::Receives && holding.uses == 0;
            let is_unpolled = is_unused && is_its_makers && !way.iter().any(goes);
            if facts.is_set_aside(holding) {
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

/// The holdings of a resource that are held in the group, with their tasks.
pub(crate) fn knotted(
    system: &System<'_>,
    stuck: &Stuck,
    group: usize,
    resource: usize,
) -> Vec<(usize, u64)> {
    let holdings = system.facts.snapshot.resources[resource].holdings.iter();
    let gates = system.shared.holdings[resource].iter();
    let held = holdings
        .zip(gates)
        .enumerate()
        .filter(|(_, (holding, gate))| holding.role == Role::Holds && stuck.is_in(**gate, group));
    held.filter_map(|(number, (holding, _))| Some((number, holding.task?))).collect()
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
        Node::Holding(..) => (VerdictKind::Leak, None),
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
fn quiet(system: &System<'_>, stuck: &Stuck, gates: &[Gate]) -> Vec<Judged> {
    let snapshot = system.facts.snapshot;
    let mut waits: Vec<(usize, usize)> = gates
        .iter()
        .filter_map(|&gate| match system.nodes[gate] {
            Node::Wait(wait) => Some((snapshot.waits[wait].resource?, wait)),
            _ => None,
        })
        .filter(|&(resource, wait)| {
            let it = &snapshot.resources[resource];
            is_told(it.kind) || is_short(it, &snapshot.waits[wait])
        })
        .collect();
    waits.sort_unstable();
    waits.dedup_by_key(|(resource, _)| *resource);
    let looks = Cell::new(MAX_LOOKS.min(gates.len().saturating_mul(LOOKS_A_GATE)));
    let judged = |(resource, wait): (usize, usize)| {
        let it = &snapshot.resources[resource];
        let is_holder = || snapshot.waits[wait].task.is_some_and(|task| system.facts.is_holder(task));
        let may_look = looks.get() > 0 && is_holder();
        if let Some(way) = may_look.then(|| under_a_lock(system, stuck, (resource, wait), &looks)).flatten() {
            return Judged::new(VerdictKind::Cycle, None, way);
        }
        let kind = match it.last_notified {
            Some(_) => VerdictKind::MissedNotify,
            None if it.kind == ResourceKind::Semaphore && it.forgotten > 0 => VerdictKind::Leak,
            None => VerdictKind::Starved,
        };
        Judged::new(kind, None, vec![Node::Wait(wait), Node::Anybody(resource)])
    };
    waits.into_iter().map(judged).collect()
}

/// Bounds of the search in one group for a lock that keeps a notifier from running: inputs visited per gate, and in total.
const LOOKS_A_GATE: usize = 64;
const MAX_LOOKS: usize = 1 << 20;

/// From a task that waits to be told, by one that could tell it and waits for what the first holds, back to it. Rather by one
/// that has told it before than by any other.
fn under_a_lock(
    system: &System<'_>,
    stuck: &Stuck,
    (resource, wait): (usize, usize),
    looks: &Cell<usize>,
) -> Option<Vec<Node>> {
    let facts = system.facts;
    let task = facts.task_of(&facts.snapshot.waits[wait])?;
    let holds = |holding: &Holding| holding.role == Role::Holds;
    let held = |gate: Gate| match system.nodes[gate] {
        Node::Holding(resource, number) => holds(&facts.snapshot.resources[resource].holdings[number]),
        _ => false,
    };
    let it = &facts.snapshot.resources[resource];
    let users =
        || it.holdings.iter().filter(|holding| holding.role == Role::Uses).filter_map(|holding| holding.task);
    let users: Vec<Gate> = users().filter_map(|id| facts.task(id)).map(task_gate).collect();
    let way = |only_users: bool| {
        stuck.circle(task_gate(task), |gate| {
            let inputs = stuck.solved.inputs.of(gate);
            let left = looks.get().checked_sub(inputs.len());
            // The budget is used up: the search ends without a result.
            looks.set(left.unwrap_or(0));
            let reasons = inputs.iter().copied().filter(|_| left.is_some());
            let is_it = |reason: &Gate| match (system.nodes[gate], system.nodes[*reason]) {
                (_, Node::Task(other)) if other == task => held(gate),
                // It waits for this, and for nothing else.
                (Node::Woken(woken), other) if woken == task => other == Node::Wait(wait),
                (_, Node::Anybody(other)) => other == resource,
                (Node::Anybody(_), Node::Task(_) | Node::Later(_)) if only_users => users.contains(reason),
                _ => true,
            };
            reasons.filter(is_it).collect()
        })
    };
    let way = way(true).or_else(|| way(false))?;
    Some(way.into_iter().map(|gate| system.nodes[gate]).collect())
}
