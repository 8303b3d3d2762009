//! The table of what came out.

use std::fmt::Write as _;

use crate::campaign::Result;
use crate::row::{Finding, Flavor};

/// For a terminal: a line per row, and below it what was wrong.
#[must_use]
pub fn text(results: &[Result]) -> String {
    let name_width = results.iter().map(|result| result.row.name.len()).max().unwrap_or(0);
    let mut table = format!("row  {:name_width$}  ct     mt1    mt2    expected\n", "program");
    for Result { row, wrong } in results {
        let right = if row.is_open { "open" } else { "ok" };
        let [ct, mt1, mt2] = wrong.each_ref().map(|wrong| if wrong.is_empty() { right } else { "WRONG" });
        let expected = expected(row.finding);
        let _ = writeln!(table, "{}  {:name_width$}  {ct:5}  {mt1:5}  {mt2:5}  {expected}", row.id, row.name);
        for (flavor, wrong) in Flavor::ALL.iter().zip(wrong) {
            for wrong in counted(wrong) {
                let _ = writeln!(table, "     {:4} {wrong}", flavor.name());
            }
        }
    }
    table.push_str(&summary(results));
    table
}

/// The same for a document.
#[must_use]
pub fn markdown(results: &[Result]) -> String {
    let mut table = String::from("| row | what | said | ct | mt1 | mt2 |\n|---|---|---|---|---|---|\n");
    for Result { row, wrong } in results {
        let cells = Flavor::ALL.iter().zip(wrong).map(|(flavor, wrong)| match wrong.first() {
            Some(wrong) => wrong.replace('|', "\\|"),
            None if row.ends_on(*flavor) && row.finding.is_some() => "ok, ends".to_owned(),
            None if row.is_open => "not yet".to_owned(),
            None => "ok".to_owned(),
        });
        let cells: Vec<String> = cells.collect();
        let (what, said) = (row.what.replace('|', "\\|"), expected(row.finding));
        let _ = writeln!(table, "| {} | {what} | {said} | {} |", row.id, cells.join(" | "));
    }
    table
}

/// How many of how many.
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

/// What was wrong several times, once.
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
