//! Instructions per operation, counted by valgrind.
//!
//! valgrind runs one thread at a time, so programs on several threads depend less on chance, and
//! contention costs nothing. A program's startup is excluded: each number is the difference of two
//! runs, one of which does twice the work.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use crate::child;
use crate::program::{Program, Way};
use crate::summary::percent_above_one;

/// The share of a program's size that is counted, because valgrind is some 50 times slower.
const SHARE: u64 = 50;

const VALGRIND: &[&str] = &["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"];

/// Counts every program each way, and writes the table in Markdown.
///
/// # Errors
/// If valgrind is not installed, or a child fails.
pub fn table(path: &Path, programs: &[&'static Program]) -> io::Result<String> {
    let mut text = String::from(
        "| program | bare, instructions per operation | `#[diagnose]` | `diagnose::tokio` |\n|---|---|---|---|\n",
    );
    for program in programs {
        let mut counts = [0.0; 3];
        for way in Way::ALL {
            counts[way as usize] = per_operation(path, program, way)?;
        }
        let [bare, annotated, drop_in] = counts;
        let _ = writeln!(
            text,
            "| {} | {bare:.0} | {annotated:.0} ({}) | {drop_in:.0} ({}) |",
            program.name,
            percent_above_one(annotated / bare),
            percent_above_one(drop_in / bare),
        );
    }
    Ok(text)
}

fn per_operation(path: &Path, program: &Program, way: Way) -> io::Result<f64> {
    let size = program.size / SHARE;
    let (less, operations_less) = instructions(path, program, way, size)?;
    let (more, operations_more) = instructions(path, program, way, 2 * size)?;
    Ok((more - less) / (operations_more - operations_less))
}

/// The instructions and operations of a run.
#[allow(clippy::cast_precision_loss)] // Counts here are far below 2^52.
fn instructions(path: &Path, program: &Program, way: Way, size: u64) -> io::Result<(f64, f64)> {
    let (sample, output) = child::start(VALGRIND, path, program, way, size)?;
    let said = String::from_utf8_lossy(&output.stderr);
    let collected =
        said.lines().find_map(|line| line.split("Collected :").nth(1)?.trim().parse::<u64>().ok());
    let collected = collected.ok_or_else(|| io::Error::other(format!("no count from valgrind: {said}")))?;
    Ok((collected as f64, sample.operations as f64))
}
