//! Feeds damaged snapshots to every report: none may panic, overflow or run forever.
//!
//! ```text
//! corpus/*.json  ─▶ mutate: input n of a seed ─▶ check: read_json, reports, comparisons, and back
//! ```
//! The corpus consists of dumps of real programs: 19 of `tests/hangs`, one for each kind of item
//! that a dump lists, and one of `examples/quickstart` under load.
//! `cargo test -p diagnose-fuzz-tests` checks some thousand inputs. Before a release, check a
//! million in an optimized build with overflow checks:
//!
//! ```text
//! cargo run --profile fuzz -p diagnose-fuzz-tests -- 1000000
//! ```

pub mod check;
pub mod corpus;
pub mod mutate;
pub mod random;
