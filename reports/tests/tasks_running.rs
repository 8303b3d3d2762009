//! The dump of a task that runs.

use diagnose_reports::model::{RunState, SiteIndex, SpanIndex};

use crate::tasks::{MS, sites, span, task};

#[test]
fn a_future_that_waits_below_a_running_one_is_shown() {
    let mut snapshot = sites();
    snapshot.tasks = vec![task(1, 0, RunState::Running, 312 * MS)];
    snapshot.tasks[0].span = Some(SpanIndex::new(0));
    let [mut root, mut handle, arm, mut crunch] = [
        span(1, 0, Some(1), None),
        span(2, 1, Some(1), Some(0)),
        span(3, 3, Some(1), Some(1)),
        span(4, 2, Some(1), Some(1)),
    ];
    handle.at = Some(SiteIndex::new(3));
    for span in [&mut root, &mut handle, &mut crunch] {
        span.state = RunState::Running;
    }
    snapshot.spans = vec![root, handle, arm, crunch];
    snapshot.tasks[0].running = [0, 1, 2].map(SiteIndex::new).to_vec();
    let tree = snapshot.tree();
    let (_, task) = tree.split_once("task 1").unwrap();
    insta::assert_snapshot!(task, @r"
     main [running 312 ms] 0 polls, busy 0 ns
      main (src/main.rs:1)
      └─ producer (src/main.rs:2)
         └─ consumer (src/main.rs:3)  ◀ running
      └─ queue.pop().await (src/main.rs:4:9) [waiting 40.0 ms]
    ");
    // Without the stack that runs, the spans are drawn.
    snapshot.tasks[0].running.clear();
    let tree = snapshot.tree();
    let (_, task) = tree.split_once("task 1").unwrap();
    insta::assert_snapshot!(task, @r"
     main [running 312 ms] 0 polls, busy 0 ns
      └─ producer at queue.pop().await (src/main.rs:4:9)
         ├─ queue.pop().await (src/main.rs:4:9) [waiting 40.0 ms]
         └─ consumer (src/main.rs:3) [running 40.0 ms]
    ");
}
