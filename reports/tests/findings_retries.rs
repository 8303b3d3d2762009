//! The rule `retries` on drawn trees: loops that connect, and what else connects often.

use diagnose_reports::Snapshot;
use diagnose_reports::model::{SiteIndex, SiteKind, Task, TaskId};

use crate::support::tree;

/// A task of seven seconds that has tried 300,000 times to connect, and requests of others.
const LOOP: &str = "publish | calls=1 pending=1 polls=100_000 busy=6_000_000_000 idle=1_000_000_000
  reconnect(address).await | calls=1 pending=1 polls=100_000 busy=6_000_000_000 idle=1_000_000_000
    reconnect | calls=1 pending=1 polls=100_000 busy=6_000_000_000 idle=1_000_000_000
      TcpStream::connect(address).await | calls=300_000 completed=299_999 polls=400_000 busy=5_900_000_000 idle=1_000_000_000
      stream.write_all(GREETING).await | calls=5 completed=5 polls=5 busy=1_000
handle | calls=2_000 completed=2_000 polls=4_000 busy=3_800_000_000 idle=20_000_000_000
";

fn snapshot(drawing: &str) -> Snapshot {
    let mut snapshot = tree(drawing);
    snapshot.elapsed_ns = 7_000_000_000;
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
        site.kind = SiteKind::Await;
    }
    snapshot
}

fn sentences(drawing: &str) -> Vec<String> {
    let findings = snapshot(drawing).findings();
    findings.iter().map(|finding| format!("{}: {}", finding.rule, finding.sentence)).collect()
}

#[test]
fn a_loop_that_connects_without_a_pause_is_found() {
    let expected = "retries: `reconnect` (src/main.rs:3) retries `TcpStream::connect(address).await` (src/main.rs:4) without a \
                    pause: 300,000 tries in 7.00 s, 60 % of all busy time";
    assert_eq!(sentences(LOOP), [expected]);
}

#[test]
fn a_loop_is_found_around_a_function_that_connects() {
    let name = "TcpStream::connect(address).await";
    let nested = format!(
        "Client::open(address).await | calls=300_000 completed=299_999 busy=5_950_000_000 idle=1_000_000_000\n        \
         open | calls=300_000 completed=299_999 busy=5_950_000_000 idle=1_000_000_000\n          {name}"
    );
    let [finding] = &sentences(&LOOP.replace(name, &nested))[..] else { panic!("one finding") };
    assert!(finding.contains("`reconnect` (src/main.rs:3) retries `TcpStream::connect"), "{finding}");
}

#[test]
fn loops_that_do_something_else_are_healthy() {
    let changed = |from: &str, to: &str| {
        assert!(LOOP.contains(from));
        sentences(&LOOP.replace(from, to)).len()
    };
    assert_eq!(changed("calls=5 completed=5", "calls=3_000 completed=3_000"), 1, "one in 100");
    assert_eq!(changed("calls=5 completed=5", "calls=3_001 completed=3_001"), 0, "it uses the connections");
    assert_eq!(changed("TcpStream::connect(address)", "rows.next()"), 0, "it reads");
    assert_eq!(changed("busy=3_800_000_000", "busy=6_000_000_000"), 0, "under half of all busy time");
    assert_eq!(changed("calls=300_000", "calls=6_900"), 0, "under 1,000 in a second");
}

/// 10,000 calls of 5 ms, each of which tries 60 times.
const STORM: &str = "order | calls=10_000 completed=10_000 polls=700_000 busy=7_000_000_000 idle=46_000_000_000
  call_with_retries(id).await | calls=10_000 completed=10_000 polls=700_000 busy=6_900_000_000 idle=46_000_000_000
    call_with_retries | calls=10_000 completed=10_000 polls=700_000 busy=6_900_000_000 idle=46_000_000_000
      call(id).await | calls=600_000 completed=600_000 polls=700_000 busy=5_000_000_000 idle=46_000_000_000
";

#[test]
fn tries_of_another_call_are_found_by_the_name_of_their_function() {
    let expected = "retries: `call_with_retries` (src/main.rs:3) retries `call(id).await` (src/main.rs:4) without a pause: \
                    600,000 tries in 52.9 s in 10,000 calls, 71 % of all busy time";
    assert_eq!(sentences(STORM), [expected]);
    let mut in_handlers = snapshot(&STORM.replace("=10_000 ", "=2_000 "));
    let mut task = Task::default();
    (task.id, task.site, task.is_unspawned, task.opaque_wakers) =
        (TaskId::new(1), SiteIndex::new(0), true, Some(1));
    in_handlers.tasks.push(task);
    let rules = in_handlers.findings().iter().map(|it| it.rule.to_string()).collect::<Vec<_>>();
    assert_eq!(rules, ["retries"], "300 in each call of 26 ms, and not `sequential` as well");
    let changed = |from: &str, to: &str| {
        assert!(STORM.contains(from));
        sentences(&STORM.replace(from, to)).len()
    };
    assert_eq!(changed("call_with_retries |", "call_all |"), 0, "no name says that these are tries");
    assert_eq!(changed("call(id).await", "rows.next().await"), 0, "it reads");
    assert_eq!(
        changed("calls=600_000 completed=600_000", "calls=159_999 completed=159_999"),
        0,
        "15 in each call"
    );
    assert_eq!(changed("busy=5_000_000_000", "busy=3_400_000_000"), 0, "under half of all busy time");
    let pause = "call(id).await | calls=600_000";
    let paused = format!("backoff.sleep().await | calls=590_000 completed=590_000\n      {pause}");
    assert_eq!(changed(pause, &paused), 0, "it pauses between them");
}
