//! Builds snapshots of waiting programs in a few words: tasks, holdings and waits.
//!
//! Everything is recorded and about a second old, and nothing else wakes a task. Lines are those of
//! `src/main.rs`.

use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    Attribution, Holding, Place, Resource, ResourceId, ResourceKind, Role, RunState, SiteIndex, Span, SpanId,
    SpanIndex, Task, TaskId, TaskKind, Wait, WaitId, WaitMode,
};

use super::{empty, site};

const SECOND: u64 = 1_000_000_000;

/// A snapshot in the making. Tasks go by their numbers, resources and spans by their positions.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) snapshot: Snapshot,
}

impl Program {
    /// Creates a program with one waiting root task: `main`, number 1.
    pub(crate) fn new() -> Self {
        let mut program = Self { snapshot: empty() };
        program.snapshot.is_all_recorded = true;
        program.spawned("main", None);
        program
    }

    /// Adds a waiting task, spawned by task 1. Returns its number.
    pub(crate) fn task(&mut self, name: &str) -> u64 {
        self.spawned(name, Some(1))
    }

    fn spawned(&mut self, name: &str, by: Option<u64>) -> u64 {
        let id = self.snapshot.tasks.len() as u64 + 1;
        let line = u32::try_from(id).unwrap() * 100;
        self.snapshot.sites.push(site(name, "server", "src/main.rs", line, 1));
        let mut task = Task::default();
        task.id = TaskId::new(id);
        task.site = self.last_site();
        task.spawned_by = by.map(TaskId::new);
        task.spawned_at = by.map(|_| crate::support::place_at(line + 1, 9));
        task.runtime = "tokio".into();
        task.runtime_number = 1;
        task.since_ns = SECOND;
        task.age_ns = SECOND;
        task.polls = 1;
        (task.wakers, task.opaque_wakers) = (Some(0), Some(0));
        self.snapshot.tasks.push(task);
        id
    }

    fn last_site(&self) -> SiteIndex {
        SiteIndex::new(self.snapshot.sites.len() - 1)
    }

    pub(crate) fn of(&mut self, task: u64) -> &mut Task {
        self.snapshot.tasks.iter_mut().find(|it| it.id == TaskId::new(task)).unwrap()
    }

    /// Makes the task sleep inside a poll, on this thread.
    pub(crate) fn sleeps(&mut self, task: u64, thread: u64) {
        let task = self.of(task);
        task.state = RunState::Running;
        task.is_asleep = Some(true);
        task.thread_id = Some(thread);
    }

    /// Adds a closure on a thread for blocking work. Returns its number.
    pub(crate) fn job(&mut self, name: &str, state: RunState) -> u64 {
        let job = self.task(name);
        let it = self.of(job);
        it.kind = TaskKind::Blocking;
        it.state = state;
        job
    }

    /// Lets something unrecorded wake the task.
    pub(crate) fn has_timer(&mut self, task: u64) {
        let task = self.of(task);
        task.opaque_wakers = Some(1);
        task.wakers = Some(1);
    }

    fn resource(&mut self, kind: ResourceKind, capacity: u64, is_fair: bool) -> usize {
        let mut it = Resource::default();
        it.id = resource_id(self.snapshot.resources.len());
        it.kind = kind;
        it.library = "tokio".into();
        it.capacity = Some(capacity);
        it.free = capacity;
        it.is_fair = is_fair;
        it.created = Some(place(10 + u32::try_from(it.id.get()).unwrap()));
        it.created_by = Some(TaskId::new(1));
        it.age_ns = 2 * SECOND;
        self.snapshot.resources.push(it);
        self.snapshot.resources.len() - 1
    }

    pub(crate) fn mutex(&mut self) -> usize {
        self.resource(ResourceKind::Mutex, 1, true)
    }

    /// Adds a mutex that wakes a waiter on unlock, but lets other tasks acquire it first.
    pub(crate) fn unfair_mutex(&mut self) -> usize {
        self.resource(ResourceKind::Mutex, 1, false)
    }

    pub(crate) fn rwlock(&mut self) -> usize {
        self.resource(ResourceKind::RwLock, 1000, true)
    }

    pub(crate) fn semaphore(&mut self, permits: u64) -> usize {
        self.resource(ResourceKind::Semaphore, permits, true)
    }

    pub(crate) fn channel(&mut self, places: u64) -> usize {
        self.resource(ResourceKind::Mpsc, places, true)
    }

    /// Adds a resource without a count of units.
    pub(crate) fn other(&mut self, kind: ResourceKind) -> usize {
        self.resource(kind, 1, true)
    }

    pub(crate) fn at(&mut self, resource: usize) -> &mut Resource {
        &mut self.snapshot.resources[resource]
    }

    /// Puts messages into a channel.
    pub(crate) fn fill(&mut self, channel: usize, messages: u64) {
        let it = self.at(channel);
        it.filled += messages;
        it.free = it.free.saturating_sub(messages);
    }

    pub(crate) fn holding(&mut self, task: u64, resource: usize, role: Role, line: u32) -> &mut Holding {
        let mut holding = Holding::default();
        holding.role = role;
        holding.task = Some(TaskId::new(task));
        holding.attribution = Attribution::Exact;
        holding.place = Some(place(line));
        holding.since_ns = SECOND;
        holding.uses = u64::from(role != Role::Holds);
        let holdings = &mut self.snapshot.resources[resource].holdings;
        holdings.push(holding);
        holdings.last_mut().unwrap()
    }

    pub(crate) fn holds(&mut self, task: u64, resource: usize, line: u32) -> &mut Holding {
        self.holds_many(task, resource, 1, line)
    }

