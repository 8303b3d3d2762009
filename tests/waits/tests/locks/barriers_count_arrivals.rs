//! A barrier records the arrivals of this round, and the tasks that have ever arrived.

use std::sync::Arc;

use diagnose::model::{ResourceKind, Role, WaitMode};
use diagnose::tokio;
use diagnose::tokio::sync::Barrier;
use diagnose_waits_tests::{made_in, settle};

#[tokio::test]
async fn a_barrier_counts_the_arrivals_of_each_round() {
    let (barrier, made) = (Arc::new(Barrier::new(3)), line!());
    let arrive = || {
        tokio::spawn({
            let barrier = Arc::clone(&barrier);
            async move { barrier.wait().await.is_leader() }
        })
    };
    let mut tasks = vec![arrive(), arrive()];
    settle().await;
    let (resource, queue) = made_in!(made);
    assert_eq!((resource.kind, resource.capacity, resource.filled), (ResourceKind::Barrier, Some(3), 2));
    assert!(resource.holdings.iter().all(|holding| holding.role == Role::Uses));
    assert_eq!((resource.holdings.len(), queue.len(), queue[1].mode), (2, 2, WaitMode::Arrive));
    tasks.push(arrive());
    let mut leaders = 0;
    for task in tasks {
        leaders += u8::from(task.await.unwrap());
    }
    assert_eq!(leaders, 1);
    let (resource, queue) = made_in!(made);
    assert_eq!((resource.filled, resource.holdings.len(), queue.len()), (0, 3, 0));
    let late = arrive();
    settle().await;
    assert_eq!((made_in!(made).0.filled, late.is_finished()), (1, false));
}
