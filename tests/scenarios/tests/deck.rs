//! Many tasks: one long among a thousand short ones, and ten thousand that sleep. None is lost.

use std::time::{Duration, Instant};

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::tokio_with_workers;
use diagnose_scenarios_tests::tree::{lines, ms, named};
use diagnose_scenarios_tests::work::primes_below;

#[diagnose(root)]
async fn job(time: Duration) -> u64 {
    let end = Instant::now() + time;
    let mut sum = 0;
    while Instant::now() < end {
        sum += primes_below(50);
    }
    sum
}

fn one_long_task_amid_short_ones() {
    tokio_with_workers(2).block_on(async {
        let time = |number| Duration::from_micros(if number == 500 { 100_000 } else { 50 });
        let jobs: Vec<_> = (0..1_001).map(|number| tokio::spawn(job(time(number)))).collect();
        for job in jobs {
            job.await.expect("no panic");
        }
    });
    let snapshot = diagnose::snapshot();
    println!("{}", lines(&snapshot));
    let job = named(&snapshot, "job");
    assert_eq!((job.calls, job.polls, job.completed), (1_001, 1_001, 1_001));
    assert!((100.0..500.0).contains(&ms(job.longest_poll_ns)));
    let long: u64 = job
        .polls_histogram
        .iter()
        .filter(|bucket| bucket.to_ns > 100_000_000)
        .map(|bucket| bucket.count)
        .sum();
    // A machine that is busy with other things may stop one of the others for as long.
    assert!((1..10).contains(&long), "{:?}", job.polls_histogram);
    assert!(ms(job.busy_ns) >= 150.0);
}

#[diagnose]
async fn foo() {
    bar().await;
}

#[diagnose]
async fn bar() {
    baz().await;
}

#[diagnose]
async fn baz() {
    let tasks: Vec<_> = (0..10_000).map(|number| tokio::spawn(sleeper(number))).collect();
    for task in tasks {
        task.await.expect("no panic");
    }
}

#[diagnose(root)]
async fn sleeper(number: u64) {
    tokio::time::sleep(Duration::from_micros(10 * number)).await;
}

fn ten_thousand_that_sleep() {
    diagnose::reset();
    tokio_with_workers(2).block_on(foo());
    let start = Instant::now();
    let path = std::env::temp_dir().join(format!("diagnose-deck-{}.json", std::process::id()));
    let path = diagnose::dump(path).expect("a place to write");
    let size = std::fs::metadata(&path).expect("it is there").len();
    println!("10 000 tasks: {size} bytes, written in {:?}", start.elapsed());
    let snapshot =
        diagnose::Snapshot::read_json(std::fs::File::open(&path).expect("it is there")).expect("a snapshot");
    std::fs::remove_file(path).expect("it is there");
    println!("{}", lines(&snapshot));
    let sleeper = named(&snapshot, "sleeper");
    assert_eq!((sleeper.calls, sleeper.completed, sleeper.pending), (10_000, 10_000, 0));
    assert!(sleeper.polls >= 10_000 && sleeper.polls <= 20_000);
    assert_eq!(named(&snapshot, "task.await").calls, 10_000);
    assert_eq!(snapshot.dropped, diagnose::Dropped::default());
    assert!(snapshot.tasks.is_empty());
    // Σ i × 10 µs is 499.95 s, less what is left of the tick for each.
    assert!((490_000.0..1_500_000.0).contains(&ms(sleeper.idle_ns)));
}

#[test]
fn many_tasks_are_counted_exactly() {
    one_long_task_amid_short_ones();
    ten_thousand_that_sleep();
}
