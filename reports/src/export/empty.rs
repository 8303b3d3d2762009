//! Reports with nothing to draw. They show the reason and a remedy, instead of an error.
//!
//! A profiler is often used when a program hangs, and then the first report is empty. inferno would
//! return the error `No stack counts found`, which does not help.

use crate::model::{Node, Snapshot};
use crate::view::View;

/// The reason why there is nothing to draw, and a remedy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reason {
    /// One sentence without a final dot.
    pub(crate) why: &'static str,
    /// The remedy.
    pub(crate) advice: &'static str,
}

/// The reason why a snapshot has no stacks in this view.
pub(crate) fn reason(snapshot: &Snapshot, view: View) -> Reason {
    let any = |measured: fn(&Node) -> u64| snapshot.nodes.iter().any(|node| measured(node) > 0);
    let (why, advice) = if any(|node| node.busy_ns | node.self_idle_ns) {
        match view {
            View::Busy => ("there is no busy time", "the `idle` view of this snapshot has something to show"),
            View::Idle => ("there is no idle time", "the `busy` view of this snapshot has something to show"),
            View::Wall | View::Time => {
                ("all the time was spent in nested executors", "annotate the tasks that they poll")
            }
        }
    } else if any(|node| node.polls | node.calls) {
        (
            "there are only times of zero length",
            "let the program run longer and dump again; the counts are in the text report",
        )
    } else if !snapshot.enabled {
        (
            "recording is switched off",
            "call `diagnose::set_enabled(true)`, or run without `DIAGNOSE=off`, and dump again",
        )
    } else if any(|node| node.never_polled) {
        (
            "futures were created, but none was polled yet",
            "check that the program awaits or spawns them, and dump again",
        )
    } else {
        (
            "no annotated future was polled yet",
            "put `#[diagnose]` on an async fn that the program runs, or unset `DIAGNOSE_ONLY`, and dump again",
        )
    };
    Reason { why, advice }
}

/// The page as lines of text, without markup.
pub(crate) fn lines(snapshot: &Snapshot, view: View) -> Vec<String> {
    let Reason { why, advice } = reason(snapshot, view);
    vec![format!("Nothing to show: {why}."), format!("What to do: {advice}.")]
}

/// A small self-contained page for a browser, in the reader's preferred color scheme.
#[cfg(feature = "svg")]
pub(crate) fn svg(snapshot: &Snapshot, view: View) -> String {
    const HEAD: &str = r#"<?xml version="1.0" standalone="no"?>
<svg version="1.1" width="1200" height="200" viewBox="0 0 1200 200" xmlns="http://www.w3.org/2000/svg">
<style type="text/css">
:root { color-scheme:light dark; background:#ffffff } text { fill:#000000; font-family:monospace; font-size:12px }
#title { font-size:17px } .footer { fill:#555555 }
@media (prefers-color-scheme: dark) { :root { background:#1b1b1d } text { fill:#e6e6e6 } .footer { fill:#a8a8a8 } }
</style>
"#;
    use std::fmt::Write;

    let mut page = HEAD.to_owned();
    let main = lines(snapshot, view);
    let attributes = ["id=\"title\" y=\"40\"", "y=\"66\""];
    for (line, attributes) in main.iter().zip(attributes) {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "<text x=\"20\" {attributes}>{}</text>", super::dress::escape(line));
    }
    for (line, y) in super::footer::footer(snapshot).iter().zip((110..).step_by(18)) {
        let _ =
            writeln!(page, "<text class=\"footer\" x=\"20\" y=\"{y}\">{}</text>", super::dress::escape(line));
    }
    page.push_str("</svg>\n");
    page
}
