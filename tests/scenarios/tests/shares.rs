//! Two ways to build the same bytes: the shares of busy time are those that a stopwatch finds, and the counts are exact.

use std::time::{Duration, Instant};

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::Runtime;
use diagnose_scenarios_tests::tree::{folded, lines, node};

const PARTS: usize = 2_000;

#[diagnose]
async fn extend(part: &str) -> String {
    let mut text = String::new();
    for _ in 0..PARTS {
        text.push_str(std::hint::black_box(part));
    }
    text
}

#[diagnose]
async fn concat(part: &str) -> String {
    let mut text = String::new();
    for _ in 0..PARTS {
        text = format!("{text}{}", std::hint::black_box(part));
    }
    text
}

/// Runs it until it has taken so long; returns how often, and how long.
async fn repeat(limit: Duration, work: impl AsyncFn() -> String) -> (u64, Duration) {
    let (mut times, mut spent) = (0, Duration::ZERO);
    while spent < limit {
        let start = Instant::now();
        std::hint::black_box(work().await);
        spent += start.elapsed();
        times += 1;
    }
    (times, spent)
}

#[diagnose(name = "main")]
async fn program() -> [(u64, Duration); 2] {
    let part = "a few more bytes";
    let extends = repeat(Duration::from_millis(153), async || extend(part).await).await;
    [extends, repeat(Duration::from_millis(147), async || concat(part).await).await]
}

#[test]
#[allow(clippy::cast_precision_loss)]
fn the_shares_are_those_of_a_stopwatch() {
    let [(extends, extend_time), (concats, concat_time)] = Runtime::TokioCurrent.run(program());
    let snapshot = diagnose::snapshot();
    println!("{}", lines(&snapshot));
    let find = |name: &str| {
        let found = snapshot.nodes.iter().find(|node| snapshot.sites[node.site].name == name);
        found.unwrap_or_else(|| panic!("{name}\n{}", lines(&snapshot)))
    };
    let (extend, concat) = (find("extend"), find("concat"));
    assert_eq!((extend.calls, extend.polls, extend.completed), (extends, extends, extends));
    assert_eq!((concat.calls, concat.polls, concat.completed), (concats, concats, concats));

    let share = extend.busy_ns as f64 / (extend.busy_ns + concat.busy_ns) as f64;
    let measured = extend_time.as_secs_f64() / (extend_time + concat_time).as_secs_f64();
    println!("extend: {:.1} % of busy, {:.1} % by the stopwatch", share * 100.0, measured * 100.0);
    assert!((share - measured).abs() < 0.03, "{share} {measured}");
    assert!((share - 0.51).abs() < 0.04, "{share}");
    // Both build the same number of bytes in a call.
    assert!(extend.busy_ns / extends < concat.busy_ns / concats, "extend is faster per byte");

    let busy = |name: &str| -> u64 {
        let end = format!(";{name};[busy]");
        folded().iter().filter(|(path, _)| path.ends_with(&end)).map(|(_, ns)| ns).sum()
    };
    assert!(busy("extend").abs_diff(extend.busy_ns) < 1_000_000);
    assert_eq!(node(&snapshot, "main").calls, 1);
}
