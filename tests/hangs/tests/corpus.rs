//! Runs the sample of the corpus once.
//!
//! `cargo run --release -p diagnose-hangs-tests -- --jobs 24` runs the whole corpus, as `.ci/run`
//! does.

use std::path::Path;

use diagnose_hangs_tests::options::Options;
use diagnose_hangs_tests::{ALL, campaign, table};

#[test]
fn verdicts_on_every_kind_of_program_are_right() {
    let options = Options { jobs: 20, sample: true, ..Options::default() };
    let results = campaign::run(Path::new(env!("CARGO_BIN_EXE_hangs")), ALL, &options);
    assert!(campaign::is_right(&results), "\n{}", table::text(&results));
}
