//! Resources with waits: the holders, the queue, and statistics of their use.
//!
//! ```text
//! Mutex#1 `sessions` (tokio), created at src/main.rs:12: locked, 2 waiters
//!   holder: task 3 `right` for 1.20 s, acquired at src/main.rs:9
//!   1. task 2 `left` is waiting at src/main.rs:6 (1.10 s)
//!   2. task 4 `third` is waiting at src/main.rs:6 (400 ms)
//!   acquired 1,204 times, 29 after a wait (2.41 %): p50 1.20 ms, p99 8.00 ms, max 1.10 s; 2 waits given up; held …
//! ```
//! The longest wait comes first.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::io;

use crate::analysis::hangs::words::{notified_words, place, units_words};
use crate::clean::{clean_lines, printable};
use crate::export::lines::{Lines, lines_to_string};
use crate::export::resource_head::head;
use crate::index::{Index, TasksById};
use crate::lists::Lists;
use crate::model::{
    Attribution, Holding, Place, Quantiles, Resource, ResourceId, ResourceKind, Role, Snapshot, TaskId, Wait,
    WaitMode,
};
use crate::sort::sort;
use crate::units::{count, counted, percent, time};

/// Maximum number of holders, and of waits, that are written per resource.
const MAX_ROWS: usize = 32;
const MAX_CONTENDED_ROWS: usize = 3;

impl Snapshot {
    /// Returns the resources with waits as text. Each has its holders (since when and where), its
    /// waits in queue order, and statistics of its use. The longest wait comes first. The text is
    /// empty without waits.
    #[must_use]
    pub fn waiters(&self) -> String {
        clean_lines(&render(self, Scope::All)).into_owned()
    }
}

/// The resources that are written, and the length of their queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All resources with waits.
    All,
    /// The five resources with the longest total waits for units, with the first three waits of
    /// each. Waits for messages and events are left out, because they are normal and have no holder
    /// to show.
    Contended,
}

/// Maximum number of resources in [`Scope::Contended`].
const MAX_CONTENDED: usize = 5;

/// Renders the resources of the scope.
pub(crate) fn render(snapshot: &Snapshot, scope: Scope) -> String {
    lines_to_string(|out| write(snapshot, scope, out))
}

/// Writes the resources of the scope, each separately.
pub(crate) fn write(snapshot: &Snapshot, scope: Scope, out: Lines<'_>) -> io::Result<()> {
    let queues = queues(snapshot);
    let weight_ns = |queue: &[usize]| {
        let waits = queue.iter().map(|&wait| &snapshot.waits[wait]);
        match scope {
            Scope::All => waits.map(|wait| wait.since_ns).max(),
            Scope::Contended => {
                let units = waits.filter(|wait| is_for_units(wait.mode));
                units.map(|wait| wait.since_ns).reduce(u64::saturating_add)
            }
        }
    };
    let resources = snapshot.resources.iter().enumerate();
    let waited =
        resources.filter_map(|(index, it)| Some((Reverse(weight_ns(&queues[index])?), it.id, index)));
    let mut waited: Vec<(Reverse<u64>, ResourceId, usize)> = waited.collect();
    sort(&mut waited);
    // Task ids are needed only if there are waits for a resource.
    let tasks = if waited.is_empty() { &[][..] } else { &snapshot.tasks };
    let (resources, rows) = match scope {
        Scope::All => (usize::MAX, MAX_ROWS),
        Scope::Contended => (MAX_CONTENDED, MAX_CONTENDED_ROWS),
    };
    let page = WaitersPage { snapshot, tasks: TasksById::new(tasks), rows };
    let mut text = String::new();
    for (number, &(_, _, index)) in waited.iter().take(resources).enumerate() {
        let queue: Vec<&Wait> = queues[index].iter().map(|&wait| &snapshot.waits[wait]).collect();
        text.clear();
        if number > 0 {
            text.push('\n');
        }
        page.write(&mut text, &snapshot.resources[index], &queue);
        out(&text)?;
    }
    if waited.len() > resources {
        let rest = count((waited.len() - resources) as u64);
        out(&format!("\n… and {rest} more with waiters (the full report has them)\n"))?;
    }
    Ok(())
}

/// The indexes of the waits of each resource, in queue order.
pub(crate) fn queues(snapshot: &Snapshot) -> Lists {
    let queued = snapshot.waits.iter().enumerate();
    let resources = Index::new(snapshot.resources.iter().map(|it| it.id));
    let queued = queued.filter_map(|(index, wait)| Some((resources.get(wait.resource?)?, index)));
    Lists::new(snapshot.resources.len(), queued)
}

/// Returns whether such a wait is for something that another task holds: a lock, a permit or a free
/// slot.
pub(crate) fn is_for_units(mode: WaitMode) -> bool {
    match mode {
        WaitMode::Lock
        | WaitMode::Read
        | WaitMode::Write
        | WaitMode::Acquire
        | WaitMode::Send
        | WaitMode::Initialize
        | WaitMode::Custom => true,
        WaitMode::Receive
        | WaitMode::Closed
        | WaitMode::Arrive
        | WaitMode::Notified
        | WaitMode::Join
        | WaitMode::Timer
        | WaitMode::Shutdown => false,
    }
}

