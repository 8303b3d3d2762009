//! Locks that were acquired in both orders, as text.
//!
//! ```text
//! lock order: 1 cycle in 2 pairs
//!
//! Mutex#1 `accounts` and Mutex#2 were acquired in both orders
//!   task 2 `left` held Mutex#1 `accounts` (acquired at src/main.rs:5) and acquired Mutex#2 at src/main.rs:6, 12 times
//!   task 3 `right` held Mutex#2 (acquired at src/main.rs:9) and acquired Mutex#1 `accounts` at src/main.rs:10, once
//! ```

use std::fmt::Write as _;

use crate::analysis::hangs::words::{at, place, resource_name_of};
use crate::clean::{clean_lines, printable};
use crate::model::{LockOrder, LockPair, ResourceId, Snapshot};
use crate::units::{count, counted};

/// Maximum number of steps of a cycle that are written.
const MAX_ROWS: usize = 32;

impl Snapshot {
    /// Returns the locks that were acquired in both orders, or in a cycle, as text: which task held
    /// which lock, which lock it acquired, and where. The text is empty if lock order was not
    /// recorded.
    #[must_use]
    pub fn lock_order_text(&self) -> String {
        clean_lines(&render(self, usize::MAX)).into_owned()
    }
}

/// Renders at most `bound` cycles, and the number of the others.
pub(crate) fn render(snapshot: &Snapshot, bound: usize) -> String {
    let Some(order) = &snapshot.lock_order else { return String::new() };
    let inversions = snapshot.lock_inversions();
    let pairs = counted(order.pairs.len() as u64, "pair");
    let mut text = match inversions.len() {
        0 => format!("lock order: no cycle in {pairs}\n"),
        many => format!("lock order: {} in {pairs}\n", counted(many as u64, "cycle")),
    };
    for inversion in inversions.iter().take(bound) {
        let steps: Vec<&LockPair> = inversion.pairs.iter().map(|&pair| &order.pairs[pair]).collect();
        let names: Vec<String> = steps.iter().take(MAX_ROWS).map(|step| name(order, step.held)).collect();
        let how = if steps.len() == 2 { "both orders" } else { "a cycle" };
        let more = if steps.len() > MAX_ROWS { ", …" } else { "" };
        let names = match names.as_slice() {
            [first, second] => format!("{first} and {second}"),
            names => names.join(", "),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{names}{more} were acquired in {how}");
        for step in steps.iter().take(MAX_ROWS) {
            let _ = writeln!(text, "  {}", words(order, step));
        }
        if steps.len() > MAX_ROWS {
            let _ = writeln!(text, "  … and {} more", count((steps.len() - MAX_ROWS) as u64));
        }
    }
    if inversions.len() > bound {
        let rest = counted((inversions.len() - bound) as u64, "cycle");
        let _ = writeln!(text, "\n… and {rest} more (the JSON report has everything)");
    }
    if order.over_pairs > 0 {
        let lost = counted(order.over_pairs, "acquisition");
        let _ = writeln!(text, "\n{lost} of pairs over the limit: not recorded");
    }
    text
}

fn words(order: &LockOrder, pair: &LockPair) -> String {
    let who = match pair.task {
        Some(task) => format!("task {task} `{}`", printable(&pair.task_name)),
        None if pair.thread.is_empty() => "a thread".to_owned(),
        None => format!("thread {}", printable(&pair.thread)),
    };
    let taken = place(pair.held_at.as_ref()).map(|it| format!(" (acquired at {it})")).unwrap_or_default();
    let times = if pair.count == 1 { "once".to_owned() } else { format!("{} times", count(pair.count)) };
    format!(
        "{who} held {}{taken} and acquired {}{}, {times}",
        name(order, pair.held),
        name(order, pair.acquired),
        at(pair.acquired_at.as_ref()),
    )
}

fn name(order: &LockOrder, id: ResourceId) -> String {
    order.resource(id).map_or_else(String::new, |it| resource_name_of(it.kind, it.id, it.name.as_deref()))
}
