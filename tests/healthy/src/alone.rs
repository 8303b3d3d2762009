//! One task waits, and no other recorded task makes progress. Its wait is ended by:
//!
//! - a thread that is parked in the original tokio's `block_on`;
//! - a connection that the program's own pool opens;
//! - a boxed future that another task has begun to poll.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use diagnose::tokio::sync::{Mutex, mpsc, oneshot};
use diagnose::tokio::time::timeout;
use diagnose::{Resource, diagnose, tokio};
use futures::future::{BoxFuture, FutureExt as _};

use crate::Load;

/// Longer than a wait must last for a likely verdict.
const SLOW: Duration = Duration::from_millis(600);

#[diagnose]
pub(crate) async fn run(load: Arc<Load>) {
    while load.goes_on() {
        parked_thread().await;
        own_pool().await;
        boxed_job().await;
        load.count();
    }
}

#[diagnose]
async fn parked_thread() {
    let (reply, replied) = oneshot::channel();
    let handle = ::tokio::runtime::Handle::current();
    thread::spawn(move || {
        handle.block_on(async { ::tokio::time::sleep(SLOW).await });
        let _ = reply.send(());
    });
    replied.await.expect("it replies");
}

#[diagnose]
async fn own_pool() {
    let pool = Resource::new("pool", 5);
    let _first = pool.hold();
    diagnose::wait("connect", &pool, ::tokio::time::sleep(SLOW)).await;
}

#[diagnose]
async fn boxed_job() {
    let (jobs, mut taken) = mpsc::unbounded_channel::<BoxFuture<'static, ()>>();
    let polls = async move {
        while let Some(job) = taken.recv().await {
            job.await;
        }
    };
    let polls = tokio::spawn(polls);
    let lock = Arc::new(Mutex::new(()));
    let shared = Arc::clone(&lock);
    let mut job = async move {
        let _guard = shared.lock().await;
        ::tokio::time::sleep(SLOW).await;
    }
    .boxed();
    if timeout(SLOW / 10, &mut job).await.is_err() && jobs.send(job).is_ok() {
        drop(lock.lock().await);
    }
    drop(jobs);
    polls.await.expect("no panic");
}
