//! The rows that `cargo test` runs: a part of the corpus with every kind of verdict in it.
//!
//! A hang is in the sample if no row before it has the same kind, detail and confidence, and ends
//! on the same runtimes. A control is in it if it is the first of its section. Each row runs on
//! every runtime once, and rows take turns in which runtimes are noisy.

use crate::row::{Finding, Flavor, Row, Section};

/// The rows of the sample, in the order of the corpus.
#[must_use]
pub fn rows(sections: &'static [Section]) -> Vec<&'static Row> {
    let mut seen: Vec<(Finding, [bool; 3])> = Vec::new();
    let mut rows = Vec::new();
    for section in sections {
        let mut has_control = false;
        for row in section.rows {
            let is_first = match row.finding {
                Some(finding) if seen.contains(&(finding, row.ends)) => false,
                Some(finding) => {
                    seen.push((finding, row.ends));
                    true
                }
                None => !std::mem::replace(&mut has_control, true),
            };
            rows.extend(is_first.then_some(row));
        }
    }
    rows
}

/// The index into the levels of noise for the row with this position in the sample.
#[must_use]
pub fn noise(position: usize, flavor: Flavor) -> usize {
    (position + flavor as usize) % 2
}
