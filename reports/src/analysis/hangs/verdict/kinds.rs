//! Classifies stuck components: the kind of hang, and the path that the verdict shows.

use super::hang::Hang;
use super::owner_behind::through_owner_behind;
use super::types::{VerdictDetail, VerdictKind};
use super::unnotified::classify_unnotified;
use crate::analysis::hangs::facts::{Facts, is_active, step};
use crate::analysis::hangs::stuck::{StuckGraph, best_reasons, cycle_of_futures};
use crate::analysis::hangs::system::{Node, NodeId, System};
use crate::model::{Holding, ResourceKind, Role, RunState, Snapshot, Task, TaskId, TaskKind, Wait, WaitMode};
use crate::ordered::OrderedSet;
use crate::sort::{sort, sort_by_key};

/// Classifies a component that depends on no other, or that is a cycle.
pub(crate) fn classify(system: &System<'_>, stuck: &StuckGraph, component: usize) -> Vec<Hang> {
    let nodes = stuck.component(component);
    let cycle = |path| classify_cycle(system, stuck, component, path);
    if nodes.iter().any(|&node| matches!(system.node(node), Node::AnyNotifier(_))) {
        let mut hangs = classify_unnotified(system, stuck, nodes);
        // The tasks on a cycle without notifiers would stay stuck even after a notification.
        if let Some(path) = cycle_without_notifiers(system, stuck, component) {
            let is_held = |node: &Node| matches!(node, Node::Holding(..)) && path.contains(node);
            let is_explained = |hang: &Hang| match hang.kind {
                VerdictKind::Starved => true,
                // Its task waits for a notification beside the same locks.
                VerdictKind::Cycle => hang.path.iter().any(is_held),
                _ => false,
            };
            hangs.retain(|hang| !is_explained(hang));
            hangs.insert(0, cycle(path));
        }
        return hangs;
    }
    let hang = if stuck.is_cycle(component) {
        shortest_cycle(system, stuck, component).map(cycle)
    } else {
        classify_dead_end(system, stuck, component)
    };
    hang.map(|hang| through_owner_behind(system, stuck, hang)).into_iter().collect()
}

/// A cycle along the most plausible reasons that contains no missing notification and no missing
/// permits.
fn cycle_without_notifiers(system: &System<'_>, stuck: &StuckGraph, component: usize) -> Option<Vec<Node>> {
    let reasons = |node: NodeId| {
        let mut reasons = best_reasons(system, stuck, node);
        reasons.retain(|&reason| {
            let is_event = matches!(system.node(reason), Node::AnyNotifier(_) | Node::AnyRefill(_));
            stuck.is_in(reason, component) && !is_event
        });
        reasons
    };
    let is_task = |node: &NodeId| matches!(system.node(*node), Node::Task(_));
    let mut tasks: Vec<NodeId> = stuck.component(component).iter().copied().filter(is_task).collect();
    sort(&mut tasks);
    let start = StuckGraph::until_repeat(tasks, reasons)?.into_iter().filter(is_task).min()?;
    let path = stuck.shortest_cycle(start, reasons)?;
    Some(path.into_iter().map(|node| system.node(node)).collect())
}

/// The shortest cycle from the first task or blocked thread, along the most plausible reasons.
fn shortest_cycle(system: &System<'_>, stuck: &StuckGraph, component: usize) -> Option<Vec<Node>> {
    // The cycle starts with a task that sleeps inside a poll, if there is one.
    let is_awake = |node: NodeId| {
        let task = system.node(node).task();
        task.is_some_and(|task| system.facts.snapshot.tasks[task].state != RunState::Running)
    };
    let first = |nodes: &[NodeId]| {
        let tasks = nodes.iter().copied().filter(|&node| matches!(system.node(node), Node::Task(_)));
        let arm = || nodes.iter().copied().find(|&node| matches!(system.node(node), Node::JoinArm(_)));
        let start = tasks.min_by_key(|&node| (is_awake(node), node)).or_else(arm);
        start.or_else(|| nodes.iter().copied().min())
    };
    let reasons = |node: NodeId| {
        let mut reasons = best_reasons(system, stuck, node);
        reasons.retain(|&reason| stuck.is_in(reason, component));
        reasons
    };
    let start = first(stuck.component(component))?;
    let path = stuck.shortest_cycle(start, reasons).or_else(|| {
        let start = first(&StuckGraph::until_repeat([start], reasons)?)?;
        stuck.shortest_cycle(start, reasons)
    });
    Some(path?.into_iter().map(|node| system.node(node)).collect())
}

