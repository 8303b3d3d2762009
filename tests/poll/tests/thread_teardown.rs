//! Futures are polled and dropped while a thread's local variables are being destroyed.

use std::cell::RefCell;
use std::thread;

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, pass, steps, tree};

#[diagnose]
async fn dropped_late() {
    steps([Busy(1), Wait]).await;
}

#[diagnose]
async fn polled_late() {
    steps([Busy(2)]).await;
}

/// Destroyed with the thread, before or after the recorder's own state.
struct Late(Option<Task<()>>);

impl Drop for Late {
    fn drop(&mut self) {
        drop(self.0.take());
        Task::new(polled_late()).run(0);
    }
}

thread_local! {
    static FIRST: RefCell<Late> = const { RefCell::new(Late(None)) };
    static LAST: RefCell<Late> = const { RefCell::new(Late(None)) };
}

fn pending() -> Task<()> {
    let mut task = Task::new(dropped_late());
    assert!(task.poll().is_pending());
    task
}

#[test]
fn nothing_is_lost_at_the_end_of_a_thread() {
    isolated!();
    // Destructors run in reverse order of first use: `LAST`, the recorder's own, `FIRST`.
    for _ in 0..3 {
        thread::spawn(|| {
            FIRST.with(|first| first.borrow_mut().0 = None);
            let last = pending();
            LAST.with(|late| late.borrow_mut().0 = Some(last));
            FIRST.with(|late| late.borrow_mut().0 = Some(pending()));
        })
        .join()
        .expect("no panic");
    }
    pass(100);
    assert_eq!(
        tree(),
        "\
dropped_late  busy 6  self 6  idle 9  own 9  calls 6  polls 6  cancelled 6
polled_late  busy 12  self 12  idle 0  own 0  calls 6  polls 6  completed 6
"
    );
    let threads = diagnose::snapshot().threads;
    assert_eq!(threads.len(), 1, "one tree serves one thread after the other: {threads:?}");
}