struct WaitersPage<'a> {
    snapshot: &'a Snapshot,
    /// The tasks by id.
    tasks: TasksById<'a>,
    /// Maximum number of holders, and of waits, that are written per resource.
    rows: usize,
}

impl WaitersPage<'_> {
    fn write(&self, text: &mut String, it: &Resource, queue: &[&Wait]) {
        text.push_str(&head(it, queue));
        for holding in it.holdings.iter().filter(|holding| holding.role != Role::Uses).take(self.rows) {
            let _ = writeln!(text, "  {}", self.holding(it, holding));
        }
        let others =
            it.holdings.iter().filter(|holding| holding.role != Role::Uses).count().saturating_sub(self.rows);
        if others > 0 {
            let _ = writeln!(text, "  … and {} more", count(others as u64));
        }
        for line in [self.last_acquired(it), self.last_notified(it)].into_iter().flatten() {
            let _ = writeln!(text, "  {line}");
        }
        for (number, wait) in queue.iter().take(self.rows).enumerate() {
            let _ = writeln!(text, "  {}. {}", number + 1, self.wait(it, wait));
        }
        if queue.len() > self.rows {
            let _ = writeln!(text, "  … and {} more", count((queue.len() - self.rows) as u64));
        }
        text.push_str(&usage(it, queue.len() as u64));
    }

    /// `holder: task 3 ...`, `receiver: task 3 ...`.
    fn holding(&self, it: &Resource, holding: &Holding) -> String {
        let who = match (holding.attribution, holding.task, holding.thread_id) {
            (Attribution::Unknown, ..) | (_, None, None) => "owner unknown".to_owned(),
            (_, Some(task), _) => self.task(task),
            (_, None, Some(thread)) => format!("thread {thread}"),
        };
        let likely = if holding.attribution == Attribution::Likely { " (last seen)" } else { "" };
        let since = time(holding.since_ns);
        let at = place(holding.place.as_ref()).map(|it| format!(" at {it}"));
        match holding.role {
            Role::Holds => {
                let verb = match it.kind {
                    ResourceKind::TaskTracker => "added",
                    kind if is_channel(kind) => "reserved",
                    _ => "acquired",
                };
                let by = at.map(|at| format!(", {verb}{at}")).unwrap_or_default();
                format!("{}: {who}{likely} for {since}{by}", holder(it, holding))
            }
            role => {
                let end = if role == Role::Sends { "sender" } else { "receiver" };
                let verb = if holding.uses == 0 { "created" } else { "last used" };
                let at = at.map(|at| at + ",").unwrap_or_default();
                format!("{end}: {who}{likely}, {verb}{at} {since} ago")
            }
        }
    }

    /// `last acquired by task 3 ... at ..., 1.20 s ago`, for a resource without holders.
    fn last_acquired(&self, it: &Resource) -> Option<String> {
        let last = it
            .last_acquired
            .as_ref()
            .filter(|_| it.holdings.iter().all(|holding| holding.role != Role::Holds))?;
        let event = if is_channel(it.kind) { "last slot reserved" } else { "last acquired" };
        Some(format!("{event}{}", self.last(last.task, last.place.as_ref(), last.ago_ns)))
    }

    /// `last notified by task 3 ... at ..., 1.20 s ago, when it had no waiters`.
    fn last_notified(&self, it: &Resource) -> Option<String> {
        let last = it.last_notified.as_ref()?;
        let event = self.last(last.task, last.place.as_ref(), last.ago_ns);
        Some(format!("last notified{event}, {}", notified_words(last)))
    }

    fn last(&self, task: Option<TaskId>, at: Option<&Place>, ago_ns: Option<u64>) -> String {
        let mut words = task.map(|task| format!(" by {}", self.task(task))).unwrap_or_default();
        words.extend(place(at).map(|place| format!(" at {place}")));
        words.extend(ago_ns.map(|ns| format!(", {} ago", time(ns))));
        words
    }

    /// `task 2 'left' is waiting at ... (1.10 s)`.
    fn wait(&self, it: &Resource, wait: &Wait) -> String {
        let mut line = match (wait.task, wait.thread_id) {
            (Some(task), _) => self.task(task),
            (None, Some(thread)) => format!("thread {thread}"),
            (None, None) => "a future outside of all tasks".to_owned(),
        };
        line.push_str(if wait.thread_id.is_some() {
            " blocks its thread while waiting"
        } else {
            " is waiting"
        });
        let _ = match wait.mode {
            WaitMode::Read if it.kind == ResourceKind::RwLock => write!(line, " to read"),
            WaitMode::Write if it.kind == ResourceKind::RwLock => write!(line, " to write"),
            // A writer takes all units of a lock, so their number says nothing.
            _ if wait.units > 1 && has_counted_units(it.kind) => {
                write!(line, " for {}", units_words(it, wait.units))
            }
            _ => Ok(()),
        };
        if let Some(place) = place(wait.place.as_ref()) {
            let _ = write!(line, " at {place}");
        }
        let _ = write!(line, " ({})", time(wait.since_ns));
        match wait.woken_ns {
            Some(woken_ns) if wait.is_granted => {
                let _ = write!(line, ", granted {} ago", time(woken_ns));
            }
            Some(woken_ns) => {
                let _ = write!(line, ", woken {} ago", time(woken_ns));
            }
            None => {}
        }
        if wait.is_wake_ignored || (wait.is_set_aside && !wait.is_indirect) {
            line.push_str(", ITS TASK STOPPED POLLING IT");
        }
        line
    }

    fn task(&self, id: TaskId) -> String {
        match self.tasks.get(id).and_then(|task| self.snapshot.site(task.site)) {
            Some(site) => format!("task {id} `{}`", printable(&site.name)),
            None => format!("task {id}"),
        }
    }
}

