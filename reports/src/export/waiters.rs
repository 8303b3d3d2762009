//! Resources with waits: the holders, the queue, and statistics of their use.
//!
//! ```text
//! Mutex#1 `sessions` (tokio), created at src/main.rs:12: locked, 2 waiters
//!   holder: task 3 `right` for 1.20 s, acquired at src/main.rs:9
//!   1. task 2 `left` is waiting at src/main.rs:6 (1.10 s)
//!   2. task 4 `third` is waiting at src/main.rs:6 (400 ms)
//!   acquired 1,204 times, 31 waits (2.57 %): p50 1.20 ms, p99 8.00 ms, max 1.10 s; held p50 80.0 µs, …
//! ```
//! The longest wait comes first.

use std::cmp::Reverse;
use std::fmt::Write as _;

use crate::analysis::hangs::words::{notified_words, place, resource_name, units_words};
use crate::clean::{clean_lines, printable};
use crate::index::{Index, TasksById};
use crate::lists::Lists;
use crate::model::{
    Attribution, Holding, Place, Quantiles, Resource, ResourceId, ResourceKind, Role, Snapshot, TaskId, Wait,
    WaitMode,
};
use crate::units::{count, counted, percent, time};

/// How many holders, and how many waits, are written out.
const MAX_ROWS: usize = 32;

impl Snapshot {
    /// The resources with waits, as text: the holders of each since when and where, the waits in
    /// queue order, and statistics of its use. The longest wait comes first. Empty without waits.
    #[must_use]
    pub fn waiters(&self) -> String {
        clean_lines(&render(self, usize::MAX)).into_owned()
    }
}

/// Renders at most `bound` resources, and counts the others.
pub(crate) fn render(snapshot: &Snapshot, bound: usize) -> String {
    let queued = snapshot.waits.iter().enumerate();
    let resources = Index::new(snapshot.resources.iter().map(|it| it.id));
    let queued = queued.filter_map(|(index, wait)| Some((resources.get(wait.resource?)?, index)));
    let queues = Lists::new(snapshot.resources.len(), queued);
    let longest_ns = |queue: &[usize]| queue.iter().map(|&wait| snapshot.waits[wait].since_ns).max();
    let resources = snapshot.resources.iter().enumerate();
    let waited =
        resources.filter_map(|(index, it)| Some((Reverse(longest_ns(&queues[index])?), it.id, index)));
    let mut waited: Vec<(Reverse<u64>, ResourceId, usize)> = waited.collect();
    waited.sort_unstable();
    // Without waits for a resource, the ids of tasks are not needed.
    let tasks = if waited.is_empty() { &[][..] } else { &snapshot.tasks };
    let page = Page { snapshot, tasks: TasksById::new(tasks) };
    let mut text = String::new();
    for &(_, _, index) in waited.iter().take(bound) {
        let queue: Vec<&Wait> = queues[index].iter().map(|&wait| &snapshot.waits[wait]).collect();
        if !text.is_empty() {
            text.push('\n');
        }
        page.write(&mut text, &snapshot.resources[index], &queue);
    }
    if waited.len() > bound {
        let rest = count((waited.len() - bound) as u64);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n… and {rest} more resources (the JSON report has everything)");
    }
    text
}

struct Page<'a> {
    snapshot: &'a Snapshot,
    /// The tasks by id.
    tasks: TasksById<'a>,
}

