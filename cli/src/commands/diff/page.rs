//! Formats a comparison as text or Markdown.
//!
//! ```text
//! 10 recordings of 2.00 s against 10 of 2.00 s; threshold 5 %
//! slower  `checksum` (src/main.rs:126): busy +10.2 % (105 µs → 116 µs a call, noise 2.1 %)
//!
//!            busy            idle            p50  …     calls/s  change  function
//!  116 µs +10.2 %               -  115 µs +9.8 %  …  3410 -1.0 %  slower  checksum (src/main.rs:126)
//! ```

use std::fmt::Write as _;

use diagnose_reports::{
    Basis, Change, Diff, DiffSide, FunctionDiff, Measure, MeasureDiff, Presence, Spread, Table, clean_line,
    counted, time,
};

/// Columns of the table.
const COLUMNS: [(Measure, &str); 6] = [
    (Measure::Busy, "busy"),
    (Measure::Idle, "idle"),
    (Measure::P50, "p50"),
    (Measure::P90, "p90"),
    (Measure::P99, "p99"),
    (Measure::Calls, "calls/s"),
];

/// The comparison for a terminal: the changes, warnings, and a table.
pub(super) fn text(diff: &Diff, is_full: bool) -> String {
    let mut page = format!("{}\n", head(diff));
    for function in changed(diff) {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "{:6}  {}", word(function), sentence(function));
    }
    if changed(diff).next().is_none() {
        let _ = writeln!(page, "{}", others(diff));
    }
    for warning in &diff.warnings {
        let _ = writeln!(page, "warning: {warning}");
    }
    let shown: Vec<&FunctionDiff> = shown(diff, is_full).collect();
    if !shown.is_empty() {
        page.push('\n');
        page.push_str(&table(&shown));
    }
    let hidden = diff.functions.len() - shown.len();
    if hidden > 0 {
        let _ =
            writeln!(page, "{} within the threshold (--full shows all)", counted(hidden as u64, "function"));
    }
    page
}

/// The comparison as Markdown, for a pull request.
pub(super) fn markdown(diff: &Diff, is_full: bool) -> String {
    let mut page = format!("### diagnose diff\n\n{}\n\n", escaped(&head(diff)));
    for function in changed(diff) {
        let _ = writeln!(page, "- **{}** {}", function.change, escaped(&sentence(function)));
    }
    if changed(diff).next().is_none() {
        let sentence = others(diff).replacen('n', "N", 1);
        let _ = writeln!(page, "{sentence}.");
    }
    for warning in &diff.warnings {
        let _ = writeln!(page, "\n> warning: {}", escaped(warning));
    }
    let shown: Vec<&FunctionDiff> = shown(diff, is_full).collect();
    if shown.is_empty() {
        return page;
    }
    let columns = COLUMNS.map(|(_, name)| name).join(" | ");
    let numbers = COLUMNS.map(|_| "---:").join("|");
    let _ = writeln!(page, "\n| function | {columns} | change |\n|---|{numbers}|---|");
    for function in shown {
        let cells = COLUMNS.map(|(measure, _)| cell(function, measure)).join(" | ");
        let name = escaped(&format!("{} ({})", function.name, place(function)));
        let _ = writeln!(page, "| {name} | {cells} | {} |", presence(function));
    }
    page
}

fn head(diff: &Diff) -> String {
    let side = |side: &DiffSide| {
        format!("{} of {}", counted(side.recordings as u64, "recording"), time(side.elapsed_ns))
    };
    let (old, new) = (&diff.old, &diff.new);
    let programs = if old.processes == new.processes {
        old.processes.clone()
    } else {
        format!("{} and {}", old.processes, new.processes)
    };
    format!("{programs}: {} against {}, threshold {}", side(old), side(new), share(diff.threshold))
}

/// Functions whose times have changed.
fn changed(diff: &Diff) -> impl Iterator<Item = &FunctionDiff> {
    diff.functions.iter().filter(|it| matches!(it.change, Change::Slower | Change::Faster))
}

/// `no function is slower or faster; 2 added, 3 removed`: the summary if no time has changed.
fn others(diff: &Diff) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for function in diff.functions.iter().filter(|it| is_changed(it)) {
        let word = presence(function);
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    if counts.is_empty() {
        return "no function changed".to_owned();
    }
    let counts: Vec<String> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    format!("no function is slower or faster; {}", counts.join(", "))
}

