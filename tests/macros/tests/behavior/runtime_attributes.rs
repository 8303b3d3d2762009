//! A runtime's attribute works above and below `#[diagnose]`.

use diagnose::diagnose;
use diagnose_macros_tests::{calls, sites};

#[diagnose]
async fn called_by_main() {
    tokio::task::yield_now().await;
}

#[diagnose]
#[tokio::main(flavor = "current_thread")]
async fn main_below() -> u32 {
    tokio::task::yield_now().await;
    1
}

#[tokio::main(flavor = "current_thread")]
#[diagnose]
async fn main_above() -> u32 {
    tokio::task::yield_now().await;
    2
}

#[diagnose]
#[cfg_attr(all(), tokio::main(flavor = "current_thread"))]
async fn main_in_cfg_attr(argument: u32) -> u32 {
    tokio::task::yield_now().await;
    argument
}

#[test]
fn main_is_timed_above_and_below_the_runtimes_attribute() {
    assert_eq!(main_below() + main_above() + main_in_cfg_attr(3), 6);
    assert!(sites("main_below")[0].starts_with("fn "));
    assert!(sites("main_in_cfg_attr")[0].starts_with("fn "));
    // The attribute above has left a synchronous function that only drives an executor. Its future
    // is timed, and not the function.
    assert!(sites("main_above")[0].starts_with("fn "));
}

#[tokio::main(flavor = "current_thread")]
#[diagnose]
async fn main_that_calls() -> u32 {
    called_by_main().await;
    let block = async { called_by_main().await };
    block.await;
    4
}

#[test]
fn the_block_that_a_runtimes_attribute_leaves_is_main_itself() {
    assert_eq!(main_that_calls(), 4);
    assert_eq!(
        calls("called_by_main"),
        ["1 called_by_main < main_that_calls", "1 called_by_main < {block} < main_that_calls"]
    );
    assert_eq!(awaits("main_that_calls"), ["block.await", "called_by_main().await"]);
}

/// The sites of the awaits in the body of this name, sorted.
fn awaits(name: &str) -> Vec<String> {
    let snapshot = diagnose::snapshot();
    let parent =
        |node: &diagnose::model::Node| node.parent.map(|it| &snapshot.sites[snapshot.nodes[it].site]);
    let mut texts: Vec<String> = snapshot
        .nodes
        .iter()
        .filter(|node| parent(node).is_some_and(|it| it.name == name))
        .map(|node| snapshot.sites[node.site].name.clone())
        .collect();
    texts.sort();
    texts
}

#[diagnose]
#[tokio::test]
async fn a_test_with_the_attribute_of_the_runtime_below() {
    tokio::task::yield_now().await;
}

#[tokio::test]
#[diagnose]
async fn a_test_with_the_attribute_of_the_runtime_above() {
    tokio::spawn(async { diagnose::block!("spawned in a test", async {}).await }).await.unwrap();
    assert_eq!(sites("spawned in a test").len(), 1);
}
