//! Hangs of any size in typical shapes: a number of tasks, and about as many waits.
//!
//! Everything is recorded and about a second old. Task 1 is `main`; the others are 2, 3, ….

#[path = "parts.rs"]
mod parts;

use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    Attribution, Node, NodeIndex, ResourceKind, Role, RunState, Site, SiteIndex, SiteKind, Span, SpanIndex,
    TaskId, WaitMode, Worker,
};

use parts::{
    SECOND, demands, holding, holds, loses, mutexes, place, resource, set_aside, span_id, task_id, tasks,
    waits, wakes,
};

/// A shape: its name, its snapshot for a number of tasks, and the verdicts on it.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) make: fn(usize) -> Snapshot,
    /// The only verdict, such as `proven cycle`, and how often it occurs for a number of tasks.
    pub(crate) expected: (&'static str, fn(usize) -> usize),
}

/// All shapes.
pub(crate) const SHAPES: [Shape; 24] = [
    Shape { name: "one queue, its holder is lost", make: queue, expected: ("proven lost_waker", one) },
    Shape { name: "one queue, its holder goes on", make: healthy, expected: ("", none) },
    Shape { name: "pairs", make: pairs, expected: ("proven cycle", |tasks| tasks / 2) },
    Shape { name: "one chain", make: chain, expected: ("proven lost_waker", one) },
    Shape { name: "one ring", make: ring, expected: ("proven cycle", one) },
    Shape { name: "a pool, all of whose users want more", make: pool, expected: ("likely cycle", one) },
    Shape { name: "permits that were leaked", make: leaked, expected: ("suspect leak", all) },
    Shape { name: "permits that finished tasks added", make: added, expected: ("suspect starved", one) },
    Shape {
        name: "permits granted to futures set aside",
        make: granted,
        expected: ("proven futurelock", all),
    },
    Shape { name: "futures set aside in one queue", make: queued, expected: ("proven futurelock", all) },
    Shape { name: "senders to one full channel", make: senders, expected: ("proven cycle", one) },
    Shape { name: "receivers of messages of their own", make: receivers, expected: ("likely leak", all) },
    Shape { name: "calls that await the answers of main", make: answers, expected: ("", none) },
    Shape { name: "readers behind a writer", make: readers, expected: ("proven cycle", one) },
    Shape { name: "readers of a lock that is not fair", make: unfair, expected: ("proven lost_waker", one) },
    Shape { name: "a pool of the program's own", make: custom, expected: ("likely self_wait", one) },
    Shape { name: "a notify for each", make: notifies, expected: ("likely starved", all) },
    Shape { name: "the same, each with a lock", make: notifies_and_locks, expected: ("likely starved", all) },
    Shape { name: "a notify that no other task has", make: own_notifies, expected: ("likely starved", one) },
    Shape { name: "all at one barrier", make: barrier, expected: ("likely starved", one) },
    Shape { name: "all in one task", make: joined, expected: ("proven lost_waker", one) },
    Shape { name: "all in one handler", make: handler, expected: ("proven lost_waker", one) },
    Shape { name: "locks in futures set aside", make: hazards, expected: ("suspect hazard", |_| 8) },
    Shape { name: "timers on a runtime with workers", make: timers, expected: ("", none) },
];

fn none(_: usize) -> usize {
    0
}

fn one(_: usize) -> usize {
    1
}

fn all(tasks: usize) -> usize {
    tasks
}

/// Tasks 2, 3, … all wait for one lock, which `main` holds.
fn queue_of(count: usize) -> Snapshot {
    let mut snapshot = tasks(count);
    mutexes(&mut snapshot, 1);
    holds(&mut snapshot, 1, 0);
    for number in 0..count {
        waits(&mut snapshot, number + 2, 0, WaitMode::Lock, number);
    }
    snapshot
}

fn queue(count: usize) -> Snapshot {
    let mut snapshot = queue_of(count);
    loses(&mut snapshot, 1);
    snapshot
}

fn healthy(count: usize) -> Snapshot {
    queue_of(count)
}

