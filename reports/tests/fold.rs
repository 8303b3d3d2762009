//! Folding hand-made trees: the time of each stack.

use crate::support::{folded, node, roots, site, tree};
use diagnose_reports::model::{NodeIndex, SiteKind};
use diagnose_reports::{View, fold};

#[test]
fn self_time_has_leaves_of_its_own() {
    // handle  |██████|··········|████|
    // read      |██|  ··········
    let snapshot = tree(
        "
handle | busy=10 idle=54 self_idle=4
  read | busy=3  idle=50 self_idle=50
",
    );
    let lines = "\
handle;[busy] 7
handle;[idle] 4
handle;read;[busy] 3
handle;read;[idle] 50
";
    assert_eq!(folded(&snapshot, View::Time), lines);
}

#[test]
fn a_view_keeps_its_kind_of_time_only() {
    let snapshot = tree(
        "
handle | busy=10 self_idle=4
  read | busy=3  self_idle=50
",
    );
    assert_eq!(folded(&snapshot, View::Busy), "handle;[busy] 7\nhandle;read;[busy] 3\n");
    assert_eq!(folded(&snapshot, View::Idle), "handle;[idle] 4\nhandle;read;[idle] 50\n");
}

#[test]
fn time_in_nested_executors_belongs_to_the_tasks_they_polled() {
    // outer   |████████████████|    busy 16, nested 9
    // inner       |█████████|       a root of its own
    let snapshot = tree(
        "
outer | busy=16 nested=9
inner | busy=9
",
    );
    assert_eq!(folded(&snapshot, View::Busy), "inner;[busy] 9\nouter;[busy] 7\n");
}

#[test]
fn labels_of_a_site_are_one_frame() {
    let snapshot = tree(
        "
handle | busy=1 self_idle=10 label=user:7
  read | busy=1
handle | busy=2 self_idle=20 label=user:8
  read | busy=2
",
    );
    assert_eq!(folded(&snapshot, View::Time), "handle;[idle] 30\nhandle;read;[busy] 3\n");
}

#[test]
fn recursion_keeps_every_level() {
    let snapshot = tree(
        "
walk | busy=6
  walk | busy=5
    walk | busy=3
",
    );
    assert_eq!(folded(&snapshot, View::Busy), "walk;[busy] 1\nwalk;walk;[busy] 2\nwalk;walk;walk;[busy] 3\n");
}

#[test]
fn lines_are_sorted_as_text() {
    let snapshot = tree(
        "
fetch | busy=14
  poll | busy=4
fetch::retry | busy=3
fetch (2) | busy=1
",
    );
    let lines = "fetch (2);[busy] 1\nfetch::retry;[busy] 3\nfetch;[busy] 10\nfetch;poll;[busy] 4\n";
    assert_eq!(folded(&snapshot, View::Busy), lines);
}

#[test]
fn time_past_a_bound_is_in_other() {
    let snapshot = tree(
        "
handle | busy=5
  other | busy=3
",
    );
    assert_eq!(snapshot.sites[1].kind, SiteKind::Other);
    assert_eq!(folded(&snapshot, View::Busy), "handle;[busy] 2\nhandle;[other];[busy] 3\n");
}

#[test]
fn times_that_do_not_add_up_give_no_leaf_instead_of_a_huge_one() {
    let snapshot = tree(
        "
handle | busy=2
  read | busy=3
",
    );
    assert_eq!(folded(&snapshot, View::Busy), "handle;read;[busy] 3\n");
}

#[test]
fn a_snapshot_that_contradicts_itself_still_folds() {
    let mut snapshot = roots(vec![site("a", "m", "a.rs", 1, 1)]);
    // The first node is its own parent; the second has an unknown parent and site.
    snapshot.nodes[0].parent = Some(NodeIndex::new(0));
    snapshot.nodes.push(node(9, Some(7)));
    snapshot.nodes[1].busy_ns = 5;
    let stacks: Vec<String> =
        fold(&snapshot, View::Time).iter().map(|stack| stack.frames.join(";")).collect();
    assert_eq!(stacks, ["[other];[busy]", "a;[busy]"]);
}
