//! A call that only drives an executor is idle while the executor is parked.

use std::time::Duration;

use diagnose::{diagnose, tokio};

const PAUSE: Duration = Duration::from_millis(30);

#[tokio::main(flavor = "current_thread")]
#[diagnose]
async fn above() {
    tokio::time::sleep(PAUSE).await;
}

#[tokio::main(flavor = "current_thread")]
#[diagnose(root)]
async fn root() {
    tokio::time::sleep(PAUSE).await;
}

#[diagnose]
#[tokio::main(flavor = "current_thread")]
async fn below() {
    tokio::time::sleep(PAUSE).await;
}

#[diagnose]
fn by_hand() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async { tokio::time::sleep(PAUSE).await });
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

async fn answer() -> Result<u32, String> {
    tokio::time::sleep(PAUSE).await;
    Ok(42)
}

#[diagnose]
fn unwraps() -> u32 {
    runtime().block_on(answer()).unwrap()
}

#[diagnose]
fn maps() -> Result<u64, String> {
    let answer = runtime().block_on(answer()).map(u64::from)?;
    Ok(answer)
}

#[diagnose]
fn matches() {
    match runtime().block_on(answer()) {
        Ok(42) => {}
        other => panic!("{other:?}"),
    }
}

#[diagnose]
fn asks() {
    if let Err(error) = runtime().block_on(answer()) {
        panic!("{error}");
    }
}

#[allow(clippy::unnecessary_wraps)] // It is about this shape.
#[diagnose]
fn wraps() -> Option<u32> {
    Some(runtime().block_on(answer()).unwrap())
}

#[diagnose]
fn local() -> Result<u32, String> {
    tokio::task::LocalSet::new().block_on(&runtime(), answer())
}

/// Its own code runs on the result.
#[diagnose]
fn works_on_it() -> String {
    match runtime().block_on(answer()) {
        Ok(answer) => answer.to_string().repeat(2),
        Err(error) => error,
    }
}

/// A conversion of the program's own may do any work.
struct Words(String);

impl From<Result<u32, String>> for Words {
    fn from(answer: Result<u32, String>) -> Self {
        Self(answer.map_or_else(|error| error, |answer| answer.to_string()))
    }
}

#[diagnose]
fn works_in_from() -> Words {
    Words::from(runtime().block_on(answer()))
}

macro_rules! work {
    ($answer:expr) => {
        $answer.to_string().repeat(2)
    };
}

/// A macro may do anything.
#[diagnose]
fn works_in_a_macro() -> String {
    let answer = runtime().block_on(answer()).unwrap();
    work!(answer)
}

/// What many a `main` ends with.
#[diagnose]
fn shuts_down() -> Result<(), String> {
    let runtime = runtime();
    let answer = runtime.block_on(answer()).map_err(|error| error + "!")?;
    runtime.shutdown_timeout(Duration::from_secs(1));
    assert_answer(answer)
}

fn assert_answer(answer: u32) -> Result<(), String> {
    (answer == 42).then_some(()).ok_or_else(|| answer.to_string())
}

#[diagnose]
fn shuts_down_last() {
    let runtime = runtime();
    runtime.block_on(answer()).map(|_| ()).expect("42");
    runtime.shutdown_background();
}

#[diagnose]
fn drops_it() -> u32 {
    let runtime = runtime();
    let answer = runtime.block_on(answer()).unwrap_or_else(|error| panic!("{error}"));
    drop(runtime);
    answer
}

#[diagnose]
fn converts() -> u64 {
    u64::from(runtime().block_on(answer()).unwrap())
}

/// The work besides `block_on` is its own time.
#[diagnose]
fn does_more() {
    runtime().block_on(answer()).unwrap();
    std::hint::black_box(String::from("more"));
}

#[test]
fn a_function_with_a_runtime_around_it_waits_and_is_not_busy() {
    diagnose_isolation::isolated!();
    above();
    root();
    below();
    by_hand();
    assert_eq!((unwraps(), maps(), wraps(), local()), (42, Ok(42), Some(42), Ok(42)));
    matches();
    asks();
    does_more();
    assert_eq!(works_in_from().0, "42");
    shuts_down_last();
    assert_eq!((shuts_down(), drops_it(), converts()), (Ok(()), 42, 42));
    assert_eq!([works_on_it(), works_in_a_macro()], ["4242", "4242"]);
    let snapshot = diagnose::snapshot();
    let node = |name: &str| {
        let nodes = snapshot.nodes.iter().filter(|node| snapshot.sites[node.site].name == name);
        let nodes: Vec<_> = nodes.collect();
        let [node] = nodes.as_slice() else { panic!("one path of {name}: {nodes:#?}") };
        (*node).clone()
    };
    for name in ["does_more", "works_on_it", "works_in_a_macro", "works_in_from", "shuts_down"] {
        assert_eq!(node(name).idle_ns, 0, "{name}");
    }
    for name in [
        "above",
        "root",
        "below",
        "by_hand",
        "unwraps",
        "maps",
        "matches",
        "asks",
        "wraps",
        "local",
        "shuts_down_last",
        "drops_it",
        "converts",
    ] {
        let node = node(name);
        // Not `PAUSE`: on a busy machine, the timer may begin long before the wait.
        assert!(node.idle_ns > 0, "{name}: {node:#?}");
        assert_eq!((node.calls, node.completed), (1, 1), "{name}");
    }
}
