//! Merged snapshots: sums by path, and nothing twice.

use crate::support::{folded, random, tree};
use diagnose_reports::model::{SiteIndex, Snapshot};
use diagnose_reports::{Format, View, merge, rows, write};
use proptest::prelude::*;

fn process(pid: u32, drawing: &str) -> Snapshot {
    let mut snapshot = tree(drawing);
    snapshot.process.pid = pid;
    snapshot.nodes.iter_mut().for_each(|node| node.first_seen_ns = u64::from(pid) * 1_000_000);
    snapshot
}

#[test]
fn equal_paths_add_up() {
    let one = process(1, "handle | busy=30 calls=3\n  read | busy=10 calls=3\nidle | calls=1");
    let two =
        process(2, "handle | busy=40 calls=4\n  read | busy=2 calls=1 label=x\n  write | busy=5 calls=1");
    let merged = merge(&[one.clone(), two.clone()]);
    assert_eq!(merged.elapsed_ns, 4_000_000_000);
    assert_eq!((&merged.process.name[..], merged.process.pid), ("server", 0));
    let busy = "handle;[busy] 53\nhandle;read;[busy] 12\nhandle;write;[busy] 5\n";
    assert_eq!(folded(&merged, View::Busy), busy);
    assert_eq!(merged.nodes.len(), 5, "`read` with a label is a path of its own");
    assert_eq!(merge(&[two, one]), merged, "the order does not matter");
}

#[test]
fn a_snapshot_that_a_later_one_contains_counts_once() {
    let earlier = process(1, "handle | busy=30 calls=3");
    let mut later = process(1, "handle | busy=70 calls=7\n  read | busy=1 calls=1");
    later.elapsed_ns *= 3;
    let alone = merge(std::slice::from_ref(&later));
    assert_eq!(merge(&[earlier.clone(), later.clone()]), alone);
    assert_eq!(merge(&[later.clone(), earlier, later]), alone);
}

/// A process that has reached two functions of one name, the upper one last.
pub(crate) fn two_namesakes() -> [Snapshot; 2] {
    let mut later = process(1, "upper | busy=5 calls=1\nlower | busy=70 calls=7");
    later.sites.iter_mut().for_each(|site| site.name = "{block}".into());
    later.nodes[0].first_seen_ns *= 9;
    let mut earlier = process(1, "upper\nlower | busy=30 calls=3");
    earlier.sites = later.sites[1..].to_vec();
    earlier.nodes.remove(0);
    earlier.nodes[0].site = SiteIndex::new(0);
    later.elapsed_ns *= 3;
    [earlier, later]
}

#[test]
fn a_namesake_that_is_reached_later_changes_nothing() {
    let [earlier, later] = two_namesakes();
    assert_eq!(merge(&[earlier, later.clone()]), merge(&[later]));
}

#[test]
fn runs_of_a_reused_process_id_both_count() {
    let mut restarted = process(1, "handle | busy=30 calls=3");
    restarted.nodes[0].first_seen_ns += 12_345;
    let merged = merge(&[process(1, "handle | busy=30 calls=3"), restarted]);
    assert_eq!((merged.nodes[0].calls, merged.process.pid), (6, 1));
    let more = merge(&[merged, process(2, "handle | busy=30 calls=3")]);
    assert_eq!((more.nodes[0].calls, more.merged), (9, 3));
}

#[test]
fn nothing_merged_is_an_empty_snapshot() {
    let merged = merge(&[]);
    assert!(merged.nodes.is_empty());
    let mut page = Vec::new();
    write(&merged, Format::Text.into(), &mut page).expect("it can be shown");
}

proptest! {
    #[test]
    fn no_time_is_lost_or_added(one in random::snapshot(12), two in random::snapshot(12)) {
        let (mut one, mut two) = (one, two);
        (one.process.pid, two.process.pid) = (1, 2);
        let busy = |snapshot: &Snapshot| rows(snapshot).iter().map(|row| u128::from(row.self_busy_ns)).sum::<u128>();
        let merged = merge(&[one.clone(), two.clone()]);
        prop_assert_eq!(busy(&merged), busy(&one) + busy(&two));
        let mut json = Vec::new();
        write(&merged, Format::Json.into(), &mut json).unwrap();
        prop_assert_eq!(Snapshot::read_json(&json[..]).unwrap(), merged);
    }
}