fn classify_cycle(system: &System<'_>, stuck: &StuckGraph, component: usize, path: Vec<Node>) -> Hang {
    let facts = system.facts;
    let snapshot = facts.snapshot;
    let has = |wanted: fn(&Node) -> bool| path.iter().any(wanted);
    let tasks: OrderedSet<usize> = path.iter().filter_map(Node::task).collect();
    // Blocking work blocks only its own thread.
    let is_blocked = |task: &Task| task.state == RunState::Running && task.kind == TaskKind::Future;
    let mut blocked = tasks.iter().filter(|&&task| is_blocked(&snapshot.tasks[task])).count();
    let is_shutdown =
        |node: &Node| matches!(node, Node::Wait(wait) if snapshot.waits[*wait].mode == WaitMode::Shutdown);
    if has(|node| matches!(node, Node::FreePoolThread(_))) {
        return Hang::new(VerdictKind::PoolExhausted, None, path);
    }
    if path.iter().any(is_shutdown) {
        return Hang::new(VerdictKind::Shutdown, None, path);
    }
    if has(|node| matches!(node, Node::FreeWorker(_))) {
        return Hang::new(VerdictKind::BlockedWorker, None, path);
    }
    // A task that could be polled if its thread were free.
    if path.windows(2).any(|pair| matches!(pair, [Node::Task(task), Node::Thread(_)] if snapshot.tasks[*task].state != RunState::Running))
    {
        blocked = 1;
    }
    if blocked > 0
        && (blocked < tasks.len() || tasks.len() == 1)
        && !are_on_threads_of_their_own(snapshot, &path)
    {
        return Hang::new(VerdictKind::BlockedWorker, None, path);
    }
    if let Some(detail) = futurelock(facts, &path) {
        return Hang::new(VerdictKind::Futurelock, Some(detail), path);
    }
    if let Some(knot) = path.iter().find_map(|node| knot(system, stuck, component, *node)) {
        let mut hang = Hang::new(VerdictKind::Cycle, Some(VerdictDetail::Knot), path);
        hang.knot = Some(knot);
        return hang;
    }
    // Whether the path waits for a message and also contains a sender of that channel.
    let receives = |resource: usize| move |node: &Node| matches!(node, Node::Wait(wait) if facts.resource_of(&snapshot.waits[*wait]) == Some(resource));
    let is_own_sender = |node: &Node| match *node {
        Node::Holding(resource, number) => {
            let holding = &snapshot.resources[resource].holdings[number];
            holding.role == Role::Sends && holding.in_channel.is_none() && path.iter().any(receives(resource))
        }
        _ => false,
    };
    // Whether a thread outside of all tasks is part of the cycle.
    let is_thread_wait = |node: &Node| match *node {
        Node::Wait(wait) | Node::WaitEnd(wait) => facts.task_of(&snapshot.waits[wait]).is_none(),
        _ => false,
    };
    let has_thread = path.iter().any(is_thread_wait);
    if let (1, Some(&task), false) = (tasks.len(), tasks.iter().next(), has_thread) {
        if let Some(path) = cycle_of_futures(system, stuck, component, task, &path) {
            return Hang::new(VerdictKind::SelfWait, None, path);
        }
        let is_leak = path.iter().any(is_own_sender);
        let kind = if is_leak { VerdictKind::Leak } else { VerdictKind::SelfWait };
        return Hang::new(kind, None, path);
    }
    let is_queued =
        |node: &Node| matches!(node, Node::WaitEnd(wait) if snapshot.waits[*wait].woken_ns.is_none());
    let detail = path.iter().any(is_queued).then_some(VerdictDetail::ViaQueue);
    Hang::new(VerdictKind::Cycle, detail, path)
}

/// Returns whether all tasks on the path are running, on several threads. Each of them then blocks
/// only its own thread, and none needs the thread of another.
fn are_on_threads_of_their_own(snapshot: &Snapshot, path: &[Node]) -> bool {
    let mut threads = OrderedSet::new();
    for node in path {
        match *node {
            Node::Task(task) if snapshot.tasks[task].state != RunState::Running => return false,
            Node::Wait(wait) => threads.extend(snapshot.waits[wait].thread_id),
            Node::Thread(thread) => threads.extend(Some(thread)),
            _ => {}
        }
    }
    threads.len() > 1
}

/// The form of futurelock that a wait leads to while nothing polls it.
fn futurelock_of(wait: &Wait) -> VerdictDetail {
    let has_it = wait.is_granted || wait.woken_ns.is_some();
    if has_it { VerdictDetail::Granted } else { VerdictDetail::Queued }
}

/// The form of futurelock on the path, if there is one.
fn futurelock(facts: &Facts<'_>, path: &[Node]) -> Option<VerdictDetail> {
    let snapshot = facts.snapshot;
    path.iter().enumerate().find_map(|(position, node)| match *node {
        Node::WaitEnd(wait) => {
            let wait = &snapshot.waits[wait];
            (!is_active(wait)).then_some(futurelock_of(wait))
        }
        Node::Holding(resource, number) => {
            let holding = &snapshot.resources[resource].holdings[number];
            let is_with = |task: usize| holding.task == Some(snapshot.tasks[task].id);
            let is_with_creator = path.get(position + 1).and_then(Node::task).is_some_and(is_with);
            // A sender in `closed()` waits for the receiver to be dropped, not to receive.
            let is_close_wait = |node: &Node| {
                let wait = if let Node::Wait(wait) = node { snapshot.waits.get(*wait) } else { None };
                wait.is_some_and(|wait| {
                    wait.mode == WaitMode::Closed && facts.resource_of(wait) == Some(resource)
                })
            };
            let is_unused = holding.role == Role::Receives && holding.uses == 0;
            // If another task waits for the message to be received, the receiving future may not
            // exist.
            let is_alone = path.iter().filter_map(Node::task).all(is_with);
            let is_unpolled = is_unused && is_with_creator && is_alone && !path.iter().any(is_close_wait);
            if facts.is_set_aside(holding) {
                Some(VerdictDetail::Holding)
            } else {
                is_unpolled.then_some(VerdictDetail::Unpolled)
            }
        }
        _ => None,
    })
}