/// Each task holds one lock. It waits for the lock `next`, or has lost its waker.
fn locked(count: usize, next: impl Fn(usize) -> Option<usize>) -> Snapshot {
    let mut snapshot = tasks(count);
    mutexes(&mut snapshot, count);
    for number in 0..count {
        holds(&mut snapshot, number + 2, number);
        match next(number) {
            Some(next) => _ = waits(&mut snapshot, number + 2, next, WaitMode::Lock, 0),
            None => loses(&mut snapshot, number + 2),
        }
    }
    snapshot
}

fn pairs(count: usize) -> Snapshot {
    locked(count, |number| Some(number ^ 1))
}

fn chain(count: usize) -> Snapshot {
    locked(count, |number| Some(number + 1).filter(|&next| next < count))
}

fn ring(count: usize) -> Snapshot {
    locked(count, |number| Some((number + 1) % count))
}

fn permits(snapshot: &mut Snapshot, count: usize) -> usize {
    resource(snapshot, ResourceKind::Semaphore, count)
}

fn pool(count: usize) -> Snapshot {
    let mut snapshot = tasks(count);
    let pool = permits(&mut snapshot, count);
    for number in 0..count {
        holds(&mut snapshot, number + 2, pool);
        waits(&mut snapshot, number + 2, pool, WaitMode::Acquire, number);
    }
    snapshot
}

/// All permits belong to tasks that are done.
fn leaked(count: usize) -> Snapshot {
    let mut snapshot = tasks(count);
    let pool = permits(&mut snapshot, count);
    for number in 0..count {
        holds(&mut snapshot, number + 2 + count, pool);
        waits(&mut snapshot, number + 2, pool, WaitMode::Acquire, number);
    }
    snapshot
}

/// All tasks that added permits are done, and more are needed.
fn added(count: usize) -> Snapshot {
    let mut snapshot = tasks(count);
    let pool = permits(&mut snapshot, count);
    snapshot.resources[pool].is_refilled = true;
    for number in 0..count {
        let added = holds(&mut snapshot, number + 2 + count, pool);
        (added.role, added.is_movable, added.attribution) = (Role::Uses, true, Attribution::Unknown);
        waits(&mut snapshot, number + 2, pool, WaitMode::Acquire, number).units = count as u64 + 1;
    }
    snapshot
}

/// Each task has a future with a granted permit that it does not poll, and waits for another
/// permit.
fn granted(count: usize) -> Snapshot {
    let mut snapshot = tasks(count);
    let pool = permits(&mut snapshot, count);
    for number in 0..count {
        let span = set_aside(&mut snapshot, number + 2);
        let wait = waits(&mut snapshot, number + 2, pool, WaitMode::Acquire, number);
        (wait.span, wait.is_set_aside, wait.is_wake_ignored) = (Some(span), true, true);
        (wait.is_granted, wait.woken_ns) = (true, Some(SECOND));
    }
    for number in 0..count {
        waits(&mut snapshot, number + 2, pool, WaitMode::Acquire, count + number);
        loses(&mut snapshot, number + 2);
    }
    for wait in snapshot.waits.iter_mut().skip(count) {
        wait.is_set_aside = true;
    }
    snapshot
}

/// Each task has a queued future that it does not poll, and waits for nothing else.
fn queued(count: usize) -> Snapshot {
    let mut snapshot = queue_of(count);
    for number in 0..count {
        let span = set_aside(&mut snapshot, number + 2);
        (snapshot.waits[number].span, snapshot.waits[number].is_set_aside) = (Some(span), true);
        loses(&mut snapshot, number + 2);
    }
    snapshot
}

/// The receiver waits for a lock that the first sender holds.
fn senders(count: usize) -> Snapshot {
    let mut snapshot = tasks(count);
    mutexes(&mut snapshot, 1);
    let channel = resource(&mut snapshot, ResourceKind::Mpsc, 1);
    snapshot.resources[channel].filled = 1;
    holding(&mut snapshot, 2, channel, Role::Receives);
    waits(&mut snapshot, 2, 0, WaitMode::Lock, 0);
    holds(&mut snapshot, 3, 0);
    for number in 0..count - 1 {
        holding(&mut snapshot, number + 3, channel, Role::Sends).attribution = Attribution::Likely;
        waits(&mut snapshot, number + 3, channel, WaitMode::Send, number);
    }
    snapshot
}

