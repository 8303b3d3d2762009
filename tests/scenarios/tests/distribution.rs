//! A thousand spawned tasks stay on the only thread, or spread over two workers.
//!
//! ```text
//! current thread    makes 1000 ▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏
//! two workers       makes 1000 ▆▆ the first waits for another worker ▆▆▏▏▏▏▏▏
//!                              ▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏
//! ```

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::{Runtime, tokio_with_workers};
use diagnose_scenarios_tests::work::primes_below;
use tokio::sync::watch;

const TASKS: usize = 1_000;

type Threads = Arc<Mutex<HashSet<ThreadId>>>;

/// Computes on its thread until `wanted` threads have come, then waits to be listed with it.
#[diagnose(root)]
async fn job(threads: Threads, wanted: usize, mut end: watch::Receiver<bool>) {
    threads.lock().expect("no panic").insert(thread::current().id());
    let limit = Instant::now() + Duration::from_secs(60);
    while threads.lock().expect("no panic").len() < wanted && Instant::now() < limit {
        let _ = primes_below(100);
    }
    let _ = primes_below(500);
    let _ = end.wait_for(|end| *end).await;
}

#[diagnose(root)]
async fn makes(wanted: usize) -> BTreeMap<Option<u64>, usize> {
    let (end, ends) = watch::channel(false);
    let threads = Threads::default();
    let jobs: Vec<_> = (0..TASKS).map(|_| tokio::spawn(job(threads.clone(), wanted, ends.clone()))).collect();
    let waiting = loop {
        let snapshot = diagnose::snapshot();
        let is_job =
            |task: &&diagnose::model::Task| snapshot.sites[task.site].name == "job" && task.polls == 1;
        let waiting: Vec<Option<u64>> =
            snapshot.tasks.iter().filter(is_job).map(|task| task.thread_id).collect();
        if waiting.len() == TASKS {
            break waiting;
        }
        tokio::task::yield_now().await;
    };
    end.send(true).expect("they wait");
    for job in jobs {
        job.await.expect("no panic");
    }
    let mut counts = BTreeMap::new();
    for thread in waiting {
        *counts.entry(thread).or_insert(0) += 1;
    }
    counts
}

#[test]
fn the_dump_says_on_which_threads_tasks_were_run() {
    diagnose_isolation::isolated!();
    let on_one = Runtime::TokioCurrent.run(makes(1));
    println!("one thread: {on_one:?}");
    assert_eq!(on_one.values().copied().collect::<Vec<_>>(), [TASKS]);

    let runtime = tokio_with_workers(2);
    let on_two = runtime.block_on(async { tokio::spawn(makes(2)).await.expect("no panic") });
    println!("two workers: {on_two:?}");
    if cfg!(target_os = "linux") {
        assert_eq!(on_two.len(), 2, "the other worker has taken some");
    }
    assert_eq!(on_two.values().sum::<usize>(), TASKS);
}