/// `holder`, `writer`, or `holder of 3 permits`.
fn holder(it: &Resource, holding: &Holding) -> String {
    match it.kind {
        ResourceKind::RwLock if holding.units > 1 => "writer".to_owned(),
        ResourceKind::RwLock if it.capacity != Some(1) => "reader".to_owned(),
        ResourceKind::TaskTracker if holding.is_movable => "token".to_owned(),
        ResourceKind::TaskTracker => "tracked".to_owned(),
        _ if is_channel(it.kind) => format!("holder of {}", units_words(it, holding.units.max(1))),
        _ if holding.units > 1 && has_counted_units(it.kind) => {
            format!("holder of {}", units_words(it, holding.units))
        }
        _ => "holder".to_owned(),
    }
}

/// Returns whether the resource is a channel, whose slots are reserved rather than acquired.
fn is_channel(kind: ResourceKind) -> bool {
    matches!(kind, ResourceKind::Mpsc | ResourceKind::Mpmc | ResourceKind::Oneshot | ResourceKind::Broadcast)
}

/// Returns whether the number of its units is meaningful to a reader.
fn has_counted_units(kind: ResourceKind) -> bool {
    matches!(
        kind,
        ResourceKind::Semaphore
            | ResourceKind::Mpsc
            | ResourceKind::Mpmc
            | ResourceKind::Pipe
            | ResourceKind::Custom
    )
}

/// Returns whether tasks acquire the resource. Only then are its waits a share of its acquisitions.
pub(crate) fn is_acquired(kind: ResourceKind) -> bool {
    matches!(
        kind,
        ResourceKind::Mutex
            | ResourceKind::RwLock
            | ResourceKind::Semaphore
            | ResourceKind::OnceCell
            | ResourceKind::Custom
    )
}

/// Describes how often the resource was used and waited for. `open` is the number of current waits.
/// The text is empty if the resource was not used.
fn usage(it: &Resource, open: u64) -> String {
    let usage = &it.usage;
    let given_up = if is_acquired(it.kind) { usage.given_up(open) } else { 0 };
    if usage.acquisitions == 0 && given_up == 0 {
        return String::new();
    }
    let quantiles =
        |it: Quantiles| format!("p50 {}, p99 {}, max {}", time(it.p50_ns), time(it.p99_ns), time(it.max_ns));
    let number = usage.acquisitions;
    let mut line = match it.kind {
        ResourceKind::Mpsc | ResourceKind::Mpmc | ResourceKind::Oneshot | ResourceKind::Broadcast => {
            format!("  {} sent", counted(number, "message"))
        }
        ResourceKind::Pipe => format!("  {} written", counted(number, "byte")),
        ResourceKind::Barrier => format!("  {}", counted(number, "arrival")),
        ResourceKind::Notify | ResourceKind::Condvar | ResourceKind::Cancellation | ResourceKind::Watch => {
            format!("  used {}", counted(number, "time"))
        }
        _ => format!("  acquired {}", counted(number, "time")),
    };
    if is_acquired(it.kind) {
        // A wait that was given up, or still lasts, belongs to no acquisition.
        let waited = usage.waited.min(number);
        let _ = match waited {
            0 => write!(line, ", none after a wait"),
            _ => write!(line, ", {} after a wait ({})", count(waited), percent(waited, number)),
        };
    } else {
        let _ = write!(line, ", {}", counted(usage.contended, "wait"));
    }
    if usage.wait != Quantiles::default() {
        let _ = write!(line, ": {}", quantiles(usage.wait));
    }
    if given_up > 0 {
        let _ = write!(line, "; {} given up", counted(given_up, "wait"));
    }
    if usage.held != Quantiles::default() {
        let _ = write!(line, "; held {}", quantiles(usage.held));
    }
    line.push('\n');
    line
}
