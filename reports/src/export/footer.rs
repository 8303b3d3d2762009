//! The footer of every report: what was recorded, what was lost, and what recording cost.
//!
//! ```text
//! server (pid 4711): 12.3 s recorded on 4 threads, 1 of them ended; 1,234 calls, 56,789 polls, 3.21 s busy
//! nothing dropped
//! clock tsc; cost of recording ≈ 1.99 ms (0.06 % of busy): 1,234 calls 80 µs, 55,555 polls 1.45 ms, 40,000 wakes 460 µs
//! diagnose 0.1.0, recording on
//! ```

use crate::analysis::tree::Tree;
use crate::clean::printable;
use crate::model::{Activity, Cost, Node, SiteKind, Snapshot};
use crate::units::{counted, percent, time};

/// The lines of the footer, in the order above. No line is empty, contains a line break or ends in
/// a number.
pub(crate) fn footer(snapshot: &Snapshot) -> Vec<String> {
    vec![recorded(snapshot), dropped(snapshot), clock(snapshot), producer(snapshot)]
}

/// The name and id of the process: `server (pid 4711)`; only the name for merged processes.
pub(crate) fn process(snapshot: &Snapshot) -> String {
    let process = &snapshot.process;
    let name = if process.name.is_empty() { "process".to_owned() } else { printable(&process.name) };
    if process.pid == 0 { name } else { format!("{name} (pid {})", process.pid) }
}

/// When the recording started, in ms since 1970 in UTC; 0 if unknown.
pub(crate) fn started_unix_ms(snapshot: &Snapshot) -> u64 {
    snapshot.captured_unix_ms.saturating_sub(snapshot.elapsed_ns / 1_000_000)
}

fn recorded(snapshot: &Snapshot) -> String {
    format!(
        "{}: {} recorded on {}; {}",
        process(snapshot),
        time(snapshot.elapsed_ns),
        threads(snapshot),
        counts(snapshot)
    )
}

/// `1,234 calls, 56,789 polls, 3.21 s busy on 4 threads, 1 of them ended`.
pub(crate) fn totals(snapshot: &Snapshot) -> String {
    format!("{} on {}", counts(snapshot), threads(snapshot))
}

fn counts(snapshot: &Snapshot) -> String {
    format!(
        "{}, {}, {} busy",
        counted(sum(calls(snapshot).map(|node| node.calls)), "call"),
        counted(sum(calls(snapshot).map(|node| node.polls)), "poll"),
        time(busy_ns(snapshot)),
    )
}

fn threads(snapshot: &Snapshot) -> String {
    let ended = snapshot.threads.iter().filter(|thread| !thread.alive).count();
    let all = snapshot.threads.len();
    let ended = match ended {
        0 => String::new(),
        1 if all == 1 => ", which ended".to_owned(),
        _ if ended == all => ", all of them ended".to_owned(),
        _ => format!(", {ended} of them ended"),
    };
    format!("{}{ended}", counted(all as u64, "thread"))
}

fn dropped(snapshot: &Snapshot) -> String {
    let dropped = &snapshot.dropped;
    let over_pairs = snapshot.lock_order.as_ref().map_or(0, |order| order.over_pairs);
    let losses = [
        (dropped.over_nodes, "call", "over the limit of nodes"),
        (dropped.over_depth, "call", "over the limit of depth"),
        (dropped.over_labels, "label", "over the limit of labels"),
        (dropped.over_spans, "span", "over the limit of live spans"),
        (dropped.over_holdings, "holding", "over the limit of guards, permits and channel ends"),
        (over_pairs, "acquisition", "of pairs of locks over their limit"),
        (dropped.unreadable, "node", "unreadable"),
    ];
    let losses: Vec<String> = losses
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, noun, reason)| format!("{} {reason}", counted(number, noun)))
        .collect();
    if losses.is_empty() { "nothing dropped".to_owned() } else { format!("DROPPED: {}", losses.join(", ")) }
}

fn clock(snapshot: &Snapshot) -> String {
    let clock = &snapshot.clock;
    let mut name = if clock.name.is_empty() { "unknown".to_owned() } else { printable(&clock.name) };
    if clock.jumps > 0 {
        name += " with ";
        name += &counted(clock.jumps, "jump");
        name += " relative to the system clock (suspended, restored or set back)";
    }
    let costs = &snapshot.costs;
    if costs.is_empty() {
        return format!("clock {name}; cost of recording: not measured");
    }
    let total = sum(costs.iter().map(|cost| cost.ns));
    // Parts below a hundredth of the total count in the sum, but are not listed.
    let parts = costs.iter().filter(|cost| cost.ns.saturating_mul(100) >= total);
    let parts: Vec<String> = parts.map(|cost| format!("{} {}", done(cost), time(cost.ns))).collect();
    format!(
        "clock {name}; cost of recording ≈ {} ({} of busy): {}",
        time(total),
        percent(total, busy_ns(snapshot)),
        parts.join(", "),
    )
}

fn done(cost: &Cost) -> String {
    let many = |noun| counted(cost.count, noun);
    match cost.activity {
        Activity::Calls => many("call"),
        Activity::Awaits => many("await"),
        Activity::Polls => many("poll"),
        Activity::Passed => format!("{} that pass through", many("poll")),
        Activity::Wakes => many("wake"),
        Activity::Listed => format!("{} that wait", many("call")),
        Activity::Dropped => format!("{} dropped", many("call")),
        Activity::Spawns => many("spawn"),
        Activity::Uses => format!("{} of a lock or channel", many("use")),
        Activity::Waits => format!("{} for a lock, channel or timer", many("wait")),
    }
}

fn producer(snapshot: &Snapshot) -> String {
    let producer = if snapshot.producer.is_empty() {
        "unknown producer".to_owned()
    } else {
        printable(&snapshot.producer)
    };
    format!("{producer}, recording {}", if snapshot.enabled { "on" } else { "off" })
}

/// The nodes of annotated calls, without the nodes of their awaits.
fn calls(snapshot: &Snapshot) -> impl Iterator<Item = &Node> {
    let kind = |node: &Node| snapshot.site(node.site).map(|site| site.kind);
    snapshot.nodes.iter().filter(move |node| kind(node) != Some(SiteKind::Await))
}

/// The time that threads spent in polls, in ns, without counting any twice.
fn busy_ns(snapshot: &Snapshot) -> u64 {
    sum(Tree::new(snapshot).self_busy_ns.into_iter())
}

fn sum(values: impl Iterator<Item = u64>) -> u64 {
    values.fold(0, u64::saturating_add)
}
