//! The tree names the task that returned `Pending` and kept no waker, and no other.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::Runtime;

/// Returns `Pending` without using its context.
struct Buggy;

impl Future for Buggy {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

static KEPT: Mutex<Vec<Waker>> = Mutex::new(Vec::new());

#[diagnose(root)]
async fn forgets() {
    Buggy.await;
}

#[diagnose(root)]
async fn keeps() {
    poll_fn(|context| {
        KEPT.lock().expect("no panic").push(context.waker().clone());
        Poll::<()>::Pending
    })
    .await;
}

#[diagnose]
async fn child() {
    poll_fn(|context| {
        KEPT.lock().expect("no panic").push(context.waker().clone());
        Poll::<()>::Pending
    })
    .await;
}

#[diagnose(root)]
async fn has_a_child_that_keeps() {
    child().await;
}

#[diagnose(root)]
async fn gathers() {
    let mut children: futures::stream::FuturesUnordered<_> = (0..3).map(|_| child()).collect();
    while futures::StreamExt::next(&mut children).await.is_some() {}
}

#[diagnose(root)]
async fn sleeps() {
    tokio::time::sleep(std::time::Duration::from_secs(3_600)).await;
}

const MARK: &str = "NOTHING CAN WAKE IT";

/// Returns the part of the tree about a task.
fn about<'a>(tree: &'a str, name: &str) -> &'a str {
    let of_it = |part: &&str| part.lines().next().is_some_and(|head| head.contains(&format!(" {name} [")));
    tree.split("\n\n").find(of_it).unwrap_or_else(|| panic!("{name} is not in\n{tree}"))
}

#[test]
fn only_the_task_that_keeps_no_waker_is_reported() {
    diagnose_isolation::isolated!();
    Runtime::TokioCurrent.run(async {
        tokio::spawn(forgets());
        tokio::spawn(keeps());
        tokio::spawn(has_a_child_that_keeps());
        tokio::spawn(gathers());
        tokio::spawn(sleeps());
        // Lets each task run.
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
        let tree = diagnose::tree();
        println!("{tree}");
        let buggy = about(&tree, "forgets");
        assert!(
            buggy.contains(MARK) && buggy.contains("Buggy.await (tests/scenarios/tests/no_waker.rs:"),
            "{tree}"
        );
        for name in ["keeps", "has_a_child_that_keeps", "gathers", "sleeps"] {
            assert!(!about(&tree, name).contains(MARK), "{name}\n{tree}");
        }
        assert_eq!(tree.matches(MARK).count(), 1, "{tree}");
        KEPT.lock().expect("no panic").clear();
        let tree = diagnose::tree();
        for name in ["keeps", "has_a_child_that_keeps"] {
            assert!(about(&tree, name).contains(MARK), "now nobody keeps it: {name}\n{tree}");
        }
    });
}
