//! The dump of tasks, grouped by spawn site.
//!
//! ```text
//! 150 tasks conn, spawned at src/main.rs:128:9 by task 1: 149 waiting, 1 queued, for 9.79 ms to 2.73 s; 1,018 polls, busy 774 ms
//!   81 × task conn [waiting 35.9 ms to 2.71 s] 589 polls, busy 396 ms: tasks 155, 156, …
//!     └─ get_order at get_order(app.clone(), id).await (src/main.rs:93:40)
//!        └─ self.rows.read().await (src/main.rs:21:28) [waiting]
//!   …
//!   … and 4 more shapes, 12 tasks
//! ```
//! Places with tasks of a verdict come first, then those with the longest waits. Within a place,
//! shapes with tasks of a verdict come first, then those that nothing can wake, then the largest.

use std::cmp::Reverse;
use std::fmt::Write as _;

use crate::clean::printable;
use crate::export::head::{head, word};
use crate::export::tasks::{Forest, longest_ns, origin, range};
use crate::model::{Place, RunState, SiteIndex, Snapshot, Task, TaskId, TaskKind};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::sort::sort_by_cached_key;
use crate::units::{count, counted, time};

/// Maximum number of spawn sites that are shown.
const MAX_PLACES: usize = 20;
/// Maximum number of shapes per spawn site, and the maximum if all of them have a task of a verdict
/// or one that nothing can wake.
const MAX_SHAPES: usize = 3;
const MAX_STUCK: usize = 10;

/// The site, spawn site and kind that the tasks of a group share.
type Key<'a> = (SiteIndex, Option<&'a Place>, TaskKind);

/// Renders the tasks by spawn site, those in `stuck` first.
pub(crate) fn render(snapshot: &Snapshot, stuck: &OrderedSet<TaskId>) -> String {
    let forest = Forest::new(snapshot);
    let mut places = OrderedMap::<Key<'_>, Vec<Vec<&Task>>>::new();
    for group in forest.groups() {
        let task = group[0];
        places.entry((task.site, task.spawned_at.as_ref(), task.kind)).or_default().push(group);
    }
    let mut places: Vec<Vec<Vec<&Task>>> = places.into_values().collect();
    let is_stuck = |group: &Vec<&Task>| group.iter().any(|task| stuck.contains(&task.id));
    sort_by_cached_key(&mut places, |shapes| {
        let is_stuck = shapes.iter().any(is_stuck);
        let longest_ns = shapes.iter().map(|group| longest_ns(group)).max();
        (!is_stuck, Reverse(longest_ns), shapes[0][0].id)
    });
    let mut page = head(snapshot, &forest.tasks);
    for shapes in places.iter().take(MAX_PLACES) {
        page.push('\n');
        write_place(&mut page, &forest, shapes, is_stuck);
    }
    if places.len() > MAX_PLACES {
        let rest = &places[MAX_PLACES..];
        let tasks = rest.iter().flatten().map(Vec::len).sum::<usize>();
        let (places, tasks) = (counted(rest.len() as u64, "place"), counted(tasks as u64, "task"));
        // Writing to a string cannot fail.
        let _ = writeln!(page, "\n… and {places} more, {tasks} (the full report has them)");
    }
    page.push_str(&forest.lost());
    page
}

fn write_place(
    page: &mut String,
    forest: &Forest<'_>,
    shapes: &[Vec<&Task>],
    is_stuck: impl Fn(&Vec<&Task>) -> bool,
) {
    if let [group] = shapes {
        forest.write_group(page, group, true);
        return;
    }
    let tasks: Vec<&Task> = shapes.iter().flatten().copied().collect();
    let blocking = if tasks[0].kind == TaskKind::Blocking { "blocking " } else { "" };
    let states = [RunState::Running, RunState::Queued, RunState::Waiting, RunState::Unpolled];
    let states = states.map(|state| (state, tasks.iter().filter(|task| task.state == state).count()));
    let states = states.into_iter().filter(|(_, number)| *number > 0);
    let states: Vec<String> =
        states.map(|(state, number)| format!("{} {}", count(number as u64), word(state))).collect();
    let sum = |value: fn(&Task) -> u64| tasks.iter().map(|task| value(task)).fold(0, u64::saturating_add);
    let _ = writeln!(
        page,
        "{} {blocking}tasks {}{}: {}, for {}; {}, busy {}",
        count(tasks.len() as u64),
        printable(&forest.name(tasks[0].site)),
        origin(&tasks),
        states.join(", "),
        range(&tasks, |task| task.since_ns),
        counted(sum(|task| task.polls), "poll"),
        time(sum(|task| task.busy_ns)),
    );
    let mut order: Vec<&Vec<&Task>> = shapes.iter().collect();
    sort_by_cached_key(&mut order, |group| {
        let severity = (!is_stuck(group), !forest.is_lost(group[0]));
        (severity, Reverse(group.len()), Reverse(longest_ns(group)), group[0].id)
    });
    let is_severe = |group: &&&Vec<&Task>| is_stuck(group) || forest.is_lost(group[0]);
    let shown = order.iter().filter(is_severe).count().clamp(MAX_SHAPES, MAX_STUCK);
    for group in order.iter().take(shown) {
        let mut lines = String::new();
        forest.write_group(&mut lines, group, false);
        for line in lines.lines() {
            let _ = writeln!(page, "  {line}");
        }
    }
    if order.len() > shown {
        let rest = &order[shown..];
        let tasks = counted(rest.iter().map(|group| group.len() as u64).sum(), "task");
        let _ = writeln!(page, "  … and {}, {tasks}", counted(rest.len() as u64, "more shape"));
    }
}
