//! Saved snapshots with mistakes in them, through every report: nothing panics, overflows or takes
//! for ever.
//!
//! ```text
//! corpus/*.json  ─▶ mutate: input number n of a seed, always the same ─▶ check: read_json, every report, and back
//! ```
//! The corpus are dumps of real programs: 19 of those of `tests/hangs`, one for each kind of thing
//! that a dump lists, and one of `examples/quickstart` under load.
//! `cargo test -p diagnose-fuzz-tests` takes some thousand inputs; before a release, with checks of
//! overflows in an optimized build, a million:
//!
//! ```text
//! cargo run --profile fuzz -p diagnose-fuzz-tests -- 1000000
//! ```

pub mod check;
pub mod corpus;
pub mod mutate;
pub mod random;
