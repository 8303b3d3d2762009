//! Spawns 100,000 tasks with attributes, 5,000 at a time, and prints the growth of memory and the
//! attributes of the task that is left.

use diagnose::diagnose;
use diagnose::tokio;
use diagnose_abuse_tests::usage::resident;

#[diagnose]
async fn serves(id: u32) {
    diagnose::task_attr("request", id);
    diagnose::task_attr("body", format_args!("{id:0200}"));
    tokio::task::yield_now().await;
}

#[diagnose]
async fn waits() {
    diagnose::task_attr("request", 16);
    diagnose::task_attr("request", 17);
    diagnose::task_attr("peer", "a\u{1B}[2J\nb");
    std::future::pending::<()>().await;
}

#[::tokio::main(flavor = "current_thread")]
async fn main() {
    std::thread::spawn(|| diagnose::task_attr("of", "no task")).join().expect("it ends");
    let _waiting = tokio::spawn(waits());
    let mut before = 0;
    for round in 0..20 {
        let tasks: Vec<_> = (0..5_000).map(|task| tokio::spawn(serves(round * 5_000 + task))).collect();
        for task in tasks {
            task.await.expect("it ends");
        }
        // By now the registry has grown to the number of tasks that are alive at the same time.
        if round == 1 {
            before = resident();
        }
    }
    println!("{}", resident().saturating_sub(before));
    println!("{}", diagnose::tree());
    for task in diagnose::snapshot().tasks {
        println!("attributes {:?}", task.attributes);
    }
}