/// Returns whether a function has a row even without `--full`.
fn is_changed(function: &FunctionDiff) -> bool {
    function.change != Change::Same || function.presence != Presence::Both
}

fn shown(diff: &Diff, is_full: bool) -> impl Iterator<Item = &FunctionDiff> {
    diff.functions.iter().filter(move |it| is_full || is_changed(it))
}

/// `` `checksum` (src/main.rs:126): busy +10.2 % (105 µs → 116 µs a call, noise 2.1 %) ``
fn sentence(function: &FunctionDiff) -> String {
    let measures = function.measures.iter();
    let changed = measures.filter(|it| matches!(it.change, Change::Slower | Change::Faster)).map(|it| {
        let name = COLUMNS.iter().find(|(measure, _)| *measure == it.measure).map_or("", |(_, name)| name);
        let (old, new) = (amount(it.measure, it.old.as_ref()), amount(it.measure, it.new.as_ref()));
        let per = match (it.measure, function.basis) {
            (Measure::Busy | Measure::Idle, Basis::Call) => " a call",
            (Measure::Busy | Measure::Idle, _) => " a second",
            _ => "",
        };
        let noise = it.noise.map(|noise| format!(", noise {}", share(noise))).unwrap_or_default();
        format!("{name} {} ({old} → {new}{per}{noise})", relative(it))
    });
    let changed: Vec<String> = changed.collect();
    format!("`{}` ({}): {}", function.name, place(function), changed.join(", "))
}

fn table(functions: &[&FunctionDiff]) -> String {
    let headings: Vec<&str> = COLUMNS.iter().map(|(_, name)| *name).collect();
    let mut table = Table::new(&headings, &["change", "function"]);
    for function in functions {
        let mut cells: Vec<String> = COLUMNS.iter().map(|(measure, _)| cell(function, *measure)).collect();
        cells.push(presence(function));
        cells.push(format!("{} ({})", function.name, place(function)));
        table.push(cells);
    }
    table.render()
}

/// The new median and its change: `116 µs +10.2 %`.
fn cell(function: &FunctionDiff, measure: Measure) -> String {
    let Some(found) = function.measures.iter().find(|it| it.measure == measure) else {
        return "-".to_owned();
    };
    let shown = amount(measure, found.new.as_ref().or(found.old.as_ref()));
    match found.relative.filter(|_| found.new.is_some()) {
        Some(_) => format!("{shown} {}", relative(found)),
        None => shown,
    }
}

fn relative(measure: &MeasureDiff) -> String {
    let Some(relative) = measure.relative else { return "new".to_owned() };
    format!("{:+.1} %", relative * 100.0)
}

fn amount(measure: Measure, spread: Option<&Spread>) -> String {
    let Some(median) = spread.map(|spread| spread.median) else { return "-".to_owned() };
    if measure == Measure::Calls {
        return if median < 100.0 { format!("{median:.1}") } else { format!("{median:.0}") };
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
    time(median.round() as u64)
}

fn share(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 10.0 && percent.fract() != 0.0 {
        format!("{percent:.1} %")
    } else {
        format!("{percent:.0} %")
    }
}

/// The first word of a function's line.
fn word(function: &FunctionDiff) -> String {
    function.change.to_string()
}

fn presence(function: &FunctionDiff) -> String {
    match function.presence {
        Presence::Added => "added".to_owned(),
        Presence::Removed => "removed".to_owned(),
        _ => function.change.to_string(),
    }
}

fn place(function: &FunctionDiff) -> String {
    clean_line(&format!("{}:{}", function.place.file.as_str(), function.place.line))
}

/// Escapes text for a cell or a list of Markdown.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut is_code = false;
    for c in text.chars() {
        is_code ^= c == '`';
        match c {
            '|' => escaped.push_str("\\|"),
            '<' if !is_code => escaped.push_str("&lt;"),
            '*' | '_' | '[' | ']' | '\\' | '#' | '@' if !is_code => {
                escaped.push('\\');
                escaped.push(c);
            }
            _ => escaped.push(c),
        }
    }
    escaped
}
