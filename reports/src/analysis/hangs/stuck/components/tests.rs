//! Nodes that are stuck under strong evidence are also stuck under the weakest evidence. Rules may
//! make exceptions.

use std::fs;
use std::path::PathBuf;

use super::{StuckGraph, may_be_stuck};
use crate::analysis::hangs::facts::{Facts, shapes};
use crate::analysis::hangs::system::{Evidence, System};
use crate::model::Snapshot;

/// Snapshots of real programs.
fn recorded() -> impl Iterator<Item = (String, Snapshot)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fuzz/corpus");
    fs::read_dir(folder).unwrap().map(|file| {
        let path = file.unwrap().path();
        let snapshot = Snapshot::read_json(fs::File::open(&path).unwrap()).unwrap();
        (path.display().to_string(), snapshot)
    })
}

/// Returns whether anything may be stuck. Panics if a node is stuck although nothing may be.
#[track_caller]
fn checked(name: &str, snapshot: &Snapshot) -> bool {
    let facts = Facts::new(snapshot);
    let may_be = may_be_stuck(&facts);
    for evidence in [Evidence::Exact, Evidence::Likely, Evidence::Suspect] {
        let stuck = StuckGraph::new(&System::new(&facts, evidence));
        assert!(may_be || stuck.nodes().is_empty(), "{name}, {evidence:?}");
    }
    may_be
}

#[test]
fn a_program_in_which_nothing_may_be_stuck_has_no_stuck_node() {
    let made = shapes::SHAPES.iter().map(|shape| (shape.name.to_owned(), (shape.make)(20)));
    let (stuck, healthy): (Vec<_>, Vec<_>) =
        made.chain(recorded()).partition(|(name, snapshot)| checked(name, snapshot));
    assert!(stuck.len() > 20 && healthy.len() > 4, "{} and {}", stuck.len(), healthy.len());
}
