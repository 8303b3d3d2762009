//! Names of tasks, resources and places in verdicts.

use std::fmt::Write as _;

use super::callers::NamedCallers;
use crate::analysis::hangs::facts::{Facts, is_active, waits_for_event};
use crate::analysis::hangs::verdict::{Link, LinkNode, LinkRole};
use crate::clean::printable;
use crate::model::{
    Place, Resource, ResourceId, ResourceKind, RunState, SiteIndex, SpanId, SpanIndex, Task, TaskId, Wait,
    WaitMode,
};
use crate::units::{counted, time};

/// The name of a kind of resource, which reports show with the id.
pub(crate) fn kind_name(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Mutex => "Mutex",
        ResourceKind::RwLock => "RwLock",
        ResourceKind::Semaphore => "Semaphore",
        ResourceKind::OnceCell => "OnceCell",
        ResourceKind::Barrier => "Barrier",
        ResourceKind::Notify => "Notify",
        ResourceKind::Condvar => "Condvar",
        ResourceKind::Mpsc => "mpsc",
        ResourceKind::Mpmc => "channel",
        ResourceKind::Oneshot => "oneshot",
        ResourceKind::Broadcast => "broadcast",
        ResourceKind::Watch => "watch",
        ResourceKind::Pipe => "pipe",
        ResourceKind::Cancellation => "CancellationToken",
        ResourceKind::TaskTracker => "TaskTracker",
        ResourceKind::Custom => "resource",
    }
}

/// `Mutex#1`, or ``Mutex#1 `sessions` ``.
pub(crate) fn resource_name(it: &Resource) -> String {
    resource_name_of(it.kind, it.id, it.name.as_deref())
}

/// The name of a resource in a sentence: `` `Mutex#1` ``, or `` `Mutex#1 sessions` ``.
pub(crate) fn resource_words(it: &Resource) -> String {
    let name = it.name.as_deref().map(|name| format!(" {}", printable(name))).unwrap_or_default();
    format!("`{}#{}{name}`", kind_name(it.kind), it.id)
}

/// Builds the name of a resource from its kind, id and given name.
pub(crate) fn resource_name_of(kind: ResourceKind, id: ResourceId, name: Option<&str>) -> String {
    let mut text = format!("{}#{id}", kind_name(kind));
    if let Some(name) = name {
        let _ = write!(text, " `{}`", printable(name));
    }
    text
}

/// Units of a resource with their noun: `3 permits`.
pub(crate) fn units_words(it: &Resource, units: u64) -> String {
    let noun = match it.kind {
        ResourceKind::Semaphore => "permit",
        ResourceKind::Mpsc | ResourceKind::Mpmc => "slot",
        ResourceKind::Pipe => "byte",
        _ => "unit",
    };
    counted(units, noun)
}

/// `src/main.rs:40`; `None` if unknown.
pub(crate) fn place(place: Option<&Place>) -> Option<String> {
    let it = place.filter(|place| !place.file.is_empty())?;
    let mut text = printable(&it.file);
    let _ = write!(text, ":{}", it.line);
    Some(text)
}

/// ` at src/main.rs:40`, or empty.
pub(crate) fn at(it: Option<&Place>) -> String {
    place(it).map(|place| [" at ", &place].concat()).unwrap_or_default()
}

