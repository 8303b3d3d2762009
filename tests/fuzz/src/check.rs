//! The checks that every input has to pass.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use diagnose_reports::{DiffOptions, Format, Report, Snapshot, View, diff, fold, merge, rows, write};

use crate::corpus;

/// The time limit for one input: enough for an unoptimized build on a busy machine.
const LIMIT: Duration = Duration::from_secs(20);

const VIEWS: [View; 4] = [View::Wall, View::Time, View::Busy, View::Idle];

/// The corpus, to compare inputs with.
static ORIGINALS: LazyLock<Vec<Snapshot>> = LazyLock::new(|| {
    let dumps = corpus::all().into_iter().map(|dump| dump.to_string());
    dumps.map(|dump| Snapshot::read_json(dump.as_bytes()).expect("a snapshot")).collect()
});

/// Runs all checks on an input. Returns whether the reader accepts it as a snapshot.
///
/// # Errors
/// Returns the first failure, if any.
pub fn check(input: &[u8], number: u64) -> Result<bool, String> {
    let start = Instant::now();
    let result = catch_unwind(AssertUnwindSafe(|| reports(input, number)));
    let took = start.elapsed();
    match result {
        Ok(Ok(_)) if took > LIMIT => Err(format!("it took {took:?}")),
        Ok(result) => result,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
            Err(format!("a panic: {}", text.unwrap_or_default()))
        }
    }
}

fn reports(input: &[u8], number: u64) -> Result<bool, String> {
    let Ok(snapshot) = Snapshot::read_json(input) else { return Ok(false) };
    // Four successive inputs cover all views.
    let view = VIEWS[usize::try_from(number % 4).unwrap_or(0)];
    for format in Format::all().filter(|format| *format != Format::Json) {
        let page = bytes(&snapshot, format, view)?;
        let is_empty = page.is_empty();
        if format.is_text() {
            clean(page, format)?;
        }
        if is_empty {
            return Err(format!("an empty page of {format:?}"));
        }
    }
    let saved = clean(bytes(&snapshot, Format::Json, view)?, Format::Json)?;
    let back = Snapshot::read_json(saved.as_bytes()).map_err(|error| format!("not read back: {error}"))?;
    if back != snapshot {
        return Err("what is read back differs".to_owned());
    }
    let _ = (fold(&snapshot, view), rows(&snapshot));
    let printed = [snapshot.tree(), snapshot.waiters(), snapshot.lock_order_text()];
    let verdicts = snapshot.verdicts().into_iter().map(|verdict| verdict.to_string());
    let findings = snapshot.findings().into_iter().map(|finding| finding.to_string());
    for text in printed.into_iter().chain(verdicts).chain(findings) {
        clean(text.into_bytes(), Format::Text)?;
    }
    compare(&snapshot, number);
    Ok(true)
}

/// Compares the snapshot with itself at an earlier time, and with one of the corpus.
fn compare(snapshot: &Snapshot, number: u64) {
    let mut earlier = snapshot.clone();
    earlier.elapsed_ns /= 2;
    let originals = ORIGINALS.len() as u64;
    let original = &ORIGINALS[usize::try_from(number % originals).unwrap_or(0)];
    for (old, new) in [(&earlier, snapshot), (original, snapshot), (snapshot, original)] {
        let _ = (new.findings_since(old), new.since(old));
    }
    let sides = [earlier, original.clone(), snapshot.clone()];
    let _ = (diff(&sides[..2], &sides[1..], DiffOptions::default()), merge(&sides));
}

fn bytes(snapshot: &Snapshot, format: Format, view: View) -> Result<Vec<u8>, String> {
    let mut page = Vec::new();
    write(snapshot, Report::new(format).view(view), &mut page)
        .map_err(|error| format!("{format:?}: {error}"))?;
    Ok(page)
}

/// Returns the report as text, or an error if a character in it could control a terminal.
fn clean(page: Vec<u8>, format: Format) -> Result<String, String> {
    let page = String::from_utf8(page).map_err(|error| format!("{format:?}: {error}"))?;
    // Lines of CSV end in CR LF.
    let page = if format == Format::Csv { page.replace("\r\n", "\n") } else { page };
    match page.chars().find(|&c| is_harmful(c)) {
        Some(c) => Err(format!("{format:?} has {c:?} in it")),
        None => Ok(page),
    }
}

/// Returns whether a character could control a terminal, hide, or turn the text around.
fn is_harmful(c: char) -> bool {
    let is_hidden = matches!(c, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}');
    c.is_control() && !matches!(c, '\n' | '\t') || is_hidden || matches!(c, '\u{61C}' | '\u{FEFF}')
}