impl Page<'_> {
    fn write(&self, text: &mut String, it: &Resource, queue: &[&Wait]) {
        text.push_str(&head(it, queue.len()));
        for holding in it.holdings.iter().filter(|holding| holding.role != Role::Uses).take(MAX_ROWS) {
            let _ = writeln!(text, "  {}", self.holding(it, holding));
        }
        let others =
            it.holdings.iter().filter(|holding| holding.role != Role::Uses).count().saturating_sub(MAX_ROWS);
        if others > 0 {
            let _ = writeln!(text, "  … and {} more", count(others as u64));
        }
        for line in [self.last_acquired(it), self.last_notified(it)].into_iter().flatten() {
            let _ = writeln!(text, "  {line}");
        }
        for (number, wait) in queue.iter().take(MAX_ROWS).enumerate() {
            let _ = writeln!(text, "  {}. {}", number + 1, self.wait(it, wait));
        }
        if queue.len() > MAX_ROWS {
            let _ = writeln!(text, "  … and {} more", count((queue.len() - MAX_ROWS) as u64));
        }
        text.push_str(&usage(it));
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
        let by = |verb: &str| {
            place(holding.place.as_ref()).map(|it| format!(", {verb} at {it}")).unwrap_or_default()
        };
        match holding.role {
            Role::Holds => format!("{}: {who}{likely} for {since}{}", holder(it, holding), by("acquired")),
            role => {
                let end = if role == Role::Sends { "sender" } else { "receiver" };
                let verb = if holding.uses == 0 { "created" } else { "last used" };
                format!("{end}: {who}{likely}{}, {since} ago", by(verb))
            }
        }
    }

    /// `last acquired by task 3 ... at ..., 1.20 s ago`, for a resource without holders.
    fn last_acquired(&self, it: &Resource) -> Option<String> {
        let last = it
            .last_acquired
            .as_ref()
            .filter(|_| it.holdings.iter().all(|holding| holding.role != Role::Holds))?;
        Some(format!("last acquired{}", self.last(last.task, last.place.as_ref(), last.ago_ns)))
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
            _ if wait.units > 1 => write!(line, " for {}", units_words(it, wait.units)),
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
        if wait.is_wake_ignored || (wait.is_parked && !wait.is_indirect) {
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

fn head(it: &Resource, waiting: usize) -> String {
    let mut line = resource_name(it);
    if !it.library.is_empty() {
        let _ = write!(line, " ({})", printable(&it.library));
    }
    if let Some(place) = place(it.created.as_ref()) {
        let _ = write!(line, ", created at {place}");
    }
    let state = [free(it), filled(it), forgotten(it)].into_iter().flatten();
    let state: Vec<String> = state.chain([counted(waiting as u64, "waiter")]).collect();
    let _ = writeln!(line, ": {}", state.join(", "));
    line
}

/// `locked`, or `3 of 8 slots free`. `None` for resources without units to acquire.
fn free(it: &Resource) -> Option<String> {
    let capacity = it.capacity?;
    let nothing_held = it.free >= capacity;
    match it.kind {
        ResourceKind::Mutex => Some(if it.free == 0 { "locked" } else { "unlocked" }.to_owned()),
        ResourceKind::RwLock if nothing_held => Some("unlocked".to_owned()),
        ResourceKind::RwLock if it.free == 0 => Some("locked to write".to_owned()),
        ResourceKind::RwLock => Some("locked to read".to_owned()),
        ResourceKind::Semaphore
        | ResourceKind::Mpsc
        | ResourceKind::Mpmc
        | ResourceKind::Pipe
        | ResourceKind::Custom => Some(format!("{} of {} free", count(it.free), units_words(it, capacity))),
        _ => None,
    }
}

/// `2 of 3 arrived`, or `8 messages`.
fn filled(it: &Resource) -> Option<String> {
    let filled = count(it.filled);
    match (it.kind, it.capacity) {
        (ResourceKind::Barrier, Some(capacity)) => Some(format!("{filled} of {} arrived", count(capacity))),
        _ if it.filled == 0 => None,
        (ResourceKind::Pipe, _) => Some(counted(it.filled, "byte")),
        _ => Some(counted(it.filled, "message")),
    }
}

fn forgotten(it: &Resource) -> Option<String> {
    (it.forgotten > 0).then(|| format!("{} forgotten", counted(it.forgotten, "permit")))
}

/// `holder`, `writer`, or `holder of 3 permits`.
fn holder(it: &Resource, holding: &Holding) -> String {
    match it.kind {
        ResourceKind::RwLock if holding.units > 1 => "writer".to_owned(),
        ResourceKind::RwLock if it.capacity != Some(1) => "reader".to_owned(),
        _ if holding.units > 1 => format!("holder of {}", units_words(it, holding.units)),
        _ => "holder".to_owned(),
    }
}

/// Empty if nothing was counted.
fn usage(it: &Resource) -> String {
    let usage = &it.usage;
    if usage.acquisitions == 0 {
        return String::new();
    }
    let quantiles =
        |it: Quantiles| format!("p50 {}, p99 {}, max {}", time(it.p50_ns), time(it.p99_ns), time(it.max_ns));
    let number = usage.acquisitions;
    let (mut line, is_lock) = match it.kind {
        ResourceKind::Mpsc | ResourceKind::Mpmc | ResourceKind::Oneshot | ResourceKind::Broadcast => {
            (format!("  {} sent", counted(number, "message")), false)
        }
        ResourceKind::Pipe => (format!("  {} written", counted(number, "byte")), false),
        ResourceKind::Barrier => (format!("  {}", counted(number, "arrival")), false),
        ResourceKind::Watch => (format!("  used {}", counted(number, "time")), false),
        _ => (format!("  acquired {}", counted(number, "time")), true),
    };
    let _ = write!(line, ", {}", counted(usage.contended, "wait"));
    // Unfinished and cancelled waits count too, so there may be more waits than acquisitions.
    if is_lock && usage.contended <= number {
        let _ = write!(line, " ({})", percent(usage.contended, number));
    }
    if usage.wait != Quantiles::default() {
        let _ = write!(line, ": {}", quantiles(usage.wait));
    }
    if usage.held != Quantiles::default() {
        let _ = write!(line, "; held {}", quantiles(usage.held));
    }
    line.push('\n');
    line
}
