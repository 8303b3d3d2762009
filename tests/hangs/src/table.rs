//! The table of the results.

use std::fmt::Write as _;

use crate::campaign::Result;
use crate::row::{Finding, Flavor};

/// Formats the table for a terminal: a line per row, followed by its wrong results.
#[must_use]
pub fn text(results: &[Result]) -> String {
    let name_width = results.iter().map(|result| result.row.name.len()).max().unwrap_or(0);
    let mut table = format!("row  {:name_width$}  ct     mt1    mt2    expected\n", "program");
    for Result { row, wrong, .. } in results {
        let [ct, mt1, mt2] = wrong.each_ref().map(|wrong| if wrong.is_empty() { "ok" } else { "WRONG" });
        let expected = expected(row.finding);
        let _ = writeln!(table, "{}  {:name_width$}  {ct:5}  {mt1:5}  {mt2:5}  {expected}", row.id, row.name);
        for (flavor, wrong) in Flavor::ALL.iter().zip(wrong) {
            for wrong in counted(wrong) {
                let _ = writeln!(table, "     {:4} {wrong}", flavor.name());
            }
        }
    }
    table.push_str(&summary(results));
    for Result { row, repeated, .. } in results {
        for why in repeated {
            let _ = writeln!(table, "repeated: {} {} {why}", row.id, row.name);
        }
    }
    table
}

/// The head of the document.
const HEAD: &str = "\
# Results on programs that hang

Each row is a program of `tests/hangs`: async hangs from the field (`C`, from a public issue, post or RFD), similar hangs (`X`),
and controls (`N`, `Y`), which only wait and must get no verdict; a few may get a `likely` one, as their rows say. Each program
ran on tokio's current-thread runtime (`ct`) and on one and two workers (`mt1`, `mt2`), alone and beside 200 tasks that make
progress. Another thread took snapshots while it ran.

A cell shows the last verdict, which names the right lines. No snapshot had a wrong `proven` verdict, and every snapshot saved as
JSON gave the same verdicts when it was read back. The last snapshot was repeated, for up to eight seconds, if it fell into a poll
of a task with an operation that had waited for long, or if a hang had no verdict yet.

`cargo run --release -p diagnose-hangs-tests -- --markdown --repeat 20` writes this page.

";

/// Formats the whole document.
#[must_use]
pub fn markdown(results: &[Result]) -> String {
    let mut table = String::from(HEAD);
    table.push_str("| row | program | what happens | ct | mt1 | mt2 |\n|---|---|---|---|---|---|\n");
    for result in results {
        let row = result.row;
        let cells = Flavor::ALL.map(|flavor| cell(result, flavor));
        let (summary, cells) = (row.summary.replace('|', "\\|"), cells.join(" | "));
        let _ = writeln!(table, "| {} | `{}` | {summary} | {cells} |", row.id, row.name);
    }
    let runs: usize = results.iter().map(|result| result.runs as usize * Flavor::ALL.len()).sum();
    let wrong: usize = results.iter().flat_map(|result| &result.wrong).map(Vec::len).sum();
    let _ = writeln!(table, "\n{}{runs} runs, {wrong} wrong.\n\n## Verdicts in full\n", summary(results));
    table.push_str("One verdict of each program; controls have none.\n\n");
    for Result { row, sentence, .. } in results {
        if let Some(sentence) = sentence {
            let _ = writeln!(table, "- {} `{}`: {sentence}", row.id, row.name);
        }
    }
    table
}

/// The cell of a runtime: the verdicts found, or the wrong results.
fn cell(Result { row, wrong, said, .. }: &Result, flavor: Flavor) -> String {
    let (wrong, said) = (&wrong[flavor as usize], &said[flavor as usize]);
    match wrong.first() {
        Some(first) => format!("wrong {} times: {}", wrong.len(), first.replace('|', "\\|")),
        None if row.ends_on(flavor) => {
            let seeming = row.seeming().map(|seems| format!(", or {}", expected(Some(seems))));
            format!("ends; nothing{}", seeming.collect::<String>())
        }
        None if row.finding.is_none() => "nothing".to_owned(),
        None if said.is_empty() => "nothing yet".to_owned(),
        None => said.iter().map(String::as_str).collect::<Vec<_>>().join(", or "),
    }
}

/// The number of right cells, of all.
#[must_use]
pub fn summary(results: &[Result]) -> String {
    let cells = results.len() * Flavor::ALL.len();
    let wrong = results.iter().flat_map(|result| &result.wrong).filter(|wrong| !wrong.is_empty()).count();
    format!("{} rows on {} runtimes: {} of {cells} right\n", results.len(), Flavor::ALL.len(), cells - wrong)
}

fn expected(finding: Option<Finding>) -> String {
    let Some(Finding { kind, detail, confidence }) = finding else { return "nothing".to_owned() };
    match detail {
        Some(detail) => format!("{confidence} {kind} ({detail})"),
        None => format!("{confidence} {kind}"),
    }
}

/// Lists each wrong result once, with the number of its runs.
fn counted(wrong: &[String]) -> Vec<String> {
    let mut different: Vec<(&String, u32)> = Vec::new();
    for wrong in wrong {
        match different.iter_mut().find(|(known, _)| *known == wrong) {
            Some((_, count)) => *count += 1,
            None => different.push((wrong, 1)),
        }
    }
    let times = |(wrong, count): (&String, u32)| match count {
        1 => wrong.clone(),
        count => format!("{wrong} ({count} times)"),
    };
    different.into_iter().map(times).collect()
}
