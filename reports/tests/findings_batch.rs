//! The rules `saturated` and `hog` in a batch: tasks that were spawned at once and take turns.

use crate::findings_polls::{on_one_worker, rules};
use diagnose_reports::Snapshot;
use diagnose_reports::model::{SiteIndex, Task, TaskId};

const SECOND: u64 = 1_000_000_000;

/// Ten seconds of one worker that is busy all the time: of 1,000 files, 600 have been hashed, in
/// polls of `each_ns` each, and `ages` are those of the living tasks.
fn files(bucket: &str, polls: u64, each_ns: u64, ages: &[u64]) -> Snapshot {
    let busy = polls * each_ns;
    let mut snapshot = on_one_worker(
        &format!(
            "hash | calls=1000 completed=600 pending=400 polls={polls} busy={busy} queued=7_000_000_000_000 \
             idle=7_000_000_000_000 polls@{bucket}={polls}"
        ),
        busy,
    );
    for (number, &age_ns) in ages.iter().enumerate() {
        let mut task = Task::default();
        (task.id, task.site) = (TaskId::new(number as u64 + 1), SiteIndex::new(0));
        (task.age_ns, task.opaque_wakers) = (age_ns, Some(1));
        snapshot.tasks.push(task);
    }
    snapshot
}

fn found(ages: &[u64]) -> [Vec<String>; 2] {
    [
        rules(&files("16777216..33554432", 400, 24_500_000, ages)),
        rules(&files("524288..1048576", 12_000, 810_000, ages)),
    ]
}

#[test]
fn tasks_that_were_spawned_at_once_compute_in_turns() {
    assert_eq!(found(&[10 * SECOND; 8]), [[""; 0], [""; 0]]);
    let mut ages = [10 * SECOND; 8];
    ages[3] = 5 * SECOND;
    assert_eq!(found(&ages), [[""; 0], [""; 0]], "in a loop that spawns them");
    ages[3] -= 1;
    assert_eq!(found(&ages), [["hog"], ["saturated"]], "more come");
    assert_eq!(found(&[SECOND; 8]), [["hog"], ["saturated"]], "requests that came at once");
    let mut late = files("16777216..33554432", 400, 24_500_000, &[SECOND; 8]);
    late.nodes[0].first_seen_ns = 9 * SECOND;
    assert_eq!(rules(&late), [""; 0], "the batch began late");
}

#[test]
fn a_few_tasks_of_one_age_are_an_accident() {
    assert_eq!(found(&[10 * SECOND; 7]), [["hog"], ["saturated"]]);
    assert_eq!(found(&[]), [["hog"], ["saturated"]]);
}