impl Facts<'_> {
    /// The name of a site, followed by a label.
    pub(crate) fn name(&self, site: SiteIndex, label: Option<&str>) -> String {
        let name = self.snapshot.site(site).map_or_else(|| "task".to_owned(), |it| printable(&it.name));
        match label {
            Some(label) => format!("{name} {}", printable(label)),
            None => name,
        }
    }

    /// The name of a task.
    pub(crate) fn task_name(&self, task: &Task) -> String {
        self.name(task.site, task.label.as_deref())
    }

    /// ``task 3 `worker` `` for a live task, `task 3 (done)` otherwise.
    pub(crate) fn task_words(&self, id: TaskId) -> String {
        match self.task(id) {
            Some(index) => format!("task {id} `{}`", self.task_name(&self.snapshot.tasks[index])),
            None => format!("task {id} (done)"),
        }
    }

    /// ``task 3 `worker` ``, or the blocked thread.
    pub(crate) fn waiter_words(&self, wait: &Wait) -> String {
        match (wait.task, wait.thread_id) {
            (Some(task), _) => self.task_words(task),
            (None, Some(thread)) => format!("thread {thread}"),
            (None, None) => "a future outside of all tasks".to_owned(),
        }
    }

    /// ``future `op` `` for the span of a wait; `a future` if the span is gone.
    pub(crate) fn future_words(&self, wait: &Wait) -> String {
        self.span_name(wait.span).map_or_else(|| "a future".to_owned(), |name| format!("future `{name}`"))
    }

    /// The name of a live span.
    pub(crate) fn span_name(&self, span: Option<SpanId>) -> Option<String> {
        let span = &self.snapshot.spans[self.span(span)?];
        Some(self.name(span.site, span.label.as_deref()))
    }

    /// The place of a wait: its call, or the await through which its span is polled.
    pub(crate) fn place_of(&self, wait: &Wait) -> Option<Place> {
        if wait.place.is_some() {
            return wait.place.clone();
        }
        let span = &self.snapshot.spans[self.span(wait.span)?];
        self.place_of_site(span.at.unwrap_or(span.site))
    }

    /// The place where a task is suspended: its innermost await, or else its site.
    pub(crate) fn place_of_task(&self, task: &Task) -> Option<Place> {
        let waits = self.task(task.id).map(|index| &self.waits_of_task[index]);
        let is_awaited = |wait: &&Wait| is_active(wait) && !wait.is_set_aside;
        let mut active =
            waits.into_iter().flatten().filter_map(|&wait| self.snapshot.waits.get(wait)).filter(is_awaited);
        if let Some(wait) = active.next() {
            return self.place_of(wait);
        }
        let spans = &self.snapshot.spans;
        let root = task.span.map(SpanIndex::get);
        let Some(mut innermost) = root.filter(|&root| root < spans.len()) else {
            return self.place_of_site(task.site);
        };
        // The search skips futures that were set aside, because the task does not wait for them.
        let next = |parent: usize| {
            let below = spans.iter().enumerate().skip(parent + 1);
            let mut below = below.take_while(|(_, span)| span.parent.is_some_and(|it| it.get() >= parent));
            below
                .find(|(_, span)| span.parent == Some(SpanIndex::new(parent)) && !span.is_set_aside)
                .map(|(index, _)| index)
        };
        while let Some(child) = next(innermost) {
            innermost = child;
        }
        self.place_of_site(spans[innermost].site)
    }

    /// The place of a site.
    pub(crate) fn place_of_site(&self, site: SiteIndex) -> Option<Place> {
        self.snapshot.site(site).map(|site| site.place.clone())
    }

    /// Returns whether the wait blocks a thread.
    pub(crate) fn is_blocking(&self, wait: &Wait) -> bool {
        let task = self.task_of(wait);
        wait.thread_id.is_some()
            || task.is_some_and(|task| self.snapshot.tasks[task].state == RunState::Running)
    }

    /// ``is waiting for `Mutex#1` at src/main.rs:40 (1.20 s)``.
    pub(crate) fn waits_words(&self, wait: &Wait, callers: &mut NamedCallers) -> String {
        let is = if self.is_blocking(wait) { "blocks its thread while " } else { "is " };
        let since = time(wait.since_ns);
        [is, &self.mode_words(wait), &self.at_words(wait, callers), " (", &since, ")"].concat()
    }

    /// ``waiting for `Mutex#1` ``.
    fn mode_words(&self, wait: &Wait) -> String {
        let it = self.resource_of(wait).map(|index| &self.snapshot.resources[index]);
        let name = it.map_or_else(String::new, resource_words);
        match wait.mode {
            WaitMode::Lock => format!("waiting for {name}"),
            WaitMode::Read => format!("waiting to read {name}"),
            WaitMode::Write => format!("waiting to write {name}"),
            WaitMode::Acquire if wait.units > 1 => format!("waiting for {} permits of {name}", wait.units),
            WaitMode::Acquire => format!("waiting for a permit of {name}"),
            WaitMode::Send => match it {
                Some(it) if it.kind == ResourceKind::Pipe => format!("writing to {name}"),
                Some(it) if it.kind == ResourceKind::Watch => format!("waiting to update {name}"),
                _ => format!("waiting for a free slot in {name}"),
            },
            WaitMode::Receive => match it {
                Some(it) if it.kind == ResourceKind::Pipe => format!("reading from {name}"),
                Some(it) if it.kind == ResourceKind::Watch => format!("waiting for a new value of {name}"),
                _ => format!("receiving from {name}"),
            },
            WaitMode::Closed => match it {
                Some(it) if it.kind == ResourceKind::TaskTracker && waits_for_event(it) => {
                    format!("waiting for {name}, which is empty, to be closed")
                }
                Some(it) if it.kind == ResourceKind::TaskTracker => {
                    format!("waiting for the tasks of {name}")
                }
                _ => format!("waiting for the receiver of {name} to be dropped"),
            },
            WaitMode::Initialize => format!("waiting for the initialization of {name}"),
            WaitMode::Arrive => format!("waiting at {name}"),
            WaitMode::Notified => match it {
                Some(it) if it.kind == ResourceKind::Cancellation => {
                    format!("waiting for the cancellation of {name}")
                }
                _ => format!("waiting for a notification from {name}"),
            },
            WaitMode::Join => format!("waiting for {} to finish", self.joined_words(wait)),
            WaitMode::Timer => "waiting for a timer".to_owned(),
            WaitMode::Shutdown => {
                format!(
                    "shutting down a runtime and waiting for blocking work to finish, {}",
                    self.joined_words(wait)
                )
            }
            WaitMode::Custom => {
                format!("waiting for {}", if it.is_some() { &name } else { "an unknown resource" })
            }
        }
    }

    fn joined_words(&self, wait: &Wait) -> String {
        match wait.tasks.as_slice() {
            [] => "a task".to_owned(),
            [task] if Some(*task) == wait.task => "itself".to_owned(),
            [task] => self.task_words(*task),
            [first, others @ ..] => {
                let others = match others.len() {
                    1 => "another task".to_owned(),
                    many => format!("one of {many} other tasks"),
                };
                format!("{} or {others}", self.task_words(*first))
            }
        }
    }

    /// The link of a resource.
    pub(crate) fn resource_link(&self, index: usize) -> Option<Link> {
        let it = self.snapshot.resources.get(index)?;
        let name = it.name.as_deref().map_or_else(|| kind_name(it.kind).to_owned(), printable);
        Some(link(LinkNode::Resource, it.id, name, it.created.as_ref(), LinkRole::Created, it.age_ns))
    }

    /// The link of a live task.
    pub(crate) fn task_link(
        &self,
        task: usize,
        place: Option<&Place>,
        role: LinkRole,
        since_ns: u64,
    ) -> Link {
        let task = &self.snapshot.tasks[task];
        let own = if place.is_none() { self.place_of_task(task) } else { None };
        link(LinkNode::Task, task.id, self.task_name(task), place.or(own.as_ref()), role, since_ns)
    }
}

/// A link without callers.
pub(crate) fn link(
    node: LinkNode,
    id: impl Into<u64>,
    name: String,
    place: Option<&Place>,
    role: LinkRole,
    since_ns: u64,
) -> Link {
    let (file, line) = place.map_or_else(Default::default, |place| (printable(&place.file), place.line));
    Link { node, id: id.into(), name, file, line, callers: Vec::new(), role, since_ns }
}
