//! Resources with waits: the holders, the queue, and statistics of their use.
//!
//! ```text
//! Mutex#1 `sessions` (tokio), made at src/main.rs:12: 0 of 1 free, 2 wait
//!   held by task 3 `right` for 1.20 s, taken at src/main.rs:9
//!   1. task 2 `left` waits at src/main.rs:6 for 1.10 s
//!   2. task 4 `third` waits at src/main.rs:6 for 400 ms
//!   acquired 1,204 times, 31 of them waited (2.57 %): p50 1.20 ms, p99 8.00 ms, max 1.10 s; held p50 80.0 µs, …
//! ```
//! The longest wait comes first.

use std::cmp::Reverse;
use std::fmt::Write as _;

use crate::analysis::hangs::words::{place, resource_name};
use crate::clean::{clean_lines, printable};
use crate::index::TasksById;
use crate::lists::Lists;
use crate::model::{Attribution, Holding, Place, Quantiles, Resource, Role, Snapshot, Usage, Wait};
use crate::units::{count, percent, time};

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
    let queued = queued.filter_map(|(index, wait)| Some((wait.resource?, index)));
    let queued = queued.filter(|(resource, _)| *resource < snapshot.resources.len());
    let queues = Lists::new(snapshot.resources.len(), queued);
    let longest_ns = |queue: &[usize]| queue.iter().map(|&wait| snapshot.waits[wait].since_ns).max();
    let resources = snapshot.resources.iter().enumerate();
    let waited =
        resources.filter_map(|(index, it)| Some((Reverse(longest_ns(&queues[index])?), it.id, index)));
    let mut waited: Vec<(Reverse<u64>, u64, usize)> = waited.collect();
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
        let _ = writeln!(text, "\n… and {rest} resources more (the JSON report has everything)");
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
            let _ = writeln!(text, "  {}", self.holding(holding));
        }
        let others =
            it.holdings.iter().filter(|holding| holding.role != Role::Uses).count().saturating_sub(MAX_ROWS);
        if others > 0 {
            let _ = writeln!(text, "  … and {} more", count(others as u64));
        }
        for line in [self.taken(it), self.told(it)].into_iter().flatten() {
            let _ = writeln!(text, "  {line}");
        }
        for (number, wait) in queue.iter().take(MAX_ROWS).enumerate() {
            let _ = writeln!(text, "  {}. {}", number + 1, self.wait(wait));
        }
        if queue.len() > MAX_ROWS {
            let _ = writeln!(text, "  … and {} more", count((queue.len() - MAX_ROWS) as u64));
        }
        text.push_str(&usage(&it.usage));
    }

    /// `held by task 3 ...`, `receiver with task 3 ...`.
    fn holding(&self, holding: &Holding) -> String {
        let who = match (holding.attribution, holding.task, holding.thread_id) {
            (Attribution::Unknown, ..) | (_, None, None) => "somebody unknown".to_owned(),
            (_, Some(task), _) => self.task(task),
            (_, None, Some(thread)) => format!("thread {thread}"),
        };
        let likely = if holding.attribution == Attribution::Likely { ", last seen there" } else { "" };
        let since = time(holding.since_ns);
        let by = |verb: &str| {
            place(holding.place.as_ref()).map(|it| format!(", {verb} at {it}")).unwrap_or_default()
        };
        match holding.role {
            Role::Holds if holding.units > 1 => {
                format!("{} held by {who}{likely} for {since}{}", count(holding.units), by("taken"))
            }
            Role::Holds => format!("held by {who}{likely} for {since}{}", by("taken")),
            role => {
                let end = if role == Role::Sends { "sender" } else { "receiver" };
                let verb = if holding.uses == 0 { "made" } else { "last used" };
                format!("{end} with {who}{likely}{}, {since} ago", by(verb))
            }
        }
    }

    /// `last taken by task 3 ... at ..., 1.20 s ago`, for a resource without holders.
    fn taken(&self, it: &Resource) -> Option<String> {
        let taken = it
            .last_acquired
            .as_ref()
            .filter(|_| it.holdings.iter().all(|holding| holding.role != Role::Holds))?;
        Some(format!("last taken{}", self.last(taken.task, taken.place.as_ref(), taken.ago_ns)))
    }

    /// `last told by task 3 ... at ..., 1.20 s ago, when nobody waited`.
    fn told(&self, it: &Resource) -> Option<String> {
        let told = it.last_notified.as_ref()?;
        let whom = match (told.waiters, told.is_broadcast) {
            (0, _) => "when nobody waited".to_owned(),
            (waiting, true) => format!("all {} who waited", count(waiting)),
            (waiting, false) => format!("one of the {} who waited", count(waiting)),
        };
        Some(format!("last told{}, {whom}", self.last(told.task, told.place.as_ref(), told.ago_ns)))
    }

    fn last(&self, task: Option<u64>, at: Option<&Place>, ago_ns: Option<u64>) -> String {
        let mut words = task.map(|task| format!(" by {}", self.task(task))).unwrap_or_default();
        words.extend(place(at).map(|place| format!(" at {place}")));
        words.extend(ago_ns.map(|ns| format!(", {} ago", time(ns))));
        words
    }

    /// `task 2 'left' waits at ... for 1.10 s`.
    fn wait(&self, wait: &Wait) -> String {
        let mut line = match (wait.task, wait.thread_id) {
            (Some(task), _) => self.task(task),
            (None, Some(thread)) => format!("thread {thread}"),
            (None, None) => "a future outside of all tasks".to_owned(),
        };
        let units = if wait.units > 1 { format!(" for {}", count(wait.units)) } else { String::new() };
        let _ = write!(line, " waits{units}");
        if let Some(place) = place(wait.place.as_ref()) {
            let _ = write!(line, " at {place}");
        }
        let _ = write!(line, " for {}", time(wait.since_ns));
        if wait.thread_id.is_some() {
            line.push_str(", and blocks its thread");
        }
        match wait.woken_ns {
            Some(woken_ns) if wait.is_granted => {
                let _ = write!(line, ", has been given it {} ago", time(woken_ns));
            }
            Some(woken_ns) => {
                let _ = write!(line, ", was woken {} ago", time(woken_ns));
            }
            None => {}
        }
        if wait.is_wake_ignored || (wait.is_parked && !wait.is_indirect) {
            line.push_str(", NOT POLLED since by its task");
        }
        line
    }

    fn task(&self, id: u64) -> String {
        match self.tasks.get(id).and_then(|task| self.snapshot.sites.get(task.site)) {
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
        let _ = write!(line, ", made at {place}");
    }
    line.push(':');
    if let Some(capacity) = it.capacity {
        let _ = write!(line, " {} of {} free,", count(it.free), count(capacity));
    }
    if it.filled > 0 {
        let _ = write!(line, " {} in it,", count(it.filled));
    }
    if it.forgotten > 0 {
        let _ = write!(line, " {} forgotten,", count(it.forgotten));
    }
    let verb = if waiting == 1 { "waits" } else { "wait" };
    let _ = writeln!(line, " {} {verb}", count(waiting as u64));
    line
}

/// Empty if nothing was counted.
fn usage(usage: &Usage) -> String {
    if usage.acquisitions == 0 {
        return String::new();
    }
    let quantiles =
        |it: Quantiles| format!("p50 {}, p99 {}, max {}", time(it.p50_ns), time(it.p99_ns), time(it.max_ns));
    let mut line = format!(
        "  acquired {} times, {} of them waited ({})",
        count(usage.acquisitions),
        count(usage.contended),
        percent(usage.contended, usage.acquisitions)
    );
    if usage.wait != Quantiles::default() {
        let _ = write!(line, ": {}", quantiles(usage.wait));
    }
    if usage.held != Quantiles::default() {
        let _ = write!(line, "; held {}", quantiles(usage.held));
    }
    line.push('\n');
    line
}
