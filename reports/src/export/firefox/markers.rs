//! Markers with times: live tasks, running polls, current waits, alarms, verdicts and findings.
//!
//! ```text
//! Task      |───────────────────────────|    since it was first recorded
//! Poll                            |─────|    a poll that runs
//! Wait                     |────────────|    a future or a thread that waits
//! Alarm                        |─────|       from the alarm to its end
//! Verdict, Finding                      |    at the capture
//! ```

use std::cmp::Reverse;
use std::io::{self, Write};

use super::profile::Category;
use super::tables::{Ms, Strings, column, object};
use crate::analysis::findings::Severity;
use crate::analysis::hangs::words::{place, resource_name};
use crate::clean::printable;
use crate::export::footer::started_unix_ms;
use crate::export::head::word;
use crate::index::TasksById;
use crate::model::{Alarm, RunState, Snapshot, Task, TaskId, Wait, WaitMode};
use crate::sort::sort_by_key;
use crate::units::{counted, time};

/// Maximum number of tasks, and of waits, that are shown. The oldest are kept.
const MAX_SHOWN: usize = 10_000;

/// A type of marker: its name and its fields.
struct Schema {
    name: &'static str,
    /// Key and label.
    fields: &'static [(&'static str, &'static str)],
}

const TASK: Schema = Schema {
    name: "Task",
    fields: &[("name", "Task"), ("label", "Label"), ("state", "State"), ("place", "Spawned at")],
};
const POLL: Schema = Schema { name: "Poll", fields: &[("name", "Task"), ("place", "Thread")] };
const WAIT: Schema = Schema { name: "Wait", fields: &[("name", "For"), ("task", "Task"), ("place", "At")] };
const VERDICT: Schema = Schema { name: "Verdict", fields: &[("name", "Verdict")] };
const FINDING: Schema = Schema { name: "Finding", fields: &[("name", "Finding")] };
const ALARM: Schema = Schema { name: "Alarm", fields: &[("name", "Alarm")] };

/// The marker types, as JSON for the header.
pub(super) fn schemas() -> Vec<String> {
    let schema = |schema: &Schema| {
        let fields: Vec<String> = schema
            .fields
            .iter()
            .map(|(key, label)| {
                format!(
                    "{{\"key\":\"{key}\",\"label\":\"{label}\",\"format\":\"string\",\"searchable\":true}}"
                )
            })
            .collect();
        format!(
            "{{\"name\":\"{}\",\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],\
             \"chartLabel\":\"{{marker.data.name}}\",\"tooltipLabel\":\"{{marker.data.name}}\",\
             \"tableLabel\":\"{{marker.data.name}}\",\"fields\":[{}]}}",
            schema.name,
            fields.join(","),
        )
    };
    [TASK, POLL, WAIT, VERDICT, FINDING, ALARM].iter().map(schema).collect()
}

/// A marker. Without an end, it is an instant.
struct Marker {
    name: usize,
    category: Category,
    start_ns: u64,
    end_ns: Option<u64>,
    data: String,
}

/// The table of markers.
#[derive(Default)]
pub(super) struct Markers {
    list: Vec<Marker>,
    end_ns: u64,
}

impl Markers {
    /// Collects the markers, by start, then in the order of the snapshot.
    pub(super) fn new(snapshot: &Snapshot, strings: &mut Strings) -> Self {
        let mut markers = Self { list: Vec::new(), end_ns: snapshot.elapsed_ns };
        let by_id = TasksById::new(&snapshot.tasks);
        let mut tasks: Vec<&Task> = snapshot.tasks.iter().collect();
        sort_by_key(&mut tasks, |task| Reverse(task.age_ns));
        for task in tasks.into_iter().take(MAX_SHOWN) {
            markers.task(snapshot, &by_id, task, strings);
        }
        let mut waits: Vec<&Wait> = snapshot.waits.iter().collect();
        sort_by_key(&mut waits, |wait| Reverse(wait.since_ns));
        for wait in waits.into_iter().take(MAX_SHOWN) {
            markers.wait(snapshot, &by_id, wait, strings);
        }
        let verdicts = snapshot.verdicts();
        for verdict in &verdicts {
            markers.instant(&VERDICT, &verdict.sentence, strings);
        }
        // Findings of severity `Stuck` repeat the verdicts.
        for finding in
            snapshot.findings_with(None, &verdicts).iter().filter(|it| it.severity != Severity::Stuck)
        {
            markers.instant(&FINDING, &finding.sentence, strings);
        }
        for alarm in &snapshot.alarms {
            markers.alarm(snapshot, alarm, strings);
        }
        sort_by_key(&mut markers.list, |marker| marker.start_ns);
        markers
    }

