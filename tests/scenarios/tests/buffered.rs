//! While a stream's consumer awaits, nobody polls the stream's buffer: its futures are ready, and stand still.
//!
//! ```text
//! do_select 0  ~ 25 ms ~▏
//! do_select 1  ~~ 28 ms ~~◇┈┈┈┈ woken, not polled ┈┈┈┈▏
//! do_select 4  ~~~~ 37 ms ~~~~◇┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈▏
//! work item             ▏~~~~~~ 200 ms ~~~~~~~▏
//! ```

use std::time::Duration;

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::tokio_with_workers;
use diagnose_scenarios_tests::tree::{lines, ms};
use futures::StreamExt as _;

async fn wait(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

#[diagnose]
async fn do_select(number: u64) -> u64 {
    wait(5).await; // connects
    wait(20 + 3 * number).await;
    number
}

#[diagnose]
async fn process_work_item(number: u64, begins: std::sync::mpsc::Sender<()>) {
    if number == 0 {
        begins.send(()).expect("somebody waits");
        wait(200).await;
    }
}

#[diagnose(root)]
async fn batch(begins: std::sync::mpsc::Sender<()>) {
    futures::stream::iter(0..5)
        .map(do_select)
        .buffered(5)
        .for_each(|number| process_work_item(number, begins.clone()))
        .await;
}

#[test]
fn the_buffer_that_nobody_polls_is_seen() {
    let (begins, has_begun) = std::sync::mpsc::channel();
    let runtime = tokio_with_workers(2);
    let task = runtime.spawn(batch(begins));
    has_begun.recv().expect("it begins");
    std::thread::sleep(Duration::from_millis(100));
    let tree = diagnose::tree();
    println!("{tree}");
    let skipped = tree.lines().filter(|line| line.contains("do_select (")).collect::<Vec<_>>();
    assert_eq!(skipped.len(), 4, "{tree}");
    assert!(skipped.iter().all(|line| line.ends_with("[not polled since by its task]")), "{tree}");
    let awaits = tree.lines().find(|line| line.contains("process_work_item (")).expect("it waits");
    assert!(!awaits.contains("not polled"), "{tree}");
    runtime.block_on(task).expect("no panic");

    let snapshot = diagnose::snapshot();
    let text = lines(&snapshot);
    println!("{text}");
    let select = snapshot
        .nodes
        .iter()
        .find(|node| snapshot.sites[node.site].name == "do_select")
        .expect("it is there");
    assert_eq!((select.calls, select.completed), (5, 5), "{text}");
    // Four times the work item's 200 ms and more, where 155 ms in all are asked for.
    assert!((800.0..1_500.0).contains(&ms(select.idle_ns)), "{text}");
}