/// Each task waits for a message on a channel whose only sender it owns.
fn receivers(count: usize) -> Snapshot {
    let mut snapshot = tasks(count);
    for number in 0..count {
        let channel = resource(&mut snapshot, ResourceKind::Mpsc, 1);
        snapshot.resources[channel].free = 1;
        demands(&mut snapshot, number + 2);
        holding(&mut snapshot, number + 2, channel, Role::Receives);
        holding(&mut snapshot, number + 2, channel, Role::Sends).attribution = Attribution::Likely;
        waits(&mut snapshot, number + 2, channel, WaitMode::Receive, 0);
    }
    snapshot
}

/// Each task is a call that waits for an answer which only `main` can give, and `main` goes on. A
/// thousand such calls have ended.
fn answers(count: usize) -> Snapshot {
    let mut snapshot = tasks(count);
    let (call, answer) = (SiteIndex::new(4), SiteIndex::new(5));
    for (kind, name, line) in [(SiteKind::Fn, "ask", 29), (SiteKind::Await, "reply.await", 30)] {
        let mut site = Site::default();
        (site.kind, site.name, site.place, site.end_line) = (kind, name.into(), place(line), line);
        snapshot.sites.push(site);
        let mut node = Node::default();
        (node.site, node.pending, node.calls) = (SiteIndex::new(snapshot.sites.len() - 1), count as u64, 0);
        (node.completed, node.idle_ns) = (1000, SECOND * count as u64);
        node.calls = node.completed + node.pending;
        node.parent = (kind == SiteKind::Await).then(|| NodeIndex::new(0));
        snapshot.nodes.push(node);
    }
    for number in 0..count {
        let reply = resource(&mut snapshot, ResourceKind::Oneshot, 1);
        holding(&mut snapshot, number + 2, reply, Role::Receives);
        holding(&mut snapshot, 1, reply, Role::Sends);
        let root = snapshot.spans.len();
        for site in [call, answer] {
            let mut span = Span::default();
            (span.id, span.site, span.task) =
                (span_id(snapshot.spans.len()), site, Some(task_id(number + 2)));
            (span.state, span.since_ns, span.age_ns) = (RunState::Waiting, SECOND, SECOND);
            span.parent = (site == answer).then(|| SpanIndex::new(root));
            snapshot.spans.push(span);
        }
        let task = &mut snapshot.tasks[number + 1];
        (task.site, task.span, task.state) = (call, Some(SpanIndex::new(root)), RunState::Waiting);
        let own = snapshot.spans.last().map(|span| span.id);
        waits(&mut snapshot, number + 2, reply, WaitMode::Receive, 0).span = own;
    }
    snapshot
}

/// Half of the tasks hold read guards. The others wait behind a writer, and so does the first
/// reader, which wants to read again.
fn readers(count: usize) -> Snapshot {
    let mut snapshot = tasks(count);
    let lock = resource(&mut snapshot, ResourceKind::RwLock, 1 << 20);
    snapshot.resources[lock].free = (1 << 20) - (count / 2) as u64;
    for number in 0..count / 2 {
        holds(&mut snapshot, number + 2, lock);
        wakes(&mut snapshot, number + 2);
    }
    snapshot.tasks[1].opaque_wakers = Some(0);
    for (ahead, number) in (count / 2..count).chain([0]).enumerate() {
        let mode = if ahead == 0 { WaitMode::Write } else { WaitMode::Read };
        waits(&mut snapshot, number + 2, lock, mode, ahead);
    }
    snapshot
}

/// All tasks wait to read, and the writer has lost its waker.
fn unfair(count: usize) -> Snapshot {
    let mut snapshot = tasks(count);
    let lock = resource(&mut snapshot, ResourceKind::RwLock, 1);
    (snapshot.resources[lock].capacity, snapshot.resources[lock].is_fair) = (None, false);
    holds(&mut snapshot, 1, lock).units = 1 << 20;
    loses(&mut snapshot, 1);
    for number in 0..count {
        waits(&mut snapshot, number + 2, lock, WaitMode::Read, number);
    }
    snapshot
}

fn custom(count: usize) -> Snapshot {
    let mut snapshot = tasks(count);
    let pool = resource(&mut snapshot, ResourceKind::Custom, count);
    for number in 0..count {
        holds(&mut snapshot, number + 2, pool);
        waits(&mut snapshot, number + 2, pool, WaitMode::Custom, number);
    }
    demands(&mut snapshot, 2);
    snapshot
}

