//! The live tasks, and what each task waits for, like a goroutine dump.
//!
//! ```text
//! tasks: 3 alive, 1 running, 2 waiting
//! …
//!
//! task 7 conn [waiting 4.20 s for Mutex#1] 12 polls, busy 1.20 ms, spawned at src/main.rs:41:9 by task 1
//!   load(id).await (src/main.rs:12:5)
//!   └─ rows.lock().await (src/main.rs:20:9) [waiting 4.20 s]
//! ```
//! Tasks that differ only in ids and times form a group, `200 × conn`. The longest wait comes
//! first.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io;

use crate::analysis::hangs::is_pending;
use crate::clean::{clean_lines, printable};
use crate::export::branches::Indent;
use crate::export::head::{head, word};
use crate::export::lines::{Lines, lines_to_string};
use crate::export::set_aside::set_aside;
use crate::export::shapes::{Numbers, Shapes, is_lost};
use crate::export::verdicts;
use crate::export::waited::Waited;
use crate::export::wakes::chain;
use crate::index::TasksById;
use crate::lists::Lists;
use crate::model::{RunState, Site, SiteIndex, SiteKind, Snapshot, Task, TaskId, TaskKind};
use crate::ordered::OrderedMap;
use crate::sort::sort_by_key;
use crate::units::{count, time};

/// Maximum number of task ids written per group.
const MAX_NUMBERS: usize = 8;

impl Snapshot {
    /// Returns every task as text: its state, what it waits for, and since when, like a goroutine
    /// dump. Verdicts come first, then the longest wait. Tasks that look alike form a group.
    #[must_use]
    pub fn tree(&self) -> String {
        let mut page = verdicts::render(self);
        if !page.is_empty() {
            page.push('\n');
        }
        page.push_str(&render(self));
        clean_lines(&page).into_owned()
    }
}

/// Renders all groups of tasks, the longest wait first.
pub(crate) fn render(snapshot: &Snapshot) -> String {
    lines_to_string(|out| write(snapshot, out))
}

/// Writes all groups of tasks, the longest wait first. Each group is written separately.
pub(crate) fn write(snapshot: &Snapshot, out: Lines<'_>) -> io::Result<()> {
    let forest = Forest::new(snapshot);
    out(&head(snapshot, &forest.tasks))?;
    let mut page = String::new();
    for group in forest.groups() {
        page.clear();
        page.push('\n');
        forest.write_group(&mut page, &group, true);
        out(&page)?;
    }
    out(&forest.lost())
}

pub(super) fn longest_ns(group: &[&Task]) -> u64 {
    group.iter().map(|task| task.since_ns).max().unwrap_or(0)
}

/// The spans by their parents.
pub(super) struct Forest<'a> {
    snapshot: &'a Snapshot,
    children: Lists,
    /// By task: the spans that it polled last and whose parent is gone.
    detached: HashMap<TaskId, Vec<usize>>,
    /// By span: whether its task has stopped polling it.
    set_aside: Vec<bool>,
    waited: Waited<'a>,
    /// The tasks by id.
    pub(super) tasks: TasksById<'a>,
}

impl<'a> Forest<'a> {
    pub(super) fn new(snapshot: &'a Snapshot) -> Self {
        let spans = &snapshot.spans;
        let children = spans.iter().enumerate();
        let children = children.filter_map(|(number, span)| Some((span.parent?.get(), number)));
        // In a capture, a parent comes before its children and has the same task. The check ensures
        // that every span is drawn once.
        let is_child =
            |parent: usize, number: usize| parent < number && spans[parent].task == spans[number].task;
        let children = children.filter(|&(parent, number)| is_child(parent, number));
        let children = Lists::new(spans.len(), children);
        let mut detached = HashMap::<TaskId, Vec<usize>>::new();
        for (number, span) in spans.iter().enumerate() {
            if let (true, None, Some(task)) = (span.is_detached, span.parent, span.task) {
                detached.entry(task).or_default().push(number);
            }
        }
        Self {
            snapshot,
            children,
            detached,
            set_aside: set_aside(snapshot),
            waited: Waited::new(snapshot),
            tasks: TasksById::new(&snapshot.tasks),
        }
    }

