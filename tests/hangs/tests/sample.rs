//! The sample of the corpus has every expected verdict, runtime and level of noise.

use std::collections::BTreeSet;

use diagnose_hangs_tests::ALL;
use diagnose_hangs_tests::row::{Flavor, Row};
use diagnose_hangs_tests::sample::{noise, rows};

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