fn notifies(count: usize) -> Snapshot {
    let mut snapshot = tasks(count);
    snapshot.tasks.remove(0);
    for number in 0..count {
        let notify = resource(&mut snapshot, ResourceKind::Notify, 0);
        waits(&mut snapshot, number + 2, notify, WaitMode::Notified, 0);
    }
    demands(&mut snapshot, 1);
    snapshot
}

fn notifies_and_locks(count: usize) -> Snapshot {
    let mut snapshot = notifies(count);
    for number in 0..count {
        let lock = resource(&mut snapshot, ResourceKind::Mutex, 1);
        holds(&mut snapshot, number + 2, lock);
    }
    snapshot
}

fn own_notifies(count: usize) -> Snapshot {
    let mut snapshot = notifies_and_locks(count);
    for number in 0..count {
        let notify = &mut snapshot.resources[number];
        (notify.created_by, notify.first_task) = (Some(task_id(number + 2)), Some(TaskId::new(u64::MAX)));
    }
    snapshot
}

fn barrier(count: usize) -> Snapshot {
    let mut snapshot = tasks(count);
    snapshot.tasks[0].opaque_wakers = Some(0);
    let barrier = resource(&mut snapshot, ResourceKind::Barrier, count + 2);
    snapshot.resources[barrier].filled = count as u64 + 1;
    for number in 0..=count {
        waits(&mut snapshot, number + 1, barrier, WaitMode::Arrive, number);
    }
    snapshot
}

/// `main` waits for all locks at once. The holder of the last lock has lost its waker, and the
/// other holders wait for that lock.
fn joined(count: usize) -> Snapshot {
    let mut snapshot = locked(count, |number| (number + 1 < count).then_some(count - 1));
    snapshot.tasks[0].opaque_wakers = Some(0);
    let first = snapshot.spans.len();
    for number in 0..count {
        let mut span = Span::default();
        (span.id, span.site, span.task) = (span_id(number), SiteIndex::new(2), Some(task_id(1)));
        span.parent = number.checked_sub(1).map(|_| SpanIndex::new(first));
        snapshot.spans.push(span);
        waits(&mut snapshot, 1, number, WaitMode::Lock, 1).span = Some(span_id(number));
    }
    snapshot.tasks[0].span = Some(SpanIndex::new(first));
    snapshot
}

/// A task without annotation waits for all locks at once, each in a function of its own.
fn handler(count: usize) -> Snapshot {
    let mut snapshot = joined(count);
    let first = snapshot.spans.len() - count;
    snapshot.sites[2].kind = SiteKind::Task;
    let function = snapshot.sites[1].clone();
    snapshot.sites.push(function);
    for span in &mut snapshot.spans[first + 1..] {
        span.site = SiteIndex::new(4);
    }
    snapshot
}

/// Half of the tasks wait for permits. The permits are held by unpolled futures of the other half,
/// which can still be woken.
fn hazards(count: usize) -> Snapshot {
    let mut snapshot = tasks(count);
    let pool = permits(&mut snapshot, count / 2);
    for number in 0..count / 2 {
        let span = set_aside(&mut snapshot, number + 2);
        holds(&mut snapshot, number + 2, pool).span = Some(span);
        wakes(&mut snapshot, number + 2);
        waits(&mut snapshot, number + 2 + count / 2, pool, WaitMode::Acquire, number);
    }
    snapshot
}

fn timers(count: usize) -> Snapshot {
    let mut snapshot = tasks(count);
    for number in 0..256 {
        let mut worker = Worker::default();
        (worker.runtime, worker.runtime_number, worker.thread_id) = ("tokio".into(), 1, Some(number + 1));
        snapshot.workers.push(worker);
    }
    let mut runtime = diagnose_reports::model::Runtime::default();
    (runtime.number, runtime.workers) = (1, 256);
    snapshot.runtimes.push(runtime);
    for number in 0..count {
        wakes(&mut snapshot, number + 2);
        snapshot.tasks[number + 1].thread_id = Some(number as u64 % 256 + 1);
        let wait = waits(&mut snapshot, number + 2, 0, WaitMode::Timer, 0);
        (wait.resource, wait.due_ns) = (None, Some(1));
    }
    snapshot
}
