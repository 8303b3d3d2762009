//! Prints where in the tree of futures a panic happened.

use std::fmt::Write as _;
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use diagnose_reports::clean_line;

use crate::context;
use crate::recorder;
use crate::say::say_now;
use crate::site::{Site, SiteKind};
use crate::switch;

static IS_ON: AtomicBool = AtomicBool::new(false);

/// Switches on or off that a panic inside a task also prints the task and the place to stderr.
pub(crate) fn install(on: bool) {
    static HOOK: AtomicBool = AtomicBool::new(false);
    IS_ON.store(on, Relaxed);
    if !on || HOOK.swap(true, Relaxed) {
        return;
    }
    let previous = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        previous(info);
        if IS_ON.load(Relaxed) {
            report();
        }
    }));
}

/// Prints the task and place of the current panic:
/// ```text
/// diagnose: task 7 panicked in
///   conn (src/main.rs:12)
///   └─ read at read(&mut socket).await (src/main.rs:20:9)
/// ```
fn report() {
    let path = recorder::running_path();
    // A label's text is behind a lock.
    if path.is_empty() || switch::is_cut_off() {
        return;
    }
    let task = context::task();
    let mut text = match task {
        0 => "diagnose: a future outside of all tasks panicked in".to_owned(),
        task => format!("diagnose: task {task} panicked in"),
    };
    for (depth, node) in path.iter().enumerate() {
        let indent = if depth == 0 { String::new() } else { format!("{:1$}└─ ", "", (depth - 1) * 3) };
        let at = node.via.map(|via| format!(" at {}", place(via))).unwrap_or_default();
        let name = if at.is_empty() { place(node.site) } else { clean_line(node.site.name) };
        let label = node.label.text().map(|label| format!(" {}", clean_line(&label))).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {indent}{name}{label}{at}");
    }
    say_now!("{text}");
}

fn place(site: &Site) -> String {
    let (name, file, (line, column)) = (clean_line(site.name), site.file(), site.line_column());
    if site.kind == SiteKind::Await {
        format!("{name} ({file}:{line}:{column})")
    } else {
        format!("{name} ({file}:{line})")
    }
}
