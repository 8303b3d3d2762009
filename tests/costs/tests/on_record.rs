//! A bare program is not recorded; the annotated and the drop-in ones are.

use diagnose_costs::program::{Program, Way};
use diagnose_costs::programs::PROGRAMS;

/// A small size that is a multiple of every program's width.
const SIZE: u64 = 256;

/// The recorded calls of functions in modules of this name.
fn calls(module: &str) -> u64 {
    let snapshot = diagnose::snapshot();
    let is_there = |site: diagnose::model::SiteIndex| snapshot.sites[site].module.ends_with(module);
    snapshot.nodes.iter().filter(|node| is_there(node.site)).map(|node| node.calls).sum()
}

fn calls_of(program: &Program, way: Way, module: &str) -> u64 {
    let before = calls(module);
    let _ = program.run(way, SIZE);
    calls(module) - before
}

#[test]
fn only_what_is_annotated_is_on_record() {
    for program in PROGRAMS {
        assert!(calls_of(program, Way::Annotated, "::annotated") >= SIZE, "{}", program.name);
        assert!(calls_of(program, Way::DropIn, "::drop_in") >= SIZE, "{}", program.name);
        assert_eq!(calls_of(program, Way::Bare, "::bare"), 0, "{}", program.name);
        let tasks = diagnose::snapshot().tasks;
        assert!(tasks.is_empty(), "{} leaves none: {tasks:?}", program.name);
    }
}
