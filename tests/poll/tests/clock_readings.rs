//! A poll through a chain of annotated functions of any length reads the clock twice.

use diagnose::{diagnose, manual_clock};
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::Wait;
use diagnose_poll_tests::{Task, steps};

#[diagnose]
async fn one() {
    two().await;
}

#[diagnose]
async fn two() {
    three().await;
}

#[diagnose]
async fn three() {
    steps([Wait, Wait, Wait]).await;
}

// one, two, three, the await   ├┤┈┈┈├┤┈┈┈├┤┈┈┈├┤
//                                   2    2
#[test]
fn a_resumed_chain_reads_the_clock_twice() {
    isolated!();
    let mut task = Task::new(one());
    assert!(task.poll().is_pending());
    for _ in 0..2 {
        let before = manual_clock::readings();
        assert!(task.poll().is_pending());
        assert_eq!(manual_clock::readings() - before, 2);
    }
    assert!(task.poll().is_ready());
}
