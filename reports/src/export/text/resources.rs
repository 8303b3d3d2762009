//! Resources in the text report: one row per place of creation, then holders and waits.
//!
//! ```text
//! RESOURCES by place of creation, longest waits for locks, permits and free slots first
//!   count  waiting  longest  uses  waited  total wait   p99 wait  max wait  max held  resource
//!       1      146   2.73 s   192  96.4 %      20.1 s     242 ms    2.80 s   48.0 ms  RwLock `rows` (tokio), src/main.rs:117
//!     198        3   1.20 s   198       -     31.2 ms  ≤ 1.20 ms   1.20 ms         -  oneshot (tokio), src/orders.rs:49
//! ```
//! A quantile of several resources is the highest of their quantiles. Waits that were given up, as
//! in a timeout, count in the total but not in the quantiles. If there are any, a column of the
//! full report has their number. The folded report only counts the places without waits. Dropped
//! resources are included if calls have waited for them.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::io;

use crate::analysis::hangs::words::kind_name;
use crate::analysis::uses::{ResourceUse, resource_uses};
use crate::clean::printable;
use crate::export::lines::Lines;
use crate::export::table::Table;
use crate::export::text::page::rest;
use crate::export::waiters::{self, Scope, is_acquired, is_for_units, queues};
use crate::export::wrap::WIDTH;
use crate::model::{ResourceKind, Snapshot};
use crate::ordered::OrderedMap;
use crate::sort::sort_by_key;
use crate::units::{count, percent, time};

/// Maximum number of places of creation in the folded report.
const MAX_PLACES: usize = 15;

/// Kind, library, name, and file and line of creation. The column is left out, because rows do not
/// show it.
type Key<'a> = (ResourceKind, &'a str, Option<&'a str>, Option<(&'a str, u32)>);

/// The resources of one place.
#[derive(Debug, Default)]
struct ResourceGroup {
    count: u64,
    waiting: u64,
    /// Total length of finished and current waits for units, in ns.
    units_ns: u64,
    waited_ns: u64,
    longest_ns: u64,
    uses: u64,
    contended: u64,
    waited: u64,
    given_up: u64,
    p99_wait_ns: u64,
    max_wait_ns: u64,
    max_held_ns: u64,
}

/// Appends the table.
pub(crate) fn write(page: &mut String, snapshot: &Snapshot, is_full: bool) {
    if snapshot.resources.is_empty() && snapshot.past_resources.is_empty() {
        return;
    }
    let groups = groups(snapshot);
    let mut rows: Vec<&(Key<'_>, ResourceGroup)> = groups.iter().collect();
    let all = rows.len();
    if !is_full {
        rows.retain(|(_, group)| group.waiting > 0 || group.contended > 0);
    }
    sort_by_key(&mut rows, |(key, group)| {
        (Reverse(group.units_ns), Reverse(group.waiting), Reverse(group.contended), *key)
    });
    rows.truncate(if is_full { usize::MAX } else { MAX_PLACES });
    // Writing to a string cannot fail.
    let _ = if rows.is_empty() {
        write!(page, "\nRESOURCES without waits\n")
    } else {
        let order = "longest waits for locks, permits and free slots first";
        write!(page, "\nRESOURCES by place of creation, {order}\n{}", table(&rows, is_full).render())
    };
    rest(page, all, rows.len(), "place");
}

/// Writes the resources with their holders and queues, each separately.
pub(crate) fn write_waiters(snapshot: &Snapshot, is_full: bool, out: Lines<'_>) -> io::Result<()> {
    let scope = if is_full { Scope::All } else { Scope::Contended };
    let mut is_first = true;
    waiters::write(snapshot, scope, &mut |lines| {
        if std::mem::replace(&mut is_first, false) {
            out("\n")?;
        }
        out(lines)
    })
}

fn groups(snapshot: &Snapshot) -> OrderedMap<Key<'_>, ResourceGroup> {
    let queues = queues(snapshot);
    let mut groups = OrderedMap::<Key<'_>, ResourceGroup>::new();
    for (index, it) in resource_uses(snapshot).enumerate() {
        let group = groups.entry(key(&it)).or_default();
        group.count = group.count.saturating_add(it.count);
        // Only existing resources have a queue.
        let queue = &queues[index];
        for wait in queue.iter().map(|&wait| &snapshot.waits[wait]) {
            group.waiting += 1;
            group.longest_ns = group.longest_ns.max(wait.since_ns);
            if is_for_units(wait.mode) {
                group.units_ns = group.units_ns.saturating_add(wait.since_ns);
            }
        }
        let usage = it.usage;
        group.uses = group.uses.saturating_add(usage.acquisitions);
        group.contended = group.contended.saturating_add(usage.contended);
        group.waited = group.waited.saturating_add(usage.waited.min(usage.acquisitions));
        let waited_ns = usage.all_waits_ns();
        group.waited_ns = group.waited_ns.saturating_add(waited_ns);
        if is_acquired(it.kind) {
            group.units_ns = group.units_ns.saturating_add(waited_ns);
            group.given_up = group.given_up.saturating_add(usage.given_up(queue.len() as u64));
        }
        group.p99_wait_ns = group.p99_wait_ns.max(usage.wait.p99_ns);
        group.max_wait_ns = group.max_wait_ns.max(usage.wait.max_ns);
        group.max_held_ns = group.max_held_ns.max(usage.held.max_ns);
    }
    groups
}

fn key<'a>(it: &ResourceUse<'a>) -> Key<'a> {
    let line = it.created.map(|place| (place.file.as_str(), place.line));
    (it.kind, it.library, it.name, line)
}

fn table(rows: &[&(Key<'_>, ResourceGroup)], is_full: bool) -> Table {
    // In the folded report, this column would leave too little room for the names.
    let has_given_up = is_full && rows.iter().any(|(_, group)| group.given_up > 0);
    let mut headings = vec!["count", "waiting", "longest", "uses", "waited"];
    headings.extend(has_given_up.then_some("given up"));
    headings.extend(["total wait", "p99 wait", "max wait", "max held"]);
    let mut table = Table::new(&headings, &["resource"]);
    for ((kind, library, name, created), group) in rows {
        let maybe = |ns: u64| if ns == 0 { "-".to_owned() } else { time(ns) };
        // For channels, only messages that waited for a free slot count.
        let is_sent = matches!(kind, ResourceKind::Mpsc | ResourceKind::Mpmc) && group.waited > 0;
        let waited = if (is_acquired(*kind) || is_sent) && group.uses > 0 {
            percent(group.waited, group.uses)
        } else {
            "-".to_owned()
        };
        let bound = if group.count > 1 && group.p99_wait_ns > 0 { "≤ " } else { "" };
        let mut resource = kind_name(*kind).to_owned();
        if let Some(name) = name {
            let _ = write!(resource, " `{}`", printable(name));
        }
        if !library.is_empty() {
            let _ = write!(resource, " ({})", printable(library));
        }
        if let Some((file, line)) = created.filter(|(file, _)| !file.is_empty()) {
            let _ = write!(resource, ", {}:{line}", printable(file));
        }
        let mut cells = vec![
            count(group.count),
            count(group.waiting),
            maybe(group.longest_ns),
            count(group.uses),
            waited,
        ];
        cells.extend(has_given_up.then(|| count(group.given_up)));
        cells.extend([
            maybe(group.waited_ns),
            format!("{bound}{}", maybe(group.p99_wait_ns)),
            maybe(group.max_wait_ns),
            maybe(group.max_held_ns),
            resource,
        ]);
        table.push(cells);
    }
    if !is_full {
        table.fit(WIDTH);
    }
    table
}
