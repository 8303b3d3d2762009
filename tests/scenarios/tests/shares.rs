//! Two ways to build a string: busy shares match a stopwatch, counts are exact.

use std::time::{Duration, Instant};

use diagnose::model::Node;
use diagnose::{Snapshot, diagnose};
use diagnose_scenarios_tests::runtime::Runtime;
use diagnose_scenarios_tests::stopwatch::{Stopwatch, Times};
use diagnose_scenarios_tests::tree::{folded, lines, named, node, sum_of};

const PARTS: usize = 2_000;

static AROUND_EXTEND: Stopwatch = Stopwatch::new();
static IN_EXTEND: Stopwatch = Stopwatch::new();
static AROUND_CONCAT: Stopwatch = Stopwatch::new();
static IN_CONCAT: Stopwatch = Stopwatch::new();

#[diagnose]
async fn extend(part: &str) -> String {
    IN_EXTEND.call(|| {
        let mut text = String::new();
        for _ in 0..PARTS {
            text.push_str(std::hint::black_box(part));
        }
        text
    })
}

#[diagnose]
async fn concat(part: &str) -> String {
    IN_CONCAT.call(|| {
        let mut text = String::new();
        for _ in 0..PARTS {
            text = format!("{text}{}", std::hint::black_box(part));
        }
        text
    })
}

/// Repeats `work` until `limit` has passed. Returns the number of repetitions.
async fn repeat(limit: Duration, work: impl AsyncFn() -> String) -> u64 {
    let (mut times, mut spent) = (0, Duration::ZERO);
    while spent < limit {
        let start = Instant::now();
        std::hint::black_box(work().await);
        spent += start.elapsed();
        times += 1;
    }
    times
}

#[diagnose(name = "main")]
async fn program() -> [u64; 2] {
    let part = "a few more bytes";
    let extends = repeat(Duration::from_millis(153), async || AROUND_EXTEND.time(extend(part)).await).await;
    let concats = repeat(Duration::from_millis(147), async || AROUND_CONCAT.time(concat(part)).await).await;
    [extends, concats]
}

/// Returns the node with the stopwatches' lower and upper bounds of its busy time.
fn find(snapshot: &Snapshot, name: &str, around: &Times, inside: &Times) -> (Node, f64, f64) {
    let node = named(snapshot, name);
    let text = lines(snapshot);
    around.is_around(&node, &text);
    inside.is_inside(&node, &text);
    (node, inside.busy().as_secs_f64(), around.busy().as_secs_f64())
}

#[test]
#[allow(clippy::cast_precision_loss)]
fn the_shares_are_those_of_a_stopwatch() {
    diagnose_isolation::isolated!();
    let [extends, concats] = Runtime::TokioCurrent.run(program());
    let snapshot = diagnose::snapshot();
    println!("{}", lines(&snapshot));
    let (around, inside) = (AROUND_EXTEND.take(), IN_EXTEND.take());
    let (extend, extend_least, extend_most) = find(&snapshot, "extend", &around, &inside);
    around.bounds_histogram(&inside, &extend);
    let (around, inside) = (AROUND_CONCAT.take(), IN_CONCAT.take());
    let (concat, concat_least, concat_most) = find(&snapshot, "concat", &around, &inside);
    around.bounds_histogram(&inside, &concat);
    assert_eq!((extend.calls, extend.polls, extend.completed), (extends, extends, extends));
    assert_eq!((concat.calls, concat.polls, concat.completed), (concats, concats, concats));

    let share = extend.busy_ns as f64 / (extend.busy_ns + concat.busy_ns) as f64;
    let (least, most) =
        (extend_least / (extend_least + concat_most), extend_most / (extend_most + concat_least));
    let stopwatch = format!("{:.2} to {:.2} % by the stopwatch", least * 100.0, most * 100.0);
    println!("extend: {:.2} % of busy, {stopwatch}", share * 100.0);
    // Both times in a snapshot have the same clock rate.
    assert!((least - 0.000_5..=most + 0.000_5).contains(&share), "{share}, {stopwatch}");

    let folded = folded(&snapshot);
    assert_eq!(sum_of(&folded, "main;", ";extend;[busy]"), extend.busy_ns, "{folded:#?}");
    assert_eq!(sum_of(&folded, "main;", ";concat;[busy]"), concat.busy_ns, "{folded:#?}");
    assert_eq!(node(&snapshot, "main").calls, 1);
}
