//! The rule `slow_await` at a sleep of the function itself: a pause before it looks again, or what
//! clients of a handler wait for.

use diagnose_reports::Snapshot;
use diagnose_reports::model::SiteKind;

use crate::findings_locks::MS;
use crate::support::latency::durations;
use crate::support::tree;

/// 500 calls of a handler: each awaits a query of 5 ms, and 25 of them sleep for 800 ms.
const SEARCH: &str = "search | calls=500 completed=500 polls=1025 busy=2_000_000 idle=22_500_000_000
  query(id).await | calls=500 polls=1000 idle=2_500_000_000 self_idle=2_500_000_000
  sleep(SLOW).await | calls=25 polls=50 idle=20_000_000_000 self_idle=20_000_000_000
";

fn search(drawing: &str, change: impl Fn(&mut Snapshot)) -> Vec<String> {
    let mut snapshot = tree(drawing);
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
        site.kind = SiteKind::Await;
    }
    snapshot.elapsed_ns = 10_000 * MS;
    let mut lengths = vec![5 * MS; 475];
    lengths.resize(500, 805 * MS);
    snapshot.nodes[0].latency.completed = durations(&lengths);
    snapshot.nodes[0].is_unspawned = true;
    change(&mut snapshot);
    snapshot.findings().iter().map(ToString::to_string).collect()
}

#[test]
fn a_handler_that_sleeps_in_a_few_calls_is_found() {
    let [finding] = &search(SEARCH, |_| ())[..] else { panic!("one finding") };
    let expected = "25 of 500 calls (5 %) of `search` (src/main.rs:1) take 500 ms or more, at a median of ";
    assert!(finding.starts_with(expected), "{finding}");
    assert!(finding.contains("they wait at `sleep(SLOW).await` (src/main.rs:3)"), "{finding}");
    assert_eq!(search(SEARCH, |it| it.nodes[0].is_unspawned = false), [""; 0], "a job: it looks again later");
}

#[test]
fn a_handler_that_looks_again_after_its_sleep_is_healthy() {
    assert_eq!(search(SEARCH, |it| it.nodes[2].calls = 49).len(), 1);
    assert_eq!(search(SEARCH, |it| it.nodes[2].calls = 50), [""; 0], "it sleeps several times");
    assert_eq!(search(SEARCH, |it| it.nodes[1].calls = 511).len(), 1);
    assert_eq!(search(SEARCH, |it| it.nodes[1].calls = 525), [""; 0], "it asks again after each sleep");
}

/// The sleep is the time limit of a long poll.
#[test]
fn a_sleep_in_an_arm_of_a_select_is_healthy() {
    let (before, sleep) = SEARCH.split_once("  sleep").unwrap();
    let arm = format!(
        "{before}  select! {{…}}.await | calls=25 polls=50 idle=20_000_000_000\n    sleep{sleep}    \
         news.changed().await | calls=25 polls=50 idle=20_000_000_000 self_idle=20_000_000_000\n"
    );
    assert_eq!(search(&arm, |_| ()), [""; 0]);
}
