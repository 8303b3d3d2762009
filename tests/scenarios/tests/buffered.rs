//! While a stream's consumer awaits, the stream's buffered futures are ready and not polled.
//!
//! ```text
//! do_select 0  ~~~▏
//! do_select 1  ~~~~~~~~~~~~◇┈┈┈ woken, not polled ┈┈┈▏
//! do_select 4  ~~~~~~~~~~~~◇┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈▏
//! work item       ▏~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~▏
//! ```

use std::cell::Cell;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use diagnose::model::{RunState, SiteIndex};
use diagnose::{Snapshot, diagnose};
use diagnose_scenarios_tests::runtime::{tokio_with_workers, until};
use diagnose_scenarios_tests::stopwatch::{is_at_least, is_at_most};
use diagnose_scenarios_tests::tree::{lines, named};
use futures::StreamExt as _;
use tokio::sync::oneshot::{Receiver, channel};

/// Gates that the test opens, by the number of the select; the last one is the work item's.
type Gates = Arc<[Mutex<Option<Receiver<()>>>; 6]>;

async fn passes(gates: &Gates, number: usize) {
    let gate = gates[number].lock().expect("no panic").take().expect("it is passed once");
    gate.await.expect("it opens");
}

#[diagnose]
async fn do_select(gates: &Gates, number: usize) -> usize {
    passes(gates, number).await;
    number
}

#[diagnose]
async fn process_work_item(gates: &Gates, number: usize) {
    if number == 0 {
        passes(gates, 5).await;
    }
}

#[diagnose(root)]
async fn batch(gates: Gates) {
    futures::stream::iter(0..5)
        .map(|number| do_select(&gates, number))
        .buffered(5)
        .for_each(|number| process_work_item(&gates, number))
        .await;
}

/// Returns the number of polls of the task once it waits and `is_so` holds.
fn polls_when(is_so: impl Fn(&Snapshot) -> bool) -> u64 {
    let polls = Cell::new(0);
    until(|| {
        let snapshot = diagnose::snapshot();
        let waits = snapshot.tasks.iter().find(|task| task.state == RunState::Waiting);
        polls.set(waits.map_or(0, |task| task.polls));
        waits.is_some() && is_so(&snapshot)
    });
    polls.get()
}

/// Returns the number of waiting spans with this name.
fn waiting(snapshot: &Snapshot, name: &str) -> usize {
    let spans = snapshot.spans.iter().filter(|span| snapshot.sites[span.site].name == name);
    spans.filter(|span| span.state == RunState::Waiting).count()
}

/// The four are listed as skipped. Their gates are not recorded, so the tree cannot tell that they
/// were woken, and does not blame their task.
fn check_tree() {
    let snapshot = diagnose::snapshot();
    let tree = snapshot.tree();
    println!("{tree}");
    let is_select = |site: SiteIndex| snapshot.sites[site].name == "do_select";
    let skipped = snapshot.spans.iter().filter(|span| is_select(span.site) && span.is_set_aside).count();
    let shown = tree.lines().filter(|line| line.contains("do_select (")).count();
    assert_eq!((skipped, shown), (4, 4), "{tree}");
    assert!(tree.lines().any(|line| line.contains("process_work_item (")), "{tree}");
    assert!(!tree.contains("stopped polling"), "{tree}");
}

#[test]
fn the_buffer_that_nobody_polls_is_seen() {
    diagnose_isolation::isolated!();
    let (mut opens, gates): (Vec<_>, Vec<_>) = (0..6).map(|_| channel()).unzip();
    let gates = <[_; 6]>::try_from(gates).expect("six").map(|gate| Mutex::new(Some(gate)));
    let runtime = tokio_with_workers(2);
    let before = Instant::now();
    let task = runtime.spawn(batch(Arc::new(gates)));
    polls_when(|snapshot| waiting(snapshot, "do_select") == 5);
    opens.remove(0).send(()).expect("it waits");
    let polls = polls_when(|snapshot| waiting(snapshot, "process_work_item") == 1);
    check_tree();
    let stands_still = Instant::now();
    for gate in opens.drain(..4) {
        gate.send(()).expect("it waits");
    }
    // A woken task polls only the future that it awaits.
    polls_when(|snapshot| snapshot.tasks[0].polls > polls);
    check_tree();
    std::thread::sleep(Duration::from_millis(20));
    let least = stands_still.elapsed();
    opens.remove(0).send(()).expect("it waits");
    runtime.block_on(task).expect("no panic");
    let most = before.elapsed();

    let snapshot = diagnose::snapshot();
    let text = lines(&snapshot);
    println!("{text}");
    let select = named(&snapshot, "do_select");
    assert_eq!((select.calls, select.polls, select.completed), (5, 10, 5), "{text}");
    is_at_least("four that stood still", select.idle_ns, 4 * least, &text);
    is_at_most("one that went on at once, and four", select.idle_ns, 5 * most, &text);
}