    /// Groups tasks that differ only in ids and times. The group with the longest wait comes first.
    pub(super) fn groups(&self) -> Vec<Vec<&'a Task>> {
        let mut shapes = Shapes::new(self.snapshot, |span| &self.children[span], &self.set_aside);
        let mut known = Numbers::default();
        let mut groups: Vec<Vec<&'a Task>> = Vec::new();
        let mut key = Vec::new();
        for task in &self.snapshot.tasks {
            shapes.task(&mut key, task, self.detached_of(task));
            match groups.get_mut(known.of(&key)) {
                Some(group) => group.push(task),
                None => groups.push(vec![task]),
            }
        }
        sort_by_key(&mut groups, |group| (Reverse(longest_ns(group)), group[0].id));
        groups
    }

    fn detached_of(&self, task: &Task) -> &[usize] {
        self.detached.get(&task.id).map_or(&[], Vec::as_slice)
    }

    /// Writes the tasks of a group, and their futures once. `has_origin` adds the spawn site.
    pub(super) fn write_group(&self, page: &mut String, group: &[&Task], has_origin: bool) {
        let task = group[0];
        let name = self.name(task.site);
        let label = task.label.as_deref().map(|label| format!(" {}", printable(label))).unwrap_or_default();
        let kind = if task.kind == TaskKind::Blocking { "blocking " } else { "" };
        let head = if group.len() == 1 {
            format!("{kind}task {} {name}{label}{}", task.id, attributes(task))
        } else {
            format!("{} × {kind}task {name}{label}", count(group.len() as u64))
        };
        let since = range(group, |task| task.since_ns);
        let waited = if task.state == RunState::Waiting { self.waited.words(group) } else { String::new() };
        let _ = write!(page, "{head} [{} {since}{waited}]", word(task.state));
        let polls = group.iter().fold(0_u64, |sum, task| sum.saturating_add(task.polls));
        let busy_ns = group.iter().fold(0_u64, |sum, task| sum.saturating_add(task.busy_ns));
        let polls = if polls == 1 { "1 poll".to_owned() } else { format!("{} polls", count(polls)) };
        let _ = write!(page, " {polls}, busy {}", time(busy_ns));
        if has_origin {
            page.push_str(&origin(group));
        }
        if group.len() > 1 {
            let _ = write!(page, ": tasks {}", numbers(group));
        } else {
            page.push_str(&chain(task, &self.tasks, |task| self.name(task.site)));
        }
        let is_one_thread = group.iter().all(|other| other.thread == task.thread);
        if task.state == RunState::Running && !task.thread.is_empty() && is_one_thread {
            let _ = write!(page, ", on thread {}", printable(&task.thread));
        }
        page.push('\n');
        if is_lost(task) {
            page.push_str(if self.waits_for_ever(task) {
                "  nothing can wake it, on purpose: it awaits pending()\n"
            } else {
                "  NOTHING CAN WAKE IT: it returned Pending, and no clone of its waker is left\n"
            });
        }
        if task.state == RunState::Running {
            self.write_running(page, task);
        }
        if let Some(root) = task.span {
            self.write_children(page, root.get(), group.len());
        }
        self.write_detached(page, group);
    }

    /// Writes the spans of these tasks whose parents are gone, with all spans below them. Spans
    /// that are alike are written once.
    fn write_detached(&self, page: &mut String, group: &[&Task]) {
        let spans = group.iter().flat_map(|task| self.detached_of(task)).copied();
        self.write_alike(page, spans, "detached, its parent future is gone", group.len());
    }

    /// Writes these spans, with all spans below them. Spans that are alike are written once. `what`
    /// describes them, unless a heading does.
    fn write_alike(&self, page: &mut String, spans: impl Iterator<Item = usize>, what: &str, tasks: usize) {
        let mut alike: OrderedMap<String, Vec<usize>> = OrderedMap::new();
        for number in spans {
            alike.entry(self.detached_words(number, 2)).or_default().push(number);
        }
        for (words, numbers) in alike {
            let comma = if what.is_empty() { "" } else { ", " };
            let head = if let [_] = numbers[..] {
                what.to_owned()
            } else {
                let ages = range(&numbers, |&number| self.snapshot.spans[number].age_ns);
                let many = count(numbers.len() as u64);
                format!("{many} × {what}{comma}created {ages} ago")
            };
            let words = if let [number] = numbers[..] { self.detached_words(number, tasks) } else { words };
            let colon = if head.is_empty() { "" } else { ": " };
            let _ = write!(page, "  {head}{colon}{words}");
        }
    }

    /// The lines of a span whose parent is gone, and of all spans below it, with times if `tasks`
    /// is 1.
    fn detached_words(&self, number: usize, tasks: usize) -> String {
        let mut words = self.span(number, tasks) + "\n";
        self.write_children(&mut words, number, tasks);
        words
    }

    /// Returns whether nothing can wake the task, and that is not on purpose.
    pub(super) fn is_lost(&self, task: &Task) -> bool {
        is_lost(task) && !self.waits_for_ever(task)
    }

    /// Returns whether the task waits only for `std::future::pending()`, by the text of its awaits.
    fn waits_for_ever(&self, task: &Task) -> bool {
        let Some(root) = task.span.filter(|&span| self.snapshot.span(span).is_some()) else { return false };
        let mut open = vec![root.get()];
        let mut leaves = Vec::new();
        while let Some(span) = open.pop() {
            if self.children[span].is_empty() {
                leaves.push(self.snapshot.spans[span].site);
            }
            open.extend(&self.children[span]);
        }
        leaves.iter().all(|&site| is_pending(&self.name(site)))
    }

    /// Writes the stack that was running at the capture.
    fn write_running(&self, page: &mut String, task: &Task) {
        let mut indent = Indent::new("  ");
        for (depth, &site) in task.running.iter().enumerate() {
            let mark = if depth + 1 == task.running.len() { "  ◀ running" } else { "" };
            let branch = if depth == 0 {
                "  ".to_owned()
            } else {
                let branch = indent.branch(true);
                indent = indent.below(true);
                branch
            };
            let _ = writeln!(page, "{branch}{}{mark}", self.place(site));
        }
    }

    /// Writes the spans below a span. `tasks` is the number of tasks with equal spans, each with
    /// its own times.
    fn write_children(&self, page: &mut String, span: usize, tasks: usize) {
        // This stack is explicit, because futures may be nested deeper than the stack of the thread
        // allows.
        let mut open: Vec<(usize, Indent, bool)> = Vec::new();
        let push = |open: &mut Vec<(usize, Indent, bool)>, span: usize, indent: &Indent| {
            for (from_last, child) in self.shown_children(span).into_iter().rev().enumerate() {
                open.push((child, indent.clone(), from_last == 0));
            }
        };
        push(&mut open, span, &Indent::new("  "));
        while let Some((number, indent, is_last)) = open.pop() {
            let _ = writeln!(page, "{}{}", indent.branch(is_last), self.span(number, tasks));
            push(&mut open, number, &indent.below(is_last));
        }
    }

    /// Returns the children of a span. The children of a span in the stack that runs take its
    /// place.
    fn shown_children(&self, span: usize) -> Vec<usize> {
        let mut shown = Vec::new();
        let mut open: Vec<usize> = self.children[span].iter().rev().copied().collect();
        while let Some(child) = open.pop() {
            if self.is_in_running(child) {
                open.extend(self.children[child].iter().rev());
            } else {
                shown.push(child);
            }
        }
        shown
    }

    /// Returns whether a span is in the stack that its task runs.
    fn is_in_running(&self, span: usize) -> bool {
        let span = &self.snapshot.spans[span];
        let task = || span.task.and_then(|task| self.tasks.get(task));
        span.state == RunState::Running
            && task().is_some_and(|task| task.state == RunState::Running && !task.running.is_empty())
    }

    /// `read user=7 at read(id).await (src/main.rs:12:5) [waiting 4.20 s]`. For the spans of
    /// several tasks, the time is left out.
    fn span(&self, number: usize, tasks: usize) -> String {
        let span = &self.snapshot.spans[number];
        let mut line = match span.at {
            Some(at) => format!("{} at {}", self.name(span.site), self.place(at)),
            None => self.place(span.site),
        };
        if let Some(label) = &span.label {
            let _ = write!(line, " {}", printable(label));
        }
        if self.children[number].is_empty() {
            let since = if tasks > 1 { String::new() } else { format!(" {}", time(span.since_ns)) };
            let _ = write!(line, " [{}{since}]", word(span.state));
        }
        if self.set_aside.get(number) == Some(&true) {
            line.push_str(" [its task stopped polling it]");
        }
        line
    }

    /// Spans that belong to no task.
    pub(super) fn lost(&self) -> String {
        let spans = self.snapshot.spans.iter().enumerate();
        let mut lost = spans.filter(|(_, span)| span.is_without_task()).map(|(number, _)| number).peekable();
        let mut page = String::new();
        if lost.peek().is_some() {
            page.push_str("\ndetached: pending futures whose parent is gone\n");
            self.write_alike(&mut page, lost, "", 1);
        }
        page
    }

    fn site(&self, site: SiteIndex) -> Option<&'a Site> {
        self.snapshot.site(site)
    }

    pub(super) fn name(&self, site: SiteIndex) -> String {
        self.site(site).map_or_else(|| "[unknown]".to_owned(), |site| printable(&site.name))
    }

    /// The name of a site and its place in the source; the text of an await.
    fn place(&self, site: SiteIndex) -> String {
        let name = self.name(site);
        match self.site(site) {
            Some(site) if site.kind == SiteKind::Await => {
                format!("{name} ({}:{}:{})", printable(&site.place.file), site.place.line, site.place.column)
            }
            Some(site) if !site.place.file.is_empty() => {
                format!("{name} ({}:{})", printable(&site.place.file), site.place.line)
            }
            _ => name,
        }
    }
}