    fn task(&mut self, snapshot: &Snapshot, tasks: &TasksById<'_>, task: &Task, strings: &mut Strings) {
        let name = task_name(snapshot, tasks, Some(task.id));
        let label = task.label.as_ref().map(|label| printable(label)).unwrap_or_default();
        let state = format!("{} for {}", word(task.state), time(task.since_ns));
        let spawned = place(task.spawned_at.as_ref()).unwrap_or_default();
        let category = match task.state {
            RunState::Running => Category::Busy,
            RunState::Queued | RunState::Unpolled => Category::Queued,
            RunState::Waiting => Category::Idle,
        };
        self.interval(&TASK, category, task.age_ns, [&name, &label, &state, &spawned], strings);
        if task.state == RunState::Running {
            let thread = printable(&task.thread);
            self.interval(&POLL, Category::Busy, task.since_ns, [&name, &thread], strings);
        }
    }

    fn wait(&mut self, snapshot: &Snapshot, tasks: &TasksById<'_>, wait: &Wait, strings: &mut Strings) {
        let resource = wait.resource.and_then(|resource| snapshot.resource(resource));
        let name = match resource {
            Some(resource) => resource_name(resource),
            None => match (wait.tasks.as_slice(), wait.mode) {
                ([], WaitMode::Timer) => "a point in time".to_owned(),
                ([], WaitMode::Join) => "a task".to_owned(),
                ([], WaitMode::Shutdown) => "blocking work".to_owned(),
                ([], _) => "an unknown resource".to_owned(),
                ([task], _) => task_name(snapshot, tasks, Some(*task)),
                ([first, others @ ..], _) => {
                    let first = task_name(snapshot, tasks, Some(*first));
                    format!("{first} or {}", counted(others.len() as u64, "other"))
                }
            },
        };
        let task = task_name(snapshot, tasks, wait.task);
        let at = place(wait.place.as_ref()).unwrap_or_default();
        self.interval(&WAIT, Category::Idle, wait.since_ns, [&name, &task, &at], strings);
    }

    fn interval<const N: usize>(
        &mut self,
        schema: &Schema,
        category: Category,
        ago_ns: u64,
        values: [&str; N],
        strings: &mut Strings,
    ) {
        let start_ns = self.end_ns.saturating_sub(ago_ns);
        self.push(schema, category, start_ns, Some(self.end_ns), &values, strings);
    }

    fn alarm(&mut self, snapshot: &Snapshot, alarm: &Alarm, strings: &mut Strings) {
        let started_ms = started_unix_ms(snapshot);
        let at_ns =
            |unix_ms: u64| unix_ms.saturating_sub(started_ms).saturating_mul(1_000_000).min(self.end_ns);
        let start_ns = at_ns(alarm.at_unix_ms);
        let end_ns = alarm.resolved_at_unix_ms.map_or(self.end_ns, at_ns).max(start_ns);
        let text = printable(alarm.sentence());
        self.push(&ALARM, Category::Other, start_ns, Some(end_ns), &[&text], strings);
    }

    fn instant(&mut self, schema: &Schema, text: &str, strings: &mut Strings) {
        self.push(schema, Category::Other, self.end_ns, None, &[&printable(text)], strings);
    }

    fn push(
        &mut self,
        schema: &Schema,
        category: Category,
        start_ns: u64,
        end_ns: Option<u64>,
        values: &[&str],
        strings: &mut Strings,
    ) {
        let keys = schema.fields.iter().map(|(key, _)| *key);
        let filled = keys.zip(values.iter().copied()).filter(|(_, value)| !value.is_empty());
        let fields: Vec<(&str, &str)> = [("type", schema.name)].into_iter().chain(filled).collect();
        let name = strings.number(schema.name);
        self.list.push(Marker { name, category, start_ns, end_ns, data: object(&fields) });
    }

    /// Writes `"markers":{…}`.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "\"markers\":{{\"length\":{},", self.list.len())?;
        column(out, "name", self.list.iter().map(|marker| marker.name))?;
        out.write_all(b",")?;
        column(out, "startTime", self.list.iter().map(|marker| Ms(marker.start_ns)))?;
        out.write_all(b",")?;
        let end = |marker: &Marker| {
            marker.end_ns.map_or_else(|| "null".to_owned(), |end_ns| Ms(end_ns).to_string())
        };
        column(out, "endTime", self.list.iter().map(end))?;
        out.write_all(b",")?;
        column(out, "phase", self.list.iter().map(|marker| u8::from(marker.end_ns.is_some())))?;
        out.write_all(b",")?;
        column(out, "category", self.list.iter().map(|marker| marker.category as usize))?;
        out.write_all(b",")?;
        column(out, "data", self.list.iter().map(|marker| &marker.data))?;
        out.write_all(b"}")
    }
}

/// `task 7 handle`, or an empty text if there is no task.
fn task_name(snapshot: &Snapshot, tasks: &TasksById<'_>, id: Option<TaskId>) -> String {
    let Some(id) = id else { return String::new() };
    let site = tasks.get(id).and_then(|task| snapshot.site(task.site));
    let name = site.map(|site| printable(&site.name)).unwrap_or_default();
    format!("task {id} {name}").trim_end().to_owned()
}
