//! A long task among a thousand short ones, and ten thousand sleepers: none is lost.

use std::time::{Duration, Instant};

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::tokio_with_workers;
use diagnose_scenarios_tests::stopwatch::{Stopwatch, is_at_least};
use diagnose_scenarios_tests::tree::{lines, named};
use diagnose_scenarios_tests::work::primes_below;

static AROUND: Stopwatch = Stopwatch::new();
static INSIDE: Stopwatch = Stopwatch::new();

#[diagnose(root)]
async fn job(time: Duration) -> u64 {
    INSIDE.call(|| {
        let start = Instant::now();
        let mut sum = 0;
        while start.elapsed() < time {
            sum += primes_below(50);
        }
        sum
    })
}

fn one_long_task_amid_short_ones() {
    tokio_with_workers(2).block_on(async {
        let time = |number| Duration::from_micros(if number == 500 { 100_000 } else { 50 });
        let jobs: Vec<_> = (0..1_001).map(|number| tokio::spawn(AROUND.time(job(time(number))))).collect();
        for job in jobs {
            job.await.expect("no panic");
        }
    });
    let snapshot = diagnose::snapshot();
    println!("{}", lines(&snapshot));
    let job = named(&snapshot, "job");
    assert_eq!((job.calls, job.polls, job.completed), (1_001, 1_001, 1_001));
    let (around, inside, text) = (AROUND.take(), INSIDE.take(), lines(&snapshot));
    around.is_around(&job, &text);
    inside.is_inside(&job, &text);
    around.bounds_histogram(&inside, &job);
    is_at_least("the long one", job.longest_poll_ns, Duration::from_millis(100), &text);
    is_at_least("all", job.busy_ns, Duration::from_millis(150), &text);
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
    let tasks: Vec<_> = (0..10_000).map(|number| tokio::spawn(AROUND.time(sleeper(number)))).collect();
    for task in tasks {
        task.await.expect("no panic");
    }
}

#[diagnose(root)]
async fn sleeper(number: u64) {
    INSIDE.time(tokio::time::sleep(Duration::from_micros(10 * number))).await;
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
    assert_eq!(snapshot.dropped, diagnose::model::Dropped::default());
    assert!(snapshot.tasks.is_empty());
    let text = lines(&snapshot);
    AROUND.take().is_around(&sleeper, &text);
    INSIDE.take().is_inside(&sleeper, &text);
    let all = (0..10_000).map(|number| Duration::from_micros(10 * number)).sum();
    is_at_least("sleeps", sleeper.busy_ns + sleeper.idle_ns, all, &text);
}

#[test]
fn many_tasks_are_counted_exactly() {
    diagnose_isolation::isolated!();
    one_long_task_amid_short_ones();
    ten_thousand_that_sleep();
}