/// `, spawned at src/main.rs:41:9 by task 1`.
pub(super) fn origin(group: &[&Task]) -> String {
    let task = group[0];
    let place = task.spawned_at.as_ref();
    let mut text =
        place.map(|place| format!(", spawned at {}", printable(&place.to_string()))).unwrap_or_default();
    match task.spawned_by {
        Some(by) if group.iter().all(|task| task.spawned_by == Some(by)) => {
            let _ = write!(text, " by task {by}");
        }
        _ => {}
    }
    text
}

/// `4.20 s`, or `1.00 s to 4.20 s`.
pub(super) fn range<T>(group: &[T], value: impl Fn(&T) -> u64) -> String {
    let values = || group.iter().map(&value);
    let (shortest, longest) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
    let (shortest, longest) = (time(shortest), time(longest));
    if shortest == longest { longest } else { format!("{shortest} to {longest}") }
}

/// ` request=4711 tenant=3`: each attribute after a space.
fn attributes(task: &Task) -> String {
    let mut text = String::new();
    for (name, value) in &task.attributes {
        let _ = write!(text, " {}={}", printable(name), printable(value));
    }
    text
}

/// `7, 8 request=4711, 9` or `7, 8, …`.
fn numbers(group: &[&Task]) -> String {
    let mut tasks = group.to_vec();
    sort_by_key(&mut tasks, |task| task.id);
    let first = tasks.iter().take(MAX_NUMBERS).map(|task| format!("{}{}", task.id, attributes(task)));
    let first = first.collect::<Vec<_>>().join(", ");
    if group.len() > MAX_NUMBERS { format!("{first} …") } else { first }
}
