//! `diagnose explain`: prints what a finding or a verdict means, its causes and its remedies.
//!
//! The texts are the sections of `docs/findings.md` and `docs/verdicts.md`. They are compiled in,
//! so they are available where the program runs.

use std::process::ExitCode;

use serde::Serialize;

use crate::failure::Failure;
use crate::output::Output;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The id, as reports show it in parentheses: `contended`, `stuck.cycle`
    #[arg(value_name = "ID")]
    id: Option<String>,
}

const FINDINGS: &str = include_str!("../../findings.md");
const VERDICTS: &str = include_str!("../../verdicts.md");

// In a checkout without symbolic links, these files contain only the targets of the links.
const _: () = assert!(FINDINGS.len() > 1_000 && VERDICTS.len() > 1_000, "symbolic links are needed");

/// The length of a line in the list.
const WIDTH: usize = 100;

/// A section of the docs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct Explanation {
    id: &'static str,
    of: Of,
    text: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Of {
    Finding,
    Verdict,
}

#[derive(Serialize)]
struct Page {
    explanations: Vec<Explanation>,
}

/// Prints the section of an id, or the list of all ids.
pub(crate) fn run(args: &Args, output: Output) -> Result<ExitCode, Failure> {
    let all: Vec<Explanation> =
        sections(FINDINGS, Of::Finding).chain(sections(VERDICTS, Of::Verdict)).collect();
    let Some(id) = &args.id else {
        if output.is_json {
            Output::json("explain", Page { explanations: all })?;
        } else {
            output.text(&list(&all))?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    // Accepts every form in which reports show an id: `(contended)`, `stuck.cycle`,
    // `docs/findings.md#contended`.
    let plain = id.trim_matches(['(', ')']);
    let plain = plain.rsplit(['#', '.']).next().unwrap_or(plain);
    let Some(found) = all.iter().find(|it| it.id == plain) else {
        return Err(Failure::new(format!("`{id}` is no finding or verdict; `diagnose explain` lists them")));
    };
    if output.is_json {
        Output::json("explain", Page { explanations: vec![*found] })?;
    } else {
        output.text(found.text)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The sections whose headings are ids.
fn sections(page: &'static str, of: Of) -> impl Iterator<Item = Explanation> {
    let sections = page.split("\n## ").skip(1);
    sections.filter_map(move |text| {
        let (id, text) = text.split_once('\n')?;
        let is_id = id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        is_id.then_some(Explanation { id, of, text: text.trim_start_matches('\n') })
    })
}

/// ```text
/// contended       finding  "the RwLock created at src/store.rs:12 makes `get_order` wait: 61 % …
/// cycle           verdict  Tasks wait for each other, and none of them can go on.
/// ```
fn list(all: &[Explanation]) -> String {
    let line = |it: &Explanation| {
        let of = match it.of {
            Of::Finding => "finding",
            Of::Verdict => "verdict",
        };
        let first = it.text.lines().next().unwrap_or_default();
        let first = first.strip_prefix("**Says:** ").unwrap_or(first);
        let start = format!("{:15} {of}  ", it.id);
        let room = WIDTH.saturating_sub(start.len());
        let cut = match first.char_indices().nth(room) {
            Some((at, _)) => format!("{}…", first[..at].trim_end()),
            None => first.to_owned(),
        };
        format!("{start}{cut}\n")
    };
    all.iter().map(line).collect()
}