    pub(crate) fn holds_many(&mut self, task: u64, resource: usize, units: u64, line: u32) -> &mut Holding {
        let free = &mut self.at(resource).free;
        *free = free.saturating_sub(units);
        let holding = self.holding(task, resource, Role::Holds, line);
        holding.units = units;
        holding
    }

    pub(crate) fn receives(&mut self, task: u64, channel: usize, line: u32) -> &mut Holding {
        self.holding(task, channel, Role::Receives, line)
    }

    /// Adds a sender. Its task is only likely, as it is known by the last use alone.
    pub(crate) fn sends(&mut self, task: u64, channel: usize, line: u32) -> &mut Holding {
        let holding = self.holding(task, channel, Role::Sends, line);
        holding.attribution = Attribution::Likely;
        holding
    }

    /// Adds a wait of the task, behind all present waits for the resource.
    pub(crate) fn waits(&mut self, task: u64, resource: usize, mode: WaitMode, line: u32) -> &mut Wait {
        let resource = Some(resource_id(resource));
        let ahead = self.snapshot.waits.iter().filter(|wait| wait.resource == resource).count();
        let wait = self.wait(task, mode, line);
        wait.resource = resource;
        wait.ahead = ahead as u64;
        wait
    }

    pub(crate) fn joins(&mut self, task: u64, joined: u64, line: u32) -> &mut Wait {
        let wait = self.wait(task, WaitMode::Join, line);
        (wait.tasks, wait.is_confined) = (vec![TaskId::new(joined)], true);
        wait
    }

    pub(crate) fn wait(&mut self, task: u64, mode: WaitMode, line: u32) -> &mut Wait {
        if let Some(it) = self.snapshot.tasks.iter_mut().find(|it| it.id == TaskId::new(task)) {
            it.wakers = it.wakers.map(|wakers| wakers + 1);
        }
        let mut wait = Wait::default();
        wait.id = WaitId::new(1000 + self.snapshot.waits.len() as u64);
        wait.mode = mode;
        wait.units = 1;
        wait.task = Some(TaskId::new(task));
        wait.place = Some(place(line));
        wait.since_ns = SECOND;
        wait.polls = 1;
        wait.wakers = 1;
        self.snapshot.waits.push(wait);
        self.snapshot.waits.last_mut().unwrap()
    }

    /// Adds a future that the task has stopped polling. Returns the id of its span.
    pub(crate) fn set_aside(&mut self, task: u64, name: &str, line: u32) -> SpanId {
        self.snapshot.sites.push(site(name, "server", "src/main.rs", line, 1));
        let mut span = Span::default();
        span.id = SpanId::new(500 + self.snapshot.spans.len() as u64);
        span.site = self.last_site();
        span.task = Some(TaskId::new(task));
        span.is_set_aside = true;
        self.snapshot.spans.push(span);
        self.snapshot.spans.last().unwrap().id
    }

    /// Adds a span that the task polls at this line, below the span at index `parent`. Returns its
    /// index. Spans are added depth first.
    pub(crate) fn span(&mut self, task: u64, parent: Option<usize>, line: u32) -> usize {
        let id = self.set_aside(task, "span", line);
        let index = self.snapshot.spans.len() - 1;
        let span = &mut self.snapshot.spans[index];
        (span.id, span.parent, span.is_set_aside, span.since_ns) =
            (id, parent.map(SpanIndex::new), false, SECOND);
        index
    }

    /// Makes the task wait in a hand-written `poll`.
    pub(crate) fn polls_by_hand(&mut self, task: u64) {
        let index = self.span(task, None, 7);
        let site = self.snapshot.spans[index].site;
        self.snapshot.sites[site.get()].is_hand_written = true;
    }

    /// Confidence, kind and detail of each verdict: `proven futurelock granted`.
    pub(crate) fn verdicts(&self) -> Vec<String> {
        let words = |verdict: &diagnose_reports::Verdict| {
            let detail = verdict.detail.map(|detail| format!(" {detail}")).unwrap_or_default();
            format!("{} {}{detail}", verdict.confidence, verdict.kind)
        };
        self.snapshot.verdicts().iter().map(words).collect()
    }

    /// The sentence of the only verdict.
    pub(crate) fn sentence(&self) -> String {
        let verdicts = self.snapshot.verdicts();
        assert_eq!(verdicts.len(), 1, "{verdicts:#?}");
        verdicts[0].sentence.clone()
    }

    /// The links of the only verdict: `task 1 waits 40`.
    pub(crate) fn chain(&self) -> Vec<String> {
        let verdicts = self.snapshot.verdicts();
        assert_eq!(verdicts.len(), 1, "{verdicts:#?}");
        let words =
            |link: &diagnose_reports::Link| format!("{} {} {} {}", link.node, link.id, link.role, link.line);
        verdicts[0].chain.iter().map(words).collect()
    }
}

/// The id of the resource at this position.
pub(crate) fn resource_id(position: usize) -> ResourceId {
    ResourceId::new(position as u64 + 1)
}

pub(crate) fn granted(wait: &mut Wait) -> &mut Wait {
    wait.is_granted = true;
    told(wait)
}

pub(crate) fn told(wait: &mut Wait) -> &mut Wait {
    wait.woken_ns = Some(SECOND);
    wait.wakers = 0;
    wait
}

/// Marks a wait that its task does not poll, although the task itself is polled.
pub(crate) fn set_aside(wait: &mut Wait) -> &mut Wait {
    wait.is_set_aside = true;
    wait.is_wake_ignored = wait.woken_ns.is_some();
    wait
}

pub(crate) fn place(line: u32) -> Place {
    let mut place = Place::default();
    place.file = "src/main.rs".into();
    place.line = line;
    place.column = 9;
    place
}
