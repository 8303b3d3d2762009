//! An outside thread lists fifty thousand waiting tasks, one by one or grouped.

use std::time::{Duration, Instant};

use diagnose::diagnose;
use diagnose::model::{RunState, Task};
use diagnose_scenarios_tests::runtime::{tokio_with_workers, until};

const TASKS: usize = 50_000;

#[diagnose(root)]
async fn waits_for_ever() {
    std::future::pending::<()>().await;
}

#[diagnose(root)]
async fn sleeps() {
    tokio::time::sleep(Duration::from_secs(3_600)).await;
}

#[test]
fn fifty_thousand_waiting_tasks_are_all_listed() {
    diagnose_isolation::isolated!();
    let runtime = tokio_with_workers(2);
    for number in 0..TASKS {
        if number % 2 == 0 {
            runtime.spawn(waits_for_ever());
        } else {
            runtime.spawn(sleeps());
        }
    }
    let waits = |task: &&Task| task.polls == 1 && task.state == RunState::Waiting;
    until(|| diagnose::snapshot().tasks.iter().filter(waits).count() == TASKS);

    let start = Instant::now();
    let snapshot = diagnose::snapshot();
    println!("snapshot: {:?}", start.elapsed());
    assert_eq!(snapshot.tasks.len(), TASKS);
    assert!(snapshot.tasks.iter().all(|task| task.state == RunState::Waiting && task.span.is_some()));
    assert_eq!(snapshot.spans.len(), 2 * TASKS, "each task and its await");
    assert_eq!(snapshot.dropped.over_spans, 0);

    let start = Instant::now();
    let tree = diagnose::tree();
    println!("tree: {:?}, {} bytes\n{tree}", start.elapsed(), tree.len());
    assert!(
        tree.starts_with("tasks: 50 000 alive, 50 000 waiting\n")
            || tree.starts_with("tasks: 50,000 alive, 50,000 waiting\n"),
        "{tree}"
    );
    let groups: Vec<&str> = tree.lines().filter(|line| line.contains(" × task ")).collect();
    assert_eq!(groups.len(), 2, "{tree}");
    assert!(
        groups.iter().all(|line| line.starts_with("25 000 × ") || line.starts_with("25,000 × ")),
        "{tree}"
    );

    for extension in ["txt", "json", "folded"] {
        let start = Instant::now();
        let path = std::env::temp_dir().join(format!("diagnose-fifty-{}.{extension}", std::process::id()));
        let path = diagnose::dump(path).expect("a place to write");
        let size = std::fs::metadata(&path).expect("it is there").len();
        println!("{extension}: {:?}, {size} bytes", start.elapsed());
        if extension == "txt" {
            let text = std::fs::read_to_string(&path).expect("text");
            assert!(
                groups.iter().all(|line| text.contains(line.split(" [").next().expect("a head"))),
                "{text}"
            );
        }
        std::fs::remove_file(path).expect("it is there");
    }
    runtime.shutdown_background();
}
