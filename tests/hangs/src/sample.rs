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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{noise, rows};
    use crate::ALL;
    use crate::row::{Flavor, Row};

    /// The first expected verdict of each row on each runtime.
    fn expected<'a>(rows: impl Iterator<Item = &'a Row>) -> BTreeSet<String> {
        let of_row = |row: &'a Row| {
            Flavor::ALL.map(|flavor| format!("{} {:?}", flavor.name(), row.findings(flavor).first()))
        };
        rows.flat_map(of_row).collect()
    }

    #[test]
    fn the_sample_expects_every_verdict_of_the_corpus() {
        let all = ALL.iter().flat_map(|section| section.rows);
        assert_eq!(expected(rows(ALL).into_iter()), expected(all));
    }

    #[test]
    fn the_sample_has_quiet_and_noisy_runs_of_every_runtime() {
        let positions = 0..rows(ALL).len();
        for flavor in Flavor::ALL {
            let noises: BTreeSet<usize> = positions.clone().map(|it| noise(it, flavor)).collect();
            assert_eq!(noises, BTreeSet::from([0, 1]));
        }
    }
}
