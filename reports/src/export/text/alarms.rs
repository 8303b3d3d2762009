//! The alarms of the watchdog in the text report. Unresolved alarms come first, then the latest
//! resolved ones.
//!
//! ```text
//! ALARMS 2, 1 resolved
//! ALARM 08:14:01: task 7 `conn` has been in one poll for 312 ms on thread worker, using 100 % of a CPU
//!   conn (src/main.rs:12:1)
//!   └─ parse (src/parse.rs:3:1)  ◀ running
//! ALARM 08:12:41, resolved 08:12:44: task 9 `flush` was woken 250 ms ago and has not been polled since; …
//! ```
//! An alarm of another day than the capture has a date. In the folded report, some alarms have only
//! one line, without the thread. These are resolved alarms, alarms about hangs, and alarms that
//! differ from an earlier line only in numbers.

use std::cmp::Reverse;
use std::fmt::Write as _;

use crate::clean::printable;
use crate::export::wrap::{WIDTH, start, wrap};
use crate::model::{Alarm, AlarmKind, Snapshot};
use crate::sort::sort_by_key;
use crate::units::count;
use crate::wall_clock::Utc;

/// Maximum number of alarms in the folded report.
const MAX_ALARMS: usize = 8;
const DAY_MS: u64 = 86_400_000;

/// Returns the alarms, or one line that says that there are none.
pub(crate) fn alarms(snapshot: &Snapshot, is_full: bool) -> String {
    let mut alarms: Vec<&Alarm> = snapshot.alarms.iter().collect();
    if alarms.is_empty() {
        return "ALARMS none\n".to_owned();
    }
    let resolved = alarms.iter().filter(|alarm| alarm.resolved_at_unix_ms.is_some()).count();
    let resolved = match resolved {
        0 => String::new(),
        all if all == alarms.len() => ", all resolved".to_owned(),
        some => format!(", {some} resolved"),
    };
    let mut page = format!("ALARMS {}{resolved}\n", alarms.len());
    sort_by_key(&mut alarms, |alarm| (alarm.resolved_at_unix_ms.is_some(), Reverse(alarm.at_unix_ms)));
    let bound = if is_full { usize::MAX } else { MAX_ALARMS };
    let mut shown = Vec::new();
    for alarm in alarms.iter().take(bound) {
        // The verdict of a current hang shows its chain.
        let is_over = alarm.resolved_at_unix_ms.is_some() || alarm.kind == AlarmKind::Hang;
        let sentence = without_numbers(alarm.sentence());
        let is_short = !is_full && (is_over || shown.contains(&sentence));
        shown.push(sentence);
        page += &wrap(&lines(alarm, snapshot.captured_unix_ms, is_short));
    }
    if alarms.len() > bound {
        let rest = count((alarms.len() - bound) as u64);
        // Writing to a string cannot fail.
        let _ = writeln!(page, "… and {rest} more alarms (the full report has them)");
    }
    page
}

fn without_numbers(sentence: &str) -> String {
    sentence.chars().filter(|c| !c.is_ascii_digit() && *c != '.').collect()
}

/// Removes the name of the thread, the least useful part of the line.
fn without_thread(line: &str) -> String {
    let Some((before, after)) = line.split_once(" on thread ") else { return line.to_owned() };
    format!("{before}{}", after.find([',', ';', ':']).map_or("", |end| &after[end..]))
}

fn lines(alarm: &Alarm, captured_ms: u64, is_short: bool) -> String {
    let mut head = "ALARM".to_owned();
    if alarm.at_unix_ms > 0 {
        let _ = write!(head, " {}", when(alarm.at_unix_ms, captured_ms));
    }
    if let Some(resolved_ms) = alarm.resolved_at_unix_ms {
        let _ = write!(head, ", resolved {}", when(resolved_ms, captured_ms));
    }
    let line = format!("{head}: {}", printable(alarm.sentence()));
    if is_short {
        return format!("{}\n", start(&without_thread(&line), WIDTH));
    }
    let mut page = format!("{line}\n");
    for line in alarm.text.lines().skip(1) {
        // Lines that are indented already keep their indent.
        let indent = if line.is_empty() || line.starts_with(' ') { "" } else { "  " };
        let _ = writeln!(page, "{indent}{line}");
    }
    page
}

/// `08:12:41`, or `2026-11-22 08:12:41 UTC` on another day.
fn when(at_ms: u64, captured_ms: u64) -> String {
    let at = Utc::from_unix_ms(at_ms);
    if at_ms / DAY_MS == captured_ms / DAY_MS { at.time_of_day() } else { at.to_string() }
}