/// The resource whose units several tasks of the component hold.
fn knot(system: &System<'_>, stuck: &StuckGraph, component: usize, node: Node) -> Option<usize> {
    let Node::FreeUnits(resource) = node else { return None };
    let it = &system.facts.snapshot.resources[resource];
    let held = knot_holdings(system, stuck, component, resource);
    let owners: OrderedSet<TaskId> = held.into_iter().map(|(_, task)| task).collect();
    (it.kind == ResourceKind::Semaphore && owners.len() > 1).then_some(resource)
}

/// The holdings of a resource that are in the component, with their tasks.
pub(crate) fn knot_holdings(
    system: &System<'_>,
    stuck: &StuckGraph,
    component: usize,
    resource: usize,
) -> Vec<(usize, TaskId)> {
    let holdings = &system.facts.snapshot.resources[resource].holdings;
    let nodes = system.shared.holdings(resource, holdings.len());
    let held = holdings
        .iter()
        .zip(nodes)
        .enumerate()
        .filter(|(_, (holding, node))| holding.role == Role::Holds && stuck.is_in(*node, component));
    held.filter_map(|(number, (holding, _))| Some((number, holding.task?))).collect()
}

/// Classifies a component that is a single node, which can never progress.
fn classify_dead_end(system: &System<'_>, stuck: &StuckGraph, component: usize) -> Option<Hang> {
    let facts = system.facts;
    let &[end] = stuck.component(component) else { return None };
    let is_start = |node: NodeId| match system.node(node) {
        Node::Task(_) => true,
        Node::Wait(wait) => facts.task_of(&facts.snapshot.waits[wait]).is_none(),
        _ => false,
    };
    let path = |start: usize| -> Option<Vec<Node>> {
        let path = stuck.path_to(start, is_start)?;
        Some(path.into_iter().map(|node| system.node(node)).collect())
    };
    let (kind, detail) = match system.node(end) {
        Node::Woken(task) => {
            let set_aside = facts.waits_of_task[task].iter().copied();
            let has_it = |wait: &usize| facts.snapshot.waits[*wait].woken_ns.is_some();
            let mut set_aside: Vec<usize> =
                set_aside.filter(|&wait| !is_active(&facts.snapshot.waits[wait])).collect();
            sort_by_key(&mut set_aside, |wait| !has_it(wait));
            match set_aside.first() {
                // Another task may have that future. Only weaker evidence decides where it is.
                Some(first) if stuck.fixed_point.can_progress(system.wait_end_node(*first)) => return None,
                Some(first) => {
                    let detail = if has_it(first) { VerdictDetail::Granted } else { VerdictDetail::Queued };
                    let path = path_through_unpolled(system, stuck, *first, task);
                    return Some(Hang::new(VerdictKind::Futurelock, Some(detail), path));
                }
                None => (VerdictKind::LostWaker, None),
            }
        }
        Node::Wait(_) => (VerdictKind::LostWaker, None),
        // The future of a task that is done.
        Node::WaitEnd(wait) => (VerdictKind::Futurelock, Some(futurelock_of(&facts.snapshot.waits[wait]))),
        Node::Holding(resource, number) => {
            let it = &facts.snapshot.resources[resource];
            let is_refill = |holding: &Holding| {
                step();
                facts.is_last_refill(holding)
            };
            match it.holdings[number].role {
                // All tasks that have added permits share one verdict, which names the last of
                // them. The search for a later one is short, because it is usually the next
                // holding.
                Role::Uses if it.holdings[number + 1..].iter().any(is_refill) => return None,
                Role::Uses if it.forgotten == 0 => (VerdictKind::Starved, None),
                _ => (VerdictKind::Leak, None),
            }
        }
        Node::FreeUnits(resource) if facts.snapshot.resources[resource].forgotten > 0 => {
            (VerdictKind::Leak, None)
        }
        _ => (VerdictKind::Starved, None),
    };
    Some(Hang::new(kind, detail, path(component)?))
}

/// The path from another task, through a wait that an unpolled future delays, to the task of that
/// future.
fn path_through_unpolled(system: &System<'_>, stuck: &StuckGraph, wait: usize, task: usize) -> Vec<Node> {
    let wait_end = system.wait_end_node(wait);
    let is_other_task = |node: NodeId| matches!(system.node(node), Node::Task(other) if other != task);
    let path = stuck.path_to_node(wait_end, is_other_task).unwrap_or_else(|| vec![wait_end]);
    let path = path.into_iter().map(|node| system.node(node));
    path.chain([Node::Task(task), Node::Woken(task)]).collect()
}
