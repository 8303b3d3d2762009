//! An aborted task is shown as queued, and no verdict mentions its former wait.

use std::sync::Arc;

use diagnose::model::RunState;
use diagnose::tokio::runtime::Builder;
use diagnose::tokio::sync::Mutex;
use diagnose::tokio::task::{JoinSet, yield_now};
use diagnose::{diagnose, tokio};

#[diagnose]
async fn transfer(from: Arc<Mutex<()>>, to: Arc<Mutex<()>>) {
    let _from = from.lock().await;
    yield_now().await;
    let _to = to.lock().await;
}

/// Returns the states of the transfer tasks.
fn states() -> Vec<RunState> {
    let snapshot = diagnose::snapshot();
    let is_it = |task: &&diagnose::model::Task| snapshot.sites[task.site].name == "transfer";
    snapshot.tasks.iter().filter(is_it).map(|task| task.state).collect()
}

fn locks() -> [Arc<Mutex<()>>; 2] {
    [(); 2].map(|()| Arc::default())
}

// one    ├a┤┈┈┈ b ┈┈┈┤abort ┈┈┈ queued ┈┈┈┤gone
// other  ├b┤┈┈┈ a ┈┈┈┤abort ┈┈┈ queued ┈┈┈┤gone
// look             ▲        ▲                 ▲
#[test]
fn aborted_tasks_are_queued_until_they_are_gone() {
    diagnose_isolation::isolated!();
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let [a, b] = locks();
        let one = tokio::spawn(transfer(a.clone(), b.clone()));
        let other = tokio::spawn(transfer(b, a));
        for _ in 0..4 {
            yield_now().await;
        }
        assert_eq!(states(), [RunState::Waiting; 2]);
        one.abort();
        other.abort();
        assert_eq!(states(), [RunState::Queued; 2]);
        assert!(one.await.is_err_and(|error| error.is_cancelled()));
        assert!(other.await.is_err_and(|error| error.is_cancelled()));
        assert_eq!(states(), []);

        let [a, b] = locks();
        let mut set = JoinSet::new();
        set.spawn(transfer(a.clone(), b.clone()));
        set.spawn(transfer(b, a));
        for _ in 0..4 {
            yield_now().await;
        }
        assert_eq!(states(), [RunState::Waiting; 2]);
        set.abort_all();
        assert_eq!(states(), [RunState::Queued; 2]);
        while set.join_next().await.is_some() {}
        assert_eq!(states(), []);
    });
}
